# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot hosts through many BMCs that fail at random all the time: 20 % of the requests are refused, cut off, or carried
out with the response lost.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts

from .lab_bmc import URL, SharedClock, lab_rack

KINDS = (
    "plain",
    "dell-idrac9",
    "hpe-ilo5",
    "lenovo-xcc",
    "supermicro",
    "ami-full-boot",
    "dell-idrac10",
    "hpe-ilo4",
    "nokia",
    "supermicro-x10",
)


@pytest.mark.parametrize("count", [pytest.param(20, id="20"), pytest.param(200, id="200", marks=pytest.mark.long)])
def test_each_host_boots_or_says_precisely_why_not(count: int, tmp_path: Path) -> None:
    clock = SharedClock(15.0)
    kinds = [KINDS[number % len(KINDS)] for number in range(count)]
    with lab_rack(tmp_path, kinds, clock) as rack:
        for number, machine in enumerate(rack.machines):
            machine.power_state = "On" if number % 2 else "Off"
        # A few that cannot boot at all, whatever is repeated.
        hopeless = {f"m{number}" for first in (1, 2) for number in range(first, count, 50)}
        for name in hopeless:
            rack.faults.add("insert-refused", machine=name, count=None)
        was_on = {machine.spec.name for machine in rack.machines if machine.power_state == "On"}
        flaky = rack.faults.add("bmc-flaky", count=None, options={"percent": "20"})
        requests = [
            dataclasses.replace(rack.request(number), name=machine.spec.name)
            for number, machine in enumerate(rack.machines)
        ]
        results = boot_hosts(requests, "booted", BmcOptions(clock=clock, forks=20))
        clock.sleep(30)
        clock.close()
        by_name = dict(zip([machine.spec.name for machine in rack.machines], rack.machines, strict=True))
        failed = {result.name: result.reason for result in results if result.failed}
        reasons = Counter(text[:160] for text in failed.values())
        print(f"{count} boots, {flaky.taken} faults, {len(failed)} failed: {reasons}")
        assert set(failed) >= hopeless and len(failed) <= len(hopeless) + count // 100
        for result in results:
            machine = by_name[result.name]
            if not result.failed:
                assert machine.power_state == "On" and machine.boots[-1] == f"cd:{URL}", (result, machine.boots)
                continue
            assert len(result.reason) > 60 and ("Check" in result.reason or "as before" in result.reason), result.reason
            assert "could not be restored" in result.reason or (machine.power_state == "On") is (
                result.name in was_on
            ), result
            assert not machine.cd.inserted, result
        assert not [name for name in was_on if by_name[name].power_state != "On"], failed
        assert [len(endpoint.sessions.open()) for endpoint in rack.endpoints] == [0] * count
        assert flaky.taken > 5 * count
