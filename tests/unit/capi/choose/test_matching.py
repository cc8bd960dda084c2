# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test class Matching: which demand moves to another host so that a new demand can be served, and which failed attempts
are repeated when a host becomes free.
"""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.choose.matching import Matching


def matching(suits: Mapping[int, set[int]], hosts: int) -> Matching:
    found = Matching(lambda demand: sum(1 << host for host in suits[demand]), hosts)
    assert all(found.serve(demand) for demand in suits)
    return found


def test_one_moves_on_for_another() -> None:
    found = matching({0: {0, 1}, 1: {0}}, 2)
    assert found.host_of == {0: 1, 1: 0} and not found.free


def test_a_host_that_another_client_needs_is_not_taken() -> None:
    found = matching({0: {0}, 1: {0, 1}}, 2)
    assert not found.take(1, 0b01) and found.host_of == {0: 0, 1: 1}
    assert found.take(1, 0b11) and found.host_of == {0: 0, 1: 1}


def test_what_could_not_be_taken_is_asked_again_when_a_host_has_come_free() -> None:
    found = matching({0: {2, 3}, 1: {0, 2}, 2: {1, 0}}, 4)
    assert found.host_of == {0: 2, 1: 0, 2: 1}
    found.settle(0)
    assert not found.take(2, 0b0001), "the one who has it could go to host 2 alone, and that is settled"
    assert found.exchange([0], 0b1000, 0b0100) == (2, 3)
    assert found.take(2, 0b0001) and found.host_of == {0: 3, 1: 2, 2: 0}


def test_the_first_hosts_that_serve_all() -> None:
    found = matching({0: {0, 3}, 1: {0, 2}, 2: {1, 3}}, 4)
    found.first_hosts([0, 1, 2])
    assert set(found.host_of.values()) == {0, 1, 2}
