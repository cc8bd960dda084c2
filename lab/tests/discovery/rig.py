# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a hub without controllers for tests: assisted-service and image service behind one TLS address, and the hub's
machines. The tests call the operations of the assisted-service directly, as the controllers would.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web
from ztlab.clock import LabClock
from ztlab.fabric.loopback import lock_net
from ztlab.hub.discovery_source import ignition_source, initrd_source
from ztlab.hub.images import ImageService, OsImageFile
from ztlab.lab import Lab
from ztlab.machine.hardware import Hardware
from ztlab.newcluster import pki
from ztlab.service.app import AssistedService
from ztlab.service.artifacts import ROOT_CA
from ztlab.service.model import Cluster, Host
from ztlab.service.router import Call
from ztlab.service.tokens import new_key_pair
from ztlab.site.load import parse_site

from ..live.agent_image import base_image

HUB = "192.168.111.3"
DOMAIN = "hub.example.com"
SERVICE, IMAGES = f"assisted-service.{DOMAIN}", f"assisted-image-service.{DOMAIN}"
AGENT_IMAGE = "quay.io/edge-infrastructure/assisted-installer-agent:v2"
OS_VERSIONS = ("4.22", "4.17")
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"lab:lab").decode()}}})
WALL_LIMIT = 120


def machine(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "name": f"rack-{number}",
        "cpus": 8,
        "memory_mib": 32768,
        "nics": [{"name": "enp1s0", "mac": f"02:00:00:00:01:{number:02x}", "network": "machines"}],
        "disks": [
            {"name": "sda", "size_gib": 480, "serial": f"S{number}", "wwn": f"0x50000000000000{number:02x}"},
            {"name": "sdb", "size_gib": 480, "wwn": f"0x50000000000001{number:02x}"},
        ],
        "bmc": {
            "address": f"https://10.0.0.{100 + number}/redfish/v1/Systems/1",
            "username": "admin",
            "password": "secret",
        },
    } | changes


def hub_site(count: int, **changes: Any) -> dict[str, Any]:
    records = {
        "api.spoke.example.com": "192.168.111.5",
        "api-int.spoke.example.com": "192.168.111.5",
        "*.apps.spoke.example.com": "192.168.111.6",
    }
    records |= {SERVICE: HUB, IMAGES: HUB} | {
        f"rack-{number}.example.com": f"192.168.111.{20 + number}" for number in range(count)
    }
    network = {
        "name": "machines",
        "cidr": "192.168.111.0/24",
        "dns": {"servers": ["192.168.111.1"], "records": records},
    }
    return {"networks": [network], "machines": [machine(number, **changes) for number in range(count)]}


def nmstate(number: int) -> dict[str, Any]:
    """The static network of a machine, as the service takes it: NIC eth0, address .20 and up."""
    text = f"""
interfaces:
- name: eth0
  type: ethernet
  state: up
  ipv4: {{enabled: true, dhcp: false, address: [{{ip: 192.168.111.{20 + number}, prefix-length: 24}}]}}
  ipv6: {{enabled: false}}
dns-resolver: {{config: {{server: [192.168.111.1]}}}}
routes: {{config: [{{destination: 0.0.0.0/0, next-hop-address: 192.168.111.1, next-hop-interface: eth0}}]}}
"""
    return {
        "network_yaml": text,
        "mac_interface_map": [{"mac_address": f"02:00:00:00:01:{number:02X}", "logical_nic_name": "eth0"}],
    }


