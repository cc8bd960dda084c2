# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run random sequences of playbooks, and test that none writes to a machine without the consent that
docs/reference/safety.md requires.

ZT_SOAK_SEEDS: how many sequences (300). ZT_SOAK_SEED: run only this one, after a failure.
"""

from __future__ import annotations

import os

import pytest

from .play import Soak
from .sequences import generate

_ONE = os.environ.get("ZT_SOAK_SEED", "")
SEEDS = [int(_ONE)] if _ONE else range(int(os.environ.get("ZT_SOAK_SEEDS", "300")))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_write_without_consent(soak: Soak, seed: int) -> None:
    faults = soak.play(generate(seed))
    assert not faults, "\n".join(faults)
