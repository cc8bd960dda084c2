# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the TLS certificate and key of the image server, before an image is served with them."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from ..common import libraries
from ..common.problems import INVALID, Problem
from .problems import problem

_NO_TIME = datetime.timedelta(0)
# Error codes of OpenSSL for a key that does not fit the certificate; the last one if the two have different types.
_MISMATCHES = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")


def check_pair(certificate: str, key: str, now: datetime.datetime | None = None) -> list[Problem]:
    """Check the PEM files of ``openshift_publish.tls``: each is readable, the key fits the certificate, and the
    certificate is valid now. Return what is wrong.

    An empty ``key`` means that the key is in the same file as the certificate.
    """
    for name, path in (("certificate", certificate), ("key", key)):
        if path and (fault := _unreadable(Path(path))):
            return [_problem(name, f"{path} {fault}")]
    if problem := _not_a_pair(certificate, key):
        return [problem]
    found = libraries.x509.load_pem_x509_certificate(Path(certificate).read_bytes())
    moment = now or datetime.datetime.now(datetime.UTC)
    if moment - found.not_valid_after_utc > _NO_TIME:
        return [
            _problem(
                "certificate",
                (f"{certificate} expired on {found.not_valid_after_utc:%Y-%m-%d %H:%M} UTC; BMCs would refuse it"),
            )
        ]
    if found.not_valid_before_utc - moment > _NO_TIME:
        return [
            _problem(
                "certificate",
                (
                    f"{certificate} is not valid before "
                    f"{found.not_valid_before_utc:%Y-%m-%d %H:%M} UTC; BMCs would refuse it"
                ),
            )
        ]
    return []


def _unreadable(path: Path) -> str:
    try:
        path.read_bytes()
    except OSError as error:
        return "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
    except ValueError:
        return "is not a path: it has characters that no name of a file has"
    return ""


def _not_a_pair(certificate: str, key: str) -> Problem | None:
    asked = []

    def no_passphrase() -> str:
        # Without this OpenSSL would ask on the terminal.
        asked.append(True)
        return ""

    if "-----BEGIN CERTIFICATE-----" not in Path(certificate).read_text(errors="replace"):
        return _problem("certificate", f"{certificate} holds no certificate in PEM form")
    holder = key or certificate
    if "PRIVATE KEY-----" not in Path(holder).read_text(errors="replace"):
        return _problem(
            "key", f"{holder} holds no private key in PEM form" + ("" if key else "; name the file of the key")
        )
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key or None, no_passphrase)
    except (OSError, ValueError) as error:
        if asked:
            return _problem("key", f"{holder} is protected by a passphrase; the server needs a key without one")
        if any(words in str(error) for words in _MISMATCHES):
            return _problem("key", f"{holder} does not belong to the certificate {certificate}")
        why = getattr(error, "strerror", None) or error
        return _problem("certificate", f"{certificate} cannot be used: {why}")
    return None


def _problem(name: str, detail: str) -> Problem:
    return problem(f"openshift_publish.tls.{name}", INVALID, detail)
