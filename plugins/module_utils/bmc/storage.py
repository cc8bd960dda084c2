# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the drives of a machine from its BMC: from Storage, or from SimpleStorage on older BMCs. Sends only GET
requests.

Source: DMTF DSP0268, schemas Storage, Drive and SimpleStorage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .machine import MOST_MEMBERS, Drive, as_text, link_of, links_of, members_of
from .session import LoginRefused, RedfishSession, RefusedRequest


def read_drives(session: RedfishSession, system: str) -> tuple[Drive, ...]:
    """Return the drives of the System at this path. If the BMC does not list them, return none and add a note to the
    session.
    """
    try:
        resource = session.get(system)
        storage, simple = link_of(resource, "Storage"), link_of(resource, "SimpleStorage")
        found = list(_of_storage(session, storage)) if storage else []
        return tuple(found or (_of_simple_storage(session, simple) if simple else ()))
    except LoginRefused:
        raise
    except RefusedRequest as error:
        session.notes.append(f"the BMC does not list its drives ({error.refusal.status})")
        return ()


def _of_storage(session: RedfishSession, collection: str) -> Iterator[Drive]:
    seen: set[str] = set()
    for member in members_of(session, collection):
        for path in links_of(session.get(member).get("Drives")):
            if path not in seen and len(seen) < MOST_MEMBERS:
                seen.add(path)
                drive = session.get(path)
                if not _is_absent(drive):
                    yield _drive(drive)


def _of_simple_storage(session: RedfishSession, collection: str) -> Iterator[Drive]:
    for member in members_of(session, collection):
        devices = session.get(member).get("Devices")
        for device in devices[:MOST_MEMBERS] if isinstance(devices, list) else []:
            if isinstance(device, Mapping) and not _is_absent(device):
                yield _drive(device)


def _drive(values: Mapping[str, Any]) -> Drive:
    size = values.get("CapacityBytes")
    return Drive(
        as_text(values.get("Model")).strip(),
        as_text(values.get("SerialNumber")).strip(),
        size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else 0,
        as_text(values.get("MediaType")),
        as_text(values.get("Protocol")),
    )


def _is_absent(values: Mapping[str, Any]) -> bool:
    status = values.get("Status")
    return isinstance(status, Mapping) and status.get("State") == "Absent"
