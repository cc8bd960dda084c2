# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert error answers of an assisted-service to one exception class, with the service's own message.

The bodies of these answers have three different forms.

Source: openshift/assisted-service internal/common/common.go, pkg/auth.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from ...common.errors import RemoteError
from ...common.http import Response
from ...common.terminal import shortened


class AssistedError(RemoteError):
    """The service answered with an error.

    ``reason`` is its message, ``code`` its code if that is more precise than the status, ``id`` and ``href`` what
    service logic adds (else 0 and empty). ``kind`` is ``Error`` for service logic, empty for authentication, router and
    schema.
    """

    def __init__(self, service: str, answer: Response, hint: str = "") -> None:
        document = _document(answer)
        reason, code = error_words(answer)
        super().__init__(service, answer.status, reason, code, hint or _hint(answer, reason))
        number = document.get("id")
        self.reason = reason
        self.id = number if isinstance(number, int) else 0
        self.href = str(document.get("href") or "")
        self.kind = str(document.get("kind") or "")
        self.retry_after = answer.retry_after() or None

    def as_dict(self) -> dict[str, Any]:
        """For results."""
        return {
            "status": self.status,
            "code": self.code or str(self.status),
            "reason": self.reason,
            "id": self.id,
            "href": self.href,
        }


def _hint(answer: Response, reason: str) -> str:
    """What a user does about a refusal whose words do not say it.

    Source: openshift/assisted-service pkg/auth, internal/gencrypto.
    """
    words, target = reason.lower(), _redirect_target(answer)
    if answer.status in (301, 302, 303, 307, 308) and target:
        return f"It redirects to {target}: set service_url to that address."
    if answer.status == 404 and _document(answer).get("kind") != "Error":
        return "The server has no such path. Check that service_url is the address of an assisted-service."
    if answer.status == 400 and "release image" in words and "not found" in words:
        return "The service does not have this release. assisted_info with versions lists the available releases."
    if answer.status == 401 and "bearer" in words:
        return 'Remove the prefix "Bearer" from the token.'
    if answer.status == 401:
        return (
            "The token has expired: get a new one."
            if "expired" in words
            else ("Use a token that this service accepts (options token, offline_token, auth).")
        )
    if answer.status == 403 and "authclaim" in words:
        return "This token is that of another persona: only that of a user may do this."
    return ""


def _redirect_target(answer: Response) -> str:
    """Scheme, host and port of the Location header; empty without a readable one."""
    try:
        parts = urlsplit(answer.headers.get("location", ""))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.hostname else ""
    except ValueError:
        return ""


def error_words(answer: Response) -> tuple[str, str]:
    """(reason, code) of an error body: service logic says ``reason`` and a code as string, authentication and router
    ``message`` and a number.
    """
    document = _document(answer)
    if not document:
        return shortened(answer.text().strip(), 200) or "no explanation", ""
    reason = str(document.get("reason") or document.get("message") or "no explanation")
    code = str(document.get("code") or "")
    return reason, "" if code == str(answer.status) else code


def _document(answer: Response) -> dict[str, Any]:
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
