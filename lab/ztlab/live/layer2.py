# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the networks that an interface reaches through bonds, bridges, VLANs and Open vSwitch down to the machine's
ports.

A :data:`Segment` maps the VLAN tags of frames that leave an interface to the name of the site's network that the frames
reach; tag 0 means untagged frames.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence

from ..site.model import Nic
from .keyfiles import Profile, number, uuid_or_name

Segment = Mapping[int, str]
# Types of interfaces whose ports have no addresses.
CONTROLLERS = ("bond", "bridge", "ovs-port")
_DEFAULT_PVID = "1"
_LARGEST_TAG = 4094


@dataclasses.dataclass(frozen=True)
class Link:
    """The lower half of an interface. ``nic``: the port through which its frames leave first, None for none."""

    mac: str
    segment: Segment
    carrier: bool
    nic: Nic | None = None


DEAD = Link("", {}, False)


@dataclasses.dataclass(frozen=True)
class Port:
    """A physical port with the profile that was chosen for it, None for none."""

    nic: Nic
    mac: str
    link: bool
    profile: Profile | None


class Layer2:
    """The links of one machine.

    ``profiles`` are those of virtual interfaces that are up; what cannot work is reported in ``log``.
    """

    def __init__(
        self, ports: Sequence[Port], profiles: Sequence[Profile], carried: Mapping[str, Segment], log: list[str]
    ) -> None:
        self._ports = {port.nic.name: port for port in ports}
        self._profiles = list(profiles)
        self._carried = carried
        self._log = log
        self._known: dict[str, Link] = {}

    def port_link(self, name: str) -> Link:
        """The link of a physical port by itself, whatever it is a port of."""
        port = self._ports[name]
        mac = (port.profile.get("ethernet", "cloned-mac-address") if port.profile else "").lower()
        return Link(mac if _is_mac(mac) else port.mac, self._carried[name] if port.link else {}, port.link, port.nic)

    def link(self, profile: Profile) -> Link:
        """The link of a virtual interface."""
        if profile.file not in self._known:
            self._known[profile.file] = DEAD  # what is built on itself is never up
            made = getattr(self, f"_{profile.type.replace('-', '_')}")(profile)
            cloned = profile.get("ethernet", "cloned-mac-address").lower()
            made = dataclasses.replace(made, mac=cloned) if _is_mac(cloned) else made
            self._known[profile.file] = (
                made if made.mac else dataclasses.replace(made, mac=_made_mac(profile.interface))
            )
        return self._known[profile.file]

    def controller_of(self, profile: Profile | None) -> Profile | None:
        """The interface that a profile is a port of; None for none, or when it is not there."""
        return (
            uuid_or_name(self._profiles, profile.controller, (profile.port_type,))
            if profile and profile.controller
            else None
        )

    def _ports_of(self, controller: Profile) -> list[tuple[str, Profile, Link]]:
        """(name, profile, link) of each port, in the order of names."""
        found = []
        for name, port in self._ports.items():
            if port.profile is not None and self.controller_of(port.profile) is controller:
                found.append((name, port.profile, self.port_link(name)))
        found += [
            (p.interface, p, self.link(p))
            for p in self._profiles
            if p is not controller and self.controller_of(p) is controller
        ]
        return sorted(found, key=lambda entry: entry[0])

    # ---- kinds -------------------------------------------------------------------------------------------------------

    def _bond(self, profile: Profile) -> Link:
        ports = self._ports_of(profile)
        if not ports:
            self._log.append(f"NetworkManager: bond {profile.interface} has no ports")
            return DEAD
        up = [(name, link) for name, _profile, link in ports if link.carrier]
        networks = {link.segment.get(0, "") for _name, link in up}
        if len(networks) > 1:
            self._log.append(
                f"NetworkManager: the ports of bond {profile.interface} are on different networks: "
                f"{', '.join(sorted(networks))}"
            )
        if not up:
            return dataclasses.replace(ports[0][2], segment={}, carrier=False)
        primary = profile.get("bond", "primary")
        return next((link for name, link in up if name == primary), up[0][1])

    def _bridge(self, profile: Profile) -> Link:
        ports = self._ports_of(profile)
        filtering = profile.flag("bridge", "vlan-filtering")
        default = profile.get("bridge", "vlan-default-pvid") or _DEFAULT_PVID
        inside: dict[int, str] = {}
        for _name, port, link in ports:
            vlans = _Vlans.read(port.get("bridge-port", "vlans"), default) if filtering else None
            inside = _inward(link.segment, vlans) | inside
        own = _Vlans.read(profile.get("bridge", "vlans"), default) if filtering else None
        up = [link for _name, _port, link in ports if link.carrier]
        first = (up or [link for _name, _port, link in ports] or [DEAD])[0]
        return Link(first.mac, _outward(inside, own), bool(up), first.nic)

    def _vlan(self, profile: Profile) -> Link:
        name = profile.get("vlan", "parent") or profile.get("ethernet", "mac-address")
        parent = self.named(name)
        if parent is None:
            self._log.append(f"NetworkManager: vlan {profile.interface}: no parent {name}")
            return DEAD
        tag = number(profile.get("vlan", "id"), 0)
        network = parent.segment.get(tag, "")
        if not network and parent.carrier:
            self._log.append(f"switch: the port of {name} does not carry VLAN {tag}")
        return Link(parent.mac, {0: network} if network else {}, parent.carrier, parent.nic)

    def _macvlan(self, profile: Profile) -> Link:
        parent = self.named(profile.get("macvlan", "parent"))
        return dataclasses.replace(parent, mac="") if parent else DEAD

    def _vrf(self, _profile: Profile) -> Link:
        return Link("", {}, True)

    def _dummy(self, _profile: Profile) -> Link:
        return Link("", {}, True)

    def _ovs_bridge(self, profile: Profile) -> Link:
        """What the bridge has inside: its ports' networks by the tag that they have there."""
        inside: dict[int, str] = {}
        first = DEAD
        for _name, port, link in self._ports_of(profile):
            inside = _inward(link.segment, _Vlans.of_ovs_port(port)) | inside
            first = link if link.carrier and not first.carrier else first
        return Link(first.mac, inside, first.carrier, first.nic)

    def _ovs_port(self, profile: Profile) -> Link:
        """A port towards the outside: its first interface of the machine; an internal interface brings nothing in."""
        outside = [link for _name, port, link in self._ports_of(profile) if port.type != "ovs-interface"]
        return next((link for link in outside if link.carrier), outside[0] if outside else DEAD)

    def _ovs_interface(self, profile: Profile) -> Link:
        """An internal interface of a bridge. It has a carrier whatever becomes of the other ports."""
        port = self.controller_of(profile)
        bridge = self.controller_of(port)
        if port is None or bridge is None or profile.get("ovs-interface", "type") not in ("", "internal"):
            return DEAD
        behind = self.link(bridge)
        return Link("", _outward(behind.segment, _Vlans.of_ovs_port(port)), True, behind.nic)

    def named(self, reference: str) -> Link | None:
        """The link that something above names by interface, UUID or MAC; None when there is none.

        A port of a bond or bridge carries nothing by itself.
        """
        for name, port in self._ports.items():
            if reference.lower() in (name.lower(), port.mac) or (port.profile and port.profile.uuid == reference):
                taken = self.controller_of(port.profile)
                return DEAD if taken is not None and taken.type in CONTROLLERS else self.port_link(name)
        found = uuid_or_name([p for p in self._profiles if p.type not in ("ovs-bridge", "ovs-port")], reference)
        return None if found is None else self.link(found)


