# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the module assisted_manifests with the program in an agent ISO that does the same.

Both read cluster manifests and register the cluster and its InfraEnv with assisted-service. For the same manifests they
must send the same requests. The service is the lab's. AGENT_CLIENT names a binary of that program
(openshift/assisted-service, cmd/agentbasedinstaller/client); without it, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .assisted_lab import Bench, module_runner, running_service, scripted
from .test_assisted_manifests import HOSTS, INSTALL_CONFIG, MACS, write_manifests

CLIENT = Path(os.environ.get("AGENT_CLIENT") or "/nonexistent")
pytestmark = pytest.mark.skipif(
    not CLIENT.is_file(), reason=("AGENT_CLIENT names no binary of the client of the agent ISO")
)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
FILES = {
    "CLUSTER_DEPLOYMENT_FILE": "cluster-deployment.yaml",
    "AGENT_CLUSTER_INSTALL_FILE": "agent-cluster-install.yaml",
    "INFRA_ENV_FILE": "infraenv.yaml",
    "PULL_SECRET_FILE": "pull-secret.yaml",
    "CLUSTER_IMAGE_SET_FILE": "cluster-image-set.yaml",
    "NMSTATE_CONFIG_FILE": "nmstateconfig.yaml",
}


def listen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What changes something at the service, as it comes in: operation and body without nulls, ids as a word."""
    heard: list[tuple[str, Any]] = []
    read = bench.service._body

    async def reading(request: Any, route: Any) -> Any:
        body, raw = await read(request, route)
        if route.method != "GET":
            heard.append((route.key, plain(body)))
        return body, raw

    monkeypatch.setattr(bench.service, "_body", reading)
    return heard


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return UUID.sub("<id>", value) if isinstance(value, str) else value


# The client asks the release for its version and its architecture.
OC = """#!/bin/sh
case "$*" in
*metadata.version*) printf 4.22.0 ;;
*"image info"*) echo '{"config": {"architecture": "amd64"}}' ;;
*image-for*) echo "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:$(printf %064d 0)" ;;
*) exit 1 ;;
esac
"""


def run_client(bench: Bench, tools: Path, command: str, **environment: str) -> str:
    tools.mkdir(exist_ok=True)
    (tools / "oc").write_text(OC)
    (tools / "oc").chmod(0o755)
    settings = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "SERVICE_BASE_URL": bench.url,
        "USER_AUTH_TOKEN": bench.token,
        **environment,
    }
    done = subprocess.run([str(CLIENT), command], env=settings, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr


def where(source: Path) -> dict[str, str]:
    """The environment that names the manifests."""
    directory = source / "cluster-manifests" if (source / "cluster-manifests").is_dir() else source
    extra = next(path for path in (source / "openshift", source.parent / "config" / "openshift") if path.is_dir())
    files = {name: str(directory / file) for name, file in FILES.items()}
    return {**files, "EXTRA_MANIFESTS_PATH": str(extra), "OPERATOR_INSTALL_FILE": "/nonexistent"}


def test_the_client_and_the_module_send_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = write_manifests(tmp_path, INSTALL_CONFIG, HOSTS)
    with running_service(INSTALL_INVOKER="agent-installer") as theirs:
        sent = listen(theirs, monkeypatch)
        for command in ("registerCluster", "registerInfraEnv"):
            run_client(theirs, tmp_path / "tools", command, **where(source))
    with running_service(INSTALL_INVOKER="agent-installer") as ours:
        said = listen(ours, monkeypatch)
        done = module_runner(ours, capfd)(
            "assisted_manifests", config_dir=str(source), openshift_version="4.22.0", arch="x86_64"
        )
        assert not done.get("failed"), done
    assert sent and sorted(said, key=str) == sorted(sent, key=str)


def test_the_client_configures_hosts_of_the_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = write_manifests(tmp_path, INSTALL_CONFIG, HOSTS)
    with running_service(INSTALL_INVOKER="agent-installer") as bench:
        for command in ("registerCluster", "registerInfraEnv"):
            run_client(bench, tmp_path / "tools", command, **where(source))
        sent = listen(bench, monkeypatch)
        (infra_env,) = bench.service.core.state.infra_envs
        bench.boot(infra_env, *(scripted.Machine(number) for number in (1, 2, 3)))
        for number, mac in enumerate(MACS, 1):
            directory = tmp_path / "hostconfig" / f"node-{number}"
            directory.mkdir(parents=True)
            (directory / "mac_addresses").write_text(mac)
            (directory / "role").write_text("worker" if number == 3 else "master")
        reported = run_client(
            bench, tmp_path / "tools", "configure", INFRA_ENV_ID=infra_env, HOST_CONFIG_DIR=str(tmp_path / "hostconfig")
        )
        assert "Configured all hosts" in reported
        # A role that is suggested already is not sent.
        assert [
            body["host_role"] for key, body in sent if key.startswith("PATCH /v2/infra-envs/{infra_env_id}/hosts")
        ] == ["worker"]
        assert {host.name: host.role for host in bench.service.core.state.hosts.values()}["host-3"] == "worker"


def test_the_client_imports_a_running_cluster(tmp_path: Path) -> None:
    known = {
        "CLUSTER_ID": "6f1f9c2e-6a0f-4d0e-9a3c-0c3c5f6d7e8f",
        "CLUSTER_NAME": "older",
        "CLUSTER_API_VIP_DNS_NAME": "api.older.example.com",
    }
    endpoint = {
        "url": "https://api-int.older.example.com:22623/config/worker",
        "ca_certificate": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
    }
    (tmp_path / "import-cluster-config.json").write_text(json.dumps({"networking": {"userManagedNetworking": True}}))
    (tmp_path / "worker-ignition-endpoint.json").write_text(json.dumps(endpoint))
    with running_service(INSTALL_INVOKER="agent-installer") as bench:
        run_client(bench, tmp_path / "tools", "importCluster", **known, CLUSTER_CONFIG_DIR=str(tmp_path))
        (cluster,) = bench.service.core.state.clusters.values()
        assert (cluster.name, cluster.status, cluster.fields["ignition_endpoint"]["url"]) == (
            "older",
            "adding-hosts",
            endpoint["url"],
        )
