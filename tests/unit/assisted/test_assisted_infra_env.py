# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_infra_env: it creates, patches and deletes an InfraEnv, leaves one without a difference
unchanged, and rejects an impossible change.
"""

from __future__ import annotations

import json

import pytest

NETWORK = {"interfaces": [{"name": "eth0", "type": "ethernet", "ipv4": {"enabled": True}}]}
HOSTS = [
    {"name": "b", "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:0B"}], "network_config": NETWORK},
    {"name": "a", "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:0A"}], "network_config": NETWORK},
]
EVERYTHING = {
    "ssh_public_keys": ["ssh-ed25519 AAAA\n"],
    "image_proxy": {"http_proxy": "http://user:proxy-word@proxy:3128"},
    "additional_ntp_sources": ["a", "b"],
    "image_type": "minimal-iso",
    "openshift_version": "4.22.3",
    "arch": "aarch64",
    "kernel_arguments": [{"value": "console=ttyS0"}],
    "ignition_config_override": {"ignition": {"version": "3.2.0"}},
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----",
    "network_discovery_delay_seconds": 5,
    "hosts": HOSTS,
}


def test_check_run_run_again_absent(fake, run_module, pull_secret):
    arguments = {"name": "site", "pull_secret": pull_secret, **EVERYTHING}
    predicted = run_module("assisted_infra_env", check=True, diff=True, **arguments)
    assert predicted["changed"] and fake.writes == [] and predicted["image_url"] == ""
    done = run_module("assisted_infra_env", diff=True, **arguments)
    assert (done["plan"], done["diff"]) == (predicted["plan"], predicted["diff"]) and "proxy-word" not in json.dumps(
        done
    )
    assert (
        done["plan"] == ["create infra-env site (it does not exist)"]
        and done["image_url"].endswith("full.iso")
        and done["image_expires_at"] == ""
    )
    (_method, _path, body) = fake.writes[0]
    assert body["additional_ntp_sources"] == "a,b" and body["proxy"]["https_proxy"] == "" and "cluster_id" not in body
    assert body["static_network_config"][0]["mac_interface_map"] == [
        {"mac_address": "52:54:00:00:00:0B", "logical_nic_name": "eth0"}
    ]
    # as the service stores them
    fake.infra_envs[done["infra_env"]["id"]].update(openshift_version="4.22", cpu_architecture="arm64")
    again = run_module("assisted_infra_env", **{**arguments, "hosts": HOSTS[::-1]})
    assert (again["changed"], again["plan"], len(fake.writes)) == (False, [], 1)
    assert run_module("assisted_infra_env", name=done["infra_env"]["id"])["infra_env"]["name"] == "site"
    gone = [run_module("assisted_infra_env", name="site", state="absent")["changed"] for _ in range(2)]
    assert gone == [True, False] and fake.infra_envs == {}


def test_only_what_differs_is_sent(fake, run_module, pull_secret):
    run_module("assisted_infra_env", name="site", pull_secret=pull_secret, **EVERYTHING)
    changed = run_module(
        "assisted_infra_env",
        diff=True,
        name="site",
        additional_ntp_sources=["c"],
        kernel_arguments=[],
        ssh_public_keys=[],
        image_type="minimal-iso",
    )
    assert fake.writes[-1][2] == {"additional_ntp_sources": "c", "kernel_arguments": [], "ssh_authorized_key": ""}
    assert "additional_ntp_sources: 'a,b' -> 'c'" in changed["plan"][0]
    assert json.loads(changed["diff"][0]["before"])["additional_ntp_sources"] == "a,b"
    run_module("assisted_infra_env", name="site", pull_secret=pull_secret)
    assert len(fake.writes) == 2
    replaced = run_module(
        "assisted_infra_env", name="site", pull_secret=pull_secret, replace_pull_secret=True, diff=True
    )
    assert replaced["plan"] == ["update infra-env site: pull_secret: <hidden>"] and fake.writes[-1][2] == {
        "pull_secret": pull_secret
    }


def test_with_a_cluster_by_name(fake, run_module, pull_secret):
    fake.clusters["c"] = {"id": "c", "name": "edge"}
    fake.clusters["d"] = {"id": "d", "name": "other"}
    assert "has other" in run_module("assisted_infra_env", name="x", cluster_name="none", pull_secret=pull_secret)[
        "msg"
    ].replace("edge, ", "")
    run_module("assisted_infra_env", name="site", cluster_name="edge", pull_secret=pull_secret)
    assert fake.writes[0][2]["cluster_id"] == "c"
    assert not run_module("assisted_infra_env", name="site", cluster_name="c")["changed"]
    refused = run_module("assisted_infra_env", name="site", cluster_name="other", arch="s390x")
    assert [problem["path"] for problem in refused["problems"]] == ["arch", "cluster_name"] and len(fake.writes) == 1


def test_two_of_one_name_are_reported(fake, run_module):
    fake.infra_envs = {"1": {"id": "1", "name": "site"}, "2": {"id": "2", "name": "site"}}
    assert (
        "There are 2 InfraEnvs of the name site: 1 (no status), 2 (no status)"
        in run_module("assisted_infra_env", name="site", state="absent")["msg"]
    )
    assert not run_module("assisted_infra_env", name="2")["changed"]


def test_hosts_are_in_the_way_of_deletion(fake, run_module):
    fake.infra_envs["1"] = {"id": "1", "name": "site"}
    fake.add_host("1", "node-1", "52:54:00:00:00:01")
    refused = run_module("assisted_infra_env", name="site", state="absent")
    assert refused["failed"] and "node-1 (known)" in refused["msg"] and "delete_hosts" in refused["msg"]
    fake.faults = [("DELETE", "infra-envs/1", ("status", 409, {"code": "409", "reason": "still in use"}))]
    fake.add_host("1", "node-2", "52:54:00:00:00:02")
    half = run_module("assisted_infra_env", name="site", state="absent", delete_hosts=True)
    assert half["failed"] and not half["changed"] and "still in use" in half["msg"] and half["done"] == []
    assert (
        run_module("assisted_infra_env", name="site", state="absent", delete_hosts=True)["changed"] and not fake.hosts
    )


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        ({}, "a new one needs a pull secret"),
        ({"pull_secret": "{}"}, "auths required"),
        ({"image_proxy": {"https_proxy": "https://p"}}, "must begin with http://"),
        ({"kernel_arguments": [{"value": "a b"}]}, "double quotes"),
        ({"ignition_config_override": "{}"}, "ignition.version"),
        ({"hosts": [HOSTS[0], HOSTS[0]]}, "another host has this name"),
        ({"rendezvous_ip": "192.0.2.1", "image_type": "full-iso"}, "disconnected-iso"),
    ],
)
def test_mistakes_are_reported_before_anything_is_sent(fake, run_module, provided, words):
    result = run_module("assisted_infra_env", name="site", **provided)
    assert result["failed"] and words in result["msg"] and fake.writes == []


def test_a_service_without_images(fake, run_module):
    fake.infra_envs["1"] = {"id": "1", "name": "site"}
    fake.faults = [("GET", "image-url", ("status", 400, {"code": "400", "reason": "image service is disabled"}))]
    assert run_module("assisted_infra_env", name="site")["image_url"] == ""


def test_check_mode_takes_a_cluster_that_an_earlier_task_makes(fake, run_module, pull_secret):
    arguments = {"name": "site", "cluster_name": "edge", "pull_secret": pull_secret}
    predicted = run_module("assisted_infra_env", **arguments, check=True)
    assert predicted["changed"] and "no cluster edge" in str(predicted["warnings"]) and fake.writes == []
    assert "The service has no cluster edge" in run_module("assisted_infra_env", **arguments)["msg"]
