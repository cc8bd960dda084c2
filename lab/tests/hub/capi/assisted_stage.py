# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a hub on which only OpenShift Assisted's providers run: those of the lab, or upstream's own managers.

The tests write the objects that Cluster API, Metal3, the Infrastructure Operator and Hive would write. Upstream's
managers run if OPENSHIFT_ASSISTED_BOOTSTRAP and OPENSHIFT_ASSISTED_CONTROLPLANE name their programs. With
KUBEBUILDER_ASSETS they run on a real kube-apiserver with upstream's definitions (the recordings are made this way),
otherwise on the lab's API server.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web
from ansible_collections.zerotouch.openshift.tests.support.upstream import DATA
from ztlab.hub.admission import admit_config
from ztlab.hub.capi.assisted.control_plane import CLUSTER_VERSION
from ztlab.hub.client import Refused
from ztlab.hub.names import AGENT, CLUSTER_INSTALL, INFRA_ENV, INFRA_ENV_LABEL, SECRET, Kind, Object, owner
from ztlab.kubeapi.certificates import Pair, Signer
from ztlab.kubeapi.real import RealApi, assets, free_port
from ztlab.newcluster.versions import kubernetes_version

from ..rig import SITE, Rig, hub_rig
from . import enclosed
from .assisted import CORE, Scene, condition_of
from .enclosed import ENCLOSE, Enclosure

