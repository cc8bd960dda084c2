# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the rendezvous host (node 0): run the assisted-service, and the programs that register, configure and start
the cluster.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..service.app import AssistedService
from .client.manifests import MOUNTS, ClientError
from .client.rest import Client
from .http import is_own
from .images import AGENT_IMAGES_ENV, agent_images_env, release_image
from .root import Node, parse_env
from .starting import AddScript, StartScript
from .systemd import Container, NotStarted

if TYPE_CHECKING:
    from .system import LiveSystem

SERVICE_PORT = 8090
RENDEZVOUS_ENV = "/etc/assisted/rendezvous-host.env"
SERVICE_ENV = "/usr/local/share/assisted-service/assisted-service.env"
_IMAGES_ENV = "/usr/local/share/assisted-service/images.env"
_START_ENV = "/usr/local/share/start-cluster/start-cluster.env"
# Order of the env files in which the service's container reads them.
# Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
_SERVICE_ENV_FILES = (RENDEZVOUS_ENV, SERVICE_ENV, _IMAGES_ENV, "/etc/assisted/node0", AGENT_IMAGES_ENV)
_REQUIREMENTS_SCRIPT = "configure-assisted-hw-requirements.sh"
# Lab seconds.
PULL_SECONDS = 40.0
START_SECONDS = 10.0
RETRY_SECONDS = 30.0


