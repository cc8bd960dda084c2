# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test BMAC, the controller between BareMetalHosts and Agents, step by step with the cases of upstream's own test.

Source: openshift/assisted-service internal/controller/controllers/bmh_agent_controller_test.go.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from ztlab.hub.bmac_agent import find_agent
from ztlab.hub.controller import Retry
from ztlab.hub.controllers.bare_metal_host import _delayed
from ztlab.hub.controllers.bmac import Visit
from ztlab.hub.controllers.preprovisioning import needs_image, normalized, outcome

BMAC = "bmac.agent-install.openshift.io"
DETACHED, PAUSED = "baremetalhost.metal3.io/detached", "baremetalhost.metal3.io/paused"
REMOVE, MANAGED = f"{BMAC}/remove-agent-and-node-on-delete", f"{BMAC}/allow-provisioned-host-management"
FINALIZER = f"{BMAC}/deprovision"
DETAILS = "inspect.metal3.io/hardwaredetails"
DISK = {"id": "b", "path": "/dev/sdb", "installationEligibility": {"eligible": True, "notEligibleReasons": []}}


def host(
    annotations: dict[str, str] | None = None,
    *,
    state: str = "provisioned",
    status: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    metadata = {
        "name": "bmh",
        "namespace": "n",
        "annotations": annotations or {},
        "labels": {"infraenvs.agent-install.openshift.io": "e"},
    }
    metadata |= {"finalizers": [FINALIZER], **more.pop("metadata", {})}
    bmc = {"address": "redfish://b/1", "credentialsName": "bmc", "disableCertificateVerification": True}
    spec = {"bootMACAddress": "02:00:00:00:00:AA", "bmc": bmc, **more}
    return {"metadata": metadata, "spec": spec, "status": {"provisioning": {"state": state}, **(status or {})}}


def agent(
    name: str = "a",
    created: str = "2026-01-01T00:00:00Z",
    *,
    stage: str = "",
    nics: bool = True,
    bound: str = "Bound",
    **spec: Any,
) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "n", "creationTimestamp": created}
    nic = {"name": "eno1", "macAddress": "02:00:00:00:00:aa", "ipV4Addresses": ["192.0.2.7/24"], "vendor": "Intel"}
    status = {
        "inventory": {"interfaces": [nic] if nics else [], "disks": [DISK], "hostname": "found"},
        "progress": {"currentStage": stage},
        "conditions": [{"type": "Bound", "reason": bound}],
    }
    return {"metadata": metadata, "spec": {"approved": False, "role": "", **spec}, "status": status}


def infra_env(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "e"},
        "spec": spec,
        "status": {"isoDownloadURL": "https://i/new.iso", "createdTime": "t"},
    }


def visit(
    bmh: dict[str, Any], own: dict[str, Any] | None = None, *, converged: bool = False, age: float = 61, **more: Any
) -> Visit:
    return Visit(
        bmh,
        own,
        more.get("infra_env", infra_env()),
        more.get("image"),
        more.get("secret"),
        lambda _text: age,
        converged,
    )


def annotations(seen: Visit) -> dict[str, str]:
    return dict(seen.host["metadata"]["annotations"])


SAME = {"image": {"url": "https://i/new.iso"}}


def test_the_newest_agent_of_a_mac_is_the_hosts() -> None:
    assert find_agent(host(), [agent("old"), agent("new", "2026-01-02T00:00:00Z")]) == agent(
        "new", "2026-01-02T00:00:00Z"
    )
    assert find_agent(host(bootMACAddress="02:00:00:00:00:bb"), [agent()]) is None


def test_an_agent_gets_what_its_host_says() -> None:
    provided = {
        f"{BMAC}/hostname": "w1",
        f"{BMAC}/role": "worker",
        f"{BMAC}/cluster-reference": "ns/spoke",
        f"{BMAC}.node-label.zone": "a",
        f"{BMAC}.agent-label.rack": "b",
    }
    seen = visit(host(provided, rootDeviceHints={"deviceName": "/dev/sdb"}, **SAME), agent(nodeLabels={"old": "x"}))
    seen.run()
    assert seen.agent is not None and seen.agent["spec"] == {
        "approved": True,
        "hostname": "w1",
        "role": "worker",
        "clusterDeploymentName": {"namespace": "ns", "name": "spoke"},
        "installation_disk_id": "b",
        "nodeLabels": {"zone": "a"},
    }
    assert seen.agent["metadata"]["labels"] == {"agent-install.openshift.io/bmh": "bmh", "rack": "b"}


def test_without_node_label_annotations_the_agent_has_no_node_labels() -> None:
    seen = visit(host(**SAME), agent(nodeLabels={"zone": "a"}))
    seen.run()
    assert seen.agent is not None and seen.agent["spec"]["nodeLabels"] == {}


