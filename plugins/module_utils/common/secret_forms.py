# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the quoted, escaped and base64 forms in which a remote service may repeat a secret, and decode base64.

secrets.py uses these forms to hide secrets in output.
"""

from __future__ import annotations

import base64
import codecs
import functools
import html
import json
import re
from urllib.parse import quote, quote_plus

from .terminal import printable

# A range of characters that may be base64, also url-safe or quoted within a URL or JSON. Other escapes are matched so
# that their letters do not count as part of a range.
BASE64 = re.compile(
    r"%(?!2[BbFf])[0-9A-Fa-f]{2}|\\(?:[bfnrt]|u[0-9A-Fa-f]{4})|(?P<run>(?:[A-Za-z0-9+/_-]|\\/|%2[BbFf]){4,}={0,2})"
)
_ESCAPED_LETTER = re.compile(r"[_-]|\\/|%2[BbFf]")
_LETTERS = {"-": "+", "_": "/", "\\/": "/", "%2b": "+", "%2f": "/"}
_PERCENT = re.compile("%[0-9A-F]{2}")
_ESCAPED_BY_GO = str.maketrans({"&": "\\u0026", "<": "\\u003c", ">": "\\u003e"})
# RFC 3986, 3.2.1: what a user or password may contain unquoted.
_USERINFO_CHARACTERS = "!$&'()*+,;="
# Characters. Ordinary words are decoded again and again; a long range in the logs of a cluster is decoded once.
_LONGEST_REMEMBERED = 200


def forms_of(secret: str) -> set[str]:
    """The secret as it is, and as texts and documents contain it: quoted, escaped, in base64, and base64 quoted in
    turn.
    """
    raw = {secret, secret.strip()}
    encoded = {
        encode(form.encode(errors="surrogatepass")).decode()
        for form in raw
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    }
    bare = {form.rstrip("=") for form in encoded}
    return raw.union(bare, *(written(form) for form in raw | bare))


def written(text: str) -> set[str]:
    """The text as JSON (also JSON in a string of JSON, with ``\\/``, and as Go writes it), as part of a URL, as a field
    of a form, and in HTML.
    """
    once = _as_json(text)
    once |= {form.replace("/", "\\/") for form in once}
    twice = {outer for form in once for outer in _as_json(form)}
    quoted = {quote(text, safe=kept, errors="surrogatepass") for kept in ("", "/", _USERINFO_CHARACTERS)} | {
        quote_plus(text, errors="surrogatepass")
    }
    lower = {_PERCENT.sub(lambda match: match[0].lower(), form) for form in quoted}
    return once | twice | quoted | lower | _as_html(text) | {printable(text)}


def _as_json(text: str) -> set[str]:
    """Both with and without the escapes of ``&<>`` that Go's encoding/json writes (golang/go
    src/encoding/json/encode.go, escapeHTML).
    """
    forms = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return forms | {form.translate(_ESCAPED_BY_GO) for form in forms}


def _as_html(text: str) -> set[str]:
    """With the quotes as Python, Go (html.EscapeString) and XML escape them; Go's html/template escapes a plus, too."""
    bare = html.escape(text, quote=False)
    forms = {
        bare,
        *(
            bare.replace('"', double).replace("'", single)
            for double in ("&quot;", "&#34;")
            for single in ("&#x27;", "&#39;", "&apos;")
        ),
    }
    return forms | {form.replace("+", "&#43;") for form in forms}


def decoded(run: str) -> str:
    """What a run of letters is in base64; empty where that is no text.

    A run that was cut off is read as far as it goes.
    """
    return _remembered(run) if len(run) <= _LONGEST_REMEMBERED else _decode(run)


@functools.lru_cache(maxsize=4096)
def _remembered(run: str) -> str:
    return _decode(run)


def _decode(run: str) -> str:
    letters = _ESCAPED_LETTER.sub(lambda match: _LETTERS[match[0].lower()], run.rstrip("="))
    letters = letters[: -1 if len(letters) % 4 == 1 else None]
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(base64.b64decode(letters + "=" * (-len(letters) % 4)))
    except ValueError:
        return ""
