# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading kubeconfigs: the values found, the message about a missing value, and that no message contains a
credential.
"""

from __future__ import annotations

import base64
import subprocess
import sys

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.config import read_kubeconfig


def write(path, user, cluster=None, **top):
    document = {
        "clusters": [{"name": "c", "cluster": {"server": "https://api:6443", **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "ns"}}],
        "current-context": "x",
    }
    path.write_text(yaml.safe_dump({**document, **top}))
    return path


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"token": "t0"}, "Bearer t0"),
        ({"tokenFile": "token"}, "Bearer from-file"),
        ({"username": "u", "password": "p"}, "Basic " + base64.b64encode(b"u:p").decode()),
        ({}, ""),
    ],
)
def test_static_credentials(tmp_path, user, expected):
    (tmp_path / "token").write_text("from-file\n")
    config = read_kubeconfig(write(tmp_path / "k", user))
    assert (config.authorization, config.namespace, config.server) == (expected, "ns", "https://api:6443")


def test_data_wins_over_files_and_files_are_relative_to_the_kubeconfig(tmp_path):
    (tmp_path / "ca.pem").write_text("FILE")
    assert read_kubeconfig(write(tmp_path / "k", {}, {"certificate-authority": "ca.pem"})).ca == "FILE"
    both = {"certificate-authority": "ca.pem", "certificate-authority-data": base64.b64encode(b"DATA").decode()}
    assert read_kubeconfig(write(tmp_path / "k", {}, both)).ca == "DATA"


def test_a_plugins_token_comes_through_the_kubernetes_library(tmp_path):
    answer = (
        '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "fetched"}}'
    )
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "echo",
        "args": [answer],
        "interactiveMode": "Never",
    }
    assert read_kubeconfig(write(tmp_path / "k", {"exec": plugin})).authorization == "Bearer fetched"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nowhere/oc-login", "No such file or directory"),
        ("plugin", "process returned 3. log in first"),
        ("true", "failed to decode process output"),
    ],
)
def test_a_plugin_that_fails_is_named_with_its_own_words(tmp_path, command, words, capfd):
    (tmp_path / "plugin").write_text("#!/bin/sh\necho log in first >&2; exit 3\n")
    (tmp_path / "plugin").chmod(0o700)
    command = str(tmp_path / command) if command == "plugin" else command
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "args": ["--secret=canary"],
            "interactiveMode": "Never",
        }
    }
    with pytest.raises(ZeroTouchError) as reported:
        read_kubeconfig(write(tmp_path / "k", user))
    assert (
        f"the credential plugin {command} of context 'x' gave no credentials" in reported.value.message
        and words in reported.value.message
    )
    assert "canary" not in f"{reported.value}{reported.value.hint}{capfd.readouterr()}"


def test_static_credentials_do_not_import_the_kubernetes_library(tmp_path):
    module = "ansible_collections.zerotouch.openshift.plugins.module_utils.kube"
    code = f"import sys, pathlib\nfrom {module}.config import read_kubeconfig\nfrom {module}.client import KubeClient\n"
    path = str(write(tmp_path / "k", {"token": "t"}))
    code += f"KubeClient(read_kubeconfig(pathlib.Path({path!r})))\nassert 'kubernetes' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is not YAML"),
        ("[]", "is not a kubeconfig"),
        ("clusters: []\ncurrent-context: x", "has no context named 'x'"),
        ("clusters: []\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x", "has no cluster named 'c'"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, text, message):
    (tmp_path / "k").write_text(text)
    with pytest.raises(ZeroTouchError, match=message):
        read_kubeconfig(tmp_path / "k")


def test_missing_parts_are_named(tmp_path):
    with pytest.raises(ZeroTouchError, match="does not exist"):
        read_kubeconfig(tmp_path / "none")
    with pytest.raises(ZeroTouchError, match=r"client-key names .*/gone, which cannot be read"):
        read_kubeconfig(write(tmp_path / "k", {"client-key": "gone"}))
    with pytest.raises(ZeroTouchError, match="client-key-data is not base64 of PEM") as caught:
        read_kubeconfig(write(tmp_path / "k", {"client-key-data": "s3cr3t!!"}))
    assert "s3cr3t" not in str(caught.value)
    with pytest.raises(ZeroTouchError, match="no context named 'y'"):
        read_kubeconfig(write(tmp_path / "k", {}), "y")
