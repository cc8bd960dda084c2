# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List how each kind of BMC differs from the standard Redfish procedure, and find the kind of a given BMC.

Each :class:`Profile` is one kind of BMC, each :class:`Quirk` in it one deviation with its source.
``docs/reference/bmcs.md`` is generated from them. ``tests/integration/test_bmc_quirks.py`` boots a machine of the lab
without each quirk: it must fail.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ..common.retry import RetryPolicy
from ..common.retry_policies import BMC_MEDIA, BMC_MEDIA_DELL, BMC_MEDIA_SUPERMICRO


@dataclasses.dataclass(frozen=True)
class OemActions:
    """Vendor actions of a virtual media slot, under ``Oem.<key>.Actions``, that replace the standard ones: a part of
    their names, and what their bodies have besides the image.
    """

    key: str
    insert: str
    eject: str
    insert_body: Mapping[str, str]
    eject_body: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Quirk:
    """One deviation: an attribute of :class:`Profile` with its value, what the BMC does, and how that is known.

    ``seen_on``: firmware of tried machines.
    """

    field: str
    value: Any
    text: str
    source: str
    seen_on: str = ""


@dataclasses.dataclass(frozen=True)
class Profile:
    """The deviations of one kind of BMC. Pauses are in seconds; ``slots`` is a pattern that usable slot ids match."""

    name: str = "generic"
    title: str = "All others"
    quirks: tuple[Quirk, ...] = ()
    slots: str = ""
    boot_targets: tuple[str, ...] = ("Cd", "UsbCd")
    always_send_enabled: bool = False
    always_send_mode: bool = False
    mode_after_target: bool = False
    pause_after_off: float = 0.0
    # How the next boot is directed to the virtual CD: by the standard's override, or by an import of iDRAC's
    # configuration.
    boot_by: Literal["override", "dell_import"] = "override"
    media_policy: RetryPolicy = BMC_MEDIA
    # Slots: actions of the vendor, the properties that a PATCH sends, an IsoConfig resource in place of a slot.
    oem_actions: OemActions | None = None
    patch_properties: tuple[str, ...] = ("Image", "Inserted", "WriteProtected")
    iso_config: bool = False
    # An action of the Manager that switches remote media on: a part of its name.
    enable_media: str = ""
    # Protocols by which the BMC reads images, where it does not list them itself; whether it must be named; how shares
    # are written.
    protocols: tuple[str, ...] = ()
    names_protocol: bool = False
    share_form: Literal["url", "path"] = "url"
    # Where the Manager names its licence, and what is in the names of those without virtual media.
    licence_at: tuple[str, ...] = ()
    licence_lacking: str = ""

    def uses_slot(self, slot_id: str) -> bool:
        return not self.slots or re.match(self.slots, slot_id) is not None

    def without(self, quirk: Quirk) -> Profile:
        """This profile as if the BMC had one deviation less."""
        default: Any = next(field.default for field in dataclasses.fields(Profile) if field.name == quirk.field)
        return dataclasses.replace(self, **{quirk.field: default})


def _row(name: str, title: str, *quirks: Quirk) -> Profile:
    return Profile(name, title, quirks, **{quirk.field: quirk.value for quirk in quirks})


