# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test functions of package capi without I/O: ignition endpoints, bootstrap data, addresses, conditions, and whether
upstream's controller is active.
"""

from __future__ import annotations

import base64
import datetime
import json
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi import controller
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.addresses import addresses, refreshed
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.bootstrap import read_bootstrap
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.conditions import (
    Moment,
    updated,
    with_agent,
    with_summary,
    without_agent,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.ignition_endpoint import (
    install_endpoint,
    with_brackets,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ForbiddenError, UnknownKindError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.paths import LEASE

# openshift/cluster-api-provider-agent controllers/ignition_endpoint.go, controllers/agentcluster_controller.go.
ENDPOINTS = [
    ("https://1.2.3.4:555/ignition", "https://1.2.3.4:555/ignition", "https://1.2.3.4:555"),
    ("https://1.2.3.4:555", "https://1.2.3.4:555", "https://1.2.3.4:555"),
    (
        "https://fd2e:6f44:5dd8:c956::14:31187/ignition",
        "https://[fd2e:6f44:5dd8:c956::14]:31187/ignition",
        "https://[fd2e:6f44:5dd8:c956::14]:31187",
    ),
    (
        "http://[1080::8:800:200c:417a]:123/config",
        "http://[1080::8:800:200c:417a]:123/config",
        "http://[1080::8:800:200c:417a]:123",
    ),
    ("https://ep.example.com/a/b?x=1#f", "https://ep.example.com/a/b?x=1#f", "https://ep.example.com?x=1#f"),
    ("https://a:b:c/ignition", "https://a:b:c/ignition", "https://a:b:c/ignition"),
    ("no url", "no url", "no url"),
    ("", "", ""),
]


@pytest.mark.parametrize(("url", "normal", "short"), ENDPOINTS)
def test_ignition_endpoints(url: str, normal: str, short: str) -> None:
    assert (with_brackets(url), install_endpoint(url)) == (normal, short)


def secret(document: Any) -> dict[str, Any]:
    return {"data": {"value": base64.b64encode(json.dumps(document).encode()).decode()}}


def merge(*sources: Any) -> dict[str, Any]:
    return secret({"ignition": {"version": "3.2.0", "config": {"merge": list(sources)}}})


def test_bootstrap_data() -> None:
    headers = [
        {"name": "authorization", "value": "Bearer abc=="},
        {"name": "NodePool", "value": "c/p"},
        {"name": "Empty", "value": None},
    ]
    found = read_bootstrap(merge({"source": "https://ep/ignition", "httpHeaders": headers}), "ns", "data")
    assert (found.pool, found.token, found.headers, found.secret) == (
        "ignition",
        "abc==",
        {"NodePool": "c/p", "Empty": ""},
        ("ns", "agent-data"),
    )


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        (merge(), "did not find one ignition source as expected"),
        (merge({"source": "a"}, {"source": "b"}), "did not find one ignition source as expected"),
        (merge({"source": None}), "no URL"),
        (
            merge({"source": "https://e/i", "httpHeaders": [{"name": "Authorization", "value": "Basic x"}]}),
            "did not find expected prefix for bearer token",
        ),
        *(
            (merge({"source": "https://e/i", "httpHeaders": wrong}), "httpHeaders .* not a list of objects")
            for wrong in ([None], "abc", 5, {"name": "x"})
        ),
        ({"data": {}}, "no key value"),
        ({"data": {"value": "bm8ganNvbg=="}}, "is not an Ignition configuration"),
        (secret(["a list"]), "did not find one ignition source as expected"),
    ],
)
def test_bootstrap_data_that_cannot_be_used(provided: dict[str, Any], words: str) -> None:
    with pytest.raises(ZeroTouchError, match=words) as reported:
        read_bootstrap(provided, "ns", "data")
    assert "ns/data" in str(reported.value)


def test_addresses_of_both_families_and_no_empty_hostname(world: ModuleType) -> None:
    obj = world.agent(3, hostname="")
    obj["status"] = world.agent_status(3, "known-unbound", "", ipv6=True)
    nameless = read_agent(obj)
    assert addresses(nameless) == [
        {"type": "ExternalIP", "address": "192.0.2.3"},
        {"type": "ExternalIP", "address": "2001:db8::3"},
    ]
    obj["status"]["inventory"]["interfaces"].append({"hasCarrier": False, "ipV4Addresses": ["198.51.100.1/24"]})
    obj["status"]["inventory"]["interfaces"].append({"hasCarrier": True, "ipV4Addresses": ["198.51.100.2", "nonsense"]})
    assert [item["address"] for item in addresses(read_agent(obj))] == ["192.0.2.3", "198.51.100.2", "2001:db8::3"]
    obj["spec"]["hostname"] = "named"
    obj["status"]["inventory"] = {}
    assert refreshed([{"type": "ExternalIP", "address": "192.0.2.3"}], read_agent(obj))[-1] == {
        "type": "InternalDNS",
        "address": "named",
    }
    kept = [{"type": "InternalDNS", "address": "old"}]
    assert refreshed(kept, read_agent(obj)) == kept


def test_conditions_without_an_agent() -> None:
    found = with_summary(without_agent(""))
    assert (found["AgentReserved"].status, found["AgentReserved"].reason, found["AgentReserved"].message) == (
        "False",
        "NoSuitableAgents",
        "",
    )
    assert found["Ready"].message == (
        "* AgentReserved: NoSuitableAgents\n* AgentSpecSynced: Agent not yet reserved\n* AgentValidated: Agent not "
        "yet reserved\n"
        "* AgentRequirementsMet: Agent not yet reserved\n* Installed: Agent not yet reserved"
    )
    assert with_summary(without_agent("because"))["AgentReserved"].reason == "AgentNotYetFound"


def test_conditions_of_an_agent_with_odd_reasons_and_many_lines(world: ModuleType) -> None:
    obj = world.agent(1)
    obj["status"]["conditions"] = [
        world.condition("SpecSynced", "False", "", "first\nsecond"),
        world.condition("Validated", "Unknown", "1 bad reason!", ""),
        world.condition("RequirementsMet", "True"),
    ]
    found = with_summary(with_agent(read_agent(obj)))
    assert (found["AgentSpecSynced"].reason, found["AgentValidated"].reason) == ("NoReasonGiven", "bad_reason")
    assert (found["Installed"].status, found["Installed"].reason) == ("False", "ConditionNotFound")
    assert found["Ready"].message == (
        "* AgentSpecSynced:\n  * first\n  * second\n* AgentValidated: bad_reason\n* Installed: ConditionNotFound"
    )


def test_a_transition_keeps_its_time_while_the_status_stays() -> None:
    first = updated([], with_summary(without_agent("")), Moment("2026-01-01T00:00:00Z", 1))
    second = updated(first, with_summary(without_agent("other words")), Moment("2026-02-02T00:00:00Z", 2))
    assert {item["lastTransitionTime"] for item in second} == {"2026-01-01T00:00:00Z"} and {
        item["observedGeneration"] for item in second
    } == {2}
    others = [{"type": "Paused", "status": "False"}, {"type": "Zebra", "status": "True"}]
    assert [item["type"] for item in updated([*others, *first], {}, Moment("", 1))][-2:] == ["Zebra", "Paused"]


# --- is the controller at work? ---

NOW = datetime.datetime(2026, 11, 21, 12, 0, 0, tzinfo=datetime.UTC)


def deployment(ready: int, *args: str) -> dict[str, Any]:
    containers = [{"name": "manager", "args": list(args)}]
    return {
        "metadata": {"name": "capi-provider", "namespace": "ns"},
        "spec": {"template": {"spec": {"containers": containers}}},
        "status": {"readyReplicas": ready},
    }


def lease(holder: str, renewed: str = "2026-11-21T11:59:55.000000Z") -> dict[str, Any]:
    return {
        "metadata": {"name": "l", "namespace": "ns"},
        "spec": {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 15},
    }


@pytest.mark.parametrize(
    ("found", "held", "active"),
    [
        (None, None, False),
        (deployment(1), None, True),
        (deployment(0), None, False),
        (deployment(1, "--namespace", "$(MY_NAMESPACE)"), None, True),
        (deployment(1, "--namespace=ns"), None, True),
        (deployment(1, "--namespace", "other"), None, False),
        (None, lease("pod-1"), True),
        (None, lease(""), False),
        (None, lease("pod-1", "2026-11-21T11:00:00.000000Z"), False),
        (None, lease("pod-1", "2026-11-21T11:59:55"), True),
        (None, lease("pod-1", "2026-11-21T11:00:00"), False),
        (None, lease("pod-1", "yesterday"), True),
        (None, {**lease("pod-1"), "spec": {**lease("pod-1")["spec"], "leaseDurationSeconds": 1 << 60}}, True),
        (deployment(0, "--namespace=other"), lease("pod-1"), False),
    ],
)
def test_who_is_active(found: Any, held: Any, active: bool) -> None:
    assert controller.judge("ns", found, held, NOW).active is active


def test_what_cannot_be_read_counts_as_active(hub: Any, world: ModuleType) -> None:
    assert not controller.find_controller(hub, world.NS).active
    hub.forbidden.add("leases")
    find = hub.find

    def refuse(path: str) -> Any:
        if path == LEASE.path(world.NS, controller.LEASE_NAME):
            raise ForbiddenError("The hub's API", 403, "no", "Forbidden")
        return find(path)

    hub.find = refuse
    found = controller.find_controller(hub, world.NS)
    assert found.active and "cannot be read" in found.why


@pytest.mark.parametrize("missing", ["deployments", "leases"])
def test_an_api_without_one_of_the_two_kinds(hub: Any, world: ModuleType, missing: str) -> None:
    """A controller may run outside of the cluster, where the API has no Deployments; what is left tells of it."""
    find = hub.find

    def unknown(path: str) -> Any:
        if f"/{missing}/" in path:
            raise UnknownKindError("The hub's API", 404, "the server could not find the requested resource", "NotFound")
        return find(path)

    hub.find = unknown
    assert not controller.find_controller(hub, world.NS).active
    hub.put("leases", {**lease("pod-1"), "metadata": {"name": controller.LEASE_NAME, "namespace": world.NS}})
    hub.put("deployments", {**deployment(1), "metadata": {"name": controller.HOSTED_DEPLOYMENT, "namespace": world.NS}})
    found = controller.find_controller(hub, world.NS)
    assert found.active and ("lease" if missing == "deployments" else "Deployment") in found.why
