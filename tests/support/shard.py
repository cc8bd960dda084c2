# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run a share of the tests that fits into a time limit, as a pytest plugin (``-p``) for long runs. The plugin also
prints the command that runs a failed test alone.

``--shard TEXT`` orders the test files by a hash of TEXT, for example of a commit, so that each commit runs another
share. ``--until EPOCH`` starts no file after this time. A file that was started runs to its end, since its tests can
build on each other. The plugin prints at the end which files ran.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from pathlib import Path

import pytest

NOT_STARTED = "not in this share: its time was over"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("shard", "a share of the tests")
    group.addoption(
        "--shard", default="", metavar="TEXT", help=("order the test files by a hash of TEXT and of their path")
    )
    group.addoption(
        "--until",
        type=int,
        default=0,
        metavar="EPOCH",
        help=("start no test file after this time (seconds since 1970)"),
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(
        Share(config.getoption("--shard"), config.getoption("--until"), config.rootpath), "share of the tests"
    )


class Share:
    """The share of one process; each worker of pytest-xdist has one."""

    def __init__(self, text: str, until: int, root: Path) -> None:
        self._text = text
        self._until = until
        self._root = root
        self._started: set[Path] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._text:
            items.sort(key=lambda item: self._place(item.path))

    def _place(self, path: Path) -> str:
        return hashlib.sha256(f"{self._text} {path.relative_to(self._root)}".encode()).hexdigest()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item.path in self._started:
            return
        if self._until and time.time() > self._until:
            pytest.skip(NOT_STARTED)
        self._started.add(item.path)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._text:
            ran = Counter(
                report.nodeid.split("::")[0]
                for name in ("passed", "failed")
                for report in terminalreporter.getreports(name)
            )
            terminalreporter.section(f"share {self._text}: {len(ran)} files")
            for file, count in sorted(ran.items()):
                terminalreporter.line(f"{file}: {count}")
        failed = [report.nodeid for name in ("failed", "error") for report in terminalreporter.getreports(name)]
        if failed:
            terminalreporter.section("one of them alone")
            for nodeid in dict.fromkeys(failed):
                terminalreporter.line(f"make one TEST='{nodeid}'")
