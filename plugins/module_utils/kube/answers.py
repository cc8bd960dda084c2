# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that the answers of a Kubernetes API (objects, pages of lists, events of watches) have the types that the API
defines, and a bounded size.

kube-apiserver validates the objects that it stores. So an answer with other types comes from another server, or from
one that is damaged or hostile. Every such answer raises :class:`UnusableAnswer`, a fault of that service.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..common import json_text
from ..common.clock import Clock
from ..common.errors import UnusableAnswer
from ..common.http import Response
from ..common.shape import fit
from .faults import plural_of
from .shapes import OBJECT, shape_of

Object = dict[str, Any]
Objects = list[Object]

# 500 objects a page: 200,000 objects, 40 times what one call is designed for (5000 Agents).
MOST_PAGES = 400
# Bytes of JSON of one list over all its pages, and seconds for it: 5000 Agents have 100 MB. Each page is limited as a
# document (json_text), 232 MiB of memory; what is kept of all pages is what ``trim`` of the caller leaves. Without it
# the worst list, 512 MiB of small objects, takes several GB: as many pages with as many values as one page may have.
# Only a hub that is hostile for 400 pages sends that.
_LARGEST_LIST = 512 << 20
_LIST_WITHIN = 900.0
# Bytes of one event: etcd stores objects of 1.5 MiB by default (etcd.io, system limits).
_LARGEST_EVENT = 8 << 20
# Bytes of one watch of five minutes.
LARGEST_WATCH = 1 << 30


@dataclasses.dataclass(frozen=True)
class Event:
    """``type`` is ADDED, MODIFIED or DELETED with one ``object``, or LISTED with all ``objects``: then everything known
    before is void.
    """

    type: str
    object: Object = dataclasses.field(default_factory=dict)
    objects: tuple[Object, ...] = ()


class ListBudget:
    """Pages, bytes and seconds that one list may still take."""

    def __init__(self, service: str, clock: Clock) -> None:
        self._service, self._clock = service, clock
        self._end = clock.now() + _LIST_WITHIN
        self._pages, self._bytes = MOST_PAGES, _LARGEST_LIST

    def spend(self, answer: Response, path: str) -> None:
        """Count one page. Raises :class:`UnusableAnswer` when the list exceeds its budget."""
        self._pages -= 1
        self._bytes -= len(answer.body)
        if self._pages < 0 or self._bytes < 0 or self._clock.now() > self._end:
            largest_list_mib = _LARGEST_LIST >> 20
            reason = (
                f"the list of {path} does not end within {MOST_PAGES} pages, {largest_list_mib} MiB and "
                f"{_LIST_WITHIN:.0f} s"
            )
            raise UnusableAnswer(self._service, answer.status, reason)


def checked_object(document: Object, service: str, path: str, *, stored: bool = True) -> Object:
    """The document, without nulls where the API has none. Raises :class:`UnusableAnswer` for values with a wrong type.

    ``stored``: it was read, so it has metadata and a name; the answer to a write may be of another kind (Status).
    """
    if not stored and document.get("kind") == "Status":
        return document
    plural = plural_of(path)
    if reason := fit(document, OBJECT) or fit(document, shape_of(plural)):
        raise UnusableAnswer(service, 200, f"{path} is not an object as the API defines it: {reason}")
    if stored and plural:
        document.setdefault("metadata", {}).setdefault("name", "")  # absent text is empty text to Go
    return document


def read_page(document: Object, service: str, path: str) -> tuple[Objects, str, str]:
    """The objects of one page of a list, the token of the next page (empty at the end) and the version of the list."""
    items, metadata = document.get("items") or [], document.get("metadata") or {}
    if (
        not isinstance(items, list)
        or not isinstance(metadata, dict)
        or not all(isinstance(item, dict) for item in items)
    ):
        raise UnusableAnswer(service, 200, f"{path} is not a list as the API defines it")
    # Items of a list carry neither kind nor apiVersion; an object on its own does.
    common = {"apiVersion": document.get("apiVersion"), "kind": str(document.get("kind") or "").removesuffix("List")}
    objects = [checked_object({**common, **item}, service, path) for item in items]
    return objects, _text(metadata.get("continue")), _text(metadata.get("resourceVersion"))


def read_events(pieces: Iterator[bytes], service: str, path: str) -> Iterator[Event]:
    """The events of a watch: one JSON object a line."""
    rest = bytearray()
    for piece in pieces:
        *lines, last = piece.split(b"\n")
        for line in lines:
            rest += line
            if rest.strip():
                yield _event(bytes(rest), service, path)
            rest.clear()
        rest += last
        if len(rest) > _LARGEST_EVENT:
            largest_event_mib = _LARGEST_EVENT >> 20
            raise UnusableAnswer(service, 200, f"an event of {path} is larger than {largest_event_mib} MiB")


def _event(line: bytes, service: str, path: str) -> Event:
    try:
        document = json_text.parse_remote(line)
    except ValueError as error:
        raise UnusableAnswer(service, 200, f"an event of {path} is not JSON: {error}") from error
    kind = document.get("type") if isinstance(document, dict) else None
    found = document.get("object") if isinstance(document, dict) else None
    if not isinstance(kind, str) or not isinstance(found, dict):
        raise UnusableAnswer(service, 200, f"an event of {path} is not one as the API defines it")
    return Event(kind, found if kind in ("ERROR", "BOOKMARK") else checked_object(found, service, path))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
