# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""How vendors differ in the standard procedure, as data (reference redfish-virtual-media.md 2.2, 2.5, 6)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Profile:
    """Deviations from the generic procedure. Seconds for pauses; ``slots`` is a pattern that usable slot ids match."""

    name: str = "generic"
    slots: str = ""
    boot_targets: tuple[str, ...] = ("Cd", "UsbCd")
    # Supermicro and AMI firmware forgets parts of Boot that are not sent along.
    always_send_enabled: bool = False
    always_send_mode: bool = False
    mode_after_target: bool = False
    pause_after_eject: float = 2.0
    pause_after_off: float = 0.0
    # Set where the standard override does not reach the virtual drive: why.
    refuses_standard_boot: str = ""

    def uses_slot(self, slot_id: str) -> bool:
        return not self.slots or re.match(self.slots, slot_id) is not None


_DELL = Profile("dell", pause_after_eject=5.0)
_DELL_OLD = dataclasses.replace(
    _DELL,
    refuses_standard_boot="this iDRAC's standard boot override selects the physical drive (iDRAC8, iDRAC9 before 6.00); update its firmware to 6.10 or newer",
)
PROFILES: Mapping[str, Profile] = {
    "generic": Profile(),
    "dell": _DELL,
    "dell_old": _DELL_OLD,
    "dell_idrac10": dataclasses.replace(_DELL, name="dell_idrac10", slots=r"^1$"),
    "hpe": Profile("hpe"),
    "lenovo": Profile("lenovo", slots=r"^EXT"),
    "supermicro": Profile("supermicro", boot_targets=("UsbCd", "Cd"), always_send_enabled=True, mode_after_target=True, pause_after_off=10.0),
    "ami": Profile("ami", always_send_enabled=True, always_send_mode=True),
}
_AMI_NAMES = ("ami", "american megatrends", "asrockrack", "zt")


def detect_profile(root: Mapping[str, Any], system: Mapping[str, Any], managers: Sequence[Mapping[str, Any]]) -> Profile:
    """The profile of a service: ServiceRoot Vendor, first Oem key, System and Manager manufacturer, in this order (reference 6.0)."""
    oem = root.get("Oem")
    names = [
        str(root.get("Vendor") or ""),
        next(iter(oem), "") if isinstance(oem, Mapping) else "",
        str(system.get("Manufacturer") or ""),
        *(str(manager.get("Manufacturer") or "") for manager in managers),
    ]
    for name in (name.lower() for name in names):
        if name.startswith("dell"):
            return _dell_generation(managers)
        if name.startswith(("hpe", "hp")):
            return PROFILES["hpe"]
        if name.startswith("lenovo"):
            return PROFILES["lenovo"]
        if name.startswith(("supermicro", "super micro")):
            return PROFILES["supermicro"]
        if name.startswith(_AMI_NAMES):
            return PROFILES["ami"]
    return PROFILES["generic"]


def _dell_generation(managers: Sequence[Mapping[str, Any]]) -> Profile:
    # Model "16G Monolithic": 12-13 are iDRAC8, 14-16 iDRAC9, 17 and later iDRAC10, whose firmware numbers restarted at 1 (reference 6.1).
    model = str(managers[0].get("Model") or "") if managers else ""
    generation = int(match.group()) if (match := re.match(r"\d{2}", model)) else 0
    firmware = str(managers[0].get("FirmwareVersion") or "") if managers else ""
    major = int(match.group()) if (match := re.match(r"\d+", firmware)) else 0
    if generation >= 17:
        return PROFILES["dell_idrac10"]
    if generation and (generation <= 13 or major < 6):
        return PROFILES["dell_old"]
    return PROFILES["dell"]
