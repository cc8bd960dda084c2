# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the TLS options of a module, and create SSL contexts from them.

The options are ``validate_certs``, ``ca_cert`` (path or PEM) and ``fingerprint``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import re
import ssl
from pathlib import Path

from .errors import ZeroTouchError

_PEM_START = "-----BEGIN CERTIFICATE-----"


# Any fingerprint: the certificate is compared by the connection, the context is the same.
_ANY = "0" * 64


class PemText(str):
    """Text that was read as certificates.

    It is never taken as a path, whatever it holds: a remote side may have written it.
    """


@dataclasses.dataclass(frozen=True)
class Tls:
    """How to trust a server.

    ``ca_certs`` (paths or PEM) are trusted in addition to the system's store, or instead of it without
    ``system_store``.

    With ``fingerprint`` (hex SHA-256 of the certificate, colons allowed) the certificate itself is the trust; name and
    issuer are not looked at.
    """

    validate_certs: bool = True
    ca_certs: tuple[str, ...] = ()
    fingerprint: str = ""
    system_store: bool = True

    def __post_init__(self) -> None:
        if self.fingerprint and not re.fullmatch(r"[0-9a-f]{64}", self.digest):
            raise ZeroTouchError(
                "fingerprint is not a SHA-256 fingerprint (64 hex digits, colons allowed).",
                "Print it with: openssl x509 -noout -fingerprint -sha256 -in CERTIFICATE",
            )

    @property
    def digest(self) -> str:
        return re.sub(r"^(sha-?256:)|[: ]", "", self.fingerprint.strip().lower())

    def context(self) -> ssl.SSLContext:
        """The SSL context of all clients with this trust: reading the system's store takes some 30 ms, and a run may
        have hundreds of clients. It must not be changed. Raises :class:`ZeroTouchError` for a CA that cannot be read.
        """
        return _shared_context(dataclasses.replace(self, fingerprint=_ANY if self.fingerprint else ""), self._files())

    def own_context(self) -> ssl.SSLContext:
        """A context that the caller may change, by loading a client certificate. Raises as :meth:`context`."""
        context = ssl.create_default_context() if self.system_store else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for ca_cert in self.ca_certs:
            self._trust(context, ca_cert)
        if not self.validate_certs or self.fingerprint:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        # Private CAs made before RFC 5280 was enforced (no key usage) are common on BMCs and mirrors; Python 3.13 alone
        # would refuse them.
        context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
        return context

    def _files(self) -> tuple[tuple[int, ...] | str, ...]:
        """What says whether the files of the trust are the same as before."""
        found: list[tuple[int, ...] | str] = [os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
        for ca_cert in self.ca_certs:
            if not _is_text(ca_cert):
                with contextlib.suppress(OSError, ValueError):  # own_context() says what is wrong with it
                    status = Path(ca_cert).expanduser().stat()
                    found.append((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(found)

    @staticmethod
    def _trust(context: ssl.SSLContext, ca_cert: str) -> None:
        is_text = _is_text(ca_cert)
        try:
            if is_text:
                context.load_verify_locations(cadata=ca_cert)
            elif Path(ca_cert).expanduser().is_dir():
                context.load_verify_locations(capath=str(Path(ca_cert).expanduser()))
            else:
                context.load_verify_locations(cafile=str(Path(ca_cert).expanduser()))
        except FileNotFoundError as error:
            raise ZeroTouchError(
                f"CA certificate file {ca_cert} does not exist.", "Correct the path, or copy the file to it."
            ) from error
        except (OSError, ssl.SSLError, ValueError, TypeError) as error:  # TypeError: text that is not ASCII
            name = "The given CA certificate" if is_text else f"CA certificate file {ca_cert}"
            raise ZeroTouchError(f"{name} holds no certificate that can be read: {error}.") from error


def _is_text(ca_cert: str) -> bool:
    return isinstance(ca_cert, PemText) or _PEM_START in ca_cert


@functools.lru_cache(maxsize=64)
def _shared_context(tls: Tls, _files: tuple[tuple[int, ...] | str, ...]) -> ssl.SSLContext:
    return tls.own_context()
