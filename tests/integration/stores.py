# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run state stores for tests: a web server, and a Kubernetes API in which a Secret holds the state."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import KubeClient
from ansible_collections.zerotouch.openshift.tests.support.document_server import DocumentServer
from ztlab.kubeapi.auth import Authentication
from ztlab.kubeapi.hub import hub_api

NAMESPACE = "states"
PASSPHRASE = "canary-passphrase-of-the-store"


class LabApi:
    """The lab's own API in a thread of its own."""

    def __init__(self, directory: Path) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._api = hub_api([], authentication=Authentication(open_to_all=True))
        self._wait(self._api.start("127.0.0.1"))
        self.kubeconfig = directory / "kubeconfig"
        cluster = {"server": f"http://127.0.0.1:{self._api.port}"}
        context = {"name": "a", "context": {"cluster": "c", "user": "u"}}
        document = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": "x"}}],
            "contexts": [context],
        }
        self.kubeconfig.write_text(yaml.safe_dump({**document, "current-context": "a"}))
        self.client = KubeClient.from_kubeconfig(self.kubeconfig)

    def _wait(self, done: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(done, self._loop).result(60)

    def stop(self) -> None:
        self.client.close()
        self._wait(self._api.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)


class Stores:
    """One remote store of each method, started when it is first needed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._server: DocumentServer | None = None
        self._api: LabApi | None = None

    @property
    def server(self) -> DocumentServer:
        """The web server of method ``http``."""
        if self._server is None:
            self._server = DocumentServer()
        return self._server

    @property
    def api(self) -> LabApi:
        """The API of method ``secret``."""
        if self._api is None:
            directory = self._directory / "state-api"
            directory.mkdir()
            self._api = LabApi(directory)
            self._api.client.create(
                "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
            )
        return self._api

    def options(self, method: str, **changes: Any) -> dict[str, Any]:
        """``openshift_state`` of this method."""
        place = (
            {"url": self.server.url}
            if method == "http"
            else {"kubeconfig": str(self.api.kubeconfig), "namespace": NAMESPACE}
        )
        return {"method": method, "passphrase": PASSPHRASE, **place, **changes}

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop()
        if self._api is not None:
            self._api.stop()
