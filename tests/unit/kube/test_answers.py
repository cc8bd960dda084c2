# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test invalid responses of a Kubernetes API (endless lists, broken events, values of other types): each is reported as
a fault of that API.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.kinds import DEPLOYMENT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import UnusableAnswer
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import AGENT, INFRA_ENV
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.kinds import NODE_POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.answers import MOST_PAGES, read_events
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.config import KubeConfig
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.paths import LEASE, NODE, SECRET
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support.hostile import http_json as hostile

NODES = "/api/v1/nodes"


def client_of(server: hostile.HostileServer, **options: Any) -> KubeClient:
    return KubeClient(KubeConfig(server.url, authorization="Bearer x"), service="The hub's API", **options)


def test_a_list_whose_pages_never_end() -> None:
    page = {
        "kind": "NodeList",
        "apiVersion": "v1",
        "metadata": {"continue": "more", "resourceVersion": "1"},
        "items": [],
    }
    with hostile.serving(hostile.document(page)) as server:
        with pytest.raises(UnusableAnswer, match="does not end within"):
            client_of(server).list(NODE.path())
        assert len(server.requests) == MOST_PAGES + 1


@pytest.mark.parametrize(
    "answer",
    [
        {"items": 7},
        {"items": [7]},
        {"items": {"a": 1}},
        {"metadata": "x", "items": []},
        {"items": [{"metadata": []}]},
        {"items": [{"metadata": {"labels": {"a": 1}}}]},
        {"items": [{"metadata": {"name": ["x"]}}]},
        {"items": [{"metadata": {"finalizers": "x"}}]},
        {"items": [{"spec": [1]}]},
        {"items": [{"status": "Running"}]},
        {"items": [{"status": {"conditions": {"type": "Ready"}}}]},
        {"items": [{"status": {"conditions": ["Ready"]}}]},
        [],
        7,
    ],
)
def test_lists_with_other_types(answer: Any) -> None:
    with (
        hostile.serving(hostile.document(answer)) as server,
        pytest.raises(UnusableAnswer, match=r"^The hub's API answered 200"),
    ):
        client_of(server).list(NODE.path())


@pytest.mark.parametrize(
    "answer", [{"metadata": 7}, {"kind": 3}, {"metadata": {"annotations": []}}, {"status": {"conditions": 1}}]
)
def test_objects_with_other_types(answer: Any) -> None:
    with (
        hostile.serving(hostile.document(answer)) as server,
        pytest.raises(UnusableAnswer, match="not an object as the API defines it"),
    ):
        client_of(server).find(SECRET.path("n", "x"))


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (LEASE, {"spec": {"leaseDurationSeconds": "15"}}),
        (LEASE, {"spec": {"renewTime": 7}}),
        (DEPLOYMENT, {"spec": {"template": {"spec": {"containers": ["x"]}}}}),
        (INFRA_ENV, {"status": {"debugInfo": "x"}}),
        (NODE_POOL, {"spec": {"replicas": "three"}}),
        (NODE_POOL, {"spec": {"autoScaling": {"min": "1"}}}),
        (NODE_POOL, {"status": {"replicas": "three"}}),
        (AGENT, {"status": {"inventory": {"disks": [{"installationEligibility": "yes"}]}}}),
    ],
)
def test_fields_with_other_types(kind: Resource, answer: Any) -> None:
    """Only fields that the collection reads are in the table of types."""
    with (
        hostile.serving(hostile.document(answer)) as server,
        pytest.raises(UnusableAnswer, match="not an object as the API defines it"),
    ):
        client_of(server).find(kind.path("n", "x"))


def test_nulls_count_as_absent() -> None:
    answer = {
        "metadata": {"name": "x", "labels": None, "finalizers": None},
        "spec": None,
        "status": {"conditions": None},
    }
    with hostile.serving(hostile.document(answer)) as server:
        assert client_of(server).find(NODE.path(name="x")) == {"metadata": {"name": "x"}, "status": {}}


@pytest.mark.parametrize("body", hostile.ODD_JSON.values(), ids=hostile.ODD_JSON)
def test_documents_beyond_limits(body: bytes) -> None:
    with hostile.serving(hostile.raw(body)) as server, pytest.raises(UnusableAnswer):
        client_of(server).list(NODE.path())


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"7",
        b"[]",
        b'{"type": 7}',
        b'{"type": "ADDED", "object": []}',
        (b'{"type": "ADDED", "object": {"metadata": {"labels": 3}}}'),
        b"[" * 5000,
    ],
)
def test_events_with_other_types(line: bytes) -> None:
    with pytest.raises(UnusableAnswer):
        list(read_events(iter([b'{"type": "BOOKMARK", "object": {}}\n', line[:3], line[3:] + b"\n"]), "x", NODES))


def test_an_event_that_never_ends() -> None:
    with pytest.raises(UnusableAnswer, match="larger than 8 MiB"):
        list(read_events((b"x" * (1 << 20) for _each in range(100)), "x", NODES))


def test_events_in_pieces() -> None:
    event = {"type": "ADDED", "object": {"metadata": {"name": "a", "resourceVersion": "5"}}}
    data = (json.dumps(event) + "\n").encode() * 3
    for size in (1, 7, 1000):
        found = list(read_events((data[at : at + size] for at in range(0, len(data), size)), "x", NODES))
        assert [each.object["metadata"]["name"] for each in found] == ["a"] * 3


def test_a_watch_that_drips_ends_with_its_time() -> None:
    def answer(handler: Any) -> None:
        if "watch=true" in handler.path:
            hostile.slow_body(0.05)(handler)
        else:
            hostile.send(handler, json.dumps({"metadata": {"resourceVersion": "1"}, "items": []}).encode())

    """It would go on for hours."""
    with hostile.serving(answer) as server:
        client = client_of(server)
        client.watch_margin = 0.2
        assert [event.type for event in client.follow(NODE.path(), 0.5)] == ["LISTED"]


@pytest.mark.parametrize(
    "header",
    [
        "²",
        "-1",
        "9" * 400,
        "Wed, 99 Foo 2026 99:99:99 GMT",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Mon, 01 Jan 0001 00:00:00 +2359",
    ],
)
def test_impossible_delays_and_dates(header: str) -> None:
    odd = header.encode("utf-8").decode("latin-1")
    with (
        hostile.serving(hostile.document({"message": "busy"}, 429, Retry_After=odd)) as server,
        pytest.raises(Exception, match="answered 429"),
    ):
        client_of(server).find(NODE.path(name="x"))
    with hostile.serving(hostile.document({"metadata": {"name": "x"}}, Date=odd)) as server:
        client = client_of(server)
        client.find(NODE.path(name="x"))
        client.last_date = odd
        now = client.server_time()
        assert now is None or now.tzinfo is not None
