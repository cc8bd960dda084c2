# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition config of a discovery image.

Source: openshift/assisted-service internal/ignition/discovery.go, internal/ignition/templates.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

from . import scripts
from .parameters import Discovery
from .static_network import host_files

CA_FILE = "/etc/assisted-service/service-ca-cert.crt"
_ANCHORS = "/etc/pki/ca-trust/source/anchors"
# Upstream writes the decimal number 644 as the mode of this file.
_PROXY_SH_MODE = 644
_POLICY = (
    '{"default": [{"type": "insecureAcceptAnything"}], "transports": {"docker-daemon": {"": [{"type": '
    '"insecureAcceptAnything"}]}}}\n'
)


def discovery_ignition(discovery: Discovery, *, static_network: bool = True) -> dict[str, Any]:
    """The document, overrides merged in.

    ``static_network`` False: it is in the ramdisk (minimal image), not here. Raises ValueError for a bad override.
    """
    document = _base(discovery, static_network and bool(discovery.static_network))
    for override in (discovery.internal_override, discovery.override):
        if override:
            document = merge(document, json.loads(override))
    return document


def encode(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _base(discovery: Discovery, network: bool) -> dict[str, Any]:
    ignition: dict[str, Any] = {"version": "3.1.0"}
    if discovery.proxied:
        proxy = {"httpProxy": discovery.http_proxy, "httpsProxy": discovery.https_proxy}
        names = [name for name in discovery.no_proxy.split(",") if name]
        ignition["proxy"] = {key: value for key, value in proxy.items() if value} | (
            {"noProxy": names} if names else {}
        )
    return {
        "ignition": ignition,
        "passwd": {"users": _users(discovery)},
        "systemd": {"units": _units(discovery, network)},
        "storage": {"files": _files(discovery, network)},
    }


def _users(discovery: Discovery) -> list[dict[str, Any]]:
    keys = [line.strip() for line in discovery.ssh_authorized_key.splitlines() if line.strip()]
    return [{"groups": ["sudo"], "name": "core", "passwordHash": "!", "sshAuthorizedKeys": keys}] if keys else []


def _units(discovery: Discovery, network: bool) -> list[dict[str, Any]]:
    units = [
        {"name": "agent.service", "enabled": not discovery.ironic, "contents": agent_unit(discovery)},
        {"name": "selinux.service", "enabled": True, "contents": scripts.SELINUX_UNIT},
        {"name": "multipathd.service", "enabled": True},
        {"name": "iscsistart.service", "enabled": True, "contents": scripts.ISCSI_UNIT},
        {"name": "oci-eval-user-data.service", "enabled": True, "contents": scripts.OCI_UNIT},
    ]
    if network:
        units.append(
            {
                "name": "pre-network-manager-config.service",
                "enabled": True,
                "contents": scripts.network_unit(discovery.network_delay_seconds),
            }
        )
    if discovery.additional_ntp_sources or discovery.ntp_sources:
        contents = scripts.ntp_unit(discovery.additional_ntp_sources, discovery.ntp_sources)
        units.append({"name": "add-ntp-sources.service", "enabled": True, "contents": contents})
    return units


def agent_unit(discovery: Discovery) -> str:
    """agent.service."""
    image = discovery.agent_image
    proxies = {"HTTP_PROXY": discovery.http_proxy, "HTTPS_PROXY": discovery.https_proxy}
    lines = [
        f"Environment={spelt}={value.replace('%', '%%')}"
        for name, value in proxies.items()
        for spelt in (name, name.lower())
    ]
    lines += [f"Environment=NO_PROXY={discovery.no_proxy}", f"Environment=no_proxy={discovery.no_proxy}"]
    if discovery.token:
        lines.append(f"Environment=PULL_SECRET_TOKEN={discovery.token}")
    start = (
        f"/usr/local/bin/agent --url {discovery.service_url} --infra-env-id {discovery.infra_env_id} --agent-version "
        f"{image}"
    )
    start += f" --insecure={str(discovery.insecure).lower()}"
    if discovery.service_ca:
        start += f" --cacert {CA_FILE}"
    return "\n".join(
        [
            "[Service]",
            "Type=simple",
            "Restart=always",
            "RestartSec=3",
            "StartLimitInterval=0",
            *lines,
            "TimeoutStartSec=600",
            f"ExecStartPre=/usr/local/bin/agent-fix-bz1964591 {image}",
            f"ExecStartPre=/usr/local/bin/agent-pull-image {image}",
            f"ExecStartPre=podman run --privileged --rm -v /usr/local/bin:/hostbin {image} cp /usr/bin/agent /hostbin",
            f"ExecStart={start}",
            "",
            "[Unit]",
            "Wants=network-online.target",
            "After=network-online.target",
            "",
            "[Install]",
            "WantedBy=multi-user.target",
            "",
        ]
    )


def _files(discovery: Discovery, network: bool) -> list[dict[str, Any]]:
    pull_secret = "data:," + urllib.parse.quote(discovery.pull_secret, safe="")
    files = [
        _file("/usr/local/bin/agent-fix-bz1964591", 0o755, scripts.FIX_IMAGE_STORE),
        _file("/usr/local/bin/agent-pull-image", 0o755, scripts.PULL_IMAGE),
        _file("/etc/motd", 0o644, scripts.MOTD),
        _file("/etc/multipath.conf", 0o644, scripts.MULTIPATH),
        _file("/etc/NetworkManager/conf.d/01-ipv6.conf", 0o644, scripts.IPV6),
        {**_file("/root/.docker/config.json", 0o644, ""), "contents": {"source": pull_secret}},
        _file("/root/assisted.te", 0o644, scripts.SELINUX),
        _file("/usr/local/bin/oci-eval-user-data.sh", 0o755, scripts.OCI_USER_DATA, overwrite=False),
    ]
    if discovery.service_ca:
        files.append(_file(CA_FILE, 0o644, discovery.service_ca))
    if discovery.trust_bundle:
        files.append(_file(f"{_ANCHORS}/assisted-infraenv-additional-trust-bundle.pem", 0o644, discovery.trust_bundle))
    if discovery.registries_conf:
        files.append(_file("/etc/containers/registries.conf", 0o644, discovery.registries_conf))
        files.append(_file("/etc/containers/policy.json", 0o644, _POLICY))
    if discovery.mirror_ca:
        files.append(_file(f"{_ANCHORS}/domain.crt", 0o644, discovery.mirror_ca))
    if network:
        files += [_file(path, 0o600, text) for path, text in host_files(discovery).items()]
        files.append(_file("/usr/local/bin/pre-network-manager-config.sh", 0o755, scripts.HOST_NETWORK))
        files.append(_file("/usr/local/bin/common_network_script.sh", 0o755, scripts.COMMON_NETWORK))
    if discovery.proxied:
        files.append(_file("/etc/profile.d/proxy.sh", _PROXY_SH_MODE, _proxy_exports(discovery), overwrite=False))
    if discovery.additional_ntp_sources or discovery.ntp_sources:
        files.append(_file("/usr/local/bin/add-ntp-sources.sh", 0o755, scripts.ADD_NTP, overwrite=False))
    return files


def _proxy_exports(discovery: Discovery) -> str:
    values = {"HTTP_PROXY": discovery.http_proxy, "HTTPS_PROXY": discovery.https_proxy, "NO_PROXY": discovery.no_proxy}
    return "".join(f"export {spelt}={value}\n" for name, value in values.items() for spelt in (name, name.lower()))


def _file(path: str, mode: int, text: str, *, overwrite: bool = True) -> dict[str, Any]:
    source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
    entry: dict[str, Any] = {"path": path, "mode": mode, "user": {"name": "root"}, "contents": {"source": source}}
    return entry | ({"overwrite": True} if overwrite else {})


def merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Ignition's merge for the lists that have a key: an entry of the same key is updated, another is added; the newer
    version wins.
    """
    merged: dict[str, Any] = json.loads(json.dumps(base))
    keys = {("storage", "files"): "path", ("storage", "directories"): "path", ("storage", "links"): "path"}
    keys |= {("systemd", "units"): "name", ("passwd", "users"): "name", ("passwd", "groups"): "name"}
    for (section, member), key in keys.items():
        added = (override.get(section) or {}).get(member) or []
        if not added:
            continue
        entries = {entry[key]: entry for entry in merged.setdefault(section, {}).get(member) or []}
        for entry in added:
            entries[entry[key]] = {**entries.get(entry[key], {}), **entry}
        merged[section][member] = list(entries.values())
    newest = max(
        (_version(document) for document in (merged, override)),
        key=lambda text: [int(part) for part in text.split(".")],
    )
    merged["ignition"] = {**_appended(merged["ignition"], override.get("ignition") or {}), "version": newest}
    return merged


def _version(document: Mapping[str, Any]) -> str:
    return str((document.get("ignition") or {}).get("version") or "3.0.0")


def _appended(base: Any, override: Any) -> Any:
    """The ignition section: objects are merged, lists (CAs, configs to merge) appended."""
    if isinstance(base, dict) and isinstance(override, dict):
        return {
            **base,
            **{key: _appended(base[key], value) if key in base else value for key, value in override.items()},
        }
    return [*base, *override] if isinstance(base, list) and isinstance(override, list) else override
