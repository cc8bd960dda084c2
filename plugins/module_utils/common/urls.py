# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Split a URL from a remote service or the user, without an exception for a text that is not a URL."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def split_remote(url: str) -> SplitResult:
    """Return the parts of a URL. If the text is not a URL, all parts are empty; ``urlsplit`` would raise ValueError
    (``https://[::1``, ``http://x:port``).
    """
    try:
        parts = urlsplit(url)
        _port = parts.port  # read lazily, and checked only then
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts
