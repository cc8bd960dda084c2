# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format a list of names or reasons for a message, such as ``a, b and 3 more``."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int, separator: str = ", ", *, total: int | None = None) -> str:
    """Return at most ``most`` of the names, and the number of the others.

    The result is ``a, b and 3 more``; with the separator ``; `` it is ``a; b; and 3 more``. If ``names`` has only the
    first names, ``total`` is the number of all.
    """
    text = separator.join(names[:most])
    more = (len(names) if total is None else total) - min(len(names), most)
    joint = " " if separator == ", " else separator
    return text + (f"{joint}and {more} more" if more > 0 else "")


def appended(head: str, items: Sequence[str]) -> str:
    """A sentence to append to a message, such as `` Hosts: a; b.``; empty without items."""
    return f"{head}{'; '.join(items)}." if items else ""
