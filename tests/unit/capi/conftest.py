# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of Cluster API: a hub in memory, and reconcile passes over it. The module of the hub is a
fixture because test directories are no packages.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.reconcile import Reconciler
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub import capi


@pytest.fixture(scope="session")
def world() -> ModuleType:
    return capi


@pytest.fixture
def hub(world: ModuleType) -> Any:
    return world.Hub()


@pytest.fixture
def reconciler(world: ModuleType) -> Any:
    """A new run against a hub: ``reconciler(hub, policy)``."""

    def make(hub: Any, policy: Policy | None = None, **scope: str) -> Reconciler:
        return Reconciler(hub, Scope(world.NS, **scope), policy or Policy(), clock=Clock(), forks=1)

    return make
