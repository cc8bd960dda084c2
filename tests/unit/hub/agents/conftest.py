# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures of the Agents' tests: the modules beside this file (test directories are no packages), a hub, a client of it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect


def _beside(name: str) -> ModuleType:
    qualified = f"hub_agents_{name}"
    if qualified not in sys.modules:
        spec = importlib.util.spec_from_file_location(qualified, Path(__file__).parent / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[qualified] = module
        spec.loader.exec_module(module)
    return sys.modules[qualified]


@pytest.fixture(scope="session")
def made() -> ModuleType:
    return _beside("made")


@pytest.fixture(scope="session")
def hubserver() -> ModuleType:
    return _beside("hubserver")


class QuickClock:
    """Real order, short pauses."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._ahead = 0.0

    def now(self) -> float:
        import time

        return time.monotonic() + self._ahead

    def sleep(self, seconds: float) -> None:
        import time

        self.slept.append(seconds)
        self._ahead += max(0.0, seconds - 0.01)
        time.sleep(min(seconds, 0.01))


@pytest.fixture
def clock() -> QuickClock:
    return QuickClock()


@pytest.fixture
def hub(hubserver: ModuleType) -> Iterator[Any]:
    server = hubserver.HubServer()
    yield server
    server.stop()


@pytest.fixture
def client(hub: Any, clock: QuickClock) -> Iterator[Any]:
    found = connect({"kubeconfig": hub.kubeconfig}, clock=clock)
    yield found
    found.close()
