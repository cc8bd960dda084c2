# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of configuration fields: the value of each row reaches its document (install-config.yaml,
agent-config.yaml or an override), and is read back from it.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster import field_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_row import ClusterRow, FieldRow, HostRow
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import (
    AGENT_FIELDS,
    AGENT_HOST_FIELDS,
    CLUSTER_FIELDS,
    HOST_FIELDS,
    INSTALL_FIELDS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.fields import (
    AGENT_CONFIG,
    AGENT_HOST,
    INSTALL_CONFIG,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.later_fields import later_fields
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.nodes_config import read_nodes_config
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import profile_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import (
    STRING,
    STRINGS,
    ListOf,
    Opaque,
    Record,
    Scalar,
    Shape,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster, Deployment, Host, Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.tree import wrap
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.overrides import install_config_overrides

from .mistakes import good_cluster, good_hosts

VERSION = "4.22.0"


def sample(shape: Shape) -> Any:
    """A value of the shape that is not its default."""
    if isinstance(shape, Record):
        return {name: sample(field.shape) for name, field in shape.fields.items()}
    if isinstance(shape, ListOf):
        return [sample(shape.element)]
    if isinstance(shape, Opaque):
        return {"key": "value"}
    assert isinstance(shape, Scalar)
    return {"boolean": True, "integer": 7, "string": shape.choices[-1] if shape.choices else "a-text"}[shape.type]


def ids(row: FieldRow) -> str:
    return row.option


def documents(deployment: Deployment) -> dict[str, Any]:
    files = render_files(deployment)
    return {name: yaml.safe_load(text) for name, text in files.items() if name.endswith("-config.yaml")}


def from_variables(cluster: dict[str, Any], host: dict[str, Any]) -> Deployment:
    hosts = good_hosts()
    parsed = read_variables({**good_cluster(), **cluster}, [{**hosts[0], **host}, *hosts[1:]])
    assert [problem.text() for problem in parsed.problems] == []
    assert parsed.deployment is not None
    return parsed.deployment


@pytest.mark.parametrize("row", [*INSTALL_FIELDS, *AGENT_FIELDS], ids=ids)
def test_a_field_of_the_cluster_reaches_its_document_and_comes_back(row: ClusterRow, tmp_path: Path) -> None:
    deployment = from_variables({row.option: sample(row.variable.shape)}, {})
    found = documents(deployment)[f"{row.document}-config.yaml"]
    assert found[row.upstream] == sample(row.shape)
    for name, text in render_files(deployment).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    again = read_directory(tmp_path, version=VERSION).deployment
    assert again is not None
    assert field_values.value_of(row, again.cluster) == sample(row.shape)


@pytest.mark.parametrize("row", [row for row in AGENT_HOST_FIELDS if row.in_variables], ids=ids)
def test_a_field_of_a_host_reaches_its_documents(row: HostRow, tmp_path: Path) -> None:
    deployment = from_variables({}, {row.option: sample(row.variable.shape)})
    entry = documents(deployment)["agent-config.yaml"]["hosts"][0]
    assert entry[row.upstream] == sample(row.shape)
    (tmp_path / "nodes-config.yaml").write_text(yaml.safe_dump({"hosts": [entry]}))
    (joining,) = read_nodes_config(tmp_path).hosts
    assert field_values.value_of(row, joining) == sample(row.shape)


@pytest.mark.parametrize("row", [row for row in CLUSTER_FIELDS if row.override], ids=ids)
def test_an_override_is_sent_unless_it_is_the_default(row: ClusterRow) -> None:
    def overrides(**cluster: Any) -> dict[str, Any]:
        # The newest release has all of them.
        return dict(json.loads(install_config_overrides(from_variables({"version": "5.0.0", **cluster}, {})) or "{}"))

    assert overrides(**{row.option: sample(row.variable.shape)})[row.upstream] == sample(row.shape)
    if row.default is not None:
        assert overrides(**{row.option: row.default}) == overrides()


def test_a_value_without_attribute_is_kept() -> None:
    """A field that no rule reads needs no attribute in the spec."""
    cluster_row = ClusterRow("made_up", STRINGS, "", "madeUp", document="agent")
    host_row = HostRow("made_up", STRING, "", "madeUp")
    extra = field_values.without_attribute(Cluster, [cluster_row], {"madeUp": ["a"], "fips": True})
    assert extra == {"madeUp": ["a"]}
    cluster = Cluster("", "", "", "", "", Pool(3), Pool(0), agent_config_extra=extra)
    assert field_values.value_of(cluster_row, cluster) == ["a"]
    assert field_values.request_options([host_row], Host("a", agent_config_extra={"madeUp": "x"})) == {"made_up": "x"}
    assert field_values.request_options([host_row], Host("a")) == {}


def test_extra_fields_of_documents_are_written_again() -> None:
    deployment = from_variables({}, {})
    hosts = [dataclasses.replace(deployment.hosts[0], agent_config_extra={"madeUp": "x"}), *deployment.hosts[1:]]
    cluster = dataclasses.replace(deployment.cluster, agent_config_extra={"another": 1})
    agent = documents(dataclasses.replace(deployment, cluster=cluster, hosts=tuple(hosts)))["agent-config.yaml"]
    assert (agent["another"], agent["hosts"][0]["madeUp"]) == (1, "x")


@pytest.mark.parametrize("row", [row for row in (*CLUSTER_FIELDS, *HOST_FIELDS) if row.since], ids=ids)
def test_an_older_release_refuses_the_field(row: ClusterRow | HostRow) -> None:
    assert row.since is not None
    entry = {row.upstream: "a-text"}
    document, nothing = wrap({"hosts": [entry]} if isinstance(row, HostRow) else entry, ""), wrap({}, "")
    install, agent = (document, nothing) if row.document == "install" else (nothing, document)
    older = profile_of(f"{row.since[0]}.{row.since[1] - 1}.0")
    problems = [problem for found in later_fields(install, agent, older) for problem in found]
    assert [problem.path.rpartition(".")[2] for problem in problems] == [row.upstream]


def test_upstream_has_the_path_of_each_row() -> None:
    tops = {"install": INSTALL_CONFIG, "agent": AGENT_CONFIG}
    for row in CLUSTER_FIELDS:
        step = row.upstream.split(".")[0].partition("[")[0]
        assert not step or step in tops[row.document].fields, row.option
    assert {row.upstream for row in AGENT_HOST_FIELDS} < set(AGENT_HOST.fields)


def test_an_option_is_listed_once() -> None:
    for table in (CLUSTER_FIELDS, HOST_FIELDS):
        options = [row.option for row in table]
        assert len(set(options)) == len(options)


@pytest.mark.parametrize("text", ["", "# a comment\n", "---\n", "null\n", "{}\n"])
def test_an_empty_nodes_config_lacks_hosts(tmp_path: Path, text: str) -> None:
    """The installer reads all of these as a file without anything in it (openshift/installer
    pkg/asset/agent/joiner/addnodesconfig.go).
    """
    (tmp_path / "nodes-config.yaml").write_text(text)
    assert [(problem.path, problem.detail) for problem in read_nodes_config(tmp_path).problems] == [
        ("hosts", "at least one host must be defined")
    ]


@pytest.mark.parametrize(
    ("provided", "read"),
    [("1500.0", 1500), ("-1.0", -1), ("1.5", 1.5), ("1e3", 1000), ("1.0e+3", 1000), ("9000", 9000)],
)
def test_whole_numbers_of_a_network_config(tmp_path: Path, provided: str, read: object) -> None:
    """The installer makes JSON of a file first, in which 1500.0 is 1500."""
    (tmp_path / "nodes-config.yaml").write_text(
        f"hosts: [{{networkConfig: {{interfaces: [{{name: eno1, mtu: {provided}}}]}}}}]\n"
    )
    (host,) = read_nodes_config(tmp_path).hosts
    (interface,) = host.network_config["interfaces"]
    assert (interface["mtu"], type(interface["mtu"])) == (read, type(read))
