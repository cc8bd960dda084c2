# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Open the state store for a run. The first task of the run starts the process (:mod:`.process`) that renews the lease
and stores the state until the playbook has ended.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...common.clock import Clock
from ...common.connect import ConnectTo
from ...common.lock import one_run
from ...common.stop import SWITCH
from ...common.store_link import DIRECTORY, StoreStatus
from . import process
from .errors import StoreUnknown
from .keeper import request_stop, store_holder
from .methods import keys_of, open_store
from .options import StateOptions
from .run import PlaybookRun, this_run
from .session import OpenedState, open_directory, peek
from .store import Store

_TASK = "deployment_settings"
# The collection's modules are found as the task found them; nothing of the configuration is seen in the list of
# processes.
_PROGRAM = "import sys; sys.path[:0] = {path!r}; from {module} import main; main()"


@dataclasses.dataclass(frozen=True)
class Attachment:
    """What is attached: the state of ``cluster`` in the work directory ``root``."""

    options: StateOptions
    cluster: str
    root: Path
    connect_to: Mapping[str, str]
    break_lock: bool = False


def attach(wanted: Attachment, clock: Clock, show: Callable[[str], None], *, check_mode: bool) -> OpenedState:
    """Make the work directory current, and keep it stored until the run has ended.

    In check mode nothing is written but the work directory.

    Raises :class:`ZeroTouchError`: then it is not known what this deployment did, and no machine may be touched.
    """
    root = wanted.root
    if not check_mode:
        (root / SWITCH).unlink(missing_ok=True)  # it was for an earlier run
    if wanted.options.method == "directory":
        if (root / DIRECTORY).is_dir():
            shutil.rmtree(root / DIRECTORY)
        return open_directory(root) if root.is_dir() else OpenedState()
    if check_mode:
        return _look(wanted, clock)
    with one_run(root, _TASK, clock):
        run = this_run(root)
        known = StoreStatus.read(root)
        if known is not None and known.alive and known.run == run.id and not known.lost:
            return OpenedState()
        return _start(wanted, run, show)


def set_switch(wanted: Attachment, clock: Clock, *, check_mode: bool) -> str:
    """Ask the run that works on this deployment to end; what was done, in words."""
    store = _open(wanted, clock)
    if store is None:
        if not wanted.root.is_dir():
            return f"{wanted.root} does not exist, so that no run works on it"
        if not check_mode:
            (wanted.root / SWITCH).touch()
        switch = wanted.root / SWITCH
        return f"the stop switch {switch} is set"
    try:
        holder = store_holder(store) if check_mode else request_stop(store, clock)
    finally:
        store.close()
    return f"the stop switch is set for {holder}" if holder else f"no run holds the lease in {store.name}"


def _open(wanted: Attachment, clock: Clock) -> Store | None:
    connect_to, _problems = ConnectTo.parse(dict(wanted.connect_to))
    return open_store(wanted.options, cluster=wanted.cluster, clock=clock, connect_to=connect_to)


def _look(wanted: Attachment, clock: Clock) -> OpenedState:
    store = _open(wanted, clock)
    if store is None:
        return OpenedState()
    try:
        return peek(store, keys_of(wanted.options), wanted.cluster, wanted.root)
    finally:
        store.close()


def _start(wanted: Attachment, run: PlaybookRun, show: Callable[[str], None]) -> OpenedState:
    if not run.started:
        raise StoreUnknown(
            f"The playbook (process {run.pid}) has ended, or /proc cannot be read.",
            ("A state store needs a control node with Linux and /proc."),
        )
    configuration = {
        "options": {
            **dataclasses.asdict(wanted.options),
            "connection": dict(wanted.options.connection),
            "headers": dict(wanted.options.headers),
        },
        "cluster": wanted.cluster,
        "root": str(wanted.root),
        "connect_to": dict(wanted.connect_to),
        "break_lock": wanted.break_lock,
        "run": dataclasses.asdict(run),
        "task": _TASK,
    }
    # No run_command of AnsibleModule: this package knows nothing of Ansible.
    child = subprocess.Popen(  # pylint: disable=ansible-bad-function
        [sys.executable, "-c", _PROGRAM.format(path=_search_path(), module=process.__name__), "zerotouch-state"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        return _dialogue(child, configuration, show)
    finally:
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()
        child.wait()


def _dialogue(
    child: subprocess.Popen[str], configuration: Mapping[str, Any], show: Callable[[str], None]
) -> OpenedState:
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise StoreUnknown("The process that keeps the state could not be started.")
    try:
        json.dump(configuration, child.stdin)
        child.stdin.close()
    except BrokenPipeError:
        child.stdin = None
    for line in child.stdout:
        report = json.loads(line)
        if "line" in report:
            show(report["line"])
        elif "failed" in report:
            raise StoreUnknown(report["failed"]["message"], report["failed"]["hint"])
        else:
            return OpenedState(**{**report["opened"], "warnings": tuple(report["opened"]["warnings"])})
    words = child.stderr.read().strip().splitlines()
    last = words[-1] if words else "no message"
    raise StoreUnknown(
        f"The background process that stores the state ended immediately: {last}.",
        "Report this as a bug of this collection.",
    )


def _search_path() -> list[str]:
    """Where the collection is, first, and the interpreter's own path."""
    depth = len(process.__name__.split("."))
    return [str(Path(process.__file__).absolute().parents[depth - 1]), *(entry for entry in sys.path if entry)]
