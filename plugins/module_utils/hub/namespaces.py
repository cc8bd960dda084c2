# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether a namespace exists on a hub."""

from __future__ import annotations

from ..kube.client import KubeClient
from ..kube.faults import ForbiddenError
from .kinds import NAMESPACE


def namespace_exists(client: KubeClient, name: str) -> bool | None:
    """Whether there is such a namespace.

    None if reading it is forbidden: then the namespace exists, or the first write fails.
    """
    try:
        return client.find(NAMESPACE.path(name=name)) is not None
    except ForbiddenError:
        return None
