# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse NetworkManager connection profiles (keyfiles), and reject those that NetworkManager would not load."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence

CONNECTIONS = "/etc/NetworkManager/system-connections"
FAMILIES = ("ipv4", "ipv6")

# Types whose device NetworkManager makes, so that the profile has to name it.
_NAMED = (
    "bond",
    "bridge",
    "dummy",
    "macvlan",
    "ovs-bridge",
    "ovs-interface",
    "ovs-port",
    "team",
    "veth",
    "vrf",
    "vxlan",
)
_TYPES = (*_NAMED, "ethernet", "hsr", "infiniband", "ip-tunnel", "ipvlan", "loopback", "macsec", "vlan", "xfrm")
# What of Open vSwitch is none of the kernel's may have a longer name.
_USERSPACE = ("ovs-bridge", "ovs-port")
_LONGEST_NAME = 15
# What a port of each kind of controller needs.
_CONTROLLED = {"ovs-interface": "ovs-port", "ovs-port": "ovs-bridge"}
_METHODS = {
    "ipv4": ("auto", "disabled", "link-local", "manual", "shared"),
    "ipv6": ("auto", "dhcp", "disabled", "ignore", "link-local", "manual", "shared"),
}
_WITHOUT_ADDRESS = ("disabled", "ignore")
_BOND_MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")
_BOND_OPTIONS = frozenset(
    """mode miimon downdelay updelay use_carrier arp_interval arp_ip_target ns_ip6_target arp_validate arp_all_targets arp_missed_max primary primary_reselect
    fail_over_mac xmit_hash_policy resend_igmp lacp_rate lacp_active active_slave ad_actor_sys_prio ad_actor_system ad_select ad_user_port_key
    all_slaves_active min_links num_grat_arp num_unsol_na packets_per_slave tlb_dynamic_lb lp_interval peer_notif_delay balance-slb""".split()  # noqa: E501
)
_LARGEST_VLAN = 4094


@dataclasses.dataclass(frozen=True)
class Profile:
    """One keyfile: section -> key -> value."""

    file: str
    sections: Mapping[str, Mapping[str, str]]

    def get(self, section: str, *keys: str) -> str:
        """The value of the first of the keys that is there, "" for none (NetworkManager renamed master to
        controller).
        """
        values = self.sections.get(section, {})
        return next((values[key] for key in keys if key in values), "")

    def flag(self, section: str, key: str) -> bool:
        return self.get(section, key).lower() in ("true", "yes", "1")

    def numbered(self, section: str, *names: str) -> list[str]:
        """Values of address1, address2, ...

        (or route1, ...) in numeric order. route1_options and the like are no values.
        """
        return [value for _key, value in self.numbered_items(section, *names)]

    def numbered_items(self, section: str, *names: str) -> list[tuple[str, str]]:
        found = []
        for key, value in self.sections.get(section, {}).items():
            for name in names:
                if key.startswith(name) and (key[len(name) :].isdigit() or key == name):
                    found.append((number(key[len(name) :], 0), key, value))
        return [(key, value) for _number, key, value in sorted(found)]

    @property
    def type(self) -> str:
        return {"802-3-ethernet": "ethernet"}.get(self.get("connection", "type"), self.get("connection", "type"))

    @property
    def interface(self) -> str:
        return self.get("connection", "interface-name")

    @property
    def uuid(self) -> str:
        return self.get("connection", "uuid")

    @property
    def controller(self) -> str:
        """Name or UUID of the interface that this one is a port of."""
        return self.get("connection", "controller", "master")

    @property
    def port_type(self) -> str:
        """The type of that interface."""
        return self.get("connection", "port-type", "slave-type")

    @property
    def autoconnect(self) -> bool:
        return self.get("connection", "autoconnect").lower() not in ("false", "no", "0")

    @property
    def priority(self) -> int:
        text = self.get("connection", "autoconnect-priority")
        return int(text) if text.lstrip("-").isdigit() else 0

    def method(self, family: str) -> str:
        """How addresses of the family come about; "auto" where the profile does not say."""
        return self.get(family, "method") or "auto"

    def addresses(self, family: str) -> list[tuple[str, str]]:
        """(address with prefix length, gateway or "") of each address that can be read; NetworkManager leaves others
        out.
        """
        found = []
        for text in self.numbered(family, "address", "addresses"):
            address, _, gateway = text.partition(",")
            if is_address(address.strip(), family):
                found.append((str(ipaddress.ip_interface(address.strip())), gateway.strip()))
        return found


class KeyfileError(Exception):
    """NetworkManager would not load the file; the text says why."""


def number(text: str, default: int) -> int:
    return int(text) if text.isdigit() and text.isascii() else default


def is_address(text: str, family: str) -> bool:
    """Whether it is an address of the family, with or without prefix length."""
    try:
        return f"ipv{ipaddress.ip_interface(text).version}" == family
    except ValueError:
        return False


