# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""BMAC: a BareMetalHost boots the image of an InfraEnv, and tells its Agent what to be (reference infrastructure-operator.md 10.1, 10.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..conditions import find
from ..conditions.infra_env import AVAILABLE
from ..hints import disk_by_hints
from ..names import (
    AGENT,
    BACKUP_LABELS,
    BARE_METAL_HOST,
    BMAC_FINALIZER,
    BMH_LABEL,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    PREPROVISIONING_IMAGE,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
)
from ..world import World
from .bare_metal_host import DETACHED, INSPECT, PAUSED

PREFIX = "bmac.agent-install.openshift.io/"
NODE_LABEL, AGENT_LABEL = "bmac.agent-install.openshift.io.node-label.", "bmac.agent-install.openshift.io.agent-label."
DETAILS, STATUS = "inspect.metal3.io/hardwaredetails", "baremetalhost.metal3.io/status"
SPOKE_MACHINE = f"{PREFIX}spoke-bmh-machine-created"
BY_US = "assisted-service-controller"
COOL_DOWN_SECONDS = 60.0
FINISHED = ("Rebooting", "Joined", "Done", "Failed")
DEPLOY = "start_assisted_install"
# annotation -> member of the Agent's spec
COPIED = {
    "hostname": "hostname",
    "role": "role",
    "machine-config-pool": "machineConfigPool",
    "installer-args": "installerArgs",
    "ignition-config-overrides": "ignitionConfigOverrides",
    "fencing-credentials-secret-name": "fencingCredentialsSecretRef",
}


class BmacController:
    """Keys are BareMetalHosts."""

    def __init__(self, world: World, *, converged: bool = False) -> None:
        self._world, self._converged = world, converged

    async def reconcile(self, key: Key) -> float | None:
        host = self._world.get(BARE_METAL_HOST, key)
        if host is None:
            return None
        name = labels_of(host).get(INFRA_ENV_LABEL)
        if not name or deleting(host):
            await self._world.drop_finalizer(BARE_METAL_HOST, host, BMAC_FINALIZER)
            return None
        infra_env = self._world.get(INFRA_ENV, (key[0], name))
        if infra_env is None:
            return None
        host = await self._world.add_finalizer(BARE_METAL_HOST, host, BMAC_FINALIZER)
        host = await self._world.metadata(BARE_METAL_HOST, host, labels=BACKUP_LABELS)
        agent = find_agent(host, self._world.all(AGENT, key[0]))
        if agent is not None:
            await self._tell_agent(host, agent, infra_env)
        if self._converged:
            return await self._converged_step(host, agent)
        return await self._legacy_step(host, agent, infra_env)

    # the Agent

    async def _tell_agent(self, host: Object, agent: Object, infra_env: Object) -> None:
        wanted = agent_changes(host, agent, early=bool(infra_env["spec"].get("clusterRef")))
        if wanted:
            await self._world.patch(AGENT, agent, wanted, locked=True)

    # legacy flow

    async def _legacy_step(self, host: Object, agent: Object | None, infra_env: Object) -> float | None:
        annotations = annotations_of(host)
        if annotations.get(INSPECT) != "disabled" and DETACHED not in annotations:
            host = await self._world.patch(
                BARE_METAL_HOST, host, {"metadata": {"annotations": {INSPECT: "disabled"}}, "spec": {"automatedCleaningMode": "disabled"}}, locked=True
            )
        leaving = agent is not None and find((agent.get("status") or {}).get("conditions"), "Bound").get("reason") == "UnbindingPendingUserAction"
        if leaving:
            host = await self._attach(host)
        elif agent is not None and ((agent.get("status") or {}).get("progress") or {}).get("currentStage") in FINISHED:
            return await self._detach(host, agent)
        elif agent is not None:
            return None  # it runs the image
        return await self._image(host, infra_env)

    async def _attach(self, host: Object) -> Object:
        """The machine must boot discovery again: give the BMH back to its operator, without image first."""
        kept = {name: None for name in (DETACHED, PAUSED, DETAILS, STATUS, SPOKE_MACHINE) if name in annotations_of(host)}
        if not kept:
            return host
        return await self._world.patch(BARE_METAL_HOST, host, {"metadata": {"annotations": kept}, "spec": {"image": None}}, locked=True)

    async def _detach(self, host: Object, agent: Object) -> float | None:
        """The machine belongs to its cluster now: its operator keeps away."""
        annotations = annotations_of(host)
        if DETACHED not in annotations:
            details = json.dumps(hardware_details((agent.get("status") or {}).get("inventory") or {}), sort_keys=True)
            await self._world.metadata(BARE_METAL_HOST, host, annotations={DETACHED: BY_US, DETAILS: details})
        elif (host.get("status") or {}).get("operationalStatus") == "detached" and PAUSED not in annotations:
            await self._world.metadata(BARE_METAL_HOST, host, annotations={PAUSED: BY_US, STATUS: json.dumps(host["status"], sort_keys=True)})
        return None

    async def _image(self, host: Object, infra_env: Object) -> float | None:
        status = infra_env.get("status") or {}
        url, created = status.get("isoDownloadURL"), status.get("createdTime")
        if DETACHED in annotations_of(host) or not url or not created:
            return None
        age = self._world.age(created)
        if age < COOL_DOWN_SECONDS:
            return COOL_DOWN_SECONDS - age + 1
        spec = host["spec"]
        present = (spec.get("image") or {}).get("url", "")
        if present == url and spec.get("online"):
            return None
        state = (((host.get("status") or {}).get("provisioning")) or {}).get("state")
        if state in ("available", "ready"):
            patch = {"spec": {"online": True, "image": {"url": url, "format": "live-iso"}}}
            await self._world.patch(BARE_METAL_HOST, host, patch, locked=True)
        elif present:
            await self._world.patch(BARE_METAL_HOST, host, {"spec": {"image": None}}, locked=True)
        return None

    # converged flow

    async def _converged_step(self, host: Object, agent: Object | None) -> float | None:
        state = (((host.get("status") or {}).get("provisioning")) or {}).get("state")
        bound = find((agent.get("status") or {}).get("conditions"), "Bound") if agent is not None else {}
        leaving = bound.get("reason") == "UnbindingPendingUserAction"
        if leaving:
            host = await self._attach_converged(host, state)
            state = None if state == "provisioned" else state
        elif state == "provisioned":
            return await self._detach(host, agent) if agent is not None else None
        image = self._world.get(PREPROVISIONING_IMAGE, key_of(host))
        ready = find(((image or {}).get("status") or {}).get("conditions"), "Ready")
        if state in ("available", "ready") and ready.get("status") == "True" and ready.get("reason") == AVAILABLE and not host["spec"].get("customDeploy"):
            await self._world.patch(BARE_METAL_HOST, host, {"spec": {"customDeploy": {"method": DEPLOY}}}, locked=True)
        return None

    async def _attach_converged(self, host: Object, state: str | None) -> Object:
        kept = {name: None for name in (DETACHED, PAUSED, DETAILS, STATUS, SPOKE_MACHINE) if name in annotations_of(host)}
        patch: dict[str, Any] = {"metadata": {"annotations": kept}} if kept else {}
        if state == "provisioned" and host["spec"].get("customDeploy"):
            patch["spec"] = {"customDeploy": None}
        return await self._world.patch(BARE_METAL_HOST, host, patch, locked=True) if patch else host


