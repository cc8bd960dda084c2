# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Encode and decode the record in a state store: the sealed snapshot of a work directory, with the mark of its
version.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...common.problems import FORBIDDEN, Problem
from ...common.state_shape import fault_of
from ...common.store_link import STATE
from .encryption import Keys, seal, unseal
from .errors import StoreRefused, StoreUnknown
from .lineage import Mark
from .options import PATH, StateOptions
from .snapshot import CONFIGURATION, LARGEST_STORED, BadSnapshot, Snapshot, pack, read_files, unpack
from .store import StoredState

FORMAT = 1


def seal_record(snapshot: Snapshot, mark: Mark, keys: Keys | None, cluster: str) -> bytes:
    """The bytes that are stored. Raises :class:`StoreRefused` for more than a store takes."""
    about = {"format": FORMAT, "cluster": cluster, "lineage": mark.lineage, "serial": mark.serial}
    sealed = seal(pack(snapshot), about, keys)
    if fault := size_fault(snapshot, len(sealed)):
        raise StoreRefused(fault, "Make it smaller, or use method directory.")
    return sealed


def size_fault(snapshot: Snapshot, size: int) -> str:
    """Why a record with this many bytes cannot be stored; empty if it can."""
    if size <= LARGEST_STORED:
        return ""
    return (
        f"The state has {size} bytes, compressed; a store takes {LARGEST_STORED}. The largest part is "
        f"{snapshot.largest()}."
    )


def size_problem(options: StateOptions, root: Path, configuration: Mapping[str, str]) -> Problem | None:
    """For preflight: that a store does not take the files of this work directory with this configuration, which is not
    written yet; None if it does.
    """
    if options.method == "directory":
        return None
    files = {
        name: content
        for name, content in read_files(root).files.items()
        if not (configuration and name.startswith(f"{CONFIGURATION}/"))
    }
    snapshot = Snapshot(files | {f"{CONFIGURATION}/{name}": text.encode() for name, text in configuration.items()})
    # Files of this size fit in any case, and compressing the configuration of a thousand hosts takes seconds.
    small = sum(map(len, snapshot.files.values())) < LARGEST_STORED // 2
    fault = "" if small else size_fault(snapshot, len(pack(snapshot)))
    hint = "make it smaller, or use method directory with a work directory that outlives the run"
    return Problem(f"{PATH}.method", FORBIDDEN, fault, layer="ours", check="state", hint=hint) if fault else None


def read_record(stored: StoredState | None, keys: Keys | None, cluster: str, name: str) -> tuple[Snapshot, Mark] | None:
    """The snapshot in a store and its mark; None if the store was read and has none.

    Raises :class:`StoreUnknown` for everything that is not a sound record of this cluster.
    """
    if stored is None or not stored.snapshot:
        return None
    try:
        header, body = unseal(stored.snapshot, keys)
        if fault := _header_fault(header, cluster):
            raise StoreUnknown(fault, "Check openshift_state.")
        snapshot = unpack(body)
    except BadSnapshot as error:
        raise StoreUnknown(f"The state in {name} is damaged: {error}.", "Restore it from a backup.") from error
    except StoreUnknown as error:
        error.message = f"The state in {name} cannot be read. {error.message}"
        raise
    if snapshot.files and (fault := _state_fault(snapshot.state)):
        raise StoreUnknown(f"The state in {name} is damaged: {fault}.", "Restore it from a backup.")
    return snapshot, Mark(header["lineage"], header["serial"], snapshot.digest)


def is_integer(value: Any) -> bool:
    """To isinstance, true and false would be numbers."""
    return isinstance(value, int) and not isinstance(value, bool)


def _state_fault(state: Mapping[str, Any]) -> str:
    if not state:
        return f"it has no {STATE} that can be read"
    return fault_of(state)[1] if is_integer(state.get("format")) else f"its {STATE} is not one of this collection"


def _header_fault(header: Mapping[str, Any], cluster: str) -> str:
    found = header.get("format")
    if not isinstance(found, int) or found > FORMAT:
        return "It was written by a newer release of zerotouch.openshift."
    if header.get("cluster") != cluster:
        return f"It is the state of cluster {str(header.get('cluster'))[:60]!r}, not of {cluster!r}."
    sound = (
        isinstance(header.get("lineage"), str) and is_integer(header.get("serial")) and 0 < header["serial"] < 1 << 53
    )
    return "" if sound else "Its first line is damaged."
