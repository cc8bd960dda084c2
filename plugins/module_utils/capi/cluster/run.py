# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``capi_cluster``: its options, its run and its result."""

from __future__ import annotations

from typing import Any

from ...common.errors import ZeroTouchError
from ...common.opened import Opened
from ...kube.client import KubeClient
from ...kube.connection import CONNECTION_OPTIONS, connect
from ...kube.write import diff_of
from ..kinds import core_kinds
from ..objects import part
from .desired import DesiredAgentCluster, read_desired_cluster
from .unit import ClusterUnit, infrastructure_missing, plan_absent, plan_present, pool_row, replicas_missing


def cluster_argument_spec() -> dict[str, Any]:
    config = {name: {"type": "str", "required": True} for name in ("api_group", "kind", "name")}
    pool = {
        "name": {"type": "str", "required": True},
        "replicas": {"type": "int"},
        "agent_label_selector": {"type": "dict"},
        "bootstrap": {
            "type": "dict",
            "required": True,
            "options": {
                "data_secret_name": {"type": "str", "no_log": False},
                "config_ref": {"type": "dict", "options": config},
            },
        },
        "version": {"type": "str"},
        "labels": {"type": "dict", "default": {}},
        "node_drain_timeout": {"type": "int"},
        "node_volume_detach_timeout": {"type": "int"},
        "node_deletion_timeout": {"type": "int"},
        "deletion_order": {"type": "str", "choices": ["Random", "Newest", "Oldest"]},
    }
    control_plane = {
        "api_group": {"type": "str", "default": "hypershift.openshift.io"},
        "kind": {"type": "str", "default": "HostedControlPlane"},
        "name": {"type": "str"},
    }
    ca = {"name": {"type": "str", "required": True}, "namespace": {"type": "str"}}
    lists = {name: {"type": "list", "elements": "str", "default": []} for name in ("pods", "services")}
    return {
        **CONNECTION_OPTIONS,
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "control_plane": {"type": "dict", "options": control_plane, "apply_defaults": True},
        "control_plane_endpoint": {
            "type": "dict",
            "options": {"host": {"type": "str", "required": True}, "port": {"type": "int", "default": 6443}},
        },
        "ignition_endpoint": {
            "type": "dict",
            "options": {"url": {"type": "str", "required": True}, "ca_certificate": {"type": "dict", "options": ca}},
        },
        "cluster_network": {"type": "dict", "options": {**lists, "service_domain": {"type": "str"}}},
        "labels": {"type": "dict", "default": {}},
        "paused": {"type": "bool"},
        "machine_deployments": {"type": "list", "elements": "dict", "options": pool},
        "wait_for": {"type": "str", "choices": ["none", "infrastructure_ready", "replicas", "gone"], "default": "none"},
        "timeout": {"type": "float", "default": 3600},
    }


def run_cluster(call: Opened) -> dict[str, Any]:
    """Raises :class:`InvalidInput` before anything is sent; what the API refuses, and :class:`LimitReached`, with the
    result so far.
    """
    params = call.params
    requested = read_desired_cluster(params) if params["state"] == "present" else None
    client = connect(params, clock=call.clock, check_mode=call.check_mode)
    try:
        return _run(call, client, requested)
    finally:
        client.close()


def _run(call: Opened, client: KubeClient, requested: DesiredAgentCluster | None) -> dict[str, Any]:
    params = call.params
    unit = ClusterUnit(client, core_kinds(client), params["namespace"], params["name"], call.clock, call.progress)
    try:
        _remove(call, unit) if requested is None else _make(call, unit, requested)
    except ZeroTouchError as error:
        error.result = _result(call, unit)
        raise
    for note in (*unit.plan.notes, *unit.plan.stays):
        call.warn(note)
    return _result(call, unit)


def _make(call: Opened, unit: ClusterUnit, requested: DesiredAgentCluster) -> None:
    unit.apply(
        plan_present(requested, unit.core, unit.observed),
        lambda: plan_present(requested, unit.core, unit.observed),
        check_mode=call.check_mode,
    )
    call.plan(unit.planned)
    if call.check_mode:
        return
    unit.look()
    wanted, limit = call.params["wait_for"], call.params["timeout"]
    if wanted in ("infrastructure_ready", "replicas"):
        unit.until(infrastructure_missing, limit)
    if wanted == "replicas":
        unit.until(replicas_missing([pool.name for pool in requested.pools or ()], unit.core), limit)


def _remove(call: Opened, unit: ClusterUnit) -> None:
    name = call.params["name"]

    def step() -> None:
        unit.apply(
            plan_absent(name, unit.core, unit.observed),
            lambda: plan_absent(name, unit.core, unit.observed),
            check_mode=call.check_mode,
        )

    step()
    call.plan(unit.planned)
    if call.check_mode:
        return
    unit.look()
    if call.params["wait_for"] == "gone":
        unit.until(lambda observed: plan_absent(name, unit.core, observed).waits_for, call.params["timeout"], step)


def _result(call: Opened, unit: ClusterUnit) -> dict[str, Any]:
    observed, name = unit.observed, call.params["name"]
    changed = any(outcome.changed for outcome in unit.outcomes)
    result: dict[str, Any] = {
        "changed": changed,
        "name": name,
        "namespace": call.params["namespace"],
        "plan": list(unit.planned),
        "infrastructure_ready": part(observed.agent_cluster, "status").get("ready") is True,
        "machine_deployments": [
            pool_row(item) for item in sorted(observed.deployments, key=lambda item: str(item["metadata"]["name"]))
        ],
        "remaining": list(plan_absent(name, unit.core, observed).waits_for) if call.params["state"] == "absent" else [],
        "stays": list(unit.plan.stays),
    }
    return result | ({"diff": diff_of(unit.outcomes)} if call.diff else {})
