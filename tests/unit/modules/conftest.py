# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Shorten the pauses in the module tests: requests to a BMC that refuses connections are repeated as usual, but without
waiting. tests/unit/bmc tests the pauses with a simulated clock.
"""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc import session
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.retry import Backoff


@pytest.fixture(autouse=True)
def _no_pauses_at_first_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        session, "BMC_FIRST_CONTACT", dataclasses.replace(session.BMC_FIRST_CONTACT, backoff=Backoff(0.01))
    )
