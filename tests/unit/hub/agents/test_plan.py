# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the plan for the Agents of a set of hosts: which changes it makes, what it rejects, and what it waits for."""

from __future__ import annotations

import dataclasses
import json
from types import ModuleType
from typing import Any, ClassVar

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_states import KNOWN_STATES, OPEN
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.change import AgentSurroundings
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.clusters import (
    read_cluster,
    read_infra_env,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import ClusterRef, read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.plan import (
    AgentHostPlan,
    AgentsPlan,
    plan_hosts,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests

DEMO = {"name": "demo"}


def around(*clusters: dict[str, dict[str, Any]], infra_env: dict[str, Any] | None = None) -> AgentSurroundings:
    facts = {}
    for cluster in clusters:
        deployment, install = cluster["clusterdeployments"], cluster.get("agentclusterinstalls")
        reference = ClusterRef(deployment["metadata"]["namespace"], deployment["metadata"]["name"])
        facts[reference] = read_cluster(reference, deployment, install)
    return AgentSurroundings(
        facts, {"lab": read_infra_env({"metadata": {"name": "lab", "namespace": "lab"}, "spec": infra_env or {}})}
    )


def planned(
    hosts: list[dict[str, Any]],
    agents: list[dict[str, Any]],
    surroundings: AgentSurroundings | None = None,
    **options: Any,
) -> AgentsPlan:
    return plan_hosts(host_requests(hosts, "lab"), [read_agent(agent) for agent in agents], surroundings, **options)


def one(host: dict[str, Any], agent: dict[str, Any], surroundings: AgentSurroundings | None = None) -> AgentHostPlan:
    identity = {} if set(host) & {"mac_addresses", "query"} else {"system_uuid": agent["metadata"]["name"]}
    return planned([{"name": "node", **identity, **host}], [agent], surroundings).hosts[0]


def patch_of(plan: AgentHostPlan) -> dict[str, Any]:
    assert len(plan.changes) == 1 and plan.changes[0].verb == "patch"
    return dict(plan.changes[0].body)


def test_one_patch_with_everything(made: ModuleType) -> None:
    host = {
        "hostname": "master-0.example.com",
        "role": "master",
        "root_device_hints": {"deviceName": "/dev/sda"},
        "agent_labels": {"rack": "r1"},
        "node_labels": {"zone": "a"},
        "machine_config_pool": "infra",
        "ignition_config_overrides": '{"ignition": {"version": "3.1.0"}}',
        "installer_args": ["--append-karg", "console=ttyS0"],
        "cluster": DEMO,
    }
    agent = made.agent(1)
    plan = one(host, agent, around(made.cluster_objects()))
    assert patch_of(plan) == {
        "metadata": {"labels": {"rack": "r1"}},
        "spec": {
            "approved": True,
            "hostname": "master-0.example.com",
            "role": "master",
            "installation_disk_id": made.disk(0)["id"],
            "nodeLabels": {"zone": "a"},
            "machineConfigPool": "infra",
            "ignitionConfigOverrides": '{"ignition": {"version": "3.1.0"}}',
            "installerArgs": '["--append-karg", "console=ttyS0"]',
            "clusterDeploymentName": {"namespace": "lab", "name": "demo"},
        },
    }
    assert plan.changes[0].resource_version == "1"
    assert "spec.hostname: none -> 'master-0.example.com'" in plan.changes[0].reasons
    assert plan.obstacle == ""


def test_what_is_there_already_is_no_change(made: ModuleType) -> None:
    agent = made.agent(
        1,
        labels={"rack": "r1"},
        approved=True,
        hostname="a",
        nodeLabels={"zone": "a", "other": "x"},
        installerArgs='["--append-karg","x"]',
        ignitionConfigOverrides='{ "a" : 1 }',
        installation_disk_id=made.disk(0)["id"],
    )
    host = {
        "hostname": "a",
        "agent_labels": {"rack": "r1"},
        "node_labels": {"zone": "a"},
        "installer_args": ["--append-karg", "x"],
        "ignition_config_overrides": {"a": 1},
        "root_device_hints": {"deviceName": "/dev/sda"},
    }
    assert one(host, agent).changes == ()


def test_what_is_not_said_stays(made: ModuleType) -> None:
    assert one({}, made.agent(1, approved=True, hostname="a", role="worker")).changes == ()
    assert patch_of(one({}, made.agent(1))) == {"spec": {"approved": True}}
    assert patch_of(one({"approved": False}, made.agent(1, approved=True))) == {"spec": {"approved": False}}


def test_labels_are_taken_away_by_null(made: ModuleType) -> None:
    agent = made.agent(
        1,
        labels={"rack": "r1"},
        approved=True,
        nodeLabels={"zone": "a"},
        installerArgs='["x"]',
        ignitionConfigOverrides='{"a": 1}',
    )
    host = {
        "agent_labels": {"rack": None, "gone": None},
        "node_labels": {"zone": None},
        "installer_args": [],
        "ignition_config_overrides": "{}",
    }
    assert patch_of(one(host, agent)) == {
        "metadata": {"labels": {"rack": None}},
        "spec": {"nodeLabels": {"zone": None}, "installerArgs": None, "ignitionConfigOverrides": None},
    }


class TestFieldsThatTheStateIgnores:
    @pytest.mark.parametrize("state", sorted(OPEN))
    def test_before_the_start(self, state: str, made: ModuleType) -> None:
        assert patch_of(one({"hostname": "b"}, made.agent(1, state=state)))["spec"]["hostname"] == "b"

    @pytest.mark.parametrize("state", sorted(KNOWN_STATES - OPEN))
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("hostname", "b"),
            ("role", "worker"),
            ("machine_config_pool", "infra"),
            ("node_labels", {"a": "b"}),
            ("installation_disk_id", "/dev/disk/by-id/wwn-0"),
        ],
    )
    def test_after_it_nothing_is_patched(self, state: str, field: str, value: Any, made: ModuleType) -> None:
        plan = one(
            {field: value, "agent_labels": {"rack": "r1"}},
            made.agent(1, state=state, hostname="a", role="master", cluster=("lab", "demo")),
        )
        assert (
            plan.changes == () and f"(state {state})" in plan.obstacle and "can no longer be changed" in plan.obstacle
        )

    def test_the_words(self, made: ModuleType) -> None:
        plan = one({"hostname": "b"}, made.agent(1, state="installing", hostname="a", cluster=("lab", "demo")))
        assert plan.obstacle == (
            "hostname can no longer be changed from 'a' to 'b': its installation has started (state installing)"
        )

    def test_what_is_never_ignored(self, made: ModuleType) -> None:
        host = {"agent_labels": {"rack": "r1"}, "installer_args": ["x"]}
        assert set(patch_of(one(host, made.agent(1, state="installing", cluster=("lab", "demo"))))["spec"]) == {
            "approved",
            "installerArgs",
        }

    def test_an_unknown_state_is_tried(self, made: ModuleType) -> None:
        assert patch_of(one({"hostname": "b"}, made.agent(1, state="levitating")))["spec"]["hostname"] == "b"

    def test_hints_of_an_installed_host(self, made: ModuleType) -> None:
        """Its disks are no longer eligible, and which it is has been decided."""
        used = made.disk(0, installationEligibility={"eligible": False, "notEligibleReasons": ["in use"]})
        agent = made.agent(1, state="installed", approved=True, cluster=("lab", "demo"), disks=[used])
        assert one({"root_device_hints": {"deviceName": "/dev/sda"}}, agent).obstacle == ""

    @pytest.mark.parametrize(
        ("field", "name"), [("hostname", "hostname"), ("machine_config_pool", "machineConfigPool")]
    )
    def test_fields_that_cannot_be_emptied(self, field: str, name: str, made: ModuleType) -> None:
        assert (
            one({field: ""}, made.agent(1, **{name: "a"})).obstacle
            == f"{name} cannot be emptied: the service keeps 'a'"
        )
        assert one({field: ""}, made.agent(1)).obstacle == ""


