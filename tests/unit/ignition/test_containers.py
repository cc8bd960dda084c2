# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the containers that the live system's systemd units run: environment, mounts, and trusted certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Deployment,
    ImageDigestSource,
    Pool,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.live import OsImage, build_live_ignition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests

from .systemd_model import units

Build = Callable[..., LiveIgnition]
MIRRORS = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror.example.com:5000/ocp",)),)
HOST_BUNDLE = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"


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
    assert {
        "--name=assisted-db",
        "--user=postgres",
        "--env-file=/usr/local/share/assisted-service/assisted-db.env",
    } <= set(command)


@pytest.mark.parametrize("name", ["assisted-service", "agent-register-cluster"])
@pytest.mark.parametrize(
    ("changes", "bundle", "mirrors"),
    [
        ({}, HOST_BUNDLE, False),
        ({"additional_trust_bundle": "own"}, HOST_BUNDLE, False),
        ({"image_digest_sources": MIRRORS}, HOST_BUNDLE, True),
        (
            {"image_digest_sources": MIRRORS, "additional_trust_bundle": "own"},
            "/etc/pki/ca-trust/source/anchors/domain.crt",
            True,
        ),
    ],
)
def test_what_containers_trust(
    build: Build, everything: dict[str, Any], name: str, changes: dict[str, Any], bundle: str, mirrors: bool
) -> None:
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


@pytest.mark.parametrize(
    ("changes", "image_type"),
    [({}, "full-iso"), ({"minimal_iso": True}, "minimal-iso"), ({"platform": "external"}, "minimal-iso")],
)
def test_the_infra_env_is_reported_the_kind_of_image(build: Build, changes: dict[str, object], image_type: str) -> None:
    assert f"IMAGE_TYPE_ISO={image_type}" in units(build(**changes))["agent-register-infraenv"]["Service.Environment"]


CLIENT_CALLS = {
    "agent-import-cluster": (
        "importCluster",
        {
            "SERVICE_BASE_URL",
            "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR",
            "CLUSTER_ID",
            "CLUSTER_NAME",
            "CLUSTER_API_VIP_DNS_NAME",
            "USER_AUTH_TOKEN",
        },
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
        {
            "/etc/assisted/manifests:/manifests:ro",
            "/etc/assisted/extra-manifests:/extra-manifests:ro",
            f"{HOST_BUNDLE}:{HOST_BUNDLE}:ro",
        },
    ),
    "agent-register-infraenv": (
        "registerInfraEnv",
        {"SERVICE_BASE_URL", "IMAGE_TYPE_ISO", "USER_AUTH_TOKEN"},
        {"/etc/assisted/manifests:/manifests:ro"},
    ),
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
