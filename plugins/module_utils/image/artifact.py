# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a file that consists of parts of a base image and new bytes.

The plan compares the existing file, and the file is written only if it differs. It is written whole or not at all.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..common.files import SECRET_FILE, ensure_directory, sha256_of
from .composed import Composed
from .copy import DigestOf, is_patched_copy, patched_copy
from .iso9660 import ImageFile, Piece


@dataclasses.dataclass(frozen=True)
class ArtifactRecord:
    """Record of an earlier run in ``state.json``: the file's size and modification time (ns), the parts that it
    consists of (``recipe``), and its SHA-256 ("" = not computed).
    """

    size: int = -1
    mtime_ns: int = -1
    recipe: str = ""
    sha256: str = ""

    @classmethod
    def from_state(cls, section: Mapping[str, Any]) -> ArtifactRecord:
        return cls(
            section.get("size", -1), section.get("mtime_ns", -1), section.get("recipe", ""), section.get("sha256", "")
        )


@dataclasses.dataclass(frozen=True)
class Artifact:
    """A file to be made of ``base``.

    ``size`` in bytes; ``sha256`` is known only when nothing changes. ``recipe`` names base and pieces.
    """

    path: Path
    base: Path
    pieces: tuple[Piece, ...] = dataclasses.field(repr=False)
    size: int
    recipe: str
    changed: bool = True
    reason: str = ""
    sha256: str = ""


def plan_artifact(
    base: ImageFile, path: Path, pieces: tuple[Piece, ...], record: ArtifactRecord, *, force: bool = False
) -> Artifact:
    """Decide whether the file has to be made.

    Only where ``record`` does not vouch for it, it is compared whole. Raises :class:`ZeroTouchError`.
    """
    wanted = Composed(base, pieces)
    artifact = Artifact(path, base.path, pieces, wanted.size, _recipe(base, pieces))
    if force:
        return dataclasses.replace(artifact, reason="a rebuild was requested")
    if not path.is_file():
        return dataclasses.replace(artifact, reason="the file does not exist")
    status = path.stat()
    untouched = (record.size, record.mtime_ns) == (status.st_size, status.st_mtime_ns)
    known = untouched and record.recipe == artifact.recipe
    if status.st_mode & 0o777 != SECRET_FILE:
        return dataclasses.replace(artifact, reason=f"its mode is not {SECRET_FILE:04o}")
    if not known and not is_patched_copy(wanted, path):
        return dataclasses.replace(
            artifact, reason="its input changed" if untouched else "it was changed by something else"
        )
    return dataclasses.replace(
        artifact, changed=False, reason="it matches its input", sha256=record.sha256 if known else ""
    )


def _recipe(base: ImageFile, pieces: tuple[Piece, ...]) -> str:
    digest = hashlib.sha256(repr(base.identity).encode())
    for piece in pieces:
        digest.update(hashlib.sha256(piece if isinstance(piece, bytes) else repr(piece).encode()).digest())
    return digest.hexdigest()


def make_artifact(artifact: Artifact, *, checksum: bool = True) -> dict[str, Any]:
    """Carry out the plan; an unchanged file is left alone.

    What :meth:`ArtifactRecord.from_state` reads. Raises :class:`ZeroTouchError`.
    """
    digest = artifact.sha256
    if artifact.changed:
        ensure_directory(artifact.path.parent)
        with ImageFile(artifact.base) as base:
            digest = patched_copy(
                Composed(base, artifact.pieces), artifact.path, (), DigestOf((), base=False, image=checksum)
            ).image
    elif checksum and not digest:
        digest = sha256_of(artifact.path)
    status = artifact.path.stat()
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "recipe": artifact.recipe, "sha256": digest}