class TestDisks:
    def test_no_disk_fits(self, made: ModuleType) -> None:
        plan = one({"root_device_hints": {"deviceName": "/dev/nvme0n1"}}, made.agent(1))
        assert plan.changes == ()
        assert plan.obstacle == (
            'no disk fits root_device_hints {"deviceName": "/dev/nvme0n1"}: /dev/sda (SSD, 480 GB): deviceName is '
            "'/dev/sda', not '/dev/nvme0n1'"
        )

    def test_a_named_disk_that_is_not_there(self, made: ModuleType) -> None:
        assert (
            "cannot be installed on installation_disk_path '/dev/sdx'"
            in one({"installation_disk_path": "/dev/sdx"}, made.agent(1)).obstacle
        )

    def test_without_inventory_hints_wait(self, made: ModuleType) -> None:
        plan = one({"root_device_hints": {"deviceName": "/dev/sda"}}, made.agent(1, disks=[], state="binding"))
        assert (
            patch_of(plan) == {"spec": {"approved": True}}
            and plan.waits_for == "the host has not reported its disks yet"
        )

    def test_id_and_path_exclude_each_other(self, made: ModuleType) -> None:
        agent = made.agent(1, approved=True, installation_disk_id=made.disk(0)["id"])
        assert patch_of(one({"installation_disk_path": "/dev/sda"}, agent)) == {
            "spec": {"installation_disk_path": "/dev/sda", "installation_disk_id": None}
        }
        agent = made.agent(1, approved=True, installation_disk_path="/dev/sda")
        assert patch_of(one({"root_device_hints": {"hctl": "0:0:0:0"}}, agent)) == {
            "spec": {"installation_disk_path": None, "installation_disk_id": made.disk(0)["id"]}
        }


