# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the connection to assisted-service: options and environment variables, all kinds of authentication, which
requests are repeated and which never, and one error class for all forms of error bodies.
"""

from __future__ import annotations

import concurrent.futures

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.auth import NoToken
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import connect, settings
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.faults import AssistedError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    InvalidInput,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.reached import recorded_in

BODY = {"kind": "Error", "id": 409, "href": "/x", "code": "409", "reason": "text"}


def test_option_before_environment_before_default():
    environment = {
        "ASSISTED_SERVICE_URL": "http://a",
        "ASSISTED_TOKEN": "t",
        "ASSISTED_VALIDATE_CERTS": "no",
        "ASSISTED_RETRIES": "2",
        "ASSISTED_REQUEST_TIMEOUT": "7.5",
        "ASSISTED_CA_CERT": "",
    }
    found = settings({"service_url": "http://b", "retries": None, "connect_to": {}}, environment)
    assert (
        found["service_url"],
        found["auth"],
        found["validate_certs"],
        found["retries"],
        found["request_timeout"],
    ) == (
        "http://b",
        "agent-local",
        False,
        2,
        7.5,
    )
    assert "ca_cert" not in found and settings({}, {})["auth"] == "none"
    assert settings({"offline_token": "o", "token": "t"}, {})["auth"] == "offline"
    with pytest.raises(InvalidInput, match="ASSISTED_RETRIES"):
        settings({}, {"ASSISTED_RETRIES": "many"})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "service_url"),
        ({"service_url": "service:8090"}, "http"),
        ({"service_url": "http://u:password-x@service"}, "credentials belong"),
        ({"service_url": "https://[fd00::1"}, "is not of the form"),
        ({"service_url": "http://u:password-x@[fd00::1"}, "is not of the form"),
        ({"service_url": "http://s:port"}, "is not of the form"),
        ({"service_url": "http://s", "auth": "agent-local"}, "token"),
        ({"service_url": "http://s", "auth": "offline"}, "offline_token"),
        ({"service_url": "http://s", "auth": "kerberos"}, "must be one of"),
        ({"service_url": "http://s", "retries": -1}, "retries"),
    ],
)
def test_mistakes(params, words, monkeypatch):
    monkeypatch.delenv("ASSISTED_SERVICE_URL", raising=False)
    with pytest.raises(InvalidInput, match=words) as caught:
        connect(params)
    assert "password-x" not in str(caught.value)


def test_the_url_of_access_tokens_is_one():
    with pytest.raises(ZeroTouchError, match=r"token_url 'https://\[fd00::1' is not a URL"):
        connect({"service_url": "http://s", "offline_token": "o", "token_url": "https://[fd00::1"})


@pytest.mark.parametrize("suffix", ["", "/", "/api/assisted-install", "/api/assisted-install/v2/"])
def test_the_base_path_may_be_part_of_the_url(fake, reach, suffix):
    assert reach(service_url=fake.url + suffix).clusters() == []
    assert fake.requests[0][1] == "/api/assisted-install/v2/clusters"


def sent(fake):
    names = ("authorization", "watcher-authorization", "x-secret-key")
    return [
        {name: headers[name] for name in names if name in headers} for _method, _path, _body, headers in fake.requests
    ]


def test_each_persona_sends_what_may_do_least(fake, reach):
    service = reach(token="user", watcher_token="watcher")
    service.clusters(), service.infra_envs(), service.events(), service.create_cluster({"name": "a"})
    watcher, user = {"watcher-authorization": "watcher"}, {"authorization": "user"}
    assert sent(fake) == [watcher, watcher, watcher, user]


def test_without_authentication_nothing_is_sent(fake, reach):
    reach().clusters()
    assert sent(fake) == [{}]


def test_a_token_of_one_object_is_an_agents_or_in_the_query(fake, reach):
    service = reach(auth="local", token="jwt")
    fake.infra_envs["i"] = {"id": "i"}
    service.infra_env("i"), service.hosts("i"), service.events(infra_env_id="i")
    assert sent(fake) == [{"x-secret-key": "jwt"}] * 2 + [{}] and "api_key=jwt" in fake.requests[2][1]
    with pytest.raises(ZeroTouchError, match="single objects only"):
        service.create_cluster({"name": "x"})


def offline(fake, reach, **more):
    service = reach(offline_token="offline-secret", token_url=fake.url + "/token", **more)
    fake.dispatch_token = [0]
    original = fake.dispatch

    def dispatch(method, path, query, body):
        if path == "/token":
            assert "refresh_token=offline-secret" in body and "grant_type=refresh_token" in body
            fake.dispatch_token[0] += 1
            fake.tokens = {f"Bearer access-{fake.dispatch_token[0]}"}
            return 200, {"access_token": f"access-{fake.dispatch_token[0]}", "expires_in": 900}
        return original(method, path, query, body)

    fake.dispatch = dispatch
    return service


def test_an_offline_token_is_exchanged_once_and_again_before_the_end(fake, reach, clock):
    service = offline(fake, reach)
    service.clusters(), service.clusters()
    assert fake.dispatch_token == [1]
    clock.time += 871  # within the margin before the end
    service.clusters()
    assert fake.dispatch_token == [2]


def test_a_token_that_ends_in_the_middle_is_renewed_and_the_request_sent_again(fake, reach):
    service = offline(fake, reach)
    service.clusters()
    fake.tokens = {"Bearer something-newer"}
    assert service.create_cluster({"name": "a"})["name"] == "a"
    assert fake.dispatch_token == [2] and len(fake.clusters) == 1
    fake.tokens = set()


def test_a_refused_offline_token_says_so(fake, reach):
    service = reach(offline_token="offline-secret", token_url=fake.url + "/token")
    fake.faults = [
        (
            "POST",
            "/token",
            ("status", 400, {"error": "invalid_grant", "error_description": "Offline user session not found"}),
        )
    ]
    with pytest.raises(
        NoToken,
        match=(
            r"invalid_grant: Offline user session not found\. The offline token has "
            r"ended"
        ),
    ) as caught:
        service.clusters()
    assert "offline-secret" not in str(caught.value)


def test_a_server_of_tokens_that_is_ill_is_asked_again(fake, reach, clock):
    fake.tokens = {"Bearer access-2"}
    service = reach(offline_token="offline-secret", token_url=fake.url + "/token", retries=2)
    ill, well = ("status", 503, b"down"), ("status", 200, {"access_token": "access-2", "expires_in": 900})
    fake.faults = [("POST", "/token", what) for what in ("cut", ill, well)]
    assert service.create_cluster({"name": "x"})["name"] == "x" and clock.slept == [0.5, 1.0]
    clock.time += 1000
    fake.faults = [("POST", "/token", ill)] * 3
    with pytest.raises(NoToken, match=r"No access token: .* 503: down") as caught:
        service.create_cluster({"name": "y"})
    assert caught.value.temporary and "not known" not in str(caught.value) and len(fake.clusters) == 1


def test_of_many_refused_requests_one_fetches_the_new_token(fake, reach):
    fake.tokens = {"Bearer access-1"}
    service = reach(offline_token="offline-secret", token_url=fake.url + "/token")
    fake.faults = [
        ("POST", "/token", ("status", 200, {"access_token": f"access-{number}", "expires_in": 900}))
        for number in (1, 2)
    ]
    service.clusters()
    fake.tokens = {"Bearer access-2"}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _number: service.clusters(), range(16)))
    assert len([path for _method, path, *_ in fake.requests if path == "/token"]) == 2


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        (
            ("status", 401, {"code": 401, "message": "tokenstring should not contain 'bearer '"}),
            'Remove the prefix "Bearer"',
        ),
        (("status", 401, {"code": 401, "message": "Token is expired"}), "get a new one"),
        (
            ("status", 401, {"code": 401, "message": "unauthenticated for invalid credentials"}),
            "options token, offline_token, auth",
        ),
        (
            ("status", 403, {"code": 403, "message": "authClaim watcherAuth is unauthorized to access"}),
            "that of a user",
        ),
        (
            ("status", 302, b"", {"Location": "https://user:pw@elsewhere.example.com/login?token=x"}),
            "https://elsewhere.example.com: set service_url",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value[1]),
)
def test_a_refusal_says_what_to_do(fake, reach, fault, hint):
    fake.faults = [("GET", "clusters", fault)]
    with pytest.raises(AssistedError, match=hint) as caught:
        reach().clusters()
    assert "pw" not in str(caught.value)


def test_logs_are_read_again_with_a_new_token_and_after_a_broken_transfer(fake, reach, clock):
    fake.clusters["c"], fake.files["logs"] = {"id": "c"}, b"0123456789" * 20000
    fake.tokens = {"Bearer access-2"}
    service = reach(offline_token="offline-secret", token_url=fake.url + "/token")
    fake.faults = [
        ("POST", "/token", ("status", 200, {"access_token": f"access-{number}", "expires_in": 900}))
        for number in (1, 2)
    ]
    fake.faults += [("GET", "/logs", ("status", 502, b"")), ("GET", "/logs", "cut-middle")]
    target = bytearray()
    assert service.read_logs("c", target.extend, restart=target.clear) == 200000 and bytes(target) == fake.files["logs"]
    fake.faults = [("GET", "/logs", "cut-middle")]
    with pytest.raises(Unreachable):
        service.read_logs("c", target.extend)


def test_a_token_of_an_installation_cannot_be_renewed(fake, reach):
    fake.tokens = {"other"}
    with pytest.raises(AssistedError, match="401: Token is expired"):
        reach(token="mine").clusters()
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    "what",
    ["cut", "cut-late", "cut-middle", *[("status", code, b"upstream") for code in (429, 502, 503, 504)]],
    ids=str,
)
def test_what_has_the_same_effect_twice_is_sent_again(fake, reach, clock, what):
    fake.clusters["c"] = {"id": "c"}
    service = reach()
    for method, call in (
        ("GET", lambda: service.cluster("c")),
        ("PATCH", lambda: service.update_cluster("c", {"name": "n"})),
    ):
        fake.faults = [(method, "clusters/c", what)] * 2
        assert call()["id"] == "c"
    assert clock.slept == [0.5, 1.0] * 2
    assert fake.clusters["c"]["name"] == "n"


@pytest.mark.parametrize(
    "what",
    ["cut", "cut-late", "cut-middle", ("status", 502, b"bad gateway"), ("status", 503, b"reset before headers")],
    ids=str,
)
def test_a_creation_is_never_sent_again_once_the_service_may_have_it(fake, reach, what):
    fake.faults = [("POST", "clusters", what)]
    with pytest.raises((Unreachable, AssistedError)) as caught:
        reach().create_cluster({"name": "x"})
    assert [method for method, *_ in fake.requests] == ["POST"]
    assert isinstance(caught.value, AssistedError) or "is not known" in str(caught.value)


@pytest.mark.parametrize(
    "what",
    [
        ("status", 429, b"slow down", {"Retry-After": "7"}),
        ("status", 503, b"no healthy upstream", {"Retry-After": "7"}),
    ],
    ids=str,
)
def test_a_creation_that_was_lost_is_sent_again(fake, reach, clock, what):
    fake.faults = [("POST", "clusters", what)]
    assert reach().create_cluster({"name": "x"})["name"] == "x"
    assert clock.slept == [7.0] and len(fake.clusters) == 1


@pytest.fixture
def away(fake, clock):
    """A client of the same service at a time when nothing listens on its port."""
    port = fake.server.server_address[1]
    return lambda: connect(
        {"service_url": f"http://127.0.0.1:{port}", "connect_to": {f"127.0.0.1:{port}": "127.0.0.1:1"}, "retries": 3},
        clock,
    )


def test_an_address_where_no_service_ever_answered_fails_within_seconds(away, clock):
    with pytest.raises(Unreachable, match=r"cannot be reached.*Check address, port and firewall"):
        away().create_cluster({"name": "x"})
    assert clock.slept == [0.5, 1.0]


@pytest.mark.parametrize("write", [False, True], ids=["read", "write"])
def test_a_service_that_answered_a_former_task_is_waited_for(fake, reach, away, clock, tmp_path, write):
    with recorded_in(tmp_path):
        reach().clusters()
        with pytest.raises(Unreachable, match=r"has not answered for 6\d s\. Run again when it answers\."):
            away().create_cluster({"name": "x"}) if write else away().clusters()
    assert 60 <= sum(clock.slept) < 70


def test_a_deletion_whose_answer_was_lost_is_done(fake, reach):
    fake.clusters["c"] = {"id": "c"}
    fake.faults = [("DELETE", "clusters/c", "cut-late")]
    reach().delete_cluster("c")
    with pytest.raises(AssistedError, match="record not found"):
        reach().delete_cluster("c")


def test_service_logic_is_not_asked_twice(fake, reach, clock):
    fake.faults = [("GET", "clusters", ("status", 500, BODY | {"id": 500, "code": "500"}))]
    with pytest.raises(AssistedError):
        reach().clusters()
    assert clock.slept == []


def test_the_error_keeps_what_the_service_said(fake, reach):
    fake.faults = [
        ("GET", "clusters", ("status", 409, BODY)),
        ("GET", "clusters", ("status", 400, {"code": 602, "message": "name in body is required"})),
    ]
    with pytest.raises(AssistedError) as caught:
        reach().clusters()
    assert caught.value.as_dict() == {"status": 409, "code": "409", "reason": "text", "id": 409, "href": "/x"}
    with pytest.raises(AssistedError) as caught:
        reach().clusters()
    assert caught.value.as_dict() == {
        "status": 400,
        "code": "602",
        "reason": "name in body is required",
        "id": 0,
        "href": "",
    }


def test_check_mode_cannot_write(fake, reach):
    service = reach(check_mode=True)
    assert service.clusters() == []
    with pytest.raises(ZeroTouchError, match="check mode"):
        service.create_cluster({"name": "x"})
    assert fake.writes == []


def test_unknown_states_and_members_pass_through(fake, reach):
    fake.clusters["c"] = {"id": "c", "status": "brand-new", "newer": {"field": 1}}
    assert reach().cluster("c") == {"id": "c", "status": "brand-new", "newer": {"field": 1}, "hosts": []}


def test_a_host_that_is_gone_is_deleted(fake, reach):
    reach().delete_host("i", "h")
    fake.faults = [("DELETE", "hosts", ("status", 500, BODY | {"reason": "database is down"}))]
    with pytest.raises(AssistedError, match="database is down"):
        reach().delete_host("i", "h")


def test_json_string_bodies(fake, reach):
    fake.clusters["c"] = {"id": "c"}
    service = reach()
    service.update_install_config("c", '{"fips": true}')
    service.ignore_validations("c", ["ntp-synced"], [])
    service.create_manifest("c", "openshift", "a.yaml", b"a: 1\n")
    assert [body for _method, _path, body in fake.writes] == [
        '{"fips": true}',
        {"host-validation-ids": '["ntp-synced"]', "cluster-validation-ids": "[]"},
        {"folder": "openshift", "file_name": "a.yaml", "content": "YTogMQo="},
    ]
    assert service.manifest("c", "openshift", "a.yaml") == b"a: 1\n"
    assert [item["file_name"] for item in service.manifests("c")] == ["a.yaml"]


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ({"validate_certs": False}, True),
        ({}, False),
        ({"validate_certs": False, "service_url": "http://127.0.0.1:1"}, False),
    ],
)
def test_a_certificate_that_is_not_checked_is_warned_of(options, warned):
    reported = []
    connect({"service_url": "https://127.0.0.1:1", **options}, warn=reported.append)
    assert bool(reported) == warned


def test_a_port_that_speaks_no_tls(fake):
    with pytest.raises(Unreachable, match="does not use TLS on this port"):
        connect({"service_url": fake.url.replace("http:", "https:"), "retries": 0}).clusters()
