# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module node_pool, called in the test process against a hub in memory: which objects it writes and deletes, what
it rejects, and what it waits for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool import run as use_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.exchange import EXCHANGE
from ansible_collections.zerotouch.openshift.plugins.modules import node_pool
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub

NEW = {"cluster_name": hub.CLUSTER, "replicas": 2, "agent_label_selector": {"matchLabels": {"size": "large"}}}
POOL = f"NodePool {hub.NAMESPACE}/{hub.POOL}"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    memory = hub.Hub()
    memory.cluster(hub.hosted_cluster())
    monkeypatch.setattr(use_case, "connect", lambda *_args, **_options: memory)
    yield memory


def opened(*, check_mode: bool = False, lines: list[str] | None = None, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in node_pool.argument_spec().items()}
    params |= {"namespace": hub.NAMESPACE, "name": hub.POOL, "timeout": 1.0, **options}
    call = Call(params, check_mode=check_mode, diff=True, show=(lines if lines is not None else []).append)
    return {**perform(node_pool.run, call), "warnings": call.warnings}


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result["msg"]
    return result


def running(api: Any, number: int, **more: Any) -> None:
    """A pool of that many hosts, all running."""
    api.pool(hub.node_pool(number, **more))
    for index in range(number):
        api.host(f"m{index}", f"a{index}")


def spec(api: Any) -> dict[str, Any]:
    return dict(api.get(hub.POOL_PATH)["spec"])


def test_a_new_pool(api: Any) -> None:
    planned = ok(opened(check_mode=True, **NEW))
    assert planned["changed"] and not api.writes
    made = ok(opened(**NEW))
    assert (made["changed"], made["plan"]) == (True, planned["plan"]) == (True, [f"create {POOL}: it does not exist"])
    assert spec(api) == {
        "clusterName": "edge",
        "release": {"image": hub.IMAGE},
        "replicas": 2,
        "management": {"upgradeType": "InPlace"},
        "platform": {"type": "Agent", "agent": {"agentLabelSelector": {"matchLabels": {"size": "large"}}}},
    }
    assert not ok(opened(**NEW))["changed"]


def test_a_new_pool_with_hardly_anything(api: Any) -> None:
    made = ok(opened(cluster_name=hub.CLUSTER))
    assert (spec(api)["replicas"], spec(api)["platform"]["agent"]) == (0, {"agentLabelSelector": {}})
    assert any("It takes any Agent" in text for text in made["warnings"])
    assert not ok(opened(cluster_name=hub.CLUSTER, agent_label_selector={}))["changed"]


def test_without_a_hosted_cluster(api: Any) -> None:
    api.objects.pop(hub.CLUSTER_PATH)
    assert "no HostedCluster clusters/edge" in opened(**NEW, release_image=hub.IMAGE)["msg"]
    assert any("cannot be compared" in text for text in ok(opened(check_mode=True, **NEW))["warnings"])


def test_a_hosted_cluster_that_does_not_take_it(api: Any) -> None:
    api.cluster(hub.hosted_cluster(payloadArch="AMD64"))
    assert [problem["path"] for problem in opened(**NEW, arch="arm64")["problems"]] == ["arch"]
    api.cluster(hub.hosted_cluster(payloadArch="Multi"))
    assert ok(opened(check_mode=True, **NEW, arch="arm64"))["changed"]
    elsewhere = hub.hosted_cluster()
    elsewhere["spec"]["platform"] = {"type": "KubeVirt"}
    api.cluster(elsewhere)
    assert [problem["path"] for problem in opened(**NEW)["problems"]] == ["cluster_name"]


def test_all_mistakes_at_once_and_nothing_written(api: Any) -> None:
    running(api, 2)
    result = opened(
        cluster_name="other",
        arch="arm64",
        node_drain_timeout="soon",
        taints=[{"key": "x y", "value": None, "effect": "NoSchedule"}],
    )
    assert [problem["path"] for problem in result["problems"]] == [
        "cluster_name",
        "arch",
        "node_drain_timeout",
        "taints[0].key",
    ]
    assert "spec.arch cannot be changed" in result["msg"] and not api.writes


def test_what_the_server_fills_in_is_no_difference(api: Any) -> None:
    running(api, 2)
    same = {
        "replace": {"strategy": "RollingUpdate", "rolling_update": None},
        "node_drain_timeout": "0s",
        "arch": "amd64",
        "taints": [],
        "config": [],
    }
    assert not ok(opened(**NEW, **same))["changed"]


