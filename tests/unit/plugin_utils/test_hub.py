# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test converting the hosts of an inventory to options of the modules for a hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.modules.infra_env import argument_spec as infra_env_spec
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
ROOT = Path(__file__).parents[3]


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
    assert [problem.path for problem in caught.value.problems] == [
        "openshift_host[two].interfaces",
        "openshift_host[three].bmc",
    ]


def test_a_host_has_one_name_for_the_hub_and_for_its_bmc() -> None:
    """Else no run would boot a machine whose hostname is not its name in the inventory, and no CSR of its Node would be
    expected.
    """
    host = {
        "inventory_name": "rack-1",
        "hostname": "node-1",
        "role": "worker",
        "bmc": BMC,
        "interfaces": [{"name": "eth0", "mac_address": MAC}],
    }
    (agent,) = by_hostname(hub_hosts([host], {"rack-1": {"serial_number": "S"}}, None))["agents"]
    (machine_of_it,) = bmc_hosts([host])
    assert (agent["name"], agent["hostname"], agent["serial_number"]) == ("node-1", "node-1", "S")
    assert machine_of_it["name"] == agent["name"]


def test_hosts_without_a_bmc() -> None:
    hosts = [
        {"inventory_name": "one", "bmc": BMC},
        {"inventory_name": "two"},
        {"inventory_name": "three", "bmc": BMC, "boot": {"method": "manual"}},
    ]
    assert [problem.path for problem in without_bmc(hosts)] == ["openshift_host[two].bmc", "openshift_host[three].bmc"]


def test_early_binding_and_bare_metal_hosts_exclude_each_other() -> None:
    problems = check_hub({"openshift_hub": {"binding": "early", "bare_metal_hosts": True}})
    assert [problem.path for problem in problems] == ["openshift_hub.binding"]
    assert check_hub({"openshift_hub": {"bare_metal_hosts": "yes"}})[0].detail == "must be true or false"


def test_what_the_roles_say_themselves() -> None:
    assert [
        problem.path for problem in check_agent_variables({"one": {"by_bare_metal_host": True, "node_labels": {}}})
    ] == ["openshift_agent[one].by_bare_metal_host"]


@pytest.mark.parametrize(
    ("provided", "path", "words"),
    [
        ({"imagetype": "full-iso"}, "openshift_infra_env.imagetype", "did you mean image_type?"),
        (
            {"image_type": "full"},
            "openshift_infra_env.image_type",
            ("value of image_type must be one of: full-iso, minimal-iso, disconnected-iso, got: full"),
        ),
        (
            {"image_proxy": {"htp_proxy": "http://u:canary@p"}},
            "openshift_infra_env.image_proxy",
            "image_proxy.htp_proxy. Supported parameters include: http_proxy",
        ),
        (
            {"kernel_arguments": [{"operation": "append"}]},
            "openshift_infra_env.kernel_arguments",
            "missing required arguments: value found in kernel_arguments",
        ),
        (
            {"network_discovery_delay_seconds": "soon"},
            "openshift_infra_env.network_discovery_delay_seconds",
            "unable to convert to int",
        ),
        ({"hosts": []}, "openshift_infra_env.hosts", "is set by the collection"),
    ],
)
def test_options_of_the_image_are_checked_before_anything_is_made(
    provided: dict[str, Any], path: str, words: str
) -> None:
    (problem,) = check_hub({"openshift_infra_env": provided})
    assert problem.path == path and words in problem.text() and "canary" not in problem.text()


def test_the_role_passes_every_option_of_the_image_on() -> None:
    tasks = yaml.safe_load((ROOT / "roles" / "hub_image" / "tasks" / "main.yml").read_text())
    task = next(task for task in tasks if "zerotouch.openshift.infra_env" in task)
    passed = {
        name for name, value in task["zerotouch.openshift.infra_env"].items() if "hub_image_options" in str(value)
    }
    assert {name for name in infra_env_spec() if not check_hub({"openshift_infra_env": {name: None}})} == passed


def test_good_options_of_the_image() -> None:
    good = {
        "pull_secret": {"auths": {}},
        "image_proxy": {"http_proxy": "http://p"},
        "kernel_arguments": [{"value": "a=b"}],
        "agent_labels": {"a": "b"},
        "auto_approve": True,
        "timeout": 900,
    }
    assert check_hub({"openshift_infra_env": good}) == []


@pytest.mark.parametrize(
    ("provided", "path", "words"),
    [
        ({"nodelabels": {"a": "b"}}, "openshift_agent[one].nodelabels", "did you mean node_labels?"),
        ({"node_labels": "a"}, "openshift_agent[one].node_labels", "dict"),
        ({"hostname": "x"}, "openshift_agent[one].hostname", "comes from openshift_host"),
    ],
)
def test_options_of_agents_are_checked_before_anything_is_booted(
    provided: dict[str, Any], path: str, words: str
) -> None:
    (problem,) = check_agent_variables({"one": provided})
    assert problem.path == path and words in problem.text()


def test_good_options_of_agents() -> None:
    assert (
        check_agent_variables(
            {
                "one": {"node_labels": {"a": "b"}, "serial_number": "S", "installer_args": ["--append-karg", "a"]},
                "two": None,
            }
        )
        == []
    )
