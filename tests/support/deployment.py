# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a deployment on 127.0.0.1 for tests: a work directory, an assisted-service over HTTP, and a cluster's API
over HTTPS, both under their real names.
"""

from __future__ import annotations

import base64
import http.server
import json
import threading
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.inputs import input_digests

from . import api_server

BASE = "/api/assisted-install/v2"
INFRA_ENV = "5f6e2d0c-0000-4000-8000-000000000001"
WATCHER, USER = "watcher-token-of-this-deployment", "user-token-of-this-deployment"
PULL_SECRET = json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"puller:very-secret-pull-word").decode()}}})
RENDEZVOUS = "192.168.111.20"

INSTALL_CONFIG = {
    "apiVersion": "v1",
    "baseDomain": "example.com",
    "metadata": {"name": "demo"},
    "controlPlane": {"name": "master", "replicas": 1},
    "compute": [{"name": "worker", "replicas": 1}],
    "networking": {"networkType": "OVNKubernetes", "machineNetwork": [{"cidr": "192.168.111.0/24"}]},
    "platform": {"baremetal": {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}},
    "pullSecret": PULL_SECRET,
}


def agent_host(name: str, number: int, role: str) -> dict[str, Any]:
    address = {"ip": f"192.168.111.{20 + number}", "prefix-length": 24}
    return {
        "hostname": name,
        "role": role,
        "interfaces": [{"name": "eno1", "macAddress": f"52:54:00:00:00:0{number}"}],
        "networkConfig": {
            "interfaces": [
                {
                    "name": "eno1",
                    "type": "ethernet",
                    "state": "up",
                    "ipv4": {"enabled": True, "dhcp": False, "address": [address]},
                }
            ]
        },
    }


AGENT_CONFIG = {
    "apiVersion": "v1beta1",
    "kind": "AgentConfig",
    "metadata": {"name": "demo"},
    "rendezvousIP": RENDEZVOUS,
    "hosts": [agent_host("node-0", 0, "master"), agent_host("node-1", 1, "worker")],
}


class FakeService:
    """An assisted-service that knows its tokens; documents are plain attributes."""

    def __init__(self) -> None:
        self.infra_env = INFRA_ENV
        self.cluster: dict[str, Any] | None = None
        self.hosts: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.logs: bytes | None = None
        self.seen: list[str] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, headers: Any) -> tuple[int, Any]:
        watching = headers.get("Watcher-Authorization") == WATCHER
        using = headers.get("Authorization") == USER
        if not (watching or using):
            return 401, {"code": 401, "message": "unauthenticated for invalid credentials"}
        documents = {
            f"{BASE}/infra-envs": [{"id": self.infra_env}] if self.infra_env else None,
            f"{BASE}/clusters": [self.cluster] if self.cluster else [],
            f"{BASE}/clusters/c1": {**(self.cluster or {}), "hosts": self.hosts},
            f"{BASE}/events": self.events,
            f"{BASE}/infra-envs/{INFRA_ENV}/hosts": self.hosts if using else None,
            f"{BASE}/clusters/c1/logs": self.logs if using else None,
        }
        if path not in documents:
            return 404, {"code": 404, "message": f"path {path} was not found"}
        if documents[path] is None and path.endswith("/logs"):
            return 409, {"kind": "Error", "id": 409, "code": "409", "reason": "Logs were not found"}
        return 200, documents[path]

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                outer.seen.append(path)
                status, document = outer.answer(path, self.headers)
                body = document if isinstance(document, bytes) else json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        return Handler


def service_host(number: int, status: str = "known", stage: str = "", **more: Any) -> dict[str, Any]:
    """A host document as the service writes it: JSON inside strings."""
    interface = {"mac_address": f"52:54:00:00:00:0{number}", "ipv4_addresses": [f"192.168.111.{20 + number}/24"]}
    return {
        "id": f"h{number}",
        "requested_hostname": f"node-{number}",
        "status": status,
        "role": "worker" if number else "master",
        "bootstrap": number == 0,
        "progress": {"current_stage": stage, "installation_percentage": 50},
        "inventory": json.dumps({"hostname": f"node-{number}", "interfaces": [interface]}),
        **more,
    }


def condition(kind: str, status: str, message: str = "", since: str = "2026-01-01T00:00:00Z") -> dict[str, str]:
    return {"type": kind, "status": status, "message": message, "lastTransitionTime": since}


class Stage:
    """``connect_to`` leads both names here. Nothing answers until :meth:`serve` and :meth:`run_api`."""

    def __init__(self, root: Path) -> None:
        self.root = root / "demo"
        self._root = root
        self.connect_to: dict[str, str] = {
            f"{RENDEZVOUS}:8090": "127.0.0.1:1",
            "api.demo.example.com:6443": "127.0.0.1:1",
        }
        self.service: FakeService | None = None
        self.api: Any = None
        self.kube = api_server
        self.authority = self.kube.Authority()

    def close(self) -> None:
        for server in (self.service, self.api):
            if server is not None:
                server.close()

    @property
    def state(self) -> StateFile:
        return StateFile(self.root / "state.json")

    def configure(self) -> None:
        """What agent_config writes."""
        config = self.root / "config"
        config.mkdir(parents=True)
        (config / "install-config.yaml").write_text(yaml.safe_dump(INSTALL_CONFIG))
        (config / "agent-config.yaml").write_text(yaml.safe_dump(AGENT_CONFIG))
        (config / "release.json").write_text(
            json.dumps({"version": "4.22.0", "release_image": "quay.io/ocp/release:4.22.0-x86_64"})
        )

    def build(self) -> None:
        """What agent_image writes."""
        self.configure()
        image = self.root / "images" / "agent.x86_64.iso"
        image.parent.mkdir()
        image.write_bytes(b"iso")
        auth = self.root / "auth"
        auth.mkdir()
        client = self.authority.issue("system:admin")
        self.kube.write_kubeconfig(auth / "kubeconfig", "https://api.demo.example.com:6443", self.authority.pem, client)
        (auth / "kubeadmin-password").write_text("aaaaa-bbbbb-ccccc-ddddd")
        hosts = [
            {
                "name": host["hostname"],
                "hostname": host["hostname"],
                "role": host["role"],
                "macs": [host["interfaces"][0]["macAddress"]],
            }
            for host in AGENT_CONFIG["hosts"]
        ]
        with self.state.edit() as document:
            document["cluster"] = {
                "name": "demo",
                "base_domain": "example.com",
                "version": "4.22.0",
                "release_image": "quay.io/ocp/release:4.22.0-x86_64",
                "api_url": "https://api.demo.example.com:6443",
                "rendezvous_ip": RENDEZVOUS,
                "hosts": hosts,
            }
            document["secrets"] = {
                "infra_env_id": INFRA_ENV,
                "watcher_token": WATCHER,
                "user_token": USER,
                "kubeadmin_password": "aaaaa-bbbbb-ccccc-ddddd",
                "signers": {"lb": {"key": "signer-private-key", "crt": "signer-certificate"}},
            }
            document["image"] = {"path": str(image), "size": 3, "inputs": input_digests(self.root / "config")}
            document["install"] = {"phase": "built"}

    def serve(self) -> FakeService:
        self.service = FakeService()
        self.connect_to[f"{RENDEZVOUS}:8090"] = f"127.0.0.1:{self.service.port}"
        return self.service

    def run_api(self, authority: Any = None, client_ca: Any = None) -> Any:
        """An API whose certificate comes from ``authority`` (default: ours) and that takes clients of ``client_ca``
        (default: ours).
        """
        (self._root / "api").mkdir(exist_ok=True)
        self.api = self.kube.ApiServer(
            self._root / "api", authority or self.authority, client_ca=client_ca or self.authority
        )
        self.connect_to["api.demo.example.com:6443"] = f"127.0.0.1:{self.api.port}"
        return self.api

    def installed(self) -> Any:
        """Everything that a complete cluster answers."""
        api = self.api or self.run_api()
        ready = {"status": {"conditions": [condition("Ready", "True")], "addresses": []}}
        nodes = [{"metadata": {"name": f"node-{number}"}, **ready} for number in (0, 1)]
        rolled_out = [condition("Available", "True"), condition("Failing", "False"), condition("Progressing", "False")]
        operators = [
            {
                "metadata": {"name": "dns"},
                "status": {"conditions": [condition("Available", "True"), condition("Progressing", "False")]},
            }
        ]
        config = "/apis/config.openshift.io/v1"
        api.routes |= {
            ("GET", "/version"): (200, {"gitVersion": "v1.35.2"}),
            ("GET", "/api/v1/nodes"): (200, {"kind": "NodeList", "items": nodes}),
            ("GET", "/api/v1/namespaces/kube-system/configmaps/bootstrap"): (200, {"data": {"status": "complete"}}),
            ("GET", f"{config}/clusterversions/version"): (
                200,
                {"status": {"desired": {"version": "4.22.0"}, "conditions": rolled_out}},
            ),
            ("GET", f"{config}/clusteroperators"): (200, {"kind": "ClusterOperatorList", "items": operators}),
            ("GET", "/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert"): (
                200,
                {"data": {"ca-bundle.crt": self.kube.Authority("ingress").pem}},
            ),
            ("GET", "/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console"): (
                200,
                {
                    "spec": {"host": "console-openshift-console.apps.demo.example.com"},
                    "status": {
                        "ingress": [
                            {
                                "host": "console-openshift-console.apps.demo.example.com",
                                "conditions": [condition("Admitted", "True")],
                            }
                        ]
                    },
                },
            ),
        }
        return api
