# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Map an OpenShift release to the versions of Kubernetes and of the nodes' operating system."""

from __future__ import annotations


def kubernetes_version(version: str) -> tuple[str, str]:
    """Minor and full version of Kubernetes in an OpenShift release: 4.22 carries 1.35; 4.23 and 5.0, which are one code
    base, carry 1.36.

    Source: openshift/hypershift support/supportedversion/version.go.
    """
    release, minor_release = (int(part) for part in version.split(".")[:2])
    minor = minor_release + 23 * (release - 4) + 13
    return str(minor), f"v1.{minor}.2"


def operating_system(version: str, stream: str = "") -> tuple[str, str]:
    """Name and kernel of a node's operating system.

    ``stream``: osImageStream of the install-config, "" for the release's own.

    The stream is that of the release that was installed: RHEL 10 from 5.0 on (openshift/installer pkg/rhcos/stream.go).
    """
    release = tuple(int(part) for part in version.split(".")[:2])
    own = "rhel-10" if release >= (5, 0) else "rhel-9"
    chosen = stream if release >= (4, 23) and stream else own
    if chosen == "rhel-10":
        return f"Red Hat Enterprise Linux CoreOS 10.2 ({version}, lab)", "6.12.0-211.el10.x86_64"
    return f"Red Hat Enterprise Linux CoreOS {version} (lab)", "5.14.0-570.el9.x86_64"
