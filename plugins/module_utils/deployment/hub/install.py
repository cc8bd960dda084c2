# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create a cluster on a hub from a configuration, and supervise it until it is in the desired state, for module
``agent_cluster_install``.

First a plan is made, then it is applied. The wait detaches the medium of a host as soon as that host reboots, and
fetches the credentials.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...common.addresses import normal_mac
from ...common.errors import PartialFailure
from ...common.retry_policies import HUB_DETACH
from ...hub.agents.model import Agent, ClusterRef
from ...hub.credentials import KUBECONFIG, PASSWORD, HubCredentials, read_credentials
from ...hub.install.run import failures
from ...hub.install.status import InstallStatus
from ...hub.install.wait import InstallSituation, hosts_result
from ...kube.client import KubeClient
from ...kube.write import WriteOutcome
from ..state.work_dir import WorkDir
from ..supervise.supervisor import MediaControl

# Stages from which on a host does not need its medium any more.
# Source: openshift/assisted-service internal/host/statemachine.go.
_BOOTED_FROM_DISK = frozenset({"Rebooting", "Waiting for ignition", "Configuring", "Joined", "Done"})


def plan_credentials(client: KubeClient, namespace: str, status: InstallStatus, work_dir: WorkDir) -> HubCredentials:
    """Which credentials have to be fetched: the kubeconfig once the installation runs, the password once it is
    complete.
    """
    wanted = (
        (status.kubeconfig_secret, KUBECONFIG, work_dir.kubeconfig),
        (status.password_secret, PASSWORD, work_dir.kubeadmin_password),
    )
    return read_credentials(client, namespace, wanted)


class MediaDetacher:
    """Detaches the medium of each host as soon as it boots from its disk: a machine that prefers the medium would boot
    discovery again.
    """

    def __init__(self, media: MediaControl, names: Mapping[str, str], done: Collection[str] = ()) -> None:
        """``names``: hostname or MAC of a host, lower case -> its name for ``media``; ``done``: those that an earlier
        run detached.
        """
        self._media = media
        self._names = names
        self._tried: dict[str, int] = {}
        self._done: set[str] = set(done)
        self.changed = False
        self.warnings: list[str] = []

    def __call__(self, situation: InstallSituation) -> Sequence[str]:
        due = self.due(situation)
        if not due:
            return ()
        lines = [f"{', '.join(due)}: ejecting the ISO (host boots from disk)"]
        for result in self._media.eject(due):
            self._tried[result.name] = self._tried.get(result.name, 0) + 1
            self.changed = self.changed or result.changed
            if not result.failed:
                self._done.add(result.name)
            elif self._tried[result.name] == HUB_DETACH.attempts:
                self.warnings.append(
                    f"The medium of {result.name} could not be detached. Detach it manually: {result.reason}"
                )
                lines.append(self.warnings[-1])
        return lines

    def restart(self) -> None:
        """The installation has not begun: what was detached in an earlier one is attached again by now."""
        self._done.clear()

    @property
    def done(self) -> list[str]:
        """Hosts without a medium of ours, for the next run."""
        return sorted(self._done & set(self._names.values()))

    def due(self, situation: InstallSituation) -> list[str]:
        """Hosts whose medium is to be detached now."""
        return [name for name in map(self._due, situation.agents) if name]

    def _due(self, agent: Agent) -> str:
        keys = (agent.hostname.lower(), *agent.macs)
        name = next((self._names[key] for key in keys if key in self._names), "")
        if name in self._done or HUB_DETACH.exhausted(self._tried.get(name, 0)):
            return ""
        return name if agent.stage in _BOOTED_FROM_DISK else ""


def media_names(hosts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Hosts of the option ``media_hosts`` by everything an Agent may be known by."""
    return {
        key: str(host["name"])
        for host in hosts
        for key in (str(host["name"]).lower(), *(normal_mac(str(mac)) for mac in host["mac_addresses"]))
    }


def result_of(cluster: ClusterRef, situation: InstallSituation, outcomes: Sequence[WriteOutcome]) -> dict[str, Any]:
    """The part of the module's result that describes the cluster."""
    status = situation.status
    return {
        "namespace": cluster.namespace,
        "name": cluster.name,
        "phase": status.phase,
        "percent": status.percent,
        "reason": status.reason,
        "validations": [{"id": validation.id, "message": validation.message} for validation in status.validations],
        "hosts": hosts_result(situation.agents),
        "objects": [
            {"kind": outcome.change.resource.kind, "name": outcome.change.name, "action": outcome.change.verb}
            for outcome in outcomes
        ],
    }


def refuse_failures(outcomes: Sequence[WriteOutcome], planned: int, result: Mapping[str, Any]) -> None:
    """Raises :class:`PartialFailure` if an object could not be written, with what was and what was not done."""
    failed = failures(outcomes)
    if failed:
        done = [outcome.change.title for outcome in outcomes if outcome.changed and not outcome.error]
        left = planned - len(outcomes)
        account = f" Done before: {', '.join(done)}." if done else ""
        account += f" Not tried: {left} more." if left else ""
        raise PartialFailure("; ".join(failed) + account, {**result, "changed": bool(done)})
