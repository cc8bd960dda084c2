# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create work directories as an attacker prepares them: links, foreign owners, modes that let others write."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

# Names that every deployment uses, relative to the work directory. An attacker can predict them.
FIXED_NAMES = (
    ".lock",
    ".state.lock",
    "state.json",
    "auth/kubeconfig",
    "images/.base.iso.partial",
    "logs/image-server.log",
)
WRITABLE_BY_OTHERS = (0o775, 0o757, 0o777, 0o720, 0o702, 0o2770)
NOT_WRITABLE_BY_OTHERS = (0o700, 0o755, 0o750, 0o711, 0o2755)


def plant_link(directory: Path, name: str, victim: Path) -> Path:
    """Put a symbolic link to ``victim`` where the collection keeps a file of its own; returns the link."""
    link = directory / name
    link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    link.symlink_to(victim)
    return link


def run_as_another_user(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let the process appear as a user who owns none of the files of this test; returns the number of the real user."""
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 4242)
    return owner


def swap_for_link(target: Path, victim: Path) -> Callable[[], None]:
    """An action that replaces ``target`` with a link to ``victim``, for the moment between a check and a write."""

    def swap() -> None:
        target.unlink(missing_ok=True)
        target.symlink_to(victim)

    return swap
