# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test planning an InfraEnv, its Secret and its NMStateConfigs from module options. The CRDs accept these objects,
options that the hub would reject are refused before the first write, and a second run changes nothing.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import re

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.discovery_options import KERNEL_ARGUMENT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.plan import (
    ObservedInfraEnv,
    plan_absent,
    plan_present,
    replan,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import MANAGED_BY, OURS, merged
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions
from hypothesis import given
from hypothesis import strategies as st


def applied(observed, plan):
    """What is there once a plan was carried out."""
    found = {"InfraEnv": observed.infra_env, "Secret": observed.secret}
    configs = {each["metadata"]["name"]: each for each in observed.nmstate_configs}
    for change in plan.changes:
        target = configs if change.resource.kind == "NMStateConfig" else found
        key = change.name if change.resource.kind == "NMStateConfig" else change.resource.kind
        if change.verb == "delete":
            target.pop(key)
        else:
            target[key] = merged(target.get(key) if change.verb == "patch" else {}, change.body)
    return ObservedInfraEnv(found.get("InfraEnv"), found.get("Secret"), tuple(configs.values()))


def settled(options):
    requested = read_requested(options)
    return applied(ObservedInfraEnv(), plan_present(requested, ObservedInfraEnv()))


def kinds(plan):
    return [[(change.verb, change.resource.kind, change.name) for change in stage] for stage in plan.stages]


def test_order_and_names(requested):
    assert kinds(plan_present(read_requested(requested), ObservedInfraEnv())) == [
        [("create", "Secret", "site-pull-secret")],
        [
            ("create", "NMStateConfig", "site-node-1.example.com"),
            ("create", "NMStateConfig", "site-node-2.example.com"),
        ],
        [("create", "InfraEnv", "site")],
    ]


def test_every_field_gets_to_its_place(requested):
    observed = settled(requested)
    assert observed.infra_env["spec"] == {
        "pullSecretRef": {"name": "site-pull-secret"},
        "sshAuthorizedKey": "ssh-ed25519 AAAA user",
        "proxy": {"httpProxy": "http://proxy:3128", "httpsProxy": "http://proxy:3128", "noProxy": ".example.com"},
        "additionalNTPSources": ["ntp.example.com"],
        "imageType": "full-iso",
        "osImageVersion": "4.22",
        "cpuArchitecture": "x86_64",
        "kernelArguments": [{"operation": "append", "value": "console=ttyS0"}],
        "ignitionConfigOverride": '{"ignition": {"version": "3.2.0"}}',
        "agentLabels": {"site": "a", "rack": "1"},
        "agentApproval": {"autoApprove": False},
        "ipxeScriptType": "BootOrderControl",
        "additionalTrustBundle": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "mirrorRegistryRef": {"name": "mirrors", "namespace": "lab"},
        "networkDiscoveryDelaySeconds": 5,
        "nmStateConfigLabelSelector": {
            "matchLabels": {"infraenvs.agent-install.openshift.io": "site", "zerotouch.openshift/namespace": "lab"}
        },
    }
    assert observed.infra_env["metadata"]["labels"] == {"team": "x", MANAGED_BY: OURS}
    assert observed.secret["type"] == "kubernetes.io/dockerconfigjson"
    selected = observed.infra_env["spec"]["nmStateConfigLabelSelector"]["matchLabels"].items()
    assert all(selected <= config["metadata"]["labels"].items() for config in observed.nmstate_configs)


def test_what_we_create_is_what_the_definitions_know(requested):
    early = {
        "name": "e",
        "namespace": "n",
        "pull_secret_name": "s",
        "cluster": {"name": "c", "namespace": "n"},
        "ntp_sources": ["t"],
    }
    for options in (requested, early):
        for change in plan_present(read_requested(options), ObservedInfraEnv()).changes:
            if change.resource.kind != "Secret":
                assert definitions.faults(change.body) == []


def test_twice_is_once(requested):
    assert plan_present(read_requested(requested), settled(requested)).changes == ()


@given(st.data())
def test_from_any_desired_state_to_any_other_and_no_further(data):
    texts = st.one_of(st.none(), st.just(""), st.sampled_from(["a", "b"]))
    lists = st.one_of(st.none(), st.lists(st.sampled_from("ab"), max_size=2))
    hosts = st.one_of(
        st.none(),
        st.lists(
            st.builds(
                lambda number, config: {
                    "name": f"h{number}",
                    "interfaces": [{"name": "e", "mac_address": f"52:54:00:00:00:0{number}"}],
                    "network_config": config,
                },
                st.integers(0, 3),
                st.dictionaries(
                    st.sampled_from("xyz"),
                    st.dictionaries(st.sampled_from("uv"), st.integers(0, 1), min_size=1),
                    min_size=1,
                ),
            ),
            unique_by=lambda host: host["name"],
            max_size=3,
        ),
    )
    options = st.fixed_dictionaries(
        {
            "ssh_public_keys": st.one_of(
                st.none(), st.lists(st.sampled_from(["ssh-ed25519 A", "ssh-ed25519 B"]), max_size=2)
            ),
            "image_type": st.one_of(st.none(), st.sampled_from(["full-iso", "minimal-iso"])),
            "additional_ntp_sources": lists,
            "image_proxy": st.one_of(
                st.none(),
                st.fixed_dictionaries({"http_proxy": st.sampled_from([None, "", "http://p"]), "no_proxy": texts}),
            ),
            "agent_labels": st.one_of(st.none(), st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))),
            "auto_approve": st.one_of(st.none(), st.booleans()),
            "mirror_registry": st.sampled_from(
                [None, {"name": None, "namespace": None}, {"name": "m", "namespace": "n"}]
            ),
            "hosts": hosts,
        }
    )
    base = {"name": "site", "namespace": "lab", "pull_secret": '{"auths": {"r": {"auth": "eA=="}}}'}
    first, second = (read_requested(base | data.draw(options)) for _turn in range(2))
    before = applied(ObservedInfraEnv(), plan_present(first, ObservedInfraEnv()))
    after = applied(before, plan_present(second, before))
    assert plan_present(second, after).changes == ()


