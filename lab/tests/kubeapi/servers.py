# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the API servers under test: the lab's own and, if KUBEBUILDER_ASSETS is set, a real kube-apiserver."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.hub import CRDS, hub_api
from ztlab.kubeapi.real import RealApi, assets
from ztlab.kubeapi.storage import Admission

Object = dict[str, Any]
Hooks = tuple[Sequence[Admission], Sequence[Admission]]  # admission, mutation
WIDGETS = Path(__file__).with_name("widgets.yaml")


class Caller:
    """Calls over one HTTP session."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session

    async def call(
        self, method: str, path: str, body: Any = None, media: str = "application/json", agent: str = "tester/1.0"
    ) -> tuple[int, Any, list[str]]:
        """Status code, body, and the texts of warnings."""
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        data = None if text is None else text.encode()
        headers = {"User-Agent": agent, **({"Content-Type": media} if data is not None else {})}
        async with self.session.request(method, path, data=data, headers=headers) as response:
            text = await response.text()
            warnings = [
                re.sub(r'^299 - "(.*)"$', r"\1", value).replace('\\"', '"')
                for value in response.headers.getall("Warning", [])
            ]
            return (
                response.status,
                json.loads(text) if "json" in response.headers.get("Content-Type", "") else text,
                warnings,
            )


@contextlib.asynccontextmanager
async def lab_server(crd_dirs: Sequence[Path] = (CRDS,), *, hooks: Hooks = ((), ())) -> AsyncIterator[Caller]:
    api = hub_api(crd_dirs, authentication=Authentication(open_to_all=True))
    api.admission.extend(hooks[0])
    api.mutation.extend(hooks[1])
    await api.start("127.0.0.1")
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{api.port}") as session:
            yield Caller(session)
    finally:
        await api.stop()


@contextlib.asynccontextmanager
async def real_server(
    directory: Path, crd_dirs: Sequence[Path] = (CRDS,), *, hooks: Hooks = ((), ())
) -> AsyncIterator[Caller]:
    programs = assets()
    assert programs is not None
    api = RealApi(programs, directory, crd_dirs)
    api.admission.extend(hooks[0])
    api.mutation.extend(hooks[1])
    try:
        await api.start("127.0.0.1")
        yield Caller(api.session)
    finally:
        await api.stop()


# what is compared


def plain(status: int, body: Any, warnings: list[str]) -> Object:
    """An answer without what differs from run to run."""
    return {
        "status": status,
        "body": _plain(copy.deepcopy(body)),
        **({"warnings": sorted(warnings)} if warnings else {}),
    }


VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "lastTransitionTime")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LISTED = re.compile(r" is invalid: \[.*\]$", re.S)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    # The API server does not note a time of every manager.
    found = {
        name: f"<{name}>" if name in VOLATILE and item else _plain(item)
        for name, item in value.items()
        if name != "time"
    }
    if found.get("kind") == "Status" and isinstance(found.get("message"), str):
        found["message"] = _LISTED.sub(" is invalid: [causes]", found["message"])
        found["message"] = _UID.sub("<uid>", found["message"])
    for name in [
        name for name in found if name.startswith("f:") and any(key[:2] in ("v:", "k:") for key in found[name] or {})
    ]:
        found[name] = {}  # the lab owns a list as a whole
    for name in ("causes", "managedFields"):
        if isinstance(found.get(name), list):
            # the API server names some causes twice
            unique = {json.dumps(item, sort_keys=True): item for item in found[name]}
            found[name] = [unique[key] for key in sorted(unique)]
    if found.get("kind") == "Status" and not found.get("details"):
        found.pop("details", None)
    return found


async def converse(server: Caller, document: Object) -> list[Object]:
    """The answers to the steps of one conversation."""
    namespace = document["namespace"]
    await server.call(
        "POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    answers = []
    for step in document["steps"]:
        method, path = step["call"].split(" ", 1)
        path = path.replace("{ns}", namespace)
        for name, base in document["paths"].items():
            path = path.replace("{" + name + "}", base.replace("{ns}", namespace))
        body = json.loads(json.dumps(step.get("body")).replace("@long", "a" * 254))
        answer = await server.call(
            method, path, body, step.get("media", "application/json"), step.get("agent", "tester/1.0")
        )
        if document.get("owners") == "left out":
            _drop_owners(answer[1])
        answers.append(plain(*answer) if step.get("compare") != "code" else {"status": answer[0]})
    return answers


def _drop_owners(body: Any) -> None:
    for item in body.get("items", [body]) if isinstance(body, dict) else ():
        item.get("metadata", {}).pop("managedFields", None)


def definitions() -> list[Object]:
    return [document for document in yaml.safe_load_all(WIDGETS.read_text()) if document]
