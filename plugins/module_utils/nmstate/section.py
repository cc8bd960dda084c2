# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reading a part of an nmstate document key by key, so that nothing in it goes unnoticed.

A :class:`Section` knows its path and collects problems. Keys that nobody asked for are reported by :meth:`Section.finish`: a property is read, refused or
named, never dropped. Values are accepted as nmstate accepts them: booleans and integers also as text, enumerations by name or number.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ..common.problems import IGNORED, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, Severity, nearest

_TRUE = ("1", "true", "yes", "on", "y")
_FALSE = ("0", "false", "no", "off", "n")
Layer = Literal["installer", "ours"]


class Findings:
    """The problems of one document, in reading order. Paths are relative to the document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, path: str, kind: str, detail: str, *, value: object = None, layer: Layer = "installer", severity: Severity = "error", hint: str = "") -> None:
        """``layer`` is ``ours`` where nmstatectl itself would accept the document."""
        shown = "" if value is None else f'"{value}"' if isinstance(value, str) else str(value)
        self.problems.append(Problem(path=path, kind=kind, detail=detail, severity=severity, layer=layer, value=shown, hint=hint))

    def errors_below(self, path: str) -> bool:
        """Whether there is an error in the part of the document at ``path``."""
        return any(problem.severity == "error" and problem.path.startswith((f"{path}.", f"{path}[")) for problem in self.problems)


class Section:
    """A mapping inside the document."""

    def __init__(self, data: Mapping[str, Any], path: str, findings: Findings) -> None:
        self.data = data
        self.path = path
        self.findings = findings
        self._read: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def problem(self, key: str, kind: str, detail: str, *, value: object = None, layer: Layer = "installer", hint: str = "") -> None:
        self.findings.add(self.at(key) if key else self.path, kind, detail, value=value, layer=layer, hint=hint)

    def has(self, key: str) -> bool:
        return key in self.data

    def value(self, *keys: str) -> Any:
        """The raw value under the first of ``keys`` that is present (the others are aliases); None when absent."""
        self._read.update(keys)
        return next((self.data[key] for key in keys if key in self.data), None)

    def text(self, *keys: str, required: bool = False) -> str | None:
        value = self.value(*keys)
        if isinstance(value, str):
            return value
        if value is not None:
            self.problem(keys[0], INVALID, f"must be text, got {_kind(value)}", value=str(value), hint="put it in quotes")
        elif required:
            self.problem(keys[0], REQUIRED, f"{keys[0]} is missing")
        return None

    def flag(self, *keys: str) -> bool | None:
        value = self.value(*keys)
        if isinstance(value, bool):
            return value
        lowered = str(value).lower()
        if lowered in _TRUE or lowered in _FALSE:
            return lowered in _TRUE
        if any(key in self.data for key in keys):
            self.problem(keys[0], INVALID, "must be true or false", value=str(value))
        return None

    def integer(self, key: str, low: int = 0, high: int = 0xFFFFFFFF, *, required: bool = False) -> int | None:
        value = self.value(key)
        number = _integer(value)
        if number is not None and low <= number <= high:
            return number
        if value is not None or key in self.data:
            self.problem(key, INVALID, f"must be a whole number from {low} to {high}", value=str(value))
        elif required:
            self.problem(key, REQUIRED, f"{key} is missing")
        return None

    def choice(self, key: str, names: Mapping[str, str], *, default: str | None = None) -> str | None:
        """A name out of ``names`` (accepted spelling → meaning)."""
        value = self.value(key)
        if value is None and key not in self.data:
            return default
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value) in names:
            return names[str(value)]
        wanted = ", ".join(f'"{name}"' for name in dict.fromkeys(names.values()))
        self.problem(key, UNSUPPORTED, f"supported values: {wanted}", value=str(value))
        return default

    def address(self, key: str, *, required: bool = False) -> str | None:
        """An IP address in canonical form."""
        text = self.text(key, required=required)
        if text is None:
            return None
        try:
            return str(ipaddress.ip_address(text))
        except ValueError:
            self.problem(key, INVALID, "is not an IP address", value=text)
            return None

    def texts(self, *keys: str) -> tuple[str, ...] | None:
        """A list of texts; None when absent."""
        value = self.value(*keys)
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.problem(keys[0], INVALID, f"must be a list, got {_kind(value)}")
            return None
        for index, item in enumerate(value):
            if not isinstance(item, str):
                self.problem(f"{keys[0]}[{index}]", INVALID, f"must be text, got {_kind(item)}", value=str(item), hint="put it in quotes")
        return tuple(item for item in value if isinstance(item, str))

    def section(self, *keys: str) -> Section | None:
        value = self.value(*keys)
        if value is None:
            return None
        if isinstance(value, Mapping):
            return Section(value, self.at(keys[0]), self.findings)
        self.problem(keys[0], INVALID, f"must be a mapping, got {_kind(value)}")
        return None

    def sections(self, key: str) -> Iterator[Section]:
        """The mappings of a list."""
        value = self.value(key)
        if value is None:
            return
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.problem(key, INVALID, f"must be a list, got {_kind(value)}")
            return
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield Section(item, f"{self.at(key)}[{index}]", self.findings)
            else:
                self.problem(f"{key}[{index}]", INVALID, f"must be a mapping, got {_kind(item)}")

    def skip(self, *keys: str) -> None:
        """Keys that nmstate only reports and does not apply."""
        self._read.update(keys)

    def refuse(self, keys: Iterable[str], detail: str = "this property of nmstate cannot be turned into keyfiles here") -> None:
        """Keys that nmstate knows and we do not render."""
        for key in keys:
            if self.value(key) is not None:
                self.problem(key, UNSUPPORTED, detail, layer="ours")

    def finish(self, known: Iterable[str] = ()) -> None:
        """Report every key that was not read."""
        for key in self.data:
            if key not in self._read:
                self.problem(str(key), UNKNOWN_FIELD, "nmstate has no such property here", hint=nearest(str(key), {*self._read, *known}))

    def ignored(self, key: str, detail: str) -> None:
        """A warning: nmstate accepts the value and does nothing with it."""
        self.findings.add(self.at(key), IGNORED, detail, severity="warning")


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            return int(value, 16) if value.startswith("0x") else int(value)
        except ValueError:
            return None
    return None


def _kind(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", dict: "a mapping", list: "a list", type(None): "nothing"}
    return names.get(type(value), type(value).__name__)