class TestApproval:
    def test_is_not_taken_back_if_it_is_set_again(self, made: ModuleType) -> None:
        agent = made.agent(1, approved=True)
        assert (
            "InfraEnv lab approves its hosts by itself"
            in one({"approved": False}, agent, around(infra_env={"agentApproval": {"autoApprove": True}})).obstacle
        )
        managed = made.agent(1, approved=True, labels={"agent-install.openshift.io/bmh": "node"})
        assert "its BareMetalHost node approves it again" in one({"approved": False}, managed).obstacle

    def test_a_bare_metal_host_may_say_otherwise(self, made: ModuleType) -> None:
        plan = one(
            {"hostname": "b", "role": "worker"}, made.agent(1, labels={"agent-install.openshift.io/bmh": "node"})
        )
        assert plan.notes[-1].endswith("BareMetalHost node also sets hostname, role and overrides this value")

    def test_node_labels_beside_a_bare_metal_host_are_refused(self, made: ModuleType) -> None:
        """BMAC makes the labels of its annotations the whole set: what is written here would be removed, and every run
        would write it again.
        """
        agent = made.agent(1, labels={"agent-install.openshift.io/bmh": "node"}, nodeLabels={"x": "y"})
        plan = one({"node_labels": {"zone": "a"}}, agent)
        assert (
            plan.changes == ()
            and "node labels cannot be changed" in plan.obstacle
            and "BareMetalHost node" in plan.obstacle
        )
        assert one({"node_labels": {"x": "y"}}, agent).obstacle == ""


