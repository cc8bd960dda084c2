# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test planning BareMetalHosts and their Secrets from module options: the CRDs accept them, fields that controllers
write are kept, a deletion loses no machine of a cluster, and a second run changes nothing.
"""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agent
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts.desired import (
    credentials,
    read_requested,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.bare_metal_hosts.plan import (
    ObservedBareMetalHosts,
    plan_absent,
    plan_present,
    replan,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import (
    MANAGED_BY,
    OURS,
    WriteOutcome,
    diff_of,
    merged,
)
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions

PASSWORD = "calvin-and-hobbes"
INFRA_ENV = {"metadata": {"name": "site", "namespace": "lab"}, "spec": {}}
BMAC = "bmac.agent-install.openshift.io"


def host(name: str = "worker-0", **more: Any) -> dict[str, Any]:
    number = int(name[-1])
    bmc = {
        "address": f"redfish-virtualmedia+https://192.0.2.1{number}/redfish/v1/Systems/1",
        "username": "root",
        "password": PASSWORD,
    }
    return {
        "name": name,
        "boot_mac_address": f"52:54:00:00:00:0{number}",
        "bmc": {**bmc, **more.pop("bmc", {})},
        **more,
    }


def options(*hosts: dict[str, Any]) -> dict[str, Any]:
    return {"namespace": "lab", "infra_env_name": "site", "hosts": list(hosts)}


FULL = host(
    hostname="worker-0.example.com",
    role="worker",
    root_device_hints={"deviceName": "/dev/sda", "minSizeGigabytes": 100, "rotational": False},
    node_labels={"rack": "1", "gone": None},
    agent_labels={"site": "a"},
    machine_config_pool="infra",
    installer_args=["--append-karg", "x"],
    ignition_config_overrides={"ignition": {"version": "3.2.0"}},
    cluster={"name": "edge"},
    boot_mode="UEFISecureBoot",
)


def applied(observed: ObservedBareMetalHosts, plan: Any) -> ObservedBareMetalHosts:
    """What is there once a plan was carried out."""
    hosts, secrets = dict(observed.hosts), dict(observed.secrets)
    for change in plan.changes:
        target = hosts if change.resource.kind == "BareMetalHost" else secrets
        if change.resource.kind == "Namespace":
            continue
        if change.verb == "delete":
            target.pop(change.name)
        else:
            target[change.name] = merged(target.get(change.name) if change.verb == "patch" else {}, change.body)
    return ObservedBareMetalHosts(hosts, secrets, observed.infra_env, observed.agents, True)


def settled(wanted: dict[str, Any]) -> ObservedBareMetalHosts:
    return applied(
        ObservedBareMetalHosts(infra_env=INFRA_ENV),
        plan_present(read_requested(wanted), ObservedBareMetalHosts(infra_env=INFRA_ENV)),
    )


def again(wanted: dict[str, Any], observed: ObservedBareMetalHosts) -> Any:
    return plan_present(read_requested(wanted), observed)


def lines(plan: Any) -> list[str]:
    return [change.describe() for change in plan.changes]


def refused(wanted: dict[str, Any], observed: ObservedBareMetalHosts) -> str:
    with pytest.raises(InvalidInput) as caught:
        again(wanted, observed)
    return str(caught.value)


def agent(name: str, cluster: bool = True, state: str = "installing", **more: Any) -> Any:
    spec = {"clusterDeploymentName": {"name": "edge", "namespace": "lab"}} if cluster else {}
    labels = {"agent-install.openshift.io/bmh": name}
    return read_agent(
        {
            "metadata": {"name": f"a-{name}", "namespace": "lab", "labels": labels, **more},
            "spec": spec,
            "status": {"debugInfo": {"state": state}},
        }
    )


class TestPresent:
    def test_every_option_gets_to_its_place(self) -> None:
        observed = settled(options(FULL))
        made = observed.hosts["worker-0"]
        assert made["spec"] == {
            "online": True,
            "bootMACAddress": "52:54:00:00:00:00",
            "bootMode": "UEFISecureBoot",
            "automatedCleaningMode": "disabled",
            "bmc": {
                "address": "redfish-virtualmedia+https://192.0.2.10/redfish/v1/Systems/1",
                "credentialsName": "worker-0-bmc-secret",
                "disableCertificateVerification": False,
            },
            "rootDeviceHints": {"deviceName": "/dev/sda", "minSizeGigabytes": 100, "rotational": False},
        }
        assert made["metadata"]["labels"] == {"infraenvs.agent-install.openshift.io": "site", MANAGED_BY: OURS}
        assert made["metadata"]["annotations"] == {
            f"{BMAC}/hostname": "worker-0.example.com",
            f"{BMAC}/role": "worker",
            f"{BMAC}/machine-config-pool": "infra",
            f"{BMAC}/installer-args": '["--append-karg", "x"]',
            f"{BMAC}/ignition-config-overrides": '{"ignition": {"version": "3.2.0"}}',
            f"{BMAC}/cluster-reference": "lab/edge",
            f"{BMAC}.agent-label.site": "a",
            f"{BMAC}.node-label.rack": "1",
        }
        secret = observed.secrets["worker-0-bmc-secret"]
        assert {key: base64.b64decode(value).decode() for key, value in secret["data"].items()} == {
            "username": "root",
            "password": PASSWORD,
        }
        assert (secret["type"], secret["metadata"]["labels"]) == ("Opaque", {MANAGED_BY: OURS})

    def test_secrets_before_hosts_namespace_first(self) -> None:
        plan = plan_present(
            read_requested(options(host("worker-0"), host("worker-1"))),
            ObservedBareMetalHosts(infra_env=INFRA_ENV, namespace=False),
        )
        assert [[change.resource.kind for change in stage] for stage in plan.stages] == [
            ["Namespace"],
            ["Secret"] * 2,
            ["BareMetalHost"] * 2,
        ]

    @pytest.mark.parametrize("wanted", [FULL, host()], ids=["full", "least"])
    def test_twice_is_once(self, wanted: dict[str, Any]) -> None:
        assert again(options(wanted), settled(options(wanted))).changes == ()

    def test_what_controllers_write_stays(self) -> None:
        """BMAC in its legacy flow, baremetal-operator, and a user with another spelling."""
        observed = settled(options(FULL))
        made = copy.deepcopy(observed.hosts["worker-0"])
        made["metadata"]["annotations"] |= {
            "inspect.metal3.io": "disabled",
            "baremetalhost.metal3.io/detached": "assisted-service-controller",
            "baremetalhost.metal3.io/paused": "assisted-service-controller",
            "inspect.metal3.io/hardwaredetails": "{}",
            f"{BMAC}/installer-args": '["--append-karg","x"]',
        }
        made["metadata"] |= {"finalizers": ["bmac.agent-install.openshift.io/deprovision"]}
        made["metadata"]["labels"]["cluster.open-cluster-management.io/backup"] = "cluster-activation"
        made["spec"] |= {
            "image": {"url": "https://images/x", "format": "live-iso"},
            "automatedCleaningMode": "metadata",
            "bootMACAddress": "52:54:00:00:00:00".upper(),
        }
        made["spec"]["bmc"]["address"] = "redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1"
        del made["spec"]["bmc"]["disableCertificateVerification"]
        made["status"] = {"provisioning": {"state": "provisioned"}, "operationalStatus": "detached"}
        assert (
            lines(again(options(FULL), ObservedBareMetalHosts({"worker-0": made}, observed.secrets, INFRA_ENV))) == []
        )

    def test_one_patch_with_the_reasons(self) -> None:
        observed = settled(options(FULL))
        changed = {
            **FULL,
            "role": "master",
            "node_labels": {"row": "2"},
            "root_device_hints": {"deviceName": "/dev/sdb"},
            "cluster": None,
            "unbind": True,
        }
        (change,) = again(options(changed), observed).changes
        assert change.body == {
            "metadata": {
                "annotations": {
                    f"{BMAC}/role": "master",
                    f"{BMAC}/cluster-reference": "",
                    f"{BMAC}.node-label.row": "2",
                    f"{BMAC}.node-label.rack": None,
                }
            },
            "spec": {"rootDeviceHints": {"deviceName": "/dev/sdb", "minSizeGigabytes": None, "rotational": None}},
        }
        assert f"metadata.annotations.{BMAC}/role: 'worker' -> 'master'" in change.reasons
        assert again(options(changed), applied(observed, again(options(changed), observed))).changes == ()

    def test_what_is_not_said_is_left_alone(self) -> None:
        assert lines(again(options(host()), settled(options(FULL)))) == []

    def test_a_new_password_is_one_change_and_is_not_shown(self) -> None:
        observed = settled(options(host()))
        wanted = options(host(bmc={"password": "another-password"}))
        (change,) = again(wanted, observed).changes
        assert change.describe() == "patch Secret lab/worker-0-bmc-secret: data.password: differs"
        shown = json.dumps(diff_of([WriteOutcome(change, changed=True)])) + repr(change) + repr(read_requested(wanted))
        assert not [secret for secret in credentials(wanted["hosts"]) if secret in shown]

    def test_the_url_of_a_web_interface(self) -> None:
        observed = settled(options(host(bmc={"address": "https://192.0.2.10", "validate_certs": False})))
        assert observed.hosts["worker-0"]["spec"]["bmc"]["address"] == "redfish-virtualmedia+https://192.0.2.10"
        assert observed.hosts["worker-0"]["spec"]["bmc"]["disableCertificateVerification"] is True

    def test_a_certificate_that_cannot_be_handed_on(self) -> None:
        plan = again(options(host(bmc={"fingerprint": "ab" * 32})), ObservedBareMetalHosts(infra_env=INFRA_ENV))
        assert "has no place for bmc.fingerprint" in plan.warnings[0]

    def test_an_infra_env_that_is_not_there_yet(self) -> None:
        assert "InfraEnv lab/site does not exist" in again(options(host()), ObservedBareMetalHosts()).warnings[0]

    def test_conflicts_are_planned_again(self) -> None:
        requested, observed = read_requested(options(FULL)), settled(options(FULL))
        secret, made = plan_present(requested, ObservedBareMetalHosts(infra_env=INFRA_ENV)).changes
        assert (
            replan(requested, made, observed.hosts["worker-0"]) is None
            and replan(requested, secret, observed.secrets["worker-0-bmc-secret"]) is None
        )
        assert replan(requested, made, None).verb == "create"

    @pytest.mark.parametrize("wanted", [FULL, host()], ids=["full", "minimal"])
    def test_the_definition_takes_it(self, wanted: dict[str, Any]) -> None:
        assert definitions.faults(settled(options(wanted)).hosts["worker-0"]) == []


class TestRefusals:
    @pytest.mark.parametrize(
        ("wanted", "words"),
        [
            ({"name": "Worker_0"}, "hosts[0].name: Invalid value: Worker_0: is no name for a BareMetalHost"),
            ({"boot_mac_address": None}, "hosts[0].boot_mac_address: Required value"),
            ({"boot_mac_address": "52:54"}, "hosts[0].boot_mac_address: Invalid value: 52:54: is not a MAC address"),
            ({"bmc": None}, "hosts[0].bmc: Required value: the hub boots the machine through its BMC"),
            ({"bmc": {"address": "ipmi://192.0.2.10"}}, "hosts[0].bmc.username: Required value"),
            ({"hostname": "Worker"}, "hosts[0].hostname: Invalid value"),
            ({"root_device_hints": {"devicename": "/dev/sda"}}, "hosts[0].root_device_hints.devicename: Unknown field"),
            ({"cluster": {"name": "edge"}, "unbind": True}, "cluster and unbind exclude each other"),
            ({"node_labels": {"a b": "c"}}, "hosts[0].node_labels[a b]: Invalid value: is not a label key"),
        ],
    )
    def test_mistakes_that_need_no_hub(self, wanted: dict[str, Any], words: str) -> None:
        with pytest.raises(InvalidInput) as caught:
            read_requested(options({**host(), **wanted}))
        assert words in str(caught.value) and PASSWORD not in str(caught.value)

    def test_two_hosts_with_one_mac(self) -> None:
        with pytest.raises(InvalidInput, match=r"hosts\[1\].boot_mac_address: Duplicate value"):
            read_requested(options(host("worker-0"), {**host("worker-1"), "boot_mac_address": "52:54:00:00:00:00"}))

    def test_other_tools_objects(self) -> None:
        observed = settled(options(host()))
        foreign = copy.deepcopy(observed.hosts["worker-0"])
        foreign["metadata"]["labels"] = {}
        secret = {
            **observed.secrets["worker-0-bmc-secret"],
            "metadata": {"name": "worker-0-bmc-secret", "namespace": "lab"},
            "data": {"username": "eA=="},
        }
        text = refused(options(host()), ObservedBareMetalHosts({"worker-0": foreign}, {}, INFRA_ENV))
        assert (
            "BareMetalHost lab/worker-0 exists, and is of another owner" in text
            and "its owner boots this machine" in text
        )
        assert "Secret lab/worker-0-bmc-secret exists with other values" in refused(
            options(host()), ObservedBareMetalHosts({}, {"worker-0-bmc-secret": secret}, INFRA_ENV)
        )

    def test_one_of_our_infra_env_that_another_client_made_is_kept_up(self) -> None:
        observed = settled(options(host()))
        theirs = copy.deepcopy(observed.hosts["worker-0"])
        del theirs["metadata"]["labels"][MANAGED_BY]
        (change,) = again(
            options(host(role="worker")), ObservedBareMetalHosts({"worker-0": theirs}, observed.secrets, INFRA_ENV)
        ).changes
        assert MANAGED_BY not in json.dumps(change.body)

    def test_a_boot_mac_is_without_end_and_for_one(self) -> None:
        observed = settled(options(host("worker-0"), host("worker-1")))
        other = {**host("worker-0"), "boot_mac_address": "52:54:00:00:00:09"}
        assert "cannot be changed once it is set" in refused(options(other), observed)
        twin = {**host("worker-2"), "boot_mac_address": "52:54:00:00:00:01"}
        assert "is also that of BareMetalHost lab/worker-1" in refused(options(twin), observed)

    @pytest.mark.parametrize(
        ("state", "fine"), [("", True), ("registering", True), ("available", False), ("provisioned", False)]
    )
    def test_another_bmc(self, state: str, fine: bool) -> None:
        observed = settled(options(host()))
        made = {**observed.hosts["worker-0"], "status": {"provisioning": {"state": state}}}
        wanted, there = (
            options(host(bmc={"address": "idrac-virtualmedia://192.0.2.99"})),
            ObservedBareMetalHosts({"worker-0": made}, observed.secrets, INFRA_ENV),
        )
        if fine:
            assert "spec.bmc.address" in lines(again(wanted, there))[0]
        else:
            assert (
                "cannot be changed from redfish-virtualmedia+https://192.0.2.10/redfish/v1/Systems/1 while it is "
                f"{state}"
            ) in refused(wanted, there)

    def test_a_cluster_beside_early_binding(self) -> None:
        early = {**INFRA_ENV, "spec": {"clusterRef": {"name": "edge", "namespace": "lab"}}}
        assert "binds its hosts to lab/edge" in refused(
            options(host(cluster={"name": "edge"})), ObservedBareMetalHosts(infra_env=early)
        )
        assert again(options(host()), ObservedBareMetalHosts(infra_env=early)).changes

    def test_one_that_is_being_deleted(self) -> None:
        observed = settled(options(host()))
        observed.hosts["worker-0"]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        assert "is being deleted (run again when it is deleted)" in refused(options(host()), observed)


class TestAbsent:
    def test_the_credentials_outlive_the_host(self) -> None:
        plan = plan_absent(["worker-0"], "lab", settled(options(host("worker-0"), host("worker-1"))))
        assert [[(change.verb, change.resource.kind, change.name) for change in stage] for stage in plan.stages] == [
            [("delete", "BareMetalHost", "worker-0")],
            [("delete", "Secret", "worker-0-bmc-secret")],
        ]

    def test_leftovers_of_an_interrupted_run(self) -> None:
        observed = settled(options(host()))
        assert lines(plan_absent(["worker-0"], "lab", ObservedBareMetalHosts({}, observed.secrets))) == [
            "delete Secret lab/worker-0-bmc-secret: its BareMetalHost must not exist"
        ]
        assert plan_absent(["worker-0"], "lab", ObservedBareMetalHosts()).changes == ()

    def test_only_what_is_ours(self) -> None:
        observed = settled(options(host()))
        del observed.secrets["worker-0-bmc-secret"]["metadata"]["labels"]
        plan = plan_absent(["worker-0"], "lab", observed)
        assert lines(plan) == ["delete BareMetalHost lab/worker-0: it must not exist"]
        assert plan.stays == ("Secret lab/worker-0-bmc-secret was not created by this collection",)
        del observed.hosts["worker-0"]["metadata"]["labels"][MANAGED_BY]
        with pytest.raises(InvalidInput, match="was not created by this collection, and is not changed"):
            plan_absent(["worker-0"], "lab", observed)

    def test_a_secret_that_another_host_uses(self) -> None:
        observed = settled(options(host("worker-0"), host("worker-1")))
        observed.hosts["worker-1"]["spec"]["bmc"]["credentialsName"] = "worker-0-bmc-secret"
        plan = plan_absent(["worker-0"], "lab", observed)
        assert (
            plan.stays == ("Secret lab/worker-0-bmc-secret is used by BareMetalHost worker-1",)
            and len(plan.changes) == 1
        )

    @pytest.mark.parametrize(
        ("annotations", "bound", "words"),
        [
            ({}, True, "the machine would be switched off"),
            ({}, False, ""),
            ({"baremetalhost.metal3.io/detached": "assisted-service-controller"}, True, ""),
            (
                {
                    "baremetalhost.metal3.io/detached": "x",
                    "bmac.agent-install.openshift.io/remove-agent-and-node-on-delete": "",
                },
                True,
                "would have the Node deleted as well",
            ),
        ],
    )
    def test_no_machine_of_a_cluster_is_lost(self, annotations: dict[str, str], bound: bool, words: str) -> None:
        observed = settled(options(host()))
        observed.hosts["worker-0"]["metadata"]["annotations"] |= annotations
        there = ObservedBareMetalHosts(
            observed.hosts, observed.secrets, None, (agent("worker-0", bound), agent("worker-7"))
        )
        if words:
            with pytest.raises(InvalidInput, match=words):
                plan_absent(["worker-0"], "lab", there)
        else:
            assert len(plan_absent(["worker-0"], "lab", there).changes) == 2

    def test_a_reference_to_a_cluster_that_is_gone_blocks_no_host(self) -> None:
        unbound = agent("worker-0")
        unbound.raw["status"]["conditions"] = [{"type": "Bound", "status": "False", "reason": "Unbound", "message": ""}]
        observed = settled(options(host()))
        assert (
            len(
                plan_absent(
                    ["worker-0"], "lab", ObservedBareMetalHosts(observed.hosts, observed.secrets, None, (unbound,))
                ).changes
            )
            == 2
        )

    def test_a_deletion_concerns_exactly_this_object(self) -> None:
        observed = settled(options(host()))
        observed.hosts["worker-0"]["metadata"]["uid"] = "one"
        change = plan_absent(["worker-0"], "lab", observed).changes[0]
        now = copy.deepcopy(observed.hosts["worker-0"])
        assert replan(None, change, now).verb == "delete"
        now["metadata"]["uid"] = "another"
        assert replan(None, change, now) is None and replan(None, change, None) is None
