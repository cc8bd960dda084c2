# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of the Kubernetes client: an HTTPS API server, its CA, and a kubeconfig for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from ansible_collections.zerotouch.openshift.tests.support import api_server


@pytest.fixture(scope="session")
def kube_testing() -> ModuleType:
    """The module with the API server and the CA."""
    return api_server


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
    return kube_testing.write_kubeconfig(
        tmp_path / "kubeconfig", "https://api.demo.example.com:6443", authority.pem, client
    )
