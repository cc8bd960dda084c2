# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures of the image tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    """The writer of small live images."""
    spec = importlib.util.spec_from_file_location("image_synthetic", Path(__file__).with_name("synthetic.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["image_synthetic"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def base(tmp_path: Path, synthetic: ModuleType) -> Path:
    """A pristine base image with a 64 KiB Ignition area and 512-byte kernel-argument areas."""
    return synthetic.make_iso(tmp_path / "rhcos-live-iso.x86_64.iso")
