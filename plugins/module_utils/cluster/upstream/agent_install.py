# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate architectures and replicas of install-config.yaml, as the agent installer does.

Source: openshift/installer pkg/asset/agent/installconfig.go, pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from ..spec import ARCHITECTURES
from .findings import forbidden, invalid, unsupported
from .provided import Provided

_MOST_MASTERS = 5


def architectures(provided: Provided) -> Iterator[Problem]:
    pools = [
        ("controlPlane", provided.control_plane),
        *((f"compute[{index}]", pool) for index, pool in enumerate(provided.compute)),
    ]
    for path, pool in pools:
        if pool["architecture"] not in ARCHITECTURES:
            yield unsupported(f"{path}.architecture", pool["architecture"], ARCHITECTURES)


def control_plane_replicas(provided: Provided) -> Iterator[Problem]:
    masters, profile = provided.control_plane["replicas"], provided.profile
    path = "controlPlane.replicas" if profile.lower_case_paths else "ControlPlane.Replicas"
    if not profile.many_masters:
        if masters not in (1, 3):
            yield unsupported(path, masters, ("3", "1"))
    elif not profile.two_node_rule:
        if not 1 <= masters <= _MOST_MASTERS or (masters == 2 and provided.arbiter is None):
            yield unsupported(
                path,
                masters,
                ("3", "1", "4", "5", *(("2",) if profile.arbiter and provided.gate("HighlyAvailableArbiter") else ())),
            )
    elif not 1 <= masters <= _MOST_MASTERS:
        fencing = ("2 (with fencing)",) if provided.gate("DualReplica") else ()
        yield unsupported(path, masters, ("3", "1", "4", "5", "2 (with arbiter)", *fencing))


def single_node(provided: Provided) -> Iterator[Problem]:
    if provided.control_plane["replicas"] != 1:
        return
    workers = sum(pool["replicas"] for pool in provided.compute)
    if workers:
        detail = (
            "Total number of compute replicas must be 0 when controlPlane.replicas is 1 for platform none or "
            f"external. Found {workers}"
        )
        yield forbidden("compute.replicas", detail)
    elif provided.platform not in ("none", "external"):
        yield invalid(
            "platform",
            provided.platform,
            ("Only platform none and external supports 1 ControlPlane and 0 Compute nodes"),
        )
    elif provided.network_type != "OVNKubernetes":
        yield invalid(
            "networking.networkType",
            provided.network_type,
            ("Only OVNKubernetes network type is allowed for Single Node OpenShift (SNO) cluster"),
        )
    arbiters = provided.arbiter["replicas"] if provided.arbiter is not None else 0
    if arbiters > 0:
        detail = (
            "Total number of arbiter replicas must be 0 when controlPlane.replicas is 1 for Single Node Openshift "
            "(SNO) cluster."
        )
        yield forbidden("arbiter.replicas", f"{detail} Found {arbiters}")


def two_nodes(provided: Provided) -> Iterator[Problem]:
    if not provided.profile.two_node_rule or provided.control_plane["replicas"] != 2:
        return
    if provided.arbiter is not None and provided.arbiter["replicas"] != 1:
        detail = "TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica"
        yield invalid("arbiter.replicas", provided.arbiter["replicas"], detail)
    credentials = (provided.control_plane.get("fencing") or {}).get("credentials") or []
    if credentials and not provided.gate("DualReplica"):
        yield invalid(
            "controlPlane.fencing",
            "configured",
            ("fencing configuration requires FeatureGateDualReplica to be enabled"),
        )
    if credentials and len(credentials) != 2:
        detail = "must provide exactly 2 fencing credentials for 2 control plane replicas"
        yield invalid("controlPlane.fencing.credentials", len(credentials), detail)
