# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The use case of the door ``deployment_report``: from the work directory to report.json and report.html."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...common.files import SECRET_FILE, same_file, write_atomic
from ...common.secrets import Redactor, secret_values
from ..state.work_dir import WorkDir, read_deployment
from .data import Report, make_report, report_json, summary_lines
from .page import report_html


@dataclasses.dataclass(frozen=True)
class ReportPlan:
    """The report and the two files that are to hold it."""

    report: Report
    html: Path
    json: Path

    @property
    def changed(self) -> bool:
        return not all(same_file(path, content, SECRET_FILE) for path, content in self._files())

    def apply(self) -> None:
        for path, content in self._files():
            write_atomic(path, content, SECRET_FILE)

    def as_result(self) -> dict[str, Any]:
        """The door's result."""
        return {
            "html": str(self.html),
            "json": str(self.json),
            "summary": summary_lines(self.report, self.html),
            "node_warnings": self.report["node_warnings"],
            "report": self.report,
        }

    def _files(self) -> list[tuple[Path, str]]:
        return [(self.json, report_json(self.report)), (self.html, report_html(self.report))]


def plan_report(work_dir: WorkDir, redactor: Redactor, warnings: Sequence[str] = (), failure: str = "") -> ReportPlan:
    """The report of what is recorded in the work directory, without secrets.

    ``warnings`` are shown besides the recorded ones. ``failure`` ended this run; a recorded failure of the installation is shown instead.
    """
    deployment = read_deployment(work_dir.config)
    if deployment is not None:
        redactor.add(secret_values(deployment.cluster.pull_secret))
    report = make_report(work_dir, work_dir.state.read(), deployment)
    report["warnings"] = list(dict.fromkeys([*report["warnings"], *warnings]))
    if report["result"]["phase"] != "installed":
        report["result"]["failure"] = report["result"]["failure"] or failure
    clean: Report = redactor.presentable(report)
    return ReportPlan(clean, work_dir.root / "report.html", work_dir.root / "report.json")
