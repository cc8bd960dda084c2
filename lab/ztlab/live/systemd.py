# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which units systemd starts, from enablement, dependencies, conditions, environment files, and the existence of
programs.

The effect of a unit's program is simulated elsewhere (by the unit's name); this module decides whether the program
starts, and why not.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping

from .ignition import Unit
from .root import Node, Root, parse_env

_BASE_PROGRAMS = ("/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/lib/", "/usr/libexec/")
_SHELLS = ("bash", "sh")
# Programs of the image that units call by their bare name, which systemd looks up in its path.
_IN_PATH = ("podman", "systemctl", "checkmodule", "semodule_package", "semodule")
_TARGETS_AT_BOOT = (
    "multi-user.target",
    "default.target",
    "basic.target",
    "sysinit.target",
    "network-online.target",
    "network.target",
    "graphical.target",
)


class NotStarted(Exception):
    """The unit does not run; the text says why, as the journal would."""


@dataclasses.dataclass(frozen=True)
class Container:
    """A container's environment, and its mounts: path inside -> path on the host."""

    environment: Mapping[str, str]
    mounts: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class UnitFile:
    """A parsed unit: (section, key) -> all values in order. An empty assignment resets the list, as in systemd."""

    name: str
    values: Mapping[tuple[str, str], tuple[str, ...]]

    def all(self, section: str, key: str) -> tuple[str, ...]:
        return self.values.get((section, key), ())

    def words(self, section: str, key: str) -> list[str]:
        return [word for value in self.all(section, key) for word in value.split()]


def parse_unit(name: str, text: str) -> UnitFile:
    """Continuation lines are joined; the syntax was checked by Ignition."""
    values: dict[tuple[str, str], tuple[str, ...]] = {}
    section = ""
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = line[1:-1]
            continue
        key, _, value = line.partition("=")
        place = (section, key.strip())
        values[place] = (*values.get(place, ()), value.strip()) if value.strip() else ()
    return UnitFile(name, values)


