# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a virtual image like a file: byte ranges of a base image, mixed with new bytes. No image is written to disk."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence

from .iso9660 import ImageFile, Piece

_BLOCK = 1 << 20


class Composed:
    """Concatenated pieces. Usable while ``base`` is open; implements :class:`ImageSource` like ``base``."""

    def __init__(self, base: ImageFile, pieces: Iterable[Piece]) -> None:
        self.path = base.path
        self.identity = base.identity
        self._base = base
        self._pieces: list[tuple[int, Piece]] = []
        self.size = 0
        for piece in pieces:
            if length := _length(piece):
                self._pieces.append((self.size, piece))
                self.size += length

    def pieces(self) -> Sequence[tuple[int, Piece]]:
        return self._pieces

    def read_at(self, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes; raises :class:`ZeroTouchError` when the image, or what is behind it, ends
        before.
        """
        end = offset + length
        found = []
        index = max(0, bisect.bisect_right(self._pieces, offset, key=lambda one: one[0]) - 1)
        for start, piece in self._pieces[index:]:
            if start >= end:
                break
            first, last = max(offset, start) - start, min(end, start + _length(piece)) - start
            if first < last:
                found.append(
                    piece[first:last]
                    if isinstance(piece, bytes)
                    else self._base.read_at(piece.offset + first, last - first)
                )
        data = b"".join(found)
        return data if len(data) == length else data + self._base.read_at(self._base.size, length - len(data))

    def blocks(self) -> Iterator[tuple[int, memoryview]]:
        for offset in range(0, self.size, _BLOCK):
            yield offset, memoryview(self.read_at(offset, min(_BLOCK, self.size - offset)))

    def fileno(self) -> int:
        return self._base.fileno()


def _length(piece: Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.length
