# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the hosts of an inventory, and check the fields of ``openshift_host`` that only booting needs.

The role groups define which hosts belong to the cluster. ``openshift_host`` overrides ``openshift_host_defaults``.
Package module_utils/cluster checks the other fields. If the inventory only adds BMC data to the user's
install-config.yaml and agent-config.yaml, only this file checks that data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..module_utils.boot.methods import METHODS, booted_by_user, default_method
from ..module_utils.boot.requests import check_data, check_method
from ..module_utils.common.addresses import normal_mac
from ..module_utils.common.errors import InvalidInput
from ..module_utils.common.problems import INVALID, UNKNOWN_FIELD, Problem, nearest
from ..module_utils.nmstate.document import only_static_addresses, static_addresses
from .paths import certificate
from .problems import problem as _problem

DEFAULT_GROUPS = {"control_plane": "control_plane", "workers": "workers", "arbiters": "arbiters"}
# Our names of the groups -> upstream's roles, in the order in which hosts are numbered.
GROUP_ROLES = {"control_plane": "master", "arbiters": "arbiter", "workers": "worker"}

# What all BMCs of an inventory may have in common.
_BMC_DEFAULTS = ("username", "password", "validate_certs", "ca_cert")
# Keys of openshift_host that one boot method reads.
_METHOD_DATA = {**{key: method.name for method in METHODS.values() for key in method.needs}, "vm": "libvirt"}
# Fields by which an Agent of a hub is recognised besides MAC addresses.
_OF_AGENT = ("system_uuid", "serial_number", "bmc_address", "labels", "query")


def group_names(value: Any) -> dict[str, str]:
    """``openshift_groups`` over its defaults; what cannot be read is left out (check_settings reports it)."""
    provided = value if isinstance(value, Mapping) else {}
    return {
        key: name if isinstance(name := provided.get(key), str) else default for key, default in DEFAULT_GROUPS.items()
    }


