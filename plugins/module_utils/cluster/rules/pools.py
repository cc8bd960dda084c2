# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Machine pools, replicas, fencing, and how many hosts there are (reference agent-based-installer.md 3.2, 3.3, 3.4, 3.8)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ...common.problems import DUPLICATE, FORBIDDEN, IGNORED, INVALID, REQUIRED, UNSUPPORTED, Problem
from ..spec import Cluster, Pool
from .checks import INSTALL_CONFIG, install_config, own, supported
from .facts import Facts
from .hosts import mac_error

_ARCHITECTURES = ("amd64", "arm64", "ppc64le", "s390x")
_HYPERTHREADING = ("Enabled", "Disabled")
_MANY_MASTERS = 5
_ARBITER_PLATFORMS = ("baremetal", "external", "none")
_ROLES = (("master", "ControlPlane"), ("arbiter", "Arbiter"), ("worker", "Compute"))


def pools(facts: Facts) -> Iterator[Problem]:
    """What the installer says about each pool, in its order."""
    cluster = facts.cluster
    if cluster.control_plane.replicas == 0:
        yield install_config("controlPlane.replicas", INVALID, "number of control plane replicas must be positive", value=0)
    yield from _pool(cluster, "controlPlane", cluster.control_plane)
    yield from _fencing(facts)
    if cluster.arbiter is not None:
        yield from _arbiter(cluster, cluster.arbiter)
    if not _architectures_agree(cluster):
        detail = "heterogeneous multi-arch is not supported; compute pool architecture must match control plane"
        yield install_config("compute[0].architecture", INVALID, detail, value=cluster.compute.architecture)
    yield from _pool(cluster, "compute[0]", cluster.compute)
    if _fencing_of(cluster.compute):
        yield install_config("compute[0].fencing", INVALID, "fencing is only valid for control plane")


def _pool(cluster: Cluster, path: str, pool: Pool) -> Iterator[Problem]:
    if pool.replicas < 0:
        yield install_config(f"{path}.replicas", INVALID, "number of replicas must not be negative", value=pool.replicas)
    hyperthreading = pool.options.get("hyperthreading", "Enabled")
    if hyperthreading not in _HYPERTHREADING:
        yield install_config(f"{path}.hyperthreading", UNSUPPORTED, supported(_HYPERTHREADING), value=hyperthreading)
    if pool.architecture not in _ARCHITECTURES:
        yield install_config(f"{path}.architecture", UNSUPPORTED, supported(_ARCHITECTURES), value=pool.architecture)
    platform = pool.options.get("platform")
    for name in platform if isinstance(platform, Mapping) else ():
        if cluster.platform and name != cluster.platform:
            detail = f'cannot specify "{name}" for machine pool when cluster is using "{cluster.platform}"'
            yield install_config(f"{path}.platform.{name}", INVALID, detail)


def _arbiter(cluster: Cluster, pool: Pool) -> Iterator[Problem]:
    if cluster.platform and cluster.platform not in _ARBITER_PLATFORMS:
        yield install_config("arbiter.platform", UNSUPPORTED, supported(_ARBITER_PLATFORMS), value=cluster.platform)
    if pool.replicas == 0:
        yield install_config("arbiter.replicas", INVALID, "number of arbiter replicas must be positive", value=0)
    if cluster.control_plane.replicas < 2:
        detail = "number of controlPlane replicas must be at least 2 for arbiter deployments"
        yield install_config("arbiter.replicas", INVALID, detail, value=cluster.control_plane.replicas)
    yield from _pool(cluster, "arbiter", pool)
    if _fencing_of(pool):
        yield install_config("arbiter.fencing", INVALID, "fencing is only valid for control plane")


def _architectures_agree(cluster: Cluster) -> bool:
    ours, theirs = cluster.control_plane.architecture, cluster.compute.architecture
    return ours == theirs or (cluster.platform == "baremetal" and ours == "amd64" and theirs == "arm64")


