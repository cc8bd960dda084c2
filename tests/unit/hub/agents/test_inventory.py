# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the inventory plugin agents: tables of names and groups, and runs of the plugin through ansible-inventory, as
AWX runs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.inventory.agents import EXAMPLES, InventoryModule
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.host_names import host_name_fault
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.flat import flatten
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.inventory import (
    groups_of,
    host_names,
    variables_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.tests.support.hostile import readers
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.terminals import PAYLOADS, harmful

ROOT = Path(__file__).parents[4]
DEFAULT = ["hostname", "name"]


def flat(*agents: dict[str, Any]) -> list[dict[str, Any]]:
    return [flatten(read_agent(agent)) for agent in agents]


def test_names(made: ModuleType) -> None:
    twins = flat(
        made.agent(1, hostname="twin"),
        made.agent(2, hostname="twin"),
        made.agent(3, hostname="localhost.localdomain"),
        made.agent(4),
    )
    assert host_names(twins, DEFAULT) == [made.uuid(1), made.uuid(2), made.uuid(3), "host-4"]
    assert host_names(twins, ["mac_address"]) == [made.mac(number) for number in (1, 2, 3, 4)]
    assert host_names(flat(made.agent(1, macs=[])), ["mac_address"]) == [f"lab-{made.uuid(1)}"]
    moved = flat(made.agent(1, namespace="a"), made.agent(1, namespace="b"))
    assert host_names(moved, DEFAULT) == [f"a-{made.uuid(1)}", f"b-{made.uuid(1)}"]


@pytest.mark.parametrize("hostname", [*readers.NAMES_OF_THE_CONTROLLER, *readers.NO_DNS_NAMES])
def test_a_hostname_that_leads_to_the_controller_is_not_used(made: ModuleType, hostname: str) -> None:
    agent = made.agent(1)
    agent["status"]["inventory"]["hostname"] = hostname
    assert host_names(flat(agent), DEFAULT) == [made.uuid(1)] and flat(agent)[0]["hostname"] == ""
    if hostname:
        assert host_names(flat(made.agent(1, hostname=hostname)), DEFAULT) == [made.uuid(1)]


def test_neither_are_other_names_of_an_agent(made: ModuleType) -> None:
    agents = flat(made.agent(1, macs=["00:00:00:00:00:00:00:01"]), made.agent(2))
    agents[1] |= {"name": "127.0.0.1", "namespace": "0", "macs": ["-oProxyCommand=id"]}
    first, second = host_names(agents, ["mac_address", "name"])
    assert (first, second) == (made.uuid(1), "0-127.0.0.1")
    agents[1]["namespace"] = "localhost.{{"
    assert host_names(agents, ["name"])[1].startswith("agent-")


def test_no_agent_takes_the_name_of_another(made: ModuleType) -> None:
    twins = flat(
        made.agent(1, hostname="twin"), made.agent(2, hostname="twin"), made.agent(3, hostname=f"lab-{made.uuid(1)}")
    )
    assert host_names(twins, ["hostname"]) == [f"lab-{made.uuid(1)}", f"lab-{made.uuid(2)}", f"lab-{made.uuid(3)}"]


@given(
    names=st.lists(
        st.one_of(
            st.text(max_size=20), st.sampled_from(readers.NAMES_OF_THE_CONTROLLER), st.sampled_from(["a", "b", "n-2"])
        ),
        max_size=6,
    )
)
def test_hosts_have_different_safe_names(names: list[str]) -> None:
    agents = [
        {"namespace": "n", "name": str(number), "hostname": name, "macs": [name]} for number, name in enumerate(names)
    ]
    found = host_names(agents, ["hostname", "mac_address", "name"])
    assert len(set(found)) == len(found) == len(agents)
    assert all(not host_name_fault(name) for name in found)


def test_addresses_that_lead_to_the_controller_are_left_out(made: ModuleType) -> None:
    agent = made.agent(1)
    addresses = [*readers.ADDRESSES_OF_THE_CONTROLLER, *readers.NO_ADDRESSES]
    agent["status"]["inventory"]["interfaces"] = [
        {"ipV4Addresses": [f"{each}/24" for each in (*addresses, "10.0.0.1")], "ipV6Addresses": ["2001:db8::1/64"]}
    ]
    assert flat(agent)[0]["ip_addresses"] == ["10.0.0.1", "2001:db8::1"]


def test_the_example_shares_no_cache() -> None:
    examples = list(yaml.safe_load_all(EXAMPLES))
    assert examples[0]["cache"] and examples[0]["cache_connection"].startswith("~/.cache/")


def test_groups(made: ModuleType) -> None:
    agent = flat(
        made.agent(1, role="master", cluster=("ns-1", "edge.1"), state="known", labels={"example.com/rack": "r-1"})
    )[0]
    kinds = ["state", "role", "cluster", "infra_env"]
    assert groups_of(agent, kinds, ["example.com/rack", "absent"]) == [
        "agents",
        "agents_state_known",
        "agents_role_master",
        "agents_cluster_ns_1_edge_1",
        "agents_infra_env_lab_lab",
        "agents_label_example_com_rack_r_1",
    ]
    bare = flat({"metadata": {"name": "x", "namespace": "lab"}})[0]
    assert groups_of(bare, kinds, []) == [
        "agents",
        "agents_state_unknown",
        "agents_role_none",
        "agents_unbound",
        "agents_infra_env_lab_none",
    ]


def test_variables(made: ModuleType) -> None:
    variables = variables_of(flat(made.agent(1))[0])
    assert variables["agent_macs"] == [made.mac(1)] and variables["agent_inventory"]["cpu"]["count"] == 8
    assert all(name.startswith("agent_") for name in variables)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("edge.agents.yml", True),
        ("edge.agents.yaml", True),
        ("agents.yml", True),
        ("edge.yml", False),
        ("agents.json", False),
        ("missing.agents.yml", False),
    ],
)
def test_files(name: str, ours: bool, tmp_path: Path) -> None:
    if not name.startswith("missing"):
        (tmp_path / name).write_text("plugin: zerotouch.openshift.agents\n")
    assert InventoryModule().verify_file(str(tmp_path / name)) is ours


