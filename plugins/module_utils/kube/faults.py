# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define exceptions for the error answers of a Kubernetes API that callers handle, with hints for the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, unquote

from ..common.errors import RemoteError

_PATH = re.compile(
    r"^(?:.*/)?(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)"
    r"(?:/namespaces/(?P<namespace>[^/]+)(?=/))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<subresource>[^/]+))?$"
)
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class ConflictError(RemoteError):
    """409: the object is not as the request assumed (changed, or exists already). Read and plan again."""


class ForbiddenError(RemoteError):
    """403; the hint is the RBAC rule that allows this request."""


class UnknownKindError(RemoteError):
    """404 for a kind, not for an object: the kind is not installed on that cluster."""


def fault(service: str, status: int, detail: str, reason: str, request: tuple[str, str]) -> RemoteError:
    """The answer as an exception. ``request`` is (HTTP method, path with query)."""
    if status == 409:
        return ConflictError(service, status, detail, reason)
    if status == 403 and reason in ("Forbidden", ""):
        return ForbiddenError(service, status, detail, reason, hint=missing_rule(*request))
    if status == 404 and (kind := _unknown_kind(reason, detail, request[1])):
        hint = (
            f"It has no {kind}. Check that this is the right cluster, and that the operator with this CRD is installed."
        )
        return UnknownKindError(service, status, detail, reason, hint=hint)
    if status == 401:
        # The API's own words are but the name of the status.
        detail = "it does not accept the credentials." if detail in ("", reason) else detail
        return RemoteError(
            service, status, detail, reason, hint=("They are wrong or have expired: log in again or name others.")
        )
    return RemoteError(service, status, detail, reason)


def plural_of(path: str) -> str:
    """The plural name of the kind that a path is of; empty where it is of no kind."""
    match = _PATH.match("/" + path.partition("?")[0].lstrip("/"))
    return match["plural"] if match else ""


def _unknown_kind(reason: str, detail: str, path: str) -> str:
    """``agents (agent-install.openshift.io)``, if the answer means that the API does not know them; core kinds are
    always there.
    """
    match = _PATH.match("/" + path.partition("?")[0].lstrip("/"))
    if match is None or not match["group"]:
        return ""
    unknown = reason != "NotFound" or "could not find the requested resource" in detail
    return f"{match['plural']} ({match['group']})" if unknown else ""


def missing_rule(method: str, path: str) -> str:
    """Which RBAC rule a request needs: a sentence, empty where the path is of no kind."""
    bare, _mark, query = path.partition("?")
    match = _PATH.match("/" + bare.lstrip("/"))
    if match is None:
        return ""
    parts = {name: unquote(value or "") for name, value in match.groupdict().items()}
    verb = _VERBS.get(method) or _reading_verb(parts, parse_qs(query))
    resource = parts["plural"] + (f"/{parts['subresource']}" if parts["subresource"] else "")
    rule = f'{{apiGroups: ["{parts["group"]}"], resources: ["{resource}"], verbs: ["{verb}"]}}'
    where = f"a Role in namespace {parts['namespace']} (or a ClusterRole)" if parts["namespace"] else "a ClusterRole"
    return f"Its user may not {verb} {resource}: bind {where} to it with the rule {rule}."


def _reading_verb(parts: Mapping[str, str], query: Mapping[str, list[str]]) -> str:
    if query.get("watch"):
        return "watch"
    return "get" if parts["name"] else "list"
