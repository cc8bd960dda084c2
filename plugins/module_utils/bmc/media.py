# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Virtual media: insert an image, eject it, and rely only on what a GET shows afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ..common.clock import Clock
from ..common.errors import Unreachable, ZeroTouchError
from ..common.retry import retry
from .hosts import ImageAccess
from .image_url import SHARES, protocol_of, written_form
from .machine import Machine, Slot, members_of, read_slot, read_slots
from .messages import Refusal
from .power import InUse, check_off, check_unused, power_state
from .session import NO_LICENCE, RedfishSession, RefusedRequest

APPEARS_WITHIN = 60.0
MOST_POSTS = 4
# Seconds until remote media that were enabled can be used.
ENABLED_AFTER = 10.0


def usable_slots(machine: Machine) -> list[Slot]:
    """Slots that can hold an ISO, in the order in which they are tried; slots without MediaTypes last."""
    fitting = [slot for slot in machine.slots if slot.takes_cd and machine.profile.uses_slot(slot.id)]
    return [slot for slot in fitting if slot.media_types] + [slot for slot in fitting if not slot.media_types]


def check_slots(machine: Machine, url: str) -> None:
    """Raises :class:`ZeroTouchError` unless a slot can take this image, as far as the BMC shows it."""
    slots = usable_slots(machine)
    if machine.lacks_licence:
        raise ZeroTouchError(f"The BMC has no licence for virtual media: {machine.lacks_licence}.", NO_LICENCE)
    if not slots and not (machine.enable_action and not machine.media_enabled):
        raise ZeroTouchError(f"The BMC offers no virtual CD slot{_read_faults(machine)}.", NO_LICENCE)
    faults = [(slot, slot_fault(machine, slot, url)) for slot in slots]
    if slots and all(fault for _slot, fault in faults):
        raise ZeroTouchError(
            (f"No virtual media slot can take {protocol_of(url)} images: {_first_and_last(faults)}."),
            _other_protocol(machine, slots, url),
        )


def slot_fault(machine: Machine, slot: Slot, url: str) -> str:
    """Why this slot cannot take this image, as far as the BMC shows it; empty when it can."""
    if not slot.insert_action and slot.allow and "PATCH" not in slot.allow.upper():
        return "has no InsertMedia action and cannot be changed by PATCH"
    protocols = slot.protocols or machine.profile.protocols
    return f"takes {', '.join(protocols)} only" if url and protocols and protocol_of(url) not in protocols else ""


def _other_protocol(machine: Machine, slots: Sequence[Slot], url: str) -> str:
    known = sorted({protocol.lower() for slot in slots for protocol in slot.protocols or machine.profile.protocols})
    return (
        f"Publish the image by {' or '.join(known)}: set openshift_publish.url."
        if known and protocol_of(url).lower() not in known
        else ""
    )


def _read_faults(machine: Machine) -> str:
    notes = [note for note in machine.notes if "cannot be read" in note]
    first = "; ".join(notes[:2])
    return f" ({first})" if notes else ""


def occupied_slots(machine: Machine) -> list[Slot]:
    """CD slots with a medium in them, on System and Managers alike."""
    return [slot for slot in machine.slots if slot.takes_cd and slot.occupied]


def enable(session: RedfishSession, machine: Machine, clock: Clock) -> None:
    """Switch remote media on at the Manager."""
    session.post(machine.enable_action, {"RMediaState": "Enable"}, repeatable=True)
    clock.sleep(ENABLED_AFTER)


def eject(session: RedfishSession, machine: Machine, slot: Slot, clock: Clock) -> None:
    """Take the medium out; an error answer, or a lost one, counts only if the medium is still there."""

    def attempt() -> None:
        try:
            if slot.eject_action:
                session.post(slot.eject_action, dict(slot.eject_body), repeatable=True)
            else:
                empty = {"Image": None, "Inserted": False}
                body = {name: value for name, value in empty.items() if name in machine.profile.patch_properties}
                session.patch(slot.path, body, read_slot(session, slot.path, machine.profile).etag)
        except (RefusedRequest, Unreachable):
            if read_slot(session, slot.path, machine.profile).occupied:
                raise

    retry(attempt, machine.profile.media_policy, clock)


