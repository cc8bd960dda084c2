# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test authentication with a table of header, claims and outcome (openshift/assisted-service pkg/auth,
internal/gencrypto).
"""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.service.auth import Authenticator, Caller, check_object
from ztlab.service.errors import InfraError, ServiceError
from ztlab.service.settings import read_settings

from .scripted import Keys, agent_environment

KEYS, OTHER = Keys(), Keys()
USER, AGENT, WATCHER = ("userAuth",), ("agentAuth",), ("watcherAuth",)
AUTHORIZATION, SECRET, WATCH = "Authorization", "X-Secret-Key", "Watcher-Authorization"


def token(scheme: str, **claims: Any) -> str:
    return KEYS.token(auth_scheme=scheme, **claims)


def swapped(text: str) -> str:
    """The same token with claims of our own under the old signature."""
    head, _claims, signature = text.split(".")
    return f"{head}.{OTHER.token(auth_scheme='userAuth').split('.')[1]}x.{signature}"


CASES: list[tuple[str, tuple[str, ...], dict[str, str], int, str]] = [
    ("user", USER, {AUTHORIZATION: token("userAuth")}, 200, ""),
    ("agent", AGENT, {SECRET: token("agentAuth")}, 200, ""),
    ("watcher", USER + WATCHER, {WATCH: token("watcherAuth")}, 200, ""),
    ("second scheme of an operation", USER + AGENT, {SECRET: token("agentAuth")}, 200, ""),
    ("valid until later", USER, {AUTHORIZATION: token("userAuth", exp=4102444800)}, 200, ""),
    ("nothing", USER, {}, 401, "unauthenticated for invalid credentials"),
    ("empty", USER, {AUTHORIZATION: ""}, 401, "unauthenticated for invalid credentials"),
    (
        "header of another scheme",
        AGENT,
        {AUTHORIZATION: token("userAuth")},
        401,
        "unauthenticated for invalid credentials",
    ),
    (
        "bearer prefix",
        USER,
        {AUTHORIZATION: "Bearer " + token("userAuth")},
        401,
        ("Failed to parse token: tokenstring should not contain 'bearer '\n"),
    ),
    (
        "another persona",
        USER,
        {AUTHORIZATION: token("agentAuth")},
        403,
        "authClaim agentAuth is unauthorized to access",
    ),
    (
        "watcher as user",
        USER,
        {AUTHORIZATION: token("watcherAuth")},
        403,
        "authClaim watcherAuth is unauthorized to access",
    ),
    ("user as agent", AGENT, {SECRET: token("userAuth")}, 403, "authClaim userAuth is unauthorized to access"),
    ("expired", USER, {AUTHORIZATION: token("userAuth", exp=1)}, 401, "Failed to parse token: Token is expired\n"),
    (
        "other key",
        USER,
        {AUTHORIZATION: OTHER.token(auth_scheme="userAuth")},
        401,
        ("Failed to parse token: crypto/ecdsa: verification error\n"),
    ),
    ("tampered", USER, {AUTHORIZATION: swapped(token("agentAuth"))}, 401, ""),
    (
        "no token",
        USER,
        {AUTHORIZATION: "hello"},
        401,
        ("Failed to parse token: token contains an invalid number of segments\n"),
    ),
    ("no JSON", USER, {AUTHORIZATION: "a.b.c"}, 401, ""),
]


@pytest.mark.parametrize(
    ("schemes", "headers", "status", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_agent_installer_local(schemes: tuple[str, ...], headers: dict[str, str], status: int, message: str) -> None:
    authenticator = Authenticator(read_settings(agent_environment(KEYS)))
    if status == 200:
        assert authenticator.authenticate(schemes, headers, {}).scheme in schemes
        return
    with pytest.raises(InfraError) as caught:
        authenticator.authenticate(schemes, headers, {})
    assert caught.value.status == status
    assert caught.value.body() == {"code": status, "message": message or caught.value.message}


def test_a_token_that_was_accepted_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures are remembered, times are not."""
    authenticator = Authenticator(read_settings(agent_environment(KEYS)))
    headers = {AUTHORIZATION: token("userAuth", exp=4102444800)}
    assert authenticator.authenticate(USER, headers, {}) == authenticator.authenticate(USER, headers, {})
    monkeypatch.setattr("time.time", lambda: 4102444801.0)
    with pytest.raises(InfraError, match="Token is expired"):
        authenticator.authenticate(USER, headers, {})


def test_a_token_without_a_persona_is_an_error_of_the_service() -> None:
    authenticator = Authenticator(read_settings(agent_environment(KEYS)))
    with pytest.raises(ServiceError, match="malformed auth_scheme claim") as caught:
        authenticator.authenticate(USER, {AUTHORIZATION: KEYS.token(sub="x")}, {})
    assert caught.value.status == 500


def test_local_tokens_open_their_own_object() -> None:
    authenticator = Authenticator(read_settings({"AUTH_TYPE": "local", "EC_PUBLIC_KEY_PEM": KEYS.public_pem.decode()}))
    caller = authenticator.authenticate(("userAuth", "urlAuth"), {}, {"api_key": KEYS.token(infra_env_id="one")})
    assert caller == Caller("urlAuth", infra_env_id="one")
    check_object(caller, {"infra_env_id": "one"})
    with pytest.raises(InfraError, match="Object Not Found") as caught:
        check_object(caller, {"infra_env_id": "two"})
    assert caught.value.status == 404
    agent = authenticator.authenticate(("agentAuth",), {"X-Secret-Key": KEYS.token(infra_env_id="one")}, {})
    # assisted-installer-controller reports hosts of all InfraEnvs of a cluster
    check_object(agent, {"infra_env_id": "two"})
    with pytest.raises(InfraError, match="unauthenticated"):
        authenticator.authenticate(("userAuth",), {"Authorization": KEYS.token(cluster_id="c")}, {})
    with pytest.raises(InfraError, match="claims"):
        authenticator.authenticate(("agentAuth",), {"X-Secret-Key": KEYS.token(sub="x")}, {})


def test_without_authentication_every_user_is_the_administrator() -> None:
    assert Authenticator(read_settings({})).authenticate(("userAuth",), {}, {}) == Caller()


@pytest.mark.parametrize(
    "environment",
    [{"AUTH_TYPE": "rhsso"}, {"AUTH_TYPE": "local"}, {"HOST_MONITOR_INTERVAL": "soon"}, {"RELEASE_IMAGES": "["}],
)
def test_environments_that_do_not_start(environment: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        Authenticator(read_settings(environment))
