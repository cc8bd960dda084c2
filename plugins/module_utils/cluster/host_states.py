# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the states of a host of assisted-service, and the changes that the service accepts in each state.

The Agent objects of a hub show the same states.

Source: openshift/assisted-service internal/host/statemachine.go, internal/controller/controllers/agent_controller.go,
  internal/controller/controllers/agent_reclaimer.go.
"""

from __future__ import annotations

# The service accepts hostname, role, pool, disk, node labels and fencing only in these states (5.2). The empty state is
# that of a host that the service does not know yet.
OPEN = frozenset(
    {
        "",
        "discovering",
        "known",
        "disconnected",
        "insufficient",
        "pending-for-input",
        "binding",
        "discovering-unbound",
        "known-unbound",
        "disconnected-unbound",
        "insufficient-unbound",
        "pending-for-input-unbound",
    }
)
PREPARING = frozenset({"preparing-for-installation", "preparing-successful", "preparing-failed"})
INSTALLING = frozenset({"installing", "installing-in-progress", "installing-pending-user-action"})
INSTALLED = frozenset({"installed", "added-to-existing-cluster"})
FAILED = frozenset({"error", "cancelled"})
# The machine has left its cluster, and must boot the discovery image.
NEEDS_DISCOVERY = "unbinding-pending-user-action"
LEAVING = frozenset({"unbinding", NEEDS_DISCOVERY, "reclaiming", "reclaiming-rebooting"})
OTHER = frozenset({"disabled", "disabled-unbound", "resetting", "resetting-pending-user-action"})
KNOWN_STATES = OPEN | PREPARING | INSTALLING | INSTALLED | FAILED | LEAVING | OTHER

# clusterDeploymentName is immutable here, except for taking a day-2 host out (5.8).
BUSY = PREPARING | INSTALLING
BINDABLE = "known-unbound"
UNBOUND = frozenset(state for state in KNOWN_STATES if state.endswith("-unbound"))
READY = frozenset({"known", BINDABLE})
# A machine that runs something else than the discovery agent, or nothing: the service does not hear from such a host.
QUIET = frozenset({"", "disconnected", "disconnected-unbound"}) | INSTALLED | FAILED | LEAVING | OTHER


def ignored_in(state: str) -> bool:
    """Whether the service ignores changes of hostname, role, disk and their like in this state.

    A state that we do not know is given a try.
    """
    return state in KNOWN_STATES - OPEN


def why_ignored(state: str) -> str:
    """What has happened to a host in such a state."""
    if state in PREPARING:
        return "its installation is being prepared"
    if state in INSTALLING:
        return "its installation has started"
    if state in INSTALLED:
        return "it is installed"
    if state in FAILED:
        return "its installation ended"
    if state in LEAVING:
        return "it is being removed from its cluster"
    return "the service ignores changes in this state"
