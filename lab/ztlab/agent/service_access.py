# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Send requests to the assisted-service from programs that run on the lab's machines, with their token and trusted
certificates.
"""

from __future__ import annotations

import dataclasses
import ssl
from typing import Any

from ..live.http import HostHttp, Reply

API = "/api/assisted-install"


@dataclasses.dataclass(frozen=True)
class ServiceAccess:
    """URL, token and TLS context for requests to the service. ``url`` does not include the path of the API."""

    url: str
    token: str
    tls: ssl.SSLContext | None = None

    async def call(self, http: HostHttp, method: str, path: str, body: Any = None) -> Reply:
        """A request with the agent's token. Raises Unreachable."""
        return await http.request(
            method, f"{self.url}{API}{path}", headers={"X-Secret-Key": self.token}, body=body, tls=self.tls
        )
