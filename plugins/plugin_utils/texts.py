# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse variables that hold a structure as text: surveys of a controller and ``-e name=value`` have no mappings and no
lists.

Messages name line and column, and never repeat the text: it may hold passwords and a pull secret.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..module_utils.cluster.located import load_all
from ..module_utils.cluster.tree import plain
from ..module_utils.common.problems import INVALID, SYNTAX, Problem
from .problems import problem as _problem

# How a list of YAML or JSON begins; a list of words has commas or lines.
_LIST_BEGINS = ("[", "- ")


def is_structure(value: Any, kinds: type | Sequence[type]) -> bool:
    """Whether a value of a variable with these types is a text that has to be parsed.

    A variable that takes words keeps them.
    """
    known = {kinds} if isinstance(kinds, type) else set(kinds)
    if not isinstance(value, str) or not known & {dict, list}:
        return False
    return str not in known or value.lstrip().startswith(_LIST_BEGINS)


def read_structure(path: str, text: str) -> tuple[Any, list[Problem]]:
    """The mapping or list in a text of YAML or JSON, None if the text is empty, the text itself if it holds neither;
    and what is wrong with it.

    Never raises.
    """
    if not text.strip():
        return None, []
    value = _json(text)
    if value is None:
        items, found = load_all(text, "", most=1)
        if found:
            # Without the path below the variable, which is content.
            return None, [_problem(path, SYNTAX, problem.detail) for problem in found]
        value = plain(items[0])
    if not isinstance(value, (dict, list)):
        return (text if value is not None else None), []
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None, [_problem(path, INVALID, "holds a value that no file can hold")]
    return value, []


def _json(text: str) -> Any:
    """The mapping or list of a JSON text, None if it is none.

    YAML reads other JSON too, but refuses tabs between its values.
    """
    try:
        return (
            json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse) if text.lstrip()[:1] in "{[" else None
        )
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key appears twice")
    return dict(pairs)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")
