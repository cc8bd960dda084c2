# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the script of an installer test case: the commands of Go's testscript that need no Go, and those that upstream
adds for images.

A command that is not known fails.

A command about a feature that our modules do not have is left out and reported.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import (
    Archive,
    Line,
    command_lines,
    expand,
    parse_line,
)
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.counterparts import reason_without_counterpart
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.images import (
    archive_members,
    configuration_file,
    ignition_of,
    initrd_members,
    iso_file,
)
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.installer import Installer, NoCounterpart


class ScriptFailure(AssertionError):
    """A command of the script did not do what the script says."""


class Skipped(Exception):
    """The script ends without a verdict; the text is the reason."""


class _Stopped(Exception):
    """The script says stop."""


@dataclasses.dataclass
class Script:
    """One case in a directory of its own."""

    archive: Archive
    work: Path
    installer: Installer
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    stdout: str = ""
    stderr: str = ""
    compared: int = 0
    left_out: list[str] = dataclasses.field(default_factory=list)

    def run(self) -> None:
        """Raises :class:`ScriptFailure` for the first line that does not hold, :class:`Skipped` where there is nothing
        to compare.
        """
        self.variables = {
            "WORK": str(self.work),
            "HOME": str(self.work),
            "TMPDIR": str(self.work),
            "/": "/",
            ":": ":",
            **self.variables,
        }
        self.archive.unpack(self.work)
        try:
            for number, text in command_lines(self.archive.script):
                line = parse_line(number, text, self.variables)
                if line is not None and all(self.holds(condition) for condition in line.conditions):
                    self.step(line)
        except _Stopped:
            pass

    def holds(self, condition: str) -> bool:
        wanted = not condition.startswith("!")
        known = {
            "unix": True,
            "linux": True,
            "windows": False,
            "darwin": False,
            "short": False,
            "net": False,
            "link": True,
            "symlink": True,
            "root": False,
        }
        name = condition.lstrip("!")
        if name.startswith("exec:"):
            return (shutil.which(name.removeprefix("exec:")) is not None) == wanted
        if name not in known:
            raise ScriptFailure(f"unknown condition [{condition}]")
        return known[name] == wanted

    def step(self, line: Line) -> None:
        command = COMMANDS.get(line.command)
        if command is None:
            raise ScriptFailure(f"line {line.number}: unknown command {line.command}")
        reason = "" if line.negated and line.command == "exists" else reason_without_counterpart(line)
        if reason:
            self.left_out.append(
                f"{line.command} {' '.join(line.arguments)}: {reason}".replace(str(self.work), "$WORK")
            )
            return
        try:
            command(self, line)
        except NoCounterpart as error:
            raise Skipped(str(error)) from None
        except (ScriptFailure, OSError, ValueError, LookupError) as error:
            sign = "! " if line.negated else ""
            shown = f"{sign}{line.command} {' '.join(line.arguments)}"
            raise ScriptFailure(f"line {line.number}: {shown}: {error}\n--- stderr ---\n{self.stderr}") from None
        self.compared += line.command not in _PREPARING

    def path(self, name: str) -> Path:
        if name in ("stdout", "stderr"):
            raise ScriptFailure(f"{name} is no file")
        return self.work / name

    def text(self, name: str) -> str:
        return (
            {"stdout": self.stdout, "stderr": self.stderr}[name]
            if name in ("stdout", "stderr")
            else self.path(name).read_text()
        )

    def check(self, line: Line, holds: bool, otherwise: str) -> None:
        if not line.either and holds == line.negated:
            raise ScriptFailure(f"{otherwise}" if not line.negated else "it holds")


def execute(script: Script, line: Line) -> None:
    program, *arguments = line.arguments
    if program != "openshift-install":
        raise ScriptFailure(f"unknown program {program}")
    done = script.installer.run(arguments, script.variables)
    script.stdout, script.stderr = done.stdout, done.stderr
    script.check(line, done.code == 0, f"exit status {done.code}")


def matches(stream: Callable[[Script, Line], str]) -> Callable[[Script, Line], None]:
    def command(script: Script, line: Line) -> None:
        arguments = [argument for argument in line.arguments if not argument.startswith("-count=")]
        counts = [
            int(argument.removeprefix("-count=")) for argument in line.arguments if argument.startswith("-count=")
        ]
        found = len(re.findall(arguments[0], stream(script, line), re.MULTILINE))
        script.check(
            line,
            found == counts[0] if counts else found > 0,
            f"no match for {arguments[0]!r}" if not counts else f"{found} matches",
        )

    return command


def exists(script: Script, line: Line) -> None:
    for name in [argument for argument in line.arguments if argument != "-readonly"]:
        script.check(line, script.path(name).exists(), f"{name} does not exist")


