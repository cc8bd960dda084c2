# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find out whether a work directory will be deleted with the job of an automation controller (AWX, Ansible Automation
Platform), or with a pod.

A controller runs each job in a separate container, in a private directory that it deletes afterwards (ansible/awx
awx/main/tasks/jobs.py, build_private_data_dir). A pod of another system, such as a pipeline, ends with its file
systems. Outside of both, every work directory is accepted: the user's own container keeps its files until it is
removed.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ...common.problems import FORBIDDEN, Problem
from .options import PATH, StateOptions

# ansible/ansible-runner ansible_runner/config/_base.py: where the private directory of a job is inside its container.
_IN_CONTAINER = "/runner"
# File systems that end with the container or with the machine.
_VOLATILE = frozenset({"overlay", "aufs", "tmpfs", "ramfs"})
# A volume that ends with its pod: the root of the mount, in field 4 of mountinfo (kubernetes/kubernetes
# pkg/volume/emptydir/empty_dir.go).
_EMPTY_DIR = "kubernetes.io~empty-dir"
_ESCAPE = re.compile(r"\\([0-7]{3})")
_LARGEST = 4 << 20


@dataclasses.dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo."""

    point: str
    root: str
    kind: str


@dataclasses.dataclass(frozen=True)
class JobFacts:
    """``work_dir`` without links; ``private`` are the private directories of the job, empty outside of one; ``mount``
    is the one that has the directory. ``pod``: this process is in a pod.
    """

    work_dir: str
    private: tuple[str, ...] = ()
    mount: Mount | None = None
    pod: bool = False


def ephemeral_problem(options: StateOptions, facts: JobFacts) -> Problem | None:
    """Why method ``directory`` would lose the state at the end of the job or pod; None if it would not, or if
    ``ephemeral`` accepts that.
    """
    if options.method != "directory" or options.ephemeral or not (facts.private or facts.pod):
        return None
    why = _why_lost(facts)
    if not why:
        return None
    scope = "job" if facts.private else "pod"
    detail = f"method directory keeps the state in {facts.work_dir}, which ends with this {scope}: {why}"
    hint = "use method secret or http, mount a volume as openshift_work_dir, or set ephemeral: true to accept the loss"
    return Problem(f"{PATH}.method", FORBIDDEN, detail, layer="ours", check="state", hint=hint)


def _why_lost(facts: JobFacts) -> str:
    mount = facts.mount
    if mount is not None and mount.kind in _VOLATILE:
        return f"it is on {mount.kind}"
    if mount is not None and _EMPTY_DIR in mount.root:
        return "it is on an emptyDir volume"
    private = next((each for each in facts.private if _within(facts.work_dir, each)), "")
    if private and (mount is None or mount.point == private or not _within(mount.point, private)):
        return f"it is in the private directory of the job, {private}"
    return ""


def gather(work_dir: Path, environment: Mapping[str, str], mountinfo: Path = Path("/proc/self/mountinfo")) -> JobFacts:
    """The facts of this process."""
    real = os.path.realpath(work_dir)
    try:
        with mountinfo.open(encoding="utf-8", errors="surrogateescape") as handle:
            mounts = read_mounts(handle.read(_LARGEST))
    except OSError:
        mounts = []
    # The kubelet sets it for each container of a pod (kubernetes/kubernetes pkg/kubelet/envvars/envvars.go).
    return JobFacts(
        real,
        private_directories(environment),
        mount_of(real, mounts),
        pod=bool(environment.get("KUBERNETES_SERVICE_HOST")),
    )


def by_controller(environment: Mapping[str, str]) -> bool:
    """Whether a controller started the run (ansible/awx awx/main/tasks/jobs.py build_env).

    ansible-runner alone sets AWX_ISOLATED_DATA_DIR, too, and its private directory is the user's. AWX_PRIVATE_DATA_DIR
    is set by controllers only.
    """
    return bool(environment.get("AWX_PRIVATE_DATA_DIR") or (environment.get("JOB_ID") and environment.get("AWX_HOST")))


def private_directories(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Of a job of a controller; empty outside of one."""
    if not by_controller(environment):
        return ()
    outside = environment.get("AWX_PRIVATE_DATA_DIR", "")
    artifacts = PurePosixPath(environment.get("AWX_ISOLATED_DATA_DIR", ""))
    inside = str(artifacts.parents[1]) if artifacts.is_absolute() and len(artifacts.parts) > 3 else ""
    return tuple(
        dict.fromkeys(path for path in (outside, inside, _IN_CONTAINER) if path.startswith("/") and path != "/")
    )


def read_mounts(text: str) -> list[Mount]:
    """From mountinfo (proc_pid_mountinfo(5)); lines that cannot be read are left out."""
    found = []
    for line in text.splitlines():
        before, mark, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if mark and len(fields) > 4 and kinds[0]:
            found.append(Mount(_unescaped(fields[4]), _unescaped(fields[3]), kinds[0]))
    return found


def mount_of(path: str, mounts: list[Mount]) -> Mount | None:
    """The mount that a path is on: of the deepest points the one that was mounted last."""
    found = [mount for mount in mounts if _within(path, mount.point)]
    return max(reversed(found), key=lambda mount: len(mount.point), default=None)


def _within(path: str, directory: str) -> bool:
    return directory == "/" or path == directory or path.startswith(directory.rstrip("/") + "/")


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
