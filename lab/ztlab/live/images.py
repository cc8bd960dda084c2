# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Return the pullspecs of the container images that a live system uses: the release image, and the images in that
release.
"""

from __future__ import annotations

import hashlib
import re
import shlex

from .root import Root, parse_env

_REPOSITORY = "quay.io/openshift-release-dev/ocp-v4.0-art-dev"
# agent-images.env: variable -> name in the release.
# Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
AGENT_IMAGES = {
    "SERVICE_IMAGE": "agent-installer-api-server",
    "CONTROLLER_IMAGE": "agent-installer-csr-approver",
    "INSTALLER_IMAGE": "agent-installer-orchestrator",
    "AGENT_DOCKER_IMAGE": "agent-installer-node-agent",
    "AGENT_INSTALLER_UTILS_IMAGE": "agent-installer-utils",
    "INSTALLER_UI_IMAGE": "agent-installer-ui",
}
AGENT_IMAGES_ENV = "/usr/local/share/assisted-service/agent-images.env"


def release_image(root: Root) -> str:
    """The release image that the scripts of a live system name, "" when none does."""
    match = re.search(r"^RELEASE_IMAGE=(.+)$", root.text("/usr/local/bin/release-image.sh") or "", re.M)
    if match:
        words = shlex.split(match[1])
        return words[0] if words else ""
    return parse_env(root.text("/etc/assisted/agent-installer.env") or "").get("RELEASE_IMAGE", "")


def image_for(release: str, name: str) -> str:
    """The pullspec of an image in a release: the same for every host that asks."""
    return f"{_REPOSITORY}@sha256:{hashlib.sha256(f'{release} {name}'.encode()).hexdigest()}"


def agent_images_env(release: str) -> str:
    """What get-container-images.sh writes."""
    return "".join(f"{variable}={image_for(release, name)}\n" for variable, name in AGENT_IMAGES.items())