class TestByBareMetalHost:
    """BMAC writes; we wait until it is so, and never write the same."""

    REQUESTED: ClassVar[dict[str, Any]] = {
        "hostname": "b",
        "role": "worker",
        "by_bare_metal_host": True,
        "node_labels": {"x": "y"},
        "agent_labels": {"site": "a"},
    }

    def test_nothing_is_written(self, made: ModuleType) -> None:
        plan = one(self.REQUESTED, made.agent(1, labels={"agent-install.openshift.io/bmh": "node"}))
        assert plan.changes == () and plan.notes == ()
        assert (
            plan.obstacle
            == "the hub has not copied from BareMetalHost node yet: approved, hostname, label site, nodeLabels, role"
        )

    def test_no_host_matches_it(self, made: ModuleType) -> None:
        assert one({"by_bare_metal_host": True}, made.agent(1)).obstacle == (
            "no BareMetalHost of the hub has recognised it yet"
        )

    def test_it_is_so(self, made: ModuleType) -> None:
        labels = {"agent-install.openshift.io/bmh": "node", "site": "a"}
        agent = made.agent(1, approved=True, hostname="b", role="worker", nodeLabels={"x": "y"}, labels=labels)
        assert (one(self.REQUESTED, agent).changes, one(self.REQUESTED, agent).obstacle) == ((), "")

    def test_a_disk_that_no_hint_names_is_ours(self, made: ModuleType) -> None:
        agent = made.agent(1, approved=True, labels={"agent-install.openshift.io/bmh": "node"})
        requested = {"by_bare_metal_host": True, "installation_disk_path": "/dev/sda"}
        assert patch_of(one(requested, agent)) == {"spec": {"installation_disk_path": "/dev/sda"}}
        hints = one({"by_bare_metal_host": True, "root_device_hints": {"hctl": "0:0:0:0"}}, agent)
        assert hints.changes == () and "installation_disk_id" in hints.obstacle

    def test_binding_and_leaving(self, made: ModuleType) -> None:
        labels = {"agent-install.openshift.io/bmh": "node"}
        free = made.agent(1, approved=True, state="known-unbound", labels=labels)
        requested = {"by_bare_metal_host": True, "cluster": DEMO}
        assert (
            "has not copied from BareMetalHost node yet: clusterDeploymentName"
            in one(requested, free, around(made.cluster_objects(masters=1))).obstacle
        )
        bound = made.agent(1, approved=True, state="known", labels=labels, clusterDeploymentName=DEMO)
        leaving = one({"by_bare_metal_host": True, "unbind": True}, bound)
        assert leaving.changes == () and "clusterDeploymentName" in leaving.obstacle


def fleet(made: ModuleType, states: list[str], **more: Any) -> list[dict[str, Any]]:
    return [made.agent(number, state=state, **more) for number, state in enumerate(states, 1)]


def binders(made: ModuleType, count: int, role: str | None = "master", first: int = 1) -> list[dict[str, Any]]:
    roles = {"role": role} if role else {}
    return [
        {"name": f"node-{number}", "mac_addresses": [made.mac(number)], "cluster": DEMO, **roles}
        for number in range(first, first + count)
    ]


