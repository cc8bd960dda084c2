# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Let a wait continue while the service is unreachable: it may restart, and the installation continues without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...common.errors import RemoteError, Unreachable
from .auth import NoToken

T = TypeVar("T")


def patiently(read: Callable[[], T], away: Callable[[str], object]) -> T | None:
    """The result of ``read``; None if the service does not answer at the moment, and ``away`` receives the reason.

    Any other error is raised.
    """
    try:
        return read()
    except Unreachable as error:
        away(str(error))
    except RemoteError as error:
        if error.status < 502:
            raise
        away(str(error))
    except NoToken as error:
        if not error.temporary:
            raise
        away(str(error))
    return None
