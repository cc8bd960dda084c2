# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether a host in state ``error`` caused a failed installation or failed only with its cluster."""

from __future__ import annotations

# Beginning of the status text of hosts that are in error only because of another host.
# Source: openshift/assisted-service internal/host/statemachine.go.
_SHARED_FATE = "Host is part of a cluster that"


def shares_fate(status_info: str) -> bool:
    """Whether the host is in error only because its cluster failed."""
    return status_info.startswith(_SHARED_FATE)
