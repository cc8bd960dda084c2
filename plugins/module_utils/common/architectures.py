# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Names of CPU architectures. Options and results have rpm's name; upstream documents partly have Go's."""

from __future__ import annotations

# Go's name -> rpm's name (openshift/installer pkg/types/machinepools.go, pkg/rhcos/arch.go).
RPM_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64", "ppc64le": "ppc64le", "s390x": "s390x"}


def go_architecture(name: str) -> str:
    """Go's name of an architecture by either name; a name that is neither is returned as it is."""
    return next((go for go, rpm in RPM_ARCHITECTURES.items() if rpm == name), name)
