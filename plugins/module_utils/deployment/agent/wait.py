# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Supervise an installation until it is complete, for module ``install_wait``. If it fails, write a bundle with data
for the diagnosis.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...assisted.records import progress_row
from ...common.clock import Clock
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import PartialFailure, ZeroTouchError
from ...common.secrets import Redactor, secret_values
from ...serving.request_log import UNKNOWN, RequestLog
from ...serving.served import LOG as IMAGE_SERVER_LOG
from ..safety.record import BOOTED, BOOTING, TouchRecord
from ..served_note import served_note
from ..state.recovery import recover, restore
from ..state.work_dir import WorkDir, hosts_of_deployment, hosts_of_state, identity, read_deployment, same_hosts
from ..supervise.bundle import failure_message, write_bundle
from ..supervise.decide import Memory
from ..supervise.observation import InventoryHost, Observation
from ..supervise.observe import Observer
from ..supervise.setup import Limits, Setup, Until
from ..supervise.silence import silence_of
from ..supervise.supervisor import INTERVAL, MediaControl, Supervisor, WaitOutcome
from ..supervise.timeline import SECTION, STATE_PHASES, Timeline, utc_now


@dataclasses.dataclass(frozen=True)
class WaitRequest:
    """One wait. ``media_hosts`` are those whose BMC ``media`` controls; ``log_dir`` is where failure bundles go.

    ``left_hosts`` were on with the image attached when they were to be booted, and so were left alone;
    ``bmc_addresses``: from which addresses BMCs read the image.
    """

    work_dir: WorkDir
    log_dir: Path
    until: Until = "installed"
    limits: Limits = dataclasses.field(default_factory=Limits)
    media_hosts: frozenset[str] = frozenset()
    detach_media: bool = True
    repair: bool = True
    fresh: bool = False
    left_hosts: frozenset[str] = frozenset()
    bmc_addresses: Mapping[str, str] = dataclasses.field(default_factory=dict)
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    interval: float = INTERVAL


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What a wait needs from outside."""

    media: MediaControl
    clock: Clock
    show: Callable[[str], None]
    redactor: Redactor
    warn: Callable[[str], None]
    now: Callable[[], datetime.datetime] = utc_now


def wait(request: WaitRequest, around: Surroundings) -> dict[str, Any]:
    """Supervise until complete and return the result of the module (docs/conventions.md#results).

    Raises :class:`PartialFailure` holding that result when the installation failed or a limit is over.
    """
    recovered = recover(request.work_dir, read_deployment(request.work_dir.config))
    state = recovered.state
    setup = _setup(request, state, around.now())
    for note in recovered.notes:
        around.warn(note)
    restore(request.work_dir, recovered)
    observer = _observer(request, state)
    log = RequestLog(request.work_dir.logs / IMAGE_SERVER_LOG, str((state.get("publish") or {}).get("since") or ""))
    timeline = Timeline(request.work_dir.state, setup, around.now)

    size = _served_size(state)

    def observe() -> Observation:
        readers = log.readers()
        reads = log.reads(size, around.now()) if size and UNKNOWN not in readers else None
        return observer.observe(state, readers=readers if setup.doubtful else frozenset(), reads=reads)

    supervisor = Supervisor(
        setup,
        observe,
        around.media,
        timeline,
        around.clock,
        around.show,
        fresh=request.fresh,
        interval=request.interval,
    )
    try:
        outcome = supervisor.run()
        phase = str(timeline.section.get("phase") or "")
        before = str((state.get(SECTION) or {}).get("phase") or "")
        result = {
            **wait_result(outcome.memory, setup, phase),
            "changed": outcome.changed or recovered.needed or phase != before,
            "elapsed": round(outcome.elapsed, 1),
            "log_dir": "",
        }
        for text in outcome.warnings:
            around.warn(text)
        if outcome.step.kind == "done":
            return result
        raise _failure(request, around, setup, observer, outcome, result)
    finally:
        observer.close()


def predict(request: WaitRequest, around: Surroundings) -> dict[str, Any]:
    """Check mode: the plan for this moment, without waiting or doing anything."""
    state = recover(request.work_dir, read_deployment(request.work_dir.config)).state
    result: dict[str, Any] = {"changed": False, "elapsed": 0.0, "log_dir": ""}
    if not state.get("cluster"):
        return {
            **result,
            "changed": True,
            "phase": "",
            "percent": 0,
            "hosts": [],
            "plan": [("wait for the installation, once the hosts are booted")],
        }
    setup = _setup(request, state, around.now())
    observer = _observer(request, state)
    timeline = Timeline(request.work_dir.state, setup, around.now)
    supervisor = Supervisor(
        setup, lambda: observer.observe(state), around.media, timeline, around.clock, around.show, fresh=request.fresh
    )
    try:
        _seen, steps = supervisor.look()
    finally:
        observer.close()
    done = bool(steps) and steps[-1].kind == "done"
    plan = [step.text() for step in steps] or [f"wait in phase {supervisor.memory.phase}"]
    phase = STATE_PHASES["done"] if done and request.until == "installed" else STATE_PHASES[supervisor.memory.phase]
    acts = any(step.kind in ("detach", "repair") for step in steps) or phase != str(
        (state.get(SECTION) or {}).get("phase") or ""
    )
    return {**result, **wait_result(supervisor.memory, setup, phase), "changed": acts or not done, "plan": plan}


def _setup(request: WaitRequest, state: Mapping[str, Any], now: datetime.datetime) -> Setup:
    hosts = hosts_of_state(state)
    if not hosts:
        raise ZeroTouchError(
            f"There is nothing to wait for: no image was built in {request.work_dir.root}.",
            "Build it with agent_image and boot the hosts.",
        )
    deployment = read_deployment(request.work_dir.config)
    if deployment is not None and same_hosts(hosts_of_deployment(deployment), hosts):
        hosts = hosts_of_deployment(deployment)  # these know their static addresses too
    silence = None if request.fresh else silence_of(state.get(SECTION) or {}, request.limits, now)
    return Setup(
        hosts,
        request.until,
        request.limits,
        request.media_hosts,
        request.detach_media,
        request.repair,
        silence,
        doubtful=doubtful_hosts(state, hosts, request.left_hosts, now),
        bmc_addresses=request.bmc_addresses,
    )


def _served_size(state: Mapping[str, Any]) -> int:
    """Bytes of the ISO that our image server serves; 0 where it serves none: then its log proves nothing."""
    publication, image = state.get("publish") or {}, state.get("image") or {}
    served = (
        publication.get("method") == "serve"
        and bool(image.get("path"))
        and publication.get("path") == image.get("path")
    )
    return int(image.get("size") or 0) if served else 0


def doubtful_hosts(
    state: Mapping[str, Any], hosts: Sequence[InventoryHost], left: Collection[str], now: datetime.datetime
) -> dict[str, float]:
    """Those of the hosts left alone that may have found no image: they were powered on before the image server of now
    began. With the seconds since then. An image that a server of the user publishes does not end with a job.
    """
    publication, record = state.get("publish") or {}, TouchRecord(Path(), state)
    began = _time(publication.get("since"))
    if publication.get("method") != "serve" or began is None:
        return {}
    entries = {host.name: record.machine(host) for host in hosts if host.name in left}
    times = {name: _time(entry.get("at")) for name, entry in entries.items() if entry.get("state") in (BOOTING, BOOTED)}
    return {name: (now - at).total_seconds() for name, at in times.items() if at is not None and at < began}


def _time(text: Any) -> datetime.datetime | None:
    """None for what is no time with a zone."""
    try:
        found = datetime.datetime.fromisoformat(str(text or ""))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _observer(request: WaitRequest, state: Mapping[str, Any]) -> Observer:
    return Observer(
        request.work_dir, state, identity(state, None), connect_to=request.connect_to, ca_cert=request.ca_cert
    )


def wait_result(memory: Memory, setup: Setup, phase: str) -> dict[str, Any]:
    """How far the installation and each of its hosts are."""
    described = []
    for host in setup.hosts:
        found = next(
            (
                known
                for known in memory.hosts.values()
                if set(known.macs) & set(host.macs) or known.name.lower() == host.node_name
            ),
            None,
        )
        described.append(progress_row(host.name, found))
    return {"phase": phase, "percent": memory.percent, "hosts": described}


def _failure(
    request: WaitRequest,
    around: Surroundings,
    setup: Setup,
    observer: Observer,
    outcome: WaitOutcome,
    result: dict[str, Any],
) -> PartialFailure:
    deployment = read_deployment(request.work_dir.config)
    around.redactor.add(secret_values(deployment.cluster.pull_secret) if deployment else ())
    try:
        directory: Path | None = write_bundle(
            request.log_dir, outcome, setup, observer, around.media, around.redactor, around.now()
        ).directory
    except (OSError, ZeroTouchError) as error:
        directory = None
        around.show(f"The failure bundle cannot be written: {error}")
    result = {**result, "log_dir": str(directory or ""), "suspects": list(outcome.suspects)}
    return PartialFailure(failure_message(outcome, directory, served_note(request.work_dir.state.read())), result)
