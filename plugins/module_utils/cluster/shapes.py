# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define shapes, which describe the allowed keys and value types of a document, and check documents against them.

The same shapes are used to check names and types, to suggest the nearest name for a wrong one, and to generate the
published JSON schema.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Mapping
from typing import Any, Literal, Union

from ..common.problems import DUPLICATE, INVALID, UNKNOWN_FIELD, Layer, Problem, nearest_of
from ..common.secrets import HIDDEN, is_secret_key
from .rules.checks import own
from .tree import Item
from .upstream.texts import parse_cidr

ScalarType = Literal["string", "integer", "boolean"]


@dataclasses.dataclass(frozen=True)
class Scalar:
    """One value. ``choices`` only serve the schema and hints: whether a value is allowed is for the rules to say.

    ``cidr``: a network; the installer cannot even read another text. ``exact``: a text that the installer does not make
    of a number. ``bits``: of a number.
    """

    type: ScalarType
    choices: tuple[str, ...] = ()
    hint: str = ""
    cidr: bool = False
    exact: bool = False
    bits: int = 64


@dataclasses.dataclass(frozen=True)
class ListOf:
    """A list, each element of one shape."""

    element: Shape


@dataclasses.dataclass(frozen=True)
class Opaque:
    """A mapping that is passed on verbatim."""


@dataclasses.dataclass(frozen=True)
class AnyOf:
    """One of several shapes, which their outer type identifies."""

    shapes: tuple[Shape, ...]


@dataclasses.dataclass(frozen=True)
class Field:
    """A key of a record. ``was`` are names that users may know from elsewhere; hints lead from them to this one."""

    shape: Shape
    description: str = ""
    required: bool = False
    was: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Record:
    """A mapping with known keys."""

    fields: Mapping[str, Field]


# Union: core's pylint takes the classes for values where | joins them.
Shape = Union[Scalar, ListOf, Opaque, AnyOf, Record]

STRING = Scalar("string")
INTEGER = Scalar("integer")
INT32 = Scalar("integer", bits=32)
BOOLEAN = Scalar("boolean")
STRINGS = ListOf(STRING)
OPAQUE = Opaque()

_EXPONENT = 1e21
_WORDS = re.compile(r"[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")


@functools.lru_cache(maxsize=1024)
def snake_case(name: str) -> str:
    """Upstream's name as ours: ``apiVIPs`` -> ``api_vips``, ``additionalNTPSources`` -> ``additional_ntp_sources``."""
    return "_".join(word.lower() for word in _WORDS.findall(name))


def record(fields: Mapping[str, Shape | Field]) -> Record:
    """A record from bare shapes and fields."""
    return Record({name: field if isinstance(field, Field) else Field(field) for name, field in fields.items()})


def in_snake_case(shape: Shape) -> Shape:
    """The same shape with our names for the keys."""
    if isinstance(shape, Record):
        return Record(
            {
                snake_case(name): dataclasses.replace(field, shape=in_snake_case(field.shape))
                for name, field in shape.fields.items()
            }
        )
    if isinstance(shape, ListOf):
        return ListOf(in_snake_case(shape.element))
    return shape


def in_upstream_case(item: Item, shape: Shape) -> Item:
    """An item of ``in_snake_case(shape)`` with upstream's keys again."""
    if isinstance(shape, Record) and item.is_mapping:
        names = {snake_case(name): name for name in shape.fields}
        value = {
            names[key]: in_upstream_case(child, shape.fields[names[key]].shape) for key, child in item.value.items()
        }
        return dataclasses.replace(item, value=value)
    if isinstance(shape, ListOf) and item.is_list:
        return dataclasses.replace(item, value=[in_upstream_case(child, shape.element) for child in item.value])
    return item


