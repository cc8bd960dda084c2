# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Download files of a cluster from an assisted-service to disk: credentials, Ignition, manifests, logs.

Only the owner can read a file. A file is replaced as a whole, and only if its content differs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ...common.errors import InvalidInput, PartialFailure, ZeroTouchError
from ...common.files import atomic_writer, ensure_directory, same_file, write_atomic
from ...common.problems import REQUIRED, Problem
from ...common.tar_stream import BadTar, Budget, members
from ..lookup import only_one, required
from ..rest.client import LARGEST_LOGS, Document
from ..rest.faults import AssistedError
from ..rest.service import AssistedService
from ..shown_text import shown_yaml, size_of

CREDENTIALS = ("kubeconfig", "kubeconfig-noingress", "kubeadmin-password")
CLUSTER_FILES = (
    "bootstrap.ign",
    "master.ign",
    "arbiter.ign",
    "worker.ign",
    "metadata.json",
    "install-config.yaml",
    "custom_manifests.json",
    "custom_manifests.yaml",
)
INFRA_ENV_FILES = ("discovery.ign", "ipxe-script", "static-network-config")
MANIFESTS, LOGS = "manifests", "logs"
NAMES = (*CREDENTIALS, *CLUSTER_FILES, *INFRA_ENV_FILES, MANIFESTS, LOGS)
LOG_FILE = "logs.tar"
# What a diff shows the text of, without secrets; of the others their size.
_READABLE = frozenset({"metadata.json", "install-config.yaml", "custom_manifests.json", "custom_manifests.yaml"})
_MODE = 0o600


@dataclasses.dataclass(frozen=True)
class FilesOrder:
    """``names`` of :data:`NAMES` into ``dest``; ``skip``: what the service does not have yet is reported instead of a
    failure.

    ``diff``: the result has one. In check mode what is not there yet is taken for something that an earlier task makes,
    which ``warn`` reports.
    """

    dest: Path
    names: Sequence[str]
    cluster: str = ""
    infra_env: str = ""
    system_manifests: bool = False
    skip: bool = False
    check_mode: bool = False
    diff: bool = False
    warn: Callable[[str], None] = lambda text: None
    learnt: Callable[[set[str]], None] = lambda found: None


def fetch_files(service: AssistedService, order: FilesOrder) -> dict[str, Any]:
    """The result of the module.

    Raises :class:`InvalidInput` for names without the object they belong to, :class:`PartialFailure` with what was
    written where some could not be had.
    """
    _check(order)
    cluster_id = _id_of(service.clusters(), "cluster", order.cluster, order) if order.cluster else ""
    infra_env_id = _id_of(service.infra_envs(), "InfraEnv", order.infra_env, order) if order.infra_env else ""
    files: list[_File] = []
    missing: list[dict[str, str]] = []
    for name in order.names:
        owner = infra_env_id if name in INFRA_ENV_FILES else cluster_id
        if not owner:
            files.append(_not_yet(order, name))
            continue
        try:
            files += _fetch(service, order, name, cluster_id, infra_env_id)
        except AssistedError as error:
            missing.append({"name": name, "reason": error.reason})
            absent = error.status in (404, 409)
            if absent and order.check_mode and not order.skip:
                files.append(_not_yet(order, name))
            elif not absent or not order.skip:
                words, result = f"{name} cannot be had: {error}", _result(order, files, missing)
                # The pylint of ansible-core 2.16 sometimes does not find the bases of AssistedError.
                raise PartialFailure(words, result) from error  # pylint: disable=bad-exception-cause
    return _result(order, files, missing)


@dataclasses.dataclass(frozen=True)
class _File:
    """One file; ``diff`` is Ansible's, where it changes."""

    name: str
    path: Path
    size: int
    changed: bool
    diff: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        return {"name": self.name, "path": str(self.path), "size": self.size, "changed": self.changed}


def _id_of(known: Sequence[Document], kind: str, wanted: str, order: FilesOrder) -> str:
    """Empty where there is none yet, which is none of check mode's business."""
    found = only_one(known, kind, wanted) if order.check_mode else required(known, kind, wanted)
    if found is None:
        order.warn(f"The service has no {kind} {wanted}. Check mode assumes that an earlier task creates it.")
    return str((found or {}).get("id") or "")


def _not_yet(order: FilesOrder, name: str) -> _File:
    """A file that a run would write which finds it."""
    path = order.dest / {LOGS: LOG_FILE}.get(name, name)
    return _File(name, path, 0, True, _diff(path, "", "(not known yet)\n"))


