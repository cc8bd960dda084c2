# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start, supervise, cancel or reset the installation of a cluster by assisted-service."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ...common.clock import Clock, SystemClock
from ...common.errors import LimitReached, RemoteError, Unreachable, ZeroTouchError
from ...common.waiting import Deadline, turns
from ..lookup import only_one, required
from ..records import cluster_record, host_record, validation_rows
from ..rest.auth import NoToken
from ..rest.client import Document, members
from ..rest.faults import AssistedError
from ..rest.patience import patiently
from ..rest.service import AssistedService
from .narration import Narrator
from .plan import InstallStep, InstallVerdict, State, decide, decide_unknown, status_after, why_not
from .progress import read_cluster

# Seconds between two reads (the service's monitors run every 8 and 10 s).
PAUSE = 5.0
# Attempts to start an installation whose preparation fails; the start script of the agent ISO repeats it without end.
STARTS = 3


@dataclasses.dataclass(frozen=True)
class InstallOrder:
    """``wait``: until the cluster is in the desired state; without it only requests that are possible now are sent.

    Limits are in seconds.

    ``ready_timeout`` bounds the time until the installation can begin, ``timeout`` the rest. ``diff``: the result has
    one. In check mode a cluster that is not there yet is taken for one that an earlier task makes, which ``warn``
    reports.
    """

    cluster: str
    state: State = "installed"
    wait: bool = True
    ready_timeout: float = 1800.0
    timeout: float = 5400.0
    check_mode: bool = False
    diff: bool = False
    warn: Callable[[str], None] = lambda text: None
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda text: None


