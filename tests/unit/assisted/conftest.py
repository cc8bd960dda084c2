# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of the assisted-service client and modules: a fake assisted-service, a connection to it, and
calls of modules against it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.service import AssistedService
from ansible_collections.zerotouch.openshift.tests.support import service as fakeservice
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock


@pytest.fixture
def fake() -> Iterator[Any]:
    service = fakeservice.FakeService()
    yield service
    service.stop()


@pytest.fixture
def reach(fake: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AssistedService]:
    """A connection to the fake service with the options of a module."""
    for name in ("SERVICE_URL", "TOKEN", "OFFLINE_TOKEN", "AUTH"):
        monkeypatch.delenv(f"ASSISTED_{name}", raising=False)

    def open_connection(check_mode: bool = False, **params: Any) -> AssistedService:
        return connect({"service_url": fake.url, "request_timeout": 5.0, **params}, clock, check_mode)

    return open_connection


@pytest.fixture
def run_module(fake: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Call a module in the test process against the fake service; ``check`` and ``diff`` are its modes.

    No registry password gets out.
    """

    def call_module(name: str, /, *, check: bool = False, diff: bool = False, **arguments: Any) -> dict[str, Any]:
        module = importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{name}")
        provided = {
            "service_url": fake.url,
            "request_timeout": 5,
            "retries": 0,
            **arguments,
            "_ansible_check_mode": check,
            "_ansible_diff": diff,
        }
        with patch_module_args(provided), pytest.raises(SystemExit):
            module.main()
        output = capfd.readouterr().out
        assert "registry-password" not in output and "dXNlcjpyZWdpc3RyeS1wYXNzd29yZA" not in output
        return dict(json.loads(output))

    return call_module


@pytest.fixture
def pull_secret() -> str:
    return str(fakeservice.PULL_SECRET)
