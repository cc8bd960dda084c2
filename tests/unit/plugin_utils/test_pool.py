# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the variables for hosted clusters and pools: defaults, the module options made from them, and mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.modules import hosted_cluster, node_pool
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.pool import (
    HOSTED_OPTIONS,
    POOL_OPTIONS,
    check_hosted_description,
    check_pools,
    read_hosted,
    read_pool,
    read_pools,
)

CLUSTER = {
    "name": "demo",
    "base_domain": "example.com",
    "version": "4.22.0",
    "pull_secret": '{"auths": {}}',
    "ssh_public_keys": ["ssh-rsa AAAA"],
}


def pool(**provided: Any) -> dict[str, Any]:
    return read_pool({"openshift_node_pool": provided}, "demo")


def test_defaults_of_a_pool() -> None:
    found = pool(replicas="5")
    assert (found["kind"], found["namespace"], found["name"], found["cluster_name"], found["replicas"]) == (
        "NodePool",
        "clusters",
        "demo",
        "demo",
        5,
    )
    assert (found["machine_namespace"], found["agent_namespace"]) == ("clusters-demo", "demo")
    assert found["label"] == {"key": "zerotouch.openshift/node-pool", "value": "clusters.demo"}
    assert found["selector"] == {"matchLabels": {"zerotouch.openshift/node-pool": "clusters.demo"}}


@pytest.mark.parametrize(
    ("provided", "label", "selector"),
    [
        ({"label_selection": False}, {}, None),
        ({"agent_label_selector": {"matchLabels": {"size": "large"}}}, {}, {"matchLabels": {"size": "large"}}),
        ({"agent_label_selector": {}}, {}, {}),
        ({"selector_label": {"pool": "gpu"}}, {"key": "pool", "value": "gpu"}, {"matchLabels": {"pool": "gpu"}}),
        (
            {
                "selector_label": {"pool": "gpu"},
                "agent_label_selector": {"matchLabels": {"pool": "gpu", "size": "large"}},
            },
            {"key": "pool", "value": "gpu"},
            {"matchLabels": {"pool": "gpu", "size": "large"}},
        ),
    ],
)
def test_who_labels_agents(provided: dict[str, Any], label: dict[str, str], selector: Any) -> None:
    """Who selects by labels of his own has labelled his Agents; otherwise the pool has a label that exactly the chosen
    ones get.
    """
    found = pool(**provided)
    assert (found["label"], found["selector"]) == (label, selector)


def test_a_long_name_is_a_label_all_the_same() -> None:
    one, other = (pool(name=f"{'a' * 60}.{end}")["label"]["value"] for end in "xy")
    assert len(one) == 63 and one != other


@pytest.mark.parametrize(
    ("variables", "namespace"),
    [
        ({}, "demo"),
        ({"openshift_hub": {"namespace": "fleet"}}, "fleet"),
        ({"openshift_hosted_cluster": {"agent_namespace": "fleet"}}, "fleet"),
        ({"openshift_node_pool": {"agent_namespace": "fleet"}}, "fleet"),
    ],
)
def test_the_agents_are_in_one_place(variables: dict[str, Any], namespace: str) -> None:
    assert read_pool(variables, "demo")["agent_namespace"] == namespace
    assert read_hosted({"openshift_cluster": CLUSTER, **variables}, "demo")["agent_namespace"] == namespace


def test_what_the_cluster_says_of_a_hosted_one() -> None:
    provided = {
        "fips": True,
        "service_networks": ["172.31.0.0/16"],
        "proxy": {"http_proxy": "http://proxy:3128"},
        "image_digest_sources": [{"source": "quay.io/a", "mirrors": ["mirror/a"]}],
        "live_kernel_arguments": ["console=ttyS0"],
    }
    hosted = {
        "services": [],
        "networking": {"machine_network": [{"cidr": "10.0.0.0/24"}]},
        "configuration": {"ingress": {}},
    }
    found = read_hosted(
        {
            "openshift_cluster": {**CLUSTER, **provided},
            "openshift_hosted_cluster": hosted,
            "openshift_version": "4.21.3",
        },
        "demo",
    )
    assert found["options"] == {
        "base_domain": "example.com",
        "release_image": "quay.io/openshift-release-dev/ocp-release:4.21.3-x86_64",
        "pull_secret": '{"auths": {}}',
        "ssh_public_keys": ["ssh-rsa AAAA"],
        "fips": True,
        "image_content_sources": [{"source": "quay.io/a", "mirrors": ["mirror/a"]}],
        # Networks that are not set are left to the hosted cluster, which has other defaults.
        "networking": {"service_network": [{"cidr": "172.31.0.0/16"}], "machine_network": [{"cidr": "10.0.0.0/24"}]},
        "configuration": {"proxy": {"httpProxy": "http://proxy:3128"}, "ingress": {}},
        "services": [],
    }
    assert found["infra_env"] == {
        "pull_secret": '{"auths": {}}',
        "ssh_public_keys": ["ssh-rsa AAAA"],
        "image_proxy": {"http_proxy": "http://proxy:3128"},
        "kernel_arguments": [{"operation": "append", "value": "console=ttyS0"}],
    }
    assert (found["namespace"], found["control_plane_namespace"]) == ("clusters", "clusters-demo")


