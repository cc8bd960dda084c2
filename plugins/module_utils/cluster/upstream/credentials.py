# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""SSH keys, trust bundle and pull secret (reference agent-based-installer.md 3.2). No value of these is ever part of a problem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...common import libraries
from ...common.problems import Problem
from ..rules.credentials import path_hint
from . import ssh
from .findings import invalid
from .given import Given
from .pem import first_block

_FIPS_TYPES = re.compile(r"ecdsa-sha2-nistp\d{3}|ssh-rsa")
_POLICIES = ("Proxyonly", "Always")
_PULL_SECRET_FORM = """a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'"""


def ssh_keys(given: Given) -> Iterator[Problem]:
    """Every line must be a public key; with FIPS the first of them one of RSA or ECDSA."""
    text = given.doc.get("sshKey", "")
    if given.doc.get("fips"):
        kind = ssh.first_key_type(text)
        if text and not kind:
            yield invalid("sshKey", None, f"Fatal error trying to parse configured public key: {ssh.NO_KEY}", hint=path_hint(text))
        elif text and not _FIPS_TYPES.fullmatch(kind):
            yield invalid("sshKey", None, f"SSH key type {kind} unavailable when FIPS is enabled. Please use rsa or ecdsa.")
        return
    for line in text.split("\n"):
        if line and not ssh.first_key_type(line):
            yield invalid("sshKey", None, ssh.NO_KEY, hint=path_hint(line))


def trust_bundle(given: Given) -> Iterator[Problem]:
    text = given.doc.get("additionalTrustBundle", "")
    while text:
        block, text = first_block(text)
        if block is None:
            yield invalid("additionalTrustBundle", None, "invalid block")
            return
        try:
            libraries.x509.load_der_x509_certificate(block)
        except ValueError:
            yield invalid("additionalTrustBundle", None, "x509: malformed certificate")
            return


def trust_bundle_policy(given: Given) -> Iterator[Problem]:
    policy = given.doc["additionalTrustBundlePolicy"]
    if policy not in _POLICIES:
        yield invalid("additionalTrustBundlePolicy", policy, 'supported values "Proxyonly", "Always"')


def pull_secret(given: Given) -> Iterator[Problem]:
    text = given.doc.get("pullSecret", "")
    error = _pull_secret_error(text)
    if error:
        yield invalid("pullSecret", None, error, hint=path_hint(text) or ("" if "requires either" in error else _PULL_SECRET_FORM))


def _pull_secret_error(text: str) -> str:
    try:
        document = json.loads(text)
    except ValueError as error:
        return _json_error(text, error)
    if not isinstance(document, dict) and document is not None:
        return "json: cannot unmarshal into Go value: a mapping is expected"
    auths = next((value for key, value in (document or {}).items() if key.lower() == "auths"), None)
    if auths is not None and not isinstance(auths, dict):
        return "json: cannot unmarshal into Go struct field .auths: a mapping is expected"
    if not auths:
        return "auths required"
    lacking = [f'"{host}" requires either auth or credsStore' for host, entry in auths.items() if not {"auth", "credsStore"} & set(entry or {})]
    return lacking[0] if len(lacking) == 1 else f"[{', '.join(lacking)}]" if lacking else ""


def _json_error(text: str, error: ValueError) -> str:
    """The library's words as far as they hold nothing of the text but one character."""
    position = getattr(error, "pos", 0)
    if not text.strip() or position >= len(text) or "Unterminated" in str(error):
        return "unexpected end of JSON input"
    message = str(error)
    if "Extra data" in message:
        where = "after top-level value"
    elif "property name" in message:
        where = "looking for beginning of object key string"
    elif "':' delimiter" in message:
        where = "after object key"
    elif "',' delimiter" in message:
        where = "after object key:value pair" if _in_object(text[:position]) else "after array element"
    else:
        where = "looking for beginning of value"
    return f"invalid character '{text[position]}' {where}"


def _in_object(text: str) -> bool:
    bare = re.sub(r'"(\\.|[^"\\])*"', "", text)
    while (shorter := re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", "", bare)) != bare:
        bare = shorter
    return bare.rfind("{") > bare.rfind("[")
