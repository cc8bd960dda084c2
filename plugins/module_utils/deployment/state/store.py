# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the interface of a remote state store: it holds one record, which is read as a whole and written only if its
version is still the same.

The lease and the snapshot are parts of that one record. So a run that lost its lease cannot overwrite the snapshot of
its successor: every write of the successor, a renewal included, changes the version that the late write names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Protocol

from ...common.clock import Clock
from ...common.errors import RemoteError, Unreachable
from ...common.retry import retry
from ...common.retry_policies import STATE_STORE
from .errors import StoreConflict, StoreFailed, StoreUnknown
from .lease import Lease

# Seconds for one request.
TIMEOUT = 10.0
_PERMISSION = (401, 403)


@dataclasses.dataclass(frozen=True)
class StoredState:
    """A record. ``snapshot`` is sealed; it is empty before the first one is stored."""

    version: str
    lease: Lease | None
    snapshot: bytes = dataclasses.field(default=b"", repr=False)


class Store(Protocol):
    """One record in one place."""

    @property
    def name(self) -> str:
        """The place in words, without secrets."""

    def read(self) -> StoredState | None:
        """The record; None only if the store says that there is none.

        Raises :class:`StoreUnknown` for everything else.
        """

    def write(self, lease: Lease, snapshot: bytes | None, expected: str | None) -> str:
        """Write the record if its version is ``expected``, or if there is none (None); the new version. A ``snapshot``
        of None stays as it is.

        Raises :class:`StoreConflict` if the version is another one, :class:`StoreRefused` or :class:`StoreFailed`.
        """

    def probe(self, stored: StoredState | None) -> None:
        """Prove that conditions are observed, without a change. Raises :class:`StoreRefused`."""

    def close(self) -> None:
        """Close connections."""


def read_surely(name: str, read: Callable[[], StoredState | None], clock: Clock) -> StoredState | None:
    """Read, again after a fault that may pass. Raises :class:`StoreUnknown`."""
    try:
        return retry(read, STATE_STORE, clock)
    except (RemoteError, Unreachable) as error:
        denied = isinstance(error, RemoteError) and error.status in _PERMISSION
        hint = error.hint or (
            "Check the credentials in openshift_state."
            if denied
            else ("Check openshift_state, and whether the store is available.")
        )
        raise StoreUnknown(f"The state in {name} cannot be read: {error.message}", hint) from error


def write_surely(
    name: str,
    write: Callable[[], str],
    read: Callable[[], StoredState | None],
    lease: Lease,
    expected: str | None,
    clock: Clock,
) -> str:
    """Write, and read the result where the answer is lost. Each write has a separate lease, so that it is recognized.

    ``write`` raises :class:`StoreConflict`, or an error of the transport.
    """
    last: Exception | None = None
    for attempt in range(1, STATE_STORE.attempts + 1):
        try:
            return write()
        except StoreConflict:
            if last is None:
                raise
        except (RemoteError, Unreachable) as error:
            if not STATE_STORE.repeats(error):
                raise
            last = error
            clock.sleep(STATE_STORE.delay(attempt))
        try:
            found = read()
        except (RemoteError, Unreachable, StoreUnknown) as error:
            last = error
            continue
        if found is not None and found.lease == lease:
            return found.version
        if (None if found is None else found.version) != expected:
            raise StoreConflict(f"The state in {name} was changed by another run.") from last
    raise StoreFailed(
        f"The state cannot be stored in {name}: {last}", ("Check openshift_state, and whether the store is available.")
    ) from last
