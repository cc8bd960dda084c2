# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test both versions of the OpenShift Assisted providers' kinds: the collection writes objects in one version, and the
test reads them in the other version through upstream's own conversion webhooks.

``tests/unit/capi/assisted/conversions.json`` holds the converted objects; ZTLAB_RECORD=1 records them again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import NAMESPACE
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import plan_object
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_versions import (
    CASES,
    CONVERSIONS,
    SERVED,
    Conversion,
)
from ansible_collections.zerotouch.openshift.tests.support.real_api import RealApi

from .assisted_managers import NEEDED, managed_api

pytestmark = NEEDED
# Members of metadata that are the same in every recording. The managers set finalizers.
KEPT = ("name", "namespace", "labels", "annotations")


def converted(api: RealApi, case: Conversion, namespace: str) -> dict[str, Any]:
    """The objects by kind, as they are read."""
    api.client.create(NAMESPACE.path(), {"metadata": {"name": namespace}})
    for wanted in case.objects(case.written, namespace).values():
        change = plan_object(wanted.resource, wanted.desired, None)
        assert change is not None
        api.client.create(wanted.resource.path(namespace), change.body)
    if case.upgrade:
        plane = SERVED["newer"].control_plane.path(namespace, "c1")
        api.client.merge_patch(plane, {"spec": {"distributionVersion": case.upgrade}})
    read = case.objects(case.read, namespace)
    return {
        kind: recorded(api.client.get(wanted.resource.path(namespace, wanted.name))) for kind, wanted in read.items()
    }


def recorded(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {name: item["metadata"][name] for name in KEPT if name in item["metadata"]}
    # The object in the other version, with times.
    annotations = {
        name: value for name, value in metadata.get("annotations", {}).items() if not name.endswith("/conversion-data")
    }
    return {
        **{name: item[name] for name in ("apiVersion", "kind", "spec")},
        "metadata": metadata | {"annotations": annotations},
    }


def test_conversions(tmp_path_factory: pytest.TempPathFactory) -> None:
    with managed_api(tmp_path_factory.mktemp("assisted")) as api:
        found = {namespace: converted(api, case, namespace) for namespace, case in CASES.items()}
    if os.environ.get("ZTLAB_RECORD"):
        CONVERSIONS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    assert found == json.loads(CONVERSIONS.read_text())
