# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement the commands of ``ztlab``: start the lab's process, send requests to it, and stop it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .control import NotRunning, ask
from .state import FAILED, MARKER, READY, Options

_START_LIMIT = 180.0
_STOP_LIMIT = 60.0


class CommandError(Exception):
    """The command cannot be done; the text is for the user."""


def up(state: Path, options: Options) -> dict[str, Any]:
    """Start a lab and wait until it is ready; its status. An equal lab that runs already is left alone."""
    from .site.load import load_site  # late: checking site files is a large import, and no other command does it

    load_site(Path(options.site))
    if options.base_image and not Path(options.base_image).is_file():
        raise CommandError(f"base image {options.base_image} does not exist")
    try:
        status: dict[str, Any] = ask(state, "status")
    except NotRunning:
        pass
    else:
        if Options.read(state) != options:
            raise CommandError(f"another lab is running in {state}: ztlab down --state {state} ends it")
        return status
    _prepare(state)
    options.write(state)
    with (state / "lab.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "ztlab.daemon", str(state)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": _import_path()},
        )
    _wait_ready(state, process)
    answer: dict[str, Any] = ask(state, "status")
    return answer


def _import_path() -> str:
    """The process finds the same ztlab as this one, installed or in a checkout."""
    here = str(Path(__file__).resolve().parent.parent)
    return os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])


def _prepare(state: Path) -> None:
    if state.exists() and any(state.iterdir()) and not (state / MARKER).exists():
        raise CommandError(f"{state} is not empty and no lab's state directory; choose another with --state")
    if state.exists():
        shutil.rmtree(state)
    state.mkdir(parents=True, mode=0o700)
    (state / MARKER).touch()


def _wait_ready(state: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_LIMIT
    log = state / "lab.log"
    while not (state / READY).exists():
        if process.poll() is not None:
            reason = state / FAILED
            text = reason.read_text(encoding="utf-8").strip() if reason.exists() else f"see {log}"
            raise CommandError(f"the lab did not start: {text}")
        if time.monotonic() > deadline:
            process.terminate()
            raise CommandError(f"the lab was not ready within {_START_LIMIT:g} seconds; see {log}")
        time.sleep(0.02)


def down(state: Path) -> bool:
    """End the lab of a state directory and remove everything it left; False when there was nothing."""
    try:
        pid = ask(state, "stop")["pid"]
        _wait_ended(pid)
        ended = True
    except NotRunning:
        ended = False
    if (state / MARKER).exists():
        shutil.rmtree(state)
        ended = True
    return ended


def _wait_ended(pid: int) -> None:
    deadline = time.monotonic() + _STOP_LIMIT
    while alive(pid):
        if time.monotonic() > deadline:
            raise CommandError(f"the lab's process {pid} did not end within {_STOP_LIMIT:g} seconds")
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
        # A process that this one started and that has ended stays a zombie until its status is read.
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:1]
    except (ProcessLookupError, FileNotFoundError):
        return False


def console(state: Path, machine: str, *, follow: bool = False) -> None:
    """Print a machine's console log; with ``follow`` go on until interrupted or until the lab ends."""
    path = state / "consoles" / f"{machine}.log"
    if not path.exists():
        known = sorted(entry.stem for entry in (state / "consoles").glob("*.log"))
        raise CommandError(
            f"no console of {machine!r}" + (f"; there are {', '.join(known)}" if known else f": no lab in {state}")
        )
    with path.open(encoding="utf-8") as file:
        while True:
            text = file.read()
            sys.stdout.write(text)
            sys.stdout.flush()
            if not follow or (not text and not path.exists()):
                return
            time.sleep(0.2)


def summary(status: dict[str, Any], state: Path) -> str:
    """A few lines about a running lab."""
    minutes = status["ttl_left"] // 60
    lines = [f"Lab in {state}: {status['net']}.0.0/16, speed {status['speed']:g}, ends in {minutes} min."]
    for machine in status["machines"]:
        media = machine["medium"]
        lines.append(
            f"  {machine['name']:<20} {machine['power']:<11} {machine['phase']}" + (f"  [{media}]" if media else "")
        )
    for cluster in status["clusters"]:
        state_text = "bootstrap complete" if cluster["bootstrap_complete"] else "bootstrapping"
        if cluster["installed"]:
            state_text = "installed"
        lines.append(f"  cluster {cluster['name']}.{cluster['base_domain']}: {state_text}")
    if "hub" in status:
        hub = status["hub"]
        lines.append(
            f"  hub {hub['api']} ({hub['address']}): {len(hub['infra_envs'])} infra-envs, {len(hub['hosts'])} "
            "hosts, "
            f"{len(hub['clusters'])} clusters"
        )
    return "\n".join(lines)
