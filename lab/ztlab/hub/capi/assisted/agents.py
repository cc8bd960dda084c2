# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Set role, Ignition and approval of Agents that were discovered through the InfraEnv of a Machine.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/internal/controller/agent_controller.go.
"""

from __future__ import annotations

from ...controller import Retry
from ...names import AGENT, INFRA_ENV, INFRA_ENV_LABEL, Key, Object, annotations_of, key_of, labels_of
from ...world import World
from ..kinds import CoreKinds
from ..provider.agent_cluster import owner_of
from ..shape import reference_target
from . import names
from .ignition import Invalid, for_installation, kernel_arguments


class DiscoveredAgentController:
    """Reconcile keys are all Agents, including Agents without a Machine (defect D17 in docs/lab-scope.md)."""

    def __init__(self, world: World, core: CoreKinds) -> None:
        self._world, self._core = world, core

    async def reconcile(self, key: Key) -> float | None:
        """Raises Retry for Agents that belong to no Machine."""
        agent = self._world.get(AGENT, key)
        if agent is None:
            return None
        name = labels_of(agent).get(INFRA_ENV_LABEL)
        if name is None:
            raise Retry(f"no {INFRA_ENV_LABEL} label on Agent {key[0]}/{key[1]}")
        infra_env = self._world.get(INFRA_ENV, (key[0], name))
        if infra_env is None:
            raise Retry(f'infraenvs.agent-install.openshift.io "{name}" not found')
        reference = owner_of(infra_env, "Machine")
        if reference is None:
            raise Retry("couldn't find *v1beta2.Machine owner for *v1beta1.InfraEnv")
        machine = self._world.get(self._core.machine, (key[0], reference["name"]))
        if machine is None:
            raise Retry(f'machines.cluster.x-k8s.io "{reference["name"]}" not found')
        target = reference_target((machine["spec"].get("bootstrap") or {}).get("configRef"), key[0])
        if target is None:
            return None
        config = self._world.get(self._core.config, (key_of(machine)[0], target[2][1]))
        if config is None:
            raise Retry(f'openshiftassistedconfigs.bootstrap.cluster.x-k8s.io "{target[2][1]}" not found')
        await self._push(agent, name, machine, config)
        return None

    async def _push(self, agent: Object, infra_env: str, machine: Object, config: Object) -> None:
        spec = config.get("spec") or {}
        try:
            ignition = for_installation(spec, annotations_of(config).get(names.IGNITION_OVERRIDE, ""))
        except Invalid as error:
            raise Retry(str(error)) from error
        wanted = {
            "role": "master" if names.CONTROL_PLANE_LABEL in labels_of(machine) else "worker",
            "ignitionConfigOverrides": ignition,
            "approved": self._approvable(agent, infra_env),
        }
        if all(
            agent["spec"].get(member, False if member == "approved" else "") == value
            for member, value in wanted.items()
        ):
            return
        await self._world.replace(
            AGENT, {**agent, "spec": {**agent["spec"], **wanted, "installerArgs": kernel_arguments(spec)}}
        )

    def _approvable(self, agent: Object, infra_env: str) -> bool:
        """Only one Agent of an InfraEnv's name, in whatever namespace."""
        others = (item for item in self._world.all(AGENT) if labels_of(item).get(INFRA_ENV_LABEL) == infra_env)
        return not any(item["spec"].get("approved") and key_of(item) != key_of(agent) for item in others)