def find_agent(host: Object, agents: list[Object]) -> Object | None:
    """The newest Agent with a NIC of the host's boot MAC address."""
    mac = str(host["spec"].get("bootMACAddress") or "").lower()
    found = [agent for agent in agents if mac and mac in _macs(agent) and not deleting(agent)]
    return max(found, key=lambda agent: str(agent["metadata"]["creationTimestamp"]), default=None)


def _macs(agent: Object) -> set[str]:
    inventory = (agent.get("status") or {}).get("inventory") or {}
    return {str(nic.get("macAddress", "")).lower() for nic in inventory.get("interfaces") or []}


def agent_changes(host: Object, agent: Object, *, early: bool) -> dict[str, Any]:
    """The merge patch that makes an Agent as its BareMetalHost wants it; {} when it is so. ``early``: bound by its InfraEnv, no reference counts."""
    annotations, spec = annotations_of(host), agent["spec"]
    wanted: dict[str, Any] = {"approved": True}
    wanted |= {member: annotations[f"{PREFIX}{name}"] for name, member in COPIED.items() if f"{PREFIX}{name}" in annotations}
    reference = annotations.get(f"{PREFIX}cluster-reference")
    if reference is not None and not early:
        namespace, _slash, name = reference.partition("/")
        wanted["clusterDeploymentName"] = {"namespace": namespace, "name": name} if name else None
    disk = disk_by_hints(host["spec"].get("rootDeviceHints"), ((agent.get("status") or {}).get("inventory") or {}).get("disks") or [])
    if disk:
        wanted["installation_disk_id"] = disk
    node_labels = _labels(annotations, NODE_LABEL)
    if node_labels or any(name.startswith(NODE_LABEL) for name in annotations):
        wanted["nodeLabels"] = {**dict.fromkeys(set(spec.get("nodeLabels") or {}) - set(node_labels)), **node_labels}
    changed = {name: value for name, value in wanted.items() if not _same(spec.get(name), value)}
    labels = {BMH_LABEL: key_of(host)[1], **_labels(annotations, AGENT_LABEL)}
    missing = {name: value for name, value in labels.items() if labels_of(agent).get(name) != value}
    patch: dict[str, Any] = {"spec": changed} if changed else {}
    return {**patch, "metadata": {"labels": missing}} if missing else patch


def _same(present: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(present, dict):
        return all(present.get(name) == value for name, value in wanted.items())
    return bool(present == wanted)


def _labels(annotations: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in annotations.items() if name.startswith(prefix)}


def hardware_details(inventory: Mapping[str, Any]) -> dict[str, Any]:
    """The annotation that tells a BareMetalHost its hardware, because nobody inspected it."""
    cpu, vendor = inventory.get("cpu") or {}, inventory.get("systemVendor") or {}
    nics = []
    for nic in inventory.get("interfaces") or []:
        addresses = [*(nic.get("ipV4Addresses") or []), *(nic.get("ipV6Addresses") or [])]
        nics += [{"name": nic.get("name"), "mac": nic.get("macAddress"), "ip": address.partition("/")[0]} for address in addresses or [""]]
    storage = [
        {"name": disk.get("path"), "sizeBytes": disk.get("sizeBytes"), "rotational": disk.get("driveType") == "HDD", "model": disk.get("model", "")}
        for disk in inventory.get("disks") or []
    ]
    return {
        "hostname": inventory.get("hostname", ""),
        "cpu": {"arch": cpu.get("architecture"), "count": cpu.get("count"), "model": cpu.get("modelName"), "clockMegahertz": cpu.get("clockMegahertz")},
        "ramMebibytes": int((inventory.get("memory") or {}).get("physicalBytes") or 0) // 1024**2,
        "nics": nics,
        "storage": storage,
        "systemVendor": {"manufacturer": vendor.get("manufacturer"), "productName": vendor.get("productName"), "serialNumber": vendor.get("serialNumber")},
    }
