# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe as data how each vendor's BMC differs from the Redfish standard: one profile for each BMC type.

A profile reproduces observed behaviour; it does not emulate a product.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

CD = ("CD", "DVD")
USB = ("USBStick", "Floppy")
TARGETS = ("None", "Pxe", "Cd", "Hdd", "Usb", "BiosSetup")


@dataclasses.dataclass(frozen=True)
class SlotForm:
    """A virtual media slot.

    ``insert`` is how the slot takes an image: by action, by PATCH, by the vendor's action, not at all, or by an action
    that answers 400 or 405. The firmware does not see the medium of a slot that is not ``bootable``.
    """

    id: str
    media_types: tuple[str, ...] = CD
    insert: Literal["action", "patch", "oem", "none", "400", "405"] = "action"
    bootable: bool = True


@dataclasses.dataclass(frozen=True)
class OemMedia:
    """Actions of a vendor for media: the key below Oem, their names, the parameters that each must have, and what a
    PATCH may hold instead.
    """

    key: str
    insert: str
    eject: str
    insert_needs: Mapping[str, str]
    eject_needs: Mapping[str, str]


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
    # InsertMedia: parameters that are demanded, one after the other; parameters that make it fail; how a missing one is
    # named; protocols by which images are read, whether the slots list them, and how shares are written.
    insert_needs: tuple[str, ...] = ()
    insert_refuses: tuple[str, ...] = ()
    names_missing: bool = True
    names_related: bool = True
    protocols: tuple[str, ...] = ("HTTP", "HTTPS")
    lists_protocols: bool = True
    shares_as_paths: bool = False
    oem_media: OemMedia | None = None
    # What a PATCH of a slot refuses; the only properties that it takes, if there are such.
    patch_only: tuple[str, ...] = ()
    # Older firmware: IsoConfig.Mount at <VirtualMedia>/CfgCD instead of slots.
    iso_config: bool = False
    # Remote media are off until the Manager's action was called.
    must_enable: bool = False
    # The licence as the Manager names it, (path below Oem, text), and whether it covers virtual media.
    licence: tuple[str, str] = ("", "")
    licensed: bool = True
    # So many seconds after the first insert the drive is in use by something else.
    drive_busy: float = 0.0
    insert_task: float = 0.0
    reads_image_at_insert: bool = True
    takes_query: bool = True
    eject_needs_body: bool = False
    eject_lasts: float = 0.0
    keeps_image_name: bool = False
    # Boot override: targets that are allowed, those of them that mean the virtual CD, properties that must come
    # together, and where they are written.
    boot_targets: tuple[str, ...] = TARGETS
    cd_targets: tuple[str, ...] = ("Cd",)
    boot_together: tuple[str, ...] = ()
    boot_in_settings: bool = False
    # A change of the target without the mode resets the mode; a change without Enabled forgets the override.
    target_resets_mode: bool = False
    # The boot device is set by an import of configuration (iDRAC).
    imports_boot: bool = False
    # After power off, power on is refused for so long, or is lost for so long.
    power_on_after: float = 0.0
    power_on_lost: float = 0.0
    etags: Literal["strong", "weak", "required"] = "strong"
    # What a login is answered where there are no sessions; 0: there are.
    without_sessions: int = 0
    # Where the drives are listed, "" nowhere.
    storage: Literal["Storage", "SimpleStorage", ""] = "Storage"


def _variant(of: Profile, name: str, **differences: Any) -> Profile:
    """Another model or firmware of the same vendor."""
    return dataclasses.replace(of, name=name, **differences)