@dataclasses.dataclass(frozen=True)
class _Vlans:
    """VLANs of a port of a bridge: the one that frames without a tag belong to (None: they are dropped), and those that
    pass with their tag.
    """

    untagged: int | None
    tagged: frozenset[int]

    @classmethod
    def read(cls, text: str, default_pvid: str) -> _Vlans:
        """``vlans`` of [bridge] or [bridge-port]: ``100 pvid untagged,101,500-599``; the default one is always
        there.
        """
        untagged = number(default_pvid, 0) or None
        tagged: set[int] = set()
        for entry in filter(None, (part.strip() for part in text.split(","))):
            words = entry.split()
            if "pvid" in words:
                untagged = number(words[0], 0)
            else:
                tagged |= _range(words[0])
        return cls(untagged, frozenset(tagged - {untagged}))

    @classmethod
    def of_ovs_port(cls, port: Profile) -> _Vlans | None:
        """``tag``, ``trunks`` and ``vlan-mode`` of [ovs-port]; None for a port that passes everything."""
        tag, mode = number(port.get("ovs-port", "tag"), 0), port.get("ovs-port", "vlan-mode")
        trunks = frozenset(
            tag for part in filter(None, port.get("ovs-port", "trunks").split(",")) for tag in _range(part.strip())
        )
        if mode == "access" or (not mode and tag):
            return cls(tag or None, frozenset())
        if not tag and not trunks:
            return None
        native = tag if mode in ("native-tagged", "native-untagged") else 0
        return cls(native, trunks or frozenset(range(1, _LARGEST_TAG + 1)))


def _range(text: str) -> set[int]:
    low, _, high = text.partition("-")
    return set(range(number(low, 1), number(high or low, 0) + 1))


def _inward(segment: Segment, vlans: _Vlans | None) -> dict[int, str]:
    """What a port brings into a bridge, by the tag that it has inside."""
    if vlans is None:
        return dict(segment)
    inside = {tag: network for tag, network in segment.items() if tag in vlans.tagged}
    return inside | ({vlans.untagged: segment[0]} if vlans.untagged is not None and 0 in segment else {})


def _outward(inside: Segment, vlans: _Vlans | None) -> dict[int, str]:
    """What comes out of a bridge through a port."""
    if vlans is None:
        return dict(inside)
    outside = {tag: network for tag, network in inside.items() if tag in vlans.tagged}
    return outside | ({0: inside[vlans.untagged]} if vlans.untagged is not None and vlans.untagged in inside else {})


def _is_mac(text: str) -> bool:
    return len(text) == len("00:00:00:00:00:00") and text.count(":") == 5


def _made_mac(name: str) -> str:
    """The address that the kernel makes up for an interface without one; here it is the same in every run."""
    return ":".join(["06", *(f"{byte:02x}" for byte in hashlib.sha256(name.encode()).digest()[:5])])
