# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test serving an image file while other processes change or delete it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.content import Content

PATH = "/token/agent.x86_64.iso"


def replaced(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"other")
    os.replace(other, file)


def appended(file: Path) -> None:
    with file.open("ab") as handle:
        handle.write(b"more")


def moved(file: Path) -> None:
    """Another file has the path; the first one still exists, with the same bytes."""
    file.rename(file.with_name("moved"))
    file.write_bytes(b"another")


@pytest.mark.parametrize("change", [replaced, appended, moved])
def test_a_changed_file_is_served_as_it_is_then(tmp_path: Path, change: Callable[[Path], None]) -> None:
    file = tmp_path / "image"
    file.write_bytes(b"image")
    content = Content(str(file), PATH)
    _ours, before = content.find(PATH)
    assert before is not None and before.handle.read() == b"image"
    tick = tmp_path / "tick"
    tick.touch()
    # a change in the same tick of the file system's clock could not be seen
    while tick.stat().st_ctime_ns == file.stat().st_ctime_ns:
        tick.touch()
    change(file)
    content.check_again()
    _ours, after = content.find(PATH)
    assert after is not None and after.handle.read() == file.read_bytes() and after.etag != before.etag
    content.check_again()
    assert content.find(PATH) == (True, after), "an unchanged file is not opened again"


def test_a_deleted_file_is_not_served(tmp_path: Path) -> None:
    file = tmp_path / "image"
    file.write_bytes(b"image")
    content = Content(str(file), PATH)
    assert content.find(PATH)[1] is not None
    file.unlink()
    content.check_again()
    assert content.find(PATH) == (True, None)
