# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``interfaces`` of an nmstate document."""

from __future__ import annotations

import ipaddress
from typing import cast

from ..common.problems import INVALID, REQUIRED, UNSUPPORTED
from .bond import read_bond
from .model import Address, Family, IpStack, Link, NetInterface, State, Vlan
from .section import Section

_STATES = {"up": "up", "down": "down", "absent": "absent", "ignore": "ignore"}
# Types that keyfiles are rendered for. A missing or unknown type is an ethernet for nmstate when it generates configuration.
_TYPES = ("ethernet", "vlan", "bond", "dummy")
_REPORTED = ("permanent-mac-address", "max-mtu", "min-mtu", "driver")
_REFUSED = ("802.1x", "alt-names", "copy-mac-from", "dispatch", "ethtool", "mptcp", "ovs-db", "pci-address")
_MINIMUM_IPV6_MTU = 1280
_VLAN_FLAGS = {"reorder-headers": 1, "loose-binding": 4}
_VLAN_REGISTRATION = {"gvrp": 2, "mvrp": 8, "none": 0}
_WAIT_IP = {name: name for name in ("any", "ipv4", "ipv6", "ipv4+ipv6")}
_METRIC_LOW, _METRIC_HIGH = -1, 0xFFFFFFFF


def read_interface(section: Section) -> NetInterface | None:
    """One entry of ``interfaces``; None where it has no name. ``unread``: a type that is not rendered."""
    name = section.text("name", required=True)
    kind = section.text("type") or "ethernet"
    state = cast(State, section.choice("state", _STATES, default="up"))
    if state == "ignore" and kind not in ("ethernet", "loopback"):
        section.problem("state", UNSUPPORTED, "a machine that has not been installed yet has nothing of this type to ignore", value=state, layer="ours")
    if name is None:
        return None
    if state == "ignore":
        return NetInterface(name=name, path=section.path, state=state)
    if kind not in _TYPES:
        supported = ", ".join(f'"{known}"' for known in _TYPES)
        section.problem("type", UNSUPPORTED, f"no keyfiles are rendered for this type; supported values: {supported}", value=kind, layer="ours")
        return NetInterface(name=name, path=section.path, state="unread")
    entry = NetInterface(
        name=name,
        path=section.path,
        type=kind,
        state=state,
        profile_name=section.text("profile-name") or "",
        by_mac=_by_mac(section),
        mac_address=(section.text("mac-address") or "").upper(),
        mtu=section.integer("mtu"),
        wait_ip=section.choice("wait-ip", _WAIT_IP),
        description=section.text("description") or "",
        accept_all_mac_addresses=section.flag("accept-all-mac-addresses"),
        lldp=_read_lldp(section),
        ipv4=_read_stack(section, "ipv4"),
        ipv6=_read_stack(section, "ipv6"),
        controller_given=section.text("controller") or "",
        link=_read_link(section) if kind == "ethernet" else None,
        vlan=_read_vlan(section, state) if kind == "vlan" else None,
        bond=read_bond(part, up=state == "up") if kind == "bond" and (part := section.section("link-aggregation", "bond")) else None,
    )
    _check(section, entry)
    section.skip(*_REPORTED)
    section.refuse(_REFUSED)
    section.finish(known=("ethernet", "vlan", "link-aggregation", "description"))
    return entry


def _by_mac(section: Section) -> bool:
    identifier = section.choice("identifier", {"name": "name", "mac-address": "mac-address", "pci-address": "pci-address"}, default="name")
    if identifier == "pci-address":
        section.problem("identifier", UNSUPPORTED, "the PCI address of a NIC is not known before the machine runs", value=identifier, layer="ours")
    return identifier == "mac-address"


