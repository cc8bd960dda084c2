# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start the hub's Kubernetes API server: a real kube-apiserver if its programs are installed, else the lab's simulated
one. The site option ``hub.real_apiserver`` can force the choice.
"""

from __future__ import annotations

import ssl
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kubeapi.auth import Authentication
from ..kubeapi.hub import hub_api
from ..kubeapi.real import RealApi, Tls, assets
from ..kubeapi.server import KubeApi
from ..site.model import HubSite

if TYPE_CHECKING:
    from ..lab import Lab

API_PORT = 6443


class Server:
    """Starts and stops at the hub's address with the lab's CA; client certificates are those of ``client_ca`` (PEM)."""

    def __init__(self, lab: Lab, site: HubSite, host: str, client_ca: bytes, crds: Sequence[Path]) -> None:
        self._lab, self._site, self._host, self._client_ca = lab, site, host, client_ca
        programs = None if site.real_apiserver == "never" else assets()
        if programs is None and site.real_apiserver == "always":
            raise ValueError(
                "hub.real_apiserver is always, but KUBEBUILDER_ASSETS names no directory with etcd and kube-apiserver"
            )
        self.real = (
            RealApi(programs, lab.paths.state / "apiserver", crds, clock=lab.clock, faults=lab.faults)
            if programs is not None
            else None
        )
        self.own: KubeApi | None = (
            None if self.real is not None else hub_api(crds, lab.clock, lab.faults, authentication=Authentication())
        )

    @property
    def _api(self) -> Any:
        return self.own if self.own is not None else self.real

    @property
    def admission(self) -> list[Any]:
        """Functions (operation, resource, new, old, dry_run) that refuse by raising ApiError."""
        hooks: list[Any] = self._api.admission
        return hooks

    @property
    def mutation(self) -> list[Any]:
        """The same, but they may change ``new``."""
        hooks: list[Any] = self._api.mutation
        return hooks

    @property
    def requests(self) -> Counter[str]:
        """Calls by method and resource."""
        counted: Counter[str] = self._api.requests
        return counted

    @property
    def unharmed(self) -> set[str]:
        """Users whose requests no fault touches unless it names them."""
        names: set[str] = self._api.unharmed
        return names

    async def start(self) -> None:
        """Listen; after :meth:`stop` again, with everything that was stored."""
        names = [self._site.api_host, self._host, "kubernetes", "kubernetes.default.svc", "localhost"]
        context = self._lab.authority.server_context(names)
        if self.own is not None:
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(cadata=self._client_ca.decode())
            await self.own.start(self._host, API_PORT, context)
        elif self.real is not None:
            pair = self._lab.authority.server_file(names[0])
            clients = self._lab.paths.tls / "hub-clients.crt"
            clients.write_bytes(self._client_ca)
            await self.real.start(self._host, API_PORT, Tls(pair, pair, self._lab.authority.ca_file, clients))

    async def stop(self) -> None:
        await self._api.stop()

    def compact(self) -> None:
        """Forget the history that watches resume from; a real server does that in its own time."""
        if self.own is not None:
            self.own.store.compact()
