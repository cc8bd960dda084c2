# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of package image: the writer of small synthetic live images, and an unchanged base image."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from ansible_collections.zerotouch.openshift.tests.support import live_image


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    """The writer of small live images."""
    return live_image


@pytest.fixture
def base(tmp_path: Path, synthetic: ModuleType) -> Path:
    """A pristine base image with a 64 KiB Ignition area and 512-byte kernel-argument areas."""
    return synthetic.make_iso(tmp_path / "rhcos-live-iso.x86_64.iso")
