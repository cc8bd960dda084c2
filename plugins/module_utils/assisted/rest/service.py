# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Provide one method for each endpoint of an assisted-service that the collection uses. Documents have the fields of
the service.

Methods that write are called only by the apply step of a plan, never in check mode. A request body holds only the
fields that change: an absent or null field stays unchanged.

Source: openshift/assisted-service swagger.yaml, internal/bminventory/inventory.go, internal/cluster/validations.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ...kube.remote_config import remote_kubeconfig
from .auth import USER, USER_AGENT, USER_AGENT_LINK, USER_WATCHER
from .client import AssistedClient, Document, path_part
from .faults import AssistedError

ClusterAction = Literal["install", "cancel", "reset", "allow-add-hosts"]
HostAction = Literal["install", "reset", "unbind"]


class AssistedService(AssistedClient):
    """One assisted-service with all that modules ask of it; errors and repeats as :class:`AssistedClient`."""

    # clusters

    def clusters_with_hosts(self) -> list[Document]:
        """All clusters with their hosts, whose inventory and validations are included."""
        return self._objects("clusters", USER_WATCHER, {"with_hosts": "true"})

    def create_cluster(self, params: Mapping[str, Any]) -> Document:
        return self._object("clusters", USER, method="POST", body=dict(params))

    def import_cluster(self, params: Mapping[str, Any]) -> Document:
        """A cluster that runs already, to add hosts to: ``name``, ``api_vip_dnsname``, ``openshift_cluster_id`` and
        perhaps ``openshift_version``.
        """
        return self._object("clusters/import", USER, method="POST", body=dict(params))

    def update_cluster(self, cluster_id: str, params: Mapping[str, Any]) -> Document:
        return self._object(_cluster(cluster_id), USER, method="PATCH", body=dict(params))

    def delete_cluster(self, cluster_id: str) -> None:
        self._send("DELETE", _cluster(cluster_id), USER)

    def cluster_action(self, cluster_id: str, action: ClusterAction) -> Document:
        return self._object(f"{_cluster(cluster_id)}/actions/{action}", USER, method="POST")

    def update_install_config(self, cluster_id: str, overrides: str) -> None:
        """Set the overrides, JSON text, which replace those from before."""
        self._send("PATCH", f"{_cluster(cluster_id)}/install-config", USER, body=overrides)

    def ignored_validations(self, cluster_id: str) -> Document:
        return self._object(f"{_cluster(cluster_id)}/ignored-validations", USER)

    def ignore_validations(self, cluster_id: str, host_ids: Sequence[str], cluster_ids: Sequence[str]) -> None:
        """Have exactly these validations ignored; ``all`` is every one that may be."""
        body = {
            "host-validation-ids": json.dumps(list(host_ids)),
            "cluster-validation-ids": json.dumps(list(cluster_ids)),
        }
        self._send("PUT", f"{_cluster(cluster_id)}/ignored-validations", USER, body=body)

    def credentials(self, cluster_id: str) -> Document:
        """``username``, ``password`` and ``console_url``."""
        return self._object(f"{_cluster(cluster_id)}/credentials", USER)

    def credential_file(self, cluster_id: str, name: str) -> bytes:
        """``kubeconfig``, ``kubeconfig-noingress`` or ``kubeadmin-password``.

        Raises :class:`ZeroTouchError` for a kubeconfig with more than data.
        """
        content = self._file(f"{_cluster(cluster_id)}/downloads/credentials", USER_AGENT, {"file_name": name})
        if name != "kubeadmin-password":
            remote_kubeconfig(content, f"{name} of {self.service}")
        return content

    def cluster_file(self, cluster_id: str, name: str) -> bytes:
        """``bootstrap.ign``, ``master.ign``, ``metadata.json``, ``install-config.yaml``, ``custom_manifests.yaml`` and
        their kin.
        """
        return self._file(f"{_cluster(cluster_id)}/downloads/files", USER_AGENT_LINK, {"file_name": name})

    # manifests of a cluster

    def manifests(self, cluster_id: str, *, system: bool = False) -> list[Document]:
        """``file_name``, ``folder`` and ``manifest_source`` of each; those of the service only with ``system``."""
        query = {"include_system_generated": "true"} if system else None
        return self._objects(f"{_cluster(cluster_id)}/manifests", USER, query)

    def manifest(self, cluster_id: str, folder: str, name: str) -> bytes:
        return self._file(f"{_cluster(cluster_id)}/manifests/files", USER, {"folder": folder, "file_name": name})

    def create_manifest(self, cluster_id: str, folder: str, name: str, content: bytes) -> None:
        """A manifest; one of the same folder and name is overwritten."""
        body = {"folder": folder, "file_name": name, "content": base64.b64encode(content).decode()}
        self._send("POST", f"{_cluster(cluster_id)}/manifests", USER, body=body, repeatable=True)

    def delete_manifest(self, cluster_id: str, folder: str, name: str) -> None:
        self._send("DELETE", f"{_cluster(cluster_id)}/manifests", USER, query={"folder": folder, "file_name": name})

    # infra-envs

    def infra_env(self, infra_env_id: str) -> Document:
        return self._object(_infra_env(infra_env_id), USER_AGENT_LINK)

    def create_infra_env(self, params: Mapping[str, Any]) -> Document:
        return self._object("infra-envs", USER, method="POST", body=dict(params))

    def update_infra_env(self, infra_env_id: str, params: Mapping[str, Any]) -> Document:
        return self._object(_infra_env(infra_env_id), USER, method="PATCH", body=dict(params))

    def delete_infra_env(self, infra_env_id: str) -> None:
        self._send("DELETE", _infra_env(infra_env_id), USER)

    def image_url(self, infra_env_id: str) -> Document:
        """``url`` and ``expires_at`` of the discovery ISO."""
        return self._object(f"{_infra_env(infra_env_id)}/downloads/image-url", USER)

    def infra_env_file(self, infra_env_id: str, name: str, **query: str) -> bytes:
        """``discovery.ign``, ``ipxe-script`` or ``static-network-config``."""
        return self._file(f"{_infra_env(infra_env_id)}/downloads/files", USER_AGENT_LINK, {"file_name": name, **query})

    # hosts

    def host(self, infra_env_id: str, host_id: str) -> Document:
        return self._object(_host(infra_env_id, host_id), USER)

    def cluster_hosts(self, cluster_id: str) -> list[Document]:
        """The hosts of a cluster, of whichever InfraEnv, with their inventory."""
        return self._objects(f"{_cluster(cluster_id)}/hosts", USER_AGENT, {"with-inventory": "true"})

    def update_host(self, infra_env_id: str, host_id: str, params: Mapping[str, Any]) -> Document:
        """All members or, where one is refused, none."""
        return self._object(_host(infra_env_id, host_id), USER, method="PATCH", body=dict(params))

    def delete_host(self, infra_env_id: str, host_id: str) -> None:
        """Forget a host. One that is gone already is no error, whatever the service says of it.

        Source: openshift/assisted-service internal/bminventory/inventory.go, internal/host/hostutil/host_utils.go: 500.
        """
        try:
            self._send("DELETE", _host(infra_env_id, host_id), USER)
        except AssistedError as error:
            if error.status not in (404, 500) or "not found" not in error.reason:
                raise

    def bind_host(self, infra_env_id: str, host_id: str, cluster_id: str) -> Document:
        return self._object(
            f"{_host(infra_env_id, host_id)}/actions/bind", USER, method="POST", body={"cluster_id": cluster_id}
        )

    def host_action(self, infra_env_id: str, host_id: str, action: HostAction) -> Document:
        return self._object(f"{_host(infra_env_id, host_id)}/actions/{action}", USER, method="POST")

    def update_installer_args(self, infra_env_id: str, host_id: str, arguments: Sequence[str]) -> Document:
        return self._object(
            f"{_host(infra_env_id, host_id)}/installer-args", USER, method="PATCH", body={"args": list(arguments)}
        )

    def update_host_ignition(self, infra_env_id: str, host_id: str, config: str) -> None:
        """Set the Ignition override of a host, JSON text; an empty one removes it."""
        self._send("PATCH", f"{_host(infra_env_id, host_id)}/ignition", USER, body={"config": config})

    def reset_validation(self, infra_env_id: str, host_id: str, validation_id: str) -> Document:
        return self._object(
            f"{_host(infra_env_id, host_id)}/actions/reset-validation/{path_part(validation_id)}", USER, method="PATCH"
        )

    # catalogue

    def component_versions(self) -> Document:
        return self._object("component-versions", USER)

    def openshift_versions(self) -> Document:
        return self._object("openshift-versions", USER)

    def _file(self, path: str, personas: str, query: Mapping[str, str]) -> bytes:
        return self._send("GET", path, personas, query=query).body


def _cluster(cluster_id: str) -> str:
    return f"clusters/{path_part(cluster_id)}"


def _infra_env(infra_env_id: str) -> str:
    return f"infra-envs/{path_part(infra_env_id)}"


def _host(infra_env_id: str, host_id: str) -> str:
    return f"{_infra_env(infra_env_id)}/hosts/{path_part(host_id)}"
