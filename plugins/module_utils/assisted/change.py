# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe changes of clusters, InfraEnvs and hosts of an assisted-service as plain data.

A :class:`ServiceChange` is one request: its object, the fields that differ, and the reason. Check mode prints it, and a
run sends it. The functions here compare fields and build these changes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..common import json_text
from ..common.secrets import HIDDEN, hide_secrets, is_secret_key
from ..common.terminal import shortened

# Compares one requested value with the value that the service returned.
Equal = Callable[[Any, Any], bool]
_LONGEST = 60


@dataclasses.dataclass(frozen=True)
class Difference:
    """One field that differs. ``before`` is None if the field has no value yet."""

    field: str
    before: Any
    after: Any

    def text(self) -> str:
        if is_secret_key(self.field):
            return f"{self.field}: {HIDDEN}"
        before, after = _short(self.before), _short(self.after)
        # What differs may be hidden, or beyond what is shown of it.
        return f"{self.field} differs" if before == after else f"{self.field}: {before} -> {after}"


@dataclasses.dataclass(frozen=True)
class ServiceChange:
    """One request. ``verb`` is create, update, delete or the service's word for an action; ``title`` names the object;
    ``body`` is what is sent.
    """

    verb: str
    title: str
    body: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    differences: Sequence[Difference] = ()
    reason: str = ""

    def text(self) -> str:
        """One line for people: ``update cluster edge: tags: none -> 'a'``."""
        why = "; ".join(difference.text() for difference in self.differences) if self.verb != "create" else ""
        return f"{self.verb} {self.title}" + (f": {why}" if why else "") + (f" ({self.reason})" if self.reason else "")

    def diff(self) -> dict[str, str]:
        """Ansible's diff of it, without secrets."""
        if self.differences:
            before = {item.field: item.before for item in self.differences if item.before is not None}
            after = {item.field: item.after for item in self.differences}
        else:
            before, after = (
                ({"exists": True}, {}) if self.verb == "delete" else ({}, dict(self.body) or {"action": self.verb})
            )
        return {
            "before_header": self.title,
            "after_header": self.title,
            "before": _shown(before),
            "after": _shown(after),
        }


def differing(
    requested: Mapping[str, Any], observed: Mapping[str, Any], equal: Mapping[str, Equal] | None = None
) -> list[Difference]:
    """The desired fields that the object does not have yet.

    Other fields belong to the service or to another client and stay as they are.
    """
    rules = equal or {}
    return [
        Difference(name, observed.get(name), value)
        for name, value in requested.items()
        if value is not None and not rules.get(name, same_value)(value, observed.get(name))
    ]


def same_value(wanted: Any, found: Any) -> bool:
    """Equal, or both empty: the service leaves out what is not set."""
    if isinstance(wanted, str) and isinstance(found, str):
        return wanted.strip() == found.strip()
    return bool(wanted == found) or (wanted in ("", [], {}, False) and found in ("", [], {}, None, False))


def same_list(wanted: Any, found: Any) -> bool:
    """Lists with commas, whatever the blanks around them."""
    return _parts(wanted) == _parts(found)


def same_json(wanted: Any, found: Any) -> bool:
    """JSON texts that say the same."""
    return bool(_decoded(wanted) == _decoded(found))


def _parts(value: Any) -> list[str]:
    return [part.strip() for part in str(value or "").split(",") if part.strip()]


def _decoded(value: Any) -> Any:
    if not isinstance(value, str):
        return value or None
    try:
        return json_text.parse_remote(value) or None if value.strip() else None
    except ValueError:
        return value


def _short(value: Any) -> str:
    if value in (None, "", [], {}):
        return "none"
    value = hide_secrets(value)
    text = repr(value) if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return shortened(text, _LONGEST)


def _shown(data: Mapping[str, Any]) -> str:
    return (
        json.dumps(hide_secrets(dict(data)), indent=2, sort_keys=True, ensure_ascii=False, default=str) + "\n"
        if data
        else ""
    )
