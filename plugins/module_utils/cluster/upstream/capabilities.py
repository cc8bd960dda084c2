# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the capabilities (optional components) of a cluster, as the installer does.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults, pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from ..profile import ReleaseProfile
from .findings import invalid, unsupported
from .provided import Document, Provided

# What each set added to the one before it (openshift/api, ClusterVersion).
_ADDED: dict[str, tuple[str, ...]] = {
    "v4.11": ("baremetal", "marketplace", "openshift-samples", "MachineAPI"),
    "v4.12": ("Console", "Insights", "Storage", "CSISnapshot"),
    "v4.13": ("NodeTuning",),
    "v4.14": ("Build", "DeploymentConfig", "ImageRegistry"),
    "v4.15": ("OperatorLifecycleManager", "CloudCredential"),
    "v4.16": ("CloudControllerManager", "Ingress"),
    "v4.17": (),
    "v4.18": ("OperatorLifecycleManagerV1",),
}
_CURRENT = "vCurrent"
# In no numbered set (openshift/api release-4.23).
_CURRENT_ONLY = ("CompatibilityRequirements", "ClusterAPI")


def known_capabilities(profile: ReleaseProfile) -> tuple[str, ...]:
    return tuple(sorted(_of_set(_CURRENT, profile)))


def _of_set(name: str, profile: ReleaseProfile) -> set[str]:
    sets = [known for known in profile.capability_sets if known in _ADDED]
    last = sets.index(name) + 1 if name in sets else 0
    if name == _CURRENT:
        last = len(sets)
    found = {capability for known in sets[:last] for capability in _ADDED[known]}
    return found | set(_CURRENT_ONLY) if name == _CURRENT and profile.later_capabilities else found


def capability_names(provided: Provided) -> Iterator[Problem]:
    """Names of sets and capabilities."""
    capabilities = provided.doc.get("capabilities")
    if capabilities is None:
        return
    baseline, known = capabilities.get("baselineCapabilitySet", ""), known_capabilities(provided.profile)
    if baseline not in provided.profile.capability_sets:
        yield unsupported("capabilities.baselineCapabilitySet", baseline, provided.profile.capability_sets)
    for index, name in enumerate(capabilities.get("additionalEnabledCapabilities") or []):
        if name not in known:
            yield unsupported(f"capabilities.additionalEnabledCapabilities[{index}]", name, known)


def capability_needs(provided: Provided) -> Iterator[Problem]:
    """Which capabilities need others, and which a platform cannot do without."""
    capabilities = provided.doc.get("capabilities")
    if capabilities is None:
        return
    baseline, added = (
        capabilities.get("baselineCapabilitySet", ""),
        list(capabilities.get("additionalEnabledCapabilities") or []),
    )
    enabled = _of_set(baseline or _CURRENT, provided.profile) | set(added)
    path = "additionalEnabledCapabilities"
    if baseline == "None" and "baremetal" in provided.platforms and "baremetal" not in enabled:
        bare = [invalid(path, added, "platform baremetal requires the baremetal capability")]
    else:
        bare = []
    if "marketplace" in enabled and "OperatorLifecycleManager" not in enabled:
        market = [invalid(path, added, "the marketplace capability requires the OperatorLifecycleManager capability")]
    else:
        market = []
    # With the empty set the installer says the first of these before the other, else alone.
    yield from (*market, *bare)
    yield from _of_platform(provided, capabilities, enabled)


def _of_platform(provided: Provided, capabilities: Document, enabled: set[str]) -> Iterator[Problem]:
    path, value, platforms = "capabilities", dict(capabilities), provided.platforms
    if "CloudCredential" not in enabled and not {"none", "baremetal"} & set(platforms):
        yield invalid(path, value, "disabling CloudCredential capability available only for baremetal platforms")
    if "CloudControllerManager" not in enabled:
        if not {"none", "baremetal", "external"} & set(platforms):
            detail = (
                "disabling CloudControllerManager is only supported on the Baremetal, None, or External platform with "
                "cloudControllerManager value none"
            )
            yield invalid(path, value, detail)
        if provided.options("external").get("cloudControllerManager") == "External":
            detail = (
                "disabling CloudControllerManager on External platform supported only with cloudControllerManager "
                "value none"
            )
            yield invalid(path, value, detail)
    if "Ingress" not in enabled:
        yield invalid(path, value, "the Ingress capability is required")
