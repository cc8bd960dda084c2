# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the verbs of the lab's API server, with the status codes and reasons on which clients base their decisions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ztlab.faults import Faults
from ztlab.kubeapi.auth import Authentication, User

from .rig import NAMESPACE, THING, THINGS, Api, run, thing

MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def test_life_of_an_object() -> None:
    async def flow() -> None:
        async with Api() as api:
            status, created = await api.call("POST", THINGS, {**thing("a"), "status": {"x": 1}})
            assert status == 201 and "status" not in created
            assert created["metadata"]["generation"] == 1 and created["metadata"]["namespace"] == "default"
            status, same = await api.call("PUT", f"{THINGS}/a", created)
            assert (status, same["metadata"]["resourceVersion"]) == (200, created["metadata"]["resourceVersion"])
            status, patched = await api.call(
                "PATCH", f"{THINGS}/a", {"spec": {"colour": "blue"}, "status": {"x": 2}}, MERGE
            )
            assert status == 200 and patched["metadata"]["generation"] == 2 and "status" not in patched
            status, with_status = await api.call(
                "PATCH", f"{THINGS}/a/status", {"spec": {"colour": "green"}, "status": {"x": 2}}, MERGE
            )
            assert status == 200 and with_status["status"] == {"x": 2} and with_status["spec"] == {"colour": "blue"}
            assert with_status["metadata"]["generation"] == 2
            status, removed = await api.call("DELETE", f"{THINGS}/a")
            assert (status, removed["status"]) == (200, "Success")
            assert (await api.call("GET", f"{THINGS}/a"))[0] == 404

    run(flow())


REFUSALS: list[tuple[str, str, str, Any, str, int, str]] = [
    ("unknown object", "GET", f"{THINGS}/none", None, "application/json", 404, "NotFound"),
    ("exists", "POST", THINGS, thing("here"), "application/json", 409, "AlreadyExists"),
    ("no name", "POST", THINGS, {"kind": "Thing", "metadata": {}}, "application/json", 422, "Invalid"),
    ("bad name", "POST", THINGS, thing("Not_A_Name"), "application/json", 422, "Invalid"),
    ("wrong kind", "POST", THINGS, {**thing("b"), "kind": "Other"}, "application/json", 422, "Invalid"),
    ("no JSON", "POST", THINGS, b"{", "application/json", 400, "BadRequest"),
    ("no object", "POST", THINGS, [1], "application/json", 400, "BadRequest"),
    ("protobuf", "POST", THINGS, b"x", "application/vnd.kubernetes.protobuf", 415, "UnsupportedMediaType"),
    (
        "no namespace in path",
        "POST",
        "/apis/lab.example.com/v1/things",
        thing("b"),
        "application/json",
        405,
        "MethodNotAllowed",
    ),
    ("namespace unknown", "POST", THINGS.replace("default", "other"), thing("b"), "application/json", 404, "NotFound"),
    (
        "namespace differs",
        "POST",
        THINGS,
        {**thing("b"), "metadata": {"name": "b", "namespace": "x"}},
        "application/json",
        400,
        "BadRequest",
    ),
    ("name differs", "PUT", f"{THINGS}/here", thing("b"), "application/json", 400, "BadRequest"),
    (
        "old version",
        "PUT",
        f"{THINGS}/here",
        {**thing("here"), "metadata": {"name": "here", "resourceVersion": "1"}},
        "application/json",
        409,
        "Conflict",
    ),
    (
        "strategic on custom",
        "PATCH",
        f"{THINGS}/here",
        {},
        "application/strategic-merge-patch+json",
        415,
        "UnsupportedMediaType",
    ),
    ("apply without a manager", "PATCH", f"{THINGS}/here", {}, "application/apply-patch+yaml", 422, "Invalid"),
    ("patch of nothing", "PATCH", f"{THINGS}/none", {}, MERGE, 404, "NotFound"),
    (
        "failed test",
        "PATCH",
        f"{THINGS}/here",
        [{"op": "test", "path": "/spec/colour", "value": "x"}],
        "application/json-patch+json",
        422,
        "Invalid",
    ),
    ("wrong uid", "DELETE", f"{THINGS}/here", {"preconditions": {"uid": "x"}}, "application/json", 409, "Conflict"),
    ("bad selector", "GET", f"{THINGS}?labelSelector=a%20b", None, "application/json", 400, "BadRequest"),
    ("bad field", "GET", f"{THINGS}?fieldSelector=spec.other=1", None, "application/json", 400, "BadRequest"),
    ("bad dry run", "POST", f"{THINGS}?dryRun=Some", thing("b"), "application/json", 422, "Invalid"),
    ("bad continue", "GET", f"{THINGS}?continue=zzz", None, "application/json", 400, "BadRequest"),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "media", "code", "reason"),
    [row[1:] for row in REFUSALS],
    ids=[row[0] for row in REFUSALS],
)
def test_refusals(method: str, path: str, body: Any, media: str, code: int, reason: str) -> None:
    async def flow() -> None:
        async with Api() as api:
            await api.call("POST", THINGS, thing("here"))
            status, answer = await api.call(method, path, body, media)
            assert (status, answer["kind"], answer["reason"], answer["code"]) == (code, "Status", reason, code)

    run(flow())


