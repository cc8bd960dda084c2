# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The hub in memory, for all tests of the room (test directories are no packages)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.model import Policy
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.observe import Scope
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.reconcile import Reconciler

_SPEC = importlib.util.spec_from_file_location("capi_capihub", Path(__file__).parent / "capihub.py")
assert _SPEC is not None and _SPEC.loader is not None
if "capi_capihub" not in sys.modules:
    sys.modules["capi_capihub"] = importlib.util.module_from_spec(_SPEC)
    _SPEC.loader.exec_module(sys.modules["capi_capihub"])


class StillClock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


@pytest.fixture(scope="session")
def world() -> ModuleType:
    return sys.modules["capi_capihub"]


@pytest.fixture
def hub(world: ModuleType) -> Any:
    return world.Hub()


@pytest.fixture
def reconciler(world: ModuleType) -> Any:
    """A new run against a hub: ``reconciler(hub, policy)``."""

    def make(hub: Any, policy: Policy | None = None, **scope: str) -> Reconciler:
        return Reconciler(hub, Scope(world.NS, **scope), policy or Policy(), clock=StillClock(), forks=1)

    return make
