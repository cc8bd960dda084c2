# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test errors and access of the assisted-service over HTTP: the three error formats, media types, methods, personas
(who may call which operation), injected faults.
"""

from __future__ import annotations

import base64
from typing import Any

import aiohttp
import pytest

from .flows import UNKNOWN, run
from .scripted import API, INFRA_ENV_ID, PULL_SECRET, Client, Rig, cluster_params

SHAPES: list[tuple[str, str, str, Any, int, dict[str, Any]]] = [
    (
        "unknown cluster",
        "GET",
        f"/clusters/{UNKNOWN}",
        None,
        404,
        {"kind": "Error", "id": 404, "href": "", "code": "404", "reason": "record not found"},
    ),
    ("unknown infra-env", "GET", f"/infra-envs/{UNKNOWN}", None, 404, {"code": "404", "reason": "record not found"}),
    (
        "unknown host",
        "GET",
        f"/infra-envs/{INFRA_ENV_ID}/hosts/{UNKNOWN}",
        None,
        404,
        {"reason": f"failed to get host {UNKNOWN} in infra_env {INFRA_ENV_ID}: record not found"},
    ),
    (
        "delete of an unknown host",
        "DELETE",
        f"/infra-envs/{INFRA_ENV_ID}/hosts/{UNKNOWN}",
        None,
        500,
        {"code": "500", "kind": "Error"},
    ),
    (
        "no id",
        "GET",
        "/clusters/abc",
        None,
        400,
        {"code": 400, "message": 'cluster_id in path must be of type uuid: "abc"'},
    ),
    (
        "no path",
        "GET",
        "/nothing",
        None,
        404,
        {"code": 404, "message": ("path /api/assisted-install/v2/nothing was not found")},
    ),
    (
        "wrong method",
        "PUT",
        "/clusters",
        None,
        405,
        {"code": 405, "message": "method PUT is not allowed, but [GET,POST] are"},
    ),
    ("no body", "POST", "/clusters", None, 400, {"code": 400, "message": "newClusterParams in body is required"}),
    (
        "member missing",
        "POST",
        "/clusters",
        {"openshift_version": "4.22", "pull_secret": "x"},
        400,
        {"code": 400, "message": "name in body is required"},
    ),
    (
        "unknown member",
        "POST",
        "/clusters",
        {"x": 1},
        400,
        {"code": 400, "message": 'parsing newClusterParams body from "" failed, because json: unknown field "x"'},
    ),
    ("unknown word", "POST", "/clusters", cluster_params(hyperthreading="some"), 400, {"code": 400}),
    ("wrong type", "POST", "/clusters", cluster_params(control_plane_count="3"), 400, {"code": 400}),
    (
        "too long",
        "POST",
        "/clusters",
        cluster_params(name="a" * 55),
        400,
        {"code": 400, "message": "name in body should be at most 54 chars long"},
    ),
    ("no JSON", "POST", "/clusters", b"{", 400, {"code": 400}),
    (
        "bad query",
        "GET",
        "/events?limit=some",
        None,
        400,
        {"code": 400, "message": 'limit in query must be of type int64: "some"'},
    ),
    (
        "infra-env of no cluster",
        "POST",
        "/infra-envs",
        {"name": "x", "pull_secret": PULL_SECRET, "cluster_id": UNKNOWN},
        404,
        {"reason": f"Cluster ID {UNKNOWN} does not exist"},
    ),
]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "answer"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES]
)
def test_error_shapes(method: str, path: str, body: Any, status: int, answer: dict[str, Any]) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            if isinstance(body, bytes):
                found = await rig.user.call(method, path, raw=body)
            else:
                found = await rig.user.call(method, path, body)
            assert found[0] == status, found
            assert {key: found[1].get(key) for key in answer} == answer

    run(flow())


def test_media_type_and_allow_header() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            status, answer = await rig.user.call("POST", "/clusters", raw=b"{}", headers={"Content-Type": "text/plain"})
            assert status == 400 and answer["message"].startswith("unsupported media type")
            assert rig.user.session is not None
            async with rig.user.session.delete(rig.service.url + API + "/clusters") as response:
                assert (response.status, response.headers["Allow"]) == (405, "GET,POST")
            for path in ("/health", "/ready", "/metrics"):
                async with rig.user.session.get(rig.service.url + path) as response:
                    assert response.status == 200
            async with aiohttp.ClientSession() as session, session.get(rig.service.url + "/other") as response:
                assert response.status == 404

    run(flow())


def test_who_may_do_what() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            assert (await rig.watcher.call("GET", "/clusters"))[0] == 200
            assert (await rig.watcher.call("GET", f"/clusters/{rig.cluster['id']}"))[0] == 200
            assert (await rig.watcher.call("GET", "/infra-envs"))[0] == 200
            assert (await rig.watcher.call("GET", "/events"))[0] == 200
            assert (await rig.watcher.call("GET", f"/infra-envs/{INFRA_ENV_ID}"))[0] == 401
            assert (await rig.agent.call("POST", "/clusters", cluster_params()))[0] == 401
            async with Client(rig.service.url) as unknown:
                assert await unknown.call("GET", "/clusters") == (
                    401,
                    {"code": 401, "message": "unauthenticated for invalid credentials"},
                )
            async with Client(rig.service.url, {"Authorization": rig.keys.token(auth_scheme="agentAuth")}) as wrong:
                assert await wrong.call("GET", "/clusters") == (
                    403,
                    {"code": 403, "message": "authClaim agentAuth is unauthorized to access"},
                )

    run(flow())


def test_faults_of_the_service() -> None:
    async def flow() -> None:
        async with Rig(10) as rig:
            await rig.create()
            rig.faults.add("service-500", options={"path": "/infra-envs"})
            assert (await rig.user.call("GET", "/clusters"))[0] == 200
            assert (await rig.user.call("GET", "/infra-envs"))[1]["code"] == "500"
            assert (await rig.user.call("GET", "/infra-envs"))[0] == 200
            rig.faults.add("service-503")
            assert (await rig.user.call("GET", "/clusters"))[0] == 503
            rig.faults.add("service-slow", options={"seconds": "2"})
            before = rig.clock.now()
            await rig.user.get("/clusters")
            assert rig.clock.now() - before >= 2
            assert rig.service.requests["GET /v2/clusters"] == 2

    run(flow())


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/clusters", "application/json", 200),
        ("/clusters", "application/octet-stream", 400),
        ("/clusters", "application/json;q=0.5, application/octet-stream", 200),
        ("file", "application/json", 400),
        ("file", "application/octet-stream", 200),
        ("file", "text/html, */*", 200),
        ("file", "application/*", 200),
    ],
)
def test_an_answer_is_of_a_kind_that_the_caller_takes(path: str, accept: str, status: int) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            cluster = await rig.create()
            body = {"folder": "openshift", "file_name": "a.yaml", "content": base64.b64encode(b"a: 1\n").decode()}
            await rig.user.post(f"/clusters/{cluster['id']}/manifests", body)
            assert rig.user.session is not None
            where = (
                f"/clusters/{cluster['id']}/manifests/files?folder=openshift&file_name=a.yaml"
                if path == "file"
                else path
            )
            async with rig.user.session.get(rig.service.url + API + where, headers={"Accept": accept}) as response:
                assert response.status == status
                if status == 400:
                    assert "unsupported media type requested, only [application/" in (await response.json())["message"]

    run(flow())
