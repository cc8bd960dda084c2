# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the tokens with which agents, scripts and watchers authenticate to the assisted service of an image.

Source: openshift/installer pkg/asset/agent/gencrypto, pkg/asset/agent/joiner, pkg/asset/agent/workflow.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
from collections.abc import Mapping
from typing import Any

from ..common import libraries

# How long tokens of an image that adds nodes hold, and how much of that must be left for another image to use them.
LIFETIME = datetime.timedelta(hours=48)
ENOUGH = datetime.timedelta(hours=24)
_P256_BYTES = 32
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclasses.dataclass(frozen=True)
class Tokens:
    """One ES256 token for each auth scheme, and the key that proves them.

    ``public_key`` is the base64 of a PEM text, as EC_PUBLIC_KEY_PEM wants it; the private key is not kept. ``expires``
    is when the tokens end (RFC 3339, UTC), empty for those without an end.
    """

    public_key: str = dataclasses.field(repr=False)
    agent_token: str = dataclasses.field(repr=False)
    user_token: str = dataclasses.field(repr=False)
    watcher_token: str = dataclasses.field(repr=False)
    expires: str = ""

    def last(self, now: datetime.datetime) -> bool:
        """Whether enough of their time is left at ``now`` for an image that is built then."""
        return bool(self.expires) and _parsed(self.expires) - now > ENOUGH


def make_tokens(expires: datetime.datetime | None = None) -> Tokens:
    """Fresh tokens. Those that install a cluster have no end: an image may lie in a drawer before it boots."""
    ec, serialization = libraries.ec, libraries.serialization
    private = ec.generate_private_key(ec.SECP256R1())
    der = private.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    # The service expects this block type although the content is an ordinary PKIX public key.
    # Source: openshift/installer pkg/asset/agent/gencrypto.
    public_pem = _pem("EC PUBLIC KEY", der)
    end = {} if expires is None else {"exp": int(expires.timestamp())}
    agent, user, watcher = (
        _token(private, {"auth_scheme": scheme, **end}) for scheme in ("agentAuth", "userAuth", "watcherAuth")
    )
    text = "" if expires is None else expires.astimezone(datetime.UTC).strftime(_TIME)
    return Tokens(base64.b64encode(public_pem.encode()).decode(), agent, user, watcher, text)


def node_tokens(now: datetime.datetime) -> Tokens:
    """Tokens of an image that adds nodes: they end 48 hours after ``now``."""
    return make_tokens(now.replace(microsecond=0) + LIFETIME)


def _parsed(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, _TIME).replace(tzinfo=datetime.UTC)


def _token(private: Any, claims: Mapping[str, Any]) -> str:
    header = {"alg": "ES256", "typ": "JWT"}
    signed = f"{_segment(header)}.{_segment(claims)}"
    der = private.sign(signed.encode(), libraries.ec.ECDSA(libraries.hashes.SHA256()))
    # A JWT holds r and s side by side, not their DER form.
    r, s = libraries.asymmetric_utils.decode_dss_signature(der)
    signature = r.to_bytes(_P256_BYTES, "big") + s.to_bytes(_P256_BYTES, "big")
    return f"{signed}.{_base64url(signature)}"


def _segment(data: Mapping[str, Any]) -> str:
    return _base64url(json.dumps(data, separators=(",", ":")).encode())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _pem(block_type: str, der: bytes) -> str:
    text = base64.b64encode(der).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {block_type}-----", *lines, f"-----END {block_type}-----", ""])
