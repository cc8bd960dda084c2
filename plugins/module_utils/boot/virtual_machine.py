# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a virtual machine from its hypervisor, and check that it is the machine of the expected host."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..common.addresses import normal_mac
from ..common.errors import ZeroTouchError
from ..common.problems import nearest
from ..hypervisor.api import DomainEntry, Hypervisor
from ..hypervisor.domain_xml import DomainFacts, ImageVolume, read_domain
from ..hypervisor.image_volume import is_own


@dataclasses.dataclass(frozen=True)
class VirtualMachine:
    """A libvirt domain. ``inserted`` are the images of this collection in its drives, ``images`` also the recorded one.

    ``shared_macs`` are other domains of the hypervisor that have one of its MAC addresses: libvirt accepts such
    domains.
    """

    domain: str
    uuid: str
    power_state: str
    state: str
    macs: tuple[str, ...]
    inserted: tuple[ImageVolume, ...]
    images: tuple[ImageVolume, ...]
    shared_macs: tuple[str, ...]
    definition: DomainFacts
    live: str = dataclasses.field(repr=False, default="")
    saved: str = dataclasses.field(repr=False, default="")
    driver: str = ""
    notes: tuple[str, ...] = ()

    @property
    def persistent(self) -> bool:
        return bool(self.saved)

    def facts(self) -> dict[str, Any]:
        """For a report, with the keys that BMCs have."""
        return {
            "power_state": self.power_state,
            "vendor": "libvirt",
            "model": self.definition.machine,
            "serial": "",
            "uuid": self.uuid,
            "firmware": self.definition.firmware,
            "secure_boot": self.definition.secure_boot,
            "profile": self.driver,
            "mac_addresses": list(self.macs),
            "media": [{"id": volume.pool, "image": volume.name, "inserted": True} for volume in self.inserted],
            "boot_override": {"enabled": "", "target": ""},
        }


def find_machine(hypervisor: Hypervisor, domain: str) -> VirtualMachine:
    """The domain of that name or UUID. Raises :class:`ZeroTouchError`."""
    entries = hypervisor.domains()
    entry = next((each for each in entries if domain == each.name or domain.lower() == each.uuid.lower()), None)
    if entry is None:
        guess = nearest(domain, [each.name for each in entries])
        guess_note = f" ({guess})" if guess else ""
        raise ZeroTouchError(
            f"{hypervisor.uri}: domain {domain} does not exist{guess_note}.",
            "Define it, or name it in openshift_host.libvirt.domain.",
        )
    return _machine(entry, entries, hypervisor.driver)


def another_machine(machine: VirtualMachine, mac_addresses: Sequence[str]) -> str:
    """Why the domain is not, or may not be, the host's; empty when nothing speaks against it."""
    wanted = [normal_mac(mac) for mac in mac_addresses]
    if machine.macs and wanted and not set(wanted) & set(machine.macs):
        return (
            f"domain {machine.domain} belongs to another host: the host's MACs are {', '.join(wanted)}, "
            f"the domain has {', '.join(machine.macs)}; nothing was done to it"
        )
    if machine.shared_macs:
        return (
            f"domain {machine.domain} has a MAC address that {', '.join(machine.shared_macs)} on the same hypervisor "
            "also has; "
            "nothing was done to it. Give one of them another address"
        )
    return ""


def _machine(entry: DomainEntry, entries: Sequence[DomainEntry], driver: str) -> VirtualMachine:
    facts = read_domain(entry.saved or entry.live)
    live = read_domain(entry.live) if entry.live else None
    inserted = tuple(volume for volume in (live.media if live else facts.media) if is_own(volume))
    recorded = (facts.recorded,) if entry.saved and facts.recorded else ()
    macs = tuple(dict.fromkeys((*facts.macs, *(live.macs if live else ()))))
    others = [
        each.name
        for each in entries
        if each.uuid != entry.uuid and set(read_domain(each.saved or each.live).macs) & set(macs)
    ]
    notes = []
    if entry.state == "paused":
        full = entry.reason == "I/O error"
        notes.append(
            "the domain is paused by an I/O error: its storage pool may be full" if full else "the domain is paused"
        )
    return VirtualMachine(
        domain=entry.name,
        uuid=entry.uuid.lower(),
        power_state="On" if entry.on else "Off",
        state=entry.state,
        macs=macs,
        inserted=inserted,
        images=tuple(dict.fromkeys((*inserted, *recorded))),
        shared_macs=tuple(others),
        definition=facts,
        live=entry.live,
        saved=entry.saved,
        driver=driver,
        notes=tuple(notes),
    )
