# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the conditions of a PreprovisioningImage.

Source: openshift/assisted-service internal/controller/controllers/preprovisioningimage_controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .condition import Condition
from .infra_env import FAILED

COOL_DOWN_SECONDS = 60


def pair(ready: bool, error: bool, reason: str, message: str) -> list[Condition]:
    return [Condition("Ready", str(ready), reason, message), Condition("Error", str(error), reason, message)]


def unsupported_format() -> list[Condition]:
    return pair(False, True, "UnsupportedImageFormat", "Unsupported image format")


def no_infra_env(namespace: str, name: str) -> list[Condition]:
    """The text names the label before the namespace, as upstream's does."""
    return pair(False, False, "InfraEnvNotAvailable", f"InfraEnv {name}/{namespace} is not found or is being deleted")


def arch_mismatch(wanted: str, found: str) -> list[Condition]:
    text = f"PreprovisioningImage CPU architecture ({wanted}) does not match InfraEnv CPU architecture ({found})"
    return pair(False, True, "InfraEnvArchMismatch", text)


def ignition_failed(text: str) -> list[Condition]:
    return pair(False, True, "IronicAgentIgnitionUpdateFailure", text)


def waiting_for_image() -> list[Condition]:
    return pair(False, False, "WaitingForInfraEnvImageToBeCreated", "Waiting for InfraEnv image to be created")


def cooling_down() -> list[Condition]:
    return pair(False, False, "WaitingForInfraEnvImageToCoolDown", "Waiting for InfraEnv image to cool down")


def copied(image_created: Mapping[str, Any]) -> list[Condition]:
    """From the InfraEnv's ImageCreated."""
    reason, message = str(image_created.get("reason", "")), str(image_created.get("message", ""))
    return [
        Condition("Ready", str(image_created.get("status", "")), reason, message),
        Condition("Error", str(reason == FAILED), reason, message),
    ]
