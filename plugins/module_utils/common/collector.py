# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pause Python's cyclic garbage collector while code creates many small objects that all stay in use.

The collector inspects all existing objects each time some more have been created. This takes two thirds of the time of
reading 10 000 objects from JSON (measured). A pause leaks nothing: objects without references are freed at once as
always, and cycles are collected afterwards.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector for a block, or for a function as its decorator. Inside another pause it changes nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
