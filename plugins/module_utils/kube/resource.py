# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe a kind of a Kubernetes API, and build its URL paths.

The collection defines all kinds that it uses, so no API discovery is needed.
"""

from __future__ import annotations

import dataclasses
from urllib.parse import quote


@dataclasses.dataclass(frozen=True)
class Resource:
    """One kind. ``group`` is empty for the core API; ``plural`` is its name in paths and in RBAC rules."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """``/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>``; without ``namespace`` a
        list over all of them.
        """
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        where = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced and namespace else ""
        tail = "".join(f"/{quote(part, safe='')}" for part in (name, subresource) if part)
        return f"{root}{where}/{self.plural}{tail}"
