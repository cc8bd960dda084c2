# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the fixtures of the soak test: labs like those of the integration tests."""

from __future__ import annotations

import pytest

from ..integration.conftest import MakeLab, ends_with_module, labs, make_lab
from .play import Soak

__all__ = ["ends_with_module", "labs", "make_lab"]


@pytest.fixture(scope="module")
def soak(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Soak:
    """Return one Soak for each test process, so that sequences share clusters."""
    return Soak(make_lab, tmp_path_factory.mktemp("soak"))
