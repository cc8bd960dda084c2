# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile MachineHealthChecks: mark unhealthy Machines; the MachineSet of a marked Machine
deletes and replaces it.
"""

from __future__ import annotations

from ..conditions import Condition, merge
from ..names import Key, Object, deleting, key_of, labels_of
from ..world import World
from . import conditions as made
from .conditions import false, true
from .health import Checks, Finding, allowed, checks, judge, watched
from .kinds import CoreKinds
from .nodes import Nodes
from .provider.selection import selects
from .shape import condition_is, new_conditions, old_conditions, paused, with_conditions

POLL_SECONDS = 60.0


def to_be_replaced(machine: Object) -> bool:
    """Whether the conditions of a Machine make its MachineSet delete it."""
    return condition_is(old_conditions(machine), "OwnerRemediated", "False") and condition_is(
        old_conditions(machine), "HealthCheckSucceeded", "False"
    )


class HealthCheckController:
    def __init__(self, world: World, core: CoreKinds, nodes: Nodes) -> None:
        self._world, self._core, self._nodes = world, core, nodes

    async def reconcile(self, key: Key) -> float | None:
        item = self._world.get(self._core.health_check, key)
        if item is None or deleting(item):
            return None
        cluster_key = key[0], item["spec"]["clusterName"]
        cluster = self._world.get(self._core.cluster, cluster_key)
        if cluster is None or paused(item, cluster):
            return POLL_SECONDS
        rules, machines = checks(item), self._targets(item)
        nodes = self._nodes.all(cluster_key)
        found = {machine["metadata"]["name"]: self._judge(machine, rules, nodes) for machine in machines}
        bad = [machine for machine in machines if found[machine["metadata"]["name"]].reason]
        allowance = allowed(rules, len(machines), len(bad))
        for machine in machines:
            await self._mark(machine, found[machine["metadata"]["name"]], replace=allowance >= 0)
        await self._show(item, machines, len(bad), allowance)
        return min([POLL_SECONDS, *(finding.again for finding in found.values() if finding.again is not None)])

    def _targets(self, item: Object) -> list[Object]:
        """Machines of the cluster that the selector takes."""
        listed = self._world.all(self._core.machine, key_of(item)[0])
        own = [
            machine
            for machine in listed
            if machine["spec"].get("clusterName") == item["spec"]["clusterName"] and watched(machine)
        ]
        return sorted((machine for machine in own if selects(item["spec"]["selector"], labels_of(machine))), key=key_of)

    def _judge(self, machine: Object, rules: Checks, nodes: list[Object] | None) -> Finding:
        provider_id = machine["spec"].get("providerID")
        node = next(
            (
                entry
                for entry in nodes or ()
                if provider_id and (entry.get("spec") or {}).get("providerID") == provider_id
            ),
            None,
        )
        return judge(machine, node, rules, self._world.age, nodes_known=nodes is not None)

    async def _mark(self, machine: Object, finding: Finding, *, replace: bool) -> None:
        kind = "HealthCheckSucceeded"
        if not finding.reason:
            await self._conditions(machine, [true(kind, "Succeeded")], [true(kind, "")])
            return
        new = [false(kind, finding.reason, finding.message)]
        if replace:
            new.append(false("OwnerRemediated", "WaitingForRemediation", "Waiting for remediation"))
        await self._conditions(
            machine, new, [Condition(entry.type, entry.status, entry.reason, entry.message) for entry in new]
        )

    async def _conditions(self, machine: Object, new: list[Condition], old: list[Condition]) -> None:
        machine = self._world.get(self._core.machine, key_of(machine)) or machine
        now, generation = self._world.now(), int(machine["metadata"].get("generation") or 1)
        both = (
            made.new_form(new_conditions(machine), new, now, generation),
            made.old_form(old_conditions(machine), old, now),
        )
        status = with_conditions(machine.get("status") or {}, v1beta2=self._core.v1beta2, new=both[0], old=both[1])
        await self._world.status(self._core.machine, machine, status)

    async def _show(self, item: Object, machines: list[Object], bad: int, allowance: int) -> None:
        text = (
            "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy "
            f"(total: {len(machines)}, unhealthy: {bad})"
        )
        condition = (
            true("RemediationAllowed", "Allowed")
            if allowance >= 0
            else false("RemediationAllowed", "TooManyUnhealthy", text)
        )
        status = {
            "expectedMachines": len(machines),
            "currentHealthy": len(machines) - bad,
            "remediationsAllowed": max(0, allowance),
            "targets": [machine["metadata"]["name"] for machine in machines],
            "observedGeneration": int(item["metadata"].get("generation") or 1),
            "conditions": merge((item.get("status") or {}).get("conditions"), [condition], self._world.now()),
        }
        await self._world.status(self._core.health_check, item, status)
