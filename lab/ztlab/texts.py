# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Format the texts of exceptions that several parts of the lab print."""

from __future__ import annotations


def error_text(error: BaseException) -> str:
    """The message of an exception; its class name if the message is empty, as for timeouts."""
    return str(error) or type(error).__name__
