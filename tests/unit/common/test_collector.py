# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the context manager that pauses Python's cyclic garbage collector: the pause also ends after an error, and a
disabled collector stays disabled.
"""

from __future__ import annotations

import gc

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.collector import collector_paused


def test_a_pause_ends() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pause_ends_with_an_error() -> None:
    @collector_paused()
    def fails() -> None:
        raise ValueError

    with pytest.raises(ValueError):
        fails()
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
