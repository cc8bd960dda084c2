# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which image URLs BMCs can digest (reference redfish-virtual-media.md 4)."""

from __future__ import annotations

from urllib.parse import urlsplit


def check_image_url(url: str) -> str:
    """What is wrong with the URL of an image, as a sentence; empty when it is fine."""
    try:
        parts = urlsplit(url)
        # Port 0 is that of a URL predicted in check mode; a port that is none raises ValueError.
        named = bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        named = False
    if not named or parts.scheme not in ("http", "https"):
        return "must be an http or https URL with a host"
    if parts.query or parts.fragment or not parts.path.endswith(".iso"):
        return "must end in .iso, without a query: several BMCs take nothing else"
    if parts.path.count("/") < 2:
        return "needs a directory in its path: Supermicro refuses images at the root"
    return ""
