# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement module ``agent_manifests``: write the cluster-manifests set of a configuration directory to disk.

:func:`plan_manifests` reads the directory and decides which files to write; :func:`apply_manifests` writes them. Check
mode stops after the plan. A file that a user edited or created is never overwritten.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ..cluster.files import MANIFESTS_DIRECTORY
from ..cluster.located import load_all
from ..cluster.paths import AGENT_CONFIG
from ..cluster.rules.checks import check_names, levels
from ..cluster.tree import plain
from ..common.errors import InvalidInput, ZeroTouchError
from ..common.files import SECRET_FILE, check_directory, ensure_directory, write_atomic
from ..common.problems import Problem, apply_checks, errors
from ..common.secrets import secret_data, secret_values
from .cluster_manifests import ManifestSet, render_manifests
from .names import CLUSTER_MANIFESTS, MIRROR
from .note import NOTE, digest, note_text, read_note
from .source import read_source, source_problems


@dataclasses.dataclass(frozen=True)
class ManifestsRequest:
    """``config_dir`` as agent_config writes it or a user's own files; without ``dest`` nothing is written.

    ``checks``: name -> error, warn, off.
    """

    config_dir: Path
    dest: Path | None = None
    version: str = ""
    release_image: str = ""
    checks: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class FileChange:
    """A file of ``dest`` that is not as it should be; ``text`` is None if the file is deleted."""

    path: str
    action: Literal["create", "change", "remove"]
    text: str | None = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class ManifestsPlan:
    request: ManifestsRequest
    manifests: ManifestSet
    files: Mapping[str, str] = dataclasses.field(repr=False)
    changes: tuple[FileChange, ...]
    problems: tuple[Problem, ...]

    def secret_values(self) -> set[str]:
        """What must not appear in any output: the pull secret's parts, passwords inside the overrides, all that an
        extra Secret holds.
        """
        extra = [plain(item) for text in self.manifests.extra.values() for item in load_all(text, "")[0]]
        held = {text for document in extra for text in secret_data(document)}
        return secret_values([*(dict(made) for made in self.manifests.objects), *extra]) | held


def plan_manifests(request: ManifestsRequest, *, today: datetime.date | None = None) -> ManifestsPlan:
    """Read, check and render the input, and compare with what ``dest`` holds. Writes nothing.

    ``today`` is what certificates are compared with. Raises :class:`InvalidInput` with every problem of the input, and
    :class:`ZeroTouchError` for a file in ``dest`` that is not ours.
    """
    if not os.path.isdir(request.config_dir):
        what = "is no directory" if os.path.exists(request.config_dir) else "does not exist"
        raise ZeroTouchError(
            f"{request.config_dir} {what}.",
            ("config_dir is a directory with install-config.yaml or with cluster-manifests/."),
        )
    parsed = read_source(request.config_dir, version=request.version, release_image=request.release_image)
    checks = levels(request.checks)
    problems = [*check_names(checks), *apply_checks(source_problems(parsed, today=today, image=False), checks)]
    if errors(problems) or parsed.deployment is None:
        raise InvalidInput(problems)
    manifests = render_manifests(parsed.deployment)
    # What a person wrote stays as it was written; what was not is made.
    own = {path: text for path, text in parsed.deployment.provided_manifests.items() if path != AGENT_CONFIG}
    files = {
        **manifests.files,
        **own,
        **{f"{MANIFESTS_DIRECTORY}/{name}": text for name, text in manifests.extra.items()},
    }
    changes = _planned(request.dest, request.config_dir, files) if request.dest is not None else ()
    return ManifestsPlan(request, manifests, files, changes, tuple(problems))


def _planned(dest: Path, config_dir: Path, files: Mapping[str, str]) -> tuple[FileChange, ...]:
    check_directory(dest, "Name another directory as dest.")
    changes = tuple(_changes(dest, files))
    if changes and dest.resolve() == config_dir.resolve():
        raise ZeroTouchError(
            f"dest and config_dir are both {dest}.",
            ("The collection does not change your files. Set dest to another directory."),
        )
    return changes


def apply_manifests(plan: ManifestsPlan) -> None:
    """Write what the plan says: files 0600, directories 0700, each file whole or not at all."""
    dest = plan.request.dest
    if dest is None or not plan.changes:
        return
    ensure_directory(dest)
    # The note first: a file that is written but not noted would look like a person's.
    write_atomic(dest / NOTE, note_text(plan.files), SECRET_FILE)
    for change in plan.changes:
        path = dest / change.path
        if change.text is None:
            path.unlink(missing_ok=True)
        else:
            ensure_directory(path.parent)
            write_atomic(path, change.text, SECRET_FILE)


def describe(plan: ManifestsPlan) -> dict[str, Any]:
    """The result of the module (docs/conventions.md#results)."""
    return {
        "changed": bool(plan.changes),
        "dest": str(plan.request.dest or ""),
        "files": list(plan.files),
        "changes": [{"path": change.path, "action": change.action} for change in plan.changes],
        "objects": [dict(made) for made in plan.manifests.objects],
        "problems": [problem.as_dict() for problem in plan.problems],
    }


def describe_diff(plan: ManifestsPlan) -> list[dict[str, str]]:
    """Each change for Ansible's diff. Texts hold secrets that the module hides."""
    dest = plan.request.dest or Path()
    return [
        {
            "before_header": str(dest / change.path),
            "after_header": str(dest / change.path),
            "before": _read(dest / change.path) or "",
            "after": change.text or "",
        }
        for change in plan.changes
    ]


def _changes(dest: Path, files: Mapping[str, str]) -> Iterator[FileChange]:
    noted = _noted(dest)
    foreign = []
    for path in sorted({*files, *noted, *_present(dest)}):
        before, after = _read(dest / path), files.get(path)
        if before is not None and before != after and noted.get(path) != digest(before):
            foreign.append(path)
        elif before is None and after is not None:
            yield FileChange(path, "create", after)
        elif before is not None and after is None:
            yield FileChange(path, "remove", None)
        elif after is not None and (before != after or (dest / path).stat().st_mode & 0o777 != SECRET_FILE):
            yield FileChange(path, "change", after)
    if foreign:
        raise ZeroTouchError(
            f"{dest} holds files that this collection did not write, or that were edited since: {', '.join(foreign)}.",
            "Name another directory as dest, or move them away.",
        )


def _present(dest: Path) -> list[str]:
    """Files of the directories that only the set may fill; others are left as they are."""
    return [
        f"{name}/{path.name}"
        for name in (CLUSTER_MANIFESTS, MIRROR)
        for path in sorted((dest / name).glob("*"))
        if path.is_file()
    ]


def _noted(dest: Path) -> dict[str, str]:
    try:
        return read_note(dest)
    except OSError as error:
        note = dest / NOTE
        raise ZeroTouchError(f"{note} cannot be read: {error.strerror}.") from error


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")  # line ends as they are
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ZeroTouchError(f"{path} cannot be read: {error.strerror}.") from error
