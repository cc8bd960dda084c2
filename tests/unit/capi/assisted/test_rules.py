# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the rules for the description of a cluster: each rule has a case that breaks it, and the description that the
other tests use breaks none.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.desired import read_desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.kinds import AssistedKinds
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.rules import RULES, description_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import CoreKinds
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import AUTH, description, host, pool

SECRET = base64.b64encode(b"only-a-user").decode()
REFERENCE = {"api_group": "infrastructure.cluster.x-k8s.io", "kind": "Metal3Machine", "name": "x"}
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a name of 55 characters": ({"name": "c" * 55}, "name"),
    "a name in capitals": ({"name": "C1"}, "name"),
    "two pools of a name": ({"machine_deployments": [pool(), pool()]}, "machine_deployments[workers].name"),
    "a pool named as the control plane": (
        {"machine_deployments": [pool("control-plane")]},
        "machine_deployments[control-plane].name",
    ),
    "a long name of a pool": ({"machine_deployments": [pool("p" * 53)]}, f"machine_deployments[{'p' * 53}].name"),
    "no version": ({"version": None}, "version"),
    "no base domain": ({"base_domain": None}, "base_domain"),
    "half a version": ({"version": "4.20"}, "version"),
    "an old version": ({"version": "4.13.9"}, "version"),
    "a candidate of the oldest version": ({"version": "4.14.0-rc.1"}, "version"),
    "two control plane machines": ({"control_plane": {"replicas": 2}}, "control_plane.replicas"),
    "a negative pool": ({"machine_deployments": [pool(replicas=-1)]}, "machine_deployments[workers].replicas"),
    "a negative limit": (
        {"control_plane": {"replicas": 3, "node_drain_timeout": -1}},
        "control_plane.node_drain_timeout",
    ),
    "no address": ({"api_vips": ["api"]}, "api_vips[0]"),
    "two addresses of a family": (
        {"api_vips": ["192.0.2.1", "192.0.2.2"], "ingress_vips": ["192.0.2.3", "192.0.2.4"]},
        "api_vips",
    ),
    "api without ingress": ({"ingress_vips": None}, "ingress_vips"),
    "ingress without api": ({"api_vips": []}, "api_vips"),
    "addresses of a single node": ({"control_plane": {"replicas": 1}}, "api_vips"),
    "an unanchored baseline": ({"capabilities": {"baseline_capability": "xv4.18"}}, "capabilities.baseline_capability"),
    "encryption of nothing": ({"disk_encryption": {"mode": "tpmv2"}}, "disk_encryption.enable_on"),
    "tang without servers": ({"disk_encryption": {"enable_on": "all", "mode": "tang"}}, "disk_encryption.tang_servers"),
    "no pull secret": ({"pull_secret": None}, "pull_secret"),
    "a pull secret that is no JSON": ({"pull_secret": "none"}, "pull_secret"),
    "a pull secret without registries": ({"pull_secret": {"auths": {}}}, "pull_secret"),
    "a login without password": (
        {"pull_secret": {"auths": {"quay.io": {"auth": SECRET}}}},
        "pull_secret.auths[quay.io].auth",
    ),
    "a login that is no base64": (
        {"pull_secret": {"auths": {"quay.io": {"auth": "a:b"}}}},
        "pull_secret.auths[quay.io].auth",
    ),
    "mirrors that are no TOML": ({"image_registry": {"registries_conf": "[["}}, "image_registry.registries_conf"),
    "no mirrors": ({"image_registry": {"registries_conf": ""}}, "image_registry.registries_conf"),
    "a registry without mirror": (
        {"image_registry": {"registries_conf": '[[registry]]\nlocation="a"'}},
        "image_registry.registries_conf.registry[0].mirror",
    ),
    "a mirror without registry": (
        {"image_registry": {"registries_conf": '[[registry]]\n[[registry.mirror]]\nlocation="a"'}},
        "image_registry.registries_conf.registry[0].location",
    ),
    "no network": ({"machine_network": ["192.0.2.1/24"]}, "machine_network[0]"),
    "a prefix of no network": ({"host_prefixes": {"10.0.0.0/8": 24}}, "host_prefixes[10.0.0.0/8]"),
    "an image version": ({"config": {"os_image_version": "4.20"}}, "control_plane.config.os_image_version"),
    "a replaced argument": (
        {"config": {"kernel_arguments": [{"operation": "replace", "value": "a"}]}},
        "control_plane.config.kernel_arguments[0].operation",
    ),
    "a blank in an argument": (
        {"config": {"kernel_arguments": [{"operation": "append", "value": "a b"}]}},
        "control_plane.config.kernel_arguments[0].value",
    ),
    "a blank in a long argument": (
        {"config": {"kernel_arguments": [{"operation": "append", "value": "ip=10.0.0.2::10.0.0.1:24:host:eth0 x"}]}},
        "control_plane.config.kernel_arguments[0].value",
    ),
    "no certificate": ({"config": {"additional_trust_bundle": "x"}}, "control_plane.config.additional_trust_bundle"),
    "a label without value": (
        {"config": {"kubelet_extra_labels": ["a"]}},
        "control_plane.config.kubelet_extra_labels[0]",
    ),
    "a label with a command": (
        {"config": {"kubelet_extra_labels": ["a=$(id)"]}},
        "control_plane.config.kubelet_extra_labels[0]",
    ),
    "a provider id with a command": ({"config": {"provider_id": "$(id)"}}, "control_plane.config.provider_id"),
    "an ignition that is no JSON": (
        {"config": {"discovery_ignition_override": "x"}},
        "control_plane.config.discovery_ignition_override",
    ),
    "a newer ignition": (
        {"config": {"ignition_override": '{"ignition": {"version": "3.2.0"}}'}},
        "control_plane.config.ignition_override",
    ),
    "no image": ({"metal3": {}}, "metal3.image"),
    "a template beside metal3": (
        {"control_plane": {"replicas": 3, "infrastructure_ref": REFERENCE}},
        "control_plane.infrastructure_ref",
    ),
    "no infrastructure": ({"infrastructure": "user_templates"}, "infrastructure_ref"),
    "a machine for a template": (
        {"infrastructure": "user_templates", "control_plane": {"replicas": 3, "infrastructure_ref": REFERENCE}},
        "control_plane.infrastructure_ref.kind",
    ),
    "a host of no pool": ({"hosts": [host(1, "others")]}, "hosts[0].pool"),
    "a host without BMC": ({"hosts": [host(1, bmc=None)]}, "hosts[0].bmc"),
    "a network without interfaces": ({"hosts": [host(1, network_config={"a": 1})]}, "hosts[0].interfaces"),
    "two hosts of a MAC address": ({"hosts": [host(1), {**host(1), "name": "b"}]}, "hosts[1].boot_mac_address"),
    "two hosts of a name": ({"hosts": [host(1), {**host(2), "name": "host-1"}]}, "hosts[host-1].name"),
}
DOUBTFUL: dict[str, tuple[dict[str, Any], str]] = {
    "a path without effect": (
        {"config": {"post_bootstrap_kubeconfig_path": "/k"}},
        "control_plane.config.post_bootstrap_kubeconfig_path",
    ),
    "several labels": (
        {"config": {"kubelet_extra_labels": ["a=1", "b=2"]}},
        "control_plane.config.kubelet_extra_labels",
    ),
    "too few hosts": ({"hosts": [host(1), host(2), host(3)]}, "machine_deployments[workers].replicas"),
}