def _check(section: Section, entry: NetInterface) -> None:
    if entry.mtu is not None and entry.mtu < _MINIMUM_IPV6_MTU and entry.ipv6 and entry.ipv6.enabled and entry.state != "absent":
        section.problem("mtu", INVALID, f"must be at least {_MINIMUM_IPV6_MTU} with IPv6 enabled", value=entry.mtu)
    if entry.by_mac and not entry.mac_address and entry.state == "up":
        section.problem("mac-address", REQUIRED, "identifier is mac-address", layer="ours")
    if entry.type == "bond" and entry.state == "up" and entry.bond is None and not section.has("link-aggregation") and not section.has("bond"):
        section.problem("link-aggregation", REQUIRED, "a bond needs a mode")


def _read_lldp(section: Section) -> bool | None:
    part = section.section("lldp")
    if part is None:
        return None
    enabled = part.flag("enabled")
    part.skip("neighbors")
    part.finish()
    return enabled


def _read_link(section: Section) -> Link | None:
    section.refuse(("veth",))
    part = section.section("ethernet")
    if part is None:
        return None
    part.refuse(("sr-iov",))
    negotiate = part.flag("auto-negotiation")
    speed = part.integer("speed")
    duplex = part.choice("duplex", {"full": "full", "half": "half"})
    part.finish()
    if negotiate is None:
        for key in ("speed", "duplex"):
            if part.has(key):
                part.ignored(key, "nmstate sets it only with auto-negotiation: false")
        return None
    return Link(True) if negotiate else Link(False, speed, duplex)


def _read_vlan(section: Section, state: State) -> Vlan | None:
    part = section.section("vlan")
    if part is None:
        if not section.has("vlan") and state != "absent":
            section.problem("vlan", REQUIRED, "a VLAN needs base-iface and id", layer="ours")
        return None
    base = part.text("base-iface", required=True)
    number = part.integer("id", 0, 0xFFFF, required=True)
    protocol = part.choice("protocol", {"802.1q": "802.1Q", "802.1ad": "802.1ad"})
    flags = sum(bit for key, bit in _VLAN_FLAGS.items() if part.flag(key) or (key == "reorder-headers" and not part.has(key)))
    registration = part.choice("registration-protocol", {name: name for name in _VLAN_REGISTRATION}, default="none")
    vlan = Vlan(
        base_iface=base or "",
        id=number or 0,
        protocol=protocol,
        flags=flags | _VLAN_REGISTRATION[registration or "none"],
        ingress=_priorities(part, "ingress-qos-map", limited="from"),
        egress=_priorities(part, "egress-qos-map", limited="to"),
    )
    part.finish()
    return vlan if base and number is not None else None


def _priorities(section: Section, key: str, *, limited: str) -> tuple[str, ...]:
    """A priority map, ``from:to``; the VLAN side of it (``limited``) has 8 values (802.1Q priority code point)."""
    pairs: list[tuple[int, int]] = []
    for part in section.sections(key):
        ends = [part.integer(end, 0, 7 if end == limited else 0xFFFFFFFF, required=True) for end in ("from", "to")]
        part.finish()
        if ends[0] is not None and ends[1] is not None:
            pairs.append((ends[0], ends[1]))
    return tuple(f"{source}:{target}" for source, target in sorted(pairs))


def _read_stack(section: Section, family: Family) -> IpStack | None:
    part = section.section(family)
    if part is None:
        return None
    stack = _read_stack_values(part, family)
    part.skip("allow-extra-address")
    part.finish()
    if stack.autoconf and not stack.dhcp and stack.enabled:
        part.problem("autoconf", INVALID, "nmstate cannot do autoconf without dhcp", value="true", hint="set dhcp: true as well")
    if not stack.enabled:
        return IpStack(enabled=False, addr_gen_mode=stack.addr_gen_mode, forwarding=False if stack.forwarding is False else None)
    return stack


