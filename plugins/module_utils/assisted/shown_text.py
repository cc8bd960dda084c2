# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Prepare manifests and other YAML for a diff: without secrets, and without the contents of embedded files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..common import yaml_text
from ..common.secrets import HIDDEN, hide_secrets, secret_values

# Contents of a file within Ignition, which may contain anything.
_DATA_URL = re.compile(r"^data:[^,]*,.+", re.DOTALL)


def shown_yaml(text: str) -> str:
    """The documents of a YAML or JSON text with secrets hidden; only the size of a text that cannot be parsed, since
    its secrets are unknown.
    """
    documents = _documents(text)
    if not documents or not all(isinstance(document, (Mapping, list)) for document in documents):
        return size_of(text.encode()) if text else ""
    return "---\n".join(yaml_text.dump(hide_secrets(_hidden(document))) for document in documents)


def yaml_secrets(text: str) -> set[str]:
    """Values that no output of a manifest may contain: secret leaves, and all values of a Secret."""
    documents = _documents(text)
    held = {
        str(value)
        for each in documents
        if isinstance(each, Mapping) and each.get("kind") == "Secret"
        for value in _held(each)
    }
    return held | secret_values(documents)


def _held(secret: Mapping[str, Any]) -> Iterator[Any]:
    for part in ("data", "stringData"):
        if isinstance(secret.get(part), Mapping):
            yield from (value for value in secret[part].values() if isinstance(value, (str, int)))


def _documents(text: str) -> list[Any]:
    try:
        return yaml_text.load_all_remote(text)
    except yaml_text.NotYaml:
        return [None]


def size_of(content: bytes) -> str:
    """All that is shown of a secret."""
    return f"({len(content)} bytes)\n"


def _hidden(value: Any) -> Any:
    if isinstance(value, Mapping):
        secret = value.get("kind") == "Secret"
        return {
            key: _all_hidden(item) if secret and key in ("data", "stringData") else _hidden(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    if isinstance(value, str) and _DATA_URL.match(value):
        return f"data:,{HIDDEN} ({len(value)} characters)"
    return value


def _all_hidden(value: Any) -> Any:
    return dict.fromkeys(value, HIDDEN) if isinstance(value, Mapping) else HIDDEN