class NodeZero:
    """What runs on the rendezvous host beside the agent."""

    def __init__(self, live: LiveSystem) -> None:
        self._live = live
        self._root = live.root
        self._clock = live.lab.clock

    async def run(self) -> None:
        if not await self._start_service():
            return
        wanted = self._live.systemd.wanted
        for unit, subcommand in self._registering():
            if unit in wanted:
                await self._client(unit, subcommand)
            else:
                self._live.log(f"systemd: {unit}: not enabled.")
        # start-cluster-installation requires apply-host-config; without the former nothing pulls the latter in.
        if self._live.joins:
            await self._add_node()
        else:
            await self._start_installation()

    def _registering(self) -> tuple[tuple[str, str], ...]:
        """The units that register, and what each does: up to 4.14 one unit did both.

        Conditions tell an image that installs from one that joins.
        """
        both = "create-cluster-and-infraenv.service"
        if self._live.systemd.unit(both) is not None:
            return (both, "register_cluster"), (both, "register_infra_env")
        first = (
            ("agent-import-cluster.service", "import_cluster")
            if self._live.joins
            else ("agent-register-cluster.service", "register_cluster")
        )
        return first, ("agent-register-infraenv.service", "register_infra_env")

    # ---- the service -------------------------------------------------------------------------------------------------

    async def _start_service(self) -> bool:
        """Pod, database, service; whether the service listens."""
        if self._live.starts("assisted-service-pod.service") is None:
            return False
        release = release_image(self._root)
        if not release:
            self._live.log("assisted-service-pod: no release image is named: nothing to pull.")
            return False
        self._live.log(f"Pulling {release}", phase="pulling images")
        await self._clock.sleep(PULL_SECONDS)
        if self._live.systemd.runs("assisted-service-pod.service", "get-container-images.sh"):
            self._root.write(AGENT_IMAGES_ENV, agent_images_env(release))
        if self._live.starts("assisted-service-db.service") is None:
            return False
        unit_environment = self._live.starts("assisted-service.service")
        if unit_environment is None:
            return False
        await self._clock.sleep(START_SECONDS)
        if self._live.lab.faults.take("service-never-starts", self._live.name):
            self._live.log(
                "assisted-service: container exited with 1 (injected fault service-never-starts).", phase="no service"
            )
            return False
        return await self._listen(unit_environment)

    async def _listen(self, unit_environment: Mapping[str, str]) -> bool:
        lab = self._live.lab
        try:
            environment = self.service_environment(unit_environment)
            service = AssistedService(environment, clock=lab.clock, faults=lab.faults, swagger=lab.swagger)
        except (NotStarted, ValueError) as error:
            self._live.log(f"assisted-service: {error}", phase="no service")
            return False
        address = self._node_zero_ip()
        try:
            table = lab.fabric.table
            await service.start(
                table.localhost(self._live.name) if is_own(address) else table.loopback(address), SERVICE_PORT
            )
        except OSError as error:
            owners = ", ".join(owner for owner in lab.fabric.owners(address) if owner != self._live.name)
            other = owners or "another machine"
            self._live.log(f"assisted-service: {error.strerror}: {address} is also on {other}", phase="no service")
            return False
        lab.services.append(service)
        self._live.on_end(service.stop)
        self._live.log(f"assisted-service listens on {address}:{SERVICE_PORT}.", phase="assisted-service runs")
        return True

    def service_environment(self, unit_environment: Mapping[str, str]) -> dict[str, str]:
        """The environment of the service's container. Raises :class:`NotStarted`."""
        values: dict[str, str] = {}
        for path in _SERVICE_ENV_FILES:
            values |= parse_env(self._root.text(path) or "", quotes=False)
        container = self._live.systemd.container(
            "assisted-service.service", unit_environment, Container(values, {"/opt/agent/tls": "/opt/agent/tls"})
        )
        environment = dict(container.environment)
        if environment.get("HW_VALIDATOR_REQUIREMENTS") == "TO_BE_REPLACED_BY_SYSTEMD":
            environment["HW_VALIDATOR_REQUIREMENTS"] = self._requirements()
        return environment

    def _requirements(self) -> str:
        """What the image's own script writes over the placeholder; the placeholder when none runs.

        Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
        """
        script = self._root.text(f"/usr/local/bin/{_REQUIREMENTS_SCRIPT}") or ""
        units = ("assisted-service.service", "assisted-service-pod.service", "assisted-service-db.service")
        if not any(self._live.systemd.runs(unit, _REQUIREMENTS_SCRIPT) for unit in units):
            return "TO_BE_REPLACED_BY_SYSTEMD"
        found = re.findall(r'\[\s*\{\s*"version".*?\}\s*\]', script, re.S)
        large = any(
            re.search(r"^kind: *\"?InternalReleaseImage", node.content.decode("utf-8", "replace"), re.M)
            for node in self._extra_manifests()
        )
        if not found:
            return "TO_BE_REPLACED_BY_SYSTEMD"
        return str(found[-1] if large else found[0])

    def _extra_manifests(self) -> list[Node]:
        return list(self._root.under("/etc/assisted/extra-manifests").values())

    def _node_zero_ip(self) -> str:
        return parse_env(self._root.text(RENDEZVOUS_ENV) or "")["NODE_ZERO_IP"]

    # ---- the client --------------------------------------------------------------------------------------------------

    async def _client(self, unit: str, subcommand: str) -> bool:
        """Run one of the register subcommands until it succeeds; False when its unit does not start."""
        while True:
            client = await self._prepare(unit)
            if client is None:
                return False
            try:
                await getattr(client, subcommand)()
            except ClientError as error:
                self._say(unit, str(error))
                await self._clock.sleep(RETRY_SECONDS)
            else:
                return True

    async def _prepare(self, unit: str) -> Client | None:
        """The client as its unit starts it, once the service answers; None when the unit does not start."""
        environment = self._live.starts(unit)
        if environment is None:
            return None
        documented = self._files(RENDEZVOUS_ENV, SERVICE_ENV) | environment
        try:
            container = self._live.systemd.container(unit, environment, Container(documented, MOUNTS))
        except NotStarted as error:
            self._live.log(f"systemd: {error}")
            return None
        client = Client(
            self._live.http, self._root, container, lambda text: self._say(unit, text), self._live.lab.site.releases
        )
        await self._wait_for_service(client, unit)
        return client

    def _say(self, unit: str, text: str) -> None:
        self._live.log(f"{unit.removesuffix('.service')}: {text}")

    def _files(self, *paths: str) -> dict[str, str]:
        """The variables of environment files, later ones winning."""
        values: dict[str, str] = {}
        for path in paths:
            values |= parse_env(self._root.text(path) or "")
        return values

    async def _wait_for_service(self, client: Client, unit: str) -> None:
        """wait-for-assisted-service: GET /v2/infra-envs until it succeeds, 5 s apart."""
        said = ""
        while True:
            try:
                reply = await client.call("GET", "/v2/infra-envs")
            except ClientError as error:
                text = str(error)
            else:
                if reply.ok:
                    return
                text = reply.complaint()
            if text != said:
                self._say(unit, f"waiting for the assisted-service: {text}")
                said = text
            await self._clock.sleep(5)

    # ---- host configuration and start --------------------------------------------------------------------------------

    async def _start_installation(self) -> None:
        unit = "start-cluster-installation.service"
        if unit not in self._live.systemd.wanted:
            self._live.log(f"systemd: {unit}: not enabled: no unit starts the installation.")
            return
        if not await self._configure("apply-host-config.service"):
            self._live.log(f"systemd: {unit}: Dependency failed: apply-host-config.service")
            return
        environment = self._live.starts(unit)
        if environment is None:
            return
        await StartScript(self._live, environment or self._files(RENDEZVOUS_ENV, SERVICE_ENV, _START_ENV)).run()

    async def _add_node(self) -> None:
        """add-node.sh: the only host of this service is installed as soon as the service finds it fit."""
        unit = "agent-add-node.service"
        if unit not in self._live.systemd.wanted:
            self._live.log(f"systemd: {unit}: not enabled: no unit adds this node.")
            return
        if not await self._configure("apply-host-config.service"):
            self._live.log(f"systemd: {unit}: Dependency failed: apply-host-config.service")
            return
        environment = self._live.starts(unit)
        if environment is not None:
            await AddScript(self._live, environment or self._files(RENDEZVOUS_ENV, SERVICE_ENV, _START_ENV)).run()

    async def _configure(self, unit: str) -> bool:
        """configure: until every expected host is there and as it should be; 1, 2, 4, ... 32 seconds apart."""
        client = await self._prepare(unit)
        if client is None:
            return False
        try:
            configs = client.host_configs([mac for _name, mac, _link in self._live.machine.nics])
            delay, said = 1.0, ""
            while failures := await client.configure_once(configs):
                text = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
                if text != said:
                    self._live.log(f"apply-host-config: {text}", phase="waiting for hosts")
                    said = text
                await self._clock.sleep(delay)
                delay = delay * 2 if delay < 30 else delay
        except ClientError as error:
            self._live.log(f"apply-host-config: {error}")
            return False
        self._live.log("apply-host-config: Configured all hosts")
        return True