class Reader:
    """Checks items against shapes and collects every problem.

    ``any_case``: keys match without regard to case, as the installer reads its files. ``unknown`` is the layer of
    problems with unknown keys.

    Source: openshift/installer pkg/asset/store/store.go.
    """

    def __init__(self, *, any_case: bool = False, layer: Layer = "installer", unknown: Layer | None = None) -> None:
        self.any_case = any_case
        self.layer: Layer = layer
        self.unknown: Layer = unknown or layer
        self.problems: list[Problem] = []

    def read(self, item: Item, shape: Shape, name: str = "") -> Item | None:
        """The item with canonical keys and only values of the right type, or None where nothing usable is left.

        A lone value where a list belongs, or a number where a string belongs, is reported and then read as meant, so
        that what depends on it is not reported too. ``name`` is the key that holds the item.
        """
        if item.value is None:
            return None
        if isinstance(shape, AnyOf):
            return self.any_of(item, shape, name)
        if isinstance(shape, Record):
            return self.record(item, shape) if self.mapping(item, name) else None
        if isinstance(shape, ListOf):
            return self.list(item, shape, name)
        if isinstance(shape, Opaque):
            return _whole_numbers(item) if self.mapping(item, name) else None
        return self.scalar(item, shape, name)

    def mapping(self, item: Item, name: str) -> bool:
        if not item.is_mapping:
            self.mismatch(item, "a mapping", name)
        return item.is_mapping

    def record(self, item: Item, shape: Record) -> Item:
        known = {name.lower(): name for name in shape.fields} if self.any_case else {}
        result: dict[str, Item] = {}
        mistyped: dict[str, Item] = {}
        for key, child in item.value.items():
            name = key if key in shape.fields else known.get(key.lower(), "")
            if not name:
                meant = self.nearest_name(key, shape)
                self.problem(
                    child,
                    UNKNOWN_FIELD,
                    "there is no such field",
                    hint=f"did you mean {meant}?" if meant else "",
                    layer=self.unknown,
                )
                mistyped.setdefault(meant, child)
            elif name in result:
                # The installer takes the last one without a word.
                self.problem(
                    child,
                    DUPLICATE,
                    f"{key} and {result[name].path.rpartition('.')[2]} are the same field",
                    layer="ours",
                )
            else:
                read = self.read(child, shape.fields[name].shape, name)
                if read is not None:
                    result[name] = read
        # Where the installer reads on without it, its rules are about what is left.
        for name in mistyped.keys() & (shape.fields.keys() - item.value.keys()) if self.unknown == self.layer else ():
            self.as_meant(result, name, mistyped[name], shape)
        return dataclasses.replace(item, value=result)

    def as_meant(self, result: dict[str, Item], name: str, child: Item, shape: Record) -> None:
        """A mistyped name counts for the one that was meant, so that this one is not reported as missing too."""
        read = Reader(any_case=self.any_case).read(child, shape.fields[name].shape, name)
        if read is not None:
            result.setdefault(name, read)

    def nearest_name(self, key: str, shape: Record) -> str:
        for name, field in shape.fields.items():
            if key.lower() in (was.lower() for was in field.was):
                return name
        ours = any("_" in name for name in shape.fields)
        return nearest_of(snake_case(key) if ours else key, shape.fields)

    def list(self, item: Item, shape: ListOf, name: str) -> Item | None:
        if not item.is_list:
            self.mismatch(item, f"a list of {_plural(shape.element)}", name)
            if item.is_mapping != isinstance(shape.element, Record):
                return None
            read = Reader(any_case=self.any_case).read(item, shape.element, name)
            return None if read is None else dataclasses.replace(item, value=[read])
        elements = [self.read(_zero(element, shape.element), shape.element, name) for element in item.value]
        return dataclasses.replace(item, value=[element for element in elements if element is not None])

    def scalar(self, item: Item, shape: Scalar, name: str) -> Item | None:
        value = item.value
        wanted = {"string": "a string", "integer": "a whole number", "boolean": "true or false"}[shape.type]
        fits = {
            "string": isinstance(value, str),
            "integer": isinstance(value, int) and not isinstance(value, bool),
            "boolean": isinstance(value, bool),
        }[shape.type]
        if shape.type == "integer" and isinstance(value, float) and value.is_integer():
            return dataclasses.replace(item, value=int(value))
        if not fits:
            self.mismatch(
                item, wanted, name, shape.hint, readable=wanted == "a string" and not shape.exact and not shape.cidr
            )
            return _as_meant(item, shape.type)
        if shape.type == "integer" and not -(1 << shape.bits - 1) <= value < 1 << shape.bits - 1:
            self.problem(item, INVALID, f"a whole number of {shape.bits} bits is expected", value=str(value))
            return None
        if shape.cidr and parse_cidr(value) is None:
            self.problem(item, INVALID, f"invalid CIDR address: {value}", value=_shown(value))
        return item

    def any_of(self, item: Item, shape: AnyOf, name: str) -> Item | None:
        for candidate in shape.shapes:
            if _outer_fits(item, candidate):
                return self.read(item, candidate, name)
        self.mismatch(item, " or ".join(_words(candidate) for candidate in shape.shapes), name)
        return None

    def mismatch(self, item: Item, wanted: str, name: str, hint: str = "", *, readable: bool = False) -> None:
        """``readable``: the installer makes a string of numbers here."""
        value = ""
        if not (item.is_mapping or item.is_list):
            value = HIDDEN if is_secret_key(name) else _shown(item.value)
        detail = f"{wanted} is expected, not {_found(item)}"
        if readable and isinstance(item.value, (int, float, bool)):
            # The installer takes it, but not always as it is written: 010 is 8, 1.10 is 1.1, on is true.
            problem = own("text-expected", item.path, INVALID, detail, file=item.file, hint=hint)
            self.problems.append(dataclasses.replace(problem, line=item.line, value=value))
        else:
            self.problem(item, INVALID, detail, value=value, hint=hint)

    def problem(
        self, item: Item, kind: str, detail: str, *, value: str = "", hint: str = "", layer: Layer | None = None
    ) -> None:
        self.problems.append(
            Problem(
                item.path,
                kind,
                detail,
                layer=layer or self.layer,
                file=item.file,
                line=item.line,
                value=value,
                hint=hint,
            )
        )


