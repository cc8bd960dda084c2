# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate the argument specification and documentation of host options from the table of fields.

Only fields whose value is copied unchanged are generated. The modules agents, bare_metal_hosts and assisted_hosts have
these options.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .field_row import HostRow
from .shapes import ListOf, Scalar, Shape

_TYPES = {"string": "str", "integer": "int", "boolean": "bool"}


def option_specs(rows: Iterable[HostRow]) -> dict[str, dict[str, Any]]:
    """Argument specification of the options."""
    return {row.option: _spec(row.shape) for row in rows}


def option_documentation(rows: Iterable[HostRow]) -> str:
    """The same for ``suboptions`` of a documentation fragment."""
    return "".join(_documented(row) for row in rows)


def _spec(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, ListOf):
        return {"type": "list", "elements": _spec(shape.element)["type"]}
    if isinstance(shape, Scalar):
        return {"type": _TYPES[shape.type], **({"choices": list(shape.choices)} if shape.choices else {})}
    return {"type": "dict"}


def _documented(row: HostRow) -> str:
    # JSON is YAML.
    facts = {"description": row.text, **_spec(row.shape)}
    return f"      {row.option}:\n" + "".join(f"        {key}: {json.dumps(value)}\n" for key, value in facts.items())
