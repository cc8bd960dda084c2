# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hosts of an inventory as the hub's doors take them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import bmc_hosts
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import (
    bare_metal_hosts,
    by_hostname,
    check_agent_variables,
    check_hub,
    hub_hosts,
    without_bmc,
)

BMC = {"address": "redfish-virtualmedia://192.0.2.1", "username": "root", "password": "x"}
MAC = "52:54:00:00:00:01"


def machine(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "bmc": BMC, "mac_addresses": [MAC], **more}


def test_agents_and_bmcs_become_bare_metal_hosts() -> None:
    agent = {
        "name": "one",
        "hostname": "one.example.com",
        "mac_addresses": [],
        "role": "worker",
        "serial_number": "S",
        "cluster": {"name": "c"},
        "unbind": False,
    }
    (found,) = bare_metal_hosts([agent], [machine("one.example.com"), machine("two")])
    assert found == {
        "name": "one",
        "hostname": "one.example.com",
        "boot_mac_address": MAC,
        "bmc": BMC,
        "role": "worker",
        "cluster": {"name": "c"},
        "unbind": False,
    }


def test_hosts_that_cannot_be_booted_are_named() -> None:
    agents = [{"name": "one"}, {"name": "two"}, {"name": "three"}]
    with pytest.raises(InvalidInput) as caught:
        bare_metal_hosts(agents, [machine("one"), machine("two", mac_addresses=[])])
    assert [problem.path for problem in caught.value.problems] == ["openshift_host[two].interfaces", "openshift_host[three].bmc"]


def test_a_host_has_one_name_for_the_hub_and_for_its_bmc() -> None:
    """Else nobody would boot a machine whose hostname is not its name in the inventory, and no CSR of its Node would be expected."""
    host = {"inventory_name": "rack-1", "hostname": "node-1", "role": "worker", "bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": MAC}]}
    (agent,) = by_hostname(hub_hosts([host], {"rack-1": {"serial_number": "S"}}, None))["agents"]
    (machine_of_it,) = bmc_hosts([host])
    assert (agent["name"], agent["hostname"], agent["serial_number"]) == ("node-1", "node-1", "S")
    assert machine_of_it["name"] == agent["name"]


def test_hosts_without_a_bmc() -> None:
    hosts = [{"inventory_name": "one", "bmc": BMC}, {"inventory_name": "two"}, {"inventory_name": "three", "bmc": BMC, "boot": {"method": "manual"}}]
    assert [problem.path for problem in without_bmc(hosts)] == ["openshift_host[two].bmc", "openshift_host[three].bmc"]


def test_early_binding_and_bare_metal_hosts_exclude_each_other() -> None:
    problems = check_hub({"openshift_hub": {"binding": "early", "bare_metal_hosts": True}})
    assert [problem.path for problem in problems] == ["openshift_hub.binding"]
    assert check_hub({"openshift_hub": {"bare_metal_hosts": "yes"}})[0].detail == "must be true or false"


def test_what_the_roles_say_themselves() -> None:
    assert [problem.path for problem in check_agent_variables({"one": {"by_bare_metal_host": True, "node_labels": {}}})] == [
        "openshift_agent[one].by_bare_metal_host"
    ]
