# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate an agent, a controller and a user over real HTTP, for the tests of the lab's assisted-service."""

from __future__ import annotations

import asyncio
import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any

import aiohttp
from ansible_collections.zerotouch.openshift.tests.support.upstream import SWAGGER, optional
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from ztlab.clock import LabClock
from ztlab.faults import Faults
from ztlab.service.app import AssistedService

DESCRIPTION = optional(SWAGGER)
API = "/api/assisted-install/v2"
INFRA_ENV_ID = "5b6a7c1e-6a0f-4d0e-9a3c-0c3c5f6d7e8f"
RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"user:password").decode()}}})
AGENT_IMAGE = "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:" + "a" * 64


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Keys:
    """A signing key as the installer makes one, with tokens of all personas."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        pem = self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.public_pem = pem.replace(b"PUBLIC KEY", b"EC PUBLIC KEY")

    def token(self, **claims: Any) -> str:
        head = (
            _segment(json.dumps({"alg": "ES256", "typ": "JWT"}).encode()) + "." + _segment(json.dumps(claims).encode())
        )
        first, second = decode_dss_signature(self.private.sign(head.encode(), ec.ECDSA(hashes.SHA256())))
        return head + "." + _segment(first.to_bytes(32, "big") + second.to_bytes(32, "big"))


def agent_environment(keys: Keys, **more: str) -> dict[str, str]:
    """What the env files of an agent ISO hold, as far as the service reads it."""
    return {
        "AUTH_TYPE": "agent-installer-local",
        "EC_PUBLIC_KEY_PEM": base64.b64encode(keys.public_pem).decode(),
        "INFRA_ENV_ID": INFRA_ENV_ID,
        "INSTALL_INVOKER": "agent-installer",
        "ENABLE_SINGLE_NODE_DNSMASQ": "true",
        "TNA_CLUSTERS_SUPPORT": "true",
        "TNF_CLUSTERS_SUPPORT": "true",
        "PUBLIC_CONTAINER_REGISTRIES": "quay.io",
        "HW_VALIDATOR_REQUIREMENTS": "TO_BE_REPLACED_BY_SYSTEMD",
        "AGENT_DOCKER_IMAGE": AGENT_IMAGE,
        "RELEASE_IMAGES": json.dumps(
            [
                {
                    "openshift_version": "4.22",
                    "version": "4.22.0",
                    "cpu_architecture": "x86_64",
                    "cpu_architectures": ["x86_64"],
                    "url": RELEASE,
                }
            ]
        ),
        "OS_IMAGES": json.dumps(
            [
                {
                    "openshift_version": "4.22.0",
                    "cpu_architecture": "x86_64",
                    "url": "http://x/rhcos.iso",
                    "version": "9.6",
                }
            ]
        ),
        **more,
    }


def cluster_params(**more: Any) -> dict[str, Any]:
    """A body of POST /v2/clusters for three control plane nodes, as the client of the ISO sends it."""
    return {
        "name": "demo",
        "base_dns_domain": "lab.example.com",
        "openshift_version": "4.22.0",
        "ocp_release_image": RELEASE,
        "cpu_architecture": "x86_64",
        "pull_secret": PULL_SECRET,
        "vip_dhcp_allocation": False,
        "api_vips": [{"ip": "192.0.2.5"}],
        "ingress_vips": [{"ip": "192.0.2.6"}],
        "user_managed_networking": False,
        "platform": {"type": "baremetal"},
        "schedulable_masters": False,
        "control_plane_count": 3,
        "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}],
        "service_networks": [{"cidr": "172.30.0.0/16"}],
        "machine_networks": [{"cidr": "192.0.2.0/24"}],
        "olm_operators": None,
        "operator_bundles": None,
        **more,
    }


def single_node_params(**more: Any) -> dict[str, Any]:
    single = {
        "api_vips": [],
        "ingress_vips": [],
        "user_managed_networking": True,
        "platform": {"type": "none"},
        "control_plane_count": 1,
        "high_availability_mode": "None",
    }
    return cluster_params(**{**single, **more})


class Client:
    """One caller with one credential; answers are ``(status, decoded body)``."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.headers = dict(headers or {})
        self.session: aiohttp.ClientSession | None = None
        self.octets = False

    async def __aenter__(self) -> Client:
        self.session = aiohttp.ClientSession(headers=self.headers)
        return self

    async def __aexit__(self, *_exc: object) -> None:
        assert self.session is not None
        await self.session.close()

    async def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **options: Any
    ) -> tuple[int, Any]:
        assert self.session is not None
        data = raw
        if raw is None and body is not None:
            data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data is not None else {}
        headers.update(options.pop("headers", {}))
        async with self.session.request(
            method, self.url + API + path, data=data, headers=headers, **options
        ) as response:
            content = await response.read()
            # What a download refuses is JSON sent as octets.
            self.octets = response.content_type == "application/octet-stream"
            is_json = content and (not self.octets or response.status >= 400) and response.content_type != "text/plain"
            return response.status, json.loads(content) if is_json else content

    async def get(self, path: str, **options: Any) -> Any:
        status, body = await self.call("GET", path, **options)
        assert status == 200, (path, status, body)
        return body

    async def post(self, path: str, body: Any = None, *, expect: int = 201) -> Any:
        status, answer = await self.call("POST", path, body)
        assert status == expect, (path, status, answer)
        return answer

    async def patch(self, path: str, body: Any, *, expect: int = 201) -> Any:
        status, answer = await self.call("PATCH", path, body)
        assert status == expect, (path, status, answer)
        return answer


