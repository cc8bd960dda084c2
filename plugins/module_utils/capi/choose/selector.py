# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse, validate and evaluate Kubernetes label selectors (meta/v1 LabelSelector).

All requirements of a selector must be met. ``NotIn`` and ``DoesNotExist`` also match where the label is absent. A
selector without requirements matches everything. A missing selector also matches everything: that is the rule of the
agent provider; elsewhere in Kubernetes it matches nothing.

Source: openshift/cluster-api-provider-agent api/v1beta1.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...common.errors import InvalidInput
from ...common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, OwnCheck, Problem, nearest

_problem = OwnCheck("selector")

IN, NOT_IN, EXISTS, ABSENT = "In", "NotIn", "Exists", "DoesNotExist"
OPERATORS = (IN, NOT_IN, EXISTS, ABSENT)

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


@dataclasses.dataclass(frozen=True, order=True)
class Requirement:
    """One condition on one label. ``values`` are sorted, and empty for the operators that take none."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        if self.operator == IN:
            return self.key in labels and labels[self.key] in self.values
        if self.operator == NOT_IN:
            return self.key not in labels or labels[self.key] not in self.values
        return (self.key in labels) == (self.operator == EXISTS)

    def text(self) -> str:
        """As kubectl writes it."""
        if self.operator == IN:
            return (
                f"{self.key}={self.values[0]}" if len(self.values) == 1 else f"{self.key} in ({','.join(self.values)})"
            )
        if self.operator == NOT_IN:
            return (
                f"{self.key}!={self.values[0]}"
                if len(self.values) == 1
                else f"{self.key} notin ({','.join(self.values)})"
            )
        return self.key if self.operator == EXISTS else f"!{self.key}"


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a selector holds for these labels. Raises :class:`InvalidInput` for one that is none."""
    return all(requirement.holds(labels) for requirement in read_selector(selector))


def read_selector(selector: Mapping[str, Any] | None, path: str = "selector") -> tuple[Requirement, ...]:
    """The requirements, sorted and each once, so that selectors which mean the same are mostly equal.

    Raises :class:`InvalidInput` with all that is wrong; ``path`` is how the messages name the selector.
    """
    if selector is None:
        return ()
    problems = list(_problems(selector, path))
    if problems:
        raise InvalidInput(problems)
    found = [Requirement(key, IN, (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    for item in selector.get("matchExpressions") or ():
        found.append(Requirement(item["key"], item["operator"], tuple(sorted(set(item.get("values") or ())))))
    return tuple(sorted(set(found)))


def selector_text(requirements: tuple[Requirement, ...]) -> str:
    """The selector in one line, as kubectl writes it."""
    return ",".join(requirement.text() for requirement in requirements)


def _problems(selector: Any, path: str) -> Iterator[Problem]:
    if not isinstance(selector, Mapping):
        yield _problem(path, INVALID, f"a label selector is a mapping, not {selector!r}")
        return
    for name in selector:
        if name not in ("matchLabels", "matchExpressions"):
            yield _problem(
                f"{path}.{name}",
                UNKNOWN_FIELD,
                "a label selector has matchLabels and matchExpressions",
                hint=nearest(str(name), _FIELDS),
            )
    pairs, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    if pairs is not None and not isinstance(pairs, Mapping):
        yield _problem(f"{path}.matchLabels", INVALID, "must be a mapping of labels to values")
        pairs = None
    for key, value in (pairs or {}).items():
        yield from _key_problems(key, f"{path}.matchLabels")
        yield from _value_problems(value, f"{path}.matchLabels[{key}]")
    if expressions is not None and (isinstance(expressions, (str, Mapping)) or not hasattr(expressions, "__iter__")):
        yield _problem(f"{path}.matchExpressions", INVALID, "must be a list")
        expressions = None
    for index, item in enumerate(expressions or ()):
        yield from _expression_problems(item, f"{path}.matchExpressions[{index}]")


_FIELDS = ("matchLabels", "matchExpressions")
_PARTS = ("key", "operator", "values")


def _expression_problems(item: Any, path: str) -> Iterator[Problem]:
    if not isinstance(item, Mapping):
        yield _problem(path, INVALID, "must be a mapping with key, operator and values")
        return
    for name in item:
        if name not in _PARTS:
            yield _problem(
                f"{path}.{name}",
                UNKNOWN_FIELD,
                "a requirement has key, operator and values",
                hint=nearest(str(name), _PARTS),
            )
    yield from _key_problems(item.get("key"), f"{path}.key")
    operator, values = item.get("operator"), item.get("values")
    if operator not in OPERATORS:
        yield _problem(
            f"{path}.operator",
            UNSUPPORTED,
            f"must be one of {', '.join(OPERATORS)}, not {operator!r}",
            hint=nearest(str(operator), OPERATORS),
        )
    if values is not None and not isinstance(values, (list, tuple)):
        yield _problem(f"{path}.values", INVALID, "must be a list")
        return
    if operator in (IN, NOT_IN) and not values:
        yield _problem(f"{path}.values", REQUIRED, f"operator {operator} needs at least one value")
    if operator in (EXISTS, ABSENT) and values:
        yield _problem(f"{path}.values", INVALID, f"operator {operator} takes no values")
    for index, value in enumerate(values or ()):
        yield from _value_problems(value, f"{path}.values[{index}]")


def _key_problems(key: Any, path: str) -> Iterator[Problem]:
    prefix, slash, name = str(key).rpartition("/")
    if not isinstance(key, str) or not _NAME.fullmatch(name) or (slash and not _PREFIX.fullmatch(prefix)):
        detail = "is not a label key: at most 63 letters, digits, '-', '_' and '.', after an optional DNS name and '/'"
        yield _problem(path, INVALID, detail, value=repr(key))


def _value_problems(value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield _problem(path, INVALID, f"must be text, not {value!r}", hint="put it in quotes")
    elif value and not _NAME.fullmatch(value):
        detail = "is not a label value: at most 63 letters, digits, '-', '_' and '.', beginning and ending alphanumeric"
        yield _problem(path, INVALID, detail, value=repr(value))
