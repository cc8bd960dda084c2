# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read values in cluster manifests as leniently as the program that registers a cluster in an agent ISO
(agentbasedinstaller, the "client"): keys match in any case, and null counts as absent.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go, cmd/agentbasedinstaller/import.go,
  cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Object = Mapping[str, Any]


def at(document: Any, *path: str) -> Any:
    """The value under a path of keys, each in any case; None if a key is missing.

    A key in the exact case has precedence over the same key in another case.
    """
    value = document
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = (
            value[key]
            if key in value
            else next((found for name, found in value.items() if str(name).lower() == key.lower()), None)
        )
    return value


def text_at(document: Any, *path: str) -> str:
    value = at(document, *path)
    return "" if value is None or isinstance(value, (Mapping, list)) else str(value)


def list_at(document: Any, *path: str) -> list[Any]:
    value = at(document, *path)
    return list(value) if isinstance(value, list) else []


def number_at(document: Any, *path: str) -> int:
    value = at(document, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