class TestBinding:
    def test_as_many_as_are_needed(self, made: ModuleType) -> None:
        plan = planned(binders(made, 3), fleet(made, ["known-unbound"] * 3), around(made.cluster_objects(masters=3)))
        assert [patch_of(host)["spec"]["clusterDeploymentName"]["name"] for host in plan.hosts] == ["demo"] * 3

    def test_never_one_more_by_role(self, made: ModuleType) -> None:
        plan = planned(
            [*binders(made, 4), *binders(made, 1, "worker", 5)],
            fleet(made, ["known-unbound"] * 5),
            around(made.cluster_objects(masters=3, workers=2)),
        )
        assert [len(host.changes) for host in plan.hosts] == [0, 0, 0, 0, 1]
        assert plan.hosts[0].obstacle == (
            "cluster lab/demo needs exactly 3 master and 2 worker Agents; it has no Agents and is to get 4 "
            "master and 1 worker Agents more. The installation does not start with more Agents than replicas"
        )

    def test_never_one_more_altogether(self, made: ModuleType) -> None:
        plan = planned(
            binders(made, 4, None), fleet(made, ["known-unbound"] * 4), around(made.cluster_objects(masters=3))
        )
        assert not any(host.changes for host in plan.hosts) and "4 auto-assign Agents more" in plan.hosts[0].obstacle

    def test_hosts_that_are_not_there_yet_count(self, made: ModuleType) -> None:
        plan = planned(binders(made, 4), fleet(made, ["known-unbound"]), around(made.cluster_objects(masters=3)))
        assert plan.changes == [] and "4 master Agents more" in plan.hosts[0].obstacle

    def test_those_of_other_namespaces_count(self, made: ModuleType) -> None:
        elsewhere = [
            read_agent(made.agent(9, namespace="other", state="known", role="master", cluster=("lab", "demo")))
        ]
        plan = planned(
            binders(made, 3),
            fleet(made, ["known-unbound"] * 3),
            around(made.cluster_objects(masters=3)),
            bound_elsewhere=elsewhere,
        )
        assert plan.changes == []

    def test_bound_ones_stay_whatever_else_is_too_many(self, made: ModuleType) -> None:
        agents = [
            made.agent(number, state="known", cluster=("lab", "demo"), role="master", approved=True)
            for number in (1, 2, 3)
        ]
        plan = planned(binders(made, 4), [*agents, made.agent(4)], around(made.cluster_objects(masters=3)))
        assert [bool(host.obstacle) for host in plan.hosts] == [False, False, False, True]

    def test_one_too_many_already(self, made: ModuleType) -> None:
        agents = [
            made.agent(number, state="known", cluster=("lab", "demo"), role="master", approved=True)
            for number in range(1, 5)
        ]
        plan = planned(binders(made, 3), agents, around(made.cluster_objects(masters=3)))
        assert [problem.severity for problem in plan.problems] == ["warning"]
        assert (
            "needs exactly 3 master Agents, but has 4 master Agents: it will not start to install"
            in plan.problems[0].detail
        )

    def test_a_place_that_becomes_free_is_waited_for(self, made: ModuleType) -> None:
        agents = [
            made.agent(number, state="known", cluster=("lab", "demo"), role="master", approved=True)
            for number in (1, 2, 3)
        ]
        leaver = {"name": "leaver", "mac_addresses": [made.mac(1)], "unbind": True}
        plan = planned(
            [leaver, *binders(made, 1, first=4)], [*agents, made.agent(4)], around(made.cluster_objects(masters=3))
        )
        assert patch_of(plan.hosts[0]) == {"spec": {"clusterDeploymentName": None}}
        assert "clusterDeploymentName" not in patch_of(plan.hosts[1])["spec"]
        assert plan.hosts[1].waits_for == (
            f"cluster lab/demo has room only after Agent lab/{made.uuid(1)} (host-1) left it"
        )

    @pytest.mark.parametrize(
        "state", ["discovering-unbound", "insufficient-unbound", "disconnected-unbound", "unbinding", "reclaiming"]
    )
    def test_only_from_known_unbound(self, state: str, made: ModuleType) -> None:
        failing = {
            "hardware": [{"id": "has-min-cpu-cores", "status": "failure", "message": "Require at least 4 CPU cores"}]
        }
        plan = planned(
            binders(made, 1), [made.agent(1, state=state, validations=failing)], around(made.cluster_objects())
        )
        assert "clusterDeploymentName" not in patch_of(plan.hosts[0])["spec"] if plan.hosts[0].changes else True
        assert plan.hosts[0].obstacle

    def test_failing_validations_are_named(self, made: ModuleType) -> None:
        failing = {
            "hardware": [{"id": "has-min-cpu-cores", "status": "failure", "message": "Require at least 4 CPU cores"}]
        }
        plan = planned(
            binders(made, 1),
            [made.agent(1, state="insufficient-unbound", validations=failing)],
            around(made.cluster_objects()),
        )
        assert plan.hosts[0].waits_for == (
            "binding to lab/demo is possible from known-unbound only, and it is insufficient-unbound: "
            "has-min-cpu-cores: Require at least 4 CPU cores"
        )

    @pytest.mark.parametrize(
        ("cluster", "words"),
        [
            (
                {"completed": "InstallationInProgress"},
                ("cluster lab/demo is being installed; hosts can be added after the installation"),
            ),
            ({"completed": "InstallationFailed"}, "cluster lab/demo failed to install"),
        ],
    )
    def test_clusters_that_take_no_host(self, cluster: dict[str, Any], words: str, made: ModuleType) -> None:
        plan = planned(binders(made, 1), fleet(made, ["known-unbound"]), around(made.cluster_objects(**cluster)))
        assert plan.changes == [] and plan.hosts[0].obstacle == f"it cannot be bound: {words}"

    def test_a_cluster_that_does_not_exist(self) -> None:
        reference = ClusterRef("lab", "demo")
        assert read_cluster(reference, None, None).obstacle == "there is no ClusterDeployment lab/demo"
        assert "no AgentClusterInstall" in read_cluster(reference, {"metadata": {}, "spec": {}}, None).obstacle

    @pytest.mark.parametrize("cluster", [{"completed": "InstallationCompleted"}, {"installed": True}])
    def test_an_installed_cluster_takes_any_number(self, cluster: dict[str, Any], made: ModuleType) -> None:
        plan = planned(
            binders(made, 9, "worker"), fleet(made, ["known-unbound"] * 9), around(made.cluster_objects(**cluster))
        )
        assert len(plan.changes) == 9

    def test_early_binding(self, made: ModuleType) -> None:
        early = around(made.cluster_objects(), infra_env={"clusterRef": {"name": "other", "namespace": "lab"}})
        plan = one({"mac_addresses": [made.mac(1)], "cluster": DEMO}, made.agent(1), early)
        assert plan.obstacle == (
            "it cannot be bound to lab/demo: InfraEnv lab binds its hosts to lab/other (early binding)"
        )
        plan = one({"unbind": True}, made.agent(1, state="known", cluster=("lab", "other")), early)
        assert plan.changes == () and "only deleting it frees it" in plan.obstacle

    @pytest.mark.parametrize(
        ("state", "moves"),
        [("known", True), ("insufficient", True), ("known-unbound", True), ("installing", False), ("installed", False)],
    )
    def test_moving(self, state: str, moves: bool, made: ModuleType) -> None:
        plan = one(
            {"cluster": DEMO}, made.agent(1, state=state, cluster=("lab", "other")), around(made.cluster_objects())
        )
        assert bool(plan.changes) is moves and bool(plan.obstacle) is not moves

    def test_without_approval(self, made: ModuleType) -> None:
        plan = planned(
            [{**binders(made, 1)[0], "approved": False}], fleet(made, ["known-unbound"]), around(made.cluster_objects())
        )
        assert "will not start to install" in plan.problems[0].detail


