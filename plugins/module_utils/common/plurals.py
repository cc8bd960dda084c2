# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the singular or plural form of a word after a number: 1 host is, 2 hosts are."""

from __future__ import annotations


def noun(number: int, one: str, many: str = "") -> str:
    """Return the word for a number of things; the plural has an s unless ``many`` is another one."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its word: ``1 host``, ``2 hosts``."""
    return f"{number} {noun(number, one, many)}"


def is_or_are(number: int) -> str:
    return "is" if number == 1 else "are"
