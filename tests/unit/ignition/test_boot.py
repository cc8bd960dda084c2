# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the boot of the live system with a model of systemd: which units run, and in which order, on the rendezvous
host, on other hosts, and on a node that joins a running cluster.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import PROFILES
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

from .systemd_model import Systemd

Build = Callable[..., LiveIgnition]

NODE0 = "/etc/assisted/node0"
RELEASES = tuple(f"{major}.{minor}.0" for major, minor in PROFILES)
# On every host; some of them find nothing to do.
EVERYWHERE = {
    "agent.service",
    "iscsiadm.service",
    "iscsistart.service",
    "node-zero.service",
    "oci-eval-user-data.service",
    "pre-network-manager-config.service",
    "selinux.service",
    "set-hostname.service",
}
SERVICES = {
    "assisted-service-pod.service",
    "assisted-service-db.service",
    "assisted-service.service",
    "install-status.service",
}
COMMON = {"agent-register-infraenv.service", "apply-host-config.service"}
# The order of docs/upstream/agent-installer.md#order-on-the-rendezvous-host, each before the next.
TO_THE_START = (
    "set-hostname",
    "node-zero",
    "assisted-service-pod",
    "assisted-service-db",
    "assisted-service",
    "agent-register-cluster",
    "agent-register-infraenv",
    "apply-host-config",
    "start-cluster-installation",
)


def machine(
    live: LiveIgnition, *, node0: bool = False, files: tuple[str, ...] = (), lacking: tuple[str, ...] = ()
) -> Systemd:
    present = (
        {file.path for file in live.files}
        | {directory.path for directory in live.directories}
        | {"/etc/assisted/manifests", *files}
    )
    effects = {"node-zero.service": lambda found: found.add(NODE0)} if node0 else {}
    units = {unit.name: unit.contents for unit in live.units}
    enabled = [unit.name for unit in live.units if unit.enabled] + ["apply-host-config.service"]
    return Systemd(units, enabled, present - set(lacking), effects)


def test_on_the_rendezvous_host_everything_runs_in_its_order(build: Build) -> None:
    boot = machine(build(), node0=True).boot()
    expected = EVERYWHERE | SERVICES | COMMON | {"agent-register-cluster.service", "start-cluster-installation.service"}
    assert set(boot.ran) == expected
    assert all(boot.before(first, then) for first, then in itertools.pairwise(TO_THE_START))
    assert boot.before("pre-network-manager-config", "node-zero")
    assert boot.before("selinux", "agent")
    assert boot.before("set-hostname", "agent")


def test_on_another_host_only_the_agent_runs(build: Build) -> None:
    boot = machine(build()).boot()
    assert set(boot.ran) == EVERYWHERE
    assert {reason for name, reason in boot.skipped.items() if name in SERVICES} == {
        f"condition {NODE0}",
        "bound to assisted-service-pod.service",
    }


def test_a_node_that_joins_imports_the_cluster_and_asks_for_itself(build_nodes: Build) -> None:
    """Every such machine has 127.0.0.1, so each is a rendezvous host."""
    boot = machine(build_nodes(), node0=True).boot()
    assert set(boot.ran) == EVERYWHERE | SERVICES | COMMON | {
        "agent-import-cluster.service",
        "agent-add-node.service",
        "agent-auth-token-status.service",
    }
    order = (
        "node-zero",
        "assisted-service",
        "agent-import-cluster",
        "agent-register-infraenv",
        "apply-host-config",
        "agent-add-node",
    )
    assert all(boot.before(first, then) for first, then in itertools.pairwise(order))


def test_the_interactive_workflow_registers_nothing_by_itself(build: Build) -> None:
    boot = machine(build(version="4.21.0"), node0=True, files=("/etc/assisted/interactive-ui",)).boot()
    assert "agent-ui.service" in boot.ran
    assert boot.skipped["agent-register-cluster.service"] == "condition !/etc/assisted/interactive-ui"
    assert boot.skipped["apply-host-config.service"] == "condition !/etc/assisted/interactive-ui"


@pytest.mark.parametrize(
    ("version", "screen", "console"),
    [
        ("4.22.0", ("/dev/fb0",), "agent-interactive-console.service"),
        ("4.22.0", (), "agent-interactive-console-serial@.service"),
        # RHEL 10 may have the second one only (openshift/installer 10640).
        ("5.0.0", ("/dev/fb0",), "agent-interactive-console.service"),
        ("5.0.0", ("/dev/dri/card1",), "agent-interactive-console.service"),
        ("4.23.0", ("/dev/fb0", "/dev/dri/card0"), "agent-interactive-console.service"),
        ("5.0.0", (), "agent-interactive-console-serial@.service"),
    ],
)
def test_the_console_comes_first_where_its_program_is(
    build: Build, version: str, screen: tuple[str, ...], console: str
) -> None:
    boot = machine(build(version=version), node0=True, files=("/usr/local/bin/agent-tui", *screen)).boot()
    assert {name for name in boot.ran if "console" in name} == {console}
    name = console.removesuffix(".service")
    assert boot.before("set-hostname", name)
    assert boot.before(name, "node-zero")
    assert boot.before(name, "agent")


