# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read what a BMC reports about its machine, by GET requests to the Redfish resources System, Managers and
VirtualMedia.

The result, :class:`Machine`, has everything that the boot procedure needs.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..common.addresses import normal_mac
from ..common.errors import Interrupted, UnusableAnswer, ZeroTouchError
from ..common.listed import listed
from .image_url import written_form
from .profile import Profile, detect_profile, named_action
from .session import LoginRefused, RedfishSession, RefusedRequest

# The path of an image that our own server publishes: 128 random bits and the file name.
_OWN_PATH = re.compile(r"/[0-9a-f]{32}/[^/]+$")
# Members of a collection that is read member by member, and its pages: the largest machines have some 60 network
# interfaces.
MOST_MEMBERS = 500
MOST_PAGES = 100
# Characters of a value: URLs of images are the longest.
_LONGEST = 4096
# Systems that a message names, and characters of each: a chassis of blades has some ten.
_MOST_NAMED = 20
_LONGEST_PATH = 200
T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Slot:
    """A virtual media slot.

    ``allow`` is the GET answer's Allow header; ``protocols`` are those that it reads images by, empty where it does not
    say.

    ``insert_body`` and ``eject_body`` are what the actions need besides the image. ``iso_config``: it is an IsoConfig
    resource, to which host and path of the image are written. ``certificates`` is the path of the collection of trusted
    certificates of image servers, ``verifies`` is None where it is not said.
    """

    path: str
    id: str
    media_types: tuple[str, ...]
    image: str
    image_name: str
    inserted: bool
    connected_via: str
    insert_action: str
    eject_action: str
    etag: str
    allow: str
    insert_body: Mapping[str, str] = dataclasses.field(default_factory=dict)
    eject_body: Mapping[str, str] = dataclasses.field(default_factory=dict)
    protocols: tuple[str, ...] = ()
    needs_protocol: bool = False
    iso_config: bool = False
    certificates: str = ""
    verifies: bool | None = None

    @property
    def occupied(self) -> bool:
        """Whether a medium is in it: NotConnected is the truthful sign where images stay named after an eject
        (Supermicro).
        """
        return self.inserted and self.connected_via != "NotConnected"

    def holds(self, url: str) -> bool:
        """Whether it is this image: by URL, by a path that only our image server has (it may have moved), or by name
        where there is no more.
        """
        same_name = not self.image and bool(self.image_name) and url.endswith("/" + self.image_name)
        ours = _OWN_PATH.search(self.image)
        return self.occupied and (
            self.image in (url, written_form(url, "path"))
            or same_name
            or (ours is not None and url.endswith(ours.group()))
        )

    @property
    def takes_cd(self) -> bool:
        return not self.media_types or bool({"CD", "DVD"} & set(self.media_types))


@dataclasses.dataclass(frozen=True)
class Drive:
    """A drive as the BMC shows it; ``size`` is in bytes, 0 and empty texts where it does not say.

    ``media_type`` is HDD, SSD and the like, ``protocol`` NVMe, SATA, SAS and the like.
    """

    model: str
    serial: str
    size: int
    media_type: str
    protocol: str


@dataclasses.dataclass(frozen=True)
class Machine:
    """One machine as its BMC shows it.

    ``macs`` are lower case; empty when the BMC lists no NICs. ``settings`` is the path of the Settings object, if there
    is one, ``settings_boot`` its Boot. ``manager`` is the id of the first Manager, the ``*_action`` after it are
    actions of vendors, empty without one. ``lacks_licence`` says why virtual media are not licensed, as far as the BMC
    shows it.
    ``clock_text`` is the time of the first Manager, ``read_at`` the Unix time at which it was read. ``notes`` are what
    is worth knowing about this BMC.
    """

    system: str
    uuid: str
    serial: str
    manufacturer: str
    model: str
    power_state: str
    boot: Mapping[str, Any]
    etag: str
    settings: str
    reset_action: str
    reset_types: tuple[str, ...]
    macs: tuple[str, ...]
    media_places: tuple[str, ...]
    slots: tuple[Slot, ...]
    vendor: str
    firmware: str
    profile: Profile
    settings_boot: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    manager: str = ""
    import_action: str = ""
    job_service: str = ""
    enable_action: str = ""
    media_enabled: bool = True
    lacks_licence: str = ""
    clock_text: str = dataclasses.field(default="", compare=False)
    read_at: float = dataclasses.field(default=0.0, compare=False)
    notes: tuple[str, ...] = ()
    # None: they were not read.
    drives: tuple[Drive, ...] | None = None


