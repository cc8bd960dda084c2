# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a BMC tells about its machine, read once: System, Managers, virtual media."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from ..common.addresses import normal_mac
from ..common.errors import UnusableAnswer, ZeroTouchError
from .profile import Profile, detect_profile
from .session import RedfishSession, RefusedRequest

# The path of an image that our own server publishes: 128 random bits and the file name.
_OWN_PATH = re.compile(r"/[0-9a-f]{32}/[^/]+$")
# Members of a collection that is read member by member, and its pages: the largest machines have some 60 network interfaces.
MOST_MEMBERS = 500
MOST_PAGES = 100
# Characters of a value: URLs of images are the longest.
_LONGEST = 4096


@dataclasses.dataclass(frozen=True)
class Slot:
    """A virtual media slot. ``allow`` is the GET answer's Allow header."""

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

    @property
    def occupied(self) -> bool:
        """Whether a medium is in it: NotConnected is the truthful sign where images stay named after an eject (Supermicro)."""
        return self.inserted and self.connected_via != "NotConnected"

    def holds(self, url: str) -> bool:
        """Whether it is this image: by URL, by a path that nobody else can have (our server may have moved), or by name where there is no more."""
        same_name = not self.image and bool(self.image_name) and url.endswith("/" + self.image_name)
        ours = _OWN_PATH.search(self.image)
        return self.occupied and (self.image == url or same_name or (ours is not None and url.endswith(ours.group())))

    @property
    def takes_cd(self) -> bool:
        return not self.media_types or bool({"CD", "DVD"} & set(self.media_types))


@dataclasses.dataclass(frozen=True)
class Machine:
    """One machine as its BMC shows it.

    ``macs`` are lower case; empty when the BMC lists no NICs. ``settings`` is the path of the Settings object, if there is one, ``settings_boot`` its
    Boot. ``notes`` are what is worth knowing about this BMC.
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
    notes: tuple[str, ...] = ()


def read_machine(session: RedfishSession, system: str = "") -> Machine:
    """Read everything that the boot procedure needs; only GETs."""
    system_path = system or _only_member(session, _link(session.root, "Systems") or "/redfish/v1/Systems", "System")
    resource, headers = session.get_with_headers(system_path)
    system_path = as_text(resource.get("@odata.id")) or system_path
    managers = _managers(session, resource)
    profile = detect_profile(session.root, resource, managers)
    places = _media_places(resource, managers)
    reset = _as_dict(_as_dict(resource.get("Actions")).get("#ComputerSystem.Reset"))
    settings = _link(_as_dict(resource.get("@Redfish.Settings")), "SettingsObject")
    macs = _macs(session, resource)
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
        macs=macs,
        media_places=places,
        slots=tuple(slot for place in places for slot in read_slots(session, place)),
        vendor=as_text(session.root.get("Vendor")) or as_text(resource.get("Manufacturer")),
        firmware=as_text(managers[0].get("FirmwareVersion")) if managers else "",
        profile=profile,
        settings_boot=_as_dict(session.get(settings).get("Boot")) if settings else {},
        notes=tuple(session.notes),
    )


def read_slots(session: RedfishSession, place: str) -> tuple[Slot, ...]:
    """The slots of one VirtualMedia collection."""
    return tuple(read_slot(session, path) for path in _members(session, place))


def read_slot(session: RedfishSession, path: str) -> Slot:
    resource, headers = session.get_with_headers(path)
    actions = _as_dict(resource.get("Actions"))
    image = as_text(resource.get("Image"))
    return Slot(
        path=path,
        id=as_text(resource.get("Id")) or path.rstrip("/").rsplit("/", 1)[-1],
        media_types=as_texts(resource.get("MediaTypes")),
        image=image,
        image_name=as_text(resource.get("ImageName")),
        inserted=bool(resource.get("Inserted", bool(image))),
        connected_via=as_text(resource.get("ConnectedVia")),
        insert_action=as_text(_as_dict(actions.get("#VirtualMedia.InsertMedia")).get("target")),
        eject_action=as_text(_as_dict(actions.get("#VirtualMedia.EjectMedia")).get("target")),
        etag=headers.get("etag") or as_text(resource.get("@odata.etag")),
        allow=headers.get("allow", ""),
    )


def _managers(session: RedfishSession, system: Mapping[str, Any]) -> list[dict[str, Any]]:
    links = _as_dict(system.get("Links"))
    paths = _links(links.get("ManagedBy")) or _links(links.get("Managers"))
    if not paths and _link(session.root, "Managers"):
        everyone = _members(session, _link(session.root, "Managers"))
        paths = everyone if len(everyone) == 1 else []
    return [session.get(path) for path in paths]


def _media_places(system: Mapping[str, Any], managers: list[dict[str, Any]]) -> tuple[str, ...]:
    """Collections in the order in which slots are tried (reference 2.2): the System's, then each Manager's."""
    places = [_link(system, "VirtualMedia")] + [_link(manager, "VirtualMedia") for manager in managers]
    return tuple(dict.fromkeys(place for place in places if place))


def _reset_types(session: RedfishSession, reset: Mapping[str, Any]) -> tuple[str, ...]:
    listed = reset.get("ResetType@Redfish.AllowableValues")
    info = reset.get("@Redfish.ActionInfo")
    if not listed and isinstance(info, str):
        for parameter in _listed(session.get(info).get("Parameters")):
            if isinstance(parameter, dict) and parameter.get("Name") == "ResetType":
                listed = parameter.get("AllowableValues")
    return as_texts(listed)


def _macs(session: RedfishSession, system: Mapping[str, Any]) -> tuple[str, ...]:
    """MACs of the machine's NICs. A BMC that cannot list them (404, 400, 501 are common) gives none, and the guard has nothing to compare."""
    collection = _link(system, "EthernetInterfaces")
    if not collection:
        return ()
    found = []
    try:
        for path in _members(session, collection):
            nic = session.get(path)
            found += [normal_mac(mac) for key in ("MACAddress", "PermanentMACAddress") if (mac := as_text(nic.get(key)))]
    except RefusedRequest as error:
        session.notes.append(f"the BMC does not list its NICs ({error.refusal.status}); the machine was not checked by MAC")
        return ()
    return tuple(dict.fromkeys(found))


