# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the release image of an OpenShift version in a container registry that the lab simulates.

Source: openshift-assisted/cluster-api-provider-openshift-assisted controlplane/internal/release,
  controlplane/internal/version.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, MutableMapping

OCP, OKD = "quay.io/openshift-release-dev/ocp-release", "quay.io/okd/scos-release"
MINIMUM = (4, 14, 0)
_VERSION = re.compile(r"^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$")
_RELEASED = re.compile(r"^\d+\.\d+\.\d+(-(ec|rc)\.\d+)?$")


def too_old(version: str) -> bool:
    """Whether a version is below 4.14.0, pre-releases of 4.14.0 included; False for an invalid version."""
    match = _VERSION.match(version)
    if match is None:
        return False
    numbers = tuple(int(match[index] or 0) for index in (1, 2, 3))
    return numbers < MINIMUM or (numbers == MINIMUM and bool(match[4]))


def _okd(version: str) -> bool:
    match = _VERSION.match(version)
    return match is not None and any(part.startswith("okd-scos") for part in (match[4] or "").split("."))


def released(version: str) -> bool:
    """General availability: no pre-release, no build; or OKD's form of it."""
    match = _VERSION.match(version)
    if match is None or match[5]:
        return False
    parts = (match[4] or "").split(".")
    return not match[4] or (len(parts) == 2 and parts[0] == "okd-scos" and parts[1].isdigit())


def architecture(configs: Iterable[str]) -> str:
    """Of the release image: that of all configs, else multi."""
    found = set(configs)
    return found.pop() if len(found) == 1 and "" not in found else "multi"


def tag_image(version: str, arch: str, repository: str = "") -> str:
    if repository:
        return f"{repository}:{version}-{arch}"
    return f"{OKD}:{version}" if _okd(version) else f"{OCP}:{version}-{arch}"


class NotFound(Exception):
    """The registry has no such image."""


def manifest_unknown(image: str) -> str:
    """What a registry answers for a tag that it does not have, as its client words it."""
    host, _slash, path = image.partition("/")
    repository, _mark, tag = path.rpartition(":")
    return f"GET https://{host}/v2/{repository}/manifests/{tag}: MANIFEST_UNKNOWN: manifest unknown"


def resolve(image: str, known: MutableMapping[str, str]) -> str:
    """The image by digest; ``known`` (image -> version) learns it.

    Versions that were never released do not exist. Raises NotFound.
    """
    if "@sha" in image:
        return image
    repository, mark, tag = image.rpartition(":")
    version = tag.rpartition("-")[0] if not repository.startswith(OKD) else tag
    if not mark or not (_RELEASED.match(version) or _okd(version)):
        raise NotFound(f"failed to resolve release image digest for {image}: manifest unknown")
    digest = f"{repository}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"
    known[digest] = version
    return digest
