# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the lab's admission functions as webhooks of a real API server."""

from __future__ import annotations

import base64
import copy
import json
import re
import ssl
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

from aiohttp import web

from .certificates import Signer
from .errors import ApiError
from .resource import Object, Resource
from .storage import Admission

NAME = "admission.ztlab.example.com"
_DENIED = re.compile(r'^admission webhook "[^"]+" denied the request: ')


class Webhooks:
    """An HTTPS server with ``/validate`` and ``/mutate``. ``admission`` and ``mutation`` are read at every request."""

    def __init__(self, admission: Sequence[Admission], mutation: Sequence[Admission]) -> None:
        self.admission, self.mutation = admission, mutation
        self._runner: web.AppRunner | None = None

    async def start(self, host: str, groups: Sequence[str]) -> list[tuple[str, Object]]:
        """Listen; the answer is the configurations to create, each with the path of its collection."""
        signer = Signer.create("admission")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        pair = signer.server([host])
        with tempfile.NamedTemporaryFile() as file:
            file.write(pair.certificate + pair.key)
            file.flush()
            context.load_cert_chain(file.name)
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post("/validate", self._validate)
        app.router.add_post("/mutate", self._mutate)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, 0, ssl_context=context).start()
        base = f"https://{host}:{self._runner.addresses[0][1]}"
        return [
            configuration("Validating", f"{base}/validate", signer.pem, groups, ["CREATE", "UPDATE", "DELETE"]),
            configuration("Mutating", f"{base}/mutate", signer.pem, groups, ["CREATE", "UPDATE"]),
        ]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _validate(self, request: web.Request) -> web.Response:
        asked = (await request.json())["request"]
        operation, resource, new, old, dry_run = _read(asked)
        try:
            for hook in self.admission:
                hook(operation, resource, copy.deepcopy(new), copy.deepcopy(old), dry_run)
        except ApiError as error:
            return _answer(asked, {"allowed": False, "status": refusal(error)})
        return _answer(asked, {"allowed": True})

    async def _mutate(self, request: web.Request) -> web.Response:
        asked = (await request.json())["request"]
        operation, resource, new, old, dry_run = _read(asked)
        changed = copy.deepcopy(new)
        try:
            for hook in self.mutation:
                hook(operation, resource, changed, old, dry_run)
        except ApiError as error:
            return _answer(asked, {"allowed": False, "status": refusal(error)})
        if changed == new:
            return _answer(asked, {"allowed": True})
        patch = [
            {"op": "replace", "path": f"/{name}", "value": value}
            for name, value in (changed or {}).items()
            if value != (new or {}).get(name)
        ]
        return _answer(
            asked,
            {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(patch).encode()).decode()},
        )


def _read(asked: Object) -> tuple[str, Resource, Object | None, Object | None, bool]:
    kind, named = asked["kind"], asked["resource"]
    resource = Resource(
        kind["group"],
        kind["version"],
        kind["kind"],
        named["resource"],
        namespaced=bool(asked.get("namespace")),
        custom=True,
    )
    return asked["operation"], resource, asked.get("object"), asked.get("oldObject"), bool(asked.get("dryRun"))


def refusal(error: ApiError) -> Object:
    """The status of a refusal; the API server itself says which webhook it was."""
    return {**error.status(), "message": _DENIED.sub("", error.message)}


def _answer(asked: Object, response: Object) -> web.Response:
    return web.json_response(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": asked["uid"], **response}}
    )


def configuration(
    kind: str, url: str, ca: bytes, groups: Iterable[str], operations: Sequence[str]
) -> tuple[str, Object]:
    """Path of the collection and a configuration for all resources of the groups, subresources left out."""
    webhook: dict[str, Any] = {
        "name": f"{kind.lower()}.{NAME}",
        "clientConfig": {"url": url, "caBundle": base64.b64encode(ca).decode()},
        "rules": [
            {
                "apiGroups": list(groups),
                "apiVersions": ["*"],
                "operations": list(operations),
                "resources": ["*"],
                "scope": "*",
            }
        ],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "timeoutSeconds": 10,
    }
    plural = f"{kind.lower()}webhookconfigurations"
    body = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": "ztlab"},
        "webhooks": [webhook],
    }
    return f"/apis/admissionregistration.k8s.io/v1/{plural}", body
