# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the host fields that modules agents, bare_metal_hosts and assisted_hosts pass on: each field has an option and
its documentation, and reaches the request.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.doc_fragments.host_requests import ModuleDocFragment
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request import (
    ServiceHostRequest,
    host_requests,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.settings import HostChanges
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_row import HostRow
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import (
    AGENT_REQUESTS,
    ANNOTATION_REQUESTS,
    HOST_FIELDS,
    SERVICE_REQUESTS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_options import (
    option_documentation,
    option_specs,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import (
    BOOLEAN,
    INTEGER,
    OPAQUE,
    STRINGS,
    Scalar,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment, Host
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted import desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub import from_spec
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.change import AgentSurroundings, plan_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import (
    host_requests as agent_requests,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.modules import agents, assisted_hosts, bare_metal_hosts
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.assisted import check_host_options
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import bare_metal_hosts as with_bmcs
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hub import check_agent_variables
from ansible_collections.zerotouch.openshift.tests.unit.cluster.mistakes import good_cluster, good_hosts
from ansible_collections.zerotouch.openshift.tests.unit.cluster.test_field_table import ids, sample

MAC = "52:54:00:00:00:01"
BMC = {"address": "redfish-virtualmedia+https://192.0.2.1/redfish/v1/Systems/1", "username": "root", "password": "x"}
# A field that no release has, for what the table has no example of.
MADE_UP = HostRow(
    "made_up",
    STRINGS,
    "Made up: it holds two words.",
    "madeUp",
    agent="madeUp",
    annotation="made-up",
    service="made_up_names",
)
MODULES = [(agents, "DOCUMENTATION"), (bare_metal_hosts, "BARE_METAL_HOSTS"), (assisted_hosts, "ASSISTED_HOSTS")]


def agent_in(state: str) -> Agent:
    metadata = {"name": "a", "namespace": "lab"}
    return read_agent({"metadata": metadata, "spec": {}, "status": {"debugInfo": {"state": state}}})


@pytest.mark.parametrize(("module", "part"), MODULES, ids=[part for _module, part in MODULES])
def test_every_option_of_a_host_is_documented(module: Any, part: str) -> None:
    options = module.argument_spec()["hosts"]["options"]
    documented = yaml.safe_load(getattr(ModuleDocFragment, part))["options"]["hosts"]["suboptions"]
    facts = ("type", "elements", "choices", "default", "required")
    assert {name: [option.get(fact) for fact in facts] for name, option in options.items()} == {
        name: [option.get(fact) for fact in facts] for name, option in documented.items()
    }


@pytest.mark.parametrize(
    ("shape", "spec"),
    [
        (Scalar("string", ("a", "b")), {"type": "str", "choices": ["a", "b"]}),
        (INTEGER, {"type": "int"}),
        (BOOLEAN, {"type": "bool"}),
        (STRINGS, {"type": "list", "elements": "str"}),
        (OPAQUE, {"type": "dict"}),
    ],
)
def test_the_type_of_an_option_follows_from_the_shape(shape: Any, spec: dict[str, Any]) -> None:
    row = HostRow("made_up", shape, "Made up: it holds two words.", agent="madeUp")
    assert option_specs([row]) == {"made_up": spec}
    assert yaml.safe_load(option_documentation([row])) == {"made_up": {"description": row.text, **spec}}


def test_what_an_annotation_says_the_agent_has() -> None:
    assert all(row.agent for row in ANNOTATION_REQUESTS)


@pytest.mark.parametrize("row", AGENT_REQUESTS, ids=ids)
def test_an_agent_gets_the_value(row: HostRow) -> None:
    (request,) = agent_requests([{"name": "a", "mac_addresses": [MAC], row.option: sample(row.shape)}], "lab")
    change = plan_agent(request, agent_in("known"), AgentSurroundings()).change
    assert change is not None and change.body["spec"][row.agent] == sample(row.shape)
    (refusal,) = plan_agent(request, agent_in("installing"), AgentSurroundings()).refusals
    assert refusal.startswith(f"{row.agent} can no longer be changed")


@pytest.mark.parametrize("row", ANNOTATION_REQUESTS, ids=ids)
def test_a_bare_metal_host_passes_the_value_on(row: HostRow) -> None:
    agent = {"name": "a", "mac_addresses": [MAC], row.option: sample(row.shape)}
    (host,) = with_bmcs([agent], [{"name": "a", "bmc": BMC}])
    (requested,) = read_requested({"namespace": "lab", "infra_env_name": "site", "hosts": [host]}).hosts
    value = requested.bare_metal_host["metadata"]["annotations"][f"bmac.agent-install.openshift.io/{row.annotation}"]
    assert value == sample(row.shape) or json.loads(value) == sample(row.shape)


@pytest.mark.parametrize("row", SERVICE_REQUESTS, ids=ids)
def test_the_service_gets_the_value_once(row: HostRow) -> None:
    (request,) = host_requests([{"name": "a", "mac_addresses": [MAC], row.option: sample(row.shape)}])
    (change,) = HostChanges(request, {"id": "a"}, "a").changes
    assert change.body == {row.service: sample(row.shape)}
    assert HostChanges(request, {"id": "a", row.service: sample(row.shape)}, "a").changes == []


@pytest.mark.parametrize("empty", ["", [], False, 0])
def test_nothing_is_sent_to_empty_what_is_empty(empty: Any) -> None:
    assert HostChanges(ServiceHostRequest("a", members={"made_up": empty}), {"id": "a"}, "a").changes == []


@pytest.mark.parametrize("row", [row for row in HOST_FIELDS if row.own_request or row.agent or row.service], ids=ids)
def test_what_openshift_host_says_openshift_agent_must_not(row: HostRow) -> None:
    options = {"one": {row.option: sample(row.shape)}}
    problems = [*check_agent_variables(options), *check_host_options(options)]
    forbidden = [problem.path for problem in problems if "openshift_host" in problem.detail]
    modules = [name for name in (row.agent, row.service) if row.own_request or name]
    assert forbidden == [f"openshift_agent[one].{row.option}" for _module in modules if row.upstream]


def test_a_new_field_of_a_host_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value without an attribute in the spec gets to module agents and to the service."""
    monkeypatch.setattr(from_spec, "_REQUESTS", (MADE_UP,))
    monkeypatch.setattr(desired, "_REQUESTS", (MADE_UP,))
    monkeypatch.setattr(
        "ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.hosts.request.SERVICE_REQUESTS",
        (MADE_UP,),
    )
    host = Host("one", agent_config_extra={"madeUp": ["a", "b"]})
    assert from_spec.agent_hosts([host])[0]["made_up"] == ["a", "b"]
    parsed = read_variables(good_cluster(), good_hosts()).deployment
    assert parsed is not None
    hosts = [dataclasses.replace(each, agent_config_extra=host.agent_config_extra) for each in parsed.hosts]
    requests = desired.read_desired_deployment(Deployment(parsed.cluster, tuple(hosts))).hosts
    assert [dict(request.members) for request in requests] == [{"made_up_names": ["a", "b"]}] * len(hosts)
