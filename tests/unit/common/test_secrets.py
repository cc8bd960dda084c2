# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which values of a data structure are secrets, and that no encoding of a secret remains in a text."""

from __future__ import annotations

import base64
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import (
    HIDDEN,
    Redactor,
    hide_secrets,
    is_secret_key,
    secret_values,
    without_url_tokens,
)
from hypothesis import given
from hypothesis import strategies as st

PULL_SECRET = {
    "auths": {"quay.io": {"auth": base64.b64encode(b"robot:hunter2-hunter2").decode(), "email": "a@example.com"}}
}


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "Password",
        "bmc_password",
        "kubeadminPassword",
        "pull_secret",
        "pullSecret",
        "token",
        "auth",
        "proxy_basic_auth",
        "basic_auth",
        "client-key-data",
        "offline_token",
        "private_key",
    ],
)
def test_secret_keys(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "pasword",
        "passwrd",
        "passord",
        "Passwort",
        "passwd",
        "psswrd",
        "bmc.pass",
        "bmc_pass",
        "pwd",
        "pw",
        "passwords",
        "password2",
        "bmcPasswrd",
        "pass_word",
        "pullsecret",
        "pull-secret",
        "pull_secert",
        "pulSecret",
        "Pull Secret",
        "pull_secrets",
        "pullscret",
        "vault_pull_secret",
        "tokn",
        "tokens",
        "toekn",
        "offlineTokn",
        "client_scret",
        "secert",
        "privat_key",
        "passphrse",
        "api-key",
        "apykey",
        "PASSWORD",
        "PassWord",
    ],
)
def test_misspelt_secret_keys(key: str) -> None:
    """Such a key is an unknown field to every other reader; what is under it is no less secret."""
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "secrets",
        "imagePullSecrets",
        "kubeconfig_secret",
        "secretRef",
        "pullSecretRef",
        "secretName",
        "passwordPolicy",
        "token_file",
        "public_keys",
        "path",
        "keyword",
        "world",
        "server",
        "select",
        "secure",
        "bypass",
        "compass",
        "taken_at",
        "auths",
        "author",
        "authority",
        "pass_count",
        "tokenizer",
        "port",
        "host",
        "hostname",
        "cluster_name",
        "address",
        "addresses",
        "mac_address",
        "wwn",
        "proxy",
        "url",
        "key",
        "state",
        "stage",
        "peers",
        "pools",
    ],
)
def test_keys_that_only_look_like_one(key: str) -> None:
    assert not is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "password_file",
        "kubeadmin_password_file",
        "username",
        "public_key",
        "tokens_path",
        "auths",
        "ssh_public_keys",
        "ca_cert",
        "keyboard",
    ],
)
def test_other_keys(key: str) -> None:
    assert not is_secret_key(key)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"password": "s3cret"}, {"s3cret"}),
        ({"bmc": [{"password": "s3cret"}, {"token": "t0ken"}]}, {"s3cret", "t0ken"}),
        ({"password": {"deep": ["leaf1", {"x": "leaf2"}]}}, {"leaf1", "leaf2"}),
        (
            {"pull_secret": PULL_SECRET},
            {PULL_SECRET["auths"]["quay.io"]["auth"], "robot:hunter2-hunter2", "hunter2-hunter2", "a@example.com"},
        ),
        (
            {"overrides": json.dumps({"platform": {"baremetal": {"hosts": [{"bmc": {"password": "inner-secret"}}]}}})},
            {"inner-secret"},
        ),
        ({"password": "abc"}, {"abc"}),
        ({"password": ""}, set()),
        ({"password": None, "token": 7}, {"7"}),
        ({"name": "password"}, set()),
    ],
)
def test_secret_values(data: Any, expected: set[str]) -> None:
    assert secret_values(data) == expected


def test_a_kind_of_access_is_no_secret() -> None:
    """The word none is in every plan."""
    assert secret_values({"auth": "none", "token": "t0ken-of-a-user"}) == {"t0ken-of-a-user"}


def test_pull_secret_as_text() -> None:
    """The document as one string is secret, and so is every auth in it; its ordinary words are not."""
    text = json.dumps(PULL_SECRET)
    found = secret_values({"pull_secret": text})
    assert {text, PULL_SECRET["auths"]["quay.io"]["auth"], "hunter2-hunter2"} <= found
    assert not {"quay.io", "auths"} & found


