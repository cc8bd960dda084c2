# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the environment files in the live system's Ignition config, from which its services read their settings."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import ImageDigestSource, Pool, Proxy
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets

from .contents import SERVICE_ENV, env, text

Build = Callable[..., LiveIgnition]


def test_rendezvous_host_env(build: Build, secrets: BuildSecrets) -> None:
    assert text(build(), "/etc/assisted/rendezvous-host.env").splitlines() == [
        "#",
        "NODE_ZERO_IP=192.168.0.10",
        "SERVICE_BASE_URL=http://192.168.0.10:8090/",
        "IMAGE_SERVICE_BASE_URL=http://192.168.0.10:8888/",
        f"PULL_SECRET_TOKEN={secrets.agent_token}",
        f"USER_AUTH_TOKEN={secrets.user_token}",
        "WORKFLOW_TYPE=install",
        "AIUI_APP_API_URL=http://192.168.0.10:8090/",
        "AIUI_URL=http://192.168.0.10:3001/",
    ]


def test_an_ipv6_rendezvous_host_is_bracketed_in_urls_only(build: Build) -> None:
    values = env(build(rendezvous_ip="fd00::10"), "/etc/assisted/rendezvous-host.env")
    assert values["NODE_ZERO_IP"] == "fd00::10"
    assert values["SERVICE_BASE_URL"] == "http://[fd00::10]:8090/"
    assert values["AIUI_URL"] == "http://[fd00::10]:3001/"


@pytest.mark.parametrize(
    ("version", "mode", "requirements_at_boot", "single_node_cpus"),
    [("4.20.3", 0o644, False, 8), ("4.21.0-rc.1", 0o644, True, 8), ("4.22.0", 0o600, True, 4)],
)
def test_differences_by_release(
    build: Build, version: str, mode: int, requirements_at_boot: bool, single_node_cpus: int
) -> None:
    live = build(version=version)
    file = live.file("/etc/assisted/rendezvous-host.env")
    assert file is not None
    assert file.mode == mode
    requirements = env(live, SERVICE_ENV)["HW_VALIDATOR_REQUIREMENTS"]
    configure = live.file("/usr/local/bin/configure-assisted-hw-requirements.sh")
    unit = next(unit for unit in live.units if unit.name == "assisted-service.service")
    assert ("configure-assisted-hw-requirements.sh" in unit.contents) is requirements_at_boot
    if requirements_at_boot:
        assert requirements == "TO_BE_REPLACED_BY_SYSTEMD"
        assert configure is not None
        assert f'"sno":{{"cpu_cores":{single_node_cpus},' in configure.content.decode()
    else:
        assert configure is None
        assert json.loads(requirements)[0]["sno"]["cpu_cores"] == single_node_cpus


def test_assisted_service_env(build: Build, secrets: BuildSecrets) -> None:
    values = env(build(), SERVICE_ENV)
    releases = json.loads(values.pop("RELEASE_IMAGES"))
    assert values == {
        "AUTH_TYPE": "agent-installer-local",
        "DB_HOST": "127.0.0.1",
        "DB_PORT": "5432",
        "DB_NAME": "installer",
        "DB_USER": "admin",
        "DB_PASS": "admin",
        "DEPLOY_TARGET": "onprem",
        "STORAGE": "filesystem",
        "DISK_ENCRYPTION_SUPPORT": "true",
        "DUMMY_IGNITION": "false",
        "ENABLE_SINGLE_NODE_DNSMASQ": "true",
        "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR": "/opt/agent/tls",
        "HW_VALIDATOR_REQUIREMENTS": "TO_BE_REPLACED_BY_SYSTEMD",
        "INSTALL_INVOKER": "agent-installer",
        "IPV6_SUPPORT": "true",
        "TNA_CLUSTERS_SUPPORT": "true",
        "TNF_CLUSTERS_SUPPORT": "true",
        "LOG_LEVEL": "debug",
        "NTP_DEFAULT_SERVER": "",
        "PUBLIC_CONTAINER_REGISTRIES": "quay.io",
        "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR": "",
        "INFRA_ENV_ID": secrets.infra_env_id,
        "EC_PUBLIC_KEY_PEM": secrets.public_key,
        "USER_AUTH_TOKEN": secrets.user_token,
        "WATCHER_AUTH_TOKEN": secrets.watcher_token,
        "HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT": "90m",
    }
    assert releases == [
        {
            "openshift_version": "4.22",
            "cpu_architecture": "x86_64",
            "cpu_architectures": ["x86_64"],
            "url": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
            "version": "4.22.0",
        }
    ]


