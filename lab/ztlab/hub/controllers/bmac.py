# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate BMAC (baremetal agent controller): boot each BareMetalHost from the image of its InfraEnv, and apply the
annotations of the BareMetalHost to its Agent.

It follows openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go: the steps have
upstream's order, and an error does not revert the changes of earlier steps. Unlike upstream, this controller does not
drain Nodes, and does not create BareMetalHosts and Machines in the new cluster.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable

from ..bmac_agent import PREFIX, apply_host, fencing_secret, find_agent, hardware_details, inventory_of, is_unbinding
from ..client import Refused, merge_diff
from ..conditions import find
from ..conditions.infra_env import AVAILABLE
from ..names import (
    AGENT,
    BACKUP_LABELS,
    BARE_METAL_HOST,
    BMAC_FINALIZER,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    PREPROVISIONING_IMAGE,
    SECRET,
    WATCH_LABELS,
    Key,
    Object,
    deleting,
    key_of,
    labels_of,
)
from ..world import World
from .bare_metal_host import DETACHED, INSPECT, PAUSED, provisioning_state

DETAILS, STATUS = "inspect.metal3.io/hardwaredetails", "baremetalhost.metal3.io/status"
SPOKE_MACHINE = f"{PREFIX}spoke-bmh-machine-created"
REMOVE_AGENT, MANAGED = f"{PREFIX}remove-agent-and-node-on-delete", f"{PREFIX}allow-provisioned-host-management"
BY_BMAC = "assisted-service-controller"
DELAYED_DELETE = '{"deleteAction":"delay"}'
COOL_DOWN_SECONDS = 60.0
RETRY_SECONDS = 10.0
FINISHED = ("Rebooting", "Joined", "Done", "Failed")
DEPLOY = "start_assisted_install"


class BmacController:
    """Keys are BareMetalHosts."""

    def __init__(self, world: World, *, converged: bool = False) -> None:
        self._world, self._converged = world, converged

    async def reconcile(self, key: Key) -> float | None:
        """Raises Retry."""
        world, host = self._world, self._world.get(BARE_METAL_HOST, key)
        if host is None:
            return None
        agent = find_agent(host, world.all(AGENT, key[0]))
        name = labels_of(host).get(INFRA_ENV_LABEL)
        secret = (key[0], (host["spec"].get("bmc") or {}).get("credentialsName", ""))
        visit = Visit(
            copy.deepcopy(host),
            copy.deepcopy(agent),
            world.get(INFRA_ENV, (key[0], name)) if name else None,
            world.get(PREPROVISIONING_IMAGE, key),
            world.get(SECRET, secret),
            world.age,
            self._converged,
        )
        try:
            return visit.run()
        finally:
            await self._write(visit, host, agent)

    async def _write(self, visit: Visit, host: Object, agent: Object | None) -> None:
        if visit.secret is not None:
            await self._put_secret(*visit.secret, visit.host)
        if agent is not None and visit.agent is not None:
            if visit.delete_agent:
                await self._world.delete(AGENT, agent)
            elif change := _change(agent, visit.agent):
                await self._world.patch(AGENT, agent, change, locked=True)
        if change := _change(host, visit.host):
            await self._world.patch(BARE_METAL_HOST, host, change, locked=True)

    async def _put_secret(self, name: str, data: dict[str, str], host: Object) -> None:
        key = (key_of(host)[0], name)
        present = self._world.get(SECRET, key)
        if present is None:
            body = {
                "metadata": {"namespace": key[0], "name": name, "labels": dict(WATCH_LABELS)},
                "data": data,
                "type": "Opaque",
            }
            try:
                await self._world.create(SECRET, body)
            except Refused as error:
                if error.reason != "AlreadyExists":
                    raise
        elif present.get("data") != data:
            await self._world.patch(SECRET, present, {"data": data})


def _change(before: Object, after: Object) -> Object:
    """The merge patch of one object; empty metadata that the API does not store is no change."""
    metadata = {name: value for name, value in after["metadata"].items() if value or name in before["metadata"]}
    change: Object = merge_diff(before, {**after, "metadata": metadata})
    return change


@dataclasses.dataclass(frozen=True)
class Stop:
    """Nothing further is done now; ``after``: lab seconds until the next look, None: when notified."""

    after: float | None = None


