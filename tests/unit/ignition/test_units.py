# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The live system's units: conditions, order, commands."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster, Deployment, ImageDigestSource, Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.live import OsImage, build_live_ignition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests

Build = Callable[..., LiveIgnition]
Unit = dict[str, list[str]]

MIRRORS = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror.example.com:5000/ocp",)),)
HOST_BUNDLE = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"


def parse(text: str) -> Unit:
    """``Section.Key`` -> values in order; a line that ends in a backslash goes on."""
    unit: Unit = {}
    section = ""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line.strip():
            key, _, value = line.partition("=")
            unit.setdefault(f"{section}.{key}", []).append(value)
    return unit


def units(live: LiveIgnition) -> dict[str, Unit]:
    return {unit.name.removesuffix(".service"): parse(unit.contents) for unit in live.units}


def words(unit: Unit, key: str) -> set[str]:
    return {word.removesuffix(".service") for value in unit.get(key, []) for word in value.split()}


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
    conditioned = {name for name, unit in units(build()).items() if "/etc/assisted/node0" in unit.get("Unit.ConditionPathExists", [])}
    assert conditioned == set(NODE0_ONLY)


@pytest.mark.parametrize("name", NODE0_ONLY)
def test_whether_this_is_the_rendezvous_host_is_known_first(build: Build, name: str) -> None:
    """A condition is looked at when the unit's turn comes."""
    assert "node-zero" in words(units(build())[name], "Unit.After")


def test_what_is_enabled(build: Build) -> None:
    """Who is not pulled in by the boot itself is pulled in by those who need it (reference 5.3)."""
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


PARTS_OF_THE_POD = ("agent-add-node", "agent-import-cluster", "agent-register-cluster", "agent-register-infraenv", "agent-ui", "apply-host-config")


@pytest.mark.parametrize("name", [*PARTS_OF_THE_POD, "start-cluster-installation"])
def test_a_new_pod_registers_anew(build: Build, name: str) -> None:
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
def test_env_files_that_units_read_are_in_the_image_or_made_at_boot(build: Build, build_nodes: Build, workflow: str) -> None:
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
    env = {file.path: {line.split("=", 1)[0] for line in file.content.decode().splitlines() if "=" in line} for file in files}
    for name, variables in {
        "start-cluster-installation": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID", "REQUIRED_MASTER_NODES"},
        "agent": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "PULL_SECRET_TOKEN"},
        "install-status": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN"},
        "apply-host-config": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID", "WORKFLOW_TYPE"},
        "agent-register-cluster": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR"},
        "agent-import-cluster": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "CLUSTER_ID", "CLUSTER_NAME", "CLUSTER_API_VIP_DNS_NAME"},
        "agent-add-node": {"SERVICE_BASE_URL", "USER_AUTH_TOKEN", "INFRA_ENV_ID"},
        "agent-auth-token-status": {"AUTH_TOKEN_EXPIRY"},
    }.items():
        read = {path.removeprefix("-") for path in units(live)[name]["Service.EnvironmentFile"]}
        assert variables <= set().union(*(env.get(path, set()) for path in read)), name


# Containers


def container(build: Build, name: str, **changes: object) -> list[str]:
    (command,) = units(build(**changes))[name]["Service.ExecStart"]
    return command.split()


def mounts(command: list[str]) -> set[str]:
    return {word.removeprefix("--volume=") for word in command if word.startswith("--volume=")}


def test_the_service_reads_its_env_files_in_upstreams_order(build: Build) -> None:
    command = container(build, "assisted-service")
    assert [word.removeprefix("--env-file=") for word in command if word.startswith("--env-file=")] == [
        "/etc/assisted/rendezvous-host.env",
        "/usr/local/share/assisted-service/assisted-service.env",
        "/usr/local/share/assisted-service/images.env",
        "/etc/assisted/node0",
        "/usr/local/share/assisted-service/agent-images.env",
    ]
    assert command[-1] == "${SERVICE_IMAGE}"
    assert "--name=service" in command


def test_the_database_is_the_service_images_own(build: Build) -> None:
    command = container(build, "assisted-service-db")
    assert command[-3:] == ["${SERVICE_IMAGE}", "/bin/bash", "start_db.sh"]
    assert {"--name=assisted-db", "--user=postgres", "--env-file=/usr/local/share/assisted-service/assisted-db.env"} <= set(command)


@pytest.mark.parametrize("name", ["assisted-service", "agent-register-cluster"])
@pytest.mark.parametrize(
    ("changes", "bundle", "mirrors"),
    [
        ({}, HOST_BUNDLE, False),
        ({"additional_trust_bundle": "own"}, HOST_BUNDLE, False),
        ({"image_digest_sources": MIRRORS}, HOST_BUNDLE, True),
        ({"image_digest_sources": MIRRORS, "additional_trust_bundle": "own"}, "/etc/pki/ca-trust/source/anchors/domain.crt", True),
    ],
)
def test_what_containers_trust(build: Build, everything: dict[str, Any], name: str, changes: dict[str, Any], bundle: str, mirrors: bool) -> None:
    if "additional_trust_bundle" in changes:
        changes = {**changes, "additional_trust_bundle": everything["additional_trust_bundle"]}
    found = mounts(container(build, name, **changes))
    assert f"{bundle}:{HOST_BUNDLE}:ro" in found
    assert ("/etc/containers:/etc/containers:ro" in found) is mirrors


