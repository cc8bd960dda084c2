# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store the state of a deployment in one Kubernetes Secret: the snapshot in ``data.state``, the lease in an annotation,
``resourceVersion`` as the version.

The lease is no object of ``coordination.k8s.io``: that object has a separate version, and a late write of the Secret
would not be noticed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from ...common import json_text
from ...common.clock import Clock
from ...common.errors import RemoteError
from ...kube.client import KubeClient
from ...kube.faults import ConflictError
from ...kube.paths import SECRET
from ...kube.write import MANAGED_BY, OURS
from .errors import StoreConflict, StoreRefused, StoreUnknown
from .lease import Lease
from .store import StoredState, read_surely, write_surely

KEY = "state"
CLUSTER_LABEL = "zerotouch.openshift/cluster"
LEASE_ANNOTATION = "zerotouch.openshift/lease"
_NOT_FOUND = "NotFound"


class SecretStore:
    """A Secret of a namespace, reached by ``client``. ``cluster`` is in its label."""

    def __init__(self, client: KubeClient, namespace: str, name: str, cluster: str, clock: Clock) -> None:
        self._client, self._namespace, self._secret, self._cluster, self._clock = (
            client,
            namespace,
            name,
            cluster,
            clock,
        )

    @property
    def name(self) -> str:
        return f"Secret {self._namespace}/{self._secret} at {self._client.server}"

    @property
    def _path(self) -> str:
        return SECRET.path(self._namespace, self._secret)

    @property
    def _list(self) -> str:
        return SECRET.path(self._namespace)

    def read(self) -> StoredState | None:
        return read_surely(self.name, self._read, self._clock)

    def _read(self) -> StoredState | None:
        try:
            found = self._client.get(self._path)
        except RemoteError as error:
            # Only Kubernetes itself says NotFound; a proxy that answers 404 says nothing about the Secret.
            if error.status == 404 and error.code == _NOT_FOUND:
                return None
            raise
        return self._stored(found)

    def _stored(self, found: Mapping[str, Any]) -> StoredState:
        metadata, data = _mapping(found.get("metadata")), _mapping(found.get("data"))
        labels, annotations = _mapping(metadata.get("labels")), _mapping(metadata.get("annotations"))
        version = metadata.get("resourceVersion")
        if labels.get(MANAGED_BY) != OURS or labels.get(CLUSTER_LABEL) != self._cluster:
            hint = "Name another one in openshift_state.name, or delete it if it is not used."
            raise StoreUnknown(f"{self.name} was not created by this collection for cluster {self._cluster}.", hint)
        if not isinstance(version, str) or not version:
            raise StoreUnknown(
                f"{self.name} has no resourceVersion.", ("Check that openshift_state names a Kubernetes API.")
            )
        return StoredState(version, self._lease(annotations.get(LEASE_ANNOTATION)), self._snapshot(data.get(KEY)))

    def _lease(self, text: Any) -> Lease | None:
        if text is None:
            return None
        try:
            lease = Lease.read(json_text.parse_remote(text))
        except ValueError:
            lease = None
        if lease is None:
            hint = "If no run uses this deployment, remove the annotation."
            raise StoreUnknown(f"{self.name}: the annotation {LEASE_ANNOTATION} cannot be read.", hint)
        return lease

    def _snapshot(self, text: Any) -> bytes:
        try:
            return base64.b64decode(text or "", validate=True)
        except (ValueError, TypeError) as error:
            raise StoreUnknown(f"{self.name}: {KEY} is not base64.", "Restore the Secret from a backup.") from error

    def write(self, lease: Lease, snapshot: bytes | None, expected: str | None) -> str:
        body = self._body(lease, snapshot, expected)
        try:
            return write_surely(
                self.name, lambda: self._write(body, expected), self._read, lease, expected, self._clock
            )
        except RemoteError as error:
            raise StoreRefused(f"The state cannot be stored in {self.name}: {error.message}", error.hint) from error

    def _body(self, lease: Lease, snapshot: bytes | None, expected: str | None) -> dict[str, Any]:
        labels = {MANAGED_BY: OURS, CLUSTER_LABEL: self._cluster}
        metadata: dict[str, Any] = {
            "labels": labels,
            "annotations": {LEASE_ANNOTATION: json.dumps(lease.as_dict(), sort_keys=True)},
        }
        data = {} if snapshot is None else {"data": {KEY: base64.b64encode(snapshot).decode()}}
        if expected is not None:
            return {"metadata": {**metadata, "resourceVersion": expected}, **data}
        metadata |= {"name": self._secret, "namespace": self._namespace}
        return {"apiVersion": SECRET.api_version, "kind": SECRET.kind, "type": "Opaque", "metadata": metadata, **data}

    def _write(self, body: Mapping[str, Any], expected: str | None) -> str:
        try:
            create = expected is None
            written = self._client.create(self._list, body) if create else self._client.merge_patch(self._path, body)
        except ConflictError as error:
            raise StoreConflict(f"{self.name} was changed by another run.") from error
        except RemoteError as error:
            if error.status == 404 and error.code == _NOT_FOUND and expected is not None:
                raise StoreConflict(f"{self.name} was deleted.") from error
            raise
        version = _mapping(written.get("metadata")).get("resourceVersion")
        if not isinstance(version, str) or not version:
            raise StoreRefused(
                f"{self.name}: the answer to a write has no resourceVersion.",
                "Check that openshift_state names a Kubernetes API.",
            )
        return version

    def probe(self, stored: StoredState | None) -> None:
        """Nothing: every Kubernetes API observes ``resourceVersion`` (kubernetes/community
        contributors/devel/sig-architecture/api-conventions.md).
        """

    def close(self) -> None:
        self._client.close()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
