# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the state machine of clusters with a table of transitions.

Source: openshift/assisted-service internal/cluster/statemachine.go, internal/cluster/transition.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ztlab.service import machine_cluster
from ztlab.service.errors import ServiceError

from .bench import Bench

CLUSTER = "/v2/clusters/{cluster_id}"


def shaped(status: str, hosts: Sequence[tuple[str, str]]) -> Bench:
    """Return a bench whose cluster has this status and these hosts (role, status). The first master is the bootstrap
    host.
    """
    bench = Bench()
    for number, (role, host_status) in enumerate(hosts):
        bench.host(number, status=host_status, role=role, bootstrap=number == 0)
    bench.core.set_cluster_status(bench.cluster, status, "before")
    bench.cluster.install_started = bench.clock.now()
    return bench


def masters(*statuses: str) -> list[tuple[str, str]]:
    return [("master", status) for status in statuses]


def workers(*statuses: str) -> list[tuple[str, str]]:
    return [("worker", status) for status in statuses]


PREPARED = "preparing-successful"
BUSY = "installing-in-progress"
WAITING = "installing-pending-user-action"
DONE = "installed"
TABLE: list[tuple[str, str, list[tuple[str, str]], dict[str, Any], str, str]] = [
    (
        "all prepared",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, PREPARED),
        {"preparation": "success"},
        "installing",
        "Installation in progress",
    ),
    (
        "own part not ready",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, PREPARED),
        {},
        "preparing-for-installation",
        "before",
    ),
    (
        "one still prepares",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, "preparing-for-installation"),
        {"preparation": "success"},
        "preparing-for-installation",
        "",
    ),
    (
        "one lost",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, "disconnected"),
        {},
        "insufficient",
        "At least one host has stopped preparing for installation",
    ),
    (
        "one failed",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, "preparing-failed"),
        {},
        "ready",
        "Cluster failed to prepare for installation",
    ),
    (
        "own part failed",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, PREPARED),
        {"preparation": "failed"},
        "ready",
        "Cluster failed to prepare for installation",
    ),
    (
        "preparing too long",
        "preparing-for-installation",
        masters(PREPARED, PREPARED, "known"),
        {"later": 1100},
        "ready",
        "Preparing cluster for installation timeout",
    ),
    (
        "one waits for a user",
        "installing",
        masters(BUSY, BUSY, WAITING),
        {},
        WAITING,
        "Cluster has hosts pending user action",
    ),
    (
        "one waits while finalizing",
        "finalizing",
        masters(DONE, DONE, DONE) + workers(WAITING),
        {},
        WAITING,
        "Cluster has hosts pending user action",
    ),
    ("none waits, busy", WAITING, masters(BUSY, BUSY, BUSY), {}, "installing", "Installation in progress"),
    ("none waits, quorum", WAITING, masters(DONE, DONE, DONE), {}, "finalizing", "Finalizing cluster installation"),
    ("quorum", "installing", masters(DONE, DONE, DONE), {}, "finalizing", "Finalizing cluster installation"),
    (
        "one worker is not waited for",
        "installing",
        masters(DONE, DONE, DONE) + workers(BUSY),
        {},
        "finalizing",
        "Finalizing cluster installation",
    ),
    ("two workers are", "installing", masters(DONE, DONE, DONE) + workers(BUSY, DONE), {}, "installing", ""),
    (
        "two of three workers are enough",
        "installing",
        masters(DONE, DONE, DONE) + workers(BUSY, DONE, DONE),
        {},
        "finalizing",
        "",
    ),
    ("master lost", "installing", masters(BUSY, BUSY, "error"), {}, "error", "cluster has hosts in error"),
    (
        "worker quorum lost",
        "installing",
        masters(BUSY, BUSY, BUSY) + workers("error", BUSY),
        {},
        "error",
        "cluster has hosts in error",
    ),
    ("worker to spare", "installing", masters(BUSY, BUSY, BUSY) + workers("error", BUSY, BUSY), {}, "installing", ""),
    ("only worker lost", "installing", masters(BUSY, BUSY, BUSY) + workers("error"), {}, "installing", ""),
    (
        "waiting a day",
        WAITING,
        masters(BUSY, BUSY, WAITING),
        {"later": 86500},
        "error",
        ("cluster installation timed out while pending user action"),
    ),
    ("installing a day", "installing", masters(BUSY, BUSY, BUSY), {"later": 86500}, "installing", ""),
    ("no ingress certificate", "finalizing", masters(DONE, DONE, DONE), {"console": "available"}, "finalizing", ""),
    ("no console", "finalizing", masters(DONE, DONE, DONE), {"ingress_ca": "x"}, "finalizing", ""),
    (
        "finished",
        "finalizing",
        masters(DONE, DONE, DONE),
        {"ingress_ca": "x", "console": "available"},
        "installed",
        "Cluster is installed",
    ),
    (
        "worker missing",
        "finalizing",
        masters(DONE, DONE, DONE) + workers("error"),
        {"ingress_ca": "x", "console": "available"},
        "installed",
        "Cluster is installed but some workers did not join",
    ),
    (
        "worker busy",
        "finalizing",
        masters(DONE, DONE, DONE) + workers(BUSY),
        {"ingress_ca": "x", "console": "available"},
        "finalizing",
        "",
    ),
    (
        "finalizing too long",
        "finalizing",
        masters(DONE, DONE, DONE),
        {"later": 18100},
        "error",
        "Cluster installation timeout while finalizing",
    ),
    (
        "stage too long",
        "finalizing",
        masters(DONE, DONE, DONE),
        {"finalizing_stage": "Waiting for cluster operators", "later": 4300},
        "error",
        (
            "Cluster finalizing stage 'Waiting for cluster operators' has been timed out after timeout duration of 70 "
            "minutes"
        ),
    ),
    (
        "untimed stage",
        "finalizing",
        masters(DONE, DONE, DONE),
        {"finalizing_stage": "Waiting for olm operators csv", "later": 4300},
        "finalizing",
        "",
    ),
]