class HubRig:
    """``async with HubRig(tmp_path, machines=3) as hub``."""

    def __init__(
        self,
        directory: Path,
        machines: int = 1,
        *,
        speed: float = 600.0,
        site: dict[str, Any] | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        self._lock = lock_net()
        self.lab = Lab(
            parse_site(site or hub_site(machines)), state=directory, net=self._lock.number, clock=LabClock(speed)
        )
        private, public = new_key_pair()
        settings = {
            "AUTH_TYPE": "local",
            "EC_PRIVATE_KEY_PEM": private,
            "EC_PUBLIC_KEY_PEM": public,
            "ENABLE_KUBE_API": "true",
            "ISO_IMAGE_TYPE": "minimal-iso",
            "AGENT_DOCKER_IMAGE": AGENT_IMAGE,
            "SERVICE_BASE_URL": f"https://{SERVICE}",
            "IMAGE_SERVICE_BASE_URL": f"https://{IMAGES}",
            "SERVICE_CA_CERT_PATH": str(self.lab.authority.ca_file),
            "SKIP_CERT_VERIFICATION": "false",
            "OS_IMAGES": json.dumps(
                [
                    {
                        "openshift_version": version,
                        "cpu_architecture": "x86_64",
                        "url": "https://example.com/live.iso",
                        "version": version,
                    }
                    for version in OS_VERSIONS
                ]
            ),
        }
        self.service = AssistedService(settings | (env or {}), clock=self.lab.clock, faults=self.lab.faults)
        authority = self.lab.authority.ca_file.read_text(encoding="ascii")
        self.service.core.discovery_source = ignition_source(authority)
        self.service.core.initrd_source = initrd_source(authority)
        self.service.core.signers_source = self.signers
        self.service.core.kubeconfig_source = self._kubeconfig
        self._signers: dict[str, dict[str, tuple[bytes, bytes]]] = {}
        self.images = ImageService(
            [OsImageFile(version, base_image()[0]) for version in OS_VERSIONS],
            base_url=f"https://{IMAGES}",
            service_url=f"https://{SERVICE}",
            directory=directory / "images",
            session=lambda: self.lab.session,
            redirect=self.lab.fabric.redirect,
        )

    def signers(self, cluster: Cluster) -> dict[str, tuple[bytes, bytes]]:
        if cluster.id not in self._signers:
            made = {name: pki.new_authority(name) for name in (*pki.SIGNERS, ROOT_CA)}
            self._signers[cluster.id] = {name: (signer.pem, pki.key_pem(signer)) for name, signer in made.items()}
        return self._signers[cluster.id]

    def _kubeconfig(self, name: str, domain: str) -> str:
        cluster = next(item for item in self.service.core.state.clusters.values() if item.domain == domain)
        return pki.admin_kubeconfig(pki.load_signers(self.signers(cluster)), name, f"https://api.{domain}:6443")

    async def __aenter__(self) -> HubRig:
        await self.lab.start()
        table = self.lab.fabric.table
        for name in (SERVICE, IMAGES):
            table.alias(name, HUB)
        self.lab.fabric.virtual[HUB] = ""
        app = web.Application(client_max_size=1 << 26)
        app.router.add_route("*", "/{path:.*}", self._front)
        await self.lab.serve(app, table.loopback(HUB), 8443, self.lab.authority.server_context([SERVICE, IMAGES, HUB]))
        await self.images.start()
        self.service.run_monitors()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.service.stop()
        await self.lab.stop()
        self._lock.release()

    async def _front(self, request: web.Request) -> web.StreamResponse:
        host = request.host.partition(":")[0]
        if host == SERVICE:
            return await self.service.handle(request)
        return await self.images.handle(request) if host == IMAGES else web.Response(status=503)

    # ---- the service, as the operator's controllers call it ----------------------------------------------------------

    async def call(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """An operation without authentication; the body of its answer. Raises ServiceError."""
        route, parameters = self.service.router.find(method, path)
        reply = route.handler(self.service.core, Call(parameters, query, {}, body))
        return (await reply if inspect.isawaitable(reply) else reply).body

    async def infra_env(self, **fields: Any) -> dict[str, Any]:
        body = {"name": "fleet", "pull_secret": PULL_SECRET, "openshift_version": "4.22"} | fields
        return dict(await self.call("POST", "/v2/infra-envs", body))

    async def cluster(self, control_plane: int = 3, **fields: Any) -> dict[str, Any]:
        networking = {
            "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
            "service_networks": [{"cidr": "172.30.0.0/16"}],
        }
        vips: dict[str, Any] = {"api_vips": [{"ip": "192.168.111.5"}], "ingress_vips": [{"ip": "192.168.111.6"}]}
        if control_plane == 1:
            vips = {"user_managed_networking": True, "machine_networks": [{"cidr": "192.168.111.0/24"}]}
        body = {
            "name": "spoke",
            "base_dns_domain": "example.com",
            "openshift_version": "4.22.0",
            "pull_secret": PULL_SECRET,
            "control_plane_count": control_plane,
        }
        return dict(await self.call("POST", "/v2/clusters", body | networking | vips | fields))

    # ---- machines ----------------------------------------------------------------------------------------------------

    def boot(self, name: str, url: str) -> Hardware:
        """What a BMC does: insert, choose once, switch on."""
        found = self.lab.machines[name]
        found.cd.insert(url)
        found.boot.target, found.boot.enabled = "Cd", "Once"
        found.reset("On" if found.power_state == "Off" else "ForceRestart")
        return found

    def hosts(self) -> list[Host]:
        return list(self.service.core.state.hosts.values())

    def host_of(self, name: str) -> Host | None:
        wanted = self.lab.machines[name].spec.system_uuid
        return next((host for host in self.hosts() if host.id == wanted), None)

    def the_cluster(self) -> Cluster:
        found = self.service.cluster()
        if found is None:
            raise AssertionError("no cluster")
        return found

    def console(self, name: str = "rack-0") -> str:
        return self.lab.paths.console(name).read_text(encoding="utf-8")

    async def until(self, condition: Callable[[], bool], what: str = "") -> None:
        """Fails with the consoles; only a hang reaches the limit."""
        if not await self.lab.clock.until(condition, every=1.0, limit=WALL_LIMIT * self.lab.clock.speed):
            states = [f"{host.name}: {host.status} {host.status_info} {host.progress.stage}" for host in self.hosts()]
            clusters = [
                f"{item.name}: {item.status} {item.status_info}" for item in self.service.core.state.clusters.values()
            ]
            raise AssertionError(
                "\n".join(
                    [
                        what,
                        *states,
                        *clusters,
                        *(f"--- {name}\n{self.console(name)[-3000:]}" for name in self.lab.machines),
                    ]
                )
            )

    async def until_console(self, text: str, name: str = "rack-0") -> None:
        await self.until(lambda: text in self.console(name), f"waiting for {text!r} of {name}")


def run(coroutine: Any) -> Any:
    """Run a test's coroutine, with a limit that only a hang reaches."""
    return asyncio.run(asyncio.wait_for(coroutine, 900))