def test_the_image_policy_can_be_switched_off(build: Build, secrets: BuildSecrets, os_image: OsImage) -> None:
    option = "--env=OPENSHIFT_INSTALL_EXPERIMENTAL_DISABLE_IMAGE_POLICY=true"
    deployment = Deployment(Cluster("a", "b.c", "4.22.0", "q.io/r:4.22.0", "none", Pool(1), Pool(0)), (), "192.0.2.1")
    live = build_live_ignition(deployment, render_manifests(deployment), secrets, os_image, disable_image_policy=True)
    assert option in units(live)["assisted-service"]["Service.ExecStart"][0]
    assert option not in units(build())["assisted-service"]["Service.ExecStart"][0]


@pytest.mark.parametrize(("changes", "image_type"), [({}, "full-iso"), ({"minimal_iso": True}, "minimal-iso"), ({"platform": "external"}, "minimal-iso")])
def test_the_infra_env_is_told_the_kind_of_image(build: Build, changes: dict[str, object], image_type: str) -> None:
    assert f"IMAGE_TYPE_ISO={image_type}" in units(build(**changes))["agent-register-infraenv"]["Service.Environment"]


CLIENT_CALLS = {
    "agent-import-cluster": (
        "importCluster",
        {"SERVICE_BASE_URL", "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR", "CLUSTER_ID", "CLUSTER_NAME", "CLUSTER_API_VIP_DNS_NAME", "USER_AUTH_TOKEN"},
        {
            "/etc/assisted/clusterconfig:/clusterconfig:ro",
            "/etc/assisted/manifests:/manifests:ro",
            "/etc/assisted/extra-manifests:/extra-manifests:ro",
            f"{HOST_BUNDLE}:{HOST_BUNDLE}:ro",
        },
    ),
    "agent-register-cluster": (
        "registerCluster",
        {"SERVICE_BASE_URL", "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR", "USER_AUTH_TOKEN"},
        {"/etc/assisted/manifests:/manifests:ro", "/etc/assisted/extra-manifests:/extra-manifests:ro", f"{HOST_BUNDLE}:{HOST_BUNDLE}:ro"},
    ),
    "agent-register-infraenv": ("registerInfraEnv", {"SERVICE_BASE_URL", "IMAGE_TYPE_ISO", "USER_AUTH_TOKEN"}, {"/etc/assisted/manifests:/manifests:ro"}),
    "apply-host-config": (
        "configure",
        {"SERVICE_BASE_URL", "INFRA_ENV_ID", "WORKFLOW_TYPE", "USER_AUTH_TOKEN"},
        {"/etc/assisted/hostconfig:/etc/assisted/hostconfig:ro", "/run/agent-installer:/var/run/agent-installer"},
    ),
}


@pytest.mark.parametrize("name", CLIENT_CALLS)
def test_the_client_is_called_until_it_succeeds(build: Build, sandbox: Callable[..., Any], name: str) -> None:
    """The unit's own command, run by bash as systemd would run it."""
    command, variables, volumes = CLIENT_CALLS[name]
    (text,) = units(build())[name]["Service.ExecStart"]
    text = text.replace("%t", "/run").replace("${SERVICE_IMAGE}", "registry/service@sha256:00")
    box = sandbox()
    box.command("podman", '[[ $(wc -l <"$SCRATCH/calls/podman") -ge 3 ]]')
    result = box.shell(text)
    assert result.returncode == 0, result.stderr
    assert box.lines("/sleeps") == ["30", "30"]
    call = box.calls("podman")[-1].split()
    assert call[-3:] == ["registry/service@sha256:00", "/usr/local/bin/agent-installer-client", command]
    assert {word.removeprefix("--env=") for word in call if word.startswith("--env=")} == variables
    assert mounts(call) == volumes
    assert f"--name={name}" in call
    assert "--pod-id-file=/run/assisted-service-pod.pod-id" in call


def test_registration_waits_for_the_service_and_configuration_for_the_infra_env(build: Build) -> None:
    found = units(build())
    waiting = "/usr/local/bin/wait-for-assisted-service.sh"
    assert found["agent-register-cluster"]["Service.ExecStartPre"] == [waiting]
    assert found["agent-register-infraenv"]["Service.ExecStartPre"] == [waiting]
    assert found["apply-host-config"]["Service.ExecStartPre"][-1] == f"{waiting} infra-env"


def test_a_unit_that_waits_has_no_start_limit(build: Build) -> None:
    found = units(build())
    for name in (*CLIENT_CALLS, "agent", "node-zero", "assisted-service-pod", "assisted-service", "start-cluster-installation"):
        assert found[name]["Service.TimeoutStartSec"] == ["infinity"], name


@pytest.mark.parametrize("version", ["4.14.0", "4.20.0", "4.22.0"])
def test_systemd_understands_the_units(build: Build, everything: dict[str, object], tmp_path: Path, version: str) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    names = []
    for unit in build(**{**everything, "version": version}).units:
        names.append(unit.name)
        (tmp_path / unit.name).write_text(unit.contents)
    files = sorted(str(path) for path in tmp_path.iterdir())
    result = subprocess.run([program, "verify", "--man=no", *files], capture_output=True, text=True, check=False, env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
    # The programs of the live system are not here; a systemd that cannot run here at all says nothing about the units.
    complaints = [line for line in result.stderr.splitlines() if any(name in line for name in names) and "is not executable" not in line]
    assert complaints == []
