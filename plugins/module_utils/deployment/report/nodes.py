# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the hosts of the configuration with the Nodes of the cluster, and warn about missing Nodes and different
roles.

Nodes are recorded as ``{name, ready, roles}`` (state file, section ``install``, key ``nodes``); ``roles`` are the
labels ``node-role.kubernetes.io/<role>``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...common.plurals import noun
from ..supervise.observation import InventoryHost, Node

ROLE_NAMES = {"master": "control plane", "worker": "worker", "arbiter": "arbiter"}
# Labels of the Nodes that a configured role makes; a control-plane Node has both, and `worker` too where there are no
# workers.
_LABELS = {"master": {"control-plane", "master"}, "worker": {"worker"}, "arbiter": {"arbiter"}}
_HIGHER = {"worker": ("master", "arbiter"), "arbiter": ("master",)}


def record_nodes(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """What the state file keeps of the Nodes, in order of their names."""
    return [
        {"name": node.name, "ready": node.ready, "roles": list(node.roles)}
        for node in sorted(nodes, key=lambda node: node.name)
    ]


def role_differs(role: str, labels: Sequence[str]) -> bool:
    """Whether a Node with these role labels is something else than a host configured as ``role`` (empty: the service
    may choose).

    More labels than the configured role makes are no difference (a control plane that takes workloads, ``infra``),
    those of a higher role are.
    """
    if role not in _LABELS:
        return False
    higher = {label for each in _HIGHER.get(role, ()) for label in _LABELS[each]}
    return not _LABELS[role] & set(labels) or bool(higher & set(labels))


def node_of(host: InventoryHost, nodes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The recorded Node of this host."""
    return next((node for node in nodes if str(node.get("name") or "").lower() == host.node_name), None)


def node_warnings(
    hosts: Sequence[InventoryHost], nodes: Sequence[Mapping[str, Any]], *, installed: bool
) -> Iterator[str]:
    """A sentence for each host whose Node is not what the configuration says; an absent or unready Node counts once the
    cluster is ``installed``.
    """
    for host in hosts:
        node = node_of(host, nodes)
        if node is None:
            if installed:
                yield (
                    f"{host.name} is configured, but the cluster has no Node {host.node_name}. Look at the console of "
                    "the machine; "
                    "once it has joined, run the playbook again."
                )
            continue
        roles = [str(role) for role in node.get("roles") or []]
        if role_differs(host.role, roles):
            said = f"has the {noun(len(roles), 'role')} {', '.join(roles)}" if roles else "has no role"
            yield (
                f"{host.name} is configured as {ROLE_NAMES[host.role]}, its Node {said}. Compare the MAC addresses of "
                "the inventory with those of the "
                "machines; the role of an installed host changes only when it is installed again."
            )
        if installed and not node.get("ready"):
            yield f"The Node of {host.name} is not ready. See why: oc describe node {node.get('name')}"