def read_machine(session: RedfishSession, system: str = "") -> Machine:
    """Read everything that the boot procedure needs; only GETs.

    Resources beside the System that cannot be read become notes: a machine is not hidden because of one of them.
    """
    systems = link_of(session.root, "Systems") or "/redfish/v1/Systems"
    system_path = system or _only_member(session, systems, "System")
    try:
        resource, headers = session.get_with_headers(system_path)
    except RefusedRequest as error:
        if error.status == 404:
            error.hint = _others(session, systems)
        raise
    system_path = as_text(resource.get("@odata.id")) or system_path
    refused: list[RefusedRequest] = []
    managers = _managers(session, resource, refused)
    profile = detect_profile(session.root, resource, managers)
    places = _media_places(resource, managers)
    reset = _as_dict(_as_dict(resource.get("Actions")).get("#ComputerSystem.Reset"))
    settings = link_of(_as_dict(resource.get("@Redfish.Settings")), "SettingsObject")
    settings_boot = (
        _as_dict(
            (_readable(session, lambda: session.get(settings), f"the settings {settings}", refused) or {}).get("Boot")
        )
        if settings
        else {}
    )
    slots = tuple(slot for place in places for slot in read_slots(session, place, profile, refused))
    return Machine(
        system=system_path,
        uuid=as_text(resource.get("UUID")).lower(),
        serial=as_text(resource.get("SerialNumber")),
        manufacturer=as_text(resource.get("Manufacturer")),
        model=as_text(resource.get("Model")),
        power_state=as_text(resource.get("PowerState")),
        boot=_as_dict(resource.get("Boot")),
        etag=headers.get("etag") or as_text(resource.get("@odata.etag")),
        settings=settings,
        reset_action=as_text(reset.get("target")) or f"{system_path.rstrip('/')}/Actions/ComputerSystem.Reset",
        reset_types=_reset_types(session, reset),
        macs=_macs(session, resource),
        media_places=places,
        slots=slots,
        vendor=as_text(session.root.get("Vendor")) or as_text(resource.get("Manufacturer")),
        firmware=as_text(managers[0].get("FirmwareVersion")) if managers else "",
        profile=profile,
        settings_boot=settings_boot,
        manager=as_text(managers[0].get("Id")) if managers else "",
        import_action=_first(named_action(manager, "OemManager.ImportSystemConfiguration") for manager in managers),
        job_service=_first(
            link_of(_as_dict(_as_dict(_as_dict(manager.get("Links")).get("Oem")).get("Dell")), "DellJobService")
            for manager in managers
        ),
        enable_action=_first(named_action(manager, profile.enable_media) for manager in managers)
        if profile.enable_media
        else "",
        media_enabled=not profile.enable_media
        or any('"RMediaStatus": "Enabled"' in json.dumps(manager.get("Oem")) for manager in managers),
        lacks_licence=_lacks_licence(profile, managers, refused),
        clock_text=as_text(managers[0].get("DateTime")) if managers else "",
        read_at=time.time(),
        notes=tuple(dict.fromkeys(session.notes)),
    )


def read_slots(
    session: RedfishSession, place: str, profile: Profile, refused: list[RefusedRequest] | None = None
) -> tuple[Slot, ...]:
    """The slots of one VirtualMedia collection. What cannot be read becomes a note; it is added to ``refused``."""
    refused = [] if refused is None else refused
    if profile.iso_config:
        path = f"{place.rstrip('/')}/CfgCD"
        slot = _readable(session, lambda: read_slot(session, path, profile), f"the virtual media {path}", refused)
        return (slot,) if slot else ()
    paths = _readable(session, lambda: members_of(session, place), f"the virtual media {place}", refused) or []
    slots = [
        _readable(session, functools.partial(read_slot, session, path, profile), f"the slot {path}", refused)
        for path in paths
    ]
    return tuple(slot for slot in slots if slot is not None)