class Systemd:
    """The units of one live system."""

    def __init__(self, root: Root, units: Iterable[Unit]) -> None:
        self._root = root
        self._units = {
            unit.name: parse_unit(unit.name, unit.contents) for unit in units if unit.contents and not unit.mask
        }
        self._enabled = {unit.name for unit in units if unit.enabled}
        self.started: set[str] = set()

    def unit(self, name: str) -> UnitFile | None:
        return self._units.get(name)

    @functools.cached_property
    def wanted(self) -> frozenset[str]:
        """The units that the boot pulls in."""
        pulled = [name for name in self._units if self._wanted_by(name, _TARGETS_AT_BOOT)]
        found: set[str] = set()
        while pulled:
            name = pulled.pop()
            if name in found or name not in self._units:
                continue
            found.add(name)
            unit = self._units[name]
            pulled += [word for key in ("Wants", "Requires", "BindsTo") for word in unit.words("Unit", key)]
            pulled += [other for other in self._units if self._wanted_by(other, (name,))]
        return frozenset(found)

    def _wanted_by(self, name: str, targets: Iterable[str]) -> bool:
        if name not in self._enabled:
            return False
        unit = self._units[name]
        return any(
            target in targets for key in ("WantedBy", "RequiredBy", "UpheldBy") for target in unit.words("Install", key)
        )

    def start(self, name: str) -> dict[str, str]:
        """Start a unit and what it requires; its environment. Raises :class:`NotStarted`."""
        unit = self._units.get(name)
        if unit is None:
            raise NotStarted(f"Unit {name} not found.")
        if name not in self.wanted:
            raise NotStarted(f"{name}: not enabled, nothing pulls it in.")
        self.started.add(name)
        for required in (*unit.words("Unit", "Requires"), *unit.words("Unit", "BindsTo")):
            self._require(name, required)
        self._check_conditions(unit)
        environment = self._environment(unit)
        for key in ("ExecStartPre", "ExecStart"):
            for command in unit.all("Service", key):
                self._check_command(unit, command)
                self._copy_out(command)
        if not unit.all("Service", "ExecStart"):
            raise NotStarted(f"{name}: Service has no ExecStart= setting. Refusing.")
        return environment

    def _require(self, name: str, required: str) -> None:
        if required in self.started or not required.endswith(".service"):
            return
        if required not in self._units:
            raise NotStarted(f"{name}: Dependency failed: Unit {required} not found.")
        if required in self._units[name].words("Unit", "Before"):
            return  # starts after this one and cannot hinder it any more
        try:
            self.start(required)
        except NotStarted as error:
            if "condition check" in str(error):
                return  # a unit that was skipped by its conditions does not fail those that require it
            raise NotStarted(f"{name}: Dependency failed: {error}") from error

    def _check_conditions(self, unit: UnitFile) -> None:
        for condition in (*unit.all("Unit", "ConditionPathExists"), *unit.all("Unit", "AssertPathExists")):
            negated = condition.startswith("!")
            path = condition.lstrip("|!").strip()
            if self._root.exists(path) is negated:
                raise NotStarted(
                    f"{unit.name}: start condition check resulted in the unit being skipped: "
                    f"ConditionPathExists={condition}"
                )

    def _environment(self, unit: UnitFile) -> dict[str, str]:
        values: dict[str, str] = {}
        for assignment in unit.all("Service", "Environment"):
            for word in shlex.split(assignment):
                name, _, value = word.partition("=")
                values[name] = value
        for path in unit.all("Service", "EnvironmentFile"):
            text = self._root.text(path.removeprefix("-"))
            if text is not None:
                values |= parse_env(text)
            elif not path.startswith("-"):
                raise NotStarted(f"{unit.name}: Failed to load environment files: {path}: No such file or directory")
        return values

    def container(self, name: str, environment: Mapping[str, str], documented: Container) -> Container:
        """What the podman container of a unit sees; ``documented`` when the unit does not run podman itself but through
        a script.

        Raises :class:`NotStarted` for an env file that does not exist.
        """
        unit = self._units.get(name)
        command = " ".join(unit.all("Service", "ExecStart")) if unit else ""
        if "podman run" not in command:
            return documented
        values: dict[str, str] = {}
        for path in re.findall(r"--env-file[= ](\S+)", command):
            text = self._root.text(path)
            if text is None:
                raise NotStarted(f"{name}: Error: open {path}: no such file or directory")
            values |= parse_env(text, quotes=False)
        for word in re.findall(r"(?:--env|\s-e)[= ](\S+)", command):
            key, equals, value = word.strip("'\"").partition("=")
            if equals:
                values[key] = value
            elif key in environment:
                values[key] = environment[key]
        mounts = [volume.split(":") for volume in re.findall(r"(?:--volume|\s-v)[= ](\S+)", command)]
        return Container(values, {parts[1]: parts[0] for parts in mounts if len(parts) > 1})

    def runs(self, name: str, program: str) -> bool:
        """Whether a unit's ExecStartPre or ExecStart mentions a program."""
        unit = self._units.get(name)
        return unit is not None and any(
            program in command for key in ("ExecStartPre", "ExecStart") for command in unit.all("Service", key)
        )

    def _check_command(self, unit: UnitFile, command: str) -> None:
        tolerated = command.startswith("-")
        try:
            words = _words(command)
        except ValueError as error:
            raise NotStarted(f"{unit.name}: cannot parse {command!r}: {error}") from error
        problem = self._program_problem(words)
        if problem and not tolerated:
            raise NotStarted(f"{unit.name}: {problem}")

    def _copy_out(self, command: str) -> None:
        """A container that copies a program of its image into a directory of the host leaves it there."""
        match = re.search(r"podman run .*(?:--volume|-v)[= ](/\S+?):(/\S+?)(?::\S+)? .*\bcp (/\S+) (/\S+)$", command)
        if match and match[4].rstrip("/") == match[2].rstrip("/"):
            name = match[3].rpartition("/")[2]
            self._root.files[f"{match[1].rstrip('/')}/{name}"] = Node(0o755, b"\x7fELF")

    def _program_problem(self, words: list[str]) -> str:
        """Why a command does not run, "" when it does."""
        program = words[0] if words else ""
        if program.rsplit("/", 1)[-1] in _SHELLS:
            script = next((word for word in words[1:] if not word.startswith("-")), "")
            if "-c" in words[1:3] or not script.startswith("/"):
                return ""
            return self._script_problem(script, executable=False)
        if program.startswith(_BASE_PROGRAMS) or program in _IN_PATH:
            return ""
        if not program.startswith("/"):
            return f"Failed to locate executable {program}: No such file or directory"
        return self._script_problem(program, executable=True)

    def _script_problem(self, path: str, *, executable: bool) -> str:
        node = self._root.files.get(path)
        if node is None:
            return f"Failed to locate executable {path}: No such file or directory"
        if executable and not node.mode & 0o111:
            return f"Failed to execute {path}: Permission denied"
        first = node.content.split(b"\n", 1)[0]
        if executable and not first.startswith((b"#!", b"\x7fELF")):
            return f"Failed to execute {path}: Exec format error"
        if first.startswith(b"\x7fELF") or not any(shell.encode() in first for shell in _SHELLS):
            return ""
        complaint = _shell_complaint(node.content)
        return f"{path}: {complaint}" if complaint else ""


def _words(command: str) -> list[str]:
    return shlex.split(command.lstrip("-@:+!|"))


@functools.lru_cache(maxsize=256)
def _shell_complaint(script: bytes) -> str:
    """What a shell says about the syntax of a script, "" when nothing (or when this machine has no bash to ask)."""
    bash = shutil.which("bash")
    if bash is None:
        return ""
    result = subprocess.run([bash, "-n"], input=script, capture_output=True, check=False, timeout=20)
    return result.stderr.decode("utf-8", "replace").strip() if result.returncode else ""
