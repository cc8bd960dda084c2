# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""placeholder"""

from __future__ import annotations

from typing import Any

from ..machine.hardware import Outcome


class LiveSystem:
    def __init__(self, lab: Any, machine: Any, image: Any) -> None:
        self.m = machine
        self.i = image

    async def run(self) -> Outcome:
        self.m.console.print(str(self.i.initramfs.keys()))
        return Outcome.HALT
