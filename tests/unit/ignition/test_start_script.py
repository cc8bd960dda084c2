# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's script that starts the installation. It runs in a temporary root directory with recorded
responses of assisted-service.
"""

from __future__ import annotations

import json
from typing import Any

from .scratch import SERVICE, NewSandbox

CLUSTER = '[{"id": "c1", "status": "%s"}]'
INSTALL = "POST http://192.168.0.10:8090/api/assisted-install/v2/clusters/c1/actions/install"


def hosts(known: int, other: int = 0) -> str:
    return json.dumps([{"status": "known"}] * known + [{"status": "insufficient"}] * other)


def start_env(box: Any) -> dict[str, str]:
    return {**SERVICE, "INFRA_ENV_ID": "e1", **box.env_file("/usr/local/share/start-cluster/start-cluster.env")}


def test_the_installation_starts_when_exactly_the_required_hosts_are_known(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers(
        "GET",
        "/clusters",
        "[]",
        CLUSTER % "insufficient",
        CLUSTER % "ready",
        CLUSTER % "installing",
        CLUSTER % "installed",
    )
    # Too few, too many, the required number among others, all of them.
    box.answers("GET", "/infra-envs/e1/hosts", hosts(4, 1), hosts(6), hosts(5, 1))
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    result = box.run("start-cluster-installation.sh", env=start_env(box))
    assert result.returncode == 0, result.stderr
    calls = box.lines("/curl-calls")
    assert calls.count(INSTALL) == 1
    assert calls.index(INSTALL) > max(index for index, call in enumerate(calls) if call.endswith("/hosts"))
    assert box.lines("/sleeps") == ["2", "10", "10", "5", "5"]
    assert not box.path("/etc/issue.d/70_start-cluster-installation.issue").exists()


def test_configured_roles_are_set_permanently_before_the_start(sandbox: NewSandbox) -> None:
    """A host left to auto-assign would follow the service's next suggestion, which may swap a worker and a
    control-plane host.
    """
    box = sandbox()
    directories = sorted(box.path("/etc/assisted/hostconfig").iterdir())
    wanted = {
        (directory / "mac_addresses").read_text().split()[0]: (directory / "role").read_text()
        for directory in directories
        if (directory / "role").exists()
    }
    inventories = [
        (f"h{index}", json.dumps({"interfaces": [{"mac_address": mac.upper()}]})) for index, mac in enumerate(wanted)
    ]
    # Two hosts that the configuration does not name keep what the service suggests.
    inventories += [
        (name, json.dumps({"interfaces": [{"mac_address": f"52:54:00:ff:ff:{name[-1]}0"}]})) for name in ("h8", "h9")
    ]
    listed = json.dumps(
        [
            {"id": name, "status": "known", "role": "auto-assign", "inventory": inventory}
            for name, inventory in inventories
        ]
    )
    box.answers("GET", "/clusters", CLUSTER % "ready", CLUSTER % "ready", CLUSTER % "installed")
    box.answers("GET", "/infra-envs/e1/hosts", listed)
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    for name in ("h0", "h1", "h2"):
        box.answers("PATCH", f"/infra-envs/e1/hosts/{name}", "{}")
    result = box.run("start-cluster-installation.sh", env=start_env(box))
    assert result.returncode == 0, result.stderr
    calls = box.lines("/curl-calls")
    patches = [call for call in calls if call.startswith("PATCH")]
    assert [call[-2:] for call in patches] == ["h0", "h1", "h2"] and calls.index(INSTALL) > max(
        calls.index(call) for call in patches
    )


def test_a_surplus_host_blocks_the_start_and_the_console_says_why(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", CLUSTER % "ready")
    box.answers("GET", "/infra-envs/e1/hosts", hosts(6))
    assert box.run("start-cluster-installation.sh", env=start_env(box), sleeps=4).returncode != 0
    assert INSTALL not in box.lines("/curl-calls")
    assert box.read("/etc/issue.d/70_start-cluster-installation.issue") == (
        "Waiting for all hosts: 6 of 5 are ready to be installed.\n"
    )


def test_a_cluster_that_falls_back_to_ready_is_started_again(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers(
        "GET",
        "/clusters",
        *(CLUSTER % status for status in ("ready", "ready", "preparing-for-installation", "ready", "installed")),
    )
    box.answers("GET", "/infra-envs/e1/hosts", hosts(5))
    box.answers("POST", "/clusters/c1/actions/install", "fail", "{}")
    assert box.run("start-cluster-installation.sh", env=start_env(box)).returncode == 0
    assert box.lines("/curl-calls").count(INSTALL) == 2


def test_a_service_that_is_away_for_a_while_does_not_end_the_watch(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", "fail", CLUSTER % "ready", "fail", CLUSTER % "ready", CLUSTER % "installed")
    box.answers("GET", "/infra-envs/e1/hosts", "fail", hosts(5))
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    assert box.run("start-cluster-installation.sh", env=start_env(box)).returncode == 0
    assert box.lines("/curl-calls").count(INSTALL) == 1