def insert(
    session: RedfishSession, machine: Machine, url: str, clock: Clock, access: ImageAccess, *, accepted: bool = False
) -> Slot:
    """Put the image into the first slot that takes it and see it there. Returns that slot as it is then.

    ``accepted``: the BMC accepted an earlier insert of this image, which may appear late. Raises
    :class:`ZeroTouchError` with what the first and the last slot said when none takes it.
    """
    check_slots(machine, url)
    refusals: list[tuple[Slot, str]] = []
    hint = ""
    for slot in usable_slots(machine):
        if fault := slot_fault(machine, slot, url):
            refusals.append((slot, fault))
            continue
        try:
            _Insert(session, machine, slot, url, clock, access, lost=accepted).run()
        except RefusedRequest as error:
            if error.status not in (400, 404, 405, 501):
                raise
            refusals.append((slot, error.refusal.text))
            hint = error.hint or (_CERTIFICATE if slot.verifies and protocol_of(url) == "HTTPS" else "")
            continue
        return _wait_inserted(session, machine, slot, url, clock)
    raise ZeroTouchError(
        (f"{session.service}: no virtual media slot takes the image: {_first_and_last(refusals).rstrip('.')}."), hint
    )


_CERTIFICATE = "This BMC verifies the certificate of the image server: set openshift_publish.image_access.ca_cert."


class _Insert:
    """The insertion of one image into one slot.

    Where the answer to a request was lost, the slot says whether it was carried out.
    """

    def __init__(
        self,
        session: RedfishSession,
        machine: Machine,
        slot: Slot,
        url: str,
        clock: Clock,
        access: ImageAccess,
        *,
        lost: bool,
    ) -> None:
        self.session, self.machine, self.slot, self.url, self.clock, self.access = (
            session,
            machine,
            slot,
            url,
            clock,
            access,
        )
        self.lost = lost  # whether an earlier request may have been carried out
        self.stale = self.final = False

    def run(self) -> None:
        _trust(self.session, self.machine, self.slot, self.url, self.access)
        retry(self._attempt, self.machine.profile.media_policy, self.clock, allowed=lambda: not self.final)

    def _attempt(self) -> None:
        check_off(self.session, self.machine, self.clock)
        # An iDRAC shows the former image for a while after its eject: then the slot says nothing about this request.
        shown_before = self._shows_image()
        if self.lost and shown_before and not self.stale:
            return
        self.stale = shown_before
        try:
            self._request()
        except (RefusedRequest, Unreachable) as error:
            self.lost = self.lost or isinstance(error, Unreachable) or error.status >= 500
            # RAC0904: iDRAC cannot reach the URL, which no repetition changes.
            self.final = isinstance(error, RefusedRequest) and (error.says("RAC0904") or error.refusal.about_licence)
            now = read_slot(self.session, self.slot.path, self.machine.profile)
            if self.lost and now.holds(self.url) and not self.stale:
                return
            repeated = self.machine.profile.media_policy.repeats(error) and not self.final
            # The slot was empty, and no request of ours was carried out. If this run powered the machine off, it also
            # restores that: other runs do not boot a machine that is on.
            of_others = now.occupied and not self.slot.occupied and not self.lost and self.machine.power_state == "Off"
            if of_others and not repeated:
                raise InUse(self.session.service, power_state(self.session, self.machine)) from error
            if now.occupied and repeated:
                if of_others:
                    check_unused(self.session, self.machine, self.clock)
                check_off(self.session, self.machine, self.clock)
                eject(self.session, self.machine, now, self.clock)
            raise

    def _shows_image(self) -> bool:
        return read_slot(self.session, self.slot.path, self.machine.profile).holds(self.url)

    def _request(self) -> None:
        slot, profile = self.slot, self.machine.profile
        if slot.iso_config:
            parts = urlsplit(self.url)
            login = {"Username": self.access.username, "Password": self.access.password} if self.access.username else {}
            self.session.patch(slot.path, {"Host": f"{parts.scheme}://{parts.netloc}", "Path": parts.path, **login})
            self.session.post(slot.insert_action, {})
            return
        if not slot.insert_action:
            # PATCH-style BMCs attach only if Inserted is sent. Ejecting has changed the ETag since the machine was
            # read.
            properties = {"Image": written_form(self.url, profile.share_form), "Inserted": True, "WriteProtected": True}
            body = {
                name: value for name, value in properties.items() if name in profile.patch_properties
            } | self._login()
            self.session.patch(slot.path, body, read_slot(self.session, slot.path, profile).etag, repeatable=False)
            return
        body = insert_body(self.machine, slot, self.url, self.access)
        for number in range(1, MOST_POSTS + 1):
            try:
                self.session.post(slot.insert_action, body)
                return
            except RefusedRequest as error:
                wanted = asked_for(error.refusal, body, self.url)
                if not wanted or number == MOST_POSTS:
                    raise
                body = {**body, **wanted}

    def _login(self) -> dict[str, str]:
        return {"UserName": self.access.username, "Password": self.access.password} if self.access.username else {}


