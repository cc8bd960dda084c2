# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate an assisted-service for unit tests: it stores documents, merges patches, records requests, and fails on
demand. It has no rules and no state machines.
"""

from __future__ import annotations

import base64
import http.server
import json
import re
import threading
import urllib.parse
import uuid
from typing import Any

BASE = "/api/assisted-install/v2"
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"user:registry-password").decode()}}})
EVENT = {
    "name": "x",
    "severity": "info",
    "event_time": "2026-11-21T10:00:00.000Z",
    "message": "Host node-1: updated status",
    "props": '{"a": 1}',
}


class FakeService:
    """``faults``: (method, part of the path, what) used up one by one; what is ("status", code, body, headers), "cut",
    "cut-late" or "cut-middle".

    ``cut`` closes before the request has an effect, ``cut-late`` after it, ``cut-middle`` in the middle of the answer.
    """

    def __init__(self) -> None:
        self.clusters: dict[str, dict[str, Any]] = {}
        self.infra_envs: dict[str, dict[str, Any]] = {}
        self.hosts: dict[str, dict[str, Any]] = {}
        self.manifests: dict[tuple[str, str, str], bytes] = {}
        self.files: dict[str, bytes] = {}
        self.ignored: dict[str, Any] = {"host-validation-ids": "[]", "cluster-validation-ids": "[]"}
        self.faults: list[tuple[str, str, Any]] = []
        self.requests: list[tuple[str, str, Any, dict[str, str]]] = []
        self.tokens: set[str] = set()
        self.time = 0
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                service.answer(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def writes(self) -> list[tuple[str, str, Any]]:
        """Requests that are no GET: method, path below the base, body."""
        return [
            (method, path.removeprefix(BASE + "/"), body)
            for method, path, body, _headers in self.requests
            if method != "GET" and path.startswith(BASE)
        ]

    def add_host(self, infra_env_id: str, name: str, mac: str, **more: Any) -> dict[str, Any]:
        identity = str(uuid.uuid5(uuid.NAMESPACE_DNS, name))
        inventory = {
            "hostname": name,
            "interfaces": [{"name": "eth0", "mac_address": mac, "ipv4_addresses": ["192.0.2.10/24"]}],
            "disks": [
                {
                    "id": "/dev/disk/by-id/a",
                    "path": "/dev/sda",
                    "name": "sda",
                    "drive_type": "HDD",
                    "size_bytes": 120 * 10**9,
                    "serial": "A",
                },
                {
                    "id": "/dev/disk/by-id/b",
                    "path": "/dev/nvme0n1",
                    "name": "nvme0n1",
                    "drive_type": "SSD",
                    "size_bytes": 500 * 10**9,
                    "serial": "B",
                },
            ],
            "system_vendor": {"serial_number": f"S-{name}", "product_name": "Lab"},
            "cpu": {"count": 8, "architecture": "x86_64"},
            "memory": {"physical_bytes": 32 * 2**30},
        }
        for disk in inventory["disks"]:
            disk["installation_eligibility"] = {"eligible": True, "not_eligible_reasons": []}
        host = {
            "id": identity,
            "kind": "Host",
            "infra_env_id": infra_env_id,
            "status": "known",
            "status_info": "Host is ready to be installed",
            "role": "auto-assign",
            "suggested_role": "master",
            "requested_hostname": name,
            "installation_disk_id": "/dev/disk/by-id/a",
            "installation_disk_path": "/dev/sda",
            "inventory": json.dumps(inventory),
            "validations_info": json.dumps(
                {"network": [{"id": "ntp-synced", "status": "failure", "message": "no NTP"}]}
            ),
            **more,
        }
        self.hosts[identity] = host
        return host

    def _new_id(self, space: uuid.UUID, name: str, taken: dict[str, Any]) -> str:
        """The same for a name in every test, and another one for the next of that name."""
        identity = str(uuid.uuid5(space, name))
        return str(uuid.uuid5(space, f"{name} {len(taken)}")) if identity in taken else identity

    def _now(self) -> str:
        self.time += 1
        return f"2026-11-21T10:00:{self.time:02d}.000Z"

    # answering

    def answer(self, handler: Any) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        raw = handler.rfile.read(length)
        path, _, query = handler.path.partition("?")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        is_json = headers.get("content-type") == "application/json"
        body = json.loads(raw) if raw and is_json else raw.decode()
        self.requests.append((handler.command, handler.path, body, headers))
        fault = next((item for item in self.faults if item[0] == handler.command and item[1] in handler.path), None)
        what = None
        if fault:
            self.faults.remove(fault)
            what = fault[2]
        if what == "cut":
            handler.close_connection = True
            return
        more: dict[str, str] = {}
        if isinstance(what, tuple):
            _word, status, document, *rest = what
            more = rest[0] if rest else {}
        elif self.tokens and path.startswith(BASE) and headers.get("authorization") not in self.tokens:
            status, document = 401, {"code": 401, "message": "Token is expired"}
        else:
            status, document = self.dispatch(
                handler.command, path.removeprefix(BASE + "/"), dict(urllib.parse.parse_qsl(query)), body
            )
        if what == "cut-late":
            handler.close_connection = True
            return
        data = document if isinstance(document, bytes) else _json(document)
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **more}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if what == "cut-middle":
            handler.wfile.write(data[: len(data) // 2])
            handler.close_connection = True
            return
        handler.wfile.write(data)

    def dispatch(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        for pattern, answer in (
            (r"clusters", self._cluster_list),
            (r"clusters/import", self._import),
            (r"clusters/([^/]+)(/.*)?", self._cluster),
            (r"infra-envs", self._infra_env_list),
            (r"infra-envs/([^/]+)/hosts/([^/]+)(/.*)?", self._host),
            (r"infra-envs/([^/]+)(/.*)?", self._infra_env),
            (r"events", lambda *_: (200, [EVENT])),
        ):
            match = re.fullmatch(pattern, path)
            if match:
                return answer(method, query, body, *match.groups())  # type: ignore[operator]
        return 404, {"code": 404, "message": f"path {path} was not found"}

    def _cluster_list(self, method: str, _query: dict[str, str], body: Any) -> tuple[int, Any]:
        if method == "GET":
            return 200, [self._with_hosts(item) for item in self.clusters.values()]
        identity = self._new_id(uuid.NAMESPACE_DNS, body["name"], self.clusters)
        shown = {name: value for name, value in body.items() if name != "pull_secret" and value is not None}
        defaults = {
            "network_type": "OVNKubernetes",
            "hyperthreading": "all",
            "vip_dhcp_allocation": False,
            "schedulable_masters": False,
        }
        cluster = {
            **defaults,
            "kind": "Cluster",
            "id": identity,
            "status": "insufficient",
            "status_info": "",
            "pull_secret_set": True,
            **shown,
        }
        cluster["created_at"] = self._now()
        self.clusters[identity] = cluster
        return 201, cluster

    def _import(self, _method: str, _query: dict[str, str], body: Any) -> tuple[int, Any]:
        identity = self._new_id(uuid.NAMESPACE_DNS, "import" + body["name"], self.clusters)
        cluster = {
            "kind": "AddHostsCluster",
            "id": identity,
            "status": "adding-hosts",
            "imported": True,
            "created_at": self._now(),
            **body,
        }
        self.clusters[identity] = cluster
        return 201, cluster

    def _with_hosts(self, cluster: dict[str, Any]) -> dict[str, Any]:
        return {**cluster, "hosts": [host for host in self.hosts.values() if host.get("cluster_id") == cluster["id"]]}

    def _cluster(
        self, method: str, query: dict[str, str], body: Any, identity: str, rest: str | None
    ) -> tuple[int, Any]:
        cluster = self.clusters.get(identity)
        if cluster is None:
            return 404, {"kind": "Error", "id": 404, "href": "", "code": "404", "reason": "record not found"}
        if not rest:
            if method == "DELETE":
                del self.clusters[identity]
                return 204, None
            if method == "PATCH":
                cluster.update(
                    {name: value for name, value in body.items() if value is not None and name != "pull_secret"}
                )
                return 201, cluster
            return 200, self._with_hosts(cluster)
        if rest == "/install-config":
            cluster["install_config_overrides"] = body
            return 201, None
        if rest == "/ignored-validations":
            self.ignored = body or self.ignored
            return 200 if method == "GET" else 201, self.ignored
        if rest == "/hosts":
            return 200, self._with_hosts(cluster)["hosts"]
        if rest == "/credentials":
            return 200, {"username": "kubeadmin", "password": "admin-password-x", "console_url": "https://console"}
        if rest.startswith("/actions/"):
            cluster["status"] = {
                "install": "preparing-for-installation",
                "cancel": "cancelled",
                "reset": "insufficient",
            }.get(rest[9:], "adding-hosts")
            return 202, cluster
        if rest in ("/downloads/credentials", "/downloads/files", "/logs"):
            content = self.files.get(query.get("file_name", "logs"))
            return (
                (200, content)
                if content is not None
                else (409, {"kind": "Error", "id": 409, "href": "", "code": "409", "reason": "not yet"})
            )
        return self._manifests(method, query, body, identity, rest)

    def _manifests(self, method: str, query: dict[str, str], body: Any, identity: str, rest: str) -> tuple[int, Any]:
        if rest == "/manifests/files":
            return 200, self.manifests[(identity, query["folder"], query["file_name"])]
        if method == "POST":
            self.manifests[(identity, body["folder"], body["file_name"])] = base64.b64decode(body["content"])
            return 201, body
        if method == "DELETE":
            self.manifests.pop((identity, query["folder"], query["file_name"]), None)
            return 200, None
        return 200, [
            {"folder": key[1], "file_name": key[2], "manifest_source": "user"}
            for key in self.manifests
            if key[0] == identity
        ]

    def _infra_env_list(self, method: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        if method == "GET":
            wanted = query.get("cluster_id")
            return 200, [item for item in self.infra_envs.values() if not wanted or item.get("cluster_id") == wanted]
        identity = self._new_id(uuid.NAMESPACE_URL, body["name"], self.infra_envs)
        document = {
            "created_at": self._now(),
            "kind": "InfraEnv",
            "id": identity,
            "type": "full-iso",
            "pull_secret_set": True,
            "download_url": "http://images/iso?image_token=x",
        }
        self.infra_envs[identity] = document
        self._set_infra_env(document, body)
        document.setdefault("cpu_architecture", "x86_64")
        document.setdefault("openshift_version", "4.22")
        return 201, document

    @staticmethod
    def _set_infra_env(document: dict[str, Any], body: dict[str, Any]) -> None:
        for name, value in body.items():
            if value is None or name == "pull_secret":
                continue
            text = name in ("static_network_config", "kernel_arguments")
            document["type" if name == "image_type" else name] = json.dumps(value) if text else value

    def _infra_env(
        self, method: str, query: dict[str, str], body: Any, identity: str, rest: str | None
    ) -> tuple[int, Any]:
        document = self.infra_envs.get(identity)
        if document is None:
            return 404, {"kind": "Error", "id": 404, "href": "", "code": "404", "reason": "record not found"}
        if rest == "/hosts":
            return 200, [host for host in self.hosts.values() if host["infra_env_id"] == identity]
        if rest == "/downloads/image-url":
            return 200, {
                "url": f"http://images/byid/{identity}/4.22/x86_64/full.iso",
                "expires_at": "0001-01-01T00:00:00.000Z",
            }
        if rest == "/downloads/files":
            return 200, self.files.get(query["file_name"], b"")
        if method == "DELETE":
            del self.infra_envs[identity]
            return 204, None
        if method == "PATCH":
            self._set_infra_env(document, body)
            return 201, document
        return 200, document

    def _host(
        self, method: str, _query: dict[str, str], body: Any, infra_env_id: str, identity: str, rest: str | None
    ) -> tuple[int, Any]:
        host = self.hosts.get(identity)
        if host is None or host["infra_env_id"] != infra_env_id:
            reason = f"failed to get host {identity} in infra_env {infra_env_id}: record not found"
            return 500 if method == "DELETE" else 404, {
                "kind": "Error",
                "id": 404,
                "href": "",
                "code": "404",
                "reason": reason,
            }
        if rest == "/installer-args":
            host["installer_args"] = json.dumps(body["args"])
        elif rest == "/ignition":
            host["ignition_config_overrides"] = body["config"]
        elif rest == "/actions/bind":
            host.update(cluster_id=body["cluster_id"], status="binding")
        elif rest == "/actions/unbind":
            host.update(cluster_id=None, status="unbinding")
        elif rest and rest.startswith("/actions/reset-validation/"):
            return 200, host
        elif rest and rest.startswith("/actions/"):
            host["status"] = {"install": "installing", "reset": "resetting-pending-user-action"}[
                rest.removeprefix("/actions/")
            ]
        elif method == "DELETE":
            del self.hosts[identity]
            return 204, None
        elif method == "PATCH":
            self._set_host(host, body)
        return {"GET": 200, "PATCH": 201, "POST": 202 if rest == "/actions/install" else 200}[method], host

    @staticmethod
    def _set_host(host: dict[str, Any], body: dict[str, Any]) -> None:
        names = {"host_name": "requested_hostname", "machine_config_pool_name": "machine_config_pool_name"}
        for name, value in body.items():
            if value is None:
                continue
            if name == "host_role":
                host.update(role=value, suggested_role=value)
            elif name == "disks_selected_config":
                host["installation_disk_id"] = value[0]["id"]
            elif name == "node_labels":
                host["node_labels"] = json.dumps({item["key"]: item["value"] for item in value})
            elif name == "ignition_endpoint_token":
                host["ignition_endpoint_token_set"] = bool(value)
            elif name == "fencing_credentials":
                host["fencing_credentials"] = json.dumps(value)
            elif name == "disks_skip_formatting":
                kept = set(filter(None, str(host.get("skip_formatting_disks") or "").split(",")))
                for item in value:
                    (kept.add if item["skip_formatting"] else kept.discard)(item["disk_id"])
                host["skip_formatting_disks"] = ",".join(sorted(kept))
            elif name == "ignition_endpoint_http_headers":
                continue  # not shown
            else:
                host[names.get(name, name)] = value


def _json(document: Any) -> bytes:
    return b"" if document is None else json.dumps(document).encode()
