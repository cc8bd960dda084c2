# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the machine-readable reports of checks: JSON, annotations of GitHub, and Code Quality of GitLab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check_report import (
    Finding,
    github_annotation,
    gitlab_report,
    write_report,
)

WRONG = Finding("bmc", "openshift_host[a].bmc", "100% wrong:\nline two", "error", "/site/hosts.yml", 7)
DOUBT = Finding("settings", "openshift_base_image", "is missing", "warning")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (WRONG, "::error file=hosts.yml,line=7,title=openshift_host[a].bmc::100%25 wrong:%0Aline two"),
        (DOUBT, "::warning title=openshift_base_image::is missing"),
        (Finding("dns", "a, b: c", "text"), "::error title=a%2C b%3A c::text"),
        (Finding("dns", "", "text", file="/elsewhere/x.yml"), "::error file=/elsewhere/x.yml,title=dns::text"),
    ],
)
def test_annotation(found: Finding, expected: str) -> None:
    assert github_annotation(found, "/site") == expected


def test_gitlab_has_a_place_for_each_entry() -> None:
    wrong, doubt = gitlab_report([WRONG, DOUBT], "/site", "/site/site.yml")
    assert (wrong["location"], wrong["severity"]) == ({"path": "hosts.yml", "lines": {"begin": 7}}, "major")
    assert (doubt["location"], doubt["severity"]) == ({"path": "site.yml", "lines": {"begin": 1}}, "minor")
    assert wrong["fingerprint"] != doubt["fingerprint"] and wrong.keys() == {
        "description",
        "check_name",
        "fingerprint",
        "severity",
        "location",
    }


@pytest.mark.parametrize(
    ("actions", "wanted", "printed"), [("", None, 0), ("true", None, 2), ("true", False, 0), ("", True, 2)]
)
def test_what_is_written_and_printed(
    actions: str, wanted: bool | None, printed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", actions)
    options = {"json": str(tmp_path / "new" / "a.json"), "gitlab": None, "github": wanted}
    assert len(write_report(options, {"ok": True}, [WRONG, DOUBT], directory="/site")) == printed
    assert json.loads((tmp_path / "new" / "a.json").read_text()) == {"ok": True}
    assert (tmp_path / "new" / "a.json").stat().st_mode & 0o777 == 0o644
