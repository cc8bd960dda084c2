# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run each scene (a sequence of writes to the hub's API) with the lab's OpenShift Assisted providers. Compare every
field of every object afterwards with a recording of upstream's own managers.

``recorded/assisted/<scene>.json`` is the recording. If the managers' programs are available (see
:mod:`.assisted_stage`), they run the scene again; with ZTLAB_RECORD=1 their objects are also recorded again. For
scripts and units in Ignition, only their effect is recorded: names, modes, ordering.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from ztlab.hub.client import Refused
from ztlab.hub.names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CONFIG_MAP,
    INFRA_ENV,
    NAMESPACE,
    SECRET,
    Object,
)

from .assisted import CORE, NAMED, condition_of
from .assisted_objects import settled
from .assisted_stage import PLAYERS, AssistedStage, assisted_stage, plane
from .assisted_upgrades import UPGRADES

DIRECTORY = Path(__file__).with_name("recorded") / "assisted"
# scenes


async def created(on: AssistedStage) -> None:
    """A control plane of three and two workers, up to where hosts would be needed."""
    await on.cluster()
    await on.provisioned()
    await on.pool(replicas=2)
    await on.owned_plane(
        replicas=3, openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "nodeRegistration": NAMED}
    )
    for _number in range(3):
        machine = await on.next_machine()
        await on.image_ready(machine["metadata"]["name"])
    await on.worker("w-0", nodeRegistration=NAMED)
    await on.image_ready("w-0")
    for name in on.machines_seen:
        await on.rig.until(
            CORE.config, name, lambda item: (item.get("status") or {}).get("dataSecretName"), seconds=120
        )


async def waiting(on: AssistedStage) -> None:
    """Control planes that may not begin: without a Cluster, of a Cluster without infrastructure, paused, too old.

    A config without infrastructure.
    """
    await on.plane("alone")
    await on.plane("old", distributionVersion="4.13.9")
    await on.cluster("early")
    await on.owned_plane("early")
    await on.worker("w-0", cluster="early")
    await on.cluster("still")
    await on.provisioned("still")
    await on.owned_plane("still", metadata={"annotations": {"cluster.x-k8s.io/paused": ""}})


async def cluster_name(on: AssistedStage) -> None:
    """Defect D1."""
    await plane(on, config={"clusterName": "other"})
    await on.worker()


async def gated(on: AssistedStage) -> None:
    """Workers that come while the cluster is installed wait, also in state ready (defect D20); Machines of the control
    plane do not.
    """
    await plane(on)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.install_state("insufficient")
    await on.worker("w-0")
    await on.rig.until(INFRA_ENV, "w-0", lambda item: True, seconds=120)
    await on.install_state("ready")
    await on.worker("w-1")
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 2}})
    machine = await on.next_machine()
    await on.rig.until(INFRA_ENV, machine["metadata"]["name"], lambda item: True, seconds=120)


async def day2(on: AssistedStage) -> None:
    """A worker that waited goes on once the cluster is installed."""
    await plane(on)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.install_state("installing")
    await on.worker("w-0")
    reason = ("False", "WaitingForInstallComplete")
    await on.rig.until(
        CORE.config,
        "w-0",
        lambda item: condition_of(item, "DataSecretAvailable", "v1beta1Conditions") == reason,
        seconds=120,
    )
    await on.install_state("adding-hosts")
    await on.touch(CORE.config, "w-0")
    await on.image_ready("w-0")
    await on.rig.until(CORE.config, "w-0", lambda item: (item.get("status") or {}).get("dataSecretName"), seconds=120)


