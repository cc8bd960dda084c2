# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Encrypt and decrypt the record of a state store: one line of JSON that describes it, then the body, which is
encrypted if there is a passphrase.

The key is derived by scrypt. The body is encrypted by AES-256-GCM with the line as associated data, so a changed
serial, cluster name or parameter is detected. A check value from the same scrypt call distinguishes a wrong passphrase
from a damaged record.
"""

from __future__ import annotations

import base64
import dataclasses
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from ...common import json_text, libraries
from ...common.errors import ZeroTouchError
from .errors import StoreUnknown, WrongPassphrase

LONGEST_HEADER = 2048
SHORTEST_PASSPHRASE = 12
_CIPHER = "aes-256-gcm"
_PLAIN = "none"
_KEY, _CHECK, _SALT, _NONCE = 32, 16, 16, 12  # bytes


@dataclasses.dataclass(frozen=True)
class Cost:
    """Parameters of scrypt. The defaults take 32 MiB and some 0.3 s (OWASP Password Storage Cheat Sheet: N=2^15, r=8,
    p=3).
    """

    n: int = 1 << 15
    r: int = 8
    p: int = 3

    def accepted(self) -> bool:
        """Whether a record with these parameters is decrypted: it may need at most 128 MiB and 8 times the work of the
        defaults.
        """
        power = self.n & (self.n - 1) == 0
        return (
            power
            and 1 << 14 <= self.n <= 1 << 17
            and self.r == 8
            and 1 <= self.p <= 6
            and self.n * self.p <= (1 << 18) * 3
        )


class Keys:
    """The keys of one passphrase. A key is derived once for each salt, and new records use the latest salt again."""

    def __init__(self, passphrase: str, cost: Cost | None = None) -> None:
        self._passphrase = passphrase.encode()
        self._derived: dict[tuple[bytes, Cost], tuple[bytes, bytes]] = {}
        self.salt, self.cost = secrets.token_bytes(_SALT), cost or Cost()

    def use(self, salt: bytes, cost: Cost) -> None:
        """Encrypt new records with the key of this salt."""
        self.salt, self.cost = salt, cost

    def derive(self, salt: bytes, cost: Cost) -> tuple[bytes, bytes]:
        """Key and check value."""
        if (salt, cost) not in self._derived:
            both = _scrypt(self._passphrase, salt, cost)
            self._derived[salt, cost] = both[:_KEY], both[_KEY:]
        return self._derived[salt, cost]


def _scrypt(passphrase: bytes, salt: bytes, cost: Cost) -> bytes:
    try:
        function = libraries.scrypt.Scrypt(salt=salt, length=_KEY + _CHECK, n=cost.n, r=cost.r, p=cost.p)
        derived: bytes = function.derive(passphrase)
    except libraries.cryptography_exceptions.UnsupportedAlgorithm as error:
        raise ZeroTouchError(
            "scrypt is not available here, so openshift_state cannot be encrypted.",
            "OpenSSL must offer it; FIPS mode does not.",
        ) from error
    except MemoryError as error:
        mebibytes = cost.n * cost.r * 128 >> 20
        raise ZeroTouchError(
            f"The state cannot be encrypted or decrypted: scrypt needs {mebibytes} MiB of memory, which are not free.",
            "Free memory on this machine, or raise the memory limit of its container.",
        ) from error
    return derived


def seal(body: bytes, about: Mapping[str, Any], keys: Keys | None) -> bytes:
    """The record: ``about`` in its first line, which is readable but cannot be changed unnoticed where there are
    ``keys``.
    """
    if keys is None:
        return _line({**about, "cipher": _PLAIN}) + body
    key, check = keys.derive(keys.salt, keys.cost)
    nonce = secrets.token_bytes(_NONCE)
    parameters = {
        "cipher": _CIPHER,
        **dataclasses.asdict(keys.cost),
        "salt": _encoded(keys.salt),
        "check": _encoded(check),
        "nonce": _encoded(nonce),
    }
    line = _line({**about, **parameters})
    encrypted: bytes = libraries.aead.AESGCM(key).encrypt(nonce, body, line)
    return line + encrypted


def unseal(data: bytes, keys: Keys | None) -> tuple[dict[str, Any], bytes]:
    """What the first line says, and the body. Raises :class:`WrongPassphrase`, or :class:`StoreUnknown` for a record
    that cannot be opened.
    """
    line, mark, body = data[: LONGEST_HEADER + 1].partition(b"\n")
    header = _header(line) if mark else None
    if header is None:
        raise StoreUnknown(
            "What is stored is not a record of this collection.", ("Check that openshift_state names the right place.")
        )
    body = data[len(line) + 1 :]
    if header.get("cipher") == _PLAIN:
        if keys is not None:
            raise StoreUnknown(
                "The record is not encrypted, although openshift_state has a passphrase.",
                "docs/explanation/state.md says how to change it.",
            )
        return header, body
    if header.get("cipher") != _CIPHER:
        raise StoreUnknown(
            "The record is encrypted in a way that this release does not know.", "Use the release that wrote it."
        )
    if keys is None:
        raise WrongPassphrase("The record is encrypted.", "Set passphrase in openshift_state.")
    return header, _decrypted(line + b"\n", header, body, keys)


def _decrypted(line: bytes, header: Mapping[str, Any], body: bytes, keys: Keys) -> bytes:
    salt, check, nonce = (_decoded(header.get(name)) for name in ("salt", "check", "nonce"))
    numbers = [header.get(name) for name in ("n", "r", "p")]
    integers = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    cost = Cost(*numbers) if integers else None  # type: ignore[arg-type]
    if cost is None or not cost.accepted() or (len(salt), len(check), len(nonce)) != (_SALT, _CHECK, _NONCE):
        raise StoreUnknown(
            "The record has parameters of encryption that are not accepted.", "It is damaged, or was changed."
        )
    key, expected = keys.derive(salt, cost)
    if not hmac.compare_digest(check, expected):
        raise WrongPassphrase(
            "The passphrase does not open the record.", "Set the passphrase with which it was stored."
        )
    try:
        opened: bytes = libraries.aead.AESGCM(key).decrypt(nonce, body, line)
    except libraries.cryptography_exceptions.InvalidTag as error:
        raise StoreUnknown(
            "The record is damaged, or was changed: its contents do not match its key.", "Restore it from a backup."
        ) from error
    keys.use(salt, cost)
    return opened


def _line(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _header(line: bytes) -> dict[str, Any] | None:
    try:
        value = json_text.parse_remote(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        return b""
