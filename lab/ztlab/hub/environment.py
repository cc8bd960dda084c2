# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the environment variables that the operator sets for the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/agentserviceconfig_controller.go.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..image.versions import VERSION
from ..service.tokens import new_key_pair
from ..site.model import HubSite, OsImage

AGENT_IMAGE = "quay.io/edge-infrastructure/assisted-installer-agent:latest"
DEFAULT_VERSION = "4.22"


def os_images(hub: HubSite) -> tuple[OsImage, ...]:
    """Return the OS images in the site file, or the lab's base image if it lists none."""
    return hub.os_images or (OsImage(DEFAULT_VERSION),)


def service_environment(hub: HubSite, ca_file: Path) -> dict[str, str]:
    """AUTH_TYPE local with fresh keys."""
    private, public = new_key_pair()
    images = [
        {
            "openshift_version": image.openshift_version,
            "cpu_architecture": image.cpu_architecture,
            "url": image.url,
            "version": image.version or VERSION,
        }
        for image in os_images(hub)
    ]
    return {
        "AUTH_TYPE": "local",
        "EC_PRIVATE_KEY_PEM": private,
        "EC_PUBLIC_KEY_PEM": public,
        "ENABLE_KUBE_API": "True",
        "ISO_IMAGE_TYPE": hub.image_type,
        "SERVICE_BASE_URL": f"https://{hub.service_host}",
        "IMAGE_SERVICE_BASE_URL": f"https://{hub.image_service_host}",
        "SERVICE_CA_CERT_PATH": str(ca_file),
        "SKIP_CERT_VERIFICATION": "False",
        "OS_IMAGES": json.dumps(images),
        "AGENT_DOCKER_IMAGE": AGENT_IMAGE,
        "INSTALL_INVOKER": "assisted-installer-operator",
        "PUBLIC_CONTAINER_REGISTRIES": "quay.io,registry.ci.openshift.org",
        "TNA_CLUSTERS_SUPPORT": "true",
        "TNF_CLUSTERS_SUPPORT": "true",
        "CHECK_CLUSTER_VERSION": "True",
    }
