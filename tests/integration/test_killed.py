# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Kill runs at a bad moment: the next run finishes the work, and does not use half-written files.

One deployment is killed in every phase, one after the other: the files that one kill leaves must survive the next kill.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .lab import Deployment, ctrl_c, kill_all, kill_parent

# Seconds: three times what docs/explanation/resume.md promises, as a busy machine is slow
# (tests/unit/common/test_tools.py measures it). The phases that a run waits for take longer.
INTERRUPT_LIMIT = 30.0


def building(sno: Deployment) -> Callable[[str], bool]:
    """Kill while the image is being written, at the latest when it is complete."""
    return lambda output: bool(sno.parts()) or "inserting the image" in output


def after(pattern: str) -> Callable[[Deployment], Callable[[str], bool]]:
    return lambda sno: lambda output: re.search(pattern, output, re.MULTILINE) is not None


# Only lines that our own modules write: while ansible-core forks a worker, it handles a signal differently.
MOMENTS = {
    "building": building,
    "booting": after("^sno-0: inserting the image"),
    "waiting": after(r"^\d\d:\d\d +\d+% "),
    # The machines go on without supervision, so this may come late in the installation.
    "installing": after("API answers|Node joined|Installation is complete"),
}


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(kill_all, id="SIGKILL"),
        pytest.param(kill_parent, id="SIGKILL of the parent", marks=pytest.mark.long),
        pytest.param(ctrl_c, id="SIGINT", marks=pytest.mark.long),
    ],
)
def test_the_next_run_completes(sno: Deployment, kill: Callable[[int], None]) -> None:
    reported = []
    for name, moment in MOMENTS.items():
        output, seconds = sno.interrupted(moment(sno), kill)
        reported.append(f"---- killed while {name}, ended after {seconds:.1f} s:\n{output}")
        assert "Traceback" not in output, reported[-1]
        if kill is ctrl_c:
            assert seconds < INTERRUPT_LIMIT, reported[-1]
    rerun = sno.deploy()
    assert rerun.ok, "\n".join([*reported, "---- the rerun:", rerun.output])
    assert not sno.parts()
    sno.lab.assert_nothing_left()
    booted = [device for device in sno.lab.machine("sno-0")["boots"] if device.startswith("disk")]
    assert len(booted) == 1, "the machine was installed more than once"
    again = sno.deployed()
    assert again.changed == 0, again.output
