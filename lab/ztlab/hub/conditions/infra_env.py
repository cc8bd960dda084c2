# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the condition ImageCreated of an InfraEnv, which is its only condition.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go.
"""

from __future__ import annotations

from .condition import Condition

TYPE = "ImageCreated"
AVAILABLE, CREATED, FAILED, NO_CLUSTER = (
    "InfraEnvAvailable",
    "ImageCreated",
    "ImageCreationError",
    "MissingClusterDeployment",
)


def available(*, image_service: bool = True) -> Condition:
    suffix = ": Image has been created" if image_service else ""
    return Condition(TYPE, "True", AVAILABLE, f"InfraEnv is available{suffix}")


def failed(status: int | None, text: str) -> Condition:
    """``status``: of the service's answer; None for errors that have none (a Secret that cannot be read)."""
    if status is not None and 400 <= status < 500:
        return Condition(TYPE, "False", FAILED, f"Failed to create image: {text}")
    return Condition(TYPE, "False", FAILED, f"Failed to create image due to an internal error: {text}")


def in_progress(present_reason: str) -> Condition | None:
    """409 of the service: an image is being made; after an error the error stays."""
    return None if present_reason == FAILED else Condition(TYPE, "True", CREATED, "Image has been created")


def missing_cluster(text: str) -> Condition:
    return Condition(TYPE, "Unknown", NO_CLUSTER, f"ClusterDeployment is missing: {text}")
