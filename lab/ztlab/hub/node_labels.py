# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the labels that an InfraEnv propagates to its Agents, which set them on their Nodes.

Source: openshift/assisted-service internal/controller/controllers/infraenv_node_labels.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .names import INHERITED_LABELS, PROPAGATE_LABELS, Object, annotations_of, labels_of


def inherited(infra_env: Object, agent: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """The Agent's node labels with what its InfraEnv propagates, and the annotation that lists the names from there.

    A label that was propagated before is removed with its name in the list; a value that a user set stays and is not
    listed.
    """
    own = dict((agent.get("spec") or {}).get("nodeLabels") or {})
    before = set(_names((agent["metadata"].get("annotations") or {}).get(INHERITED_LABELS, "")))
    present = labels_of(infra_env)
    wanted = {
        name: present[name] for name in _names(annotations_of(infra_env).get(PROPAGATE_LABELS, "")) if name in present
    }
    labels = {name: value for name, value in own.items() if name not in before or name in wanted}
    taken = {name: value for name, value in wanted.items() if name not in own or name in before}
    return labels | taken, ",".join(sorted(taken))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
