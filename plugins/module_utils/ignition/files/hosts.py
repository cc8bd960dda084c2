# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition files with data about each host: hostname, role and root device hints, fencing credentials.

The live system and the assisted service read them.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files;
  openshift/assisted-service cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...cluster.located import load
from ...cluster.spec import Deployment, Host
from ...cluster.tree import plain
from ...common.addresses import normal_mac
from ...common.yaml_text import GO_WIDTH, dump, dump_object
from ..document import PRIVATE, PUBLIC, IgnitionFile

HOSTNAMES = "/etc/assisted/hostnames"
HOST_CONFIG = "/etc/assisted/hostconfig"
FENCING_FILE = "fencing-credentials.yaml"


def host_files(deployment: Deployment) -> list[IgnitionFile]:
    """One hostname file and one host configuration directory a host; none without hosts."""
    files = [
        IgnitionFile(f"{HOSTNAMES}/{host.macs[0]}", PRIVATE, host.hostname.encode())
        for host in deployment.hosts
        if host.hostname and host.macs
    ]
    for index, host in enumerate(deployment.hosts):
        # The installation waits for every host that has a directory.
        files += _host_config(directory_name(index, host), host) if host.listed else []
    return files + _fencing_files(deployment)


def without_bmcs(agent_config: bytes) -> bytes:
    """The file without the BMCs of its hosts: nothing on the live system needs them, and an image is served to any
    client that knows its URL.
    """
    if b"bmc" not in agent_config.lower():
        return agent_config
    # As the installer reads it: what follows the first document is not read.
    item, _problems = load(agent_config.decode("utf-8", "replace"), "agent-config.yaml")
    document: Any = plain(item) if item is not None else None
    # The installer reads keys in any case.
    hosts = (
        [key for key in document if str(key).lower() == "hosts" and isinstance(document[key], list)]
        if isinstance(document, dict)
        else []
    )
    if not any(_names_bmc(host) for key in hosts for host in document[key]):
        return agent_config
    return dump({**document, **{key: [_without_bmc(host) for host in document[key]] for key in hosts}}).encode()


def _names_bmc(host: Any) -> bool:
    return isinstance(host, dict) and any(str(key).lower() == "bmc" for key in host)


def _without_bmc(host: Any) -> Any:
    return {key: value for key, value in host.items() if str(key).lower() != "bmc"} if isinstance(host, dict) else host


def directory_name(index: int, host: Host) -> str:
    """The directory of the host with this index; the name shows up in failure reports only."""
    return host.hostname or f"host-{index}"


def _host_config(directory: str, host: Host) -> list[IgnitionFile]:
    texts = {"mac_addresses": "".join(f"{mac}\n" for mac in host.macs)}
    # Upstream's type leaves out what is nothing; only whether the disk rotates has a "no".
    if hints := {name: value for name, value in host.root_device_hints.items() if value or value is False}:
        texts["root-device-hints.yaml"] = dump_object(hints)
    if host.role:
        texts["role"] = host.role
    return [IgnitionFile(f"{HOST_CONFIG}/{directory}/{name}", PUBLIC, text.encode()) for name, text in texts.items()]


def _fencing_files(deployment: Deployment) -> list[IgnitionFile]:
    """Credentials by hostname in one file, those by MAC alone in the directory of the host with that MAC.

    The client takes a MAC in the common file for a hostname, never finds it and keeps the installation waiting.

    Source: openshift/installer 10684.
    """
    fencing = deployment.cluster.control_plane.options.get("fencing") or {}
    credentials = [_credential(provided) for provided in fencing.get("credentials") or []]
    by_hostname = [credential for credential in credentials if "hostname" in credential]
    files = [_fencing_file(HOST_CONFIG, by_hostname)] if by_hostname else []
    directories = {mac: directory_name(index, host) for index, host in enumerate(deployment.hosts) for mac in host.macs}
    free = len(deployment.hosts)
    for credential in credentials:
        mac = normal_mac(credential.get("macaddress", ""))
        if "hostname" in credential or not mac:
            continue
        if mac not in directories:
            # A host that is not described gets a directory of its own.
            # Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go.
            directories[mac], free = f"host-{free}", free + 1
            files.append(IgnitionFile(f"{HOST_CONFIG}/{directories[mac]}/mac_addresses", PUBLIC, f"{mac}\n".encode()))
        files.append(_fencing_file(f"{HOST_CONFIG}/{directories[mac]}", [credential]))
    return files


def _credential(provided: Mapping[str, Any]) -> dict[str, str]:
    names = {
        "hostname": "hostName",
        "macaddress": "macAddress",
        "username": "username",
        "password": "password",
        "address": "address",
        "certificateVerification": "certificateVerification",
    }
    return {name: str(provided[theirs]) for name, theirs in names.items() if provided.get(theirs)}


def _fencing_file(directory: str, credentials: Iterable[Mapping[str, str]]) -> IgnitionFile:
    text = dump({"credentials": list(credentials)}, sort_keys=False, width=GO_WIDTH)
    return IgnitionFile(f"{directory}/{FENCING_FILE}", PUBLIC, text.encode())
