# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the extension of upstream's CRDs for Cluster API: one status field and the contract labels are added, and
everything else is unchanged.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.extend_crds import CONTRACT_LABELS, extend_crd
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions


def definition(kind: str = "AgentMachine", **more: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}},
    }
    if kind == "AgentMachineTemplate":
        del schema["properties"]
    versions = [
        {"name": name, "served": True, "schema": {"openAPIV3Schema": copy.deepcopy(schema)}}
        for name in ("v1alpha1", "v1beta1")
    ]
    spec = {"group": "capi-provider.agent-install.openshift.io", "names": {"kind": kind}, "versions": versions, **more}
    return {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "x", "labels": {"cluster.x-k8s.io/v1beta1": "v1alpha1", "a": "b"}},
        "spec": spec,
    }


@pytest.mark.parametrize("kind", ["AgentMachine", "AgentCluster", "AgentMachineTemplate"])
def test_field_and_labels(kind: str) -> None:
    provided = definition(kind)
    before = copy.deepcopy(provided)
    found = extend_crd(provided)
    assert provided == before, "the document itself stays as it is"
    assert found["metadata"]["labels"] == {"a": "b", **CONTRACT_LABELS}
    for version in found["spec"]["versions"]:
        status = version["schema"]["openAPIV3Schema"].get("properties", {}).get("status")
        if kind == "AgentMachineTemplate":
            assert status is None
        else:
            assert (
                status["properties"]["initialization"]["properties"]["provisioned"]["type"] == "boolean"
                and "ready" in status["properties"]
            )
    assert extend_crd(found) == found


@pytest.mark.parametrize(
    "provided",
    [{}, {"kind": "ConfigMap", "metadata": {"name": "c"}}, definition("Other"), definition(group="other.io")],
)
def test_other_documents(provided: dict[str, Any]) -> None:
    with pytest.raises(ZeroTouchError, match="is no definition of"):
        extend_crd(provided)


def test_a_definition_without_schema() -> None:
    provided = definition()
    provided["spec"]["versions"][0]["schema"] = {}
    with pytest.raises(ZeroTouchError, match="no schema for status in version v1alpha1"):
        extend_crd(provided)


def test_nothing_else_of_the_definitions_changes() -> None:
    for document in definitions.documents("agent-provider"):
        if document["spec"]["names"]["kind"] == "HostedControlPlane":
            continue
        found = extend_crd(document)
        for version, before in zip(found["spec"]["versions"], document["spec"]["versions"], strict=True):
            status = version["schema"]["openAPIV3Schema"]["properties"].get("status")
            if status is not None:
                del status["properties"]["initialization"]
            assert version == before
