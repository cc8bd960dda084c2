# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The inventory plugin agents: names and groups as tables, the plugin itself through ansible-inventory, as AWX runs it."""

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
from ansible_collections.zerotouch.openshift.plugins.inventory.agents import InventoryModule
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.flat import flatten
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.inventory import groups_of, host_names, variables_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent

ROOT = Path(__file__).parents[4]
DEFAULT = ["hostname", "name"]


def flat(*agents: dict[str, Any]) -> list[dict[str, Any]]:
    return [flatten(read_agent(agent)) for agent in agents]


def test_names(made: ModuleType) -> None:
    twins = flat(made.agent(1, hostname="twin"), made.agent(2, hostname="twin"), made.agent(3, hostname="localhost.localdomain"), made.agent(4))
    assert host_names(twins, DEFAULT) == [made.uuid(1), made.uuid(2), made.uuid(3), "host-4"]
    assert host_names(twins, ["mac_address"]) == [made.mac(number) for number in (1, 2, 3, 4)]
    assert host_names(flat(made.agent(1, macs=[])), ["mac_address"]) == [f"lab-{made.uuid(1)}"]
    moved = flat(made.agent(1, namespace="a"), made.agent(1, namespace="b"))
    assert host_names(moved, DEFAULT) == [f"a-{made.uuid(1)}", f"b-{made.uuid(1)}"]


def test_groups(made: ModuleType) -> None:
    agent = flat(made.agent(1, role="master", cluster=("ns-1", "edge.1"), state="known", labels={"example.com/rack": "r-1"}))[0]
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
    assert groups_of(bare, kinds, []) == ["agents", "agents_state_unknown", "agents_role_none", "agents_unbound", "agents_infra_env_lab_none"]


def test_variables(made: ModuleType) -> None:
    variables = variables_of(flat(made.agent(1))[0])
    assert variables["agent_macs"] == [made.mac(1)] and variables["agent_inventory"]["cpu"]["count"] == 8
    assert all(name.startswith("agent_") for name in variables)


@pytest.mark.parametrize(
    ("name", "ours"),
    [("edge.agents.yml", True), ("edge.agents.yaml", True), ("agents.yml", True), ("edge.yml", False), ("agents.json", False), ("missing.agents.yml", False)],
)
def test_files(name: str, ours: bool, tmp_path: Path) -> None:
    if not name.startswith("missing"):
        (tmp_path / name).write_text("plugin: zerotouch.openshift.agents\n")
    assert InventoryModule().verify_file(str(tmp_path / name)) is ours


def plain(value: Any) -> Any:
    """Strings of a plugin are no templates; ansible-inventory marks them so."""
    if isinstance(value, dict):
        return value["__ansible_unsafe"] if "__ansible_unsafe" in value else {key: plain(item) for key, item in value.items()}
    return value


@pytest.fixture
def listed(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """``ansible-inventory --list`` of a configuration, with nothing of ours in the environment but what is given; no terminal."""

    def run(config: dict[str, Any], *, fails: bool = False, **environment: str) -> dict[str, Any]:
        path = tmp_path / "hub.agents.yml"
        path.write_text(yaml.safe_dump({"plugin": "zerotouch.openshift.agents", **config}))
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH", "ANSIBLE", "KUBE"))}
        own = {"ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"), "HOME": str(tmp_path), "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true"}
        command = [str(Path(sys.executable).parent / "ansible-inventory"), "-i", str(path), "--list"]
        done = subprocess.run(
            command, env={**inherited, **own, **environment}, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, cwd=tmp_path
        )
        if fails:
            assert done.returncode != 0
            return {"error": done.stderr}
        assert done.returncode == 0, done.stderr
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
        name: found[name]["hosts"] for name in ("agents_role_master", "agents_label_rack_r1", "agents_state_insufficient_unbound", "big", "model_R650")
    } == {
        "agents_role_master": ["host-1"],
        "agents_label_rack_r1": ["host-1"],
        "agents_state_insufficient_unbound": ["host-2"],
        "big": ["host-1", "host-2"],
        "model_R650": ["host-1", "host-2"],
    }
    variables = plain(found["_meta"]["hostvars"]["host-1"])
    assert (variables["ansible_host"], variables["agent_approved"], variables["agent_serial_number"]) == ("10.0.0.1", True, "S1")


def test_as_awx_runs_it(hub: Any, made: ModuleType, listed: Any) -> None:
    """The credential type of AWX sets variables of the environment; nothing else says where the hub is."""
    hub.put("agents", made.agent(1))
    awx = {"K8S_AUTH_HOST": hub.url, "K8S_AUTH_API_KEY": "from-awx", "K8S_AUTH_VERIFY_SSL": "False"}
    found = listed({"namespaces": ["lab"], "query": "state == 'known-unbound'", "inventory": False}, **awx)
    assert found["agents"]["hosts"] == ["host-1"] and "agent_inventory" not in found["_meta"]["hostvars"]["host-1"]
    assert hub.requests[0]["authorization"] == "Bearer from-awx"
    assert hub.requests[0]["path"].endswith("/namespaces/lab/agents")


def test_a_cache_spares_the_hub(hub: Any, made: ModuleType, listed: Any, tmp_path: Path) -> None:
    hub.put("agents", made.agent(1))
    cached = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "cache")}
    config = {"kubeconfig": hub.kubeconfig, **cached}
    first = listed(config)
    hub.put("agents", made.agent(2))
    assert listed(config) == first and hub.calls() == {"list": 1}
    assert listed({**config, "namespaces": ["lab"]})["agents"]["hosts"] == ["host-1", "host-2"]
    assert hub.kubeconfig["users"][0]["user"]["token"] not in "".join(path.read_text() for path in (tmp_path / "cache").iterdir())


def test_faults_are_told(hub: Any, listed: Any, hubserver: ModuleType) -> None:
    hub.faults.append(lambda request: hubserver.status(403, "Forbidden", "agents is forbidden"))
    assert "agents is forbidden" in listed({"kubeconfig": hub.kubeconfig}, fails=True)["error"]
    assert "is not a JMESPath expression" in listed({"kubeconfig": hub.kubeconfig, "query": "a ||"}, fails=True)["error"]


def test_a_misspelt_option_is_not_passed_over(hub: Any, made: ModuleType, listed: Any) -> None:
    told = listed({"kubeconfig": hub.kubeconfig, "namespacs": ["lab"]}, fails=True)["error"]
    assert "namespacs is no option of this plugin; did you mean namespaces?" in told
    assert hub.requests == []
    assert listed({"kubeconfig": hub.kubeconfig, "verify_ssl": False, "use_extra_vars": True, "leading_separator": False})["_meta"]
