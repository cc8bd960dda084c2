# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the remote stores of a deployment's state: a store has one record, writes are conditional, and a fault never
reads as an empty store.
"""

from __future__ import annotations

import dataclasses
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import http_store as h
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    StoreConflict,
    StoreFailed,
    StoreRefused,
    StoreUnknown,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import Lease
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import open_store
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.tests.support import api_server as apiserver
from ansible_collections.zerotouch.openshift.tests.support import document_server
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import SECRET, run

LEASE = Lease(run(1), "boot_hosts", "2026-11-24T12:00:00Z")
NEXT = LEASE.renewed("install_wait", "2026-11-24T12:00:20Z")
RBAC = Path(__file__).parents[4] / "docs" / "rbac" / "state.yaml"


def test_a_record_is_read_as_it_was_written(remote: Any) -> None:
    store = remote.store()
    assert store.read() is None
    version = store.write(LEASE, b"\x00state", None)
    stored = remote.store().read()
    assert (stored.version, stored.lease, stored.snapshot) == (version, LEASE, b"\x00state")
    newer = store.write(NEXT, None, version)
    stored = remote.store().read()
    assert (stored.version, stored.lease, stored.snapshot) == (newer, NEXT, b"\x00state")
    assert newer != version


def test_a_record_without_snapshot_is_no_empty_store(remote: Any) -> None:
    """A lease alone: another run is about to begin."""
    store = remote.store()
    version = store.write(LEASE, None, None)
    assert remote.store().read().lease == LEASE
    store.write(NEXT, b"state", version)
    assert remote.store().read().snapshot == b"state"


@pytest.mark.parametrize("snapshot", [None, b"of a late run"])
def test_writes_of_another_version_change_nothing(remote: Any, snapshot: bytes | None) -> None:
    store, other = remote.store(), remote.store()
    first = store.write(LEASE, b"first", None)
    other.read()
    second = other.write(NEXT, b"second", first)
    before = remote.bytes
    for expected in (first, None, '"invented"' if remote.method == "http" else "1"):
        with pytest.raises(StoreConflict):
            store.write(NEXT.renewed("x", "y"), snapshot, expected)
    assert remote.bytes == before
    assert remote.store().read().version == second


def test_a_version_of_a_deleted_record_is_a_conflict(remote: Any) -> None:
    store = remote.store()
    version = store.write(LEASE, b"first", None)
    remote.delete()
    with pytest.raises(StoreConflict):
        store.write(NEXT, b"second", version)
    assert remote.store().read() is None


@pytest.mark.parametrize("what", ["500", "503", "429", "cut"])
def test_faults_that_pass_are_ridden_out(remote: Any, what: str) -> None:
    store = remote.store()
    remote.fail(2, "read", what)
    assert store.read() is None
    remote.fail(2, "write", what)
    version = store.write(LEASE, b"state", None)
    remote.heal()
    remote.fail(2, "write", what)
    store.write(NEXT, b"newer", version)
    assert remote.store().read().snapshot == b"newer"


@pytest.mark.parametrize("what", ["500", "403", "401", "404", "301", "cut"])
def test_what_cannot_be_read_is_never_empty(remote: Any, what: str) -> None:
    """Only an answer of the store itself that there is nothing counts as empty: of the API of a Secret, not of a
    proxy.
    """
    store = remote.store()
    store.write(LEASE, b"state", None)
    remote.fail(100, "read", what)
    if (remote.method, what) == ("http", "404"):
        return  # the answer of a web server without this document
    with pytest.raises(StoreUnknown) as refused:
        store.read()
    assert refused.value.hint and "token-of-the-store" not in str(refused.value)


@pytest.mark.parametrize("what", ["500", "403", "404", "413", "405", "cut"])
def test_a_write_that_fails_says_why_and_changes_nothing(remote: Any, what: str) -> None:
    remote.fail(100, "write", what)
    with pytest.raises((StoreFailed, StoreRefused)) as refused:
        remote.store().write(LEASE, b"state", None)
    assert refused.value.hint or what == "413" or remote.method == "secret"
    remote.heal()
    assert remote.store().read() is None


@pytest.mark.parametrize("first", [True, False])
def test_a_lost_answer_to_a_write_is_found_by_reading(remote: Any, first: bool) -> None:
    store = remote.store()
    version = None if first else store.write(LEASE, b"state", None)
    remote.fail(1, "write", "cut after")
    written = store.write(NEXT, b"newer", version)
    assert remote.store().read() == dataclasses.replace(
        remote.store().read(), version=written, lease=NEXT, snapshot=b"newer"
    )


def test_a_lost_answer_and_a_faster_run_are_a_conflict(remote: Any) -> None:
    """The write did not arrive, and another run wrote before it was repeated."""
    store, other = remote.store(), remote.store()
    version = store.write(LEASE, b"first", None)
    other.read()
    remote.fail(1, "write", "cut")
    sleep = remote.clock.sleep

    def faster(seconds: float) -> None:
        sleep(seconds)
        other.write(Lease(run(2), "x", "y"), b"second", version)

    remote.clock.sleep = faster
    with pytest.raises(StoreConflict):
        store.write(NEXT, b"newer", version)
    assert remote.store().read().snapshot == b"second"


# --- documents on a web server


@pytest.mark.parametrize("quiet", [True, False])
def test_a_server_that_answers_a_put_without_etag(web: Any, quiet: bool) -> None:
    web.server.quiet = quiet
    store = web.store()
    version = store.write(LEASE, b"state", None)
    assert store.write(NEXT, None, version) == web.store().read().version


@pytest.mark.parametrize("condition", ["if-match", "if-none-match"])
def test_a_server_that_ignores_a_condition_is_refused_without_a_change(web: Any, condition: str) -> None:
    """RFC 9110 13.1: a run must not overwrite what another one wrote."""
    web.store().write(LEASE, b"state", None)
    before = web.bytes
    web.server.ignores = {condition}
    store = web.store()
    with pytest.raises(StoreRefused, match=f"(?i)ignores {condition}.*instead of 412"):
        store.probe(store.read())
    assert web.bytes == before


def test_a_server_without_conditions_is_refused_before_there_is_a_document(web: Any) -> None:
    web.server.ignores = {"if-match", "if-none-match"}
    store = web.store()
    with pytest.raises(StoreRefused, match="ignores If-Match"):
        store.probe(store.read())
    found = web.store().read()
    assert found is not None and found.lease is None and found.snapshot == b""


def test_a_server_that_ignores_if_none_match_is_found_by_the_first_write(web: Any) -> None:
    web.server.ignores = {"if-none-match"}
    store = web.store()
    store.probe(store.read())
    with pytest.raises(StoreRefused, match="ignores If-None-Match"):
        store.write(LEASE, b"state", None)


def test_a_server_that_refuses_and_writes_all_the_same(web: Any) -> None:
    store = web.store()
    store.write(LEASE, b"state", None)
    stored = store.read()
    web.server.faults.append(lambda method, headers: (412, {}, b"") if method == "PUT" and not web.touch() else None)
    with pytest.raises(StoreRefused, match="changed the document all the same"):
        store.probe(stored)


@pytest.mark.parametrize("status", [404, 412])
def test_object_stores_may_answer_404_where_nothing_could_match(web: Any, status: int) -> None:
    web.server.missing = status
    store = web.store()
    store.probe(None)
    assert store.write(LEASE, b"state", None)
    web.server.faults.append(lambda method, headers: (404, {}, b"") if method == "PUT" else None)
    with pytest.raises(StoreRefused):
        store.probe(store.read())


def test_a_probe_beside_a_run_that_writes_is_a_conflict_and_no_verdict_about_the_server(web: Any) -> None:
    store = web.store()
    store.write(LEASE, b"state", None)
    stored = store.read()
    web.store().read()
    other = web.store()
    other.write(NEXT, b"newer", other.read().version)
    with pytest.raises(StoreConflict):
        store.probe(stored)


def test_a_weak_or_missing_etag_is_refused(web: Any) -> None:
    web.server.weak = True
    store = web.store()
    with pytest.raises(StoreRefused, match="only a weak ETag"):
        store.write(LEASE, b"state", None)
    web.server.weak = False
    web.server.etag = lambda content: ""
    with pytest.raises(StoreRefused, match="no ETag"):
        web.store().read()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>login</html>\n",
        b"{}\n",
        b'{"format":1}\n',
        b'{"format":2,"lease":null}\n',
        b'{"format":1,"lease":{}}\n',
        b'{"format":1,"lease":null}',
        b"[" * 5000 + b"\n",
        b'{"format":1,"lease":null' + b" " * 5000 + b"}\n",
        b"\xff\n",
    ],
)
def test_other_documents_are_unknown(web: Any, body: bytes) -> None:
    web.server.document = body
    with pytest.raises(StoreUnknown):
        web.store().read()


def test_a_document_that_never_ends_is_unknown(web: Any) -> None:
    web.server.document = h.document(None, bytes(h.LARGEST_DOCUMENT + 1))
    with pytest.raises(StoreUnknown, match="larger than"):
        web.store().read()


def test_requests_carry_the_headers_of_the_user_and_errors_do_not(web: Any) -> None:
    store = web.store()
    store.write(LEASE, b"state", None)
    assert {headers["authorization"] for _method, headers in web.server.requests} == {"Bearer token-of-the-store"}
    web.server.faults.append(lambda method, headers: (403, {}, f"no access with {headers['authorization']}".encode()))
    with pytest.raises(StoreUnknown) as refused:
        store.read()
    assert "token-of-the-store" not in str(refused.value) and "403" in str(refused.value)


def test_a_redirect_is_not_followed(web: Any) -> None:
    web.server.faults.append(lambda method, headers: (302, {"Location": "http://127.0.0.1:1/elsewhere"}, b""))
    with pytest.raises(StoreUnknown, match="redirects"):
        web.store().read()


def test_the_name_of_a_store_has_no_secret(web: Any) -> None:
    client = HttpClient("x", "http://127.0.0.1:1")
    assert (
        h.HttpStore(client, "https://user:pw@files.example.com/a?token=t", web.clock).name
        == "https://files.example.com/a"
    )


def test_tls_is_verified(tmp_path: Path) -> None:
    authority = apiserver.Authority()
    certificate, key = authority.issue("localhost", ("localhost",))
    (tmp_path / "server.pem").write_text(certificate + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    server = document_server.DocumentServer(context)
    url = server.url.replace("127.0.0.1", "localhost")
    options = StateOptions("http", passphrase="correct horse battery", url=url, ca_cert=authority.pem)
    for changes, works in (({}, True), ({"ca_cert": ""}, False), ({"ca_cert": "", "validate_certs": False}, True)):
        store = open_store(dataclasses.replace(options, **changes), cluster="demo", clock=Clock())
        if works:
            assert store.read() is None
        else:
            with pytest.raises(StoreUnknown, match="TLS"):
                store.read()
        store.close()
    server.stop()


# --- Secrets


def test_the_secret_is_labelled_and_has_the_lease_as_annotation(hub: Any) -> None:
    hub.store().write(LEASE, b"state", None)
    found = hub.hub.objects[SECRET]
    assert found["metadata"]["labels"] == {
        "app.kubernetes.io/managed-by": "zerotouch.openshift",
        "zerotouch.openshift/cluster": "demo",
    }
    assert Lease.read(json.loads(found["metadata"]["annotations"]["zerotouch.openshift/lease"])) == LEASE
    assert found["type"] == "Opaque" and list(found["data"]) == ["state"]


def test_a_renewal_sends_no_snapshot(hub: Any) -> None:
    store = hub.store()
    store.write(NEXT, None, store.write(LEASE, b"state", None))
    assert "data" not in hub.hub.patches()[-1]["body"]


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"labels": {"app.kubernetes.io/managed-by": "helm"}}},
        {"metadata": {"labels": {"zerotouch.openshift/cluster": "other"}}},
        {"metadata": {"annotations": {"zerotouch.openshift/lease": "{"}}},
        {"metadata": {"annotations": {"zerotouch.openshift/lease": "{}"}}},
        {"data": {"state": "not base64!"}},
    ],
)
def test_other_or_damaged_secrets_are_unknown(hub: Any, change: dict[str, Any]) -> None:
    hub.store().write(LEASE, b"state", None)
    hub.hub.change(SECRET[2], plural="secrets", **change)
    with pytest.raises(StoreUnknown):
        hub.store().read()


def test_without_the_namespace_nothing_can_be_stored(hub: Any) -> None:
    hub.hub.namespaces.clear()
    store = hub.store()
    assert store.read() is None
    with pytest.raises(StoreRefused, match='namespaces "lab" not found'):
        store.write(LEASE, b"state", None)


def test_the_rules_of_docs_rbac_are_those_that_are_used(hub: Any) -> None:
    store = hub.store()
    store.read()
    version = store.write(LEASE, b"state", None)
    store.write(NEXT, None, version)
    store.read()
    used = {request["verb"] for request in hub.hub.requests}
    role = next(item for item in yaml.safe_load(RBAC.read_text())["items"] if item["kind"] == "Role")
    granted = {verb for rule in role["rules"] for verb in rule["verbs"]}
    assert used == granted
    named = {
        verb
        for rule in role["rules"]
        if rule.get("resourceNames") == ["zerotouch-openshift-demo"]
        for verb in rule["verbs"]
    }
    assert named == {"get", "patch"}


def test_a_missing_permission_names_the_rule(hub: Any) -> None:
    def forbidden(request: dict[str, Any]) -> Any:
        return 403, {}, {"kind": "Status", "reason": "Forbidden", "message": "secrets is forbidden", "code": 403}

    hub.hub.faults.append(forbidden)
    with pytest.raises(ZeroTouchError, match=r"verbs: \[\"get\"\]"):
        hub.store().read()
