# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send events of a run to the webhooks of ``openshift_notify``, as POST requests.

A failure of a webhook never ends a run.
"""

from __future__ import annotations

import dataclasses
import json
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ...common.clock import Clock
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import RemoteError, ZeroTouchError
from ...common.http import HttpClient
from ...common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from ...common.retry import retry
from ...common.retry_policies import WEBHOOK
from ...common.secrets import Redactor
from ...common.tls import Tls

KEYS = ("url", "on", "headers", "template", "format")
# A line of progress is no reason for a notification.
EVENTS = ("started", "phase", "host", "warning", "failed", "finished")
DEFAULT_EVENTS = ("started", "failed", "finished")
FORMATS = ("json", "chat")
_VARIABLE = "openshift_notify"
_LIMIT = 5.0
_MARKS = {"started": "▶", "failed": "✖", "finished": "✔", "warning": "⚠"}
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclasses.dataclass(frozen=True)
class Webhook:
    """``url`` and ``headers`` are secret.

    ``template`` is the body: a text for the format, or a structure whose texts have ``$names``.
    """

    url: str = dataclasses.field(repr=False)
    on: tuple[str, ...] = DEFAULT_EVENTS
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    template: Any = None
    format: str = "json"

    @property
    def name(self) -> str:
        """What may be printed of its address."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def secrets(self) -> set[str]:
        parts = urlsplit(self.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return {self.url, *self.headers.values(), *([path] if len(path) > 1 else [])}

    def body(self, event: Mapping[str, Any]) -> Any:
        """What is sent for an event."""
        if isinstance(self.template, (Mapping, list)):
            return _filled(self.template, event)
        text = _substituted(self.template, event) if isinstance(self.template, str) else _sentence(event)
        if self.format == "chat":
            return {"text": text}
        return {**event, "text": text} if self.template else dict(event)


def read_webhooks(value: Any) -> tuple[tuple[Webhook, ...], list[Problem]]:
    """``openshift_notify``, and everything that is wrong with it.

    Never raises; no problem repeats a URL or a header.
    """
    problems: list[Problem] = []
    entries = value if isinstance(value, list) else []
    hooks = [_read(f"{_VARIABLE}[{index}]", entry, problems) for index, entry in enumerate(entries)]
    return tuple(hook for hook in hooks if hook is not None), problems


def _read(path: str, entry: Any, problems: list[Problem]) -> Webhook | None:
    if not isinstance(entry, Mapping):
        problems.append(_problem(path, INVALID, f"must be a mapping with {', '.join(KEYS)}"))
        return None
    before = len(problems)
    problems += [
        _problem(f"{path}.{key}", UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(str(key), KEYS))
        for key in entry
        if key not in KEYS
    ]
    url = entry.get("url")
    if not url:
        problems.append(_problem(f"{path}.url", REQUIRED, "name the URL of the webhook"))
    elif not _is_url(url):
        problems.append(_problem(f"{path}.url", INVALID, "must be an http or https URL"))
    events = entry.get("on", DEFAULT_EVENTS)
    events = [events] if isinstance(events, str) else events
    if not isinstance(events, (list, tuple)) or not events:
        problems.append(_problem(f"{path}.on", INVALID, f"must be a list of {', '.join(EVENTS)}"))
        events = []
    for name in events:
        if name not in EVENTS:
            problems.append(
                _problem(
                    f"{path}.on",
                    UNSUPPORTED,
                    f"supported values: {', '.join(EVENTS)}",
                    value=str(name),
                    hint=nearest(str(name), EVENTS),
                )
            )
    headers = entry.get("headers") or {}
    if not isinstance(headers, Mapping) or not all(_is_header(name, text) for name, text in headers.items()):
        problems.append(
            _problem(
                f"{path}.headers", INVALID, ("must be a mapping of names of headers to strings of visible characters")
            )
        )
    chosen = entry.get("format", FORMATS[0])
    if chosen not in FORMATS:
        problems.append(
            _problem(f"{path}.format", UNSUPPORTED, f"supported values: {', '.join(FORMATS)}", value=str(chosen))
        )
    template = entry.get("template")
    if template is not None and not isinstance(template, (str, Mapping, list)):
        problems.append(_problem(f"{path}.template", INVALID, "must be a text, or the mapping or list that is sent"))
    if len(problems) > before:
        return None
    return Webhook(
        str(url),
        tuple(map(str, events)),
        {str(name): str(text) for name, text in headers.items()},
        template,
        str(chosen),
    )


class Notifier:
    """Sends events. ``warn`` gets a line for each webhook that did not take one, once."""

    def __init__(
        self, hooks: Sequence[Webhook], clock: Clock, connect_to: ConnectTo = DIRECT, ca_cert: str = ""
    ) -> None:
        self._hooks = hooks
        self._clock = clock
        self._connect_to = connect_to
        self._tls = Tls(ca_certs=(ca_cert,)) if ca_cert else Tls()

    def send(self, event: Mapping[str, Any]) -> list[str]:
        """Deliver one event to those webhooks that ask for its kind; what went wrong, one line each."""
        faults = []
        for hook in self._hooks:
            if event["event"] in hook.on:
                try:
                    self._post(hook, event)
                except (ZeroTouchError, OSError, ValueError) as error:
                    reason = Redactor(hook.secrets()).text(str(error)).rstrip(".")
                    faults.append(
                        f"The notification of event {event['event']} was not delivered to {hook.name}: {reason}."
                    )
        return faults

    def _post(self, hook: Webhook, event: Mapping[str, Any]) -> None:
        client = HttpClient("Webhook", hook.name, self._tls, self._connect_to, hook.headers, timeout=_LIMIT)
        try:
            retry(lambda: self._once(client, hook, event), WEBHOOK, self._clock)
        finally:
            client.close()

    @staticmethod
    def _once(client: HttpClient, hook: Webhook, event: Mapping[str, Any]) -> None:
        answer = client.request("POST", hook.url, json_body=hook.body(event))
        if answer.status >= 300:
            raise RemoteError("Webhook", answer.status, "")


def _sentence(event: Mapping[str, Any]) -> str:
    return f"{_MARKS.get(str(event['event']), '•')} {event['cluster']}: {event['text']}"


def _substituted(text: str, event: Mapping[str, Any]) -> str:
    return string.Template(text).safe_substitute({key: str(value) for key, value in event.items()})


def _filled(template: Any, event: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {str(key): _filled(value, event) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, event) for value in template]
    return _substituted(template, event) if isinstance(template, str) else json.loads(json.dumps(template))


def _is_url(value: Any) -> bool:
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        return (
            parts is not None
            and parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and value.isprintable()
            and " " not in value
        )
    except ValueError:
        return False


def _is_header(name: Any, text: Any) -> bool:
    return (
        isinstance(text, str) and text.isprintable() and bool(text.strip()) and _HEADER.fullmatch(str(name)) is not None
    )


def _problem(path: str, kind: str, detail: str, value: str = "", hint: str = "") -> Problem:
    return Problem(path, kind, detail, layer="ours", check="settings", value=value, hint=hint)
