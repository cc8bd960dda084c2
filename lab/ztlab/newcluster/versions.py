# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which Kubernetes an OpenShift release carries."""

from __future__ import annotations


def kubernetes_version(version: str) -> tuple[str, str]:
    """Minor and full version of Kubernetes in an OpenShift release: 4.22 carries 1.35; 4.23 and 5.0, which are one code base, carry 1.36.

    Source: openshift/hypershift support/supportedversion/version.go.
    """
    release, minor_release = (int(part) for part in version.split(".")[:2])
    minor = minor_release + 23 * (release - 4) + 13
    return str(minor), f"v1.{minor}.2"
