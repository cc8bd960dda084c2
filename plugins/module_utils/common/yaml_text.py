# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write YAML as the installer's Go tools do, so that files compare equal to theirs and Go reads the same values.

Keys are in Go's order, list items are not indented below their key, and several lines are a literal block. A text that
a YAML 1.1 or Go parser would read as another type (``yes``, ``1e3``, ``0o7``, the empty string) is double-quoted; other
texts that cannot be plain are single-quoted.
"""

from __future__ import annotations

import decimal
import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import libraries

# Texts that Go's reader converts to another type and PyYAML's does not: y/n, floats without a dot, octal and binary
# integers in both spellings, times with a leading zero. Go removes underscores from everything that begins like
# a number.
_GO_NOT_TEXT = re.compile(
    r"^([yYnN]|[-+]?(\.?\d+|\d+\.\d*)([eE][-+]?\d+)?|[-+]?0[oO]?[0-7]+|[-+]?0b[01]+|[-+]?0x[0-9a-fA-F]+|[-+]?\d+(:[0-5]?\d)+(\.\d*)?)$"
)
_TAG_OF_PUNCTUATION = "tag:yaml.org,2002:yaml"
_ANY_WIDTH = 1 << 30
# Where upstream's tools fold lines.
GO_WIDTH = 80
_DIGITS = re.compile(r"[0-9]*")
# Of texts of a remote side: bytes (the largest are manifests, which the API limits to 3 MiB), and levels.
_LARGEST_REMOTE = 4 << 20
_DEEPEST_REMOTE = 60
# Numbers that Go writes without a dot, which PyYAML would take for text.
_GO_FLOAT = re.compile(r"[-+]?[0-9](\.[0-9]+)?e[-+][0-9]+$")
_INTEGERS = (-(1 << 63), (1 << 64) - 1)
_EXPONENT_FROM, _EXPONENT_BELOW = 6, -4
# Keys that sort by their characters: letters, and punctuation that comes before all letters in ASCII as in Go's order.
_PLAIN_ORDER = re.compile(r"[A-Za-z ./:-]*$")


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

    def represent_number(dumper: Any, value: float) -> Any:
        text = go_number(value)
        whole = text.lstrip("-").isdigit()
        return dumper.represent_scalar("tag:yaml.org,2002:" + ("int" if whole else "float"), text)

    def represent_mapping(dumper: Any, data: Mapping[str, Any]) -> Any:
        # A list of pairs is not sorted again.
        return dumper.represent_mapping(
            "tag:yaml.org,2002:map", in_go_order(data) if dumper.sort_keys else list(data.items())
        )

    Dumper.add_representer(dict, represent_mapping)
    Dumper.add_representer(str, represent_text)
    Dumper.add_representer(float, represent_number)
    Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _GO_FLOAT, list("-+0123456789"))
    Dumper.add_multi_representer(str, represent_text)
    Dumper.add_multi_representer(Mapping, represent_mapping)
    Dumper.add_representer(tuple, lambda dumper, data: dumper.represent_list(list(data)))
    return Dumper


def _not_text(resolvers: Mapping[str, Any], text: str) -> bool:
    if text == "":
        return True
    candidates = resolvers.get(text[0], []) + resolvers.get(None, [])  # type: ignore[call-overload]
    # A lone !, & or * is an ordinary value that needs quotes.
    return any(pattern.match(text) for tag, pattern in candidates if tag != _TAG_OF_PUNCTUATION) or bool(
        text[0] != "_" and _GO_NOT_TEXT.match(text.replace("_", ""))
    )


def go_number(value: float) -> str:
    """A number as upstream writes it: a whole one without a fraction (``1e3`` is 1000), others with an exponent from
    1e6 on (``1.23456785e+07``).
    """
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    if value.is_integer() and _INTEGERS[0] <= value <= _INTEGERS[1]:
        return str(int(value))
    sign, digits, _exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    exponent = decimal.Decimal(repr(value)).adjusted()
    if _EXPONENT_BELOW <= exponent < _EXPONENT_FROM:
        return format(decimal.Decimal(repr(value)), "f")
    first, *rest = map(str, digits)
    fraction = f".{''.join(rest)}" if rest else ""
    sign_text = "-" if sign else ""
    return f"{sign_text}{first}{fraction}e{exponent:+03d}"


def in_go_order(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """The items by key as Go's YAML sorts them: numbers inside a text by their value (``port2`` before ``port10``),
    letters after everything else.
    """
    items = list(mapping.items())
    if all(isinstance(key, str) for key, _value in items):
        if all(_PLAIN_ORDER.match(key) for key, _value in items):
            return sorted(items)  # the keys differ, so values are never compared
        order = functools.cmp_to_key(_compare)
        return sorted(items, key=lambda item: order(item[0]))
    try:
        return sorted(items, key=lambda item: item[0])
    except TypeError:  # keys of several types
        return items


def _compare(one: str, other: str) -> int:
    """Negative where ``one`` comes first."""
    start = next((index for index, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), None)
    if start is None:
        return len(one) - len(other)
    left, right = one[start], other[start]
    if left.isalpha() and right.isalpha():
        return ord(left) - ord(right)
    if left.isalpha() or right.isalpha():
        return 1 if left.isalpha() else -1
    begun = one[:start][len(one[:start].rstrip("0123456789")) :].strip("0")
    # Zeros at the front of a number do not count; zeros inside it do.
    lead = "1" if begun and "0" in (left, right) else ""
    numbers = [_DIGITS.match(text, start)[0] for text in (one, other)]  # type: ignore[index]
    values = [int(lead + digits or "0") if digits else int(lead or "0") for digits in numbers]
    if values[0] != values[1]:
        return values[0] - values[1]
    return len(numbers[0]) - len(numbers[1]) or ord(left) - ord(right)


class NotYaml(ValueError):
    """A text that PyYAML cannot make values of."""


def load(text: str | bytes) -> Any:
    """The one document of a text. Raises :class:`NotYaml`."""
    return _loaded(libraries.yaml.safe_load, text)


def load_all(text: str | bytes) -> list[Any]:
    """All its documents. Raises :class:`NotYaml`."""
    documents: list[Any] = _loaded(lambda provided: list(libraries.yaml.safe_load_all(provided)), text)
    return documents


def load_remote(text: str | bytes) -> Any:
    """The one document of a text of a remote side.

    Raises :class:`NotYaml`, also for what :func:`_check_remote` refuses.
    """
    _check_remote(text)
    value = load(text)
    _check_characters(value)
    return value


def load_all_remote(text: str | bytes) -> list[Any]:
    """All documents of a text of a remote side.

    Raises :class:`NotYaml`, also for what :func:`_check_remote` refuses.
    """
    _check_remote(text)
    values = load_all(text)
    _check_characters(values)
    return values


def _check_remote(text: str | bytes) -> None:
    """Refuse texts of which a small one becomes a large or deep value: aliases (a few of them expand to billions of
    nodes), nests, sheer size.

    Reads events only, which needs neither recursion nor memory.
    """
    yaml = libraries.yaml
    if len(text) > _LARGEST_REMOTE:
        largest_remote_mib = _LARGEST_REMOTE >> 20
        raise NotYaml(f"the text is larger than {largest_remote_mib} MiB")
    opening, closing = (yaml.MappingStartEvent, yaml.SequenceStartEvent), (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, opening) - isinstance(event, closing)
            if depth > _DEEPEST_REMOTE:
                raise NotYaml("the text is nested too deeply")
            if isinstance(event, yaml.AliasEvent):
                raise NotYaml("the text has aliases")
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise NotYaml(str(error)) from error


def _check_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False, default=str, skipkeys=True).encode()
    except (ValueError, RecursionError) as error:
        raise NotYaml(f"the text holds a value that no file can hold: {type(error).__name__}") from error


def _loaded(read: Callable[[str | bytes], Any], text: str | bytes) -> Any:
    """Besides its own errors PyYAML lets through what Python says of dates that are none, of numbers too long, tags
    that do not fit, nests too deep.
    """
    try:
        return read(text)
    except (
        libraries.yaml.YAMLError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise NotYaml(str(error)) from error


def dump(document: Any, *, sort_keys: bool = True, width: int = _ANY_WIDTH) -> str:
    """One document; keys in the order given if not sorted; lines folded beyond ``width``.

    Raises ValueError for a value that YAML cannot hold.
    """
    yaml = libraries.yaml
    try:
        text: str = yaml.dump(
            document, Dumper=_dumper(), sort_keys=sort_keys, default_flow_style=False, allow_unicode=True, width=width
        )
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    # PyYAML marks the end of a document whose top is a plain scalar, or that ends in a block with empty lines; no other
    # parser does. A text's own "..." is never a line of its own at the margin.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text


def dump_object(document: Any) -> str:
    """A Kubernetes object byte for byte as upstream's tools write it: keys sorted, long lines folded."""
    return dump(document, width=GO_WIDTH)


def dump_objects(documents: Iterable[Any]) -> str:
    """Several of them, each followed by a ``---`` line, as upstream's generator separates them."""
    return "".join(f"{dump_object(document)}---\n" for document in documents)
