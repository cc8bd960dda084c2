# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test clusters of unusual shape by method assisted against the lab's service: dual stack behind a proxy with an
arbiter, and two nodes that fence each other.

Each cluster is created, found unchanged by a second run, and followed until its installation begins.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.session import (
    AssistedRequest,
    open_session,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.upkeep import Upkeep
from ansible_collections.zerotouch.openshift.plugins.modules.assisted_deployment import argument_spec

from .assisted_lab import PULL_SECRET, Bench, RunModule, scripted

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5"
PROXY = {
    "http_proxy": "http://proxy.example.com:3128",
    "https_proxy": "http://proxy.example.com:3128",
    "no_proxy": ".example.com",
}
WORD = "canary-of-a-fence"


class Machine(scripted.Machine):  # type: ignore[misc, name-defined]
    """One with addresses of both families."""

    def inventory(self) -> dict[str, Any]:
        found: dict[str, Any] = super().inventory()
        found["interfaces"][0]["ipv6_addresses"] = [f"fd00::{20 + self.number}/64"]
        found["routes"].append(
            {"interface": "eth0", "gateway": "fd00::1", "destination": "::", "family": 10, "metric": 100}
        )
        return found


def host(number: int, role: str) -> dict[str, Any]:
    return {
        "inventory_name": f"m{number}",
        "role": role,
        "interfaces": [{"name": "eth0", "mac_address": f"02:00:00:00:00:{number:02x}"}],
    }


def described(name: str, directory: Path, hosts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Arguments of the module."""
    cluster = {
        "name": name,
        "base_domain": "example.com",
        "version": "4.22.0",
        "platform": "baremetal",
        "pull_secret": PULL_SECRET,
        "ssh_public_keys": [KEY],
    }
    return {"work_dir": str(directory / name), "cluster": {**cluster, **more}, "hosts": hosts}


def begun(bench: Bench, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cluster and InfraEnv, as the service has them once the installation was begun."""
    params = {"service_url": bench.url, "token": bench.token, "watcher_token": bench.watcher_token, **arguments}
    call = Call(ModuleArgumentSpecValidator(argument_spec()).validate(params).validated_parameters)
    session, _problems = open_session(AssistedRequest.of(call.params), call)
    observer = session.observer()
    upkeep_plan = Upkeep(session.service, observer, session.desired.hosts, session.fetch_credentials)
    try:
        ends = time.monotonic() + 60
        while True:
            cared = upkeep_plan(observer.observe({}))
            assert cared.stop is None, cared.stop
            if any("Starting the installation" in line for line in cared.lines):
                return session.service.cluster(session.found.cluster_id), session.service.infra_env(
                    session.found.infra_env_id
                )
            assert time.monotonic() < ends, (
                observer.cluster.get("status_info"),
                observer.cluster.get("validations_info"),
                cared.reports,
            )
            time.sleep(0.3)
    finally:
        observer.close()
        session.service.close()


def deployed(
    bench: Bench, run_module: RunModule, arguments: dict[str, Any], machines: list[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Cluster and InfraEnv, which a second run leaves as the first has made them."""
    done = run_module("assisted_deployment", **arguments)
    assert not done.get("failed"), done["msg"]
    again = run_module("assisted_deployment", diff=True, **arguments)
    assert (again["changed"], again["plan"], again["diff"], again["boot_hosts"]) == (
        False,
        [],
        [],
        done["boot_hosts"],
    ), again
    assert WORD not in json.dumps([done, again])
    bench.boot(done["infra_env"]["id"], *machines)
    return begun(bench, arguments)


def test_dual_stack_behind_a_proxy_with_an_arbiter(bench: Bench, run_module: RunModule, tmp_path: Path) -> None:
    networks = {
        "machine_networks": ["192.0.2.0/24", "fd00::/64"],
        "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}, {"cidr": "fd01::/48", "host_prefix": 64}],
        "service_networks": ["172.30.0.0/16", "fd02::/112"],
        "api_vips": ["192.0.2.5", "fd00::5"],
        "ingress_vips": ["192.0.2.6", "fd00::6"],
    }
    hosts = [host(1, "master"), host(2, "master"), host(3, "arbiter")]
    cluster, infra_env = deployed(
        bench,
        run_module,
        described("odd", tmp_path, hosts, proxy=PROXY, **networks),
        [Machine(number) for number in (1, 2, 3)],
    )
    assert [item["ip"] for item in cluster["api_vips"]] == networks["api_vips"] and len(
        cluster["service_networks"]
    ) == 2
    assert {key: cluster[key] for key in PROXY} == PROXY == infra_env["proxy"] and cluster["control_plane_count"] == 2
    assert sorted((item["requested_hostname"], item["role"]) for item in cluster["hosts"]) == [
        ("m1", "master"),
        ("m2", "master"),
        ("m3", "arbiter"),
    ]


def test_two_nodes_that_fence_each_other(bench: Bench, run_module: RunModule, tmp_path: Path) -> None:
    access = {"username": "admin", "password": WORD}
    credentials = [
        {"host_name": f"m{number}", "address": f"redfish+https://10.0.0.{number}/redfish/v1/Systems/1", **access}
        for number in (4, 5)
    ]
    options = {"api_vips": ["192.0.2.7"], "ingress_vips": ["192.0.2.8"], "machine_networks": ["192.0.2.0/24"]}
    arguments = described(
        "fenced",
        tmp_path,
        [host(4, "master"), host(5, "master")],
        control_plane={"fencing": {"credentials": credentials}},
        **options,
    )
    cluster, _infra_env = deployed(bench, run_module, arguments, [scripted.Machine(number) for number in (4, 5)])
    shown = {item["requested_hostname"]: item["fencing_credentials"] for item in cluster["hosts"]}
    wanted = {each["host_name"]: (each["address"], WORD) for each in credentials}
    assert {name: (provided["address"], provided["password"]) for name, provided in shown.items()} == wanted
