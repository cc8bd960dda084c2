# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the modules for an assisted-service against the lab's service: from nothing to an installed cluster. Each module
runs in check mode first, then twice.
"""

from __future__ import annotations

from pathlib import Path

from .assisted_lab import PULL_SECRET, Bench, RunModule, scripted


def test_nothing_is_reported_of_an_empty_service(run_module: RunModule) -> None:
    empty = run_module("assisted_info", versions=True, events=-1)
    assert (empty["clusters"], empty["infra_envs"], empty["hosts"], empty["validations"]) == ([], [], [], [])
    assert "4.22.0" in empty["versions"]["openshift"]


def test_what_the_service_says_of_a_wrong_token_is_reported(run_module: RunModule, bench: Bench) -> None:
    refused = run_module("assisted_info", token=bench.watcher_token, watcher_token=None)
    assert refused["failed"] and "403: authClaim watcherAuth is unauthorized to access" in refused["msg"]
    assert "Remove the prefix" in run_module("assisted_info", token=f"Bearer {bench.token}", watcher_token=None)["msg"]


NETWORK = {
    "interfaces": [
        {
            "name": "eth0",
            "type": "ethernet",
            "state": "up",
            "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.21", "prefix-length": 24}]},
        }
    ]
}
SITE = {
    "name": "spare",
    "pull_secret": PULL_SECRET,
    "additional_ntp_sources": ["192.0.2.1", "ntp.example.com"],
    "kernel_arguments": [{"value": "console=ttyS0"}],
    "ignition_config_override": {"ignition": {"version": "3.2.0"}},
    "image_proxy": {"http_proxy": "http://proxy.example.com:3128", "no_proxy": "192.0.2.0/24"},
    "openshift_version": "4.22",
    "hosts": [
        {
            "name": "host-1",
            "interfaces": [{"name": "eth0", "mac_address": "02:00:00:00:00:01"}],
            "network_config": NETWORK,
        }
    ],
}


def test_an_infra_env_comes_stays_changes_and_goes(run_module: RunModule) -> None:
    assert run_module("assisted_infra_env", **SITE, check=True)["changed"]
    assert run_module("assisted_info")["infra_envs"] == []
    done = run_module("assisted_infra_env", **SITE)
    assert not done.get("failed"), done
    again = run_module("assisted_infra_env", **SITE, diff=True)
    assert (again["changed"], again["plan"], again["diff"]) == (False, [], [])
    changed = run_module("assisted_infra_env", name="spare", additional_ntp_sources=[], kernel_arguments=[], diff=True)
    assert sorted(
        line.split(":")[0] for line in changed["plan"][0].removeprefix("update infra-env spare: ").split("; ")
    ) == [
        "additional_ntp_sources",
        "kernel_arguments",
    ]
    assert not run_module("assisted_infra_env", name="spare", additional_ntp_sources=[], kernel_arguments=[])["changed"]
    assert [run_module("assisted_infra_env", name="spare", state="absent")["changed"] for _ in range(2)] == [
        True,
        False,
    ]


def test_the_service_says_what_is_wrong_with_a_network(run_module: RunModule) -> None:
    hosts = [
        {
            "name": "a",
            "interfaces": [{"name": "other", "mac_address": "02:00:00:00:00:01"}],
            "network_config": {"interfaces": NETWORK["interfaces"]},
        }
    ]
    refused = run_module("assisted_infra_env", name="wrong", pull_secret=PULL_SECRET, hosts=hosts)
    assert refused["failed"] and "assisted-service at" in refused["msg"] and "400" in refused["msg"]
    assert run_module("assisted_info")["infra_envs"] == []


CLUSTER = {
    "name": "demo",
    "base_dns_domain": "lab.example.com",
    "openshift_version": "4.22",
    "pull_secret": PULL_SECRET,
    "control_plane_count": 3,
    "platform": {"type": "baremetal"},
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
    "service_networks": ["172.30.0.0/16"],
    "machine_networks": ["192.0.2.0/24"],
    "network_type": "OVNKubernetes",
    "load_balancer": "cluster-managed",
    "hyperthreading": "all",
    "schedulable_masters": False,
    "tags": ["lab"],
    "install_config_overrides": {"fips": True},
    "manifests": [{"file_name": "50-a.yaml", "content": "apiVersion: v1\nkind: ConfigMap\n"}],
    "ignored_validations": {"hosts": ["ntp-synced"], "cluster": []},
}


def test_a_cluster_comes_stays_and_changes(run_module: RunModule) -> None:
    assert run_module("assisted_cluster", **CLUSTER, check=True)["changed"]
    assert run_module("assisted_info")["clusters"] == []
    done = run_module("assisted_cluster", **CLUSTER)
    assert not done.get("failed"), done
    assert (
        done["cluster"]["status"] in ("insufficient", "pending-for-input")
        and done["cluster"]["openshift_version"] == "4.22.0"
    )
    again = run_module("assisted_cluster", **CLUSTER, diff=True)
    assert (again["changed"], again["plan"]) == (False, [])
    changed = run_module(
        "assisted_cluster", name="demo", tags=[], schedulable_masters=True, install_config_overrides={}
    )
    assert len(changed["plan"]) == 2
    assert not run_module(
        "assisted_cluster", name="demo", tags=[], schedulable_masters=True, install_config_overrides={}
    )["changed"]


def test_the_service_says_what_cannot_be_ignored(run_module: RunModule) -> None:
    refused = run_module("assisted_cluster", name="demo", ignored_validations={"cluster": ["api-vips-defined"]})
    assert (
        refused["failed"]
        and not refused["changed"]
        and ("unable to ignore the following cluster validations (api-vips-defined)") in refused["msg"]
    )


def test_a_cluster_of_elsewhere_is_imported_once(run_module: RunModule) -> None:
    existing = {
        "api_vip_dnsname": "api.old.example.com",
        "openshift_cluster_id": "6f1f9c2e-6a0f-4d0e-9a3c-0c3c5f6d7e8f",
    }
    imported = [
        run_module("assisted_cluster", name="old-one", existing=existing, user_managed_networking=False)
        for _ in range(2)
    ]
    assert [item["changed"] for item in imported] == [True, False]
    assert imported[1]["cluster"]["name"] == "old" and imported[1]["cluster"]["status"] == "adding-hosts"
    assert run_module("assisted_cluster", name="old", state="absent")["changed"]


HOSTS = [
    {
        "name": f"m{number}",
        "mac_addresses": [f"02-00-00-00-00-0{number}"],
        "hostname": f"m{number}",
        "role": "master",
        "root_device_hints": {"model": "LAB"},
    }
    for number in (1, 2, 3)
]


def test_hosts_are_named_as_they_appear_and_waited_for(run_module: RunModule, bench: Bench) -> None:
    site = run_module("assisted_infra_env", name="demo", cluster_name="demo", pull_secret=PULL_SECRET)
    waits = run_module("assisted_hosts", infra_env_name="demo", hosts=HOSTS, wait_for="ready", check=True)
    assert not waits.get("failed") and len(waits["plan"]) == 3
    bench.boot(site["infra_env"]["id"], *[scripted.Machine(number) for number in (1, 2, 3)])
    done = run_module("assisted_hosts", infra_env_name="demo", hosts=HOSTS, wait_for="ready", timeout=60)
    assert not done.get("failed"), done["msg"]
    assert [(host["hostname"], host["role"], host["status"]) for host in done["hosts"]] == [
        (f"m{number}", "master", "known") for number in (1, 2, 3)
    ]
    again = run_module("assisted_hosts", cluster_name="demo", hosts=HOSTS, wait_for="ready", diff=True)
    assert (again["changed"], again["plan"], again["diff"]) == (False, [], [])


def test_settings_of_a_host_change_and_go(run_module: RunModule) -> None:
    ignition = {"ignition": {"version": "3.2.0"}}
    more = {
        **HOSTS[0],
        "node_labels": {"rack": "a"},
        "ignition_config_overrides": ignition,
        "installer_args": ["--append-karg", "a=b"],
    }
    more |= {
        "ignition_endpoint_token": "endpoint-token-1",
        "ignition_endpoint_http_headers": {"X-Pool": "a"},
        "machine_config_pool": "infra",
    }
    more |= {
        "fencing_credentials": {
            "address": "https://192.0.2.9/redfish/v1/Systems/1",
            "username": "admin",
            "password": "fence-password-1",
        }
    }
    changed = [run_module("assisted_hosts", cluster_name="demo", hosts=[{**more, "role": "worker"}]) for _ in range(2)]
    assert [item["changed"] for item in changed] == [True, False], changed
    assert not any(word in str(changed) for word in ("endpoint-token-1", "fence-password-1"))
    other = {**HOSTS[0], "disks_skip_formatting": ["/dev/vdz"], "reset_validations": ["container-images-available"]}
    assert "it has no disk /dev/vdz" in run_module("assisted_hosts", cluster_name="demo", hosts=[other])["msg"]
    less = {**HOSTS[0], "node_labels": {"rack": None}, "installer_args": [], "ignition_endpoint_token": ""}
    assert [run_module("assisted_hosts", cluster_name="demo", hosts=[less])["changed"] for _ in range(2)] == [
        True,
        False,
    ]


def test_the_cluster_is_installed_and_stays_so(run_module: RunModule, bench: Bench) -> None:
    run_module("assisted_hosts", cluster_name="demo", hosts=HOSTS, wait_for="ready", timeout=60)
    too_early = run_module("assisted_install", cluster_name="demo", state="adding_hosts")
    assert too_early["failed"] and "once it is installed" in too_early["msg"]
    bench.report_completion_of(run_module("assisted_info", cluster_name="demo")["clusters"][0]["id"])
    done = run_module("assisted_install", cluster_name="demo", timeout=120)
    assert not done.get("failed"), done["msg"]
    assert done["plan"] == ["install cluster demo"] and (done["cluster"]["status"], done["cluster"]["percent"]) == (
        "installed",
        100,
    )
    again = run_module("assisted_install", cluster_name="demo")
    assert (again["changed"], again["plan"]) == (False, [])
    for name, arguments in (
        ("assisted_hosts", {"cluster_name": "demo", "hosts": HOSTS}),
        ("assisted_cluster", {"name": "demo", "api_vips": ["192.0.2.5"]}),
    ):
        assert not run_module(name, **arguments)["changed"]
    refused = run_module("assisted_cluster", name="demo", tags=["late"])
    assert refused["failed"] and "so the service accepts no changes" in refused["msg"]
    assert "cannot be undone" in run_module("assisted_install", cluster_name="demo", state="reset")["msg"]


def test_events_tell_how_it_went(run_module: RunModule) -> None:
    events = run_module("assisted_info", cluster_name="demo", events=-1)["events"]
    assert {"cluster_registration_succeeded", "cluster_installation_completed"} <= {event["name"] for event in events}
    assert len(run_module("assisted_info", cluster_name="demo", events=3)["events"]) == 3


def test_files_of_an_installed_cluster(run_module: RunModule, tmp_path: Path) -> None:
    files = ["kubeconfig", "kubeadmin-password", "metadata.json", "manifests", "master.ign"]
    arguments = {"cluster_name": "demo", "dest": str(tmp_path / "files"), "files": files}
    assert run_module("assisted_files", **arguments, check=True)["changed"] and not (tmp_path / "files").exists()
    done = run_module("assisted_files", **arguments)
    assert not done.get("failed"), done["msg"]
    assert (tmp_path / "files" / "kubeconfig").read_text() and (
        tmp_path / "files" / "manifests" / "openshift" / "50-a.yaml"
    ).exists()
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "files").rglob("*") if path.is_file()} == {0o600}
    assert not run_module("assisted_files", **arguments)["changed"]
    logs = run_module(
        "assisted_files",
        cluster_name="demo",
        infra_env_name="demo",
        dest=str(tmp_path),
        files=["logs", "discovery.ign"],
    )
    assert not logs.get("failed"), logs["msg"]


def test_late_binding_and_back(run_module: RunModule, bench: Bench) -> None:
    run_module("assisted_cluster", **{**CLUSTER, "name": "late"})
    spares = run_module("assisted_infra_env", name="spares", pull_secret=PULL_SECRET)
    bench.boot(spares["infra_env"]["id"], scripted.Machine(8))
    request = {"name": "spare", "mac_addresses": ["02:00:00:00:00:08"]}
    bound = run_module(
        "assisted_hosts",
        infra_env_name="spares",
        hosts=[{**request, "cluster_name": "late", "hostname": "spare-8"}],
        wait_for="bound",
        timeout=60,
    )
    assert not bound.get("failed"), bound["msg"]
    assert any(line.startswith("bind host spare") for line in bound["plan"])
    again = run_module(
        "assisted_hosts",
        infra_env_name="spares",
        hosts=[{**request, "cluster_name": "late", "hostname": "spare-8"}],
        wait_for="bound",
        timeout=60,
    )
    assert (again["changed"], again["hosts"][0]["hostname"]) == (False, "spare-8")
    free = run_module(
        "assisted_hosts", infra_env_name="spares", hosts=[{**request, "unbind": True}], wait_for="unbound", timeout=60
    )
    assert free["changed"] and free["hosts"][0]["cluster_id"] == "" and free["hosts"][0]["status"].endswith("-unbound")


def test_a_service_that_is_ill_for_a_moment_is_asked_again(run_module: RunModule, bench: Bench) -> None:
    bench.service.core.faults.add("service-503", count=2)
    assert run_module("assisted_info", cluster_name="demo")["clusters"][0]["status"] == "installed"
    bench.service.core.faults.add("service-503", count=1, options={"path": "/v2/infra-envs"})
    assert not run_module("assisted_infra_env", name="demo", pull_secret=PULL_SECRET)["changed"]
