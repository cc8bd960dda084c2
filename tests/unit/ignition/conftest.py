# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of Ignition configs: deployments from which the configs are built, and a temporary root
directory in which tests run the scripts of a config.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Deployment,
    ExtraManifest,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.live import (
    LiveIgnition,
    OsImage,
    build_live_ignition,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.nodes import (
    IgnitionEndpoint,
    RunningCluster,
    build_nodes_ignition,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, make_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.tokens import Tokens
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests

RENDEZVOUS_IP = "192.168.0.10"
AGENT_CONFIG = b"# as the user wrote it\napiVersion: v1beta1\nrendezvousIP: 192.168.0.10\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n"

Build = Callable[..., LiveIgnition]


def network_config(number: int, name: str = "eth0") -> dict[str, object]:
    address = {"ip": f"192.168.0.{10 + number}", "prefix-length": 24}
    return {
        "interfaces": [
            {
                "name": name,
                "type": "ethernet",
                "state": "up",
                "ipv4": {"enabled": True, "dhcp": False, "address": [address]},
            }
        ]
    }


def make_host(number: int, role: str = "master") -> Host:
    return Host(
        f"m{number}",
        f"m{number}.example.com",
        role,  # type: ignore[arg-type]
        (Interface("eth0", f"52:54:00:AA:00:0{number}"),),
        {"deviceName": "/dev/vda"},
        network_config(number),
    )


def make_deployment(
    hosts: tuple[Host, ...] | None = None, rendezvous_ip: str = RENDEZVOUS_IP, **changes: object
) -> Deployment:
    cluster = Cluster(
        name="kni",
        base_domain="example.com",
        version="4.22.0",
        release_image="quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
        platform="baremetal",
        control_plane=Pool(3),
        compute=Pool(2),
        api_vips=("192.168.0.5",),
        ingress_vips=("192.168.0.6",),
        networking=Networking(machine_networks=("192.168.0.0/24",)),
        pull_secret='{"auths": {"quay.io": {"auth": "c3VwZXI6c2VjcmV0"}}}',
        ssh_key="ssh-ed25519 AAAA one\nssh-ed25519 BBBB two",
        rendezvous_ip=rendezvous_ip,
    )
    cluster = dataclasses.replace(cluster, **changes)  # type: ignore[arg-type]
    chosen = tuple(make_host(number) for number in range(3)) if hosts is None else hosts
    return Deployment(cluster, chosen, rendezvous_ip)


EVERYTHING: dict[str, object] = {
    "proxy": Proxy("http://user:p%40ss@192.168.0.1:3128", "http://192.168.0.1:3128", "example.com"),
    "ntp_sources": ("ntp1.example.com", "192.168.0.1"),
    "additional_trust_bundle": CERTIFICATE,
    "image_digest_sources": (
        ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror.example.com:5000/ocp",)),
    ),
    "extra_manifests": (ExtraManifest("a.yaml", "kind: A\n---\nkind: B\n"),),
    "control_plane": Pool(
        3,
        options={
            "fencing": {
                "credentials": [
                    {
                        "hostName": "m0.example.com",
                        "username": "u",
                        "password": "p",
                        "address": "redfish+https://b0/1",
                        "certificateVerification": "Disabled",
                    },
                    {
                        "macAddress": "52:54:00:aa:00:01",
                        "username": "u",
                        "password": "p",
                        "address": "redfish+https://b1/1",
                    },
                ]
            }
        },
    ),
}


@pytest.fixture(scope="session")
def secrets() -> BuildSecrets:
    return make_secrets()


@pytest.fixture(scope="session")
def os_image() -> OsImage:
    return OsImage("4.22.0", "x86_64", "https://mirror.example.com/rhcos-live.iso", "9.8.20260601-0")


@pytest.fixture(scope="session")
def build(secrets: BuildSecrets, os_image: OsImage) -> Build:
    """Builds the config of a deployment with these hosts and cluster fields."""

    def built(
        hosts: tuple[Host, ...] | None = None, rendezvous_ip: str = RENDEZVOUS_IP, **changes: object
    ) -> LiveIgnition:
        deployment = make_deployment(hosts, rendezvous_ip, **changes)
        return build_live_ignition(
            deployment, render_manifests(deployment), secrets, os_image, agent_config=AGENT_CONFIG
        )

    return built


def make_running_cluster(**changes: object) -> RunningCluster:
    cluster = RunningCluster(
        cluster_id="11111111-2222-3333-4444-555555555555",
        api_dns_name="api.kni.example.com",
        version="4.22.3",
        release_image="quay.io/openshift-release-dev/ocp-release@sha256:" + "ab" * 32,
        platform="baremetal",
        pull_secret='{"auths": {"quay.io": {"auth": "c3VwZXI6c2VjcmV0"}}}',
        ssh_key="ssh-ed25519 AAAA one",
        ignition_endpoint=IgnitionEndpoint("https://api-int.kni.example.com:22623/config/worker", "Q0EK"),
    )
    return dataclasses.replace(cluster, **changes)  # type: ignore[arg-type]


NODE_TOKENS = Tokens("cHVibGlj", "agent-token", "user-token", "watcher-token", "2026-11-23T10:00:00Z")


@pytest.fixture(scope="session")
def running_cluster() -> Callable[..., RunningCluster]:
    return make_running_cluster


@pytest.fixture(scope="session")
def build_nodes(secrets: BuildSecrets, os_image: OsImage) -> Build:
    """Builds the config of an image that adds these hosts to a cluster with these facts."""

    def built(hosts: tuple[Host, ...] | None = None, os: OsImage = os_image, **changes: object) -> LiveIgnition:
        chosen = (make_host(7, ""), make_host(8, "")) if hosts is None else hosts
        return build_nodes_ignition(make_running_cluster(**changes), chosen, secrets, NODE_TOKENS, os)

    return built


@pytest.fixture(scope="session")
def everything() -> dict[str, object]:
    """Cluster fields that make every kind of file appear."""
    return dict(EVERYTHING)


@pytest.fixture(scope="session")
def new_host() -> Callable[..., Host]:
    return make_host


_ABSOLUTE = re.compile(r"(?<![\w.$}@/*-])/(etc|usr/local|opt|run|root|sys|proc|media|var/log/openshift)\b")
_SLEEPS_AT_MOST = 40

_SLEEP = """
printf '%s\\n' "$1" >>"$SCRATCH/sleeps"
[[ $(wc -l <"$SCRATCH/sleeps") -le $SLEEPS_AT_MOST ]] || { echo "slept too often" >&2; exit 1; }
"""

# Answers are files: api/<METHOD>_<path with _>.<n>; the n-th call gets the n-th answer, later ones the last. "fail"
# means no answer.
_CURL = """
url=${!#}
while (($#)); do
    case $1 in
        --request) method=$2 ;;
        --config) printf '%s\\n' "$(<"$2")" >>"$SCRATCH/curl-config" ;;
    esac
    shift
done
printf '%s %s\\n' "$method" "$url" >>"$SCRATCH/curl-calls"
path=${url#*/api/assisted-install/v2}
answers=$SCRATCH/api/$method${path//\\//_}
[[ -f $answers.1 ]] || exit 22
count=1
[[ ! -f $answers.count ]] || count=$(($(<"$answers.count") + 1))
echo "$count" >"$answers.count"
while [[ ! -f $answers.$count ]]; do count=$((count - 1)); done
[[ $(<"$answers.$count") != fail ]] || exit 7
cat "$answers.$count"
"""


class Sandbox:
    """A root directory with the files of a config; scripts run in it with stand-ins for the programs of the live
    system.
    """

    def __init__(self, root: Path, live: LiveIgnition) -> None:
        self.root = root
        self.bin = root / "stand-ins"
        self.bin.mkdir()
        for file in live.files:
            self.write(file.path, file.content.decode())
        for directory in live.directories:
            self.path(directory.path).mkdir(parents=True, exist_ok=True)
        for name in ("agetty", "hostnamectl", "podman", "systemctl"):
            self.command(name)
        self.command("sleep", _SLEEP)
        self.command("curl", _CURL)
        jq = Path(__file__).with_name("jq_double.py")
        if not any((Path(directory) / "jq").exists() for directory in ("/usr/bin", "/bin")):
            self.command("jq", f'exec {sys.executable} {jq} "$@"')

    def path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def write(self, path: str, text: str, mode: int = 0o755) -> None:
        target = self.path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.startswith("/usr/local/bin/"):
            text = self.rooted(text)
        target.write_text(text)
        target.chmod(mode)

    def rooted(self, text: str) -> str:
        """Absolute paths of the live system moved into the sandbox."""
        return _ABSOLUTE.sub(lambda match: f"{self.root}/{match[1]}", text)

    def read(self, path: str) -> str:
        return self.path(path).read_text()

    def lines(self, path: str) -> list[str]:
        target = self.path(path)
        return target.read_text().splitlines() if target.exists() else []

    def command(self, name: str, body: str = "") -> None:
        """A stand-in that notes its arguments in calls/<name>, one call a line, and then does ``body``."""
        (self.root / "calls").mkdir(exist_ok=True)
        target = self.bin / name
        target.write_text(f'#!/bin/bash\nprintf \'%s\\n\' "$*" >>"$SCRATCH/calls/{name}"\n{body}\n')
        target.chmod(0o755)

    def calls(self, name: str) -> list[str]:
        return self.lines(f"/calls/{name}")

    def nic(self, name: str, mac: str) -> None:
        self.write(f"/sys/class/net/{name}/address", f"{mac}\n")

    def answers(self, method: str, path: str, *texts: str) -> None:
        for number, text in enumerate(texts, 1):
            self.write(f"/api/{method}{path.replace('/', '_')}.{number}", text)

    def env_file(self, path: str) -> dict[str, str]:
        """An env file as podman and systemd read it: everything behind the first = as it stands."""
        return dict(line.split("=", 1) for line in self.lines(path) if "=" in line and not line.startswith("#"))

    def run(
        self, name: str, *arguments: str, env: dict[str, str] | None = None, sleeps: int = _SLEEPS_AT_MOST
    ) -> subprocess.CompletedProcess[str]:
        return self.shell(f'exec "{self.path("/usr/local/bin/" + name)}" "$@"', *arguments, env=env, sleeps=sleeps)

    def shell(
        self, text: str, *arguments: str, env: dict[str, str] | None = None, sleeps: int = _SLEEPS_AT_MOST
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin",
            "SCRATCH": str(self.root),
            "SLEEPS_AT_MOST": str(sleeps),
            "TMPDIR": str(self.root),
            "LC_ALL": "C",
        }
        return subprocess.run(
            ["/bin/bash", "-c", text, "bash", *arguments],
            env={**environment, **(env or {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def sandbox_of(tmp_path: Path) -> Callable[[LiveIgnition], Sandbox]:
    """Makes the scratch root of a config that is there already."""

    def made(live: LiveIgnition) -> Sandbox:
        root = tmp_path / f"root{len(os.listdir(tmp_path))}"
        root.mkdir()
        return Sandbox(root, live)

    return made


@pytest.fixture
def sandbox(tmp_path: Path, build: Build) -> Callable[..., Sandbox]:
    """Makes the scratch root of a config."""

    def made(hosts: tuple[Host, ...] | None = None, **changes: object) -> Sandbox:
        root = tmp_path / f"root{len(os.listdir(tmp_path))}"
        root.mkdir()
        return Sandbox(root, build(hosts, **changes))

    return made
