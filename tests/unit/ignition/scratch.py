# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Shared data for the tests that run the live system's scripts. ``Sandbox`` in conftest.py runs the scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

NewSandbox = Callable[..., Any]

SCRIPTS = "/usr/local/bin"
SERVICE = {"SERVICE_BASE_URL": "http://192.168.0.10:8090/", "USER_AUTH_TOKEN": "the-user-token"}


def addresses(*entries: tuple[str, str, str]) -> str:
    """The output of ``ip -json address show`` for interfaces with (name, MAC, address)."""
    return json.dumps(
        [{"ifname": name, "address": mac, "addr_info": [{"local": local}]} for name, mac, local in entries]
    )
