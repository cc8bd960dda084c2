# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the requests that import a running cluster into assisted-service, so that hosts can be added to it
(openshift/assisted-service cmd/agentbasedinstaller/import.go).
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.running_cluster import (
    parse_running_cluster,
    read_cluster_config,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput

IDENTITY = {"openshift_cluster_id": "own-id", "name": "edge", "api_vip_dnsname": "api.edge.example.com"}
CONFIG = {"import-cluster-config.json": '{"networking": {"userManagedNetworking": true}}'}
ENDPOINT = {
    "worker-ignition-endpoint.json": ('{"url": "https://api:22623/config/worker", "ca_certificate": "QQ==", "more": 1}')
}


def test_bodies():
    cluster = parse_running_cluster(IDENTITY, {**CONFIG, **ENDPOINT})
    assert cluster.import_params() == {
        "name": "edge",
        "api_vip_dnsname": "api.edge.example.com",
        "openshift_cluster_id": "own-id",
    }
    endpoint = {"url": "https://api:22623/config/worker", "ca_certificate": "QQ=="}
    assert cluster.update_params() == {"user_managed_networking": True, "ignition_endpoint": endpoint}


@pytest.mark.parametrize(
    ("wanted", "files", "expected"),
    [
        ({}, {}, {}),
        ({}, {"import-cluster-config.json": '{"networking": {}}'}, {}),
        (
            {},
            {"import-cluster-config.json": '{"Networking": {"usermanagednetworking": false}}'},
            {"user_managed_networking": False},
        ),
        ({}, CONFIG, {"user_managed_networking": True}),
        ({"user_managed_networking": False}, CONFIG, {"user_managed_networking": False}),
        ({"ignition_endpoint": {"url": "https://b"}}, ENDPOINT, {"ignition_endpoint": {"url": "https://b"}}),
    ],
)
def test_options_win_over_files(wanted, files, expected):
    assert parse_running_cluster({**IDENTITY, **wanted}, files).update_params() == expected


@pytest.mark.parametrize(
    ("wanted", "files", "words"),
    [
        ({"name": ""}, {}, "import_cluster.name"),
        ({}, {"import-cluster-config.json": "["}, "is not a JSON object"),
        (
            {},
            {"import-cluster-config.json": '{"networking": {"userManagedNetworking": "yes"}}'},
            "must be true or false",
        ),
        ({}, {"worker-ignition-endpoint.json": '{"ca_certificate": "QQ=="}'}, "ignition_endpoint.url"),
        ({"ignition_endpoint": {"url": "https://b", "ca_certificate": "%"}}, {}, "is not base64"),
    ],
)
def test_mistakes(wanted, files, words):
    with pytest.raises(InvalidInput, match=words):
        parse_running_cluster({**IDENTITY, **wanted}, files)


def test_files_that_are_there(tmp_path):
    assert read_cluster_config(tmp_path) == {}
    (tmp_path / "import-cluster-config.json").write_text("{}")
    assert read_cluster_config(tmp_path) == {"import-cluster-config.json": "{}"}