VARIABLES = {"bootstrap": "OPENSHIFT_ASSISTED_BOOTSTRAP", "controlplane": "OPENSHIFT_ASSISTED_CONTROLPLANE"}
PROGRAMS = {name: os.environ.get(variable, "") for name, variable in VARIABLES.items()}
UPSTREAM_CRDS = DATA / "crds"
VERSIONS = ("4.14.0", "4.21.0", "4.22.0", "4.22.1", "4.22.1-rc.0")
SERVICE, REGISTRY = "assisted.hub.example.com", "quay.io"
CLUSTER_LABEL = "cluster.x-k8s.io/cluster-name"
NOW = "2026-11-21T10:00:00Z"
VALIDATORS = Kind(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    namespaced=False,
)
DEFINITIONS = Kind(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
# Members of ClusterVersion (openshift/api) that upgrades read or write.
UPDATE_MEMBERS: Object = {name: {"type": "string"} for name in ("architecture", "version", "image")}
CLUSTER_VERSION_SPEC: Object = {
    "clusterID": {"type": "string"},
    "channel": {"type": "string"},
    "desiredUpdate": {"type": "object", "properties": {**UPDATE_MEMBERS, "force": {"type": "boolean"}}},
}
VALIDATED_PATH = "/validate-bootstrap-cluster-x-k8s-io-v1alpha2-openshiftassistedconfig"
UNIT = {"name": "agent.service", "enabled": True, "contents": "[Service]\nExecStart=/usr/local/bin/agent\n"}
NEWER_DISCOVERY = json.dumps(
    {
        "ignition": {"version": "3.4.0"},
        "kernelArguments": {"shouldExist": ["a=b"]},
        "storage": {"luks": [{"name": "a", "device": "/dev/a"}]},
        "systemd": {"units": [UNIT]},
    }
)
DISCOVERY = json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": []}, "systemd": {"units": [UNIT]}})


def missing() -> str:
    """Why upstream's managers cannot play here; "" if they can."""
    for name, program in PROGRAMS.items():
        if not os.access(program or "/nonexistent", os.X_OK):
            return f"{VARIABLES[name]} names no program"
    if assets() is not None and not UPSTREAM_CRDS.is_dir():
        return "there are no upstream definitions beside the repository"
    if (
        shutil.which(ENCLOSE[0]) is None
        or subprocess.run([*ENCLOSE, "true"], check=False, capture_output=True).returncode
    ):
        return "no network namespace can be made here"
    return ""


MISSING = missing()
PLAYERS = ["lab", pytest.param("upstream", marks=pytest.mark.skipif(bool(MISSING), reason=MISSING or "-"))]


class AssistedStage(Scene):
    """``machines_seen``: names of Machines in the order of their creation; ``answers``: of the API to requests that it
    refused.
    """

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        self.machines_seen: list[str] = []
        self.answers: list[Object] = []

    # Cluster API

    async def provisioned(self, name: str = "c1", *, namespace: str = "edge") -> Object:
        """The Cluster has its endpoint and its infrastructure."""
        endpoint = {"host": f"api.{name}.lab.example.com", "port": 6443}
        await self.rig.patch(CORE.cluster, name, {"spec": {"controlPlaneEndpoint": endpoint}}, namespace=namespace)
        status = {"initialization": {"infrastructureProvisioned": True}}
        return await self.rig.client.patch(CORE.cluster, name, namespace, {"status": status}, subresource="status")

    async def owned_plane(
        self,
        name: str = "c1",
        *,
        cluster: str = "",
        namespace: str = "edge",
        metadata: Object | None = None,
        **spec: Any,
    ) -> None:
        """A control plane that its Cluster has taken over already."""
        found = await self.rig.get(CORE.cluster, cluster or name, namespace)
        owners = [{**owner(found, CORE.cluster, block=True), "controller": True}]
        own = metadata or {}
        labels = {CLUSTER_LABEL: cluster or name, **own.get("labels", {})}
        await self.plane(
            name,
            template=cluster or name,
            namespace=namespace,
            metadata={**own, "labels": labels, "ownerReferences": owners},
            **spec,
        )

    async def adopt(self, machine: Object, *kinds: Kind) -> None:
        """The Machine takes over what was made with it, after a pass that found no owner."""
        namespace, name = machine["metadata"]["namespace"], machine["metadata"]["name"]
        await self.rig.until(
            CORE.config,
            name,
            lambda item: (item.get("status") or {}).get("observedGeneration"),
            namespace=namespace,
            seconds=120,
        )
        for kind in kinds:
            item = await self.rig.get(kind, name, namespace)
            owners = [
                *(item["metadata"].get("ownerReferences") or []),
                {**owner(machine, CORE.machine, block=True), "controller": True},
            ]
            await self.rig.patch(kind, name, {"metadata": {"ownerReferences": owners}}, namespace=namespace)

    async def next_machine(self, *, namespace: str = "edge") -> Object:
        """The next Machine of a control plane, once it is there; it takes over what was made with it."""
        async with asyncio.timeout(120):
            while True:
                listed = (await self.rig.client.list(CORE.machine, namespace))[0]
                new = [item for item in listed if item["metadata"]["name"] not in self.machines_seen]
                if new:
                    machine = min(new, key=lambda item: int(item["metadata"]["resourceVersion"]))
                    self.machines_seen.append(machine["metadata"]["name"])
                    await self.adopt(machine, CORE.metal3_machine, CORE.config)
                    return machine
                await asyncio.sleep(0.05)

    async def machine_status(self, name: str, **conditions: str) -> None:
        """The Machine's conditions as Cluster API has them; those of others stay."""
        machine = await self.rig.until(CORE.machine, name, lambda item: condition_of(item, "UpToDate")[0], seconds=120)
        present = {entry["type"]: entry for entry in (machine.get("status") or {}).get("conditions") or []}
        for kind, status in conditions.items():
            present[kind] = {
                "type": kind,
                "status": status,
                "reason": "AsSet",
                "message": "",
                "lastTransitionTime": NOW,
            }
        await self.rig.client.patch(
            CORE.machine, name, "edge", {"status": {"conditions": list(present.values())}}, subresource="status"
        )

    async def worker(
        self, name: str = "w-0", *, cluster: str = "c1", metadata: Object | None = None, **config: Any
    ) -> Object:
        """A Machine of a MachineSet, with its config."""
        labels = {CLUSTER_LABEL: cluster}
        spec = {
            "clusterName": cluster,
            "bootstrap": {"configRef": {"apiGroup": CORE.config.group, "kind": CORE.config.kind, "name": name}},
            "infrastructureRef": {
                "apiGroup": CORE.metal3_machine.group,
                "kind": CORE.metal3_machine.kind,
                "name": name,
            },
        }
        machine = await self.rig.create(CORE.machine, name, spec, metadata={"labels": labels})
        self.machines_seen.append(name)
        made = {**(metadata or {}), "labels": labels}
        await self.rig.create(CORE.config, name, {"pullSecretRef": {"name": "pull-secret"}, **config}, metadata=made)
        await self.adopt(machine, CORE.config)
        return machine

    async def remove_machine(self, name: str) -> None:
        """A Machine that is being deleted goes, after what was made with it: Cluster API waits for both."""
        await self.rig.until(CORE.machine, name, lambda item: item["metadata"].get("deletionTimestamp"), seconds=120)
        for kind in (CORE.metal3_machine, CORE.config):
            await self.rig.client.delete(kind, name, "edge")
            await self.rig.gone(kind, name, seconds=120)
        await self.rig.patch(CORE.machine, name, {"metadata": {"finalizers": None}})
        await self.rig.gone(CORE.machine, name, seconds=120)

    async def touch(self, kind: Kind, name: str) -> None:
        """A change that says nothing: the object is reconciled now, not after the next pause."""
        await self.rig.patch(kind, name, {"metadata": {"annotations": {"touched": "yes"}}})

    # Infrastructure Operator

    async def agent(self, name: str, infra_env: str) -> None:
        """A host that was discovered with the image of an InfraEnv; "" for one without a label."""
        labels = {INFRA_ENV_LABEL: infra_env} if infra_env else {}
        await self.rig.create(AGENT, name, {"approved": False, "role": ""}, metadata={"labels": labels})

    async def image_ready(self, name: str, *, namespace: str = "edge") -> None:
        """The InfraEnv is registered: its events can be read, and its discovery Ignition downloaded."""
        await self.rig.until(INFRA_ENV, name, lambda item: True, namespace=namespace, seconds=120)
        query = urllib.parse.urlencode({"api_key": "key", "infra_env_id": name})
        status = {"debugInfo": {"eventsURL": f"https://{SERVICE}/api/assisted-install/v2/events?{query}"}}
        await self.rig.client.patch(INFRA_ENV, name, namespace, {"status": status}, subresource="status")

    async def kubeconfig(self, name: str, text: str = "") -> None:
        """Hive's Secret with the kubeconfig of a cluster; without a text that of one whose API does not answer."""
        await self.rig.create(SECRET, name, data={"kubeconfig": encoded(text or unanswering())})

    async def reachable(self, *, answers: bool) -> None:
        """From now on the API of the cluster answers, or does not: its kubeconfig is another one."""
        text = self.rig.hub.kubeconfig(direct=True) if answers else unanswering()
        await self.rig.patch(SECRET, "c1-kubeconfig", {"data": {"value": encoded(text)}})

    async def cluster_version(self, current: str, to: str = "", *, running: bool = False, **spec: Any) -> None:
        """The hub's own API is that of the cluster, too, with the ClusterVersion of a cluster in this version, which
        becomes another one with ``to``.
        """
        properties = {
            "spec": {"type": "object", "properties": CLUSTER_VERSION_SPEC},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        }
        version = {
            "name": CLUSTER_VERSION.version,
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
            "subresources": {"status": {}},
        }
        names = {"kind": CLUSTER_VERSION.kind, "plural": CLUSTER_VERSION.plural}
        definition = {"group": CLUSTER_VERSION.group, "scope": "Cluster", "names": names, "versions": [version]}
        await self.rig.client.create(
            DEFINITIONS,
            {"metadata": {"name": f"{CLUSTER_VERSION.plural}.{CLUSTER_VERSION.group}"}, "spec": definition},
        )
        async with asyncio.timeout(60):
            while not await self._served(CLUSTER_VERSION):
                await asyncio.sleep(0.1)
        await self.rig.create(CLUSTER_VERSION, "version", {"clusterID": "a", "channel": "stable-4.22", **spec})
        await self.version_status(current, to, running=running)

    async def version_status(self, current: str, to: str = "", *, running: bool = False) -> None:
        """``current`` "" for a cluster that has completed no version."""
        entry = {"startedTime": NOW, "image": "i", "verified": False}
        history = [{**entry, "version": current, "state": "Completed", "completionTime": NOW}] if current else []
        if to:
            history.insert(0, {**entry, "version": to, "state": "Partial", "completionTime": None})
        conditions = [
            {"type": "Available", "status": "True", "message": f"Done applying {current}"},
            {"type": "Progressing", "status": str(running), "message": f"Working towards {to}"},
        ]
        status = {
            "desired": {"version": to or current, "image": "i"},
            "history": history,
            "observedGeneration": 1,
            "versionHash": "h",
            "availableUpdates": [],
            "conditions": [{**condition, "lastTransitionTime": NOW} for condition in conditions],
        }
        await self.rig.client.patch(CLUSTER_VERSION, "version", "", {"status": status}, subresource="status")

    async def _served(self, kind: Kind) -> bool:
        try:
            await self.rig.client.list(kind)
        except Refused as error:
            # Not known yet, or its storage is being prepared.
            assert error.code in (404, 429), error
            return False
        return True

    async def install_state(self, state: str, *, secret: str = "", name: str = "c1") -> None:
        """How far an installation is. ``secret``: that of the kubeconfig, which is there from state installing on."""
        if secret:
            metadata = {"clusterID": "a", "infraID": "b", "adminKubeconfigSecretRef": {"name": secret}}
            await self.rig.patch(CLUSTER_INSTALL, name, {"spec": {"clusterMetadata": metadata}})
        await self.rig.client.patch(
            CLUSTER_INSTALL, name, "edge", {"status": {"debugInfo": {"state": state}}}, subresource="status"
        )


async def plane(on: AssistedStage, number: int = 1, **spec: Any) -> list[str]:
    """A Cluster with its control plane; the names of its Machines."""
    await on.cluster()
    await on.provisioned()
    await on.owned_plane(replicas=number, **spec)
    return [(await on.next_machine())["metadata"]["name"] for _number in range(number)]


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def unanswering() -> str:
    """The kubeconfig of a cluster whose API does not answer."""
    cluster = {"cluster": {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": True}, "name": "c1"}
    context = {"context": {"cluster": "c1", "user": "admin"}, "name": "admin"}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [cluster],
        "contexts": [context],
        "current-context": "admin",
    }
    return json.dumps({**document, "users": [{"name": "admin", "user": {"token": "t"}}]})


async def quiet(rig: Rig, *, assisted: bool) -> None:
    """No controller of the lab runs; those of OpenShift Assisted do with ``assisted``."""
    operators = rig.hub.operators
    assert operators is not None
    names = {controller.name for controller in operators.controllers}
    own = {"openshiftassistedconfig", "openshift assisted agent", "openshiftassistedcontrolplane"}
    own |= {"openshift assisted clusterdeployment", "openshift assisted agentclusterinstall"}
    assert own <= names
    for task in asyncio.all_tasks():
        if task.get_name() in (names - own if assisted else names):
            task.cancel()
    await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def assisted_stage(tmp_path: Path, player: str) -> AsyncIterator[AssistedStage]:
    """``player``: lab or upstream."""
    providers = {"provider": "none", "openshift_assisted": "v1alpha3", "metal3": "v1beta1"}
    site = {**SITE, "hub": {**SITE["hub"], "cluster_api": providers}}
    async with hub_rig(tmp_path, site=site) as rig:
        await quiet(rig, assisted=player == "lab")
        async with contextlib.AsyncExitStack() as stack:
            if player == "lab":
                rig.lab.fabric.table.alias(SERVICE, rig.hub.site.address)
                rig.hub.routes[SERVICE] = discovery
            else:
                await upstream(rig, tmp_path, stack)
            yield AssistedStage(rig)


async def discovery(request: web.Request) -> web.StreamResponse:
    return web.Response(text=NEWER_DISCOVERY if "/infra-envs/newer" in request.path else DISCOVERY)


# upstream's managers


async def upstream(rig: Rig, tmp_path: Path, stack: contextlib.AsyncExitStack) -> None:
    """Both managers, each in a network of its own."""
    if rig.hub.server.real is not None:
        await upstream_definitions(rig.hub.server.real)
        rig.hub.server.admission.remove(admit_config)
    signer = Signer.create("upstream")
    pair = signer.server(["127.0.0.1", SERVICE, REGISTRY])
    for name, program in PROGRAMS.items():
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="zt-")))
        port = enclose(rig, directory, program, signer, pair)
        await start(directory, port, tmp_path / f"{name}.log", stack)
        if name == "bootstrap" and rig.hub.server.real is not None:
            await webhook(rig, port, signer)


