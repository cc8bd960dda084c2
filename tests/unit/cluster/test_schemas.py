# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The published schemas are those of the code, and accept what the code accepts."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.schema import cluster_schema, host_schema, schema_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import snake_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import CLUSTER, TARGETS_BY_OPTION
from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_published_schemas_are_up_to_date(name: str) -> None:
    assert (SCHEMAS / name).read_text() == schema_files()[name], "run: PYTHONPATH=.build python tests/generate_schemas.py"


@pytest.mark.parametrize("schema", [cluster_schema(), host_schema()], ids=["cluster", "host"])
def test_schemas_are_valid_and_every_option_is_described(schema: dict[str, object]) -> None:
    Draft202012Validator.check_schema(schema)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert [name for name, found in properties.items() if not found.get("description")] == []
    assert schema["additionalProperties"] is False


def test_secrets_are_marked() -> None:
    assert cluster_schema()["properties"]["pull_secret"]["writeOnly"]
    assert host_schema()["properties"]["bmc"]["properties"]["password"]["writeOnly"]


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("networkType", "network_type"),
        ("apiVIPs", "api_vips"),
        ("additionalNTPSources", "additional_ntp_sources"),
        ("bootArtifactsBaseURL", "boot_artifacts_base_url"),
        ("minimalISO", "minimal_iso"),
        ("rendezvousIP", "rendezvous_ip"),
        ("macAddress", "mac_address"),
        ("osImageStream", "os_image_stream"),
        ("cpuPartitioningMode", "cpu_partitioning_mode"),
        ("clusterNetworkMTU", "cluster_network_mtu"),
        ("bootMACAddress", "boot_mac_address"),
        ("fips", "fips"),
        ("hostname", "hostname"),
    ],
)
def test_our_names_are_upstreams_in_snake_case(name: str, ours: str) -> None:
    assert snake_case(name) == ours


def test_names_of_options_follow_from_their_targets() -> None:
    exceptions = {"platform_options", "ssh_public_keys", "ntp_sources", "machine_networks", "cluster_networks", "service_networks", "compute"}
    for option, target in TARGETS_BY_OPTION.items():
        assert option in CLUSTER.fields
        assert option in exceptions or option == snake_case(target.rpartition(".")[2])