@pytest.mark.parametrize(
    "secret", ["correct-horse-battery", 'with "quotes" and \\ backslash', "line one\nline two\n", "ünïcödé-sécret"]
)
def test_every_form_is_replaced(secret: str) -> None:
    redactor = Redactor([secret])
    forms = [
        secret,
        secret.strip(),
        json.dumps(secret),
        json.dumps({"a": json.dumps({"b": secret})}),
        base64.b64encode(secret.encode()).decode(),
        f"prefix{secret.strip()}suffix",
    ]
    for form in forms:
        clean = redactor.text(f"before {form} after")
        assert secret.strip() not in clean and HIDDEN in clean
        assert json.dumps(secret.strip())[1:-1] not in clean
        assert base64.b64encode(secret.encode()).decode() not in clean


@pytest.mark.parametrize(
    ("secret", "text", "clean"),
    [
        ("password", "auth/kubeadmin-password", "auth/kubeadmin-password"),
        ("password", "the password is", f"the {HIDDEN} is"),
        ("password", "https://admin:password@bmc/", f"https://admin:{HIDDEN}@bmc/"),
        ("password", "password", HIDDEN),
        ("password", '{"x": "password"}', f'{{"x": "{HIDDEN}"}}'),
        ("password", "password.", f"{HIDDEN}."),
        ("root", "/root/.ssh/id", "/root/.ssh/id"),
        ("node", "node-1.example.com", "node-1.example.com"),
        ("calvin", "calvin,calvin", f"{HIDDEN},{HIDDEN}"),
    ],
)
def test_a_secret_that_is_a_word(secret: str, text: str, clean: str) -> None:
    """It is hidden where it stands alone; names and paths that contain it stay usable."""
    assert Redactor([secret]).text(text) == clean


def test_longer_secrets_go_first() -> None:
    assert Redactor(["abcdefghijkl", "abcdefghijklmnop"]).text("abcdefghijklmnop") == HIDDEN


def test_data_keeps_its_shape() -> None:
    data = {
        "bmc": {"password": "s3cret", "address": "x"},
        "list": ("s3cret", 1, None, True),
        "password": {"nested": "kept as structure"},
        "token": "",
    }
    clean = Redactor(["s3cret"]).data(data)
    assert clean == {
        "bmc": {"password": HIDDEN, "address": "x"},
        "list": [HIDDEN, 1, None, True],
        "password": {"nested": "kept as structure"},
        "token": "",
    }


def test_hide_secrets() -> None:
    assert hide_secrets({"password": {"a": "inner-secret"}, "copy": "x inner-secret"}) == {
        "password": {"a": HIDDEN},
        "copy": f"x {HIDDEN}",
    }


def test_nothing_known_nothing_changed() -> None:
    text = "any text"
    assert Redactor().text(text) is text


@given(
    st.lists(st.text(alphabet=st.characters(codec="utf-8"), min_size=12, max_size=30), min_size=1, max_size=5),
    st.text(max_size=40),
)
def test_no_long_secret_survives(secrets: list[str], around: str) -> None:
    redactor = Redactor(secrets)
    for secret in secrets:
        if len(secret.strip()) >= 12:
            clean = redactor.text(around + secret + around)
            assert secret not in clean or secret in HIDDEN


def test_five_hundred_hosts_are_quick() -> None:
    """Every task's result passes here: 500 hosts with a password each, half a second of CPU at most on a slow
    machine.
    """
    hosts = [
        {
            "name": f"node-{n}",
            "bmc": {"address": f"https://10.0.{n // 250}.{n % 250}/", "password": f"individual-password-{n}"},
        }
        for n in range(500)
    ]
    started = time.process_time()
    clean = hide_secrets({"hosts": hosts, "log": ["ordinary line"] * 1000})
    assert time.process_time() - started < 2
    assert "individual-password" not in json.dumps(clean)


