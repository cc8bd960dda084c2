# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and write ``state.json``, the file in the work directory with the data that later runs need.

The file is one JSON document with a section for each package. Every write replaces the whole file, under a lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .errors import ZeroTouchError
from .files import (
    SECRET_FILE,
    check_private,
    ensure_directory,
    open_inside,
    read_inside,
    write_atomic,
)
from .state_shape import fault_of

FORMAT = 1
_RECORD = (
    "Do not move it away: it records which machines this deployment has installed, and a run without it may install "
    "them again."
)


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True)


class _Round:
    """The document while threads take turns with it: ``before`` is its text as it was read, ``done`` is set when it was
    written or ``error`` prevented it.
    """

    def __init__(self, document: dict[str, Any], lock: contextlib.ExitStack) -> None:
        self.document = document
        self.before = _text(document)
        self.lock = lock
        self.edited = False
        self.done = threading.Event()
        self.error: Exception | None = None


class _SharedDocument:
    """One state file in this process. The last thread in line writes what all of them changed."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._round: _Round | None = None

    @contextlib.contextmanager
    def turn(
        self,
        opened: Callable[[], tuple[dict[str, Any], contextlib.ExitStack]],
        write: Callable[[dict[str, Any], str], None],
    ) -> Iterator[dict[str, Any]]:
        """The document, for one thread at a time.

        Raises what ``opened`` and ``write`` raise; of a block that fails nothing is kept.
        """
        self._line_up(write)
        try:
            now = self._round = self._round or _Round(*opened())
            unchanged = _text(now.document)
            try:
                yield now.document
                now.edited = True
            except BaseException:
                now.document.clear()
                now.document.update(json.loads(unchanged))
                raise
            finally:
                self._finish_after_last(write)
        finally:
            self._turn.release()
        now.done.wait()
        if now.error is not None:
            raise now.error

    def _line_up(self, write: Callable[[dict[str, Any], str], None]) -> None:
        """Wait for a turn. A thread that is interrupted meanwhile may have been the last one, for which the others left
        the writing.
        """
        with self._counting:
            self._waiting += 1
        try:
            self._turn.acquire()
        except BaseException:
            with self._counting:
                self._waiting -= 1
            with self._turn:
                self._finish_after_last(write)
            raise
        with self._counting:
            self._waiting -= 1

    def _finish_after_last(self, write: Callable[[dict[str, Any], str], None]) -> None:
        with self._counting:
            last = not self._waiting
        if last and self._round is not None:
            self._finish(self._round, write)

    def _finish(self, now: _Round, write: Callable[[dict[str, Any], str], None]) -> None:
        self._round = None
        try:
            with now.lock:
                if now.edited:
                    write(now.document, now.before)
        except Exception as error:  # raised in each thread of the round
            now.error = error
        finally:
            now.done.set()


_documents: weakref.WeakValueDictionary[str, _SharedDocument] = weakref.WeakValueDictionary()
_documents_lock = threading.Lock()


def _shared_document(path: Path) -> _SharedDocument:
    with _documents_lock:
        return _documents.setdefault(os.path.abspath(path), _SharedDocument())


class StateFile:
    """The state document of one deployment (0600).

    Sections: ``cluster``, ``secrets`` (tokens, signers, password), ``image``, ``publish``, ``bmc``, ``hub``,
    ``install``,
    ``machines``, ``node_image``; each is owned by one package.
    A missing file reads as an empty document. Raises :class:`ZeroTouchError` for a file that is not ours, of a newer
    format, or damaged (:mod:`.state_shape`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._shared = _shared_document(path)

    def read(self) -> dict[str, Any]:
        check_private(self.path.parent)
        try:
            text = read_inside(self.path).decode(errors="replace")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ZeroTouchError(
                f"{self.path} cannot be read: {error.strerror}.", f"Make it readable. {_RECORD}"
            ) from error
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or not isinstance(document.get("format"), int):
            raise ZeroTouchError(
                f"{self.path} is not a state file of this collection.", f"Restore it from a backup. {_RECORD}"
            )
        if document["format"] > FORMAT:
            raise ZeroTouchError(
                f"{self.path} was written by a newer release of zerotouch.openshift (format {document['format']}, "
                f"this release knows {FORMAT}).",
                "Use that release.",
            )
        section, fault = fault_of(document)
        if fault:
            raise ZeroTouchError(
                f"{self.path} is damaged, in section {section}: {fault}.",
                f"Restore the file, or delete section {section} from it. The next run restores the section from "
                "the work directory and the cluster, as far as possible.",
            )
        return document

    def section(self, name: str) -> dict[str, Any]:
        """A copy of one section; empty when there is none."""
        return dict(self.read().get(name) or {})

    @contextlib.contextmanager
    def edit(self) -> Iterator[dict[str, Any]]:
        """The whole document, written back when the block ends well; other processes wait meanwhile.

        Threads of this process that edit at the same time take turns with one document, which is written once for all
        of them. The block of each one ends after that. An edit must not be inside another one.
        """
        with self._shared.turn(self._open, self._write) as document:
            yield document

    def _open(self) -> tuple[dict[str, Any], contextlib.ExitStack]:
        """The document, and the lock on it."""
        ensure_directory(self.path.parent)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._locked())
            return self.read(), stack.pop_all()

    def _write(self, document: dict[str, Any], before: str) -> None:
        document["format"] = FORMAT
        if _text(document) != before or not self.path.exists():
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