@pytest.mark.parametrize(
    ("version", "fencing", "wait"),
    [("4.20.0", "", ""), ("4.21.0", "", "90m"), ("4.22.0", "true", "90m"), ("5.0.0", "true", "90m")],
)
def test_two_nodes_that_fence_each_other(build: Build, version: str, fencing: str, wait: str) -> None:
    """The service of 4.21 waits longer, but installs no such cluster (openshift/installer release-4.21,
    assisted-service.env.template).
    """
    values = env(build(version=version), SERVICE_ENV)
    assert (values.get("TNF_CLUSTERS_SUPPORT", ""), values.get("HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT", "")) == (
        fencing,
        wait,
    )


MULTI = ["aarch64", "x86_64", "ppc64le", "s390x"]


@pytest.mark.parametrize(
    ("image", "openshift_version", "version", "architecture", "architectures"),
    [
        ("q.io/r:4.22.1-rc.2-aarch64", "4.22", "4.22.1-rc.2", "aarch64", ["aarch64"]),
        ("q.io/r:4.22.1-multi", "4.22", "4.22.1", "multi", MULTI),
        ("q.io/r@sha256:00", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
        ("q.io:5000/r:4.22.1", "4.22", "4.22.1", "x86_64", ["x86_64"]),
        ("q.io:5000/r:latest", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
        ("q.io:5000/r", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
    ],
)
def test_release_images(
    build: Build, image: str, openshift_version: str, version: str, architecture: str, architectures: list[str]
) -> None:
    (release,) = json.loads(env(build(release_image=image), SERVICE_ENV)["RELEASE_IMAGES"])
    assert release == {
        "openshift_version": openshift_version,
        "cpu_architecture": architecture,
        "cpu_architectures": architectures,
        "url": image,
        "version": version,
    }


def test_a_pinned_release_is_what_its_tag_says(build: Build) -> None:
    (release,) = json.loads(
        env(build(release_image="q.io/r@sha256:00", release_tag="q.io/r:4.22.1-multi"), SERVICE_ENV)["RELEASE_IMAGES"]
    )
    expected = {"openshift_version": "4.22", "cpu_architecture": "multi", "cpu_architectures": MULTI}
    assert release == {**expected, "url": "q.io/r@sha256:00", "version": "4.22.1"}


def test_mirrors_reach_service_and_containers(build: Build) -> None:
    sources = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("m.example:5000/r",)),)
    live = build(image_digest_sources=sources)
    assert env(live, SERVICE_ENV)["OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR"] == "m.example:5000/r:4.22.0-x86_64"
    assert 'location = "m.example:5000/r"' in text(live, "/etc/containers/registries.conf")
    assert "RELEASE_IMAGE_MIRROR=m.example:5000/r:4.22.0-x86_64\n" in text(live, "/usr/local/bin/release-image.sh")


def test_os_images(build: Build) -> None:
    values = env(build(), "/usr/local/share/assisted-service/images.env")
    assert values["ASSISTED_SERVICE_HOST"] == "localhost:8090"
    assert values["ASSISTED_SERVICE_SCHEME"] == "http"
    assert values["OS_IMAGES"] == (
        '[{"openshift_version":"4.22.0","cpu_architecture":"x86_64","url":"https://mirror.example.com/rhcos-live.iso","version":"9.8.20260601-0"}]'
    )


def test_start_cluster_env_counts_arbiters(build: Build) -> None:
    live = build((), control_plane=Pool(2), arbiter=Pool(1), compute=Pool(0))
    assert text(live, "/usr/local/share/start-cluster/start-cluster.env") == (
        "REQUIRED_MASTER_NODES=2\nREQUIRED_ARBITER_NODES=1\nREQUIRED_WORKER_NODES=0\n"
    )


def test_the_proxy_is_every_services_environment(build: Build) -> None:
    path = "/etc/systemd/system.conf.d/10-default-env.conf"
    assert text(build(), path) == ""
    proxy = Proxy(
        "http://192.168.111.1:8215",
        "http://u:p%40ss@192.168.111.1:8215",
        "172.22.0.0/24,virthost.ostest.test.metalkube.org",
    )
    assert text(build(proxy=proxy), path) == (
        "[Manager]\n"
        'DefaultEnvironment=HTTP_PROXY="http://192.168.111.1:8215"\n'
        'DefaultEnvironment=HTTPS_PROXY="http://u:p%%40ss@192.168.111.1:8215"\n'
        'DefaultEnvironment=NO_PROXY="172.22.0.0/24,virthost.ostest.test.metalkube.org,192.168.0.0/24"\n'
    )