def _only_member(session: RedfishSession, collection: str, kind: str) -> str:
    members = _members(session, collection)
    if len(members) == 1:
        return members[0]
    if not members:
        raise ZeroTouchError(f"{session.service}: the BMC lists no {kind}.", "Wait until it is ready, or reset it.")
    raise ZeroTouchError(f"{session.service}: the BMC has {len(members)} {kind}s: {', '.join(members)}.", "Name the right one as the path of the address.")


def _members(session: RedfishSession, collection: str) -> list[str]:
    """The members of a collection, over all pages in which the service gives it."""
    found: list[str] = []
    pages: set[str] = set()
    page = collection
    while page and page not in pages:
        pages.add(page)
        resource = session.get(page)
        found += _links(resource.get("Members"))
        if len(pages) > MOST_PAGES or len(found) > MOST_MEMBERS:
            raise UnusableAnswer(session.service, 200, f"the collection {collection[:200]} has more than {MOST_MEMBERS} members or {MOST_PAGES} pages")
        page = as_text(resource.get("Members@odata.nextLink"))
    return found


def _links(value: Any) -> list[str]:
    return [link for item in _listed(value) if (link := as_text(_as_dict(item).get("@odata.id")))]


def _link(resource: Mapping[str, Any], key: str) -> str:
    return as_text(_as_dict(resource.get(key)).get("@odata.id"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_texts(value: Any) -> tuple[str, ...]:
    """The texts of a list that may be anything."""
    return tuple(as_text(item) for item in _listed(value)[:MOST_MEMBERS])


def as_text(value: Any) -> str:
    """A text or number as text; empty for anything else, also for a text that is longer than every value that is read here."""
    text = str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    return text if len(text) <= _LONGEST else ""


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
