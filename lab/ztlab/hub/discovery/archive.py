# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create archives that a kernel unpacks in addition to its initrd: newc cpio, compressed with gzip, padded to a
multiple of 4 bytes.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable

REGULAR, DIRECTORY, LINK = 0o100000, 0o040000, 0o120000


def cpio(members: Iterable[tuple[str, int, bytes]]) -> bytes:
    """A newc archive of (path, mode with type bits, content).

    Fields other than mode, link count and the two sizes are zero.
    """
    out = io.BytesIO()
    for name, mode, data in [*members, ("TRAILER!!!", 0, b"")]:
        encoded = name.encode()
        fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded) + 1, 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded + b"\0"
        out.write(header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4))
    return out.getvalue()


def compressed(members: Iterable[tuple[str, int, bytes]]) -> bytes:
    """The archive in gzip, then zeros up to a multiple of 4; the same bytes for the same members."""
    data = gzip.compress(cpio(members), mtime=0)
    return data + bytes(-len(data) % 4)


def ignition_archive(config: bytes) -> bytes:
    """What goes into an image's Ignition area (openshift/assisted-image-service pkg/isoeditor, pkg/overlay)."""
    return compressed([("config.ign", REGULAR | 0o644, config)])
