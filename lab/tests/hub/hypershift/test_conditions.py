# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the conditions that HyperShift sets on NodePools and HostedClusters, in the order in which it checks them."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest
from ztlab.hub.conditions import Condition
from ztlab.hub.hypershift import naming
from ztlab.hub.hypershift.conditions import merged, no, yes
from ztlab.hub.hypershift.hosted_conditions import Facts as HostedFacts
from ztlab.hub.hypershift.hosted_conditions import PlaneState, admission, plane_conditions, problems, version_conditions
from ztlab.hub.hypershift.pool_conditions import (
    Facts,
    Progress,
    Verdict,
    control_plane_version,
    first,
    machine_conditions,
    paused_until,
    reconciliation,
    second,
    skew,
    third,
)
from ztlab.hub.hypershift.pool_secrets import Payload
from ztlab.hub.hypershift.scalable import taints_text
from ztlab.hub.names import Object

from .pools import hosted, pool, service

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
READY = {
    "ignitionEndpoint": "10.0.0.5:30001",
    "kubeconfig": {"name": "k"},
    "payloadArch": "AMD64",
    "version": {"history": [{"version": "4.22.0"}]},
}


def facts(item: Object | None = None, status: Object | None = None, **more: Any) -> Facts:
    cluster = {**hosted(), "status": READY if status is None else status}
    return Facts(
        **(
            {"pool": item or pool(replicas=1), "hosted": cluster, "now": NOW, "has_ca": True, "version": "4.22.0"}
            | more
        )
    )


def reported(verdict: Verdict) -> dict[str, tuple[str, str]]:
    return {condition.type: (condition.status, condition.reason) for condition in verdict.conditions}


def test_everything_is_well() -> None:
    verdict = first(facts())
    assert [condition.type for condition in verdict.conditions] == [
        "AutoscalingEnabled",
        "UpdateManagementEnabled",
        "ValidReleaseImage",
        "ValidArchPlatform",
        "ReconciliationActive",
        "SupportedVersionSkew",
        "ValidMachineConfig",
    ]
    assert verdict.removed == ["IgnitionEndpointAvailable"] and not verdict.stop


def test_a_strategy_without_numbers_stops_a_pool_that_replaces() -> None:
    item = pool(upgrade="Replace")
    item["spec"]["management"]["replace"] = {"strategy": "RollingUpdate"}
    verdict = first(facts(item))
    assert reported(verdict)["UpdateManagementEnabled"] == ("False", "ValidationFailed")
    assert verdict.stop and not verdict.error and "ValidReleaseImage" not in reported(verdict)
    item["spec"]["management"]["replace"] = {"strategy": "OnDelete"}
    assert not first(facts(item)).stop


@pytest.mark.parametrize(
    ("change", "kind", "reason", "error"),
    [
        ({"version": ""}, "ValidReleaseImage", "ValidationFailed", True),
        ({"status": {}}, "IgnitionEndpointAvailable", "IgnitionEndpointMissing", False),
        ({"has_ca": False}, "IgnitionEndpointAvailable", "IgnitionCACertMissing", False),
        ({"status": READY | {"payloadArch": "ARM64"}}, "ValidArchPlatform", "InvalidArchPlatform", True),
        (
            {"config_problem": "expected 3 core ignition configs, found 1"},
            "ValidMachineConfig",
            "ValidationFailed",
            False,
        ),
    ],
)
def test_what_stops(change: dict[str, Any], kind: str, reason: str, error: bool) -> None:
    verdict = first(facts(**change))
    assert (verdict.conditions[-1].type, verdict.conditions[-1].reason, verdict.error) == (kind, reason, error)
    assert verdict.stop


def test_the_configuration_waits_silently_for_the_kubeconfig() -> None:
    verdict = first(facts(status={name: value for name, value in READY.items() if name != "kubeconfig"}))
    assert verdict.stop and verdict.conditions[-1].type == "SupportedVersionSkew"