def _result(order: FilesOrder, files: Sequence[_File], missing: Sequence[dict[str, str]]) -> dict[str, Any]:
    plan = [f"write {each.path}" for each in files if each.changed]
    diffs = [dict(each.diff) for each in files if each.diff]
    result = {"changed": bool(plan), "plan": plan, "files": [each.record() for each in files], "missing": list(missing)}
    return result | ({"diff": diffs} if order.diff else {})


def _check(order: FilesOrder) -> None:
    of_cluster = [name for name in order.names if name not in INFRA_ENV_FILES]
    of_infra_env = [name for name in order.names if name in INFRA_ENV_FILES]
    problems = []
    for option, names, provided in (
        ("cluster_name", of_cluster, order.cluster),
        ("infra_env_name", of_infra_env, order.infra_env),
    ):
        if names and not provided:
            problems.append(
                Problem(option, REQUIRED, f"{', '.join(names)} belong to one", layer="ours", check="assisted-files")
            )
    if problems:
        raise InvalidInput(problems)


def _fetch(service: AssistedService, order: FilesOrder, name: str, cluster_id: str, infra_env_id: str) -> list[_File]:
    if name == LOGS:
        return [_logs(service, order, cluster_id)]
    if name == MANIFESTS:
        return list(_manifests(service, order, cluster_id))
    if name in CREDENTIALS:
        content = service.credential_file(cluster_id, name)
        if name == "kubeadmin-password":
            order.learnt({content.decode("utf-8", errors="replace").strip()})
    else:
        content = (
            service.cluster_file(cluster_id, name)
            if name in CLUSTER_FILES
            else service.infra_env_file(infra_env_id, name)
        )
    return [_write(order, name, order.dest / name, content)]


def _manifests(service: AssistedService, order: FilesOrder, cluster_id: str) -> Iterator[_File]:
    for manifest in service.manifests(cluster_id, system=order.system_manifests):
        folder, name = str(manifest.get("folder")), str(manifest.get("file_name"))
        # The name becomes a path of ours: one that leads elsewhere is not followed.
        if folder not in ("manifests", "openshift") or Path(name).name != name or name in ("", ".", ".."):
            raise ZeroTouchError(f"The service names a manifest {folder}/{name}, which is no plain file name.")
        yield _write(
            order,
            f"{folder}/{name}",
            order.dest / MANIFESTS / folder / name,
            service.manifest(cluster_id, folder, name),
        )


def _logs(service: AssistedService, order: FilesOrder, cluster_id: str) -> _File:
    """Fetched each time; an answer that is cut off leaves the old file."""
    path = order.dest / LOG_FILE
    if order.check_mode:
        return _not_yet(order, LOGS)
    ensure_directory(path.parent)
    with atomic_writer(path, _MODE) as handle:

        def restart() -> None:
            handle.seek(0)
            handle.truncate()

        size = service.read_logs(cluster_id, handle.write, restart=restart)
        handle.flush()
        _check_tar(handle)
    return _File(LOGS, path, size, True, _diff(path, "", f"({size} bytes)\n"))


def _check_tar(handle: BinaryIO) -> None:
    handle.seek(0)
    try:
        for _member in members(handle, Budget(LARGEST_LOGS)):
            pass
    except BadTar as error:
        raise ZeroTouchError(
            f"The logs that the service sent are no whole tar archive: {error}.", "Run it again."
        ) from error


def _write(order: FilesOrder, name: str, path: Path, content: bytes) -> _File:
    same = same_file(path, content, _MODE)
    diff = {} if same or not order.diff else _file_diff(name, path, content)
    if not same and not order.check_mode:
        write_atomic(path, content, _MODE)
    return _File(name, path, len(content), not same, diff)


def _file_diff(name: str, path: Path, content: bytes) -> dict[str, str]:
    """Of a file that only gets its mode back the mode."""
    before = path.read_bytes() if path.is_file() else None
    if before == content:
        permissions = path.stat().st_mode & 0o7777
        return _diff(path, f"mode: {permissions:04o}\n", f"mode: {_MODE:04o}\n")
    return _diff(path, "" if before is None else _shown(name, before), _shown(name, content))


def _shown(name: str, content: bytes) -> str:
    readable = name in _READABLE or "/" in name
    return shown_yaml(content.decode("utf-8", errors="replace")) if readable else size_of(content)


def _diff(path: Path, before: str, after: str) -> dict[str, str]:
    return {"before_header": str(path), "after_header": str(path), "before": before, "after": after}
