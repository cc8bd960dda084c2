# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the cluster capabilities of an OpenshiftAssistedControlPlane to an install-config override. All functions are
pure.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
  controlplane/internal/controller/clusterdeployment_controller.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

BARE_METAL = (
    "baremetal",
    "Console",
    "Insights",
    "OperatorLifecycleManager",
    "Ingress",
    "marketplace",
    "NodeTuning",
    "DeploymentConfig",
)


class Invalid(ValueError):
    """The baseline capability set is invalid."""


def capability_override(provided: Mapping[str, Any], *, bare_metal: bool) -> str:
    """JSON, "" for none. Raises Invalid."""
    baseline, added = (
        str(provided.get("baselineCapability") or ""),
        list(provided.get("additionalEnabledCapabilities") or []),
    )
    if not bare_metal and not baseline and not added:
        return ""
    baseline = baseline or ("None" if bare_metal else "vCurrent")
    if baseline not in ("None", "vCurrent") and not re.search(r"v4\.\d+", baseline):
        raise Invalid(f"invalid baseline capability set, must be one of: None, vCurrent, or v4.x. Got: [{baseline}]")
    names = list(BARE_METAL) if bare_metal else []
    names += [
        name for name in dict.fromkeys(added) if name not in names and not (bare_metal and name.lower() == "machineapi")
    ]
    body: dict[str, Any] = {"baselineCapabilitySet": baseline} | (
        {"additionalEnabledCapabilities": names} if names else {}
    )
    return json.dumps({"capabilities": body}, separators=(",", ":"))


def combined(annotation: str, capabilities: str) -> str:
    """The annotation's JSON with the top members of the other one over it."""
    if not annotation or not capabilities:
        return annotation or capabilities
    return json.dumps({**json.loads(annotation), **json.loads(capabilities)}, separators=(",", ":"), sort_keys=True)
