# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the hub copies between a BareMetalHost and the Agent of the same machine, as the real hub's controller does.

Source: openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from .controller import Retry
from .hints import disk_by_hints
from .names import BMH_LABEL, Object, annotations_of, deleting, key_of

PREFIX = "bmac.agent-install.openshift.io/"
NODE_LABEL, AGENT_LABEL = "bmac.agent-install.openshift.io.node-label.", "bmac.agent-install.openshift.io.agent-label."
CLUSTER_REFERENCE = f"{PREFIX}cluster-reference"
FENCING_NAME, MAKE_FENCING = f"{PREFIX}fencing-credentials-secret-name", f"{PREFIX}create-fencing-credentials-secret"
# annotation -> member of the Agent's spec
COPIED = {
    "role": "role",
    "hostname": "hostname",
    "machine-config-pool": "machineConfigPool",
    "installer-args": "installerArgs",
    "ignition-config-overrides": "ignitionConfigOverrides",
}


def find_agent(host: Object, agents: list[Object]) -> Object | None:
    """The newest Agent with a NIC of the host's boot MAC address."""
    mac = str(host["spec"].get("bootMACAddress") or "").lower()
    found = [agent for agent in agents if mac and mac in _macs(agent) and not deleting(agent)]
    return max(found, key=lambda agent: str(agent["metadata"]["creationTimestamp"]), default=None)


def _macs(agent: Object) -> set[str]:
    return {str(nic.get("macAddress", "")).lower() for nic in inventory_of(agent).get("interfaces") or []}


def inventory_of(agent: Object) -> Mapping[str, Any]:
    return (agent.get("status") or {}).get("inventory") or {}


def apply_host(host: Object, agent: Object, infra_env: Object | None) -> None:
    """Change an Agent to what its BareMetalHost says (reconcileAgentSpec), fencing apart.

    An error ends it half way: what was copied before stays, as upstream patches the Agent on its way out. Raises Retry.
    """
    annotations, spec = annotations_of(host), agent["spec"]
    spec |= {
        member: annotations[f"{PREFIX}{name}"] for name, member in COPIED.items() if f"{PREFIX}{name}" in annotations
    }
    spec["approved"] = True
    labels = agent["metadata"].setdefault("labels", {})
    labels[BMH_LABEL] = key_of(host)[1]
    disk = disk_by_hints(host["spec"].get("rootDeviceHints"), inventory_of(agent).get("disks") or [])
    if disk:
        spec["installation_disk_id"] = disk
    _refer(annotations, spec, infra_env)
    node_labels = _labels(annotations, NODE_LABEL)
    if node_labels != (spec.get("nodeLabels") or {}):
        spec["nodeLabels"] = node_labels
    labels |= _labels(annotations, AGENT_LABEL)


def _refer(annotations: Mapping[str, str], spec: Object, infra_env: Object | None) -> None:
    """The cluster that an annotation names (reconcileClusterReference). Raises Retry."""
    reference = annotations.get(CLUSTER_REFERENCE)
    bound = ((infra_env or {}).get("spec") or {}).get("clusterRef")
    if reference:
        if bound:
            text = f"InfraEnv already has cluster reference {bound.get('namespace')}/{bound.get('name')}"
            raise Retry(f"failed to reconcile cluster reference.  {text}")
        parts = reference.split("/")
        if len(parts) != 2:
            raise Retry(f"failed to reconcile cluster reference.  Parse of cluster reference {reference} failed")
        spec["clusterDeploymentName"] = {"namespace": parts[0], "name": parts[1]}
    elif reference == "" and not bound:
        spec.pop("clusterDeploymentName", None)


def _labels(annotations: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in annotations.items() if name.startswith(prefix)}


def fencing_secret(host: Object, agent: Object, bmc_secret: Object | None) -> tuple[str, dict[str, str] | None]:
    """The name of the Agent's fencing Secret and, when the annotation asks for one, its data in base64; ("", None)
    without both.

    Raises Retry when the Secret of the BMC is missing.
    """
    annotations = annotations_of(host)
    if FENCING_NAME in annotations:
        return annotations[FENCING_NAME], None
    if MAKE_FENCING not in annotations:
        return "", None
    bmc = host["spec"].get("bmc") or {}
    if bmc_secret is None:
        raise Retry(f'secrets "{bmc.get("credentialsName", "")}" not found')
    plain = {
        "address": bmc.get("address", ""),
        "certificateVerification": "Disabled" if bmc.get("disableCertificateVerification") else "Enabled",
    }
    data = {name: base64.b64encode(value.encode()).decode() for name, value in plain.items()}
    data |= {name: (bmc_secret.get("data") or {}).get(name, "") for name in ("username", "password")}
    return f"{key_of(agent)[1]}-fencing-credentials", data


def hardware_details(agent: Object) -> dict[str, Any]:
    """The annotation that names a BareMetalHost's hardware, because no operator inspected it
    (reconcileAgentInventory).
    """
    inventory = inventory_of(agent)
    cpu, vendor = inventory.get("cpu") or {}, inventory.get("systemVendor") or {}
    nics = []
    for nic in inventory.get("interfaces") or []:
        named = {
            "name": nic.get("name"),
            "model": nic.get("vendor"),
            "mac": nic.get("macAddress"),
            "speedGbps": int(nic.get("speedMbps") or 0) // 1024,
        }
        addresses = [*(nic.get("ipV6Addresses") or []), *(nic.get("ipV4Addresses") or [])]
        nics += [{**named, "ip": address.partition("/")[0]} for address in addresses]
    storage = [
        {
            "name": disk.get("byPath") or disk.get("path"),
            "hctl": disk.get("hctl", ""),
            "model": disk.get("model", ""),
            "rotational": str(disk.get("driveType", "")).upper() == "HDD",
            "serialNumber": disk.get("serial", ""),
            "sizeBytes": disk.get("sizeBytes"),
            "vendor": disk.get("vendor", ""),
            "wwn": disk.get("wwn", ""),
        }
        for disk in inventory.get("disks") or []
    ]
    return {
        "hostname": agent["spec"].get("hostname") or inventory.get("hostname", ""),
        "cpu": {
            "arch": cpu.get("architecture"),
            "count": cpu.get("count"),
            "flags": cpu.get("flags") or [],
            "model": cpu.get("modelName"),
            "clockMegahertz": cpu.get("clockMegahertz"),
        },
        "ramMebibytes": int((inventory.get("memory") or {}).get("physicalBytes") or 0) // 1024**2,
        "nics": nics,
        "storage": storage,
        "systemVendor": {
            "manufacturer": vendor.get("manufacturer"),
            "productName": vendor.get("productName"),
            "serialNumber": vendor.get("serialNumber"),
        },
    }


def is_unbinding(agent: Object | None) -> bool:
    """Whether the machine of an Agent must boot discovery again."""
    conditions = ((agent or {}).get("status") or {}).get("conditions") or []
    return any(
        entry.get("type") == "Bound" and entry.get("reason") == "UnbindingPendingUserAction" for entry in conditions
    )
