# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build Redfish error responses: the standard error object, with MessageIds of the Base registry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aiohttp import web

REGISTRY = "Base.1.18"

# MessageId -> (HTTP status, severity, text with %1, %2 as the registry has them)
_MESSAGES: dict[str, tuple[int, str, str]] = {
    "GeneralError": (
        500,
        "Critical",
        ("A general error has occurred. See Resolution for information on how to resolve the error."),
    ),
    "InternalError": (
        500,
        "Critical",
        ("The request failed due to an internal service error. The service is still operational."),
    ),
    "NoValidSession": (401, "Critical", "There is no valid session established with the implementation."),
    "ResourceMissingAtURI": (404, "Critical", "The resource at the URI '%1' was not found."),
    "OperationNotAllowed": (405, "Critical", "The HTTP method is not allowed on this resource."),
    "MalformedJSON": (
        400,
        "Critical",
        ("The request body submitted was malformed JSON and could not be parsed by the receiving service."),
    ),
    "UnrecognizedRequestBody": (
        400,
        "Warning",
        ("The service detected a malformed request body that it was unable to interpret."),
    ),
    "PropertyUnknown": (400, "Warning", "The property %1 is not in the list of valid properties for the resource."),
    "PropertyNotWritable": (400, "Warning", "The property %1 is a read-only property and cannot be assigned a value."),
    "PropertyValueNotInList": (
        400,
        "Warning",
        ("The value '%1' for the property %2 is not in the list of acceptable values."),
    ),
    "PropertyValueTypeError": (
        400,
        "Warning",
        ("The value '%1' for the property %2 is not a type that the property can accept."),
    ),
    "ActionParameterMissing": (
        400,
        "Critical",
        ("The action %1 requires the parameter %2 to be present in the request body."),
    ),
    "ActionParameterUnknown": (400, "Warning", "The action %1 was submitted with the invalid parameter %2."),
    "ActionParameterValueNotInList": (
        400,
        "Warning",
        ("The value '%1' for the parameter %2 in the action %3 is not in the list of acceptable values."),
    ),
    "ActionParameterValueTypeError": (
        400,
        "Warning",
        ("The value '%1' for the parameter %2 in the action %3 is not a type that the parameter can accept."),
    ),
    "ActionParameterValueConflict": (
        409,
        "Warning",
        ("The parameter %1 with the requested value of '%2' does not meet the constraints of the implementation."),
    ),
    "CouldNotEstablishConnection": (400, "Critical", "The service failed to establish a connection with the URI '%1'."),
    "PreconditionFailed": (
        412,
        "Critical",
        ("The ETag supplied did not match the ETag required to change this resource."),
    ),
    "PreconditionRequired": (
        428,
        "Critical",
        ("A precondition header or annotation is required to change this resource."),
    ),
    "ResourceAtUriUnauthorized": (
        401,
        "Critical",
        ("While accessing the resource at '%1', the service received an authorization error '%2'."),
    ),
    "PropertyMissing": (400, "Warning", "The property %1 is a required property and must be included in the request."),
    "ActionNotSupported": (400, "Critical", "The action %1 is not supported by the resource."),
    "SessionLimitExceeded": (
        503,
        "Critical",
        (
            "The session establishment failed due to the number of simultaneous sessions exceeding the limit of the "
            "implementation."
        ),
    ),
    "LicenseRequired": (403, "Critical", "A license key is required for this operation."),
    "VRM0012": (500, "Critical", "Unable to attach the virtual media because it is in use by another session."),
    "LC068": (
        400,
        "Critical",
        ("Unable to run the operation because a configuration job is waiting for a restart of the server."),
    ),
    "RAC0679": (503, "Critical", "Unable to run the operation because a job is already running."),
    "ServiceTemporarilyUnavailable": (503, "Critical", "The service is temporarily unavailable.  Retry in %1 seconds."),
}


class RedfishError(Exception):
    """An answer other than success; handlers raise it, the endpoint turns it into the envelope."""

    def __init__(self, message_id: str, *args: str, status: int | None = None, related: Sequence[str] = ()) -> None:
        self.message_id = message_id
        self.message_args = args
        self.related = list(related)
        self.status = status or _MESSAGES[message_id][0]
        text = _MESSAGES[message_id][2]
        for number, arg in enumerate(args, 1):
            text = text.replace(f"%{number}", arg)
        super().__init__(text)

    def response(self) -> web.Response:
        info: dict[str, Any] = {
            "@odata.type": "#Message.v1_1_2.Message",
            "MessageId": f"{REGISTRY}.{self.message_id}",
            "Message": str(self),
            "MessageArgs": list(self.message_args),
            "MessageSeverity": _MESSAGES[self.message_id][1],
            "Severity": _MESSAGES[self.message_id][1],
        }
        if self.related:
            info["RelatedProperties"] = self.related
        error = {"code": info["MessageId"], "message": str(self), "@Message.ExtendedInfo": [info]}
        headers = {"OData-Version": "4.0"}
        if self.status == 401:
            headers["WWW-Authenticate"] = 'Basic realm="Redfish"'
        if self.message_id == "ServiceTemporarilyUnavailable" and self.message_args:
            headers["Retry-After"] = self.message_args[0]
        return web.Response(
            status=self.status, text=json.dumps({"error": error}), content_type="application/json", headers=headers
        )
