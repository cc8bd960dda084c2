# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Who has read the image, by the log of the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.request_log import UNKNOWN, RequestLog

SINCE = "2026-01-01T00:05:00Z"
LINES = [
    ("a range", "2026-01-01T00:05:00Z 10.0.0.1 GET bytes=0-1 206 2 bytes 0.001 s", {"10.0.0.1"}),
    ("the whole image, which is still being sent", "2026-01-01T00:06:00Z 10.0.0.1 GET - 200 1048576 bytes 10.000 s so far", {"10.0.0.1"}),
    ("IPv6", "2026-01-01T00:06:00Z fd00:0:0::1 GET - 200 1 bytes 0.1 s", {"fd00::1"}),
    ("IPv4 at a server for both", "2026-01-01T00:06:00Z ::ffff:10.0.0.1 GET - 200 1 bytes 0.1 s", {"10.0.0.1"}),
    ("before", "2026-01-01T00:04:59Z 10.0.0.1 GET bytes=0-1 206 2 bytes 0.001 s", set()),
    ("HEAD", "2026-01-01T00:06:00Z 10.0.0.1 HEAD - 200 0 bytes 0.001 s", set()),
    ("another path", "2026-01-01T00:06:00Z 10.0.0.1 GET - 404 11 bytes 0.001 s", set()),
    ("nothing was sent", "2026-01-01T00:06:00Z 10.0.0.1 GET - 200 0 bytes 0.001 s", set()),
    ("no answer", "2026-01-01T00:06:00Z 10.0.0.1 connection ended: broken pipe", set()),
    ("a server began", "2026-01-01T00:06:00Z begin: pid 1, port 2, /x/agent.iso", set()),
    ("bytes that are no text", "2026-01-01T00:06:00Z \udcff GET - 500 1 bytes", set()),
]


@pytest.mark.parametrize(("line", "expected"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_what_is_a_read(tmp_path: Path, line: str, expected: set[str]) -> None:
    path = tmp_path / "log"
    path.write_text(f"{line}\n", errors="surrogateescape")
    assert RequestLog(path, SINCE).readers() == expected


def test_the_log_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = RequestLog(path, SINCE)
    assert log.readers() == frozenset()
    read = "2026-01-01T00:06:00Z 10.0.0.{} GET - 200 1 bytes 0.1 s\n"
    path.write_text(read.format(1) + read.format(2)[:30])
    assert log.readers() == {"10.0.0.1"}
    path.write_text(read.format(1) + read.format(2))
    assert log.readers() == {"10.0.0.1", "10.0.0.2"}
    path.write_text(read.format(3))  # a full log is replaced
    assert log.readers() == {"10.0.0.1", "10.0.0.2", "10.0.0.3"}


def test_a_log_that_cannot_be_read_may_have_each_reader(tmp_path: Path) -> None:
    assert RequestLog(tmp_path, SINCE).readers() == {UNKNOWN}
