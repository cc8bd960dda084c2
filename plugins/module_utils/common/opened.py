# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a room may ask of the opening of a door. The class itself stands in ``door.py``, which knows Ansible, as rooms do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .clock import Clock


class Opened(Protocol):
    """One opening of a door (:class:`~.door.Call`)."""

    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def check_mode(self) -> bool: ...
    @property
    def diff(self) -> bool: ...
    @property
    def clock(self) -> Clock: ...
    def warn(self, text: str) -> None: ...
    def plan(self, steps: Iterable[str]) -> None: ...
    def progress(self, text: str) -> None: ...
    def add_secrets(self, secrets: Iterable[str]) -> None: ...
