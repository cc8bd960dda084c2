# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure parallel access to BMCs. Budget: 100 BMCs are read and booted in at most 1.3 times the time of one, with
``forks: 100``. Each BMC takes a second for each request.

The BMCs use TLS and run in a separate process, so their computing time is not measured. They are of two kinds: one gets
a connection for each request, the other keeps one connection for reads.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock

from ..integration.lab_bmc import SharedClock, lab_rack

RATIO = 1.3


def _serve(directory: Path, kind: str, count: int, pipe: Connection) -> None:
    clock = SharedClock(1.0)
    with lab_rack(directory, [kind] * count, clock, tls=True) as rack:
        rack.faults.add("bmc-slow", count=None, options={"seconds": "1"})
        pipe.send([rack.request(number) for number in range(count)])
        pipe.recv()
    clock.close()


@contextlib.contextmanager
def bmcs(directory: Path, kind: str, count: int) -> Iterator[list[BootRequest]]:
    """The requests that boot the machines of so many BMCs of a kind."""
    directory.mkdir()
    pipe, other_end = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(directory, kind, count, other_end))
    process.start()
    try:
        yield pipe.recv()
        pipe.send("end")
        process.join(60)
    finally:
        process.kill()
        process.join()


def measured(directory: Path, kind: str, count: int) -> tuple[float, float]:
    """Seconds, and seconds of CPU for each BMC."""
    with bmcs(directory, kind, count) as requests:
        began, cpu = time.monotonic(), time.process_time()
        results = boot_hosts(requests, "booted", BmcOptions(clock=SystemClock(), forks=100))
        took, used = time.monotonic() - began, time.process_time() - cpu
    refused = [result.reason for result in results if result.failed]
    assert not refused, refused
    return took, used / count


@pytest.mark.parametrize("kind", ["plain", "hpe-ilo5"])
def test_100_bmcs_take_hardly_longer_than_one(kind: str, tmp_path: Path) -> None:
    (one, _cpu), (hundred, cpu) = measured(tmp_path / "one", kind, 1), measured(tmp_path / "hundred", kind, 100)
    print(
        f"{kind}: boot of 1 BMC {one:.1f} s, of 100 BMCs {hundred:.1f} s: ratio {hundred / one:.2f}; "
        f"{1000 * cpu:.0f} "
        "ms of CPU for each"
    )
    assert hundred <= RATIO * one
