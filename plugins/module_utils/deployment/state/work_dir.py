# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the files in the work directory of one deployment, and read the hosts and the identity recorded there."""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cluster.files import from_directory
from ...cluster.spec import Deployment
from ...common.addresses import canonical_ip, normal_mac
from ...common.errors import ZeroTouchError
from ...common.files import check_private
from ...common.state import StateFile
from ...nmstate.document import static_addresses
from ..supervise.observation import InventoryHost

SERVICE_PORT = 8090
# In section ``secrets`` of the state file, but known to every machine on the rendezvous host's network.
_PUBLIC = frozenset({"infra_env_id", "public_key"})


@dataclasses.dataclass(frozen=True)
class WorkDir:
    """Paths below ``openshift_work_dir``."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def images(self) -> Path:
        return self.root / "images"

    @property
    def boot_artifacts(self) -> Path:
        """What a network boot, or a minimal ISO, loads: the directory that the user publishes."""
        return self.root / "boot-artifacts"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "auth" / "kubeconfig"

    @property
    def kubeconfig_direct(self) -> Path:
        return self.root / "auth" / "kubeconfig.direct"

    @property
    def kubeadmin_password(self) -> Path:
        return self.root / "auth" / "kubeadmin-password"

    @property
    def image_url(self) -> Path:
        """The URL of the published image, with its token: for users who boot a machine without BMC."""
        return self.root / "auth" / "image-url"

    @property
    def credentials(self) -> tuple[Path, ...]:
        """Everything that leads into the cluster."""
        return (self.kubeconfig, self.kubeconfig_direct, self.kubeadmin_password)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def state(self) -> StateFile:
        return StateFile(self.root / "state.json")


@dataclasses.dataclass(frozen=True)
class DeploymentIdentity:
    """Where the cluster will be found: from the last image, else from the configuration.

    Empty where neither says it.
    """

    name: str = ""
    base_domain: str = ""
    version: str = ""
    api_url: str = ""
    rendezvous_ip: str = ""

    @property
    def domain(self) -> str:
        return f"{self.name}.{self.base_domain.rstrip('.')}" if self.name and self.base_domain else ""

    @property
    def service_url(self) -> str:
        """Base URL of the service on the rendezvous host."""
        address = canonical_ip(self.rendezvous_ip)
        host = f"[{address}]" if ":" in address else address
        return f"http://{host}:{SERVICE_PORT}" if address else ""


def read_deployment(config: Path) -> Deployment | None:
    """What ``config/`` says; None without one, or if it cannot be read (validation says why, elsewhere)."""
    return from_directory(config)[0] if config.is_dir() else None


def identity(state: Mapping[str, Any], deployment: Deployment | None) -> DeploymentIdentity:
    """The cluster of the state file; before the first image that of the configuration."""
    cluster = state.get("cluster") or {}
    if cluster:
        return DeploymentIdentity(
            **{field.name: str(cluster.get(field.name) or "") for field in dataclasses.fields(DeploymentIdentity)}
        )
    if deployment is None:
        return DeploymentIdentity()
    spec = deployment.cluster
    return DeploymentIdentity(spec.name, spec.base_domain, spec.version, spec.api_url, deployment.rendezvous_ip)


def cluster_section(deployment: Deployment) -> dict[str, Any]:
    """What the state file keeps about the cluster: who its hosts are and where it will be found (see
    :func:`identity`).
    """
    cluster = deployment.cluster
    hosts = [
        {
            "name": host.name,
            "hostname": host.hostname,
            "role": host.role,
            "macs": list(host.macs),
            "static_ips": list(host.addresses),
        }
        for host in hosts_of_deployment(deployment)
    ]
    return {
        "name": cluster.name,
        "base_domain": cluster.base_domain,
        "version": cluster.version,
        "release_image": cluster.release_image,
        "api_url": cluster.api_url,
        "rendezvous_ip": deployment.rendezvous_ip,
        "hosts": hosts,
        "replicas": cluster.replicas,
    }


def hosts_of_deployment(deployment: Deployment) -> tuple[InventoryHost, ...]:
    return tuple(
        InventoryHost(
            host.name,
            host.hostname,
            host.macs,
            host.role,
            tuple(address.ip for address in static_addresses(host.network_config)),
        )
        for host in deployment.hosts
    )


def hosts_of_state(state: Mapping[str, Any]) -> tuple[InventoryHost, ...]:
    """The hosts that the last image was built for."""
    hosts = (state.get("cluster") or {}).get("hosts") or []
    return tuple(inventory_host(host) for host in hosts)


def inventory_host(provided: Mapping[str, Any]) -> InventoryHost:
    """A host from a mapping with ``name hostname role macs static_ips`` (state file, result of agent_config, option
    ``hosts``).
    """
    macs = [normal_mac(str(mac)) for mac in provided.get("macs") or provided.get("mac_addresses") or []]
    name = str(provided.get("name") or provided.get("hostname") or "")
    addresses = tuple(str(address) for address in provided.get("static_ips") or [])
    return InventoryHost(
        name, str(provided.get("hostname") or ""), tuple(macs), str(provided.get("role") or ""), addresses
    )


def same_hosts(first: Sequence[InventoryHost], second: Sequence[InventoryHost]) -> bool:
    return {host.name for host in first} == {host.name for host in second}


def open_work_dir(path: Path) -> WorkDir:
    """Raises :class:`ZeroTouchError` when the path is something else than a directory; one that is not there yet is
    fine.
    """
    if path.exists() and not path.is_dir():
        raise ZeroTouchError(f"{path} is not a directory.", "work_dir is the work directory of a deployment.")
    check_private(path)
    return WorkDir(path)


def check_place(root: Path) -> None:
    """Raises :class:`ZeroTouchError` for a work directory that no run could use, whether it is there yet or not;
    nothing is tried.
    """
    try:
        there = next(path for path in (root, *root.parents) if os.path.lexists(path))
        if not there.is_dir():
            raise ZeroTouchError(
                f"{there} is not a directory.",
                ("The work directory (openshift_work_dir) must be one, or not be there yet."),
            )
        if not os.access(there, os.W_OK | os.X_OK):
            what = (
                f"{there} cannot be written" if there == root else (f"{root} cannot be made: {there} cannot be written")
            )
            raise ZeroTouchError(
                f"{what}.", ("Name another openshift_work_dir, or give this one to the user who runs this.")
            )
        if there == root and there.stat().st_mode & stat.S_ISVTX:
            raise ZeroTouchError(
                f"{root} is a directory that users share.",
                ("It would contain credentials: set openshift_work_dir to a separate directory."),
            )
        check_private(root)
    except OSError as error:
        raise ZeroTouchError(
            f"{root} cannot be looked at: {error.strerror}.", "Name another openshift_work_dir."
        ) from error


def loose_mode(root: Path) -> int:
    """The mode of a work directory that others can enter, 0 for one that they cannot or that is not there."""
    mode = stat.S_IMODE(root.stat().st_mode) if root.is_dir() else 0
    return mode if mode & 0o077 else 0


def known_secrets(work_dir: WorkDir) -> set[str]:
    """Every secret of the state file: a module tells its caller before anything is shown."""
    state = work_dir.state.read()
    nodes = state.get("node_image") or {}
    sections = (state.get("secrets") or {}, nodes.get("secrets") or {}, {**(nodes.get("tokens") or {}), "expires": ""})
    secrets = [{key: value for key, value in section.items() if key not in _PUBLIC} for section in sections]
    return {leaf for part in (*secrets, (state.get("publish") or {}).get("token")) for leaf in _leaves(part)}


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, str) and value:
        yield value
