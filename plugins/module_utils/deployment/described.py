# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the options with which a user describes a cluster, for modules that install through a hub or an assisted-service
and build no agent ISO.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .agent.configure import INPUT_OPTIONS, Input

# Argument spec of the options in documentation fragment described_cluster.
DESCRIPTION_OPTIONS = INPUT_OPTIONS


def described(params: Mapping[str, Any], dest: Path) -> Input:
    """Convert the options to the input of a configuration in ``dest``. No host has to be the rendezvous host."""
    return dataclasses.replace(Input.of_options(params, dest), agent_iso=False)