async def upstream_definitions(real: RealApi) -> None:
    """Upstream's definitions in the place of the lab's, with the versions and labels that the hub serves."""
    files = [file for path in real.crd_dirs for file in sorted(path.glob("*.yaml"))]
    present = {item["metadata"]["name"]: item for file in files for item in yaml.safe_load_all(file.read_text())}
    for path in sorted(UPSTREAM_CRDS.glob("*/*.yaml")):
        definition = yaml.safe_load(path.read_text())
        own = present.get(definition["metadata"]["name"])
        if own is None:
            continue
        served = {version["name"] for version in own["spec"]["versions"]}
        versions = [
            {**version, "storage": True, "served": True}
            for version in definition["spec"]["versions"]
            if version["name"] in served
        ]
        labels = {**(definition["metadata"].get("labels") or {}), **(own["metadata"].get("labels") or {})}
        metadata = {"name": definition["metadata"]["name"], "labels": labels}
        await real.add_definition(
            {**definition, "metadata": metadata, "spec": {**definition["spec"], "versions": versions}}
        )


def enclose(rig: Rig, directory: Path, program: str, signer: Signer, pair: Pair) -> int:
    """Write what :mod:`.enclosed` reads; the port of the webhooks."""
    certificates = directory / "certificates"
    certificates.mkdir()
    (certificates / "tls.crt").write_bytes(pair.certificate)
    (certificates / "tls.key").write_bytes(pair.key)
    (directory / "ca.crt").write_bytes(signer.pem)
    kubeconfig = directory / "kubeconfig"
    kubeconfig.write_text(rig.hub.kubeconfig(direct=True))
    address = urllib.parse.urlsplit(yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"])
    enclosure = Enclosure(
        program=program,
        arguments=[f"--kubeconfig={kubeconfig}", "--metrics-bind-address=0", "--health-probe-bind-address=0", "-v=6"],
        # Without a bundle of assisted-service's CA its client takes the system's.
        environment={
            "SSL_CERT_FILE": str(directory / "ca.crt"),
            "ASSISTED_CA_BUNDLE_NAME": "",
            "ASSISTED_CA_BUNDLE_NAMESPACE": "",
        },
        api=(str(address.hostname), int(address.port or 443)),
        webhooks=free_port("127.0.0.1"),
        hosts=[SERVICE, REGISTRY],
        versions={version: kubernetes_version(version)[1].removeprefix("v") for version in VERSIONS},
        discovery=DISCOVERY,
        newer_discovery=NEWER_DISCOVERY,
    )
    (directory / "enclosed.json").write_text(json.dumps(dataclasses.asdict(enclosure)))
    return enclosure.webhooks


async def start(directory: Path, port: int, log: Path, stack: contextlib.AsyncExitStack) -> None:
    """Let the manager run until the stack ends; returns once it serves its webhooks, which it starts before its
    controllers.
    """
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable, enclosed.__file__, str(directory), stdout=file, stderr=file
        )
    stack.push_async_callback(_ended, process)
    context = ssl.create_default_context(cafile=directory / "ca.crt")
    async with asyncio.timeout(120):
        while not await _answers(port, context):
            assert process.returncode is None, log.read_text()[-2000:]
            await asyncio.sleep(0.1)


async def _answers(port: int, context: ssl.SSLContext) -> bool:
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    except (OSError, ssl.SSLError):
        return False
    writer.close()
    return True


async def webhook(rig: Rig, port: int, signer: Signer) -> None:
    """The API server asks the manager before it takes a config."""
    client = {"url": f"https://127.0.0.1:{port}{VALIDATED_PATH}", "caBundle": base64.b64encode(signer.pem).decode()}
    rule: Mapping[str, Any] = {
        "apiGroups": [CORE.config.group],
        "apiVersions": [CORE.config.version],
        "operations": ["CREATE", "UPDATE", "DELETE"],
        "resources": [CORE.config.plural],
    }
    entry = {
        "name": "v1alpha2.validation.openshiftassistedconfig.bootstrap.cluster.x-k8s.io",
        "clientConfig": client,
        "rules": [rule],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    await rig.client.create(VALIDATORS, {"metadata": {"name": "bootstrap-upstream"}, "webhooks": [entry]})


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()
