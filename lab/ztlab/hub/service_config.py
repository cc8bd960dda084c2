# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the AgentServiceConfig that matches the settings of the hub's assisted-service.

Source: openshift/assisted-service internal/controller/controllers/agentserviceconfig_controller.go.
"""

from __future__ import annotations

from typing import Any

from ..image.versions import VERSION
from ..site.model import HubSite
from .client import Client, Refused
from .conditions import Condition, merge
from .environment import os_images
from .names import AGENT_INSTALL, Kind, Object

AGENT_SERVICE_CONFIG = Kind(AGENT_INSTALL, "v1beta1", "AgentServiceConfig", "agentserviceconfigs", namespaced=False)
NAME = "agent"
CONDITIONS = (
    Condition(
        "ReconcileCompleted", "True", "ReconcileSucceeded", ("AgentServiceConfig reconcile completed without error.")
    ),
    Condition(
        "DeploymentsHealthy",
        "True",
        "DeploymentSucceeded",
        ("All the deployments managed by Infrastructure-operator are healthy."),
    ),
)


def spec(hub: HubSite, image_url: str) -> Object:
    """``image_url``: where an image is that the site does not name."""

    def storage(size: str) -> dict[str, Any]:
        return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}

    images = [
        {
            "openshiftVersion": image.openshift_version,
            "version": image.version or VERSION,
            "url": image.url or image_url,
            "cpuArchitecture": image.cpu_architecture,
        }
        for image in os_images(hub)
    ]
    return {"databaseStorage": storage("10Gi"), "filesystemStorage": storage("20Gi"), "osImages": images}


async def publish(client: Client, hub: HubSite, image_url: str, now: str) -> None:
    """Create it with its status, unless it is there. Raises Refused."""
    try:
        await client.create(AGENT_SERVICE_CONFIG, {"metadata": {"name": NAME}, "spec": spec(hub, image_url)})
    except Refused as error:
        if error.reason != "AlreadyExists":
            raise
        return
    await client.patch(
        AGENT_SERVICE_CONFIG, NAME, "", {"status": {"conditions": merge(None, CONDITIONS, now)}}, subresource="status"
    )
