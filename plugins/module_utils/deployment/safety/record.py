# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and write the records in state.json that show which deployment uses a machine.

They are read from the work directory of this deployment and from the directories beside it: another deployment may use
the same machine.

Section ``machines`` has an entry for each host that this deployment was allowed to change. ``state`` is ``permitted``
(an override was used, nothing was changed yet), ``booting`` (the boot began), ``booted``, or ``released`` (removed from
the cluster). The entry is written before the power action: after an interruption, the next run continues without a new
confirmation. ``macs`` are the host's MAC addresses, by which other deployments recognise the machine.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...common.errors import ZeroTouchError
from ...common.state import StateFile
from ...common.state_shape import SECTIONS, fault_of
from ..state.work_dir import hosts_of_state, inventory_host
from ..supervise.observation import FAILED, PHASES, InventoryHost
from ..supervise.timeline import BEFORE_BOOT
from ..supervise.timeline import SECTION as INSTALL

MACHINES = "machines"
PERMITTED, BOOTING, BOOTED, RELEASED = "permitted", "booting", "booted", "released"
_TOUCHED = (PERMITTED, BOOTING, BOOTED)
AGENT = "agent"


@dataclasses.dataclass(frozen=True)
class TouchRecord:
    """The state of one deployment.

    ``fault`` says why it cannot be read; ``method`` is empty where nothing is recorded.
    """

    directory: Path
    state: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    fault: str = ""

    @property
    def empty(self) -> bool:
        return not self.fault and not any(self.state.get(name) for name in ("cluster", "image", INSTALL, MACHINES))

    @property
    def install(self) -> Mapping[str, Any]:
        return self.state.get(INSTALL) or {}

    @property
    def phase(self) -> str:
        return str(self.install.get("phase") or "")

    @property
    def boots(self) -> bool:
        """Whether machines were booted, and no run has seen the installation yet: a run that is killed after the last
        boot records no phase of it.
        """
        machines = (self.state.get(MACHINES) or {}).values()
        return self.phase == "booted" or (
            self.phase in BEFORE_BOOT and any(entry.get("state") in (BOOTING, BOOTED) for entry in machines)
        )

    @property
    def method(self) -> str:
        """The installation method; a deployment by an own image never recorded its name."""
        known = str(self.install.get("method") or "")
        if known or self.fault:
            return known
        if self.state.get("image") or self.phase:
            return AGENT
        # Hosts for an InfraEnv have no installation of their own.
        return next(
            (str(entry["method"]) for entry in (self.state.get(MACHINES) or {}).values() if entry.get("method")), ""
        )

    @property
    def cluster(self) -> str:
        return str((self.state.get("cluster") or {}).get("name") or "")

    @property
    def macs(self) -> frozenset[str]:
        """MAC addresses of the recorded machines, without those that were released."""
        machines = (self.state.get(MACHINES) or {}).values()
        kept = [mac for entry in machines if entry.get("state") != RELEASED for mac in entry.get("macs") or ()]
        return frozenset([*kept, *(mac for host in hosts_of_state(self.state) for mac in host.macs)])

    @property
    def all_macs(self) -> frozenset[str]:
        """The same, with those that were released."""
        return frozenset(mac for host in self._identified() for mac in host.macs)

    def completed(self, host: InventoryHost) -> InventoryHost:
        """The host with the static addresses that are recorded of it, where its description has none."""
        macs = set(host.macs)
        recorded = next((known for known in hosts_of_state(self.state) if macs & set(known.macs)), None)
        return dataclasses.replace(host, addresses=recorded.addresses) if recorded and not host.addresses else host

    def names(self, host: InventoryHost) -> list[str]:
        """The names of this host in the record: the host's name, or that of a recorded host with one of its MAC
        addresses.
        """
        macs = set(host.macs)
        recorded = [known.name for known in self._identified() if macs & set(known.macs)]
        own = [name for name in (host.name, host.hostname) if name]
        return list(dict.fromkeys([*own, *recorded]))

    def has(self, host: InventoryHost) -> bool:
        """Whether the host is recorded: among the cluster's, or as touched.

        A host with other MAC addresses than recorded is another machine.
        """
        return self._listed(host) or bool(self.machine(host))

    def shares(self, host: InventoryHost) -> bool:
        """Whether a recorded host has one of its MAC addresses: proof for another deployment, where equal names prove
        nothing.
        """
        macs = set(host.macs)
        return any(macs & set(known.macs) for known in self._identified())

    def machine(self, host: InventoryHost) -> Mapping[str, Any]:
        """Its entry in section ``machines``, or an empty one."""
        machines, macs = self.state.get(MACHINES) or {}, set(host.macs)
        found = (machines[name] for name in self.names(host) if name in machines)
        return next((entry for entry in found if not macs or not entry.get("macs") or macs & set(entry["macs"])), {})

    def touched(self, host: InventoryHost) -> bool:
        """Whether this deployment booted the host, or was allowed to; releases that knew no section ``machines``
        recorded it for all hosts at once.
        """
        entry = self.machine(host)
        if entry or MACHINES in self.state:
            return entry.get("state") in _TOUCHED
        return self.phase in PHASES[1:] and self._listed(host)

    def released(self, host: InventoryHost) -> bool:
        return self.machine(host).get("state") == RELEASED

    def missing(self, hosts: Iterable[InventoryHost]) -> tuple[InventoryHost, ...]:
        """The hosts that this deployment was allowed to touch and did not release, without ``hosts``: a host with the
        same name or a common MAC address is the same one.
        """
        present = list(hosts)
        names, macs = {host.node_name for host in present}, {mac for host in present for mac in host.macs}
        touched = (
            inventory_host({"name": name, "macs": entry.get("macs")})
            for name, entry in (self.state.get(MACHINES) or {}).items()
            if entry.get("state") in _TOUCHED
        )
        return tuple(host for host in touched if host.node_name not in names and not macs & set(host.macs))

    def active(self) -> bool:
        """Whether machines may run what this deployment made."""
        entries = (self.state.get(MACHINES) or {}).values()
        return self.phase in (*PHASES[1:], FAILED) or any(entry.get("state") in _TOUCHED for entry in entries)

    def _identified(self) -> tuple[InventoryHost, ...]:
        """The hosts of the cluster, and the machines that were touched."""
        machines = (self.state.get(MACHINES) or {}).items()
        return (
            *hosts_of_state(self.state),
            *(inventory_host({"name": name, "macs": entry.get("macs")}) for name, entry in machines),
        )

    def _listed(self, host: InventoryHost) -> bool:
        for known in hosts_of_state(self.state):
            if known.macs and host.macs:
                if set(known.macs) & set(host.macs):
                    return True
            elif host.node_name in (known.node_name, known.name.lower()):
                return True
        return False


