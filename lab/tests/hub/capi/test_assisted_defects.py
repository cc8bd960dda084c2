# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the lab has the defects of OpenShift Assisted's providers: one test for each row of docs/lab-scope.md."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.capi.assisted import ignition
from ztlab.hub.capi.assisted.capabilities import Invalid, capability_override, combined
from ztlab.hub.capi.assisted.config import ignition_url
from ztlab.hub.capi.assisted.releases import NotFound, architecture, released, resolve, tag_image, too_old
from ztlab.hub.capi.assisted.replicas import next_domain, to_remove
from ztlab.hub.client import Refused
from ztlab.hub.names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    INFRA_ENV,
    NAMESPACE,
    SECRET,
    Kind,
    Object,
)

from .assisted import CONFIG, CORE, Scene, condition_of, scene

OLD = "v1beta1Conditions"


def play(tmp_path: Path, story: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    async def flow() -> None:
        async with scene(tmp_path) as stage:
            await story(stage)

    asyncio.run(asyncio.wait_for(flow(), 600))


def failures(stage: Scene, name: str, key: tuple[str, str]) -> int:
    """How often in a row a controller failed with an object."""
    operators = stage.rig.hub.operators
    assert operators is not None
    return next(item for item in operators.controllers if item.name == name)._failures.get(key, 0)


async def fails(stage: Scene, name: str, key: tuple[str, str]) -> None:
    while failures(stage, name, key) < 3:
        await asyncio.sleep(0.05)


def test_d1_a_cluster_name_of_its_own_keeps_every_config_waiting(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.cluster()
        await stage.plane(config={"clusterName": "other"})
        (machine,) = await stage.machines(1)
        name = machine["metadata"]["name"]
        deployment = await stage.rig.until(CLUSTER_DEPLOYMENT, "c1", lambda item: True)
        assert deployment["metadata"]["labels"]["cluster.x-k8s.io/cluster-name"] == "other"
        waiting = ("False", "WaitingForAssistedInstaller")
        await stage.rig.until(CORE.config, name, lambda item: condition_of(item, "DataSecretAvailable", OLD) == waiting)
        await fails(stage, "openshiftassistedconfig", ("edge", name))
        assert await stage.rig.client.get(INFRA_ENV, name, "edge") is None

    play(tmp_path, story)


def test_d2_d10_equal_names_in_two_namespaces_block_each_other(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await rig.create(NAMESPACE, "other")
        secret = await rig.get(SECRET, "pull-secret")
        await rig.create(SECRET, "pull-secret", namespace="other", type=secret["type"], data=secret["data"])
        for namespace in ("edge", "other"):
            await stage.cluster(namespace=namespace)
            await stage.plane(namespace=namespace, distributionVersion="4.22.0" if namespace == "edge" else "4.21.0")
        for namespace in ("edge", "other"):
            await rig.until(CLUSTER_DEPLOYMENT, "c1", lambda item: True, namespace=namespace)
        (machine,) = await stage.machines(1, namespace="other")
        name = machine["metadata"]["name"]
        await fails(stage, "openshiftassistedconfig", ("other", name))
        images = set()
        for _look in range(100):
            item = await rig.client.get(CLUSTER_IMAGE_SET, "c1")
            images.add(item["spec"]["releaseImage"] if item else "")
            if len(images - {""}) > 1:
                return
            await rig.patch(
                CORE.control_plane,
                "c1",
                {"metadata": {"annotations": {"look": str(_look)}}},
                namespace=("edge", "other")[_look % 2],
            )
            await asyncio.sleep(0.1)
        raise AssertionError(f"one ClusterImageSet of two control planes keeps {images}")

    play(tmp_path, story)


def test_d4_a_release_that_does_not_exist_is_retried_without_its_own_condition(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.cluster()
        await stage.plane(distributionVersion="4.22.0-nightly")
        await fails(stage, "openshiftassistedcontrolplane", ("edge", "c1"))
        plane = await stage.rig.get(CORE.control_plane, "c1")
        assert condition_of(plane, "UpgradeAvailable") == ("", "")
        assert condition_of(plane, "KubernetesVersionAvailable") == ("False", "KubernetesVersionUnavailable")
        assert await stage.machines(0) == []

    play(tmp_path, story)


def test_the_spec_of_a_config_never_changes(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.rig.create(CORE.config, "w", {"sshAuthorizedKey": "one"})
        await stage.rig.patch(CORE.config, "w", {"metadata": {"labels": {"a": "b"}}})
        with pytest.raises(Refused, match="spec is immutable"):
            await stage.rig.patch(CORE.config, "w", {"spec": {"sshAuthorizedKey": "another"}})

    play(tmp_path, story)


def test_d5_an_os_image_version_breaks_the_infra_env(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.cluster()
        await stage.plane(openshiftAssistedConfigSpec={**CONFIG, "osImageVersion": "4.22"})
        (machine,) = await stage.machines(1)
        failed = ("False", "InfraEnvFailed")
        await stage.rig.until(
            CORE.config,
            machine["metadata"]["name"],
            lambda item: condition_of(item, "DataSecretAvailable", OLD) == failed,
        )

    play(tmp_path, story)


def scripts(spec: Object) -> dict[str, str]:
    """Path -> text of the files for the installed system."""
    files = json.loads(ignition.for_installation(spec))["storage"].get("files") or []
    return {entry["path"]: base64.b64decode(entry["contents"]["source"].rpartition(",")[2]).decode() for entry in files}


def test_d6_the_path_of_the_kubeconfig_has_no_effect() -> None:
    texts = [
        scripts({"postBootstrapCommands": ["true"], **more})["/usr/local/bin/capoa-post-bootstrap.sh"]
        for more in ({}, {"postBootstrapKubeconfigPath": "/x"})
    ]
    assert texts[0] == texts[1]
    assert "/var/lib/kubelet/kubeconfig" in texts[0]


def test_d7_several_labels_come_in_changing_order() -> None:
    spec = {"nodeRegistration": {"kubeletExtraLabels": ["a=1", "b=2", "c=$X", "dropped"]}}
    found = {scripts(spec)["/usr/local/bin/kubelet_custom_labels"] for _number in range(60)}
    assert len(found) > 1
    assert all("dropped" not in text and "c=${X}" in text for text in found)
    assert (
        len({ignition.for_installation({"nodeRegistration": {"kubeletExtraLabels": ["a=1"]}}) for _number in range(20)})
        == 1
    )


def test_d8_a_second_control_plane_without_pull_secret_fails(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane(config={"pullSecretRef": None})
        first = await rig.until(CORE.control_plane, "c1", lambda item: item["spec"]["config"].get("pullSecretRef"))
        assert first["spec"]["config"]["pullSecretRef"] == {"name": "placeholder-pull-secret"}
        await stage.cluster("c2")
        await stage.plane("c2", config={"pullSecretRef": None})
        await fails(stage, "openshiftassistedcontrolplane", ("edge", "c2"))
        assert await rig.client.get(CLUSTER_DEPLOYMENT, "c2", "edge") is None

    play(tmp_path, story)


def test_d11_the_kubeconfig_is_copied_once(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane()
        install = await rig.until(CLUSTER_INSTALL, "c1", lambda item: item["metadata"].get("finalizers"))
        await rig.create(SECRET, "admin", data={"kubeconfig": base64.b64encode(b"first").decode()})
        metadata = {"clusterID": "a", "infraID": "b", "adminKubeconfigSecretRef": {"name": "admin"}}
        await rig.patch(CLUSTER_INSTALL, install["metadata"]["name"], {"spec": {"clusterMetadata": metadata}})
        copy = await rig.until(SECRET, "c1-kubeconfig", lambda item: item.get("data"))
        assert base64.b64decode(copy["data"]["value"]) == b"first"
        await rig.until(CORE.control_plane, "c1", lambda item: condition_of(item, "KubeconfigAvailable")[0] == "True")
        await rig.patch(SECRET, "admin", {"data": {"kubeconfig": base64.b64encode(b"second").decode()}})
        await rig.patch(CLUSTER_INSTALL, "c1", {"metadata": {"annotations": {"look": "again"}}})
        await asyncio.sleep(1.0)
        assert base64.b64decode((await rig.get(SECRET, "c1-kubeconfig"))["data"]["value"]) == b"first"

    play(tmp_path, story)


def test_d13_replace_becomes_a_flag_that_the_service_refuses() -> None:
    from ztlab.service.hosts import INSTALLER_FLAGS

    words = json.loads(ignition.kernel_arguments({"kernelArguments": [{"operation": "replace", "value": "a=b"}]}))
    assert words == ["--replace-karg", "a=b"]
    assert words[0] not in INSTALLER_FLAGS
    assert ignition.kernel_arguments({}) == "[]"


def test_d15_a_pool_without_number_stops_the_installation(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.cluster()
        await stage.pool(replicas=None)
        await stage.plane()
        await fails(stage, "openshift assisted clusterdeployment", ("edge", "c1"))
        assert await stage.rig.client.get(CLUSTER_INSTALL, "c1", "edge") is None

    play(tmp_path, story)


@pytest.mark.parametrize("method", ["replace", "patch"])
def test_d16_a_conflict_of_two_controllers_is_an_error_and_retried(
    tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both controllers write the status of a control plane: that of AgentClusterInstalls replaces it, the control
    plane's own merges into it. Nothing of the other one is lost.
    """

    async def story(stage: Scene) -> None:
        rig = stage.rig
        assert rig.hub.operators is not None
        client = rig.hub.operators.world.client
        write, refusals = getattr(client, method), list[int]()

        async def late(kind: Kind, *arguments: Any, subresource: str = "") -> Object:
            """Another write comes before the first one of a status."""
            if kind == CORE.control_plane and subresource == "status" and not refusals:
                status = {"status": {"distributionVersion": "4.22.9"}}
                await rig.client.patch(kind, "c1", "edge", status, subresource="status")
                try:
                    written: Object = await write(kind, *arguments, subresource=subresource)
                except Refused as error:
                    refusals.append(error.code)
                    raise
                return written
            answer: Object = await write(kind, *arguments, subresource=subresource)
            return answer

        monkeypatch.setattr(client, method, late)
        await stage.cluster()
        await stage.plane()
        done = {"MachinesReady", "KubeconfigAvailable", "Available"}
        found = await rig.until(
            CORE.control_plane, "c1", lambda item: all(condition_of(item, name)[0] for name in done)
        )
        assert refusals == [409] and found["status"]["distributionVersion"] == "4.22.9"

    play(tmp_path, story)


def test_d17_agents_of_others_are_errors(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        await stage.rig.create(AGENT, "stray", {"approved": False, "role": ""})
        await fails(stage, "openshift assisted agent", ("edge", "stray"))

    play(tmp_path, story)


def test_d18_outdated_machines_are_reported_only(tmp_path: Path) -> None:
    async def story(stage: Scene) -> None:
        rig = stage.rig
        await stage.cluster()
        await stage.plane()
        (machine,) = await stage.machines(1)
        await rig.patch(
            CORE.control_plane, "c1", {"spec": {"openshiftAssistedConfigSpec": {"sshAuthorizedKey": "another"}}}
        )
        await rig.until(
            CORE.machine,
            machine["metadata"]["name"],
            lambda item: condition_of(item, "UpToDate") == ("False", "NotUpToDate"),
        )
        assert [item["metadata"]["uid"] for item in await stage.machines(1)] == [machine["metadata"]["uid"]]

    play(tmp_path, story)


def test_d19_members_of_newer_specifications_are_lost_with_a_name() -> None:
    newer = json.dumps(
        {
            "ignition": {"version": "3.4.0"},
            "kernelArguments": {"shouldExist": ["a"]},
            "storage": {"luks": [], "files": []},
        }
    ).encode()
    assert ignition.for_discovery(newer, {}) == newer
    read = json.loads(ignition.for_discovery(newer, {"nodeRegistration": {"name": "$METADATA_NAME"}}))
    assert "kernelArguments" not in read
    assert "luks" not in read["storage"]
    assert read["ignition"]["version"] == "3.4.0"


# rules without a hub


def test_versions_and_images() -> None:
    assert [too_old(text) for text in ("4.13.9", "4.14.0-rc.1", "4.14.0", "5.0.0", "latest")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [released(text) for text in ("4.20.0", "4.20.0-rc.1", "4.20.0-okd-scos.3", "4.20.0-0.okd-scos-2025")] == [
        True,
        False,
        True,
        False,
    ]
    assert [architecture(found) for found in ([], ["x86_64"], ["x86_64", "aarch64"], ["", ""])] == [
        "multi",
        "x86_64",
        "multi",
        "multi",
    ]
    assert tag_image("4.20.0-okd-scos.3", "x86_64") == "quay.io/okd/scos-release:4.20.0-okd-scos.3"
    assert tag_image("4.20.0", "multi", "mirror.example.com/r") == "mirror.example.com/r:4.20.0-multi"
    known: dict[str, str] = {}
    digest = resolve("mirror.example.com:5000/r:4.20.0-multi", known)
    assert digest.startswith("mirror.example.com:5000/r@sha256:")
    assert known == {digest: "4.20.0"}
    with pytest.raises(NotFound):
        resolve("quay.io/openshift-release-dev/ocp-release:4.20-x86_64", known)


def test_capabilities() -> None:
    assert capability_override({}, bare_metal=False) == ""
    assert json.loads(capability_override({}, bare_metal=True))["capabilities"]["baselineCapabilitySet"] == "None"
    plain = json.loads(
        capability_override({"additionalEnabledCapabilities": ["MachineAPI", "MachineAPI"]}, bare_metal=False)
    )
    assert plain == {
        "capabilities": {"baselineCapabilitySet": "vCurrent", "additionalEnabledCapabilities": ["MachineAPI"]}
    }
    assert (
        "machineapi"
        not in capability_override({"additionalEnabledCapabilities": ["machineapi"]}, bare_metal=True).lower()
    )
    with pytest.raises(Invalid, match="Got: \\[v4\\]"):
        capability_override({"baselineCapability": "v4"}, bare_metal=True)
    assert combined('{"a":1}', "") == '{"a":1}'
    assert json.loads(combined('{"capabilities":{"x":1},"b":2}', '{"capabilities":{"y":1}}')) == {
        "capabilities": {"y": 1},
        "b": 2,
    }


def _machine(name: str, domain: str, created: str, **annotations: str) -> Object:
    return {
        "metadata": {"name": name, "creationTimestamp": created, "annotations": annotations},
        "spec": {"failureDomain": domain},
    }


def test_failure_domains() -> None:
    machines = [_machine("a", "x", "3"), _machine("b", "x", "1"), _machine("c", "y", "2")]
    assert next_domain(["x", "y"], machines) == "y"
    assert next_domain([], machines) == ""
    removed = to_remove(["x", "y"], machines)
    assert removed is not None
    assert removed["metadata"]["name"] == "b"
    assert to_remove([], machines) is None
    marked = [*machines[:2], _machine("c", "y", "2", **{"cluster.x-k8s.io/delete-machine": ""})]
    removed = to_remove(["x", "y"], marked)
    assert removed is not None
    assert removed["metadata"]["name"] == "c"


@pytest.mark.parametrize("missing", ["api_key", "infra_env_id"])
def test_the_address_of_the_discovery_ignition(missing: str) -> None:
    query = {"api_key": "k", "infra_env_id": "i"}
    events = "https://assisted.example.com/api/assisted-install/v2/events?"
    good = "https://assisted.example.com/api/assisted-install/v2/infra-envs/i/downloads/files?api_key=k&file_name=discovery.ign"
    assert ignition_url(events + "&".join(f"{name}={value}" for name, value in query.items())) == good
    with pytest.raises(ValueError, match=missing):
        ignition_url(events + "&".join(f"{name}={value}" for name, value in query.items() if name != missing))