@pytest.mark.parametrize("path", ["/apis/lab.example.com/v1/nothings", "/apis/other/v1", f"{THINGS}/here/scale"])
def test_what_is_not_served_is_answered_in_plain_text(path: str) -> None:
    async def flow() -> None:
        async with Api() as api:
            await api.call("POST", THINGS, thing("here"))
            assert await api.call("GET", path) == (404, "404 page not found\n")

    run(flow())


def test_lists_select_page_and_tabulate() -> None:
    async def flow() -> None:
        async with Api() as api:
            for name, colour in (("a", "red"), ("b", "blue"), ("c", "red")):
                await api.call("POST", THINGS, thing(name, colour, tier=name))
            _, found = await api.call("GET", f"{THINGS}?fieldSelector=spec.colour=red&labelSelector=tier%20in%20(a,b)")
            assert [item["metadata"]["name"] for item in found["items"]] == ["a"] and found["kind"] == "ThingList"
            _, first = await api.call("GET", "/apis/lab.example.com/v1/things?limit=2")
            assert len(first["items"]) == 2 and first["metadata"]["remainingItemCount"] == 1
            _, rest = await api.call(
                "GET", f"/apis/lab.example.com/v1/things?limit=2&continue={first['metadata']['continue']}"
            )
            assert [item["metadata"]["name"] for item in rest["items"]] == ["c"] and "continue" not in rest["metadata"]
            _, shown = await api.call("GET", THINGS, Accept=TABLE)
            assert shown["kind"] == "Table" and [column["name"] for column in shown["columnDefinitions"]] == [
                "Name",
                "Colour",
                "Ready",
                "Age",
            ]
            assert [row["cells"][:3] for row in shown["rows"]] == [
                ["a", "red", ""],
                ["b", "blue", ""],
                ["c", "red", ""],
            ]
            assert shown["rows"][0]["object"]["kind"] == "PartialObjectMetadata"

    run(flow())


def test_dry_run_changes_nothing() -> None:
    async def flow() -> None:
        async with Api() as api:
            assert (await api.call("POST", f"{THINGS}?dryRun=All", thing("a")))[0] == 201
            assert (await api.call("GET", f"{THINGS}/a"))[0] == 404
            await api.call("POST", THINGS, thing("a"))
            _, answer = await api.call("PATCH", f"{THINGS}/a?dryRun=All", {"spec": {"colour": "x"}}, MERGE)
            assert answer["spec"]["colour"] == "x"
            await api.call("DELETE", f"{THINGS}/a", {"dryRun": ["All"]})
            assert (await api.call("GET", f"{THINGS}/a"))[1]["spec"]["colour"] == "red"

    run(flow())


