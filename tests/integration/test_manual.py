# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A machine without a BMC: the run says what to boot from where, then waits until somebody does."""

from __future__ import annotations

import re
from typing import Any

from .lab import Deployment, host_of


def without_bmc(inventory: dict[str, Any]) -> None:
    host_of(inventory, "sno-0").pop("bmc")


def test_somebody_boots_it(sno: Deployment) -> None:
    by_hand = sno.described_as(without_bmc)
    told = re.compile(r"Boot sno-0 from (\S+\.iso) \(file (\S+)\)")

    def person(process: int, output: str) -> None:
        sno.lab.boot("sno-0", told.findall(output)[0][0])

    run, _seconds = by_hand.watched(lambda output: told.search(output) is not None, person)
    assert run.ok, run.output
    assert sno.lab.methods() == set(), "a BMC that is not in the inventory was spoken to"
    assert by_hand.deployed().changed == 0
