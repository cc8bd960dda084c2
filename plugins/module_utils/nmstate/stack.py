# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``ipv4`` and ``ipv6`` of an interface in an nmstate document."""

from __future__ import annotations

import ipaddress
import re

from ..common.problems import INVALID, UNSUPPORTED
from .model import Address, Family, IpStack
from .section import Section, canonical_ip

_METRIC_LOW, _METRIC_HIGH = -1, 0xFFFFFFFF
_LINK_LOCAL = ipaddress.ip_network("fe80::/10")
_PROTOCOLS = ("lo", "ra", "kernel_ll")
_KERNEL_PROTOCOLS = (1, 2, 3)
_MPTCP_FLAGS = ("signal", "subflow", "backup", "fullmesh")
_DHCP = (
    "auto-dns",
    "auto-gateway",
    "auto-routes",
    "auto-route-table-id",
    "auto-route-metric",
    "dhcp-send-hostname",
    "dhcp-custom-hostname",
)
_NEEDS_AUTOMATIC: dict[Family, tuple[str, ...]] = {
    "ipv4": (*_DHCP, "dhcp-client-id"),
    "ipv6": (*_DHCP, "dhcp-duid", "token"),
}


def read_stack(section: Section, family: Family, *, enabled: bool = False) -> IpStack | None:
    """``enabled`` is the default if the document does not set it."""
    part = section.section(family)
    if part is None:
        return None
    stack = _read_values(part, family, enabled)
    part.flag("allow-extra-address", plain=True)
    part.finish(known=("enabled", "dhcp", "autoconf", "address"))
    if stack.autoconf and not stack.dhcp and stack.enabled:
        part.problem(
            "autoconf", INVALID, "nmstate cannot do autoconf without dhcp", value="true", hint="set dhcp: true as well"
        )
    if not stack.enabled:
        _say_what_has_no_effect(part, stack, family)
        forwarding = False if stack.forwarding is False else None
        return IpStack(
            enabled=False,
            addr_gen_mode=stack.addr_gen_mode,
            written_table_id=stack.written_table_id,
            forwarding=forwarding,
        )
    if not stack.auto:
        part.unwritten(
            *_NEEDS_AUTOMATIC[family],
            detail="nmstate ignores it without DHCP" + (" or autoconf" if family == "ipv6" else ""),
        )
    elif family == "ipv6" and not stack.autoconf and part.has("autoconf"):
        part.unwritten("auto-route-metric", detail="nmstate ignores it without autoconf")
    if stack.send_hostname is False and stack.custom_hostname:
        part.unwritten("dhcp-custom-hostname", detail="nmstate ignores it with dhcp-send-hostname: false")
    return stack


def _say_what_has_no_effect(part: Section, stack: IpStack, family: Family) -> None:
    """Everything but the addresses (each is named for itself) and what says the same as ``enabled: false``."""
    for key in part.data:
        said = {"dhcp": stack.dhcp, "autoconf": stack.autoconf, "forwarding": stack.forwarding}.get(
            key, part.value(key) is not None
        )
        if said and key not in ("enabled", "address", "addr-gen-mode", "allow-extra-address"):
            part.ignored(str(key), f"nmstate ignores it where {family.replace('ip', 'IP')} is disabled")


def _read_values(part: Section, family: Family, default: bool) -> IpStack:
    six = family == "ipv6"
    provided = part.flag("enabled")
    enabled, dhcp, autoconf = (
        default if provided is None else provided,
        bool(part.flag("dhcp")),
        six and bool(part.flag("autoconf")),
    )
    automatic = dhcp or autoconf
    addresses, written = _read_addresses(part, family, enabled=enabled)
    table = part.integer("auto-route-table-id")
    return IpStack(
        enabled=enabled,
        dhcp=dhcp,
        autoconf=autoconf,
        addresses=addresses,
        written_addresses=written,
        auto_dns=_automatic(part, "auto-dns", automatic),
        auto_gateway=_automatic(part, "auto-gateway", automatic),
        auto_routes=_automatic(part, "auto-routes", automatic),
        auto_table_id=table if automatic else None,
        written_table_id=table,
        route_metric=_route_metric(part, family, automatic=automatic, autoconf=autoconf, enabled=enabled),
        client_id=None if six else part.text("dhcp-client-id"),
        duid=part.text("dhcp-duid") if six else None,
        addr_gen_mode=_addr_gen_mode(part) if six else 0,
        token=_read_token(part, autoconf, enabled) if six else None,
        send_hostname=part.flag("dhcp-send-hostname", plain=True),
        custom_hostname=part.text("dhcp-custom-hostname"),
        forwarding=None if six else part.flag("forwarding", plain=True),
    )


def _automatic(part: Section, key: str, automatic: bool) -> bool | None:
    """``auto-*`` mean something with DHCP or autoconf only, and are on there unless turned off."""
    value = part.flag(key)
    if not automatic:
        return None
    return True if value is None else value


