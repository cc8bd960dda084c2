# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Python's cycle collector out of the way while many small objects are made that all stay.

It looks at everything that is there each time some more has been made: two thirds of the time of reading 10 000 objects
from JSON (measured). Nothing is leaked by a pause; what has no references goes at once as always, and cycles are looked
for again afterwards.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Usable as a decorator too. Inside another pause it changes nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
