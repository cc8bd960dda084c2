# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""YAML text as upstream's Go tools write it, so that files compare equal to theirs and read back as the same values there.

Keys sorted, list items not indented below their key, no line folding, several lines as a literal block. A text that a YAML 1.1 or Go reader would take
for something else (``yes``, ``1e3``, ``0o7``, the empty string) is double-quoted, one that merely cannot stand plain is single-quoted.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import libraries

# What Go's reader resolves and PyYAML's does not: y/n, floats without a dot, octal and binary integers in both spellings.
_GO_NOT_TEXT = re.compile(r"^([yYnN]|[-+]?(\.?\d[\d_]*|\d[\d_]*\.[\d_]*)([eE][-+]?\d+)?|[-+]?0[oO]?[0-7_]+|[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+)$")
_ANY_WIDTH = 1 << 30


@functools.cache
def _dumper() -> Any:
    yaml = libraries.yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """The fast emitter where libyaml is there, the same text without it."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    resolver = yaml.SafeLoader.yaml_implicit_resolvers

    def represent_text(dumper: Any, text: str) -> Any:
        style: str | None = None
        if "\n" in text:
            style = "|"
        elif _not_text(resolver, text):
            style = '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_mapping(dumper: Any, data: Mapping[str, Any]) -> Any:
        return dumper.represent_mapping("tag:yaml.org,2002:map", dict(data))

    Dumper.add_representer(str, represent_text)
    Dumper.add_multi_representer(str, represent_text)
    Dumper.add_multi_representer(Mapping, represent_mapping)
    Dumper.add_representer(tuple, lambda dumper, data: dumper.represent_list(list(data)))
    return Dumper


def _not_text(resolvers: Mapping[str, Any], text: str) -> bool:
    if text == "":
        return True
    candidates = resolvers.get(text[0], []) + resolvers.get(None, [])  # type: ignore[call-overload]
    return any(pattern.match(text) for _tag, pattern in candidates) or bool(_GO_NOT_TEXT.match(text))


def dump(document: Any, *, sort_keys: bool = True) -> str:
    """One document; keys in the order given if not sorted. Raises ValueError for a value that YAML cannot hold."""
    yaml = libraries.yaml
    try:
        text: str = yaml.dump(document, Dumper=_dumper(), sort_keys=sort_keys, default_flow_style=False, allow_unicode=True, width=_ANY_WIDTH)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    # PyYAML marks the end of a document whose top is a plain scalar; nobody else does.
    return text.removesuffix("...\n")


def dump_all(documents: Iterable[Any]) -> str:
    """Several documents, each followed by a ``---`` line, as upstream's generator separates them."""
    return "".join(f"{dump(document)}---\n" for document in documents)
