# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the agent installer itself says about install-config.yaml (reference agent-based-installer.md 3.3, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from ..spec import ARCHITECTURES
from .findings import forbidden, invalid, unsupported
from .given import Given

_MOST_MASTERS = 5


def architectures(given: Given) -> Iterator[Problem]:
    pools = [("controlPlane", given.control_plane), *((f"compute[{index}]", pool) for index, pool in enumerate(given.compute))]
    for path, pool in pools:
        if pool["architecture"] not in ARCHITECTURES:
            yield unsupported(f"{path}.architecture", pool["architecture"], ARCHITECTURES)


def control_plane_replicas(given: Given) -> Iterator[Problem]:
    masters, profile = given.control_plane["replicas"], given.profile
    path = "controlPlane.replicas" if profile.lower_case_paths else "ControlPlane.Replicas"
    if not profile.many_masters:
        if masters not in (1, 3):
            yield unsupported(path, masters, ("3", "1"))
    elif not profile.two_node_rule:
        if not 1 <= masters <= _MOST_MASTERS or (masters == 2 and given.arbiter is None):
            yield unsupported(path, masters, ("3", "1", "4", "5", *(("2",) if profile.arbiter and given.gate("HighlyAvailableArbiter") else ())))
    elif not 1 <= masters <= _MOST_MASTERS:
        fencing = ("2 (with fencing)",) if given.gate("DualReplica") else ()
        yield unsupported(path, masters, ("3", "1", "4", "5", "2 (with arbiter)", *fencing))


def single_node(given: Given) -> Iterator[Problem]:
    if given.control_plane["replicas"] != 1:
        return
    workers = sum(pool["replicas"] for pool in given.compute)
    if workers:
        detail = f"Total number of compute replicas must be 0 when controlPlane.replicas is 1 for platform none or external. Found {workers}"
        yield forbidden("compute.replicas", detail)
    elif given.platform not in ("none", "external"):
        yield invalid("platform", given.platform, "Only platform none and external supports 1 ControlPlane and 0 Compute nodes")
    elif given.network_type != "OVNKubernetes":
        yield invalid("networking.networkType", given.network_type, "Only OVNKubernetes network type is allowed for Single Node OpenShift (SNO) cluster")
    arbiters = given.arbiter["replicas"] if given.arbiter is not None else 0
    if arbiters > 0:
        detail = "Total number of arbiter replicas must be 0 when controlPlane.replicas is 1 for Single Node Openshift (SNO) cluster."
        yield forbidden("arbiter.replicas", f"{detail} Found {arbiters}")


def two_nodes(given: Given) -> Iterator[Problem]:
    if not given.profile.two_node_rule or given.control_plane["replicas"] != 2:
        return
    if given.arbiter is not None and given.arbiter["replicas"] != 1:
        detail = "TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica"
        yield invalid("arbiter.replicas", given.arbiter["replicas"], detail)
    credentials = (given.control_plane.get("fencing") or {}).get("credentials") or []
    if credentials and not given.gate("DualReplica"):
        yield invalid("controlPlane.fencing", "configured", "fencing configuration requires FeatureGateDualReplica to be enabled")
    if credentials and len(credentials) != 2:
        detail = "must provide exactly 2 fencing credentials for 2 control plane replicas"
        yield invalid("controlPlane.fencing.credentials", len(credentials), detail)