def test_passwords_in_urls() -> None:
    proxy = "http://user:gehe%2Fim@proxy.example.com:3128"
    assert secret_values({"http_proxy": proxy}) == {"gehe%2Fim", "gehe/im"}
    assert (
        Redactor().text(f"no way to {proxy}, nor to https://host:443/a@b")
        == f"no way to http://user:{HIDDEN}@proxy.example.com:3128, nor to https://host:443/a@b"
    )


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "redfish+https://admin:s3cr3t@10.0.0.1/redfish/v1/Systems/1",
            f"redfish+https://admin:{HIDDEN}@10.0.0.1/redfish/v1/Systems/1",
        ),
        ("http://user:p@ss-w0rd@proxy:3128", f"http://user:{HIDDEN}@proxy:3128"),
        ("http://user:pa/ss-w0rd@proxy:3128", f"http://user:{HIDDEN}@proxy:3128"),
        ("https://ghp-0123456789@example.com/base.iso", f"https://{HIDDEN}@example.com/base.iso"),
        ("https://:s3cr3t@example.com/", f"https://:{HIDDEN}@example.com/"),
        ("https://i/byapikey/eyJ.eyJ.c2ln/4.22/x86_64/full.iso", f"https://i/byapikey/{HIDDEN}/4.22/x86_64/full.iso"),
        ("/bytoken/eyJ.eyJ.c2ln/4.22/x86_64/full.iso", f"/bytoken/{HIDDEN}/4.22/x86_64/full.iso"),
        (
            "'https://i/a/pxe?arch=x&image_token=eyJ.eyJ' and https://i/a?api_key=eyJ",
            f"'https://i/a/pxe?arch=x&image_token={HIDDEN}' and https://i/a?api_key={HIDDEN}",
        ),
        (
            "/byapikey/<token>/4.22 and https://i/byid/5f6e2d0c/4.22",
            ("/byapikey/<token>/4.22 and https://i/byid/5f6e2d0c/4.22"),
        ),
        ("http://[fd00::1]:8080/a@b", "http://[fd00::1]:8080/a@b"),
        ("https://quay.io/repo@sha256:0123", "https://quay.io/repo@sha256:0123"),
        ("docker://quay.io:443/repo@sha256:0123", "docker://quay.io:443/repo@sha256:0123"),
        ("ssh://core@10.0.0.1", "ssh://core@10.0.0.1"),
        ('["http://u:abcd@h/","http://u:efgh@h/x@y"]', f'["http://u:{HIDDEN}@h/","http://u:{HIDDEN}@h/x@y"]'),
    ],
)
def test_whatever_userinfo_a_url_has(url: str, shown: str) -> None:
    assert Redactor().text(url) == shown


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("http://user:p@ss-w0rd@proxy:3128", "p@ss-w0rd"),
        ("http://user:pa/ss-w0rd@proxy:3128", "pa/ss-w0rd"),
        ("https://ghp-0123456789@example.com/base.iso", "ghp-0123456789"),
        ("http://user:plain@proxy/x", "plain"),
    ],
)
def test_the_password_of_a_url_is_hidden_without_its_url_too(url: str, secret: str) -> None:
    assert hide_secrets({"url": url, "note": f"refused: {secret}"})["note"] == f"refused: {HIDDEN}"


def test_a_password_that_yaml_reads_as_a_number_is_hidden() -> None:
    shown = hide_secrets({"bmc": {"password": 998877665544}, "text": "998877665544 is refused", "validate_certs": True})
    assert shown == {"bmc": {"password": "<hidden>"}, "text": "<hidden> is refused", "validate_certs": True}


TOKEN = "5f6d0e27c1a94c0f8f0f6f3e0b6f3a52"


@pytest.mark.parametrize(
    "url",
    [
        f"http://192.0.2.10:40123/{TOKEN}/agent.x86_64.iso",
        f"https://[2001:db8::1]:8443/images/{TOKEN}/agent.iso",
        f"http://192.0.2.10/{TOKEN}/worker-1/agent.x86_64.iso",
    ],
)
def test_the_token_of_a_published_image(url: str) -> None:
    expected = url.replace(TOKEN, HIDDEN)
    assert Redactor().text(f"insert {url} (into slot 1), {url}.") == f"insert {expected} (into slot 1), {expected}."
    assert without_url_tokens(expected) == expected
    assert secret_values({"hosts": [{"image_url": url}]}) == {TOKEN}
    assert TOKEN not in Redactor(secret_values([url])).text(f"BMC: cannot fetch %2F{TOKEN}%2Fagent.iso")


@pytest.mark.parametrize(
    "text",
    [
        f"/builds/{TOKEN}/agent.iso",
        f"http://192.0.2.1/{TOKEN}0/a.iso",
        f"http://192.0.2.1/{TOKEN}/a.img",
        f"sha: {TOKEN}",
    ],
)
def test_what_is_no_token_of_an_image(text: str) -> None:
    assert Redactor().text(text) == text and secret_values([text]) == set()