def disk(name: str = "sda", gigabytes: int = 120, **more: Any) -> dict[str, Any]:
    return {
        "id": f"/dev/disk/by-id/wwn-{name}",
        "by_id": f"/dev/disk/by-id/wwn-{name}",
        "by_path": f"/dev/disk/by-path/pci-{name}",
        "name": name,
        "path": f"/dev/{name}",
        "drive_type": "SSD",
        "model": "LAB DISK",
        "vendor": "LAB",
        "serial": f"serial-{name}",
        "wwn": f"0x{name}",
        "hctl": "0:0:0:0",
        "size_bytes": gigabytes * 10**9,
        "installation_eligibility": {"eligible": True, "not_eligible_reasons": []},
        **more,
    }


class Machine:
    """A simulated host as its agent describes it."""

    def __init__(
        self,
        number: int,
        *,
        cpus: int = 8,
        memory_gib: int = 32,
        name: str = "",
        disks: list[dict[str, Any]] | None = None,
    ) -> None:
        self.id = str(uuid.UUID(int=0xA0000000000040008000000000000000 + number))
        self.number = number
        self.name = name or f"host-{number}"
        self.mac = f"02:00:00:00:00:{number:02x}"
        self.ip = f"192.0.2.{20 + number}"
        self.cpus, self.memory_gib = cpus, memory_gib
        self.disks = disks or [disk()]
        self.synced = True
        self.resolves = False
        self.sync_ms = 2
        self.images_fail = False
        self.manufacturer = "Lab"
        self.gateway = "192.0.2.1"

    def inventory(self) -> dict[str, Any]:
        return {
            "hostname": self.name,
            "bmc_address": "0.0.0.0",
            "bmc_v6address": "::/0",
            "interfaces": [
                {
                    "name": "eth0",
                    "mac_address": self.mac,
                    "ipv4_addresses": [f"{self.ip}/24"],
                    "ipv6_addresses": [],
                    "has_carrier": True,
                    "mtu": 1500,
                    "speed_mbps": 10000,
                    "flags": ["up", "broadcast"],
                    "type": "physical",
                }
            ],
            "disks": [dict(item) for item in self.disks],
            "cpu": {"count": self.cpus, "architecture": "x86_64", "model_name": "lab", "frequency": 2000, "flags": []},
            "memory": {
                "physical_bytes": self.memory_gib * 1024**3,
                "usable_bytes": self.memory_gib * 1024**3,
                "physical_bytes_method": "dmidecode",
            },
            "boot": {"current_boot_mode": "uefi"},
            "system_vendor": {
                "manufacturer": self.manufacturer,
                "product_name": "Lab Machine",
                "serial_number": f"S{self.number}",
            },
            "routes": [
                {"interface": "eth0", "gateway": self.gateway, "destination": "0.0.0.0", "family": 2, "metric": 100}
            ]
            if self.gateway
            else [],
            "tpm_version": "2.0",
        }