def test_a_new_pod_begins_registration_again(build: Build, build_nodes: Build) -> None:
    stopped = machine(build()).restarted_with("assisted-service-pod.service")
    assert {
        "assisted-service-db.service",
        "assisted-service.service",
        *COMMON,
        "agent-register-cluster.service",
        "start-cluster-installation.service",
    } <= stopped
    assert {"agent-import-cluster.service", "agent-add-node.service"} <= machine(build_nodes()).restarted_with(
        "assisted-service-pod.service"
    )
    assert not stopped & {"agent.service", "node-zero.service"}


def test_installing_and_joining_exclude_each_other(build: Build) -> None:
    """Starting the other one manually stops the first."""
    system = machine(build())
    assert set(system.conflicts(["agent-add-node.service", "start-cluster-installation.service"])) == {
        ("agent-add-node.service", "start-cluster-installation.service"),
        ("start-cluster-installation.service", "agent-add-node.service"),
    }


@pytest.mark.parametrize("version", RELEASES)
def test_each_release_comes_to_its_start(build: Build, version: str) -> None:
    boot = machine(build(version=version), node0=True).boot()
    registering = (
        ("agent-register-cluster", "agent-register-infraenv")
        if version != "4.14.0"
        else ("create-cluster-and-infraenv",)
    )
    order = (
        "node-zero",
        "assisted-service-pod",
        "assisted-service",
        *registering,
        "apply-host-config",
        "start-cluster-installation",
    )
    assert all(boot.before(first, then) for first, then in itertools.pairwise(order))
    assert set(boot.ran) - EVERYWHERE - SERVICES == {
        f"{name}.service" for name in (*registering, "apply-host-config", "start-cluster-installation")
    }


@pytest.mark.parametrize("version", RELEASES[2:])
def test_each_release_comes_to_join(build_nodes: Build, version: str) -> None:
    boot = machine(build_nodes(version=version), node0=True).boot()
    assert boot.before("agent-import-cluster", "agent-add-node")
    assert "agent-register-cluster.service" not in boot.ran


# The model itself


def model(**texts: str) -> Systemd:
    units = {f"{name}.service": text for name, text in texts.items()}
    return Systemd(units, units, (), {})


WANTED = "[Install]\nWantedBy=multi-user.target\n"


def test_the_model_sorts_and_finds_circles() -> None:
    after_b = f"[Unit]\nAfter=b.service\n{WANTED}"
    assert model(a=after_b, b=WANTED).boot().ran == ["b.service", "a.service"]
    with pytest.raises(ValueError, match="circle among"):
        model(a=after_b, b=f"[Unit]\nAfter=a.service\n{WANTED}").boot()


def test_the_model_distinguishes_a_skipped_requirement_from_a_failed_one() -> None:
    requires = f"[Unit]\nRequires=b.service\nAfter=b.service\n{WANTED}"
    assert model(a=requires, b=f"[Unit]\nConditionPathExists=/x\n{WANTED}").boot().ran == ["a.service"]
    assert model(a=requires).boot().skipped == {"a.service": "b.service does not exist"}
    assert model(a=requires, b=f"[Unit]\nRequires=c.service\n{WANTED}").boot().skipped["a.service"] == "needs b.service"
    binds = requires.replace("Requires", "BindsTo")
    assert model(a=binds, b=f"[Unit]\nConditionPathExists=/x\n{WANTED}").boot().ran == []


def test_the_model_refuses_what_excludes_each_other() -> None:
    with pytest.raises(AssertionError):
        model(a=f"[Unit]\nConflicts=b.service\n{WANTED}", b=WANTED).boot()


def test_without_its_condition_a_unit_would_run_everywhere(build: Build) -> None:
    """The tests above can fail: a unit that loses its condition runs on every host."""
    live = build()
    units = tuple(
        dataclasses.replace(unit, contents=unit.contents.replace(f"ConditionPathExists={NODE0}\n", ""))
        if unit.name == "install-status.service"
        else unit
        for unit in live.units
    )
    assert "install-status.service" in machine(dataclasses.replace(live, units=units)).boot().ran