def test_autoscaling_from_zero_is_not_for_agents() -> None:
    assert reported(first(facts(pool(autoScaling={"min": 0, "max": 3}))))["AutoscalingEnabled"] == (
        "False",
        "ValidationFailed",
    )
    condition = first(facts(pool(autoScaling={"min": 1, "max": 3}))).conditions[0]
    assert (condition.status, condition.message) == ("True", "Maximum nodes: 3, Minimum nodes: 1")


@pytest.mark.parametrize(
    ("version", "cluster", "status", "reason", "text"),
    [
        ("4.22.0", "4.22.0", "True", "AsExpected", "Release image version is valid"),
        ("4.19.9", "4.22.0", "True", "AsExpected", ""),
        (
            "4.18.9",
            "4.22.0",
            "False",
            "UnsupportedSkew",
            "4.18 is less than 4.19, which is the minimum NodePool version",
        ),
        ("4.22.1", "4.22.0", "False", "UnsupportedSkew", "cannot be higher than the HostedCluster version 4.22.0"),
        ("4.22.0-rc.2", "4.22.0", "True", "AsExpected", ""),
        ("4.22.0", "4.22.0-rc.2", "False", "UnsupportedSkew", ""),
        ("4.20.0", "5.0.0", "True", "AsExpected", ""),
        ("4.23.0", "5.0.0", "True", "AsExpected", ""),
        ("5.0.0", "4.23.0", "True", "AsExpected", ""),
        ("4.19.0", "5.0.0", "False", "UnsupportedSkew", "less than 4.20"),
        ("4.22.0", "5.3.0", "False", "UnsupportedSkew", "less than 5.0"),
        (
            "4.22.0",
            None,
            "Unknown",
            "ValidationFailed",
            ("HostedCluster version is not available yet, waiting for version information"),
        ),
        ("4.22.0", "", "Unknown", "ValidationFailed", "Failed to parse control plane version ()"),
    ],
)
def test_skew(version: str, cluster: str | None, status: str, reason: str, text: str) -> None:
    found = skew(version, cluster)
    assert (found.status, found.reason) == (status, reason) and text in found.message


@pytest.mark.parametrize(
    ("status", "wanted"),
    [
        ({}, None),
        ({"version": {"desired": {"version": "4.22.0"}, "history": []}}, "4.22.0"),
        ({"version": {"history": [{"state": "Partial", "version": "4.22.1"}]}}, "4.22.1"),
        (
            {
                "version": {
                    "history": [{"state": "Partial", "version": "4.22.1"}, {"state": "Completed", "version": "4.22.0"}]
                }
            },
            "4.22.0",
        ),
    ],
)
def test_only_completed_history_counts(status: dict[str, Any], wanted: str | None) -> None:
    assert control_plane_version(status) == wanted


def test_a_token_secret_that_is_missing_is_named() -> None:
    found = second(pool(), hosted(), Progress("4.22.0", "aa", token_name="token-p-1"))
    texts = {entry.type: (entry.reason, entry.message) for entry in found.conditions}
    assert (
        texts["ValidGeneratedPayload"]
        == texts["ReachedIgnitionEndpoint"]
        == ("NotFound", 'secrets "token-p-1" not found')
    )


def test_a_pause_that_is_none_is_said() -> None:
    found = reconciliation("tomorrow", NOW)
    assert (found.status, found.reason, found.message) == (
        "True",
        "InvalidPausedUntilValue",
        "Invalid value provided for PausedUntil field",
    )


def ill(number: int, reason: str, text: str) -> dict[str, Any]:
    return {
        "metadata": {"name": f"m{number:03}"},
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": reason, "message": text}]},
    }


def test_messages_of_many_machines_end_with_marks() -> None:
    """A reason's block stops before 1000 characters, the message before 3000, the reasons before 1024."""
    ready = machine_conditions(pool(), [ill(number, "Waiting", "x" * 80) for number in range(30)])[0]
    assert (
        ready.message.endswith("... too many similar errors\n")
        and len(ready.message) < 1100
        and ready.reason == "Waiting"
    )
    many = machine_conditions(pool(), [ill(number, f"Reason{number:03}" + "R" * 30, "x" * 80) for number in range(60)])[
        0
    ]
    assert many.message.endswith("\n... message truncated\n") and 2700 < len(many.message) <= 3000
    assert many.reason.endswith(",ReasonsTruncated") and 950 < len(many.reason) <= 1024
    assert all(len(name) == 39 for name in many.reason.split(",")[:-1])