async def agents(on: AssistedStage) -> None:
    """Role, Ignition for the installed system and approval; the second Agent of an InfraEnv, one without a label, one
    of another InfraEnv (defect D17).
    """
    (name,) = await plane(
        on, openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "nodeRegistration": NAMED}
    )
    arguments = [{"operation": "append", "value": "a=b"}, {"operation": "replace", "value": "c=d"}]
    commands = {
        "preBootstrapCommands": ["true"],
        "postBootstrapCommands": ["false", "true"],
        "bootstrapCommandSentinelDir": "/var/lib/x/",
    }
    registration = {"kubeletExtraLabels": ["a=1"], "providerID": "metal3://$METADATA_UUID"}
    file = {"path": "/etc/x", "mode": 420, "contents": {"source": "data:,x"}}
    override = json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [file]}})
    note = {"openshiftassistedconfig.cluster.x-k8s.io/ignition-override": override}
    await on.worker("w-0", kernelArguments=arguments, nodeRegistration=registration, **commands)
    await on.worker("w-1", metadata={"annotations": note})
    newer = json.dumps({"ignition": {"version": "3.4.0"}})
    await on.worker(
        "w-2", metadata={"annotations": {"openshiftassistedconfig.cluster.x-k8s.io/ignition-override": newer}}
    )
    await on.worker("w-3", nodeRegistration={"kubeletExtraLabels": ["a=$1"]})
    await on.worker("w-4")
    for infra_env in (name, *(f"w-{number}" for number in range(5))):
        await on.image_ready(infra_env)
    await on.agent("a1", name)
    await on.rig.until(AGENT, "a1", lambda item: item["spec"].get("approved"), seconds=120)
    await on.agent("a2", name)
    for number in range(5):
        await on.agent(f"b{number}", f"w-{number}")
    await on.agent("stray", "")
    await on.rig.create(INFRA_ENV, "rack", {"pullSecretRef": {"name": "pull-secret"}})
    await on.agent("other", "rack")


async def installing(on: AssistedStage) -> None:
    """The kubeconfig is copied as soon as there is one, and the API does not answer yet (defects D9, D11)."""
    (name,) = await plane(on)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.kubeconfig("admin")
    await on.install_state("installing", secret="admin")
    await on.rig.until(CORE.control_plane, "c1", lambda item: condition_of(item, "UpgradeCompleted")[0], seconds=120)
    await on.machine_status(name, Ready="True", Available="True")


async def available(on: AssistedStage) -> None:
    """An installation that is in its last stage."""
    await plane(on)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.install_state("finalizing")


async def machines_ready(on: AssistedStage) -> None:
    names = await plane(on, 2)
    for name in names:
        await on.machine_status(name, Ready="True", Available="True")


async def placeholder(on: AssistedStage) -> None:
    """Without a pull secret; the second one of a namespace fails (defect D8)."""
    await plane(on, config={"pullSecretRef": None}, openshiftAssistedConfigSpec={})
    await on.rig.until(INFRA_ENV, on.machines_seen[0], lambda item: True, seconds=120)
    await on.cluster("c2")
    await on.provisioned("c2")
    await on.owned_plane("c2", config={"pullSecretRef": None})


async def no_image(on: AssistedStage) -> None:
    """Defect D4."""
    await plane(on, 0, distributionVersion="4.22.0-nightly")
    await on.rig.until(CLUSTER_DEPLOYMENT, "c1", lambda item: True, seconds=120)


async def no_pull_secret(on: AssistedStage) -> None:
    await plane(on, 0, config={"pullSecretRef": {"name": "none"}})
    await on.rig.until(CLUSTER_DEPLOYMENT, "c1", lambda item: True, seconds=120)


async def machine_template_deleted(on: AssistedStage) -> None:
    await on.cluster()
    await on.provisioned()
    await on.rig.client.delete(CORE.metal3_machine_template, "c1", "edge")
    await on.owned_plane()
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)


async def pool_without_replicas(on: AssistedStage) -> None:
    """Defect D15."""
    await on.cluster()
    await on.provisioned()
    await on.pool(replicas=None)
    await on.owned_plane()
    await on.next_machine()


async def os_image(on: AssistedStage) -> None:
    """Defect D5."""
    await plane(on, openshiftAssistedConfigSpec={"pullSecretRef": {"name": "pull-secret"}, "osImageVersion": "4.22"})


