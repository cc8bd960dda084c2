# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_cluster: each field of its requests, which differences cause a change, the order of the
requests, and which changes are rejected.
"""

from __future__ import annotations

import json

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.plan import (
    ObservedCluster,
    plan_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError

# option: (given, what is sent, what the service then shows)
FIELDS = {
    "base_dns_domain": ("example.com", "example.com", "example.com"),
    "openshift_version": ("4.22", "4.22", "4.22.3"),
    "ocp_release_image": ("quay.io/r@sha256:a", "quay.io/r@sha256:a", "quay.io/r@sha256:a"),
    "arch": ("aarch64", "aarch64", "arm64"),
    "control_plane_count": (3, 3, 3),
    "high_availability_mode": ("Full", "Full", "Full"),
    "platform": ({"type": "external", "external": {"platform_name": "oci"}},) * 2
    + ({"type": "external", "external": {"platform_name": "oci", "x": 1}},),
    "user_managed_networking": (False, False, None),
    "load_balancer": ("cluster-managed", {"type": "cluster-managed"}, None),
    "api_vips": (["FD00::5"], [{"ip": "FD00::5"}], [{"ip": "fd00::5", "cluster_id": "c", "verification": "succeeded"}]),
    "ingress_vips": (["192.0.2.6"], [{"ip": "192.0.2.6"}], [{"ip": "192.0.2.6", "cluster_id": "c"}]),
    "vip_dhcp_allocation": (False, False, False),
    "cluster_networks": (
        [{"cidr": "10.128.0.0/14", "host_prefix": None}],
        [{"cidr": "10.128.0.0/14"}],
        [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
    ),
    "service_networks": (
        ["172.30.0.0/16"],
        [{"cidr": "172.30.0.0/16"}],
        [{"cidr": "172.30.0.0/16", "cluster_id": "c"}],
    ),
    "machine_networks": (["192.0.2.0/24"], [{"cidr": "192.0.2.0/24"}], [{"cidr": "192.0.2.0/24"}]),
    "network_type": ("OVNKubernetes",) * 3,
    "ssh_public_keys": (["ssh-ed25519 AAAA\n"], "ssh-ed25519 AAAA", "ssh-ed25519 AAAA"),
    "http_proxy": ("http://p:1",) * 3,
    "https_proxy": ("http://p:2",) * 3,
    "no_proxy": ("a,b",) * 3,
    "ntp_sources": (["a", "b"], "a,b", "a, b"),
    "olm_operators": ([{"name": "odf", "properties": None}], [{"name": "odf"}], None),
    "operator_bundles": (
        [{"id": "ai", "optional_operators": ["b", "a"]}, {"id": "virt", "optional_operators": None}],
        [{"id": "ai", "optional_operators": ["b", "a"]}, {"id": "virt"}],
        [{"id": "virt", "optional_operators": ["x"]}, {"id": "ai", "optional_operators": ["a", "b"]}],
    ),
    "hyperthreading": ("masters,workers", "masters,workers", "workers,masters"),
    "schedulable_masters": (True, True, True),
    "disk_encryption": ({"enable_on": "all", "mode": "tang", "tang_servers": '[{"url":"x"}]'},) * 2
    + ({"enable_on": "all", "mode": "tang", "tang_servers": '[{"url": "x"}]'},),
    "ignition_endpoint": (
        {"url": "https://x", "ca_certificate": None},
        {"url": "https://x"},
        {"url": "https://x", "ca_certificate": "c"},
    ),
    "tags": (["a", "b c"], "a,b c", "a,b c"),
}
OPERATORS = [
    {"name": "odf", "operator_type": "olm"},
    {"name": "lso", "operator_type": "olm"},
    {"name": "console", "operator_type": "builtin"},
]


def requested(**options):
    return read_requested({"name": "edge", **options})


@pytest.mark.parametrize("option", FIELDS)
def test_every_field_is_sent_and_is_no_difference_afterwards(option, pull_secret):
    provided, sent, shown = FIELDS[option]
    field = {"arch": "cpu_architecture", "ssh_public_keys": "ssh_public_key"}.get(option, option)
    base = {"openshift_version": "4.22", "pull_secret": pull_secret}
    (change,) = plan_present(requested(**{**base, option: provided}), None).changes
    assert change.verb == "create" and change.body[field] == sent
    document = {"status": "ready", "openshift_version": "4.22.3", "monitored_operators": OPERATORS, field: shown}
    assert plan_present(requested(**{**base, option: provided}), ObservedCluster(document)).changes == []
    untouched = plan_present(requested(name="edge"), ObservedCluster(document))
    assert untouched.changes == [] and untouched.warnings == []


@pytest.mark.parametrize(
    ("provided", "shown", "sent"),
    [
        ({"api_vips": ["192.0.2.7"]}, {"api_vips": [{"ip": "192.0.2.5"}]}, {"api_vips": [{"ip": "192.0.2.7"}]}),
        ({"api_vips": []}, {"api_vips": [{"ip": "192.0.2.5"}]}, {"api_vips": []}),
        (
            {"cluster_networks": [{"cidr": "10.0.0.0/14", "host_prefix": 24}]},
            {"cluster_networks": [{"cidr": "10.0.0.0/14", "host_prefix": 23}]},
            None,
        ),
        ({"tags": []}, {"tags": "a"}, {"tags": ""}),
        ({"olm_operators": []}, {"monitored_operators": OPERATORS}, {"olm_operators": []}),
        (
            {"olm_operators": [{"name": "cnv"}]},
            {"monitored_operators": OPERATORS},
            {"olm_operators": [{"name": "cnv"}]},
        ),
        ({"operator_bundles": []}, {"operator_bundles": [{"id": "ai"}]}, {"operator_bundles": []}),
        ({"load_balancer": "user-managed"}, {}, {"load_balancer": {"type": "user-managed"}}),
        ({"http_proxy": ""}, {"http_proxy": "http://a"}, {"http_proxy": ""}),
        ({"additional_ntp_sources": ["a"]}, {"additional_ntp_source": "b"}, {"additional_ntp_source": "a"}),
        (
            {"machine_networks": ["192.0.2.0/24"], "user_managed_networking": True},
            {"user_managed_networking": True},
            None,
        ),
    ],
    ids=str,
)
def test_differences(provided, shown, sent):
    (change,) = plan_present(requested(**provided), ObservedCluster({"status": "insufficient", **shown})).changes
    assert change.verb == "update" and (sent is None or change.body == sent)


def test_a_machine_network_that_the_service_derives_is_warned_of():
    document = {"status": "ready", "machine_networks": [{"cidr": "192.0.2.0/24"}]}
    plan = plan_present(requested(machine_networks=["198.51.100.0/24"]), ObservedCluster(document))
    assert plan.changes == [] and "VIPs (192.0.2.0/24)" in plan.warnings[0]


def test_what_cannot_be_changed_is_refused_with_all_of_it():
    document = {"status": "ready", "openshift_version": "4.21.9", "cpu_architecture": "x86_64"}
    with pytest.raises(InvalidInput) as caught:
        plan_present(requested(openshift_version="4.22", arch="multi"), ObservedCluster(document))
    assert [problem.path for problem in caught.value.problems] == ["openshift_version", "arch"]


def test_an_installation_takes_no_changes_but_none_is_none():
    observed = ObservedCluster({"status": "installed", "tags": "a"})
    assert plan_present(requested(tags=["a"]), observed).changes == []
    with pytest.raises(ZeroTouchError, match=r"is installed, so the service accepts no changes.*tags: 'a' -> 'b'"):
        plan_present(requested(tags=["b"]), observed)


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        ({"api_vips": ["x"]}, "is not an IP address"),
        ({"api_vips": ["192.0.2.1"], "ingress_vips": []}, "as many as api_vips"),
        ({"service_networks": ["172.30.0.0/33"]}, "CIDR"),
        ({"tags": ["a-b"]}, "no hyphen"),
        ({"https_proxy": "https://x"}, "must begin with http://"),
        ({"install_config_overrides": "[]"}, "JSON object"),
        ({"manifests": [{"folder": "openshift", "file_name": "a b.yaml", "content": "x"}]}, "plain name"),
        ({"manifests": [{"folder": "openshift", "file_name": "a.yaml", "content": ""}]}, "has content"),
        (
            {
                "manifests": [
                    {"folder": folder, "file_name": "a.yaml", "content": "x"} for folder in ("openshift", "manifests")
                ]
            },
            "between the folders",
        ),
        ({"existing": {"api_vip_dnsname": "api.x"}}, "set both options"),
        ({"pull_secret": "x"}, "auths required"),
    ],
)
def test_mistakes(provided, words):
    with pytest.raises(InvalidInput, match=words):
        requested(**provided)


WHOLE = {
    "name": "edge",
    "openshift_version": "4.22",
    "base_dns_domain": "example.com",
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "install_config_overrides": {
        "fips": True,
        "platform": {"baremetal": {"hosts": [{"bmc": {"password": "bmc-word-here"}}]}},
    },
    "manifests": [{"file_name": "a.yaml", "content": "a: 1\n"}],
    "ignored_validations": {"hosts": ["ntp-synced"]},
}


def test_check_run_run_again_change_absent(fake, run_module, pull_secret):
    predicted = run_module("assisted_cluster", check=True, diff=True, pull_secret=pull_secret, **WHOLE)
    assert fake.writes == [] and predicted["changed"] and predicted["cluster"] == {"id": "", "name": "edge"}
    done = run_module("assisted_cluster", diff=True, pull_secret=pull_secret, **WHOLE)
    assert (done["plan"], done["diff"]) == (predicted["plan"], predicted["diff"]) and "bmc-word-here" not in json.dumps(
        done
    )
    assert [(method, path.split("/")[-1]) for method, path, _body in fake.writes] == [
        ("POST", "clusters"),
        ("PATCH", "install-config"),
        ("POST", "manifests"),
        ("PUT", "ignored-validations"),
    ]
    again = run_module("assisted_cluster", diff=True, pull_secret=pull_secret, **WHOLE)
    assert (again["changed"], again["plan"], again["diff"], len(fake.writes)) == (False, [], [], 4)
    other = [{"file_name": "a.yaml", "content": "a: 2\n"}]
    changed = run_module(
        "assisted_cluster",
        name="edge",
        manifests=other,
        ignored_validations={"cluster": ["all"]},
        install_config_overrides="",
    )
    assert [body for _method, _path, body in fake.writes[4:]] == [
        "{}",
        {"folder": "openshift", "file_name": "a.yaml", "content": "YTogMgo="},
        {"host-validation-ids": '["ntp-synced"]', "cluster-validation-ids": '["all"]'},
    ]
    assert changed["plan"][1] == "update manifest openshift/a.yaml: content: 'a: 1\\n' -> 'a: 2\\n'"
    gone = run_module("assisted_cluster", name="edge", manifests=[{"file_name": "a.yaml", "state": "absent"}])
    assert gone["plan"] == ["delete manifest openshift/a.yaml"] and not fake.manifests
    assert [run_module("assisted_cluster", name="edge", state="absent")["changed"] for _ in range(2)] == [True, False]


def test_what_was_done_before_the_service_refused_is_reported(fake, run_module, pull_secret):
    fake.faults = [
        ("PATCH", "install-config", ("status", 400, {"code": "400", "reason": "Failed to apply: fips is not a field"}))
    ]
    failed = run_module("assisted_cluster", pull_secret=pull_secret, **WHOLE)
    assert failed["failed"] and failed["changed"] and "fips is not a field" in failed["msg"]
    assert failed["done"] == ["create cluster edge (it does not exist)"] and len(failed["plan"]) == 4
    assert len(run_module("assisted_cluster", pull_secret=pull_secret, **WHOLE)["plan"]) == 3


def test_a_new_cluster_needs_version_and_pull_secret(fake, run_module):
    assert [problem["path"] for problem in run_module("assisted_cluster", name="edge")["problems"]] == [
        "openshift_version",
        "pull_secret",
    ]


def test_a_cluster_that_runs_already_is_imported_once(fake, run_module):
    existing = {"api_vip_dnsname": "api.real.example.com", "openshift_cluster_id": "own-id"}
    arguments = {"name": "edge", "existing": existing, "user_managed_networking": True}
    assert run_module("assisted_cluster", check=True, **arguments)["plan"][0] == (
        "import cluster edge (the service does not know it)"
    )
    run_module("assisted_cluster", **arguments)
    (cluster,) = fake.clusters.values()
    cluster["name"] = "real"  # as the service names it
    assert [body for _method, _path, body in fake.writes] == [
        {"name": "edge", **existing},
        {"user_managed_networking": True},
    ]
    assert not run_module("assisted_cluster", **arguments)["changed"]


def test_deletion_names_the_hosts_and_reports_a_refusal(fake, run_module):
    fake.clusters["c"] = {"id": "c", "name": "edge", "status": "installing"}
    fake.add_host("i", "node-1", "52:54:00:00:00:01", cluster_id="c")
    assert run_module("assisted_cluster", name="edge", state="absent", check=True)["plan"] == [
        ("delete cluster edge (and with it its hosts node-1)")
    ]
    fake.faults = [
        ("DELETE", "clusters/c", ("status", 409, {"kind": "Error", "code": "409", "reason": "cluster is installing"}))
    ]
    assert "409: cluster is installing" in run_module("assisted_cluster", name="edge", state="absent")["msg"]


def test_what_a_secret_among_the_manifests_holds_is_shown_nowhere(fake, run_module, pull_secret):
    content = "kind: Secret\nstringData: {any: held-value-1}\ndata: {other: aGVsZC12YWx1ZS0y}\n"
    manifests = [{"file_name": "a.yaml", "content": content}]
    done = run_module(
        "assisted_cluster",
        name="edge",
        openshift_version="4.22",
        pull_secret=pull_secret,
        manifests=manifests,
        diff=True,
    )
    assert not done.get("failed") and "held-value-1" not in str(done) and "aGVsZC12YWx1ZS0y" not in str(done)
    assert fake.manifests[(done["cluster"]["id"], "openshift", "a.yaml")].decode() == content
    changed = [{"file_name": "a.yaml", "content": content.replace("held-value-1", "held-value-3")}]
    assert run_module("assisted_cluster", name="edge", manifests=changed)["plan"] == [
        ("update manifest openshift/a.yaml: content differs")
    ]
