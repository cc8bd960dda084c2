# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read ``extra_manifests`` of ``openshift_cluster``: files, directories and manifests that are written inline."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from ..common import yaml_text
from ..common.problems import DUPLICATE, INVALID, REQUIRED, Problem
from .files import check_manifest, read_manifests
from .spec import ExtraManifest
from .text_file import read_text
from .tree import Item, plain

_WHERE_FROM = (
    "a relative path is taken from the directory in which the playbook is started; build one from inventory_dir or "
    "playbook_dir to be independent of it"
)

# Maximum number of characters of a path that a message shows.
_SHOWN = 200


class ManifestReading:
    """Reads the manifests and collects every problem. The only files read are those that the user names."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def error(self, item: Item, kind: str, detail: str, *, path: str = "", value: str = "", hint: str = "") -> None:
        self.problems.append(Problem(path or item.path, kind, detail, layer="ours", value=value, hint=hint))

    def manifests(self, cluster: Item) -> list[ExtraManifest]:
        found: dict[str, ExtraManifest] = {}
        listed = cluster.get("extra_manifests")
        for entry in listed.elements() if listed else []:
            for manifest in self.manifest(entry):
                if manifest.name in found:
                    self.error(entry, DUPLICATE, "there are two manifests of this name", value=manifest.name)
                found[manifest.name] = manifest
        return list(found.values())

    def manifest(self, entry: Item) -> list[ExtraManifest]:
        if entry.is_mapping:
            return self.inline_manifest(entry)
        text = str(entry.value)
        if "\n" in text.strip():
            self.error(
                entry,
                INVALID,
                "the path of a file is expected, not its content",
                hint=("content is given as {name: NAME.yaml, content: …}"),
            )
            return []
        path = Path(os.path.expanduser(text))
        problems: list[Problem] = []
        manifests: list[ExtraManifest] = []
        if os.path.isdir(path):
            manifests = read_manifests(path, problems)
        elif not os.path.lexists(path):
            self.error(entry, INVALID, "No such file or directory", value=text[:_SHOWN], hint=_WHERE_FROM)
        elif path.suffix not in (".yaml", ".yml"):
            self.error(entry, INVALID, "a YAML file (.yaml, .yml) or a directory is expected", value=str(path))
        else:
            content = read_text(path, problems)
            if content is not None:
                manifests = [ExtraManifest(path.name, content)]
                problems += check_manifest(content, str(path))
        self.problems += [dataclasses.replace(problem, path=entry.path) for problem in problems]
        return manifests

    def inline_manifest(self, entry: Item) -> list[ExtraManifest]:
        name, content = _name(entry), entry.get("content")
        if not name or content is None:
            self.error(entry, REQUIRED, "name and content are needed")
            return []
        if "/" in name or not name.endswith((".yaml", ".yml")):
            self.error(
                entry,
                INVALID,
                "a file name that ends in .yaml or .yml is expected",
                path=f"{entry.path}.name",
                value=name,
            )
            return []
        if content.is_mapping:
            text = yaml_text.dump(plain(content))
        elif content.is_list:
            text = "---\n".join(yaml_text.dump(plain(document)) for document in content.elements())
        else:
            text = str(content.value)
            problems = check_manifest(text, "")
            self.problems += [dataclasses.replace(problem, path=content.path, line=0) for problem in problems]
        return [ExtraManifest(name, text)]


def _name(entry: Item) -> str:
    name = entry.get("name")
    return str(name.value) if name else ""