def compare(script: Script, line: Line) -> None:
    first, second = line.arguments
    found, wanted = script.text(first), script.path(second).read_text()
    if line.command == "cmpenv":
        found, wanted = expand(found, script.variables), expand(wanted, script.variables)
    script.check(line, found == wanted, _difference(found, wanted))


def iso_compare(regex: bool) -> Callable[[Script, Line], None]:
    def command(script: Script, line: Line) -> None:
        image, name, expected = line.arguments
        found = configuration_file(script.path(image), name).decode()
        wanted = expand(script.path(expected).read_text(), script.variables)
        script.check(line, bool(re.search(wanted, found)) if regex else found == wanted, _difference(found, wanted))

    return command


def _difference(found: str, wanted: str) -> str:
    pairs = zip([*found.split("\n"), "<end>"], [*wanted.split("\n"), "<end>"], strict=False)
    number, (ours, theirs) = next(
        ((number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]), (0, ("", ""))
    )
    return f"line {number} differs: {ours!r} instead of {theirs!r}"


def iso_contains_ignition_file(script: Script, line: Line) -> None:
    image, name = line.arguments
    try:
        configuration_file(script.path(image), name)
    except LookupError as error:
        script.check(line, False, str(error))
    else:
        script.check(line, True, "")


def iso_user(script: Script, line: Line) -> None:
    image, name, key = line.arguments
    users = ignition_of(script.path(image))["passwd"]["users"]
    script.check(
        line,
        any(user["name"] == name and user["sshAuthorizedKeys"][:1] == [key] for user in users),
        f"there is no user {name} with this key",
    )


def archive_contains(script: Script, line: Line) -> None:
    image, name = line.arguments
    script.check(
        line, name in archive_members(script.path(image), "images/ignition.img"), f"{name} is not in the archive"
    )


def image_contains(script: Script, line: Line) -> None:
    image, name = line.arguments
    script.check(line, bool(iso_file(script.path(image), name)), f"{name} is not in the image")


def initrd_contains(script: Script, line: Line) -> None:
    image, name = line.arguments
    script.check(
        line,
        any(re.search(name.lstrip("/"), member) for member in initrd_members(script.path(image))),
        f"{name} is not in the initrd",
    )


def iso_size(largest: bool) -> Callable[[Script, Line], None]:
    def command(script: Script, line: Line) -> None:
        size, limit = script.path(line.arguments[0]).stat().st_size, int(line.arguments[1]) * 1_000_000
        script.check(line, size <= limit if largest else size >= limit, f"it has {size} bytes")

    return command


def expand_file(script: Script, line: Line) -> None:
    for name in line.arguments:
        script.path(name).write_text(expand(script.path(name).read_text(), script.variables))


def set_variables(script: Script, line: Line) -> None:
    for argument in line.arguments:
        name, _equals, value = argument.partition("=")
        script.variables[name] = value


def make_directories(script: Script, line: Line) -> None:
    for name in line.arguments:
        script.path(name).mkdir(parents=True, exist_ok=True)


def copy(script: Script, line: Line) -> None:
    *sources, target = line.arguments
    for source in sources:
        into = script.path(target)
        (into / Path(source).name if into.is_dir() else into).write_text(script.text(source))


def move(script: Script, line: Line) -> None:
    script.path(line.arguments[0]).rename(script.path(line.arguments[1]))


def remove(script: Script, line: Line) -> None:
    for name in line.arguments:
        path = script.path(name)
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def skip(script: Script, line: Line) -> None:
    raise Skipped(" ".join(line.arguments) or "the case says skip")


def stop(script: Script, line: Line) -> None:
    raise _Stopped


COMMANDS: Mapping[str, Callable[[Script, Line], None]] = {
    "exec": execute,
    "stdout": matches(lambda script, _line: script.stdout),
    "stderr": matches(lambda script, _line: script.stderr),
    "grep": matches(lambda script, line: script.text(line.arguments[-1])),
    "exists": exists,
    "cmp": compare,
    "cmpenv": compare,
    "env": set_variables,
    "mkdir": make_directories,
    "cp": copy,
    "mv": move,
    "rm": remove,
    "skip": skip,
    "stop": stop,
    "expandFile": expand_file,
    "isocmp": iso_compare(regex=False),
    "isoCmp": iso_compare(regex=False),
    "isoCmpRegEx": iso_compare(regex=True),
    "isoIgnitionContains": iso_contains_ignition_file,
    "isoIgnitionUser": iso_user,
    "ignitionImgContains": archive_contains,
    "initrdImgContains": initrd_contains,
    "configImgContains": image_contains,
    "isoContains": image_contains,
    "isoSizeMin": iso_size(largest=False),
    "isoSizeMax": iso_size(largest=True),
}
_PREPARING = ("env", "mkdir", "cp", "mv", "rm", "expandFile")