async def outdated(on: AssistedStage) -> None:
    """Defect D18."""
    (name,) = await plane(on, machineTemplate=template(deletion={"nodeDrainTimeoutSeconds": 5}))
    await on.rig.until(CORE.machine, name, lambda item: condition_of(item, "UpToDate")[0] == "True", seconds=120)
    await on.rig.until(CORE.control_plane, "c1", lambda item: condition_of(item, "KubeconfigAvailable")[0], seconds=120)
    await on.rig.patch(
        CORE.control_plane, "c1", {"spec": {"openshiftAssistedConfigSpec": {"sshAuthorizedKey": "another"}}}
    )
    await on.rig.until(CORE.machine, name, lambda item: condition_of(item, "UpToDate")[0] == "False", seconds=120)


async def scaled_in(on: AssistedStage) -> None:
    """The oldest Machine goes; its config is deleted with its InfraEnv only as long as the Machine is there."""
    await plane(on, 0)
    await on.rig.until(
        CORE.control_plane, "c1", lambda item: condition_of(item, "MachinesCreated")[0] == "True", seconds=120
    )
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 1}})
    names = [(await on.next_machine())["metadata"]["name"]]
    await asyncio.sleep(1.1)  # times of creation are seconds
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 2}})
    names.append((await on.next_machine())["metadata"]["name"])
    for name in names:
        await on.image_ready(name)
        await on.rig.patch(CORE.machine, name, {"metadata": {"finalizers": ["machine.cluster.x-k8s.io"]}})
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 1}})
    await on.remove_machine(names[0])


async def deleted(on: AssistedStage) -> None:
    """The ClusterDeployment goes, the ClusterImageSet stays; Machines are garbage.

    A config whose Machine lives is kept.
    """
    (name,) = await plane(on)
    await on.rig.until(INFRA_ENV, name, lambda item: True, seconds=120)
    await on.rig.patch(CORE.machine, name, {"metadata": {"finalizers": ["machine.cluster.x-k8s.io"]}})
    await on.worker("w-0")
    await on.rig.until(INFRA_ENV, "w-0", lambda item: True, seconds=120)
    await on.rig.client.delete(CORE.config, name, "edge")
    await on.rig.client.delete(CORE.config, "w-0", "edge")
    await on.rig.gone(INFRA_ENV, "w-0", seconds=120)
    await on.rig.client.delete(CORE.control_plane, "c1", "edge")
    await on.rig.gone(CORE.control_plane, "c1", seconds=120)
    await on.rig.gone(CLUSTER_DEPLOYMENT, "c1", seconds=120)


async def two_namespaces(on: AssistedStage) -> None:
    """Defects D2 and D10: equal names block each other."""
    rig = on.rig
    await plane(on)
    await rig.until(INFRA_ENV, on.machines_seen[0], lambda item: True, seconds=120)
    await rig.create(NAMESPACE, "other")
    found = await rig.get(SECRET, "pull-secret")
    await rig.create(SECRET, "pull-secret", namespace="other", type=found["type"], data=found["data"])
    await on.cluster(namespace="other")
    await on.provisioned(namespace="other")
    await on.owned_plane(namespace="other")
    await on.next_machine(namespace="other")


def template(**more: Any) -> Object:
    return {
        "infrastructureRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "Metal3MachineTemplate",
            "name": "c1",
        },
        **more,
    }


