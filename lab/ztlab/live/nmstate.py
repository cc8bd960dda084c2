# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert nmstate documents to NetworkManager profiles, one for each interface. Captures of nmpolicy that select a NIC
by MAC address are resolved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .keyfiles import Profile

_CAPTURE = re.compile(r"^interfaces\.mac-address\s*==\s*[\"']([0-9A-Fa-f:]{17})[\"']$")
_REFERENCE = re.compile(r"\{\{\s*capture\.(\w+)\.interfaces\.0\.name\s*\}\}")
_TYPES = {"ethernet": "802-3-ethernet", "bond": "bond", "vlan": "vlan", "loopback": "loopback"}
_ABSENT = ("absent", "down", "ignore")


class NmstateError(ValueError):
    """nmstatectl would refuse the document; the text is the reason."""


def load(text: str) -> dict[str, Any]:
    """A document or policy. Raises :class:`NmstateError`."""
    try:
        document = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise NmstateError(f"InvalidArgument: {error}") from error
    if not isinstance(document, dict):
        raise NmstateError("InvalidArgument: the document is no mapping")
    return document


def resolve_policy(policy: Mapping[str, Any], ports: Sequence[tuple[str, str, bool]]) -> dict[str, Any]:
    """The desired state of an nmpolicy document on a machine with these ports (name, MAC, link).

    Raises :class:`NmstateError`.
    """
    by_mac = {mac.lower(): name for name, mac, _link in ports}
    names = {}
    for capture, expression in (policy.get("capture") or {}).items():
        match = _CAPTURE.match(str(expression).strip())
        if match is None:
            raise NmstateError(
                f"InvalidArgument: capture {capture}: this lab knows interfaces.mac-address == only, not {expression!r}"
            )
        name = by_mac.get(match[1].lower())
        if name is not None:
            names[str(capture)] = name
    return dict(_substitute(policy.get("desiredState") or policy.get("desired") or {}, names))


def _substitute(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _substitute(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [_substitute(entry, names) for entry in value]
    if not isinstance(value, str):
        return value

    def real(match: re.Match[str]) -> str:
        if match[1] not in names:
            raise NmstateError(f"InvalidArgument: capture {match[1]} has no interface on this machine")
        return names[match[1]]

    return _REFERENCE.sub(real, value)


def profiles(document: Mapping[str, Any], by_mac: Mapping[str, str] | None = None) -> list[Profile]:
    """The profiles of a document; ``by_mac`` (lower case MAC -> NIC name) serves interfaces with
    ``identifier: mac-address``.
    """
    interfaces = [
        entry
        for entry in document.get("interfaces") or []
        if isinstance(entry, dict) and entry.get("state", "up") not in _ABSENT
    ]
    controllers = {str(port): (str(entry["name"]), "bond") for entry in interfaces for port in _ports(entry)}
    servers = [str(server) for server in ((document.get("dns-resolver") or {}).get("config") or {}).get("server") or []]
    routes = [entry for entry in (document.get("routes") or {}).get("config") or [] if entry.get("state") != "absent"]
    return [_profile(entry, routes, servers, controllers, by_mac or {}) for entry in interfaces]


def _ports(entry: Mapping[str, Any]) -> list[str]:
    aggregation = entry.get("link-aggregation") or {}
    return [str(port) for port in aggregation.get("port") or aggregation.get("slaves") or []]


def _profile(
    entry: Mapping[str, Any],
    routes: Sequence[Mapping[str, Any]],
    servers: Sequence[str],
    controllers: Mapping[str, tuple[str, str]],
    by_mac: Mapping[str, str],
) -> Profile:
    if not entry.get("name"):
        raise NmstateError("InvalidArgument: an interface without name")
    logical = str(entry["name"])
    name = (
        by_mac.get(str(entry.get("mac-address", "")).lower(), logical)
        if entry.get("identifier") == "mac-address"
        else logical
    )
    kind = str(entry.get("type") or "ethernet")
    connection = {
        "id": name,
        "type": _TYPES.get(kind, kind),
        "interface-name": name,
        "autoconnect": "true",
        "autoconnect-priority": "1",
    }
    if logical in controllers:
        connection |= {"master": controllers[logical][0], "slave-type": controllers[logical][1]}
    sections: dict[str, dict[str, str]] = {"connection": connection}
    if entry.get("mtu"):
        sections["ethernet"] = {"mtu": str(entry["mtu"])}
    if kind == "bond":
        aggregation = entry.get("link-aggregation") or {}
        options = {str(key): str(value) for key, value in (aggregation.get("options") or {}).items()}
        sections["bond"] = {"mode": str(aggregation.get("mode", "")), **options}
    if kind == "vlan":
        vlan = entry.get("vlan") or {}
        sections["vlan"] = {"parent": str(vlan.get("base-iface", "")), "id": str(vlan.get("id", ""))}
    own = [route for route in routes if route.get("next-hop-interface") == logical]
    sections["ipv4"] = _family(entry, "ipv4", own, servers)
    sections["ipv6"] = _family(entry, "ipv6", own, servers)
    return Profile(f"{name}.nmconnection", sections)


def _family(
    entry: Mapping[str, Any], family: str, routes: Sequence[Mapping[str, Any]], servers: Sequence[str]
) -> dict[str, str]:
    settings = entry.get(family) or {}
    six = family == "ipv6"
    if not settings.get("enabled"):
        return {"method": "disabled"}
    automatic = bool(settings.get("dhcp") or (six and settings.get("autoconf")))
    addresses = [] if automatic else settings.get("address") or []
    without = "link-local" if six else "disabled"
    fixed = "manual" if addresses else without
    values = {"method": "auto" if automatic else fixed}
    for number, address in enumerate(addresses, 1):
        values[f"address{number}"] = f"{address.get('ip')}/{address.get('prefix-length')}"
    for option, key in (("auto-dns", "ignore-auto-dns"), ("auto-routes", "ignore-auto-routes")):
        if automatic and settings.get(option) is False:
            values[key] = "true"
    fitting = [route for route in routes if (":" in str(route.get("destination"))) is six]
    for number, route in enumerate(fitting, 1):
        values[f"route{number}"] = ",".join(
            str(part)
            for part in (route.get("destination"), route.get("next-hop-address", ""), route.get("metric", ""))
            if part
        )
    own = [server for server in servers if (":" in server) is six]
    return values | ({"dns": ";".join(own) + ";"} if own else {})


def keyfile_text(profile: Profile) -> str:
    """A profile as the file that NetworkManager reads."""
    blocks = [
        "\n".join([f"[{section}]", *(f"{key}={value}" for key, value in values.items())])
        for section, values in profile.sections.items()
    ]
    return "\n\n".join(blocks) + "\n"