def test_an_unset_option_leaves_the_field_and_an_empty_one_clears_it(requested):
    observed = settled(requested)
    quiet = read_requested({"name": "site", "namespace": "lab"})
    assert plan_present(quiet, observed).changes == ()
    cleared = {
        "ssh_public_keys": [],
        "image_proxy": {},
        "additional_ntp_sources": [],
        "ignition_config_override": "",
        "kernel_arguments": [],
        "hosts": [],
    }
    plan = plan_present(read_requested({"name": "site", "namespace": "lab", **cleared}), observed)
    assert plan.stages[-1][0].body["spec"] == {
        "sshAuthorizedKey": None,
        "proxy": None,
        "additionalNTPSources": None,
        "ignitionConfigOverride": None,
        "kernelArguments": None,
        "nmStateConfigLabelSelector": None,
    }
    assert [each["option"] for each in plan.not_propagated] == [
        "image_proxy",
        "additional_ntp_sources",
        "ssh_public_keys",
        "ignition_config_override",
    ]
    assert kinds(plan)[0] == [
        ("delete", "NMStateConfig", "site-node-1.example.com"),
        ("delete", "NMStateConfig", "site-node-2.example.com"),
    ]


def test_a_part_of_the_proxy_that_goes_is_not_propagated_either(requested):
    plan = plan_present(
        read_requested({"name": "site", "namespace": "lab", "image_proxy": {"http_proxy": "http://other:1"}}),
        settled(requested),
    )
    assert plan.stages[0][0].body["spec"] == {
        "proxy": {"httpProxy": "http://other:1", "httpsProxy": None, "noProxy": None}
    }
    assert [each["option"] for each in plan.not_propagated] == ["image_proxy"]
    changed = {
        "image_proxy": {"http_proxy": "http://other:1", "https_proxy": "http://other:1", "no_proxy": "x"},
        "mirror_registry": {"name": "m2", "namespace": "lab"},
    }
    plan = plan_present(read_requested({"name": "site", "namespace": "lab", **changed}), settled(requested))
    assert [each["option"] for each in plan.not_propagated] == ["mirror_registry"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"cluster": {"name": "c", "namespace": "n"}},
            ("cluster: Forbidden: cannot be changed: the InfraEnv is bound to no cluster"),
        ),
        ({"arch": "aarch64"}, "arch: Forbidden: aarch64: cannot be changed: the InfraEnv is for x86_64"),
    ],
)
def test_what_cannot_change_is_refused_first(requested, options, words):
    with pytest.raises(InvalidInput) as caught:
        plan_present(read_requested({"name": "site", "namespace": "lab", **options}), settled(requested))
    assert words in str(caught.value)