def found(severity: str, kinds: AssistedKinds | None = None, **options: Any) -> list[str]:
    problems = description_problems(read_desired(description(**options)), kinds or AssistedKinds())
    assert all(AUTH not in problem.text() and SECRET not in problem.text() for problem in problems)
    return [problem.path for problem in problems if problem.severity == severity]


def test_nothing_is_wrong() -> None:
    assert found("error") == found("warning") == []
    assert found("error", version="4.20.0-okd-scos.5", pull_secret=None) == []
    assert found("error", pull_secret=None, pull_secret_name="mine") == []
    mirrors = '[[registry]]\nlocation="quay.io/a"\n[[registry.mirror]]\nlocation="mirror/a"'
    assert found("error", image_registry={"registries_conf": mirrors}) == []


@pytest.mark.parametrize("case", BROKEN)
def test_errors(case: str) -> None:
    options, path = BROKEN[case]
    assert path in found("error", **options)


@pytest.mark.parametrize("case", DOUBTFUL)
def test_warnings(case: str) -> None:
    options, path = DOUBTFUL[case]
    assert path in found("warning", **options) and found("error", **options) == []


def test_fields_of_a_newer_version_than_served() -> None:
    old = AssistedKinds(CoreKinds("v1beta1"), "v1alpha2", "v1alpha1", "v1beta1")
    options = {"config": {"pre_bootstrap_commands": ["true"], "arch": "x86_64"}}
    assert (
        "control_plane.config.pre_bootstrap_commands" in found("error", old, **options)
        and found("error", **options) == []
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.check.__name__)
def test_each_rule_has_a_source_and_a_case(rule: Any) -> None:
    assert rule.source
    cases = [options for options, _path in (*BROKEN.values(), *DOUBTFUL.values())]
    assert any(list(rule.check(read_desired(description(**options)), AssistedKinds())) for options in cases)