def _route_metric(part: Section, family: Family, *, automatic: bool, autoconf: bool, enabled: bool) -> int | None:
    """NetworkManager has one metric for routes of prefixes and for those that come by themselves; -1 is its default."""
    six = family == "ipv6"
    low, high = -0x8000000000000000, 0x7FFFFFFFFFFFFFFF
    auto = part.integer("auto-route-metric", low, high)
    prefix = None if six else part.integer("prefix-route-metric", low, high)
    for key, metric in (("auto-route-metric", auto), ("prefix-route-metric", prefix)):
        used = enabled and (automatic or key == "prefix-route-metric")
        if metric is not None and used and not _METRIC_LOW <= metric <= _METRIC_HIGH:
            part.problem(
                key,
                INVALID,
                f"must be a whole number from {_METRIC_LOW} to {_METRIC_HIGH}",
                value=metric,
                layer="ours" if six else "installer",
            )
    if automatic and enabled and None not in (auto, prefix) and auto != prefix and -1 not in (auto, prefix):
        part.problem(
            "prefix-route-metric",
            INVALID,
            ("NetworkManager has one metric for both; auto-route-metric differs"),
            value=prefix,
        )
    auto = auto if automatic and (not six or autoconf or not part.has("autoconf")) else None
    metrics = [metric for metric in (auto, prefix) if metric is not None]
    return max(metrics) if metrics else None


def _read_addresses(part: Section, family: Family, *, enabled: bool) -> tuple[tuple[Address, ...], bool]:
    """The addresses that are written, and whether there are any at all."""
    addresses, written = [], False
    for entry in part.sections("address"):
        ip = entry.address("ip", required=True)
        # One below 256 is refused only where it is to be used.
        prefix = entry.integer("prefix-length", 0, 255, required=True)
        lease = entry.text("valid-life-time", "valid-left", "valid-lft")
        entry.text("preferred-life-time", "preferred-left", "preferred-lft")
        kept = _kept_protocol(entry)
        for flag in entry.texts("mptcp-flags") or ():
            if flag not in _MPTCP_FLAGS:
                entry.problem(
                    "mptcp-flags",
                    UNSUPPORTED,
                    "supported values: " + ", ".join(f'"{name}"' for name in _MPTCP_FLAGS),
                    value=flag,
                )
        entry.unwritten("mptcp-flags", detail="nmstate supports such flags for the whole interface only")
        entry.finish()
        if ip is None or prefix is None:
            continue
        written = True
        if (":" in ip) != (family == "ipv6"):
            entry.problem("ip", INVALID, f"is not an {family.replace('ip', 'IP')} address", value=ip)
        elif prefix > (32 if family == "ipv4" else 128):
            most = 32 if family == "ipv4" else 128
            entry.problem("prefix-length", INVALID, f"must be a whole number from 0 to {most}", value=prefix)
        elif not enabled:
            entry.ignored("ip", f"nmstate ignores addresses where {family.replace('ip', 'IP')} is disabled")
        elif lease not in (None, "forever"):
            entry.ignored("ip", "nmstate ignores addresses with a life time")
        elif family == "ipv6" and ipaddress.ip_address(ip) in _LINK_LOCAL:
            entry.ignored("ip", "nmstate ignores link-local addresses")
        elif not kept:
            entry.ignored("ip", "nmstate ignores addresses of such a protocol")
        else:
            addresses.append(Address(ip, prefix))
    return tuple(addresses), written


def _kept_protocol(entry: Section) -> bool:
    """``protocol`` tells who made an address; one made by some other program is none of NetworkManager's."""
    value = entry.value("protocol")
    if value is None and not entry.has("protocol"):
        return True
    if isinstance(value, str) and value in _PROTOCOLS:
        return True
    number = value
    if isinstance(value, str) and re.fullmatch(r"0x[0-9a-fA-F]+|[0-9]{1,1000}", value):
        number = int(value, 16 if value.startswith("0x") else 10)
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= 0xFF:
        return number in _KERNEL_PROTOCOLS
    entry.problem(
        "protocol", INVALID, f"must be one of {', '.join(_PROTOCOLS)}, or a number from 0 to 255", value=str(value)
    )
    return True


def _addr_gen_mode(part: Section) -> int:
    text = part.text("addr-gen-mode") or "eui64"
    known = {"eui64": 0, "stable-privacy": 1}.get(text.lower() if text.isupper() else text)
    if known is not None:
        return known
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", text) and -0x80000000 <= int(text) <= 0x7FFFFFFF:
        return int(text)
    part.problem("addr-gen-mode", UNSUPPORTED, 'supported values: "eui64", "stable-privacy"', value=text, layer="ours")
    return 0


def _read_token(part: Section, autoconf: bool, enabled: bool) -> str | None:
    """An IPv6 token in the form ``::5``; None for none."""
    text = part.text("token")
    if text is None or text in ("", "::"):
        return None
    address = canonical_ip(text)
    if ":" not in address:
        part.problem("token", INVALID, "is not an IPv6 address", value=text)
        return None
    token = ipaddress.IPv6Address(address)
    if int(token) >> 64:
        part.problem("token", INVALID, "the first 64 bits must be 0", value=text)
    if part.has("autoconf") and not autoconf and enabled:
        part.problem("token", INVALID, "needs autoconf", value=text)
    groups = token.exploded.split(":")[4:]
    # Written as a suffix in hexadecimal groups, never with a dotted IPv4 tail.
    return str(ipaddress.IPv6Address(f"2001:db8:0:0:{':'.join(groups)}")).removeprefix("2001:db8")