class ScriptedAgent:
    """Registers, answers every step at once, and walks through the stages of its role."""

    def __init__(
        self,
        client: Client,
        machine: Machine,
        clock: LabClock,
        *,
        infra_env_id: str = INFRA_ENV_ID,
        version: str = AGENT_IMAGE,
    ) -> None:
        self.client, self.machine, self.clock = client, machine, clock
        self.path = f"/infra-envs/{infra_env_id}/hosts/{machine.id}"
        self.infra_env_id, self.version = infra_env_id, version
        self.seen: list[str] = []
        self.installing = False
        self.stages_done = asyncio.Event()
        self.reboot_gate: asyncio.Event | None = None
        self.exited = False

    async def register(self) -> tuple[int, Any]:
        return await self.client.call(
            "POST",
            f"/infra-envs/{self.infra_env_id}/hosts",
            {"host_id": self.machine.id, "discovery_agent_version": self.version},
        )

    async def run(self) -> None:
        status, body = await self.register()
        assert status == 201, body
        while not self.exited:
            await self.poll()
            await self.clock.sleep(2)

    async def poll(self) -> dict[str, Any]:
        stamp = int(self.clock.utcnow().timestamp())
        status, answer = await self.client.call("GET", f"{self.path}/instructions", params={"timestamp": str(stamp)})
        assert status == 200, answer
        if answer["post_step_action"] == "exit":
            self.exited = True
        for step in answer.get("instructions") or []:
            self.seen.append(step["step_type"])
            await self.answer(step)
        return dict(answer)

    async def answer(self, step: Mapping[str, Any]) -> None:
        kind = step["step_type"]
        if kind == "install":
            if not self.installing:
                self.installing = True
                self.task = asyncio.create_task(self.install(json.loads(step["args"][0])))
            return
        reply = getattr(self, "reply_" + kind.replace("-", "_"), None)
        output = json.dumps(reply(step["args"])) if reply else ""
        body = {"step_type": kind, "step_id": step["step_id"], "exit_code": 0, "output": output, "error": ""}
        status, answer = await self.client.call("POST", f"{self.path}/instructions", body)
        # The host may have left the status in which it was asked.
        assert status == 204 or "can be updated only in one of" in str(answer), (kind, status, answer)

    def reply_inventory(self, _args: list[str]) -> Any:
        return self.machine.inventory()

    def reply_connectivity_check(self, args: list[str]) -> Any:
        remotes = []
        for other in json.loads(args[0]):
            pairs = [(nic, ip) for nic in other["nics"] for ip in nic["ip_addresses"]]
            link = {"outgoing_nic": "eth0", "successful": True}
            remotes.append(
                {
                    "host_id": other["host_id"],
                    "l2_connectivity": [
                        {
                            **link,
                            "outgoing_ip_address": self.machine.ip,
                            "remote_ip_address": ip,
                            "remote_mac": nic["mac"],
                        }
                        for nic, ip in pairs
                    ],
                    "l3_connectivity": [
                        {**link, "remote_ip_address": ip, "average_rtt_ms": 0.3, "packet_loss_percentage": 0}
                        for _nic, ip in pairs
                    ],
                    "mtu_report": [
                        {"outgoing_nic": "eth0", "remote_ip_address": ip, "mtu_successful": True} for _nic, ip in pairs
                    ],
                }
            )
        return {"remote_hosts": remotes}

    def reply_free_network_addresses(self, args: list[str]) -> Any:
        return [{"network": cidr, "free_addresses": ["192.0.2.5", "192.0.2.6"]} for cidr in json.loads(args[0])]

    def reply_ntp_synchronizer(self, _args: list[str]) -> Any:
        return {
            "ntp_sources": [
                {"source_name": "192.0.2.1", "source_state": "synced" if self.machine.synced else "unreachable"}
            ]
        }

    def reply_domain_resolution(self, args: list[str]) -> Any:
        names = [entry["domain_name"] for entry in json.loads(args[0])["domains"]]
        found = ["192.0.2.5"] if self.machine.resolves else []
        return {
            "resolutions": [
                {"domain_name": name, "ipv4_addresses": [] if "Wildcard" in name else found, "ipv6_addresses": []}
                for name in names
            ]
        }

    def reply_verify_vips(self, args: list[str]) -> Any:
        return [{**entry, "verification": "succeeded"} for entry in json.loads(args[0])]

    def reply_installation_disk_speed_check(self, args: list[str]) -> Any:
        return {"path": json.loads(args[0])["path"], "io_sync_duration": self.machine.sync_ms}

    def reply_container_image_availability(self, args: list[str]) -> Any:
        result = "failure" if self.machine.images_fail else "success"
        return {
            "images": [
                {"name": name, "result": result, "time": 1.5, "size_bytes": 1000, "download_rate": 10.0}
                for name in json.loads(args[0])["images"]
            ]
        }

    async def progress(self, stage: str, info: str = "") -> tuple[int, Any]:
        return await self.client.call("PUT", f"{self.path}/progress", {"current_stage": stage, "progress_info": info})

    async def install(self, request: Mapping[str, Any]) -> None:
        self.request = request
        # The list of the cluster's hosts has no stages.
        hosts = (await self.client.call("GET", f"/infra-envs/{self.infra_env_id}/hosts"))[1]
        own = next(item for item in hosts if item["id"] == self.machine.id)
        for stage in own["progress_stages"]:
            if stage == "Rebooting" and self.reboot_gate is not None:
                await self.reboot_gate.wait()
            status, answer = await self.progress(stage)
            assert status == 200, (stage, answer)
            await self.clock.sleep(5)
        self.stages_done.set()
        self.exited = True


