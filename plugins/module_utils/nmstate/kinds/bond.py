# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``link-aggregation`` of nmstate to the ``[bond]`` section of a NetworkManager keyfile."""

from __future__ import annotations

import dataclasses

from ...common.problems import DUPLICATE, INVALID, REQUIRED
from ..model import Bond, Group, NetInterface, Port
from ..section import Section, canonical_ip

# Every enumeration is accepted by name or by the kernel's number (kernel documentation, networking/bonding).
_MODE_NAMES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")
MODES = {
    **{name: name for name in _MODE_NAMES},
    **{str(number): name for number, name in enumerate(_MODE_NAMES)},
    "lacp": "802.3ad",
}

_ENUMERATIONS: dict[str, tuple[str, ...]] = {
    "ad_select": ("stable", "bandwidth", "count"),
    "all_slaves_active": ("dropped", "delivered"),
    "arp_all_targets": ("any", "all"),
    "arp_validate": ("none", "active", "backup", "all", "filter", "filter_active", "filter_backup"),
    "fail_over_mac": ("none", "active", "follow"),
    "lacp_rate": ("slow", "fast"),
    "primary_reselect": ("always", "better", "failure"),
    "xmit_hash_policy": ("layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"),
}
_NUMBERS: dict[str, int] = {
    "ad_actor_sys_prio": 0xFFFF,
    "ad_user_port_key": 0xFFFF,
    "arp_interval": 0xFFFFFFFF,
    "arp_missed_max": 0xFF,
    "downdelay": 0xFFFFFFFF,
    "lp_interval": 0xFFFFFFFF,
    "miimon": 0xFFFFFFFF,
    "min_links": 0xFFFFFFFF,
    "num_grat_arp": 0xFF,
    "num_unsol_na": 0xFF,
    "packets_per_slave": 0xFFFFFFFF,
    "resend_igmp": 0xFFFFFFFF,
    "updelay": 0xFFFFFFFF,
}
_FLAGS = ("lacp_active", "tlb_dynamic_lb", "use_carrier")
_DEFAULT_ARP_MISSED_MAX = "2"  # nmstate leaves the default out: NetworkManager before 1.42 does not know the option


def read_bond(section: Section, entry: NetInterface) -> NetInterface:
    """The interface with what ``link-aggregation`` says. A bond that is to be up needs a mode."""
    part = section.section("link-aggregation", "bond")
    if part is None:
        if entry.state == "up" and section.value("link-aggregation", "bond") is None:
            section.problem("link-aggregation", REQUIRED, "a bond needs a mode")
        return dataclasses.replace(entry, groups=(*entry.groups, Group("bond")))
    mode = part.choice("mode", MODES)
    if mode is None and not part.has("mode") and entry.state == "up":
        part.problem("mode", REQUIRED, "a bond needs a mode")
    options: dict[str, str] = {}
    if option_section := part.section("options"):
        options = _read_options(option_section)
        _check_options(option_section, mode or "", options)
    ports = _read_ports(part)
    part.finish()
    listed = {"mode": mode, **options} if mode else options
    group = Group.of("bond", listed)
    bond = Bond(mode or "", group.settings, None if ports is None else tuple(port.name for port in ports))
    if bond.mac_follows_port and entry.mac_address:
        section.ignored("mac-address", "with fail_over_mac: active the bond takes that of its port")
    return dataclasses.replace(entry, bond=bond, ports=ports, groups=(*entry.groups, group))


def _read_ports(section: Section) -> tuple[Port, ...] | None:
    path = section.at("port")
    names = section.texts("port", "ports")
    configured = _read_port_config(section)
    if names is not None and configured is not None and {*names} != {port.name for port in configured}:
        section.problem("ports-config", INVALID, "names other ports than port does")
    if names is None:
        return configured
    groups = {port.name: port.group for port in configured or ()}
    return tuple(Port(name, path, groups.get(name)) for name in names)


