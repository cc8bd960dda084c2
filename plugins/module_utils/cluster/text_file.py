# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a user's file as text. If the file cannot be read, record a problem instead of raising an exception."""

from __future__ import annotations

import codecs
import stat
from pathlib import Path

from ..common.problems import INVALID, SYNTAX, Problem

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_missing(file: Path) -> bool:
    """Whether the file does not exist. :func:`read_text` reports a file that exists and cannot be read."""
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def read_text(file: Path, problems: list[Problem]) -> str | None:
    """The text with its line ends as they are, or None and one more problem. YAML is UTF-8, or UTF-16 with its mark."""
    try:
        mode = file.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            problems.append(Problem("", INVALID, "cannot be read: it is no file", file=str(file)))
            return None
        content = file.read_bytes()
        return content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8")
    except OSError as error:
        problems.append(Problem("", INVALID, f"cannot be read: {error.strerror}", file=str(file)))
    except UnicodeDecodeError:
        problems.append(Problem("", SYNTAX, "this is not UTF-8 text", file=str(file)))
    return None