def plain(value: Any) -> Any:
    """Strings of a plugin are no templates; ansible-inventory marks them so."""
    if isinstance(value, dict):
        return (
            value["__ansible_unsafe"]
            if "__ansible_unsafe" in value
            else {key: plain(item) for key, item in value.items()}
        )
    return value


@pytest.fixture
def listed(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """``ansible-inventory --list`` of a configuration, with nothing of ours in the environment but what is given; no
    terminal.
    """

    def run(
        config: dict[str, Any], *, fails: bool = False, before: dict[str, Any] | None = None, **environment: str
    ) -> dict[str, Any]:
        path = tmp_path / "hub.agents.yml"
        path.write_text(yaml.safe_dump({"plugin": "zerotouch.openshift.agents", **config}))
        inherited = {
            key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH", "ANSIBLE", "KUBE"))
        }
        own = {
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
            "HOME": str(tmp_path),
            "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
        }
        (tmp_path / "static.yml").write_text(yaml.safe_dump(before or {}))
        sources = ["-i", str(tmp_path / "static.yml")] if before else []
        command = [str(Path(sys.executable).parent / "ansible-inventory"), *sources, "-i", str(path), "--list"]
        done = subprocess.run(
            command,
            env={**inherited, **own, **environment},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            cwd=tmp_path,
        )
        if fails:
            assert done.returncode != 0
            return {"error": " ".join(done.stderr.split())}  # ansible-core before 2.19 breaks lines
        assert done.returncode == 0, done.stderr
        run.warnings = " ".join(done.stderr.split())  # type: ignore[attr-defined]
        return dict(json.loads(done.stdout))

    return run


def test_as_a_user_sees_it(hub: Any, made: ModuleType, listed: Any) -> None:
    hub.put("agents", made.agent(1, role="master", approved=True, labels={"rack": "r1"}))
    hub.put("agents", made.agent(2, namespace="other", state="insufficient-unbound"))
    config = {
        "kubeconfig": hub.kubeconfig,
        "label_groups": ["rack"],
        "compose": {"ansible_host": "agent_ip_addresses | first"},
        "groups": {"big": "agent_inventory.cpu.count >= 8"},
        "keyed_groups": [{"key": "agent_inventory.systemVendor.productName", "prefix": "model"}],
        "strict": True,
    }
    found = listed(config)
    assert found["agents"]["hosts"] == ["host-1", "host-2"]
    assert {
        name: found[name]["hosts"]
        for name in (
            "agents_role_master",
            "agents_label_rack_r1",
            "agents_state_insufficient_unbound",
            "big",
            "model_R650",
        )
    } == {
        "agents_role_master": ["host-1"],
        "agents_label_rack_r1": ["host-1"],
        "agents_state_insufficient_unbound": ["host-2"],
        "big": ["host-1", "host-2"],
        "model_R650": ["host-1", "host-2"],
    }
    variables = plain(found["_meta"]["hostvars"]["host-1"])
    assert (variables["ansible_host"], variables["agent_approved"], variables["agent_serial_number"]) == (
        "10.0.0.1",
        True,
        "S1",
    )


STATIC = {
    "all": {"hosts": {"bastion": {"ansible_host": "192.0.2.10"}}, "children": {"database": {"hosts": {"db-1": {}}}}}
}


@pytest.mark.slow
@pytest.mark.parametrize("hostname", ["bastion", "database", "agents"])
def test_a_host_of_another_source_stays_as_it_is(hub: Any, made: ModuleType, listed: Any, hostname: str) -> None:
    hub.put("agents", made.agent(1, hostname=hostname))
    hub.put("agents", made.agent(2))
    found = listed(
        {
            "kubeconfig": hub.kubeconfig,
            "hostnames": ["hostname"],
            "compose": {"ansible_host": "agent_ip_addresses | first"},
        },
        before=STATIC,
    )
    assert plain(found["_meta"]["hostvars"]["bastion"]) == {"ansible_host": "192.0.2.10"}
    assert found["agents"]["hosts"] == ["host-2", f"lab-{made.uuid(1)}"] or found["agents"]["hosts"] == [
        f"lab-{made.uuid(1)}",
        "host-2",
    ]
    assert found["database"]["hosts"] == ["db-1"]
    assert (
        f"Agent lab/{made.uuid(1)}" in listed.warnings
        and hostname in listed.warnings
        and "host-2" not in listed.warnings
    )


@pytest.mark.slow
def test_one_agent_in_two_sources_is_one_host(hub: Any, made: ModuleType, listed: Any) -> None:
    hub.put("agents", made.agent(1))
    before = {"all": {"hosts": {"host-1": {"agent_namespace": "lab", "agent_name": made.uuid(1), "rack": "r1"}}}}
    found = listed({"kubeconfig": hub.kubeconfig}, before=before)
    assert found["agents"]["hosts"] == ["host-1"] and found["_meta"]["hostvars"]["host-1"]["rack"] == "r1"


def test_taken_names(made: ModuleType) -> None:
    agents = flat(made.agent(1))
    assert host_names(agents, DEFAULT, {"host-1"}) == [made.uuid(1)]
    last_resort = f"lab-{made.uuid(1)}"
    assert host_names(agents, DEFAULT, {"host-1", made.uuid(1)}) == [last_resort]
    assert host_names(agents, DEFAULT, {"host-1", made.uuid(1), last_resort})[0].startswith("agent-")


@pytest.mark.slow
def test_as_awx_runs_it(hub: Any, made: ModuleType, listed: Any) -> None:
    """The credential type of AWX sets variables of the environment; nothing else says where the hub is."""
    hub.put("agents", made.agent(1))
    awx = {"K8S_AUTH_HOST": hub.url, "K8S_AUTH_API_KEY": "from-awx", "K8S_AUTH_VERIFY_SSL": "False"}
    found = listed({"namespaces": ["lab"], "query": "state == 'known-unbound'", "inventory": False}, **awx)
    assert found["agents"]["hosts"] == ["host-1"] and "agent_inventory" not in found["_meta"]["hostvars"]["host-1"]
    assert hub.requests[0]["authorization"] == "Bearer from-awx"
    assert hub.requests[0]["path"].endswith("/namespaces/lab/agents")


@pytest.mark.slow
def test_an_agent_that_attacks_the_terminal(hub: Any, made: ModuleType, listed: Any, hubserver: ModuleType) -> None:
    """Values of all payloads, names of labels among them, and an error of the hub."""
    agent = made.agent(1, labels={"rack\x1b[2J": "r\x9b1"})
    agent["status"]["debugInfo"]["stateInfo"] = " ".join(PAYLOADS.values()).replace("\ud800", "")
    hub.put("agents", agent)
    found = listed({"kubeconfig": hub.kubeconfig})
    assert "\\x1b[31m" in json.dumps(plain(found["_meta"]["hostvars"]["host-1"]))
    texts = [text for name, group in found.items() for text in (name, json.dumps(group, ensure_ascii=False))]
    assert [character for text in texts for character in harmful(text)] == []
    hub.faults.append(
        lambda request: hubserver.status(400, "BadRequest", PAYLOADS["clear screen"] + PAYLOADS["C1 introducer"])
    )
    error = listed({"kubeconfig": hub.kubeconfig}, fails=True)["error"]
    assert "\\x1b[2J" in error and harmful(error) == []


@pytest.mark.slow
def test_texts_of_an_agent_are_no_templates(hub: Any, made: ModuleType, tmp_path: Path) -> None:
    """Neither as a value nor inside of one; before ansible-core 2.19 every text of a variable is a template unless it
    is marked.
    """
    agent = made.agent(1)
    agent["status"]["debugInfo"]["stateInfo"] = "{{ 6 * 7 }}"
    agent["status"]["inventory"]["systemVendor"]["productName"] = "{{ lookup('pipe', 'id') }}"
    hub.put("agents", agent)
    path = tmp_path / "hub.agents.yml"
    path.write_text(
        yaml.safe_dump(
            {
                "plugin": "zerotouch.openshift.agents",
                "kubeconfig": hub.kubeconfig,
                "compose": {"model": "agent_inventory.systemVendor"},
            }
        )
    )
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH", "ANSIBLE", "KUBE"))
    }
    environment |= {"ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"), "HOME": str(tmp_path), "ANSIBLE_NOCOLOR": "1"}
    words = [
        "host-1",
        "-i",
        str(path),
        "-c",
        "local",
        "-m",
        "ansible.builtin.debug",
        "-a",
        ("msg={{ [agent_state_info, agent_inventory, model] | to_json }}"),
    ]
    command = [str(Path(sys.executable).parent / "ansible"), *words]
    shown = subprocess.run(
        command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True, cwd=tmp_path
    ).stdout
    assert "{{ 6 * 7 }}" in shown and shown.count("lookup(") == 2 and "42" not in shown and "uid=" not in shown, shown


