# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What of a host differs from its request, as changes in the order of their requests (reference assisted-rest.md 5.2, 5.3). Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..cluster.root_device import as_agents, choose_disk, find_disk
from .change import Change, Difference, same_json
from .client import Document, members
from .host_match import Match
from .host_request import HostRequest
from .progress import HOST_JOINED, read_host

# Where the service takes changes of a host's settings.
CHANGEABLE = frozenset({"discovering", "known", "disconnected", "insufficient", "pending-for-input"})
_PASSING = frozenset({"binding", "unbinding", "resetting", "reclaiming", "reclaiming-rebooting"})
SETTINGS, IGNITION, ARGUMENTS, BIND, UNBIND, DELETE = "update", "override ignition of", "set installer args of", "bind", "unbind", "delete"


@dataclasses.dataclass(frozen=True)
class HostPlan:
    """One host: ``changes`` to make now; ``waiting`` why there is more to do that cannot be done yet; ``refused`` why it cannot be as wished.

    A refused host is not touched at all.
    """

    match: Match
    changes: Sequence[Change] = ()
    waiting: str = ""
    refused: str = ""


def plan_host(match: Match, clusters: Mapping[str, str]) -> HostPlan:
    """The plan for one match; ``clusters`` has the id for each cluster that requests name."""
    host, request = match.host, match.request
    if host is None:
        return HostPlan(match) if request.absent and not match.candidates else HostPlan(match, waiting=match.reason)
    title = f"host {request.name} ({read_host(host).name})"
    if request.absent:
        return HostPlan(match, [Change(DELETE, title)])
    status = str(host.get("status") or "")
    wishes = _Wishes(request, host, title)
    wishes.collect()
    binding = _binding(request, host, title, clusters.get(request.cluster or "", ""))
    if status in _PASSING and (wishes.changes or binding.change or binding.refused):
        return HostPlan(match, waiting=f"it is {status}; then there is more to do")
    refused = [*wishes.refused, *([binding.refused] if binding.refused else [])]
    if wishes.changes and status.removesuffix("-unbound") not in CHANGEABLE:
        refused.append(f"it is {status}, in which the service takes no changes: {'; '.join(change.text() for change in wishes.changes)}")
    if refused:
        return HostPlan(match, refused="; ".join(refused))
    waiting = "; ".join(text for text in (wishes.waiting, binding.waiting) if text)
    return HostPlan(match, [*wishes.changes, *([binding.change] if binding.change else [])], waiting)


@dataclasses.dataclass(frozen=True)
class _Binding:
    change: Change | None = None
    waiting: str = ""
    refused: str = ""


def _binding(request: HostRequest, host: Document, title: str, cluster_id: str) -> _Binding:
    now, status = str(host.get("cluster_id") or ""), str(host.get("status") or "")
    if request.unbind:
        if not now:
            return _Binding()
        if status.startswith(("installing", "preparing")):
            return _Binding(refused=f"it is {status} and cannot be unbound")
        return _Binding(Change(UNBIND, title, reason=f"it belongs to cluster {now}"))
    if not request.cluster or now == cluster_id:
        return _Binding()
    if now:
        return _Binding(refused=f"it belongs to cluster {now}; unbind it first")
    if status != "known-unbound":
        return _Binding(waiting=f"it can be bound once it is known-unbound, and is {status or 'nothing yet'}")
    return _Binding(Change(BIND, title, {"cluster_id": cluster_id}, reason=f"to cluster {request.cluster}"))


class _Wishes:
    """Collects what differs of one host's settings."""

    def __init__(self, request: HostRequest, host: Document, title: str) -> None:
        self.request, self.host, self.title = request, host, title
        self.body: dict[str, Any] = {}
        self.differences: list[Difference] = []
        self.changes: list[Change] = []
        self.refused: list[str] = []
        self.waiting = ""

    def collect(self) -> None:
        request = self.request
        self._field("host_name", request.hostname, self.host.get("requested_hostname"))
        # The service's own suggestion is as good as a role that was given, as it is for the client of the agent ISO.
        self._field("host_role", request.role, self.host.get("role" if request.role == "auto-assign" else "suggested_role") or self.host.get("role"))
        self._field("machine_config_pool_name", request.machine_config_pool, self.host.get("machine_config_pool_name") or "")
        self._disk()
        self._labels()
        if self.body:
            self.changes.append(Change(SETTINGS, self.title, self.body, self.differences))
        before = self.host.get("ignition_config_overrides") or ""
        if request.ignition is not None and not same_json(request.ignition, before):
            difference = Difference("ignition_config_overrides", before or None, request.ignition)
            self.changes.append(Change(IGNITION, self.title, {"config": request.ignition}, [difference]))
        arguments = list(self.host.get("installer_args") or ()) if isinstance(self.host.get("installer_args"), list) else []
        if request.installer_args is not None and list(request.installer_args) != arguments:
            difference = Difference("installer_args", arguments or None, list(request.installer_args))
            self.changes.append(Change(ARGUMENTS, self.title, {"args": list(request.installer_args)}, [difference]))

    def _field(self, name: str, wanted: Any, found: Any, sent: Any = None) -> None:
        if wanted is not None and wanted != found:
            self.body[name] = wanted if sent is None else sent
            self.differences.append(Difference(name, found or None, wanted))

    def _disk(self) -> None:
        if self.request.disk_id is None and self.request.root_device_hints is None:
            return
        if read_host(self.host).status in HOST_JOINED:
            return  # it has its disk, and its inventory may have changed since
        inventory = self.host.get("inventory")
        if not isinstance(inventory, dict) or not inventory.get("disks"):
            self.waiting = "its disks are not known yet"
            return
        disks = [as_agents(disk) for disk in members(inventory["disks"])]
        current = str(self.host.get("installation_disk_id") or "")
        if self.request.disk_id is not None:
            choice = find_disk(disks, disk_id=self.request.disk_id, path=self.request.disk_id)
            words = f"installation_disk_id {self.request.disk_id}"
        else:
            choice = choose_disk(self.request.root_device_hints or {}, disks, current)
            words = f"root_device_hints {json.dumps(dict(self.request.root_device_hints or {}))}"
        if not choice.disk_id:
            self.refused.append(f"no disk fits {words}: {'; '.join(choice.reasons)}")
            return
        self._field("disks_selected_config", choice.disk_id, current, [{"id": choice.disk_id, "role": "install"}])

    def _labels(self) -> None:
        labels = self.host.get("node_labels")
        found = {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
        wanted = {**found, **{key: value for key, value in self.request.node_labels.items() if value is not None}}
        wanted = {key: value for key, value in wanted.items() if self.request.node_labels.get(key, "") is not None}
        if wanted != found:
            self._field("node_labels", wanted, found, [{"key": key, "value": value} for key, value in sorted(wanted.items())])
