# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run module ``assisted_control_plane``, and record the run in the work directory for the report and the next run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...capi.assisted.names import CONTROL_PLANE_POOL
from ...capi.assisted.run import run_control_plane
from ...capi.assisted.status import ControlPlaneProgress
from ...capi.kinds import CORE_VERSIONS, CoreKinds
from ...common.errors import ZeroTouchError
from ...common.opened import Opened
from ...common.store_link import StoreLink
from ...hub.created import forget_created, record_created
from ...hub.install.wait import InstallSituation
from ...kube.write import Change, WriteOutcome
from ...nmstate.document import static_addresses
from ..hub.timeline import HubTimeline
from ..safety.options import read_touch
from ..safety.record import BOOTED, MACHINES, RELEASED, note, read_record
from ..safety.table import Action
from ..state.work_dir import WorkDir, inventory_host
from ..supervise.observation import InventoryHost
from .gate import CapiGate

METHOD = "capi"
_CLUSTERS = tuple(CoreKinds(version).cluster for version in CORE_VERSIONS)


def run_recorded(call: Opened) -> dict[str, Any]:
    """The module's result; with option ``work_dir`` the run is recorded in it."""
    params = call.params
    permit = _gate(call).permit if params["touch"] else None
    if not params["work_dir"] or params["state"] != "present":
        return run_control_plane(call, permit=permit)
    return run_control_plane(call, CapiRecord(WorkDir(Path(params["work_dir"])), params, call), permit)


def _gate(call: Opened) -> CapiGate:
    params = call.params
    touch = read_touch(params["touch"], params["connect_to"] or {}, ca_cert=str(params["ca_cert"] or ""))
    addresses = {str(host["name"]): str((host.get("bmc") or {}).get("address") or "") for host in params["hosts"] or ()}
    action: Action = "remove" if params["state"] == "present" else "destroy"
    return CapiGate(touch, frozenset(params["touch_hosts"]), addresses, call.clock, call.progress, action)


class CapiRecord:
    """The record of one run (:class:`...capi.assisted.run.Recorder`).

    The Machines' hosts are recorded before Metal3 may boot them.
    """

    def __init__(self, work_dir: WorkDir, params: Mapping[str, Any], call: Opened) -> None:
        self._work_dir, self._call, self._params = work_dir, call, params
        self._hosts = [_host(host) for host in params["hosts"] or ()]
        self._timeline = HubTimeline(work_dir, self._hosts, _section(params, self._hosts), method=METHOD)

    def before_write(self, changes: Sequence[Change]) -> None:
        """Raises :class:`ZeroTouchError` if the record cannot be stored."""
        record = read_record(self._work_dir.root)
        if record.method not in ("", METHOD):
            raise ZeroTouchError(
                f"{self._work_dir.root} records a deployment by method {record.method}.",
                "Destroy it first, or use another work directory.",
            )
        self._timeline.known(started=self._timeline.phase == "installed")
        note(self._work_dir.root, [host for host in self._hosts if not record.touched(host)], BOOTED, method=METHOD)
        for kind in _CLUSTERS:
            forget_created(self._work_dir.state, changes, kind, self._call.clock)
        StoreLink(self._work_dir.root, self._call.clock).save()

    def written(self, outcomes: Sequence[WriteOutcome]) -> None:
        """Record which Cluster this deployment created."""
        for kind in _CLUSTERS:
            record_created(self._work_dir.state, outcomes, kind)

    def see(self, progress: ControlPlaneProgress, failure: str = "") -> None:
        status = progress.status
        if progress.installed and not failure:
            # Hosts that no Machine has taken are free for more Machines, and no members of the cluster.
            members = {row.host for row in progress.machines if row.host}
            self._timeline.describe(
                _section(self._params, [host for host in self._hosts if host.name in members] or self._hosts)
            )
            self._timeline.see(InstallSituation(status, progress.agents), ())
            self._timeline.installed()
            return
        self._timeline.begin(started=status.started)
        self._timeline.see(InstallSituation(status, progress.agents), ())
        if failure:
            self._timeline.failed(failure, terminal=status.terminal)

    def released(self, hosts: Sequence[str]) -> None:
        record = read_record(self._work_dir.root)
        entries = record.state.get(MACHINES) or {}
        known = [inventory_host({"name": name, "macs": entries[name].get("macs")}) for name in hosts if name in entries]
        note(self._work_dir.root, [host for host in known if not record.released(host)], RELEASED, method=METHOD)


def _host(entry: Mapping[str, Any]) -> InventoryHost:
    role = "master" if entry.get("pool") == CONTROL_PLANE_POOL else "worker"
    addresses = [address.ip for address in static_addresses(entry.get("network_config") or {})]
    macs = list(
        dict.fromkeys(
            [str(entry["boot_mac_address"]), *(str(each["mac_address"]) for each in entry.get("interfaces") or ())]
        )
    )
    return inventory_host({"name": entry["name"], "role": role, "macs": macs, "static_ips": addresses})


def _section(params: Mapping[str, Any], hosts: list[InventoryHost]) -> dict[str, Any]:
    """Section ``cluster`` of the state, as the other methods of a hub keep it."""
    name, domain = str(params["name"]), str(params["base_domain"] or "")
    roles = [host.role for host in hosts]
    return {
        "name": name,
        "base_domain": domain,
        "version": str(params["version"] or ""),
        "release_image": "",
        "api_url": f"https://api.{name}.{domain}:6443",
        "rendezvous_ip": "",
        "platform": "baremetal" if params["api_vips"] else "none",
        "api_vips": list(params["api_vips"] or ()),
        "ingress_vips": list(params["ingress_vips"] or ()),
        "machine_networks": list(params["machine_network"] or ()),
        "hosts": [
            {
                "name": host.name,
                "hostname": host.hostname,
                "role": host.role,
                "macs": list(host.macs),
                "static_ips": list(host.addresses),
            }
            for host in hosts
        ],
        "replicas": {"master": roles.count("master"), "arbiter": 0, "worker": roles.count("worker")},
    }