def _zero(item: Item, shape: Shape) -> Item:
    """A null among the elements of a list is an empty one to the installer, or an empty text."""
    if item.value is not None or not (
        isinstance(shape, Record) or (isinstance(shape, Scalar) and shape.type == "string" and not shape.cidr)
    ):
        return item
    return dataclasses.replace(item, value={} if isinstance(shape, Record) else "")


def _whole_numbers(item: Item) -> Item:
    """The same with 1500.0 as 1500, everywhere in it: the installer makes JSON of the file first (sigs.k8s.io/yaml),
    which writes them alike.
    """
    value = item.value
    if item.is_mapping:
        return dataclasses.replace(item, value={key: _whole_numbers(child) for key, child in value.items()})
    if item.is_list:
        return dataclasses.replace(item, value=[_whole_numbers(child) for child in value])
    # From here on JSON has an exponent.
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXPONENT
    return dataclasses.replace(item, value=int(value)) if whole else item


def _as_meant(item: Item, wanted: ScalarType) -> Item | None:
    value = item.value
    if isinstance(value, (dict, list)):
        return None
    if wanted == "string":
        short = f"{value:g}" if isinstance(value, float) else ""
        text = short if short and float(short) == value else str(value)
        return dataclasses.replace(item, value=text.lower() if isinstance(value, bool) else text)
    if wanted == "integer" and isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value.strip()):
        return dataclasses.replace(item, value=int(value))
    if wanted == "boolean" and str(value).lower() in ("true", "yes", "on", "1", "false", "no", "off", "0"):
        return dataclasses.replace(item, value=str(value).lower() in ("true", "yes", "on", "1"))
    return None


def _outer_fits(item: Item, shape: Shape) -> bool:
    if isinstance(shape, (Record, Opaque)):
        return item.is_mapping
    if isinstance(shape, ListOf):
        return item.is_list
    return not item.is_mapping and not item.is_list


def _words(shape: Shape) -> str:
    if isinstance(shape, (Record, Opaque)):
        return "a mapping"
    if isinstance(shape, ListOf):
        return f"a list of {_plural(shape.element)}"
    return (
        {"string": "a string", "integer": "a whole number", "boolean": "true or false"}[shape.type]
        if isinstance(shape, Scalar)
        else "a value"
    )


def _plural(shape: Shape) -> str:
    if isinstance(shape, (Record, Opaque)):
        return "mappings"
    return (
        {"string": "strings", "integer": "whole numbers", "boolean": "true or false"}[shape.type]
        if isinstance(shape, Scalar)
        else "values"
    )


def _found(item: Item) -> str:
    if item.is_mapping:
        return "a mapping"
    if item.is_list:
        return "a list"
    if isinstance(item.value, bool):
        return "true or false"
    return "a number" if isinstance(item.value, (int, float)) else "a string"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else ""
