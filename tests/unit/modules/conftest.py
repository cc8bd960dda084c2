# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""For tests of modules: a BMC that refuses connections is tried as often as always, without the pauses (tests/unit/bmc
has those, by a clock of its own).
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
