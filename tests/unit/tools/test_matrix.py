# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tools/matrix: which pairs of ansible-core and Python it runs, which it skips and why, and that one failed pair
fails it. The programs that it starts are replaced.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Without newest on 3.11, which is the .venv of these tests.
TABLE = (("2.16", "3.12", "3.11"), ("2.18", "3.13", "3.12", "3.11"), ("newest", "3.15", "3.14", "3.13", "3.12"))
CHECKS = ["tests/unit", ".build/artifact/ansible_collections/zerotouch/openshift", "tests/integration/test_repeat.py"]
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
# In the environment of a pair, python notes what it runs; a unit test run on the Python that FAILING names fails.
PYTHON = """#!/bin/sh
case "$*" in
*ansible.release*) echo 2.99.0 ;;
*pytest*) echo "$*" >>"$RUNS"; case "$0 $*" in *-"$FAILING"/*tests/unit*) exit 1 ;; esac ;;
esac
"""
UV = f"""#!/bin/sh
if [ "$1" = venv ]; then
    mkdir -p "$5/bin" && cat >"$5/bin/python" <<'END'
{PYTHON}
END
    chmod +x "$5/bin/python"
else
    echo "$*" >>"$RUNS"
    case "$5" in *-"$UNINSTALLABLE"/*) exit 1 ;; esac
fi
"""
SANITY = """#!/bin/sh
echo "sanity $1" >>"$RUNS"
"""

Matrix = Callable[..., tuple[int, str, list[str]]]


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    """Runs tools/matrix where the Pythons ``found`` are installed and .venv has 3.11: return code, output, and the
    commands that it ran.
    """

    def run(
        found: Collection[str], failing: str = "none", uninstallable: str = "none", **variables: str
    ) -> tuple[int, str, list[str]]:
        for name, text in (("sanity", SANITY), ("build-artifact", "#!/bin/sh\n")):
            program(tmp_path / "tools" / name, text)
        shutil.copy(ROOT / "tools" / "matrix", tmp_path / "tools" / "matrix")
        (tmp_path / "requirements").mkdir()
        (tmp_path / "requirements" / "matrix.txt").touch()
        program(tmp_path / ".venv" / "bin" / "python", "#!/bin/sh\necho 3.11\n")
        program(tmp_path / ".venv" / "bin" / "uv", UV)
        for version in VERSIONS:
            code = 0 if version in found else 1
            program(tmp_path / "bin" / f"python{version}", f"#!/bin/sh\nexit {code}\n")
        runs = tmp_path / "runs"
        runs.touch()
        own = {
            "PATH": f"{tmp_path / 'bin'}:{os.defpath}",
            "PYENV_ROOT": str(tmp_path),
            "RUNS": str(runs),
            "FAILING": failing,
            "UNINSTALLABLE": uninstallable,
        }
        done = subprocess.run(
            [str(tmp_path / "tools" / "matrix")],
            env={**own, **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr, runs.read_text().splitlines()

    return run


def test_the_whole_table(matrix: Matrix) -> None:
    code, output, runs = matrix(VERSIONS, MATRIX="all")
    assert code == 0, output
    cells = [line.split()[4].split("/")[2] for line in runs if line.startswith("pip install")]
    assert cells == [f"{core}-{version}" for core, *versions in TABLE for version in versions]
    asked = {line.split()[4].split("/")[2]: line.split()[5] for line in runs if line.startswith("pip install")}
    assert (asked["2.16-3.12"], asked["newest-3.13"]) == ("ansible-core~=2.16.0", "ansible-core")
    assert [line.rsplit(" ", 1)[1] for line in runs if not line.startswith("pip install")] == CHECKS * len(cells)
    assert "ansible-core newest, Python 3.11: this is .venv" in output
    assert output.splitlines()[-1] == f"-- matrix: {3 * len(cells)} checks passed, 0 failed, 0 skipped"


def test_each_ansible_core_with_the_newest_python_found(matrix: Matrix) -> None:
    code, output, runs = matrix(["3.11", "3.12", "3.13"], MATRIX="each")
    assert code == 0, output
    cells = [line.split()[4].split("/")[2] for line in runs if line.startswith("pip install")]
    assert cells == ["2.16-3.12", "2.18-3.13", "newest-3.13"]


def test_what_is_missing_is_skipped_with_its_reason(matrix: Matrix) -> None:
    code, output, _runs = matrix(["3.11", "3.12"], uninstallable="3.12", MATRIX="all", CHECKS="unit")
    assert code == 0, output
    assert [line for line in output.splitlines() if line.startswith("SKIPPED")] == [
        "SKIPPED matrix, ansible-core 2.16, Python 3.12: its packages cannot be installed here",
        "SKIPPED matrix, ansible-core 2.18, Python 3.13: no Python 3.13 found here",
        "SKIPPED matrix, ansible-core 2.18, Python 3.12: its packages cannot be installed here",
        *[
            f"SKIPPED matrix, ansible-core newest, Python {version}: no Python {version} found here"
            for version in ("3.15", "3.14", "3.13")
        ],
        "SKIPPED matrix, ansible-core newest, Python 3.12: its packages cannot be installed here",
    ]
    assert output.splitlines()[-1] == "-- matrix: 2 checks passed, 0 failed, 7 skipped"


def test_a_failure_fails_it_and_the_rest_is_run(matrix: Matrix) -> None:
    code, output, runs = matrix(["3.11", "3.12"], failing="3.12", MATRIX="all", CORE="2.16", CHECKS="unit deployment")
    assert code == 1
    assert "unit, ansible-core 2.16, Python 3.12: FAILED" in output
    assert [line.rsplit(" ", 1)[1] for line in runs if "pytest" in line] == [CHECKS[0], CHECKS[2]] * 2
    assert output.splitlines()[-1] == "-- matrix: 3 checks passed, 1 failed, 0 skipped"


def test_the_newest_python_only(matrix: Matrix) -> None:
    """The part of `make test` stays small: one Python, and without the slow tests."""
    code, _output, runs = matrix(["3.12", "3.13"], MATRIX="newest")
    (run,) = [line for line in runs if "pytest" in line]
    assert code == 0 and "newest-3.13" in run and "-m not slow" in run and "tests/unit/modules" in run


def test_no_newer_python(matrix: Matrix) -> None:
    code, output, runs = matrix(["3.11"])
    assert (code, runs) == (0, [])
    assert "SKIPPED matrix, no Python newer than 3.11 found here" in output


def test_an_unknown_mode_is_refused(matrix: Matrix) -> None:
    code, output, runs = matrix([], MATRIX="some")
    assert (code, runs) == (2, []) and "MATRIX is newest, pythons, each or all, not some" in output


def test_the_table_starts_at_the_floor() -> None:
    """The floor of meta/runtime.yml is what the matrix tests."""
    assert f'table=("{TABLE[0][0]} ' in (ROOT / "tools" / "matrix").read_text()
    assert f'requires_ansible: ">={TABLE[0][0]}.0"' in (ROOT / "meta" / "runtime.yml").read_text()
