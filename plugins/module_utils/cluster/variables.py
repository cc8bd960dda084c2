# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the variables (``openshift_cluster``, and one ``openshift_host`` for each host) to a :class:`Deployment`.

The variables are first converted to install-config.yaml and agent-config.yaml; each value keeps the name of its
variable. Then ``install_config_overrides`` is merged into install-config.yaml, and both documents are read exactly as
the user's files would be. So a variable and the same field in a file always have the same meaning.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..boot.methods import METHODS, default_method
from ..common.problems import DUPLICATE, INVALID, REQUIRED, UNSUPPORTED, Problem, nearest
from .documents import Boot, Parsed, Release, assemble
from .echoes import without_echoes
from .field_table import AGENT_FIELDS, AGENT_HOST_FIELDS, INSTALL_FIELDS
from .field_values import items_from_variables
from .live_arguments import OPTION as LIVE_KERNEL_ARGUMENTS
from .live_arguments import argument_problems
from .nested_fields import AGENT_PLATFORMS, NETWORKING, POOL
from .shapes import Reader, in_upstream_case
from .spec import Bmc
from .tree import Item, merge_patch, plain, without_halves, without_nulls, wrap
from .upgrade import AGENT_API_VERSION
from .variable_fields import CLUSTER, HOST
from .variable_manifests import ManifestReading

CLUSTER_VARIABLE = "openshift_cluster"
HOST_VARIABLE = "openshift_host"
_ROLE_POOLS = {"master": "control_plane", "arbiter": "arbiter", "worker": "compute"}


def read_variables(
    cluster: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]], *, version: str = "", release_image: str = ""
) -> Parsed:
    """The deployment that the variables describe, with every problem of names and types.

    ``hosts`` are in inventory order; each is an ``openshift_host`` (defaults merged in) plus ``inventory_name`` and
    ``role`` (master, worker or arbiter, from the group). ``version`` and ``release_image`` win over those in
    ``cluster``. The only files read are those that ``extra_manifests`` names. Never raises for bad input.
    """
    reading = _Variables()
    return reading.parsed(reading.wrapped(cluster, CLUSTER_VARIABLE), list(hosts), version, release_image)


