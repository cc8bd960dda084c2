# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the real kubectl against the lab's API server, if kubectl is installed on this machine."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.hub import CRDS, hub_api

from .rig import Api, run, thing

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on this machine")


class Kubectl:
    def __init__(self, port: int, directory: Path) -> None:
        self.path = directory / "kubeconfig"
        self.directory = directory
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
            "current-context": "lab",
            "users": [{"name": "lab", "user": {"token": "x"}}],
        }
        self.path.write_text(yaml.safe_dump(document))

    async def __call__(self, *arguments: str, stdin: str = "") -> tuple[int, str]:
        assert KUBECTL is not None
        command = [KUBECTL, "--kubeconfig", str(self.path), "--cache-dir", str(self.directory / "cache"), *arguments]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        output, _ = await process.communicate(stdin.encode())
        return process.returncode or 0, output.decode()


def test_kubectl_works_with_a_custom_kind(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Api() as api:
            kubectl = Kubectl(api.server.port, tmp_path)
            code, text = await kubectl("create", "-f", "-", stdin=json.dumps(thing("a", "red", tier="one")))
            assert code == 0 and "created" in text, text
            code, text = await kubectl("apply", "-f", "-", stdin=json.dumps(thing("b", "blue")))
            assert code == 0, text
            code, text = await kubectl("apply", "-f", "-", stdin=json.dumps(thing("b", "green")))
            assert code == 0 and "configured" in text, text
            code, text = await kubectl("get", "th")
            assert code == 0 and text.splitlines()[0].split() == ["NAME", "COLOUR", "READY", "AGE"], text
            assert [line.split()[:2] for line in text.splitlines()[1:]] == [["a", "red"], ["b", "green"]]
            code, text = await kubectl("get", "things", "-l", "tier=one", "-o", "name")
            assert text == "thing.lab.example.com/a\n"
            code, text = await kubectl("patch", "thing", "a", "--type=merge", "-p", '{"spec":{"colour":"black"}}')
            assert code == 0, text
            conditions = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
            code, text = await kubectl("patch", "thing", "a", "--subresource=status", "--type=merge", "-p", conditions)
            assert code == 0, text
            code, text = await kubectl("wait", "--for=condition=Ready", "thing/a", "--timeout=5s")
            assert code == 0 and "condition met" in text, text
            code, text = await kubectl("label", "thing", "a", "extra=yes")
            assert code == 0, text
            code, text = await kubectl("get", "thing", "a", "-o", "jsonpath={.spec.colour} {.metadata.labels.extra}")
            assert text == "black yes"
            code, text = await kubectl("get", "thing", "none")
            assert code == 1 and 'things.lab.example.com "none" not found' in text, text
            code, text = await kubectl("delete", "thing", "a", "b")
            assert code == 0, text
            code, text = await kubectl("api-resources", "-o", "name")
            assert "things.lab.example.com" in text.split()

    run(flow())


def manifest(*documents: dict[str, Any]) -> str:
    return yaml.safe_dump_all(documents)


def agent_document(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "Agent",
        "metadata": {"name": name},
        "spec": {"approved": False, "role": "", **spec},
    }


def infra_env_document(name: str, **spec: Any) -> dict[str, Any]:
    kind = {"apiVersion": "agent-install.openshift.io/v1beta1", "kind": "InfraEnv"}
    return {**kind, "metadata": {"name": name}, "spec": {"pullSecretRef": {"name": "p"}, **spec}}


def test_kubectl_works_with_a_hub(tmp_path: Path) -> None:
    async def flow() -> None:
        api = hub_api(authentication=Authentication(open_to_all=True))
        await api.start("127.0.0.1")
        kubectl = Kubectl(api.port, tmp_path)

        async def good(*arguments: str, stdin: str = "") -> str:
            code, text = await kubectl(*arguments, stdin=stdin)
            assert code == 0, (arguments, text)
            return text

        async def bad(*arguments: str, stdin: str = "") -> str:
            code, text = await kubectl(*arguments, stdin=stdin)
            assert code != 0, (arguments, text)
            return text

        try:
            await good("create", "namespace", "c")
            await typed_kinds(good)
            await good(
                "apply",
                "-n",
                "c",
                "-f",
                "-",
                stdin=manifest(agent_document("a"), agent_document("b"), infra_env_document("i")),
            )
            await agents(good)
            await errors_are_printed(bad)
            await server_side(good, bad)
            await deletion(good, bad)
        finally:
            await api.stop()

    run(flow(), 120)


def test_kubectl_scales(tmp_path: Path) -> None:
    async def flow() -> None:
        api = hub_api((CRDS / "cluster-api-v1beta2",), authentication=Authentication(open_to_all=True))
        await api.start("127.0.0.1")
        kubectl = Kubectl(api.port, tmp_path)
        machine = {
            "clusterName": "c",
            "bootstrap": {},
            "infrastructureRef": {"apiGroup": "a.b", "kind": "T", "name": "t"},
        }
        spec = {
            "clusterName": "c",
            "replicas": 1,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"spec": machine},
        }
        document = {
            "apiVersion": "cluster.x-k8s.io/v1beta2",
            "kind": "MachineDeployment",
            "metadata": {"name": "pool"},
            "spec": spec,
        }
        try:
            for arguments, text in (
                (("create", "-f", "-"), "created"),
                (("scale", "machinedeployment/pool", "--replicas=5"), "scaled"),
                (("scale", "machinedeployment/pool", "--replicas=2", "--current-replicas=5"), "scaled"),
                (("get", "md", "pool", "-o", "jsonpath={.spec.replicas}"), "2"),
            ):
                code, output = await kubectl(*arguments, "-n", "default", stdin=manifest(document))
                assert code == 0 and text in output, (arguments, output)
            code, output = await kubectl(
                "scale", "machinedeployment/pool", "--replicas=1", "--current-replicas=7", "-n", "default"
            )
            assert code != 0 and "Expected replicas to be 7, was 2" in output, output
        finally:
            await api.stop()

    run(flow(), 60)


