# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the files of the directory cluster-manifests into documents.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go, cmd/agentbasedinstaller/import.go,
  cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

import base64
import dataclasses

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.cluster import extra_manifests
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.read import (
    parse_manifests,
    read_manifests,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError


@pytest.mark.parametrize(
    "file",
    [
        "pull-secret.yaml",
        "infraenv.yaml",
        "cluster-deployment.yaml",
        "agent-cluster-install.yaml",
        "cluster-image-set.yaml",
    ],
)
def test_a_missing_file_is_named(files, file):
    texts = files()
    del texts[file]
    with pytest.raises(InvalidInput, match=file):
        parse_manifests(texts)


def test_all_problems_at_once_and_no_text_of_files(files):
    texts = {
        **files(),
        "infraenv.yaml": "kind: Secret",
        "operators.yaml": "lvm",
        "pull-secret.yaml": "kind: Secret\nstringData: {x: registry-password",
    }
    with pytest.raises(InvalidInput) as caught:
        parse_manifests(texts)
    assert all(word in str(caught.value) for word in ("infraenv.yaml", "operators.yaml", "pull-secret.yaml"))
    assert "registry-password" not in str(caught.value)


def test_a_pull_secret_in_data_counts_as_well(files):
    encoded = base64.b64encode(b'{"auths": {}}').decode()
    assert (
        parse_manifests(files(pull_secret=f"kind: Secret\ndata: {{.dockerconfigjson: {encoded}}}\n")).pull_secret
        == '{"auths": {}}'
    )
    with pytest.raises(InvalidInput, match="stringData"):
        parse_manifests(files(pull_secret="kind: Secret\ndata: {.dockerconfigjson: '%%%'}\n"))


def test_a_running_cluster_needs_no_manifests_of_a_cluster(files):
    texts = {name: text for name, text in files().items() if name in ("pull-secret.yaml", "infraenv.yaml")}
    assert parse_manifests(texts, with_cluster=False).infra_env_name == "edge-env"


def test_directories(tmp_path, files):
    inner = tmp_path / "cluster-manifests"
    inner.mkdir()
    for name, text in files().items():
        (inner / name).write_text(text)
    extra = tmp_path / "openshift"
    extra.mkdir()
    for name in ("b.yml", "a.yaml", "c.yXml", "no.json", "no.yaml.bak"):
        (extra / name).write_text("a: 1")
    (extra / "sub.yaml").mkdir()
    assert list(read_manifests(tmp_path).extra) == ["a.yaml", "b.yml", "c.yXml"]
    assert read_manifests(inner).cluster_name == "edge"
    with pytest.raises(ZeroTouchError, match="does not exist"):
        read_manifests(tmp_path / "no")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {"provisionRequirements": {"controlPlaneAgents": "3"}},
            ("controlPlaneAgents: Invalid value: must be a whole number"),
        ),
        ({"provisionRequirements": {"controlPlaneAgents": True}}, "must be a whole number"),
        ({"mastersSchedulable": "yes"}, "must be true or false"),
        ({"networking": {"serviceNetwork": "172.30.0.0/16"}}, "serviceNetwork: Invalid value: must be a list"),
        ({"apiVIPs": "192.0.2.5"}, "must be a list"),
    ],
)
def test_a_value_of_another_type_does_not_count_as_absent(files, spec, words):
    with pytest.raises(InvalidInput, match=words):
        parse_manifests(files({"spec": spec}))


def test_an_extra_manifest_that_is_no_text_is_named(manifests):
    with pytest.raises(InvalidInput, match=r"b\.yaml.*is not UTF-8 text"):
        extra_manifests(dataclasses.replace(manifests(), extra={"a.yaml": b"a: 1", "b.yaml": b"\xff"}))