class _Variables:
    def __init__(self) -> None:
        self.reader = Reader(layer="ours")
        self.problems: list[Problem] = []

    def error(self, item: Item, kind: str, detail: str, *, path: str = "", value: str = "", hint: str = "") -> None:
        self.problems.append(Problem(path or item.path, kind, detail, layer="ours", value=value, hint=hint))

    def wrapped(self, data: Mapping[str, Any], path: str) -> Item:
        """A variable as items; texts that no file can contain are reported without their value."""
        found: list[str] = []
        item = wrap(without_halves(data, path, found), path)
        for each in dict.fromkeys(found):
            detail = "contains half of a surrogate pair (U+D800 to U+DFFF), which no file can contain"
            self.error(item, INVALID, detail, path=each, hint="replace this character")
        return item

    def parsed(self, provided: Item, hosts: list[Mapping[str, Any]], version: str, release_image: str) -> Parsed:
        cluster = self.reader.read(without_nulls(provided), CLUSTER) or Item({}, CLUSTER_VARIABLE)
        machines = self.hosts(hosts)
        install = self.install_config(cluster, machines)
        agent = self.agent_config(cluster, machines)
        overrides = cluster.get("install_config_overrides")
        if overrides is not None:
            # The user's own null removes; nulls were taken out of the rest above.
            install = merge_patch(install, provided.value["install_config_overrides"])
        self.bmc_in_cluster(install, machines)
        own_version = _text(cluster, "version")
        arguments = cluster.get(LIVE_KERNEL_ARGUMENTS) or Item([], "")
        self.problems += argument_problems((each.path, str(each.value)) for each in arguments.elements())
        release = Release(
            version or own_version,
            (release_image or _text(cluster, "release_image")).strip(),
            path=f"{CLUSTER_VARIABLE}.version" if version in ("", own_version) else "openshift_version",
            live_kernel_arguments=tuple(plain(arguments)),
        )
        extra = ManifestReading()
        parsed = assemble(
            install, agent, release, manifests=extra.manifests(cluster), boots=[machine.boot for machine in machines]
        )
        unread = (*self.reader.problems, *self.problems, *extra.problems)
        return dataclasses.replace(parsed, problems=(*unread, *without_echoes(parsed.problems, unread)))

    # Hosts

    def hosts(self, provided: list[Mapping[str, Any]]) -> list[_Machine]:
        machines: list[_Machine] = []
        roles: dict[str, str] = {}
        for index, variables in enumerate(provided):
            name = str(variables.get("inventory_name") or f"host-{index}")
            role = str(variables.get("role") or "")
            path = f"{HOST_VARIABLE}[{name}]"
            if name in roles:
                both = (
                    f"the host is in two role groups ({roles[name]} and {role})"
                    if roles[name] != role
                    else "the host is listed twice"
                )
                self.error(Item(None, path), DUPLICATE, both, value=name)
                continue
            roles[name] = role
            own = {key: value for key, value in variables.items() if key not in ("inventory_name", "role")}
            item = self.reader.read(without_nulls(self.wrapped(own, path)), HOST) or Item({}, path)
            if role not in _ROLE_POOLS:
                hint = "put the host into the group of the control plane, of the workers or of the arbiters"
                self.error(
                    item,
                    UNSUPPORTED if role else REQUIRED,
                    "a role is needed: master, worker or arbiter",
                    path=f"{path}.role",
                    value=role,
                    hint=hint,
                )
            machines.append(_Machine(name, role, item, self.boot(name, item)))
        return machines

    def boot(self, name: str, host: Item) -> Boot:
        bmc = self.bmc(host)
        method = host.get("boot", "method")
        chosen = method.value if method else default_method(host.value)
        if method is not None and chosen not in METHODS:
            self.error(
                method,
                UNSUPPORTED,
                f"supported values: {', '.join(METHODS)}",
                value=f'"{chosen}"',
                hint=nearest(chosen, tuple(METHODS)),
            )
        for key, what in METHODS[chosen].needs.items() if chosen in METHODS else ():
            if host.get(key) is None:
                self.error(host, REQUIRED, f"boot method {chosen} requires {what}", path=f"{host.path}.{key}")
        return Boot(name, bmc)

    def bmc(self, host: Item) -> Bmc | None:
        provided = host.get("bmc")
        if provided is None:
            return None
        if not _text(provided, "address"):
            self.error(provided, REQUIRED, "the address of the BMC is needed", path=f"{provided.path}.address")
        return Bmc(**plain(provided) | {"address": _text(provided, "address")})

    # Upstream's documents

    def agent_config(self, cluster: Item, machines: list[_Machine]) -> Item:
        document = {"apiVersion": Item(AGENT_API_VERSION, ""), "kind": Item("AgentConfig", "")}
        document |= items_from_variables(AGENT_FIELDS, cluster)
        document["hosts"] = Item([_agent_host(machine) for machine in machines], "")
        return Item(document, "")

    def install_config(self, cluster: Item, machines: list[_Machine]) -> Item:
        document = {"apiVersion": Item("v1", "")}
        metadata: dict[str, Item] = {}
        _put(metadata, "name", cluster.get("name"))
        _put(metadata, "namespace", cluster.get("namespace"))
        document["metadata"] = Item(metadata, "")
        document |= items_from_variables(INSTALL_FIELDS, cluster)
        document["networking"] = Item(_networking(cluster), "")
        document["platform"] = self.platform(cluster, len(machines))
        self.pools(document, cluster, machines)
        _put(document, "pullSecret", _pull_secret(cluster.get("pull_secret")))
        keys = cluster.get("ssh_public_keys")
        if keys is not None:
            document["sshKey"] = dataclasses.replace(
                keys, value="\n".join(str(key.value).strip() for key in keys.elements())
            )
        return Item(document, "")

    def platform(self, cluster: Item, hosts: int) -> Item:
        default = Item("none" if hosts == 1 else "baremetal", "")
        name = cluster.get("platform") or default
        if name.value not in AGENT_PLATFORMS:
            supported = ", ".join(f'"{platform}"' for platform in AGENT_PLATFORMS)
            self.error(name, UNSUPPORTED, f"supported values: {supported}", value=f'"{name.value}"')
            name = default
        provided = cluster.get("platform_options")
        options = dict(provided.mapping()) if provided else {}
        for option, target in (("api_vips", "apiVIPs"), ("ingress_vips", "ingressVIPs")):
            vips = cluster.get(option)
            if vips is None or name.value != "none":
                _put(options, target, vips)
            elif vips.value:
                why = "" if name.path else " (it is the default for one host)"
                self.error(vips, INVALID, f"platform none has no virtual addresses{why}")
        return Item({str(name.value): Item(options, provided.path if provided else "")}, name.path)

    def pools(self, document: dict[str, Item], cluster: Item, machines: list[_Machine]) -> None:
        """Pools of the roles: replicas from the groups unless given, one architecture for all unless given."""
        architecture = cluster.get("architecture")
        for role, option in _ROLE_POOLS.items():
            count = sum(machine.role == role for machine in machines)
            provided = cluster.get(option)
            if role == "arbiter" and not count and provided is None:
                continue
            pool = {"name": Item(role, ""), "replicas": Item(count, "")}
            _put(pool, "architecture", architecture)
            if provided is not None:
                pool.update(in_upstream_case(provided, POOL).mapping())
            item = Item(pool, provided.path if provided else "")
            document[{"control_plane": "controlPlane"}.get(option, option)] = (
                Item([item], item.path) if option == "compute" else item
            )

    def bmc_in_cluster(self, install: Item, machines: list[_Machine]) -> None:
        """``platform_options.hosts``: BMC data that the user wants known inside the cluster goes to the host of that
        name or MAC address.
        """
        baremetal = install.get("platform", "baremetal")
        listed = baremetal.get("hosts") if baremetal else None
        for entry in listed.elements() if listed else []:
            bmc = entry.get("bmc")
            machine = next((machine for machine in machines if machine.is_named(entry)), None)
            if machine is None:
                self.error(entry, INVALID, "no host of the inventory has this name or boot MAC address")
            elif bmc is not None:
                machine.document["bmc"] = bmc


