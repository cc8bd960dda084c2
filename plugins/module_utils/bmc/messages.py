# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What a Redfish service says when it refuses, in its many shapes (reference redfish-virtual-media.md 1.4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..common.http import Response
from ..common.terminal import shortened

# Messages of one answer, and characters of each, that are read. Real answers have up to five of a sentence.
_MOST_MESSAGES = 20
_LONGEST = 1000


@dataclasses.dataclass(frozen=True)
class Message:
    """One entry of ``@Message.ExtendedInfo``; ``id`` is the last part of MessageId, without registry and version."""

    id: str
    text: str
    related: tuple[str, ...] = ()
    args: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Refusal:
    """An error answer: status, the code's last part, all messages, and one text for people."""

    status: int
    code: str
    messages: tuple[Message, ...]
    text: str

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(message.id for message in self.messages)

    def says(self, *words: str) -> bool:
        """Whether all words occur in the answer's text, codes and ids."""
        everything = " ".join([self.code, self.text, *(f"{message.id} {message.text}" for message in self.messages)])
        return all(word in everything for word in words)


def read_refusal(response: Response) -> Refusal:
    """Make sense of any error body: Redfish envelope, bare ExtendedInfo, HTML, plain text, nothing."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return Refusal(response.status, "", (), _plain(response))
    inner = body.get("error")
    envelope: dict[str, Any] = inner if isinstance(inner, dict) else body
    extended = envelope.get("@Message.ExtendedInfo", body.get("@Message.ExtendedInfo"))
    entries = extended if isinstance(extended, list) else [extended] if isinstance(extended, dict) else []
    messages = tuple(_message(entry) for entry in entries[:_MOST_MESSAGES] if isinstance(entry, dict))
    code = _last_part(envelope.get("code"))
    words = [f"{message.id}: {message.text}".strip(": ") for message in messages] or [_text(envelope.get("message"))]
    return Refusal(response.status, code, messages, "; ".join(word for word in words if word) or _plain(response))


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
