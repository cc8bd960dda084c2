# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test safety decisions for hosts of a hub: which row of the safety table follows from the Agent, the BareMetalHost and
the cluster of a host.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_identity import Identity
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import gather
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import (
    TouchRequest,
    may_touch,
    row_of,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence, NodeFacts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import (
    record_release,
    why_not_ours,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.nodes import NodeView
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.on_cluster import (
    ClusterView,
    of_cluster,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.on_hub import (
    HubEvidence,
    HubScope,
    WantedHost,
    of_hub,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import (
    RELEASED,
    TouchRecord,
    read_record,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import Action
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import InventoryHost
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import Agent, ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.install.status import InstallStatus
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import OURS

MAC = "52:54:00:00:00:01"
HOST = InventoryHost("node-1", "node-1", (MAC,), "worker", ())
SCOPE = HubScope("edge", ClusterRef("edge", "demo"), infra_env="edge")
ON, OFF = Evidence(power="On"), Evidence(power="Off")


def agent(state: str, *, cluster: str = "", connected: bool = True, infra_env: str = "edge", **more: Any) -> Agent:
    namespace = more.get("namespace", "edge")
    name = more.get("name", "11111111-2222-3333-4444-555555555555")
    metadata = {
        "name": name,
        "namespace": namespace,
        "labels": {"infraenvs.agent-install.openshift.io": infra_env},
        "creationTimestamp": more.get("created", "2026-01-01T00:00:00Z"),
    }
    place, _, cluster_name = cluster.rpartition("/")
    spec = {"clusterDeploymentName": {"namespace": place or "edge", "name": cluster_name}} if cluster else {}
    status = {
        "kind": more.get("kind", "Host"),
        "debugInfo": {"state": state},
        "conditions": [{"type": "Connected", "status": str(connected)}],
        "inventory": {
            "interfaces": [{"macAddress": more.get("mac", MAC)}],
            "systemVendor": {"serialNumber": more.get("serial", "")},
        },
    }
    return read_agent({"metadata": metadata, "spec": spec, "status": status})


def seen(
    *agents: Agent,
    power: Evidence = ON,
    action: Action = "boot",
    scope: HubScope = SCOPE,
    status: InstallStatus | None = None,
    **wanted: Any,
) -> Evidence:
    host = WantedHost(wanted.pop("host", HOST), **wanted)
    return of_hub({host.host.name: power}, [host], HubEvidence(agents, status=status), scope, action)[host.host.name]


@pytest.mark.parametrize(
    ("found", "power", "row"),
    [
        (agent("known-unbound"), ON, "9"),
        (agent("known-unbound", infra_env="core"), ON, "13"),
        (agent("known-unbound", infra_env="core"), OFF, "14"),
        (agent("known-unbound", namespace="other"), ON, "13"),
        (agent("disconnected-unbound", connected=False), ON, "10"),
        (agent("disconnected-unbound", connected=False), OFF, "10"),
        (agent("known-unbound", connected=False), ON, "10"),
        (agent("disconnected-unbound", connected=False, infra_env="core"), ON, "10"),
        (agent("", connected=True), ON, "8"),
        (agent("insufficient", cluster="demo"), ON, "8"),
        (agent("disconnected", cluster="demo", connected=False), ON, "10"),
        (
            agent("disconnected", cluster="demo", connected=False),
            Evidence(power="On", booted="this deployment booted it"),
            "11",
        ),
        (agent("known", cluster="demo"), ON, "8"),
        (agent("known", cluster="other"), ON, "3"),
        (agent("installed", cluster="elsewhere/prod", namespace="elsewhere"), ON, "3"),
        (agent("installed", cluster="demo", connected=False), ON, "7"),
        (agent("installing-in-progress", cluster="demo"), ON, "7a"),
        (agent("preparing-successful", cluster="demo"), ON, "7a"),
        (agent("installing-in-progress", cluster="demo", kind="AddToExistingClusterHost"), ON, "8"),
        (agent("error", cluster="demo"), ON, "5"),
        (agent("unbinding-pending-user-action"), ON, "9a"),
        (agent("unbinding"), ON, "8"),
    ],
)
def test_row_of_an_agent(found: Agent, power: Evidence, row: str) -> None:
    assert row_of(seen(found, power=power))[0].number == row


def test_disconnected_agent_of_a_machine_that_is_on_is_not_booted() -> None:
    """It may have been installed elsewhere since."""
    evidence, request = seen(agent("disconnected-unbound", connected=False)), TouchRequest("boot", "demo", "hub")
    verdict = may_touch("node-1", evidence, request)
    assert (verdict.outcome, "take_over" in verdict.remedy) == ("stop", True)
    assert may_touch("node-1", dataclasses.replace(evidence, power="Off"), request).outcome == "act"
    forced = dataclasses.replace(request, force=frozenset({"take_over"}))
    assert may_touch("node-1", evidence, forced).outcome == "act"
    answering = dataclasses.replace(evidence, answering="the kubelet of Node node-1 answers")
    assert (
        may_touch("node-1", answering, forced).row == "12" and may_touch("node-1", answering, forced).outcome == "stop"
    )


def test_free_agent_of_another_infra_env_is_named() -> None:
    verdict = may_touch("node-1", seen(agent("known-unbound", infra_env="core")), TouchRequest("boot", "demo", "hub"))
    assert verdict.outcome == "stop" and "is free in InfraEnv edge/core" in verdict.reason


def test_free_agent_is_none_for_a_method_without_a_hub() -> None:
    """A machine that waits in a hub's discovery image belongs to that hub, not to an agent ISO."""
    assert row_of(seen(agent("known-unbound"), scope=dataclasses.replace(SCOPE, infra_env="")))[0].number == "13"


def test_agent_is_found_by_the_uuid_of_the_bmc() -> None:
    uuid = "11111111-2222-3333-4444-555555555555"
    found = agent("installed", cluster="other", mac="", name=uuid)
    unnamed = InventoryHost("node-1", "node-1", (), "worker", ())
    assert row_of(seen(found, host=unnamed, uuid=uuid.upper()))[0].number == "3"
    swapped = agent("installed", cluster="other", mac="", name="aabbccdd-1122-3344-5566-778899aabbcc")
    assert row_of(seen(swapped, host=unnamed, uuid="ddccbbaa-2211-4433-5566-778899aabbcc"))[0].number == "3", (
        "fields of the UUID in the other byte order"
    )
    assert row_of(seen(found, host=unnamed, uuid="99999999-2222-3333-4444-555555555555"))[0].number == "13"


def test_agent_is_found_by_what_the_user_says() -> None:
    found = agent("installed", cluster="other", mac="", serial="S1")
    unnamed = InventoryHost("node-1", "node-1", (), "worker", ())
    assert row_of(seen(found, host=unnamed, described=Identity(serial_number="S1")))[0].number == "3"


def test_earlier_registration_says_whose_the_machine_is() -> None:
    old = agent("installed", cluster="prod/prod", namespace="prod", name="99999999-0000-0000-0000-000000000000")
    new = agent("known-unbound", created="2026-02-01T00:00:00Z")
    assert row_of(seen(old, new))[0].number == "3"
    forgotten = agent("disconnected-unbound", connected=False, name="99999999-0000-0000-0000-000000000000")
    assert row_of(seen(forgotten, new))[0].number == "9"


def test_ambiguous_agents_stop() -> None:
    twins = [agent("known-unbound", name=f"{number}1111111-2222-3333-4444-555555555555") for number in (1, 2)]
    verdict = may_touch("node-1", seen(*twins), TouchRequest("boot", "demo", "hub"))
    assert (verdict.row, verdict.outcome) == ("6", "stop") and "2 Agents" in verdict.reason


@pytest.mark.parametrize(
    ("phase", "row"), [("failed", "5"), ("cancelled", "5"), ("refused", "13"), ("installing", "13")]
)
def test_failed_installation_holds_for_hosts_that_it_would_get(phase: Any, row: str) -> None:
    status = InstallStatus(phase, "bootstrap timed out")
    assert row_of(seen(status=status))[0].number == row
    assert row_of(seen(agent("known", cluster="demo"), status=status, action="remove"))[0].number == (
        "5" if row == "5" else "8"
    )
    assert row_of(seen(agent("known-unbound"), status=status, action="destroy"))[0].number == "9", (
        "a free host is not part of it"
    )
    verdict = may_touch(
        "node-1",
        seen(status=status),
        TouchRequest("boot", "demo", "hub", confirm=frozenset({"demo"}), force=frozenset({"start_over"})),
    )
    assert verdict.outcome == "stop" and ("destroy_cluster" in verdict.remedy) == (row == "5")


def bare_metal_host(namespace: str, infra_env: str = "edge", made_by: str = "", **spec: Any) -> dict[str, Any]:
    labels = {"infraenvs.agent-install.openshift.io": infra_env, "app.kubernetes.io/managed-by": made_by}
    return {
        "metadata": {
            "name": "b",
            "namespace": namespace,
            "labels": {name: value for name, value in labels.items() if value},
        },
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("obj", "row"),
    [
        (bare_metal_host("edge", bootMACAddress=MAC.upper()), "2a"),
        (bare_metal_host("metal", bootMACAddress=MAC), "2"),
        (bare_metal_host("edge", "", OURS, bootMACAddress=MAC), "2a"),
        (bare_metal_host("edge", "of-another-deployment", OURS, bootMACAddress=MAC), "2"),
        (bare_metal_host("edge", "", "metal-team", bootMACAddress=MAC), "2"),
        (bare_metal_host("metal", bmc={"address": "redfish-virtualmedia://10.0.0.11/redfish/v1/Systems/1"}), "2"),
        (bare_metal_host("metal", bmc={"address": "redfish-virtualmedia://10.0.0.11/redfish/v1/Systems/2"}), "13"),
        (bare_metal_host("metal", bootMACAddress="52:54:00:00:00:99"), "13"),
    ],
)
def test_row_of_a_bare_metal_host(obj: dict[str, Any], row: str) -> None:
    wanted = WantedHost(HOST, bmc_address="https://10.0.0.11/redfish/v1/Systems/1")
    assert row_of(of_hub({"node-1": ON}, [wanted], HubEvidence((), (obj,)), SCOPE, "boot")["node-1"])[0].number == row


def of_cluster_api(cluster: str, used_by: str = "", namespace: str = "edge", made_by: str = OURS) -> dict[str, Any]:
    """A BareMetalHost that was created for a Cluster of Cluster API, and the Cluster whose Machine uses it."""
    found = bare_metal_host(namespace, "", made_by, bootMACAddress=MAC)
    found["metadata"]["labels"] |= {"zerotouch.openshift/capi-cluster": cluster}
    found["metadata"]["labels"] |= {"cluster.x-k8s.io/cluster-name": used_by} if used_by else {}
    return found


def of_user(cluster: str, *, used: bool) -> dict[str, Any]:
    """A BareMetalHost of the user, which the Machine of a Cluster uses, or has used."""
    consumer = {"consumerRef": {"kind": "Metal3Machine", "name": "m"}} if used else {}
    found = bare_metal_host("edge", "", bootMACAddress=MAC, **consumer)
    found["metadata"]["labels"] |= {"cluster.x-k8s.io/cluster-name": cluster}
    return found


@pytest.mark.parametrize(
    ("obj", "row"),
    [
        pytest.param(of_cluster_api("demo"), "2a", id="free"),
        pytest.param(of_cluster_api("demo", "demo"), "2a", id="in use"),
        pytest.param(of_cluster_api("demo", "other"), "3", id="used by a Machine of another Cluster"),
        pytest.param(of_cluster_api("other", "other"), "2", id="of another Cluster"),
        pytest.param(of_cluster_api("demo", namespace="elsewhere"), "2", id="of another namespace"),
        pytest.param(of_cluster_api("demo", made_by="metal-team"), "2", id="of another tool"),
        pytest.param(of_user("demo", used=True), "2a", id="of the user, in use"),
        pytest.param(of_user("demo", used=False), "2", id="of the user, free"),
        pytest.param(of_user("other", used=True), "2", id="of the user, in use by another Cluster"),
        pytest.param(
            bare_metal_host("edge", "", OURS, bootMACAddress=MAC), "2", id="of this collection, without a Cluster"
        ),
    ],
)
def test_row_of_a_bare_metal_host_of_cluster_api(obj: dict[str, Any], row: str) -> None:
    scope = HubScope("edge", ClusterRef("edge", "demo"), capi=True)
    wanted = WantedHost(HOST, bmc_address="https://10.0.0.11/redfish/v1/Systems/1")
    assert row_of(of_hub({"node-1": ON}, [wanted], HubEvidence((), (obj,)), scope, "boot")["node-1"])[0].number == row


def test_a_bare_metal_host_of_cluster_api_is_of_another_owner_to_other_methods() -> None:
    wanted = WantedHost(HOST, bmc_address="https://10.0.0.11/redfish/v1/Systems/1")
    assert (
        row_of(
            of_hub({"node-1": ON}, [wanted], HubEvidence((), (of_cluster_api("demo", "demo"),)), SCOPE, "boot")[
                "node-1"
            ]
        )[0].number
        == "2"
    )


@pytest.mark.parametrize(
    ("observed", "action", "outcome"),
    [
        ({"installing": "x"}, "remove", "stop"),
        ({"failed": "x"}, "boot", "stop"),
        ({"other_method": "agent (recorded)"}, "boot", "stop"),
        ({"unknown": "x"}, "boot", "stop"),
        ({"installed": "x", "node": NodeFacts("n", control_plane=True, keeps="it is the last one")}, "remove", "stop"),
        ({"installed": "x", "node": NodeFacts("n")}, "remove", "through"),
        ({"installed": "x"}, "boot", "through"),
        ({}, "boot", "through"),
        ({}, "remove", "through"),
    ],
)
def test_own_bare_metal_host_hides_nothing_else(observed: dict[str, Any], action: Action, outcome: str) -> None:
    request = TouchRequest(action, "demo", "hub", frozenset({"demo"}), through=True)
    assert may_touch("node-1", Evidence(power="On", own_bare_metal_host="x", **observed), request).outcome == outcome


def view(**options: Any) -> ClusterView:
    return ClusterView(**options)


def test_nodes_that_cannot_be_read_make_hosts_without_an_agent_unknown() -> None:
    fault = view(fault="the Nodes of the cluster cannot be read: refused", installed=True)

    def row(evidence: Evidence, action: Action = "boot") -> str:
        return row_of(of_cluster({"node-1": evidence}, [HOST], fault, {}, action, recorded=True)["node-1"])[0].number

    assert (
        row(OFF),
        row(seen(agent("known", cluster="demo"))),
        row(seen(agent("installed", cluster="demo")), "remove"),
    ) == ("6", "8", "6")


@pytest.mark.parametrize(("ready", "row"), [(True, "7"), (False, "9a")])
def test_node_that_is_left_of_a_host_that_has_left(ready: bool, row: str) -> None:
    nodes = (NodeView("node-1", ready=ready, since="2026-01-01T00:00:00Z"),)
    evidence = seen(agent("unbinding-pending-user-action"))
    found = of_cluster({"node-1": evidence}, [HOST], view(nodes=nodes), {}, "reprovision", recorded=True)["node-1"]
    assert row_of(found)[0].number == row and found.node is not None
    assert may_touch("node-1", found, TouchRequest("reprovision", "demo", "hub", frozenset({"demo"}))).outcome == "act"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (agent("installed", cluster="prod/prod"), "is bound to cluster prod/prod"),
        (agent("installed", cluster="demo"), ""),
        (agent("known-unbound"), ""),
    ],
)
def test_agents_of_other_clusters_are_neither_unbound_nor_deleted(found: Agent, words: str) -> None:
    said = why_not_ours(found, Touch("hub", "demo", scope=SCOPE))
    assert (words in said, bool(said)) == (True, bool(words))


def test_release_is_recorded_once(tmp_path: Any) -> None:
    touch = Touch("hub", "demo", tmp_path)
    record_release(touch, ["node-1"])
    first = read_record(tmp_path)
    assert first.machine(HOST)["state"] == RELEASED and first.method == "hub" and first.released(HOST)
    record_release(touch, ["node-1"])
    assert read_record(tmp_path).state == first.state


def test_host_that_failed_to_join_does_not_fail_its_cluster() -> None:
    """Else it could only leave its pool by the destruction of the cluster."""
    late = seen(agent("error", cluster="demo", kind="AddToExistingClusterHost"))
    assert late.registered and not late.failed
    first = seen(agent("error", cluster="demo"))
    assert first.failed and not first.registered


def test_a_machine_of_an_abandoned_hub_may_be_in_another_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Nodes of its own cluster are known, it is none of them, and a kubelet answers: it is left alone."""
    monkeypatch.setattr(
        gather,
        "nodes_at",
        lambda hosts, connect_to: {host.name: "the kubelet of Node worker-7 answers" for host in hosts},
    )
    of_hub_down = Evidence(power="On", recorded=True, unknown="the hub cannot be read")
    found = gather._of_next_clusters({"node-1": of_hub_down}, [HOST], Touch())
    asked = TouchRequest("destroy", "demo", "hosted", confirm=frozenset({"demo"}), force=frozenset({"abandon_hub"}))
    assert may_touch("node-1", of_hub_down, asked).outcome == "act"
    assert may_touch("node-1", found["node-1"], asked).outcome == "leave"


NODES_UNREAD = ClusterView(fault="the Nodes of the cluster cannot be read: no route to host")


@pytest.mark.parametrize("method", ["hub", "hosted", "capi"])
@pytest.mark.parametrize(
    ("phase", "view", "row"),
    [
        ("installed", ClusterView(), "6"),
        ("installing", ClusterView(), "6"),
        ("installed", NODES_UNREAD, "6"),
        # A hub records no phase of a hosted cluster, and a run may be killed before it records one.
        ("", NODES_UNREAD, "6"),
        ("booted", ClusterView(installed=True), "6"),
        # No cluster yet: the boot of a run that was killed goes on.
        ("", ClusterView(), "11"),
        ("booted", ClusterView(), "11"),
        # The API answers, and the host is none of its Nodes: a host that is being added.
        ("installed", ClusterView(nodes=(NodeView("other"),)), "11"),
    ],
)
def test_a_member_that_the_hub_does_not_know_is_not_booted(
    tmp_path: Path, method: str, phase: str, view: ClusterView, row: str
) -> None:
    """The wrong hub was named, or the cluster was detached from it: the record alone says what the host runs."""
    record = TouchRecord(tmp_path, {"install": {"phase": phase, "method": method}} if phase else {})
    booted = {"node-1": Evidence(power="On", recorded=True, booted="this deployment booted it")}
    found = gather._of_lost_members(booted, Touch(method=method), record, view, "")["node-1"]
    verdict = may_touch("node-1", found, TouchRequest("boot", "demo", method, force=frozenset({"take_over"})))
    assert (verdict.row, verdict.outcome) == (row, "stop" if row == "6" else "act")
    assert row != "6" or ("openshift_hub" in verdict.remedy and "destroy_cluster" in verdict.remedy)
    assert row != "6" or verdict.reason.count("the Nodes of the cluster cannot be read") == 1
    # The Nodes of another cluster of this name say nothing about the host.
    other = gather._of_lost_members(booted, Touch(method=method), record, view, "it has UID 2")
    assert row_of(other["node-1"])[0].number == "6"


def test_an_agent_says_more_than_the_record(tmp_path: Path) -> None:
    record = TouchRecord(tmp_path, {"install": {"phase": "installed", "method": "hub"}})
    booted = Evidence(power="On", booted="this deployment booted it")
    for found, row in ((agent("installed", cluster="demo"), "7"), (agent("known-unbound"), "9")):
        known = {"node-1": seen(found, power=booted)}
        assert row_of(known["node-1"])[0].number == row
        assert gather._of_lost_members(known, Touch(method="hub"), record, NODES_UNREAD, "") == known
