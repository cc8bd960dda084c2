# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the protocol ``Opened``: one call of a module, with its arguments, check mode and output.

Packages use this protocol because they must not import Ansible. The class that implements it (``Call``) is in
``entry_point.py``, which imports Ansible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .clock import Clock


class Opened(Protocol):
    """One call of a module. :class:`~.entry_point.Call` implements it."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The validated arguments."""

    @property
    def check_mode(self) -> bool:
        """Whether every write is forbidden."""

    @property
    def diff(self) -> bool:
        """Whether the result should have a diff."""

    @property
    def clock(self) -> Clock:
        """The time, and waits that end when the process must stop."""

    def warn(self, text: str) -> None:
        """Add a warning to the task."""

    def plan(self, steps: Iterable[str]) -> None:
        """Show the steps of a plan in check mode."""

    def progress(self, text: str) -> None:
        """Show one line of progress."""

    def add_secrets(self, secrets: Iterable[str]) -> None:
        """Hide these values in every output."""