def read_slot(session: RedfishSession, path: str, profile: Profile) -> Slot:
    """One slot as it is now."""
    resource, headers = session.get_with_headers(path)
    if profile.iso_config:
        return _iso_config(session, path, resource)
    actions = _as_dict(resource.get("Actions"))
    insert = _as_dict(actions.get("#VirtualMedia.InsertMedia"))
    image = as_text(resource.get("Image"))
    insert_action, eject_action = (
        as_text(insert.get("target")),
        as_text(_as_dict(actions.get("#VirtualMedia.EjectMedia")).get("target")),
    )
    oem = profile.oem_actions if not insert_action else None
    parameters = _parameters(session, insert) if insert_action else {}
    protocol = parameters.get("TransferProtocolType", {})
    return Slot(
        path=path,
        id=as_text(resource.get("Id")) or path.rstrip("/").rsplit("/", 1)[-1],
        media_types=as_texts(resource.get("MediaTypes")),
        image=image,
        image_name=as_text(resource.get("ImageName")),
        inserted=bool(resource.get("Inserted", bool(image))),
        connected_via=as_text(resource.get("ConnectedVia")),
        insert_action=insert_action or (named_action(resource, oem.insert, oem.key) if oem else ""),
        eject_action=eject_action or (named_action(resource, oem.eject, oem.key) if oem else ""),
        etag=headers.get("etag") or as_text(resource.get("@odata.etag")),
        allow=headers.get("allow", ""),
        insert_body=oem.insert_body if oem else {},
        eject_body=oem.eject_body if oem else {},
        protocols=tuple(
            name.upper()
            for name in as_texts(
                insert.get("TransferProtocolType@Redfish.AllowableValues") or protocol.get("AllowableValues")
            )
        ),
        needs_protocol=protocol.get("Required") is True,
        certificates=link_of(resource, "Certificates"),
        verifies=resource["VerifyCertificate"] if isinstance(resource.get("VerifyCertificate"), bool) else None,
    )


def _iso_config(session: RedfishSession, path: str, resource: Mapping[str, Any]) -> Slot:
    """The IsoConfig resource of older Supermicro firmware as a slot: its collection has a member while an image is
    mounted.
    """
    actions = _as_dict(resource.get("Actions"))
    mounted = bool(members_of(session, path.rpartition("/")[0]))
    return Slot(
        path=path,
        id="CfgCD",
        media_types=("CD",),
        image=f"{as_text(resource.get('Host')).rstrip('/')}{as_text(resource.get('Path'))}" if mounted else "",
        image_name="",
        inserted=mounted,
        connected_via="",
        insert_action=as_text(_as_dict(actions.get("#IsoConfig.Mount")).get("target"))
        or f"{path}/Actions/IsoConfig.Mount",
        eject_action=as_text(_as_dict(actions.get("#IsoConfig.UnMount")).get("target"))
        or f"{path}/Actions/IsoConfig.UnMount",
        etag="",
        allow="",
        iso_config=True,
    )


def _readable(session: RedfishSession, read: Callable[[], T], what: str, refused: list[RefusedRequest]) -> T | None:
    """What ``read`` returns, or None and a note where the BMC refuses it. A refused login is still raised."""
    try:
        return read()
    except LoginRefused:
        raise
    except RefusedRequest as error:
        refused.append(error)
        beginning = error.refusal.text[:200]
        session.notes.append(f"{what} cannot be read ({error.status}: {beginning})")
        return None


def _lacks_licence(profile: Profile, managers: list[dict[str, Any]], refused: list[RefusedRequest]) -> str:
    for error in refused:
        if error.refusal.about_licence:
            return error.refusal.text
    for manager in managers:
        value: Any = manager
        for key in profile.licence_at:
            value = _as_dict(value).get(key)
        if profile.licence_at and profile.licence_lacking and profile.licence_lacking in as_text(value):
            return f"its licence is {as_text(value)}"
    return ""


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def _managers(
    session: RedfishSession, system: Mapping[str, Any], refused: list[RefusedRequest]
) -> list[dict[str, Any]]:
    links = _as_dict(system.get("Links"))
    paths = links_of(links.get("ManagedBy")) or links_of(links.get("Managers"))
    if not paths and (place := link_of(session.root, "Managers")):
        members = _readable(session, lambda: members_of(session, place), f"the managers {place}", refused) or []
        paths = members if len(members) == 1 else []
    found = [_readable(session, functools.partial(session.get, path), f"the manager {path}", refused) for path in paths]
    return [manager for manager in found if manager]