@pytest.mark.parametrize(
    ("reference", "bound", "text"),
    [
        ("ns/spoke", True, "InfraEnv already has cluster reference ns/other"),
        ("spoke", False, "Parse of cluster reference spoke failed"),
        ("a/b/c", False, "Parse of cluster reference a/b/c failed"),
    ],
)
def test_a_cluster_reference_that_cannot_be(reference: str, bound: bool, text: str) -> None:
    provided = {f"{BMAC}/cluster-reference": reference, f"{BMAC}.node-label.zone": "a"}
    env = infra_env(**({"clusterRef": {"namespace": "ns", "name": "other"}} if bound else {}))
    own = agent(clusterDeploymentName={"namespace": "ns", "name": "other"})
    seen = visit(host(provided, **SAME), own, infra_env=env)
    with pytest.raises(Retry, match=text):
        seen.run()
    assert own["spec"]["clusterDeploymentName"]["name"] == "other" and "nodeLabels" not in own["spec"]


@pytest.mark.parametrize(("bound", "left"), [(False, False), (True, True)])
def test_an_empty_cluster_reference_unbinds_unless_the_infra_env_binds(bound: bool, left: bool) -> None:
    reference = {"namespace": "ns", "name": "spoke"}
    env = infra_env(**({"clusterRef": reference} if bound else {}))
    seen = visit(host({f"{BMAC}/cluster-reference": ""}, **SAME), agent(clusterDeploymentName=reference), infra_env=env)
    seen.run()
    assert seen.agent is not None and ("clusterDeploymentName" in seen.agent["spec"]) is left


@pytest.mark.parametrize(
    ("own", "details", "wanted"),
    [
        (agent(), None, True),
        (agent(nics=False), None, False),
        (agent(), {"hostname": "inspected"}, False),
    ],
)
def test_hardware_details_need_an_inventory(own: dict[str, Any], details: Any, wanted: bool) -> None:
    seen = visit(host(status={"hardwareDetails": details}, **SAME), own)
    seen.run()
    assert (DETAILS in annotations(seen)) is wanted
    if wanted:
        found = json.loads(annotations(seen)[DETAILS])
        assert (
            found["hostname"] == "found"
            and found["nics"][0]["ip"] == "192.0.2.7"
            and found["storage"][0]["name"] == "/dev/sdb"
        )


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_fencing_secrets() -> None:
    asked = {f"{BMAC}/create-fencing-credentials-secret": ""}
    secret = {"data": {"username": encoded("root"), "password": encoded("calvin")}}
    seen = visit(host(asked, **SAME), agent(), secret=secret)
    seen.run()
    expected = {"address": encoded("redfish://b/1"), "certificateVerification": encoded("Disabled"), **secret["data"]}
    assert seen.secret == ("a-fencing-credentials", expected)
    assert seen.agent is not None and seen.agent["spec"]["fencingCredentialsSecretRef"] == "a-fencing-credentials"
    named = visit(host({**asked, f"{BMAC}/fencing-credentials-secret-name": "mine"}, **SAME), agent(), secret=secret)
    named.run()
    assert (
        named.secret is None
        and named.agent is not None
        and named.agent["spec"]["fencingCredentialsSecretRef"] == "mine"
    )
    with pytest.raises(Retry, match='secrets "bmc" not found'):
        visit(host(asked, **SAME), agent()).run()


BY = "assisted-service-controller"
DELAY = '{"deleteAction":"delay"}'


@pytest.mark.parametrize(
    ("provided", "converged", "stage", "wanted"),
    [
        ({}, False, "Configuring", {}),
        ({}, False, "Joined", {DETACHED: BY}),
        ({REMOVE: ""}, False, "Joined", {DETACHED: BY}),
        ({MANAGED: ""}, False, "Joined", {DETACHED: BY}),
        ({}, True, "", {DETACHED: BY}),
        ({REMOVE: ""}, True, "", {DETACHED: DELAY}),
        ({REMOVE: "", DETACHED: BY}, True, "", {DETACHED: DELAY}),
        ({MANAGED: "", DETACHED: BY, PAUSED: BY}, True, "", {}),
        ({MANAGED: "", REMOVE: ""}, True, "", {DETACHED: DELAY}),
    ],
)
def test_who_is_detached(provided: dict[str, str], converged: bool, stage: str, wanted: dict[str, str]) -> None:
    seen = visit(
        host(provided, customDeploy={"method": "start_assisted_install"}, **SAME),
        agent(stage=stage),
        converged=converged,
    )
    seen.run()
    assert {name: value for name, value in annotations(seen).items() if name in (DETACHED, PAUSED)} == wanted


def test_a_detached_host_is_paused_with_its_status() -> None:
    seen = visit(host({DETACHED: BY}, status={"operationalStatus": "detached"}), agent(stage="Done"))
    seen.run()
    assert (
        annotations(seen)[PAUSED] == BY
        and json.loads(annotations(seen)["baremetalhost.metal3.io/status"])["operationalStatus"] == "detached"
    )
    moved = visit(host({PAUSED: BY, "baremetalhost.metal3.io/status": "{}"}, state=""), None)
    moved.run()
    assert PAUSED not in annotations(moved)


