# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the virtual networks that the user describes, and render their libvirt definitions with DHCP and the DNS
records of a cluster.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.problems import INVALID, REQUIRED, OwnCheck, Problem
from ..xml_text import OWN, Element, child, parse, text_of, written

_problem = OwnCheck("libvirt")
_DNSMASQ = "{http://libvirt.org/schemas/network/dnsmasq/1.0}"
MODES = ("nat", "isolated")
# The last quarter of a network's addresses is for hosts without a static address.
_QUARTER = 4


@dataclasses.dataclass(frozen=True)
class Network:
    """A network. ``records`` are (address, names) of its DNS, ``wildcard`` the (domain, address) of the routes,
    ``hosts`` (MAC address, name, address).
    """

    uri: str
    name: str
    mode: str
    cidr: ipaddress.IPv4Network
    dhcp: tuple[str, str]
    domain: str
    records: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wildcard: tuple[str, str] = ("", "")
    hosts: tuple[tuple[str, str, str], ...] = ()


def network_uuid(name: str) -> str:
    """The UUID of a network of this collection.

    It is the mark: definitions of networks have metadata only since libvirt 9.7.
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{OWN}/network/{name}"))


def read_networks(
    provided: Sequence[Mapping[str, Any]], cluster: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]]
) -> tuple[list[Network], list[Problem]]:
    """The networks of option ``networks``, with the records of ``cluster`` and the addresses of ``hosts``.

    One without ``uri`` is made where the hosts are.
    """
    found: list[Network] = []
    problems: list[Problem] = []
    for index, each in enumerate(provided):
        path = f"networks[{index}]"
        try:
            cidr = ipaddress.IPv4Network(str(each["cidr"]))
            if cidr.prefixlen > 28:
                raise ValueError("it has fewer than 16 addresses")
            dhcp = _range(each.get("dhcp_range"), cidr)
        except ValueError as error:
            problems.append(
                _problem(
                    f"{path}",
                    INVALID,
                    (f"cidr must be an IPv4 network, and dhcp_range two of its addresses: {error}"),
                    str(each["cidr"]),
                )
            )
            continue
        using = [host for host in hosts if each["name"] in ((host.get("vm") or {}).get("networks") or ["default"])]
        uris = list(
            dict.fromkeys(str(host["libvirt"]["uri"]) for host in using if (host.get("libvirt") or {}).get("uri"))
        )
        uris = [str(each["uri"])] if each.get("uri") else uris
        if not uris:
            problems.append(
                _problem(
                    f"{path}.uri",
                    REQUIRED,
                    (f"no host uses network {each['name']}, so its hypervisor is not known"),
                    str(each["name"]),
                )
            )
        problems += _addresses_in_range(path, cidr, dhcp, cluster)
        found += [_network(each, uri, cidr, dhcp, cluster, using) for uri in uris]
    return found, problems


def network_xml(network: Network) -> str:
    """The definition."""
    root = Element("network")
    child(root, "name").text = network.name
    child(root, "uuid").text = network_uuid(network.name)
    if network.mode == "nat":
        child(root, "forward", mode="nat")
    if network.domain:
        child(root, "domain", name=network.domain, localOnly="no")
    if network.records:
        dns = child(root, "dns")
        for address, names in network.records:
            record = child(dns, "host", ip=address)
            for name in names:
                child(record, "hostname").text = name
    ip = child(root, "ip", family="ipv4", address=str(network.cidr[1]), prefix=str(network.cidr.prefixlen))
    dhcp = child(ip, "dhcp")
    child(dhcp, "range", start=network.dhcp[0], end=network.dhcp[1])
    for mac, name, address in network.hosts:
        child(dhcp, "host", mac=mac, name=name, ip=address)
    if network.wildcard[1]:
        options = child(root, f"{_DNSMASQ}options")
        child(options, f"{_DNSMASQ}option", value=f"address=/{network.wildcard[0]}/{network.wildcard[1]}")
    return written(root)


def described(xml: str) -> dict[str, Any]:
    """What a definition says about everything that :func:`network_xml` sets."""
    root = parse(xml)
    forward, ip, domain = root.find("forward"), root.find("ip"), root.find("domain")
    span = root.find("ip/dhcp/range")
    return {
        "mode": forward.get("mode", "nat") if forward is not None else "isolated",
        "domain": domain.get("name", "") if domain is not None else "",
        "address": _interface(ip),
        "dhcp": [span.get("start", ""), span.get("end", "")] if span is not None else [],
        "hosts": [
            [host.get("mac", ""), host.get("name", ""), host.get("ip", "")] for host in root.iterfind("ip/dhcp/host")
        ],
        "records": [
            [host.get("ip", ""), *sorted((name.text or "").strip() for name in host.iterfind("hostname"))]
            for host in root.iterfind("dns/host")
        ],
        "options": [option.get("value", "") for option in root.iterfind(f"{_DNSMASQ}options/{_DNSMASQ}option")],
    }


def is_own(xml: str) -> bool:
    """Whether this collection defined the network."""
    root = parse(xml)
    return text_of(root, "uuid").lower() == network_uuid(text_of(root, "name"))


def _network(
    each: Mapping[str, Any],
    uri: str,
    cidr: ipaddress.IPv4Network,
    dhcp: tuple[str, str],
    cluster: Mapping[str, Any],
    using: Sequence[Mapping[str, Any]],
) -> Network:
    base = (
        f"{cluster.get('name')}.{cluster.get('base_domain')}"
        if cluster.get("name") and cluster.get("base_domain")
        else ""
    )
    api = [address for address in cluster.get("api_vips") or () if _within(address, cidr)] if base else []
    ingress = [address for address in cluster.get("ingress_vips") or () if _within(address, cidr)] if base else []
    hosts = []
    for host in using:
        address = next((address for address in host.get("addresses") or () if _within(address, cidr)), "")
        if address and host["libvirt"]["uri"] == uri:
            hosts.append((str(host["mac_addresses"][0]).lower(), str(host["name"]), address))
    return Network(
        uri=uri,
        name=str(each["name"]),
        mode=str(each.get("mode") or "nat"),
        cidr=cidr,
        dhcp=dhcp,
        domain=base,
        records=tuple((address, tuple(sorted((f"api.{base}", f"api-int.{base}")))) for address in api[:1]),
        wildcard=(f"apps.{base}", ingress[0]) if ingress else ("", ""),
        hosts=tuple(hosts),
    )


def _range(provided: Any, cidr: ipaddress.IPv4Network) -> tuple[str, str]:
    if not provided:
        return str(cidr[-(cidr.num_addresses // _QUARTER)]), str(cidr[-2])
    first, last = (ipaddress.IPv4Address(str(address)) for address in provided)
    if first not in cidr or last not in cidr or first > last:
        raise ValueError(f"{first} to {last} is no range of {cidr}")
    return str(first), str(last)


def _addresses_in_range(
    path: str, cidr: ipaddress.IPv4Network, dhcp: tuple[str, str], cluster: Mapping[str, Any]
) -> list[Problem]:
    """Virtual addresses that a DHCP client could get."""
    first, last = (ipaddress.IPv4Address(address) for address in dhcp)
    addresses = [*(cluster.get("api_vips") or ()), *(cluster.get("ingress_vips") or ())]
    return [
        _problem(f"{path}.dhcp_range", INVALID, f"contains {address}, an address of the cluster", f"{first}-{last}")
        for address in dict.fromkeys(addresses)
        if _within(address, cidr) and first <= ipaddress.IPv4Address(address) <= last
    ]


def _within(address: str, cidr: ipaddress.IPv4Network) -> bool:
    try:
        return ipaddress.IPv4Address(str(address)) in cidr
    except ValueError:
        return False


def _interface(ip: Element | None) -> str:
    if ip is None:
        return ""
    size = ip.get("prefix") or ip.get("netmask", "")
    return (
        str(ipaddress.IPv4Interface(f"{ip.get('address', '')}/{size}"))
        if ip.get("family", "ipv4") == "ipv4" and size
        else str(ip.get("address", ""))
    )
