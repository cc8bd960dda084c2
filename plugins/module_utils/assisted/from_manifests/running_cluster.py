# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the parameters with which assisted-service imports a running cluster, so that hosts can be added to it.

An existing import is kept and updated. Upstream's client imports the cluster again.

Source: openshift/assisted-service cmd/agentbasedinstaller/import.go.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...common.errors import InvalidInput
from ...common.problems import INVALID, REQUIRED, SYNTAX, Problem
from ..cluster.desired import DesiredServiceCluster
from .documents import at, text_at

_CONFIG = "import-cluster-config.json"
_ENDPOINT = "worker-ignition-endpoint.json"


@dataclasses.dataclass(frozen=True)
class ImportedCluster:
    """``openshift_cluster_id`` is the cluster's own id (ClusterVersion ``spec.clusterID``); ``user_managed_networking``
    None: not given.
    """

    openshift_cluster_id: str
    name: str
    api_vip_dnsname: str
    user_managed_networking: bool | None = None
    ignition_endpoint: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def import_params(self) -> dict[str, str]:
        """The body of the import."""
        return {
            "name": self.name,
            "api_vip_dnsname": self.api_vip_dnsname,
            "openshift_cluster_id": self.openshift_cluster_id,
        }

    def update_params(self) -> dict[str, Any]:
        """The body of the PATCH that follows it.

        What the client sends as null besides means "unchanged", as leaving it out does.
        """
        endpoint = {"ignition_endpoint": dict(self.ignition_endpoint)} if self.ignition_endpoint else {}
        managed = (
            {} if self.user_managed_networking is None else {"user_managed_networking": self.user_managed_networking}
        )
        return {**managed, **endpoint}

    def requested(self) -> DesiredServiceCluster:
        """The cluster to be imported, unless the service knows it, and then brought to this."""
        return DesiredServiceCluster(self.name, self.update_params(), existing=self.import_params())


def parse_running_cluster(wanted: Mapping[str, Any], files: Mapping[str, str]) -> ImportedCluster:
    """From ``openshift_cluster_id``, ``name``, ``api_vip_dnsname`` and the files of a cluster configuration directory.

    Raises :class:`InvalidInput`.
    """
    problems = [
        Problem(f"import_cluster.{name}", REQUIRED, "is needed", layer="ours")
        for name in _IDENTITY
        if not wanted.get(name)
    ]
    config = _json(files, _CONFIG, problems)
    managed = wanted.get("user_managed_networking")
    if managed is None:
        managed = at(config, "networking", "userManagedNetworking")
    if managed is not None and not isinstance(managed, bool):
        problems.append(
            Problem("networking.userManagedNetworking", INVALID, "must be true or false", file=_CONFIG, layer="ours")
        )
    endpoint = dict(wanted.get("ignition_endpoint") or _json(files, _ENDPOINT, problems))
    known = {key: text_at(endpoint, key) for key in ("url", "ca_certificate") if text_at(endpoint, key)}
    if endpoint and "url" not in known:
        problems.append(Problem("import_cluster.ignition_endpoint.url", REQUIRED, "is needed", layer="ours"))
    if "ca_certificate" in known and not _is_base64(known["ca_certificate"]):
        problems.append(
            Problem("import_cluster.ignition_endpoint.ca_certificate", INVALID, "is not base64", layer="ours")
        )
    if problems:
        raise InvalidInput(problems)
    own_id, name, api = (str(wanted[member]) for member in _IDENTITY)
    return ImportedCluster(own_id, name, api, managed, known)


def read_cluster_config(directory: Path) -> dict[str, str]:
    """The files of a cluster configuration directory that are there."""
    return {
        name: (directory / name).read_text("utf-8", "replace")
        for name in (_CONFIG, _ENDPOINT)
        if (directory / name).is_file()
    }


_IDENTITY = ("openshift_cluster_id", "name", "api_vip_dnsname")


def _json(files: Mapping[str, str], name: str, problems: list[Problem]) -> dict[str, Any]:
    if name not in files:
        return {}
    try:
        document = json.loads(files[name])
    except ValueError:
        document = None
    if not isinstance(document, dict):
        problems.append(Problem("", SYNTAX, "is not a JSON object", file=name, layer="ours"))
        return {}
    return document


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True
