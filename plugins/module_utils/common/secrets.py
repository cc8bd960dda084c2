# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Keep secrets out of all output: find the secret values in nested data, and hide secrets in texts.

Dict options are never ``no_log``: ansible-core 2.19 to 2.21 would then replace every equal substring of the result
(docs/upstream/ansible.md#options-with-no_log). Instead, modules collect the secret values with :func:`secret_values`
and register these.
"""

from __future__ import annotations

import base64
import functools
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from . import json_text
from .secret_forms import BASE64, decoded, forms_of, written
from .terminal import printable_data

HIDDEN = "<hidden>"

# Keys whose value is secret wherever they are, compared without case, '_' and '-'.
_SECRET_KEYS = frozenset(
    {
        "password",
        "pullsecret",
        "token",
        "authtoken",
        "secret",
        "apikey",
        "auth",
        "clientkeydata",
        "clientsecret",
        "offlinetoken",
        "refreshtoken",
        "accesstoken",
        "privatekey",
        "identitytoken",
        "registrytoken",
        "dockerconfigjson",
        "passphrase",
        "kubeadminpassword",
        "headers",
        "basicauth",
        "proxybasicauth",
    }
)
# What an option ``auth`` says of the kind of access (modules of the assisted-service); in a pull secret it is base64 of
# user and password.
_KINDS_OF_ACCESS = frozenset({"none", "agent-local", "local", "offline"})
# Shorter values occur by chance in ordinary text; hiding each occurrence would garble it and show the value. They are
# hidden as whole values only.
_SHORTEST = 4
# From this length on a value is replaced inside longer words too.
_STRONG = 12
_ALONE = r"(?<![\w./-])%s(?![\w/-])"
# Where a tiny secret is a whole value: between quotes, which may be escaped, and behind a secret key as in a form or a
# log.
# JSON in JSON in JSON has 7 backslashes before a quote; without a limit each of n backslashes would be the start of a
# search through the rest.
_QUOTED = r"(?P<before>(?P<quote>\\{0,32}[\"']))(?:%s)(?P<after>(?P=quote))"
_ASSIGNED = r"(?i)(?P<before>(?:pass(?:word|wd|phrase)?|pwd|token|secret)[ ]*[=:][ ]*)(?:%s)(?P<after>(?=[&;,\s]|$))"
# Texts that are too long end with it, maybe within a secret.
_CUT = "…"
# The patterns for URLs see one of these runs at a time, cut where no match can end: over a whole text each URL would be
# a search through the rest.
_RUN = re.compile(r"[^\s\"'<>]+")
# A password in a URL, such as that of a proxy: up to the last @ of the authority, or beyond a slash that is not quoted,
# if what is before that slash is no port.
_IN_URL = re.compile(
    r"(?P<before>(?<=[A-Za-z0-9+.-])://[^\s/:@\"'<>\[]*:)(?P<password>(?:[^\s/\"'<>]+|(?!\d{1,5}/)[^\s@\"'<>]+)(?=@))"
)
# A token in the place of the user, as code hosts take it; elsewhere (ssh://core@…) a lone user is no secret.
_USER_IN_URL = re.compile(r"(?P<before>(?<![A-Za-z0-9+.-])(?:[a-z-]+\+)?https?://)(?P<password>[^\s/:@\"'<>]+)(?=@)")
# What opens a discovery image or a file beside it; <token> is the placeholder in texts of this collection.
# Source: openshift/assisted-service internal/imageservice/urls.go, internal/gencrypto, internal/manifests/manifests.go.
_TOKEN_IN_URL = re.compile(r"(?P<before>/by(?:apikey|token)/|[?&](?:api_key|image_token)=)(?!<)[^/?&#\s\"']+")
# The secret directory in the URL of an image that we publish: ``<base>/<token>/agent.iso``,
# ``<base>/<token>/<host>/agent.iso`` (serving/).
_IMAGE_TOKEN = re.compile(r"(?<=/)(?P<token>[0-9a-f]{32})(?=/(?:[^\s/?#\"'<>]+/)?[^\s/?#\"'<>]+\.iso(?![A-Za-z0-9]))")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The last word of a key that holds a secret, also in the spellings in which people shorten it.
_SECRET_WORDS = frozenset(
    {
        "password",
        "passwords",
        "passwd",
        "passwort",
        "pass",
        "pwd",
        "pw",
        "psw",
        "passcode",
        "passphrase",
        "token",
        "tokens",
    }
)
# What a mistyped key is compared with, and by how many slips of the finger the two may differ.
_MISTYPED = {
    "password": 2,
    "passphrase": 2,
    "pullsecret": 2,
    "privatekey": 2,
    "token": 1,
    "secret": 1,
    "apikey": 1,
    "clientsecret": 2,
}
# Near to one of these, but another word.
_OTHER_WORDS = frozenset({"secrets", "taken", "woken", "broken", "passport", "keyword"})


def is_secret_key(key: str) -> bool:
    """Whether a value under this key must never be shown: also under ``pasword``, ``bmc.pass`` or ``pull-secert``,
    which are no fields.
    """
    bare = re.sub(r"[^a-z0-9]", "", key.lower())
    return bare in _SECRET_KEYS or bare.endswith("password") or _is_nearly_secret(key)


@functools.lru_cache(maxsize=4096)
def _is_nearly_secret(key: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(key)]
    if (
        not words
        or (words[-1] in _OTHER_WORDS and words[-2:-1] != ["pull"])
        or words[-3:] == ["image", "pull", "secrets"]
    ):
        return False
    # kubeconfig_secret and the like name an object; a secret itself is called that alone.
    tails = {"".join(words[-2:]), "".join(words), *(words[-1:] if not _slips(words[-1], "secret", 1) else ())}
    return words[-1] in _SECRET_WORDS or any(
        _slips(tail, word, most) for tail in tails - _OTHER_WORDS for word, most in _MISTYPED.items()
    )


def _slips(provided: str, word: str, most: int) -> bool:
    """Whether ``provided`` becomes ``word`` by at most ``most`` letters too many, too few, wrong or swapped with their
    neighbour.
    """
    if abs(len(provided) - len(word)) > most:
        return False
    above: list[int] = []
    row = list(range(len(word) + 1))
    for i, letter in enumerate(provided, 1):
        above, before, row = row, above, [i] + [0] * len(word)
        for j, wanted in enumerate(word, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == word[j - 2] and provided[i - 2] == wanted:
                row[j] = min(row[j], before[j - 2] + 1)
    return row[-1] <= most


def secret_values(data: Any) -> set[str]:
    """Every secret string inside the data, passwords in URLs and JSON documents within strings (pull secret, overrides)
    included.
    """
    return {value for value in _secret_leaves(data, secret=False) if value.strip()}


def _secret_leaves(data: Any, *, secret: bool) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "auth" and isinstance(value, str) and value in _KINDS_OF_ACCESS:
                continue
            yield from _secret_leaves(value, secret=secret or (isinstance(key, str) and is_secret_key(key)))
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _secret_leaves(value, secret=secret)
    elif isinstance(data, str):
        inner = _json_inside(data)
        if inner is not None:
            yield from _secret_leaves(inner, secret=False)
        for password in _passwords_in_urls(data):
            yield from {password, unquote(password)}
        yield from image_tokens(data)
        if secret:
            yield data
            yield from _decoded_auth(data)
    elif secret and _is_number(data):
        yield str(data)


def secret_data(document: Any) -> Iterator[str]:
    """All texts that a Kubernetes Secret holds, whatever their keys; of anything else nothing."""
    if isinstance(document, dict) and document.get("kind") == "Secret":
        parts = [part for key in ("data", "stringData") if isinstance(part := document.get(key), dict)]
        # Not every value of a Secret is secret: "1" or "on" are settings beside one.
        yield from (
            value
            for part in parts
            for value in part.values()
            if isinstance(value, str) and len(value.strip()) >= _SHORTEST
        )


def image_tokens(text: str) -> set[str]:
    """The tokens in URLs of images that this collection publishes."""
    runs = (match[0].partition("://")[2] for match in _RUN.finditer(text)) if _may_have_image(text) else ()
    return {match["token"] for run in runs for match in _IMAGE_TOKEN.finditer(run)}


def without_url_tokens(text: str) -> str:
    """The text with the tokens in URLs of images hidden."""
    return _without_image_keys(_without_image_tokens(text))


def _may_have_image(text: str) -> bool:
    return "://" in text and ".iso" in text


def _without_image_tokens(text: str) -> str:
    return _RUN.sub(_run_without_image_tokens, text) if _may_have_image(text) else text


def _run_without_image_tokens(run: re.Match[str]) -> str:
    scheme, mark, rest = run[0].partition("://")
    return scheme + mark + _IMAGE_TOKEN.sub(HIDDEN, rest)


def _without_image_keys(text: str) -> str:
    return (
        _TOKEN_IN_URL.sub(rf"\g<before>{HIDDEN}", text)
        if "/by" in text or "api_key=" in text or "image_token=" in text
        else text
    )


def _passwords_in_urls(text: str) -> Iterator[str]:
    # What is behind the last @ of a run holds none.
    runs = (match[0].rpartition("@") for match in _RUN.finditer(text)) if _may_have_user(text) else ()
    for before, at, _rest in runs:
        for pattern in (_IN_URL, _USER_IN_URL):
            yield from (match["password"] for match in pattern.finditer(before + at))


def _may_have_user(text: str) -> bool:
    return "://" in text and "@" in text


def _without_passwords_in_urls(text: str) -> str:
    return _RUN.sub(_run_without_passwords, text) if _may_have_user(text) else text


def _run_without_passwords(run: re.Match[str]) -> str:
    before, at, rest = run[0].rpartition("@")
    if "://" not in before:
        return run[0]
    clean = _IN_URL.sub(rf"\g<before>{HIDDEN}", before + at)
    return _USER_IN_URL.sub(rf"\g<before>{HIDDEN}", clean) + rest


def _is_number(value: Any) -> bool:
    # YAML reads an unquoted password of digits as a number.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _json_inside(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json_text.parse(text)
    except ValueError:
        return None


def _decoded_auth(text: str) -> Iterator[str]:
    # A registry's "auth" is base64 of user:password; the password alone is a secret too.
    try:
        decoded = base64.b64decode(text, validate=True).decode()
    except ValueError:
        return
    if ":" in decoded and decoded.isprintable():
        yield decoded
        yield decoded.split(":", 1)[1]


class Redactor:
    """Replaces known secrets in text and data, in each form in which a remote side repeats them (:func:`forms_of`,
    base64 of ``user:password``).

    A secret shorter than ``_STRONG`` may be an ordinary word (a BMC password ``password``): it is replaced only where
    it stands alone, so that ``auth/kubeadmin-password`` stays the path it is. One shorter than ``_SHORTEST`` is
    replaced only where it is a whole value: the whole text, a quoted value, the value of a secret key, or the password
    in a URL or in base64.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._known: set[str] = set()
        self._strong: set[str] = set()
        self._weak: set[str] = set()
        self._tiny: set[str] = set()
        self._prepared: tuple[Sequence[str], Sequence[re.Pattern[str]]] | None = None
        self._by_beginning: tuple[Mapping[str, Sequence[str]], int] | None = None
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        with self._lock:
            for secret in secrets:
                if secret.strip() and secret not in self._known:
                    self._known.add(secret)
                    self._prepared = self._by_beginning = None
                    self._add_forms(secret)

    def _add_forms(self, secret: str) -> None:
        length = len(secret.strip())
        if length < _SHORTEST:
            self._tiny |= {secret.strip(), *written(secret.strip())}
            return
        for form in forms_of(secret):
            (self._weak if length < _STRONG and len(form) < _STRONG else self._strong).add(form)

    def known(self) -> frozenset[str]:
        """The secrets added so far, as they were added."""
        return frozenset(self._known)

    def text(self, text: str) -> str:
        text = _without_image_keys(_without_passwords_in_urls(_without_image_tokens(text)))
        if not self._known:
            return text
        if text.strip() in self._tiny:
            return HIDDEN
        for pattern in self._patterns(text):
            text = pattern.sub(_hidden, text)
        text = BASE64.sub(self._without_encoded, text)
        return self._without_cut_off(text) if _CUT in text else text

    def _patterns(self, text: str) -> Iterator[re.Pattern[str]]:
        """Patterns that match the secrets in a text. Compiling one pattern of all forms takes longer than searching
        most texts: a pull secret alone has forms of many thousand characters.
        """
        forms, for_tiny = self._searched()
        present = [form for form in forms if form in text]
        if present:
            yield re.compile(
                "|".join(re.escape(form) if form in self._strong else _ALONE % re.escape(form) for form in present)
            )
        yield from for_tiny

    def _searched(self) -> tuple[Sequence[str], Sequence[re.Pattern[str]]]:
        """The forms of all secrets, the longest first, but for the tiny ones; and patterns of those."""
        # Threads of a bulk report progress while another one adds a secret.
        with self._lock:
            if self._prepared is None:
                values = "|".join(map(re.escape, _longest_first(self._tiny)))
                patterns = [re.compile(pattern % values) for pattern in (_QUOTED, _ASSIGNED)] if values else []
                self._prepared = _longest_first(self._strong | self._weak), patterns
            return self._prepared

    def _without_encoded(self, match: re.Match[str]) -> str:
        """``<hidden>`` if the run is base64 of a text with a secret in it, else the run."""
        run = match["run"]
        text = decoded(run) if run else ""
        if not text:
            return match[0]
        secret = text.partition(":")[2].strip() in self._tiny or any(
            pattern.search(text) for pattern in self._patterns(text)
        )
        return HIDDEN if secret else match[0]

    def _without_cut_off(self, text: str) -> str:
        """The text without the beginnings of secrets that were cut off with it: those directly before an ellipsis."""
        *parts, last = text.split(_CUT)
        return _CUT.join([*(self._without_beginning(part) for part in parts), last])

    def _without_beginning(self, text: str) -> str:
        beginnings, longest = self._beginnings()
        for start in range(max(0, len(text) - longest), len(text) - _SHORTEST + 1):
            if any(form.startswith(text[start:]) for form in beginnings.get(text[start : start + _SHORTEST], ())):
                return text[:start] + HIDDEN
        return text

    def _beginnings(self) -> tuple[Mapping[str, Sequence[str]], int]:
        """All forms of secrets by their first characters, and the length of the longest one."""
        with self._lock:
            if self._by_beginning is None:
                found: dict[str, list[str]] = {}
                for form in self._strong | self._weak:
                    found.setdefault(form[:_SHORTEST], []).append(form)
                self._by_beginning = found, max(map(len, self._strong | self._weak), default=0)
            return self._by_beginning

    def data(self, data: Any) -> Any:
        """A copy without secrets: values under secret keys and known secrets anywhere become ``<hidden>``."""
        if isinstance(data, dict):
            return {
                key: HIDDEN
                if isinstance(key, str)
                and is_secret_key(key)
                and (_is_number(value) or (isinstance(value, str) and value))
                else self.data(value)
                for key, value in data.items()
            }
        if isinstance(data, (list, tuple)):
            return [self.data(value) for value in data]
        return self.text(data) if isinstance(data, str) else data

    def presentable(self, data: Any) -> Any:
        """A copy of the data for people: without secrets, and without characters that act on a terminal."""
        return printable_data(self.data(data))


def _longest_first(forms: Iterable[str]) -> list[str]:
    return sorted(forms, key=lambda form: (-len(form), form))


def _hidden(match: re.Match[str]) -> str:
    # Tiny secrets are found together with the characters around them.
    before, after = (match["before"], match["after"]) if match.re.groups else ("", "")
    return f"{before}{HIDDEN}{after}"


def hide_secrets(data: Any) -> Any:
    """A copy of the data in which secret leaves, and their copies elsewhere in it, are ``<hidden>``."""
    return Redactor(secret_values(data)).data(data)
