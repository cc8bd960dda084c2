# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that docs/rbac/capi-assisted.yaml grants exactly the permissions that module assisted_control_plane uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run as control_plane_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import (
    NS,
    AssistedHub,
    description,
    host,
    pool,
)

RBAC = Path(__file__).parents[4] / "docs" / "rbac" / "capi-assisted.yaml"
Rule = tuple[str, str, str]  # where, resource, verb
MIRRORS = '[[registry]]\nlocation="quay.io/a"\n[[registry.mirror]]\nlocation="mirror/{}"'


def rules() -> set[Rule]:
    found = set()
    for document in yaml.safe_load(RBAC.read_text())["items"]:
        place = "anywhere" if document["kind"] == "ClusterRole" else "objects"
        for rule in document.get("rules", ()):
            found |= {(place, resource, verb) for resource in rule["resources"] for verb in rule["verbs"]}
    return found


def test_every_rule_is_used_and_no_other_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub = AssistedHub()
    monkeypatch.setattr(control_plane_run, "connect", lambda *_args, **_options: hub)

    def opened(*, fails: bool = False, **options: Any) -> None:
        params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
        result = perform(
            assisted_control_plane.run, Call({**params, **description(), "forks": 1, "timeout": 0.0, **options})
        )
        assert result["failed"] is fails, result["msg"]

    def network(state: str) -> list[dict[str, Any]]:
        interfaces = [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]
        return [
            host(
                1,
                interfaces=interfaces,
                network_config={"interfaces": [{"name": "eth0", "state": state}]},
                boot_mode="UEFI" if state == "up" else None,
            )
        ]

    del hub.objects["namespaces", "", NS]
    # After a conflict an object is read again.
    hub.conflicts = [
        "namespaces",
        "clusters",
        "machinedeployments",
        "openshiftassistedcontrolplanes",
        "secrets",
        "configmaps",
        "baremetalhosts",
    ]
    hub.conflicts += [
        "openshiftassistedconfigtemplates",
        "metal3clusters",
        "metal3machinetemplates",
        "metal3datatemplates",
        "nmstateconfigs",
    ]
    opened(hosts=network("down"), image_registry={"registries_conf": MIRRORS.format("a"), "ca_bundle": None})
    hub.put("machines", {"metadata": {"name": "m", "namespace": NS}, "spec": {"clusterName": "c1"}})
    changed = {
        "hosts": network("up"),
        "image_registry": {"registries_conf": MIRRORS.format("b"), "ca_bundle": None},
        "pull_secret": {"auths": {"other": {"auth": "dXNlcjpwYXNzd29yZA=="}}},
        "version": "4.20.4",
        "machine_deployments": [pool(replicas=3)],
        "control_plane_endpoint": {"host": "other.example", "port": 6443},
        "cluster_network": {"pods": ["10.132.0.0/14"], "services": None, "service_domain": None},
    }
    hub.put("infraenvs", {"metadata": {"name": "m", "namespace": NS}})
    opened(**changed, wait_for="installed", work_dir=str(tmp_path), fails=True)
    hub.remove("machines", NS, "m")
    for _pass in range(3):
        opened(state="absent")
    opened(state="absent", wait_for="gone", timeout=5.0)
    used = {
        ("anywhere" if resource == "namespaces" or not namespace else "objects", resource, verb)
        for namespace, resource, verb in hub.used
    }
    assert used == rules()
