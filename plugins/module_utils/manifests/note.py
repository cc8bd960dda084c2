# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What we wrote into a directory of manifests, noted with digests: a file that a person has edited since, or put there
first, is recognised by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePath

from ..common import json_text

NOTE = ".zerotouch-manifests.json"


def read_note(directory: Path) -> dict[str, str]:
    """Relative path -> digest; empty without a note, or where it is none of ours.

    Raises OSError where it cannot be read.
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
    """What a note says of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