def _read_stack_values(part: Section, family: Family) -> IpStack:
    six = family == "ipv6"
    dhcp, autoconf = bool(part.flag("dhcp")), six and bool(part.flag("autoconf"))
    automatic = dhcp or autoconf
    auto_metric = part.integer("auto-route-metric", _METRIC_LOW, _METRIC_HIGH)
    prefix_metric = None if six else part.integer("prefix-route-metric", _METRIC_LOW, _METRIC_HIGH)
    if (
        automatic
        and part.flag("enabled")
        and None not in (auto_metric, prefix_metric)
        and auto_metric != prefix_metric
        and -1 not in (auto_metric, prefix_metric)
    ):
        part.problem("prefix-route-metric", INVALID, "NetworkManager has one metric for both; auto-route-metric differs", value=prefix_metric)
    auto_metric = auto_metric if automatic and (not six or autoconf or not part.has("autoconf")) else None
    metrics = [metric for metric in (auto_metric, prefix_metric) if metric is not None]
    send = part.flag("dhcp-send-hostname")
    return IpStack(
        enabled=bool(part.flag("enabled")),
        dhcp=dhcp,
        autoconf=autoconf,
        addresses=_read_addresses(part, family),
        auto_dns=_automatic(part, "auto-dns", automatic),
        auto_gateway=_automatic(part, "auto-gateway", automatic),
        auto_routes=_automatic(part, "auto-routes", automatic),
        auto_table_id=part.integer("auto-route-table-id"),
        route_metric=max(metrics) if metrics else None,
        client_id=None if six else part.text("dhcp-client-id"),
        duid=part.text("dhcp-duid") if six else None,
        addr_gen_mode=_addr_gen_mode(part) if six else 0,
        token=_read_token(part, autoconf) if six else None,
        send_hostname=send,
        custom_hostname=part.text("dhcp-custom-hostname"),
        forwarding=None if six else part.flag("forwarding"),
    )


def _automatic(part: Section, key: str, automatic: bool) -> bool | None:
    """``auto-*`` mean something with DHCP or autoconf only, and are on there unless turned off."""
    value = part.flag(key)
    return (True if value is None else value) if automatic else None


def _read_addresses(part: Section, family: Family) -> tuple[Address, ...]:
    addresses = []
    for entry in part.sections("address"):
        ip = entry.address("ip", required=True)
        prefix = entry.integer("prefix-length", 0, 32 if family == "ipv4" else 128, required=True)
        lease = entry.text("valid-life-time", "valid-left", "valid-lft")
        entry.skip("preferred-life-time", "preferred-left", "preferred-lft", "mptcp-flags", "protocol")
        entry.finish()
        if ip is None or prefix is None:
            continue
        if (":" in ip) != (family == "ipv6"):
            entry.problem("ip", INVALID, f"is not an {family.replace('ip', 'IP')} address", value=ip)
        elif family == "ipv6" and ipaddress.ip_address(ip) in ipaddress.ip_network("fe80::/10"):
            entry.ignored("ip", "nmstate ignores link-local addresses")
        elif lease not in (None, "forever"):
            entry.ignored("ip", "nmstate ignores addresses with a life time")
        else:
            addresses.append(Address(ip, prefix))
    return tuple(addresses)


def _addr_gen_mode(part: Section) -> int:
    text = part.text("addr-gen-mode") or "eui64"
    known = {"eui64": 0, "stable-privacy": 1}.get(text.lower())
    if known is not None:
        return known
    if text.lstrip("-").isdigit():
        return int(text)
    part.problem("addr-gen-mode", UNSUPPORTED, 'supported values: "eui64", "stable-privacy"', value=text, layer="ours")
    return 0


def _read_token(part: Section, autoconf: bool) -> str | None:
    """An IPv6 token in the form ``::5``; None for none."""
    text = part.text("token")
    if text is None or text in ("", "::"):
        return None
    try:
        token = ipaddress.IPv6Address(text)
    except ValueError:
        part.problem("token", INVALID, "is not an IPv6 address", value=text)
        return None
    if int(token) >> 64:
        part.problem("token", INVALID, "the first 64 bits must be 0", value=text)
    if part.has("autoconf") and not autoconf and part.flag("enabled"):
        part.problem("token", INVALID, "needs autoconf", value=text)
    groups = token.exploded.split(":")[4:]
    # Written as a suffix in hexadecimal groups, never with a dotted IPv4 tail.
    return str(ipaddress.IPv6Address(f"2001:db8:0:0:{':'.join(groups)}")).removeprefix("2001:db8")
