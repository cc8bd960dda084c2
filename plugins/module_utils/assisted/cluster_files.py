# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Files of a service on disk: credentials, Ignition, manifests, logs. Readable by the owner alone, replaced as a whole, left alone where they are the same."""

from __future__ import annotations

import dataclasses
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ..common.errors import InvalidInput, PartialFailure, ZeroTouchError
from ..common.files import atomic_writer, ensure_directory, same_file, write_atomic
from ..common.problems import REQUIRED, Problem
from .faults import AssistedError
from .lookup import required
from .service import AssistedService

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
_MODE = 0o600


@dataclasses.dataclass(frozen=True)
class FilesOrder:
    """``names`` of :data:`NAMES` into ``dest``; ``skip``: what the service does not have yet is told instead of a failure."""

    dest: Path
    names: Sequence[str]
    cluster: str = ""
    infra_env: str = ""
    system_manifests: bool = False
    skip: bool = False
    check_mode: bool = False
    learnt: Callable[[set[str]], None] = lambda found: None


def fetch_files(service: AssistedService, order: FilesOrder) -> dict[str, Any]:
    """The result of the door.

    Raises :class:`InvalidInput` for names without the object they belong to, :class:`PartialFailure` with what was written where some could not be had.
    """
    _check(order)
    cluster_id = str(required(service.clusters(), "cluster", order.cluster)["id"]) if order.cluster else ""
    infra_env_id = str(required(service.infra_envs(), "InfraEnv", order.infra_env)["id"]) if order.infra_env else ""
    files: list[dict[str, Any]] = []
    missing: list[dict[str, str]] = []
    for name in order.names:
        try:
            files += _fetch(service, order, name, cluster_id, infra_env_id)
        except AssistedError as error:
            missing.append({"name": name, "reason": error.reason})
            if error.status not in (404, 409) or not order.skip:
                words = f"{name} cannot be had: {error}"
                raise PartialFailure(words, _result(files, missing)) from error
    return _result(files, missing)


def _result(files: Sequence[dict[str, Any]], missing: Sequence[dict[str, str]]) -> dict[str, Any]:
    plan = [f"write {each['path']}" for each in files if each["changed"]]
    return {"changed": bool(plan), "plan": plan, "files": list(files), "missing": list(missing)}


def _check(order: FilesOrder) -> None:
    of_cluster = [name for name in order.names if name not in INFRA_ENV_FILES]
    of_infra_env = [name for name in order.names if name in INFRA_ENV_FILES]
    problems = []
    for option, names, given in (("cluster", of_cluster, order.cluster), ("infra_env", of_infra_env, order.infra_env)):
        if names and not given:
            problems.append(Problem(option, REQUIRED, f"{', '.join(names)} belong to one", layer="ours", check="assisted-files"))
    if problems:
        raise InvalidInput(problems)


def _fetch(service: AssistedService, order: FilesOrder, name: str, cluster_id: str, infra_env_id: str) -> list[dict[str, Any]]:
    if name == LOGS:
        return [_logs(service, order, cluster_id)]
    if name == MANIFESTS:
        return list(_manifests(service, order, cluster_id))
    if name in CREDENTIALS:
        content = service.credential_file(cluster_id, name)
        if name == "kubeadmin-password":
            order.learnt({content.decode("utf-8", errors="replace").strip()})
    else:
        content = service.cluster_file(cluster_id, name) if name in CLUSTER_FILES else service.infra_env_file(infra_env_id, name)
    return [_write(order, name, order.dest / name, content)]


def _manifests(service: AssistedService, order: FilesOrder, cluster_id: str) -> Iterator[dict[str, Any]]:
    for manifest in service.manifests(cluster_id, system=order.system_manifests):
        folder, name = str(manifest.get("folder")), str(manifest.get("file_name"))
        # The name becomes a path of ours: one that leads elsewhere is not followed.
        if folder not in ("manifests", "openshift") or Path(name).name != name or name in ("", ".", ".."):
            raise ZeroTouchError(f"The service names a manifest {folder}/{name}, which is no plain file name.")
        yield _write(order, f"{folder}/{name}", order.dest / MANIFESTS / folder / name, service.manifest(cluster_id, folder, name))


def _logs(service: AssistedService, order: FilesOrder, cluster_id: str) -> dict[str, Any]:
    """Fetched anew each time; an answer that is cut off leaves the old file."""
    path = order.dest / LOG_FILE
    if order.check_mode:
        return {"name": LOGS, "path": str(path), "size": 0, "changed": True}
    ensure_directory(path.parent)
    with atomic_writer(path, _MODE) as handle:

        def restart() -> None:
            handle.seek(0)
            handle.truncate()

        size = service.read_logs(cluster_id, handle.write, restart=restart)
        handle.flush()
        _check_tar(handle)
    return {"name": LOGS, "path": str(path), "size": size, "changed": True}


def _check_tar(handle: BinaryIO) -> None:
    handle.seek(0)
    try:
        with tarfile.open(fileobj=handle) as archive:
            archive.getmembers()
    except tarfile.ReadError as error:
        raise ZeroTouchError(f"The logs that the service sent are no whole tar archive: {error}.", "Run it again.") from error


def _write(order: FilesOrder, name: str, path: Path, content: bytes) -> dict[str, Any]:
    same = same_file(path, content, _MODE)
    if not same and not order.check_mode:
        write_atomic(path, content, _MODE)
    return {"name": name, "path": str(path), "size": len(content), "changed": not same}
