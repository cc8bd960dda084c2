# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a site file. Report all mistakes at once, each with its location, and with the nearest valid key for a misspelt
key.
"""

from __future__ import annotations

import difflib
import functools
import importlib.resources
import ipaddress
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import yaml

from .model import (
    Bmc,
    ClusterApi,
    ClusterHint,
    Disk,
    HubHost,
    HubSite,
    Machine,
    Member,
    Network,
    Nic,
    OsImage,
    Registry,
    ServiceSite,
    Site,
    SiteError,
)

_MAC = re.compile(r"^[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}$")
_BMC_ADDRESS = re.compile(r"^([a-z0-9-]+(\+https?)?://)?(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?(/.*)?$")


def load_site(path: Path) -> Site:
    """The site of a file. Raises :class:`SiteError` for a file that is missing, no YAML, against the schema or
    contradicts itself.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SiteError(str(path), [f"cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise SiteError(str(path), ["is no UTF-8 text"]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = ""
        if mark:
            line, column = mark.line + 1, mark.column + 1
            place = f"line {line}, column {column}: "
        raise SiteError(str(path), [f"{place}is no YAML: {getattr(error, 'problem', error)}"]) from error
    return parse_site(document, source=str(path))


def parse_site(document: Any, *, source: str = "site") -> Site:
    """The site of a decoded document; raises :class:`SiteError` like :func:`load_site`."""
    problems = list(_schema_problems(document))
    if problems:
        raise SiteError(source, problems)
    hub = _hub(document["hub"]) if "hub" in document else None
    service = _service(document["service"]) if "service" in document else None
    names = {name: part.address for part in (hub, service) if part is not None for name in part.dns_names}
    registries = tuple(
        Registry(**{**entry, "images": tuple(entry.get("images", ()))}) for entry in document.get("registries", ())
    )
    site = Site(
        networks=tuple(_network(entry, names) for entry in document["networks"]),
        machines=tuple(_machine(entry) for entry in document["machines"]),
        clusters=tuple(_cluster(entry) for entry in document.get("clusters", ())),
        releases={name: version for registry in registries for name, version in registry.releases.items()}
        | document.get("releases", {}),
        hub=hub,
        service=service,
        registries=registries,
        checks=document.get("checks", {}),
    )
    problems = list(_contradictions(site))
    if problems:
        raise SiteError(source, problems)
    return site


@functools.cache
def schema() -> Mapping[str, Any]:
    """The JSON schema of site files."""
    text = importlib.resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    document: Mapping[str, Any] = json.loads(text)
    return document


def _formats() -> jsonschema.FormatChecker:
    checker = jsonschema.FormatChecker(formats=())
    checker.checks("ip", raises=ValueError)(lambda text: not isinstance(text, str) or bool(ipaddress.ip_address(text)))
    checker.checks("cidr", raises=ValueError)(
        lambda text: not isinstance(text, str) or bool(ipaddress.ip_network(text))
    )
    checker.checks("uuid", raises=ValueError)(lambda text: not isinstance(text, str) or bool(uuid.UUID(text)))
    checker.checks("mac")(lambda text: not isinstance(text, str) or bool(_MAC.match(text)))
    checker.checks("bmc-address")(lambda text: not isinstance(text, str) or bool(_BMC_ADDRESS.match(text)))
    return checker


_FORMAT_NAMES = {
    "ip": "an IP address",
    "cidr": "a network in CIDR notation without host bits",
    "uuid": "a UUID",
    "mac": "a MAC address",
    "bmc-address": "a BMC address",
}


def _schema_problems(document: Any) -> Iterable[str]:
    validator = jsonschema.Draft202012Validator(schema(), format_checker=_formats())
    for error in sorted(validator.iter_errors(document), key=lambda error: [str(part) for part in error.absolute_path]):
        yield from _readable(error)


def _readable(error: jsonschema.ValidationError) -> Iterable[str]:
    place = _place(error.absolute_path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        for key in sorted(set(error.instance) - set(known)):
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known)}"
            yield f"{place}: unknown key {key!r}; {hint}"
    elif error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        yield f"{place}: {', '.join(missing)} missing"
    elif error.validator == "format":
        yield (
            f"{place}: {error.instance!r} is not {_FORMAT_NAMES.get(str(error.validator_value), error.validator_value)}"
        )
    elif error.validator == "enum":
        yield f"{place}: {error.instance!r} is none of {', '.join(map(str, error.validator_value))}"
    elif error.validator == "anyOf" and error.context:
        yield from _readable(error.context[0])
    elif error.validator == "type":
        yield f"{place}: must be of type {error.validator_value}"
    else:
        yield f"{place}: {error.message}"


def _place(path: Iterable[str | int]) -> str:
    text = ""
    for part in path:
        name = f".{part}" if text else str(part)
        text += f"[{part}]" if isinstance(part, int) else name
    return text or "the file"


def _ip(text: str) -> str:
    return str(ipaddress.ip_address(text)) if text else ""


def _mac(text: str) -> str:
    return text.lower().replace("-", ":")


def _network(entry: Mapping[str, Any], names: Mapping[str, str]) -> Network:
    """``names``, those of hub and service, are in the DNS of every network unless the site file says otherwise."""
    cidrs = entry["cidr"] if isinstance(entry["cidr"], list) else [entry["cidr"]]
    networks = tuple(ipaddress.ip_network(cidr) for cidr in cidrs)
    gateway = _ip(entry.get("gateway", "")) or str(networks[0].network_address + 1)
    dns = entry.get("dns", {})
    dhcp = entry.get("dhcp")
    return Network(
        name=entry["name"],
        cidrs=networks,
        gateway=gateway,
        vlan=entry.get("vlan"),
        routed=entry.get("routed", True),
        mtu=entry.get("mtu", 1500),
        dhcp=(_ip(dhcp["range"][0]), _ip(dhcp["range"][1])) if dhcp else None,
        dns_servers=tuple(_ip(server) for server in dns.get("servers", [gateway])),
        dns_records=dict(names)
        | {name.lower().rstrip("."): _ip(address) for name, address in dns.get("records", {}).items()},
        ntp=tuple(entry["ntp"]) if "ntp" in entry else None,
    )


def _machine(entry: Mapping[str, Any]) -> Machine:
    nics = tuple(
        Nic(
            nic["name"],
            _mac(nic["mac"]),
            nic.get("network", ""),
            tuple(nic.get("vlans", ())),
            nic.get("link", True),
            _ip(nic.get("lease", "")),
        )
        for nic in entry["nics"]
    )
    plain = {key: value for key, value in entry.items() if key not in ("nics", "disks", "bmc", "addresses")}
    addresses = tuple(_ip(address) for address in entry.get("addresses", ()))
    return Machine(
        nics=nics,
        disks=tuple(Disk(**disk) for disk in entry["disks"]),
        bmc=Bmc(**entry["bmc"]),
        addresses=addresses,
        **plain,
    )


def _cluster(entry: Mapping[str, Any]) -> ClusterHint:
    addresses = {key: _ip(entry.get(key, "")) for key in ("api_vip", "ingress_vip", "rendezvous_ip")}
    members = tuple(
        Member(**{**member, "address": _ip(member.get("address", ""))}) for member in entry.get("members", ())
    )
    return ClusterHint(**{**entry, **addresses, "members": members})


def _hub(entry: Mapping[str, Any]) -> HubSite:
    images = tuple(OsImage(**image) for image in entry.get("os_images", ()))
    wanted = "cluster_api" in entry or entry.get("hypershift", False)
    provided = entry.get("cluster_api", {})
    images_of_metal3 = tuple(provided.get("disk_images", ()))
    cluster_api = ClusterApi(**{**provided, "disk_images": images_of_metal3}) if wanted else None
    hosts = tuple(HubHost(**host) for host in entry.get("bare_metal_hosts", ()))
    plain = {
        key: value
        for key, value in entry.items()
        if key not in ("address", "os_images", "cluster_api", "bare_metal_hosts")
    }
    return HubSite(
        address=_ip(entry["address"]), os_images=images, cluster_api=cluster_api, bare_metal_hosts=hosts, **plain
    )


def _service(entry: Mapping[str, Any]) -> ServiceSite:
    return ServiceSite(**{**entry, "address": _ip(entry["address"])})


def _contradictions(site: Site) -> Iterable[str]:
    for place, part in (("hub", site.hub), ("service", site.service)):
        if part is not None and not any(network.contains(part.address) for network in site.networks):
            yield f"{place}.address: {part.address} is in none of the networks"
    yield from _duplicates("networks", (network.name for network in site.networks))
    yield from _duplicates("machines", (machine.name for machine in site.machines))
    yield from _duplicates("machines: MAC address", (nic.mac for machine in site.machines for nic in machine.nics))
    yield from _duplicates(
        "machines: BMC address", (f"{m.bmc.host}:{m.bmc.port} system {m.bmc.system_id}" for m in site.machines)
    )
    yield from _occupied(site)
    names = {network.name for network in site.networks}
    for index, network in enumerate(site.networks):
        yield from (
            f"networks[{index}].dhcp.range: {end} is not in the network"
            for end in network.dhcp or ()
            if not network.contains(end)
        )
    for index, machine in enumerate(site.machines):
        yield from _duplicates(f"machines[{index}].nics", (nic.name for nic in machine.nics))
        yield from _duplicates(f"machines[{index}].disks", (disk.name for disk in machine.disks))
        for number, nic in enumerate(machine.nics):
            place = f"machines[{index}].nics[{number}]"
            for name in filter(None, (nic.network, *nic.vlans)):
                if name not in names:
                    yield f"{place}: no network {name!r}; there are {', '.join(sorted(names))}"
            yield from (
                f"{place}.vlans: network {name} has no vlan tag"
                for name in nic.vlans
                if name in names and site.network(name).vlan is None
            )
            if nic.lease and nic.network in names and not site.network(nic.network).contains(nic.lease):
                yield f"{place}.lease: {nic.lease} is not in network {nic.network}"


def _occupied(site: Site) -> Iterable[str]:
    """Mistakes about what runs before the lab starts."""
    machines = {machine.name: machine for machine in site.machines}
    members = [
        (f"clusters[{number}].members[{index}]", member)
        for number, hint in enumerate(site.clusters)
        for index, member in enumerate(hint.members)
    ]
    yield from _duplicates("clusters: member", (member.machine for _place, member in members))
    for place, member in members:
        machine = machines.get(member.machine)
        if machine is None:
            yield f"{place}: no machine {member.machine!r}; there are {', '.join(machines)}"
        elif machine.installed:
            yield f"{place}: machine {member.machine} has {machine.installed} installed"
        elif not (member.address or machine.addresses or any(nic.lease for nic in machine.nics)):
            yield f"{place}: address missing: machine {member.machine} has neither addresses nor a lease"
    for number, hint in enumerate(site.clusters):
        if hint.installed != bool(hint.members):
            yield f"clusters[{number}]: installed and members go together"
        elif hint.installed and not any(member.role == "master" for member in hint.members):
            yield f"clusters[{number}].members: none has the role master"
    for number, machine in enumerate(site.machines):
        for address in machine.addresses:
            if not any(network.contains(address) for network in site.networks):
                yield f"machines[{number}].addresses: {address} is in none of the networks"
    for number, host in enumerate(site.hub.bare_metal_hosts if site.hub else ()):
        if host.machine not in machines:
            yield f"hub.bare_metal_hosts[{number}]: no machine {host.machine!r}; there are {', '.join(machines)}"


def _duplicates(place: str, values: Iterable[str]) -> Iterable[str]:
    yield from (f"{place}: {value} is listed {count} times" for value, count in Counter(values).items() if count > 1)
