# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The lock of a work directory permits one run at a time: parallel processes, killed processes, and what a waiting
process prints.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import lock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import Holder, one_run

PROGRAM = """
import sys, time
from pathlib import Path
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
with one_run(Path(sys.argv[1]), "agent_image", SystemClock()):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of ``tmp_path / "work"``."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "work")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def take(work: Path, limit: float = 0.0) -> None:
    with one_run(work, "install_wait", SystemClock(), limit):
        pass


def test_the_lock_is_made_and_says_who_has_it(work: Path) -> None:
    with one_run(work, "install_wait", SystemClock()):
        assert stat.S_IMODE((work / ".lock").stat().st_mode) == 0o600 and stat.S_IMODE(work.stat().st_mode) == 0o700
        said = json.loads((work / ".lock").read_text())
        assert (said["pid"], said["module"], said["released"]) == (os.getpid(), "install_wait", 0.0)
    take(work)


def test_a_second_run_is_reported_who_is_there(work: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(ZeroTouchError) as caught:
        take(work)
    text = str(caught.value)
    assert str(work) in text and f"agent_image, process {holder.pid}" in text and f"kill {holder.pid}" in text


def test_it_waits_for_one_that_ends(work: Path, holder: subprocess.Popen[str]) -> None:
    started = time.monotonic()
    os.kill(holder.pid, signal.SIGSTOP)
    with pytest.raises(ZeroTouchError):
        take(work, 0.3)
    assert time.monotonic() - started >= 0.3
    os.kill(holder.pid, signal.SIGCONT)
    holder.communicate("end\n")
    take(work)


def test_a_killed_one_holds_nothing(work: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    take(work)


def test_a_run_keeps_its_place_between_two_tasks(
    work: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has ended, the playbook lives and goes on in a moment."""
    playbook = dataclasses.replace(
        Holder.this("bmc_boot"), run=holder.pid, started=lock.start_time(holder.pid), released=time.time()
    )
    elsewhere = work.parent / "elsewhere"
    elsewhere.mkdir()

    def left_by(last: Holder) -> None:
        (elsewhere / ".lock").write_text(json.dumps(dataclasses.asdict(last)))

    left_by(playbook)
    with pytest.raises(ZeroTouchError, match=(f"process {holder.pid}.*Its last task was bmc_boot")):
        take(elsewhere)
    left_by(dataclasses.replace(playbook, released=time.time() - 61))  # it does something else
    take(elsewhere)
    left_by(dataclasses.replace(playbook, started=playbook.started + 1))  # another process of the same number
    take(elsewhere)
    left_by(dataclasses.replace(Holder.this("bmc_boot"), released=time.time()))  # this very run
    take(elsewhere)
    left_by(playbook)
    holder.kill()
    holder.wait()
    take(elsewhere)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', "null", "\0" * 100])
def test_what_the_file_says_is_only_words(work: Path, content: str) -> None:
    work.mkdir()
    (work / ".lock").write_text(content)
    take(work)


def test_a_directory_that_was_removed_meanwhile(work: Path, holder: subprocess.Popen[str]) -> None:
    (work / ".lock").unlink()
    take(work)
    assert json.loads((work / ".lock").read_text())["module"] == "install_wait"


def test_a_file_of_an_earlier_release_names_its_holder(work: Path) -> None:
    with one_run(work, "install_wait", SystemClock()):
        values = json.loads((work / ".lock").read_text())
        values["door"] = values.pop("module")
        (work / ".lock").write_text(json.dumps(values))
        with pytest.raises(ZeroTouchError, match=r"uses .*: install_wait, process"):
            take(work)


def test_a_directory_that_cannot_be_written(work: Path) -> None:
    work.mkdir()
    (work / ".lock").mkdir()
    with pytest.raises(ZeroTouchError, match=r"\.lock cannot be opened"):
        take(work)