def test_the_configuration_hash() -> None:
    """It holds the configuration of the whole cluster, and not the version."""
    base = Payload("config", "4.22.0", "image", "pull", "bundle", "")
    assert (
        dataclasses.replace(base, version="4.22.1").config_hash
        == base.config_hash
        != dataclasses.replace(base, global_config="proxy").config_hash
    )
    assert (
        len(
            {
                base.hash,
                dataclasses.replace(base, version="4.22.1").hash,
                dataclasses.replace(base, global_config="proxy").hash,
            }
        )
        == 3
    )


def test_taints_are_written_as_the_struct_has_them() -> None:
    item = pool(
        taints=[{"effect": "NoSchedule", "value": "x", "key": "dedicated"}, {"effect": "NoExecute", "key": "k"}]
    )
    assert (
        taints_text(item) == '[{"key":"dedicated","value":"x","effect":"NoSchedule"},{"key":"k","effect":"NoExecute"}]'
    )
    assert taints_text(pool()) == "null" and taints_text(pool(taints=[])) == "[]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", (False, True)),
        ("true", (True, True)),
        ("False", (False, True)),
        ("2026-11-21T13:00:00Z", (True, True)),
        ("2026-11-21T11:00:00Z", (False, True)),
        ("tomorrow", (False, False)),
    ],
)
def test_pauses(text: str, wanted: tuple[bool, bool]) -> None:
    assert paused_until(text, NOW) == wanted


def test_an_update_is_reported_by_what_does_it() -> None:
    progress = Progress("4.22.1", "aa", updating=True, updating_config=False)
    found = reported(second(pool(replicas=1), hosted(), progress))
    assert (found["UpdatingConfig"], found["UpdatingVersion"]) == (("False", "AsExpected"), ("True", "AsExpected"))
    failed = second(
        pool(),
        hosted(),
        Progress("4.22.1", "aa", updating=True, updating_config=True, upgrade_failure="node worker-0 degraded"),
    )
    assert {condition.reason for condition in failed.conditions[:2]} == {"InplaceUpgradeFailed"}


def test_the_payload_and_who_fetched_it() -> None:
    item = pool(replicas=1)
    assert reported(second(item, hosted(), Progress("4.22.0", "aa")))["ValidGeneratedPayload"] == ("False", "NotFound")
    token: Object = {"metadata": {"annotations": {}}}
    made = reported(second(item, hosted(), Progress("4.22.0", "aa", token=token)))
    assert (made["ValidGeneratedPayload"], made["ReachedIgnitionEndpoint"]) == (
        ("Unknown", ""),
        ("False", "ignitionNotReached"),
    )
    broken = reported(
        second(
            item,
            hosted(),
            Progress("4.22.0", "aa", token=token, token_data={"reason": "InvalidConfig", "message": "?"}),
        )
    )
    assert broken["ValidGeneratedPayload"] == ("", "InvalidConfig")
    reached: Object = {"metadata": {"annotations": {f"{naming.PREFIX}ignition-reached": "True"}}}
    good = reported(
        second(item, hosted(), Progress("4.22.0", "aa", token=reached, token_data={"reason": "AsExpected"}))
    )
    assert (good["ValidGeneratedPayload"], good["ReachedIgnitionEndpoint"]) == (
        ("True", "AsExpected"),
        ("True", "AsExpected"),
    )


def test_reaching_the_endpoint_stays_true_in_place_only() -> None:
    token: Object = {"metadata": {"annotations": {}}}
    status = {"conditions": [{"type": "ReachedIgnitionEndpoint", "status": "True"}]}
    for upgrade, wanted in (("InPlace", "True"), ("Replace", "False")):
        item = {**pool(upgrade=upgrade), "status": status}
        assert (
            reported(second(item, hosted(), Progress("4.22.0", "aa", token=token)))["ReachedIgnitionEndpoint"][0]
            == wanted
        )


