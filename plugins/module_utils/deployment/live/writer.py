# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the report while a run is in progress: ``report.json`` and ``report.html`` are rewritten after each change, and
each event is added as a line to ``events.jsonl``.

One :class:`LiveReport` serves one task. It reads the results of earlier tasks from the files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...cluster.spec import Deployment
from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE, open_inside
from ...common.secrets import Redactor
from ..report.data import Report
from ..report.files import ReportPlan, digest_of_files, plan_report, read_report, run_section
from ..report.news import INTERVAL
from ..state.work_dir import WorkDir, known_secrets, read_deployment
from ..supervise.estimate import SECTION as HISTORY
from ..supervise.estimate import estimate
from .events import RunEvent, differences

EVENTS_FILE = "events.jsonl"
# Lines of progress that the page shows.
_LINES = 14
_PAUSE = 1.0
_LARGEST_LOG = 8 << 20


@dataclasses.dataclass(frozen=True)
class LiveRun:
    """The run that the report is about.

    ``cluster`` is its name before there is a configuration. ``change`` is the playbook of a run that
    installs nothing; the report then describes that run.
    """

    work_dir: WorkDir
    run: str
    cluster: str
    change: str = ""


class LiveReport:
    """Writes in a separate thread, so that it delays no wait, and at least every ``interval`` seconds.

    ``notify`` gets each event and returns what went wrong.
    """

    def __init__(
        self,
        run: LiveRun,
        task: str,
        secrets: Callable[[], frozenset[str]],
        notify: Callable[[dict[str, Any]], Sequence[str]] = lambda event: (),
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
        interval: float = INTERVAL,
    ) -> None:
        self.run = run
        self._interval = interval
        self.faults: list[str] = []
        self._task = task
        self._secrets = secrets
        self._notify = notify
        self._now = now
        self._redactor = Redactor()
        self._lines: list[dict[str, str]] = []
        self._deployment: Deployment | None = None
        self._last: Report = {}
        self._before = ""
        self._history: list[dict[str, float]] = []
        self._wanted = threading.Event()
        self._ended = threading.Event()
        self._sending = threading.Lock()
        self._thread = threading.Thread(target=self._write_when_wanted, daemon=True)

    def __enter__(self) -> LiveReport:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Write what the last lines changed."""
        self._ended.set()
        self._wanted.set()
        self._thread.join()

    def line(self, text: str) -> None:
        """A line of progress, without secrets."""
        self._lines.append({"at": self._stamp(), "text": text})
        self._wanted.set()

    def emit(self, *events: RunEvent) -> None:
        """Record events and notify of them."""
        entries = [event.as_dict(at=self._stamp(), run=self.run.run, cluster=self.run.cluster) for event in events]
        self._append(entries)
        for entry in entries:
            self.faults += [fault for fault in self._notify(entry) if fault not in self.faults]

    def write(self) -> None:
        """Write the report now."""
        self._planned().apply()

    def _write_when_wanted(self) -> None:
        shown = 0
        while not self._ended.is_set():
            self._wanted.wait(self._interval)
            self._wanted.clear()
            count = len(self._lines)
            if not self._ended.is_set() or count > shown:
                with self._tolerated():
                    self._record(self._lines[shown:count])
                shown = count
            self._ended.wait(_PAUSE)
        if len(self._lines) > shown:
            with self._tolerated():
                self._record(self._lines[shown:])

    def _record(self, lines: Sequence[dict[str, str]]) -> None:
        before = self._last or read_report(self.run.work_dir)
        plan = self._planned()
        phase = str(plan.report["result"]["phase"])
        # First on disk, then to the webhooks, which may take their time.
        plan.apply()
        self._append(
            [
                RunEvent("line", line["text"], phase).as_dict(at=line["at"], run=self.run.run, cluster=self.run.cluster)
                for line in lines
            ]
        )
        self.emit(*differences(before, plan.report))
        self._last = plan.report

    def _planned(self) -> ReportPlan:
        work_dir = self.run.work_dir
        secrets = self._secrets() | known_secrets(work_dir)
        self._redactor.add(secrets - self._redactor.known())
        before = read_report(work_dir)
        self._deployment = self._deployment or read_deployment(work_dir.config)
        run = run_section(self.run.change, "running") if self.run.change else None
        plan = plan_report(work_dir, self._redactor, before.get("warnings") or (), deployment=self._deployment, run=run)
        plan.report["cluster"]["name"] = plan.report["cluster"]["name"] or self.run.cluster
        self._before = self._before or plan.before or digest_of_files(work_dir)
        earlier = (
            (before.get("live") or {}).get("lines") or []
            if (before.get("live") or {}).get("run") == self.run.run
            else []
        )
        self._history = self._history or _history_of(before)
        plan.report["live"] = self._live(plan.report, earlier)
        return plan

    def _live(self, report: Report, earlier: Sequence[dict[str, str]]) -> dict[str, Any]:
        now = self._now()
        state = self.run.work_dir.state.read()
        install = state.get("install") or {}
        reached = install.get("phases") or {} if report["result"]["phase"] != "installed" else {"done": ""}
        left = estimate(str(install.get("method") or "agent"), reached, state.get(HISTORY) or self._history, now)
        known = {(line["at"], line["text"]) for line in earlier}
        lines = [*earlier, *(line for line in self._lines[-_LINES:] if (line["at"], line["text"]) not in known)]
        return {
            "run": self.run.run,
            "updated_at": self._stamp(),
            "interval": self._interval,
            "task": self._task,
            # How long a change takes is not known.
            "expected_end": "" if self.run.change else _utc(now + datetime.timedelta(seconds=left.seconds)),
            "expected_from": "" if self.run.change else left.source,
            "lines": lines[-_LINES:],
            "history": self._history,
            "before": self._before,
        }

    def _append(self, entries: Sequence[dict[str, Any]]) -> None:
        if not entries:
            return
        text = "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)
        path = self.run.work_dir.root / EVENTS_FILE
        with self._sending:
            handle = open_inside(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, SECRET_FILE)
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write(text)
                full = file.tell() > _LARGEST_LOG
            if full:
                os.replace(path, path.with_name(f"{EVENTS_FILE}.1"))

    @contextlib.contextmanager
    def _tolerated(self) -> Any:
        """The report of a run must not end the run: what keeps it from being written is a warning."""
        try:
            yield
        except (OSError, ValueError, KeyError, TypeError, ZeroTouchError) as error:
            fault = f"The live report cannot be written: {error}"
            if fault not in self.faults:
                self.faults.append(fault)

    def _stamp(self) -> str:
        return self._now().astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _utc(time: datetime.datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _history_of(report: Report) -> list[dict[str, float]]:
    """The lengths of the phases of the last installation of this work directory, whose report outlives its state."""
    if "live" in report:
        return list(report["live"].get("history") or [])
    if (report.get("result") or {}).get("phase") != "installed":
        return []
    return [
        {
            str(phase["phase"]): float(phase["seconds"])
            for phase in report.get("phases") or []
            if phase["phase"] != "done"
        }
    ]
