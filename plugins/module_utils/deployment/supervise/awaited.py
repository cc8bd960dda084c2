# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe what an installation waits for at one moment: its phase as text, and the first host that blocks it, with the
reason and what the user can do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...assisted.install.progress import PENDING_USER_ACTION, HostProgress, failing
from ...common.listed import listed
from .decide import Memory
from .observation import InventoryHost, Observation
from .setup import Setup

_FEW = 5
_NO_ACTION = "Nothing to do while its stage changes."
_RECOVERS = "Correct the cause at the host or in its network: the installation then continues automatically."


@dataclasses.dataclass(frozen=True)
class Awaited:
    """``host``, ``reason`` and ``next_step`` are empty while no single host is waited for."""

    text: str
    host: str = ""
    reason: str = ""
    next_step: str = ""

    def as_dict(self) -> dict[str, str]:
        return dataclasses.asdict(self)


def awaited(seen: Observation, memory: Memory, setup: Setup) -> Awaited:
    """What the wait is for. Nothing that changes with each observation is in it."""
    return next(_of_phase[memory.phase](seen, memory, setup), Awaited(_TEXTS.get(memory.phase, "")))


def _of_boot(seen: Observation, memory: Memory, setup: Setup) -> Iterator[Awaited]:
    address = seen.rendezvous_ip
    host = next((host.name for host in setup.hosts if host.has_address(address)), "")
    if setup.silence is not None:
        yield Awaited(
            f"the installation to answer again; it was last seen at {setup.silence.since}",
            host,
            "neither service nor API answers",
            "Wait for its limit.",
        )
    if not setup.elsewhere:
        shown_address = address or "its address"
        reason = f"no answer from {shown_address}, port 8090"
        yield Awaited(
            _TEXTS["boot"],
            host,
            reason,
            ("Look at its console: it must run the image, with this address on one of its NICs."),
        )


def _of_discovery(seen: Observation, memory: Memory, setup: Setup) -> Iterator[Awaited]:
    known = [(host, memory.last_words(seen, host)) for host in setup.hosts]
    registered = sum(found is not None for _host, found in known)
    text = f"hosts to register and become ready ({registered} of {len(known)} registered)"
    for host, found in known:
        if found is None:
            yield Awaited(
                text,
                host.name,
                "it has not registered",
                ("Look at its power, boot device, virtual medium and console, and compare its MAC addresses."),
            )
        elif not found.ready and not found.joined:
            yield Awaited(text, host.name, _judgement(found), _RECOVERS)
    cluster = seen.service.cluster
    for validation in failing(cluster.validations if cluster else ()):
        yield Awaited(
            "the validations of the cluster",
            "",
            f"{validation.id}: {validation.message}",
            "Correct the cause: the installation then begins.",
        )
    yield Awaited("the service to begin the installation")


def _of_bootstrap(seen: Observation, memory: Memory, setup: Setup) -> Iterator[Awaited]:
    hosts = [(host, found) for host in setup.hosts if (found := memory.last_words(seen, host)) is not None]
    for host, found in hosts:
        if found.status == PENDING_USER_ACTION:
            yield Awaited(
                _TEXTS["bootstrap"],
                host.name,
                found.status_info or "it did not boot from its disk",
                "Correct its boot order and restart it.",
            )
    unfinished = [(host, found) for host, found in hosts if not found.terminal and found.status != "installed"]
    for host, found in sorted(unfinished, key=lambda pair: pair[1].percent)[:1]:
        yield Awaited(_TEXTS["bootstrap"], host.name, found.describe(), _NO_ACTION)


def _of_cluster(seen: Observation, memory: Memory, setup: Setup) -> Iterator[Awaited]:
    text = _TEXTS[memory.phase]
    waiting = [
        operator.name for operator in seen.api.operators if not operator.available.true or operator.progressing.true
    ]
    if waiting:
        text = f"operators: {listed(waiting, _FEW)}"
    ready = {node.name.lower() for node in seen.api.nodes if node.ready}
    for host in setup.hosts:
        machine = memory.machines.get(host.name)
        if machine is not None and machine.may_run_the_image and not seen.api.has_node(host):
            yield Awaited(
                text,
                host.name,
                f"it runs the image again ({machine.text()})",
                ("Detach the image, correct its boot order, and restart it."),
            )
    for host in setup.hosts if seen.api.ours else ():
        if host.node_name not in ready:
            yield Awaited(text, host.name, *_absent(host, seen, memory))
    yield Awaited(text)


def _absent(host: InventoryHost, seen: Observation, memory: Memory) -> tuple[str, str]:
    if seen.api.has_node(host):
        return "its Node is not ready", "Nothing to do yet: a Node becomes ready when its network operator has started."
    found = memory.last_words(seen, host)
    reason = f"it has no Node yet ({found.describe()})" if found is not None else "it has no Node yet"
    return reason, (
        "If it lasts, look at its console, its certificate requests, and TCP 22623 and 6443 from its network."
    )


def _judgement(found: HostProgress) -> str:
    messages = "; ".join(f"{validation.id}: {validation.message}" for validation in failing(found.validations))
    return f"{found.status}: {messages}" if messages else found.status


def _nothing(seen: Observation, memory: Memory, setup: Setup) -> Iterator[Awaited]:
    return iter(())


_TEXTS = {
    "boot": "the service on the rendezvous host",
    "bootstrap": "the bootstrap of the control plane",
    "install": "the release to roll out",
    "operators": "the operators to settle",
}
_of_phase = {
    "boot": _of_boot,
    "discovery": _of_discovery,
    "bootstrap": _of_bootstrap,
    "install": _of_cluster,
    "operators": _of_cluster,
    "done": _nothing,
}
