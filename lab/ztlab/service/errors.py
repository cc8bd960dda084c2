# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the three forms of error responses of the assisted-service.

Source: openshift/assisted-service internal/common/common.go, pkg/auth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ServiceError(Exception):
    """Refused by the service's logic: ``{"kind": "Error", "id": 409, "href": "", "code": "409", "reason": …}``."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        # True for downloads: sent as application/octet-stream.
        self.binary = False

    def body(self) -> dict[str, Any]:
        return {"kind": "Error", "id": self.status, "href": "", "code": str(self.status), "reason": self.reason}


class InfraError(Exception):
    """Refused before the logic (authentication, schema, router): ``{"code": 401, "message": …}``."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        return {"code": self.status, "message": self.message}


def bad_request(reason: str) -> ServiceError:
    return ServiceError(400, reason)


def conflict(reason: str) -> ServiceError:
    return ServiceError(409, reason)


def not_found(reason: str = "record not found") -> ServiceError:
    return ServiceError(404, reason)
