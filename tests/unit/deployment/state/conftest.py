# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures: a remote store for the state of a deployment, one for each storage method (HTTP server, Secret)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state import places


def _opened(method: str, directory: Path) -> Iterator[Any]:
    place = places.PLACES[method](directory)
    yield place
    place.close()


@pytest.fixture(params=["http", "secret"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A remote store for each method."""
    yield from _opened(request.param, tmp_path)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Any]:
    """Method http."""
    yield from _opened("http", tmp_path)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Any]:
    """Method secret."""
    yield from _opened("secret", tmp_path)
