# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Budget: 100 BMCs are read and booted in at most 1.3 times the time of one, with ``forks: 100``. Each of them takes a second for each request."""

from __future__ import annotations

import time
from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts

from ..integration.lab_bmc import SharedClock, lab_rack

RATIO = 1.3


def measured(directory: Path, count: int) -> float:
    clock = SharedClock(1.0)
    directory.mkdir()
    with lab_rack(directory, ["plain"] * count, clock) as rack:
        rack.faults.add("bmc-slow", count=None, options={"seconds": "1"})
        began = time.monotonic()
        results = boot_hosts([rack.request(number) for number in range(count)], "booted", BmcOptions(clock=clock, forks=100))
        took = time.monotonic() - began
        clock.close()
    refused = [result.reason for result in results if result.failed]
    assert not refused, refused
    return took


def test_100_bmcs_take_hardly_longer_than_one(tmp_path: Path) -> None:
    one, hundred = measured(tmp_path / "one", 1), measured(tmp_path / "hundred", 100)
    print(f"boot of 1 BMC {one:.1f} s, of 100 BMCs {hundred:.1f} s: ratio {hundred / one:.2f}")
    assert hundred <= RATIO * one
