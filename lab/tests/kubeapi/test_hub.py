# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how a hub's API behaves over time: watches, pages, garbage collection, namespaces.

Each scenario holds for the lab's API server and for a real one.
"""

from __future__ import annotations

import asyncio
import base64
import email.utils
import json
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.errors import ApiError, denied
from ztlab.kubeapi.hub import CRDS, hub_api
from ztlab.kubeapi.real import RealApi, assets
from ztlab.kubeapi.resource import Object, Resource

from .rig import run
from .servers import Caller, lab_server, real_server

AGENTS = "/apis/agent-install.openshift.io/v1beta1/namespaces/{}/agents"
INFRA_ENVS = "/apis/agent-install.openshift.io/v1beta1/namespaces/{}/infraenvs"
MERGE = "application/merge-patch+json"
Scenario = Callable[[Caller, str], Awaitable[None]]
SCENARIOS: list[Scenario] = []


def scenario(function: Scenario) -> Scenario:
    SCENARIOS.append(function)
    return function


def agent(name: str, **metadata: Any) -> Object:
    body = {"approved": False, "role": ""}
    return {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "Agent",
        "metadata": {"name": name, **metadata},
        "spec": body,
    }


def infra_env(name: str, **metadata: Any) -> Object:
    kind = {"apiVersion": "agent-install.openshift.io/v1beta1", "kind": "InfraEnv"}
    return {**kind, "metadata": {"name": name, **metadata}, "spec": {"pullSecretRef": {"name": "p"}}}


async def create(server: Caller, path: str, body: Object) -> Object:
    code, answer, _warnings = await server.call("POST", path, body)
    assert code == 201, answer
    return dict(answer)


async def until(check: Callable[[], Awaitable[bool]], seconds: float = 15.0) -> None:
    deadline = asyncio.get_running_loop().time() + seconds
    while not await check():
        assert asyncio.get_running_loop().time() < deadline, "it did not come"
        await asyncio.sleep(0.05)


async def gone(server: Caller, path: str) -> None:
    async def check() -> bool:
        return (await server.call("GET", path))[0] == 404

    await until(check)


def owner(item: Object, **more: Any) -> Object:
    return {
        "apiVersion": item["apiVersion"],
        "kind": item["kind"],
        "name": item["metadata"]["name"],
        "uid": item["metadata"]["uid"],
        **more,
    }


async def events(server: Caller, path: str, count: int) -> list[tuple[str, Object]]:
    found: list[tuple[str, Object]] = []
    async with server.session.get(path) as response:
        assert response.status == 200, await response.text()
        async for line in response.content:
            event = json.loads(line)
            found.append((event["type"], event["object"]))
            if len(found) == count:
                break
    return found


@scenario
async def agents_go_with_their_infra_env(server: Caller, namespace: str) -> None:
    parent = await create(server, INFRA_ENVS.format(namespace), infra_env("parent"))
    for name in ("one", "two"):
        await create(server, AGENTS.format(namespace), agent(name, ownerReferences=[owner(parent)]))
    await create(server, AGENTS.format(namespace), agent("free"))
    assert (await server.call("DELETE", f"{INFRA_ENVS.format(namespace)}/parent"))[1]["status"] == "Success"
    await gone(server, f"{AGENTS.format(namespace)}/one")
    await gone(server, f"{AGENTS.format(namespace)}/two")
    assert (await server.call("GET", f"{AGENTS.format(namespace)}/free"))[0] == 200


@scenario
async def a_finalizer_of_a_dependent_holds_only_that(server: Caller, namespace: str) -> None:
    parent = await create(server, INFRA_ENVS.format(namespace), infra_env("parent"))
    await create(
        server,
        AGENTS.format(namespace),
        agent("held", ownerReferences=[owner(parent)], finalizers=["agent.agent-install.openshift.io/ai-deprovision"]),
    )
    await server.call("DELETE", f"{INFRA_ENVS.format(namespace)}/parent")
    await gone(server, f"{INFRA_ENVS.format(namespace)}/parent")

    async def marked() -> bool:
        return "deletionTimestamp" in (await server.call("GET", f"{AGENTS.format(namespace)}/held"))[1]["metadata"]

    await until(marked)
    await server.call("PATCH", f"{AGENTS.format(namespace)}/held", {"metadata": {"finalizers": None}}, MERGE)
    await gone(server, f"{AGENTS.format(namespace)}/held")


@scenario
async def foreground_deletion_waits_for_dependents(server: Caller, namespace: str) -> None:
    parent = await create(server, INFRA_ENVS.format(namespace), infra_env("parent"))
    held = agent("held", ownerReferences=[owner(parent, blockOwnerDeletion=True)], finalizers=["lab.example.com/x"])
    await create(server, AGENTS.format(namespace), held)
    path = f"{INFRA_ENVS.format(namespace)}/parent"
    code, answer, _warnings = await server.call("DELETE", path, {"propagationPolicy": "Foreground"})
    assert code == 200 and answer["metadata"]["finalizers"] == ["foregroundDeletion"]

    async def marked() -> bool:
        return "deletionTimestamp" in (await server.call("GET", f"{AGENTS.format(namespace)}/held"))[1]["metadata"]

    await until(marked)
    assert (await server.call("GET", path))[0] == 200
    await server.call("PATCH", f"{AGENTS.format(namespace)}/held", {"metadata": {"finalizers": None}}, MERGE)
    await gone(server, path)


@scenario
async def orphans_stay_and_forget_their_owner(server: Caller, namespace: str) -> None:
    parent = await create(server, INFRA_ENVS.format(namespace), infra_env("parent"))
    await create(server, AGENTS.format(namespace), agent("child", ownerReferences=[owner(parent)]))
    await server.call("DELETE", f"{INFRA_ENVS.format(namespace)}/parent", {"propagationPolicy": "Orphan"})
    await gone(server, f"{INFRA_ENVS.format(namespace)}/parent")
    _code, child, _warnings = await server.call("GET", f"{AGENTS.format(namespace)}/child")
    assert "ownerReferences" not in child["metadata"]


@scenario
async def of_two_owners_one_is_enough(server: Caller, namespace: str) -> None:
    first = await create(server, INFRA_ENVS.format(namespace), infra_env("first"))
    second = await create(server, INFRA_ENVS.format(namespace), infra_env("second"))
    await create(server, AGENTS.format(namespace), agent("child", ownerReferences=[owner(first), owner(second)]))
    await server.call("DELETE", f"{INFRA_ENVS.format(namespace)}/first")

    async def single() -> bool:
        _code, child, _warnings = await server.call("GET", f"{AGENTS.format(namespace)}/child")
        return [entry["name"] for entry in child["metadata"].get("ownerReferences", [])] == ["second"]

    await until(single)
    await server.call("DELETE", f"{INFRA_ENVS.format(namespace)}/second")
    await gone(server, f"{AGENTS.format(namespace)}/child")


@scenario
async def an_owner_that_never_was_takes_the_object_along(server: Caller, namespace: str) -> None:
    reference = {
        "apiVersion": "agent-install.openshift.io/v1beta1",
        "kind": "InfraEnv",
        "name": "none",
        "uid": "00000000-0000-0000-0000-000000000000",
    }
    await create(server, AGENTS.format(namespace), agent("stray", ownerReferences=[reference]))
    await gone(server, f"{AGENTS.format(namespace)}/stray")


@scenario
async def a_namespace_ends_when_it_is_empty(server: Caller, namespace: str) -> None:
    name = f"{namespace}-ending"
    await create(server, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    await create(server, AGENTS.format(name), agent("held", finalizers=["lab.example.com/x"]))
    await create(server, INFRA_ENVS.format(name), infra_env("free"))
    code, answer, _warnings = await server.call("DELETE", f"/api/v1/namespaces/{name}")
    assert code == 200
    await gone(server, f"{INFRA_ENVS.format(name)}/free")
    code, answer, _warnings = await server.call("POST", AGENTS.format(name), agent("late"))
    assert code == 403 and "because it is being terminated" in answer["message"], answer
    _code, answer, _warnings = await server.call("GET", f"/api/v1/namespaces/{name}")
    assert answer["status"]["phase"] == "Terminating"
    await server.call("PATCH", f"{AGENTS.format(name)}/held", {"metadata": {"finalizers": None}}, MERGE)
    await gone(server, f"/api/v1/namespaces/{name}")


@scenario
async def watches_tell_what_changed(server: Caller, namespace: str) -> None:
    path = AGENTS.format(namespace)
    _code, listed, _warnings = await server.call("GET", path)
    version = listed["metadata"]["resourceVersion"]
    await create(server, path, agent("a", labels={"x": "1"}))
    await server.call("PATCH", f"{path}/a", {"spec": {"approved": True}}, MERGE)
    await server.call("PATCH", f"{path}/a", {"metadata": {"labels": {"x": "2"}}}, MERGE)
    await server.call("DELETE", f"{path}/a")
    seen = await events(server, f"{path}?watch=1&resourceVersion={version}", 4)
    assert [kind for kind, _item in seen] == ["ADDED", "MODIFIED", "MODIFIED", "DELETED"]
    versions = [int(item["metadata"]["resourceVersion"]) for _kind, item in seen]
    assert versions == sorted(set(versions))
    selected = await events(server, f"{path}?watch=1&resourceVersion={version}&labelSelector=x%3D1", 3)
    assert [kind for kind, _item in selected] == ["ADDED", "MODIFIED", "DELETED"]


@scenario
async def initial_events_end_with_a_bookmark(server: Caller, namespace: str) -> None:
    path = AGENTS.format(namespace)
    await create(server, path, agent("a"))
    query = "watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    seen = await events(server, f"{path}?{query}", 2)
    assert [kind for kind, _item in seen] == ["ADDED", "BOOKMARK"]
    assert seen[1][1]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


@scenario
async def pages_show_one_moment(server: Caller, namespace: str) -> None:
    path = AGENTS.format(namespace)
    for number in range(5):
        await create(server, path, agent(f"a{number}"))
    _code, first, _warnings = await server.call("GET", f"{path}?limit=2")
    assert [item["metadata"]["name"] for item in first["items"]] == ["a0", "a1"] and first["metadata"][
        "remainingItemCount"
    ] == 3
    await server.call("DELETE", f"{path}/a2")
    await create(server, path, agent("a22"))
    token = first["metadata"]["continue"]
    _code, second, _warnings = await server.call("GET", f"{path}?limit=2&continue={token}")
    assert [item["metadata"]["name"] for item in second["items"]] == ["a2", "a3"]
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    _code, third, _warnings = await server.call("GET", f"{path}?limit=2&continue={second['metadata']['continue']}")
    assert [item["metadata"]["name"] for item in third["items"]] == ["a4"] and not third["metadata"].get("continue")


@scenario
async def a_lock_lets_one_of_two_writers_through(server: Caller, namespace: str) -> None:
    path = AGENTS.format(namespace)
    made = await create(server, path, agent("a"))
    lock = {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}}
    assert (await server.call("PATCH", f"{path}/a", {**lock, "spec": {"role": "worker"}}, MERGE))[0] == 200
    code, answer, _warnings = await server.call("PATCH", f"{path}/a", {**lock, "spec": {"role": "master"}}, MERGE)
    assert (code, answer["reason"]) == (409, "Conflict")


@scenario
async def columns_are_upstreams(server: Caller, namespace: str) -> None:
    path = AGENTS.format(namespace)
    await create(server, path, agent("a"))
    status = {
        "role": "worker",
        "progress": {"currentStage": "Rebooting", "stageStartTime": "2026-01-01T00:00:00Z"},
        "inventory": {"hostname": "h"},
    }
    await server.call("PATCH", f"{path}/a/status", {"status": status}, MERGE)
    async with server.session.get(path, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}) as response:
        table = await response.json(content_type=None)
    assert [column["name"] for column in table["columnDefinitions"]] == [
        "Name",
        "Cluster",
        "Approved",
        "Role",
        "Stage",
        "Hostname",
        "Requested Hostname",
    ]
    assert table["rows"][0]["cells"] == ["a", None, False, "worker", "Rebooting", "h", None]


@pytest.mark.parametrize("one", SCENARIOS, ids=lambda one: one.__name__)
def test_in_the_lab(one: Scenario) -> None:
    async def flow() -> None:
        async with lab_server() as server:
            await in_a_namespace(server, one, "a-test")

    run(flow())


async def in_a_namespace(server: Caller, one: Scenario, namespace: str) -> None:
    await create(
        server, "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    await one(server, namespace)


@pytest.mark.skipif(assets() is None, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
def test_with_a_real_api_server(tmp_path: Path) -> None:
    async def flow() -> None:
        async with real_server(tmp_path) as server:
            for number, one in enumerate(SCENARIOS):
                try:
                    await asyncio.wait_for(in_a_namespace(server, one, f"test-{number}"), 300)
                except Exception as error:
                    raise AssertionError(one.__name__) from error

    asyncio.run(flow())


# admission


def refuse_a_name(operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
    if resource.kind == "Agent" and operation == "UPDATE" and new is not None and new["spec"].get("hostname") == "no":
        raise denied("agents.example.com", "not this name")
    if resource.kind == "Agent" and operation == "DELETE" and old is not None and old["metadata"]["name"] == "precious":
        raise denied("agents.example.com", "it is precious", code=403, reason="Forbidden")


def mark(operation: str, resource: Resource, new: Object | None, old: Object | None, dry_run: bool) -> None:
    if resource.kind == "Agent" and operation == "CREATE" and new is not None:
        new["metadata"].setdefault("labels", {})["seen"] = "yes"


async def admitted(server: Caller) -> None:
    path = AGENTS.format("default")
    made = await create(server, path, agent("precious"))
    assert made["metadata"]["labels"] == {"seen": "yes"}
    for query in ("", "?dryRun=All"):
        code, answer, _warnings = await server.call(
            "PATCH", f"{path}/precious{query}", {"spec": {"hostname": "no"}}, MERGE
        )
        assert (code, answer["reason"]) == (400, "BadRequest") and answer["message"].endswith(
            "denied the request: not this name"
        ), answer
    code, answer, _warnings = await server.call(
        "PATCH", f"{path}/precious/status", {"status": {"role": "worker"}}, MERGE
    )
    assert code == 200
    code, answer, _warnings = await server.call("DELETE", f"{path}/precious")
    assert code == 403 and answer["message"].endswith("it is precious")


def test_admission_functions_are_asked() -> None:
    async def flow() -> None:
        async with lab_server(hooks=([refuse_a_name], [mark])) as server:
            await admitted(server)

    run(flow())


@pytest.mark.skipif(assets() is None, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
def test_admission_functions_are_asked_by_a_real_api_server(tmp_path: Path) -> None:
    async def flow() -> None:
        async with real_server(tmp_path, hooks=([refuse_a_name], [mark])) as server:
            await admitted(server)

    asyncio.run(flow())


def test_what_a_hook_refuses_is_not_collected_either() -> None:
    async def flow() -> None:
        api = hub_api((CRDS,), authentication=Authentication(open_to_all=True))
        api.admission.append(refuse_a_name)
        kind = api.registry.by_kind("Agent", "agent-install.openshift.io")
        api.store.create(kind, agent("precious"), "default")
        with pytest.raises(ApiError):
            api.store.delete(kind, "precious", "default")

    run(flow())


# definitions over the API


def test_a_definition_is_served_until_it_is_deleted() -> None:
    async def flow() -> None:
        async with lab_server() as server:
            path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agents.agent-install.openshift.io"
            _code, definition, _warnings = await server.call("GET", path)
            assert {entry["type"]: entry["status"] for entry in definition["status"]["conditions"]} == {
                "NamesAccepted": "True",
                "Established": "True",
            }
            await create(server, AGENTS.format("default"), agent("a"))
            await server.call("DELETE", path)
            assert (await server.call("GET", AGENTS.format("default")))[0] == 404

    run(flow())


def test_watches_and_pages_of_compacted_versions_have_expired() -> None:
    async def flow() -> None:
        api = hub_api((CRDS,), authentication=Authentication(open_to_all=True))
        await api.start("127.0.0.1")
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{api.port}") as session:
                server, path = Caller(session), AGENTS.format("default")
                for number in range(3):
                    await create(server, path, agent(f"a{number}"))
                _code, page, _warnings = await server.call("GET", f"{path}?limit=1")
                await create(server, path, agent("b"))
                api.store.compact()
                code, answer, _warnings = await server.call(
                    "GET", f"{path}?limit=1&continue={page['metadata']['continue']}"
                )
                assert (code, answer["reason"]) == (410, "Expired")
                code, answer, _warnings = await server.call(
                    "GET", f"{path}?watch=1&resourceVersion={page['metadata']['resourceVersion']}"
                )
                assert (code, answer["reason"]) == (410, "Expired")
        finally:
            await api.stop()

    run(flow())


@pytest.mark.skipif(assets() is None, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
def test_before_a_real_api_server_stand_the_labs_time_and_faults(tmp_path: Path) -> None:
    async def flow() -> None:
        clock, faults, programs = LabClock(), Faults(), assets()
        assert programs is not None
        clock.skew = 86400
        api = RealApi(programs, tmp_path, (CRDS,), clock=clock, faults=faults)
        await api.start("127.0.0.1")
        (tmp_path / "config").write_text(api.kubeconfig())
        user = yaml.safe_load(api.kubeconfig())["users"][0]["user"]
        (tmp_path / "user.pem").write_bytes(
            base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"])
        )
        context = ssl.create_default_context(cadata=api.ca)
        anonymous = ssl.create_default_context(cadata=api.ca)
        context.load_cert_chain(tmp_path / "user.pem")
        path = AGENTS.format("default")
        try:
            async with aiohttp.ClientSession(api.url) as session:
                async with session.post(
                    path, json=agent("a"), ssl=context, headers={"User-Agent": "someone/1"}
                ) as response:
                    made = await response.json(content_type=None)
                    assert response.status == 201 and made["metadata"]["managedFields"][0]["manager"] == "someone"
                    reported = email.utils.parsedate_to_datetime(response.headers["Date"])
                    assert abs((reported - clock.utcnow()).total_seconds()) < 60
                async with session.get(path, ssl=anonymous) as response:
                    assert response.status in (401, 403)
                faults.add("api-429", options={"seconds": "3"})
                async with session.get(path, ssl=context) as response:
                    assert (response.status, response.headers["Retry-After"]) == (429, "3")
                async with session.get(f"{path}?watch=1&resourceVersion=0", ssl=context) as response:
                    assert json.loads(await response.content.readline())["type"] == "ADDED"
            assert api.requests == {"POST agents": 1, "GET agents": 2}
        finally:
            await api.stop()

    asyncio.run(flow())


def test_the_real_server_is_the_labs_twin() -> None:
    """What a hub calls is there on both."""
    for name in ("admission", "mutation", "requests", "unharmed", "start", "stop", "host", "port"):
        assert hasattr(hub_api(()), name)
    assert {"start", "stop", "kubeconfig", "url", "session"} <= set(dir(RealApi))
