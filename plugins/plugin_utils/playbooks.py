# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the playbooks of each installation method, and what a user does instead of a playbook that the method does not
have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..module_utils.common.problems import UNSUPPORTED, Problem
from ..module_utils.deployment.safety.table import HUB_METHODS
from .problems import problem

# Playbooks that not every method has, with the methods that have them.
PLAYBOOKS: Mapping[str, frozenset[str]] = {
    "add_hosts": HUB_METHODS | {"assisted"},
    "remove_hosts": HUB_METHODS,
    "reprovision_hosts": HUB_METHODS,
    "scale_node_pool": HUB_METHODS,
}
_MANUALLY = "Drain the Node and delete it (oc adm drain, oc delete node), and power the machine off"
_INSTEAD: Mapping[tuple[str, str], str] = {
    ("add_hosts", "agent"): "Set openshift_hub to add the hosts through a hub. "
    "To add them through an assisted-service, set openshift_install_method: assisted and openshift_assisted",
    ("remove_hosts", "agent"): _MANUALLY,
    ("remove_hosts", "assisted"): (
        f"{_MANUALLY}. Then delete its host at the assisted-service with the module assisted_hosts (state absent)"
    ),
    ("reprovision_hosts", "agent"): _MANUALLY,
    ("reprovision_hosts", "assisted"): (
        f"{_MANUALLY}. Then delete its host at the assisted-service with the module assisted_hosts (state absent)"
    ),
    ("scale_node_pool", "agent"): "A hub manages pools of nodes. Set openshift_hub to the hub that has the pool",
    ("scale_node_pool", "assisted"): "A hub manages pools of nodes. Set openshift_hub to the hub that has the pool. "
    "For more nodes of this cluster, put the hosts into the inventory and run add_hosts",
}


def acting_method(variables: Mapping[str, Any], playbook: str) -> str:
    """The method by which a playbook acts: hosts of any cluster may be those of a hub that the user named."""
    method = str(variables.get("openshift_install_method") or "agent")
    has_it = PLAYBOOKS.get(playbook, frozenset())
    return "hub" if has_it and method not in has_it and variables.get("openshift_hub") else method


def check_playbook(variables: Mapping[str, Any], playbook: str) -> list[Problem]:
    """A problem if the method does not have the playbook: then no other problem is reported."""
    method = acting_method(variables, playbook)
    if playbook not in PLAYBOOKS or method in PLAYBOOKS[playbook]:
        return []
    detail = f"method {method} has no playbook {playbook}"
    hint = _INSTEAD.get((playbook, method), "")
    return [problem("openshift_install_method", UNSUPPORTED, detail, value=method, hint=hint)]
