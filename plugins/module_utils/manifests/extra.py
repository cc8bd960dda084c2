# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Extra manifests: the files of ``openshift/``, one document a file, as the service takes them (reference agent-based-installer.md 4)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from ..cluster.located import load_all
from ..cluster.spec import ExtraManifest
from ..cluster.tree import plain
from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, Problem, errors
from ..common.yaml_text import dump_object

SUFFIXES = (".yaml", ".yml")


def split_manifests(manifests: Iterable[ExtraManifest]) -> dict[str, str]:
    """Name -> text: every document of every file as ``<base>-<n><suffix>``, keys sorted; empty documents do not count.

    Raises :class:`InvalidInput` with every text that is not YAML and every two documents that would get one name.
    """
    files: dict[str, str] = {}
    problems: list[Problem] = []
    for manifest in sorted(manifests, key=lambda manifest: manifest.name):
        base, suffix = posixpath.splitext(posixpath.basename(manifest.name))
        if suffix not in SUFFIXES:
            continue
        where = f"openshift/{manifest.name}"
        items, found = load_all(manifest.text, where)
        problems += errors(found)
        documents = [plain(item) for item in items if item.value is not None]
        for index, document in enumerate(documents):
            name = f"{base}-{index}{suffix}"
            if name in files:
                problems.append(Problem("", DUPLICATE, f"two documents would be written to {name}", file=where, check="extra-manifest-name", layer="ours"))
            files[name] = dump_object(document)
    if problems:
        raise InvalidInput(problems)
    return files
