# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""API paths of the kinds this collection works with: they are known, so nothing is discovered."""

from __future__ import annotations

import dataclasses
from urllib.parse import quote


@dataclasses.dataclass(frozen=True)
class Kind:
    """``group`` is empty for the core API."""

    group: str
    version: str
    plural: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, name: str = "", namespace: str = "", subresource: str = "") -> str:
        """``/api/v1/namespaces/<namespace>/<plural>/<name>/<subresource>``; without ``namespace`` a namespaced kind is listed over all of them."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        where = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced and namespace else ""
        tail = "".join(f"/{quote(part, safe='')}" for part in (name, subresource) if part)
        return f"{root}{where}/{self.plural}{tail}"


VERSION = "/version"

CONFIG_MAP = Kind("", "v1", "configmaps")
NODE = Kind("", "v1", "nodes", namespaced=False)
SECRET = Kind("", "v1", "secrets")
CERTIFICATE_SIGNING_REQUEST = Kind("certificates.k8s.io", "v1", "certificatesigningrequests", namespaced=False)
CLUSTER_OPERATOR = Kind("config.openshift.io", "v1", "clusteroperators", namespaced=False)
CLUSTER_VERSION = Kind("config.openshift.io", "v1", "clusterversions", namespaced=False)
ROUTE = Kind("route.openshift.io", "v1", "routes")
