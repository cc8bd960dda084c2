# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide to which machines a step may write, from the lab's state and from the history of the sequence.

The oracle shares no code with the collection: its rules are those of docs/reference/safety.md, written a second time
and coarser. Where the documented table leaves a choice, the oracle is more permissive, so each write that it reports is
a fault.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from .sequences import Situation, Step

OWN_NAME = {"sno": "sno", "demo": "demo"}
HUB, SERVICE = "at the hub", "at the service"
_HUB_ONLY = frozenset({"remove_hosts", "reprovision_hosts"})
_BOOTING = frozenset({"deploy_cluster", "add_hosts"})
# stop: no write, and a run that boots machines must not write to any other either; eject: no write but one that ejects
# the medium.
Verdict = Literal["allow", "eject", "stop"]


@dataclasses.dataclass(frozen=True)
class Write:
    """One changing request to a BMC."""

    machine: str
    summary: str

    @property
    def ejects(self) -> bool:
        return "EjectMedia" in self.summary


@dataclasses.dataclass(frozen=True)
class Machine:
    """A machine as the lab shows it; ``cluster`` is the one that it runs as a node now."""

    name: str
    on: bool
    cluster: str = ""
    kubelet: bool = False


@dataclasses.dataclass(frozen=True)
class Rack:
    """What is true before a step, its faults included; ``apis`` are the clusters whose API answers, ``foreign`` has
    machines with BareMetalHosts of others.
    """

    own: str
    machines: Mapping[str, Machine]
    apis: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


def rack_of(status: Mapping[str, Any], situation: Situation, step: Step) -> Rack:
    """The rack from ``ztlab status --json`` and the faults that the step adds."""
    down = {(fault.kind, fault.machine) for fault in step.faults}
    machines, apis = {}, set()
    for found in status["machines"]:
        name, on = str(found["name"]), found["power"] == "On"
        cluster = _cluster_of(status, name) if on and found["phase"] == "node" else ""
        machines[name] = Machine(name, on, cluster, bool(cluster) and ("kubelet-down", name) not in down)
        if cluster and "master" in found["installed"].values() and ("api-down", "") not in down:
            apis.add(cluster)
    foreign = frozenset(situation.machines if situation.kind == "bare-metal-hosts" else ())
    return Rack(OWN_NAME[situation.rack], machines, frozenset(apis), foreign)


def _cluster_of(status: Mapping[str, Any], machine: str) -> str:
    """The newest cluster in which the Node of the machine is Ready."""
    found = [str(cluster["name"]) for cluster in status["clusters"] if cluster["nodes"].get(machine) == "Ready"]
    return found[-1] if found else ""


