# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The doors to an assisted-service against the lab's: from nothing to an installed cluster, each twice and in check mode first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .assisted_lab import Bench, Door, door_of, running_service


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with running_service(INFRA_ENV_ID="", INSTALL_INVOKER="", DEPLOY_TARGET="onprem") as running:
        yield running


@pytest.fixture
def door(bench: Bench, capfd: pytest.CaptureFixture[str]) -> Door:
    return door_of(bench, capfd)


def test_nothing_is_told_of_an_empty_service(door: Door) -> None:
    empty = door("assisted_info", versions=True, events=-1)
    assert (empty["clusters"], empty["infra_envs"], empty["hosts"], empty["validations"]) == ([], [], [], [])
    assert "4.22.0" in empty["versions"]["openshift"]


def test_what_the_service_says_of_a_wrong_token_is_told(door: Door, bench: Bench) -> None:
    refused = door("assisted_info", token=bench.watcher_token, watcher_token=None)
    assert refused["failed"] and "403: authClaim watcherAuth is unauthorized to access" in refused["msg"]
    assert "Bearer " not in door("assisted_info", token=f"Bearer {bench.token}", watcher_token=None)["msg"].replace("'bearer '", "")
