# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the systemd units of the live system: their conditions, their order, and the files that they read."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

from .systemd_model import parse, units, words

Build = Callable[..., LiveIgnition]

CLIENTS = ("agent-import-cluster", "agent-register-cluster", "agent-register-infraenv", "apply-host-config")
NODE0_ONLY = (
    "agent-add-node",
    "agent-import-cluster",
    "agent-register-cluster",
    "agent-register-infraenv",
    "agent-ui",
    "apply-host-config",
    "assisted-service",
    "assisted-service-db",
    "assisted-service-pod",
    "install-status",
    "start-cluster-installation",
)


def test_the_services_units_run_on_the_rendezvous_host_only(build: Build) -> None:
    conditioned = {
        name
        for name, unit in units(build()).items()
        if "/etc/assisted/node0" in unit.get("Unit.ConditionPathExists", [])
    }
    assert conditioned == set(NODE0_ONLY)


@pytest.mark.parametrize("name", NODE0_ONLY)
def test_whether_this_is_the_rendezvous_host_is_known_first(build: Build, name: str) -> None:
    """A condition is looked at when the unit's turn comes."""
    assert "node-zero" in words(units(build())[name], "Unit.After")


def test_what_is_enabled(build: Build) -> None:
    """Who is not pulled in by the boot itself is pulled in by those who need it.

    Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
    """
    others = {
        "agent-auth-token-status": {"agent-add-node"},
        "agent-extract-tui": {"agent-interactive-console"},
        "agent-import-cluster": {"agent-add-node"},
        "agent-interactive-console": {"getty@tty1"},
        "agent-interactive-console-serial@": {"serial-getty@"},
        "agent-register-cluster": {"start-cluster-installation"},
        "agent-register-infraenv": {"start-cluster-installation", "agent-add-node", "agent-ui"},
        "apply-host-config": {"start-cluster-installation", "agent-add-node"},
    }
    for name, unit in units(build()).items():
        assert words(unit, "Install.WantedBy") == others.get(name, {"multi-user.target"}), name


@pytest.mark.parametrize(
    ("unit", "key", "others"),
    [
        ("pre-network-manager-config", "Unit.Before", {"NetworkManager"}),
        ("set-hostname", "Unit.Before", {"agent", "node-zero"}),
        ("node-zero", "Unit.After", {"network-online.target"}),
        ("node-zero", "Unit.Before", {"assisted-service-pod"}),
        ("agent", "Unit.After", {"network-online.target", "set-hostname"}),
        ("assisted-service-pod", "Unit.After", {"node-zero"}),
        ("assisted-service-pod", "Unit.Requires", {"assisted-service-db", "assisted-service"}),
        ("assisted-service-pod", "Unit.Before", {"assisted-service-db", "assisted-service"}),
        ("assisted-service-db", "Unit.BindsTo", {"assisted-service-pod"}),
        ("assisted-service", "Unit.BindsTo", {"assisted-service-pod"}),
        ("assisted-service", "Unit.Requires", {"assisted-service-db"}),
        ("agent-register-cluster", "Unit.After", {"assisted-service"}),
        ("agent-register-infraenv", "Unit.After", {"agent-register-cluster"}),
        ("apply-host-config", "Unit.Requires", {"agent-register-infraenv"}),
        ("apply-host-config", "Unit.After", {"agent-register-infraenv"}),
        ("start-cluster-installation", "Unit.Requires", {"apply-host-config"}),
        ("start-cluster-installation", "Unit.After", {"apply-host-config"}),
        ("start-cluster-installation", "Unit.Conflicts", {"agent-add-node"}),
        ("agent-add-node", "Unit.Requires", {"apply-host-config"}),
        ("agent-add-node", "Unit.After", {"apply-host-config"}),
        ("agent-add-node", "Unit.Conflicts", {"start-cluster-installation"}),
        ("agent-import-cluster", "Unit.After", {"assisted-service"}),
        ("agent-import-cluster", "Unit.Conflicts", {"agent-register-cluster"}),
        ("agent-register-cluster", "Unit.Conflicts", {"agent-import-cluster"}),
        ("agent-register-infraenv", "Unit.After", {"agent-import-cluster"}),
        ("agent-interactive-console", "Unit.Before", {"agent", "node-zero", "network.target"}),
        ("agent-auth-token-status", "Unit.After", {"agent-interactive-console"}),
        ("oci-eval-user-data", "Unit.After", {"NetworkManager"}),
        ("iscsiadm", "Unit.After", {"iscsistart"}),
    ],
)
def test_order(build: Build, unit: str, key: str, others: set[str]) -> None:
    assert others <= words(units(build())[unit], key)


PARTS_OF_THE_POD = (
    "agent-add-node",
    "agent-import-cluster",
    "agent-register-cluster",
    "agent-register-infraenv",
    "agent-ui",
    "apply-host-config",
)


