# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check releases by the version in their image tag: too old, a downgrade, or too far from the control plane. Pure.

An image that is named by digest has no version in its name; the operator reads the image and reports problems in a
condition.

Source: openshift/hypershift api/hypershift/v1beta1/hostedcluster_types.go,
  hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go, support/supportedversion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..capi.objects import annotations_of, part, text
from .hosted_cluster.status import last_version
from .names import SKIP_RELEASE_CHECKS

Version = tuple[int, int, int]

OLDEST: Version = (4, 14, 0)
# How many minor versions a pool may be behind its control plane.
_BEHIND = 3
# 5.0 counts as 4.23, which is the same code: 4.23.1 is newer than 5.0.0.
# Source: openshift/hypershift support/supportedversion/version.go.
_MINORS_OF_4 = 23
# OS streams of pools. The newer one is the default from its first release on.
STREAM_9, STREAM_10 = "rhel-9", "rhel-10"
_STREAM_10_SINCE = 5
_TAG = re.compile(r"[^@]*:(\d+)\.(\d+)\.(\d+)(?:[-.+_][\w.+-]*)?")
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def version_of(image: str) -> Version | None:
    """The version in a tag (``…:4.22.0-x86_64``); None where there is none."""
    match = _TAG.fullmatch(image.partition("@")[0])
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def minor_of(version: Version) -> int:
    """Minor versions counted through the change from 4 to 5."""
    major, minor, _patch = version
    return minor + _MINORS_OF_4 * (major - 4)


def newer(version: Version, other: Version) -> bool:
    """Whether ``version`` is newer, through the change from 4 to 5."""
    return (minor_of(version), version[2]) > (minor_of(other), other[2])


def cluster_fault(image: str, present: Mapping[str, Any] | None, requested: Mapping[str, str | None]) -> str:
    """What is wrong with a release for a hosted cluster, which is ``present`` or None; ``requested`` are annotations
    that the user gives.
    """
    if {**annotations_of(present), **requested}.get(SKIP_RELEASE_CHECKS) == "true":
        return ""
    version = version_of(image)
    if version is None:
        return ""
    if version < OLDEST:
        return f"must be {OLDEST[0]}.{OLDEST[1]} or newer"
    running = running_version(present)
    if running is not None and minor_of(version) < minor_of(running):
        return f"must not go back to an older minor version: it runs {shown(running)}"
    return ""


def ahead_fault(image: str, hosted_cluster: Mapping[str, Any] | None) -> str:
    """Why a pool with this release would be ahead of its control plane: kubelets must not be newer than the API server.

    The operator only reports that in a condition, and goes on. What counts is the release that the control plane has
    completed; that of a control plane which has completed none is the one that it gets.
    """
    completed = _completed(hosted_cluster)
    wanted = text(hosted_cluster, "spec", "release", "image")
    if completed and image == wanted and image not in (text(each, "image") for each in completed):
        return (
            "is newer than the control plane, whose update is not complete; wait for it (hosted_cluster, wait_for: "
            "completed)"
        )
    version = version_of(image)
    found = [match for each in completed[:1] if (match := _VERSION.match(text(each, "version")))]
    plane = (int(found[0][1]), int(found[0][2]), int(found[0][3])) if found else version_of(wanted)
    if version is None or plane is None or not newer(version, plane):
        return ""
    return (
        f"{shown(version)} is newer than the control plane, which has {shown(plane)}; give the hosted cluster the "
        "release first"
    )


def _completed(hosted_cluster: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Releases that the control plane has had in full, the newest first."""
    return [
        each
        for each in part(hosted_cluster, "status", "version").get("history") or ()
        if each.get("state") == "Completed"
    ]


def behind_fault(image: str, hosted_cluster: Mapping[str, Any] | None) -> str:
    """That a release is older than the control plane supports. The operator only reports it, and goes on."""
    version = version_of(image)
    plane = running_version(hosted_cluster) or version_of(text(hosted_cluster, "spec", "release", "image"))
    if version is None or plane is None:
        return ""
    behind = minor_of(plane) - minor_of(version)
    return (
        f"{shown(version)} is {behind} minor versions behind the control plane; {_BEHIND} are supported"
        if behind > _BEHIND
        else ""
    )


def stream_fault(stream: str, image: str) -> str:
    """What is wrong with an OS stream for a pool with this release.

    Source: openshift/hypershift hypershift-operator/controllers/nodepool/stream.go.
    """
    version = version_of(image)
    if stream != STREAM_10 or version is None or version[0] >= _STREAM_10_SINCE:
        return ""
    return f"{STREAM_10} needs release {_STREAM_10_SINCE}.0 or newer, the pool has {shown(version)}"


def stream_change(image: str, before: str) -> str:
    """What becomes of the nodes of a pool without an OS stream of its own that goes from release image ``before`` to
    ``image``; empty for nothing.
    """
    old, new = version_of(before), version_of(image)
    if old is None or new is None or not old[0] < _STREAM_10_SINCE <= new[0]:
        return ""
    return (
        f"the nodes of the pool change to {STREAM_10} with release {shown(new)}; set os_image_stream: {STREAM_9} to "
        "keep the present one"
    )


def running_version(hosted_cluster: Mapping[str, Any] | None) -> Version | None:
    """The version that a hosted cluster has or is getting."""
    match = _VERSION.match(str(last_version(hosted_cluster).get("version") or ""))
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def shown(version: Version) -> str:
    return ".".join(map(str, version))
