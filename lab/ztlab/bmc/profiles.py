# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""How BMCs of the common vendors differ from the plain one: each profile is what a client has to cope with, as data.

What is not in a profile is as the standard has it. Vendors' names stand for behaviour that was seen, not for a copy of a product.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

CD = ("CD", "DVD")
USB = ("USBStick", "Floppy")
TARGETS = ("None", "Pxe", "Cd", "Hdd", "Usb", "BiosSetup")


@dataclasses.dataclass(frozen=True)
class SlotForm:
    """A virtual media slot. ``insert`` is how it takes an image: by action, by PATCH, not at all, or by an action that answers 400 or 405."""

    id: str
    media_types: tuple[str, ...] = CD
    insert: Literal["action", "patch", "none", "400", "405"] = "action"


@dataclasses.dataclass(frozen=True)
class Profile:
    """Seconds are lab seconds."""

    name: str
    vendor: str = ""
    manufacturer: str = ""
    manager_model: str = "ZeroTouch Lab BMC"
    firmware: str = "1.0.0"
    # Where the slots are, and which there are.
    media_on: Literal["Systems", "Managers"] = "Systems"
    slots: tuple[SlotForm, ...] = (SlotForm("1"), SlotForm("2", USB))
    # InsertMedia: parameters that are demanded, one after the other; parameters that make it fail; how a missing one is named.
    insert_needs: tuple[str, ...] = ()
    insert_refuses: tuple[str, ...] = ()
    names_related: bool = True
    insert_task: float = 0.0
    reads_image_at_insert: bool = True
    takes_query: bool = True
    eject_needs_body: bool = False
    eject_lasts: float = 0.0
    keeps_image_name: bool = False
    # Boot override: targets that are allowed, those of them that mean the virtual CD, properties that must come together, and where they are written.
    boot_targets: tuple[str, ...] = TARGETS
    cd_targets: tuple[str, ...] = ("Cd",)
    boot_together: tuple[str, ...] = ()
    boot_in_settings: bool = False
    # After power off, power on is refused for so long.
    power_on_after: float = 0.0
    etags: Literal["strong", "weak", "required"] = "strong"
    # What a login is answered where there are no sessions; 0: there are.
    without_sessions: int = 0


_PROFILES = (
    Profile("plain"),
    Profile("basic-only", without_sessions=401),
    Profile(
        "dell-idrac9",
        vendor="Dell",
        manufacturer="Dell Inc.",
        manager_model="15G Monolithic",
        firmware="7.00.30.00",
        slots=(SlotForm("1", CD + USB), SlotForm("2", CD + USB)),
        eject_lasts=30.0,
    ),
    Profile(
        "dell-idrac10",
        vendor="Dell",
        manufacturer="Dell Inc.",
        manager_model="17G Monolithic",
        firmware="1.10.17.00",
        slots=(SlotForm("2", CD + USB, "400"), SlotForm("1", CD + USB)),
        boot_in_settings=True,
        power_on_after=60.0,
    ),
    Profile(
        "hpe-ilo5",
        vendor="HPE",
        manufacturer="HPE",
        manager_model="iLO 5",
        firmware="iLO 5 v2.78",
        media_on="Managers",
        slots=(SlotForm("1", USB), SlotForm("2")),
        reads_image_at_insert=False,
        eject_needs_body=True,
        etags="weak",
    ),
    Profile(
        "lenovo-xcc",
        vendor="Lenovo",
        manufacturer="Lenovo",
        manager_model="Lenovo XClarity Controller",
        firmware="TEI3A8N 4.20",
        media_on="Managers",
        slots=(
            *(SlotForm(f"RDOC{number}", CD, "none") for number in (1, 2)),
            *(SlotForm(f"EXT{number}", CD, "patch") for number in (1, 2, 3, 4)),
            *(SlotForm(f"Remote{number}", CD, "none") for number in (1, 2, 3, 4)),
        ),
        etags="required",
    ),
    Profile(
        "supermicro",
        vendor="Supermicro",
        manufacturer="Supermicro",
        media_on="Managers",
        slots=(SlotForm("CD1"),),
        insert_refuses=("Inserted", "WriteProtected"),
        insert_task=20.0,
        takes_query=False,
        keeps_image_name=True,
        boot_targets=(*TARGETS, "UsbCd"),
        cd_targets=("UsbCd",),
        boot_together=("BootSourceOverrideTarget", "BootSourceOverrideEnabled"),
    ),
    Profile(
        "ami-full-boot",
        manufacturer="American Megatrends International",
        media_on="Managers",
        slots=(SlotForm("CD1"), SlotForm("CD2")),
        insert_needs=("TransferProtocolType",),
        boot_together=("BootSourceOverrideTarget", "BootSourceOverrideEnabled", "BootSourceOverrideMode"),
    ),
    Profile(
        "cisco-slots",
        vendor="Cisco Systems Inc.",
        manufacturer="Cisco Systems Inc",
        media_on="Managers",
        slots=(SlotForm("KVM1", ("DVD",), "400"), SlotForm("KVM2", ("DVD",), "405"), SlotForm("NBD", ("DVD",), "none"), SlotForm("0", ("DVD",))),
        insert_needs=("TransferProtocolType",),
        names_related=False,
    ),
    Profile("nvidia", manufacturer="NVIDIA", slots=(SlotForm("Cd"),), insert_needs=("UserName", "Password")),
    Profile("nokia", manufacturer="Nokia Solutions and Networks", insert_needs=("TransferProtocolType",), boot_in_settings=True),
)
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in _PROFILES}
