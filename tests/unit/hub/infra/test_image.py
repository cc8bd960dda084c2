# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test when the discovery image of an InfraEnv may be used, which clock decides, and how the wait for it ends."""

from __future__ import annotations

import base64
import datetime
import json
import threading
import time

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import LimitReached, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.image import (
    SETTLE,
    ImageCondition,
    Written,
    id_in_image_url,
    infra_env_id,
    judge,
    wait_for_image,
)

NOW = datetime.datetime(2026, 1, 1, 12, 0, 0, tzinfo=datetime.UTC)
UUID = "0f5a3c7e-1111-2222-3333-444455556666"


def ago(seconds):
    return NOW - datetime.timedelta(seconds=seconds)


def infra_env(status="True", *, url="https://i/byid/x", age=100.0, reason="Anything", message="words", zone="Z"):
    conditions = [{"type": "ImageCreated", "status": status, "reason": reason, "message": message}] if status else []
    created = ago(age).strftime(f"%Y-%m-%dT%H:%M:%S{zone}")
    return {
        "metadata": {"name": "e"},
        "status": {"conditions": conditions, "isoDownloadURL": url, "createdTime": created},
    }


def verdict(observed, *, now=NOW, looked=0.0, written=None):
    found = judge(observed, now, looked=looked, cooldown=60, written=written)
    return found.state, found.again


NOTHING = ImageCondition()
ERROR = ImageCondition("False", "Anything", "words")


@pytest.mark.parametrize(
    ("observed", "more", "expected"),
    [
        (infra_env(), {}, ("ready", 0)),
        (infra_env(age=20), {}, ("waiting", 40)),
        (infra_env(age=20, zone=""), {}, ("waiting", 40)),
        (infra_env(age=20, zone="yesterday"), {}, ("ready", 0)),
        (infra_env(age=20), {"looked": 60}, ("ready", 0)),  # a server whose clock is wrong does not block us
        (infra_env(age=-3600), {}, ("waiting", 60)),
        (infra_env(age=-3600), {"looked": 60}, ("ready", 0)),
        (infra_env(age=100), {"written": Written(ago(10), NOTHING)}, ("waiting", 50)),
        (infra_env(age=5), {"written": Written(ago(10), NOTHING)}, ("waiting", 55)),
        (infra_env(age=100), {"now": None}, ("ready", 0)),
        (infra_env(age=100), {"now": None, "written": Written(None, NOTHING)}, ("waiting", 60)),
        (infra_env(url=""), {}, ("waiting", 0)),
        (infra_env(""), {}, ("waiting", 0)),
        (infra_env("Unknown"), {}, ("waiting", 0)),
        (infra_env("False"), {}, ("failed", 0)),
        (infra_env("False"), {"written": Written(ago(1), NOTHING)}, ("failed", 0)),
        (infra_env("False", message="Failed to create image: the version is unknown"), {}, ("failed", 0)),
        (infra_env("False", message="Failed to create image due to an internal error: 503"), {}, ("waiting", 0)),
        (
            infra_env(
                "False", message="Failed to create image due to an internal error: Missing reference to pull secret"
            ),
            {},
            ("failed", 0),
        ),
        (
            infra_env(
                "False",
                message=(
                    "Failed to create image due to an internal error: secret p did not contain key .dockerconfigjson"
                ),
            ),
            {},
            ("failed", 0),
        ),
        (infra_env("False"), {"written": Written(ago(5), ERROR)}, ("waiting", SETTLE - 5)),
        (infra_env("False"), {"written": Written(ago(SETTLE), ERROR)}, ("failed", 0)),
        (None, {}, ("failed", 0)),
        ({"metadata": {"name": "e", "deletionTimestamp": "x"}}, {}, ("failed", 0)),
    ],
)
def test_verdicts(observed, more, expected):
    state, again = verdict(observed, **more)
    assert (state, max(0, min(again, 60))) == expected


def token(**claims):
    return f"h.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.s"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"https://i/byid/{UUID}/4.22/x86_64/full.iso", UUID),
        (f"https://i/images/{UUID}?version=4.22&type=full-iso", UUID),
        (f"https://i/byapikey/{token(infra_env_id=UUID)}/4.22/x86_64/full.iso", UUID),
        (f"https://i/bytoken/{token(sub=UUID, exp=1)}/4.22/x86_64/full.iso", UUID),
        (f"https://i/byapikey/{token(infra_env_id='x')}/4.22/x86_64/full.iso", ""),
        ("https://i/byapikey/not-a-token/4.22/x86_64/full.iso", ""),
        ("https://i/byapikey/a.?.c/4.22", ""),
        ("", ""),
    ],
)
def test_the_id_is_in_the_urls(url, expected):
    assert id_in_image_url(url) == expected


