# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the module assisted_manifests with a fake service: requests, second runs, rejected changes, late hosts."""

from __future__ import annotations

import pytest

OVERRIDES = {"metadata": {"annotations": {"agent-install.openshift.io/install-config-overrides": '{"fips": true}'}}}
VIPS = {
    "spec": {
        "apiVIP": "192.0.2.5",
        "ingressVIP": "192.0.2.6",
        "platformType": "BareMetal",
        "networking": {"networkType": "OVNKubernetes"},
    }
}
MAC = "52:54:00:00:00:0a"
NODE = {
    "hostname": "node-1",
    "mac_addresses": [MAC],
    "role": "worker",
    "root_device_hints": {"deviceName": "/dev/nvme0n1"},
}


@pytest.fixture
def source(tmp_path, files):
    def write(aci=None, infra_env=None, extra=None, **more):
        directory = tmp_path / "cluster-manifests"
        directory.mkdir(exist_ok=True)
        for name, text in files(aci or {**OVERRIDES, **VIPS}, infra_env or {}, **more).items():
            (directory / name).write_text(text)
        (tmp_path / "openshift").mkdir(exist_ok=True)
        for name, text in (extra or {"a.yaml": "a: 1\n"}).items():
            (tmp_path / "openshift" / name).write_text(text)
        return str(tmp_path)

    return write


def wrote(fake):
    return [(method, path.split("?")[0]) for method, path, _body in fake.writes]


def test_registered_once_and_then_left_alone(source, fake, run_module):
    directory = source()
    predicted = run_module("assisted_manifests", config_dir=directory, check=True)
    assert predicted["changed"] and not fake.writes and predicted["cluster"] == {"id": "", "name": "edge"}
    done = run_module("assisted_manifests", config_dir=directory, diff=True)
    assert done["changed"] and done["plan"] == predicted["plan"] and done["diff"]
    identity = done["cluster"]["id"]
    assert wrote(fake) == [
        ("POST", "clusters"),
        ("PATCH", f"clusters/{identity}/install-config"),
        ("POST", f"clusters/{identity}/manifests"),
        ("POST", "infra-envs"),
    ]
    assert fake.writes[1][2] == '{"fips": true}' and fake.writes[2][2]["folder"] == "openshift"
    assert fake.writes[3][2]["cluster_id"] == identity and fake.writes[0][2]["operator_bundles"] is None
    again = run_module("assisted_manifests", config_dir=directory)
    assert not again["changed"] and again["plan"] == [] and len(fake.writes) == 4


def test_another_cluster_is_not_taken_for_ours(source, fake, run_module):
    fake.clusters["other"] = {"id": "other", "name": "other", "status": "installed"}
    fake.infra_envs["other"] = {"id": "other", "name": "other"}
    assert len(run_module("assisted_manifests", config_dir=source())["plan"]) == 4 and "other" in fake.clusters


def test_what_differs_is_changed(source, fake, run_module):
    run_module("assisted_manifests", config_dir=source())
    before = len(fake.writes)
    changed = {**OVERRIDES, "spec": {**VIPS["spec"], "apiVIP": "192.0.2.7"}}
    directory = source(changed, {"spec": {"sshAuthorizedKey": "ssh-rsa A"}}, {"a.yaml": "a: 2\n"})
    assert run_module("assisted_manifests", config_dir=directory)["changed"]
    bodies = [body for _method, _path, body in fake.writes[before:]]
    assert (
        bodies[0] == {"api_vips": [{"ip": "192.0.2.7"}]}
        and bodies[1]["file_name"] == "a.yaml"
        and bodies[2] == {"ssh_authorized_key": "ssh-rsa A"}
    )
    assert not run_module("assisted_manifests", config_dir=directory)["changed"]


def test_what_cannot_be_changed_is_refused_before_anything_is_written(source, fake, run_module):
    directory = source()
    run_module("assisted_manifests", config_dir=directory)
    before = len(fake.writes)
    assert (
        "openshift_version" in run_module("assisted_manifests", config_dir=directory, openshift_version="4.23.0")["msg"]
    )
    fake.clusters.clear()
    assert (
        "cluster, which is not there yet: cannot be changed"
        in run_module("assisted_manifests", config_dir=directory)["msg"]
    )
    assert len(fake.writes) == before


