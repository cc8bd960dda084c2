# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the findings of a check for other programs: as a JSON document, as annotations for GitHub, or as a Code Quality
report for GitLab.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..common.files import write_atomic

# Options of modules that write such a report; ``openshift_check_report`` with its paths absolute.
OPTIONS: dict[str, Any] = {
    "report": {
        "type": "dict",
        "default": {},
        "options": {"json": {"type": "path"}, "gitlab": {"type": "path"}, "github": {"type": "bool"}},
    }
}
_SEVERITIES = {"error": "major", "warning": "minor"}
# Reports are for other jobs and users: they hold no secrets.
_MODE = 0o644


@dataclasses.dataclass(frozen=True)
class Finding:
    """One mistake or failed check: what it is about, and the text for the user.

    ``file`` is empty and ``line`` 0 where they are not known.
    """

    check: str
    subject: str
    text: str
    severity: Literal["error", "warning"] = "error"
    file: str = ""
    line: int = 0


def github_annotation(found: Finding, directory: str) -> str:
    """A workflow command of GitHub Actions (actions/toolkit packages/core/src/command.ts); paths in it are from the
    root of the repository.
    """
    place = {"file": _relative(found.file, directory), "line": str(found.line)} if found.file else {}
    properties = {**place, "title": found.subject or found.check}
    listed = ",".join(
        f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value not in ("", "0")
    )
    return f"::{found.severity} {listed}::{_escaped(found.text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def gitlab_report(findings: Sequence[Finding], directory: str, default_file: str) -> list[dict[str, Any]]:
    """Entries of a Code Quality report (docs.gitlab.com/ci/testing/code_quality).

    Each needs a file: ``default_file`` where none is known.
    """
    entries = []
    for found in findings:
        path = _relative(found.file or default_file, directory)
        digest = hashlib.sha256("\0".join((found.check, found.subject, found.text)).encode()).hexdigest()
        entries.append(
            {
                "description": found.text,
                "check_name": found.check,
                "fingerprint": digest,
                "severity": _SEVERITIES[found.severity],
                "location": {"path": path, "lines": {"begin": max(1, found.line)}},
            }
        )
    return entries


def write_report(
    options: Mapping[str, Any],
    document: Mapping[str, Any],
    findings: Sequence[Finding],
    *,
    directory: str,
    default_file: str = "",
) -> list[str]:
    """Write the files that option ``report`` names.

    Returns the annotations to print, none unless ``github`` or GITHUB_ACTIONS asks for them.
    """
    if options.get("json"):
        _write(options["json"], document)
    if options.get("gitlab"):
        _write(options["gitlab"], gitlab_report(findings, directory, default_file))
    wanted = options.get("github")
    if wanted is None:
        wanted = os.environ.get("GITHUB_ACTIONS") == "true"
    return [github_annotation(found, directory) for found in findings] if wanted else []


def _write(path: str, document: Any) -> None:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(target, json.dumps(document, indent=2, ensure_ascii=False) + "\n", mode=_MODE)


def _relative(path: str, directory: str) -> str:
    """The path from the directory of the run, where it is below it."""
    found = os.path.relpath(path, directory) if path else ""
    return path if found.startswith("..") else found