CSR = {
    "apiVersion": "certificates.k8s.io/v1",
    "kind": "CertificateSigningRequest",
    "metadata": {"name": "csr-1"},
    "spec": {
        "request": base64.b64encode(b"-----BEGIN CERTIFICATE REQUEST-----").decode(),
        "signerName": "kubernetes.io/kubelet-serving",
        "usages": ["server auth"],
    },
}
Command = Callable[..., Awaitable[str]]


async def typed_kinds(good: Command) -> None:
    """kubectl sends these in protobuf."""
    await good("create", "secret", "generic", "p", "--from-literal=a=b", "-n", "c")
    assert await good("get", "secret", "p", "-n", "c", "-o", "jsonpath={.data.a} {.type}") == "Yg== Opaque"
    await good("create", "configmap", "m", "--from-literal=a=b", "-n", "c")
    assert await good("get", "configmap", "m", "-n", "c", "-o", "jsonpath={.data.a}") == "b"
    await good("create", "serviceaccount", "s", "-n", "c")
    await good("create", "-f", "-", stdin=manifest(CSR))
    await good("certificate", "approve", "csr-1")
    assert (await good("get", "csr")).splitlines()[1].split()[-1] == "Approved"


async def agents(good: Command) -> None:
    await good(
        "patch",
        "agent",
        "a",
        "-n",
        "c",
        "--type=merge",
        "-p",
        '{"spec":{"approved":true,"hostname":"h","role":"worker"}}',
    )
    status = {
        "role": "worker",
        "progress": {"currentStage": "Done", "stageStartTime": "2026-01-01T00:00:00Z"},
        "inventory": {"hostname": "real"},
    }
    await good(
        "patch", "agent", "a", "-n", "c", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status})
    )
    lines = [line.split() for line in (await good("get", "agents", "-n", "c")).splitlines()]
    assert lines == [["NAME", "CLUSTER", "APPROVED", "ROLE", "STAGE"], ["a", "true", "worker", "Done"], ["b", "false"]]
    wide = (await good("get", "agent", "a", "-n", "c", "-o", "wide")).splitlines()
    assert wide[0].split()[-3:] == ["HOSTNAME", "REQUESTED", "HOSTNAME"] and wide[1].split() == [
        "a",
        "true",
        "worker",
        "Done",
        "real",
        "h",
    ]
    await good("label", "agents", "--all", "-n", "c", "rack=r1")
    await good("annotate", "agent", "a", "-n", "c", "note=x")
    assert (await good("get", "agents", "-n", "c", "-l", "rack=r1", "-o", "name")).split() == [
        "agent.agent-install.openshift.io/a",
        "agent.agent-install.openshift.io/b",
    ]
    condition = {"status": {"conditions": [{"type": "Bound", "status": "False", "reason": "Unbound"}]}}
    await good("patch", "agent", "b", "-n", "c", "--subresource=status", "--type=merge", "-p", json.dumps(condition))
    assert "condition met" in await good("wait", "--for=condition=Bound=false", "agent/b", "-n", "c", "--timeout=10s")
    await good("wait", "--for=jsonpath={.status.role}=worker", "agent/a", "-n", "c", "--timeout=10s")
    assert (
        "agents.agent-install.openshift.io"
        in (await good("api-resources", "-o", "name", "--api-group=agent-install.openshift.io")).split()
    )
    assert "approved" in await good("explain", "agent.spec")