def test_the_id_of_the_events_url_is_preferred():
    assert (
        infra_env_id({"status": {"debugInfo": {"eventsURL": f"https://s/events?infra_env_id={UUID}&api_key=k"}}})
        == UUID
    )
    assert infra_env_id({}) == ""


def image(infrahub, **more):
    base = {
        "conditions": [{"type": "ImageCreated", "status": "True"}],
        "isoDownloadURL": "https://i/1",
        "createdTime": infrahub.stamp(100),
    }
    return {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}, "status": {**base, **more}}


def wait(session, **more):
    return wait_for_image(
        session.client, "lab", "e", clock=session.clock, tell=session.tell, **{"timeout": 300, "cooldown": 60, **more}
    )


def later(seconds, call):
    timer = threading.Timer(seconds, call)
    timer.start()
    return timer


def test_an_image_that_is_there_costs_one_request(hub, session, infrahub):
    hub.put("infraenvs", image(infrahub))
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/1"
    assert dict(hub.calls()) == {"get": 1}


def test_the_wait_watches(hub, session, infrahub):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}})
    later(0.15, lambda: hub.put("infraenvs", image(infrahub)))
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/1"
    assert hub.calls()["watch"] >= 1 and hub.calls()["get"] <= 3
    assert session.reported == ["InfraEnv lab/e: The operator has not looked at the InfraEnv yet."]


def test_a_watch_that_the_server_forgot_goes_on(hub, session, infrahub):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}})
    later(0.1, hub.forget)
    later(0.3, lambda: hub.put("infraenvs", image(infrahub)))
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/1"


def test_a_hub_that_restarts_meanwhile_is_waited_for(hub, session, infrahub):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}})

    def restart():
        hub.stop()
        time.sleep(0.2)
        hub.start()
        hub.put("infraenvs", image(infrahub))

    later(0.15, restart)
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/1"


def test_a_new_image_during_the_cooldown_starts_it_again(hub, session, infrahub):
    hub.put("infraenvs", image(infrahub, createdTime=infrahub.stamp(58.5)))
    later(
        0.2, lambda: hub.put("infraenvs", image(infrahub, isoDownloadURL="https://i/2", createdTime=infrahub.stamp(59)))
    )
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/2"


def test_an_error_ends_the_wait_at_once_with_the_services_words(hub, session, infrahub):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}})
    words = "Failed to create image due to an internal error: failed to find secret pull-secret: not found"
    failed = [{"type": "ImageCreated", "status": "False", "reason": "ImageCreationError", "message": words}]
    later(0.1, lambda: hub.put("infraenvs", image(infrahub, conditions=failed, isoDownloadURL="")))
    with pytest.raises(ZeroTouchError, match=f"InfraEnv lab/e has no image: {words}\\. Correct the pull secret"):
        wait(session)


def test_an_error_that_the_operator_tries_again_is_waited_for(hub, session, infrahub):
    words = "Failed to create image due to an internal error: [GET] 503"
    failed = [{"type": "ImageCreated", "status": "False", "reason": "ImageCreationError", "message": words}]
    hub.put("infraenvs", image(infrahub, conditions=failed, isoDownloadURL=""))
    with pytest.raises(LimitReached, match=r"503\. The operator repeats the request"):
        wait(session, timeout=0.3)
    later(0.2, lambda: hub.put("infraenvs", image(infrahub)))
    assert wait(session)["status"]["isoDownloadURL"] == "https://i/1"


def test_a_cluster_that_is_missing_is_named(hub, session, infrahub):
    missing = [
        {
            "type": "ImageCreated",
            "status": "Unknown",
            "reason": "MissingClusterDeployment",
            "message": "ClusterDeployment is missing: x",
        }
    ]
    bound = image(infrahub, conditions=missing, isoDownloadURL="")
    hub.put("infraenvs", {**bound, "spec": {"clusterRef": {"name": "c", "namespace": "n"}}})
    with pytest.raises(
        LimitReached,
        match=(
            r"ClusterDeployment is missing: x\. It is bound to the "
            r"ClusterDeployment n/c, which does not exist"
        ),
    ) as caught:
        wait(session, timeout=0.3)
    assert caught.value.limit == 0.3


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({}, "Check that the Infrastructure Operator runs"),
        ({"conditions": [{"type": "ImageCreated", "status": "True"}]}, "ENABLE_IMAGE_SERVICE"),
    ],
)
def test_a_wait_that_ends_without_an_image_says_where_to_look(hub, session, status, words):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}, "status": status})
    with pytest.raises(LimitReached, match=words):
        wait(session, timeout=0.2)


def test_an_infra_env_that_is_deleted_meanwhile(hub, session, infrahub):
    hub.put("infraenvs", {"metadata": {"name": "e", "namespace": "lab"}, "spec": {}})
    later(0.1, lambda: hub.remove("e", plural="infraenvs"))
    with pytest.raises(ZeroTouchError, match="was deleted while we waited"):
        wait(session)
