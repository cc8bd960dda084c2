# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Record how the installation of a cluster on a hub progresses, in sections ``cluster`` and ``install`` of the state
file, for the report and for the next run.

The sections have the same form as in :mod:`..supervise.timeline`. Times are those of the control node, since the hub's
clock may differ.
"""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...cluster.spec import Deployment
from ...common.files import ensure_directory
from ...hub.agents.model import Agent
from ...hub.install.wait import InstallSituation
from ..state.work_dir import WorkDir, cluster_section, hosts_of_deployment
from ..supervise.awaited import Awaited
from ..supervise.estimate import SECTION as HISTORY
from ..supervise.estimate import phase_lengths, remember
from ..supervise.observation import FAILED, InventoryHost
from ..supervise.timeline import AWAITED, SECTION, utc_now

METHOD = "hub"
DEFINED, INSTALLED = "defined", "installed"
_OVER = (INSTALLED, FAILED)


class HubTimeline:
    """Keeps the record of one cluster in a work directory; without one (None) nothing is kept.

    ``cluster`` is section ``cluster`` of the state (:func:`hub_section`), ``method`` the installation method that
    records.
    """

    def __init__(
        self,
        work_dir: WorkDir | None,
        hosts: Sequence[InventoryHost],
        cluster: Mapping[str, Any],
        now: Callable[[], datetime.datetime] = utc_now,
        *,
        method: str = METHOD,
    ) -> None:
        self._work_dir = work_dir
        self._hosts, self._cluster, self._method = tuple(hosts), dict(cluster), method
        self._now = now
        recorded = work_dir.state.section(SECTION) if work_dir else {}
        # What another method recorded in this directory is of another installation.
        self._section: dict[str, Any] = recorded if recorded.get("method") == method else {}

    @classmethod
    def of(
        cls, work_dir: WorkDir | None, deployment: Deployment, now: Callable[[], datetime.datetime] = utc_now
    ) -> HubTimeline:
        return cls(work_dir, hosts_of_deployment(deployment), hub_section(deployment), now)

    @property
    def phase(self) -> str:
        return str(self._section.get("phase") or "")

    @property
    def detached(self) -> tuple[str, ...]:
        """Hosts whose media an earlier run detached; of an installation that failed nothing is known any more."""
        return tuple(self._section.get("detached") or ()) if self._section.get("phase") != FAILED else ()

    def known(self, *, started: bool) -> None:
        """The cluster is on the hub."""
        if not started and self._section.get("phase") in _OVER:
            self._section = {}
        if not self._section:
            self._section["phase"] = DEFINED
            self._write()

    def describe(self, cluster: Mapping[str, Any]) -> None:
        """Another description of the cluster, such as with other hosts; written when it is news.

        What is known of former hosts is forgotten.
        """
        self._cluster = dict(cluster)
        known, members = self._section.get("hosts") or {}, {str(host["name"]) for host in cluster["hosts"]}
        self._section["hosts"] = {name: entry for name, entry in known.items() if name in members}
        if self._work_dir is not None and self._work_dir.state.section("cluster") != self._cluster:
            self._write()

    def begin(self, *, started: bool) -> None:
        """A wait begins. An installation that has not ``started`` is not the one that is recorded as over."""
        self.known(started=started)
        self._section.setdefault("started_at", self._stamp())
        for key in ("failure", "stopped_at"):
            self._section.pop(key, None)
        if self._section["phase"] == DEFINED:
            self._section["phase"] = "booted"
        self._write()

    def see(self, situation: InstallSituation, detached: Sequence[str]) -> None:
        """What is known now; written only when it is news."""
        before = copy.deepcopy(self._section)
        status = situation.status
        if status.phase != INSTALLED and not status.terminal:
            self._section["phase"] = "installing" if status.started else "booted"
            self._section.setdefault("phases", {}).setdefault(
                "install" if status.started else "discovery", self._stamp()
            )
        for agent in situation.agents:
            self._host(agent)
        self._section[AWAITED] = _awaited(situation)
        self._section["detached"] = list(detached)
        if self._section != before:
            self._write()

    def installed(self, detached: Sequence[str] | None = None) -> None:
        """It is complete. ``detached`` is None if no media were supervised."""
        before = copy.deepcopy(self._section)
        self._section["phase"] = INSTALLED
        self._section.pop(AWAITED, None)
        lengths: dict[str, float] = {}
        if "installed_at" not in self._section:
            self._section["installed_at"] = self._stamp()
            lengths = phase_lengths(self._section.get("phases") or {}, self._section["installed_at"])
        if detached is not None:
            self._section["detached"] = list(detached)
        if self._section != before:
            self._write(lengths)

    def failed(self, reason: str, *, terminal: bool) -> None:
        """The wait ended badly, the installation only if that is ``terminal``."""
        self._section |= {"failure": reason, "stopped_at": self._stamp()}
        if terminal:
            self._section["phase"] = FAILED
            self._section.pop(AWAITED, None)
        self._write()

    def _host(self, agent: Agent) -> None:
        name = next((own.name for own in self._hosts if _is(own, agent)), agent.hostname or agent.name)
        hosts = self._section.setdefault("hosts", {})
        old: Mapping[str, Any] = hosts.get(name) or {}
        if (old.get("status"), old.get("stage")) != (agent.state, agent.stage):
            event = {"host": name, "status": agent.state, "stage": agent.stage, "at": self._stamp()}
            self._section.setdefault("timeline", []).append(event)
        hosts[name] = {
            **old,
            "status": agent.state,
            "stage": agent.stage,
            "role": agent.role,
            "hostname": agent.hostname,
        }

    def _write(self, lengths: Mapping[str, float] | None = None) -> None:
        if self._work_dir is None:
            return
        ensure_directory(self._work_dir.root)
        self._section["method"] = self._method
        with self._work_dir.state.edit() as document:
            document["cluster"] = dict(self._cluster)
            document[SECTION] = self._section
            if lengths:
                document[HISTORY] = remember(document.get(HISTORY), lengths)

    def _stamp(self) -> str:
        return self._now().astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def hub_section(deployment: Deployment) -> dict[str, Any]:
    """Section ``cluster``: as for an agent ISO, but without a rendezvous host, and with what the report would otherwise
    find in the files of the image.
    """
    spec = deployment.cluster
    return {
        **cluster_section(deployment),
        "rendezvous_ip": "",
        "platform": spec.platform,
        "api_vips": list(spec.api_vips),
        "ingress_vips": list(spec.ingress_vips),
        "machine_networks": list(spec.networking.machine_networks),
    }


def _awaited(situation: InstallSituation) -> dict[str, str]:
    """What the installation waits for, and the first host that is not complete."""
    agent = next(
        (agent for agent in situation.agents if agent.state not in ("installed", "known", "known-unbound")), None
    )
    if agent is None:
        return Awaited(situation.status.text()).as_dict()
    reason = f"{agent.state}, {agent.stage}" if agent.stage else agent.state
    return Awaited(
        situation.status.text(),
        agent.hostname or agent.name,
        reason,
        (f"If it lasts, read the conditions of {agent.title} on the hub."),
    ).as_dict()


def _is(host: InventoryHost, agent: Agent) -> bool:
    return bool(set(host.macs) & set(agent.macs)) or (bool(agent.hostname) and agent.hostname.lower() == host.node_name)