@pytest.mark.parametrize(
    ("provided", "path", "words"),
    [
        ({"kind": "MachinePool"}, "kind", "supported values: NodePool, MachineDeployment"),
        ({"kind": "MachineDeployment"}, "", "named by name and namespace"),
        ({"nmae": "x"}, "nmae", "known: "),
        ({"wait_for": "ready"}, "wait_for", "is set by the collection"),
        ({"name": "Demo"}, "name", "must be a Kubernetes name"),
        ({"replicas": -1}, "replicas", "0 or more"),
        ({"replicas": "many"}, "replicas", "0 or more"),
        ({"replicas": True}, "replicas", "must be a whole number"),
        ({"replicas": 1, "auto_scaling": {"min": 1, "max": 2}}, "replicas", "exclude each other"),
        ({"remove": 3}, "remove", "must be a list or a string"),
        ({"label_selection": "no"}, "label_selection", "must be true or false"),
        ({"selector_label": {"a": "1", "b": "2"}}, "selector_label", "must be one label"),
        ({"selector_label": {"a": "no value!"}}, "selector_label[a]", "must be letters"),
        (
            {"selector_label": {"a": "1"}, "agent_label_selector": {}},
            "selector_label",
            "must be one of the matchLabels",
        ),
        ({"agent_label_selector": {"labels": {}}}, "agent_label_selector.labels", "a label selector has"),
        (
            {"candidates": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
            "candidates.matchExpressions[0].operator",
            "must be one of In",
        ),
        ({"policy": {"order": "fir"}}, "policy.order", "must be one of fit, spread, pack"),
        ({"policy": {"pin": {}}}, "policy.pin", "no such part of a policy"),
        # Values of the module's options: it would say so itself, but only once machines have been booted for the pool.
        ({"arch": "arm65"}, "arch", "value of arch must be one of: x86_64, aarch64, ppc64le, amd64, arm64"),
        ({"auto_repair": "si"}, "auto_repair", "we were unable to convert to bool"),
        ({"taints": [{"key": "a"}]}, "taints", "missing required arguments: effect found in taints"),
        ({"node_labels": ["a"]}, "node_labels", "dict"),
        ({"auto_scaling": {"min": 1}}, "auto_scaling.max", "min and max belong together"),
        ({"node_drain_timeout": "1 hour"}, "node_drain_timeout", "1 hour"),
        (
            {"upgrade_type": "Replace", "in_place": {"max_unavailable": 1}},
            "in_place",
            "only goes with upgrade_type InPlace",
        ),
    ],
)
def test_mistakes_about_a_pool(provided: dict[str, Any], path: str, words: str) -> None:
    (problem,) = check_pools({"openshift_node_pool": provided})
    field = f"openshift_node_pool.{path}" if path else "openshift_node_pool"
    assert (problem.path, words in problem.text()) == (field, True), problem.text()


def test_mistakes_about_a_hosted_cluster() -> None:
    (problem,) = check_pools({"openshift_hosted_cluster": {"servces": []}})
    assert "did you mean services?" in problem.text()
    (problem,) = check_pools({"openshift_hosted_cluster": {"name": "x"}})
    assert problem.text() == "openshift_hosted_cluster.name: Forbidden: is set by the collection"
    (problem,) = check_pools(
        {"openshift_hub": {"namespace": "a"}, "openshift_hosted_cluster": {"agent_namespace": "b"}}
    )
    assert "the Agents are in one namespace" in problem.detail
    found = check_pools(
        {
            "openshift_hosted_cluster": {
                "etcd": {"size": 1},
                "networking": {"cluster_network": "10.0.0.0/8"},
                "pull_secret": "a-secret",
            }
        }
    )
    assert {problem.path for problem in found} == {
        "openshift_hosted_cluster.etcd",
        "openshift_hosted_cluster.networking",
    }
    assert "etcd.size" in str(found) and "a-secret" not in str(found)


def test_what_depends_on_the_pool_is_left_to_the_module() -> None:
    """The upgrade type is unknown here."""
    provided = {
        "in_place": {"max_unavailable": "10%"},
        "replace": {"rolling_update": {"max_surge": "1"}},
        "auto_scaling": {"min": "1", "max": 3},
        "config": [],
    }
    assert check_pools({"openshift_node_pool": {**provided, "labels": {"a": None}, "node_drain_timeout": ""}}) == []


def test_what_means_nothing_for_a_hosted_cluster() -> None:
    assert check_hosted_description({"openshift_cluster": CLUSTER}) == []
    problems = check_hosted_description(
        {"openshift_cluster": {**CLUSTER, "api_vips": ["10.0.0.1"], "base_domian": "x"}}
    )
    assert [problem.path for problem in problems] == ["openshift_cluster.api_vips", "openshift_cluster.base_domian"]
    assert [problem.path for problem in check_hosted_description({"openshift_config_dir": "x"})] == [
        "openshift_config_dir"
    ]
    wrong = check_hosted_description({"openshift_cluster": {**CLUSTER, "live_kernel_arguments": ["a b"]}})
    assert [problem.path for problem in wrong] == ["openshift_cluster.live_kernel_arguments[0]"]
    missing = check_hosted_description({"openshift_cluster": {**CLUSTER, "version": None}})
    assert [problem.path for problem in missing] == ["openshift_cluster.version"]
    assert not check_hosted_description(
        {"openshift_cluster": {**CLUSTER, "version": None}, "openshift_version": "4.22.0"}
    )


def test_options_are_those_of_the_modules() -> None:
    """A name that is in one place only would be refused, or passed on and refused later."""
    ours = {"name", "namespace", "state", "wait_for", "timeout", "drain", *CONNECTION_OPTIONS}
    of_pool = (
        set(node_pool.argument_spec())
        - ours
        - {"cluster_name", "replicas", "remove", "replace_hosts", "replace_order", "agent_label_selector"}
    )
    assert set(POOL_OPTIONS) == of_pool
    assert set(HOSTED_OPTIONS) == set(hosted_cluster.argument_spec()) - ours - {"agent_namespace", "work_dir"}


def test_several_pools() -> None:
    """Each entry has the keys of the single pool as defaults."""
    variables = {
        "openshift_node_pool": {"node_drain_timeout": "30m", "replicas": 1},
        "openshift_node_pools": [{"name": "a"}, {"name": "b", "replicas": 2}],
    }
    assert not check_pools(variables)
    pools = read_pools(variables, "demo")
    assert [(pool["name"], pool["replicas"], pool["options"]) for pool in pools] == [
        ("a", 1, {"node_drain_timeout": "30m"}),
        ("b", 2, {"node_drain_timeout": "30m"}),
    ]
    assert len({pool["label"]["value"] for pool in pools}) == 2
    assert [pool["name"] for pool in read_pools({}, "demo")] == ["demo"]


@pytest.mark.parametrize(
    ("provided", "path"),
    [
        ([{"replicas": 1}], "openshift_node_pools[0].name"),
        (["a"], "openshift_node_pools[0]"),
        ([{"name": "a"}, {"name": "a"}], "openshift_node_pools[1].name"),
        ([{"name": "a", "spare_group": "x"}], "openshift_node_pools[0].spare_group"),
        ([{"name": "a", "replicas": -1}], "openshift_node_pools[0].replicas"),
        ([{"name": "a", "reserve": "many"}], "openshift_node_pools[0].reserve"),
        (
            [{"name": "a", "namespace": "n", "kind": "MachineDeployment", "replace_hosts": ["x"]}],
            "openshift_node_pools[0].replace_hosts",
        ),
        ([{"name": "a", "replace_order": "surg"}], "openshift_node_pools[0].replace_order"),
        ([{"name": "a", "upgrade_wave": "first"}], "openshift_node_pools[0].upgrade_wave"),
        (
            [{"name": "a", "upgrade_wave": 1, "release_image": "quay.io/x/y:4.22.0-x86_64"}],
            "openshift_node_pools[0].upgrade_wave",
        ),
        ([{"name": "a", "replcas": 1}], "openshift_node_pools[0].replcas"),
    ],
)
def test_mistakes_in_the_list_of_pools(provided: Any, path: str) -> None:
    assert [problem.path for problem in check_pools({"openshift_node_pools": provided})] == [path]


@pytest.mark.parametrize(
    ("cluster", "pool", "refused"),
    [
        ("4.22.0", "4.22.1", True),
        ("4.22.1", "4.22.1", False),
        ("4.22.1", "4.21.9", False),
        ("4.23.0", "5.0.1", True),
        ("5.0.0", "4.23.0", False),
    ],
)
def test_a_pool_is_not_ahead_of_its_control_plane(cluster: str, pool: str, refused: bool) -> None:
    image = f"quay.io/x/y:{pool}-x86_64"
    for variables in (
        {"openshift_version": cluster, "openshift_node_pool": {"release_image": image}},
        {"openshift_cluster": {"version": cluster}, "openshift_node_pools": [{"name": "a", "release_image": image}]},
        {
            "openshift_cluster": {"version": "4.14.0"},
            "openshift_hosted_cluster": {"release_image": f"x:{cluster}"},
            "openshift_node_pool": {"release_image": image},
        },
    ):
        found = [problem.path.rpartition(".")[2] for problem in check_pools(variables)]
        assert found == (["release_image"] if refused else [])
    assert not check_pools(
        {"openshift_version": cluster, "openshift_node_pool": {"release_image": "quay.io/x/y@sha256:" + "a" * 64}}
    )
