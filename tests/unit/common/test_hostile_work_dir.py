# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test work directories that another user prepared: the run reads and writes nothing outside them, and uses nothing
inside them.
"""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import files
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.tests.support.hostile import work_dirs
from hypothesis import given
from hypothesis import strategies as st

MODULE_UTILS = Path(__file__).parents[3] / "plugins" / "module_utils"
# It runs in a process of its own, without the rest of the collection, and has its own safe way to write.
ALONE = {"serving/server.py"}
SUBDIRECTORIES = ("auth", "cache", "config", "images", "logs")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    directory = tmp_path / "work"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def bashrc(tmp_path: Path) -> Path:
    path = tmp_path / "bashrc"
    path.write_text("export PATH\n")
    return path


def take_lock(work: Path) -> None:
    with one_run(work, "agent_image", SystemClock(), limit=0.0):
        StateFile(work / "state.json").update("image", {"path": "x"})


@pytest.mark.parametrize("name", [".lock", ".state.lock", "state.json"])
def test_a_link_under_a_fixed_name_is_not_followed(work: Path, bashrc: Path, name: str) -> None:
    link = work_dirs.plant_link(work, name, bashrc)
    with pytest.raises(ZeroTouchError) as refused:
        take_lock(work)
    assert refused.value.message == f"{link} is a symbolic link."
    assert "openshift_work_dir" in refused.value.hint
    assert bashrc.read_text() == "export PATH\n"


@pytest.mark.parametrize("name", [".lock", ".state.lock"])
def test_a_link_to_nothing_makes_no_file_elsewhere(work: Path, tmp_path: Path, name: str) -> None:
    work_dirs.plant_link(work, name, tmp_path / "crontab")
    with pytest.raises(ZeroTouchError, match="is a symbolic link"):
        take_lock(work)
    assert not (tmp_path / "crontab").exists()


def test_the_directory_of_another_user_is_refused_before_the_lock(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work_dirs.run_as_another_user(monkeypatch)
    with pytest.raises(ZeroTouchError) as refused:
        take_lock(work)
    assert f"{work} belongs to " in refused.value.message
    assert "chown" in refused.value.hint and "openshift_work_dir" in refused.value.hint
    assert list(work.iterdir()) == []
    (work / "state.json").write_text('{"format": 1, "publish": {"pid": 1}}')
    with pytest.raises(ZeroTouchError, match="belongs to"):
        StateFile(work / "state.json").read()


@pytest.mark.parametrize("mode", work_dirs.WRITABLE_BY_OTHERS)
@pytest.mark.parametrize("place", ["", *SUBDIRECTORIES])
def test_what_others_can_write_is_refused_before_the_lock(work: Path, place: str, mode: int) -> None:
    directory = work / place
    directory.mkdir(exist_ok=True)
    directory.chmod(mode)
    with pytest.raises(ZeroTouchError) as refused:
        take_lock(work)
    assert refused.value.message == f"Other users can write to {directory} (mode {mode & 0o777:04o})."
    assert f"chmod go-w {directory}" in refused.value.hint
    assert not (work / ".lock").exists()


@pytest.mark.parametrize("mode", work_dirs.NOT_WRITABLE_BY_OTHERS)
def test_what_others_can_only_read_is_used(work: Path, mode: int) -> None:
    (work / "images").mkdir(mode=0o700)
    (work / "images").chmod(mode)
    work.chmod(mode)
    take_lock(work)
    assert StateFile(work / "state.json").section("image") == {"path": "x"}


def test_directories_of_this_collection_are_private_with_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        take_lock(tmp_path / "clusters" / "kni22")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "clusters" / "kni22").stat().st_mode) == 0o700
    take_lock(tmp_path / "clusters" / "kni22")


def test_a_path_that_leads_through_a_link_is_fine(work: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(work)
    take_lock(tmp_path / "current")
    assert (work / "state.json").exists()


def test_a_subdirectory_may_be_a_link_of_the_same_user(work: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir(mode=0o700)
    (work / "images").symlink_to(tmp_path / "disk")
    take_lock(work)
    (tmp_path / "disk").chmod(0o777)
    with pytest.raises(ZeroTouchError, match=r"Other users can write to .*/images"):
        take_lock(work)


@pytest.mark.parametrize("name", ["state.json", "auth/kubeconfig", "auth/kubeconfig.direct"])
def test_a_file_that_decides_what_a_run_does_must_be_private(work: Path, name: str) -> None:
    (work / name).parent.mkdir(mode=0o700, exist_ok=True)
    (work / name).write_text('{"format": 1}')
    (work / name).chmod(0o666)
    with pytest.raises(ZeroTouchError, match=f"Other users can write to {work / name} "):
        take_lock(work)
    (work / name).chmod(0o644)
    take_lock(work)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of other users")
def test_a_subdirectory_that_is_a_link_of_another_user_is_refused(work: Path, tmp_path: Path) -> None:
    (tmp_path / "ssh").mkdir(mode=0o700)
    (work / "auth").symlink_to(tmp_path / "ssh")
    os.lchown(work / "auth", 4242, 4242)
    with pytest.raises(ZeroTouchError, match="auth is a symbolic link of user 4242"):
        take_lock(work)


def test_a_link_is_replaced_by_a_file_and_its_target_is_left_alone(work: Path, bashrc: Path) -> None:
    link = work_dirs.plant_link(work, "auth/kubeconfig", bashrc)
    bashrc.chmod(0o600)
    assert files.write_atomic(link, bashrc.read_text())
    assert not link.is_symlink() and bashrc.read_text() == link.read_text()


def test_the_place_of_a_temporary_file_cannot_be_taken(work: Path, bashrc: Path) -> None:
    with files.atomic_writer(work / "state.json") as handle:
        temporary = next(path for path in work.iterdir() if path.name.endswith(".part"))
        work_dirs.swap_for_link(temporary, bashrc)()
        handle.write(b"{}")
    assert bashrc.read_text() == "export PATH\n"


@given(mode=st.integers(0, 0o7777), owner=st.integers(0, 1 << 32), user=st.integers(0, 1 << 32))
def test_only_an_own_directory_that_others_cannot_write_is_accepted(mode: int, owner: int, user: int) -> None:
    fault = files.privacy_fault(Path("/work"), mode, owner, user, "openshift_work_dir")
    assert (fault is None) == (owner == user and not mode & 0o022)
    assert fault is None or (fault.hint and "openshift_work_dir" in fault.hint and fault.message.endswith("."))


def writes(path: Path) -> list[int]:
    """Lines on which a file opens a path for writing by itself."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        arguments = [ast.unparse(argument) for argument in (*node.args, *(keyword.value for keyword in node.keywords))]
        by_mode = name.rpartition(".")[2] == "open" and any(
            argument.strip("'\"")[:1] in "wax" or "+" in argument for argument in arguments[-1:]
        )
        by_flag = name == "os.open" and any(
            flag in argument for argument in arguments for flag in ("O_WRONLY", "O_RDWR", "O_CREAT")
        )
        if by_flag or (by_mode and name != "tarfile.open") or name.endswith((".write_text", ".write_bytes")):
            found.append(node.lineno)
    return found


def test_files_are_opened_for_writing_in_one_place() -> None:
    found = {
        str(path.relative_to(MODULE_UTILS)): lines
        for path in sorted(MODULE_UTILS.rglob("*.py"))
        if (lines := writes(path))
    }
    # The client certificate of a kubeconfig is in a temporary directory of its own.
    assert found.keys() - ALONE - {"kube/client.py"} == set()
    for name in ALONE & found.keys():
        assert "O_NOFOLLOW" in (MODULE_UTILS / name).read_text(), name
