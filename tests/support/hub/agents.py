# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: Agent objects as the assisted-service creates them."""

from __future__ import annotations

from typing import Any

VALID = ("RequirementsMet", "True", "AgentIsReady", "The agent is ready to begin the installation")
_BOUND_STATES = {
    "insufficient",
    "known",
    "installing",
    "installed",
    "error",
    "installing-in-progress",
    "added-to-existing-cluster",
}


def mac(number: int, nic: int = 0) -> str:
    return f"52:54:00:{nic:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def disk(number: int = 0, **more: Any) -> dict[str, Any]:
    letter = chr(ord("a") + number)
    return {
        "id": f"/dev/disk/by-id/wwn-{number}",
        "name": f"sd{letter}",
        "path": f"/dev/sd{letter}",
        "byPath": f"/dev/disk/by-path/pci-{number}",
        "driveType": "SSD",
        "hctl": f"0:0:{number}:0",
        "model": "PERC H755 Front",
        "vendor": "DELL",
        "serial": f"serial-{number}",
        "wwn": f"wwn-{number}",
        "sizeBytes": 480 * 10**9,
        "smart": "{}",
        "installationEligibility": {"eligible": True, "notEligibleReasons": []},
        **more,
    }


def conditions(
    state: str, bound: bool, synced: tuple[str, str, str] = ("True", "SyncOK", "The Spec has been successfully applied")
) -> list[dict[str, Any]]:
    status = "True" if bound else "False"
    reason = (
        "Bound"
        if bound
        else {"unbinding": "Unbinding", "unbinding-pending-user-action": "UnbindingPendingUserAction"}.get(
            state, "Unbound"
        )
    )
    installed = "True" if state in ("installed", "added-to-existing-cluster") else "False"
    connected = "False" if state.startswith("disconnected") else "True"
    return [
        {"type": "SpecSynced", "status": synced[0], "reason": synced[1], "message": synced[2]},
        {"type": "Connected", "status": connected, "reason": "", "message": ""},
        {"type": "Bound", "status": status, "reason": reason, "message": ""},
        {"type": "Installed", "status": installed, "reason": "", "message": ""},
    ]


def agent(
    number: int = 1,
    *,
    state: str = "known-unbound",
    namespace: str = "lab",
    name: str = "",
    macs: list[str] | None = None,
    serial: str | None = None,
    bmc: str = "",
    infra_env: str = "lab",
    labels: dict[str, str] | None = None,
    cluster: tuple[str, str] | None = None,
    disks: list[dict[str, Any]] | None = None,
    created: str = "2026-01-01T00:00:00Z",
    kind: str = "Host",
    validations: dict[str, list[dict[str, Any]]] | None = None,
    synced: tuple[str, str, str] = ("True", "SyncOK", "The Spec has been successfully applied"),
    **spec: Any,
) -> dict[str, Any]:
    """An Agent object. ``cluster`` is (namespace, name)."""
    addresses = [mac(number)] if macs is None else macs
    nics = [
        {
            "name": f"eth{index}",
            "macAddress": each,
            "flags": [],
            "ipV4Addresses": [f"10.0.0.{number % 250}/24"],
            "ipV6Addresses": [],
        }
        for index, each in enumerate(addresses)
    ]
    inventory = {
        "hostname": f"host-{number}",
        "bmcAddress": bmc or f"10.1.{number >> 8 & 255}.{number & 255}",
        "cpu": {"count": 8, "architecture": "x86_64"},
        "memory": {"physicalBytes": 17179869184},
        "interfaces": nics,
        "disks": [disk(0)] if disks is None else disks,
        "systemVendor": {
            "manufacturer": "Dell Inc.",
            "productName": "R650",
            "serialNumber": f"S{number}" if serial is None else serial,
        },
    }
    bound = {"clusterDeploymentName": {"namespace": cluster[0], "name": cluster[1]}} if cluster else {}
    is_bound = bool(cluster) and not state.endswith("-unbound") and state != "binding"
    return {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "Agent",
        "metadata": {
            "name": name or uuid(number),
            "namespace": namespace,
            "uid": "uid-" + (name or str(number)),
            "resourceVersion": str(number),
            "creationTimestamp": created,
            "labels": {"infraenvs.agent-install.openshift.io": infra_env, **(labels or {})},
            "managedFields": [{"manager": "assisted-service", "fieldsV1": {"f:spec": {}}}],
        },
        "spec": {"approved": False, "role": "", **bound, **spec},
        "status": {
            "kind": kind,
            "conditions": conditions(state, is_bound, synced),
            "debugInfo": {"state": state, "stateInfo": f"Host is {state}"},
            "inventory": inventory,
            "validationsInfo": validations
            or {
                "hardware": [
                    {"id": "has-inventory", "status": "success", "message": "Valid inventory exists for the host"}
                ]
            },
        },
    }


def cluster_objects(
    name: str = "demo",
    namespace: str = "lab",
    masters: int = 3,
    workers: int = 0,
    *,
    completed: str = "InstallationNotStarted",
    installed: bool = False,
) -> dict[str, dict[str, Any]]:
    """(ClusterDeployment, AgentClusterInstall) by plural."""
    done = completed == "InstallationCompleted"
    found = [
        {"type": "SpecSynced", "status": "True", "reason": "SyncOK", "message": "SyncOK"},
        {"type": "Completed", "status": str(done), "reason": completed, "message": completed},
        {"type": "Failed", "status": str(completed == "InstallationFailed"), "reason": "", "message": ""},
        {"type": "Stopped", "status": str(done), "reason": "", "message": ""},
    ]
    reference = {
        "group": "extensions.hive.openshift.io",
        "version": "v1beta1",
        "kind": "AgentClusterInstall",
        "name": name,
    }
    return {
        "clusterdeployments": {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"clusterInstallRef": reference, "installed": installed},
        },
        "agentclusterinstalls": {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"provisionRequirements": {"controlPlaneAgents": masters, "workerAgents": workers}},
            "status": {"conditions": found},
        },
    }