def parse_keyfile(file: str, text: str) -> Profile:
    """Raises :class:`KeyfileError`."""
    sections: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for line_number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], {})
        elif current is None or "=" not in line:
            raise KeyfileError(f"line {line_number} is no key=value of a section")
        else:
            key, _, value = line.partition("=")
            current[key.strip()] = value.strip()
    profile = Profile(file, sections)
    for complaint in (
        _about_connection(profile),
        _about_type(profile),
        *(_about_addresses(profile, family) for family in FAMILIES),
    ):
        if complaint:
            raise KeyfileError(complaint)
    return profile


def _about_connection(profile: Profile) -> str:
    """Why section connection cannot be loaded, "" when it can; the checks are those of
    nm_setting_connection_verify().
    """
    name = profile.interface
    if not profile.type:
        return "connection.type is missing"
    if profile.type not in _TYPES:
        return f"connection.type: unknown connection type '{profile.type}'"
    if not name and profile.type in _NAMED:
        return "connection.interface-name: property is missing"
    if name and (
        re.search(r"[\s/]", name)
        or name in (".", "..")
        or (len(name) > _LONGEST_NAME and profile.type not in _USERSPACE)
    ):
        return f"connection.interface-name: '{name}' is not a valid interface name"
    if profile.controller and not profile.port_type:
        return "connection.port-type: cannot set 'controller' without 'port-type'"
    needed = _CONTROLLED.get(profile.type)
    if needed and (not profile.controller or profile.port_type != needed):
        return f"connection.port-type: a connection with an {profile.type} setting must be a port of an {needed}"
    return ""


def _about_type(profile: Profile) -> str:
    """The same about the section of the connection's type."""
    if profile.type == "bond":
        return _about_bond(profile.sections.get("bond", {}))
    if profile.type == "vlan":
        if not profile.get("vlan", "parent") and not profile.get("ethernet", "mac-address"):
            return "vlan.parent: property is not specified"
        if not 0 <= number(profile.get("vlan", "id"), -1) <= _LARGEST_VLAN:
            return f"vlan.id: '{profile.get('vlan', 'id')}' is no VLAN"
    if profile.type == "vrf" and not number(profile.get("vrf", "table"), 0):
        return "vrf.table: table cannot be zero"
    return ""


def _about_bond(options: Mapping[str, str]) -> str:
    for name in options:
        if name not in _BOND_OPTIONS:
            return f"bond.options: invalid option '{name}'"
    mode = options.get("mode", "balance-rr")
    if mode not in _BOND_MODES and not (mode.isdigit() and int(mode) < len(_BOND_MODES)):
        return f"bond.options: '{mode}' is not a valid value for 'mode'"
    if number(options.get("miimon", ""), 0) and number(options.get("arp_interval", ""), 0):
        return "bond.options: only one of 'miimon' and 'arp_interval' can be set"
    return ""


def _about_addresses(profile: Profile, family: str) -> str:
    """The same about section ipv4 or ipv6; a port has none of its own."""
    if profile.controller and profile.port_type != "vrf":
        return ""
    method = profile.method(family)
    if method not in _METHODS[family]:
        return f"{family}.method: property is not valid: {method}"
    addresses = profile.addresses(family)
    if method == "manual" and not addresses:
        return f"{family}.addresses: this property cannot be empty for 'method=manual'"
    if method in _WITHOUT_ADDRESS and (addresses or profile.get(family, "gateway")):
        return f"{family}.addresses: this property is not allowed for 'method={method}'"
    if profile.get(family, "gateway") and not addresses:
        return f"{family}.gateway: gateway cannot be set if there are no addresses configured"
    return ""


def load_profiles(files: Mapping[str, tuple[int, str]], log: list[str]) -> list[Profile]:
    """The profiles that NetworkManager loads from name -> (mode, text); what it refuses goes to the log."""
    profiles: list[Profile] = []
    for name, (mode, text) in sorted(files.items()):
        if not name.endswith(".nmconnection"):
            continue
        if mode & 0o077:
            log.append(f"NetworkManager: {name}: file permissions ({mode:o}) are insecure, ignored")
            continue
        try:
            profile = parse_keyfile(name, text)
        except KeyfileError as error:
            log.append(f"NetworkManager: {name}: {error}, ignored")
            continue
        log += [f"NetworkManager: {name}: {complaint}" for complaint in _ignored(profile)]
        first = next((other for other in profiles if profile.uuid and other.uuid == profile.uuid), None)
        if first is not None:
            log.append(f"NetworkManager: {name}: UUID {profile.uuid} is that of {first.file}, ignored")
        else:
            profiles.append(profile)
    return profiles


def _ignored(profile: Profile) -> Iterable[str]:
    """Values that NetworkManager leaves out with a warning."""
    for family in FAMILIES:
        for text in profile.numbered(family, "address", "addresses"):
            address = text.partition(",")[0].strip()
            if not is_address(address, family):
                yield f"{family}: bad address {address!r}"


def uuid_or_name(profiles: Sequence[Profile], reference: str, types: Iterable[str] = ()) -> Profile | None:
    """The profile that a reference to an interface means: its UUID or the name of its interface; of these ``types``, if
    any are given.
    """
    wanted = tuple(types)
    fitting = [profile for profile in profiles if not wanted or profile.type in wanted]
    return next((profile for profile in fitting if reference and reference in (profile.uuid, profile.interface)), None)
