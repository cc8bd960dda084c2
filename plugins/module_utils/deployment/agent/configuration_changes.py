# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the files of a configuration directory with the desired files, and describe the changes: changed fields by
name, never a secret.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ...cluster.files import MANIFESTS_DIRECTORY, RELEASE_FILE
from ...cluster.located import load_all
from ...cluster.paths import AGENT_CONFIG, INSTALL_CONFIG
from ...cluster.tree import join, plain
from ...common import yaml_text
from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE
from ...common.listed import listed
from ...common.secrets import HIDDEN, Redactor, secret_data, secret_values
from ...manifests.names import CLUSTER_MANIFESTS, MIRROR
from .inputs import same_content

DIRECTORIES = (MANIFESTS_DIRECTORY, CLUSTER_MANIFESTS, MIRROR)
_SUFFIXES = (".yaml", ".yml", ".conf", ".crt")
_MOST_PATHS = 5


@dataclasses.dataclass(frozen=True)
class ConfigurationChange:
    """One file of the directory that differs from its desired content.

    ``path`` is relative; ``before`` and ``after`` are texts, None where there is no file.

    ``form_only``: both have the same content, in another order, spelling or with other comments.
    """

    path: str
    action: Literal["create", "change", "remove"]
    reason: str
    before: str | None
    after: str | None
    form_only: bool = False


def changes(dest: Path, files: Mapping[str, str]) -> Iterator[ConfigurationChange]:
    """What makes the directory hold these files (relative path -> text) and no other of a configuration."""
    for name, text in files.items():
        path = dest / name
        before = _read(path)
        if before is None:
            yield ConfigurationChange(name, "create", "there is no such file", None, text)
        elif before != text and same_content(name, before, text):
            yield ConfigurationChange(
                name, "change", "only its format changes, not its content", before, text, form_only=True
            )
        elif before != text:
            yield ConfigurationChange(name, "change", _differences(name, before, text), before, text)
        elif path.stat().st_mode & 0o777 != SECRET_FILE:
            permissions = path.stat().st_mode & 0o777
            yield ConfigurationChange(
                name, "change", f"mode is {permissions:04o}, not {SECRET_FILE:04o}", before, text, form_only=True
            )
    for name in _left(dest):
        if name not in files:
            what = "manifest" if name.startswith(f"{MANIFESTS_DIRECTORY}/") else "file"
            yield ConfigurationChange(
                name, "remove", f"the {what} is not part of the configuration any more", _read(dest / name), None
            )


def _left(dest: Path) -> list[str]:
    """What may be there of an earlier configuration, in either form."""
    inner = [
        path for directory in DIRECTORIES for path in sorted((dest / directory).glob("*")) if path.suffix in _SUFFIXES
    ]
    return [
        path.relative_to(dest).as_posix()
        for path in (dest / INSTALL_CONFIG, dest / AGENT_CONFIG, *inner)
        if path.is_file()
    ]


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ZeroTouchError(f"{path} cannot be read: {error.strerror}.") from error


def _differences(name: str, before: str, after: str) -> str:
    """Which fields differ, in words; values stay out, they may be secret."""
    if not name.startswith(f"{MANIFESTS_DIRECTORY}/"):
        old, new = (documents_of(text) for text in (before, after))
        paths = list(differing_paths(old[0], new[0])) if len(old) == len(new) == 1 else []
        if paths:
            return listed(paths, _MOST_PATHS)
    return "the content differs"


def differing_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Paths of the fields in which two documents differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from differing_paths(before.get(key), after.get(key), join(path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differing_paths(old, new, join(path, index))
    elif before != after:
        yield path


def documents_of(text: str) -> list[Any]:
    """The documents of a YAML text as plain data; none where it is not YAML."""
    items, _problems = load_all(text, "")
    return [plain(item) for item in items]


def shown(name: str, text: str | None) -> str:
    """The text for a diff: read, secrets hidden, written again, since a secret's form in a file may not be the secret
    itself.
    """
    if text is None:
        return ""
    documents = [_hidden(document) for document in documents_of(text)]
    if not documents:
        return f"{HIDDEN}\n"
    if name == RELEASE_FILE:
        return json.dumps(documents[0], indent=2) + "\n"
    return "---\n".join(yaml_text.dump(document, sort_keys=False) for document in documents)


def _hidden(document: Any) -> Any:
    redactor = Redactor(secret_values(document))
    redactor.add(secret_data(document))
    return redactor.data(document)
