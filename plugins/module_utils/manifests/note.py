# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and write the note in a manifests directory: a file that lists the files of this collection with their digests.

With the note, a later run recognises files that a user edited or created, and does not overwrite them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePath

from ..common import json_text

NOTE = ".zerotouch-manifests.json"


def read_note(directory: Path) -> dict[str, str]:
    """Return the mapping of relative path to digest; empty if there is no note or its content is not valid.

    Raises OSError if the file cannot be read.
    """
    try:
        noted = json_text.parse((directory / NOTE).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    entries = noted.items() if isinstance(noted, dict) else ()
    return {
        path: str(value) for path, value in entries if not path.startswith("/") and ".." not in PurePath(path).parts
    }


def note_text(files: Mapping[str, str]) -> str:
    """The note about these files (relative path -> text)."""
    return json.dumps({path: digest(text) for path, text in sorted(files.items())}, indent=2) + "\n"


def digest(text: str) -> str:
    """The digest of a text, as the note contains it."""
    return hashlib.sha256(text.encode()).hexdigest()