class TestUnbinding:
    @pytest.mark.parametrize(
        ("state", "kind", "leaves"),
        [
            ("known", "Host", True),
            ("insufficient", "Host", True),
            ("installed", "Host", True),
            ("error", "Host", True),
            ("installing", "Host", False),
            ("preparing-successful", "Host", False),
            ("installing-in-progress", "AddToExistingClusterHost", True),
            ("binding", "Host", False),
        ],
    )
    def test_by_state(self, state: str, kind: str, leaves: bool, made: ModuleType) -> None:
        plan = one({"unbind": True}, made.agent(1, state=state, kind=kind, cluster=("lab", "demo")))
        assert ([change.body for change in plan.changes] == [{"spec": {"clusterDeploymentName": None}}]) is leaves
        assert bool(plan.obstacle) is not leaves

    def test_words(self, made: ModuleType) -> None:
        plan = one({"unbind": True}, made.agent(1, state="installing", cluster=("lab", "demo")))
        assert plan.obstacle == "it cannot be unbound from lab/demo: its installation has started (state installing)"

    def test_who_has_to_boot_it(self, made: ModuleType) -> None:
        assert (
            "until the machine boots the discovery image"
            in one({"unbind": True}, made.agent(1, state="installed", cluster=("lab", "demo"))).notes[0]
        )

    def test_nothing_to_unbind(self, made: ModuleType) -> None:
        assert one({"unbind": True}, made.agent(1)).changes == ()
        assert planned([{"name": "node", "serial_number": "gone", "unbind": True}], []).hosts[0].obstacle == ""


