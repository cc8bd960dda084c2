# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the OpenShift version and architecture of a release image.

Upstream's client runs ``oc`` for that. Here they are read from the name of the image, or the user sets them.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go, internal/oc/release.go.
"""

from __future__ import annotations

import re

from ...common.errors import InvalidInput
from ...common.problems import REQUIRED, Problem
from .cluster import ManifestRelease
from .documents import text_at
from .read import Manifests

_ARCHITECTURES = {"amd64": "x86_64", "aarch64": "arm64"}
# Releases, release candidates, and nightly or CI builds, all of which are tagged with their version.
_VERSION = r"(?P<version>\d+\.\d+\.\d+(?:-(?:(?:rc|ec|fc)\.\d+|0\.[a-z][a-z0-9-]*-\d{4}-\d{2}-\d{2}-\d{6}))?)"
_TAG = re.compile(rf":{_VERSION}(?:-(?P<architecture>x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi))?$")
_SET_NAME = re.compile(rf"^openshift-(?:v)?{_VERSION}$")


def release_of(manifests: Manifests, version: str = "", architecture: str = "") -> ManifestRelease:
    """The version and architecture from the arguments, else from the tag of the image, else from the name of the
    ClusterImageSet and the architecture of the InfraEnv.

    Raises :class:`InvalidInput` if none of them contains the value.
    """
    tag = _TAG.search(text_at(manifests.cluster_image_set, "spec", "releaseImage"))
    named = _SET_NAME.match(text_at(manifests.cluster_image_set, "metadata", "name"))
    source = tag or named
    found = version or (source["version"] if source else "")
    kind = (
        architecture
        or (tag["architecture"] or "" if tag else "")
        or text_at(manifests.infra_env, "spec", "cpuArchitecture")
    )
    missing = [name for name, value in (("openshift_version", found), ("arch", kind)) if not value]
    if missing:
        detail = "it cannot be derived from the name of the release image; set it"
        raise InvalidInput([Problem(name, REQUIRED, detail, layer="ours", check="release") for name in missing])
    return ManifestRelease(found, _ARCHITECTURES.get(kind, kind))
