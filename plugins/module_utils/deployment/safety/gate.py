# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the evidence again and repeat the safety decision directly before the first write. Record which hosts are
booted.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...boot.guard import Permission
from ...boot.methods import booted_by_user
from ...boot.protocol import Machines
from ...common.clock import Clock
from ...common.store_link import StoreLink, StoreLost
from ...hub.agents.model import Agent
from ..stop_reason import StoppingHost, StopReason
from .decision import NOTHING_TOUCHED, Judgement, Verdict, may_touch
from .evidence import Evidence
from .gather import Gathered, decide, gather_hub
from .on_hub import of_agent
from .options import Touch
from .record import BOOTED, BOOTING, PERMITTED, RELEASED, TouchRecord, forget_boot, note, read_record, restore_entries
from .table import Action, Outcome

_BOOTS: frozenset[Action] = frozenset({"boot", "supply", "replace_in", "reprovision"})
# Rows of machines that other owners have: no confirmation applies to them.
_OF_OTHERS = ("2", "3")
_PERMITTED: tuple[Outcome, ...] = ("act", "through")
_RELEASES: frozenset[Action] = frozenset({"remove", "shrink", "replace_out"})


@dataclasses.dataclass(frozen=True)
class Gate:
    """The gate before the writes of one module call.

    ``progress`` prints what could not be checked; ``records``: the call changes machines (no check mode).
    """

    action: Action
    touch: Touch
    clock: Clock
    progress: Callable[[str], None]
    records: bool = True

    def permit(self, machines: Machines) -> Permission:
        """Whether these machines may be changed, or the user be asked to start them.

        A boot is recorded before it begins: a run that is killed afterwards continues without asking. A boot by the
        user is not recorded.
        """
        judgement, gathered = decide(self.action, self.touch, machines, self.clock)
        print_not_checked(gathered.not_checked, self.progress)
        if judgement.stop:
            return Permission(stop=str(judgement.stop))
        without = {verdict.host: verdict.reason for verdict in judgement.verdicts if verdict.outcome not in _PERMITTED}
        by_user = {outcome.item.name for outcome in machines if booted_by_user(outcome.item.method)}
        touched = [verdict.host for verdict in judgement.verdicts if verdict.acts and verdict.host not in by_user]
        if self.action in _BOOTS:
            self._note(touched, BOOTING)
        return Permission(
            stop=self._stored(),
            without=without,
            again=functools.partial(self._decide_again, gathered),
            left=functools.partial(self._left, gathered.record),
        )

    def _decide_again(self, first: Gathered, machines: Machines) -> Permission:
        """Which of these machines must not be changed any more, by evidence that is read again; none was changed since
        ``first``.

        A stop concerns only its host: other hosts are changed already. The boot of such a host is not recorded any
        more: the next run must not continue it.
        """
        judgement, gathered = decide(self.action, self.touch, machines, self.clock, first=first)
        print_not_checked([source for source in gathered.not_checked if source not in first.not_checked], self.progress)
        refused = [verdict for verdict in judgement.verdicts if verdict.outcome not in _PERMITTED]
        if self.records and self.touch.work_dir is not None and self.action in _BOOTS:
            restore_entries(self.touch.work_dir, [verdict.host for verdict in refused], first.record)
        failing = {verdict.host: _changed_since(verdict) for verdict in refused if verdict.outcome in ("stop", "fail")}
        without = {verdict.host: _changed_since(verdict) for verdict in refused if verdict.host not in failing}
        return Permission(without=without, failing=failing)

    def _left(self, before: TouchRecord, host: str) -> None:
        """Take back the record of this boot: another run boots the host, and the next run must not continue."""
        if self.records and self.touch.work_dir is not None and self.action in _BOOTS:
            forget_boot(self.touch.work_dir, host, before)

    def done(self, hosts: Sequence[str]) -> None:
        """These hosts were changed as asked."""
        if self.action in _BOOTS:
            self._note(hosts, BOOTED)
        elif self.action in _RELEASES:
            self._note(hosts, RELEASED)

    def _stored(self) -> str:
        """Why nothing may be written to a machine: what this run is about to do is not in the state store.

        Empty when it is.
        """
        if not self.records:
            return ""
        try:
            store_first(self.touch, self.clock)
        except StoreLost as error:
            return f"No machine was touched. {error}"
        return ""

    def _note(self, hosts: Sequence[str], state: str) -> None:
        if self.records and self.touch.work_dir is not None and hosts:
            note(self.touch.work_dir, self.touch.known(hosts), state, method=self.touch.method)


def _changed_since(verdict: Verdict) -> str:
    """Why a host is not changed although the first decision permitted it."""
    reason = verdict.reason.rstrip(".")
    text = f"The host was not changed. Since the first decision of this run its state has changed: {reason}."
    return f"{text} {verdict.remedy}".rstrip()


def store_first(touch: Touch, clock: Clock) -> None:
    """Return when the state of the deployment is in its store.

    Raises :class:`StoreLost`: this run must change no machine.
    """
    if touch.work_dir is not None:
        StoreLink(touch.work_dir, clock).save()


def record_permission(touch: Touch, judgement: Judgement) -> None:
    """Hosts that an override allows to touch are recorded, so that a run that is killed before it boots them goes on
    without asking.
    """
    if touch.work_dir is not None and judgement.forced:
        note(touch.work_dir, touch.known(judgement.forced), PERMITTED, method=touch.method)


def record_release(touch: Touch, hosts: Sequence[str]) -> None:
    """Hosts that have been taken out of their cluster are recorded as such; those that are, stay as they are."""
    if touch.work_dir is None:
        return
    known = read_record(touch.work_dir)
    note(
        touch.work_dir, [host for host in touch.known(hosts) if not known.released(host)], RELEASED, method=touch.method
    )


def why_not_ours(agent: Agent, touch: Touch) -> str:
    """Why an Agent must be neither unbound nor deleted by a caller that named its host: it belongs to another cluster.

    Empty if it may be.
    """
    verdict = may_touch(agent.title, of_agent(Evidence(), agent, touch.scope), touch.request("remove"))
    return f"{verdict.reason}. {verdict.remedy}" if verdict.outcome == "stop" and verdict.row in _OF_OTHERS else ""


def owned_by_others(
    touch: Touch, clock: Clock, names: Sequence[str], addresses: Mapping[str, str]
) -> StopReason | None:
    """Why a hub must not boot these hosts: it has another owner of their machines by now. None if it may.

    The BMCs are not read. ``addresses`` are those of the BMCs, by name of the host.
    """
    request = touch.request("boot")
    verdicts = [may_touch(name, each, request) for name, each in gather_hub(touch, clock, names, addresses).items()]
    hosts = [
        StoppingHost(verdict.host, verdict.reason, verdict.remedy, verdict.row)
        for verdict in verdicts
        if verdict.outcome == "stop" and verdict.row in _OF_OTHERS
    ]
    return StopReason(NOTHING_TOUCHED, hosts=tuple(hosts)) if hosts else None


def print_not_checked(sources: Iterable[str], progress: Callable[[str], None]) -> None:
    """One line a source."""
    for source in sources:
        progress(f"not checked: {source}")
