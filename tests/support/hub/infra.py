# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Extend the simulated hub (server.py) for tests of InfraEnvs: creation of objects, field selectors, and an operator
that provides images.
"""

from __future__ import annotations

import copy
import datetime
import json
from typing import Any

from . import server as hubserver

hubserver.KINDS.update({"nmstateconfigs": "NMStateConfig", "secrets": "Secret"})

UUID = "0f5a3c7e-1111-2222-3333-444455556666"
PULL_SECRET = '{"auths": {"registry.example.com:5000": {"auth": "dXNlcjpodWItcHVsbC1zZWNyZXQ="}}}'


def stamp(seconds_ago: float = 0) -> str:
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=seconds_ago)).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )


class InfraHub(hubserver.HubServer):
    """``words`` makes the operator refuse the next images with these words; ``age`` is how old it says a new image is,
    in seconds.
    """

    def __init__(self) -> None:
        self.words = ""
        self.age = 120.0
        self.images = 0
        self.operator = True
        self.namespaces = {"lab"}
        super().__init__()
        self.react = lambda hub, plural, obj: hub.reconcile()

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        if request["verb"] == "create":
            return self._create(request)
        if (
            request["verb"] == "get"
            and request["path"].startswith("/api/v1/namespaces/")
            and request["path"].count("/") == 4
        ):
            found = request["name"] in self.namespaces
            return (
                (200, {}, {"kind": "Namespace"})
                if found
                else hubserver.status(404, "NotFound", f'namespaces "{request["name"]}" not found')
            )
        name = request["query"].get("fieldSelector", "").partition("metadata.name=")[2]
        answer = super().answer(request)
        if request["verb"] == "list" and name:
            answer[2]["items"] = [item for item in answer[2]["items"] if item["metadata"]["name"] == name]
        return answer

    def _create(self, request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        match = hubserver.PATH.match(request["path"])
        plural, namespace, body = match["plural"], match["namespace"], copy.deepcopy(request["body"])
        with self.lock:
            if plural == "namespaces":
                self.namespaces |= set() if request["dry"] else {body["metadata"]["name"]}
                return 201, {}, body
            if namespace not in self.namespaces:
                return hubserver.status(404, "NotFound", f'namespaces "{namespace}" not found')
            if (plural, namespace, body["metadata"]["name"]) in self.objects:
                return hubserver.status(409, "AlreadyExists", f'{plural} "{body["metadata"]["name"]}" already exists')
            if request["dry"]:
                return 201, {}, body
            made = self.put(plural, body)
        if self.react is not None:
            self.react(self, plural, made)
        return 201, {}, made

    def reconcile(self) -> None:
        """The Infrastructure Operator: a new image whenever what it is made of has changed."""
        if not self.operator:
            return
        with self.lock:
            for (plural, namespace, name), infra_env in list(self.objects.items()):
                if plural != "infraenvs":
                    continue
                configs = [
                    obj["spec"] for (kind, _ns, _name), obj in sorted(self.objects.items()) if kind == "nmstateconfigs"
                ]
                spec = {
                    key: value
                    for key, value in infra_env["spec"].items()
                    if key not in ("agentLabels", "agentApproval")
                }
                content = json.dumps([spec, configs], sort_keys=True)
                if infra_env.get("status", {}).get("content") != content or self.words != infra_env["status"].get(
                    "words", ""
                ):
                    self.put("infraenvs", {**infra_env, "status": self._status(namespace, name, content)})

    def _status(self, namespace: str, name: str, content: str) -> dict[str, Any]:
        if self.words:
            condition = {
                "type": "ImageCreated",
                "status": "False",
                "reason": "ImageCreationError",
                "message": self.words,
            }
            return {"conditions": [condition], "content": content, "words": self.words}
        self.images += 1
        return {
            "conditions": [
                {
                    "type": "ImageCreated",
                    "status": "True",
                    "reason": "InfraEnvAvailable",
                    "message": "Image has been created",
                }
            ],
            "isoDownloadURL": f"https://images.example.com/byid/{UUID}/4.22/x86_64/full.iso?n={self.images}",
            "createdTime": stamp(self.age),
            "debugInfo": {
                "eventsURL": f"https://service.example.com/api/assisted-install/v2/events?infra_env_id={UUID}&api_key=k"
            },
            "bootArtifacts": {
                "kernel": "https://images.example.com/boot-artifacts/kernel",
                "initrd": "https://images.example.com/i",
            },
            "content": content,
        }
