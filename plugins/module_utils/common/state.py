# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""``state.json``: what must outlive a run. One document, a section per room, written whole under a lock."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import ZeroTouchError
from .files import SECRET_FILE, check_private, ensure_directory, open_inside, read_inside, write_atomic
from .state_shape import fault_of

FORMAT = 1
_RECORD = "Do not move it away: it records which machines this deployment has installed, and a run without it may install them again."


class StateFile:
    """The state document of one deployment (0600).

    Sections: ``cluster``, ``secrets`` (tokens, signers, password), ``image``, ``publish``, ``bmc``, ``hub``, ``install``,
    ``machines``, ``node_image``; each is owned by one room.
    A missing file reads as an empty document. Raises :class:`ZeroTouchError` for a file that is not ours, of a newer format, or damaged
    (:mod:`.state_shape`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Any]:
        check_private(self.path.parent)
        try:
            text = read_inside(self.path).decode(errors="replace")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ZeroTouchError(f"{self.path} cannot be read: {error.strerror}.", f"Make it readable. {_RECORD}") from error
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or not isinstance(document.get("format"), int):
            raise ZeroTouchError(f"{self.path} is not a state file of this collection.", f"Restore it from a backup. {_RECORD}")
        if document["format"] > FORMAT:
            raise ZeroTouchError(
                f"{self.path} was written by a newer release of zerotouch.openshift (format {document['format']}, this release knows {FORMAT}).",
                "Use that release.",
            )
        section, fault = fault_of(document)
        if fault:
            raise ZeroTouchError(
                f"{self.path} is damaged, in section {section}: {fault}.",
                f"Restore the file, or take the whole section {section} out of it: what the work directory and the cluster still tell is found again.",
            )
        return document

    def section(self, name: str) -> dict[str, Any]:
        """A copy of one section; empty when there is none."""
        return dict(self.read().get(name) or {})

    @contextlib.contextmanager
    def edit(self) -> Iterator[dict[str, Any]]:
        """The whole document, written back when the block ends well; other processes wait meanwhile."""
        ensure_directory(self.path.parent)
        with self._locked():
            document = self.read()
            before = json.dumps(document, sort_keys=True)
            yield document
            document["format"] = FORMAT
            if json.dumps(document, sort_keys=True) != before or not self.path.exists():
                write_atomic(self.path, json.dumps(document, indent=2, sort_keys=True) + "\n", SECRET_FILE)

    def update(self, name: str, values: dict[str, Any]) -> None:
        """Set keys of one section; a value of None removes the key."""
        with self.edit() as document:
            section = document.setdefault(name, {})
            section.update(values)
            for key in [key for key, value in section.items() if value is None]:
                del section[key]

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # The lock is a file of its own: state.json itself is replaced on every write.
        check_private(self.path.parent)
        descriptor = open_inside(self.path.parent / ".state.lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