@dataclasses.dataclass(frozen=True)
class History:
    """What the steps so far have left: records (place, machine) with their method, consents that an interrupted run
    keeps, places whose deployment is done, machines that any step has written to.
    """

    records: Mapping[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    grants: frozenset[tuple[str, str]] = frozenset()
    finished: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()

    def without(self, *places: str) -> History:
        records = {key: method for key, method in self.records.items() if key[0] not in places}
        grants = frozenset(grant for grant in self.grants if grant[0] not in places)
        return History(records, grants, self.finished - set(places), self.written)

    def before(self, step: Step) -> History:
        """With ``lost`` the content of directory main is gone."""
        return self.without("main") if step.work_dir == "lost" else self

    def after(
        self, step: Step, place: str, judged: Mapping[str, Verdict], writes: Sequence[Write], code: int
    ) -> History:
        """What the step, which ended with ``code``, leaves to the next one.

        ``self`` is the history that the step was judged with.
        """
        if step.check:
            return self
        method, places = acting_method(step), _places(step, place)
        if step.playbook == "destroy_cluster":
            return self.without(*places) if code == 0 and step.confirm == "right" else self
        records = dict(self.records)
        if step.playbook in _BOOTING:
            records |= {(each, write.machine): method for write in writes for each in places}
        granted = {
            (place, name)
            for name, verdict in judged.items()
            if verdict == "allow" and step.playbook in _BOOTING and step.force
        }
        done = code == 0 and step.playbook == "deploy_cluster"
        grants = frozenset(grant for grant in self.grants if grant[0] != place) if done else self.grants | granted
        finished = self.finished | {place} if done else self.finished
        return History(records, grants, finished, self.written | {write.machine for write in writes})


def acting_method(step: Step) -> str:
    """Day-2 playbooks act through a hub that the user names, whatever installed the cluster."""
    return "hub" if step.hub == "named" and step.playbook not in ("deploy_cluster", "destroy_cluster") else step.method


def _places(step: Step, place: str) -> tuple[str, ...]:
    """Where a run of this method keeps records: its work directory, and the hub or the service."""
    remote = {"hub": (HUB,), "assisted": (SERVICE,)}
    return (place, *remote.get(acting_method(step), ()))


def judge(step: Step, place: str, rack: Rack, history: History, inventory: Iterable[str]) -> dict[str, Verdict]:
    """The verdict for each machine of the rack; ``place`` is the name of the step's work directory."""
    verdicts: dict[str, Verdict] = dict.fromkeys(rack.machines, "stop")
    named = [name for name in inventory if not step.hosts or name in step.hosts]
    found = {name: _verdict(step, place, rack, rack.machines[name], history) for name in named}
    if step.playbook in _BOOTING and "stop" in found.values():
        return verdicts
    return verdicts | found


def forbidden(verdicts: Mapping[str, Verdict], writes: Iterable[Write]) -> list[Write]:
    """The writes that the verdicts do not allow."""
    return [
        write
        for write in writes
        if (verdict := verdicts[write.machine]) == "stop" or (verdict == "eject" and not write.ejects)
    ]


def _verdict(step: Step, place: str, rack: Rack, machine: Machine, history: History) -> Verdict:
    method = acting_method(step)
    down = {fault.kind for fault in step.faults}
    hub_reads = step.hub == "named" and "hub-down" not in down
    if step.check or not _has_playbook(method, step.playbook) or (machine.name in rack.foreign and hub_reads):
        return "stop"
    own = [history.records[key] for each in _places(step, place) if (key := (each, machine.name)) in history.records]
    if _recorded_by_another(place, machine.name, history) or (
        hub_reads and method != "hub" and (HUB, machine.name) in history.records
    ):
        return "stop"
    if any(recorded != method for recorded in own):
        return "stop"
    if method == "hub" and not hub_reads and not (step.playbook == "destroy_cluster" and "abandon_hub" in step.force):
        return "stop"
    if step.playbook not in _BOOTING:
        return "allow" if own and step.confirm == "right" else "stop"
    if (place, machine.name) in history.grants:
        return "allow"
    return _recorded(step, place, rack, machine, history) if own else _unrecorded(step, rack, machine, history)


def _has_playbook(method: str, playbook: str) -> bool:
    """Pools belong to hosted clusters alone."""
    if playbook == "scale_node_pool" or (playbook in _HUB_ONLY and method != "hub"):
        return False
    return playbook != "add_hosts" or method != "agent"


def _recorded_by_another(place: str, machine: str, history: History) -> bool:
    """Directories main and sibling are beside each other: a run in one of them reads the state of the other."""
    beside = {"main": "sibling", "sibling": "main"}
    return (beside.get(place, ""), machine) in history.records


def _recorded(step: Step, place: str, rack: Rack, machine: Machine, history: History) -> Verdict:
    """Rows 6 and 7: an installed member is left alone, whether its cluster answers or not; what is not installed yet
    may be booted again.
    """
    if machine.cluster != rack.own and place not in history.finished:
        return "allow"
    abandoned = step.confirm == "right" and {"start_over", "reboot_joined_hosts"} & set(step.force)
    return "allow" if abandoned else "eject"


def _unrecorded(step: Step, rack: Rack, machine: Machine, history: History) -> Verdict:
    """Rows 12, 13 and 14. The lab does not show whether the rendezvous service of an installation whose record is lost
    answers: either consent counts then.
    """
    start_over = "start_over" in step.force and step.confirm == "right"
    if rack.own in rack.apis or machine.kubelet:
        return "allow" if start_over else "stop"
    if not machine.on or "take_over" in step.force:
        return "allow"
    return "allow" if start_over and machine.name in history.written else "stop"