async def every_field(on: AssistedStage) -> None:
    """What a user can say of a cluster and of its hosts."""
    prefix = "openshiftassistedconfig.cluster.x-k8s.io"
    notes = {
        "controlplane.cluster.x-k8s.io/install-config-override": json.dumps(
            {"networking": {"networkType": "OVNKubernetes"}, "capabilities": {"x": 1}}
        ),
        f"{prefix}/discovery-ignition-override": json.dumps({"ignition": {"version": "3.1.0"}}),
        "cluster.x-k8s.io/conversion-data": "{}",
        "own": "of the control plane",
    }
    config = {
        "apiVIPs": ["192.0.2.40"],
        "ingressVIPs": ["192.0.2.41"],
        "manifestsConfigMapRefs": [{"name": "m1"}, {"name": "m2"}],
        "diskEncryption": {"enableOn": "all", "mode": "tpmv2"},
        "proxy": {"httpProxy": "http://p", "noProxy": "x"},
        "mastersSchedulable": True,
        "sshAuthorizedKey": "ssh-ed25519 AAAA",
        "capabilities": {
            "baselineCapability": "v4.18",
            "additionalEnabledCapabilities": ["Console", "Storage", "machineapi", "Storage"],
        },
    }
    host = {
        "additionalNTPSources": ["ntp"],
        "additionalTrustBundle": "bundle",
        "cpuArchitecture": "aarch64",
        "nmStateConfigLabelSelector": {"matchLabels": {"a": "b"}},
        "proxy": {"httpsProxy": "http://p"},
        "pullSecretRef": {"name": "pull-secret"},
        "sshAuthorizedKey": "ssh-ed25519 AAAA",
        "kernelArguments": [{"operation": "append", "value": "a=b"}],
    }
    metadata = {"labels": {"of": "template"}, "annotations": {"note": "of the template", "own": "of the template too"}}
    machine = template(metadata=metadata, deletion={"nodeDrainTimeoutSeconds": 5, "nodeDeletionTimeoutSeconds": 7})
    metadata_of_plane = {"annotations": notes, "labels": {"own": "label", "of": "plane"}}
    await plane(
        on, 3, metadata=metadata_of_plane, config=config, openshiftAssistedConfigSpec=host, machineTemplate=machine
    )
    await on.rig.until(INFRA_ENV, on.machines_seen[0], lambda item: True, seconds=120)


async def spec_change_refused(on: AssistedStage) -> None:
    """The spec of a config never changes; its metadata may."""
    await plane(on)
    await on.worker("w-0", sshAuthorizedKey="one")
    await on.touch(CORE.config, "w-0")
    try:
        await on.rig.patch(CORE.config, "w-0", {"spec": {"sshAuthorizedKey": "another"}})
    except Refused as error:
        # On a real API server all webhooks of the lab have one name.
        on.answers.append(
            {"code": error.code, "reason": error.reason, "message": str(error).rpartition("denied the request: ")[2]}
        )


REGISTRIES = """
unqualified-search-registries = ["registry.access.redhat.com"]
[[registry]]
location = "quay.io/openshift-release-dev/ocp-release"
[[registry.mirror]]
location = "mirror.example.com:5000/ocp-release"
[[registry.mirror]]
location = "tags.example.com/ocp-release"
pull-from-mirror = "tag-only"
insecure = true
[[registry]]
location = "quay.io/other"
[[registry.mirror]]
location = "mirror.example.com:5000/other"
insecure = true
"""


async def mirrors(on: AssistedStage) -> None:
    """Mirror registries become manifests of the cluster."""
    data = {"registries.conf": REGISTRIES, "ca-bundle.crt": "certificate\n"}
    await on.rig.create(CONFIG_MAP, "registries", data=data)
    await plane(on, config={"imageRegistryRef": {"name": "registries"}, "manifestsConfigMapRefs": [{"name": "m1"}]})
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)


async def mirrors_changed(on: AssistedStage) -> None:
    """The manifests follow the ConfigMap when the control plane changes."""
    await mirrors(on)
    one = '[[registry]]\nlocation = "quay.io/a"\n[[registry.mirror]]\nlocation = "mirror.example.com/a"\n'
    await on.rig.patch(CONFIG_MAP, "registries", {"data": {"registries.conf": one, "ca-bundle.crt": None}})
    await on.touch(CORE.control_plane, "c1")