@pytest.mark.slow
def test_a_cache_spares_the_hub(hub: Any, made: ModuleType, listed: Any, tmp_path: Path) -> None:
    hub.put("agents", made.agent(1))
    cached = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "cache")}
    config = {"kubeconfig": hub.kubeconfig, **cached}
    first = listed(config)
    hub.put("agents", made.agent(2))
    assert listed(config) == first and hub.calls() == {"list": 1}
    assert listed({**config, "namespaces": ["lab"]})["agents"]["hosts"] == ["host-1", "host-2"]
    assert hub.kubeconfig["users"][0]["user"]["token"] not in "".join(
        path.read_text() for path in (tmp_path / "cache").iterdir()
    )


@pytest.mark.slow
def test_faults_are_reported(hub: Any, listed: Any, hubserver: ModuleType) -> None:
    hub.faults.append(lambda request: hubserver.status(403, "Forbidden", "agents is forbidden"))
    assert "agents is forbidden" in listed({"kubeconfig": hub.kubeconfig}, fails=True)["error"]
    assert (
        "is not a JMESPath expression" in listed({"kubeconfig": hub.kubeconfig, "query": "a ||"}, fails=True)["error"]
    )


@pytest.mark.slow
def test_a_misspelt_option_is_not_passed_over(hub: Any, made: ModuleType, listed: Any) -> None:
    reported = listed({"kubeconfig": hub.kubeconfig, "namespacs": ["lab"]}, fails=True)["error"]
    assert "namespacs is no option of this plugin; did you mean namespaces?" in reported
    assert hub.requests == []
    assert listed(
        {"kubeconfig": hub.kubeconfig, "verify_ssl": False, "use_extra_vars": True, "leading_separator": False}
    )["_meta"]
