# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Authenticate callers of the assisted-service: three schemes of the agent-based installation, two schemes of a local
service, or no authentication.

Source of the messages: openshift/assisted-service pkg/auth, internal/gencrypto.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import time
from collections.abc import Collection, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from .errors import InfraError, ServiceError
from .settings import Settings

HEADERS = {
    "userAuth": "Authorization",
    "agentAuth": "X-Secret-Key",
    "watcherAuth": "Watcher-Authorization",
    "imageAuth": "Image-Token",
}
QUERIES = {"urlAuth": "api_key", "imageURLAuth": "image_token"}
UNAUTHENTICATED = "unauthenticated for invalid credentials"


@dataclasses.dataclass(frozen=True)
class Caller:
    """``scheme`` is empty for the administrator of a service without authentication; the ids limit a local token to one
    object.
    """

    scheme: str = ""
    infra_env_id: str = ""
    cluster_id: str = ""


def load_public_key(pem: bytes) -> ec.EllipticCurvePublicKey:
    """The installer writes block type ``EC PUBLIC KEY`` around a PKIX key, which OpenSSL only knows as
    ``PUBLIC KEY``.
    """
    key = serialization.load_pem_public_key(pem.replace(b"EC PUBLIC KEY", b"PUBLIC KEY"))
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise ValueError("EC_PUBLIC_KEY_PEM holds no elliptic curve key")
    return key


def _decode(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def verify_token(token: str, key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """Claims of a valid ES256 token. Raises InfraError 401 with the library's words for an invalid one."""
    return _unexpired(signed_claims(token, key))


def _unexpired(claims: Mapping[str, Any]) -> dict[str, Any]:
    if "exp" in claims and float(claims["exp"]) < time.time():
        raise InfraError(401, "Token is expired")
    return dict(claims)


def signed_claims(token: str, key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """The same without a look at the time."""
    if token.lower().startswith("bearer "):
        raise InfraError(401, "tokenstring should not contain 'bearer '")
    parts = token.split(".")
    if len(parts) != 3:
        raise InfraError(401, "token contains an invalid number of segments")
    try:
        header, claims, signature = json.loads(_decode(parts[0])), json.loads(_decode(parts[1])), _decode(parts[2])
    except (ValueError, UnicodeDecodeError) as error:
        raise InfraError(401, f"token is malformed: {error}") from error
    if header.get("alg") != "ES256":
        raise InfraError(401, f"unexpected signing method: {header.get('alg')}")
    try:
        if len(signature) != 64:
            raise InvalidSignature
        encoded = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
        key.verify(encoded, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise InfraError(401, "crypto/ecdsa: verification error") from error
    return dict(claims)


class Authenticator:
    """Decides by ``AUTH_TYPE``; :meth:`authenticate` is called before the body of a request is read, as upstream
    does.
    """

    def __init__(self, settings: Settings) -> None:
        self.auth_type = settings.auth_type
        self.key = None if self.auth_type == "none" else load_public_key(settings.public_key_pem)
        # Each agent sends its one token with each request.
        self._signed = functools.lru_cache(maxsize=4096)(self._signed_claims)

    def authenticate(self, schemes: Collection[str], headers: Mapping[str, str], query: Mapping[str, str]) -> Caller:
        """The caller, by the first credential that one of the operation's schemes reads. Raises InfraError 401, 403."""
        if self.key is None or not schemes:
            return Caller()
        refused: InfraError | None = None
        for scheme in schemes:
            token = headers.get(HEADERS[scheme]) if scheme in HEADERS else query.get(QUERIES[scheme])
            if not token:
                continue
            try:
                return self._caller(scheme, self._claims(token))
            except InfraError as error:
                refused = error
        raise refused or InfraError(401, UNAUTHENTICATED)

    def _signed_claims(self, token: str) -> dict[str, Any]:
        assert self.key is not None
        return signed_claims(token, self.key)

    def _claims(self, token: str) -> dict[str, Any]:
        try:
            return _unexpired(self._signed(token))
        except InfraError as error:
            if self.auth_type != "agent-installer-local":
                raise
            raise InfraError(error.status, f"Failed to parse token: {error.message}\n") from error

    def _caller(self, scheme: str, claims: Mapping[str, Any]) -> Caller:
        if self.auth_type == "agent-installer-local":
            if scheme not in ("userAuth", "agentAuth", "watcherAuth"):
                raise InfraError(401, UNAUTHENTICATED)
            claim = claims.get("auth_scheme")
            if not isinstance(claim, str):
                raise ServiceError(500, "malformed auth_scheme claim")
            if claim != scheme:
                raise InfraError(403, f"authClaim {claim} is unauthorized to access")
            return Caller(scheme)
        if scheme not in ("agentAuth", "urlAuth"):
            raise InfraError(401, UNAUTHENTICATED)
        if not claims.get("infra_env_id") and not claims.get("cluster_id"):
            raise InfraError(401, "claims are incorrectly formatted")
        return Caller(scheme, claims.get("infra_env_id", ""), claims.get("cluster_id", ""))


def check_object(caller: Caller, parameters: Mapping[str, str]) -> None:
    """A local token in a URL opens its own object only; that of an agent opens all (upstream:
    pkg/auth/local_authz_handler.go). Raises InfraError 404.
    """
    if caller.scheme != "urlAuth":
        return
    for name, own in (("infra_env_id", caller.infra_env_id), ("cluster_id", caller.cluster_id)):
        if own and name in parameters and parameters[name] != own:
            raise InfraError(404, "Object Not Found")