class Rig:
    """A running service with a user's and an agent's client."""

    def __init__(self, speed: float = 200, *, keys: Keys | None = None, **environment: str) -> None:
        self.keys = keys or Keys()
        self.clock, self.faults = LabClock(speed), Faults()
        self.swagger = DESCRIPTION
        self.service = AssistedService(
            agent_environment(self.keys, **environment), clock=self.clock, faults=self.faults, swagger=self.swagger
        )

    async def __aenter__(self) -> Rig:
        await self.service.start("127.0.0.1", 0)
        self.user = await Client(
            self.service.url, {"Authorization": self.keys.token(auth_scheme="userAuth")}
        ).__aenter__()
        self.agent = await Client(
            self.service.url, {"X-Secret-Key": self.keys.token(auth_scheme="agentAuth")}
        ).__aenter__()
        self.watcher = await Client(
            self.service.url, {"Watcher-Authorization": self.keys.token(auth_scheme="watcherAuth")}
        ).__aenter__()
        self.tasks: list[asyncio.Task[None]] = []
        return self

    async def __aexit__(self, *_exc: object) -> None:
        for task in self.tasks:
            task.cancel()
        results = await asyncio.gather(*self.tasks, return_exceptions=True)
        for client in (self.user, self.agent, self.watcher):
            await client.__aexit__()
        await self.service.stop()
        failures = [result for result in results if isinstance(result, Exception)]
        assert not failures, failures
        assert not self.service.violations, self.service.violations

    async def create(self, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Cluster and infra-env; the cluster."""
        self.cluster = await self.user.post("/clusters", params or cluster_params())
        await self.user.post(
            "/infra-envs", {"name": "demo", "pull_secret": PULL_SECRET, "cluster_id": self.cluster["id"]}
        )
        return dict(self.cluster)

    def boot(self, *machines: Machine) -> list[ScriptedAgent]:
        agents = [ScriptedAgent(self.agent, machine, self.clock) for machine in machines]
        self.tasks += [asyncio.create_task(agent.run()) for agent in agents]
        return agents

    async def status(self) -> str:
        return str((await self.user.get(f"/clusters/{self.cluster['id']}"))["status"])

    async def until(self, status: str, limit: float = 600) -> dict[str, Any]:
        """The cluster once it has the status; fails after ``limit`` lab seconds."""
        deadline = self.clock.now() + limit
        while True:
            for task in self.tasks:
                if task.done() and task.exception() is not None:
                    raise task.exception() or AssertionError
            cluster = await self.user.get(f"/clusters/{self.cluster['id']}")
            if cluster["status"] == status:
                return dict(cluster)
            assert self.clock.now() < deadline, (cluster["status"], cluster["status_info"], problems(cluster))
            await self.clock.sleep(1)


def problems(cluster: Mapping[str, Any]) -> list[str]:
    """Messages of everything that does not succeed, of cluster and hosts."""
    found = []
    for owner, text in [
        ("cluster", cluster.get("validations_info", "{}")),
        *((h["requested_hostname"], h.get("validations_info", "{}")) for h in cluster["hosts"]),
    ]:
        for verdicts in json.loads(text).values():
            found += [
                f"{owner}: {verdict['id']}: {verdict['status']}: {verdict['message']}"
                for verdict in verdicts
                if verdict["status"] != "success"
            ]
    return found + [f"{host['requested_hostname']} {host['status']} {host['status_info']}" for host in cluster["hosts"]]


CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


async def finish(rig: Rig) -> None:
    """What the controller in the new cluster reports."""
    path = f"/clusters/{rig.cluster['id']}"
    await rig.agent.call("PUT", path + "/progress", {"finalizing_stage": "Waiting for cluster operators"})
    await rig.agent.call(
        "PUT",
        path + "/monitored-operators",
        {"name": "console", "status": "available", "status_info": "ok", "version": "4.22.0"},
    )
    await rig.agent.call("PUT", path + "/progress", {"finalizing_stage": "Adding router ca"})
    status, answer = await rig.agent.call("POST", path + "/uploads/ingress-cert", CERTIFICATE)
    assert status == 201, answer
    await rig.agent.call("PUT", path + "/progress", {"finalizing_stage": "Done"})
