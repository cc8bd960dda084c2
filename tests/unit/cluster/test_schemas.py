# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the published JSON schemas are those that the code generates, and accept what its reader accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.schema import (
    cluster_schema,
    host_schema,
    json_schema,
    schema_files,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import Reader, snake_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.tree import wrap
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import (
    CLUSTER,
    HOST,
    TARGETS_BY_OPTION,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from .mistakes import MISTAKES, Mistake, good_cluster, good_hosts

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_published_schemas_are_up_to_date(name: str) -> None:
    assert (SCHEMAS / name).read_text() == schema_files()[name], "run: PYTHONPATH=.build python tests/generate_docs.py"


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
    exceptions = {
        "platform_options",
        "ssh_public_keys",
        "ntp_sources",
        "machine_networks",
        "cluster_networks",
        "service_networks",
        "compute",
    }
    for option, target in TARGETS_BY_OPTION.items():
        assert option in CLUSTER.fields
        assert option in exceptions or option == snake_case(target.rpartition(".")[2])


def accepted(cluster: dict[str, Any], hosts: list[dict[str, Any]]) -> bool:
    own = [
        {key: value for key, value in host.items() if key not in ("inventory_name", "role") and value is not None}
        for host in hosts
    ]
    return Draft202012Validator(cluster_schema()).is_valid(cluster) and all(
        Draft202012Validator(host_schema()).is_valid(host) for host in own
    )


def test_the_good_description_is_accepted() -> None:
    assert accepted(good_cluster(), good_hosts())


# What a schema cannot know: the inside of upstream's documents, files, releases, and what belongs together.
BEYOND = {"overrides", "platform_options", "extra_manifests", "live_kernel_arguments", "version", "groups"}


@pytest.mark.parametrize(
    "mistake", [mistake for mistake in MISTAKES if mistake.where not in BEYOND], ids=lambda mistake: mistake.name
)
def test_the_schemas_refuse_the_same_mistakes(mistake: Mistake) -> None:
    cluster, hosts = good_cluster(), good_hosts()
    mistake.change(cluster, hosts)
    # That a boot method needs data of the host is a rule between two keys.
    assert accepted(cluster, hosts) == mistake.name.startswith("boot through")


leaves = st.booleans() | st.integers() | st.just(0.5) | st.text(max_size=3)
names = st.sampled_from(["name", "cidr", "host_prefix", "source", "mirrors", "replicas", "address", "x"])
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2), max_leaves=5
)


def without_further_rules(schema: Any) -> Any:
    """Enumerations and required keys are for the rules; the reader knows names and types."""
    if isinstance(schema, dict):
        return {
            key: without_further_rules(value)
            for key, value in schema.items()
            if key != "enum" and not (key == "required" and isinstance(value, list))
        }
    return [without_further_rules(value) for value in schema] if isinstance(schema, list) else schema


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from([*CLUSTER.fields.values(), *HOST.fields.values()]), anything)
def test_reader_and_schema_agree(field: Any, value: Any) -> None:
    reader = Reader()
    reader.read(wrap(value, "x"), field.shape)
    assert (not reader.problems) == Draft202012Validator(without_further_rules(json_schema(field.shape))).is_valid(
        value
    )
