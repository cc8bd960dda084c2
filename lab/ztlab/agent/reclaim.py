# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate how a hub reclaims a node: a DaemonSet that the hub created runs a pod on the node. The pod fetches the
discovery image and restarts the machine with it.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..fabric.hosts import HostNetwork, Unreachable
from ..live.http import HostHttp
from ..machine.hardware import BootArtifacts, Hardware
from .service_access import ServiceAccess

if TYPE_CHECKING:
    from ..clusters import RunningCluster
    from ..lab import Lab

SPACE = "assisted-installer"
# Lab seconds.
POLL_SECONDS = 15.0
_ARGUMENTS = "random.trust_cpu=on ignition.firstboot ignition.platform.id=metal"


class _Problem(Exception):
    """The pod cannot continue; the text is the reason."""


class Reclaim:
    """Looks for a DaemonSet that is pinned to this node, and carries out its program."""

    def __init__(
        self, lab: Lab, machine: Hardware, running: RunningCluster, hostname: str, network: HostNetwork
    ) -> None:
        self._lab, self._machine, self._running, self._hostname = lab, machine, running, hostname
        self._http = HostHttp(lab, lambda: network)
        self._artifacts: BootArtifacts | None = None
        self._said = ""

    async def wait(self) -> BootArtifacts:
        """Return when the machine is to restart with what was downloaded."""
        while True:
            await self._lab.clock.sleep(POLL_SECONDS)
            pod = self._pod()
            if pod is None:
                continue
            try:
                if await self._step(pod) and self._artifacts is not None:
                    return self._artifacts
            except (_Problem, Unreachable, ValueError, KeyError) as error:
                self._say(f"next_step_runner: {error}")

    def _say(self, text: str) -> None:
        if text != self._said:
            self._machine.console.print(text)
            self._said = text

    def _pod(self) -> Mapping[str, Any] | None:
        """The pod template of the DaemonSet for this node, once the node is Ready."""
        kubelet = self._running.api.nodes.kubelets.get(self._hostname)
        if kubelet is None or not kubelet.ready or not self._running.serving:
            return None
        for item in self._list("DaemonSet", "apps"):
            pod: dict[str, Any] = ((item.get("spec") or {}).get("template") or {}).get("spec") or {}
            if (pod.get("nodeSelector") or {}).get("kubernetes.io/hostname") == self._hostname:
                return pod
        return None

    def _list(self, kind: str, group: str = "") -> list[dict[str, Any]]:
        api = self._running.api
        return api.store.list(api.registry.by_kind(kind, group), SPACE)

    def _data(self, kind: str, name: str, key: str) -> str:
        found = next((item for item in self._list(kind) if item["metadata"]["name"] == name), None)
        if found is None or key not in (found.get("data") or {}):
            raise _Problem(f"{kind} {SPACE}/{name} has no {key}")
        text = str(found["data"][key])
        return base64.b64decode(text).decode() if kind == "Secret" else text

    def _access(self, pod: Mapping[str, Any], options: Mapping[str, str]) -> ServiceAccess:
        reference = next(
            entry["valueFrom"]["secretKeyRef"]
            for entry in pod["containers"][0]["env"]
            if entry["name"] == "PULL_SECRET_TOKEN"
        )
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if options.get("--insecure") == "true":
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        if options.get("--cacert"):
            volume = next(entry for entry in pod["volumes"] if "configMap" in entry)
            tls.load_verify_locations(
                cadata=self._data("ConfigMap", volume["configMap"]["name"], options["--cacert"].rsplit("/", 1)[-1])
            )
        return ServiceAccess(options["--url"], self._data("Secret", reference["name"], reference["key"]), tls)

    async def _step(self, pod: Mapping[str, Any]) -> bool:
        """Ask for instructions and do them; whether the machine is to restart."""
        words = [str(word) for word in pod["containers"][0]["command"]]
        options = dict(zip(words, [*words[1:], ""], strict=True)) | dict(
            word.split("=", 1) for word in words if word.startswith("--") and "=" in word
        )
        access = self._access(pod, options)
        path = f"/v2/infra-envs/{options['--infra-env-id']}/hosts/{options['--host-id']}"
        reply = await access.call(self._http, "GET", f"{path}/instructions")
        if not reply.ok:
            raise _Problem(f"instructions refused: {reply.complaint()}")
        restart = False
        for step in reply.json().get("instructions") or []:
            answer = {
                "step_type": step["step_type"],
                "step_id": step["step_id"],
                "exit_code": 0,
                "output": "",
                "error": "",
            }
            if step["step_type"] == "download-boot-artifacts":
                answer |= await self._download(json.loads(step["args"][0]), access)
            elif step["step_type"] == "reboot-for-reclaim" and self._artifacts is not None:
                restart = True
            else:
                continue
            failure = f": {answer['error']}" if answer["error"] else ""
            self._say(f"next_step_runner: {step['step_type']}{failure}")
            await access.call(self._http, "POST", f"{path}/instructions", answer)
        return restart

    async def _download(self, request: Mapping[str, str], access: ServiceAccess) -> dict[str, Any]:
        """Kernel and root file system are looked at, the initrd is kept: it holds the configuration."""
        for name in ("kernel_url", "rootfs_url", "initrd_url"):
            headers = {} if name == "initrd_url" else {"Range": "bytes=0-1023"}
            reply = await self._http.request("GET", request[name], headers=headers, tls=access.tls)
            if not reply.ok:
                return {"exit_code": 1, "error": f"failed to download {request[name]}: status {reply.status}"}
        self._artifacts = BootArtifacts(
            reply.body, request["rootfs_url"], (f"{_ARGUMENTS} coreos.live.rootfs_url={request['rootfs_url']}")
        )
        return {}
