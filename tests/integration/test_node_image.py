# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A node image of ours boots on two machines of the lab: each is its own rendezvous host, imports the cluster, is installed and starts from its disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.door import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import node_image
from ztlab.clock import LabClock
from ztlab.fabric.loopback import lock_net
from ztlab.image.base import write_base_image
from ztlab.lab import Lab
from ztlab.site.load import parse_site

NODES = """\
hosts:
- hostname: extra-0
  rootDeviceHints: {deviceName: /dev/sdb}
  interfaces: [{name: lan, macAddress: "02:00:00:00:00:10"}]
  networkConfig:
    interfaces: [{name: lan, type: ethernet, state: up, ipv4: {enabled: true, address: [{ip: 192.168.111.90, prefix-length: 24}]}}]
    routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 192.168.111.1, next-hop-interface: lan}]}
    dns-resolver: {config: {server: [192.168.111.1]}}
- hostname: extra-1
  interfaces: [{name: lan, macAddress: "02:00:00:00:00:11"}]
"""
API = "192.168.111.5"
CONFIGURATION = f"http://{API}:22624/config/worker"
FACTS: dict[str, Any] = {
    "id": "11111111-2222-3333-4444-555555555555",
    "api_dns_name": "api.kni.example.com",
    "version": "4.22.0",
    "release_image": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
    "platform": "baremetal",
    "pull_secret": '{"auths": {"quay.io": {"auth": "bGFiOmdlaGVpbQ=="}}}',
    "ignition_endpoint": {"url": CONFIGURATION, "ca_certificate": ""},
}
SITE: dict[str, Any] = {
    "networks": [
        {
            "name": "machines",
            "cidr": "192.168.111.0/24",
            "dhcp": {"range": ["192.168.111.100", "192.168.111.110"]},
            "dns": {"servers": ["192.168.111.1"], "records": {"api.kni.example.com": API, "api-int.kni.example.com": API}},
        }
    ],
    "machines": [
        {
            "name": f"rack-{number}",
            "cpus": 8,
            "memory_mib": 32768,
            "nics": [{"name": "eno1", "mac": f"02:00:00:00:00:1{number}", "network": "machines"}],
            "disks": [{"name": name, "size_gib": 480, "serial": f"{name}{number}"} for name in ("sda", "sdb")],
            "bmc": {"address": f"https://10.0.0.1{number}/redfish/v1/Systems/1", "username": "admin", "password": "geheim"},
        }
        for number in range(2)
    ],
}
SPEED = 900.0
WALL_LIMIT = 60


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("nodes")
    (directory / "nodes-config.yaml").write_text(NODES)
    base = write_base_image(directory / "base.iso")
    specification = node_image.argument_spec()
    defaults = {name: option.get("default") for name, option in specification.items()}
    facts = {name: option.get("default") for name, option in specification["running_cluster"]["options"].items()}
    given = {"source_dir": str(directory), "dest": str(directory / "work"), "base_image": {"path": str(base), "url": None, "sha256": None, "version": None}}
    done = perform(node_image.run, Call({**defaults, **given, "running_cluster": {**facts, **FACTS}}, check_mode=False, diff=False))
    assert not done["failed"], done
    return Path(done["path"])


class World:
    """A lab with the image in every drive, and a cluster of which there is nothing but its configuration for workers."""

    def __init__(self, directory: Path, image: Path) -> None:
        self._lock = lock_net()
        self._image = image
        self.asked: list[str] = []
        self.lab = Lab(parse_site(SITE), state=directory, net=self._lock.number, clock=LabClock(SPEED))

    async def __aenter__(self) -> World:
        await self.lab.start()
        await self._serve("/node.iso", lambda _request: web.FileResponse(self._image), self.lab.fabric.table.publish, 9000)
        self.lab.fabric.virtual[API] = ""
        # The service puts the pool behind the URL that it is given, and the machine config server goes by the last part.
        await self._serve("/config/worker/worker", self._configuration, self.lab.fabric.table.loopback(API), 22624)
        for machine in self.lab.machines.values():
            machine.cd.insert(f"http://{self.lab.fabric.table.publish}:9000/node.iso")
            machine.boot.target, machine.boot.enabled = "Cd", "Once"
            machine.reset("On")
        return self

    async def __aexit__(self, *_reason: object) -> None:
        await self.lab.stop()
        self._lock.release()

    async def _serve(self, path: str, answer: Callable[[web.Request], web.StreamResponse], address: str, port: int) -> None:
        async def handler(request: web.Request) -> web.StreamResponse:
            return answer(request)

        app = web.Application()
        app.router.add_get(path, handler)
        await self.lab.serve(app, address, port)

    def _configuration(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.headers["Host"])
        return web.json_response({"ignition": {"version": "3.2.0"}})

    def console(self, name: str) -> str:
        return self.lab.paths.console(name).read_text(encoding="utf-8")

    async def until_all_say(self, text: str) -> None:
        def said() -> bool:
            return all(text in self.console(name) for name in self.lab.machines)

        if not await self.lab.clock.until(said, every=1.0, limit=WALL_LIMIT * SPEED):
            raise AssertionError("\n".join(self.console(name) for name in self.lab.machines))


@pytest.fixture(scope="module")
def consoles(tmp_path_factory: pytest.TempPathFactory, image: Path) -> dict[str, str]:
    async def played() -> dict[str, str]:
        async with World(tmp_path_factory.mktemp("lab"), image) as world:
            await world.until_all_say("Installation done, restarting from disk.")
            assert world.asked
            return {name: world.console(name) for name in world.lab.machines}

    return asyncio.run(asyncio.wait_for(played(), WALL_LIMIT + 30))


def test_each_machine_imports_the_cluster_into_a_service_of_its_own(consoles: dict[str, str]) -> None:
    for name, text in consoles.items():
        assert "This machine is the rendezvous host: 127.0.0.1 is on lo" in text, name
        assert text.count("agent-import-cluster: Imported cluster with id: ") == 1, text
        assert "agent-register-infraenv: Registered infraenv with id: " in text
        assert "agent-register-cluster: " not in text and "start-cluster-installation: " not in text


def test_each_machine_configures_itself_only(consoles: dict[str, str]) -> None:
    for number, (name, text) in enumerate(consoles.items()):
        assert f"This machine is extra-{number}." in text, name
        assert "apply-host-config: Configured all hosts" in text
        assert f"extra-{1 - number}" not in text
    assert "192.168.111.90" in consoles["rack-0"] and "192.168.111.10" in consoles["rack-1"]
    assert "disk /dev/sdb" in consoles["rack-0"] and "disk /dev/sda" in consoles["rack-1"]


def test_each_machine_is_installed_once_the_service_finds_it_fit(consoles: dict[str, str]) -> None:
    for text in consoles.values():
        assert "add-node: the installation of this host is started" in text
        assert "assisted-installer: role worker" in text
        assert "Installation done, restarting from disk." in text
