# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Settings of all unit tests: no network except loopback, and the same hypothesis examples in every run."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import hypothesis
import pytest
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import as_module_process
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50, database=None)
hypothesis.settings.load_profile("repeatable")

_connect = socket.socket.connect


def _loopback_only(self: socket.socket, address: Any) -> None:
    # A datagram socket that connects sends nothing: it asks the kernel which local address it would use.
    if (
        self.type == socket.SOCK_STREAM
        and self.family in (socket.AF_INET, socket.AF_INET6)
        and not ipaddress.ip_address(address[0]).is_loopback
    ):
        raise AssertionError(f"a unit test connects to {address[0]}")
    _connect(self, address)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", _loopback_only)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _module_process(monkeypatch: pytest.MonkeyPatch) -> None:
    as_module_process(monkeypatch)
