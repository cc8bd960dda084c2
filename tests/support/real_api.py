# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start a kube-apiserver with its etcd (KUBEBUILDER_ASSETS), for tests against upstream's own controllers. It has only
definitions: no lab, no operators.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port

ASSETS = Path(os.environ.get("KUBEBUILDER_ASSETS") or "/nonexistent")
HAS_ASSETS = all((ASSETS / name).is_file() for name in ("kube-apiserver", "etcd"))
DEFINITION = Resource(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
)
# Seconds after which a test gives up; nothing is measured with it.
LIMIT = 60.0
TOKEN = "canary-of-an-administrator"


class RealApi:
    """Runs until :meth:`stop`. ``kubeconfig`` is an administrator's."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._processes: list[subprocess.Popen[bytes]] = []
        store, peers, self.port = (free_port() for _each in range(3))
        (directory / "tokens.csv").write_text(f"{TOKEN},admin,admin,system:masters\n")
        self.kubeconfig = directory / "kubeconfig"
        cluster = {"server": f"https://127.0.0.1:{self.port}", "insecure-skip-tls-verify": True}
        self.kubeconfig.write_text(
            yaml.safe_dump(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "clusters": [{"name": "hub", "cluster": cluster}],
                    "users": [{"name": "admin", "user": {"token": TOKEN}}],
                    "contexts": [{"name": "admin", "context": {"cluster": "hub", "user": "admin"}}],
                    "current-context": "admin",
                }
            )
        )
        url = f"http://127.0.0.1:{store}"
        self.run(
            "etcd",
            ASSETS / "etcd",
            f"--data-dir={directory / 'etcd'}",
            f"--listen-client-urls={url}",
            f"--advertise-client-urls={url}",
            f"--listen-peer-urls=http://127.0.0.1:{peers}",
            "--unsafe-no-fsync",
        )
        accounts = directory / "accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", str(accounts), "2048"], check=True, capture_output=True)
        self.run(
            "kube-apiserver",
            ASSETS / "kube-apiserver",
            f"--etcd-servers={url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--cert-dir={directory / 'certificates'}",
            f"--token-auth-file={directory / 'tokens.csv'}",
            f"--service-account-key-file={accounts}",
            f"--service-account-signing-key-file={accounts}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=172.30.0.0/16",
            "--authorization-mode=RBAC",
            "--disable-admission-plugins=ServiceAccount",
            "--endpoint-reconciler-type=none",
            "--shutdown-delay-duration=0",
        )
        self.client = KubeClient.from_kubeconfig(self.kubeconfig)
        eventually(self._ready)

    def run(self, name: str, program: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a program that ends with this server; its output is in ``<name>.log``."""
        with (self.directory / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(program), *arguments],
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env={**os.environ, **environment},
            )
        self._processes.append(process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._processes.remove(process)

    def stop(self) -> None:
        self.client.close()
        for process in reversed(list(self._processes)):
            self.end(process)

    def define(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Install definitions and wait until they are served."""
        for document in documents:
            self.client.create(DEFINITION.path(), document)
        eventually(lambda: all(map(_established, self.client.list(DEFINITION.path()))))

    def _ready(self) -> bool:
        try:
            return bool(self.client.get("/api/v1/namespaces/default"))
        except ZeroTouchError:
            return False


def _established(definition: Mapping[str, Any]) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or []
    return any(item["type"] == "Established" and item["status"] == "True" for item in conditions)


def eventually(holds: Any, what: Any = "") -> None:
    """Until it holds. ``what`` says afterwards what was wrong."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, what() if callable(what) else what or "it did not come true"
        time.sleep(0.2)


def shown(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True)
