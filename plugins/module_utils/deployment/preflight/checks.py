# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the preflight checks, and judge observations by them: each check is a pure function from observations to
verdicts.

A row of the table has the name of the check, the installation methods that it is for, what it reads, and how a user
fixes a failure. Verdicts about hosts are in inventory order.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from ...bmc import media
from ...bmc.guard import wrong_machine
from ...bmc.machine import Machine
from ...cluster.spec import Cluster
from ...common.errors import ZeroTouchError
from .firmware import too_old

Status = Literal["PASS", "FAIL", "SKIP"]
PASS: Final = "PASS"
FAIL: Final = "FAIL"
SKIP: Final = "SKIP"
ALL = frozenset({"agent", "assisted", "hub", "hosted"})
_OWN_IMAGE = frozenset({"agent"})
# Methods whose cluster has a separate API address; the hub provides that of a hosted cluster.
_OWN_API = frozenset({"agent", "assisted", "hub"})
# Seconds. Certificates of the installation begin at the time at which they are made; chrony steps larger differences
# away once it has a source.
_MOST_SKEW = 300.0
_MOST_NTP_OFFSET = 10.0


@dataclasses.dataclass(frozen=True)
class CheckVerdict:
    """The result of one check for one subject: a host, a name, an address, a registry."""

    check: str
    subject: str
    status: Status
    detail: str = ""
    remedy: str = ""

    def text(self) -> str:
        """The verdict on one line, with the remedy."""
        detail = f": {self.detail.rstrip('.')}." if self.detail else ""
        remedy = f" {self.remedy}" if self.remedy and self.status == FAIL else ""
        return f"{self.status} {self.check} {self.subject}{detail}{remedy}"


@dataclasses.dataclass(frozen=True)
class HostSeen:
    """A host of the inventory.

    ``machine`` is what its BMC showed, None without one; ``fault`` is why it was not read; ``shared`` names hosts with
    its UUID.

    ``image_url``: the URL by which its BMC will read the image, as far as it is known.
    """

    name: str
    method: str
    macs: tuple[str, ...] = ()
    machine: Machine | None = None
    fault: str = ""
    shared: str = ""
    image_url: str = ""


@dataclasses.dataclass(frozen=True)
class Learned:
    """What was learned about a subject: ``fault`` is why it cannot be used, ``note`` what is worth saying otherwise,
    ``skipped`` why it was not asked.
    """

    subject: str
    fault: str = ""
    note: str = ""
    skipped: str = ""


@dataclasses.dataclass(frozen=True)
class NameSeen:
    """A name and the addresses that a server has for it; ``fault`` is why it did not answer."""

    name: str
    server: str
    addresses: tuple[str, ...] = ()
    fault: str = ""


@dataclasses.dataclass(frozen=True)
class TimeSeen:
    """A time server: how many seconds it is ahead of this machine, or why that is not known."""

    server: str
    ahead: float = 0.0
    fault: str = ""


@dataclasses.dataclass(frozen=True)
class DiskSeen:
    """Bytes that are free where the image will be made, and bytes that it needs; ``needed`` 0: not known."""

    path: str
    free: int
    needed: int


@dataclasses.dataclass(frozen=True)
class RackSeen:
    """Everything that was observed; None and empty: nothing to observe for this method or inventory."""

    method: str
    cluster: Cluster | None = None
    hosts: tuple[HostSeen, ...] = ()
    image_url: Learned | None = None
    names: tuple[NameSeen, ...] = ()
    taken: tuple[Learned, ...] = ()
    times: tuple[TimeSeen, ...] = ()
    images: tuple[Learned, ...] = ()
    disk: DiskSeen | None = None
    base: Learned | None = None
    state: Learned | None = None


HostJudgement = Callable[[HostSeen], tuple[Status, str]]
SiteJudgement = Callable[[RackSeen], Iterator[tuple[str, Status, str]]]


@dataclasses.dataclass(frozen=True)
class RackCheck:
    """A row of the table. One of ``of_host`` and ``of_site`` judges."""

    name: str
    methods: frozenset[str]
    reads: str
    remedy: str
    of_host: HostJudgement | None = None
    of_site: SiteJudgement | None = None


def judge(seen: RackSeen) -> list[CheckVerdict]:
    """All verdicts: those of hosts in inventory order, then those of the site in the order of the table."""
    rows = [check for check in CHECKS if seen.method in check.methods]
    of_hosts = [
        _verdict(check, host.name, *check.of_host(host)) for host in seen.hosts for check in rows if check.of_host
    ]
    return [*of_hosts, *(_verdict(check, *judged) for check in rows if check.of_site for judged in check.of_site(seen))]


def _verdict(check: RackCheck, subject: str, status: Status, detail: str) -> CheckVerdict:
    return CheckVerdict(check.name, subject, status, detail, check.remedy if status == FAIL else "")


