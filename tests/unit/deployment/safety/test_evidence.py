# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the evidence for a safety decision: Nodes of a cluster, records in work directories, observations of
assisted-service and API, and objects of a hub.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    ClusterProgress,
    HostProgress,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError, Unreachable
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety import record
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import row_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.nodes import (
    NodeView,
    facts,
    find_node,
    read_node,
    same_uuid,
    undecided,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.observed import observed
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.on_cluster import (
    ClusterView,
    of_cluster,
    view_nodes,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.on_hub import same_bmc
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    InventoryHost,
    Observation,
    ServiceView,
    Silence,
)
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

HOST = InventoryHost("node-1", "node-1.example.com", ("52:54:00:00:00:01",), "worker", ("192.0.2.11",))
UUID, SWAPPED = "00112233-4455-6677-8899-aabbccddeeff", "33221100-5544-7766-8899-aabbccddeeff"
NOW = datetime.datetime(2026, 11, 23, 12, 0, tzinfo=datetime.UTC)


# Nodes


def node(name: str = "other", **fields: Any) -> dict[str, Any]:
    ready = {"type": "Ready", "status": fields.get("ready", "True"), "lastTransitionTime": "2026-11-23T11:00:00Z"}
    addresses = [
        {"type": "InternalIP", "address": fields.get("address", "192.0.2.99")},
        {"type": "Hostname", "address": fields.get("hostname", name)},
    ]
    annotations = (
        {"k8s.ovn.org/l3-gateway-config": json.dumps({"default": {"mac-address": fields["mac"]}})}
        if "mac" in fields
        else {}
    )
    labels = {
        f"node-role.kubernetes.io/{role}": ""
        for role in (fields.get("roles") or (["control-plane"] if fields.get("master") else []))
    }
    status = {"nodeInfo": {"systemUUID": fields.get("uuid", "")}, "addresses": addresses, "conditions": [ready]}
    return {"metadata": {"name": name, "annotations": annotations, "labels": labels}, "status": status}


@pytest.mark.parametrize(
    ("found", "by"),
    [
        (node(uuid=UUID), "System UUID"),
        (node(uuid=SWAPPED), "System UUID"),
        (node(uuid=UUID.upper()), "System UUID"),
        (node(address="192.0.2.11"), "address"),
        (node("node-1.example.com"), "name"),
        (node(hostname="NODE-1.example.com"), "name"),
        (node(mac="52:54:00:00:00:01"), "MAC address"),
    ],
)
def test_a_node_is_found_by(found: dict[str, Any], by: str) -> None:
    match = find_node(HOST, UUID, [read_node(node("first")), read_node(found)])
    assert match is not None and match[1] == by


def test_a_name_does_not_prove_a_machine_that_is_switched_off() -> None:
    """The BMC may be another machine's than the Node's of that name: its System UUID is another one."""
    named = read_node(node("node-1.example.com", uuid="aaaaaaaa-0000-0000-0000-000000000001"))
    assert find_node(HOST, UUID, [named]) == (named, "name")
    assert find_node(HOST, UUID, [named], strict=True) is None
    for known in (
        read_node(node("node-1.example.com", uuid=SWAPPED)),
        read_node(node("node-1.example.com")),
        read_node(node("x", address="192.0.2.11")),
    ):
        assert find_node(HOST, UUID, [known], strict=True) is not None
    assert find_node(HOST, "", [named], strict=True) is not None


@pytest.mark.parametrize(
    ("own", "by"),
    [
        ({"address": "192.0.2.11"}, "address"),
        ({"hostname": "node-1.example.com"}, "name"),
        ({"mac": "52:54:00:00:00:01"}, "MAC address"),
    ],
)
def test_a_uuid_of_several_nodes_proves_nothing(own: dict[str, Any], by: str) -> None:
    """Firmware of a vendor may report one System UUID for all machines: no other Node may be drained for the host."""
    others = [read_node(node(f"master-{number}", uuid=UUID)) for number in range(3)]
    its = read_node(node("worker-0", uuid=UUID, **own))
    for strict in (True, False):
        assert find_node(HOST, UUID, [*others, its], strict=strict) == (its, by)
        assert not undecided(HOST, UUID, [*others, its])
    assert find_node(HOST, UUID, others, strict=True) is None
    view = ClusterView(tuple(others))
    known = of_cluster({"node-1": Evidence(booted="x")}, [HOST], view, {"node-1": UUID}, "remove", recorded=True)
    assert row_of(known["node-1"])[0].number == "6" and "master-0, master-1, master-2" in known["node-1"].unknown
    # A machine that is one of these Nodes is not booted.
    assert find_node(HOST, UUID, others) == (others[0], "System UUID")


def test_an_arbiter_counts_for_the_quorum() -> None:
    nodes = [
        read_node(node("m0", master=True)),
        read_node(node("m1", master=True, ready="False")),
        read_node(node("a", roles=["arbiter"])),
    ]
    assert "the quorum of etcd is 2" in facts(nodes[2], nodes, ["a"], NOW).keeps


def test_no_other_node_is_taken_for_the_host() -> None:
    assert (
        find_node(HOST, UUID, [read_node(node(uuid="ffffffff-0000-0000-0000-000000000000", mac="52:54:00:00:00:02"))])
        is None
    )
    assert find_node(InventoryHost("node-1"), "", [read_node(node(uuid=""))]) is None


@pytest.mark.parametrize("wrong", ["", "not one", "0" * 32, "f" * 32, None])
def test_what_is_no_uuid_matches_nothing(wrong: Any) -> None:
    assert not same_uuid(wrong, wrong)


@pytest.mark.parametrize(
    "document", [{}, {"metadata": None, "status": 7}, {"status": {"addresses": "x", "conditions": [1]}}]
)
def test_a_node_object_of_odd_types_is_read(document: dict[str, Any]) -> None:
    assert read_node(document).ready is False


@pytest.mark.parametrize(
    ("ready", "leaving", "keeps"),
    [
        ("111", "a", ""),
        ("111", "ab", "quorum"),
        ("110", "c", ""),
        ("110", "a", "quorum"),
        ("1", "a", "only one"),
        ("0", "a", "only one"),
    ],
)
def test_quorum_of_etcd(ready: str, leaving: str, keeps: str) -> None:
    nodes = [
        NodeView("abc"[index], ready=state == "1", since="2026-11-23T11:00:00Z", control_plane=True)
        for index, state in enumerate(ready)
    ]
    found = facts(next(each for each in nodes if each.name == leaving[0]), nodes, list(leaving), NOW)
    assert keeps in found.keeps and bool(found.keeps) == bool(keeps)
    assert found.not_ready_for == (0 if found.ready else 3600)


# records


def write_state(directory: Path, **sections: Any) -> Path:
    with StateFile(directory / "state.json").edit() as document:
        document.update(sections)
    return directory


CLUSTER = {
    "name": "demo",
    "hosts": [
        {
            "name": "node-1",
            "hostname": "",
            "role": "worker",
            "macs": ["52:54:00:00:00:01"],
            "static_ips": ["192.0.2.11"],
        }
    ],
}


def test_an_empty_directory_is_an_empty_record(tmp_path: Path) -> None:
    found = record.read_record(tmp_path)
    assert found.empty and not found.has(HOST) and found.method == "" and record.siblings(tmp_path / "demo") == []


def test_a_record_of_a_release_that_knew_no_machines(tmp_path: Path) -> None:
    found = record.read_record(write_state(tmp_path, cluster=CLUSTER, image={"path": "x"}, install={"phase": "booted"}))
    assert (found.method, found.has(HOST), found.touched(HOST)) == ("agent", True, True)
    assert not record.read_record(write_state(tmp_path / "built", cluster=CLUSTER, install={"phase": "built"})).touched(
        HOST
    )


def test_notes_on_hosts(tmp_path: Path) -> None:
    write_state(tmp_path, cluster=CLUSTER)
    for state, touched, released in [
        ("permitted", True, False),
        ("booting", True, False),
        ("booted", True, False),
        ("released", False, True),
    ]:
        record.note(tmp_path, [HOST], state, method="agent")
        found = record.read_record(tmp_path)
        assert (found.touched(HOST), found.released(HOST), found.machine(HOST)["method"]) == (
            touched,
            released,
            "agent",
        )


def test_a_damaged_record_still_says_whose_the_hosts_are(tmp_path: Path) -> None:
    write_state(tmp_path, cluster=CLUSTER, install={"phase": "installed"})
    path = tmp_path / "state.json"
    path.write_text(path.read_text().replace('"installed"', "7"))
    found = record.read_record(tmp_path)
    assert "damaged" in found.fault and found.has(HOST)
    path.write_text("{")
    assert record.read_record(tmp_path).fault and not record.read_record(tmp_path).has(HOST)


@pytest.mark.parametrize(
    ("sections", "owned"),
    [
        ({"install": {"phase": "installed"}}, True),
        ({"install": {"phase": "failed"}}, True),
        ({"install": {"phase": "built"}}, False),
        ({"install": {"phase": "built"}, "machines": {"node-1": {"state": "booting"}}}, True),
        ({"install": {"phase": "installed"}, "machines": {"node-1": {"state": "released"}}}, False),
    ],
)
def test_a_directory_beside_it_has_the_machine(tmp_path: Path, sections: dict[str, Any], owned: bool) -> None:
    other = write_state(tmp_path / "other", cluster=CLUSTER, **sections)
    text = record.owner_of(HOST, record.siblings(tmp_path / "mine"))
    assert bool(text) == owned and (str(other) in text) == owned
    elsewhere = InventoryHost("node-1", macs=("52:54:00:00:00:99",))
    assert not record.owner_of(elsewhere, record.siblings(tmp_path / "mine"))


def test_a_damaged_record_beside_it_has_the_machine(tmp_path: Path) -> None:
    """One section cannot be read: the other ones still say whose the machine is."""
    other = write_state(tmp_path / "other", cluster=CLUSTER, install={"phase": "installed"}, image={"digest": "x"})
    path = other / "state.json" if other.is_dir() else other
    path.write_text(json.dumps({**json.loads(path.read_text()), "image": 7}))
    records = record.siblings(tmp_path / "mine")
    assert [bool(each.fault) for each in records] == [True]
    assert record.owner_of(HOST, records)


def test_all_directories_beside_it_are_read(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"a{number}").mkdir()
        (tmp_path / f"a{number}" / "state.json").write_text('{"format": 1}')
    write_state(tmp_path / "z", cluster=CLUSTER, install={"phase": "installed"})
    assert record.owner_of(HOST, record.siblings(tmp_path / "mine"))


def test_a_directory_beside_it_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()

    def refused(self: Path) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refused)
    assert [each.fault for each in record.siblings(tmp_path / "mine")] == [
        (f"{tmp_path / 'other'} cannot be read: Permission denied")
    ]


