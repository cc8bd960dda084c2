# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An upgrade through the workload cluster's ClusterVersion (upstream: controlplane/internal/upgrade/upgrade.go).

Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...conditions import Condition
from ..conditions import false, read, true
from . import names
from .releases import OCP, OKD, released

UPGRADE_SECONDS = 60.0


@dataclasses.dataclass(frozen=True)
class UpgradeStep:
    """``patch`` is the desiredUpdate to write, None for none; ``condition`` is None where upstream writes none;
    ``again``: seconds until the next look.
    """

    current: str
    condition: Condition | None = None
    patch: dict[str, Any] | None = None
    again: float | None = None


def upgrade_step(cluster_version: Mapping[str, Any], plane: Mapping[str, Any], image: str) -> UpgradeStep:
    """``image`` is the release image by digest of the version that the control plane wants."""
    version, status = str(plane["spec"]["distributionVersion"]), cluster_version.get("status") or {}
    history = status.get("history") or []
    partial = any(entry.get("state") == "Partial" and not entry.get("completionTime") for entry in history)
    running = partial or any(
        entry.get("type") == "Progressing" and entry.get("status") == "True" for entry in status.get("conditions") or []
    )
    current = next((str(entry["version"]) for entry in history if entry.get("state") == "Completed"), "")
    known = read((plane.get("status") or {}).get("conditions") or [], "UpgradeCompleted")
    if current == version and not running:
        done = true("UpgradeCompleted", "UpgradeCompleted") if known is not None and known.status == "False" else None
        return UpgradeStep(current, done)
    message = next(
        (str(entry.get("message", "")) for entry in status.get("conditions") or [] if entry.get("status") == "True"), ""
    )
    reason, text = ("UpgradeInProgress", "in progress") if running else ("UpgradeFailed", "has failed")
    condition = false("UpgradeCompleted", reason, f"upgrade to version {version} {text}\n{message}")
    desired = str((status.get("desired") or {}).get("version") or "")
    if desired and version.startswith(desired) and running:
        return UpgradeStep(current, condition, again=UPGRADE_SECONDS)
    update = _update(plane, version, image)
    patch = update if (cluster_version.get("spec") or {}).get("desiredUpdate") != update else None
    return UpgradeStep(current, condition, patch, UPGRADE_SECONDS)


def _update(plane: Mapping[str, Any], version: str, image: str) -> dict[str, Any]:
    """By version only where a default repository is named; a version of general availability without a named one is
    forced, by image (defect D3).
    """
    repository = ((plane["metadata"].get("annotations")) or {}).get(names.REPOSITORY_OVERRIDE)
    if repository in (OCP, OKD) and released(version):
        return {"version": version}
    return {"image": image, "force": True}
