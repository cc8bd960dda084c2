# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which OpenShift releases this collection installs, and the image of a release."""

from __future__ import annotations

import re

from ..common.problems import INVALID, REQUIRED, UNSUPPORTED, Problem
from .profile import NEWEST, OLDEST

RELEASE_REPOSITORY = "quay.io/openshift-release-dev/ocp-release"

_VERSION = re.compile(r"^(\d{1,3})\.(\d{1,3})\.(\d{1,5})(-[0-9A-Za-z.-]+)?$")


def check_version(version: str, path: str) -> list[Problem]:
    """Problems of a version; ``path`` is the option that names it."""
    supported = f"this version of zerotouch.openshift installs {_name(OLDEST)} to {_name(NEWEST)}"
    if not version:
        return [Problem(path, REQUIRED, "the OpenShift version must be named", layer="ours", hint=f"for example {_name(NEWEST)}.0; {supported}")]
    match = _VERSION.match(version)
    if not match:
        detail = "this is not a full OpenShift version"
        return [Problem(path, INVALID, detail, layer="ours", value=f'"{version[:40]}"', hint=f"for example {_name(NEWEST)}.0; {supported}")]
    release = (int(match[1]), int(match[2]))
    if OLDEST <= release <= NEWEST:
        return []
    age = "older" if release < OLDEST else "newer"
    detail = f"OpenShift {_name(release)} is {age} than the releases that are part of this version: {supported}"
    return [Problem(path, UNSUPPORTED, detail, layer="ours", value=f'"{version}"')]


def default_release_image(version: str, architecture: str) -> str:
    """The public release image; ``architecture`` is rpm's name."""
    return f"{RELEASE_REPOSITORY}:{version}-{architecture}"


def _name(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]}"
