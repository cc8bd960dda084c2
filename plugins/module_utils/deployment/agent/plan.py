# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Observe a deployment and return what is left to do, for module ``deployment_plan``. Writes nothing."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Collection
from typing import Any

from ...common.connect import DIRECT, ConnectTo
from ...common.listed import listed
from ..safety.record import BOOTED, BOOTING, TouchRecord
from ..state.recovery import recover
from ..state.work_dir import WorkDir, hosts_of_deployment, hosts_of_state, identity, read_deployment
from ..stop_reason import message_of
from ..supervise.observation import ApiView, ImageView, InventoryHost, Observation, ServiceView
from ..supervise.observe import Observer, view_image
from ..supervise.setup import Limits
from ..supervise.silence import silence_of
from ..supervise.timeline import SECTION, utc_now
from .resume import Decision, decide, readers

_MOST_NAMES = 3


@dataclasses.dataclass(frozen=True)
class Question:
    """What to observe. ``hosts``, ``rendezvous_ip`` and ``api_url`` replace a configuration that is not written yet
    (check mode), ``changed_files`` for changes to it that are not; ``limits`` bound how long an installation under way
    may be silent.
    """

    work_dir: WorkDir
    hosts: tuple[InventoryHost, ...] = ()
    rendezvous_ip: str = ""
    api_url: str = ""
    changed_files: Collection[str] = ()
    force: Collection[str] = ()
    limits: Limits = dataclasses.field(default_factory=Limits)
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    now: Callable[[], datetime.datetime] = utc_now


@dataclasses.dataclass(frozen=True)
class Answer:
    """What was seen and what follows from it.

    ``reading`` are the hosts that run from the image, so that it must be published for them.
    """

    decision: Decision
    seen: Observation
    reading: tuple[str, ...] = ()

    def as_result(self, *, check_mode: bool) -> dict[str, Any]:
        """The result of module deployment_plan."""
        decision = self.decision
        return {
            "changed": False,
            "state": decision.state,
            "hosts": [host.row("name", "joined", "action", "reason", "force") for host in decision.hosts],
            "reading_hosts": list(self.reading),
            "build": decision.build,
            "build_reason": decision.build_reason,
            "boot_hosts": list(decision.boot),
            "forced_hosts": [host.name for host in decision.hosts if host.force],
            "wait": decision.wait,
            "report": decision.state == "installed" or not check_mode,
            "stop_reason": message_of(decision.stop),
            "differing_paths": list(self.seen.image.differing),
            "phase": self.seen.phase,
            "service": _whose(self.seen.service),
            "api": _whose(self.seen.api),
        }


def answer(question: Question) -> Answer:
    """Observe the deployment and decide by the table of docs/explanation/resume.md."""
    work_dir = question.work_dir
    deployment = read_deployment(work_dir.config)
    recovered = recover(work_dir, deployment)
    state = recovered.state
    known = identity(state, deployment)
    who = dataclasses.replace(
        known, rendezvous_ip=known.rendezvous_ip or question.rendezvous_ip, api_url=known.api_url or question.api_url
    )
    observer = Observer(work_dir, state, who, connect_to=question.connect_to, ca_cert=question.ca_cert)
    try:
        silence = silence_of(state.get(SECTION) or {}, question.limits, question.now())
        seen = observer.observe(
            state, _image(question, view_image(work_dir, state)), silence=silence, lost=recovered.lost
        )
    finally:
        observer.close()
    hosts = question.hosts or (hosts_of_deployment(deployment) if deployment else hosts_of_state(state))
    decision = decide(seen, hosts, question.force)
    record = TouchRecord(work_dir.root, state)
    booted = {host.name for host in hosts if record.machine(host).get("state") in (BOOTING, BOOTED)}
    reading = () if decision.stop else readers(seen, hosts, decision, booted)
    if reading and not decision.build and not seen.image.exists:
        decision = dataclasses.replace(
            decision, build=True, build_reason=(f"{listed(reading, _MOST_NAMES)} run from it, and its file is missing")
        )
    return Answer(dataclasses.replace(decision, notes=(*recovered.notes, *decision.notes)), seen, reading)


def _image(question: Question, view: ImageView) -> ImageView:
    if not view.built:
        return view
    return dataclasses.replace(view, differing=tuple(dict.fromkeys([*view.differing, *sorted(question.changed_files)])))


def _whose(view: ServiceView | ApiView) -> str:
    if view.ours:
        return "ours"
    return "foreign" if view.answers else "none"
