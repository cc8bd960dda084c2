# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check all variables of a run, and report every mistake.

The description of the cluster is checked later by ``module_utils/deployment/check.py``; :func:`configuration` prepares
the input for that check.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import socket
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.address import parse_address
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.container import (
    check_reachable,
    read_container,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import read_publish
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.route import Peer
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import METHOD as ASSISTED
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import check_host_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.capi import METHOD as CAPI
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.capi import check_description
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.groups import check_groups
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import bmc_hosts, chosen_hosts, group_names
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import check_agent_variables, without_bmc
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.paths import absolute_manifests
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.playbooks import check_playbook
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.pool import (
    check_hosted_description,
    check_hosted_groups,
)
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.run_options import check_run_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    as_list,
    check_host_variables,
    check_settings,
    configuration_is_readable,
)


def check_variables(inventory: Inventory, *, building: bool, playbook: str = "", here: bool = True) -> list[Problem]:
    """Everything that is wrong with the variables; with ``here`` also on this machine.

    A playbook that the method does not have is reported alone.

    Never raises.
    """
    variables = inventory.settings()
    if refused := check_run_options(inventory.run_options(), playbook, inventory.groups) or check_playbook(
        variables, playbook
    ):
        return refused
    hosts = [*check_host_variables(inventory.host_variables(), variables), *inventory.read_hosts()[1]]
    check = check_host_options if inventory.method == ASSISTED else check_agent_variables
    agents = check(inventory.agent_variables())
    settings = check_settings(variables, inventory.directory, building=building, here=here)
    described = (
        check_hosted_description(variables)
        if inventory.hosted and building and configuration_is_readable(variables)
        else []
    )
    known = {problem.path for problem in settings}
    settings += [problem for problem in described if problem.path not in known]
    # What cannot be read is not missing.
    unreadable = {problem.path for problem in inventory.unreadable}
    settings = [problem for problem in settings if problem.path not in unreadable]
    groups = _groups(inventory, building=building)
    found = [*inventory.unreadable, *settings, *groups, *hosts, *agents]
    # Only once it is clear which hosts are meant.
    if not (inventory.unreadable or settings or hosts):
        found += _without_bmc(inventory, building=building)
        found += check_description(variables, inventory.hosts()) if inventory.method == CAPI else []
        found += _unreachable_server(inventory, building=building) if here else []
    return found or _unknown_names(inventory, building=building)


def configuration(inventory: Inventory, problems: list[Problem], *, building: bool) -> dict[str, Any]:
    """The configuration of the cluster as :func:`check_input` takes it; empty where it cannot be checked, or another
    module checks it.
    """
    variables = inventory.settings()
    hosts_missing = any(
        (problem.path.startswith("openshift_host") and "." not in problem.path)
        or problem.path.startswith("openshift_groups.")
        for problem in problems
    )
    # Module hosted_cluster checks the description of a hosted cluster.
    if (
        inventory.unreadable
        or hosts_missing
        or not building
        or inventory.hosted
        or not configuration_is_readable(variables)
    ):
        return {}
    if source := variables.get("openshift_config_dir"):
        described: dict[str, Any] = {"config_dir": os.path.join(inventory.directory, os.path.expanduser(source))}
    else:
        described = {
            "cluster": absolute_manifests(variables["openshift_cluster"], inventory.directory),
            "hosts": inventory.read_hosts()[0],
        }
    options = {key: variables.get(f"openshift_{key}") for key in ("version", "release_image", "checks")}
    agent_iso = variables.get("openshift_install_method") in (None, "agent")
    return {"agent_iso": agent_iso, **described, **{key: value for key, value in options.items() if value is not None}}


def chosen(inventory: Inventory, *, building: bool) -> list[Any]:
    """The hosts that ``openshift_hosts`` names; all where a cluster is built.

    Raises :class:`InvalidInput` for an unknown name.
    """
    names = [] if building else as_list(inventory.settings().get("openshift_hosts") or [])
    return chosen_hosts(inventory.hosts(), names)


def _unknown_names(inventory: Inventory, *, building: bool) -> list[Problem]:
    """Unknown names in ``openshift_hosts``. The machines of a hub may be in other groups as well."""
    try:
        if inventory.method == ASSISTED:
            chosen(inventory, building=building)
    except InvalidInput as error:
        return list(error.problems)
    return []


def _without_bmc(inventory: Inventory, *, building: bool) -> list[Problem]:
    """Hosts that the hub must boot and cannot."""
    hub = inventory.settings().get("openshift_hub")
    if not isinstance(hub, dict) or not hub.get("bare_metal_hosts"):
        return []
    try:
        return without_bmc(chosen(inventory, building=building))
    except InvalidInput as error:
        return list(error.problems)


def _unreachable_server(inventory: Inventory, *, building: bool) -> list[Problem]:
    """That BMCs cannot reach the image server of this run, where it serves an image."""
    variables = inventory.settings()
    service = {
        ASSISTED: "openshift_assisted",
        "hub": "openshift_hub",
        "hosted": "openshift_hub",
        "capi": "openshift_hub",
    }.get(inventory.method or "")
    source = variables.get(service) or {} if service else {"image": "publish"}
    if not building or source.get("image") != "publish":
        return []
    connect_to = ConnectTo.parse(variables.get("openshift_connect_to") or {})[0]
    options = dataclasses.replace(
        read_publish(variables.get("openshift_publish") or {}, inventory.directory)[0], connect_to=connect_to
    )
    peers = []
    for host in bmc_hosts(inventory.hosts()):
        with contextlib.suppress(ValueError, KeyError):  # other checks report what cannot be read
            address = parse_address(host["bmc"]["address"])
            peers.append(Peer(host["name"], address.host, address.port))
    return check_reachable(options, peers, read_container(os.environ, socket.gethostname()))


def _groups(inventory: Inventory, *, building: bool) -> list[Problem]:
    """Groups matter where the inventory describes the cluster; with files of the user it only adds BMC data.

    On a hub, hosts may have other sources; then the cluster says how many it takes.
    """
    variables = inventory.settings()
    groups, names = inventory.groups, variables.get("openshift_groups") or {}
    cluster = variables.get("openshift_cluster")
    counted = (
        isinstance(cluster, dict)
        and isinstance(cluster.get("control_plane"), dict)
        and cluster["control_plane"].get("replicas") is not None
    )
    method = variables.get("openshift_install_method")
    if method == "hosted":
        return check_hosted_groups(groups or {}, group_names(names))
    capi = variables.get("openshift_capi")
    own_templates = isinstance(capi, dict) and capi.get("infrastructure") == "user_templates"
    described = cluster and (
        method in (None, "agent", ASSISTED)
        or (method == "hub" and not counted)
        or (method == CAPI and not own_templates)
    )
    if not (building and described and groups is not None and isinstance(names, dict)):
        return []
    return check_groups(groups, group_names(names), names)
