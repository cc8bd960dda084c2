# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write report.json and report.html from the records in the work directory, for module ``deployment_report``."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ...cluster.spec import Deployment
from ...common import json_text
from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE, read_inside, same_file, write_atomic
from ...common.secrets import Redactor, secret_values
from ..state.work_dir import WorkDir, read_deployment
from .data import Report, make_report, report_json, summary_lines
from .page import report_html

RunState = Literal["running", "finished", "failed"]


@dataclasses.dataclass(frozen=True)
class ReportPlan:
    """The report and the two files that hold it.

    A report of a run in progress has a section ``live``; the digest of the last one without it is ``before``.
    """

    report: Report
    html: Path
    json: Path
    before: str = ""

    @property
    def digest(self) -> str:
        return hashlib.sha256("".join(content for _path, content in self._files()).encode()).hexdigest()

    @property
    def changed(self) -> bool:
        """Whether the report differs from the last one, without section ``live``."""
        if self.before:
            return self.digest != self.before
        return not all(same_file(path, content, SECRET_FILE) for path, content in self._files())

    def apply(self) -> None:
        for path, content in self._files():
            write_atomic(path, content, SECRET_FILE)

    def as_result(self) -> dict[str, Any]:
        """The result of module deployment_report."""
        return {
            "html": str(self.html),
            "json": str(self.json),
            "summary": summary_lines(self.report, self.html),
            "node_warnings": self.report["node_warnings"],
            "report": self.report,
        }

    def _files(self) -> list[tuple[Path, str]]:
        return [(self.json, report_json(self.report)), (self.html, report_html(self.report))]


def plan_report(
    work_dir: WorkDir,
    redactor: Redactor,
    warnings: Sequence[str] = (),
    failure: str = "",
    deployment: Deployment | None = None,
    run: Mapping[str, str] | None = None,
) -> ReportPlan:
    """The report of what is recorded in the work directory, without secrets.

    ``warnings`` are shown besides the recorded ones. ``failure`` ended this run; a recorded failure of the installation
    is shown instead. ``deployment`` is read from the configuration if it is not passed. ``run`` is a run that installs
    nothing (:func:`run_section`).
    """
    deployment = deployment or read_deployment(work_dir.config)
    if deployment is not None:
        redactor.add(secret_values(deployment.cluster.pull_secret))
    report = make_report(work_dir, work_dir.state.read(), deployment)
    report["warnings"] = list(dict.fromkeys([*report["warnings"], *warnings]))
    if report["result"]["phase"] != "installed":
        report["result"]["failure"] = report["result"]["failure"] or failure
    # After a change that succeeded, the report is again that of the installation.
    if run and (run["state"] != "finished" or not report["result"]["phase"]):
        report["run"] = dict(run)
    clean: Report = redactor.presentable(report)
    html, json_file = work_dir.root / "report.html", work_dir.root / "report.json"
    return ReportPlan(clean, html, json_file, str((read_report(work_dir).get("live") or {}).get("before") or ""))


def run_section(playbook: str, state: RunState, reason: str = "") -> dict[str, str]:
    """Section ``run`` of a report: a run that changes a cluster, or that creates a hosted one."""
    return {"playbook": playbook, "state": state, "reason": reason}


def read_report(work_dir: WorkDir) -> Report:
    """The report in the work directory, empty if there is none that can be read."""
    try:
        found = json_text.parse(read_inside(work_dir.root / "report.json"))
    except (OSError, ValueError, ZeroTouchError):
        return {}
    return found if isinstance(found, dict) else {}


def digest_of_files(work_dir: WorkDir) -> str:
    """The digest of the report in the work directory, as :class:`ReportPlan` computes it; of none if a file is
    missing.
    """
    try:
        return hashlib.sha256(
            b"".join(read_inside(work_dir.root / name) for name in ("report.json", "report.html"))
        ).hexdigest()
    except (OSError, ZeroTouchError):
        return "none"
