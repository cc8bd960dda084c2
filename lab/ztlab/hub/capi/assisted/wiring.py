# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the controllers of OpenShift Assisted on one hub, and map changes of objects to reconcile requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping

import aiohttp

from ....texts import error_text
from ...controller import Controller
from ...names import AGENT, CLUSTER_DEPLOYMENT, CLUSTER_INSTALL, INFRA_ENV, Key, Kind, Object, key_of, labels_of
from ...redfish import Redirect
from ...world import World
from ..kinds import BOOTSTRAP, CLUSTER_NAME, CoreKinds
from ..nodes import Nodes
from ..shape import controller_of, reference_target
from .agents import DiscoveredAgentController
from .config import ConfigController, DownloadError
from .control_plane import ControlPlaneController
from .deployment import DeploymentController
from .install import InstallController

Keys = Callable[[Object], Iterable[Key]]
On = Callable[[Kind, Controller, Keys], None]


class OpenshiftAssisted:
    """Both providers. ``releases``: image -> version, shared with what installs clusters; ``redirect``: how the hub
    reaches the names of the site.
    """

    def __init__(
        self,
        world: World,
        core: CoreKinds,
        releases: MutableMapping[str, str],
        session: Callable[[], aiohttp.ClientSession],
        redirect: Redirect,
        nodes: Nodes,
    ) -> None:
        self._core, self._session, self._redirect = core, session, redirect
        clock = world.clock
        self.configs = Controller(
            "openshiftassistedconfig", clock, ConfigController(world, core, self._fetch).reconcile
        )
        self.agents = Controller("openshift assisted agent", clock, DiscoveredAgentController(world, core).reconcile)
        self.planes = Controller(
            "openshiftassistedcontrolplane", clock, ControlPlaneController(world, core, releases, nodes).reconcile
        )
        self.deployments = Controller(
            "openshift assisted clusterdeployment", clock, DeploymentController(world, core, releases).reconcile
        )
        self.installs = Controller(
            "openshift assisted agentclusterinstall", clock, InstallController(world, core).reconcile
        )
        self.controllers = [self.configs, self.agents, self.planes, self.deployments, self.installs]

    def wire(self, on: On) -> None:
        """Neither Cluster nor config brings a control plane into a new pass, as upstream has it: it polls."""
        core = self._core
        on(core.config, self.configs, lambda item: [key_of(item)])
        on(core.machine, self.configs, _config_of_machine)
        on(INFRA_ENV, self.configs, _config_of_infra_env)
        on(CLUSTER_DEPLOYMENT, self.configs, lambda item: [key_of(item)])
        on(AGENT, self.agents, lambda item: [key_of(item)])
        on(core.control_plane, self.planes, lambda item: [key_of(item)])
        on(core.machine, self.planes, _plane_of_machine)
        for kind in (CLUSTER_DEPLOYMENT, core.control_plane, core.machine_deployment):
            on(kind, self.deployments, lambda item: [key_of(item)] if CLUSTER_NAME in labels_of(item) else [])
        on(CLUSTER_INSTALL, self.installs, lambda item: [key_of(item)])

    async def _fetch(self, url: str) -> bytes:
        """Raises DownloadError."""
        target, host = self._redirect(url)
        try:
            async with self._session().get(
                target, headers={"Host": host}, timeout=aiohttp.ClientTimeout(total=30)
            ) as answer:
                body = await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DownloadError(f"GET {url}: {error_text(error)}") from error
        if answer.status != 200:
            raise DownloadError(f"request to {url.partition('?')[0]} returned status {answer.status}")
        return body


def _config_of_machine(machine: Object) -> list[Key]:
    target = reference_target((machine["spec"].get("bootstrap") or {}).get("configRef"), key_of(machine)[0])
    return [target[2]] if target is not None and target[0] == BOOTSTRAP else []


def _config_of_infra_env(infra_env: Object) -> list[Key]:
    owners = infra_env["metadata"].get("ownerReferences") or []
    return [
        (key_of(infra_env)[0], entry["name"]) for entry in owners if entry["apiVersion"].startswith(f"{BOOTSTRAP}/")
    ][:1]


def _plane_of_machine(machine: Object) -> list[Key]:
    found = controller_of(machine)
    return [(key_of(machine)[0], str(found["name"]))] if found.get("kind") == "OpenshiftAssistedControlPlane" else []