def test_a_host_that_unbinds_is_managed_again() -> None:
    provided = {DETACHED: BY, PAUSED: BY, DETAILS: "{}", "baremetalhost.metal3.io/status": "{}"}
    seen = visit(host(provided, **SAME), agent(stage="Done", bound="UnbindingPendingUserAction"))
    assert seen.run() is None
    assert annotations(seen) == {"baremetalhost.metal3.io/status": "{}"} and "image" not in seen.host["spec"]
    converged = visit(
        host(provided, customDeploy={"method": "x"}),
        agent(stage="Done", bound="UnbindingPendingUserAction"),
        converged=True,
    )
    converged.run()
    assert DETACHED not in annotations(converged) and "customDeploy" not in converged.host["spec"]


@pytest.mark.parametrize(
    ("state", "image", "age", "again", "wanted"),
    [
        ("available", None, 61, None, {"url": "https://i/new.iso", "format": "live-iso"}),
        ("available", None, 10, 51, None),
        ("provisioned", {"url": "https://i/old.iso"}, 61, None, None),
        ("provisioned", SAME["image"], 1, None, SAME["image"]),
    ],
)
def test_live_images(state: str, image: Any, age: float, again: float | None, wanted: Any) -> None:
    seen = visit(host(state=state, **({"image": image} if image else {})), None, age=age)
    assert seen.run() == again and seen.host["spec"].get("image") == wanted
    assert (
        annotations(seen)["inspect.metal3.io"] == "disabled"
        and seen.host["spec"]["automatedCleaningMode"] == "disabled"
    )


def test_inspection_that_a_user_chose_stays() -> None:
    seen = visit(host({"inspect.metal3.io": ""}, state="available"), None)
    seen.run()
    assert annotations(seen)["inspect.metal3.io"] == ""


LEAVING = {"deletionTimestamp": "t"}


def test_deletion_with_its_agent_waits_for_the_cleaning() -> None:
    own = agent(clusterDeploymentName={"namespace": "ns", "name": "spoke"})
    seen = visit(host({REMOVE: "", DETACHED: DELAY, PAUSED: BY}, metadata=LEAVING), own, converged=True)
    assert seen.run() == 10 and not seen.delete_agent
    assert (
        not annotations(seen).keys() & {DETACHED, PAUSED} and seen.host["spec"]["automatedCleaningMode"] == "metadata"
    )
    after = visit(host({REMOVE: ""}, state="deleting", metadata=LEAVING), own, converged=True)
    assert after.run() is None and after.delete_agent and after.host["metadata"]["finalizers"] == []


def test_deletion_without_it_keeps_the_agent() -> None:
    seen = visit(host({DETACHED: BY, PAUSED: BY}, metadata=LEAVING), agent())
    seen.run()
    assert not seen.delete_agent and seen.host["metadata"]["finalizers"] == [] and PAUSED in annotations(seen)
    again = visit(host({DETACHED: BY, PAUSED: BY}, metadata={**LEAVING, "finalizers": []}), agent())
    again.run()
    assert PAUSED not in annotations(again) and DETACHED in annotations(again)


def test_an_operator_delays_the_deletion_of_a_detached_host() -> None:
    assert _delayed({DETACHED: DELAY})
    assert not _delayed({DETACHED: BY}) and not _delayed({DETACHED: "[]"}) and not _delayed({})


@pytest.mark.parametrize(
    ("mode", "metadata", "state", "wanted"),
    [
        ("disabled", {}, "provisioned", False),
        ("metadata", {}, "provisioned", True),
        ("metadata", LEAVING, "deprovisioning", True),
        ("metadata", LEAVING, "powering off before delete", False),
        ("metadata", LEAVING, "deleting", False),
    ],
)
def test_an_image_stays_while_its_host_is_cleaned(
    mode: str, metadata: dict[str, str], state: str, wanted: bool
) -> None:
    assert needs_image(host(automatedCleaningMode=mode, state=state, metadata=metadata)) is wanted


def test_two_names_of_one_architecture() -> None:
    assert normalized("aarch64") == normalized("arm64") and normalized("amd64") == normalized("x86_64")
    spec = {"acceptFormats": ["iso"], "architecture": "aarch64"}
    env = {
        **infra_env(cpuArchitecture="arm64"),
        "status": {"createdTime": "t", "conditions": [{"type": "ImageCreated", "status": "True", "reason": "r"}]},
    }
    assert outcome(spec, env, ("n", "e"), lambda _text: 61)[0][0].reason == "r"
    found = outcome({**spec, "architecture": "x86_64"}, env, ("n", "e"), lambda _text: 61)[0][0]
    assert found.message == (
        "PreprovisioningImage CPU architecture (x86_64) does not match InfraEnv CPU architecture (arm64)"
    )
