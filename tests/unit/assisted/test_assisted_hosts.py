# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_hosts: it recognizes hosts, changes each one in a single request, rejects a call with a mistake
as a whole, waits, and reports every host.
"""

from __future__ import annotations

import json

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request import host_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.run import Bulk, reconcile_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, PartialFailure

MAC = "52:54:00:00:00:0{}".format


@pytest.fixture
def site(fake):
    fake.infra_envs["i"] = {"id": "i", "name": "edge"}
    fake.clusters["c"] = {"id": "c", "name": "prod"}
    for number in (1, 2):
        fake.add_host("i", f"node-{number}", MAC(number))
    return fake


FIRST = {
    "name": "first",
    "mac_addresses": ["52-54-00-00-00-01"],
    "hostname": "m1",
    "role": "worker",
    "root_device_hints": {"rotational": False},
    "node_labels": {"rack": "a", "gone": None},
    "machine_config_pool": "infra",
    "ignition_config_overrides": {"ignition": {"version": "3.2.0"}},
    "installer_args": ["--append-karg", "a=b"],
}


def test_check_run_run_again(site, run_module):
    arguments = {
        "infra_env_name": "edge",
        "hosts": [FIRST, {"name": "second", "serial_number": "s-NODE-2", "role": "master"}],
    }
    predicted = run_module("assisted_hosts", check=True, diff=True, **arguments)
    assert site.writes == [] and predicted["changed"]
    done = run_module("assisted_hosts", diff=True, **arguments)
    assert not done.get("failed") and (done["plan"], done["diff"]) == (predicted["plan"], predicted["diff"])
    assert [(path.split("/")[-1] in ("ignition", "installer-args"), body) for _method, path, body in site.writes] == [
        (
            False,
            {
                "host_name": "m1",
                "host_role": "worker",
                "machine_config_pool_name": "infra",
                "disks_selected_config": [{"id": "/dev/disk/by-id/b", "role": "install"}],
                "node_labels": [{"key": "rack", "value": "a"}],
            },
        ),
        (True, {"config": '{"ignition": {"version": "3.2.0"}}'}),
        (True, {"args": ["--append-karg", "a=b"]}),
    ]
    first, second = done["hosts"]
    assert (first["hostname"], first["role"], first["by"], first["installation_disk_id"]) == (
        "m1",
        "worker",
        f"MAC {MAC(1)}",
        "/dev/disk/by-id/b",
    )
    assert (second["changed"], second["by"]) == (False, "serial number s-NODE-2")  # the service suggests master already
    again = run_module("assisted_hosts", **arguments)
    assert (again["changed"], again["plan"], len(site.writes)) == (False, [], 3)
    less = run_module(
        "assisted_hosts",
        infra_env_name="edge",
        hosts=[{"name": "first", "mac_addresses": [MAC(1)], "node_labels": {"rack": None, "x": True}}],
    )
    assert site.writes[-1][2] == {"node_labels": [{"key": "x", "value": "true"}]} and less["changed"]


def test_hosts_that_are_not_there_or_ambiguous_fail_and_others_are_done(site, run_module):
    site.add_host("i", "twin", MAC(2))
    hosts = [FIRST, {"name": "missing", "mac_addresses": [MAC(9)]}, {"name": "double", "mac_addresses": [MAC(2)]}]
    result = run_module("assisted_hosts", infra_env_name="edge", hosts=hosts)
    assert result["failed"] and result["changed"] and "2 of 3 hosts" in result["msg"]
    assert [item["name"] for item in result["unmatched"]] == ["missing"] and f"no host has MAC {MAC(9)}" in result[
        "unmatched"
    ][0]["reason"]
    assert result["ambiguous"][0]["name"] == "double" and len(result["ambiguous"][0]["hosts"]) == 2
    assert [host["failed"] for host in result["hosts"]] == [False, True, True]


def test_of_a_machine_that_registered_again_the_living_one_is_taken(site, run_module):
    site.add_host("i", "older", MAC(2), status="disconnected")
    result = run_module(
        "assisted_hosts", infra_env_name="edge", hosts=[{"name": "x", "mac_addresses": [MAC(2)], "hostname": "y"}]
    )
    assert result["hosts"][0]["id"] == next(
        host["id"] for host in site.hosts.values() if host["requested_hostname"] == "y"
    )
    assert "node-2" not in [host["requested_hostname"] for host in site.hosts.values()]


def test_by_query(site, run_module):
    query = "inventory.system_vendor.serial_number == 'S-node-2' && status == 'known'"
    result = run_module(
        "assisted_hosts", infra_env_name="edge", hosts=[{"name": "x", "query": query, "hostname": "found"}]
    )
    assert result["hosts"][0]["hostname"] == "found"


@pytest.mark.parametrize(
    "identity",
    [
        {"system_uuid": "{id}"},
        {"bmc_address": "198.51.100.2/24"},
        {"bmc_address": "[2001:DB8::2]"},
        {"serial_number": " s-node-2 "},
    ],
    ids=lambda identity: next(iter(identity)),
)
def test_every_identity_leads_to_the_host(identity, site, run_module):
    host = site.add_host("i", "node-2", MAC(2))
    inventory = {**json.loads(host["inventory"]), "bmc_address": "198.51.100.2", "bmc_v6address": "2001:db8::2"}
    host["inventory"] = json.dumps(inventory)
    provided = {key: value.replace("{id}", host["id"].upper()) for key, value in identity.items()}
    found = run_module("assisted_hosts", infra_env_name="edge", hosts=[{"name": "x", **provided}])
    assert found["hosts"][0]["id"] == host["id"], found


def test_while_it_is_bound_a_host_is_known_by_its_assigned_hostname(site, run_module):
    host = site.add_host("i", "spare", MAC(4), status="discovering", cluster_id="c", inventory="")
    request = {"name": "x", "mac_addresses": [MAC(4)], "hostname": "spare"}
    assert run_module("assisted_hosts", infra_env_name="edge", hosts=[request])["failed"]
    known = run_module(
        "assisted_hosts", infra_env_name="edge", hosts=[{**request, "cluster_name": "prod"}], wait_for="bound"
    )
    assert (known["hosts"][0]["id"], known["changed"]) == (host["id"], False)


def test_a_machine_that_registered_again_is_forgotten_altogether(site, run_module):
    site.add_host("i", "older", MAC(2), status="disconnected", created_at="2026-01-01T00:00:00Z")
    gone = run_module(
        "assisted_hosts", infra_env_name="edge", hosts=[{"name": "x", "mac_addresses": [MAC(2)], "state": "absent"}]
    )
    assert len(gone["plan"]) == 2 and [host["requested_hostname"] for host in site.hosts.values()] == ["node-1"]


FENCING = {"address": "https://192.0.2.9/redfish/v1/Systems/1", "username": "admin", "password": "bmc-password-1"}


def test_fencing_credentials_are_set_compared_and_hidden(site, run_module):
    def ask(**more):
        return run_module(
            "assisted_hosts",
            infra_env_name="edge",
            diff=True,
            hosts=[{"name": "x", "mac_addresses": [MAC(1)], "fencing_credentials": {**FENCING, **more}}],
        )

    first = ask()
    assert site.writes[-1][2] == {"fencing_credentials": FENCING} and "bmc-password-1" not in json.dumps(first)
    assert not ask()["changed"] and not ask(certificate_verification="Enabled")["changed"]
    other = ask(password="bmc-password-2", mac_address="52-54-00-00-00-01")
    assert other["changed"] and not any(word in json.dumps(other) for word in ("bmc-password-1", "bmc-password-2"))
    assert site.writes[-1][2]["fencing_credentials"]["mac_address"] == MAC(1)


def test_the_ignition_endpoint_is_sent_when_it_is_new_to_the_service_or_on_request(site, run_module):
    def ask(**more):
        host = {"name": "x", "mac_addresses": [MAC(1)], "ignition_endpoint_token": "endpoint-token-1", **more}
        return run_module("assisted_hosts", infra_env_name="edge", diff=True, hosts=[host])

    headers = {"X-Pool": "secret-header-value"}
    first = ask(ignition_endpoint_http_headers=headers)
    assert site.writes[-1][2] == {
        "ignition_endpoint_token": "endpoint-token-1",
        "ignition_endpoint_http_headers": [{"key": "X-Pool", "value": "secret-header-value"}],
    }
    assert not any(word in json.dumps(first) for word in ("endpoint-token-1", "secret-header-value"))
    assert not ask(ignition_endpoint_http_headers=headers)["changed"]
    assert ask(ignition_endpoint_http_headers=headers, replace_ignition_endpoint=True)["changed"]
    assert [ask(ignition_endpoint_token="")["changed"] for _ in range(2)] == [True, False]


def test_disks_that_keep_what_is_on_them(site, run_module):
    def ask(*disks):
        return run_module(
            "assisted_hosts",
            infra_env_name="edge",
            hosts=[{"name": "x", "mac_addresses": [MAC(1)], "disks_skip_formatting": list(disks)}],
        )

    ask("/dev/nvme0n1")
    assert site.writes[-1][2] == {"disks_skip_formatting": [{"disk_id": "/dev/disk/by-id/b", "skip_formatting": True}]}
    assert not ask("/dev/disk/by-id/b")["changed"] and not ask("nvme0n1")["changed"]
    assert "it has no disk /dev/vdz; it has /dev/sda, /dev/nvme0n1" in ask("/dev/vdz")["msg"]
    ask()
    assert site.writes[-1][2] == {"disks_skip_formatting": [{"disk_id": "/dev/disk/by-id/b", "skip_formatting": False}]}
    assert not ask()["changed"]


def test_a_validation_is_done_again_where_it_failed_and_once_only(site, reach, clock):
    failed = {"hardware": [{"id": "sufficient-installation-disk-speed", "status": "failure", "message": "too slow"}]}
    site.add_host("i", "slow", MAC(5), status="insufficient", validations_info=json.dumps(failed))
    provided = [
        {
            "name": "x",
            "mac_addresses": [MAC(5)],
            "reset_validations": ["sufficient-installation-disk-speed", "container-images-available"],
        }
    ]
    with pytest.raises(PartialFailure, match="20 s are over: it is insufficient") as caught:
        reconcile_hosts(
            reach(), Bulk(host_requests(provided), infra_env="edge", clock=clock, wait_for="ready", timeout=20.0)
        )
    assert [path.split("/")[-1] for _method, path, _body in site.writes] == ["sufficient-installation-disk-speed"]
    assert caught.value.result["plan"] == [
        ("reset validation of host x (slow) (sufficient-installation-disk-speed failed: too slow)")
    ]


def test_a_host_that_has_failed_is_not_waited_for(site, reach, clock):
    site.add_host("i", "broken", MAC(5), status="error", status_info="Host failed to install")
    request = host_requests([{"name": "x", "mac_addresses": [MAC(5)]}])
    with pytest.raises(PartialFailure, match="x: it is error: Host failed to install"):
        reconcile_hosts(reach(), Bulk(request, infra_env="edge", clock=clock, wait_for="installed"))
    assert clock.time == 0


def test_a_wait_outlives_a_service_that_restarts(site, reach, clock):
    reported = []
    site.add_host("i", "busy", MAC(5), status="installing-in-progress")

    def sleep(seconds):
        clock.time += seconds
        if clock.time == 5:
            site.faults = [("GET", "hosts", "cut"), ("GET", "hosts", ("status", 503, {}))]
        if clock.time == 20:
            next(host for host in site.hosts.values() if host["requested_hostname"] == "busy")["status"] = "installed"

    clock.sleep = sleep
    request = host_requests([{"name": "x", "mac_addresses": [MAC(5)]}])
    result, _changes = reconcile_hosts(
        reach(retries=0), Bulk(request, infra_env="edge", clock=clock, wait_for="installed", tell=reported.append)
    )
    assert (result["hosts"][0]["status"], clock.time) == ("installed", 20) and any("503" in line for line in reported)


def test_check_mode_before_anything_exists(fake, run_module):
    hosts = [
        {"name": "a", "mac_addresses": [MAC(1)], "cluster_name": "prod"},
        {"name": "b", "mac_addresses": [MAC(2)], "state": "absent"},
    ]
    predicted = run_module("assisted_hosts", check=True, infra_env_name="edge", hosts=hosts)
    assert not predicted.get("failed") and predicted["plan"] == ["wait for host a: there is no InfraEnv edge yet"]
    assert "earlier task" in json.dumps(predicted["warnings"])
    assert "The service has no cluster prod" in run_module("assisted_hosts", infra_env_name="edge", hosts=hosts)["msg"]


def test_a_disk_that_does_not_fit_refuses_the_whole_host(site, run_module):
    hosts = [{**FIRST, "root_device_hints": {"minSizeGigabytes": 900}}]
    result = run_module("assisted_hosts", infra_env_name="edge", hosts=hosts)
    assert result["failed"] and site.writes == []
    assert "/dev/nvme0n1 (SSD, 500 GB): minSizeGigabytes is 500, not at least 900" in result["hosts"][0]["reason"]
    by_path = run_module(
        "assisted_hosts",
        infra_env_name="edge",
        hosts=[{"name": "x", "mac_addresses": [MAC(1)], "installation_disk_id": "/dev/nvme0n1"}],
    )
    assert by_path["hosts"][0]["installation_disk_id"] == "/dev/disk/by-id/b"


def test_a_host_that_is_installed_takes_no_changes_but_none_is_none(site, run_module):
    host = site.add_host("i", "node-3", MAC(3), status="installed", suggested_role="worker", role="worker")
    same = {
        "name": "x",
        "mac_addresses": [MAC(3)],
        "hostname": "node-3",
        "role": "worker",
        "root_device_hints": {"rotational": False},
    }
    assert not run_module("assisted_hosts", infra_env_name="edge", hosts=[same])["changed"]
    refused = run_module("assisted_hosts", infra_env_name="edge", hosts=[{**same, "hostname": "other"}])
    assert (
        "is installed, so the service accepts no changes" in refused["msg"] and host["requested_hostname"] == "node-3"
    )


def test_bound_when_it_can_be_and_unbound(site, run_module):
    host = site.add_host("i", "spare", MAC(4), status="known-unbound")
    early = site.add_host("i", "early", MAC(5), status="insufficient-unbound")
    request = {"name": "x", "mac_addresses": [MAC(4)], "cluster_name": "prod"}
    assert run_module("assisted_hosts", infra_env_name="edge", hosts=[request])["plan"] == [
        "bind host x (spare) (to cluster prod)"
    ]
    assert (
        host["cluster_id"] == "c"
        and not run_module("assisted_hosts", infra_env_name="edge", hosts=[request], check=True)["changed"]
    )
    waits = run_module("assisted_hosts", infra_env_name="edge", hosts=[{**request, "mac_addresses": [MAC(5)]}])
    assert "known-unbound, and is insufficient-unbound" in waits["msg"] and not early.get("cluster_id")
    host["status"] = "known"
    assert run_module(
        "assisted_hosts", infra_env_name="edge", hosts=[{**request, "cluster_name": None, "unbind": True}]
    )["changed"]
    assert not host["cluster_id"]


def test_forgotten(site, run_module):
    request = {"name": "x", "mac_addresses": [MAC(1)], "state": "absent"}
    assert [run_module("assisted_hosts", infra_env_name="edge", hosts=[request])["changed"] for _ in range(2)] == [
        True,
        False,
    ]


def test_what_the_service_refuses_is_reported_of_that_host(site, run_module):
    site.faults = [
        (
            "PATCH",
            "hosts",
            ("status", 409, {"kind": "Error", "code": "409", "reason": "Requested installation disk is not valid"}),
        )
    ]
    hosts = [{"name": "a", "mac_addresses": [MAC(1)], "hostname": "aa"}]
    result = run_module("assisted_hosts", infra_env_name="edge", hosts=hosts)
    assert result["failed"] and not result["changed"] and "Requested installation disk" in result["hosts"][0]["reason"]


def bulk(clock, **more):
    requests = host_requests([{"name": "late", "mac_addresses": [MAC(7)], "hostname": "l7"}])
    return Bulk(requests, infra_env="edge", clock=clock, **{"wait_for": "ready", "timeout": 60.0, **more})


def test_a_late_host_is_waited_for_and_treated(site, reach, clock):
    reported = []

    def sleep(seconds):
        clock.time += seconds
        if clock.time == 10:
            site.add_host("i", "node-7", MAC(7), status="insufficient", status_info="no disk")
        if clock.time == 20:
            next(host for host in site.hosts.values() if host["requested_hostname"] == "l7")["status"] = "known"

    clock.sleep = sleep
    result, changes = reconcile_hosts(reach(), bulk(clock, tell=reported.append))
    assert clock.time == 20 and result["hosts"][0]["hostname"] == "l7" and len(changes) == 1
    assert reported == [f"late: waits, no host has MAC {MAC(7)}", "late: waits, it is insufficient: no disk"]


def test_the_wait_has_a_limit(site, reach, clock):
    with pytest.raises(PartialFailure, match="60 s are over: no host has MAC") as caught:
        reconcile_hosts(reach(), bulk(clock))
    assert caught.value.result["unmatched"][0]["name"] == "late" and clock.time == 60


def test_a_minute_without_news_says_who_is_waited_for(site, reach, clock):
    reported = []
    with pytest.raises(PartialFailure):
        reconcile_hosts(reach(), bulk(clock, tell=reported.append, timeout=130.0))
    assert reported == [f"late: waits, no host has MAC {MAC(7)}", "still waiting for late", "still waiting for late"]


def test_check_mode_reports_what_would_be_waited_for(site, run_module):
    result = run_module(
        "assisted_hosts",
        check=True,
        infra_env_name="edge",
        wait_for="ready",
        hosts=[{"name": "late", "mac_addresses": [MAC(7)]}],
    )
    assert not result.get("failed") and result["plan"] == [f"wait for host late: no host has MAC {MAC(7)}"]


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        ({"mac_addresses": []}, "has no identity"),
        ({"mac_addresses": ["x"]}, "not a MAC address"),
        ({"hostname": "localhost.localdomain"}, "is not a name"),
        ({"hostname": "Upper"}, "is not a name"),
        ({"hostname": "127.0.0.1"}, "is not a name"),
        ({"hostname": "node.localhost"}, "is not a name"),
        ({"hostname": "node-"}, "is not a name"),
        ({"root_device_hints": {"devicename": "x"}}, "no such root device hint"),
        ({"root_device_hints": {"model": "x"}, "installation_disk_id": "y"}, "exclude each other"),
        ({"cluster_name": "c", "unbind": True}, "cluster_name excludes unbind"),
        ({"query": "a =="}, "JMESPath"),
        ({"ignition_config_overrides": "[]"}, "JSON object"),
        ({"system_uuid": "x"}, "is not a UUID"),
        ({"ignition_endpoint_http_headers": {"a": "b"}}, "the service does not show which headers it has"),
        ({"replace_ignition_endpoint": True}, "nothing|neither"),
        ({"fencing_credentials": {"mac_address": "x"}}, "not a MAC address"),
    ],
)
def test_mistakes(provided, words):
    with pytest.raises(InvalidInput, match=words):
        host_requests([{"name": "a", "mac_addresses": [MAC(1)], **provided}])
    with pytest.raises(InvalidInput, match="is also that of a"):
        host_requests([{"name": "a", "mac_addresses": [MAC(1)]}, {"name": "b", "mac_addresses": [MAC(1)]}])
