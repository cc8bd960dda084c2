# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse and compare versions of OpenShift and OKD as the OpenShift Assisted control plane provider does. Pure.

Source: openshift-assisted/cluster-api-provider-openshift-assisted controlplane/internal/release,
controlplane/internal/version.
"""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"(?P<major>\d+)\.(?P<minor>\d+)\.(?P<patch>\d+)(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)
OLDEST = "4.14.0"
Order = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def order_of(version: str) -> Order | None:
    """A key that sorts versions as semver does; None for a text that is no version."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    parts = tuple(
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in (match["pre"] or "").split(".")
        if part
    )
    return int(match["major"]), int(match["minor"]), int(match["patch"]), not match["pre"], parts


def is_older(version: str, other: str) -> bool:
    """Whether a version is older than another; False where one of them is no version."""
    one, two = order_of(version), order_of(other)
    return one is not None and two is not None and one < two


def is_okd(version: str) -> bool:
    match = _VERSION.fullmatch(version)
    return match is not None and any(part.startswith("okd-scos") for part in (match["pre"] or "").split("."))