def test_a_cluster_cannot_be_left_and_a_version_needs_it_installed():
    observed = settled(
        {"name": "site", "namespace": "lab", "pull_secret_name": "s", "cluster": {"name": "c", "namespace": "n"}}
    )
    with pytest.raises(InvalidInput, match="cannot be changed: the InfraEnv is bound to n/c"):
        plan_present(
            read_requested({"name": "site", "namespace": "lab", "cluster": {"name": None, "namespace": None}}), observed
        )
    requested = read_requested({"name": "site", "namespace": "lab", "os_image_version": "4.22"})
    with pytest.raises(InvalidInput, match="only once that cluster is installed"):
        plan_present(requested, observed)
    assert plan_present(requested, ObservedInfraEnv(observed.infra_env, cluster_installed=True)).changes[0].body == {
        "spec": {"osImageVersion": "4.22"}
    }
    with pytest.raises(InvalidInput, match="needs pull_secret"):
        plan_present(requested, ObservedInfraEnv())
    both = {
        "name": "x",
        "namespace": "n",
        "pull_secret_name": "s",
        "cluster": {"name": "c", "namespace": "n"},
        "os_image_version": "4.22",
    }
    with pytest.raises(InvalidInput, match="give cluster or os_image_version, not both"):
        plan_present(read_requested(both), ObservedInfraEnv())


def test_kernel_arguments_are_those_of_the_definition():
    """The pattern of upstream takes Python's engine 2**n steps for n letters.

    Source: openshift/assisted-service api/v1beta1/infraenv_types.go.
    """
    upstream = re.compile(r'(?:(?:[^ \t\n\r"]+)|(?:"[^"]*"))+')
    for length in range(8):
        for text in map("".join, itertools.product('a" \n', repeat=length)):
            assert bool(KERNEL_ARGUMENT.fullmatch(text)) == bool(upstream.fullmatch(text)), text


def test_all_mistakes_at_once(requested):
    host = requested["hosts"][0]
    bad = {
        **requested,
        "name": "Site_1",
        "pull_secret": '{"auth": {}}',
        "ntp_sources": ["x"],
        "image_proxy": {"https_proxy": "https://user:hidden@proxy"},
        "kernel_arguments": [{"operation": "delete", "value": "quiet"}, {"operation": "append", "value": "two words"}],
        "ignition_config_override": '{"ignition": {"version": "2.2.0"}}',
        "additional_trust_bundle": "no pem",
        "image_type": "minimal-iso",
        "arch": "s390x",
        "network_discovery_delay_seconds": -1,
        "mirror_registry": {"name": "m", "namespace": None},
        "hosts": [
            host,
            {**host, "network_config": {}},
            {
                "name": "c",
                "interfaces": [
                    {"name": "e", "mac_address": "525400000001"},
                    {"name": "e", "mac_address": "52:54:00:00:00:09"},
                ],
                "network_config": {"a": 1},
            },
            {"name": "d", "interfaces": [], "network_config": {"a": 1}},
        ],
    }
    with pytest.raises(InvalidInput) as caught:
        read_requested(bad)
    assert "hidden" not in str(caught.value)
    assert [problem.path for problem in caught.value.problems] == [
        "name",
        "ntp_sources",
        "mirror_registry.namespace",
        "pull_secret",
        "image_proxy.https_proxy",
        "additional_trust_bundle",
        "kernel_arguments[0].operation",
        "kernel_arguments[1].value",
        "image_type",
        "network_discovery_delay_seconds",
        "ignition_config_override",
        "hosts[1].name",
        "hosts[1].network_config",
        "hosts[1].interfaces[0].mac_address",
        "hosts[2].interfaces[0].mac_address",
        "hosts[2].interfaces[1].name",
        "hosts[3].interfaces",
    ]


