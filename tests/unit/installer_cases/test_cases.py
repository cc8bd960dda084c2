# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The installer's own integration cases against our modules (issue 6, item 8).

The cases are in ../shared/installer-cases beside the checkout, or in the directory that INSTALLER_CASES names; INSTALLER_CASES_VERSION says of which
release they are, where they do not show it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, make_secrets
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import Archive, command_lines, parse_line
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.installer import UNBUILT, Installer
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.script import COMMANDS, Script, ScriptFailure, Skipped

_HERE = Path(__file__).resolve()
CASES = Path(os.environ.get("INSTALLER_CASES") or _HERE.parents[3].parent / "shared" / "installer-cases")
FOUND = sorted(path for path in CASES.rglob("*") if path.suffix in (".txt", ".txtar")) if CASES.is_dir() else []
MISSING = f"the installer's cases are not here: {CASES} is no directory"
RELEASE_IMAGE = "quay.io/openshift-release-dev/ocp-release:{version}-x86_64"


def release_of_the_cases() -> str:
    """Cases are of one release, and say so by what they expect: manifests of older ones have an empty time of creation."""
    older = any("creationTimestamp: null" in text for path in FOUND for name, text in Archive.parse(path.read_text()).files.items() if "expected" in name)
    return os.environ.get("INSTALLER_CASES_VERSION") or ("4.20.0" if older else "4.22.0")


VERSION = release_of_the_cases()
REAL_INITRD = 101_000_000


@pytest.fixture(scope="session")
def secrets() -> BuildSecrets:
    return make_secrets()


@pytest.fixture(scope="session")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """CoreOS images by the size of their initrd in bytes."""
    directory = tmp_path_factory.mktemp("base")
    return functools.cache(lambda size: synthetic.make_iso(directory / f"rhcos-{size}.iso", ignition=262144, initrd=bytes(size)))


@pytest.mark.skipif(not FOUND, reason=MISSING)
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.relative_to(CASES).with_suffix("").as_posix())
def test_case(path: Path, tmp_path: Path, secrets: BuildSecrets, bases: Callable[[int], Path]) -> None:
    case = Archive.parse(path.read_text())
    # Where a case is about sizes, the base has that of a real one.
    base = bases(REAL_INITRD if "isoSize" in case.script else 6000)
    image = RELEASE_IMAGE.format(version=VERSION)
    case = Archive(case.script, {name: text.replace(UNBUILT, VERSION) for name, text in case.files.items()})
    work, scratch = tmp_path / "case", tmp_path / "scratch"
    work.mkdir()
    script = Script(case, work, Installer(scratch, base, VERSION, image, secrets), {"RELEASE_IMAGE": image})
    try:
        script.run()
    except Skipped as reason:
        pytest.skip(str(reason))
    assert script.compared, "nothing of this case was compared"
    for left_out in script.left_out:
        print(f"left out: {left_out}")


@pytest.mark.skipif(not FOUND, reason=MISSING)
def test_every_command_of_every_case_is_known() -> None:
    lines = [parse_line(number, text, {}) for path in FOUND for number, text in command_lines(Archive.parse(path.read_text()).script)]
    assert {line.command for line in lines if line is not None} - set(COMMANDS) <= _OF_COMMANDS_WITHOUT_COUNTERPART


# They come after a command that ends the case as skipped.
_OF_COMMANDS_WITHOUT_COUNTERPART = {"unconfiguredIgnContains", "unconfiguredIgnCmp"}


def run_script(tmp_path: Path, script: str, files: str = "") -> None:
    work = tmp_path / "case"
    work.mkdir()
    Script(Archive.parse(f"{script}\n{files}"), work, Installer(tmp_path / "scratch", tmp_path, "4.22.0", "", None), {}).run()  # type: ignore[arg-type]


FILES = "-- a/one.txt --\none $X\n-- two.txt --\none 1\n"


@pytest.mark.parametrize(
    "script",
    [
        "exists $WORK/a/one.txt two.txt\n! exists three.txt",
        "env X=1\ncmpenv a/one.txt two.txt\n! cmp a/one.txt two.txt",
        "grep '^one' two.txt\n! grep two two.txt\ngrep -count=1 one two.txt",
        "cp two.txt three.txt\ncmp two.txt three.txt\nrm two.txt\n! exists two.txt\nmkdir d/e\nexists d/e\nmv three.txt d/e/f\nexists d/e/f",
        "env X=1\nexpandFile a/one.txt\ncmp a/one.txt two.txt",
        "[windows] exists nothing\n[!linux] exists nothing\n# a comment\nexists two.txt # and another\nstop\nexists nothing",
    ],
)
def test_what_holds(tmp_path: Path, script: str) -> None:
    run_script(tmp_path, script, FILES)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exists three.txt", "line 1: exists three.txt: three.txt does not exist"),
        ("! exists two.txt", "line 1: ! exists two.txt: it holds"),
        ("cmp a/one.txt two.txt", "line 1 differs: 'one \\$X' instead of 'one 1'"),
        ("grep three two.txt", "no match for 'three'"),
        ("frobnicate two.txt", "line 1: unknown command frobnicate"),
        ("[plan9] exists two.txt", "unknown condition"),
        ("exec sh -c true", "unknown program sh"),
        ("exec openshift-install create cluster", "is not known"),
        ("exec openshift-install agent create image --dir $WORK --fast", "unknown options --fast"),
        ("! exec openshift-install agent create image --dir $WORK\nstderr 'all is well'", "no match for 'all is well'"),
        ("exec openshift-install agent create image --dir $WORK", "exit status 1"),
    ],
)
def test_what_does_not_hold_fails(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(ScriptFailure, match=message):
        run_script(tmp_path, script, FILES)


@pytest.mark.parametrize("script", ["skip 'not today'", "exec openshift-install agent graph"])
def test_what_has_no_counterpart_is_skipped(tmp_path: Path, script: str) -> None:
    with pytest.raises(Skipped):
        run_script(tmp_path, script, FILES)
