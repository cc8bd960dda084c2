# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Represent parsed input as a tree of values, each with the position where the user wrote it.

Old layouts are upgraded, variables are converted to upstream's form, and overrides are merged. Through all these steps
the :class:`Item` of a value keeps the user's path, file and line, so that every later problem can name them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_HALF = re.compile(r"[\ud800-\udfff]")


@dataclasses.dataclass
class Item:
    """A value as the user wrote it.

    ``value`` is a scalar or None, a dict of Items or a list of Items; ``line`` counts from 1, 0 is unknown.
    """

    value: Any
    path: str
    file: str = ""
    line: int = 0

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def get(self, *keys: str) -> Item | None:
        """The item under these keys, or None when there is none or its value is null."""
        item: Item = self
        for key in keys:
            found = item.value.get(key) if isinstance(item.value, dict) else None
            if found is None or found.value is None:
                return None
            item = found
        return item

    def elements(self) -> list[Item]:
        """The items of a list; empty for anything else."""
        return self.value if isinstance(self.value, list) else []

    def mapping(self) -> dict[str, Item]:
        """The items of a mapping; empty for anything else. Changes reach the item."""
        return self.value if isinstance(self.value, dict) else {}


class Place(NamedTuple):
    """Where a value is in the user's input."""

    path: str
    file: str
    line: int


def join(path: str, key: str | int) -> str:
    """One step further down: ``a`` and ``b`` -> ``a.b``, ``a`` and 0 -> ``a[0]``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def wrap(data: Any, path: str, file: str = "", line: int = 0) -> Item:
    """Plain data (dicts, lists, scalars) as items."""
    if isinstance(data, Mapping):
        return Item(
            {str(key): wrap(value, join(path, str(key)), file, line) for key, value in data.items()}, path, file, line
        )
    if isinstance(data, (list, tuple)):
        return Item([wrap(value, join(path, index), file, line) for index, value in enumerate(data)], path, file, line)
    return Item(data, path, file, line)


def without_halves(data: Any, path: str, found: list[str]) -> Any:
    """Plain data with U+FFFD in place of halves of surrogate pairs, which no file can contain.

    ``found`` gets the paths of the texts, and of the mappings with such keys.
    """
    if isinstance(data, Mapping):
        names = {key: without_halves(str(key), path, found) for key in data}
        return {name: without_halves(data[key], join(path, name), found) for key, name in names.items()}
    if isinstance(data, (list, tuple)):
        return [without_halves(value, join(path, index), found) for index, value in enumerate(data)]
    if not isinstance(data, str) or not _HALF.search(data):
        return data
    found.append(path)
    return _HALF.sub("\ufffd", data)


def plain(item: Item) -> Any:
    """The data without places."""
    if isinstance(item.value, dict):
        return {key: plain(value) for key, value in item.value.items()}
    if isinstance(item.value, list):
        return [plain(value) for value in item.value]
    return item.value


def places(item: Item, path: str = "") -> Iterator[tuple[str, Place]]:
    """Every path of the document with the place of its value in the user's input; paths in document order."""
    found: list[tuple[str, Place]] = []

    # One list for all: generators inside generators would hand each value up through every level above it.
    def visit(item: Item, path: str) -> None:
        found.append((path, Place(item.path, item.file, item.line)))
        if isinstance(item.value, dict):
            for key, value in item.value.items():
                visit(value, f"{path}.{key}" if path else key)
        elif isinstance(item.value, list):
            for index, value in enumerate(item.value):
                visit(value, f"{path}[{index}]")

    visit(item, path)
    return iter(found)


def without_nulls(item: Item) -> Item:
    """Null means "not set" everywhere."""
    if item.is_mapping:
        return dataclasses.replace(
            item, value={key: without_nulls(child) for key, child in item.value.items() if child.value is not None}
        )
    if item.is_list:
        return dataclasses.replace(
            item, value=[without_nulls(child) for child in item.value if child.value is not None]
        )
    return item


def merge_patch(target: Item, patch: Item) -> Item:
    """RFC 7386: mappings merge, null removes, anything else replaces."""
    if not isinstance(patch.value, dict):
        return patch
    merged = dict(target.mapping())
    for key, value in patch.value.items():
        if value.value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key, Item({}, value.path, value.file, value.line)), value)
    return Item(merged, target.path, target.file, target.line)