def architectures(facts: Facts) -> Iterator[Problem]:
    """The agent installer's own limits on platform and architecture."""
    cluster = facts.cluster
    if cluster.control_plane.architecture in ("ppc64le", "s390x") and cluster.platform and cluster.platform != "none":
        detail = f'CPU architecture "{cluster.control_plane.architecture}" only supports platform "none".'
        yield install_config("platform", INVALID, detail, value=cluster.platform)


def topology(facts: Facts) -> Iterator[Problem]:
    """Which numbers of hosts the agent installer can install."""
    cluster = facts.cluster
    masters, workers = cluster.control_plane.replicas, cluster.compute.replicas
    arbiters = cluster.arbiter.replicas if cluster.arbiter else 0
    if not 1 <= masters <= _MANY_MASTERS:
        values = ("3", "1", "4", "5", "2 (with arbiter)") + (("2 (with fencing)",) if dual_replica(cluster) else ())
        yield install_config("controlPlane.replicas", UNSUPPORTED, supported(values), value=masters)
    if masters == 1:
        yield from _single_node(cluster, workers, arbiters)
    if masters == 2 and cluster.arbiter is not None and arbiters != 1:
        yield install_config("arbiter.replicas", INVALID, "TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica", value=arbiters)
    credentials = _fencing_credentials(cluster)
    if masters == 2 and credentials:
        if not dual_replica(cluster):
            yield install_config("controlPlane.fencing", INVALID, "fencing configuration requires FeatureGateDualReplica to be enabled")
        if len(credentials) != 2:
            detail = "must provide exactly 2 fencing credentials for 2 control plane replicas"
            yield install_config("controlPlane.fencing.credentials", INVALID, detail, value=len(credentials))


def _single_node(cluster: Cluster, workers: int, arbiters: int) -> Iterator[Problem]:
    if workers:
        detail = "Total number of compute replicas must be 0 when controlPlane.replicas is 1 for platform none or external."
        yield install_config("compute.replicas", FORBIDDEN, f"{detail} Found {workers}")
    elif cluster.platform and not cluster.user_managed_networking:
        yield install_config("platform", INVALID, "Only platform none and external supports 1 ControlPlane and 0 Compute nodes", value=cluster.platform)
    elif cluster.networking.network_type != "OVNKubernetes":
        detail = "Only OVNKubernetes network type is allowed for Single Node OpenShift (SNO) cluster"
        yield install_config("networking.networkType", INVALID, detail, value=cluster.networking.network_type)
    if arbiters:
        detail = "Total number of arbiter replicas must be 0 when controlPlane.replicas is 1 for Single Node Openshift (SNO) cluster."
        yield install_config("arbiter.replicas", FORBIDDEN, f"{detail} Found {arbiters}")


# Fencing (two-node clusters)


def dual_replica(cluster: Cluster) -> bool:
    """Whether two-node fencing is enabled: always from 4.22, by feature set or gate before (reference 3.4, 12)."""
    match = re.match(r"(\d+)\.(\d+)", cluster.version)
    release = (int(match[1]), int(match[2])) if match else (4, 22)
    gates = {gate.lower() for gate in cluster.feature_gates}
    return release >= (4, 22) or cluster.feature_set in ("TechPreviewNoUpgrade", "DevPreviewNoUpgrade") or "dualreplica=true" in gates


def _fencing_of(pool: Pool) -> Mapping[str, Any]:
    fencing = pool.options.get("fencing")
    return fencing if isinstance(fencing, Mapping) else {}


def _fencing_credentials(cluster: Cluster) -> Sequence[Mapping[str, Any]]:
    credentials = _fencing_of(cluster.control_plane).get("credentials") or []
    return [entry for entry in credentials if isinstance(entry, Mapping)]


