# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether the firmware of a BMC is older than the lowest version with which virtual media are known to work for
this kind of installation.
"""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Lowest:
    """The lowest usable version of one firmware line. The pattern ``of`` is matched against the text ``profile
    firmware``, and its group is the version.
    """

    of: re.Pattern[str]
    version: str
    what: str
    source: str


_METAL3 = "metal3-io/metal3-docs docs/user-guide/src/bmo/supported_hardware.md"
LOWEST: tuple[Lowest, ...] = (
    # iDRAC 8 has 2.x, iDRAC 9 from 3.x on; iDRAC 10 restarted at 1.x and is another profile.
    Lowest(re.compile(r"dell_import (2\.[\d.]+)"), "2.75.75.75", "iDRAC 8", _METAL3),
    Lowest(re.compile(r"dell(?:_import)? ([3-9]\.[\d.]+)"), "6.10.30.00", "iDRAC 9", _METAL3),
    Lowest(re.compile(r"hpe iLO 6 v?([\d.]+)"), "1.57", "iLO 6", _METAL3),
)


def too_old(profile: str, firmware: str) -> str:
    """Why the firmware is too old; empty when it is not, or when nothing is known about it."""
    for row in LOWEST:
        match = row.of.match(f"{profile} {firmware}")
        if match and _numbers(match[1]) < _numbers(row.version):
            return (
                f"{firmware} is older than {row.version}, the lowest that {row.what} is known to work with "
                f"({row.source})"
            )
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in version.split(".") if part.isdigit())