def test_finalizers_hold_an_object() -> None:
    async def flow() -> None:
        async with Api() as api:
            body = thing("a")
            body["metadata"]["finalizers"] = ["lab/hold"]
            await api.call("POST", THINGS, body)
            _, marked = await api.call("DELETE", f"{THINGS}/a")
            assert marked["metadata"]["deletionTimestamp"]
            await api.call("PATCH", f"{THINGS}/a", {"metadata": {"finalizers": None}}, MERGE)
            assert (await api.call("GET", f"{THINGS}/a"))[0] == 404

    run(flow())


def test_watch_follows_selectors_and_bookmarks() -> None:
    async def flow() -> None:
        async with Api() as api:
            await api.call("POST", THINGS, thing("a"))
            _, listed = await api.call("GET", THINGS)
            version = listed["metadata"]["resourceVersion"]
            path = f"{THINGS}?watch=1&resourceVersion={version}&allowWatchBookmarks=true&timeoutSeconds=1&fieldSelector=spec.colour=red"  # noqa: E501
            watching = asyncio.create_task(api.watch(path, 5))
            await asyncio.sleep(0.05)
            await api.call("POST", THINGS, thing("b", "blue"))
            await api.call("PATCH", f"{THINGS}/b", {"spec": {"colour": "red"}}, MERGE)
            await api.call("PATCH", f"{THINGS}/a", {"spec": {"size": 3}}, MERGE)
            await api.call("PATCH", f"{THINGS}/a", {"spec": {"colour": "blue"}}, MERGE)
            await api.call("DELETE", f"{THINGS}/b")
            events = await watching
            assert [(event["type"], event["object"]["metadata"].get("name")) for event in events] == [
                ("ADDED", "b"),
                ("MODIFIED", "a"),
                ("DELETED", "a"),
                ("DELETED", "b"),
                ("BOOKMARK", None),
            ]

    run(flow())


def test_watch_without_version_starts_with_all() -> None:
    async def flow() -> None:
        async with Api() as api:
            await api.call("POST", THINGS, thing("a"))
            events = await api.watch(f"{THINGS}?watch=true", 1)
            assert (events[0]["type"], events[0]["object"]["metadata"]["name"]) == ("ADDED", "a")
            path = (
                f"{THINGS}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
            )
            events = await api.watch(path, 2)
            assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
            tabled = await api.watch(f"{THINGS}?watch=true", 1, Accept=TABLE)
            assert tabled[0]["object"]["rows"][0]["cells"][:2] == ["a", "red"]

    run(flow())


def test_old_versions_are_gone() -> None:
    async def flow() -> None:
        async with Api(keep=3) as api:
            for name in "abcdef":
                await api.call("POST", THINGS, thing(name))
            status, answer = await api.call("GET", f"{THINGS}?watch=1&resourceVersion=2")
            assert (status, answer["reason"]) == (410, "Expired")
            api.store.compact()
            version = api.store.version
            assert (await api.call("GET", f"{THINGS}?watch=1&resourceVersion={version - 1}"))[0] == 410
            api.faults.add("api-410")
            events = await api.watch(f"{THINGS}?watch=1&resourceVersion={version}", 1)
            assert (events[0]["type"], events[0]["object"]["code"]) == ("ERROR", 410)

    run(flow())


def test_faults() -> None:
    async def flow() -> None:
        async with Api() as api:
            await api.call("POST", THINGS, thing("a"))
            api.faults.add("api-429", options={"seconds": "2"})
            status, answer = await api.call("GET", THINGS)
            assert (status, api.headers["Retry-After"], answer["details"]) == (429, "2", {"retryAfterSeconds": 2})
            api.faults.add("api-500")
            assert (await api.call("GET", THINGS))[1]["reason"] == "InternalError"
            api.faults.add("api-409")
            assert (await api.call("GET", THINGS))[0] == 200
            assert (await api.call("PATCH", f"{THINGS}/a", {}, MERGE))[0] == 409
            assert (await api.call("PATCH", f"{THINGS}/a", {}, MERGE))[0] == 200

    run(flow())