def insert_body(machine: Machine, slot: Slot, url: str, access: ImageAccess) -> dict[str, Any]:
    """What InsertMedia is sent first: no more than is needed, since explicit defaults make Supermicro and iLO 4
    fail.
    """
    body: dict[str, Any] = {**slot.insert_body, "Image": written_form(url, machine.profile.share_form)}
    if not slot.insert_body and (protocol_of(url) in SHARES or slot.needs_protocol or machine.profile.names_protocol):
        body["TransferProtocolType"] = protocol_of(url)
    if access.username:
        body |= {"UserName": access.username, "Password": access.password}
    return body


def _trust(session: RedfishSession, machine: Machine, slot: Slot, url: str, access: ImageAccess) -> None:
    """Let the BMC trust the image server as the user says: its certificate authority, and whether certificates are
    verified.
    """
    if protocol_of(url) != "HTTPS":
        return
    if access.ca_cert and slot.certificates:
        pem = access.ca_cert_text()
        trusted = [session.get(path).get("CertificateString") for path in members_of(session, slot.certificates)]
        if not any(isinstance(text, str) and text.split() == pem.split() for text in trusted):
            session.post(slot.certificates, {"CertificateString": pem, "CertificateType": "PEM"})
    verifies = access.validate_certs
    if verifies is None and access.ca_cert:
        verifies = True
    if verifies is not None and slot.verifies is not None and slot.verifies != verifies:
        session.patch(slot.path, {"VerifyCertificate": verifies}, read_slot(session, slot.path, machine.profile).etag)


def asked_for(refusal: Refusal, body: dict[str, Any], url: str) -> dict[str, str]:
    """The parameters that this refusal asks for and that the body lacks; empty when it asks for nothing that we can
    give.
    """
    ids = refusal.ids
    missing = [message for message in refusal.messages if message.id in ("ActionParameterMissing", "PropertyMissing")]
    general = refusal.code == "GeneralError" or "GeneralError" in ids
    if "TransferProtocolType" not in body:
        related = missing and any(
            item.lstrip("#").endswith("/TransferProtocolType") for item in refusal.messages[0].related
        )
        named = any("TransferProtocolType" in message.args for message in missing)
        if related or named or (general and "TransferProtocolType" in refusal.text):
            return {"TransferProtocolType": protocol_of(url)}
    if "TransferMethod" not in body and general and "TransferMethod" in refusal.text:
        return {"TransferMethod": "Stream"}
    if "UserName" not in body and (
        any("UserName" in message.text or "Password" in message.text for message in missing)
        or (
            general
            and (refusal.says("UserName") or refusal.says("Password") or "parameter missing" in refusal.text.lower())
        )
        or "requires the parameter UserName" in refusal.text
        or "requires the parameter Password" in refusal.text
    ):
        return {"UserName": "none", "Password": "none"}
    return {}


def _wait_inserted(session: RedfishSession, machine: Machine, slot: Slot, url: str, clock: Clock) -> Slot:
    """The slot with the image in it. A service may report success before the slot shows it (Supermicro tasks)."""
    limit = clock.now() + APPEARS_WITHIN
    while True:
        present = read_slot(session, slot.path, machine.profile)
        if present.occupied and (present.image or present.image_name):
            return present
        if clock.now() >= limit:
            raise EmptySlot(session.service, slot.id, url)
        clock.sleep(2)


class EmptySlot(ZeroTouchError):
    """The BMC reported success for an insert, and the slot is empty all the same."""

    def __init__(self, service: str, slot_id: str, url: str) -> None:
        super().__init__(
            f"{service}: the BMC accepted {url} for slot {slot_id}, but the slot is still empty after "
            f"{APPEARS_WITHIN:.0f} s.",
            "Make sure that the BMC can reach this URL. Some BMCs read the image only after InsertMedia has succeeded.",
        )


def refreshed(session: RedfishSession, machine: Machine) -> tuple[Slot, ...]:
    """The slots as they are now."""
    return tuple(slot for place in machine.media_places for slot in read_slots(session, place, machine.profile))


def _first_and_last(refusals: Sequence[tuple[Slot, str]]) -> str:
    shown = [refusals[0], refusals[-1]] if len(refusals) > 1 else refusals
    return "; ".join(f"slot {slot.id}: {text}" for slot, text in shown)
