# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test upgrades by OpenShift Assisted's control plane provider: the update that it writes into the ClusterVersion of
the cluster, and the condition that it sets.
"""

from __future__ import annotations

from typing import Any

import pytest
from ztlab.hub.capi.assisted.upgrade import upgrade_step

IMAGE = "quay.io/openshift-release-dev/ocp-release@sha256:0123"
BY_IMAGE = {"architecture": "", "version": "", "image": IMAGE, "force": True}
NAMED = {"cluster.x-k8s.io/release-image-repository-override": "quay.io/openshift-release-dev/ocp-release"}


def cluster_version(current: str = "4.22.0", to: str = "", *, running: bool = False, **spec: Any) -> dict[str, Any]:
    history = [{"version": current, "state": "Completed", "completionTime": "x"}]
    if to:
        history.insert(0, {"version": to, "state": "Partial", "completionTime": None})
    conditions = [
        {"type": "Available", "status": "True", "message": f"Done applying {current}"},
        {"type": "Progressing", "status": str(running)},
    ]
    return {
        "spec": spec,
        "status": {"history": history, "desired": {"version": to or current}, "conditions": conditions},
    }


def plane(version: str, *, annotations: dict[str, str] | None = None, failed: bool = False) -> dict[str, Any]:
    conditions = (
        [{"type": "UpgradeCompleted", "status": "False", "reason": "UpgradeInProgress", "message": ""}]
        if failed
        else []
    )
    return {
        "metadata": {"annotations": annotations or {}},
        "spec": {"distributionVersion": version},
        "status": {"conditions": conditions},
    }


@pytest.mark.parametrize(
    ("found", "wanted", "patch", "condition"),
    [
        pytest.param(cluster_version(), plane("4.22.0"), None, None, id="nothing to do"),
        pytest.param(cluster_version(), plane("4.22.0", failed=True), None, ("True", "UpgradeCompleted"), id="done"),
        pytest.param(
            cluster_version(),
            plane("4.22.3", annotations=NAMED),
            {**BY_IMAGE, "version": "4.22.3", "image": "", "force": False},
            ("False", "UpgradeFailed"),
            id="by version",
        ),
        pytest.param(
            cluster_version(),
            plane("4.22.3"),
            BY_IMAGE,
            ("False", "UpgradeFailed"),
            id="D3: forced, by image",
        ),
        pytest.param(
            cluster_version(),
            plane("4.23.0-rc.1", annotations=NAMED),
            BY_IMAGE,
            ("False", "UpgradeFailed"),
            id="no general availability",
        ),
        pytest.param(
            cluster_version(desiredUpdate={"version": "4.22.3"}),
            plane("4.22.3", annotations=NAMED),
            None,
            ("False", "UpgradeFailed"),
            id="written already",
        ),
        pytest.param(
            cluster_version(to="4.22.3", running=True),
            plane("4.22.3", annotations=NAMED),
            None,
            ("False", "UpgradeInProgress"),
            id="in progress",
        ),
    ],
)
def test_a_step(
    found: dict[str, Any], wanted: dict[str, Any], patch: dict[str, Any] | None, condition: tuple[str, str] | None
) -> None:
    step = upgrade_step(found, wanted, IMAGE)
    assert step.current == "4.22.0" and step.patch == patch
    assert (step.condition and (step.condition.status, step.condition.reason)) == condition
    assert (step.again is None) == (condition is None or condition[0] == "True")
