# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Record which services have answered during this run, so that later tasks wait for such a service if it restarts.

If the first request of a task fails, the URL may be wrong, or the service may be unavailable for some seconds. The
record decides: a service that answered an earlier task has a correct URL. It is a file in the temporary directory of
the ansible-playbook process, which all tasks share and which is removed at the end. Without that directory, only
answers to the same process count.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

_directory: Path | None = None


@contextlib.contextmanager
def recorded_in(directory: Path | None) -> Iterator[None]:
    """Record answers in this directory of the run for the length of the block."""
    global _directory
    before, _directory = _directory, directory
    try:
        yield
    finally:
        _directory = before


class Contact:
    """Whether the service of a URL has answered, in this process or in an earlier task of the run."""

    def __init__(self, url: str) -> None:
        digest = hashlib.sha256(url.encode(errors="surrogateescape")).hexdigest()
        self._record = _directory / f"zerotouch-reached-{digest}" if _directory is not None else None
        self._noted = False

    @property
    def answered(self) -> bool:
        return self._noted or (self._record is not None and self._record.exists())

    def note(self) -> None:
        """The service has answered."""
        if self._noted:
            return
        self._noted = True
        if self._record is not None:
            # Without the record, a later task fails at once where it could have waited.
            with contextlib.suppress(OSError):
                self._record.touch(mode=0o600)