_IDRAC_10 = Profile(
    "dell-idrac10",
    vendor="Dell",
    manufacturer="Dell Inc.",
    manager_model="17G Monolithic",
    firmware="1.10.17.00",
    slots=(SlotForm("2", CD + USB, bootable=False), SlotForm("1", CD + USB)),
    protocols=("HTTP", "HTTPS", "NFS", "CIFS"),
    shares_as_paths=True,
    eject_lasts=30.0,
    drive_busy=50.0,
    imports_boot=True,
    cd_targets=("VCD-DVD",),
    power_on_after=60.0,
)
_IDRAC_9_OLD = _variant(
    _IDRAC_10,
    "dell-idrac9-old",
    manager_model="",
    firmware="5.10.50.00",
    media_on="Managers",
    slots=(SlotForm("CD"), SlotForm("RemovableDisk", USB)),
    power_on_after=0.0,
)
_ILO_5 = Profile(
    "hpe-ilo5",
    vendor="HPE",
    manufacturer="HPE",
    manager_model="iLO 5",
    firmware="iLO 5 v2.78",
    media_on="Managers",
    slots=(SlotForm("1", USB), SlotForm("2")),
    reads_image_at_insert=False,
    eject_needs_body=True,
    licence=("Hpe", "iLO Advanced"),
    etags="weak",
)
_ILO_4 = Profile(
    "hpe-ilo4",
    manufacturer="HP",
    manager_model="iLO 4",
    firmware="iLO 4 v2.82",
    media_on="Managers",
    slots=(SlotForm("1", USB, "oem"), SlotForm("2", CD, "oem")),
    oem_media=OemMedia(
        "Hp",
        "InsertVirtualMedia",
        "EjectVirtualMedia",
        {"Action": "InsertVirtualMedia"},
        {"Action": "EjectVirtualMedia"},
    ),
    licence=("Hp", "iLO Advanced"),
    reads_image_at_insert=False,
    storage="",
)
_FUJITSU = Profile(
    "fujitsu-irmc",
    manufacturer="FUJITSU",
    media_on="Managers",
    slots=(SlotForm("0"),),
    insert_needs=("TransferProtocolType",),
    names_missing=False,
    protocols=("NFS", "CIFS"),
    lists_protocols=False,
)
_PROFILES = (
    Profile("plain"),
    Profile("basic-only", without_sessions=401),
    _variant(
        _IDRAC_10,
        "dell-idrac9",
        manager_model="15G Monolithic",
        firmware="7.00.30.00",
        slots=(SlotForm("1", CD + USB), SlotForm("2", CD + USB)),
        imports_boot=False,
        cd_targets=("Cd",),
        power_on_after=0.0,
    ),
    _IDRAC_9_OLD,
    _variant(
        _IDRAC_9_OLD,
        "dell-idrac8",
        manager_model="13G Monolithic",
        firmware="2.75.75.75",
        protocols=("HTTP", "HTTPS"),
        lists_protocols=False,
        shares_as_paths=False,
        eject_lasts=0.0,
        drive_busy=0.0,
    ),
    _IDRAC_10,
    _ILO_5,
    _variant(_ILO_5, "hpe-ilo5-standard", licence=("Hpe", "iLO Standard"), licensed=False),
    _ILO_4,
    _variant(
        _ILO_4,
        "hpe-ilo4-2.30",
        firmware="iLO 4 v2.30",
        slots=(SlotForm("1", USB, "patch"), SlotForm("2", CD, "patch")),
        oem_media=None,
        patch_only=("Image",),
    ),
    _variant(_ILO_4, "hpe-ilo4-standard", licence=("Hp", "iLO Standard"), licensed=False),
    Profile(
        "lenovo-xcc",
        vendor="Lenovo",
        manufacturer="Lenovo",
        manager_model="Lenovo XClarity Controller",
        firmware="TEI3A8N 4.20",
        media_on="Managers",
        slots=(
            *(SlotForm(f"RDOC{number}", CD, "patch", bootable=False) for number in (1, 2)),
            *(SlotForm(f"EXT{number}", CD, "patch") for number in (1, 2, 3, 4)),
            *(SlotForm(f"Remote{number}", CD, "none") for number in (1, 2, 3, 4)),
        ),
        protocols=("HTTP", "HTTPS", "NFS", "CIFS"),
        shares_as_paths=True,
        etags="required",
    ),
    Profile(
        "lenovo-ami",
        vendor="Lenovo",
        manufacturer="Lenovo",
        manager_model="AST2500",
        firmware="3.02",
        media_on="Managers",
        slots=(SlotForm("CD1"), SlotForm("CD2")),
        must_enable=True,
        insert_needs=("TransferProtocolType",),
        names_missing=False,
        boot_together=("BootSourceOverrideTarget", "BootSourceOverrideEnabled", "BootSourceOverrideMode"),
    ),
    Profile(
        "supermicro",
        vendor="Supermicro",
        manufacturer="Supermicro",
        media_on="Managers",
        slots=(SlotForm("CD1"),),
        insert_refuses=("Inserted", "WriteProtected"),
        insert_task=5.0,
        takes_query=False,
        keeps_image_name=True,
        eject_lasts=30.0,
        boot_targets=(*TARGETS, "UsbCd"),
        cd_targets=("UsbCd",),
        boot_together=("BootSourceOverrideTarget", "BootSourceOverrideEnabled"),
        target_resets_mode=True,
        power_on_lost=10.0,
    ),
    Profile(
        "supermicro-x10",
        manufacturer="Supermicro",
        media_on="Managers",
        slots=(SlotForm("CD1", CD, "none"),),
        iso_config=True,
        boot_together=("BootSourceOverrideTarget", "BootSourceOverrideEnabled"),
        power_on_lost=10.0,
    ),
    _FUJITSU,
    _variant(_FUJITSU, "fujitsu-irmc-s6", protocols=("HTTP", "HTTPS", "NFS", "CIFS"), lists_protocols=True),
    Profile(
        "huawei-ibmc",
        vendor="Huawei",
        manufacturer="Huawei",
        media_on="Managers",
        slots=(SlotForm("CD", CD, "oem"), SlotForm("USBStick", USB, "oem")),
        oem_media=OemMedia(
            "Huawei",
            "VirtualMedia.VmmControl",
            "VirtualMedia.VmmControl",
            {"VmmControlType": "Connect"},
            {"VmmControlType": "Disconnect"},
        ),
        protocols=("NFS", "CIFS", "HTTPS"),
        insert_task=5.0,
    ),
    Profile("cifs-only", protocols=("CIFS", "NFS")),
    Profile("get-only", slots=(SlotForm("1", CD, "none"),)),
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
        slots=(
            SlotForm("KVM1", ("DVD",), "400"),
            SlotForm("KVM2", ("DVD",), "405"),
            SlotForm("NBD", ("DVD",), "none"),
            SlotForm("0", ("DVD",)),
        ),
        insert_needs=("TransferProtocolType",),
        names_related=False,
    ),
    Profile("nvidia", manufacturer="NVIDIA", slots=(SlotForm("Cd"),), insert_needs=("UserName", "Password")),
    Profile(
        "nokia",
        manufacturer="Nokia Solutions and Networks",
        insert_needs=("TransferProtocolType",),
        boot_in_settings=True,
        storage="SimpleStorage",
    ),
)
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in _PROFILES}