@pytest.mark.parametrize(
    ("replace", "kept"),
    [
        (
            {"strategy": "RollingUpdate"},
            {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        ),
        (
            {"rolling_update": {"max_surge": 0}},
            {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        ),
        (
            {"rolling_update": {"max_unavailable": "50%"}},
            {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "50%"}},
        ),
        ({"strategy": "OnDelete"}, {"strategy": "OnDelete"}),
    ],
    ids=str,
)
def test_a_replace_in_part_is_made_whole(api: Any, replace: dict[str, Any], kept: dict[str, Any]) -> None:
    """Upstream stops at a RollingUpdate without numbers."""
    ok(opened(**NEW, upgrade_type="Replace", replace=replace))
    assert spec(api)["management"]["replace"] == kept
    assert not ok(opened(**NEW, replace=replace))["changed"]


def test_a_replace_keeps_numbers_that_are_there(api: Any) -> None:
    there = {"strategy": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    running(api, 2, management={"upgradeType": "Replace", "replace": there})
    assert not ok(opened(replace={"strategy": "RollingUpdate"}))["changed"]
    ok(opened(replace={"rolling_update": {"max_surge": 0}}))
    assert spec(api)["management"]["replace"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 2}


def test_durations_that_mean_the_same(api: Any) -> None:
    running(api, 2, nodeDrainTimeout="10m0s")
    assert not ok(opened(node_drain_timeout="600s"))["changed"]
    assert ok(opened(node_drain_timeout="5m"))["plan"] == [f"patch {POOL}: spec.nodeDrainTimeout: '10m0s' -> '5m'"]


def test_changes_that_do_less_or_more_than_one_would_think(api: Any) -> None:
    running(api, 2)
    reported = ok(
        opened(
            node_labels={"a": "b"},
            agent_label_selector={"matchLabels": {"size": "small"}},
            release_image="quay.io/x/release:latest",
        )
    )["warnings"]
    assert [text.partition(" ")[0].rstrip(":") for text in reported] == [
        "release_image",
        "nodeLabels",
        "agent_label_selector",
    ]
    assert "hosts that are in the pool stay" in reported[-1] and "edge-large-f8d26e22" in reported[-1]


FIVE, FOUR = ("quay.io/openshift-release-dev/ocp-release:" + version for version in ("5.0.0-multi", "4.22.0-multi"))


def test_the_os_stream_of_a_pool(api: Any) -> None:
    running(api, 2, release={"image": FIVE})
    ok(opened(os_image_stream="rhel-9"))
    assert spec(api)["osImageStream"] == {"name": "rhel-9"}
    assert not ok(opened(os_image_stream="rhel-9"))["changed"]
    ok(opened(os_image_stream="rhel-10"))
    (back,) = opened(os_image_stream="rhel-9")["problems"]
    assert (back["path"], back["detail"]) == ("os_image_stream", "a pool cannot go back from rhel-10 to rhel-9")
    # What is not given stays: HyperShift does not let a pool lose its stream.
    assert not ok(opened())["changed"] and spec(api)["osImageStream"] == {"name": "rhel-10"}


def test_rhel_10_before_release_5_is_refused(api: Any) -> None:
    running(api, 2, release={"image": FOUR})
    (early,) = opened(os_image_stream="rhel-10")["problems"]
    assert (early["path"], early["detail"]) == (
        "os_image_stream",
        ("rhel-10 needs release 5.0 or newer, the pool has 4.22.0"),
    )
    assert not api.writes


def test_an_upgrade_to_release_5_names_the_change_of_the_nodes(api: Any) -> None:
    running(api, 2, release={"image": FOUR})
    api.cluster(hub.hosted_cluster(version={"history": [{"version": "5.0.0", "state": "Completed", "image": FIVE}]}))
    assert [text for text in ok(opened(check_mode=True, release_image=FIVE))["warnings"] if "change to rhel-10" in text]
    assert not [
        text
        for text in ok(opened(check_mode=True, release_image=FIVE, os_image_stream="rhel-9"))["warnings"]
        if "change to rhel-10" in text
    ]


def test_a_selector_is_replaced_whole(api: Any) -> None:
    running(api, 2)
    ok(opened(agent_label_selector={"matchLabels": {"rack": 7}}))
    assert spec(api)["platform"]["agent"]["agentLabelSelector"] == {"matchLabels": {"rack": "7"}}
    ok(opened(agent_label_selector={}))
    assert not spec(api)["platform"]["agent"]["agentLabelSelector"].get("matchLabels")


def test_labels_of_the_object_are_taken_away_by_a_null(api: Any) -> None:
    pool = hub.node_pool(2)
    pool["metadata"]["labels"] = {"mine": "x", "theirs": "y"}
    api.pool(pool)
    ok(
        opened(
            labels={"mine": None},
            annotations={"hypershift.openshift.io/machine-health-check-node-startup-timeout": "60m"},
        )
    )
    assert api.get(hub.POOL_PATH)["metadata"]["labels"] == {"theirs": "y"}


def test_autoscaling(api: Any) -> None:
    running(api, 2)
    ok(opened(auto_scaling={"min": 1, "max": 3}))
    assert (spec(api)["autoScaling"], "replicas" in spec(api)) == ({"min": 1, "max": 3}, False)
    assert "auto_scaling: {}" in opened(replicas=3)["msg"]
    assert "the autoscaler (1 to 3) would add another host" in opened(remove=["host-a0"])["msg"]
    ok(opened(auto_scaling={"min": None, "max": None}))
    assert (spec(api)["replicas"], "autoScaling" in spec(api)) == (2, False)


# hosts that are taken out


def marked(api: Any) -> list[str]:
    return [
        each["metadata"]["name"]
        for each in api.list(hub.MACHINES)
        if "cluster.x-k8s.io/delete-machine" in each["metadata"]["annotations"]
    ]


@pytest.mark.parametrize("name", ["m1", "a1", "host-a1", "HOST-A1"])
def test_a_host_by_each_of_its_names(api: Any, name: str) -> None:
    running(api, 3)
    planned = ok(opened(check_mode=True, remove=[name]))
    done = ok(opened(remove=[name]))
    assert planned["plan"] == done["plan"]
    assert [line.partition(":")[0] for line in done["plan"]] == ["patch Machine clusters-edge/m1", f"patch {POOL}"]
    assert (marked(api), spec(api)["replicas"]) == (["m1"], 2)
    # The operator has not yet done anything, and the number is right already.
    assert not ok(opened(remove=[name]))["changed"]
    api.put(f"{hub.MACHINES}/m1", hub.machine("m1", marked=True, deleting="DrainingNode"))
    again = ok(opened(remove=[name]))
    assert not again["changed"] and "m1 (host-a1) is going already (draining)" in again["warnings"]
    api.gone("m1", "a1")
    assert not ok(opened(remove=[name]))["changed"]


def test_a_name_without_a_host(api: Any) -> None:
    running(api, 2)
    api.put(f"{hub.AGENT_PATH}/b", hub.agent("b"))
    result = ok(opened(remove=["worker-9", "host-b"]))
    assert not result["changed"]
    assert [text.rpartition("it ")[2] for text in result["warnings"]] == [
        "(no Agent has that name either)",
        "(Agent hosts/b (host-b) is known-unbound)",
    ]


def test_a_killed_run_goes_on(api: Any) -> None:
    """The Machine was marked and the number not lowered; or lowered, and the Machine not looked at."""
    running(api, 3)
    api.host("m1", "a1", marked=True)
    assert [line.partition(":")[0] for line in ok(opened(remove=["m1"]))["plan"]] == [f"patch {POOL}"]
    assert spec(api)["replicas"] == 2
    assert not ok(opened(remove=["m1"]))["changed"]


def test_machines_that_are_still_to_come(api: Any) -> None:
    """With a lower number they would not be made, and the marked Machine would stay."""
    running(api, 2)
    api.merge_patch(hub.POOL_PATH, {"spec": {"replicas": 4}})
    api.writes.clear()
    assert "2 of its Machines are yet to be made" in opened(remove=["m0"])["msg"] and not api.writes
    api.steps = [lambda api: (api.host("m2", "a2", running=False), api.host("m3", "a3", running=False))]
    ok(opened(remove=["m0"]))
    assert (marked(api), spec(api)["replicas"]) == (["m0"], 3)


def test_named_hosts_and_a_number(api: Any) -> None:
    running(api, 4)
    assert (
        "has 3 replicas after the removal of m1 (host-a1), but replicas is 4"
        in opened(remove=["m1"], replicas=4)["msg"]
    )
    ok(opened(remove=["m1"], replicas=2))
    assert spec(api)["replicas"] == 2


def test_when_another_machine_might_go_instead(api: Any) -> None:
    running(api, 3)
    api.host("m2", "a2", marked=True)
    assert "m2 (host-a2) is marked for removal as well" in opened(remove=["m1"])["msg"]
    running(api, 3, said={**hub.WELL, "UpdatingVersion": ("True", "AsExpected", "to 4.22.1")})
    assert "a rollout is running" in opened(remove=["m1"])["msg"]
    assert not api.writes


def test_a_number_that_another_client_changed_is_counted_again(api: Any) -> None:
    running(api, 5)
    inner = api.merge_patch

    def interfered(path: str, patch: Any, **options: Any) -> Any:
        if path == hub.POOL_PATH:
            api.merge_patch = inner
            inner(hub.POOL_PATH, {"spec": {"replicas": 4}})
        return inner(path, patch, **options)

    api.merge_patch = interfered
    ok(opened(remove=["m1"]))
    # Five Machines and four replicas: one goes already, and it is the marked one.
    assert spec(api)["replicas"] == 4


# waits


def test_waiting_until_ready(api: Any) -> None:
    api.pool(hub.node_pool(0, said=hub.WELL))
    api.steps = [
        lambda api: api.host("m0", "a0", running=False),
        lambda api: (api.host("m0", "a0"), api.settle(1)),
    ]
    lines: list[str] = []
    result = ok(opened(replicas=1, wait_for="ready", timeout=20.0, lines=lines))
    assert result["machines"][0]["state"] == "running" and result["node_pool"]["replicas"] == 1
    assert [line[11:] for line in lines] == [
        "edge-large: condition UpdateManagementEnabled is not yet reported for the current generation of the NodePool",
        "m0 (host-a0): binding",
        "edge-large: in the desired state",
        "m0 (host-a0): running",
    ]
    assert not ok(opened(replicas=1, wait_for="ready"))["changed"]


def test_the_limit_says_where_each_machine_is_stuck(api: Any) -> None:
    running(api, 1)
    api.put(f"{hub.MACHINES}/m1", hub.machine("m1"))
    api.put(
        f"{hub.AGENT_MACHINES}/m1",
        hub.agent_machine("m1", said=[hub.condition("AgentReserved", "False", "NoSuitableAgents")]),
    )
    api.merge_patch(hub.POOL_PATH, {"spec": {"replicas": 2}})
    api.settle(1)
    result = opened(wait_for="ready", timeout=0.0)
    assert (
        result["failed"]
        and "m1: no-suitable-agent: no matching Agent is free" in result["msg"]
        and "m0" not in result["msg"]
    )
    assert [machine["state"] for machine in result["machines"]] == ["running", "no-suitable-agent"]
    assert "Add hosts to the pool" in result["msg"] and "by itself" not in result["msg"], "waiting further is of no use"


def test_who_waits_for_a_person_is_not_said_to_go_on_by_itself(api: Any) -> None:
    api.pool(hub.node_pool(1, ready=0, said=hub.WELL))
    api.host("m0", "a0", running=False)
    api.put(f"{hub.AGENT_PATH}/a0", hub.agent("a0", "installing-pending-user-action", holder="m0", bound=True))
    result = opened(wait_for="ready", timeout=0.0)
    assert "boot from its disk" in result["msg"] and "by itself" not in result["msg"]


def test_what_stays_false_ends_the_wait_at_once(api: Any) -> None:
    api.pool(hub.node_pool(1, said={"UpdateManagementEnabled": ("False", "ValidationFailed", "no rollingUpdate")}))
    assert (
        "cannot get ready: UpdateManagementEnabled is False (ValidationFailed): no rollingUpdate"
        in opened(wait_for="ready", timeout=60.0)["msg"]
    )


def test_a_host_that_leaves_is_followed_until_it_is_free(api: Any) -> None:
    running(api, 2)
    api.steps = [
        lambda api: api.put(
            f"{hub.MACHINES}/m1", hub.machine("m1", marked=True, deleting="WaitingForPreTerminateHook")
        ),
        lambda api: (api.gone("m1", "a1", "reclaiming-rebooting"), api.settle(1)),
        lambda api: api.put(f"{hub.AGENT_PATH}/a1", hub.agent("a1")),
    ]
    lines: list[str] = []
    result = ok(opened(remove=["host-a1"], wait_for="replicas", timeout=20.0, lines=lines))
    assert (result["needs_reboot"], result["node_pool"]["replicas"]) == ([], 1)
    assert any("host host-a1: its host is reclaiming-rebooting" in line for line in lines)


def test_a_host_that_has_to_be_rebooted_is_named(api: Any) -> None:
    running(api, 2)
    api.steps = [lambda api: (api.gone("m1", "a1", "unbinding-pending-user-action"), api.settle(1))]
    result = ok(opened(replicas=1, wait_for="replicas", timeout=20.0))
    assert result["needs_reboot"] == [{"agent": "a1", "namespace": "hosts", "hostname": "host-a1"}]


def test_check_mode_reports_the_wait(api: Any) -> None:
    running(api, 2)
    lines: list[str] = []
    ok(opened(check_mode=True, replicas=3, wait_for="ready", lines=lines))
    assert lines == [f"would patch {POOL}: spec.replicas: 2 -> 3", f"would wait until {POOL} is ready"]


def test_gone_is_for_pools_that_go(api: Any) -> None:
    assert "only goes with state absent" in opened(**NEW, wait_for="gone")["msg"]


# its end


def test_a_pool_is_emptied_before_it_is_deleted(api: Any) -> None:
    running(api, 2, pausedUntil="true")
    lines: list[str] = []
    planned = ok(opened(check_mode=True, state="absent", lines=lines))
    assert lines[1] == "would wait until its Machines are deleted and their hosts are free: m0 (host-a0), m1 (host-a1)"
    assert not api.writes
    api.steps = [lambda api: api.gone("m0", "a0"), lambda api: api.gone("m1", "a1", "unbinding-pending-user-action")]
    result = ok(opened(state="absent", timeout=20.0))
    assert result["plan"] == planned["plan"]
    assert [write.partition(" ")[0] for write in api.writes] == ["patch", "delete"]
    assert hub.POOL_PATH not in api.objects
    assert [host["hostname"] for host in result["needs_reboot"]] == ["host-a1"]
    assert not ok(opened(state="absent"))["changed"]


def test_a_pool_that_cannot_be_drained_is_reported(api: Any) -> None:
    running(api, 1)
    api.put(f"{hub.MACHINES}/m0", hub.machine("m0", deleting="DrainingNode"))
    result = opened(state="absent", timeout=0.0)
    assert result["failed"] and "m0 (host-a0): draining: DrainingNode it is" in result["msg"]
    assert result["changed"] and hub.POOL_PATH in api.objects


def test_a_pool_is_deleted_without_draining_on_request(api: Any) -> None:
    running(api, 1)
    api.steps = [lambda api: api.gone("m0", "a0")]
    assert ok(opened(state="absent", drain=False, timeout=20.0))["plan"] == [f"delete {POOL}: the pool must not exist"]


def test_a_hub_without_hypershift(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import fault

    def unknown(path: str) -> Any:
        raise fault("The hub's API", 404, "the server could not find the requested resource", "NotFound", ("GET", path))

    monkeypatch.setattr(api, "find", unknown)
    assert "has no HyperShift" in opened(**NEW)["msg"]


def test_hosts_that_are_missing_are_reported(api: Any) -> None:
    running(api, 1)
    assert any("2 more Machines, and 0 free Agents" in text for text in ok(opened(replicas=3))["warnings"])
    assert not ok(opened(check_mode=True, replicas=4))["warnings"]


def test_auto_repair_needs_time_on_metal(api: Any) -> None:
    running(api, 1)
    reported = ok(opened(check_mode=True, auto_repair=True))["warnings"]
    assert "machine-health-check-node-startup-timeout" in reported[0]
    annotated = {"hypershift.openshift.io/machine-health-check-node-startup-timeout": "60m"}
    assert not ok(opened(check_mode=True, auto_repair=True, annotations=annotated))["warnings"]


def test_a_pool_that_is_being_deleted(api: Any) -> None:
    going = hub.node_pool(1)
    going["metadata"]["deletionTimestamp"] = "2026-11-21T12:00:00Z"
    api.pool(going)
    assert "is being deleted. Run again when it is deleted" in opened(replicas=2)["msg"]


def test_config_maps_that_are_missing(api: Any) -> None:
    running(api, 1)
    assert "ConfigMap clusters/kubelet (config) does not exist" in opened(config=["kubelet"])["msg"]
    assert not api.writes
    assert ok(opened(check_mode=True, config=["kubelet"]))["warnings"] == [
        ("ConfigMap clusters/kubelet (config) does not exist.")
    ]


def test_a_release_that_is_ahead_of_its_control_plane(api: Any) -> None:
    running(api, 1)
    for check_mode in (True, False):
        refused = opened(check_mode=check_mode, release_image="quay.io/x/release:4.23.0-x86_64")
        assert (
            "4.23.0 is newer than the control plane, which has 4.22.0; give the hosted cluster the release first"
            in refused["msg"]
        )
    assert not api.writes


def test_a_host_is_exchanged(api: Any) -> None:
    """Its Machine is deleted, and no number is written; a second call finds it going."""
    running(api, 2)
    done = ok(opened(check_mode=True, replace_hosts=["host-a0"]))
    assert [line.partition(" ")[0] for line in done["plan"]] == ["delete"], done["plan"]
    assert not api.writes
    ok(opened(replace_hosts=["host-a0"]))
    assert [write.rpartition("/")[2] for write in api.writes] == ["m0"]
    assert spec(api)["replicas"] == 2


def free(api: Any, *names: str) -> None:
    """Agents that the pool can take."""
    held = hub.conditions({"Validated": "True", "Connected": "True", "Bound": "False"})
    for name in names:
        api.put(f"{hub.AGENT_PATH}/{name}", hub.agent(name, conditions=held))


def exchange_steps(api: Any, leaving: str, agent: str, number: int) -> list[Any]:
    """What the controllers do: a Machine for the larger number becomes a Node; the marked one is deleted when the
    number is lowered.
    """

    def grown(_hub: Any) -> None:
        assert spec(api)["replicas"] == number + 1 and "autoScaling" not in spec(api)
        assert marked(api) == []
        api.host("m-new", "spare")

    def leaves(_hub: Any) -> None:
        assert (spec(api)["replicas"], marked(api)) == (number, [leaving])
        api.gone(leaving, agent)

    return [grown, leaves]


@pytest.mark.parametrize("scaling", [None, {"min": 1, "max": 3}])
def test_another_host_is_a_node_before_one_leaves(api: Any, scaling: dict[str, Any] | None) -> None:
    running(api, 2)
    free(api, "spare")
    if scaling:
        api.pool(hub.node_pool(None, ready=2, autoScaling=scaling))
    before = spec(api)
    planned = ok(opened(check_mode=True, replace_hosts=["host-a0"]))
    assert (
        planned["plan"] == ["have 2 other Nodes before m0 leave: 3 replicas until they are Ready, 2 afterwards"]
        and not api.writes
    )
    api.steps = exchange_steps(api, "m0", "a0", 2)
    done = ok(opened(replace_hosts=["host-a0"]))
    assert done["plan"] == planned["plan"] and spec(api) == before
    assert EXCHANGE not in api.get(hub.POOL_PATH)["metadata"].get("annotations", {})
    assert sorted(machine["name"] for machine in done["machines"]) == ["m-new", "m1"]


@pytest.mark.parametrize("writes", [1, 2, 3])
@pytest.mark.parametrize("names", [["host-a0"], []])
def test_a_later_call_completes_an_exchange(api: Any, writes: int, names: list[str]) -> None:
    """Killed after each of its writes; the later call does not need the name again."""
    running(api, 2)
    free(api, "spare")
    real = api.merge_patch
    done: list[str] = []

    def killed(path: str, patch: Any, **options: Any) -> Any:
        if len(done) == writes:
            raise ZeroTouchError("killed")
        done.append(path)
        return real(path, patch, **options)

    api.merge_patch = killed
    steps = exchange_steps(api, "m0", "a0", 2)
    api.steps = [steps[0], *([steps[1]] if writes == 3 else [])]
    assert "killed" in opened(replace_hosts=["host-a0"])["msg"]
    api.merge_patch = real
    api.steps = [] if writes == 3 else [lambda _hub: None, steps[1]]
    ok(opened(replace_hosts=names))
    assert spec(api)["replicas"] == 2 and EXCHANGE not in api.get(hub.POOL_PATH)["metadata"].get("annotations", {})
    assert {name.rpartition("/")[2] for name in api.objects if "/machines/" in name} == {"m-new", "m1"}
    assert not ok(opened())["changed"]


def test_the_order_of_an_exchange(api: Any) -> None:
    """Without another host the Machine is deleted first, and so it is where the user asks for that."""
    running(api, 2)
    in_place = ["delete Machine clusters-edge/m0: its host is replaced: its MachineSet makes another Machine"]
    assert ok(opened(check_mode=True, replace_hosts=["host-a0"]))["plan"] == in_place
    free(api, "spare")
    assert ok(opened(check_mode=True, replace_hosts=["host-a0"], replace_order="in_place"))["plan"] == in_place
    assert "3 replicas" in ok(opened(check_mode=True, replace_hosts=["host-a0"]))["plan"][0]
    assert ok(opened(check_mode=True, replace_hosts=["host-a0", "host-a1"]))["plan"][0].startswith("delete Machine")
    assert (
        "4 replicas"
        in ok(opened(check_mode=True, replace_hosts=["host-a0", "host-a1"], replace_order="surge"))["plan"][0]
    )


def test_an_exchange_that_another_tool_disturbs(api: Any) -> None:
    running(api, 2)
    note = {"machines": ["m0"], "replicas": 2, "autoScaling": None}
    api.merge_patch(hub.POOL_PATH, {"metadata": {"annotations": {EXCHANGE: json.dumps(note)}}, "spec": {"replicas": 7}})
    message = opened()["msg"]
    assert "has 7 replicas, but an exchange of hosts has begun that needs 3 or 2 replicas" in message
    for broken in ("x", "[]", "{}", '{"machines": ["m0"], "replicas": "many"}'):
        api.merge_patch(hub.POOL_PATH, {"metadata": {"annotations": {EXCHANGE: broken}}})
        assert f"Annotation {EXCHANGE} of NodePool {hub.POOL} does not hold an exchange" in opened()["msg"]


def test_a_controller_replaces_a_host_during_its_exchange(api: Any) -> None:
    """There is one Node too many then. The newest leaves."""
    running(api, 2)
    note = {"machines": ["m0", "m9"], "replicas": 2, "autoScaling": None}
    api.merge_patch(hub.POOL_PATH, {"metadata": {"annotations": {EXCHANGE: json.dumps(note)}}, "spec": {"replicas": 4}})
    api.host("m2", "a2")
    api.host("m3", "a3")

    def leave(_hub: Any) -> None:
        assert marked(api) == ["m0", "m3"]
        api.gone("m0", "a0")
        api.gone("m3", "a3")

    api.steps = [lambda _hub: None, leave]
    ok(opened())
    assert spec(api)["replicas"] == 2


def test_check_mode_of_an_exchange_that_has_begun(api: Any) -> None:
    running(api, 2)
    note = {"machines": ["m0"], "replicas": 2, "autoScaling": {"min": 1, "max": 4}}
    api.merge_patch(hub.POOL_PATH, {"metadata": {"annotations": {EXCHANGE: json.dumps(note)}}, "spec": {"replicas": 3}})
    api.writes.clear()
    planned = ok(opened(check_mode=True))
    assert (
        planned["plan"] == ["have 2 other Nodes before m0 leave: 3 replicas until they are Ready, 2 afterwards"]
        and not api.writes
    )


@pytest.mark.parametrize("resized", [False, True])
def test_another_writer_at_the_beginning_of_an_exchange(api: Any, resized: bool) -> None:
    """A write of another field is planned again; another size ends the call before anything is written."""
    running(api, 2)
    free(api, "spare")
    real, others = api.merge_patch, [{"spec": {"replicas": 5}} if resized else {"metadata": {"labels": {"a": "b"}}}]

    def interfered(path: str, patch: Any, **options: Any) -> Any:
        if others:
            real(path, others.pop())
        return real(path, patch, **options)

    api.merge_patch = interfered
    api.steps = exchange_steps(api, "m0", "a0", 2)
    result = opened(replace_hosts=["host-a0"])
    if resized:
        assert result["msg"] == f"{POOL}: its size has changed since the exchange of its hosts was planned. Run again."
        assert EXCHANGE not in api.get(hub.POOL_PATH)["metadata"].get("annotations", {})
    else:
        assert ok(result) and spec(api)["replicas"] == 2
