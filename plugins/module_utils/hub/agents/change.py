# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the change of one Agent: the patch, or the reason why it must not be changed, or the step that must happen
first.

Pure, so that check mode and a run always agree.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...cluster import host_states as states
from ...cluster.field_table import AGENT_REQUESTS, ANNOTATION_REQUESTS
from ...cluster.root_device import choose_disk, find_disk
from ...common import json_text
from ...kube.write import Change, plan_deletion, plan_object
from ..install.status import FailingValidation
from ..kinds import AGENT
from .clusters import ClusterFacts, InfraEnvFacts
from .model import Agent, ClusterRef
from .request import AgentHostRequest

_PLAIN = ("hostname", "role", *(row.agent for row in AGENT_REQUESTS))
_DISK = ("installation_disk_id", "installation_disk_path")
# Fields that the service accepts only before the installation starts (5.2), and those of them that keep their value
# when they are cleared.
_LATE = (*_PLAIN, *_DISK, "nodeLabels")
_KEPT_WHEN_EMPTIED = (*_PLAIN, *_DISK)
# Fields that a BareMetalHost may set too; its value then takes precedence (10.1).
_OF_BARE_METAL_HOST = {
    *("hostname", "role", "installation_disk_id", "installerArgs", "ignitionConfigOverrides", "nodeLabels"),
    *(row.agent for row in ANNOTATION_REQUESTS),
}


@dataclasses.dataclass(frozen=True)
class AgentSurroundings:
    """Facts other than the Agents: clusters that hosts are bound to, InfraEnvs of the namespace by name (None: not
    read); ``barred`` returns why an Agent must be neither unbound nor deleted.
    """

    clusters: Mapping[ClusterRef, ClusterFacts] = dataclasses.field(default_factory=dict)
    infra_envs: Mapping[str, InfraEnvFacts] | None = None
    barred: Callable[[Agent], str] = lambda agent: ""


@dataclasses.dataclass(frozen=True)
class AgentPlan:
    """``refusals``: nothing at all is done to this Agent, and why.

    ``waits_for``: what is left out until then. ``notes`` are worth knowing.

    ``change`` is a single merge patch (or the deletion), locked to the version of the Agent that it was planned from.
    """

    change: Change | None = None
    refusals: tuple[str, ...] = ()
    waits_for: str = ""
    notes: tuple[str, ...] = ()


def plan_agent(request: AgentHostRequest, agent: Agent, around: AgentSurroundings, *, hold_bind: str = "") -> AgentPlan:
    """The plan for the Agent of one host.

    ``hold_bind`` is what prevents binding it for reasons that concern the whole set.
    """
    if request.action in ("delete", "unbind") and (reason := around.barred(agent)):
        return AgentPlan(refusals=(reason,))
    if request.action == "delete":
        return _deletion(agent)
    draft = _Draft(request, agent, around)
    draft.fields()
    draft.disk()
    draft.binding(hold_bind)
    return draft.plan()


def validations_text(validations: tuple[FailingValidation, ...]) -> str:
    """``id: message`` of each, in one line."""
    return "; ".join(
        f"{validation.id}: {validation.message}" if validation.message else validation.id for validation in validations
    )


def condition_text(agent: Agent) -> str:
    """The progress of the host and what holds it up, in the service's words."""
    words = f"it is {agent.state}" if agent.state else "the service has not registered it yet"
    failing = validations_text(agent.failing)
    synced = agent.conditions.get("SpecSynced")
    return (
        words
        + (f": {failing}" if failing else "")
        + (f"; {synced.message}" if synced is not None and synced.status == "False" else "")
    )


