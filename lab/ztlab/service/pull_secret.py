# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate a pull secret.

Source: openshift/assisted-service internal/cluster/validations/pull_secret_validation.go.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable

from .errors import ServiceError, bad_request
from .settings import Settings


def registry_of(image: str) -> str:
    """Registry host of an image reference; a name without one comes from docker.io."""
    first, slash, _rest = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


def check_pull_secret(text: str, settings: Settings, images: Iterable[str], *, of_new: str = "") -> None:
    """Raises ServiceError 400 with upstream's words; ``of_new``: the object that is created with it."""
    try:
        _check(text, settings, images)
    except ServiceError as error:
        raise bad_request(
            f"pull secret for new {of_new} is invalid: {error.reason}" if of_new else error.reason
        ) from error


def _check(text: str, settings: Settings, images: Iterable[str]) -> None:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise bad_request("pull secret must be a well-formed JSON") from error
    auths = document.get("auths") if isinstance(document, dict) else None
    if not isinstance(auths, dict) or not auths:
        raise bad_request("pull secret must contain 'auths' JSON-object field")
    for registry, entry in auths.items():
        _check_entry(registry, entry)
    for image in images:
        registry = registry_of(image)
        if image and registry not in auths and registry not in settings.public_registries:
            raise bad_request(f'pull secret must contain auth for "{registry}"')


def _check_entry(registry: str, entry: object) -> None:
    auth = entry.get("auth") if isinstance(entry, dict) else None
    # An entry without ``auth`` says nothing, which is not refused.
    if not isinstance(auth, str) or not auth:
        return
    try:
        decoded = base64.b64decode(auth, validate=True)
    except binascii.Error as error:
        raise bad_request(f"invalid pull secret: 'auth' field of \"{registry}\" is not base64-encoded") from error
    user, colon, password = decoded.partition(b":")
    if not colon or not user or not password:
        raise bad_request(f"invalid pull secret: 'auth' for {registry} is not in 'user:password' format")
