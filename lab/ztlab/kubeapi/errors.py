# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build error responses of a Kubernetes API: ``Status`` objects with the reasons and codes that clients evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class ApiError(Exception):
    """One error response. ``details`` is that field of the Status; ``headers`` are added to the response."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})

    def status(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details:
            body["details"] = self.details
        return {**body, "code": self.code}


def _qualified(plural: str, group: str) -> str:
    return f"{plural}.{group}" if group else plural


def _about(plural: str, group: str, name: str) -> dict[str, Any]:
    return {key: value for key, value in {"name": name, "group": group, "kind": plural}.items() if value}


def not_found(plural: str, group: str, name: str) -> ApiError:
    return ApiError(
        404, "NotFound", f'{_qualified(plural, group)} "{name}" not found', details=_about(plural, group, name)
    )


class NoSuchPath(Exception):
    """Nothing is served there. The answer is plain text: clients make their own words of it."""


def no_such_path() -> NoSuchPath:
    """What the API says for a group, version or resource that it does not serve."""
    return NoSuchPath("404 page not found")


def bad_option(verb: str, field: str, text: str) -> ApiError:
    """An option of a request that is none. ``verb``: Create, Update, Patch, Delete."""
    return invalid(f"{verb}Options", "meta.k8s.io", "", [(field, text)])


def already_exists(plural: str, group: str, name: str, *, ending: bool = False) -> ApiError:
    state = "object is being deleted: " if ending else ""
    text = f'{state}{_qualified(plural, group)} "{name}" already exists'
    return ApiError(409, "AlreadyExists", text, details=_about(plural, group, name))


def conflict(plural: str, group: str, name: str, why: str = "") -> ApiError:
    why = why or "the object has been modified; please apply your changes to the latest version and try again"
    message = f'Operation cannot be fulfilled on {_qualified(plural, group)} "{name}": {why}'
    return ApiError(409, "Conflict", message, details=_about(plural, group, name))


CAUSES = (
    ("Required value", "FieldValueRequired"),
    ("Unsupported value", "FieldValueNotSupported"),
    ("Duplicate value", "FieldValueDuplicate"),
    ("Forbidden", "FieldValueForbidden"),
    ("Too long", "FieldValueTooLong"),
    ("Too many", "FieldValueTooMany"),
    ("Not found", "FieldValueNotFound"),
)


def cause_reason(text: str) -> str:
    """The reason of a cause, which its text begins with."""
    found = next((reason for prefix, reason in CAUSES if text.startswith(prefix)), "")
    return found or ("FieldValueTypeInvalid" if "must be of type" in text else "FieldValueInvalid")


def invalid(kind: str, group: str, name: str, causes: Sequence[tuple[str, str]]) -> ApiError:
    """``causes``: (field path, text)."""
    listed = [{"reason": cause_reason(text), "message": text, "field": field} for field, text in causes]
    texts = [f"{field}: {text}" for field, text in causes]
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    qualified = f"{kind}.{group}" if group else kind
    return ApiError(
        422,
        "Invalid",
        f'{qualified} "{name}" is invalid: {joined}',
        details={**_about(kind, group, name), "causes": listed},
    )


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def denied(webhook: str, message: str, *, code: int = 400, reason: str = "BadRequest") -> ApiError:
    """What a client sees when the admission webhook of a name refuses."""
    return ApiError(code, reason, f'admission webhook "{webhook}" denied the request: {message}')


def namespace_terminating(plural: str, group: str, name: str, namespace: str) -> ApiError:
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    causes = [
        {
            "reason": "NamespaceTerminating",
            "message": f"namespace {namespace} is being terminated",
            "field": "metadata.namespace",
        }
    ]
    details = {**_about(plural, group, name), "causes": causes}
    return ApiError(403, "Forbidden", f'{_qualified(plural, group)} "{name}" is forbidden: {why}', details=details)


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


def forbidden_anonymous(path: str, verb: str) -> ApiError:
    return ApiError(403, "Forbidden", f'forbidden: User "system:anonymous" cannot {verb} path "{path}"')


def forbidden(user: str, verb: str, plural: str, group: str, namespace: str, name: str) -> ApiError:
    """What RBAC answers: the resource by its group, and where."""
    qualified = f"{plural}.{group}" if group else plural
    what = f'{qualified} "{name}" is forbidden' if name else f"{qualified} is forbidden"
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    return ApiError(
        403, "Forbidden", (f'{what}: User "{user}" cannot {verb} resource "{plural}" in API group "{group}" {where}')
    )


def method_not_allowed() -> ApiError:
    return ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def unsupported_media_type(accepted: Sequence[str]) -> ApiError:
    text = f"the body of the request was in an unknown format - accepted media types include: {', '.join(accepted)}"
    return ApiError(415, "UnsupportedMediaType", text)


def not_acceptable(offered: Sequence[str]) -> ApiError:
    return ApiError(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(offered)}")


def expired(asked: int, oldest: int) -> ApiError:
    return ApiError(410, "Expired", f"too old resource version: {asked} ({oldest})")