def _fencing(facts: Facts) -> Iterator[Problem]:
    cluster = facts.cluster
    path = "controlPlane.fencing.credentials"
    credentials = _fencing_credentials(cluster)
    two_nodes = cluster.control_plane.replicas == 2 and not (cluster.arbiter and cluster.arbiter.replicas)
    if credentials and cluster.platform and cluster.platform not in _ARBITER_PLATFORMS:
        yield install_config("controlPlane.fencing", FORBIDDEN, f"fencing is only supported on {', '.join(_ARBITER_PLATFORMS)}")
    for index, credential in enumerate(credentials):
        yield from _credential(f"{path}[{index}]", credential, credentials[:index])
    if two_nodes and len(credentials) != 2:
        detail = "there should be exactly two fencing credentials to support the two node cluster"
        yield install_config(path, FORBIDDEN, f"{detail}, instead {len(credentials)} credentials were found")
    if not two_nodes and credentials:
        detail = f"there should not be any fencing credentials configured for a non dual replica control plane cluster, found {len(credentials)}"
        yield install_config(path, FORBIDDEN, detail)


def _credential(path: str, credential: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    for key, word in (("username", "Username"), ("password", "Password"), ("address", "Address")):
        if not credential.get(key):
            yield install_config(f"{path}.{key}", REQUIRED, f"missing {word}")
    for key in ("hostName", "macAddress", "address"):
        if credential.get(key) and credential[key] in [other.get(key) for other in earlier]:
            yield install_config(f"{path}.{key}", DUPLICATE, "is used by another credential", value=credential[key])
    if not credential.get("hostName") and not credential.get("macAddress"):
        yield install_config(path, REQUIRED, "at least one of hostname or macaddress must be provided")
    mac = str(credential.get("macAddress") or "")
    if mac and (error := mac_error(mac)):
        yield install_config(f"{path}.macAddress", INVALID, error, value=mac)
    verification = credential.get("certificateVerification") or "Enabled"
    if verification not in ("Enabled", "Disabled"):
        yield install_config(f"{path}[CertificateVerification]", UNSUPPORTED, supported(("Enabled", "Disabled")), value=verification)
    address = str(credential.get("address") or "")
    if address and (error := _fencing_address_error(address)):
        yield install_config(f"{path}.address", INVALID, error, value=address)


def _fencing_address_error(address: str) -> str:
    if "redfish" not in address.lower():
        return "fencing only supports redfish-compatible BMC addresses, IPMI is not supported"
    try:
        parts = urlsplit(address)
        has_port = parts.port is not None
    except ValueError:
        return "is not a valid address"
    if not has_port and not any(word in parts.scheme for word in ("http", "https", "redfish")):
        return "needs a port"
    return ""


# Hosts and replicas


def host_counts(facts: Facts) -> Iterator[Problem]:
    """More hosts than replicas cannot be; fewer may join from elsewhere."""
    wanted = facts.cluster.replicas
    known = [role for role, _pool in _ROLES]
    counted: Counter[str] = Counter(host.host.role for host in facts.hosts if host.host.role in known)
    for _number in range(len(facts.hosts) - counted.total()):
        counted[next((role for role, _pool in _ROLES if counted[role] < wanted[role]), "worker")] += 1
    for role, name in _ROLES:
        if counted[role] > wanted[role]:
            detail = f"the number of {role} hosts defined ({counted[role]}) exceeds the configured {name} replicas ({wanted[role]})"
            yield Problem("hosts", INVALID, detail)
        elif facts.hosts and counted[role] < wanted[role]:
            yield own("fewer-hosts", "hosts", REQUIRED, f"{counted[role]} {role} hosts are defined for {wanted[role]} {name} replicas")


def ignored_pool_fields(facts: Facts) -> Iterator[Problem]:
    """Fields that the agent installer ignores, with a warning (reference 3.11)."""
    cluster = facts.cluster
    for path, pool in (("controlPlane", cluster.control_plane), ("compute[0]", cluster.compute)):
        if pool.options.get("hyperthreading", "Enabled") == "Disabled":
            yield own("ignored-field", f"{path}.hyperthreading", IGNORED, "hyperthreading is ignored", value="Disabled", file=INSTALL_CONFIG)
        if pool.options.get("platform"):
            yield own("ignored-field", f"{path}.platform", IGNORED, "the platform of a machine pool is ignored", file=INSTALL_CONFIG)
