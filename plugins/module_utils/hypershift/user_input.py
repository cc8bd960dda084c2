# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the options that the user set, and convert them to upstream's spelling.

An option that is not set is not managed: the object keeps its value, including the server's default. An option that is
set to an empty value clears the field.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ..common.problems import Problem

Object = dict[str, Any]

# Options in which a null deletes the key.
_VERBATIM = frozenset({"labels", "annotations", "configuration", "operator_configuration"})
# Names whose capitals upstream writes differently from the mechanical rule.
_UPSTREAM = {
    "issuer_url": "issuerURL",
    "infra_id": "infraID",
    "cluster_id": "clusterID",
    "kube_api_server_dns_name": "kubeAPIServerDNSName",
    "allowed_cidr_blocks": "allowedCIDRBlocks",
    "allocate_node_cidrs": "allocateNodeCIDRs",
    "restore_snapshot_url": "restoreSnapshotURL",
}


def provided(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those that are not given.

    A mapping with nothing in it stays, as something that is given empty.
    """
    return {
        name: value if name in _VERBATIM else _provided(value) for name, value in options.items() if value is not None
    }


def _provided(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _provided(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [_provided(each) for each in value]
    return value


def upstream_name(option: str) -> str:
    """``network_type`` -> ``networkType``."""
    return _UPSTREAM.get(option) or re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), option)


def in_upstream_words(value: Any, verbatim: Collection[str] = ()) -> Any:
    """Options as fields; what is under an option of ``verbatim`` is upstream's own document already."""
    if isinstance(value, Mapping):
        return {
            upstream_name(key): inner if key in verbatim else in_upstream_words(inner, verbatim)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [in_upstream_words(each, verbatim) for each in value]
    return value


def cleared(value: Any) -> Any:
    """None, which deletes the field, for what was given empty."""
    return None if value in ("", [], {}) else value


def texts(mapping: Mapping[str, Any]) -> dict[str, str]:
    """Labels and their like hold text, also where YAML reads a number or a boolean."""
    return {str(key): as_text(value) for key, value in mapping.items()}


def marks(options: Mapping[str, Any]) -> Object:
    """Labels and annotations of the object itself; a None deletes one."""
    return {
        part: {str(key): None if value is None else as_text(value) for key, value in options[part].items()}
        for part in ("labels", "annotations")
        if options.get(part)
    }


def as_text(value: Any) -> str:
    """The text of a label value: YAML's booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def problem(check: str, path: str, kind: str, detail: str, value: Any = "", hint: str = "") -> Problem:
    """A finding of one of our rules."""
    return Problem(path, kind, detail, layer="ours", check=check, value="" if value is None else str(value), hint=hint)
