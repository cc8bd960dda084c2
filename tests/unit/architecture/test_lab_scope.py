# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test docs/lab-scope.md: the tests that it names for the behaviours of upstream in the lab exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "lab-scope.md"


def cited() -> Iterator[tuple[str, str]]:
    """The file and the name of each test; an empty name for a whole file.

    A name without a file is in the file named before it.
    """
    base = file = ""
    for line in PAGE.read_text().splitlines():
        if heading := re.search(r"test in `(lab/tests/[\w./]*)`", line):
            base = file = heading[1]
            continue
        for text in re.findall(r"`([^`]*test_[^`]*)`", line if base else ""):
            name, _colons, test = text.partition("::") if ".py" in text else ("", "", text.removeprefix("::"))
            if name and base.endswith(".py"):
                # Beside the file of the heading, and for this row only.
                yield f"{base.rpartition('/')[0]}/{name}", test
                continue
            file = base + name if name else file
            yield file, test


@pytest.mark.parametrize(("file", "test"), list(cited()))
def test_a_cited_test_exists(file: str, test: str) -> None:
    path = ROOT / file
    assert path.is_file()
    assert not test or f"def {test}(" in path.read_text()


def test_the_page_cites_tests() -> None:
    assert len(list(cited())) > 40
