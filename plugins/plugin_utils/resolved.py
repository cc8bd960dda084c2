# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Resolve the variables of a run once, and derive from them the options of modules in every role.

:func:`resolve` reads and checks the variables and returns plain data. :class:`Resolved` derives values from that data.
The data has only one list of hosts: each further list of 1000 hosts costs Ansible about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import hide_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.capi.desired import (
    default_pool,
    planned_options,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import HUB_METHODS
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.from_spec import agent_hosts
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import METHOD as ASSISTED
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import host_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.capi import METHOD as CAPI
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.capi import read_capi
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import (
    bmc_hosts,
    chosen_hosts,
    identities,
    manual_hosts,
    node_addresses,
    virtual_hosts,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import (
    bare_metal_hosts,
    by_hostname,
    cluster_name,
    hub_hosts,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import native
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.paths import absolute_manifests
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.pool import read_hosted, read_pool, read_pools
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    as_list,
    assisted_settings,
    hub_settings,
    read_settings,
)


def resolve(inventory: Inventory, *, building: bool) -> dict[str, Any]:
    """Everything that roles need of the variables.

    May contain secrets. Raises :class:`InvalidInput` with every problem.
    """
    variables, directory = inventory.checked_settings(), inventory.directory
    settings = read_settings(variables, directory, building=building).as_dict()
    name = cluster_name(variables, directory)
    return {
        "building": building,
        "settings": settings,
        "cluster": absolute_manifests(variables.get("openshift_cluster") or {}, directory),
        "hosts": inventory.hosts(),
        "spare_hosts": inventory.spare_hosts(),
        "workers": inventory.workers,
        "chosen": [] if building else as_list(variables.get("openshift_hosts") or []),
        "described_agents": agent_hosts(inventory.described()) if building else [],
        "agent_variables": {host: options for host, options in inventory.agent_variables().items() if options},
        "hub": {
            **hub_settings(variables, directory, building=building),
            "cluster_name": name,
            "named": bool(variables.get("openshift_hub")),
        },
        "assisted": {
            **assisted_settings(variables, directory, building=building),
            "named": bool(variables.get("openshift_assisted")),
        },
        "hosted_cluster": _hosted(variables, name, required=inventory.hosted),
        "node_pool": read_pool(variables, name),
        "node_pools": read_pools(variables, name),
        "capi": _capi(variables, inventory, building=building) if settings["method"] == CAPI else {},
    }


def _capi(variables: Mapping[str, Any], inventory: Inventory, *, building: bool) -> dict[str, Any]:
    bmcs = {host["name"]: host["bmc"] for host in bmc_hosts(inventory.hosts()) if "bmc" in host}
    return read_capi(
        variables, inventory.hosts(), bmcs, hub_settings(variables, inventory.directory, building=building)["namespace"]
    )


def _hosted(variables: Mapping[str, Any], name: str, *, required: bool) -> dict[str, Any]:
    """The hosted cluster; empty where the variables describe none and the method needs none."""
    try:
        return read_hosted(variables, name)
    except InvalidInput:
        if required:
            raise
        return {}


class Resolved:
    """Parts of a resolved deployment, as options of the modules.

    ``data`` is what :func:`resolve` returned, possibly wrapped by Ansible's templating.

    ``method`` is the method whose hosts the caller touches, where it differs from that of the deployment. ``agents``
    replaces the agents of the hub. ``plan`` is a result of module capi_plan.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        method: str = "",
        agents: Sequence[Any] | None = None,
        plan: Mapping[str, Any] | None = None,
    ) -> None:
        self._data = data
        self._method = method
        self._agents = agents
        self._plan = plan

    def part(self, name: str) -> Any:
        """Raises :class:`InvalidInput` where hosts cannot be what the part needs."""
        return PARTS[name](self)

    def _get(self, name: str) -> Any:
        return native(self._data[name])

    @cached_property
    def settings(self) -> Any:
        """Contains no secrets, except ``publish.headers``, ``publish.image_access`` and passwords that the user wrote
        into a URL.
        """
        return self._get("settings")

    @cached_property
    def hosts(self) -> Any:
        return self._get("hosts")

    @cached_property
    def pool_hosts(self) -> list[Any]:
        """Machines that may be used for a pool: spare ones, and all of a hosted cluster."""
        found: list[Any] = self.hosts if self._hosted else self._get("spare_hosts")
        return found

    @cached_property
    def agent_variables(self) -> Any:
        return self._get("agent_variables")

    @property
    def _hosted(self) -> bool:
        return bool(self.settings["method"] == "hosted")

    @property
    def _capi(self) -> bool:
        return bool(self.settings["method"] == CAPI)

    def connections(self) -> dict[str, Any]:
        """Options that all modules with a connection take. A CA that is not configured is left out."""
        return _present({name: self.settings[name] for name in ("connect_to", "ca_cert")})

    def description(self) -> dict[str, Any]:
        """The options that describe a cluster, from the variables or from the user's files.

        What is not configured is left out.
        """
        settings = self.settings
        source = (
            {"config_dir": settings["source_dir"]}
            if settings["source_dir"]
            else {"cluster": self._get("cluster"), "hosts": self.hosts}
        )
        return source | _present({name: settings[name] for name in ("version", "release_image", "checks")})

    def chosen(self) -> list[Any]:
        """The hosts that ``openshift_hosts`` names, or all."""
        return list(chosen_hosts(self.hosts, self._get("chosen")))

    def hub(self) -> dict[str, Any]:
        found = {key: value for key, value in self._get("hub").items() if key != "named"}
        name = found.pop("cluster_name")
        # The Agents of a hosted cluster are bound by its provider, never by this collection.
        return {
            **found,
            "cluster": {"namespace": found["namespace"], "name": name} if name and not self._hosted else {},
        }

    def assisted(self) -> dict[str, Any]:
        """Modules know hosts by hostname, as their Nodes are called."""
        found = {key: value for key, value in self._get("assisted").items() if key != "named"}
        hostnames = _hostnames(self.hosts)
        options = {
            hostnames[name]: host_options(provided)
            for name, provided in self.agent_variables.items()
            if name in hostnames
        }
        return {
            **found,
            "host_options": options,
            "names": [hostnames[host["inventory_name"]] for host in self.chosen()],
        }

    def hub_hosts(self) -> dict[str, Any]:
        hub = self.hub()
        # The host of an InfraEnv with a cluster is bound when it registers.
        bound = hub["cluster"] if hub["binding"] == "late" else None
        found = hub_hosts(self.chosen(), self.agent_variables, bound or None)
        if described := self._get("described_agents"):
            # Files name hosts without further options for their Agents.
            found["agents"] = [{**agent, **({"cluster": dict(bound)} if bound else {})} for agent in described]
        return by_hostname(found)

    def bare_metal_hosts(self) -> list[dict[str, Any]]:
        agents = native(self._agents) if self._agents is not None else self.hub_hosts()["agents"]
        return bare_metal_hosts(agents, bmc_hosts(self.hosts))

    def node_pool(self) -> dict[str, Any]:
        pool, hosts = self._get("node_pool"), self.pool_hosts
        # Users name hosts as the inventory does.
        hostnames = _hostnames(hosts)
        for key in ("remove", "replace_hosts"):
            pool[key] = [hostnames.get(name, name) for name in pool[key]]
        machines = {machine["name"]: machine for machine in bmc_hosts(hosts)}
        agents = by_hostname(hub_hosts(hosts, self.agent_variables, None))
        return {
            **pool,
            "initial_replicas": self._initial_replicas(pool),
            **agents,
            "bmc_hosts": machines,
            "manual_hosts": manual_hosts(hosts),
        }

    def capi(self) -> dict[str, Any]:
        """Options of module assisted_control_plane; with a plan those of what it decided. Empty for other methods."""
        options: dict[str, Any] = self._get("capi").get("options", {})
        return planned_options(options, native(self._plan)) if options and self._plan is not None else options

    def capi_plan(self) -> dict[str, Any]:
        """Options of module capi_plan about the cluster; empty for other methods.

        Users name hosts as the inventory does, and the hub by hostname.
        """
        found, pool, hostnames = self._get("capi"), self._get("node_pool"), _hostnames(self.hosts)
        if not found:
            return {}
        options = found["options"]
        return {
            "name": options["name"],
            "namespace": options["namespace"],
            "infrastructure": options.get("infrastructure", "metal3"),
            "pools": found["pools"],
            "names": [hostnames.get(name, name) for name in self._get("chosen")],
            "pool": pool["name"] if pool["name"] != options["name"] else default_pool(options["name"]),
            "remove": [hostnames.get(name, name) for name in pool["remove"]],
            "replicas": pool["replicas"],
        }

    def of_pools(self) -> list[dict[str, Any]]:
        """The resolved variables as each pool of the list has them."""
        return [{**self._data, "node_pool": pool, "node_pools": [pool]} for pool in self._data["node_pools"]]

    def upgrade_waves(self) -> list[list[dict[str, Any]]]:
        """The pools that follow the release of their hosted cluster, as :meth:`of_pools`: those of a wave together, the
        waves in their order.
        """
        image = self._get("hosted_cluster")["options"].get("release_image")
        waves: dict[int, list[dict[str, Any]]] = {}
        for pool in self._data["node_pools"] if image else ():
            if pool["upgrade_wave"] is not None:
                # A pool that does not exist is left to scale_node_pool.
                follows = {
                    **pool,
                    "replicas": None,
                    "initial_replicas": 0,
                    "options": {**pool["options"], "release_image": image},
                }
                waves.setdefault(pool["upgrade_wave"], []).append(
                    {**self._data, "node_pool": follows, "node_pools": [follows]}
                )
        return [waves[number] for number in sorted(waves)]

    def _initial_replicas(self, pool: Mapping[str, Any]) -> Any:
        """One worker in the inventory is one node of a new pool; the autoscaler begins with the smallest size."""
        if "initial_replicas" in pool:
            return pool["initial_replicas"]
        scaling = pool["options"].get("auto_scaling")
        smallest = scaling.get("min") if isinstance(scaling, dict) else None
        if smallest is not None:
            return smallest
        return self._get("workers") if self._get("building") else None

    def touch(self) -> dict[str, Any]:
        settings = self.settings
        machines = {host["inventory_name"]: host for host in [*self.hosts, *self.pool_hosts]}
        method = self._method or settings["method"]
        return {
            "method": method,
            "cluster_name": settings["name"],
            **{key: settings[key] for key in ("work_dir", "confirm", "force", "timeouts")},
            "hosts": identities(machines.values(), self.agent_variables),
            "hub": self._named_hub() if self._data["hub"]["named"] or method in HUB_METHODS else None,
            "assisted": self._named_service() if self._data["assisted"]["named"] or method == ASSISTED else None,
        }

    def _named_service(self) -> dict[str, Any]:
        found = self._get("assisted")
        return {**_without_mapping(found), "cluster_id": found["cluster_id"]}

    def _named_hub(self) -> dict[str, Any]:
        """Connection and scope of the hub that the user named; what is in the namespaces of its pools belongs to this
        deployment.
        """
        hub, namespace = self.hub(), self._data["node_pool"]["machine_namespace"]
        scope = {
            "namespace": hub["namespace"],
            "infra_env": hub["infra_env"],
            "cluster": hub["cluster"] or None,
            "bare_metal_hosts": hub["bare_metal_hosts"],
        }
        hosted = self._get("hosted_cluster")
        if self._hosted and hosted:
            scope["hosted_cluster"] = {key: hosted[key] for key in ("namespace", "name")}
        if self._capi:
            # Machines are booted by Metal3 only, and each of them has an InfraEnv of its own.
            scope |= {"infra_env": "", "bare_metal_hosts": True}
        return {**_without_mapping(hub), **scope, "namespaces": [str(namespace)] if namespace else []}


PARTS: Mapping[str, Callable[[Resolved], Any]] = {
    "building": lambda found: found._get("building"),
    "chosen_names": lambda found: found._get("chosen"),
    "settings": lambda found: found.settings,
    "shown_settings": lambda found: hide_secrets(found.settings),
    "connections": Resolved.connections,
    "description": Resolved.description,
    "cluster": lambda found: found._get("cluster"),
    "hosts": lambda found: found.hosts,
    "bmc_hosts": lambda found: bmc_hosts(found.hosts),
    "virtual_hosts": lambda found: virtual_hosts(found.hosts),
    "manual_hosts": lambda found: manual_hosts(found.hosts),
    "node_addresses": lambda found: node_addresses(found.hosts),
    "hub": Resolved.hub,
    "assisted": Resolved.assisted,
    "hub_hosts": Resolved.hub_hosts,
    "bare_metal_hosts": Resolved.bare_metal_hosts,
    "hosted_cluster": lambda found: found._get("hosted_cluster"),
    "node_pool": Resolved.node_pool,
    "of_pools": Resolved.of_pools,
    "upgrade_waves": Resolved.upgrade_waves,
    "capi": Resolved.capi,
    "capi_plan": Resolved.capi_plan,
    "touch": Resolved.touch,
}


def _hostnames(hosts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {host["inventory_name"]: str(host.get("hostname") or host["inventory_name"]) for host in hosts}


def _present(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value}


def _without_mapping(service: Mapping[str, Any]) -> dict[str, Any]:
    """The connection of a hub or service without ``connect_to``: modules have one option for all connections."""
    return {key: value for key, value in service["connection"].items() if key != "connect_to"}
