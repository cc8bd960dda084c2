# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot a node image of this collection on two machines of the lab: each is its own rendezvous host, imports the
cluster, is installed, and becomes a node of it.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import make_secrets
from ansible_collections.zerotouch.openshift.plugins.modules import node_image
from ztlab.clock import LabClock
from ztlab.clusters import ClusterPlan, RunningCluster
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
"""  # noqa: E501
API = "192.168.111.5"
CLUSTER_ID = "11111111-2222-3333-4444-555555555555"
FACTS: dict[str, Any] = {
    "id": CLUSTER_ID,
    "api_dns_name": "api.kni.example.com",
    "version": "4.22.0",
    "release_image": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
    "platform": "baremetal",
    "pull_secret": '{"auths": {"quay.io": {"auth": "bGFiOmdlaGVpbQ=="}}}',
}
SITE: dict[str, Any] = {
    "networks": [
        {
            "name": "machines",
            "cidr": "192.168.111.0/24",
            "dhcp": {"range": ["192.168.111.100", "192.168.111.110"]},
            "dns": {
                "servers": ["192.168.111.1"],
                "records": {"api.kni.example.com": API, "api-int.kni.example.com": API},
            },
        }
    ],
    "machines": [
        {
            "name": f"rack-{number}",
            "cpus": 8,
            "memory_mib": 32768,
            "nics": [{"name": "eno1", "mac": f"02:00:00:00:00:1{number}", "network": "machines"}],
            "disks": [{"name": name, "size_gib": 480, "serial": f"{name}{number}"} for name in ("sda", "sdb")],
            "bmc": {
                "address": f"https://10.0.0.1{number}/redfish/v1/Systems/1",
                "username": "admin",
                "password": "geheim",
            },
        }
        for number in range(2)
    ],
}
SPEED = 900.0
WALL_LIMIT = 60


def build(directory: Path, authority: bytes) -> Path:
    """The image, as the module makes it from what is known of the cluster."""
    (directory / "nodes-config.yaml").write_text(NODES)
    base = write_base_image(directory / "base.iso")
    specification = node_image.argument_spec()
    defaults = {name: option.get("default") for name, option in specification.items()}
    facts = {name: option.get("default") for name, option in specification["running_cluster"]["options"].items()}
    endpoint = {
        "url": "https://api-int.kni.example.com:22623/config/worker",
        "ca_certificate": base64.b64encode(authority).decode(),
    }
    provided = {
        "config_dir": str(directory),
        "work_dir": str(directory / "work"),
        "base_image": {"path": str(base), "url": None, "sha256": None, "version": None},
    }
    done = perform(
        node_image.run,
        Call({**defaults, **provided, "running_cluster": {**facts, **FACTS, "ignition_endpoint": endpoint}}),
    )
    assert not done["failed"], done
    return Path(done["path"])


class World:
    """A lab in which a cluster of one node runs, and two machines that are off."""

    def __init__(self, directory: Path) -> None:
        self._lock = lock_net()
        self.lab = Lab(parse_site(SITE), state=directory, net=self._lock.number, clock=LabClock(SPEED))

    async def __aenter__(self) -> World:
        await self.lab.start()
        return self

    async def __aexit__(self, *_reason: object) -> None:
        await self.lab.stop()
        self._lock.release()

    async def cluster(self) -> RunningCluster:
        signers = {name: (pair.crt.encode(), pair.key.encode()) for name, pair in make_secrets().signers.items()}
        plan = ClusterPlan(
            "the-cluster",
            "kni",
            "example.com",
            "4.22.0",
            "none",
            API,
            API,
            {"master": 1, "worker": 0},
            signers,
            CLUSTER_ID,
        )
        return await self.lab.clusters.begin(plan, "somewhere-else")

    async def boot(self, image: Path) -> None:
        async def handler(_request: web.Request) -> web.StreamResponse:
            return web.FileResponse(image)

        app = web.Application()
        app.router.add_get("/node.iso", handler)
        await self.lab.serve(app, self.lab.fabric.table.publish, 9000)
        for machine in self.lab.machines.values():
            machine.cd.insert(f"http://{self.lab.fabric.table.publish}:9000/node.iso")
            machine.boot.target, machine.boot.enabled = "Cd", "Once"
            machine.reset("On")

    def console(self, name: str) -> str:
        return self.lab.paths.console(name).read_text(encoding="utf-8")

    async def until_all_say(self, text: str) -> None:
        def said() -> bool:
            return all(text in self.console(name) for name in self.lab.machines)

        if not await self.lab.clock.until(said, every=1.0, limit=WALL_LIMIT * SPEED):
            raise AssertionError("\n".join(self.console(name) for name in self.lab.machines))


@pytest.fixture(scope="module")
def consoles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    async def played() -> dict[str, str]:
        async with World(tmp_path_factory.mktemp("lab")) as world:
            running = await world.cluster()
            await world.boot(build(tmp_path_factory.mktemp("nodes"), running.config.authority.pem))
            await world.until_all_say("kubelet: registering node")
            assert sorted(running.api.nodes.kubelets) == ["extra-0", "extra-1"]
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
        assert text.index("Installation done, restarting from disk.") < text.index("kubelet: registering node extra-")
