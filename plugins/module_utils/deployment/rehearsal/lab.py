# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a rehearsal: start the lab and a playbook against it as processes on this machine, and make sure that both end
with this process.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...common import libraries
from ...common.clock import Stop
from ...common.errors import Interrupted, ZeroTouchError

# Seconds until an interrupted playbook has closed its sessions (common/stop.py); then it is killed.
_ENDS_WITHIN = 15.0
_LONGEST = "4h"
_PR_SET_PDEATHSIG = 1
# Environment variables that would direct connections to targets outside of the lab.
_NOT_PASSED_ON = ("K8S_AUTH_", "ASSISTED_", "OPENSHIFT_STATE_", "KUBECONFIG")


class Rehearsal:
    """One lab. ``directory``, where it keeps its state, also has all files of the rehearsal once it runs: the lab
    removes it even if this process is killed.

    ``show`` gets each line that is printed.
    """

    def __init__(self, directory: Path, program: str, stop: Stop, show: Callable[[str], None]) -> None:
        self.directory = directory
        self._draft = directory.with_suffix(".yml")
        self._program = program
        self._stop = stop
        self._show = show

    def draft(self, inventory: Sequence[str], extra: Sequence[str]) -> Path:
        """A site file from the inventory."""
        self._draft.touch(mode=0o600)
        words = [
            *(word for source in inventory for word in ("-i", source)),
            *(word for text in extra for word in ("-e", text)),
        ]
        self._ztlab("site-from-inventory", *words, "-o", str(self._draft))
        return self._draft

    def start(self, site: Path, *, speed: float, base_image: str) -> dict[str, Any]:
        """Start the lab; the variables that lead into it. It ends with this process."""
        image = ["--base-image", base_image] if base_image else []
        up = [
            "up",
            "--site",
            str(site),
            "--state",
            str(self.directory),
            "--speed",
            f"{speed:g}",
            "--ttl",
            _LONGEST,
            "--with-process",
            str(os.getpid()),
            *image,
        ]
        self._show(self._ztlab(*up).splitlines()[0])
        self._draft.unlink(missing_ok=True)
        variables = libraries.yaml.safe_load(self._ztlab("vars", "--state", str(self.directory)))
        return dict(variables)

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self._ztlab("status", "--state", str(self.directory), "--json")))

    def play(self, command: Sequence[str]) -> int:
        """Run a playbook, each line printed; its exit code. Raises :class:`Interrupted` after it has ended it."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
        environment = inherited | {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_FORCE_COLOR": "0", "PYTHONUNBUFFERED": "1"}
        # No run_command of AnsibleModule: this package knows nothing of Ansible.
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=_end_with_parent,
        )
        with _ended(process):
            for line in process.stdout or ():
                if self._stop.is_set():
                    raise Interrupted(self._stop.reason)
                if line.strip():
                    self._show(f"  {line.rstrip()}")
            return process.wait()

    def stop(self) -> None:
        """End the lab. The image server of the playbook ends with the image, which is below the state directory of the
        lab.
        """
        self._draft.unlink(missing_ok=True)
        subprocess.run(  # pylint: disable=ansible-bad-function
            [self._program, "down", "--state", str(self.directory)],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def _ztlab(self, *words: str) -> str:
        done = subprocess.run(  # pylint: disable=ansible-bad-function
            [self._program, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        if self._stop.is_set():
            raise Interrupted(self._stop.reason)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().removeprefix("ztlab: ")
            raise ZeroTouchError(f"ztlab {words[0]} failed: {said}")
        return done.stdout


@contextlib.contextmanager
def rehearsal(stop: Stop, show: Callable[[str], None]) -> Iterator[Rehearsal]:
    """Raises :class:`ZeroTouchError` where ztlab is not installed."""
    program = find_program(os.environ)
    directory = Path(tempfile.mkdtemp(prefix="zerotouch-rehearsal-"))
    found = Rehearsal(directory, program, stop, show)
    try:
        yield found
    finally:
        found.stop()
        shutil.rmtree(directory, ignore_errors=True)


def find_program(environment: Mapping[str, str]) -> str:
    """``ztlab`` in the directory of this Python, or in PATH."""
    beside = Path(sys.executable).with_name("ztlab")
    if found := str(beside) if beside.is_file() else shutil.which("ztlab", path=environment.get("PATH")):
        return found
    raise ZeroTouchError(
        "A rehearsal needs the lab, and the command ztlab is not installed.",
        "Install it beside Ansible: pip install 'ztlab[collection]', or pip install ./lab in a checkout.",
    )


@contextlib.contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """The process has ended after the block, whatever happens in it."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_ENDS_WITHIN)
        if process.poll() is None:
            process.kill()
            process.wait()


def _end_with_parent() -> None:
    """SIGTERM for the playbook when this process ends, also by SIGKILL (prctl(2)).

    A signal for the terminal reaches this process only.
    """
    os.setsid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
