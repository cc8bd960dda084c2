# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define fixtures for all tests. Each test has a temporary directory without siblings, because the collection also
reads the work directories next to that of a deployment (plugins/module_utils/deployment/safety/record.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the caches of the tests, and of the programs that they start, apart from those of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def tmp_path(tmp_path: Path) -> Path:
    """The temporary directory of one test, without the directories of other tests beside it."""
    alone = tmp_path / "t"
    alone.mkdir()
    return alone
