# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the last message of a failed run: two lines of the reason, which the failed task has printed in full, then the
path of the report, then the URL at which the image is still served.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TASKS = Path(__file__).parents[3] / "roles" / "cluster_report" / "tasks" / "failed.yml"
FIRST, SERVED = ("The limit of phase boot is over.", "The image is still served at http://192.0.2.1/x.")
SHORT = f"{FIRST}\nEverything is in logs."
REASON, LONG = f"{SHORT}\nFirst suspects: …", f"{FIRST} {'x' * 500}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failure", "result", "lines"),
    [
        (REASON, {"html": "/w/report.html", "served": SERVED}, [SHORT, "Report: /w/report.html", SERVED]),
        (f"{REASON}\n{SERVED}", {"html": "/w/report.html", "served": SERVED}, [SHORT, "Report: /w/report.html"]),
        (REASON, {}, [SHORT]),
        (LONG, {}, [f"{FIRST}..."]),
        ("", {"html": "/w/report.html"}, ["Report: /w/report.html"]),
    ],
    ids=["all parts", "the failure says where the image is", "no report", "a long line", "no reason"],
)
def test_the_reason_comes_first(failure: str, result: dict[str, str], lines: list[str], tmp_path: Path) -> None:
    task = yaml.safe_load(TASKS.read_text())[-1]
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [task]}
    book = tmp_path / "play.yml"
    book.write_text(yaml.safe_dump([play]))
    variables = json.dumps({"cluster_report_failure": failure, "cluster_report_of_failure": result})
    environment = {
        **os.environ,
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
        "ANSIBLE_LOCALHOST_WARNING": "false",
    }
    command = [str(Path(sys.executable).with_name("ansible-playbook")), str(book), "-e", variables]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    fatal = next(line for line in done.stdout.splitlines() if line.startswith("fatal: "))
    assert json.loads(fatal.partition("=> ")[2])["msg"] == "\n".join(lines)
