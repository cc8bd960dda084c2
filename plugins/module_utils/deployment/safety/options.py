# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the option ``touch`` of modules: which deployment and which hosts a run wants to change, and what the user
confirmed (documentation fragment ``touch``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cluster.host_identity import Identity, read_identity
from ...common.connect import DIRECT, ConnectTo
from ...hub.agents.model import ClusterRef
from ..assisted.find import Known
from ..state.work_dir import WorkDir, inventory_host
from ..supervise.observation import InventoryHost
from ..supervise.setup import Limits
from .decision import TouchRequest
from .on_hub import HubScope
from .table import HUB_METHODS, Action

METHODS = ("agent", "assisted", "hub", "hosted", "capi")


def touch_spec() -> dict[str, Any]:
    """The argument spec of option ``touch``."""
    host = {
        "name": {"type": "str", "required": True},
        "hostname": {"type": "str"},
        "mac_addresses": {"type": "list", "elements": "str", "default": []},
        "addresses": {"type": "list", "elements": "str", "default": []},
        "take_over": {"type": "bool", "default": False},
        "system_uuid": {"type": "str"},
        "serial_number": {"type": "str"},
        "bmc_address": {"type": "str"},
        "labels": {"type": "dict", "default": {}},
        "query": {"type": "str"},
    }
    return {
        "type": "dict",
        "options": {
            "method": {"type": "str", "choices": list(METHODS), "default": "agent"},
            "cluster_name": {"type": "str", "default": ""},
            "work_dir": {"type": "path"},
            "confirm": {"type": "list", "elements": "str", "default": []},
            "force": {"type": "list", "elements": "str", "default": []},
            "command": {"type": "str", "default": "deploy_cluster"},
            "api_url": {"type": "str", "default": ""},
            "rendezvous_ip": {"type": "str", "default": ""},
            "timeouts": {"type": "dict", "default": {}},
            "hosts": {"type": "list", "elements": "dict", "default": [], "options": host},
            "hub": {"type": "dict"},
            "assisted": {"type": "dict"},
        },
    }


@dataclasses.dataclass(frozen=True)
class Touch:
    """The values of option ``touch``.

    ``work_dir`` is None for a call that belongs to no deployment; ``hub`` and ``assisted`` are options of connections.
    ``missing`` are recorded hosts that a run about all hosts does not have.
    """

    method: str = "agent"
    cluster: str = ""
    work_dir: Path | None = None
    confirm: frozenset[str] = frozenset()
    force: frozenset[str] = frozenset()
    take_over: frozenset[str] = frozenset()
    command: str = "deploy_cluster"
    api_url: str = ""
    rendezvous_ip: str = ""
    limits: Limits = dataclasses.field(default_factory=Limits)
    hosts: tuple[InventoryHost, ...] = ()
    missing: tuple[InventoryHost, ...] = ()
    identities: Mapping[str, Identity] = dataclasses.field(default_factory=dict)
    hub: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)
    scope: HubScope = dataclasses.field(default_factory=lambda: HubScope(""))
    assisted: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False)
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""

    def request(self, action: Action) -> TouchRequest:
        work_dir = str(self.work_dir or "")
        through = bool((self.hub or {}).get("bare_metal_hosts"))
        return TouchRequest(
            action, self.cluster, self.method, self.confirm, self.force, self.take_over, work_dir, self.command, through
        )

    def identity(self, name: str) -> Identity:
        """By what else than its MAC addresses the Agent of a host is recognised."""
        return self.identities.get(name, Identity())

    def host(self, name: str, macs: Sequence[str] = ()) -> InventoryHost:
        """The identity of a host; one that the options do not list has its name and ``macs`` only."""
        known = next((host for host in (*self.hosts, *self.missing) if host.name == name), None)
        return known or inventory_host({"name": name, "macs": list(macs)})

    def assisted_cluster_id(self, work_dir: WorkDir) -> str:
        """The id of this deployment's cluster at the assisted-service: the one that the user named, else the recorded
        one.
        """
        return str((self.assisted or {}).get("cluster_id") or Known.of(work_dir).cluster_id)

    def known(self, names: Iterable[str]) -> list[InventoryHost]:
        """The identities of these hosts."""
        return [self.host(name) for name in names]


def read_touch(
    provided: Mapping[str, Any] | None,
    connect_to: Mapping[str, str],
    *,
    ca_cert: str = "",
    state_file: Path | None = None,
) -> Touch:
    """The option values; without them a call on machines of which only the state file, if any, is known."""
    direct = ConnectTo.of(connect_to)
    if not provided:
        return Touch(work_dir=state_file.parent if state_file else None, connect_to=direct, ca_cert=ca_cert)
    hub = {**provided["hub"], "connect_to": connect_to} if provided.get("hub") else None
    hosts = tuple(
        inventory_host({**host, "macs": host.get("mac_addresses"), "static_ips": host.get("addresses")})
        for host in provided.get("hosts") or ()
    )
    return Touch(
        method=str(provided.get("method") or "agent"),
        cluster=str(provided.get("cluster_name") or ""),
        work_dir=Path(provided["work_dir"]) if provided.get("work_dir") else None,
        confirm=frozenset(provided.get("confirm") or ()),
        force=frozenset(provided.get("force") or ()),
        take_over=frozenset(str(host["name"]) for host in provided.get("hosts") or () if host.get("take_over")),
        command=str(provided.get("command") or "deploy_cluster"),
        api_url=str(provided.get("api_url") or ""),
        rendezvous_ip=str(provided.get("rendezvous_ip") or ""),
        limits=Limits.of_mapping(
            {
                name: value
                for name, value in (provided.get("timeouts") or {}).items()
                if name in Limits.__dataclass_fields__
            }
        ),
        hosts=hosts,
        identities={str(host["name"]): read_identity(host) for host in provided.get("hosts") or ()},
        hub=hub,
        # Free Agents are hosts for the methods whose hosts become Agents of this hub.
        scope=HubScope(
            str((hub or {}).get("namespace") or ""),
            _reference(hub, "cluster"),
            frozenset((hub or {}).get("namespaces") or ()),
            str((hub or {}).get("infra_env") or "") if provided.get("method") in HUB_METHODS else "",
            capi=provided.get("method") == "capi",
            hosted_cluster=_reference(hub, "hosted_cluster"),
        ),
        assisted={**provided["assisted"], "connect_to": connect_to} if provided.get("assisted") else None,
        connect_to=direct,
        ca_cert=ca_cert,
    )


def _reference(hub: Mapping[str, Any] | None, option: str) -> ClusterRef | None:
    found = (hub or {}).get(option) or {}
    return ClusterRef(str(found.get("namespace") or ""), str(found["name"])) if found.get("name") else None