def _of_machine(judgement: Callable[[HostSeen, Machine], tuple[Status, str]]) -> HostJudgement:
    """A judgement of a machine that was read."""

    def judged(host: HostSeen) -> tuple[Status, str]:
        if host.machine is None:
            return SKIP, "its BMC was not read" if host.method == "bmc" else f"boot method {host.method}"
        return judgement(host, host.machine)

    return judged


def _login(host: HostSeen) -> tuple[Status, str]:
    if host.fault:
        return FAIL, host.fault
    if host.machine is None:
        return SKIP, f"boot method {host.method}"
    return PASS, f"{host.machine.vendor} {host.machine.model}".strip()


def _machine(host: HostSeen, machine: Machine) -> tuple[Status, str]:
    fault = wrong_machine(machine, host.macs) or host.shared
    if fault:
        return FAIL, fault
    return (PASS, "") if machine.macs else (SKIP, "the BMC lists no MAC addresses")


def _media(host: HostSeen, machine: Machine) -> tuple[Status, str]:
    # The licence is a check of its own.
    try:
        media.check_slots(dataclasses.replace(machine, lacks_licence=""), host.image_url)
    except ZeroTouchError as error:
        return (SKIP, "see licence") if machine.lacks_licence else (FAIL, str(error))
    occupied = [slot.id for slot in media.occupied_slots(machine)]
    return PASS, f"an image is in slot {', '.join(occupied)}; it will be ejected" if occupied else ""


def _licence(host: HostSeen, machine: Machine) -> tuple[Status, str]:
    if machine.lacks_licence:
        return FAIL, machine.lacks_licence
    return (PASS, "") if machine.profile.licence_at else (SKIP, "the BMC does not show it")


def _firmware(host: HostSeen, machine: Machine) -> tuple[Status, str]:
    if not machine.firmware:
        return SKIP, "the BMC does not name it"
    if fault := too_old(machine.profile.name, machine.firmware):
        return FAIL, fault
    return PASS, f"{machine.firmware}, profile {machine.profile.name}"


def _clock(host: HostSeen, machine: Machine) -> tuple[Status, str]:
    ahead = _seconds_ahead(machine.clock_text, machine.read_at)
    if ahead is None:
        return SKIP, "the BMC does not show its time"
    where = _offset(ahead)
    return (FAIL, where) if abs(ahead) > _MOST_SKEW else (PASS, where)


def _offset(ahead: float) -> str:
    side = "ahead of" if ahead > 0 else "behind"
    return f"{abs(ahead):.0f} s {side} this machine"


def _seconds_ahead(text: str, read_at: float) -> float | None:
    try:
        found = datetime.datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp() - read_at
    except (ValueError, OverflowError):
        return None


