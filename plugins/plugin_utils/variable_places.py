# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find file and line of variables in the YAML files of an inventory, so that CI annotations point to the mistake.

Ansible's own record of where a value comes from differs between the supported versions of ansible-core, and is missing
for the result of a template. Therefore the files are read again. Variables in other formats, in files that are
completely encrypted with Ansible Vault, and in dynamic inventories have no file and line.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..module_utils.cluster.located import load_all
from ..module_utils.cluster.tree import Item
from ..module_utils.common.problems import Problem

_PATH = re.compile(r"^(?P<name>openshift_\w+)(?:\[(?P<host>[^\]]+)\])?(?P<rest>.*)$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[([^\]]+)\]")
_SUFFIXES = ("", ".yml", ".yaml", ".json")
# Bytes of a file that is searched, and files: inventories of 1000 hosts have about 1 MB.
_LARGEST, _MOST_FILES = 16 << 20, 5000
# Where values of a host are, if openshift_host itself does not have them.
_UNDER = {"openshift_host": ("openshift_host", "openshift_host_defaults", "openshift_bmc_defaults")}


@dataclasses.dataclass(frozen=True)
class Definition:
    """A variable in a file; ``owner`` is the name of the host or group, empty for extra variables."""

    name: str
    owner: str
    item: Item


def with_places(problems: Iterable[Problem], files: Sequence[Path]) -> list[Problem]:
    """The problems, each with file and line where its variable is found in one of the files."""
    found = list(problems)
    if all(problem.file for problem in found):
        return found
    known = list(_definitions(files))
    return [problem if problem.file else _placed(problem, known) for problem in found]


def variable_files(sources: Sequence[str], extra: Sequence[str]) -> list[Path]:
    """The files that may define variables: those of ``extra`` first (they take precedence), then the inventories with
    their host_vars and group_vars.
    """
    files = [Path(path) for path in extra]
    for source in (Path(text) for text in sources if text and "," not in text):
        files += _files_below(source) if source.is_dir() else [source]
        folder = source if source.is_dir() else source.parent
        files += [path for name in ("host_vars", "group_vars") for path in _files_below(folder / name)]
    return list(dict.fromkeys(path for path in files if path.suffix in _SUFFIXES))[:_MOST_FILES]


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


def _placed(problem: Problem, known: Sequence[Definition]) -> Problem:
    match = _PATH.match(problem.path)
    if match is None:
        return problem
    names = _UNDER.get(match["name"], (match["name"],))
    steps = [key or index for key, index in _STEP.findall(match["rest"])]
    best: tuple[tuple[int, bool, bool], Item] | None = None
    for definition in known:
        if definition.name not in names:
            continue
        depth, item = _deepest(definition.item, steps)
        rank = (depth, definition.owner == match["host"], definition.name == match["name"])
        if best is None or rank > best[0]:
            best = rank, item
    return dataclasses.replace(problem, file=best[1].file, line=best[1].line) if best else problem


def _deepest(item: Item, steps: Sequence[str]) -> tuple[int, Item]:
    """How many of the steps lead to a value, and the last value."""
    for depth, step in enumerate(steps):
        below = item.value.get(step) if isinstance(item.value, dict) else None
        if below is None and isinstance(item.value, list) and step.isdigit() and int(step) < len(item.value):
            below = item.value[int(step)]
        if below is None:
            return depth, item
        item = below
    return len(steps), item


def _definitions(files: Sequence[Path]) -> Iterator[Definition]:
    for path in files:
        root = _read(path)
        if root is None:
            continue
        folder = next((parent for parent in path.parents if parent.name in ("host_vars", "group_vars")), None)
        if folder is not None:
            yield from _variables(root, path.relative_to(folder).parts[0].partition(".")[0])
        elif any(key.startswith("openshift_") for key in root.mapping()):
            yield from _variables(root, "")
        else:
            yield from _groups(root.mapping())


def _groups(groups: Mapping[str, Item]) -> Iterator[Definition]:
    for name, group in groups.items():
        if vars_ := group.get("vars"):
            yield from _variables(vars_, name)
        for host, variables in (hosts.mapping() if (hosts := group.get("hosts")) else {}).items():
            yield from _variables(variables, host)
        if children := group.get("children"):
            yield from _groups(children.mapping())


def _variables(item: Item, owner: str) -> Iterator[Definition]:
    return (Definition(name, owner, value) for name, value in item.mapping().items() if name.startswith("openshift_"))


def _read(path: Path) -> Item | None:
    """The file's document; None for one that is no YAML, as its reader has reported."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    items, _problems = load_all(text, str(path), most=1)
    return items[0] if items else None
