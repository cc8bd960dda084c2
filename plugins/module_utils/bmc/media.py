# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Virtual media: put an image in, take it out, and believe only what a GET shows afterwards (reference redfish-virtual-media.md 2.2 to 2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.retry import retry
from ..common.retry_policies import BMC_MEDIA
from .machine import Machine, Slot, read_slot, read_slots
from .messages import Refusal
from .session import RedfishSession, RefusedRequest

APPEARS_WITHIN = 60.0
MOST_POSTS = 4


def usable_slots(machine: Machine) -> list[Slot]:
    """Slots that can hold an ISO, in the order in which they are tried; slots without MediaTypes last."""
    fitting = [slot for slot in machine.slots if slot.takes_cd and machine.profile.uses_slot(slot.id)]
    return [slot for slot in fitting if slot.media_types] + [slot for slot in fitting if not slot.media_types]


def check_slots(machine: Machine) -> list[Slot]:
    """:func:`usable_slots`; raises :class:`ZeroTouchError` when there is none."""
    slots = usable_slots(machine)
    if not slots:
        raise ZeroTouchError("The BMC offers no virtual CD slot.", "Virtual media may need a licence (iLO Advanced, SFT-OOB-LIC, XCC Enterprise).")
    return slots


def occupied_slots(machine: Machine) -> list[Slot]:
    """CD slots with a medium in them, on System and Managers alike."""
    return [slot for slot in machine.slots if slot.takes_cd and slot.occupied]


def eject(session: RedfishSession, slot: Slot, clock: Clock) -> None:
    """Take the medium out; an error answer counts only if the medium is still there."""

    def attempt() -> None:
        try:
            if slot.eject_action:
                session.post(slot.eject_action, {})
            else:
                session.patch(slot.path, {"Image": None, "Inserted": False}, read_slot(session, slot.path).etag)
        except RefusedRequest:
            if read_slot(session, slot.path).occupied:
                raise

    retry(attempt, BMC_MEDIA, clock)


def insert(session: RedfishSession, machine: Machine, url: str, clock: Clock) -> Slot:
    """Put the image into the first slot that takes it and see it there. Returns that slot, read afresh.

    Raises :class:`ZeroTouchError` with the first and the last slot's own words when none takes it.
    """
    refusals: list[tuple[Slot, str]] = []
    for slot in check_slots(machine):
        if not slot.insert_action and slot.allow and "PATCH" not in slot.allow.upper():
            refusals.append((slot, "has no InsertMedia action and cannot be PATCHed"))
            continue
        try:
            retry(lambda slot=slot: _insert_into(session, slot, url), BMC_MEDIA, clock)  # type: ignore[misc]
        except RefusedRequest as error:
            if error.status not in (400, 404, 405, 501):
                raise
            refusals.append((slot, error.refusal.text))
            continue
        return _wait_inserted(session, slot, url, clock)
    raise ZeroTouchError(f"{session.service}: no virtual media slot takes the image: {_first_and_last(refusals).rstrip('.')}.")


def _insert_into(session: RedfishSession, slot: Slot, url: str) -> None:
    if not slot.insert_action:
        # PATCH-style BMCs attach only if Inserted is sent (reference 2.3). Ejecting has changed the ETag since the machine was read.
        session.patch(slot.path, {"Image": url, "Inserted": True, "WriteProtected": True}, read_slot(session, slot.path).etag)
        return
    body: dict[str, Any] = {"Image": url}  # alone: explicit defaults make Supermicro and iLO 4 fail
    for number in range(1, MOST_POSTS + 1):
        try:
            session.post(slot.insert_action, body)
            return
        except RefusedRequest as error:
            wanted = asked_for(error.refusal, body, url)
            if not wanted or number == MOST_POSTS:
                raise
            body = {**body, **wanted}


def asked_for(refusal: Refusal, body: dict[str, Any], url: str) -> dict[str, str]:
    """The parameters that this refusal asks for and that the body lacks; empty when it asks for nothing that we can give."""
    ids = refusal.ids
    missing = [message for message in refusal.messages if message.id in ("ActionParameterMissing", "PropertyMissing")]
    general = refusal.code == "GeneralError" or "GeneralError" in ids
    if "TransferProtocolType" not in body:
        related = missing and any(item.lstrip("#").endswith("/TransferProtocolType") for item in refusal.messages[0].related)
        named = any("TransferProtocolType" in message.args for message in missing)
        if related or named or (general and "TransferProtocolType" in refusal.text):
            return {"TransferProtocolType": urlsplit(url).scheme.upper()}
    if "TransferMethod" not in body and general and "TransferMethod" in refusal.text:
        return {"TransferMethod": "Stream"}
    if "UserName" not in body and (
        any("UserName" in message.text or "Password" in message.text for message in missing)
        or (general and (refusal.says("UserName") or refusal.says("Password") or "parameter missing" in refusal.text.lower()))
        or "requires the parameter UserName" in refusal.text
        or "requires the parameter Password" in refusal.text
    ):
        return {"UserName": "none", "Password": "none"}
    return {}


def _wait_inserted(session: RedfishSession, slot: Slot, url: str, clock: Clock) -> Slot:
    """The slot with the image in it. A service may report success before the slot shows it (Supermicro tasks)."""
    limit = clock.now() + APPEARS_WITHIN
    while True:
        present = read_slot(session, slot.path)
        if present.occupied and (present.image or present.image_name):
            return present
        if clock.now() >= limit:
            raise EmptySlot(session.service, slot.id, url)
        clock.sleep(2)


class EmptySlot(ZeroTouchError):
    """The BMC reported success for an insert, and the slot is empty all the same."""

    def __init__(self, service: str, slot_id: str, url: str) -> None:
        super().__init__(
            f"{service}: the BMC accepted {url} for slot {slot_id}, but the slot is still empty after {APPEARS_WITHIN:.0f} s.",
            "Can the BMC's network reach this URL? Some BMCs fetch the image only after they have answered.",
        )


def refreshed(session: RedfishSession, machine: Machine) -> tuple[Slot, ...]:
    """The slots as they are now."""
    return tuple(slot for place in machine.media_places for slot in read_slots(session, place))


def _first_and_last(refusals: Sequence[tuple[Slot, str]]) -> str:
    shown = [refusals[0], refusals[-1]] if len(refusals) > 1 else refusals
    return "; ".join(f"slot {slot.id}: {text}" for slot, text in shown)
