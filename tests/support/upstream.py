# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Locate optional files of upstream projects.

A test module that compares with such files is skipped as a whole if they are missing.

``ZT_UPSTREAM_DATA`` names the directory; the default is ``shared``, a sibling of the checkout. CONTRIBUTING.md lists
what can be in it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("ZT_UPSTREAM_DATA") or Path(__file__).resolve().parents[3] / "shared")
SWAGGER = "reference-data/assisted-service-swagger.yaml"


def optional(name: str) -> Path | None:
    """Return the path of a file or directory of upstream, None if it is missing."""
    path = DATA / name
    return path if path.exists() else None


def required(name: str) -> Path:
    """Return the path of a file or directory of upstream; if it is missing, skip the module that calls this at its top
    level, once.
    """
    path = optional(name)
    if path is None:
        pytest.skip(
            f"optional data of upstream projects is missing ({name} in ZT_UPSTREAM_DATA)", allow_module_level=True
        )
    return path
