# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether an image must be built again: compare what it was built from with the files as they are now.

An image is built from the files of the configuration directory and from a base image. Their digests are recorded in the
state of the deployment (section ``image``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...cluster.tree import join
from ...common import libraries
from ...common.files import sha256_of

BASE_IMAGE = "base image"
_PARSED = (".yaml", ".yml", ".json")
# A part of a file is "file: field.field"; no file is called so.
_PART = ": "
# How deep parts go: networking.machineNetwork, platform.baremetal.apiVIPs, hosts[3].networkConfig.
_DEPTH = 3


def input_digests(directory: Path) -> dict[str, str]:
    """Hex SHA-256 of every file below the configuration directory, by relative path, and of the parts of files that are
    one YAML mapping, by ``file: field``; empty when there is none. What is YAML counts by what it says: order of keys,
    comments and spelling are no change.
    """
    files = sorted(path for path in directory.rglob("*") if path.is_file() and not _is_temporary(path))
    return {
        name: digest
        for path in files
        for name, digest in _digests(path.relative_to(directory).as_posix(), path.read_bytes())
    }


def differing_paths(current: Mapping[str, str], recorded: Mapping[str, str]) -> tuple[str, ...]:
    """Files that were added, removed or changed, in order; of a changed file the parts that differ, where they are
    known on both sides.
    """
    files = sorted({name for name in (*current, *recorded) if _PART not in name})
    return tuple(
        path
        for file in files
        if current.get(file) != recorded.get(file)
        for path in _differing_parts(file, current, recorded)
    )


def same_content(path: str, before: str, after: str) -> bool:
    """Whether two texts of a file say the same."""
    return dict(_digests(path, before.encode())) == dict(_digests(path, after.encode()))


def _differing_parts(file: str, current: Mapping[str, str], recorded: Mapping[str, str]) -> list[str]:
    old, new = (
        {name: digest for name, digest in side.items() if name.startswith(file + _PART)} for side in (recorded, current)
    )
    parts = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return parts if old and new and parts else [file]


def _digests(file: str, content: bytes) -> Iterator[tuple[str, str]]:
    documents = _documents(content) if file.endswith(_PARSED) else None
    if documents is None:
        yield file, hashlib.sha256(content).hexdigest()
        return
    yield file, _digest(documents)
    if len(documents) == 1 and isinstance(documents[0], dict):
        for path, value in _parts(documents[0], "", _DEPTH):
            yield f"{file}{_PART}{path}", _digest(value)


def _documents(content: bytes) -> list[Any] | None:
    """What the YAML text says; None when it is none."""
    yaml = libraries.yaml
    try:
        documents = list(yaml.load_all(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        _digest(documents)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, AttributeError):
        return None
    return documents


def _parts(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    if depth and value and isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for key, inner in value.items():
            yield from _parts(inner, join(path, key), depth - 1)
    elif depth and value and isinstance(value, list) and all(isinstance(inner, dict) for inner in value):
        for index, inner in enumerate(value):
            yield from _parts(inner, join(path, index), max(0, depth - 2))
    else:
        yield path, value


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def base_image_changed(base: Mapping[str, Any], *, compared_later: bool = False) -> bool:
    """Whether the base image file that was recorded (``path size mtime_ns sha256``) holds something else now; one that
    is gone is not needed any more.

    Another time alone is no change: each job of a controller has a copy of its own. The file is read then, and compared
    with the recorded digest, unless it is ``compared_later``: the image is built again and compared with the first one.
    """
    path = Path(str(base.get("path") or ""))
    try:
        status = path.stat()
    except OSError:
        return False
    size, modified = base.get("size"), base.get("mtime_ns")
    if size is None or modified is None:
        return False
    if status.st_size != size:
        return True
    if status.st_mtime_ns == modified or compared_later:
        return False
    recorded = str(base.get("sha256") or "")
    return not recorded or sha256_of(path) != recorded


def _is_temporary(path: Path) -> bool:
    # What an interrupted atomic write leaves is no input.
    return path.name.startswith(".") and path.name.endswith(".part")
