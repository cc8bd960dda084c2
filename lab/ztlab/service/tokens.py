# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the tokens that a local assisted-service signs: ES256, each valid for one cluster or infra-env, without
expiry.

Source: openshift/assisted-service internal/imageservice/urls.go, internal/gencrypto.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Signer:
    """Signs with an EC key; ECDSA is randomised, so two tokens for one object differ in their text.

    Raises ValueError for an invalid key.
    """

    def __init__(self, private_pem: bytes) -> None:
        key = serialization.load_pem_private_key(private_pem, None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError("EC_PRIVATE_KEY_PEM holds no elliptic curve key")
        self._key = key

    def token(self, **claims: Any) -> str:
        head = (
            _segment(json.dumps({"alg": "ES256", "typ": "JWT"}).encode())
            + "."
            + _segment(json.dumps(claims, sort_keys=True).encode())
        )
        first, second = decode_dss_signature(self._key.sign(head.encode(), ec.ECDSA(hashes.SHA256())))
        return head + "." + _segment(first.to_bytes(32, "big") + second.to_bytes(32, "big"))


def new_key_pair() -> tuple[str, str]:
    """(private, public) PEM of a fresh key."""
    key = ec.generate_private_key(ec.SECP256R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()