class _Draft:
    """The desired fields as they come together, with what is against them."""

    def __init__(self, request: AgentHostRequest, agent: Agent, around: AgentSurroundings) -> None:
        self.request = request
        self.agent = agent
        self.around = around
        self.spec: dict[str, Any] = {}
        self.refusals: list[str] = []
        self.notes: list[str] = []
        self.waits_for = ""

    def fields(self) -> None:
        request, present = self.request, self.agent.spec
        self.spec |= request.spec
        if request.role is not None:
            self.spec["role"] = request.role
        if request.approved is not None:
            self._approval(request.approved)
        if request.node_labels:
            self.spec["nodeLabels"] = dict(request.node_labels)
        # These are JSON in a string: the same document in another spelling is no change.
        if request.installer_args is not None and (_decoded(present.get("installerArgs")) or []) != list(
            request.installer_args
        ):
            self.spec["installerArgs"] = json.dumps(list(request.installer_args)) if request.installer_args else None
        overrides = request.ignition_config_overrides
        if overrides is not None and (_decoded(present.get("ignitionConfigOverrides")) or {}) != overrides:
            self.spec["ignitionConfigOverrides"] = json.dumps(overrides) if overrides else None

    def _approval(self, approved: bool) -> None:
        self.spec["approved"] = approved
        if approved or not self.agent.approved:
            return
        infra_env = (self.around.infra_envs or {}).get(self.agent.infra_env)
        if self.agent.bare_metal_host:
            self.refusals.append(
                f"approval cannot be withdrawn: its BareMetalHost {self.agent.bare_metal_host} approves it again"
            )
        elif infra_env is not None and infra_env.auto_approve:
            self.refusals.append(
                f"approval cannot be withdrawn: InfraEnv {infra_env.name} approves its hosts by itself "
                "(agentApproval.autoApprove)"
            )

    def disk(self) -> None:
        request, agent = self.request, self.agent
        if request.root_device_hints is not None:
            self._disk_by_hints(request.root_device_hints)
        for field, value, other in (
            ("installation_disk_id", request.disk_id, "installation_disk_path"),
            ("installation_disk_path", request.disk_path, "installation_disk_id"),
        ):
            if value is not None:
                self.spec[field] = value
                if agent.spec.get(other):
                    self.spec[other] = None  # the two exclude each other (4.1)
                if value and value != agent.spec.get(field) and agent.disks:
                    found = find_disk(agent.disks, disk_id=request.disk_id or "", path=request.disk_path or "")
                    if not found.disk_id and not found.path:
                        self.refusals.append(
                            f"the host cannot be installed on {field} {value!r}: {'; '.join(found.reasons)}"
                        )

    def _disk_by_hints(self, hints: Mapping[str, Any]) -> None:
        agent = self.agent
        if states.ignored_in(agent.state):
            return  # chosen before the start; the disks look otherwise once they are installed on
        if not agent.disks:
            self.waits_for = "the host has not reported its disks yet"
            return
        choice = choose_disk(hints, agent.disks, current=str(agent.spec.get("installation_disk_id") or ""))
        if choice.disk_id:
            self.spec["installation_disk_id"] = choice.disk_id
            if agent.spec.get("installation_disk_path"):
                self.spec["installation_disk_path"] = None
        else:
            self.refusals.append(
                f"no disk fits root_device_hints {json.dumps(dict(hints))}: {'; '.join(choice.reasons)}"
            )

    def binding(self, hold: str) -> None:
        if self.request.action == "bind" and self.request.cluster is not None:
            self._bind(self.request.cluster, hold)
        elif self.request.action == "unbind" and self.agent.cluster is not None:
            self._unbind(self.agent.cluster)

    def _bind(self, target: ClusterRef, hold: str) -> None:
        agent = self.agent
        if agent.cluster == target:
            return
        early = self._early_binding()
        facts = self.around.clusters.get(target)
        if early is not None and early != target:
            self.refusals.append(
                f"it cannot be bound to {target}: InfraEnv {agent.infra_env} binds its hosts to {early} (early binding)"
            )
        elif facts is not None and facts.obstacle:
            self.refusals.append(f"it cannot be bound: {facts.obstacle}")
        elif agent.cluster is not None and (reason := self._immovable(agent.cluster)):
            self.refusals.append(f"it cannot be moved from {agent.cluster} to {target}: {reason}")
        elif hold:
            self.waits_for = hold
        elif agent.state == "binding" or (
            agent.cluster is None and agent.state in states.KNOWN_STATES and agent.state != states.BINDABLE
        ):
            self.waits_for = f"binding to {target} is possible from {states.BINDABLE} only, and {condition_text(agent)}"
        else:
            self.spec["clusterDeploymentName"] = {"name": target.name, "namespace": target.namespace}

    def _immovable(self, current: ClusterRef) -> str:
        state = self.agent.state
        if state in states.BUSY:
            return f"{states.why_ignored(state)} (state {state})"
        if state in states.INSTALLED | states.FAILED | states.OTHER:
            return f"{states.why_ignored(state)} (state {state}); unbind it first, which takes it out of {current}"
        return ""

    def _unbind(self, current: ClusterRef) -> None:
        agent = self.agent
        state = agent.state
        if (early := self._early_binding()) is not None:
            self.refusals.append(
                f"it cannot be unbound: InfraEnv {agent.infra_env} binds its hosts to {early} (early binding); "
                "only "
                "deleting it frees it"
            )
        elif state in states.BUSY and not agent.day_2:
            self.refusals.append(f"it cannot be unbound from {current}: {states.why_ignored(state)} (state {state})")
        elif state == "binding":
            self.waits_for = f"it is being bound to {current}; it can be unbound once that is done"
        else:
            self.spec["clusterDeploymentName"] = None
            if state in states.INSTALLED | states.FAILED | states.BUSY:
                pending = "unbinding-pending-user-action until the machine boots the discovery image"
                self.notes.append(f"unless the hub can reclaim it, {agent.title} stays in {pending}")

    def _early_binding(self) -> ClusterRef | None:
        infra_env = (self.around.infra_envs or {}).get(self.agent.infra_env)
        return infra_env.cluster if infra_env is not None else None

    def plan(self) -> AgentPlan:
        agent = self.agent
        metadata = {"name": agent.name, "namespace": agent.namespace} | (
            {"labels": dict(self.request.agent_labels)} if self.request.agent_labels else {}
        )
        # empty as it is: nothing to empty
        spec = {field: value for field, value in self.spec.items() if value != "" or agent.spec.get(field)}
        if self.request.by_bare_metal_host:
            self._leave_to_bare_metal_host({"metadata": metadata, "spec": spec})
            metadata = {key: value for key, value in metadata.items() if key != "labels"}
            spec = {
                field: value
                for field, value in spec.items()
                if field in _DISK and self.request.root_device_hints is None
            }
        change = plan_object(AGENT, {"metadata": metadata, "spec": spec}, agent.raw)
        patch = change.body.get("spec", {}) if change is not None else {}
        self.refusals += _ignored(agent, patch)
        if agent.bare_metal_host and "nodeLabels" in patch:
            self.refusals.append(
                f"node labels cannot be changed: its BareMetalHost {agent.bare_metal_host} sets all of them by its "
                "annotations; "
                "set `node_labels` with the module bare_metal_hosts"
            )
        if agent.bare_metal_host and (both := sorted(_OF_BARE_METAL_HOST & set(patch))):
            self.notes.append(
                f"{agent.title}: BareMetalHost {agent.bare_metal_host} also sets {', '.join(both)} and overrides "
                "this value"
            )
        if self.refusals or change is None:
            return AgentPlan(None, tuple(self.refusals), self.waits_for, tuple(self.notes) if not self.refusals else ())
        return AgentPlan(
            dataclasses.replace(change, resource_version=agent.resource_version), (), self.waits_for, tuple(self.notes)
        )

    def _leave_to_bare_metal_host(self, desired: Mapping[str, Any]) -> None:
        """BMAC writes what differs, by what the BareMetalHost says (10.1); two authors would undo each other's work."""
        agent = self.agent
        change = plan_object(AGENT, desired, agent.raw)
        patch = change.body if change is not None else {}
        theirs = [
            field for field in patch.get("spec", {}) if field not in _DISK or self.request.root_device_hints is not None
        ]
        theirs += [f"label {key}" for key in patch.get("metadata", {}).get("labels", {})]
        if not agent.bare_metal_host:
            self.waits_for = self.waits_for or "no BareMetalHost of the hub has recognised it yet"
        elif theirs and not self.refusals:
            self.waits_for = self.waits_for or (
                f"the hub has not copied from BareMetalHost {agent.bare_metal_host} yet: {', '.join(sorted(theirs))}"
            )


