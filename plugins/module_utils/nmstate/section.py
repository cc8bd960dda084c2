# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read one mapping of an nmstate document key by key, so that every key is either read or reported.

A :class:`Section` has the path of the mapping and collects problems. :meth:`Section.finish` reports all keys that were
not read. Values are accepted as in nmstate 2.2 (its serde attributes). Most booleans and numbers may also be text; for
these an explicit null is an error. The others (``plain``) must have their own type, and null means "not set".
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ..common.problems import IGNORED, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, Severity, nearest
from ..common.yaml_text import go_number

_TRUE = ("1", "true", "yes", "on", "y")
_FALSE = ("0", "false", "no", "off", "n")
# Python refuses to read numbers of thousands of digits, and nothing here comes near to them.
_NUMBER = re.compile(r"[-+]?[0-9]{1,1000}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
# Control characters, and halves of characters, which no file can hold.
_NO_LINE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
Layer = Literal["installer", "ours"]


class Findings:
    """The problems of one document, in reading order. Paths are relative to the document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(
        self,
        path: str,
        kind: str,
        detail: str,
        *,
        value: object = None,
        layer: Layer = "installer",
        severity: Severity = "error",
        hint: str = "",
    ) -> None:
        """``layer`` is ``ours`` where nmstatectl itself would accept the document."""
        text = f'"{value}"' if isinstance(value, str) else str(value)
        shown = "" if value is None else text
        self.problems.append(
            Problem(path=path, kind=kind, detail=detail, severity=severity, layer=layer, value=shown, hint=hint)
        )

    def ignored(self, path: str, detail: str) -> None:
        """A warning: nmstate accepts the value and does nothing with it."""
        self.add(path, IGNORED, detail, severity="warning")

    def errors_below(self, path: str) -> bool:
        """Whether nmstate cannot read the part of the document at ``path``.

        What we refuse beyond it has been read all the same.
        """
        found = (problem for problem in self.problems if problem.severity == "error" and problem.layer == "installer")
        return any(problem.path.startswith((f"{path}.", f"{path}[")) for problem in found)


class Section:
    """A mapping inside the document.

    ``scalars``: a number or a boolean is taken for the text it is written as; nmstate does so outside of interfaces.
    """

    def __init__(self, data: Mapping[str, Any], path: str, findings: Findings, *, scalars: bool = False) -> None:
        self.data = data
        self.path = path
        self.findings = findings
        self.scalars = scalars
        self._read: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def problem(
        self, key: str, kind: str, detail: str, *, value: object = None, layer: Layer = "installer", hint: str = ""
    ) -> None:
        self.findings.add(self.at(key) if key else self.path, kind, detail, value=value, layer=layer, hint=hint)

    def has(self, key: str) -> bool:
        return key in self.data

    def value(self, *keys: str) -> Any:
        """The raw value under the first of ``keys`` that is present (the others are aliases); None when absent."""
        for key in keys:
            self._read.add(key)
        for key in keys:
            if key in self.data:
                return self.data[key]
        return None

    def _absent(self, keys: Iterable[str]) -> bool:
        return not any(key in self.data for key in keys)

    def text(self, *keys: str, required: bool = False, nullable: bool = True) -> str | None:
        value = self.value(*keys)
        if value is None and not required and nullable:
            return None
        value = self._as_text(value)
        if isinstance(value, str):
            return value if self.one_line(keys[0], value) else None
        if value is not None or (not nullable and not self._absent(keys)):
            self.problem(
                keys[0],
                INVALID,
                f"must be text, got {_kind(value)}",
                value="" if value is None else str(value),
                hint="put it in quotes",
            )
        elif required:
            self.problem(keys[0], REQUIRED, f"{keys[0]} is missing")
        return None

    def one_line(self, key: str, text: str) -> bool:
        """Whether a keyfile can hold the text; it is a problem where it cannot."""
        if _NO_LINE.search(text):
            self.problem(key, INVALID, "holds a character that a line of a keyfile cannot hold", layer="ours")
            return False
        return True

    def name(self, key: str, *, required: bool = True, layer: Layer = "ours") -> str | None:
        """A text that is not empty; None where it is, or missing."""
        text = self.text(key, required=required)
        if text == "":
            self.problem(key, INVALID, "is empty", layer=layer)
        return text or None

    def _as_text(self, value: Any) -> Any:
        if self.scalars and isinstance(value, float):
            return go_number(value)
        if self.scalars and isinstance(value, (bool, int)):
            return str(value).lower()
        return value

    def flag(self, *keys: str, plain: bool = False) -> bool | None:
        value = self.value(*keys)
        if isinstance(value, bool) or (value is None and (plain or self._absent(keys))):
            return value
        lowered = str(value).lower()
        if not plain and lowered in (*_TRUE, *_FALSE):
            return lowered in _TRUE
        if not self._absent(keys):
            self.problem(
                keys[0],
                INVALID,
                "must be true or false" + (", not text or a number" if plain else ""),
                value=str(value),
            )
        return None

    def integer(
        self,
        key: str,
        low: int = 0,
        high: int = 0xFFFFFFFF,
        *,
        required: bool = False,
        plain: bool = False,
        ours: tuple[int, int] | None = None,
    ) -> int | None:
        """A whole number that nmstate accepts (``low`` to ``high``); beyond ``ours`` it would write what NetworkManager
        cannot use.
        """
        value = self.value(key)
        if value is None and not required and (plain or key not in self.data):
            return None
        number = _plain_integer(value) if plain else _integer(value, signed=low < 0)
        if number is not None and low <= number <= high:
            if ours and not ours[0] <= number <= ours[1]:
                self.problem(
                    key,
                    INVALID,
                    f"must be a whole number from {ours[0]} to {ours[1]} for NetworkManager",
                    value=str(value),
                    layer="ours",
                )
            return number
        if value is not None or (key in self.data and not plain):
            self.problem(key, INVALID, f"must be a whole number from {low} to {high}", value=str(value))
        elif required:
            self.problem(key, REQUIRED, f"{key} is missing")
        return None

    def choice(
        self, key: str, names: Mapping[str, str], *, default: str | None = None, plain: bool = False
    ) -> str | None:
        """A name out of ``names`` (accepted spelling → meaning)."""
        value = self.value(key)
        if value is None and (plain or key not in self.data):
            return default
        accepted = (str,) if plain else (str, int)
        if isinstance(value, accepted) and not isinstance(value, bool) and str(value) in names:
            return names[str(value)]
        wanted = ", ".join(f'"{name}"' for name in dict.fromkeys(names.values()))
        self.problem(key, UNSUPPORTED, f"supported values: {wanted}", value=str(value))
        return default

    def address(self, key: str, *, required: bool = False) -> str | None:
        """An IP address in canonical form."""
        text = self.text(key, required=required)
        if text is None:
            return None
        address = canonical_ip(text)
        if not address:
            self.problem(key, INVALID, "is not an IP address", value=text)
        return address or None

    def texts(self, *keys: str, nulls: bool = True) -> tuple[str, ...] | None:
        """A list of texts; None when absent.

        ``nulls``: where nmstate takes a null for the text it is written as, it accepts that text.
        """
        value = self.value(*keys)
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.problem(keys[0], INVALID, f"must be a list, got {_kind(value)}")
            return None
        items = [self._as_text(item) for item in value]
        for index, item in enumerate(items):
            if not isinstance(item, str):
                layer: Layer = "ours" if self.scalars and item is None and nulls else "installer"
                self.problem(
                    f"{keys[0]}[{index}]",
                    INVALID,
                    f"must be text, got {_kind(item)}",
                    value=str(item),
                    layer=layer,
                    hint="put it in quotes",
                )
        return tuple(
            item
            for index, item in enumerate(items)
            if isinstance(item, str) and self.one_line(f"{keys[0]}[{index}]", item)
        )

    def section(self, *keys: str, scalars: bool = False, nullable: bool = True) -> Section | None:
        value = self.value(*keys)
        if value is None and (nullable or keys[0] not in self.data):
            return None
        if isinstance(value, Mapping):
            return Section(value, self.at(keys[0]), self.findings, scalars=self.scalars or scalars)
        self.problem(keys[0], INVALID, f"must be a mapping, got {_kind(value)}")
        return None

    def sections(self, *keys: str) -> Iterator[Section]:
        """The mappings of a list."""
        key = keys[0]
        value = self.value(*keys)
        if value is None:
            return
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.problem(key, INVALID, f"must be a list, got {_kind(value)}")
            return
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield Section(item, f"{self.at(key)}[{index}]", self.findings, scalars=self.scalars)
            else:
                self.problem(f"{key}[{index}]", INVALID, f"must be a mapping, got {_kind(item)}")

    def skip(self, *keys: str) -> None:
        """Keys that nmstate only reports and does not apply."""
        self._read.update(keys)

    def unwritten(self, *keys: str, detail: str = "nmstate writes it to no keyfile") -> None:
        """Keys that nmstate accepts and writes nowhere: read them before, for their form; a warning says that they have
        no effect.
        """
        for key in keys:
            if self.value(key) is not None:
                self.ignored(key, detail)

    def finish(self, known: Iterable[str] = (), *, layer: Layer = "installer") -> None:
        """Report every key that was not read; ``layer`` is ``ours`` where nmstate drops such keys without a word."""
        for key in self.data:
            if key not in self._read:
                self.problem(
                    str(key),
                    UNKNOWN_FIELD,
                    "nmstate has no such property here",
                    hint=nearest(str(key), {*self._read, *known} - {key}),
                    layer=layer,
                )

    def ignored(self, key: str, detail: str) -> None:
        """A warning: nmstate accepts the value and does nothing with it."""
        self.findings.ignored(self.at(key), detail)


def canonical_ip(text: str) -> str:
    """An address in nmstate's spelling; empty where it is none.

    Zones are refused, IPv4-mapped addresses keep their dotted tail.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id:
            return ""
        if address.ipv4_mapped:
            return f"::ffff:{address.ipv4_mapped}"
    return str(address)


def _plain_integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _integer(value: object, *, signed: bool) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        if _NUMBER.fullmatch(value):
            return int(value)
        if not signed and _HEXADECIMAL.fullmatch(value):
            return int(value, 16)
    return None


def _kind(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "text",
        dict: "a mapping",
        list: "a list",
        type(None): "nothing",
    }
    return names.get(type(value), type(value).__name__)
