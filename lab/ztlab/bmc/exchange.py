# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Handle entity tags and JSON bodies in requests for Redfish resources; all resource modules use these functions."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from aiohttp import web

from . import documents
from .errors import RedfishError


def etag(document: documents.Document) -> str:
    """A strong entity tag: the same as long as nothing in the resource changes."""
    return f'"{hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]}"'


def reply(request: web.Request, document: documents.Document, status: int = 200, *, weak: bool = False) -> web.Response:
    """The resource with its ETag; 304 when the client already has this version."""
    tag = ("W/" if weak else "") + etag(document)
    if request.method in ("GET", "HEAD") and request.headers.get("If-None-Match") == tag:
        return web.Response(status=304, headers={"ETag": tag})
    return web.json_response(document | {"@odata.etag": tag}, status=status, headers={"ETag": tag})


def check_etag(request: web.Request, document: documents.Document, *, required: bool = False) -> None:
    """Raises RedfishError 412 when If-Match names another version of the resource (or the same one, weakly), 428 when
    it is missing and ``required``.
    """
    wanted = request.headers.get("If-Match")
    if wanted is None and required:
        raise RedfishError("PreconditionRequired")
    if wanted not in (None, "*") and etag(document) not in [tag.strip() for tag in wanted.split(",")]:
        raise RedfishError("PreconditionFailed")


async def read_body(request: web.Request) -> dict[str, Any]:
    """The request's JSON object; raises RedfishError 400."""
    text = await request.text()
    try:
        body = json.loads(text or "{}")
    except ValueError as error:
        raise RedfishError("MalformedJSON") from error
    if not isinstance(body, dict):
        raise RedfishError("UnrecognizedRequestBody")
    return body
