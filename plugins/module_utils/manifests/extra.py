# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Split the extra manifests (the files in ``openshift/``) into files with one document each, as the service needs them.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable

from ..cluster.located import load_all
from ..cluster.spec import ExtraManifest
from ..cluster.tree import plain
from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, Problem, errors
from ..common.yaml_text import dump_object

SUFFIXES = (".yaml", ".yml")
_PART = re.compile(r"(?P<base>.+)-(?P<number>0|[1-9]\d*)(?P<suffix>\.ya?ml)")


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
        items, found = load_all(manifest.text, where, strict=False)
        problems += errors(found)
        documents = [plain(item) for item in items if item.value is not None]
        for index, document in enumerate(documents):
            name = f"{base}-{index}{suffix}"
            if name in files:
                problems.append(
                    Problem(
                        "",
                        DUPLICATE,
                        f"two documents would be written to {name}",
                        file=where,
                        check="extra-manifest-name",
                        layer="ours",
                    )
                )
            files[name] = dump_object(document)
    if problems:
        raise InvalidInput(problems)
    return files


def joined_manifests(manifests: Iterable[ExtraManifest], split: Collection[str]) -> list[ExtraManifest]:
    """Files that were split, named by ``split``, as one again, so that the next one who splits them calls them the
    same; others as they are.
    """
    provided = {manifest.name: manifest.text for manifest in manifests}
    parts: dict[str, dict[int, str]] = {}
    for name in provided:
        match = _PART.fullmatch(name) if name in split else None
        if match:
            parts.setdefault(match["base"] + match["suffix"], {})[int(match["number"])] = name
    for whole, names in parts.items():
        # Where a person has taken out or added a file, names are what he makes of them.
        if whole not in provided and sorted(names) == [*range(len(names))]:
            texts = [provided.pop(names[number]).rstrip("\n") for number in sorted(names)]
            provided[whole] = "\n---\n".join(texts) + "\n"
    return [ExtraManifest(name, provided[name]) for name in sorted(provided)]
