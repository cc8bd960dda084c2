# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how cluster-manifests and their NMStateConfigs become the request that creates an InfraEnv in assisted-service
(infra-env-create-params): one case for each row of the mapping.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go,
  internal/controller/controllers/infraenv_controller.go.
"""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.infra_env import (
    infra_env_params,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput

LABELS = {"infraenvs.agent-install.openshift.io": "edge"}


def test_what_is_always_sent_and_nothing_else(manifests, pull_secret_text):
    assert infra_env_params(manifests()) == {
        "name": "edge-env",
        "image_type": "full-iso",
        "pull_secret": pull_secret_text,
        "ssh_authorized_key": "",
        "kernel_arguments": None,
        "static_network_config": None,
    }


@pytest.mark.parametrize(
    ("field", "spec", "expected"),
    [
        ("ssh_authorized_key", {"sshAuthorizedKey": "ssh-rsa A"}, "ssh-rsa A"),
        ("cpu_architecture", {"cpuArchitecture": "aarch64"}, "aarch64"),
        ("ignition_config_override", {"ignitionConfigOverride": '{"ignition": {}}'}, '{"ignition": {}}'),
        ("ignition_config_override", {"ignitionConfigOverride": ""}, None),
        ("additional_trust_bundle", {"additionalTrustBundle": "PEM"}, "PEM"),
        ("network_discovery_delay_seconds", {"networkDiscoveryDelaySeconds": 0}, 0),
        ("network_discovery_delay_seconds", {"networkDiscoveryDelaySeconds": 30}, 30),
        ("proxy", {"proxy": {"httpProxy": "http://p"}}, {"http_proxy": "http://p", "https_proxy": "", "no_proxy": ""}),
        (
            "proxy",
            {"proxy": {"httpsProxy": "http://q", "noProxy": "a"}},
            {"http_proxy": "", "https_proxy": "http://q", "no_proxy": "a"},
        ),
        ("proxy", {}, None),
        ("additional_ntp_sources", {"additionalNTPSources": ["a", "b"]}, "a,b"),
        ("ntp_sources", {"ntpSources": ["c"]}, "c"),
        (
            "kernel_arguments",
            {"kernelArguments": [{"operation": "append", "value": "a=b"}]},
            [{"operation": "append", "value": "a=b"}],
        ),
        ("image_type", {"imageType": "minimal-iso"}, "full-iso"),
        ("openshift_version", {"osImageVersion": "4.20"}, None),
    ],
)
def test_spec_of_the_infra_env(manifests, field, spec, expected):
    assert infra_env_params(manifests({}, {"spec": spec})).get(field) == expected


def test_the_cluster_and_the_kind_of_image(manifests):
    params = infra_env_params(manifests(), cluster_id="c-1", image_type="minimal-iso")
    assert (params["cluster_id"], params["image_type"]) == ("c-1", "minimal-iso")


def nmstate(labels, interfaces=({"name": "eth0", "macAddress": "52:54:00:00:00:0A"},)):
    config = {"interfaces": [{"type": "ethernet", "name": "eth0"}], "dns-resolver": {}}
    return yaml.safe_dump(
        {
            "kind": "NMStateConfig",
            "metadata": {"labels": labels},
            "spec": {"config": config, "interfaces": list(interfaces)},
        }
    )


def test_nmstate_in_the_order_of_the_documents_with_sorted_keys(manifests):
    other = nmstate(LABELS, ({"name": "b", "macAddress": "52:54:00:00:00:0b"},))
    text = f"# comment\n{nmstate(LABELS)}---\n---\n{other}"
    found = infra_env_params(manifests(nmstateconfig=text))["static_network_config"]
    assert [item["mac_interface_map"] for item in found] == [
        [{"mac_address": "52:54:00:00:00:0A", "logical_nic_name": "eth0"}],
        [{"mac_address": "52:54:00:00:00:0b", "logical_nic_name": "b"}],
    ]
    assert found[0]["network_yaml"] == "dns-resolver: {}\ninterfaces:\n- name: eth0\n  type: ethernet\n"


@pytest.mark.parametrize(
    ("labels", "interfaces", "infra_env", "words"),
    [
        ({}, None, {}, "should have at least one label set"),
        (LABELS, None, {"spec": {"nmStateConfigLabelSelector": {"matchLabels": None}}}, "does not have any labels set"),
        ({**LABELS, "more": "x"}, None, {}, "labels do not match"),
        (LABELS, (), {}, "at least one interface"),
    ],
)
def test_nmstate_that_does_not_belong(manifests, labels, interfaces, infra_env, words):
    text = nmstate(labels) if interfaces is None else nmstate(labels, interfaces)
    with pytest.raises(InvalidInput, match=words):
        infra_env_params(manifests({}, infra_env, nmstateconfig=text))
