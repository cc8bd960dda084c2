# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Secrets stay out of sight: which leaves are secret, and how text is freed of them.

Dict options are never ``no_log`` (ansible-core 2.19 to 2.21 then replaces every equal substring of the result, reference
collection-engineering.md 6); instead doors collect the secret leaves with :func:`secret_values` and register those.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from . import json_text

HIDDEN = "<hidden>"

# Keys whose value is secret wherever they stand, compared without case, '_' and '-'.
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
    }
)
# What an option ``auth`` says of the kind of access (modules of the assisted-service); in a pull secret it is base64 of user and password.
_KINDS_OF_ACCESS = frozenset({"none", "agent-local", "local", "offline"})
# Shorter values occur by chance in ordinary text; hiding them would garble it and tell an onlooker the value.
_SHORTEST = 4
# From this length on a value is replaced inside longer words too.
_STRONG = 12
_ALONE = r"(?<![\w./-])%s(?![\w/-])"
# A password in a URL, such as that of a proxy: up to the last @ of the authority, or beyond a slash that somebody did not quote, if what stands
# before that slash is no port.
_IN_URL = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>\[]*:)(?P<password>(?!<hidden>@)(?:[^\s/\"'<>]+|(?!\d{1,5}/)[^\s@\"'<>]+)(?=@))")
# A token in the place of the user, as code hosts take it; elsewhere (ssh://core@…) a lone user is no secret.
_USER_IN_URL = re.compile(r"(?P<before>(?<![A-Za-z0-9+.-])(?:[a-z-]+\+)?https?://)(?P<password>(?!<hidden>@)[^\s/:@\"'<>]+)(?=@)")
# What opens a discovery image or a file beside it (reference infrastructure-operator.md 11.1, assisted-rest.md 9); <token> stands in texts of our own.
_TOKEN_IN_URL = re.compile(r"(?P<before>/by(?:apikey|token)/|[?&](?:api_key|image_token)=)(?!<)[^/?&#\s\"']+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The last word of a key that holds a secret, also in the spellings in which people shorten it.
_SECRET_WORDS = frozenset({"password", "passwords", "passwd", "passwort", "pass", "pwd", "pw", "psw", "passcode", "passphrase", "token", "tokens"})
# What a mistyped key is compared with, and by how many slips of the finger the two may differ.
_MISTYPED = {"password": 2, "passphrase": 2, "pullsecret": 2, "privatekey": 2, "token": 1, "secret": 1, "apikey": 1, "clientsecret": 2}
# Near to one of these, but another word.
_OTHER_WORDS = frozenset({"secrets", "taken", "woken", "broken", "passport", "keyword"})


def is_secret_key(key: str) -> bool:
    """Whether a value under this key must never be shown: also under ``pasword``, ``bmc.pass`` or ``pull-secert``, which are fields to nobody else."""
    bare = re.sub(r"[^a-z0-9]", "", key.lower())
    return bare in _SECRET_KEYS or bare.endswith("password") or _is_nearly_secret(key)


@functools.lru_cache(maxsize=4096)
def _is_nearly_secret(key: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(key)]
    if not words or (words[-1] in _OTHER_WORDS and words[-2:-1] != ["pull"]) or words[-3:] == ["image", "pull", "secrets"]:
        return False
    # kubeconfig_secret and the like name an object; a secret itself is called that alone.
    tails = {"".join(words[-2:]), "".join(words), *(words[-1:] if not _slips(words[-1], "secret", 1) else ())}
    return words[-1] in _SECRET_WORDS or any(_slips(tail, word, most) for tail in tails - _OTHER_WORDS for word, most in _MISTYPED.items())


def _slips(given: str, word: str, most: int) -> bool:
    """Whether ``given`` becomes ``word`` by at most ``most`` letters too many, too few, wrong or swapped with their neighbour."""
    if abs(len(given) - len(word)) > most:
        return False
    above: list[int] = []
    row = list(range(len(word) + 1))
    for i, letter in enumerate(given, 1):
        above, before, row = row, above, [i] + [0] * len(word)
        for j, wanted in enumerate(word, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == word[j - 2] and given[i - 2] == wanted:
                row[j] = min(row[j], before[j - 2] + 1)
    return row[-1] <= most


def secret_values(data: Any) -> set[str]:
    """Every secret string inside the data, passwords in URLs and JSON documents within strings (pull secret, overrides) included."""
    return {value for value in _secret_leaves(data, secret=False) if len(value) >= _SHORTEST}


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
        for pattern in (_IN_URL, _USER_IN_URL) if "://" in data else ():
            for match in pattern.finditer(data):
                yield from {match["password"], unquote(match["password"])}
        if secret:
            yield data
            yield from _decoded_auth(data)
    elif secret and _is_number(data):
        yield str(data)


def secret_data(document: Any) -> Iterator[str]:
    """All texts that a Kubernetes Secret holds, whatever their keys; of anything else nothing."""
    if isinstance(document, dict) and document.get("kind") == "Secret":
        parts = [part for key in ("data", "stringData") if isinstance(part := document.get(key), dict)]
        yield from (value for part in parts for value in part.values() if isinstance(value, str))


def without_url_tokens(text: str) -> str:
    """The text with the tokens in URLs of discovery images hidden."""
    return _TOKEN_IN_URL.sub(rf"\g<before>{HIDDEN}", text) if "/by" in text or "api_key=" in text or "image_token=" in text else text


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
    """Replaces known secrets in text and data; raw, base64 and JSON-escaped forms alike.

    A secret shorter than ``_STRONG`` may be an ordinary word (a BMC password ``password``): it is replaced only where it stands alone, so that
    ``auth/kubeadmin-password`` stays the path it is.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        self._strong: set[str] = set()
        self._weak: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._shortest = 0
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        for secret in secrets:
            stripped = secret.strip()
            if len(stripped) >= _SHORTEST:
                weak = len(stripped) < _STRONG
                self._known.add(secret)
                for form in _forms_of(secret):
                    (self._weak if weak and len(form) < _STRONG else self._strong).add(form)
                self._pattern = None

    def known(self) -> frozenset[str]:
        """The secrets told so far, as they were told."""
        return frozenset(self._known)

    def text(self, text: str) -> str:
        if "://" in text:
            text = _USER_IN_URL.sub(rf"\g<before>{HIDDEN}", _IN_URL.sub(rf"\g<before>{HIDDEN}", text))
        text = without_url_tokens(text)
        if not self._strong and not self._weak:
            return text
        if self._pattern is None:
            self._pattern = self._compile()
        return text if len(text) < self._shortest else self._pattern.sub(HIDDEN, text)

    def _compile(self) -> re.Pattern[str]:
        forms = sorted(self._strong | self._weak, key=lambda form: (-len(form), form))
        self._shortest = len(forms[-1])
        return re.compile("|".join(re.escape(form) if form in self._strong else _ALONE % re.escape(form) for form in forms))

    def data(self, data: Any) -> Any:
        """A copy without secrets: values under secret keys and known secrets anywhere become ``<hidden>``."""
        if isinstance(data, dict):
            return {
                key: HIDDEN if isinstance(key, str) and is_secret_key(key) and (_is_number(value) or (isinstance(value, str) and value)) else self.data(value)
                for key, value in data.items()
            }
        if isinstance(data, (list, tuple)):
            return [self.data(value) for value in data]
        return self.text(data) if isinstance(data, str) else data


def _forms_of(secret: str) -> set[str]:
    stripped = secret.strip()
    raw = {secret, stripped}
    escaped = {json.dumps(form)[1:-1] for form in raw}
    return raw | escaped | {json.dumps(form)[1:-1] for form in escaped} | {base64.b64encode(form.encode()).decode() for form in raw}


def hide_secrets(data: Any) -> Any:
    """A copy of the data in which secret leaves, and their copies elsewhere in it, are ``<hidden>``."""
    return Redactor(secret_values(data)).data(data)