# service and API


def row(seen: Observation, nodes: list[dict[str, Any]] | None = None, **known: Any) -> str:
    evidence = Evidence(power="On", recorded=True, **known)
    return row_of(observed(evidence, HOST, seen, [read_node(each) for each in nodes or ()]))[0].number


def service(status: str = "ready", host: str = "", **fields: Any) -> ServiceView:
    hosts = (HostProgress("1", "node-1", host, macs=HOST.macs, **fields),) if host else ()
    return ServiceView(True, True, "", ClusterProgress("c", "demo", status), hosts)


OURS = ApiView(True, True)


@pytest.mark.parametrize(
    ("seen", "nodes", "expected"),
    [
        (Observation(phase="installed", api=OURS), [node("node-1.example.com")], "7"),
        (Observation(phase="installing", api=OURS), [node("node-1.example.com")], "7a"),
        (Observation(phase="installed", api=OURS), [], "13"),
        (Observation(phase="installed"), [], "6"),
        (Observation(phase="installing", silence=Silence("install", 10, 100, "x")), [], "7a"),
        (Observation(phase="installing", silence=Silence("install", 200, 100, "x")), [], "6"),
        (Observation(phase="bootstrap", silence=Silence("bootstrap", 200, 100, "x")), [], "5"),
        (Observation(phase="failed", failure="no bootstrap"), [], "5"),
        (Observation(phase="booted", service=service(host="known")), [], "8"),
        (Observation(phase="booted", service=service("installing", "installing-in-progress")), [], "7a"),
        (
            Observation(
                phase="booted", service=service("installing-pending-user-action", "installing-pending-user-action")
            ),
            [],
            "7a",
        ),
        (Observation(phase="installed", service=service("installed", "installed")), [], "7"),
        (Observation(phase="installed", service=service("installed")), [], "6"),
        (Observation(phase="booted", service=service("error", "error")), [], "5"),
        (Observation(phase="booted", service=service(host="disconnected")), [], "11"),
        (Observation(phase="booted", service=service(), rendezvous_ip="192.0.2.11"), [], "8"),
        (Observation(phase="", lost=("install",)), [], "6"),
        (Observation(api=ApiView(True, False, "a foreign certificate")), [], "12"),
        (Observation(service=ServiceView(True, False)), [], "12"),
        (Observation(), [], "13"),
    ],
)
def test_row_of_an_observation(seen: Observation, nodes: list[dict[str, Any]], expected: str) -> None:
    assert row(seen, nodes) == expected