_IRONIC_DRAC = "openstack/ironic ironic/drivers/modules/drac/boot.py"
_SUSHY_DELL = "openstack/sushy sushy/oem/dell/resources/manager/manager.py"
_SUSHY_SYSTEM = "openstack/sushy sushy/resources/system/system.py"
_DELL = (
    Quirk(
        "media_policy",
        BMC_MEDIA_DELL,
        "The drive stays in use for minutes (VRM and RAC messages): 10 attempts, 30 s apart, each after an eject.",
        "redhat-performance/jetlag ansible/roles/boot-iso",
    ),
    Quirk(
        "share_form",
        "path",
        "Shares are written as host:/path (NFS) and //host/path (CIFS).",
        "dell/iDRAC-Redfish-Scripting Redfish Python/InsertEjectVirtualMediaREDFISH.py",
    ),
)
_DELL_IMPORT = Quirk(
    "boot_by",
    "dell_import",
    "The standard boot override selects the physical drive or is refused. The next boot is set by an import of "
    "configuration, as Ironic does it.",
    f"{_IRONIC_DRAC}, {_SUSHY_DELL}",
)
_HPE_LICENCE = "HewlettPackard/python-redfish-utility ilorest/extensions/iLO_COMMANDS/VirtualMediaCommand.py"
_AMI_QUIRKS = (
    Quirk("always_send_enabled", True, "Parts of Boot that are not sent are forgotten.", _SUSHY_SYSTEM),
    Quirk("always_send_mode", True, "Target, enabled and mode are accepted together only.", _SUSHY_SYSTEM),
)
_ROWS = (
    _row("generic", "All others"),
    _row("dell", "Dell iDRAC 9 from firmware 6.00", *_DELL),
    _row(
        "dell_import", "Dell iDRAC 8, and iDRAC 9 before firmware 6.00 or of an unknown firmware", *_DELL, _DELL_IMPORT
    ),
    _row(
        "dell_idrac10",
        "Dell iDRAC 10",
        *_DELL,
        _DELL_IMPORT,
        Quirk("slots", r"^1$", "Slot 2 takes no image.", _IRONIC_DRAC),
    ),
    _row(
        "hpe",
        "HPE iLO 5 and newer",
        Quirk(
            "licence_at",
            ("Oem", "Hpe", "License", "LicenseString"),
            "The licence is known before anything is done.",
            _HPE_LICENCE,
        ),
        Quirk("licence_lacking", "Standard", "iLO Standard has no virtual media from a URL.", _HPE_LICENCE),
    ),
    _row(
        "hpe_ilo4",
        "HPE iLO 4",
        Quirk(
            "oem_actions",
            OemActions(
                "Hp",
                "InsertVirtualMedia",
                "EjectVirtualMedia",
                {"Action": "InsertVirtualMedia"},
                {"Action": "EjectVirtualMedia"},
            ),
            "Virtual media are inserted and ejected by actions of HP's own.",
            _HPE_LICENCE,
        ),
        Quirk(
            "patch_properties",
            ("Image",),
            ("Firmware up to 2.30 has no action: the slot is changed by a PATCH that has the image alone."),
            _HPE_LICENCE,
        ),
        Quirk(
            "licence_at",
            ("Oem", "Hp", "License", "LicenseString"),
            "The licence is known before anything is done.",
            _HPE_LICENCE,
        ),
        Quirk("licence_lacking", "Standard", "iLO Standard has no virtual media from a URL.", _HPE_LICENCE),
    ),
    _row(
        "lenovo",
        "Lenovo XClarity Controller",
        Quirk(
            "slots",
            r"^EXT",
            "Only EXT1 to EXT4 take a URL; RDOC and Remote do not.",
            ("lenovo/python-redfish-lenovo examples/mount_virtual_media.py"),
        ),
        Quirk(
            "share_form",
            "path",
            "Shares are written as host:/path (NFS) and //host/path (CIFS).",
            "lenovo/python-redfish-lenovo examples/mount_virtual_media.py",
        ),
    ),
    _row(
        "lenovo_ami",
        "Lenovo with AMI firmware (SR635, SR655)",
        Quirk(
            "enable_media",
            "EnableRMedia",
            "Remote media must be enabled first; there may be no slot before.",
            "lenovo/python-redfish-lenovo examples/lenovo_mount_virtual_media.py",
        ),
        Quirk(
            "names_protocol",
            True,
            "InsertMedia needs TransferProtocolType.",
            ("lenovo/python-redfish-lenovo examples/lenovo_mount_virtual_media.py"),
        ),
        *_AMI_QUIRKS,
    ),
    _row(
        "supermicro",
        "Supermicro",
        Quirk("boot_targets", ("UsbCd", "Cd"), "The virtual CD is a USB drive; Cd is another one.", _SUSHY_SYSTEM),
        Quirk(
            "always_send_enabled",
            True,
            ("The override is forgotten unless BootSourceOverrideEnabled is sent each time."),
            _SUSHY_SYSTEM,
        ),
        Quirk("mode_after_target", True, "A change of the target resets the mode, which is set again.", _SUSHY_SYSTEM),
        Quirk(
            "pause_after_off",
            10.0,
            "Power on directly after power off is lost.",
            ("redhat-performance/jetlag ansible/roles/boot-iso/tasks/supermicro.yml"),
        ),
        Quirk(
            "media_policy",
            BMC_MEDIA_SUPERMICRO,
            "A mount directly after an unmount is refused: 10 attempts.",
            "redhatci/ansible-collection-redhatci-ocp roles/vendors/supermicro",
        ),
    ),
    _row(
        "supermicro_iso_config",
        "Supermicro, older firmware (VM1/CfgCD)",
        Quirk(
            "iso_config",
            True,
            "There is no InsertMedia: host and path are written to CfgCD, which is mounted.",
            "karmab/aicli ailib/kfish.py",
        ),
        Quirk(
            "always_send_enabled",
            True,
            ("The override is forgotten unless BootSourceOverrideEnabled is sent each time."),
            _SUSHY_SYSTEM,
        ),
        Quirk(
            "pause_after_off",
            10.0,
            "Power on directly after power off is lost.",
            ("redhat-performance/jetlag ansible/roles/boot-iso/tasks/supermicro.yml"),
        ),
    ),
    _row("ami", "AMI MegaRAC, ASRock Rack, ZT Systems", *_AMI_QUIRKS),
    _row(
        "fujitsu",
        "Fujitsu iRMC",
        Quirk(
            "protocols",
            ("CIFS", "NFS"),
            "Images are read from NFS and CIFS only, unless the BMC lists other protocols.",
            "openstack/ironic-specs specs/4.0/irmc-virtualmedia-deploy-driver.rst",
        ),
        Quirk(
            "names_protocol",
            True,
            "InsertMedia needs TransferProtocolType.",
            ("fujitsu/terraform-provider-irmc-redfish docs/resources/virtual_media.md"),
        ),
    ),
    _row(
        "huawei",
        "Huawei and xFusion iBMC",
        Quirk(
            "oem_actions",
            OemActions(
                "Huawei", "VmmControl", "VmmControl", {"VmmControlType": "Connect"}, {"VmmControlType": "Disconnect"}
            ),
            "One action of the vendor connects and disconnects.",
            "Huawei iBMC Redfish API, VirtualMedia.VmmControl",
        ),
        Quirk(
            "protocols",
            ("NFS", "CIFS", "HTTPS"),
            "http is refused (FileTransferProtocolMismatch).",
            "Huawei iBMC Redfish API, VirtualMedia.VmmControl",
        ),
    ),
)
PROFILES: Mapping[str, Profile] = {row.name: row for row in _ROWS}


