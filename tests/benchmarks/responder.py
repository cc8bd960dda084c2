# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run an HTTP server that answers like a hub with many Agents, as fast as Python can, and counts requests:
``responder.py COUNT`` prints its port.

It checks no rules. Agents are as large as real ones (about 12 kB each). ``GET /counts`` returns the requests by verb,
and the highest number of requests with one verb for one Agent.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

GROUP = "agent-install.openshift.io"
BASE = f"/apis/{GROUP}/v1beta1"
VALIDATIONS = 28


def mac(number: int, nic: int = 0) -> str:
    return f"52:54:{nic:02x}:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def agent(number: int) -> dict[str, Any]:
    nics = [
        {
            "name": f"ens{nic}f0np0",
            "macAddress": mac(number, nic),
            "flags": ["up", "broadcast", "multicast"],
            "ipV4Addresses": [f"10.{number >> 8 & 255}.{number & 255}.{nic}/16"],
            "ipV6Addresses": [],
            "vendor": "0x8086",
            "product": "0x1592",
            "mtu": 9000,
            "speedMbps": 25000,
            "hasCarrier": True,
        }
        for nic in range(6)
    ]
    disks = [
        {
            "id": f"/dev/disk/by-id/wwn-0x5002538f{number:06x}{disk:02x}",
            "name": f"nvme{disk}n1",
            "path": f"/dev/nvme{disk}n1",
            "byPath": f"/dev/disk/by-path/pci-0000:c{disk}:00.0-nvme-1",
            "driveType": "SSD",
            "model": "Dell Ent NVMe v2 AGN MU U.2 1.6TB",
            "serial": f"S6{number:08d}{disk}",
            "wwn": f"eui.3635{number:08d}{disk}",
            "sizeBytes": 1600321314816,
            "smart": "x" * 800,
            "installationEligibility": {"eligible": True, "notEligibleReasons": []},
        }
        for disk in range(4)
    ]
    checks = [
        {
            "id": f"validation-number-{index}",
            "status": "success",
            "message": "Everything about this is as it has to be " * 2,
        }
        for index in range(VALIDATIONS)
    ]
    conditions = [
        {
            "type": kind,
            "status": "True",
            "reason": f"{kind}Reason",
            "message": f"What is to be said about {kind}",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for kind in ("SpecSynced", "Connected", "RequirementsMet", "Validated", "Installed", "Bound")
    ]
    return {
        "metadata": {
            "name": uuid(number),
            "namespace": "fleet",
            "uid": f"uid-{number}",
            "resourceVersion": str(1000 + number),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {f"infraenvs.{GROUP}": "fleet", f"inventory.{GROUP}/cpu-architecture": "x86_64"},
            "managedFields": [
                {
                    "manager": "assisted-service",
                    "operation": "Update",
                    "fieldsV1": {f"f:field-{index}": {} for index in range(60)},
                }
            ],
        },
        "spec": {"approved": False, "role": ""},
        "status": {
            "conditions": conditions,
            "debugInfo": {"state": "known-unbound", "stateInfo": "Host is ready to be bound to a cluster"},
            "inventory": {
                "hostname": f"localhost-{number}",
                "bmcAddress": f"10.200.{number >> 8 & 255}.{number & 255}",
                "cpu": {"count": 128, "architecture": "x86_64", "flags": [f"flag{index}" for index in range(120)]},
                "memory": {"physicalBytes": 549755813888, "usableBytes": 540000000000},
                "interfaces": nics,
                "disks": disks,
                "systemVendor": {
                    "manufacturer": "Dell Inc.",
                    "productName": "PowerEdge R660",
                    "serialNumber": f"SN{number:06d}",
                },
            },
            "validationsInfo": {"hardware": checks[:14], "network": checks[14:]},
        },
    }


def merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


class Responder:
    def __init__(self, count: int) -> None:
        self.agents = {uuid(number): agent(number) for number in range(count)}
        self.encoded = {name: json.dumps(obj).encode() for name, obj in self.agents.items()}
        self.calls: Counter[str] = Counter()
        self.each: Counter[tuple[str, str]] = Counter()

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        parts = urlsplit(target)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == "/counts":
            return 200, json.dumps({"calls": self.calls, "most": max(self.each.values(), default=0)}).encode()
        found = self._discovery(parts.path)
        if found is not None:
            self.calls["discovery"] += 1
            return 200, json.dumps(found).encode()
        name = parts.path.rpartition("/agents/")[2] if "/agents/" in parts.path else ""
        if not name:
            return self._list(query)
        self.calls[method] += 1
        self.each[(method, name)] += 1
        if method == "PATCH":
            if "merge-patch" not in headers["content-type"] or "strategic" in headers["content-type"]:
                return 415, (
                    b'{"kind": "Status", "status": "Failure", "code": 415, "reason": "UnsupportedMediaType", '
                    b'"message": "unsupported"}'
                )
            version = self.agents[name]["metadata"]["resourceVersion"]
            obj = merge(self.agents[name], json.loads(body))
            obj["metadata"]["resourceVersion"] = str(int(version) + 100000)
            self.agents[name] = obj
            self.encoded[name] = json.dumps(obj).encode()
        return 200, b'{"apiVersion":"%s/v1beta1","kind":"Agent",' % GROUP.encode() + self.encoded[name][1:]

    def _list(self, query: dict[str, str]) -> tuple[int, bytes]:
        names = list(self.encoded)
        start, limit = int(query.get("continue") or 0), int(query.get("limit") or len(names))
        self.calls["list" if not start else "further page"] += 1
        more = f'"continue":"{start + limit}",' if start + limit < len(names) else ""
        head = (
            f'{{"kind":"AgentList","apiVersion":"{GROUP}/v1beta1","metadata":{{{more}"resourceVersion":"99"}},"items":['
        )
        return 200, head.encode() + b",".join(self.encoded[name] for name in names[start : start + limit]) + b"]}"

    @staticmethod
    def _discovery(path: str) -> dict[str, Any] | None:
        version = {"groupVersion": f"{GROUP}/v1beta1", "version": "v1beta1"}
        verbs = ["get", "list", "patch", "update", "watch", "create", "delete"]
        return {
            "/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
            "/apis": {
                "kind": "APIGroupList",
                "groups": [{"name": GROUP, "versions": [version], "preferredVersion": version}],
            },
            BASE: {
                "kind": "APIResourceList",
                "groupVersion": f"{GROUP}/v1beta1",
                "resources": [
                    {"name": "agents", "singularName": "agent", "namespaced": True, "kind": "Agent", "verbs": verbs}
                ],
            },
        }.get(path.rstrip("/") or "/")


async def serve(responder: Responder, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while line := await reader.readline():
            method, target, _protocol = line.decode().split()
            headers = {}
            while header := (await reader.readline()).decode().strip():
                key, _colon, value = header.partition(":")
                headers[key.lower()] = value.strip()
            body = await reader.readexactly(int(headers.get("content-length") or 0))
            code, data = responder.answer(method, target, headers, body)
            writer.write(
                (
                    f"HTTP/1.1 {code} OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
                ).encode()
                + data
            )
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def main(count: int) -> None:
    responder = Responder(count)
    server = await asyncio.start_server(lambda reader, writer: serve(responder, reader, writer), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