def test_hosts_are_configured_and_then_left_alone(source, fake, run_module):
    directory = source()
    nothing = run_module("assisted_manifests", config_dir=directory, hosts=[NODE])
    assert nothing["missing"] == [f"node-1 ({MAC})"] and "msg" not in nothing
    infra_env = nothing["infra_env"]["id"]
    fake.add_host(infra_env, "localhost", MAC.upper())
    fake.add_host(infra_env, "strange", "52:54:00:00:00:ff")
    predicted = run_module("assisted_manifests", config_dir=directory, hosts=[NODE], check=True, diff=True)
    done = run_module("assisted_manifests", config_dir=directory, hosts=[NODE], timeout=5, diff=True)
    assert predicted["diff"] == done["diff"] and '"host_role": "worker"' in done["diff"][0]["after"]
    assert (
        predicted["plan"] == done["plan"]
        and len(done["plan"]) == 1
        and done["unknown"] == ["strange"]
        and done["missing"] == []
    )
    body = fake.writes[-1][2]
    assert (body["host_name"], body["host_role"], body["disks_selected_config"]) == (
        "node-1",
        "worker",
        [{"id": "/dev/disk/by-id/b", "role": "install"}],
    )
    assert not run_module("assisted_manifests", config_dir=directory, hosts=[NODE], timeout=5)["changed"]


def test_a_wait_that_ends_names_who_is_missing_and_who_is_strange(source, fake, run_module):
    directory = source()
    infra_env = run_module("assisted_manifests", config_dir=directory)["infra_env"]["id"]
    fake.add_host(infra_env, "strange", "52:54:00:00:00:ff")
    failed = run_module("assisted_manifests", config_dir=directory, hosts=[NODE], timeout=1)
    assert (
        failed["failed"]
        and f"node-1 ({MAC}): not registered" in failed["msg"]
        and "strange: registered, but not in" in failed["msg"]
    )


def test_a_refused_host_is_reported_with_the_whole_result(source, fake, run_module):
    directory = source()
    infra_env = run_module("assisted_manifests", config_dir=directory)["infra_env"]["id"]
    fake.add_host(infra_env, "localhost", MAC)
    fake.faults = [
        (
            "PATCH",
            "/hosts/",
            ("status", 409, {"kind": "Error", "code": "409", "id": 409, "href": "", "reason": "not now"}),
        )
    ]
    failed = run_module("assisted_manifests", config_dir=directory, hosts=[NODE])
    assert (
        "not now" in failed["msg"]
        and failed["hosts"][0]["problem"].startswith("failed to update")
        and not failed["changed"]
    )
    # A service that does not know us any more is another fault, and ends the run at once.
    fake.faults = [("PATCH", "/hosts/", ("status", 403, {"code": 403, "message": "no"}))]
    assert "403" in run_module("assisted_manifests", config_dir=directory, hosts=[NODE], timeout=60)["msg"]


def test_what_was_done_before_a_fault_is_reported_and_the_next_run_goes_on(source, fake, run_module):
    directory = source()
    fake.faults = [
        (
            "POST",
            "infra-envs",
            ("status", 500, {"kind": "Error", "code": "500", "id": 500, "href": "", "reason": "disk full"}),
        )
    ]
    failed = run_module("assisted_manifests", config_dir=directory)
    assert failed["failed"] and failed["changed"] and "disk full" in failed["msg"] and failed["cluster"]["id"]
    assert len(run_module("assisted_manifests", config_dir=directory)["plan"]) == 1


def test_a_running_cluster_is_imported_once(source, fake, run_module):
    wanted = {
        "openshift_cluster_id": "own",
        "name": "edge",
        "api_vip_dnsname": "api.edge.example.com",
        "ignition_endpoint": {"url": "https://a:22623/c"},
    }
    directory = source()
    done = run_module("assisted_manifests", config_dir=directory, import_cluster=wanted)
    identity = done["cluster"]["id"]
    assert wrote(fake) == [("POST", "clusters/import"), ("PATCH", f"clusters/{identity}"), ("POST", "infra-envs")]
    assert fake.writes[1][2] == {"ignition_endpoint": {"url": "https://a:22623/c"}}
    assert not run_module("assisted_manifests", config_dir=directory, import_cluster=wanted)["changed"]


def test_mistakes_are_reported_before_the_service_is_asked(source, fake, run_module):
    reported = run_module(
        "assisted_manifests", config_dir=source(), hosts=[{**NODE, "root_device_hints": {"deviceNam": "x"}}]
    )
    assert "did you mean deviceName" in reported["msg"] and not fake.requests