def _media_places(system: Mapping[str, Any], managers: list[dict[str, Any]]) -> tuple[str, ...]:
    """Collections in the order in which slots are tried: the System's, then each Manager's."""
    places = [link_of(system, "VirtualMedia")] + [link_of(manager, "VirtualMedia") for manager in managers]
    return tuple(dict.fromkeys(place for place in places if place))


def _parameters(session: RedfishSession, action: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The parameters of an action by name, as its ActionInfo describes them; empty without one that can be read."""
    info = action.get("@Redfish.ActionInfo")
    if not isinstance(info, str) or not info:
        return {}
    described = _readable(session, lambda: session.get(info), f"the description {info} of an action", []) or {}
    return {as_text(_as_dict(item).get("Name")): _as_dict(item) for item in _listed(described.get("Parameters"))}


def _reset_types(session: RedfishSession, reset: Mapping[str, Any]) -> tuple[str, ...]:
    listed = reset.get("ResetType@Redfish.AllowableValues")
    return as_texts(listed or _parameters(session, reset).get("ResetType", {}).get("AllowableValues"))


def _macs(session: RedfishSession, system: Mapping[str, Any]) -> tuple[str, ...]:
    """MACs of the machine's NICs.

    A BMC that cannot list them (404, 400, 501 are common) gives none, and the guard has nothing to compare.
    """
    collection = link_of(system, "EthernetInterfaces")
    if not collection:
        return ()
    found = []
    try:
        for path in members_of(session, collection):
            nic = session.get(path)
            found += [
                normal_mac(mac) for key in ("MACAddress", "PermanentMACAddress") if (mac := as_text(nic.get(key)))
            ]
    except LoginRefused:
        raise
    except RefusedRequest as error:
        session.notes.append(
            f"the BMC does not report its NICs ({error.refusal.status}), so the MAC addresses were not compared"
        )
        return ()
    return tuple(dict.fromkeys(found))


def _only_member(session: RedfishSession, collection: str, kind: str) -> str:
    members = members_of(session, collection)
    if len(members) == 1:
        return members[0]
    if not members:
        raise ZeroTouchError(f"{session.service}: the BMC lists no {kind}.", "Wait until it is ready, or reset it.")
    raise ZeroTouchError(
        f"{session.service}: the BMC has {len(members)} {kind}s: {', '.join(members)}.",
        "Add the path of one of them to bmc.address.",
    )


def _others(session: RedfishSession, collection: str) -> str:
    """A hint for a System that does not exist: those that exist.

    Empty if they cannot be listed: the fault remains the missing one.
    """
    try:
        members = members_of(session, collection)
    except Interrupted:
        raise
    except ZeroTouchError:
        return ""
    if not members:
        return ""
    named = listed([path[:_LONGEST_PATH] for path in members], _MOST_NAMED)
    return f"Systems of this BMC: {named}. Add the path of one of them to bmc.address."


def members_of(session: RedfishSession, collection: str) -> list[str]:
    """The members of a collection, over all pages in which the service gives it."""
    found: list[str] = []
    pages: set[str] = set()
    page = collection
    while page and page not in pages:
        pages.add(page)
        resource = session.get(page)
        found += links_of(resource.get("Members"))
        if len(pages) > MOST_PAGES or len(found) > MOST_MEMBERS:
            beginning = collection[:200]
            raise UnusableAnswer(
                session.service,
                200,
                (f"the collection {beginning} has more than {MOST_MEMBERS} members or {MOST_PAGES} pages"),
            )
        page = as_text(resource.get("Members@odata.nextLink"))
    return found


def links_of(value: Any) -> list[str]:
    return [link for item in _listed(value) if (link := as_text(_as_dict(item).get("@odata.id")))]


def link_of(resource: Mapping[str, Any], key: str) -> str:
    return as_text(_as_dict(resource.get(key)).get("@odata.id"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_texts(value: Any) -> tuple[str, ...]:
    """The texts of a list that may be anything."""
    return tuple(as_text(item) for item in _listed(value)[:MOST_MEMBERS])


def as_text(value: Any) -> str:
    """A text or number as text; empty for anything else, also for a text that is longer than every value that is read
    here.
    """
    text = str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    return text if len(text) <= _LONGEST else ""


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
