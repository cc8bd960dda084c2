# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the catalogues of the assisted-service, such as versions and operators: its requests that need no cluster."""

from __future__ import annotations

import pytest

from .flows import run
from .scripted import Rig

CATALOGUE = [
    ("/component-versions", {}, 200),
    ("/openshift-versions", {"only_latest": "true"}, 200),
    ("/release-sources", {}, 200),
    ("/domains", {}, 200),
    ("/supported-operators", {}, 200),
    ("/supported-operators/lvm", {}, 200),
    ("/supported-operators/none", {}, 404),
    ("/operators/bundles", {}, 200),
    ("/operators/bundles/virtualization", {}, 200),
    ("/operators/bundles/none", {}, 500),
    ("/support-levels/features", {"openshift_version": "4.22"}, 200),
    ("/support-levels/features", {}, 400),
    ("/support-levels/features/detailed", {"openshift_version": "4.18"}, 200),
    ("/support-levels/architectures", {"openshift_version": "4.20"}, 200),
    ("/clusters/default-config", {}, 200),
]


@pytest.mark.parametrize(("path", "query", "status"), CATALOGUE)
def test_catalogue(path: str, query: dict[str, str], status: int) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            found = await rig.user.call("GET", path, params=query)
            assert found[0] == status, found

    run(flow())