@dataclasses.dataclass(frozen=True)
class _Service:
    """What a profile is chosen by."""

    system: Mapping[str, Any]
    managers: Sequence[Mapping[str, Any]]

    def of_managers(self, key: str) -> str:
        """The first value of a text that a Manager has."""
        return next((str(manager[key]) for manager in self.managers if manager.get(key)), "")


def detect_profile(
    root: Mapping[str, Any], system: Mapping[str, Any], managers: Sequence[Mapping[str, Any]]
) -> Profile:
    """The profile of a service: ServiceRoot Vendor, first Oem key, System and Manager manufacturer, in this order."""
    oem = root.get("Oem")
    names = [
        str(root.get("Vendor") or ""),
        next(iter(oem), "") if isinstance(oem, Mapping) else "",
        str(system.get("Manufacturer") or ""),
        *(str(manager.get("Manufacturer") or "") for manager in managers),
    ]
    for name in (name.lower() for name in names):
        for prefixes, choose in _VENDORS:
            if name.startswith(prefixes):
                return PROFILES[choose(_Service(system, managers))]
    return PROFILES["generic"]


def _dell(service: _Service) -> str:
    """By generation and firmware. iDRAC 9 from 5.10 may have no Model in its Manager: then the System names the
    generation.

    Model "16G Monolithic": 12 and 13 are iDRAC 8, 14 to 16 iDRAC 9, 17 and later iDRAC 10, whose firmware numbers
    restarted at 1. Only an iDRAC 9 with 6.00 or newer is known to boot the virtual drive by the standard's override;
    the import works with all.
    """
    of_system = service.system
    for key in ("Oem", "Dell", "DellSystem"):
        part = of_system.get(key)
        of_system = part if isinstance(part, Mapping) else {}
    generation = _leading_number(service.of_managers("Model")) or _leading_number(
        str(of_system.get("SystemGeneration") or "")
    )
    if generation >= 17:
        return "dell_idrac10"
    is_idrac9 = not generation or generation >= 14
    return "dell" if is_idrac9 and _leading_number(service.of_managers("FirmwareVersion")) >= 6 else "dell_import"


def _hpe(service: _Service) -> str:
    return (
        "hpe_ilo4" if "iLO 4" in f"{service.of_managers('Model')} {service.of_managers('FirmwareVersion')}" else "hpe"
    )


def _lenovo(service: _Service) -> str:
    return (
        "lenovo_ami"
        if any(named_action(manager, PROFILES["lenovo_ami"].enable_media) for manager in service.managers)
        else "lenovo"
    )


def _supermicro(service: _Service) -> str:
    media = [manager.get("VirtualMedia") for manager in service.managers]
    paths = [str(place.get("@odata.id") or "").rstrip("/") for place in media if isinstance(place, Mapping)]
    return "supermicro_iso_config" if any(path.endswith("/VM1") for path in paths) else "supermicro"


_VENDORS: tuple[tuple[tuple[str, ...], Callable[[_Service], str]], ...] = (
    (("dell",), _dell),
    (("hpe", "hp"), _hpe),
    (("lenovo",), _lenovo),
    (("supermicro", "super micro"), _supermicro),
    (("ami", "american megatrends", "asrockrack", "zt"), lambda service: "ami"),
    (("fujitsu", "fsas", "ts_fujitsu"), lambda service: "fujitsu"),
    (("huawei", "xfusion"), lambda service: "huawei"),
)


def named_action(resource: Mapping[str, Any], part: str, *oem: str) -> str:
    """The target of a vendor's action with ``part`` in its name: below ``Actions.Oem``, or ``Oem.<key>.Actions`` with
    the key ``oem``. Empty without one.
    """
    place: Any = resource
    for key in ("Oem", *oem, "Actions") if oem else ("Actions", "Oem"):
        place = place.get(key) if isinstance(place, Mapping) else None
    for name, action in place.items() if isinstance(place, Mapping) else ():
        if part in str(name) and isinstance(action, Mapping) and isinstance(action.get("target"), str):
            return str(action["target"])
    return ""


def _leading_number(text: str) -> int:
    return int(match.group()) if (match := re.match(r"\d{1,4}", text)) else 0