async def no_mirrors(on: AssistedStage) -> None:
    """Mirrors that cannot be read keep the AgentClusterInstall from being created."""
    await on.rig.create(CONFIG_MAP, "registries", data={"registries.conf": '[[registry]]\nlocation = "quay.io/a"\n'})
    await plane(on, 0, config={"imageRegistryRef": {"name": "registries"}})
    await on.rig.until(CLUSTER_IMAGE_SET, "c1", lambda item: True, seconds=120)


async def approved(on: AssistedStage, worker: str, **config: Any) -> str:
    """The Ignition that the Agent of a new worker gets."""
    await on.worker(worker, **config)
    await on.image_ready(worker)
    await on.agent(f"agent-of-{worker}", worker)
    agent = await on.rig.until(
        AGENT, f"agent-of-{worker}", lambda item: item["spec"].get("ignitionConfigOverrides"), seconds=120
    )
    return str(agent["spec"]["ignitionConfigOverrides"])


async def kubeconfig_path(on: AssistedStage) -> None:
    """Defect D6: both scripts are the same."""
    await plane(on)
    commands = {"postBootstrapCommands": ["true"]}
    without = await approved(on, "w-0", **commands)
    with_path = await approved(on, "w-1", **commands, postBootstrapKubeconfigPath="/etc/kubernetes/kubeconfig")
    on.answers.append({"postBootstrapKubeconfigPath changes the Ignition": without != with_path})


async def label_order(on: AssistedStage) -> None:
    """Defect D7: each reconciliation may write another order of the labels, so that it changes the Agent."""
    await plane(on)
    labels = [f"label-{number}={number}" for number in range(6)]
    seen = {await approved(on, "w-0", nodeRegistration={"kubeletExtraLabels": labels})}
    async with asyncio.timeout(120):
        for number in itertools.count():
            metadata = {"annotations": {"touched": str(number)}}
            await on.rig.patch(AGENT, "agent-of-w-0", {"metadata": metadata})
            await asyncio.sleep(0.2)
            agent = await on.rig.get(AGENT, "agent-of-w-0")
            seen.add(agent["spec"]["ignitionConfigOverrides"])
            if len(seen) > 1:
                break
    await on.rig.patch(AGENT, "agent-of-w-0", {"metadata": {"annotations": None}})
    on.answers.append({"more than one order of the labels": len(seen) > 1})


async def newer_ignition(on: AssistedStage) -> None:
    """Defect D19: a discovery Ignition of a newer specification loses members as soon as a node has a name."""
    await plane(on, 0)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    for name, config in (("newer-0", {}), ("newer-1", {"nodeRegistration": NAMED})):
        await on.worker(name, **config)
        await on.image_ready(name)
        await on.rig.until(
            CORE.config, name, lambda item: (item.get("status") or {}).get("dataSecretName"), seconds=120
        )


SCENES: dict[str, Callable[[AssistedStage], Awaitable[None]]] = {
    function.__name__: function
    for function in (
        created,
        waiting,
        cluster_name,
        gated,
        day2,
        agents,
        installing,
        available,
        machines_ready,
        placeholder,
        no_image,
        no_pull_secret,
        machine_template_deleted,
        pool_without_replicas,
        os_image,
        outdated,
        scaled_in,
        deleted,
        two_namespaces,
        every_field,
        spec_change_refused,
        mirrors,
        mirrors_changed,
        no_mirrors,
        kubeconfig_path,
        label_order,
        newer_ignition,
        *UPGRADES,
    )
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("player", PLAYERS)
def test_every_field_is_as_upstream_left_it(tmp_path: Path, player: str, name: str) -> None:
    async def run() -> dict[str, Any]:
        async with assisted_stage(tmp_path, player) as on:
            await SCENES[name](on)
            return await settled(on)

    found, path = asyncio.run(run()), DIRECTORY / f"{name}.json"
    if player == "upstream" and os.environ.get("ZTLAB_RECORD"):
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    expected = json.loads(path.read_text())
    assert sorted(found) == sorted(expected)
    for key, item in expected.items():
        assert found[key] == item, key