async def errors_are_printed(bad: Command) -> None:
    text = await bad("create", "-n", "c", "-f", "-", stdin=manifest(infra_env_document("j", ipxeScriptType="Never")))
    assert (
        'spec.ipxeScriptType: Unsupported value: "Never": supported values: "", "DiscoveryImageAlways", '
        '"BootOrderControl"'
    ) in text
    text = await bad("create", "-n", "c", "-f", "-", stdin=manifest(infra_env_document("j", agentLables={"a": "b"})))
    assert 'strict decoding error: unknown field "spec.agentLables"' in text, text
    assert "the server doesn't have a resource type" in await bad("get", "nothings")
    assert "NotFound" in await bad("get", "agent", "none", "-n", "c")


async def server_side(good: Command, bad: Command) -> None:
    apply = ("apply", "--server-side", "-n", "c", "-f", "-")
    other = manifest(infra_env_document("i", pullSecretRef={"name": "q"}))
    assert "conflict" in await bad(*apply, "--field-manager=one", stdin=other)
    await good(*apply, "--field-manager=one", stdin=manifest(infra_env_document("i", agentLabels={"a": "1"})))
    theirs = manifest(infra_env_document("i", agentLabels={"a": "2"}))
    text = await bad(*apply, "--field-manager=two", stdin=theirs)
    assert 'conflict with "one": .spec.agentLabels.a' in text, text
    await good(*apply, "--field-manager=two", "--force-conflicts", stdin=theirs)
    assert await good("get", "infraenv", "i", "-n", "c", "-o", "jsonpath={.spec.agentLabels.a}") == "2"
    assert "serverside-applied (server dry run)" in await good(
        *apply, "--dry-run=server", stdin=manifest(agent_document("new"))
    )
    assert "NotFound" in await bad("get", "agent", "new", "-n", "c")


async def deletion(good: Command, bad: Command) -> None:
    uid = await good("get", "infraenv", "i", "-n", "c", "-o", "jsonpath={.metadata.uid}")
    owner = {"apiVersion": "agent-install.openshift.io/v1beta1", "kind": "InfraEnv", "name": "i", "uid": uid}
    await good(
        "patch", "agent", "a", "-n", "c", "--type=merge", "-p", json.dumps({"metadata": {"ownerReferences": [owner]}})
    )
    await good("delete", "infraenv", "i", "-n", "c")
    await good("wait", "--for=delete", "agent/a", "-n", "c", "--timeout=10s")
    assert "NotFound" in await bad("get", "agent", "a", "-n", "c")
    await good("delete", "agents", "--all", "-n", "c")
    await good("delete", "namespace", "c")
    assert "NotFound" in await bad("get", "namespace", "c")