def _ignored(agent: Agent, patch: Mapping[str, Any]) -> Iterator[str]:
    """What the service would not take over although the API accepts it (5.2)."""
    for field in _LATE:
        if field not in patch:
            continue
        # the other one takes its place
        switched = field in _DISK and any(patch.get(other) for other in _DISK if other != field)
        if not patch[field] and field in _KEPT_WHEN_EMPTIED and not switched:
            yield f"{field} cannot be emptied: the service keeps {agent.spec.get(field)!r}"
        elif states.ignored_in(agent.state) and not switched:
            words = states.why_ignored(agent.state)
            yield (
                f"{field} can no longer be changed from {_shown(agent.spec.get(field))} to {_shown(patch[field])}: "
                f"{words} (state {agent.state})"
            )


def _deletion(agent: Agent) -> AgentPlan:
    if agent.state in states.BUSY and not agent.day_2:
        return AgentPlan(
            refusals=(
                (
                    f"it cannot be deleted: {states.why_ignored(agent.state)} (state {agent.state}), which would fail "
                    "without "
                    "it"
                ),
            )
        )
    notes = (
        ()
        if agent.state in states.QUIET
        else ((f"if the machine still runs the discovery image, it registers {agent.title} again, unapproved"),)
    )
    return AgentPlan(plan_deletion(AGENT, agent.raw, "the host must be absent"), notes=notes)


def _decoded(text: Any) -> Any:
    try:
        return json_text.parse_remote(text) if text else None
    except (TypeError, ValueError):
        return text


def _shown(value: Any) -> str:
    return repr(value) if value else "nothing"
