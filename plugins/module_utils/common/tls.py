# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""TLS options as the user gives them: ``validate_certs``, ``ca_cert`` (path or PEM), ``fingerprint``."""

from __future__ import annotations

import dataclasses
import re
import ssl
from pathlib import Path

from .errors import ZeroTouchError

_PEM_START = "-----BEGIN CERTIFICATE-----"


class PemText(str):
    """Text that was read as certificates. It is never taken as a path, whatever it holds: a remote side may have written it."""


@dataclasses.dataclass(frozen=True)
class Tls:
    """How to trust a server. ``ca_certs`` (paths or PEM) are trusted in addition to the system's store, or instead of it without ``system_store``.

    With ``fingerprint`` (hex SHA-256 of the certificate, colons allowed) the certificate itself is the trust; name and issuer are not looked at.
    """

    validate_certs: bool = True
    ca_certs: tuple[str, ...] = ()
    fingerprint: str = ""
    system_store: bool = True

    def __post_init__(self) -> None:
        if self.fingerprint and not re.fullmatch(r"[0-9a-f]{64}", self.digest):
            raise ZeroTouchError("fingerprint is not a SHA-256 fingerprint (64 hex digits, colons allowed).")

    @property
    def digest(self) -> str:
        return re.sub(r"^(sha-?256:)|[: ]", "", self.fingerprint.strip().lower())

    def context(self) -> ssl.SSLContext:
        """An SSL context for clients. Raises :class:`ZeroTouchError` for a CA that cannot be read."""
        context = ssl.create_default_context() if self.system_store else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for ca_cert in self.ca_certs:
            self._trust(context, ca_cert)
        if not self.validate_certs or self.fingerprint:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        # Private CAs made before RFC 5280 was enforced (no key usage) are common on BMCs and mirrors; Python 3.13 alone would refuse them.
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        return context

    @staticmethod
    def _trust(context: ssl.SSLContext, ca_cert: str) -> None:
        is_text = isinstance(ca_cert, PemText) or _PEM_START in ca_cert
        try:
            if is_text:
                context.load_verify_locations(cadata=ca_cert)
            elif Path(ca_cert).expanduser().is_dir():
                context.load_verify_locations(capath=str(Path(ca_cert).expanduser()))
            else:
                context.load_verify_locations(cafile=str(Path(ca_cert).expanduser()))
        except FileNotFoundError as error:
            raise ZeroTouchError(f"CA certificate file {ca_cert} does not exist.") from error
        except (OSError, ssl.SSLError, ValueError, TypeError) as error:  # TypeError: text that is not ASCII
            name = "The given CA certificate" if is_text else f"CA certificate file {ca_cert}"
            raise ZeroTouchError(f"{name} holds no certificate that can be read: {error}.") from error
