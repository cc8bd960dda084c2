# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Record the progress of an installation in the state file (section ``install``): its phase, and when each host reached
which stage.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...assisted.install.progress import REBOOTING, HostProgress
from ...common.state import StateFile
from ..report.nodes import record_nodes
from .awaited import awaited
from .decide import Memory, Step, bootstrapped
from .estimate import SECTION as HISTORY
from .estimate import phase_lengths, remember
from .observation import FAILED, PHASES, InventoryHost, Observation
from .setup import Setup
from .silence import LAST_SEEN

SECTION = "install"
AWAITED = "awaited"
# Phase of a wait -> phase of the state file (docs/explanation/resume.md decides by it).
STATE_PHASES = {
    "boot": "booted",
    "discovery": "booted",
    "bootstrap": "bootstrap",
    "install": "installing",
    "operators": "installing",
    "done": "installed",
}
BEFORE_BOOT = ("", "built", "defined")
# Seconds between two records of an installation in progress: the run after a killed one needs the time when it was
# last seen, but not to the second.
_SEEN_EVERY = 10.0


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


class Timeline:
    """Keeps section ``install``.

    A cluster with another id is another attempt: what was recorded of the former one goes. ``method`` is recorded if
    given.
    """

    def __init__(
        self, state: StateFile, setup: Setup, now: Callable[[], datetime.datetime] = utc_now, method: str = ""
    ) -> None:
        self._state = state
        self._setup = setup
        self._now = now
        self._method = method
        self._seen_at: datetime.datetime | None = None
        self.section: dict[str, Any] = state.section(SECTION)

    def begin(self, *, fresh: bool) -> None:
        """A wait begins; with ``fresh`` (start_over) everything known of an earlier installation is void."""
        if fresh:
            self.section = {}
        if str(self.section.get("phase") or "") in BEFORE_BOOT:
            self.section["phase"] = "booted"
        self.section.setdefault("started_at", self._stamp())
        for key in ("overdue", "stopped_at"):
            self.section.pop(key, None)
        self._write()

    def record(self, memory: Memory, seen: Observation) -> None:
        """The present state; written only when something changed."""
        before = _copy(self.section)
        cluster = seen.service.cluster if seen.service.ours else None
        if cluster and cluster.id and self.section.get("cluster_id", cluster.id) != cluster.id:
            self.section = {"started_at": self._stamp()}
        if cluster and cluster.id:
            self.section["cluster_id"] = cluster.id
        self._set_phase(memory, seen)
        self._reach(memory)
        for host in memory.hosts.values() if seen.service.ours else ():
            self._host(self._name(memory, seen, host), host)
        self._rendezvous(memory, seen)
        self._nodes(seen)
        self.section[AWAITED] = awaited(seen, memory, self._setup).as_dict()
        if seen.api.version:
            self.section["kubernetes_version"] = seen.api.version
        if seen.service.ours or seen.api.ours:
            self._was_seen(changed=self.section != before)
        if self.section != before:
            self._write()

    def finish(self, step: Step, memory: Memory, failures: list[str]) -> None:
        """The wait is over: ``step`` is its ``done`` or ``stop``."""
        for key in ("failure", "suspects"):
            self.section.pop(key, None)
        lengths: dict[str, float] = {}
        if step.kind == "done":
            self.section.pop(AWAITED, None)
            if self._setup.until == "installed":
                self.section["phase"] = "installed"
                if "installed_at" not in self.section:
                    self.section["installed_at"] = self._stamp()
                    lengths = phase_lengths(self.section.get("phases") or {}, self.section["installed_at"])
        else:
            self.section |= {"failure": step.reason, "suspects": failures, "stopped_at": self._stamp()}
            if step.terminal:
                self.section["phase"] = FAILED
                self.section.pop(AWAITED, None)
            elif memory.phase == "discovery" or (memory.phase == "boot" and self._setup.silence is None):
                self.section["overdue"] = True
        self._write(lengths)

    def repairs(self) -> dict[str, int]:
        """How often each host was restarted during this installation, by this run and earlier ones."""
        return dict(self.section.get("repairs") or {})

    def repairing(self, names: Sequence[str]) -> None:
        """These hosts are about to be restarted.

        It is recorded before, so that a run that is killed is not followed by a second restart.
        """
        counts = self.repairs()
        self.section["repairs"] = {**counts, **{name: counts.get(name, 0) + 1 for name in names}}
        self._write()

    def warn(self, text: str) -> None:
        """Something that the report has to show."""
        warnings = self.section.setdefault("warnings", [])
        if text not in warnings:
            warnings.append(text)
            self._write()

    def _was_seen(self, *, changed: bool) -> None:
        """When service or API of ours last answered, for a run that meets silence (:mod:`.silence`); of no interest
        once it is installed.
        """
        if self.section.get("phase") == STATE_PHASES["done"]:
            return
        at = self._now()
        if changed or self._seen_at is None or (at - self._seen_at).total_seconds() >= _SEEN_EVERY:
            self._seen_at = at
            self.section[LAST_SEEN] = self._stamp()

    def _set_phase(self, memory: Memory, seen: Observation) -> None:
        if not seen.service.ours and not seen.api.ours:
            return
        phase = STATE_PHASES["install"] if bootstrapped(seen) else STATE_PHASES[memory.phase]
        recorded = str(self.section.get("phase") or "")
        # Only a service that shows an earlier state proves that a recorded phase is past: a run that is killed while
        # the service does not answer must leave the record of a running installation behind, since it alone keeps the
        # next run from booting.
        proved = seen.service.ours and seen.service.cluster is not None and not seen.api.ours
        if proved or recorded not in PHASES or PHASES.index(phase) > PHASES.index(recorded):
            self.section["phase"] = phase

    def _reach(self, memory: Memory) -> None:
        phases = self.section.setdefault("phases", {})
        phases.setdefault(memory.phase, self._stamp())

    def _host(self, name: str, host: HostProgress) -> None:
        hosts = self.section.setdefault("hosts", {})
        entry = {
            "status": host.status,
            "stage": host.stage,
            "role": host.role,
            "bootstrap": host.bootstrap,
            "addresses": list(host.addresses),
            "hostname": host.name,
        }
        old = hosts.get(name) or {}
        if (old.get("status"), old.get("stage")) != (host.status, host.stage):
            self._event(name, host.status, host.stage)
        hosts[name] = {**old, **entry}

    def _rendezvous(self, memory: Memory, seen: Observation) -> None:
        """The rendezvous host cannot report its reboot, since the service ends with it: a service that has
        ended after bootstrap is the evidence.
        """
        if seen.service.answers or self._setup.elsewhere or self.section.get("phase") != STATE_PHASES["install"]:
            return
        for host in memory.hosts.values():
            name = self._name(memory, seen, host)
            entry = (self.section.get("hosts") or {}).get(name) or {}
            if host.bootstrap and not host.runs_from_disk and entry.get("stage") != REBOOTING and not entry.get("node"):
                self._host(name, dataclasses.replace(host, stage=REBOOTING))

    def _nodes(self, seen: Observation) -> None:
        if not seen.api.ours:
            return
        self.section["nodes"] = record_nodes(seen.api.nodes)
        hosts = self.section.setdefault("hosts", {})
        for node in seen.api.nodes:
            name = next((host.name for host in self._setup.hosts if host.node_name == node.name.lower()), node.name)
            entry = hosts.setdefault(name, {})
            if entry.get("node") != ("ready" if node.ready else "joined"):
                entry["node"] = "ready" if node.ready else "joined"
                self._event(name, f"node-{entry['node']}", "Node ready" if node.ready else "Node joined")
            entry.setdefault("addresses", list(node.addresses))

    def _event(self, name: str, status: str, stage: str) -> None:
        self.section.setdefault("timeline", []).append(
            {"host": name, "status": status, "stage": stage, "at": self._stamp()}
        )

    def _name(self, memory: Memory, seen: Observation, host: HostProgress) -> str:
        """What the user calls this host, else its own name."""
        return next((own.name for own in self._setup.hosts if self._is(memory, seen, own, host)), host.name)

    @staticmethod
    def _is(memory: Memory, seen: Observation, own: InventoryHost, host: HostProgress) -> bool:
        found = memory.last_words(seen, own)
        return found is not None and found.id == host.id

    def _write(self, lengths: Mapping[str, float] | None = None) -> None:
        if self._method:
            self.section["method"] = self._method
        with self._state.edit() as document:
            document[SECTION] = self.section
            if lengths:
                document[HISTORY] = remember(document.get(HISTORY), lengths)

    def _stamp(self) -> str:
        return self._now().astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _copy(section: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copied(value) for key, value in section.items()}


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return _copy(value)
    return list(value) if isinstance(value, list) else value