def test_who_may_come_in() -> None:
    async def flow() -> None:
        authentication = Authentication({"secret": User("robot", ("robots",))})
        async with Api(authentication=authentication) as api:
            assert (await api.call("GET", "/version"))[0] == 200
            status, answer = await api.call("GET", THINGS)
            assert (status, answer["reason"]) == (403, "Forbidden")
            assert (await api.call("GET", THINGS, Authorization="Bearer other"))[0] == 401
            assert (await api.call("GET", THINGS, Authorization="Bearer secret"))[0] == 200
            assert (
                await api.call(
                    "GET", THINGS, Authorization="Bearer secret", Accept="application/vnd.kubernetes.protobuf"
                )
            )[0] == 406

    run(flow())


def test_discovery_old_and_new() -> None:
    async def flow() -> None:
        async with Api() as api:
            _, versions = await api.call("GET", "/api")
            assert versions["versions"] == ["v1"]
            _, groups = await api.call("GET", "/apis")
            assert [group["name"] for group in groups["groups"]] == ["lab.example.com"]
            _, listed = await api.call("GET", "/apis/lab.example.com/v1")
            assert [entry["name"] for entry in listed["resources"]] == ["things", "things/status"]
            accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
            _, found = await api.call("GET", "/apis", Accept=accept)
            assert found["kind"] == "APIGroupDiscoveryList" and found["items"][0]["versions"][0]["resources"][0][
                "shortNames"
            ] == ["th"]
            _, index = await api.call("GET", "/openapi/v3")
            _, document = await api.call("GET", index["paths"]["apis/lab.example.com/v1"]["serverRelativeURL"])
            assert "com.example.lab.v1.Thing" in document["components"]["schemas"]
            assert (await api.call("GET", "/apis/lab.example.com"))[1]["preferredVersion"]["version"] == "v1"
            assert (await api.call("GET", "/readyz"))[1] == "ok"
            assert "/version" in (await api.call("GET", "/"))[1]["paths"]

    run(flow())


def test_namespaces_as_objects_and_as_scope() -> None:
    async def flow() -> None:
        async with Api() as api:
            assert (await api.call("GET", "/api/v1/namespaces/default"))[1]["kind"] == "Namespace"
            assert (
                await api.call("PATCH", "/api/v1/namespaces/default/status", {"status": {"phase": "Active"}}, MERGE)
            )[0] == 200
            body = {"kind": "ConfigMap", "metadata": {"generateName": "x-"}, "data": {"a": "b"}}
            _, created = await api.call("POST", "/api/v1/namespaces/default/configmaps", body)
            assert created["metadata"]["name"].startswith("x-")
            path = f"/api/v1/namespaces/default/configmaps/{created['metadata']['name']}"
            patch = {"data": {"c": "d"}, "$retainKeys": ["x"]}
            status, patched = await api.call("PATCH", path, patch, "application/strategic-merge-patch+json")
            assert status == 200 and patched["data"] == {"a": "b", "c": "d"}
            yaml_body = b"kind: ConfigMap\nmetadata: {name: y}\n"
            assert (await api.call("POST", "/api/v1/namespaces/default/configmaps", yaml_body, "application/yaml"))[
                0
            ] == 201
            _, gone = await api.call("DELETE", "/api/v1/namespaces/default/configmaps")
            assert len(gone["items"]) == 2
            assert api.server.requests["POST configmaps"] == 2
            assert api.store.exists(NAMESPACE, "default") and not api.store.exists(THING, "a", "default")

    run(flow())


def test_a_fault_of_a_part_of_the_requests() -> None:
    faults = Faults()
    fault = faults.add("api-500", count=None, options={"percent": "20"})
    bitten = sum(faults.take("api-500") is not None for _request in range(1000))
    assert bitten == fault.taken and 150 < bitten < 250
