# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate all rendered objects of a cluster against upstream's CRDs: in the older and the newer version of each kind,
and with every field that a version has.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.desired import read_desired
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.field_table import (
    CLUSTER_FIELDS,
    CONFIG_FIELDS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.objects import (
    bare_metal_hosts,
    cluster_objects,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import BARE_METAL_HOST
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.resource import Resource
from ansible_collections.zerotouch.openshift.tests.support.hub import definitions
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import description
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_versions import (
    NEWER_FIELDS,
    VERSIONS,
    every_field,
)


def faults(resource: Resource, desired: dict[str, Any]) -> list[tuple[str, str]]:
    return definitions.faults({"apiVersion": resource.api_version, "kind": resource.kind, "spec": desired["spec"]})


@pytest.mark.parametrize("served", VERSIONS)
def test_every_object_fits(served: str) -> None:
    desired, kinds = read_desired(every_field(newer=served == "newer")), VERSIONS[served]
    checked = set()
    for wanted in cluster_objects(desired, kinds):
        if wanted.resource.group:
            assert faults(wanted.resource, wanted.desired) == [], wanted.resource
            checked.add(wanted.resource.kind)
    for each in bare_metal_hosts(desired):
        assert faults(BARE_METAL_HOST, each.bare_metal_host) == []
    assert len(checked) == 8


def test_fields_that_older_versions_lack_are_found() -> None:
    desired, kinds = read_desired(description(config=NEWER_FIELDS)), VERSIONS["older"]
    plane = next(wanted for wanted in cluster_objects(desired, kinds) if wanted.resource == kinds.control_plane)
    found = {path.rpartition(".")[2] for path, _text in faults(plane.resource, plane.desired)}
    assert found == {row.upstream.rpartition(".")[2] for row in CONFIG_FIELDS if row.since}


def test_every_field_of_the_definitions_has_a_row() -> None:
    def leaves(schema: Any, path: str = "") -> set[str]:
        properties = schema.get("properties") or {}
        if not properties or path == "nmStateConfigLabelSelector" or "Ref" in path:
            return {path}
        return {leaf for name, each in properties.items() for leaf in leaves(each, f"{path}.{name}" if path else name)}

    spec = definitions.schemas()["controlplane.cluster.x-k8s.io/v1alpha3", "OpenshiftAssistedControlPlane"][
        "properties"
    ]["spec"]["properties"]
    of_cluster = {"clusterName", "pullSecretRef", "imageRegistryRef"}
    assert leaves(spec["openshiftAssistedConfigSpec"]) == {row.upstream for row in CONFIG_FIELDS} | {"pullSecretRef"}
    assert leaves(spec["config"]) == {row.upstream for row in CLUSTER_FIELDS} | of_cluster