@pytest.mark.parametrize(
    "seen",
    [
        Observation(phase="failed", failure="x"),
        Observation(phase="installing", silence=Silence("install", 10, 100, "x")),
    ],
)
def test_a_host_that_the_installation_never_had_is_none_of_it(seen: Observation) -> None:
    """It came into the inventory afterwards, and runs something else."""
    assert row_of(observed(Evidence(power="On"), HOST, seen))[0].number == "13"
    assert row_of(observed(Evidence(power="Off"), HOST, seen))[0].number == "14"
    named = Observation(phase="failed", failure="x", service=service("error", "error"))
    assert row_of(observed(Evidence(power="On"), HOST, named))[0].number == "5"


def test_a_failed_installation_whose_host_became_a_node_is_a_member() -> None:
    seen = Observation(phase="failed", api=OURS, service=ServiceView())
    assert row(seen, [node("node-1.example.com")]) == "7a"


# BMC addresses


@pytest.mark.parametrize(("one", "other"), [("", ""), ("redfish://[fe80::1", "redfish://[fe80::1"), ("x", "y")])
def test_addresses_that_say_nothing_are_not_the_same(one: str, other: str) -> None:
    assert not same_bmc(one, other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("redfish://[2001:db8::1]/redfish/v1/Systems/1", "idrac://[2001:db8:0::1]/redfish/v1/Systems/1", True),
        ("redfish://10.0.0.5/redfish/v1/Systems/1", "redfish-virtualmedia://10.0.0.5/redfish/v1", True),
        ("redfish://10.0.0.5/redfish/v1/Systems/1", "10.0.0.5", True),
        ("redfish://bmc.example.com./redfish/v1/Systems/1/", "redfish://BMC.example.com/redfish/v1/systems/1", True),
        ("redfish://10.0.0.5/redfish/v1/Systems/1", "redfish://10.0.0.5/redfish/v1/Systems/2", False),
        ("redfish://10.0.0.5/redfish/v1/Systems/1", "redfish://10.0.0.6/redfish/v1/Systems/1", False),
    ],
)
def test_spellings_of_a_bmc_address(one: str, other: str, same: bool) -> None:
    assert same_bmc(one, other) is same and same_bmc(other, one) is same


@pytest.mark.parametrize(
    ("failures", "fault"),
    [
        ([RemoteError("API", 429, "busy")] * 3 + [RemoteError("API", 500, "injected")] * 2, False),
        ([RemoteError("API", 429, "busy")] * 50, True),
        ([RemoteError("API", 403, "forbidden")], True),
        # A cluster that is off must be known at once.
        ([Unreachable("no answer", "timeout")], True),
    ],
)
def test_an_api_that_is_busy_is_asked_again(failures: list[Exception], fault: bool) -> None:
    left, clock = list(failures), Clock()

    class Client:
        def list(self, _path: str) -> list[Any]:
            if left:
                raise left.pop(0)
            return []

        def server_time(self) -> None:
            return None

    view = view_nodes(Client(), clock)  # type: ignore[arg-type]
    assert bool(view.fault) is fault
    assert not fault or len(failures) - len(left) in (1, 11)