def members_of_roles(groups: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """(host, role) of the role groups, in inventory order."""
    return [(name, role) for group, role in GROUP_ROLES.items() for name in groups.get(names.get(group, group), ())]


def read_members(
    members: Iterable[tuple[str, str]], hostvars: Mapping[str, Mapping[str, Any]], directory: str
) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Hosts, each with its role, in the order given: ``{inventory_name, role, **openshift_host}``, and everything wrong
    with their boot data. Never raises.

    ``openshift_host`` is over ``openshift_host_defaults`` (:func:`with_defaults`), and that over
    ``openshift_bmc_defaults`` for the BMCs of hosts that have one.
    A host in two role groups is listed twice; the check of the configuration reports that. A relative ``bmc.ca_cert``
    is from ``directory``.
    """
    problems: list[Problem] = []
    found = []
    for name, role in members:
        variables = {
            key: hostvars[name].get(key)
            for key in ("openshift_host", "openshift_host_defaults", "openshift_bmc_defaults")
        }
        wrong = [key for key, value in variables.items() if value is not None and not isinstance(value, Mapping)]
        # The defaults are mostly set once, for all hosts: they are reported once.
        problems += [
            _problem(f"{key}[{name}]" if key == "openshift_host" else key, INVALID, "must be a mapping")
            for key in wrong
        ]
        if not wrong:
            host = with_defaults(variables["openshift_host"] or {}, variables["openshift_host_defaults"] or {})
            problems += check_bmc_defaults(variables["openshift_bmc_defaults"] or {})
            host = with_bmc_defaults(host, variables["openshift_bmc_defaults"] or {})
            host = _with_absolute_certificate(host, directory)
            problems += check_host(host, f"openshift_host[{name}]")
            found.append({**host, "inventory_name": name, "role": role})
    return found, list(dict.fromkeys(problems))


def with_defaults(own: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A host over the defaults of all hosts.

    One that itself names its boot method, or has data of a method, takes no data of other methods from them.
    """
    named = {_METHOD_DATA[key] for key, value in own.items() if key in _METHOD_DATA and value is not None}
    boot = own.get("boot")
    if isinstance(boot, Mapping) and boot.get("method"):
        named = {str(boot["method"])}
    unused = {key for key, method in _METHOD_DATA.items() if named and method not in named and key not in own}
    return merge({key: value for key, value in defaults.items() if key not in unused}, own)


def check_bmc_defaults(provided: Mapping[str, Any]) -> list[Problem]:
    """Keys that are no defaults of all BMCs: unknown ones, and those that are different for each.

    Values are checked at the hosts.
    """
    return [
        _problem(
            f"openshift_bmc_defaults.{key}",
            UNKNOWN_FIELD,
            f"known: {', '.join(_BMC_DEFAULTS)}",
            hint=nearest(str(key), _BMC_DEFAULTS),
        )
        for key in provided
        if str(key) not in _BMC_DEFAULTS
    ]


def with_bmc_defaults(host: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The host with what its ``bmc`` does not say.

    A host without ``bmc`` stays without; an empty field of a credential is not set.
    """
    bmc = host.get("bmc")
    if not isinstance(bmc, Mapping):
        return host
    known = {
        str(key): value for key, value in defaults.items() if str(key) in _BMC_DEFAULTS and value not in (None, "")
    }
    return {
        **host,
        "bmc": {**known, **{key: value for key, value in bmc.items() if value is not None or key not in known}},
    }


def check_host(host: Mapping[str, Any], path: str) -> list[Problem]:
    """What is wrong with how a host is identified and booted."""
    problems = []
    if not isinstance(host.get("hostname", ""), str):
        problems.append(_problem(f"{path}.hostname", INVALID, "must be a string"))
    boot = host.get("boot")
    if boot is not None and not isinstance(boot, Mapping):
        problems.append(_problem(f"{path}.boot", INVALID, "must be a mapping with method"))
    else:
        problems += check_method(host, path, boot_method(host), f"{path}.boot.method")
    problems += check_data(host, path)
    interfaces = host.get("interfaces")
    if interfaces is not None and not (
        isinstance(interfaces, list) and all(isinstance(nic, Mapping) for nic in interfaces)
    ):
        problems.append(_problem(f"{path}.interfaces", INVALID, "must be a list of mappings with name and mac_address"))
    return problems


def chosen_hosts(hosts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Mapping[str, Any]]:
    """The hosts of these inventory names, in the order of the inventory; all without names.

    Raises :class:`InvalidInput` for names that are none.
    """
    known = [str(host["inventory_name"]) for host in hosts]
    unknown = [name for name in dict.fromkeys(names) if name not in known]
    problems = [
        _problem("openshift_hosts", INVALID, "is not a host of the role groups", hint=nearest(name, known), value=name)
        for name in unknown
    ]
    if problems:
        raise InvalidInput(problems)
    return [host for host in hosts if not names or host["inventory_name"] in names]


def named_as_described(
    hosts: Iterable[Mapping[str, Any]], described: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """Hosts of an inventory that adds data to the files of the user; ``described`` has the hosts of the files by name,
    with their MAC addresses. A host with a MAC address of a host in the files gets the name from the files.
    """
    by_mac = {normal_mac(mac): name for name, macs in described.items() for mac in macs}
    found = []
    for host in hosts:
        macs = [
            normal_mac(str(nic.get("mac_address") or ""))
            for nic in host.get("interfaces") or ()
            if isinstance(nic, Mapping)
        ]
        name = next((by_mac[mac] for mac in macs if mac in by_mac), "")
        found.append({**host, "hostname": name} if name else dict(host))
    return found


def bmc_hosts(hosts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The hosts that are booted without the user, as option ``hosts`` of module boot_hosts takes them."""
    return [boot_host(host) for host in hosts if not booted_by_user(boot_method(host))]


def virtual_hosts(hosts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The hosts that are virtual machines of this inventory, as option ``hosts`` of module libvirt_hosts takes them."""
    return [
        {
            "name": _name(host),
            "libvirt": dict(host.get("libvirt") or {}),
            "vm": dict(host["vm"]),
            "mac_addresses": _macs(host),
            "addresses": _addresses(host.get("network_config")),
        }
        for host in hosts
        if isinstance(host.get("vm"), Mapping)
    ]


def boot_host(host: Mapping[str, Any]) -> dict[str, Any]:
    """A host, with what its boot method reads, as option ``hosts`` of module boot_hosts takes it."""
    method = boot_method(host)
    data = {
        key: dict(host[key])
        for key in (METHODS[method].options() if method in METHODS else ())
        if host.get(key) is not None
    }
    return {"name": _name(host), "boot_method": method, **data, "mac_addresses": _macs(host)}


def identities(hosts: Iterable[Mapping[str, Any]], agents: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Who the hosts are, as option ``touch.hosts`` of the modules takes it.

    ``agents`` has ``openshift_agent`` by inventory name: it may identify them too.
    """
    return [
        {
            **{key: value for key, value in dict(agents.get(host["inventory_name"]) or {}).items() if key in _OF_AGENT},
            "name": _name(host),
            "mac_addresses": _macs(host),
            "addresses": _addresses(host.get("network_config")),
            "take_over": isinstance(host.get("boot"), Mapping) and host["boot"].get("take_over") is True,
        }
        for host in hosts
    ]


def _addresses(network_config: Any) -> list[str]:
    return [address.ip for address in static_addresses(network_config)] if isinstance(network_config, Mapping) else []


def _macs(host: Mapping[str, Any]) -> list[str]:
    return [str(nic["mac_address"]) for nic in host.get("interfaces") or () if nic.get("mac_address")]


def manual_hosts(hosts: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names of the hosts that the user boots."""
    return [_name(host) for host in hosts if booted_by_user(boot_method(host))]


def node_addresses(hosts: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Addresses by hostname, of the hosts whose network configuration has static addresses only: no other address of
    theirs is to be trusted.
    """
    found = {str(host.get("hostname") or host["inventory_name"]): host.get("network_config") for host in hosts}
    addresses = {
        name: only_static_addresses(document) for name, document in found.items() if isinstance(document, Mapping)
    }
    return {name: known for name, known in addresses.items() if known}


def boot_method(host: Mapping[str, Any]) -> str:
    """The boot method of ``openshift_host``; the one that it names may not exist."""
    boot = host.get("boot")
    method = boot.get("method") if isinstance(boot, Mapping) else None
    return str(method or default_method({key for key, value in host.items() if value is not None}))


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Deep merge of mappings; everything else of ``over`` replaces what ``under`` says."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _name(host: Mapping[str, Any]) -> str:
    return str(host.get("hostname") or host["inventory_name"])


def _with_absolute_certificate(host: dict[str, Any], directory: str) -> dict[str, Any]:
    bmc = host.get("bmc")
    if isinstance(bmc, Mapping) and isinstance(bmc.get("ca_cert"), str):
        return {**host, "bmc": {**bmc, "ca_cert": certificate(bmc["ca_cert"], directory)}}
    return host