class Installation:
    """One order being carried out."""

    def __init__(self, service: AssistedService, order: InstallOrder) -> None:
        self.service, self.order = service, order
        self.done: list[str] = []
        self.starts = 0
        self.diffs: dict[str, dict[str, str]] = {}
        self._narrator = Narrator(order.tell, order.clock)

    def run(self) -> dict[str, Any]:
        """The result of the module.

        Raises :class:`ZeroTouchError` with the service's reasons where it would refuse or the installation failed,
        :class:`LimitReached` when time is up.
        """
        order = self.order
        known = self.service.clusters()
        if order.check_mode:
            return self._predicted(only_one(known, "cluster", order.cluster))
        cluster_id = str(required(known, "cluster", order.cluster)["id"])
        document = self.service.cluster(cluster_id)
        verdict = decide(document, order.state)
        deadline = Deadline(order.clock)
        if not verdict.settled:
            self._narrator.show(document)
        for turn in turns(deadline, PAUSE):
            if turn > 1:
                seen = self._look(cluster_id)
                document = seen or document
                # What was asked for last may have been done, so nothing is asked for again before the cluster is seen.
                verdict = (
                    decide(document, order.state)
                    if seen is not None
                    else InstallVerdict(waits=f"{self.service.service} does not answer")
                )
            if verdict.settled:
                return self._result(document, self.done, changed=bool(self.done))
            self._refuse(document, verdict, waiting=order.wait)
            for step in verdict.steps:
                self._take(cluster_id, step, document)
            if not order.wait:
                return self._result(self._look(cluster_id) or document, self.done, changed=bool(self.done))
            deadline.limit = self._limit(document)
        words = verdict.waits or f"cluster {read_cluster(document).name} is {document.get('status')}"
        raise self._failed(LimitReached(f"{deadline.limit:g} s are over: {words}.", deadline.limit), document)

    def _predicted(self, known: Document | None) -> dict[str, Any]:
        """What a run would ask for: at once, and once what it waits for has come."""
        order = self.order
        if known is None:
            order.warn(
                f"The service has no cluster {order.cluster}. Check mode assumes that an earlier task creates it."
            )
            document, verdict = {"id": "", "name": order.cluster}, decide_unknown(order.cluster, order.state)
        else:
            document = self.service.cluster(str(known["id"]))
            verdict = decide(document, order.state)
            self._refuse(document, verdict, waiting=order.wait)
        steps = [*verdict.steps, *verdict.then]
        for step in steps:
            self._note(step, document)
        now = [step.text() for step in verdict.steps] + ([f"wait: {verdict.waits}"] if verdict.waits else [])
        return self._result(document, [*now, *(step.text() for step in verdict.then)], changed=bool(steps))

    def _note(self, step: InstallStep, document: Document) -> None:
        """Before and after of what a step is for, once each: a preparation that failed is no change."""
        host = next((each for each in members(document.get("hosts")) if each.get("id") == step.host_id), None)
        before = str((document if host is None else host).get("status") or "")
        after = status_after(step, document, self.order.state)
        self.diffs.setdefault(
            step.title,
            {
                "before_header": step.title,
                "after_header": step.title,
                "before": f"{before}\n" if before else "",
                "after": f"{after}\n",
            },
        )

    def _refuse(self, document: Document, verdict: InstallVerdict, *, waiting: bool) -> None:
        begun = str(document.get("status")) not in ("insufficient", "pending-for-input")
        if verdict.refused or (verdict.waits and not waiting and not (begun and self.order.state == "installed")):
            refused = verdict.refused or verdict.waits
            raise self._failed(ZeroTouchError(f"{refused}."), document)

    def _take(self, cluster_id: str, step: InstallStep, document: Document) -> None:
        if step.action == "install" and not step.host_id:
            self.starts += 1
            if self.starts > STARTS:
                preparation = document.get("last-installation-preparation") or {}
                reason = preparation.get("reason") or document.get("status_info") or why_not(document)
                raise self._failed(
                    ZeroTouchError(
                        f"{step.title} could not be prepared for its installation {STARTS} times: {reason}."
                    ),
                    document,
                )
        try:
            if step.host_id:
                self.service.host_action(
                    step.infra_env_id, step.host_id, "reset" if step.action == "reset" else "install"
                )
            else:
                self.service.cluster_action(cluster_id, step.action)  # type: ignore[arg-type]
        except (RemoteError, Unreachable, NoToken) as error:
            if isinstance(error, AssistedError) and error.status == 409 and self._has_moved_on(cluster_id, step):
                return
            raise self._failed(error, document) from error
        self.done.append(step.text())
        self._note(step, document)
        self._narrator.say(step.text())

    def _has_moved_on(self, cluster_id: str, step: InstallStep) -> bool:
        """Another client sent the same request at the same time: the cluster changes.

        If it cannot be read now, the next pass decides.
        """
        document = self._look(cluster_id)
        if document is None:
            return True
        now = decide(document, self.order.state)
        return step not in now.steps and not now.refused

    def _look(self, cluster_id: str) -> Document | None:
        """None while the service does not answer."""
        document = patiently(lambda: self.service.cluster(cluster_id), self._narrator.away)
        if document is not None:
            self._narrator.show(document)
        return document

    def _limit(self, document: Document) -> float:
        """Seconds from the beginning until the cluster has to have left the state it is in."""
        before = str(document.get("status")) in ("insufficient", "pending-for-input")
        return self.order.ready_timeout if before else self.order.ready_timeout + self.order.timeout

    def _failed(self, error: ZeroTouchError, document: Document) -> ZeroTouchError:
        error.result = self._result(document, self.done, changed=bool(self.done))
        return error

    def _result(self, document: Document, plan: list[str], *, changed: bool) -> dict[str, Any]:
        hosts = [dict(host) for host in members(document.get("hosts"))]
        rows = [
            *validation_rows([document], "cluster", all_of_them=False),
            *validation_rows(hosts, "host", all_of_them=False),
        ]
        return {
            "changed": changed,
            "plan": list(plan),
            "cluster": cluster_record(document),
            "hosts": [host_record(host) for host in hosts],
            "validations": rows,
        } | ({"diff": list(self.diffs.values())} if self.order.diff else {})