@dataclasses.dataclass
class Visit:
    """One reconcile. ``host`` and ``agent`` are copies that the steps change; ``secret``: one to write, ``image``: the
    host's PreprovisioningImage.
    """

    host: Object
    agent: Object | None
    infra_env: Object | None
    image: Object | None
    bmc_secret: Object | None
    age: Callable[[str], float]
    converged: bool = False
    delete_agent: bool = False
    secret: tuple[str, dict[str, str]] | None = None

    def run(self) -> float | None:
        """Change the copies. Raises Retry."""
        if self.infra_env is not None:
            self.host["metadata"]["labels"] |= BACKUP_LABELS
        for step in (self._finalizer, self._leave, self._detach, self._boot, self._agent_spec, self._inventory):
            stop = step()
            if stop is not None:
                return stop.after
        return None

    @property
    def _annotations(self) -> dict[str, str]:
        annotations: dict[str, str] = self.host["metadata"].setdefault("annotations", {})
        return annotations

    def _drop(self, *names: str) -> None:
        for name in names:
            self._annotations.pop(name, None)

    @property
    def _state(self) -> str:
        return provisioning_state(self.host)

    # handleBMHFinalizer

    def _finalizer(self) -> Stop | None:
        metadata = self.host["metadata"]
        present = metadata.get("finalizers") or []
        others = [name for name in present if name != BMAC_FINALIZER]
        if INFRA_ENV_LABEL not in labels_of(self.host):
            metadata["finalizers"] = others
            return Stop()
        if not deleting(self.host):
            metadata["finalizers"] = present if BMAC_FINALIZER in present else [*present, BMAC_FINALIZER]
            return None
        remove = REMOVE_AGENT in self._annotations and self.converged
        if BMAC_FINALIZER not in present or self.agent is None:
            self._drop(PAUSED, *([DETACHED] if remove else []))
            metadata["finalizers"] = others
            return Stop()
        if remove:
            if self.agent["spec"].get("clusterDeploymentName"):
                self._drop(DETACHED, PAUSED)
                self.host["spec"]["automatedCleaningMode"] = "metadata"
                if self._state != "deleting":
                    return Stop(RETRY_SECONDS)
            self.delete_agent = True
        metadata["finalizers"] = others
        return Stop()

    # reconcileUnboundAgent

    def _leave(self) -> Stop | None:
        """The machine must boot discovery again: the baremetal-operator manages it, without image first."""
        if not is_unbinding(self.agent):
            return None
        if not self.converged:
            if DETACHED not in self._annotations:
                return None
            self._drop(DETACHED, PAUSED, DETAILS, SPOKE_MACHINE)
            self.host["spec"].pop("image", None)
            return Stop()
        if self._state == "provisioned":
            self.host["spec"].pop("customDeploy", None)
        if DETACHED in self._annotations:
            self._drop(DETACHED, PAUSED)
        self._drop(DETAILS, SPOKE_MACHINE)
        return Stop() if self._state in ("provisioned", "deprovisioning") else None

    # handlePauseAndDetachBMHAnnotations

    def _detach(self) -> Stop | None:
        annotations = self._annotations
        if MANAGED in annotations and self.converged and REMOVE_AGENT not in annotations:
            self._drop(DETACHED, PAUSED)
            return None
        stage = (((self.agent or {}).get("status") or {}).get("progress") or {}).get("currentStage")
        if (self._state == "provisioned") if self.converged else (stage in FINISHED):
            if not is_unbinding(self.agent):
                annotations[DETACHED] = DELAYED_DELETE if self.converged and REMOVE_AGENT in annotations else BY_BMAC
            status = self.host.get("status") or {}
            if status.get("operationalStatus") == "detached":
                annotations |= {STATUS: json.dumps(status, sort_keys=True), PAUSED: BY_BMAC}
        if not self._state and PAUSED in annotations and STATUS in annotations:
            self._drop(PAUSED)  # its operator restores the status from the annotation
        return None

    # reconcileBMH

    def _boot(self) -> Stop | None:
        if self.infra_env is None:
            return Stop()
        if DETACHED in self._annotations:
            return None
        return self._deploy() if self.converged else self._live_image(self.infra_env)

    def _deploy(self) -> Stop | None:
        spec = self.host["spec"]
        if (spec.get("customDeploy") or {}).get("method") == DEPLOY:
            return None
        ready = find(((self.image or {}).get("status") or {}).get("conditions"), "Ready")
        if ready.get("status") != "True" or ready.get("reason") != AVAILABLE:
            return Stop()
        spec["customDeploy"] = {"method": DEPLOY}
        return None

    def _live_image(self, infra_env: Object) -> Stop | None:
        spec, status = self.host["spec"], infra_env.get("status") or {}
        self._annotations.setdefault(INSPECT, "disabled")
        spec["automatedCleaningMode"] = "disabled"
        url = status.get("isoDownloadURL")
        if not url:
            return Stop()
        if (spec.get("image") or {}).get("url") == url:
            return None
        age = self.age(status["createdTime"])
        if age < COOL_DOWN_SECONDS:
            return Stop(COOL_DOWN_SECONDS - age + 1)
        if self._state not in ("available", "ready"):
            spec.pop("image", None)
            return Stop()
        spec |= {"online": True, "image": {"url": url, "format": "live-iso"}}
        return Stop()

    # reconcileAgentSpec, reconcileAgentInventory

    def _agent_spec(self) -> Stop | None:
        if self.agent is None:
            return Stop()
        apply_host(self.host, self.agent, self.infra_env)
        name, data = fencing_secret(self.host, self.agent, self.bmc_secret)
        if data is not None:
            self.secret = name, data
        if name:
            self.agent["spec"]["fencingCredentialsSecretRef"] = name
        return None

    def _inventory(self) -> Stop | None:
        known = ((self.host.get("status") or {}).get("hardwareDetails") or {}).get("hostname")
        if (
            self.agent is None
            or self.converged
            or known
            or DETAILS in self._annotations
            or not inventory_of(self.agent).get("interfaces")
        ):
            return None
        self._annotations[DETAILS] = json.dumps(hardware_details(self.agent), sort_keys=True)
        return Stop()
