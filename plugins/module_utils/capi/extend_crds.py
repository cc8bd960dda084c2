# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Extend the CRDs of cluster-api-provider-agent with the field and the labels that the v1beta2 contract of Cluster API
requires. Pure.

Upstream's schema has no ``status.initialization.provisioned``, so the API drops this field, and upstream's contract
labels end at v1beta1. Only the reconcile passes of this collection write the field. With the extended CRDs, Cluster API
uses the newer contract, so upstream's controller alone makes no machine ready.

Source: kubernetes-sigs/cluster-api docs/book/src/developer/providers/contracts.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..common.errors import ZeroTouchError
from .kinds import AGENT_CLUSTER, AGENT_MACHINE, AGENT_MACHINE_TEMPLATE, PROVIDER_GROUP

# Contract -> version of the objects. Upstream's own label for v1beta1 names v1alpha1 alone, so that Cluster API uses
# the deprecated version.
CONTRACT_LABELS: Mapping[str, str] = {"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta1"}
_WITH_STATUS = (AGENT_CLUSTER.kind, AGENT_MACHINE.kind)
_KINDS = (*_WITH_STATUS, AGENT_MACHINE_TEMPLATE.kind)
_INITIALIZATION: Mapping[str, Any] = {
    "description": "What the v1beta2 contract of Cluster API reads. Written by the collection zerotouch.openshift.",
    "type": "object",
    "properties": {
        "provisioned": {
            "description": "Whether provisioning is complete. Once it is true it stays true.",
            "type": "boolean",
        },
    },
}


def extend_crd(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The CustomResourceDefinition of AgentCluster, AgentMachine or AgentMachineTemplate with the field, where it has a
    status, and the contract labels.

    Extending twice is the same as once, and what else is in the document stays. Raises :class:`ZeroTouchError` for any
    other document.
    """
    spec = definition.get("spec") or {}
    kind = str((spec.get("names") or {}).get("kind") or "")
    if (
        definition.get("kind") != "CustomResourceDefinition"
        or spec.get("group") != PROVIDER_GROUP
        or kind not in _KINDS
    ):
        name = (definition.get("metadata") or {}).get("name") or "without a name"
        definition_kind = definition.get("kind") or "A document"
        raise ZeroTouchError(f"{definition_kind} {name} is no definition of {', '.join(_KINDS)} ({PROVIDER_GROUP}).")
    result = copy.deepcopy(dict(definition))
    metadata = result.setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), **CONTRACT_LABELS}
    if kind in _WITH_STATUS:
        for version in result["spec"].get("versions") or ():
            status = _status(version)
            status.setdefault("properties", {}).setdefault("initialization", copy.deepcopy(dict(_INITIALIZATION)))
    return result


def _status(version: Mapping[str, Any]) -> dict[str, Any]:
    schema = ((version.get("schema") or {}).get("openAPIV3Schema") or {}).get("properties") or {}
    if not isinstance(schema.get("status"), dict):
        raise ZeroTouchError(f"The definition has no schema for status in version {version.get('name')}.")
    found: dict[str, Any] = schema["status"]
    return found