@pytest.mark.parametrize("name", [*PARTS_OF_THE_POD, "start-cluster-installation"])
def test_a_new_pod_registers_again(build: Build, name: str) -> None:
    assert words(units(build())[name], "Unit.PartOf") == {"assisted-service-pod"}


def test_the_order_has_no_circle(build: Build) -> None:
    graph = {name: words(unit, "Unit.After") for name, unit in units(build()).items()}
    for name, unit in units(build()).items():
        for later in words(unit, "Unit.Before"):
            graph.setdefault(later, set()).add(name)
    done: set[str] = set()
    while len(done) < len(graph):
        ready = {name for name, earlier in graph.items() if name not in done and earlier & graph.keys() <= done}
        assert ready, sorted(graph.keys() - done)
        done |= ready


# The client is in the service's image, agent-tui in images that the installer rebuilds.
NOT_IN_THE_IMAGE = {"/usr/local/bin/agent-installer-client", "/usr/local/bin/agent-tui"}


def test_programs_that_units_start_are_in_the_image(build: Build) -> None:
    live = build()
    present = {file.path for file in live.files}
    for unit in live.units:
        assert set(re.findall(r"/usr/local/bin/[\w.-]+", unit.contents)) - NOT_IN_THE_IMAGE <= present, unit.name


@pytest.mark.parametrize("workflow", ["install", "addnodes"])
def test_env_files_that_units_read_are_in_the_image_or_made_at_boot(
    build: Build, build_nodes: Build, workflow: str
) -> None:
    """Or the unit does not run where they are not."""
    live = build() if workflow == "install" else build_nodes()
    made = {"/usr/local/share/assisted-service/agent-images.env", "/etc/assisted/node0"}
    present = {file.path for file in live.files} | made
    for unit in live.units:
        named = re.findall(r"EnvironmentFile=-?(\S+)", unit.contents) + re.findall(r"--env-file=(\S+)", unit.contents)
        conditions = set(parse(unit.contents).get("Unit.ConditionPathExists", []))
        assert set(named) <= present | conditions, unit.name


def test_scripts_have_the_variables_that_they_use(build: Build, build_nodes: Build) -> None:
    live = build()
    files = [file for file in (*live.files, *build_nodes().files) if file.path.endswith(".env")]
    env = {
        file.path: {line.split("=", 1)[0] for line in file.content.decode().splitlines() if "=" in line}
        for file in files
    }
    for name, variables in {
        "start-cluster-installation": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID", "REQUIRED_MASTER_NODES"},
        "agent": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "PULL_SECRET_TOKEN"},
        "install-status": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN"},
        "apply-host-config": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID", "WORKFLOW_TYPE"},
        "agent-register-cluster": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR"},
        "agent-import-cluster": {
            "SERVICE_BASE_URL",
            "USER_AUTH_TOKEN",
            "CLUSTER_ID",
            "CLUSTER_NAME",
            "CLUSTER_API_VIP_DNS_NAME",
        },
        "agent-add-node": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID"},
        "agent-auth-token-status": {"AUTH_TOKEN_EXPIRY"},
    }.items():
        read = {path.removeprefix("-") for path in units(live)[name]["Service.EnvironmentFile"]}
        assert variables <= set().union(*(env.get(path, set()) for path in read)), name


def test_registration_waits_for_the_service_and_configuration_for_the_infra_env(build: Build) -> None:
    found = units(build())
    waiting = "/usr/local/bin/wait-for-assisted-service.sh"
    assert found["agent-register-cluster"]["Service.ExecStartPre"] == [waiting]
    assert found["agent-register-infraenv"]["Service.ExecStartPre"] == [waiting]
    assert found["apply-host-config"]["Service.ExecStartPre"][-1] == f"{waiting} infra-env"


def test_a_unit_that_waits_has_no_start_limit(build: Build) -> None:
    found = units(build())
    for name in (
        *CLIENTS,
        "agent",
        "node-zero",
        "assisted-service-pod",
        "assisted-service",
        "start-cluster-installation",
    ):
        assert found[name]["Service.TimeoutStartSec"] == ["infinity"], name


@pytest.mark.parametrize("version", ["4.14.0", "4.20.0", "4.22.0"])
def test_systemd_understands_the_units(
    build: Build, everything: dict[str, object], tmp_path: Path, version: str
) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    names = []
    for unit in build(**{**everything, "version": version}).units:
        names.append(unit.name)
        (tmp_path / unit.name).write_text(unit.contents)
    files = sorted(str(path) for path in tmp_path.iterdir())
    result = subprocess.run(
        [program, "verify", "--man=no", *files],
        capture_output=True,
        text=True,
        check=False,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    # The programs of the live system are not here; a systemd that cannot run here at all says nothing about the units.
    complaints = [
        line
        for line in result.stderr.splitlines()
        if any(name in line for name in names) and "is not executable" not in line
    ]
    assert complaints == []
