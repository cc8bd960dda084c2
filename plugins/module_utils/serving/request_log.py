# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Who has read the image: the log of the image server (:mod:`.conversation` writes its lines), followed from one observation to the next."""

from __future__ import annotations

import re
from pathlib import Path

from ..common.addresses import canonical_ip

# An answer with bytes of the image. HEAD is no read: a BMC that accepts the medium sends it, and so does the check of the server itself.
_READ = re.compile(rb"^(\S+)Z (\S+) GET \S+ 20[06] [1-9]\d* bytes", re.MULTILINE)
_MAPPED = "::ffff:"
# Of a log that cannot be read: each host may be the reader.
UNKNOWN = "unknown"


class RequestLog:
    """The readers since ``since`` (``2026-01-01T00:00:00Z``), by address. A log that does not exist, or is replaced meanwhile, is read from its beginning."""

    def __init__(self, path: Path, since: str) -> None:
        self._path = path
        self._since = since.removesuffix("Z").encode()
        self._offset = 0
        self._readers: frozenset[str] = frozenset()

    def readers(self) -> frozenset[str]:
        """Everyone so far; with :data:`UNKNOWN` if the log cannot be read."""
        try:
            with self._path.open("rb") as log:
                if self._path.stat().st_size < self._offset:
                    self._offset = 0
                log.seek(self._offset)
                complete, end, _rest = log.read().rpartition(b"\n")
        except FileNotFoundError:
            return self._readers
        except OSError:
            return self._readers | {UNKNOWN}
        self._offset += len(complete) + len(end)
        found = {_address(peer.decode(errors="replace")) for at, peer in _READ.findall(complete) if at >= self._since}
        self._readers |= found
        return self._readers


def _address(peer: str) -> str:
    """A server for IPv4 and IPv6 logs addresses of IPv4 as mapped ones."""
    return canonical_ip(peer.removeprefix(_MAPPED) if "." in peer else peer)
