# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the error messages of a Redfish service, which have many shapes (openstack/sushy sushy/exceptions.py)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from ..common.http import Response
from ..common.terminal import shortened

# Messages of one answer, and characters of each, that are read. Real answers have up to five of a sentence.
_MOST_MESSAGES = 20
_LONGEST = 1000
# Texts for messages that some services send without text, as an id and arguments (DMTF DSP8011, registry Base).
_MEANINGS: Mapping[str, str] = {
    "AccessDenied": "access to {0} was denied",
    "ActionNotSupported": "the action {0} is not supported",
    "ActionParameterMissing": "the action {0} needs the parameter {1}",
    "ActionParameterNotSupported": "the parameter {0} of the action {1} is not supported",
    "ActionParameterUnknown": "the action {0} has no parameter {1}",
    "ActionParameterValueConflict": "the parameter {0} cannot be {1} now",
    "ActionParameterValueFormatError": "the value {0} of the parameter {1} has the wrong form",
    "ActionParameterValueNotInList": "the value {0} of the parameter {1} is not allowed",
    "CouldNotEstablishConnection": "the BMC cannot connect to {0}",
    "InsufficientPrivilege": "the user lacks a privilege for this operation",
    "PropertyMissing": "the property {0} is required",
    "PropertyNotWritable": "the property {0} cannot be written",
    "PropertyUnknown": "the property {0} is unknown",
    "PropertyValueNotInList": "the value {0} of the property {1} is not allowed",
    "ResourceInUse": "the resource is in use",
    "ResourceMissingAtURI": "there is no resource at {0}",
    "SourceDoesNotSupportProtocol": "the server at {0} does not support the protocol {1}",
}
# iLO: LicenseNotPresent; Supermicro: "Not licensed to perform this request … SFT-OOB-LIC", "product key"; XCC:
# "license", "FoD key".
_LICENCE = re.compile(r"licen[cs]e|SFT-(OOB|DCMS)|product key|activation key|FoD key", re.IGNORECASE)
_RETRY_IN = re.compile(r"(?:retry|try again|wait)\D{0,30}?(\d{1,4})\s*(second|minute)s?", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Message:
    """One entry of ``@Message.ExtendedInfo``; ``id`` is the last part of MessageId, without registry and version."""

    id: str
    text: str
    related: tuple[str, ...] = ()
    args: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Refusal:
    """An error answer: status, the code's last part, all messages, and one text for people.

    ``retry_after``: seconds that the service asks to wait, by header or in its text; None where it names none.
    """

    status: int
    code: str
    messages: tuple[Message, ...]
    text: str
    retry_after: float | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    def says(self, *words: str) -> bool:
        """Whether all words occur in the answer's text, codes and ids."""
        everything = " ".join([self.code, self.text, *(f"{message.id} {message.text}" for message in self.messages)])
        return all(word in everything for word in words)

    @property
    def about_licence(self) -> bool:
        """Whether a missing licence is the reason."""
        return _LICENCE.search(" ".join([self.code, self.text, *self.ids])) is not None


def read_refusal(response: Response) -> Refusal:
    """Make sense of any error body: Redfish envelope, bare ExtendedInfo, HTML, plain text, nothing."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        text = _plain(response)
        return Refusal(response.status, "", (), text, _retry_after(response, text))
    inner = body.get("error")
    envelope: dict[str, Any] = inner if isinstance(inner, dict) else body
    extended = envelope.get("@Message.ExtendedInfo", body.get("@Message.ExtendedInfo"))
    entries = [extended] if isinstance(extended, dict) else extended
    if not isinstance(entries, list):
        entries = []
    messages = tuple(_message(entry) for entry in entries[:_MOST_MESSAGES] if isinstance(entry, dict))
    code = _last_part(envelope.get("code"))
    text = _words(messages, _text(envelope.get("message"))) or _plain(response)
    return Refusal(response.status, code, messages, text, _retry_after(response, text))


def _words(messages: tuple[Message, ...], summary: str) -> str:
    """One text of all messages.

    The ``summary`` of the error says what happened where no message has a text of its own (sushy-tools).
    """
    said = [f"{message.id}: {message.text}".strip(": ") for message in messages if message.text]
    meant = [f"{message.id}: {meaning}" for message in messages if not message.text and (meaning := _meaning(message))]
    bare = [
        message.id for message in messages if not message.text and not _meaning(message) and message.id and not summary
    ]
    return "; ".join(dict.fromkeys([*said, *([summary] if summary and not said else []), *meant, *bare]))


def _meaning(message: Message) -> str:
    """What an id without a text means; empty for an id that is not known, or that lacks its arguments."""
    known = _MEANINGS.get(message.id, "")
    try:
        return known.format(*message.args)
    except IndexError:
        return ""


def _retry_after(response: Response, text: str) -> float | None:
    named = response.retry_after()
    if named is None and (match := _RETRY_IN.search(text)):
        named = float(match[1]) * (60 if match[2].lower() == "minute" else 1)
    return named


def _message(entry: dict[str, Any]) -> Message:
    return Message(
        _last_part(entry.get("MessageId")),
        _text(entry.get("Message")),
        tuple(_text(item) for item in _listed(entry.get("RelatedProperties"))),
        tuple(_text(item) for item in _listed(entry.get("MessageArgs"))),
    )


def task_messages(task: Mapping[str, Any]) -> str:
    """What a task says about its end."""
    entries = [entry for entry in _listed(task.get("Messages")) if isinstance(entry, dict)]
    return "; ".join(filter(None, (_text(entry.get("Message")) for entry in entries)))


def _listed(value: Any) -> list[Any]:
    return value[:_MOST_MESSAGES] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return shortened(str(value or "").strip(), _LONGEST)


def _last_part(value: Any) -> str:
    return _text(value).rsplit(".", 1)[-1]


def _plain(response: Response) -> str:
    text = response.text().strip()
    if not text:
        return "(empty answer)"
    if text[:1] == "<":
        return "(an HTML page)"
    return shortened(text, 200)