def _image_url(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    return _answers([seen.image_url] if seen.image_url else [])


def _answers(answers: Sequence[Learned]) -> Iterator[tuple[str, Status, str]]:
    for answer in answers:
        if answer.skipped:
            yield answer.subject, SKIP, answer.skipped
        else:
            yield answer.subject, FAIL if answer.fault else PASS, answer.fault or answer.note


def _names(kind: str) -> SiteJudgement:
    def judged(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
        wanted = names_of(seen.cluster)[kind] if seen.cluster else ""
        for found in seen.names:
            if seen.cluster and found.name == wanted:
                yield found.name, *_name(seen.cluster, kind, found)

    return judged


def names_of(cluster: Cluster) -> dict[str, str]:
    """The names that must exist, or must not (``wildcard``), by what they are for."""
    # Upstream asks for the same names (openshift/assisted-service internal/hardware/validator, domain resolutions).
    return {
        "api": f"api.{cluster.domain}",
        "api-int": f"api-int.{cluster.domain}",
        "apps": f"console-openshift-console.apps.{cluster.domain}",
        "wildcard": f"validateNoWildcardDNS.{cluster.domain}",
    }


def _name(cluster: Cluster, kind: str, found: NameSeen) -> tuple[Status, str]:
    asked = f"name server {found.server}" if found.server else "the resolver of this machine"
    if found.fault:
        return FAIL, f"{asked}: {found.fault}"
    have = ", ".join(found.addresses)
    if kind == "wildcard":
        return (FAIL, f"{asked} has {have} for a name that does not exist") if have else (PASS, "")
    wanted = _addresses_for(cluster, kind)
    if not have and kind == "api-int" and wanted:
        return PASS, "not in the DNS; the cluster serves it to its nodes"
    if not have:
        return FAIL, f"{asked} does not have this name"
    if wanted and not set(found.addresses) & set(wanted):
        return FAIL, f"{asked} has {have}, the cluster is configured with {', '.join(wanted)}"
    return PASS, have


def _addresses_for(cluster: Cluster, kind: str) -> Sequence[str]:
    """The addresses that the installer's own configuration fixes for a name; none where a load balancer of the user has
    it.
    """
    if cluster.single_node and cluster.rendezvous_ip and not cluster.api_vips:
        return (cluster.rendezvous_ip,) if kind == "api" else ()
    return cluster.ingress_vips if kind == "apps" else cluster.api_vips


def _taken(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    return _answers(seen.taken)


def _times(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    if seen.cluster and not seen.times:
        yield "time", SKIP, "the cluster names no ntp_sources; hosts take those of DHCP"
    for found in seen.times:
        if found.fault:
            yield found.server, FAIL, found.fault
            continue
        yield found.server, FAIL if abs(found.ahead) > _MOST_NTP_OFFSET else PASS, _offset(found.ahead)


def _images(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    return _answers(seen.images)


def _disk(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    if seen.disk is None:
        return
    free_gb, needed_gb = seen.disk.free / 1e9, seen.disk.needed / 1e9
    free = f"{free_gb:.1f} GB free"
    if not seen.disk.needed:
        yield seen.disk.path, SKIP, f"{free}; the size of the base image is not known"
    elif seen.disk.free < seen.disk.needed:
        yield seen.disk.path, FAIL, f"{free}, {needed_gb:.1f} GB needed"
    else:
        yield seen.disk.path, PASS, f"{free}, {needed_gb:.1f} GB needed"


def _base(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    return _answers([seen.base] if seen.base else [])


def _state(seen: RackSeen) -> Iterator[tuple[str, Status, str]]:
    return _answers([seen.state] if seen.state else [])


CHECKS: tuple[RackCheck, ...] = (
    RackCheck(
        "bmc-login",
        ALL,
        "the service of each BMC, with its login",
        ("Correct the address, username and password in openshift_host.bmc."),
        _login,
    ),
    RackCheck(
        "machine",
        ALL,
        "MAC addresses and System UUID that the BMC lists",
        "Compare interfaces with the machine: the BMC address or the MAC addresses are those of another one.",
        _of_machine(_machine),
    ),
    RackCheck(
        "media",
        ALL,
        "virtual media slots",
        ("Enable virtual media in the BMC, or publish the image by a protocol that its slots take."),
        _of_machine(_media),
    ),
    RackCheck(
        "licence",
        ALL,
        "the licence that the BMC names",
        "Install a licence with virtual media: iLO Advanced, iDRAC Enterprise, XCC Enterprise.",
        _of_machine(_licence),
    ),
    RackCheck(
        "firmware",
        ALL,
        "firmware version of the BMC",
        "Update the firmware of the BMC before the window.",
        _of_machine(_firmware),
    ),
    RackCheck(
        "bmc-clock",
        ALL,
        "the time of the BMC",
        "Set the time of the BMC, or give it an NTP server.",
        _of_machine(_clock),
    ),
    RackCheck(
        "image-url",
        _OWN_IMAGE,
        "the server from which BMCs will read the image",
        "Set openshift_publish so that the URL leads to a server that answers. Only a BMC can prove that its own "
        "network reaches it.",
        of_site=_image_url,
    ),
    RackCheck(
        "dns-api",
        _OWN_API,
        "the record of the API",
        "Correct the record in the DNS, or api_vips.",
        of_site=_names("api"),
    ),
    RackCheck(
        "dns-api-int",
        _OWN_API,
        "the record of the internal API",
        "Correct the record in the DNS, or api_vips.",
        of_site=_names("api-int"),
    ),
    RackCheck(
        "dns-apps",
        _OWN_API,
        "the wildcard record of routes",
        ("Correct the record *.apps in the DNS, or ingress_vips."),
        of_site=_names("apps"),
    ),
    RackCheck(
        "dns-wildcard",
        _OWN_API,
        "a name that must not exist",
        ("Remove the wildcard record of the cluster's domain."),
        of_site=_names("wildcard"),
    ),
    RackCheck(
        "vip-free",
        _OWN_API,
        "TCP ports of the virtual addresses",
        ("Choose free addresses, or switch off the machine that has them."),
        of_site=_taken,
    ),
    RackCheck(
        "ntp",
        _OWN_API,
        "the clock of each time server",
        ("Correct ntp_sources, open UDP port 123, or set the clock of this machine."),
        of_site=_times,
    ),
    RackCheck(
        "registry",
        ALL,
        "the manifest of the release, with the pull secret",
        "Correct the pull secret, the release image or the mirrors, or open the way to the registry.",
        of_site=_images,
    ),
    RackCheck(
        "disk-space",
        _OWN_IMAGE,
        "the file system of the work directory",
        ("Free space, or set openshift_work_dir to another file system."),
        of_site=_disk,
    ),
    RackCheck(
        "base-image",
        _OWN_IMAGE,
        "the CoreOS live ISO",
        ("Name the live ISO of the release and architecture in openshift_base_image."),
        of_site=_base,
    ),
    RackCheck(
        "state-store",
        ALL,
        "the stored state of the deployment",
        "Make the store of openshift_state readable.",
        of_site=_state,
    ),
)
HOST_CHECKS: tuple[str, ...] = tuple(check.name for check in CHECKS if check.of_host)


def counts(verdicts: Sequence[CheckVerdict]) -> Mapping[str, int]:
    return {status: sum(verdict.status == status for verdict in verdicts) for status in (PASS, FAIL, SKIP)}