def read_record(directory: Path) -> TouchRecord:
    """The record in ``directory``; one that cannot be read has its ``fault``."""
    file = StateFile(directory / "state.json")
    try:
        return TouchRecord(directory, file.read())
    except ZeroTouchError as error:
        return TouchRecord(directory, _undamaged(file.path), str(error))


def _undamaged(path: Path) -> Mapping[str, Any]:
    """The sections of a damaged state file that are sound: whose machines they are is still known by them."""
    try:
        document = json.loads(path.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    sections = (
        {name: section for name, section in document.items() if name in SECTIONS} if isinstance(document, dict) else {}
    )
    return {name: section for name, section in sections.items() if not fault_of({name: section})[0]}


def siblings(directory: Path) -> list[TouchRecord]:
    """The records of the sibling work directories, those that cannot be read included."""
    try:
        beside = sorted(
            entry for entry in directory.parent.iterdir() if entry.is_dir() and entry.resolve() != directory.resolve()
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        return [TouchRecord(directory.parent, fault=f"{directory.parent} cannot be read: {error.strerror}")]
    return [record for path in beside if (record := _sibling(path)) is not None]


def _sibling(directory: Path) -> TouchRecord | None:
    """The record in a directory that may be a deployment's; None if it has no state."""
    try:
        (directory / "state.json").lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return TouchRecord(directory, fault=f"{directory} cannot be read: {error.strerror}")
    return read_record(directory)


def owner_of(host: InventoryHost, records: Iterable[TouchRecord]) -> str:
    """The deployment of another work directory that has the host, in words; empty when none has."""
    for record in records:
        # Of a damaged record the sound sections count: which machines are in use may be in the other ones.
        if (record.fault or record.active()) and record.shares(host) and not record.released(host):
            cluster = record.cluster or record.directory.name
            return f"it belongs to the deployment of cluster {cluster} in {record.directory}"
    return ""


def note(directory: Path, hosts: Sequence[InventoryHost], state: str, *, method: str) -> None:
    """Record that these hosts are permitted, booting, booted or released."""
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if hosts:
        entries = {host.name: {"state": state, "at": at, "method": method, "macs": list(host.macs)} for host in hosts}
        StateFile(directory / "state.json").update(MACHINES, entries)


def restore_entries(directory: Path, names: Sequence[str], before: TouchRecord) -> None:
    """Set the entries of these hosts in section ``machines`` to those of an earlier record."""
    machines = before.state.get(MACHINES) or {}
    if names:
        StateFile(directory / "state.json").update(MACHINES, {name: machines.get(name) for name in names})


def forget_boot(directory: Path, name: str, before: TouchRecord) -> None:
    """Record no boot of this host, also none that ``before`` has; a release stays."""
    entry = (before.state.get(MACHINES) or {}).get(name) or {}
    StateFile(directory / "state.json").update(MACHINES, {name: entry if entry.get("state") == RELEASED else None})
