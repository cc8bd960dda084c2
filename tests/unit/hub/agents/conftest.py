# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of Agents: a hub, a client of it, and the helper modules that build test data. The modules are
fixtures because test directories are no packages.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub import agents, server


@pytest.fixture(scope="session")
def made() -> ModuleType:
    return agents


@pytest.fixture(scope="session")
def hubserver() -> ModuleType:
    return server


@pytest.fixture
def clock() -> Clock:
    return Clock(pause=0.01)


@pytest.fixture
def hub(hubserver: ModuleType) -> Iterator[Any]:
    running = hubserver.HubServer()
    yield running
    running.stop()


@pytest.fixture
def client(hub: Any, clock: Clock) -> Iterator[Any]:
    found = connect({"kubeconfig": hub.kubeconfig}, clock=clock)
    yield found
    found.close()
