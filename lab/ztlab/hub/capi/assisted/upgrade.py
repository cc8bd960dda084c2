# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the steps that upgrade a workload cluster through its ClusterVersion. Pure functions.

Source: openshift-assisted/cluster-api-provider-openshift-assisted controlplane/internal/upgrade/upgrade.go.
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
    """``current`` is the version that the cluster runs, "" without a completed one.

    ``patch`` merges into spec.desiredUpdate; ``condition`` and ``patch`` are None where upstream writes none;
    ``again``: seconds until the next look.
    """

    current: str
    condition: Condition | None = None
    patch: dict[str, Any] | None = None
    again: float | None = None


def unanswered(plane: Mapping[str, Any]) -> UpgradeStep:
    """The API of the cluster does not answer: a version that was reached before counts (defect D9)."""
    current = str((plane.get("status") or {}).get("distributionVersion") or "")
    return UpgradeStep(current, _condition(plane, current, "", running=False))


def upgrade_step(cluster_version: Mapping[str, Any], plane: Mapping[str, Any], image: str) -> UpgradeStep:
    """``image`` is the release image by digest of the version that the control plane wants."""
    version, status = str(plane["spec"]["distributionVersion"]), cluster_version.get("status") or {}
    history, conditions = status.get("history") or [], status.get("conditions") or []
    partial = any(entry.get("state") == "Partial" and not entry.get("completionTime") for entry in history)
    running = partial or any(
        entry.get("type") == "Progressing" and entry.get("status") == "True" for entry in conditions
    )
    current = next((str(entry["version"]) for entry in history if entry.get("state") == "Completed"), "")
    message = next((str(entry.get("message", "")) for entry in conditions if entry.get("status") == "True"), "")
    condition = _condition(plane, current, message, running=running)
    desired = str((status.get("desired") or {}).get("version") or "")
    if running and version.startswith(desired):
        return UpgradeStep(current, condition, again=UPGRADE_SECONDS)
    if current == version and not running:
        return UpgradeStep(current, condition)
    present = (cluster_version.get("spec") or {}).get("desiredUpdate") or {}
    return UpgradeStep(current, condition, _update(plane, version, image, present), UPGRADE_SECONDS)


def _condition(plane: Mapping[str, Any], current: str, message: str, *, running: bool) -> Condition | None:
    """True only after it was False."""
    version = str(plane["spec"]["distributionVersion"])
    if running or current != version:
        reason, text = ("UpgradeInProgress", "in progress") if running else ("UpgradeFailed", "has failed")
        return false("UpgradeCompleted", reason, f"upgrade to version {version} {text}\n{message}")
    known = read((plane.get("status") or {}).get("conditions") or [], "UpgradeCompleted")
    return true("UpgradeCompleted", "UpgradeCompleted") if known is not None and known.status == "False" else None


def _update(plane: Mapping[str, Any], version: str, image: str, present: Mapping[str, Any]) -> dict[str, Any] | None:
    """By version only where a default repository is named; a version of general availability without a named one is
    forced, by image (defect D3).

    Upstream compares one member, and then writes all members of the Go type.
    """
    repository = (plane["metadata"].get("annotations") or {}).get(names.REPOSITORY_OVERRIDE)
    by_version = repository in (OCP, OKD) and released(version)
    compared = {"version": version} if by_version else {"image": image}
    if all(present.get(name) == value for name, value in compared.items()):
        return None
    whole = {"architecture": "", "version": "", "image": "", "force": not by_version, **compared}
    return {**dict.fromkeys(present), **whole}
