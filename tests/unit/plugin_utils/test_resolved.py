# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test resolving the variables of an inventory with random values: any inventory gives either its resolved parts or
problems with their location, and never an exception.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from ansible.errors import AnsibleFilterError, AnsibleUndefinedVariable
from ansible_collections.zerotouch.openshift.plugins.filter.deployment import deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.terminal import printable
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import container
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.container import Container
from ansible_collections.zerotouch.openshift.plugins.plugin_utils import check as check_module
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables, configuration
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import PARTS, resolve
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import VARIABLES
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variables_action import read_deployment
from ansible_collections.zerotouch.openshift.tests.unit.cluster.mistakes import good_cluster, good_hosts
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

BMC = {"address": "redfish-virtualmedia://10.0.0.1", "username": "admin", "password": "secret"}
CLUSTER = {"name": "demo", "version": "4.22.0"}
GOOD: dict[str, Any] = {"openshift_cluster": CLUSTER, "openshift_base_image": {"path": "base.iso"}}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=5,
)
OF_HOSTS = ("hostname", "bmc", "boot", "interfaces", "network_config", "root_device_hints")
IN_BMC = ("address", "username", "password", "validate_certs", "ca_cert", "fingerprint")


class Undefined:
    """Represents a template that cannot be rendered."""


def render(value: Any) -> Any:
    if isinstance(value, Undefined):
        raise AnsibleUndefinedVariable("'vault_word' is undefined")
    return value


def problems(variables: dict[str, Any], *, building: bool = True, playbook: str = "") -> list[str]:
    return [
        problem.text()
        for problem in check_variables(Inventory(variables, render), building=building, playbook=playbook)
    ]


def part(name: str, variables: dict[str, Any], *, building: bool = True, **options: Any) -> Any:
    return deployment(resolve(Inventory(variables, render), building=building), name, **options)


def inventory(hosts: dict[str, Any], group: str = "control_plane", **variables: Any) -> dict[str, Any]:
    hostvars = {name: {**variables, "openshift_host": host} for name, host in hosts.items()}
    return {**GOOD, **variables, "groups": {group: list(hosts)}, "hostvars": hostvars}


def check(
    variables: dict[str, Any], *, building: bool = True, playbook: str = "", store: str = "ignore"
) -> dict[str, Any]:
    call = Call(
        {"building": building, "playbook": playbook, "show_connections": True, "live_report": False, "store": store}
    )
    return perform(lambda call: read_deployment(Inventory(variables, render), call), call)


def all_parts(variables: dict[str, Any]) -> None:
    found = problems(variables)
    assert all(isinstance(text, str) and text for text in found)
    result = check(variables)
    assert result["failed"] or not found
    if result["failed"]:
        reported = result["msg"].splitlines()
        assert set(printable("\n".join(found)).splitlines()) <= set(reported), (found, reported)
        return
    for name in PARTS:
        try:
            deployment(result["deployment"], name)
        except AnsibleFilterError as error:
            assert name in ("hub_hosts", "bare_metal_hosts", "node_pool") and str(error), (name, error)


FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@FUZZ
@given(st.sampled_from(sorted(VARIABLES)), ANYTHING)
@example("openshift_groups", [])
@example("openshift_groups", {"workers": {"x": 1}})
@example("openshift_publish", {"tls": 3})
@example("openshift_timeouts", {"boot": float("nan")})
@example("openshift_connect_to", {"a": {}})
@example("openshift_host_defaults", {"bmc": 7})
@example("openshift_checks", {"mtu": []})
@example("openshift_cluster", {"name": {}})
def test_any_value_of_any_variable(name: str, value: Any) -> None:
    all_parts(
        inventory(
            {"node-1": {"bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}},
            **{name: value},
        )
    )


@FUZZ
@given(ANYTHING | st.dictionaries(st.sampled_from(OF_HOSTS), ANYTHING, max_size=3))
@example({"interfaces": 7})
@example({"bmc": []})
@example({"bmc": 7, "boot": {"method": "bmc"}})
@example({"boot": {"method": {}}})
@example({"interfaces": [{"mac_address": []}]})
@example("x")
def test_any_host(host: Any) -> None:
    all_parts(inventory({"node-1": host, "node-2": {"bmc": BMC}}))


@FUZZ
@given(st.dictionaries(st.sampled_from(IN_BMC), ANYTHING, max_size=3))
def test_any_bmc(bmc: dict[str, Any]) -> None:
    all_parts(inventory({"node-1": {"bmc": {**BMC, **bmc}}}))


@FUZZ
@given(ANYTHING, ANYTHING)
def test_any_groups_and_cluster(groups: Any, cluster: Any) -> None:
    all_parts(inventory({"node-1": {"bmc": BMC}}, openshift_groups={"workers": groups}, openshift_cluster=cluster))


HOSTED: dict[str, Any] = {
    "openshift_install_method": "hosted",
    "openshift_cluster": {**CLUSTER, "base_domain": "example.com", "pull_secret": "{}"},
}
MACHINE = {"bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}
SHAPES = st.dictionaries(
    st.text(max_size=8) | st.sampled_from(["name", "namespace", "replicas", "remove", "policy", "candidates"]),
    ANYTHING,
    max_size=3,
)


@FUZZ
@given(
    st.sampled_from(["openshift_hosted_cluster", "openshift_node_pool", "openshift_cluster", "openshift_hub"]),
    ANYTHING | SHAPES,
)
@example("openshift_node_pool", {"selector_label": {"a": {}}})
@example("openshift_node_pool", {"agent_label_selector": {"matchLabels": []}})
@example("openshift_cluster", {"name": "demo", "cluster_networks": 7})
def test_any_hosted_cluster(name: str, value: Any) -> None:
    all_parts(inventory({"node-1": MACHINE}, group="spares", **{**HOSTED, name: value}))


def test_the_machines_of_a_hosted_cluster_are_workers_and_spares() -> None:
    variables = {**inventory({"one": MACHINE, "two": {}}, group="spares"), **HOSTED}
    variables["groups"]["workers"] = ["one"]
    assert [(host["inventory_name"], host["role"]) for host in part("hosts", variables)] == [
        ("one", "worker"),
        ("two", "worker"),
    ]
    pool = part("node_pool", variables)
    assert ([agent["name"] for agent in pool["agents"]], list(pool["bmc_hosts"]), pool["manual_hosts"]) == (
        ["one", "two"],
        ["one"],
        ["two"],
    )
    assert (pool["replicas"], pool["initial_replicas"]) == (None, 1), "one worker is one node to begin with"
    assert part("hub", variables)["cluster"] == {}, "the provider binds its Agents, not we"
    # Another method leaves spare machines alone.
    assert [host["inventory_name"] for host in part("hosts", {**variables, "openshift_install_method": "hub"})] == [
        "one"
    ]
    assert [
        agent["name"] for agent in part("node_pool", {**variables, "openshift_install_method": "hub"})["agents"]
    ] == ["one", "two"]


def test_machines_of_a_pool_go_by_their_hostname() -> None:
    variables = {
        **inventory(
            {"one": {**MACHINE, "hostname": "one.example.com"}}, group="spares", openshift_node_pool={"remove": ["one"]}
        ),
        **HOSTED,
    }
    pool = part("node_pool", variables)
    assert (pool["remove"], list(pool["bmc_hosts"]), [agent["name"] for agent in pool["agents"]]) == (
        ["one.example.com"],
    ) * 3


def test_pools_are_upgraded_in_waves() -> None:
    """Each gets the release of its hosted cluster.

    Without a release, and for pools without a wave, there is nothing to upgrade.
    """
    pools = [
        {"name": "c", "upgrade_wave": 2},
        {"name": "a", "upgrade_wave": 1, "replicas": 3},
        {"name": "d"},
        {"name": "b", "upgrade_wave": "2"},
    ]
    variables = {"openshift_install_method": "hosted", "openshift_cluster": CLUSTER, "openshift_node_pools": pools}
    waves = [[deployment(each, "node_pool") for each in wave] for wave in part("upgrade_waves", variables)]
    assert [[pool["name"] for pool in wave] for wave in waves] == [["a"], ["c", "b"]]
    for pool in (pool for wave in waves for pool in wave):
        assert pool["options"]["release_image"] == part("hosted_cluster", variables)["options"]["release_image"]
        assert (pool["replicas"], pool["initial_replicas"]) == (None, 0)
    assert not part("upgrade_waves", {**variables, "openshift_node_pools": [{"name": "d"}]})


def test_a_hosted_cluster_has_no_hosts_for_its_control_plane() -> None:
    (problem,) = problems({**inventory({"one": MACHINE}), **HOSTED})
    assert problem.startswith(
        "openshift_groups.control_plane: Forbidden: the control plane of a hosted cluster runs on the hub"
    )


def test_settings_hosts_and_configuration_in_one_round() -> None:
    variables = inventory(
        {
            "node-1": {
                "bmc": {**BMC, "address": "ipmi://10.0.0.1"},
                "interfaces": [{"name": "eth0", "mac_address": "nonsense"}],
            },
            "node-2": {"bmc": BMC},
        },
        openshift_cluster={**CLUSTER, "base_domian": "example.com"},
        openshift_timeouts={"boot": "soon"},
    )
    result = check(variables)
    assert result["failed"]
    paths = [problem["path"] for problem in result["problems"]]
    assert paths[:2] == ["openshift_timeouts.boot", "openshift_host[node-1].bmc.address"]
    assert {"openshift_cluster.base_domian", "openshift_host[node-1].interfaces[0].mac_address"} <= set(paths)
    assert len(paths) == len(set(paths))


def test_hosts_that_are_none_are_reported_before_the_service_is_asked() -> None:
    service = {"openshift_install_method": "assisted", "openshift_assisted": {"service_url": "http://192.0.2.1:8090"}}
    variables = inventory({"node-1": MACHINE}, openshift_hosts="node-1,node-9", **service)
    assert problems(variables, building=False) == [
        ("openshift_hosts: Invalid value: node-9: is not a host of the role groups (did you mean node-1?)")
    ]
    assert problems(variables) == [], "who builds a cluster takes all"
    assert problems({**variables, "openshift_hosts": ["node-1"]}, building=False) == []


def test_a_mistake_is_reported_once() -> None:
    result = check(inventory({"node-1": {"boot": {"method": "pxe"}, "bmc": {**BMC, "user": "x"}}}))
    paths = [problem["path"] for problem in result["problems"]]
    assert paths.count("openshift_host[node-1].boot.method") == paths.count("openshift_host[node-1].bmc.user") == 1


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        (
            inventory({}, openshift_base_image=Undefined()),
            ("openshift_base_image: Invalid value: cannot be rendered: 'vault_word' is undefined"),
        ),
        (
            inventory({}, openshift_publish=Undefined()),
            ("openshift_publish: Invalid value: cannot be rendered: 'vault_word' is undefined"),
        ),
    ],
)
def test_what_cannot_be_rendered_is_a_mistake_with_a_place(variables: dict[str, Any], text: str) -> None:
    assert text in problems(variables)
    with pytest.raises(InvalidInput, match="cannot be rendered"):
        part("settings", variables)


def test_defaults_of_hosts_are_not_rendered_for_the_play() -> None:
    """They may name what only a host has (``inventory_hostname``)."""
    assert part("settings", {**inventory({}), "openshift_host_defaults": Undefined()})["name"] == "demo"


def of_hosts(*names: str, **variables: Any) -> dict[str, Any]:
    """Hosts with a description and further variables of their own."""
    found = inventory(dict.fromkeys(names, MACHINE))
    return {**found, "hostvars": {name: {**own, **variables} for name, own in found["hostvars"].items()}}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(
            "openshift_hosts", "names the hosts that a run is for (did you mean openshift_host?)", id="plural"
        ),
        pytest.param(
            "openshift_hostname", "is not a variable of this collection (did you mean openshift_host?)", id="host name"
        ),
        pytest.param(
            "openshift_host_default",
            ("is not a variable of this collection (did you mean openshift_host_defaults?)"),
            id="one default",
        ),
        pytest.param(
            "openshift_agents", "is not a variable of this collection (did you mean openshift_agent?)", id="agents"
        ),
    ],
)
def test_a_variable_of_a_host_that_is_not_read(name: str, words: str) -> None:
    assert [text for text in problems(of_hosts("node-1", **{name: {}})) if name in text] == [
        f"{name}[node-1]: Unknown field: {words}"
    ]
    reported = [text for text in problems(of_hosts("node-1", "node-2", **{name: {}})) if f"{name}[" in text]
    assert len(reported) == 1 and "; it is set for 2 hosts (" in reported[0], reported


