# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the file names in a lab's state directory, and read and write the options with which the lab was started. The
lab's process and the commands of ``ztlab`` share these files.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

OPTIONS = "options.json"
READY = "ready.json"
FAILED = "failed.txt"
MARKER = ".ztlab"
BASE_IMAGE = "base.iso"


@dataclasses.dataclass(frozen=True)
class Options:
    """How a lab is started.

    ``ttl`` in seconds of the wall clock. ``process``: the lab ends with it, and removes its state directory; 0: with
    none.
    """

    site: str
    net: str = "auto"
    speed: float = 1.0
    ttl: float = 7200.0
    base_image: str = ""
    rhel: int = 9
    swagger: str = ""
    process: int = 0

    def write(self, state: Path) -> None:
        (state / OPTIONS).write_text(json.dumps(dataclasses.asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, state: Path) -> Options:
        return cls(**json.loads((state / OPTIONS).read_text(encoding="utf-8")))