class TestDeleting:
    def test_exactly_this_one(self, made: ModuleType) -> None:
        plan = one({"state": "absent"}, made.agent(1))
        assert [(change.verb, change.name) for change in plan.changes] == [("delete", made.uuid(1))]
        assert "unapproved" in plan.notes[0]

    def test_all_registrations_of_the_machine_but_no_bound_one(self, made: ModuleType) -> None:
        agents = [
            made.agent(1, macs=[made.mac(1)], state="disconnected-unbound"),
            made.agent(2, macs=[made.mac(1)], state="installed", cluster=("lab", "old")),
            made.agent(3, macs=[made.mac(1)], created="2026-02-01T00:00:00Z"),
        ]
        plan = planned([{"name": "node", "mac_addresses": [made.mac(1)], "state": "absent"}], agents).hosts[0]
        assert {change.name for change in plan.changes} == {made.uuid(1), made.uuid(3)}
        assert any("is kept: it is bound to lab/old" in note for note in plan.notes)

    def test_not_in_the_middle_of_an_installation(self, made: ModuleType) -> None:
        assert (
            "cannot be deleted: its installation has started"
            in one({"state": "absent"}, made.agent(1, state="installing", cluster=("lab", "demo"))).obstacle
        )

    def test_what_is_not_there(self) -> None:
        plan = planned([{"name": "node", "serial_number": "gone", "state": "absent"}], []).hosts[0]
        assert (plan.changes, plan.obstacle) == ((), "")


class TestUnexpected:
    def test_no_agent_is_approved_by_accident(self, made: ModuleType) -> None:
        agents = [made.agent(1), made.agent(2), made.agent(3, approved=True)]
        hosts = [{"name": "node", "mac_addresses": [made.mac(1)]}]
        for policy, severities in (("ignore", []), ("warn", ["warning"]), ("fail", ["error"])):
            plan = planned(hosts, agents, unexpected=policy)
            assert [agent.name for agent in plan.unexpected] == [made.uuid(2)]
            assert (plan.approvals, [problem.severity for problem in plan.problems]) == ((), severities)

    def test_unless_the_policy_says_so(self, made: ModuleType) -> None:
        plan = planned([], [made.agent(1), made.agent(2)], unexpected="approve")
        assert [(change.name, change.body) for change in plan.approvals] == [
            (made.uuid(number), {"spec": {"approved": True}}) for number in (1, 2)
        ]

    def test_an_ambiguous_one_is_not_a_stranger(self, made: ModuleType) -> None:
        agents = [made.agent(number, serial="none") for number in (1, 2)]
        assert planned([{"name": "node", "serial_number": "none"}], agents, unexpected="approve").approvals == ()


def test_secrets_in_overrides_are_not_in_reasons(made: ModuleType) -> None:
    plan = one(
        {"ignition_config_overrides": json.dumps({"passwd": {"users": [{"passwordHash": "x" * 90}]}})}, made.agent(1)
    )
    assert "x" * 30 not in " ".join(plan.changes[0].reasons) or len(max(plan.changes[0].reasons, key=len)) < 160


def test_a_plan_is_data() -> None:
    assert dataclasses.is_dataclass(AgentsPlan) and AgentsPlan().changes == []
