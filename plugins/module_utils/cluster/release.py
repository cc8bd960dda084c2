# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that this collection can install an OpenShift version, and return the default release image of a version."""

from __future__ import annotations

import re

from ..common.problems import INVALID, REQUIRED, UNSUPPORTED, Problem
from .profile import NEWEST, OLDEST, RELEASES, is_known, is_okd
from .rules.checks import own

RELEASE_REPOSITORY = "quay.io/openshift-release-dev/ocp-release"
# Builds of OKD on CentOS Stream CoreOS, and those before it on Fedora CoreOS.
_OKD_REPOSITORIES = ("quay.io/okd/scos-release", "quay.io/openshift/okd")

_VERSION = re.compile(r"^(\d{1,3})\.(\d{1,3})\.(\d{1,5})(-[0-9A-Za-z.-]+)?$")


def check_version(version: str, path: str) -> list[Problem]:
    """Problems of a version; ``path`` is the option that names it."""
    supported = f"this version of zerotouch.openshift installs {_name(OLDEST)} to {_name(NEWEST)}"
    if not version:
        return [
            Problem(
                path,
                REQUIRED,
                "the OpenShift version must be named",
                layer="ours",
                hint=f"for example {_name(NEWEST)}.0; {supported}",
            )
        ]
    match = _VERSION.match(version)
    if not match:
        detail = "this is not a full OpenShift version"
        beginning = version[:40]
        return [
            Problem(
                path,
                INVALID,
                detail,
                layer="ours",
                value=f'"{beginning}"',
                hint=f"for example {_name(NEWEST)}.0; {supported}",
            )
        ]
    release = (int(match[1]), int(match[2]))
    if is_known(version):
        return []
    if release < OLDEST:
        detail = f"OpenShift {_name(release)} is older than the releases that are part of this version: {supported}"
        return [Problem(path, UNSUPPORTED, detail, layer="ours", value=f'"{version}"')]
    known = ", ".join(map(_name, RELEASES))
    product = "OKD" if is_okd(version) else "OpenShift"
    detail = f"{product} {_name(release)} is not among the releases that are part of this version ({known})"
    return [own("release-unknown", path, UNSUPPORTED, detail, value=version)]


def default_release_image(version: str, architecture: str) -> str:
    """The public release image; ``architecture`` is rpm's name."""
    if is_okd(version):
        repository = _OKD_REPOSITORIES[0 if "okd-scos" in version else 1]
        return f"{repository}:{version}"
    return f"{RELEASE_REPOSITORY}:{version}-{architecture}"


def _name(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]}"
