# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test planning and writing Kubernetes objects: which changes are sent, which fields are left alone, conflicts, and the
report.
"""

from __future__ import annotations

import json

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError, Unreachable
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.reached import recorded_in
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import ConflictError, ForbiddenError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import (
    MANAGED_BY,
    OURS,
    Change,
    apply_change,
    apply_changes,
    diff_of,
    is_ours,
    merged,
    plan_deletion,
    plan_object,
)
from hypothesis import given
from hypothesis import strategies as st

THING = Resource("example.com", "v1", "Thing", "things")
SECRET = Resource("", "v1", "Secret", "secrets")
PATH = "/apis/example.com/v1/namespaces/n/things/a"


@pytest.fixture
def client(api, kubeconfig, clock):
    connection = KubeClient.from_kubeconfig(
        kubeconfig,
        connect_to=ConnectTo.of({"api.demo.example.com:6443": f"127.0.0.1:{api.port}"}),
        timeout=5,
        attempts=5,
        outage=10,
        clock=clock,
    )
    yield connection
    connection.close()


def wanted(**spec):
    return {"metadata": {"namespace": "n", "name": "a"}, "spec": spec}


def present(version="1", **spec):
    return {
        "metadata": {"namespace": "n", "name": "a", "resourceVersion": version, "uid": "u1", "labels": {"x": "y"}},
        "spec": spec,
    }


def test_an_object_that_does_not_exist_is_created_with_our_label():
    change = plan_object(THING, wanted(role="worker", gone=None), None)
    assert (change.verb, change.title) == ("create", "Thing n/a")
    assert change.body == {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"namespace": "n", "name": "a", "labels": {MANAGED_BY: OURS}},
        "spec": {"role": "worker"},
    }
    assert is_ours(change.body)
    assert not is_ours(present())


def test_a_patch_holds_only_what_differs_and_says_why():
    change = plan_object(
        THING,
        wanted(role="worker", approved=True, kept=1, hostname=None),
        present(role="", kept=1, hostname="h", theirs="stays"),
    )
    assert change.body == {"spec": {"role": "worker", "approved": True, "hostname": None}}
    assert change.reasons == ("spec.approved: none -> true", "spec.hostname: 'h' -> none", "spec.role: '' -> 'worker'")
    assert change.describe() == (
        "patch Thing n/a: spec.approved: none -> true; spec.hostname: 'h' -> none; spec.role: '' -> 'worker'"
    )


@pytest.mark.parametrize(
    ("desired", "observed"),
    [
        ({"a": {}}, {}),
        ({"a": []}, {}),
        ({"a": None}, {}),
        ({"a": None}, {"a": None}),
        ({"a": {"b": None}}, {}),
        ({"a": {"b": {"c": None}}}, {"a": {}}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}], "c": 3}),
    ],
)
def test_nothing_to_do(desired, observed):
    assert plan_object(THING, wanted(**desired), present(**observed)) is None


@pytest.mark.parametrize(
    ("desired", "observed", "patch"),
    [
        ({"a": True}, {"a": 1}, {"a": True}),
        ({"a": []}, {"a": [1]}, {"a": []}),
        ({"a": {"b": 1}}, {"a": "text"}, {"a": {"b": 1}}),
        ({"a": "text"}, {"a": {"b": 1}}, {"a": "text"}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, None),
    ],
)
def test_differences(desired, observed, patch):
    change = plan_object(THING, wanted(**desired), present(**observed))
    assert (change.body["spec"] if change else None) == patch


def test_what_is_owned_whole_loses_foreign_keys():
    desired, observed = (
        wanted(config={"a": {"b": 1}}, other={"x": 1}),
        present(config={"a": {"b": 1, "c": {"d": 2}}, "e": 3}, other={"x": 1, "y": 2}),
    )
    change = plan_object(THING, desired, observed, owned=("spec.config",))
    assert change.body == {"spec": {"config": {"a": {"c": None}, "e": None}}}
    assert merged(observed, change.body)["spec"] == {"config": {"a": {"b": 1}}, "other": {"x": 1, "y": 2}}


def test_secrets_are_shown_neither_in_reasons_nor_in_the_diff(api, client):
    desired = {"metadata": {"namespace": "n", "name": "p"}, "data": {".dockerconfigjson": "bmV3"}}
    observed = {"metadata": {"namespace": "n", "name": "p"}, "data": {".dockerconfigjson": "b2xk"}}
    change = plan_object(SECRET, desired, observed)
    api.routes["PATCH", SECRET.path("n", "p")] = (200, desired)
    shown = repr(change) + change.describe() + json.dumps(diff_of(apply_changes(client, [change])))
    assert "data..dockerconfigjson: differs" in shown
    assert "bmV3" not in shown and "b2xk" not in shown


def test_long_values_are_cut():
    assert "(3002 characters)" in plan_object(THING, wanted(text="x" * 3000), present()).describe()


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.text("ab", max_size=2), st.lists(st.integers(0, 2), max_size=2)
)
_TREES = st.dictionaries(
    st.sampled_from("abcd"),
    st.recursive(_LEAVES, lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)),
    max_size=4,
)


def _without_nulls(tree):
    return {
        key: _without_nulls(value) if isinstance(value, dict) else value
        for key, value in tree.items()
        if value is not None
    }


@given(_TREES, _TREES)
def test_applied_twice_changes_nothing(desired, observed):
    before = present(**_without_nulls(observed))
    change = plan_object(THING, wanted(**desired), before)
    after = merged(before, change.body) if change else before
    assert plan_object(THING, wanted(**desired), after) is None
    assert not change or change.body != {}


@given(_TREES, _TREES)
def test_owned_whole_is_exactly_the_desired_value(desired, observed):
    requested, before = _without_nulls(desired), present(spec=_without_nulls(observed))
    change = plan_object(THING, {**wanted(), "spec": {"spec": requested}}, before, owned=("spec.spec",))
    after = merged(before, change.body) if change else before

    def solid(tree):
        inner = {key: solid(value) if isinstance(value, dict) else value for key, value in tree.items()}
        return {key: value for key, value in inner.items() if value not in ({}, [])}

    assert solid(after["spec"]["spec"]) == solid(requested)


@given(_TREES, _TREES)
def test_foreign_keys_survive(desired, observed):
    before = present(**_without_nulls(observed))
    change = plan_object(THING, wanted(**desired), before)
    after = merged(before, change.body) if change else before
    assert {key: value for key, value in after["spec"].items() if key not in desired} == {
        k: v for k, v in before["spec"].items() if k not in desired
    }


def test_create_patch_and_delete_are_one_request_each(api, client):
    api.routes["POST", THING.path("n")] = (201, present(role="worker"))
    api.routes["PATCH", PATH] = (200, present("2", role="worker"))
    api.routes["DELETE", PATH] = (200, {})
    changes = [
        plan_object(THING, wanted(role="worker"), None),
        Change("patch", THING, "n", "a", {"spec": {"role": "worker"}}, resource_version="1"),
        plan_deletion(THING, present(), "not wanted"),
    ]
    outcomes = apply_changes(client, changes, forks=1)
    assert [outcome.changed for outcome in outcomes] == [True] * 3
    assert [json.loads(request["body"]) for request in api.requests[1:]] == [
        {"spec": {"role": "worker"}, "metadata": {"resourceVersion": "1"}},
        {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "u1"}},
    ]
    assert dict(client.calls) == {"create": 1, "patch": 1, "delete": 1}


def test_check_mode_lets_the_server_try(api, client):
    api.routes["PATCH", PATH] = (200, present("1", role="worker"))
    apply_change(client, Change("patch", THING, "n", "a", {"spec": {}}), check_mode=True)
    assert api.requests[-1]["query"] == "dryRun=All"


def test_what_is_being_deleted_is_not_deleted_again():
    assert plan_deletion(THING, None, "r") is None
    going = present()
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert plan_deletion(THING, going, "r") is None


def plan_role(observed):
    change = plan_object(THING, wanted(role="worker"), observed)
    version = observed["metadata"]["resourceVersion"] if observed else ""
    return change and Change(
        change.verb, change.resource, change.namespace, change.name, change.body, change.reasons, version, change.before
    )


def test_a_conflict_is_planned_again_from_the_object_as_it_is(api, client):
    conflict = api.status(409, "the object has been modified", "Conflict")
    api.routes["PATCH", PATH] = [conflict, conflict, (200, present("4", role="worker"))]
    api.routes["GET", PATH] = [(200, present("2", role="")), (200, present("3", role="x"))]
    result = apply_change(client, plan_role(present("1", role="")), replan=plan_role)
    assert result["metadata"]["resourceVersion"] == "4"
    sent = [
        json.loads(request["body"])["metadata"]["resourceVersion"]
        for request in api.requests
        if request["method"] == "PATCH"
    ]
    assert sent == ["1", "2", "3"]


def test_a_conflict_after_which_nothing_is_left_to_do_changed_nothing(api, client):
    api.routes["PATCH", PATH] = api.status(409, "modified", "Conflict")
    api.routes["GET", PATH] = (200, present("2", role="worker"))
    [outcome] = apply_changes(
        client, [plan_role(present("1", role=""))], replan=lambda change, observed: plan_role(observed)
    )
    assert (outcome.changed, outcome.object["metadata"]["resourceVersion"]) == (False, "2")


def test_an_endless_conflict_ends(api, client):
    api.routes["PATCH", PATH] = api.status(409, "modified", "Conflict")
    api.routes["GET", PATH] = (200, present("2", role=""))
    with pytest.raises(ConflictError, match="Thing n/a was changed by others 10 times"):
        apply_change(client, plan_role(present("1", role="")), replan=plan_role)
    with pytest.raises(ConflictError, match="409 Conflict: modified"):
        apply_change(client, plan_role(present("1", role="")))


def test_an_object_that_vanished_is_planned_again(api, client):
    api.routes["PATCH", PATH] = api.status(404, "not found", "NotFound")
    api.routes["POST", THING.path("n")] = (201, present("9", role="worker"))
    assert (
        apply_change(client, plan_role(present("1", role="")), replan=plan_role)["metadata"]["resourceVersion"] == "9"
    )


def test_an_object_that_another_client_created_is_not_created_twice(api, client):
    api.routes["POST", THING.path("n")] = api.status(409, 'things "a" already exists', "AlreadyExists")
    api.routes["GET", PATH] = (200, present("2", role="x"))
    api.routes["PATCH", PATH] = (200, present("3", role="worker"))
    assert apply_change(client, plan_role(None), replan=plan_role)["metadata"]["resourceVersion"] == "3"


def test_every_failure_is_kept_and_none_stops_the_others(api, client):
    api.routes["POST", THING.path("n")] = (201, present())
    api.routes["POST", THING.path("m")] = api.status(422, "Thing is invalid: spec.role: Unsupported value", "Invalid")
    changes = [Change("create", THING, namespace, "a", {"metadata": {}}) for namespace in ("n", "m", "n")]
    outcomes = apply_changes(client, changes, forks=3)
    assert [outcome.changed for outcome in outcomes] == [True, False, True]
    assert "Unsupported value" in str(outcomes[1].error)
    assert outcomes[1].change is changes[1]


@pytest.mark.parametrize(
    ("method", "path", "rule"),
    [
        ("PATCH", PATH, '{apiGroups: ["example.com"], resources: ["things"], verbs: ["patch"]}'),
        ("GET", "/api/v1/secrets?limit=500", '{apiGroups: [""], resources: ["secrets"], verbs: ["list"]}'),
        ("GET", "/api/v1/nodes/x?watch=true", '{apiGroups: [""], resources: ["nodes"], verbs: ["watch"]}'),
        (
            "PATCH",
            "/api/v1/namespaces/n/pods/x/status",
            ('{apiGroups: [""], resources: ["pods/status"], verbs: ["patch"]}'),
        ),
        ("GET", "/api/v1/namespaces/n", '{apiGroups: [""], resources: ["namespaces"], verbs: ["get"]}'),
        (
            "POST",
            "/k8s/clusters/c/apis/example.com/v1/namespaces/n/things",
            ('{apiGroups: ["example.com"], resources: ["things"], verbs: ["create"]}'),
        ),
    ],
)
def test_a_missing_permission_names_the_rule_that_gives_it(api, client, method, path, rule):
    bare = path.partition("?")[0]
    api.routes[method, bare] = api.status(403, "forbidden", "Forbidden")
    with pytest.raises(ForbiddenError) as caught:
        client._send(method, path)
    assert rule in caught.value.hint


def test_a_namespaced_permission_names_the_namespace(api, client):
    api.routes["PATCH", PATH] = api.status(403, 'things "a" is forbidden', "Forbidden")
    with pytest.raises(ForbiddenError, match="may not patch things: bind a Role in namespace n "):
        apply_change(client, plan_role(present("1", role="")), replan=plan_role)


def test_busy_is_outlasted_as_the_server_says(api, client, clock):
    body = json.dumps(api.status(429, "too many requests", "TooManyRequests")[1]).encode()

    def busy(request):
        return (429, body, {"Retry-After": "3"}) if len(api.requests) < 3 else (201, present())

    api.routes["POST", THING.path("n")] = busy
    apply_change(client, plan_role(None))
    assert clock.slept == [3.0, 3.0]


def test_a_failure_of_the_server_is_repeated_only_where_twice_is_once(api, client):
    broken = api.status(500, "etcdserver: leader changed", "InternalError")
    api.routes["PATCH", PATH] = [broken, (200, present())]
    api.routes["POST", THING.path("n")] = [broken, (201, present())]
    assert apply_change(client, plan_role(present("1", role="")))
    assert apply_change(client, plan_role(None))
    api.routes["POST", THING.path("n")] = [broken, (201, present())]
    with pytest.raises(RemoteError, match="leader changed"):
        client.create(THING.path("n"), {"metadata": {"generateName": "x-"}})


def test_an_api_that_never_answered_is_not_waited_for(api, client, clock):
    api.close()
    with pytest.raises(Unreachable):
        client.get("/version")
    assert clock.slept == []


def test_an_api_that_restarts_is_waited_for(api, client, clock, kube_testing, authority, tmp_path):
    api.routes["POST", THING.path("n")] = (201, present())
    apply_change(client, plan_role(None))
    port = api.port
    api.close()
    api.drop()
    original = clock.sleep

    def sleep(seconds):
        original(seconds)
        if len(clock.slept) == 3:
            again = kube_testing.ApiServer(tmp_path, authority, client_ca=authority, port=port)
            again.routes = api.routes
            servers.append(again)

    servers = []
    clock.sleep = sleep
    assert apply_change(client, plan_role(None)) == present()
    assert len(clock.slept) == 3
    servers[0].close()


def test_an_api_that_stays_away_ends_the_wait(api, client, clock):
    api.routes["GET", PATH] = (200, present())
    client.get(PATH)
    api.close()
    api.drop()
    with pytest.raises(Unreachable):
        apply_change(client, plan_role(None))
    assert 10 <= sum(clock.slept) < 30


@pytest.fixture
def next_task(kubeconfig, api, clock):
    """A client as the next task of the same run makes it."""
    made = []

    def client():
        options = {
            "connect_to": ConnectTo.of({"api.demo.example.com:6443": f"127.0.0.1:{api.port}"}),
            "timeout": 5,
            "attempts": 11,
            "outage": 60,
        }
        made.append(KubeClient.from_kubeconfig(kubeconfig, clock=clock, **options))
        return made[-1]

    yield client
    for each in made:
        each.close()


def test_an_api_that_answered_a_former_task_is_waited_for(api, clock, next_task, tmp_path):
    """A hub that restarts between two tasks: the first request of the second one finds no port."""
    api.routes["GET", PATH] = (200, present())
    with recorded_in(tmp_path):
        next_task().get(PATH)
        api.close()
        api.drop()
        with pytest.raises(
            Unreachable,
            match=(r"It answered earlier in this run, and has not answered for 6\d s\. Run again when it answers\."),
        ):
            next_task().get(PATH)
    assert 60 <= sum(clock.slept) < 63


def test_an_api_that_answered_another_run_is_not_waited_for(api, clock, next_task, tmp_path):
    api.routes["GET", PATH] = (200, present())
    for run in ("one", "two"):
        (tmp_path / run).mkdir()
    with recorded_in(tmp_path / "one"):
        next_task().get(PATH)
    api.close()
    api.drop()
    with recorded_in(tmp_path / "two"), pytest.raises(Unreachable, match="Check address, port and firewall"):
        next_task().get(PATH)
    assert clock.slept == []


@pytest.mark.parametrize(
    ("method", "status"), [("GET", 429), ("GET", 500), ("PATCH", 500), ("DELETE", 500), ("DELETE", 429), ("POST", 500)]
)
def test_a_fault_has_the_same_patience_whatever_the_method(api, clock, next_task, method, status):
    body = json.dumps(api.status(status, "etcdserver: leader changed", "InternalError")[1]).encode()

    def answer(request):
        return (status, body, {"Retry-After": "1"})

    for path in (PATH, THING.path("n")):
        api.routes[method, path] = answer
    calls = {
        "GET": lambda client: client.get(PATH),
        "PATCH": lambda client: client.merge_patch(PATH, {}),
        "DELETE": lambda client: client.delete(PATH),
        "POST": lambda client: client.create(THING.path("n"), {"metadata": {"name": "a"}}),
    }
    with pytest.raises(
        RemoteError,
        match=r"It returned this error for \d+ requests in 6\d s\. Run again when the server has recovered\.",
    ):
        calls[method](next_task())
    assert len(api.requests) >= 11
    assert 60 <= sum(clock.slept) < 63


def test_a_deletion_whose_answer_was_lost_has_happened(api, client):
    api.routes["DELETE", PATH] = [
        api.status(500, "etcdserver: request timed out", "InternalError"),
        api.status(404, "not found", "NotFound"),
    ]
    assert client.delete(PATH)