def machine(name: str, *conditions: tuple[str, str, str, str]) -> Object:
    listed = [
        {"type": kind, "status": status, "reason": reason, "message": message}
        for kind, status, reason, message in conditions
    ]
    return {"metadata": {"name": name}, "status": {"conditions": listed}}


def test_pools_without_machines() -> None:
    empty = machine_conditions(pool(replicas=0), [])
    assert {(condition.status, condition.reason, condition.message) for condition in empty} == {
        ("False", "AsExpected", "NodePool set to no replicas")
    }
    assert {condition.reason for condition in machine_conditions(pool(replicas=2), [])} == {"NotFound"}
    assert {condition.reason for condition in machine_conditions(pool(autoScaling={"min": 1, "max": 2}), [])} == {
        "NotFound"
    }


def test_machines_are_summed_up() -> None:
    waiting = machine(
        "b",
        ("Ready", "False", "Deciding", "1 of 2 completed"),
        ("InfrastructureReady", "False", "NoSuitableAgents", ""),
    )
    blank = machine("a")
    good = machine("c", ("Ready", "True", "", ""), ("NodeHealthy", "True", "", ""))
    ready, healthy = machine_conditions(pool(replicas=3), [waiting, blank, good])
    assert (ready.status, ready.reason) == ("False", "NoSuitableAgents,WaitingForInfrastructure")
    assert ready.message == (
        "2 of 3 machines are not ready\nMachine b: NoSuitableAgents: \nMachine a: WaitingForInfrastructure\n"
    )
    assert (healthy.reason, healthy.message.splitlines()[0]) == ("WaitingForNodeRef", "2 of 3 machines are not healthy")
    assert [condition.message for condition in machine_conditions(pool(replicas=1), [good])] == [
        "All is well",
        "All is well",
    ]


def test_machines_inside_the_cluster_network() -> None:
    clash = {
        "metadata": {"name": "m"},
        "status": {
            "addresses": [{"type": "ExternalIP", "address": "10.132.0.7"}, {"type": "InternalDNS", "address": "w"}]
        },
    }
    found = second(pool(replicas=1), hosted(), Progress("4.22.0", "aa", machines=[clash]))
    assert reported(found)["ClusterNetworkCIDRConflict"] == ("True", "InvalidConfiguration")
    fine = {"metadata": {"name": "m"}, "status": {"addresses": [{"type": "ExternalIP", "address": "192.0.2.7"}]}}
    assert (
        "ClusterNetworkCIDRConflict"
        in second(pool(replicas=1), hosted(), Progress("4.22.0", "aa", machines=[fine])).removed
    )


def test_ready_is_that_of_the_machine_set() -> None:
    item = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "", "message": "Scaling up"}]}}
    assert reported(third(pool(), item, template_target="t", template_updating=False))["Ready"] == (
        "False",
        "AsExpected",
    )
    new = {
        "status": {
            "deprecated": {"v1beta1": {"conditions": [{"type": "Ready", "status": "True"}]}},
            "conditions": [{"type": "Ready", "status": "False"}],
        }
    }
    assert reported(third(pool(), new, template_target="t", template_updating=True))["Ready"] == ("True", "AsExpected")
    assert reported(third(pool(), None, template_target="t", template_updating=True)) == {
        "UpdatingPlatformMachineTemplate": ("True", "AsExpected"),
        "AutorepairEnabled": ("False", "AsExpected"),
    }


def test_repairs_are_enabled_once_a_host_was_there() -> None:
    item = pool()
    item["spec"]["management"]["autoRepair"] = True
    assert third(item, None, template_target="t", template_updating=False).removed == ["AutorepairEnabled"]
    item["status"] = {"conditions": [{"type": "ReachedIgnitionEndpoint", "status": "True"}]}
    assert reported(third(item, None, template_target="t", template_updating=False))["AutorepairEnabled"] == (
        "True",
        "AsExpected",
    )


