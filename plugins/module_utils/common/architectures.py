# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert names of CPU architectures between Go (``amd64``) and rpm (``x86_64``).

Module options and results have the name of rpm. Some documents of the installer have the name of Go.
"""

from __future__ import annotations

# Go's name -> rpm's name (openshift/installer pkg/types/machinepools.go, pkg/rhcos/arch.go).
RPM_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "ppc64le": "ppc64le", "s390x": "s390x"}


def go_architecture(name: str) -> str:
    """Return Go's name of an architecture, given Go's or rpm's. Any other name is returned unchanged."""
    return next((go for go, rpm in RPM_ARCHITECTURES.items() if rpm == name), name)
