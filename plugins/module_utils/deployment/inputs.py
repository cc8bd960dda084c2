# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What an image was built from, and whether that is still what the configuration says (state section ``image``)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..common.files import sha256_of

BASE_IMAGE = "base image"


def input_digests(directory: Path) -> dict[str, str]:
    """Hex SHA-256 of every file below the configuration directory, by relative path; empty when there is none."""
    files = sorted(path for path in directory.rglob("*") if path.is_file() and not _is_temporary(path))
    return {path.relative_to(directory).as_posix(): sha256_of(path) for path in files}


def text_digests(files: Mapping[str, str]) -> dict[str, str]:
    """The same for files that are not written yet."""
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(files.items())}


def differing_paths(current: Mapping[str, str], recorded: Mapping[str, str]) -> tuple[str, ...]:
    """Paths that were added, removed or changed, in order."""
    return tuple(path for path in sorted({*current, *recorded}) if current.get(path) != recorded.get(path))


def base_image_changed(base: Mapping[str, Any]) -> bool:
    """Whether the base image file that was recorded (``path size mtime_ns``) holds something else now; one that is gone is not needed any more."""
    try:
        status = Path(str(base.get("path") or "")).stat()
    except OSError:
        return False
    recorded = (base.get("size"), base.get("mtime_ns"))
    return None not in recorded and (status.st_size, status.st_mtime_ns) != recorded


def _is_temporary(path: Path) -> bool:
    # What an interrupted atomic write leaves is no input.
    return path.name.startswith(".") and path.name.endswith(".part")
