# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the Ignition config of the live system as a whole, and its files that do not describe a host."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import (
    IgnitionFile,
    LiveIgnition,
    data_url,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets

from .contents import SERVICE_ENV, paths, text

Build = Callable[..., LiveIgnition]


# The document


def test_the_same_input_gives_the_same_bytes(build: Build, everything: dict[str, object]) -> None:
    assert build(**everything).encode() == build(**everything).encode()
    assert build(**everything).sha256() != build().sha256()


def test_ignition_reads_it(build: Build, build_nodes: Build, everything: dict[str, object], tmp_path: Path) -> None:
    program = shutil.which("ignition-validate")
    if program is None:
        pytest.skip("ignition-validate (Debian package ignition) is not installed")
    config = tmp_path / "config.ign"
    for live in (build(()), build(**everything), build(**everything, version="4.14.0"), build_nodes()):
        config.write_bytes(live.encode())
        result = subprocess.run([program, str(config)], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_the_form_is_upstreams(build: Build, everything: dict[str, object]) -> None:
    document = json.loads(build(**everything).encode())
    assert document["ignition"] == {
        "config": {"replace": {"verification": {}}},
        "proxy": {},
        "security": {"tls": {}},
        "timeouts": {},
        "version": "3.2.0",
    }
    files = {file["path"]: file for file in document["storage"]["files"]}
    assert list(files) == sorted(files)
    assert files["/usr/local/bin/common.sh"]["mode"] == 365
    assert {**files["/root/assisted.te"], "contents": None} == {
        "group": {},
        "path": "/root/assisted.te",
        "user": {"name": "root"},
        "overwrite": True,
        "contents": None,
        "mode": 384,
    }
    appended = files["/etc/containers/containers.conf"]
    assert appended["overwrite"] is False
    assert appended["contents"] == {"verification": {}}
    assert appended["mode"] == 420
    (part,) = appended["append"]
    assert base64.b64decode(part["source"].split(",")[1]).decode().splitlines()[0] == "[engine]"
    assert [file["path"] for file in files.values() if "append" in file] == ["/etc/containers/containers.conf"]
    assert document["storage"]["directories"] == [
        {"group": {}, "overwrite": True, "path": "/etc/assisted/extra-manifests", "user": {"name": "root"}, "mode": 420}
    ]
    units = {unit["name"]: unit for unit in document["systemd"]["units"]}
    assert units["agent.service"]["enabled"] is True
    assert "enabled" not in units["apply-host-config.service"]


def test_the_user_core_has_the_keys_and_the_password(build: Build, secrets: BuildSecrets) -> None:
    (user,) = build().document()["passwd"]["users"]
    assert user == {
        "name": "core",
        "passwordHash": secrets.kubeadmin_hash,
        "sshAuthorizedKeys": ["ssh-ed25519 AAAA one\nssh-ed25519 BBBB two"],
    }
    assert build(ssh_key="").document()["passwd"]["users"][0]["sshAuthorizedKeys"] == [""]


@pytest.mark.parametrize(
    ("content", "head"),
    [
        (b"text\n", "data:text/plain;charset=utf-8;base64,"),
        (b"", "data:text/plain;charset=utf-8;base64,"),
        ("ü".encode(), "data:text/plain;charset=utf-8;base64,"),
        (b"\x00\x01", "data:application/octet-stream;base64,"),
    ],
)
def test_data_urls(content: bytes, head: str) -> None:
    url = data_url(content)
    assert url.startswith(head)
    assert base64.b64decode(url.removeprefix(head)) == content


def test_the_table_names_path_mode_and_size(build: Build) -> None:
    live = build()
    row = next(row for row in live.table() if row["path"] == "/etc/issue")
    assert row == {"path": "/etc/issue", "mode": "0600", "size": len(text(live, "/etc/issue"))}


def test_it_fits_the_embed_area_many_times_over(build: Build, everything: dict[str, object]) -> None:
    assert len(gzip.compress(build(**everything).encode())) < 64 * 1024


def test_printing_a_config_shows_no_content(build: Build, secrets: BuildSecrets) -> None:
    assert secrets.user_token not in repr(build())


def test_of_two_files_with_one_path_the_later_stays(build: Build, new_host: Callable[..., Host]) -> None:
    twins = tuple(dataclasses.replace(new_host(number), hostname="twin") for number in range(2))
    live = build(twins)
    assert [path for path in paths(live, "/etc/assisted/hostconfig/") if path.endswith("mac_addresses")] == [
        "twin/mac_addresses"
    ]
    assert text(live, "/etc/assisted/hostconfig/twin/mac_addresses") == "52:54:00:aa:00:01\n"


# Trust and system


def test_trust(build: Build, everything: dict[str, Any], secrets: BuildSecrets) -> None:
    live = build(**everything)
    assert text(live, "/etc/pki/ca-trust/source/anchors/domain.crt") == everything["additional_trust_bundle"]
    assert text(live, "/etc/chrony.conf") == (
        "server ntp1.example.com iburst\nserver 192.168.0.1 iburst\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n"
    )
    assert json.loads(text(live, "/root/.docker/config.json")) == {"auths": {"quay.io": {"auth": "c3VwZXI6c2VjcmV0"}}}
    assert paths(live, "/opt/agent/tls/") == [
        f"{name}.{suffix}"
        for name in (
            "admin-kubeconfig-signer",
            "kube-apiserver-lb-signer",
            "kube-apiserver-localhost-signer",
            "kube-apiserver-service-network-signer",
        )
        for suffix in ("crt", "key")
    ] + ["kubeadmin-password.hash"]
    assert text(live, "/opt/agent/tls/kubeadmin-password.hash") == secrets.kubeadmin_hash


def test_without_bundle_and_time_sources_their_files_are_absent(build: Build) -> None:
    live = build()
    assert live.file("/etc/pki/ca-trust/source/anchors/domain.crt") is None
    assert live.file("/etc/chrony.conf") is None
    assert live.file("/etc/containers/registries.conf") is not None


def test_the_console_names_the_cluster(build: Build) -> None:
    assert text(build(), "/etc/issue").splitlines() == ["\\S", "OpenShift Agent Installer image for kni.example.com"]


def test_manifests_are_those_of_the_set(build: Build, everything: dict[str, Any]) -> None:
    live = build(**everything)
    assert paths(live, "/etc/assisted/manifests/") == [
        "agent-cluster-install.yaml",
        "agent-config.yaml",
        "cluster-deployment.yaml",
        "cluster-image-set.yaml",
        "infraenv.yaml",
        "nmstateconfig.yaml",
        "pull-secret.yaml",
    ]
    assert paths(live, "/etc/assisted/extra-manifests/") == ["a-0.yaml", "a-1.yaml"]
    assert yaml.safe_load(text(live, "/etc/assisted/manifests/cluster-deployment.yaml"))["kind"] == "ClusterDeployment"


def test_secrets_lie_only_where_they_are_read(build: Build, everything: dict[str, Any], secrets: BuildSecrets) -> None:
    live = build(**everything)

    def where(secret: str, files: tuple[IgnitionFile, ...] = live.files) -> set[str]:
        return {file.path for file in files if secret.encode() in file.content}

    assert where("c3VwZXI6c2VjcmV0") == {"/etc/assisted/manifests/pull-secret.yaml", "/root/.docker/config.json"}
    assert where(secrets.watcher_token) == {SERVICE_ENV}
    assert where(secrets.agent_token) == {"/etc/assisted/rendezvous-host.env"}
    assert where(secrets.kubeadmin_password) == set()
    assert where(secrets.admin_kubeconfig.key) == set()
