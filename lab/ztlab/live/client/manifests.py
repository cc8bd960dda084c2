# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the manifests in the live system for the simulated agentbasedinstaller client. They are decoded as leniently as
upstream does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import yaml

from ..root import Root

DIRECTORY = "/manifests"
EXTRA_DIRECTORY = "/extra-manifests"
MOUNTS = {
    DIRECTORY: "/etc/assisted/manifests",
    EXTRA_DIRECTORY: "/etc/assisted/extra-manifests",
    "/etc/assisted/hostconfig": "/etc/assisted/hostconfig",
}


class ClientError(Exception):
    """The client ends with a fatal log message; this is its text."""


@dataclasses.dataclass(frozen=True)
class Manifests:
    """The cluster-manifests of an image, below what the client's container has mounted.

    Source: openshift/assisted-service cmd/agentbasedinstaller/register.go, cmd/agentbasedinstaller/import.go,
      cmd/agentbasedinstaller/host_config.go.
    """

    root: Root
    mounts: Mapping[str, str] = dataclasses.field(default_factory=lambda: MOUNTS)

    def document(self, name: str) -> dict[str, Any]:
        """The manifest of a file. Raises :class:`ClientError`."""
        documents = self.documents(name)
        if documents is None:
            raise ClientError(
                f"error reading file /manifests/{name}: open /manifests/{name}: no such file or directory"
            )
        if not documents or not isinstance(documents[0], dict):
            raise ClientError(f"error unmarshalling contents of /manifests/{name}: no object")
        return documents[0]

    def documents(self, name: str) -> list[Any] | None:
        """All YAML documents of a file without the empty ones; None when it does not exist.

        Raises :class:`ClientError`.
        """
        text = self.root.text(f"{self.mounts.get(DIRECTORY, '/nowhere')}/{name}")
        if text is None:
            return None
        try:
            return [document for document in yaml.safe_load_all(text) if document is not None]
        except yaml.YAMLError as error:
            raise ClientError(
                f"error unmarshalling contents of /manifests/{name}: {getattr(error, 'problem', error)}"
            ) from error

    def pull_secret(self) -> str:
        """Only stringData is read."""
        secret = self.document("pull-secret.yaml")
        return str((secret.get("stringData") or {}).get(".dockerconfigjson", ""))

    def extra(self) -> dict[str, bytes]:
        """Extra manifests by file name, in lexical order."""
        return {
            name: node.content
            for name, node in self.root.under(self.mounts.get(EXTRA_DIRECTORY, "/nowhere"), "*.y*ml").items()
        }


def spec_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = document.get("spec") or {}
    return spec if isinstance(spec, dict) else {}