@pytest.mark.parametrize(
    ("source", "hosts", "more", "target", "info"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_refresh(source: str, hosts: list[tuple[str, str]], more: dict[str, Any], target: str, info: str) -> None:
    bench = shaped(source, hosts)
    for name, value in more.items():
        if name == "console":
            bench.cluster.operators["console"].status = value
        elif name != "later":
            setattr(bench.cluster, name, value)
    bench.cluster.finalizing_stage_since = bench.clock.now()
    bench.clock.moment += more.get("later", 0)
    status, text = bench.refresh_cluster()
    assert (status, info in text) == (target, True), text


def test_degraded_when_an_olm_operator_failed() -> None:
    bench = shaped("finalizing", masters(DONE, DONE, DONE))
    from ztlab.service.model import Operator

    bench.cluster.ingress_ca = "x"
    bench.cluster.operators["console"].status = "available"
    bench.cluster.operators["lvm"] = Operator("lvm", kind="olm", status="failed")
    assert bench.refresh_cluster() == ("installed", "Cluster is installed but degraded")


def test_before_installation() -> None:
    bench = Bench()
    assert bench.refresh_cluster() == ("insufficient", "Cluster is not ready for install")
    bench.cluster.fields["base_dns_domain"] = ""
    assert bench.refresh_cluster() == ("pending-for-input", "User input required")
    bench.cluster.fields["base_dns_domain"] = "lab.example.com"
    bench.ready()
    assert bench.refresh_cluster() == ("ready", "Cluster ready to be installed")
    bench.core.state.hosts.popitem()
    assert bench.refresh_cluster() == ("insufficient", "Cluster is not ready for install")


def test_install_fixes_roles_and_chooses_a_bootstrap_host() -> None:
    bench = Bench()
    hosts = bench.ready(5)
    machine_cluster.install(bench.core, bench.cluster)
    assert [host.role for host in hosts] == ["master", "master", "master", "worker", "worker"]
    assert sum(host.bootstrap for host in hosts) == 1
    assert bench.cluster.status == "preparing-for-installation"


def test_the_bootstrap_host_is_the_rendezvous_host() -> None:
    bench = Bench(BOOTSTRAP_HOST_MAC="02:00:00:00:00:02")
    hosts = bench.ready(3)
    assert [host.bootstrap for host in hosts] == [False, False, True]
    machine_cluster.install(bench.core, bench.cluster)
    assert [host.bootstrap for host in hosts] == [False, False, True]


ACTIONS: list[tuple[str, str, int, str]] = [
    ("cancel", "preparing-for-installation", 202, "ready"),
    ("cancel", "installing", 202, "cancelled"),
    ("cancel", "installing-pending-user-action", 202, "cancelled"),
    ("cancel", "error", 202, "cancelled"),
    ("cancel", "finalizing", 202, "cancelled"),
    ("cancel", "ready", 409, ""),
    ("cancel", "installed", 409, ""),
    ("reset", "preparing-for-installation", 202, "insufficient"),
    ("reset", "installing", 202, "insufficient"),
    ("reset", "error", 202, "insufficient"),
    ("reset", "cancelled", 202, "insufficient"),
    ("reset", "finalizing", 202, "insufficient"),
    ("reset", "installed", 409, ""),
    ("reset", "ready", 409, ""),
    ("allow-add-hosts", "installed", 202, "adding-hosts"),
    ("allow-add-workers", "installed", 202, "adding-hosts"),
    ("allow-add-hosts", "ready", 400, ""),
]


@pytest.mark.parametrize(("action", "source", "code", "target"), ACTIONS)
def test_actions(action: str, source: str, code: int, target: str) -> None:
    bench = shaped(source, masters(BUSY, BUSY, BUSY))
    if code != 202:
        with pytest.raises(ServiceError) as caught:
            bench.call("POST", f"{CLUSTER}/actions/{action}", cluster_id=bench.cluster.id)
        assert caught.value.status == code
        if code == 409:
            assert caught.value.reason == "no condition found to run transition"
        return
    reply = bench.call("POST", f"{CLUSTER}/actions/{action}", cluster_id=bench.cluster.id)
    assert (reply.status, bench.cluster.status) == (202, target)
    statuses = {host.status for host in bench.core.state.hosts.values()}
    if target == "cancelled":
        assert statuses == {"cancelled"}
    if target == "insufficient":
        assert statuses == {"resetting-pending-user-action"}
    if target == "adding-hosts":
        assert (
            bench.cluster.kind == "AddHostsCluster"
            and bench.cluster.fields["api_vip_dns_name"] == "api.demo.lab.example.com"
        )


def test_install_before_ready_says_why() -> None:
    bench = Bench()
    with pytest.raises(
        ServiceError,
        match=(
            r"Cluster is not ready for installation, Cluster is not ready for "
            r"install validation_info=$"
        ),
    ):
        machine_cluster.install(bench.core, bench.cluster)
    bench.monitor()
    with pytest.raises(ServiceError, match=r"Cluster is not ready for installation, .* validation_info=\{") as caught:
        machine_cluster.install(bench.core, bench.cluster)
    assert caught.value.status == 409