@dataclasses.dataclass
class _Machine:
    """A host on its way: ``document`` is its entry in agent-config.yaml."""

    name: str
    role: str
    item: Item
    boot: Boot
    document: dict[str, Item] = dataclasses.field(default_factory=dict)

    def is_named(self, entry: Item) -> bool:
        name, mac = entry.get("name"), entry.get("bootMACAddress")
        hostname = self.item.get("hostname")
        if name is not None and name.value in (self.name, hostname.value if hostname else self.name):
            return True
        interfaces = self.item.get("interfaces")
        macs = [_text(interface, "mac_address").lower() for interface in interfaces.elements()] if interfaces else []
        return mac is not None and str(mac.value).lower() in macs


def _agent_host(machine: _Machine) -> Item:
    item, document = machine.item, machine.document
    document["hostname"] = item.get("hostname") or Item(machine.name, f"{item.path}.hostname")
    if machine.role:
        document["role"] = Item(machine.role, f"{item.path}.role")
    document |= items_from_variables(AGENT_HOST_FIELDS, item)
    if "networkConfig" in document and not document["networkConfig"].value:
        del document["networkConfig"]
    return Item(document, item.path)


def _networking(cluster: Item) -> dict[str, Item]:
    networking: dict[str, Item] = {}
    _put(networking, "networkType", cluster.get("network_type"))
    machine_networks = cluster.get("machine_networks")
    if machine_networks is not None:
        entries = [dataclasses.replace(entry, value={"cidr": entry}) for entry in machine_networks.elements()]
        networking["machineNetwork"] = dataclasses.replace(machine_networks, value=entries)
    cluster_networks = cluster.get("cluster_networks")
    if cluster_networks is not None:
        networking["clusterNetwork"] = in_upstream_case(cluster_networks, NETWORKING.fields["clusterNetwork"].shape)
    _put(networking, "serviceNetwork", cluster.get("service_networks"))
    return networking


def _pull_secret(item: Item | None) -> Item | None:
    # Templating may already have made a mapping of the JSON text.
    if item is not None and item.is_mapping:
        return dataclasses.replace(item, value=json.dumps(plain(item)))
    return item


def _text(item: Item, key: str) -> str:
    found = item.get(key)
    return str(found.value) if found is not None else ""


def _put(into: dict[str, Item], key: str, item: Item | None) -> None:
    if item is not None:
        into[key] = item
