# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures of the kube room."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def kube_testing() -> ModuleType:
    """The module apiserver.py beside this file (test directories are no packages)."""
    spec = importlib.util.spec_from_file_location("kube_apiserver", Path(__file__).parent / "apiserver.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def authority(kube_testing):
    return kube_testing.Authority()


@pytest.fixture
def api(tmp_path, kube_testing, authority) -> Iterator:
    server = kube_testing.ApiServer(tmp_path, authority, client_ca=authority)
    yield server
    server.close()


@pytest.fixture
def kubeconfig(tmp_path, kube_testing, authority, api) -> Path:
    """Names the API as a cluster does; the test maps the name to the server."""
    client = authority.issue("system:admin")
    return kube_testing.write_kubeconfig(tmp_path / "kubeconfig", "https://api.demo.example.com:6443", authority.pem, client)