def test_a_list_of_conditions_changes_in_place() -> None:
    before = merged(None, [yes("A"), no("B")], (), "2026-01-01T00:00:00Z", 1)
    after = merged(
        before, [yes("B"), yes("A", "text"), Condition("C", "Unknown", "", "")], ["X"], "2026-01-02T00:00:00Z", 2
    )
    assert [(entry["type"], entry["lastTransitionTime"][9], entry["observedGeneration"]) for entry in after] == [
        ("A", "1", 2),
        ("B", "2", 2),
        ("C", "2", 2),
    ]
    assert merged(after, [], ["B"], "", 2) == [after[0], after[2]]


# hosted clusters


def hosted_facts(item: Object, **more: Any) -> HostedFacts:
    return HostedFacts(
        **({"hosted": item, "now": NOW, "version": "4.22.0", "namespaces": {"edge"}, "pull_secret": True} | more)
    )


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (hosted(platform={"type": "Agent", "agent": {"agentNamespace": "gone"}}), 'namespaces "gone" not found'),
        (hosted(platform={"type": "Agent"}), "must specify an agent namespace"),
        (
            hosted(
                networking={"clusterNetwork": [{"cidr": "10.0.0.0/8"}], "serviceNetwork": [{"cidr": "10.1.0.0/16"}]}
            ),
            "overlap",
        ),
        (
            hosted(services=[service("APIServer", port=6443), service("Ignition")]),
            "outside of the service node port range",
        ),
        (
            hosted(
                services=[
                    service("Ignition", "Route", hostname="a.b.c"),
                    service("Konnectivity", "Route", hostname="a.b.c"),
                ]
            ),
            "more than one service",
        ),
    ],
)
def test_invalid_configurations(item: Object, words: str) -> None:
    assert words in problems(hosted_facts(item))
    conditions, valid = admission(hosted_facts(item))
    assert not valid
    assert (
        next(condition for condition in conditions if condition.type == "ValidConfiguration").reason
        == "InvalidConfiguration"
    )


def test_releases() -> None:
    def release(**more: Any) -> tuple[str, str]:
        found = next(
            condition
            for condition in admission(hosted_facts(hosted(), **more))[0]
            if condition.type == "ValidReleaseImage"
        )
        return found.status, found.reason

    assert release() == ("True", "AsExpected")
    assert release(version="") == release(version="4.13.0") == release(version="5.2.0") == ("False", "InvalidImage")
    assert release(pull_secret=False) == ("False", "SecretNotFound")


def test_a_control_plane_comes_up_part_by_part() -> None:
    def available(state: PlaneState) -> tuple[str, str]:
        found = next(condition for condition in plane_conditions(state) if condition.type == "Available")
        return found.status, found.reason

    assert available(PlaneState(True, True, True, False)) == ("False", "WaitingForAvailable")
    assert available(PlaneState(True, True, True, True)) == ("True", "AsExpected")
    connections = [
        condition
        for condition in plane_conditions(PlaneState(nodes=0))
        if condition.type.endswith("ConnectionAvailable")
    ]
    assert {(condition.status, condition.reason) for condition in connections} == {
        ("Unknown", "NoWorkerNodesAvailable")
    }


def test_what_the_version_says() -> None:
    entries = {
        "Failing": {"status": "False"},
        "Available": {"status": "True", "message": "Done applying 4.22.0"},
        "Progressing": {"status": "False", "message": "Cluster version is 4.22.0"},
    }
    found = {condition.type: condition.status for condition in version_conditions(PlaneState(version=entries))}
    assert found == {
        "ClusterVersionSucceeding": "True",
        "ClusterVersionAvailable": "True",
        "ClusterVersionProgressing": "False",
        "Progressing": "False",
        "Degraded": "False",
    }
    failing = {
        condition.type: condition.status
        for condition in version_conditions(PlaneState(version=entries | {"Failing": {"status": "True"}}))
    }
    assert (failing["ClusterVersionSucceeding"], failing["Degraded"]) == ("False", "True")