@given(
    st.text("0123456789abcdef", min_size=32, max_size=32),
    st.from_regex(r"[a-z0-9.:-]{1,20}(/[a-z0-9_-]{1,8}){0,3}", fullmatch=True),
)
def test_no_token_of_an_image_is_shown(token: str, place: str) -> None:
    url = f"http://{place}/{token}/agent.x86_64.iso"
    assert token not in Redactor().text(f"x {url} y") or token in place
    assert token in secret_values({"a": [url]})


# What made the patterns try each character again for each character before it. Every line is one that a service can put
# into its error.
HOSTILE: dict[str, Callable[[int], str]] = {
    "letters": lambda n: "x:// @" + "a" * n,
    "letters beside an image": lambda n: "x:// .iso " + "a" * n,
    "schemes": lambda n: "x://" * (n // 4) + "@",
    "schemes behind the last @": lambda n: "@" + "x://:a" * (n // 6),
    "schemes before an image": lambda n: "x://" * (n // 4) + ".iso",
    "ports": lambda n: "x://:1/" * (n // 7) + "@",
    "colons": lambda n: "@x://" + ":" * n,
    "directories": lambda n: "x://" + ("/" + "0" * 32) * (n // 33) + " .iso",
    "users": lambda n: "http://" + "a" * n + " @",
    "schemes with a plus": lambda n: "a+" * (n // 2) + ":// @",
    "backslashes": lambda n: "\\" * n + '"',
    "quotes": lambda n: '"\\' * (n // 2),
    "quoted secrets": lambda n: '"abc\\\\' * (n // 6),
    "assignments": lambda n: "token " * (n // 6) + " " * (n // 2),
    "base64": lambda n: "A" * n + "%",
    "ellipses": lambda n: "a-sec…" * (n // 6),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_redaction_takes_linear_time(kind: str) -> None:
    """Four times the text takes some four times as long.

    The bound is generous, for a busy machine; what is quadratic takes sixteen times as long.
    """
    redactor = Redactor(["a-secret-of-16-ch", "abc", "shorter1"])

    def seconds(size: int) -> float:
        started = time.process_time()
        redactor.text(HOSTILE[kind](size))
        secret_values([HOSTILE[kind](size)])
        return time.process_time() - started

    seconds(1000)
    assert seconds(80_000) <= 8 * min(seconds(20_000) for _each in range(3)) + 0.2


def test_many_secrets_and_many_cut_texts() -> None:
    """The work for the beginnings of secrets does not multiply: 60,000 ellipses with 1000 secrets."""
    redactor = Redactor(f"individual-password-{number}" for number in range(1000))
    started = time.process_time()
    assert redactor.text("…" * 60_000 + "indivi…") == "…" * 60_000 + f"{HIDDEN}…"
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('\\"abc\\" \\\\\\"abc\\\\\\"', f'\\"{HIDDEN}\\" \\\\\\"{HIDDEN}\\\\\\"'),
        ('C:\\"abc"', f'C:\\"{HIDDEN}"'),
        ("x" * 50 + "://u:abcd@h/", "x" * 50 + f"://u:{HIDDEN}@h/"),
        (f"http://u:{'p' * 3000}@h/a@b", f"http://u:{HIDDEN}@h/a@b"),
        (
            f"http://u:abcd@h/{'0' * 32}/a.iso,http://i/{'1' * 32}/b/c.iso",
            f"http://u:{HIDDEN}@h/{HIDDEN}/a.iso,http://i/{HIDDEN}/b/c.iso",
        ),
    ],
)
def test_what_a_bounded_pattern_must_still_find(text: str, shown: str) -> None:
    assert Redactor(["abc"]).text(text) == shown


def test_long_runs_of_base64_are_not_kept() -> None:
    """A log archive holds members of 24 MiB; decoded ones stay in no cache."""
    redactor = Redactor(["a-secret-of-16-ch"])
    text = "QUJD" * 250_000
    redactor.text(text)
    tracemalloc.start()
    try:
        for number in range(10):
            redactor.text(f"{text}{number:04d}")
        assert tracemalloc.get_traced_memory()[0] < 2 << 20
    finally:
        tracemalloc.stop()
