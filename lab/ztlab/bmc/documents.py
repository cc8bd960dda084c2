# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Redfish resources of one machine as JSON values. The functions are pure: they depend only on the machine's
state.
"""

from __future__ import annotations

from typing import Any

from ..machine.hardware import RESET_TYPES, Hardware, Slot
from ..site.model import Disk
from .profiles import OemMedia, Profile

Document = dict[str, Any]
ROOT = "/redfish/v1"
BOOT_ENABLED = ["Disabled", "Once", "Continuous"]
BOOT_MODES = ["UEFI", "Legacy"]


def collection(path: str, kind: str, name: str, members: list[str]) -> Document:
    return {
        "@odata.id": path,
        "@odata.type": f"#{kind}.{kind}",
        "Name": name,
        "Members@odata.count": len(members),
        "Members": [{"@odata.id": member} for member in members],
    }


def service_root(uuid: str, profile: Profile) -> Document:
    sessions = {
        "SessionService": {"@odata.id": f"{ROOT}/SessionService"},
        "Links": {"Sessions": {"@odata.id": f"{ROOT}/SessionService/Sessions"}},
    }
    return {
        **({"Vendor": profile.vendor} if profile.vendor else {}),
        **({} if profile.without_sessions else sessions),
        "@odata.id": f"{ROOT}/",
        "@odata.type": "#ServiceRoot.v1_16_0.ServiceRoot",
        "Id": "RootService",
        "Name": "Root Service",
        "RedfishVersion": "1.18.0",
        "UUID": uuid,
        "Product": "ZeroTouch Lab BMC",
        "Systems": {"@odata.id": f"{ROOT}/Systems"},
        "Managers": {"@odata.id": f"{ROOT}/Managers"},
        "Tasks": {"@odata.id": f"{ROOT}/TaskService"},
    }


def session_service(sessions: int) -> Document:
    return {
        "@odata.id": f"{ROOT}/SessionService",
        "@odata.type": "#SessionService.v1_1_9.SessionService",
        "Id": "SessionService",
        "Name": "Session Service",
        "ServiceEnabled": True,
        "SessionTimeout": 1800,
        "Sessions": {"@odata.id": f"{ROOT}/SessionService/Sessions"},
        "Status": {"State": "Enabled", "Health": "OK"},
        "Oem": {"ZeroTouchLab": {"OpenSessions": sessions}},
    }


def session(identifier: str, username: str, created: str, address: str) -> Document:
    return {
        "@odata.id": f"{ROOT}/SessionService/Sessions/{identifier}",
        "@odata.type": "#Session.v1_7_0.Session",
        "Id": identifier,
        "Name": "User Session",
        "UserName": username,
        "Password": None,
        "CreatedTime": created,
        "ClientOriginIPAddress": address,
    }


def task_service() -> Document:
    return {
        "@odata.id": f"{ROOT}/TaskService",
        "@odata.type": "#TaskService.v1_2_1.TaskService",
        "Id": "TaskService",
        "Name": "Task Service",
        "ServiceEnabled": True,
        "Tasks": {"@odata.id": f"{ROOT}/TaskService/Tasks"},
    }


def task(identifier: str, state: str, messages: list[Document]) -> Document:
    return {
        "@odata.id": f"{ROOT}/TaskService/Tasks/{identifier}",
        "@odata.type": "#Task.v1_7_3.Task",
        "Id": identifier,
        "Name": f"Task {identifier}",
        "TaskState": state,
        "TaskStatus": "OK" if state != "Exception" else "Critical",
        "Messages": messages,
    }


def system(hardware: Hardware) -> Document:
    spec = hardware.spec
    path = f"{ROOT}/Systems/{spec.bmc.system_id}"
    return {
        "@odata.id": path,
        "@odata.type": "#ComputerSystem.v1_22_0.ComputerSystem",
        "Id": spec.bmc.system_id,
        "Name": spec.name,
        "SystemType": "Physical",
        "Manufacturer": hardware.profile.manufacturer or spec.manufacturer,
        "Model": spec.model,
        "SerialNumber": spec.serial_number,
        "UUID": spec.system_uuid,
        "PowerState": hardware.power_state,
        "Status": {"State": "Enabled", "Health": "OK"},
        "ProcessorSummary": {
            "Count": 1,
            "LogicalProcessorCount": spec.cpus,
            "Status": {"State": "Enabled", "Health": "OK"},
        },
        "MemorySummary": {
            "TotalSystemMemoryGiB": spec.memory_mib / 1024,
            "Status": {"State": "Enabled", "Health": "OK"},
        },
        "Boot": boot(hardware),
        "EthernetInterfaces": {"@odata.id": f"{path}/EthernetInterfaces"},
        **(
            {hardware.profile.storage: {"@odata.id": f"{path}/{hardware.profile.storage}"}}
            if hardware.profile.storage
            else {}
        ),
        **({"VirtualMedia": {"@odata.id": f"{path}/VirtualMedia"}} if hardware.profile.media_on == "Systems" else {}),
        **(
            {"@Redfish.Settings": {"SettingsObject": {"@odata.id": f"{path}/Settings"}}}
            if hardware.profile.boot_in_settings
            else {}
        ),
        "Links": {"ManagedBy": [{"@odata.id": f"{ROOT}/Managers/{spec.bmc.system_id}"}], "Chassis": []},
        "Actions": {
            "#ComputerSystem.Reset": {
                "target": f"{path}/Actions/ComputerSystem.Reset",
                "ResetType@Redfish.AllowableValues": list(RESET_TYPES),
            }
        },
    }


def boot(hardware: Hardware) -> Document:
    return {
        "BootSourceOverrideEnabled": hardware.boot.enabled,
        "BootSourceOverrideEnabled@Redfish.AllowableValues": BOOT_ENABLED,
        "BootSourceOverrideMode": hardware.boot.mode,
        "BootSourceOverrideMode@Redfish.AllowableValues": BOOT_MODES,
        "BootSourceOverrideTarget": hardware.boot.target,
        "BootSourceOverrideTarget@Redfish.AllowableValues": list(hardware.profile.boot_targets),
    }


def settings(hardware: Hardware) -> Document:
    """The Settings object of a System whose boot override is written there."""
    path = f"{ROOT}/Systems/{hardware.spec.bmc.system_id}/Settings"
    return {
        "@odata.id": path,
        "@odata.type": "#ComputerSystem.v1_22_0.ComputerSystem",
        "Id": "Settings",
        "Name": "Settings",
        "Boot": boot(hardware),
    }


def ethernet_interface(hardware: Hardware, name: str, mac: str, link: bool) -> Document:
    path = f"{ROOT}/Systems/{hardware.spec.bmc.system_id}/EthernetInterfaces/{name}"
    return {
        "@odata.id": path,
        "@odata.type": "#EthernetInterface.v1_12_2.EthernetInterface",
        "Id": name,
        "Name": f"NIC {name}",
        "MACAddress": mac.upper(),
        "PermanentMACAddress": mac.upper(),
        "LinkStatus": "LinkUp" if link else "LinkDown",
        "InterfaceEnabled": True,
        "Status": {"State": "Enabled", "Health": "OK"},
    }


def storage(hardware: Hardware) -> Document:
    """The only controller, with links to its drives."""
    path = f"{ROOT}/Systems/{hardware.spec.bmc.system_id}/Storage/1"
    return {
        "@odata.id": path,
        "@odata.type": "#Storage.v1_15_0.Storage",
        "Id": "1",
        "Name": "Storage Controller",
        "Drives": [{"@odata.id": f"{path}/Drives/{disk.name}"} for disk in hardware.spec.disks],
        "Status": {"State": "Enabled", "Health": "OK"},
    }


def drive(hardware: Hardware, disk: Disk) -> Document:
    return {
        "@odata.id": f"{ROOT}/Systems/{hardware.spec.bmc.system_id}/Storage/1/Drives/{disk.name}",
        "@odata.type": "#Drive.v1_18_0.Drive",
        "Id": disk.name,
        "Name": f"Drive {disk.name}",
        "Model": disk.model or None,
        "Manufacturer": disk.vendor or None,
        "SerialNumber": disk.serial or None,
        "CapacityBytes": disk.size_bytes,
        "MediaType": "HDD" if disk.rotational else "SSD",
        "Protocol": "NVMe" if disk.name.startswith("nvme") else "SATA",
        "Status": {"State": "Enabled", "Health": "OK"},
    }


def simple_storage(hardware: Hardware) -> Document:
    """The older resource: devices without serial numbers."""
    return {
        "@odata.id": f"{ROOT}/Systems/{hardware.spec.bmc.system_id}/SimpleStorage/1",
        "@odata.type": "#SimpleStorage.v1_3_1.SimpleStorage",
        "Id": "1",
        "Name": "Simple Storage",
        "Devices": [
            {
                "Name": f"Drive {disk.name}",
                "Model": disk.model or None,
                "Manufacturer": disk.vendor or None,
                "CapacityBytes": disk.size_bytes,
                "Status": {"State": "Enabled", "Health": "OK"},
            }
            for disk in hardware.spec.disks
        ],
    }


def manager(hardware: Hardware) -> Document:
    system_id, profile = hardware.spec.bmc.system_id, hardware.profile
    path = f"{ROOT}/Managers/{system_id}"
    actions: Document = {}
    if profile.imports_boot:
        actions["#OemManager.ImportSystemConfiguration"] = {
            "target": f"{path}/Actions/Oem/EID_674_Manager.ImportSystemConfiguration"
        }
    if profile.must_enable:
        actions["#AMIVirtualMedia.EnableRMedia"] = {"target": f"{path}/Actions/Oem/AMIVirtualMedia.EnableRMedia"}
    media = "Enabled" if hardware.remote_media else "Disabled"
    oem: Document = {"Ami": {"VirtualMedia": {"RMediaStatus": media}}} if profile.must_enable else {}
    key, licence = profile.licence
    if key:
        oem[key] = {"License": {"LicenseString": licence, "LicenseType": "Perpetual"}}
    jobs = (
        {"Oem": {"Dell": {"DellJobService": {"@odata.id": f"{path}/Oem/Dell/DellJobService"}}}}
        if profile.imports_boot
        else {}
    )
    return {
        "@odata.id": path,
        "@odata.type": "#Manager.v1_19_0.Manager",
        "Id": system_id,
        "Name": f"BMC of {hardware.spec.name}",
        "ManagerType": "BMC",
        **({"Model": profile.manager_model} if profile.manager_model else {}),
        "FirmwareVersion": profile.firmware,
        **({"VirtualMedia": {"@odata.id": media_path(hardware)}} if profile.media_on == "Managers" else {}),
        "PowerState": "On",
        "Status": {"State": "Enabled", "Health": "OK"},
        "Links": {"ManagerForServers": [{"@odata.id": f"{ROOT}/Systems/{system_id}"}], **jobs},
        **({"Actions": {"Oem": actions}} if actions else {}),
        **({"Oem": oem} if oem else {}),
    }


def media_path(hardware: Hardware) -> str:
    """The collection of virtual media."""
    collection = "VM1" if hardware.profile.iso_config else "VirtualMedia"
    return f"{ROOT}/{hardware.profile.media_on}/{hardware.spec.bmc.system_id}/{collection}"


def iso_config(hardware: Hardware, host: str, path: str) -> Document:
    """The resource of older Supermicro firmware to which the place of an image is written."""
    here = f"{media_path(hardware)}/CfgCD"
    return {
        "@odata.id": here,
        "@odata.type": "#IsoConfig.IsoConfig",
        "Id": "1",
        "Name": "VM1",
        "Host": host,
        "Path": path,
        "Username": "",
        "Password": "********",
        "Actions": {
            f"#IsoConfig.{name}": {"target": f"{here}/Actions/IsoConfig.{name}"} for name in ("Mount", "UnMount")
        },
    }


def certificate(path: str, number: int, pem: str) -> Document:
    return {
        "@odata.id": f"{path}/{number}",
        "@odata.type": "#Certificate.v1_7_0.Certificate",
        "Id": str(number),
        "CertificateString": pem,
        "CertificateType": "PEM",
    }


def virtual_media(hardware: Hardware, slot: Slot) -> Document:
    path = f"{media_path(hardware)}/{slot.id}"
    form = next(form for form in hardware.profile.slots if form.id == slot.id)
    # An eject that is under way, and a name that stays after it.
    leaving = hardware.clock.now() < slot.emptied + hardware.profile.eject_lasts
    image = slot.image or (slot.last_image if leaving or hardware.profile.keeps_image_name else None)
    return {
        "@odata.id": path,
        "@odata.type": "#VirtualMedia.v1_6_2.VirtualMedia",
        "Id": slot.id,
        "Name": f"Virtual Media {slot.id}",
        "MediaTypes": list(slot.media_types),
        "Image": image,
        "ImageName": image.rsplit("/", 1)[-1] if image else None,
        "Inserted": slot.inserted or leaving,
        "ConnectedVia": "URI" if slot.inserted else "NotConnected",
        "WriteProtected": slot.write_protected,
        "TransferMethod": "Stream",
        "TransferProtocolType": slot.image.partition(":")[0].upper() if slot.image else None,
        "UserName": slot.username,
        "Password": None,
        "VerifyCertificate": slot.verify_certificate,
        "Certificates": {"@odata.id": f"{path}/Certificates"},
        "Status": {"State": "Enabled", "Health": "OK"},
        "Actions": {} if form.insert in ("patch", "none", "oem") else _media_actions(path, hardware.profile),
        **(
            {"Oem": _oem_media(path, hardware.profile.oem_media)}
            if form.insert == "oem" and hardware.profile.oem_media
            else {}
        ),
    }


def _oem_media(path: str, media: OemMedia) -> Document:
    names = dict.fromkeys((media.insert, media.eject))
    return {
        media.key: {"Actions": {f"#{name}": {"target": f"{path}/Oem/{media.key}/Actions/{name}"} for name in names}}
    }


def _media_actions(path: str, profile: Profile) -> Document:
    allowed = (
        {"TransferProtocolType@Redfish.AllowableValues": list(profile.protocols)} if profile.lists_protocols else {}
    )
    return {
        "#VirtualMedia.InsertMedia": {"target": f"{path}/Actions/VirtualMedia.InsertMedia", **allowed},
        "#VirtualMedia.EjectMedia": {"target": f"{path}/Actions/VirtualMedia.EjectMedia"},
    }
