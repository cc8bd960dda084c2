# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate SSH keys, trust bundle and pull secret, as the installer does. No message contains a value of these fields.

Source: openshift/installer pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...common import json_text, libraries
from ...common.problems import INVALID, Problem
from . import ssh
from .findings import INSTALL_CONFIG, invalid, warning
from .hints import path_hint
from .pem import first_block
from .provided import Provided
from .texts import joined_errors

if TYPE_CHECKING:
    from cryptography import x509

_FIPS_TYPES = re.compile(r"ecdsa-sha2-nistp\d{3}|ssh-rsa")
NO_BLOCK = "invalid block"
_POLICIES = ("Proxyonly", "Always")
_PULL_SECRET_FORM = """a JSON document is expected: '{"auths": {"host:5000": {"auth": "…"}}}'"""


def ssh_keys(provided: Provided) -> Iterator[Problem]:
    """Every line must be a public key; with FIPS the first of them one of RSA or ECDSA."""
    text = provided.doc.get("sshKey", "")
    if provided.doc.get("fips"):
        kind = ssh.first_key_type(text)
        if text and not kind:
            yield invalid(
                "sshKey", None, f"Fatal error trying to parse configured public key: {ssh.NO_KEY}", hint=path_hint(text)
            )
        elif text and not _FIPS_TYPES.fullmatch(kind):
            yield invalid(
                "sshKey", None, (f"SSH key type {kind} unavailable when FIPS is enabled. Please use rsa or ecdsa.")
            )
        return
    for line in text.split("\n"):
        if line and not ssh.first_key_type(line):
            yield invalid("sshKey", None, ssh.NO_KEY, hint=path_hint(line))


def trust_bundle(provided: Provided) -> Iterator[Problem]:
    error = certificates(provided.doc.get("additionalTrustBundle", ""))[1]
    if error:
        yield invalid("additionalTrustBundle", None, error)


def certificates(bundle: str) -> tuple[list[x509.Certificate], str]:
    """The certificates of a bundle, and what is wrong with the first text that is none."""
    found: list[x509.Certificate] = []
    while bundle:
        block, bundle = first_block(bundle)
        if block is None:
            return found, NO_BLOCK
        try:
            found.append(libraries.x509.load_der_x509_certificate(block.content))
        except ValueError:
            return found, "x509: malformed certificate"
    return found, ""


def authorities(bundle: str, *, path: str = "additionalTrustBundle", file: str = INSTALL_CONFIG) -> Iterator[Problem]:
    """What the installer warns of when it writes the bundle: certificates that sign nothing."""
    for certificate in certificates(bundle)[0]:
        version = certificate.version.value + 1
        said = f"Certificate {certificate.serial_number:X} from additionalTrustBundle is x509 v{version}"
        if version < 3:
            yield warning("certificate-authority", path, INVALID, said, file=file)
        elif not _is_authority(certificate):
            yield warning("certificate-authority", path, INVALID, f"{said} but not a certificate authority", file=file)


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return bool(certificate.extensions.get_extension_for_class(libraries.x509.BasicConstraints).value.ca)
    except (libraries.x509.ExtensionNotFound, ValueError):
        return False


def trust_bundle_policy(provided: Provided) -> Iterator[Problem]:
    policy = provided.doc["additionalTrustBundlePolicy"]
    if policy not in _POLICIES:
        yield invalid("additionalTrustBundlePolicy", policy, 'supported values "Proxyonly", "Always"')


def pull_secret(provided: Provided) -> Iterator[Problem]:
    text = provided.doc.get("pullSecret", "")
    error = _pull_secret_error(text)
    if error:
        yield invalid(
            "pullSecret", None, error, hint=path_hint(text) or ("" if "requires either" in error else _PULL_SECRET_FORM)
        )


def _pull_secret_error(text: str) -> str:
    try:
        document = json_text.parse(text)
    except ValueError as error:
        return _json_error(text, error)
    if not isinstance(document, dict) and document is not None:
        return f"json: cannot unmarshal {_go_kind(document)} into Go value of type validate.imagePullSecret"
    auths = next((value for key, value in (document or {}).items() if key.lower() == "auths"), None)
    if auths is not None and not isinstance(auths, dict):
        return (
            f"json: cannot unmarshal {_go_kind(auths)} into Go struct field imagePullSecret.auths of type "
            f"map[string]map[string]interface {{}}"
        )
    entries: dict[str, Any] = auths or {}
    if not entries:
        return "auths required"
    wrong = next((entry for entry in entries.values() if entry is not None and not isinstance(entry, dict)), None)
    if wrong is not None:
        return (
            f"json: cannot unmarshal {_go_kind(wrong)} into Go struct field imagePullSecret.auths of type "
            f"map[string]interface {{}}"
        )
    lacking = [
        f'"{host}" requires either auth or credsStore'
        for host, entry in entries.items()
        if not {"auth", "credsStore"} & set(entry or {})
    ]
    return joined_errors(lacking)


def _go_kind(value: object) -> str:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "number"


def _json_error(text: str, error: ValueError) -> str:
    """The library's words as far as they hold nothing of the text but one character."""
    message = str(error)
    if not isinstance(error, json.JSONDecodeError):
        return message
    position = error.pos
    if "trailing comma" in message:  # Python 3.13 and later point to the comma, the library to what follows it
        position += 1 + len(text[position + 1 :]) - len(text[position + 1 :].lstrip())
    if position >= len(text) or not text.strip() or "Unterminated" in message:
        return "unexpected end of JSON input"
    if "Extra data" in message:
        where = "after top-level value"
    elif "property name" in message or "comma before end of object" in message:
        where = "looking for beginning of object key string"
    elif "':' delimiter" in message:
        where = "after object key"
    elif "',' delimiter" in message:
        where = "after object key:value pair" if _in_object(text[:position]) else "after array element"
    else:
        position, where = _literal(text, position)
    if position >= len(text):
        return "unexpected end of JSON input"
    # The library looks at bytes.
    byte = text[position].encode()[:1].decode("latin-1")
    character = "\\'" if byte == "'" else byte
    return f"invalid character '{character}' {where}"


def _literal(text: str, position: int) -> tuple[int, str]:
    """Where a word that begins like true, false or null stops being one."""
    word = next((word for word in ("true", "false", "null") if text[position] == word[0]), "")
    for index in range(1, len(word)):
        if text[position + index : position + index + 1] != word[index]:
            return position + index, f"in literal {word} (expecting '{word[index]}')"
    return position, "looking for beginning of value"


def _in_object(text: str) -> bool:
    bare = re.sub(r'"(\\.|[^"\\])*"', "", text)
    while (shorter := re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", "", bare)) != bare:
        bare = shorter
    return bare.rfind("{") > bare.rfind("[")
