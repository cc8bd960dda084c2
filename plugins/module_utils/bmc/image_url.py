# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check whether BMCs accept an image URL, and convert it to the form that they expect."""

from __future__ import annotations

from typing import Literal
from urllib.parse import unquote, urlsplit

# Scheme -> the standard's name of the protocol (VirtualMedia, TransferProtocolType).
PROTOCOLS = {"http": "HTTP", "https": "HTTPS", "nfs": "NFS", "cifs": "CIFS", "smb": "CIFS"}
SHARES = ("NFS", "CIFS")


def protocol_of(url: str) -> str:
    """The standard's name of the protocol by which a BMC reads this URL."""
    scheme = urlsplit(url).scheme
    return PROTOCOLS.get(scheme, scheme.upper())


def written_form(url: str, form: Literal["url", "path"]) -> str:
    """The image in the form that a BMC expects: a share as a path, ``host:/path`` for NFS and ``//host/path`` for CIFS,
    or the URL.
    """
    protocol = protocol_of(url)
    if form == "url" or protocol not in SHARES:
        return url
    parts = urlsplit(url)
    return f"{parts.netloc}:{unquote(parts.path)}" if protocol == "NFS" else f"//{parts.netloc}{unquote(parts.path)}"


def check_image_url(url: str) -> str:
    """What is wrong with the URL of an image, as a sentence; empty for a valid URL."""
    try:
        parts = urlsplit(url)
        # Port 0 is that of a URL predicted in check mode; a port that is none raises ValueError.
        named = bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        named = False
    if not named or parts.scheme not in PROTOCOLS:
        return f"must be a URL with a host, and one of the schemes {', '.join(PROTOCOLS)}"
    if parts.query or parts.fragment or not parts.path.endswith(".iso"):
        return "must end in .iso, without a query: several BMCs take nothing else"
    if parts.path.count("/") < 2:
        return "needs a directory in its path: Supermicro refuses images at the root"
    return ""