def test_objects_that_are_not_ours(requested):
    observed = settled(requested)
    foreign = copy.deepcopy(observed)
    for each in (foreign.infra_env, foreign.secret, *foreign.nmstate_configs):
        each["metadata"].get("labels", {}).pop(MANAGED_BY)
    assert plan_present(read_requested(requested), foreign).changes == ()
    other = {**requested, "pull_secret": '{"auths": {"x": {"auth": "eA=="}}}', "hosts": []}
    with pytest.raises(
        ZeroTouchError,
        match=("Secret lab/site-pull-secret is there with another content and was not created by this collection"),
    ):
        plan_present(read_requested(other), foreign)
    assert plan_present(read_requested({**requested, "hosts": []}), foreign).stages[0][0].resource.kind == "InfraEnv"
    foreign.nmstate_configs[0]["metadata"]["labels"] = {}
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"NMStateConfig lab/site-node-1\.example\.com is there, does not "
            r"belong to this InfraEnv"
        ),
    ):
        plan_present(read_requested(requested), foreign)


def test_a_pull_secret_in_another_spelling_is_the_same(requested, infrahub):
    observed = settled(requested)
    again = {**requested, "pull_secret": json.loads(infrahub.PULL_SECRET)}
    assert plan_present(read_requested(again), observed).changes == ()


def test_a_selector_of_the_user_is_replaced_with_a_word(requested):
    observed = settled({**requested, "hosts": None})
    observed.infra_env["spec"]["nmStateConfigLabelSelector"] = {"matchLabels": {"mine": "yes"}}
    plan = plan_present(read_requested(requested), observed)
    assert plan.changes[-1].body["spec"]["nmStateConfigLabelSelector"]["matchLabels"]["mine"] is None
    assert 'selector {"matchLabels": {"mine": "yes"}} is replaced' in plan.warnings[0]


def test_absent_takes_what_is_ours(requested):
    observed = settled(requested)
    observed.nmstate_configs[0]["metadata"]["labels"].pop(MANAGED_BY)
    plan = plan_absent("site", "lab", observed)
    assert kinds(plan) == [
        [("delete", "InfraEnv", "site")],
        [("delete", "NMStateConfig", "site-node-2.example.com"), ("delete", "Secret", "site-pull-secret")],
    ]
    assert plan.stays == ("NMStateConfig lab/site-node-1.example.com was not created by this collection",)
    assert plan_absent("site", "lab", ObservedInfraEnv()).changes == ()


def test_absent_leaves_what_is_not_ours_and_what_is_in_use(requested):
    observed = settled(requested)
    agent = {"metadata": {"name": "a"}, "spec": {"clusterDeploymentName": {"name": "c", "namespace": "n"}}}
    with pytest.raises(ZeroTouchError, match=r"has Agents that are bound to a cluster \(1\): a \(n/c\)"):
        plan_absent("site", "lab", ObservedInfraEnv(observed.infra_env, agents=(agent,)))
    unbound = plan_absent(
        "site", "lab", ObservedInfraEnv(observed.infra_env, agents=({"metadata": {"name": "a"}, "spec": {}},))
    )
    assert "Agents of InfraEnv lab/site are deleted with it (1)" in unbound.warnings[0]
    observed.infra_env["metadata"]["labels"].pop(MANAGED_BY)
    with pytest.raises(ZeroTouchError, match="was not created by this collection, and is not changed"):
        plan_absent("site", "lab", observed)


def test_absent_leaves_the_pull_secret_to_a_cluster_that_shares_it(requested):
    plan = plan_absent(
        "site", "lab", dataclasses.replace(settled(requested), secret_user="ClusterDeployment lab/site uses it")
    )
    assert "Secret" not in [change.resource.kind for change in plan.changes]
    assert plan.stays == ("Secret lab/site-pull-secret: ClusterDeployment lab/site uses it",)


def test_replan_of_a_deletion_leaves_a_new_object_of_that_name(requested):
    observed = settled(requested)
    config = {
        **observed.nmstate_configs[0],
        "metadata": {**observed.nmstate_configs[0]["metadata"], "uid": "u1", "resourceVersion": "1"},
    }
    [change] = plan_absent("site", "lab", ObservedInfraEnv(nmstate_configs=(config,))).changes
    assert replan(None, change, None) is None
    assert replan(None, change, {**config, "metadata": {**config["metadata"], "uid": "u2"}}) is None
    assert replan(None, change, config).verb == "delete"