def test_variables_of_the_run_reach_its_hosts() -> None:
    variables = of_hosts(
        "node-1",
        openshift_hosts=["node-1"],
        openshift_rack="r1",
        openshift_node_labels={},
        openshift_workdir="x",
        ansible_host="h",
        rack="r1",
    )
    reported = problems({**variables, "openshift_hosts": ["node-1"], "openshift_workdir": "x"})
    assert [text for text in reported if "[node-1]" in text] == []
    assert any(text.startswith("openshift_workdir: Unknown field") for text in reported)


def test_an_unknown_part() -> None:
    with pytest.raises(AnsibleFilterError, match="unknown part 'setings'; known: building, chosen_names, settings, "):
        part("setings", inventory({"node-1": MACHINE}))
    with pytest.raises(AnsibleFilterError, match="deployment takes"):
        deployment({"failed": False}, "settings")


def test_a_check_needs_no_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes nothing, so that it does not ask where the user may write."""
    monkeypatch.setattr("os.access", lambda *arguments, **options: False)
    result = check(complete(good_cluster()))
    assert not result["failed"], result["msg"]
    assert result["deployment"]["settings"]["name"] == good_cluster()["name"]


def complete(cluster: dict[str, Any], **variables: Any) -> dict[str, Any]:
    """The variables of a cluster with all its hosts."""
    found = {**GOOD, **variables, "openshift_cluster": cluster, "groups": {}, "hostvars": {}}
    for host in good_hosts():
        group = {"master": "control_plane", "arbiter": "arbiters"}.get(host["role"], "workers")
        found["groups"].setdefault(group, []).append(host["inventory_name"])
        found["hostvars"][host["inventory_name"]] = {
            "openshift_host": {key: value for key, value in host.items() if key not in ("inventory_name", "role")}
        }
    return found


@pytest.mark.slow
def test_a_state_that_no_store_takes_is_found_before_the_store_is_contacted(tmp_path: Path) -> None:
    """The configuration is not written yet.

    Nothing listens at the URL, so that a request would fail with another message.
    """
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large", "namespace": "default"}}
    content = yaml.safe_dump({**manifest, "data": {"noise": random.Random(1).randbytes(900_000).hex()}})
    cluster = {**good_cluster(), "extra_manifests": [{"name": "large.yaml", "content": content}]}
    state = {"method": "http", "url": "http://127.0.0.1:9/demo", "passphrase": "a long passphrase"}
    result = check(complete(cluster, openshift_state=state, openshift_work_dir=str(tmp_path / "work")), store="keep")
    assert result["failed"]
    assert re.search(
        (
            r"openshift_state.method: Forbidden: The state has \d+ bytes, compressed; a store takes 900000\. The "
            r"largest part is config/"
        ),
        result["msg"],
    )
    assert "large.yaml (18" in result["msg"] and "use method directory" in result["msg"]
    assert not (tmp_path / "work").exists()


def test_a_pull_secret_is_in_no_message() -> None:
    result = check(
        inventory(
            {"node-1": MACHINE},
            openshift_cluster={**CLUSTER, "base_domain": "example.com", "pull_secret": "not JSON at all, geheim"},
        )
    )
    assert "openshift_cluster.pull_secret" in [problem["path"] for problem in result["problems"]]
    assert "geheim" not in str(result)


@pytest.mark.parametrize("checks", [{}, {"no-such-check": "off"}])
def test_files_that_do_not_exist(tmp_path: Path, checks: dict[str, str]) -> None:
    files = {
        "openshift_cluster": None,
        "openshift_config_dir": str(tmp_path),
        "openshift_version": "4.22.0",
        "openshift_checks": checks,
    }
    result = check(inventory({}, **files))
    assert result["failed"] and "install-config.yaml" in result["msg"]
    assert ("openshift_checks.no-such-check" in result["msg"]) is bool(checks)


def test_hosts_are_in_the_result_once() -> None:
    found = resolve(Inventory(inventory({"node-1": MACHINE, "node-2": MACHINE}), render), building=True)
    lists = [
        name
        for name, value in found.items()
        if isinstance(value, list) and any(isinstance(item, dict) for item in value)
    ]
    assert lists == ["hosts", "node_pools"], "a pool has no hosts of its own"


def test_a_group_of_another_name_is_reported_alone() -> None:
    """Not also that there is no control plane: one mistake, one message."""
    result = check(inventory({"a": {}, "b": {}}, group="masters"))
    assert [problem["path"] for problem in result["problems"]] == ["openshift_groups.control_plane"]
    assert "set openshift_groups: {control_plane: masters}" in result["msg"]


def test_manifests_of_the_cluster_are_absolute(monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    variables = inventory({"a": {}}, openshift_cluster={**CLUSTER, "extra_manifests": ["extra"]})
    checked = configuration(Inventory(variables, render), [], building=True)["cluster"]
    assert part("cluster", variables)["extra_manifests"] == checked["extra_manifests"] == [str(tmp_path / "extra")]
    missing = [
        problem for problem in check(variables)["problems"] if problem["path"] == "openshift_cluster.extra_manifests[0]"
    ]
    assert [(problem["value"], problem["detail"]) for problem in missing] == [
        (str(tmp_path / "extra"), "No such file or directory")
    ]


class TestBareMetalHosts:
    """``openshift_hub.bare_metal_hosts``: who is booted by the hub, and what its BareMetalHost says."""

    HUB: ClassVar[dict[str, Any]] = {"openshift_install_method": "hub", "openshift_hub": {"bare_metal_hosts": True}}
    HOST: ClassVar[dict[str, Any]] = {"bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}

    def test_the_hosts_of_the_inventory(self) -> None:
        (found,) = part("bare_metal_hosts", inventory({"one": self.HOST}, **self.HUB))
        assert found == {
            "name": "one",
            "hostname": "one",
            "boot_mac_address": "52:54:00:00:00:01",
            "bmc": BMC,
            "role": "master",
            "cluster": {"namespace": "demo", "name": "demo"},
        }

    def test_hosts_that_files_describe(self) -> None:
        agents = [{"name": "one", "mac_addresses": ["52:54:00:00:00:09"], "hostname": "one", "role": "worker"}]
        (found,) = part("bare_metal_hosts", inventory({"one": self.HOST}, **self.HUB), agents=agents)
        assert (found["boot_mac_address"], found["role"], found["bmc"]) == ("52:54:00:00:00:09", "worker", BMC)

    def test_a_host_that_the_hub_cannot_boot(self) -> None:
        hosts = inventory({"one": self.HOST, "two": {"interfaces": self.HOST["interfaces"]}}, **self.HUB)
        (problem,) = problems(hosts)
        assert problem.startswith(
            "openshift_host[two].bmc: Required value: openshift_hub.bare_metal_hosts lets the hub boot"
        )
        assert problems({**hosts, "openshift_hub": {}}) == []
        assert problems({**hosts, "openshift_hosts": ["one"]}, building=False) == []
        assert (
            "is not a host of the role groups" in problems({**hosts, "openshift_hosts": ["three"]}, building=False)[0]
        )


class TestHub:
    def test_a_group_of_another_name(self) -> None:
        variables = inventory({"one": {"bmc": BMC}}, group="masters", openshift_install_method="hub")
        assert "rename masters to control_plane" in problems(variables)[0]
        # Hosts from elsewhere: the cluster says how many it takes.
        counted = {**variables, "openshift_cluster": {**CLUSTER, "control_plane": {"replicas": 3}}}
        assert problems(counted) == []

    def test_the_cluster_of_files(self, tmp_path: Path) -> None:
        (tmp_path / "install-config.yaml").write_text("metadata: {name: edge}\n")
        variables = inventory(
            {},
            openshift_install_method="hub",
            openshift_cluster=None,
            openshift_config_dir=str(tmp_path),
            openshift_version="4.22.0",
        )
        hub = part("hub", variables)
        assert (hub["cluster"], hub["namespace"], hub["infra_env"]) == (
            {"namespace": "edge", "name": "edge"},
            "edge",
            "edge",
        )
        (tmp_path / "install-config.yaml").write_text("metadata: [")
        assert part("hub", variables)["cluster"] == {}


def test_machines_go_by_the_names_of_the_files(tmp_path: Path) -> None:
    """Else no run would boot a machine with another name in the inventory."""
    (tmp_path / "install-config.yaml").write_text("apiVersion: v1\nmetadata: {name: demo}\nbaseDomain: example.com\n")
    nic = "{name: eth0, macAddress: '52:54:00:00:00:01'}"
    (tmp_path / "agent-config.yaml").write_text(
        f"apiVersion: v1beta1\nkind: AgentConfig\nhosts: [{{hostname: node-1, interfaces: [{nic}]}}]\n"
    )
    host = {"bmc": BMC, "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}
    files = {"openshift_cluster": None, "openshift_config_dir": str(tmp_path), "openshift_version": "4.22.0"}
    variables = {**inventory({"rack-7": host, "rack-8": {}}), **files}
    assert [machine["name"] for machine in part("bmc_hosts", variables)] == ["node-1"]
    assert part("manual_hosts", variables) == ["rack-8"]
    for broken in ("hosts: [", "hosts: 7", ""):
        (tmp_path / "agent-config.yaml").write_text(broken)
        assert [machine["name"] for machine in part("bmc_hosts", variables)] == ["rack-7"]


@pytest.mark.parametrize(
    ("variables", "building", "refused"),
    [
        ({}, True, True),
        ({"openshift_publish": {"port": 8080}}, True, True),
        ({}, False, False),
        ({"openshift_publish": {"url": "http://192.0.2.1:8080", "port": 8080}}, True, False),
        ({"openshift_publish": {"method": "upload", "url": "http://192.0.2.1/"}}, True, False),
        ({"openshift_connect_to": {"10.0.0.1": "127.0.0.1:8443"}}, True, False),
        ({"openshift_install_method": "assisted", "openshift_assisted": {"service_url": "http://x"}}, True, False),
        (
            {
                "openshift_install_method": "assisted",
                "openshift_assisted": {"service_url": "http://x", "image": "publish"},
            },
            True,
            True,
        ),
    ],
)
def test_an_image_server_in_a_container(
    variables: dict[str, Any], *, building: bool, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        check_module, "read_container", lambda *_facts: Container("/run/.containerenv exists", frozenset({"10.88.0.7"}))
    )
    monkeypatch.setattr(container, "address_for", lambda _peers, _mapping: ("10.88.0.7", []))
    found = problems(inventory({"node-1": {"bmc": BMC}}, **variables), building=building)
    assert any("method serve would announce 10.88.0.7" in text for text in found) == refused, found
    assert len(found) == refused
