# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The options by which doors to a hub and to an assisted-service take the description of a cluster that neither of them boots from an ISO of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .agent.configure import Input

# Argument spec of the options in documentation fragment described_cluster.
DESCRIPTION_OPTIONS: dict[str, dict[str, Any]] = {
    "cluster": {"type": "dict"},
    "hosts": {"type": "list", "elements": "dict", "default": []},
    "config_dir": {"type": "path"},
    "version": {"type": "str"},
    "release_image": {"type": "str"},
    "checks": {"type": "dict", "default": {}},
}


def described(params: Mapping[str, Any], dest: Path) -> Input:
    """These options as the input of a configuration that would stand in ``dest``."""
    return Input(
        dest=dest,
        cluster=params["cluster"],
        hosts=params["hosts"],
        config_dir=Path(params["config_dir"]) if params["config_dir"] else None,
        version=params["version"] or "",
        release_image=params["release_image"] or "",
        agent_iso=False,
        checks=params["checks"],
    )
