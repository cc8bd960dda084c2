# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What variables mean, as tests ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem


def from_variables(cluster: Mapping[str, Any], hosts: Sequence[Mapping[str, Any]], **release: str) -> tuple[Deployment | None, list[Problem]]:
    """The deployment and every problem of reading."""
    parsed = read_variables(cluster, hosts, **release)
    return parsed.deployment, list(parsed.problems)
