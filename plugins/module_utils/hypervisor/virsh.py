# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Control libvirt through the program virsh, for a Python without the libvirt binding."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from typing import IO, cast

from .api import DomainEntry, HypervisorError, NetworkEntry, PoolEntry, Reader, VolumeEntry
from .uri import hint, opened_uri
from .xml_text import parse, text_of

# Seconds. A command waits for the daemon, and a connection by ssh for the network; only an upload takes as long as it
# takes.
_PATIENCE = 180.0
_PIECE = 1 << 20
# The commands of one call are one argument of the process, which may have 128 KiB.
_COMMANDS = 200


class Virsh:
    """See :class:`.api.Hypervisor`."""

    driver = "virsh"

    def __init__(self, uri: str, program: str = "virsh") -> None:
        self.uri = uri
        self._command = [program, "--quiet", "--connect", opened_uri(uri)]
        self._run("uri")

    def close(self) -> None:
        """Nothing: each command has its own connection."""

    # Domains

    def domains(self) -> Sequence[DomainEntry]:
        uuids = self._run("list", "--all", "--uuid").split()
        questions = ("dominfo", "domstate --reason", "dumpxml", "dumpxml --inactive")
        answers = iter(self._batch(f"{question} {uuid}" for uuid in uuids for question in questions))
        found = [_entry(uuid, *(next(answers) for _question in questions)) for uuid in uuids]
        return [entry for entry in found if entry is not None]

    def saved_definition(self, uuid: str) -> str:
        return self._run("dumpxml", uuid, "--inactive", "--security-info")

    def define(self, xml: str) -> None:
        self._run("define", "/dev/stdin", xml=xml)

    def start_once(self, xml: str) -> None:
        self._run("create", "/dev/stdin", xml=xml)

    def start(self, uuid: str) -> None:
        self._run("start", uuid)

    def stop(self, uuid: str) -> None:
        self._run("destroy", uuid)

    def undefine(self, uuid: str) -> None:
        try:
            self._run("undefine", uuid, "--managed-save", "--snapshots-metadata", "--checkpoints-metadata", "--nvram")
        except HypervisorError as error:
            # Drivers without firmware, as test:///, know neither NVRAM nor checkpoints.
            if "unsupported flags" not in error.message:
                raise
            self._run("undefine", uuid, "--managed-save", "--snapshots-metadata")

    def update_device(self, uuid: str, xml: str) -> None:
        self._run("update-device", uuid, "/dev/stdin", "--live", "--force", xml=xml)

    def capabilities(self) -> str:
        return self._run("capabilities")

    # Storage

    def pools(self) -> Sequence[PoolEntry]:
        names = self._run("pool-list", "--name").split("\n")
        documents = self._batch(f"pool-dumpxml {shlex.quote(name.strip())}" for name in names if name.strip())
        roots = [parse(text) for text in documents if text.strip()]
        return [
            PoolEntry(text_of(root, "name"), int(text_of(root, "capacity") or 0), int(text_of(root, "available") or 0))
            for root in roots
        ]

    def volumes(self, pool: str) -> Sequence[VolumeEntry]:
        self._run("pool-refresh", "--pool", pool)
        names = [
            re.split(r"\s{2,}", line.strip())[0]
            for line in self._run("vol-list", "--pool", pool).splitlines()
            if line.strip()
        ]
        documents = self._batch(f"vol-dumpxml --pool {shlex.quote(pool)} --vol {shlex.quote(name)}" for name in names)
        roots = [parse(text) for text in documents if text.strip()]
        return [VolumeEntry(text_of(root, "name"), int(text_of(root, "capacity") or 0)) for root in roots]

    def create_volume(self, pool: str, xml: str) -> None:
        self._run("vol-create", "--pool", pool, "--file", "/dev/stdin", xml=xml)

    def delete_volume(self, pool: str, name: str) -> None:
        self._run("vol-delete", "--pool", pool, "--vol", name)

    def upload(self, pool: str, name: str, read: Reader, size: int) -> None:
        arguments = [
            *self._command,
            "vol-upload",
            "--pool",
            pool,
            "--vol",
            name,
            "--file",
            "/dev/stdin",
            "--length",
            str(size),
        ]
        with self._process(arguments) as process:
            sink, messages = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stderr)
            try:
                _copy(read, sink, size)
                sink.close()
            except BrokenPipeError:
                pass  # virsh has ended; its own message says why
            except BaseException:
                process.kill()
                raise
            errors = messages.read().decode(errors="replace")
        if process.returncode:
            raise self._fault(errors)

    # Networks

    def networks(self) -> Sequence[NetworkEntry]:
        names = [name.strip() for name in self._run("net-list", "--all", "--name").split("\n") if name.strip()]
        answers = iter(
            self._batch(
                f"{question} {shlex.quote(name)}"
                for name in names
                for question in ("net-info", "net-dumpxml --inactive")
            )
        )
        found = []
        for name in names:
            info, saved = _table(next(answers)), next(answers)
            found.append(NetworkEntry(name, info.get("Active") == "yes", info.get("Autostart") == "yes", saved))
        return found

    def define_network(self, xml: str) -> None:
        self._run("net-define", "/dev/stdin", xml=xml)

    def start_network(self, name: str) -> None:
        self._run("net-start", "--network", name)

    def stop_network(self, name: str) -> None:
        self._run("net-destroy", "--network", name)

    def undefine_network(self, name: str) -> None:
        self._run("net-undefine", "--network", name)

    def autostart_network(self, name: str, on: bool) -> None:
        self._run("net-autostart", "--network", name, *([] if on else ["--disable"]))

    # The program

    def _run(self, *arguments: str, xml: str = "") -> str:
        with self._process([*self._command, *arguments]) as process:
            try:
                output, errors = process.communicate(xml.encode(), timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise HypervisorError(
                    f"{self.uri}: virsh {arguments[0]} did not end within {_PATIENCE:.0f} s."
                ) from None
        if process.returncode:
            raise self._fault(errors.decode(errors="replace"))
        return output.decode(errors="replace")

    def _batch(self, commands: Iterable[str]) -> list[str]:
        """The output of many commands, those of one call over one connection; empty for a command that failed: what it
        asked for has been removed.
        """
        every = list(commands)
        found: list[str] = []
        for start in range(0, len(every), _COMMANDS):
            part = every[start : start + _COMMANDS]
            # The end of an answer must not be found in an answer.
            mark = secrets.token_hex(16)
            output = self._run(f"echo {mark}; " + "; ".join(f"{command}; echo {mark}" for command in part))
            # Whether virsh ends the line of an echo depends on --quiet and on its version.
            found += [answer.lstrip("\n") for answer in output.split(mark)[1:-1]]
        return found

    def _process(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        try:
            # No run_command of AnsibleModule: this package knows nothing of Ansible.
            return subprocess.Popen(  # pylint: disable=ansible-bad-function
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C"},
                start_new_session=True,
            )
        except OSError as error:
            raise HypervisorError(
                f"{self.uri}: the Python library libvirt cannot be imported, and the program virsh cannot be started: "
                f"{error.strerror}.",
                "Install libvirt-python, or the package that has virsh (libvirt-client, libvirt-clients).",
            ) from error

    def _fault(self, errors: str) -> HypervisorError:
        text = (
            " ".join(line.removeprefix("error: ") for line in errors.splitlines() if line.strip())
            or "virsh failed without a message."
        )
        return HypervisorError(f"{self.uri}: {text}", hint(text, self.uri))


def _entry(uuid: str, info: str, state: str, current: str, saved: str) -> DomainEntry | None:
    """A domain from what virsh prints of it; None if it has been removed meanwhile."""
    facts = _table(info)
    if not facts or not current.strip():
        return None
    word, _bracket, reason = state.strip().partition(" (")
    persistent = facts.get("Persistent") == "yes"
    running = word not in ("shut off", "crashed", "no state") and facts.get("Id", "-") != "-"
    words = reason.rstrip(")") if word == "paused" and reason.startswith("I/O") else ""
    return DomainEntry(facts["Name"], uuid, word, words, current if running else "", saved if persistent else "")


def _table(text: str) -> dict[str, str]:
    """Lines of the form ``Key: value``."""
    return {
        key.strip(): value.strip()
        for key, _colon, value in (line.partition(":") for line in text.splitlines())
        if value
    }


def _copy(read: Reader, target: IO[bytes], size: int) -> None:
    left = size
    while left > 0 and (piece := read(min(_PIECE, left))):
        target.write(piece)
        left -= len(piece)