def _read_options(section: Section) -> dict[str, str]:
    """Option name and value as NetworkManager writes them."""
    options: dict[str, str] = {}
    for name, names in _ENUMERATIONS.items():
        chosen = section.choice(
            name, {**{value: value for value in names}, **{str(number): value for number, value in enumerate(names)}}
        )
        if chosen is not None:
            options[name] = str(names.index(chosen)) if name == "all_slaves_active" else chosen
    for name, high in _NUMBERS.items():
        number = section.integer(name, 0, high)
        if number is not None:
            options[name] = str(number)
    for name in _FLAGS:
        flag = section.flag(name)
        if flag is not None:
            options[name] = "1" if flag else "0"
    balance_slb = section.flag("balance-slb", "balance_slb")
    if balance_slb is not None:
        options["balance-slb"] = "1" if balance_slb else "0"
    if options.get("arp_missed_max") == _DEFAULT_ARP_MISSED_MAX:
        del options["arp_missed_max"]
    options |= {name: value for name in ("arp_ip_target", "primary") if (value := section.text(name))}
    if system := section.text("ad_actor_system"):
        options["ad_actor_system"] = system.upper()
    if targets := _ipv6_targets(section):
        options["ns_ip6_target"] = targets
    section.finish()
    return options


def _ipv6_targets(section: Section) -> str:
    targets = []
    for index, text in enumerate(section.texts("ns_ip6_target") or ()):
        address = canonical_ip(text)
        if ":" in address:
            targets.append(address)
        else:
            section.problem(f"ns_ip6_target[{index}]", INVALID, "is not an IPv6 address", value=text)
    return ",".join(targets)


def _check_options(section: Section, mode: str, options: dict[str, str]) -> None:
    """Combinations that nmstate refuses."""
    arp_interval = int(options.get("arp_interval", "0"))
    if options.get("ad_actor_system", "").startswith("01:00:5E"):
        section.problem("ad_actor_system", INVALID, "must not be a multicast address", value=options["ad_actor_system"])
    if arp_interval and int(options.get("miimon", "0")):
        section.problem("arp_interval", INVALID, "miimon and arp_interval exclude each other", value=arp_interval)
    elif arp_interval and mode in ("802.3ad", "balance-tlb", "balance-alb"):
        section.problem("arp_interval", INVALID, f"is not possible in mode {mode}", value=arp_interval)
    if "arp_interval" in options and not arp_interval:
        for name in ("arp_ip_target", "ns_ip6_target"):
            if name in options:
                section.problem(name, INVALID, "needs an arp_interval above 0", value=options[name])
    for name in ("lacp_rate", "lacp_active"):
        if name in options and mode and mode != "802.3ad":
            section.problem(name, INVALID, "is only possible in mode 802.3ad", value=options[name])
    if options.get("balance-slb") == "1" and (
        mode != "balance-xor" or options.get("xmit_hash_policy") != "vlan+srcmac"
    ):
        section.problem("balance-slb", INVALID, "needs mode balance-xor and xmit_hash_policy vlan+srcmac")


def _read_port_config(section: Section) -> tuple[Port, ...] | None:
    if section.value("ports-config") is None:
        return None
    ports: list[Port] = []
    queues: list[int] = []
    for entry in section.sections("ports-config"):
        name = entry.text("name", required=True)
        priority = entry.integer("priority", -0x80000000, 0x7FFFFFFF) or 0
        queue = entry.integer("queue-id", 0, 0xFFFF)
        if queue and queue in queues:
            entry.problem("queue-id", DUPLICATE, "the kernel allows one port per queue", value=queue)
        queues += [queue] if queue else []
        entry.finish(layer="ours")
        settings = {"prio": str(priority) if priority else None, "queue-id": None if queue is None else str(queue)}
        group = Group.of("bond-port", settings) if priority or queue else None
        ports += [Port(name, section.at("ports-config"), group)] if name else []
    return tuple(ports)
