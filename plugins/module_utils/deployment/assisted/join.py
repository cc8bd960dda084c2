# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Add hosts to an installed cluster: configure each host, install it as soon as it is ready, and wait until it is
added.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from ...assisted.hosts.plan import ServiceHostPlan
from ...assisted.install.progress import HOST_JOINED, failing, read_host
from ...assisted.records import host_record
from ...assisted.rest.client import Document
from ...assisted.rest.patience import patiently
from ...common.errors import PartialFailure, RemoteError, ZeroTouchError
from ...common.lock import one_run
from ...common.opened import Opened
from ...common.waiting import Deadline, ProgressLines, turns
from ..supervise.setup import Limits
from .session import AssistedRequest, DeploymentSession, open_session
from .upkeep import Refusals, change_hosts, plan_hosts

PAUSE = 5.0


@dataclasses.dataclass(frozen=True)
class JoinPlan:
    """``change``: hosts to be changed; ``install``: those whose installation is to be requested; ``failed``: name ->
    why it will never join; ``waits``: name -> for what.
    """

    change: tuple[ServiceHostPlan, ...] = ()
    install: tuple[Document, ...] = ()
    failed: dict[str, str] = dataclasses.field(default_factory=dict)
    waits: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def done(self) -> bool:
        return not (self.change or self.install or self.failed or self.waits)


def plan_join(plans: Sequence[ServiceHostPlan]) -> JoinPlan:
    """What to do about each host now. Only the installation of requested hosts is started."""
    change, install = [], []
    failed: dict[str, str] = {}
    waits: dict[str, str] = {}
    for plan in plans:
        name, host = plan.request.name, read_host(plan.host) if plan.host else None
        if host is not None and host.status in HOST_JOINED:
            continue
        if host is not None and host.terminal:
            failed[name] = f"it is {host.status}: {host.status_info}"
        elif host is not None and host.joined:
            waits[name] = host.describe()
        elif plan.refused:
            failed[name] = plan.refused
        elif plan.changes:
            change.append(plan)
        elif plan.waiting or host is None:
            waits[name] = plan.waiting or "it is not registered"
        elif host.ready:
            install.append(plan.host or {})
        else:
            reasons = "; ".join(validation.message for validation in failing(host.validations))
            waits[name] = f"it is {host.status}" + (f": {reasons}" if reasons else "")
    return JoinPlan(tuple(change), tuple(install), failed, waits)


def wait_joined(request: AssistedRequest, call: Opened, limits: Limits) -> dict[str, Any]:
    """Until all hosts are added; the module's result.

    Raises :class:`PartialFailure` holding it where a host failed or a limit is over.
    """
    if call.check_mode:
        call.plan(["wait until the hosts have joined"])
        return {"changed": True, "plan": ["wait until the hosts have joined"], "joined": [], "nodes": []}
    with one_run(request.work_dir.root, "assisted_deployment", call.clock):
        session, _problems = open_session(request, call)
        try:
            return JoinWait(session, limits).run()
        finally:
            session.service.close()


class JoinWait:
    """One wait."""

    def __init__(self, session: DeploymentSession, limits: Limits) -> None:
        self.session, self.limits = session, limits
        self._deadline = Deadline(session.call.clock, limits.discovery)
        self._lines = ProgressLines(session.call.clock, session.call.progress)
        self.done: list[str] = []
        self._refusals = Refusals()

    def run(self) -> dict[str, Any]:
        session = self.session
        if not session.found.cluster_id:
            raise ZeroTouchError(f"The service has no cluster {session.name}.", "add_hosts imports it.")
        plans, plan = list[ServiceHostPlan](), JoinPlan()
        for _turn in turns(self._deadline, PAUSE):
            seen = self._look()
            plans = seen or []
            plan = (
                plan_join(plans)
                if seen is not None
                else JoinPlan(waits={"service": "it does not answer at this moment"})
            )
            self._tell(plans, plan)
            if plan.done:
                return self._result(plans)
            self._act(plans, plan)
            begun = all(each.host is not None and read_host(each.host).joined for each in plans) and bool(plans)
            self._deadline.limit = self.limits.discovery + (self.limits.bootstrap if begun else 0.0)
        over = f"{self._deadline.limit:g} s are over"
        raise self._failure(plans, {name: f"{over}: {why}" for name, why in plan.waits.items()} or {"hosts": over})

    def _act(self, plans: Sequence[ServiceHostPlan], plan: JoinPlan) -> None:
        """Change and install hosts. Raises :class:`PartialFailure` for those that will never join."""
        if plan.failed:
            raise self._failure(plans, plan.failed)
        lines, errors = change_hosts(self.session.service, plan.change)
        self._say(lines)
        if lasting := self._refusals.lasting(errors):
            raise self._failure(plans, lasting)
        for name, error in errors.items():
            self.session.call.warn(f"{name}: {error}")
        self._install(plan)

    def _look(self) -> list[ServiceHostPlan] | None:
        """None while the service does not answer."""
        session = self.session
        hosts = patiently(
            lambda: session.service.cluster_hosts(session.found.cluster_id),
            lambda text: self._lines.tell("service", text),
        )
        return None if hosts is None else plan_hosts(session.desired.hosts, hosts, session.found.cluster_id)

    def _install(self, plan: JoinPlan) -> None:
        for host in plan.install:
            # If the request is refused or lost, the next read shows the result.
            try:
                asked = patiently(
                    functools.partial(self._ask_to_install, host), lambda text: self._lines.tell("service", text)
                )
            except RemoteError as error:
                if error.status != 409:
                    raise
            else:
                self._say([f"install host {read_host(host).name}"] if asked is not None else [])

    def _ask_to_install(self, host: Document) -> Document:
        return self.session.service.host_action(str(host.get("infra_env_id")), str(host.get("id")), "install")

    def _tell(self, plans: Sequence[ServiceHostPlan], plan: JoinPlan) -> None:
        self._lines.percent = min((read_host(each.host).percent if each.host else 0 for each in plans), default=0)
        for each in plans:
            name = each.request.name
            state = "not registered yet"
            if each.host:
                state = plan.waits.get(name) or read_host(each.host).describe()
            self._lines.tell(name, f"{name}: {state}")

    def _say(self, lines: Sequence[str]) -> None:
        self.done += lines
        for text in lines:
            self._lines.say(text)

    def _failure(self, plans: Sequence[ServiceHostPlan], reasons: dict[str, str]) -> PartialFailure:
        words = "\n".join(f"{name}: {reason}" for name, reason in reasons.items())
        return PartialFailure(
            f"{len(reasons)} of {len(plans)} hosts did not join {self.session.name}.\n{words}", self._result(plans)
        )

    def _result(self, plans: Sequence[ServiceHostPlan]) -> dict[str, Any]:
        records = [
            {"name": plan.request.name, **{key: host_record(plan.host)[key] for key in ("id", "status", "hostname")}}
            for plan in plans
            if plan.host
        ]
        nodes = [
            {"name": plan.request.name, "addresses": host_record(plan.host)["ip_addresses"]}
            for plan in plans
            if plan.host
        ]
        return {"changed": bool(self.done), "plan": list(self.done), "joined": records, "nodes": nodes}
