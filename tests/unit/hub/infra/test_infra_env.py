# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reconciling an InfraEnv on a hub over sockets: the order of writes, repeated runs, check mode, faults, and a
complete report of each.
"""

from __future__ import annotations

import dataclasses
import threading

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    LimitReached,
    PartialFailure,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import (
    ImageWait,
    make_absent,
    make_present,
)

QUICK = ImageWait(timeout=30, cooldown=0.2)


def verbs(hub):
    return [
        (request["verb"], request["path"].rsplit("/", 1)[-1])
        for request in hub.requests
        if request["verb"] not in ("get", "list", "watch")
    ]


def test_made_repeated_changed_and_taken_back(hub, session, requested, infrahub):
    made = make_present(requested, QUICK, session)
    assert made.value["changed"] and made.value["iso_url"].endswith("full.iso?n=1")
    assert made.value["infra_env"] == {"name": "site", "namespace": "lab", "id": infrahub.UUID}
    assert made.value["boot_artifacts"]["kernel"] == "https://images.example.com/boot-artifacts/kernel"
    assert [path for _verb, path in verbs(hub)] == ["secrets", "nmstateconfigs", "nmstateconfigs", "infraenvs"]
    assert hub.images == 1
    hub.requests.clear()
    again = make_present(requested, QUICK, session)
    assert not again.value["changed"] and again.value["plan"] == [] and again.value["iso_url"] == made.value["iso_url"]
    assert verbs(hub) == [] and dict(hub.calls()) == {"get": 3, "list": 1}
    fewer = {**requested, "hosts": requested["hosts"][:1]}
    changed = make_present(fewer, QUICK, session)
    assert changed.value["plan"] == [
        ("delete NMStateConfig lab/site-node-2.example.com: its host is not listed any more")
    ]
    gone = make_absent("site", "lab", QUICK, session)
    assert gone.value["changed"] and hub.objects == {}
    assert not make_absent("site", "lab", QUICK, session).value["changed"]


def test_check_mode_predicts_and_writes_nothing(hub, session, requested):
    look = dataclasses.replace(session, check_mode=True)
    predicted = make_present(requested, QUICK, look)
    assert hub.objects == {} and all(request["dry"] for request in hub.requests if request["verb"] == "create")
    done = make_present(requested, QUICK, session)
    assert predicted.value["plan"] == done.value["plan"] == predicted.value["done"]
    assert predicted.diff == done.diff
    before = dict(hub.objects)
    assert make_absent("site", "lab", QUICK, look).value["changed"]
    assert hub.objects == before


def test_the_pull_secret_is_nowhere_to_be_seen(hub, session, requested):
    first = make_present(requested, QUICK, session)
    other = {**requested, "pull_secret": '{"auths": {"r": {"auth": "YTpvdGhlci1zZWNyZXQ="}}}'}
    second = make_present(other, QUICK, session)
    text = str(first) + str(second)
    assert "dXNlcjpodWItcHVsbC1zZWNyZXQ" not in text and "YTpvdGhlci1zZWNyZXQ" not in text
    assert ".dockerconfigjson" in text


def test_an_old_error_is_not_taken_for_an_answer_to_a_new_request(hub, session, requested):
    hub.words = "Failed to create image due to an internal error: invalid pull secret data in secret site-pull-secret"
    with pytest.raises(ZeroTouchError, match="invalid pull secret data") as caught:
        make_present(requested, QUICK, session)
    assert caught.value.result["changed"] and len(caught.value.result["done"]) == 4
    hub.words = ""
    hub.operator = False

    def resume():
        hub.operator = True
        hub.reconcile()

    threading.Timer(0.2, resume).start()
    repaired = {**requested, "pull_secret": '{"auths": {"r": {"auth": "YTpvdGhlci1zZWNyZXQ="}}}'}
    assert make_present(repaired, QUICK, session).value["iso_url"]


def test_what_was_done_is_reported_when_the_rest_is_refused(hub, session, requested, infrahub):
    refused = infrahub.hubserver.status(
        422, "Invalid", ('NMStateConfig "site-node-2.example.com" is invalid: spec.interfaces: Required value')
    )

    def second_config(request):
        body = request["body"]
        return (
            refused
            if request["verb"] == "create" and body.get("metadata", {}).get("name") == "site-node-2.example.com"
            else None
        )

    hub.faults.append(second_config)
    with pytest.raises(PartialFailure) as caught:
        make_present(requested, QUICK, session)
    message = str(caught.value)
    assert "create NMStateConfig lab/site-node-2.example.com: The hub's API answered 422 Invalid" in message
    assert "2 of 4 changes were made, 2 were not." in message
    assert caught.value.result["changed"] and len(caught.value.result["done"]) == 2
    hub.faults.clear()
    completed = make_present(requested, QUICK, session)
    assert len(completed.value["done"]) == 2


def test_a_permission_that_is_missing_is_named_for_each_object(hub, session, requested, infrahub):
    forbidden = infrahub.hubserver.status(
        403, "Forbidden", ('nmstateconfigs is forbidden: User "x" cannot create resource')
    )
    hub.faults.append(
        lambda request: forbidden if request["verb"] == "create" and "nmstateconfigs" in request["path"] else None
    )
    with pytest.raises(PartialFailure) as caught:
        make_present(requested, QUICK, session)
    rule = '{apiGroups: ["agent-install.openshift.io"], resources: ["nmstateconfigs"], verbs: ["create"]}'
    assert str(caught.value).count(rule) == 2 and "a Role in namespace lab" in str(caught.value)


def test_a_storm_of_conflicts_and_a_busy_server_are_outlasted(hub, session, requested, infrahub):
    make_present(requested, QUICK, session)
    status, times = infrahub.hubserver.status, infrahub.hubserver.times
    hub.faults += [
        times(4, "patch", status(409, "Conflict", "modified")),
        times(3, "get", status(429, "TooManyRequests", "busy", Retry_After="1")),
    ]
    assert make_present({**requested, "os_image_version": "4.21"}, QUICK, session).value["changed"]
    assert hub.get("site", plural="infraenvs")["spec"]["osImageVersion"] == "4.21"


def test_an_answer_that_got_lost_makes_no_second_object(hub, session, requested, infrahub):
    hub.faults.append(infrahub.hubserver.times(2, "create", "cut after"))
    result = make_present(requested, QUICK, session)
    assert len(result.value["done"]) == 4
    assert sorted(plural for plural, _namespace, _name in hub.objects) == [
        "infraenvs",
        "nmstateconfigs",
        "nmstateconfigs",
        "secrets",
    ]


def test_a_namespace_that_is_missing_is_made(hub, session, requested):
    elsewhere = {**requested, "namespace": "new"}
    predicted = make_present(elsewhere, QUICK, dataclasses.replace(session, check_mode=True))
    assert hub.namespaces == {"lab"} and predicted.value["plan"][0] == "create Namespace new: it does not exist"
    assert make_present(elsewhere, QUICK, session).value["done"] == predicted.value["done"]
    assert hub.namespaces == {"lab", "new"}
    make_absent("site", "new", QUICK, session)
    assert hub.namespaces == {"lab", "new"}


def test_a_namespace_that_we_may_not_see(hub, session, requested, infrahub):
    forbidden = infrahub.hubserver.status(403, "Forbidden", "namespaces is forbidden")
    hub.faults.append(
        lambda request: forbidden if "/namespaces/" in request["path"] and request["path"].count("/") == 4 else None
    )
    assert make_present(requested, QUICK, session).value["changed"]
    with pytest.raises(PartialFailure, match="Create the namespace first"):
        make_present({**requested, "namespace": "absent"}, QUICK, session)


def test_a_cluster_that_is_no_hub(hub, session, requested, infrahub):
    unknown = infrahub.hubserver.status(404, "NotFound", "the server could not find the requested resource")
    hub.faults.append(lambda request: unknown if "infraenvs" in request["path"] else None)
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"has no InfraEnvs: the server could not find the requested "
            r"resource\. Check that this is the hub"
        ),
    ):
        make_present(requested, QUICK, session)


def test_a_pull_secret_of_the_users_must_be_there(hub, session, requested):
    named = {**requested, "pull_secret": None, "pull_secret_name": "mine"}
    with pytest.raises(ZeroTouchError, match=r"Secret lab/mine \(pull_secret_name\) does not exist"):
        make_present(named, QUICK, session)
    assert hub.objects == {}
    later = make_present(named, ImageWait(wait=False), session)
    assert "Secret lab/mine (pull_secret_name) does not exist; the hub makes no image until it does." in later.warnings
    hub.put("secrets", {"metadata": {"name": "mine", "namespace": "lab"}, "data": {".dockerconfigjson": "e30="}})
    assert make_present(named, QUICK, session).warnings == []


def test_labels_of_agents_need_no_new_image(hub, session, requested):
    make_present(requested, QUICK, session)
    before = session.clock.now()
    make_present({**requested, "agent_labels": {"site": "b"}}, ImageWait(timeout=30, cooldown=60), session)
    assert session.clock.now() - before < 5


def test_an_infra_env_that_does_not_go(hub, session, requested):
    make_present(requested, QUICK, session)
    hub.faults.append(
        lambda request: (200, {}, {}) if request["verb"] == "delete" and "infraenvs" in request["path"] else None
    )
    with pytest.raises(LimitReached, match="InfraEnv lab/site was not deleted within 1 s"):
        make_absent("site", "lab", ImageWait(timeout=1), session)
