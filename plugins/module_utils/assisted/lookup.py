# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find clusters, InfraEnvs and hosts of an assisted-service by the name or id that a user gives.

The service accepts any number of objects with one name, so an id is valid wherever a name is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..common.errors import ZeroTouchError
from .rest.client import Document

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def named(documents: Iterable[Document], wanted: str) -> list[Document]:
    """The objects with this id or, if there are none, with this name."""
    known = list(documents)
    return [item for item in known if item.get("id") == wanted] or [
        item for item in known if item.get("name") == wanted
    ]


def host_title(document: Mapping[str, Any]) -> str:
    """The name of a host in messages: its requested name, or its id before it has one."""
    return str(document.get("requested_hostname") or document.get("id"))


def only_one(documents: Sequence[Document], kind: str, wanted: str) -> Document | None:
    """The one object of that name, None without one.

    Raises :class:`ZeroTouchError` with all ids where there are several: none is taken by chance.
    """
    found = named(documents, wanted)
    if len(found) > 1:
        raise several(found, kind, f"of the name {wanted}")
    return found[0] if found else None


def to_be_had(documents: Sequence[Document], kind: str, wanted: str) -> Document | None:
    """As :func:`only_one`, for something that is made where it is not there; an unknown id is a mistake, not the name
    of a new object.
    """
    found = only_one(documents, kind, wanted)
    if found is None and _ID.fullmatch(wanted):
        raise ZeroTouchError(
            f"The service has no {kind} with the id {wanted}.", f"Correct the id, or use a name to create a new {kind}."
        )
    return found


def several(found: Sequence[Document], kind: str, words: str) -> ZeroTouchError:
    """The refusal to choose one of several, which names them all."""
    states = [(item.get("id"), item.get("status") or item.get("created_at") or "no status") for item in found]
    listed = ", ".join(sorted(f"{item_id} ({state})" for item_id, state in states))
    return ZeroTouchError(f"There are {len(found)} {kind}s {words}: {listed}.", "Give the id of the one that is meant.")


def required(documents: Sequence[Document], kind: str, wanted: str) -> Document:
    """As :func:`only_one`; raises :class:`ZeroTouchError` with the names that there are where there is none."""
    found = only_one(documents, kind, wanted)
    if found is None:
        names = ", ".join(sorted(str(item.get("name") or item.get("id")) for item in documents)) or "none"
        raise ZeroTouchError(f"The service has no {kind} {wanted}; it has {names}.", "Correct the name or id.")
    return found
