# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Separate the files that this collection created in a work directory from the files of the user.

The work directory can be a project of the user that has its own ``config/`` and ``images/``.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..cluster.files import RELEASE_FILE
from ..common.architectures import RPM_ARCHITECTURES
from ..image.boot_artifacts import ArtifactNames
from .agent.config_medium import FILE_NAME
from .state.snapshot import REPLACED
from .state.work_dir import WorkDir

_NAMES = tuple(ArtifactNames(prefix, arch) for prefix in ("agent", "node") for arch in RPM_ARCHITECTURES.values())
_IMAGES = frozenset({FILE_NAME, *(f"{names.prefix}.{names.arch}.iso" for names in _NAMES)})
_ARTIFACTS = frozenset(
    file
    for names in _NAMES
    for file in (names.kernel, names.initrd, names.rootfs, names.script, names.address_and_size, names.ins)
)
# Parts of files that were being written, and what is known of files that were downloaded.
_BESIDE = re.compile(r"\..+\.(part|partial|partial\.json|source\.json)")


@dataclasses.dataclass(frozen=True)
class CreatedFiles:
    """The files of a work directory: ``images`` are further names of images that this deployment downloads, ``keep``
    are paths that the variables of the user name.
    """

    work_dir: WorkDir
    images: tuple[str, ...] = ()
    keep: tuple[Path, ...] = ()

    def split(self, names: Sequence[str]) -> tuple[list[Path], list[str]]:
        """The paths below these names in the work directory that this collection created, and the relative names of
        what the user put there. A name that does not exist is among the former.
        """
        created: list[Path] = []
        others: list[str] = []
        for name in names:
            path = self.work_dir.root / name
            kept = list(self._of_user(path))
            others += [str(each.relative_to(self.work_dir.root)) for each in kept]
            if not kept:
                created.append(path)
            elif path not in kept and not path.is_symlink():
                created += [each for each in sorted(path.iterdir()) if each not in kept]
        return created, sorted(others)

    def _of_user(self, path: Path) -> Iterator[Path]:
        if self._is_kept(path) and (path == self.work_dir.config or not path.is_dir()):
            yield path
        elif path == self.work_dir.config and path.is_dir():
            # Every run that writes there writes this file first.
            if any(path.iterdir()) and not (path / RELEASE_FILE).exists():
                yield path
        elif path.is_dir():
            yield from (each for each in sorted(path.iterdir()) if self._is_kept(each) or not self._is_created(each))

    def _is_created(self, path: Path) -> bool:
        name, directory = path.name, path.parent
        if directory == self.work_dir.root / REPLACED:
            return name.isdigit()
        if _BESIDE.fullmatch(name):
            return True
        if directory == self.work_dir.boot_artifacts:
            return name in _ARTIFACTS
        return name in (*_IMAGES, *self.images) or path.with_name(f".{name}.source.json").exists()

    def _is_kept(self, path: Path) -> bool:
        """Whether the user names this path, or one below it."""
        real = path.resolve()
        return any(
            keep.resolve().is_relative_to(real) or _absolute(keep).is_relative_to(_absolute(path)) for keep in self.keep
        )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))
