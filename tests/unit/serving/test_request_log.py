# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the log of the image server: which clients have read the image, and how much of it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.request_log import (
    UNKNOWN,
    ImageRead,
    RequestLog,
    join,
)

SINCE = "2026-01-01T00:05:00Z"
LINES = [
    ("a range", "2026-01-01T00:05:00Z 10.0.0.1 GET bytes=0-1 206 2 bytes 0.001 s", {"10.0.0.1"}),
    (
        "the whole image, which is still being sent",
        ("2026-01-01T00:06:00Z 10.0.0.1 GET - 200 1048576 bytes 10.000 s so far"),
        {"10.0.0.1"},
    ),
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


# Lines after "2026-01-01T00:0" -> what is read of 1000 bytes at 00:10:00.
READS = {
    "nothing": ([], None),
    "the whole image": (["6:00Z 10.0.0.1 GET - 200 1000 bytes 9.0 s"], ImageRead(100, 240)),
    "a part of it, and the connection broke": (["6:00Z 10.0.0.1 GET - 200 437 bytes 9.0 s"], ImageRead(43, 240)),
    "a range that was wanted to the end": (["6:00Z 10.0.0.1 GET bytes=900- 206 50 bytes 0.1 s"], ImageRead(5, 240)),
    "ranges in any order": (
        [f"6:0{at}Z 10.0.0.1 GET bytes={at}00-{at}99 206 100 bytes 0.1 s" for at in (3, 1, 2)],
        ImageRead(30, 237),
    ),
    "a range twice: it is being read": (
        ["6:00Z 10.0.0.1 GET bytes=0-99 206 100 bytes 0.1 s", "9:30Z 10.0.0.1 GET bytes=0-99 206 100 bytes 0.1 s"],
        ImageRead(10, 30),
    ),
    "an answer that goes on": (
        ["6:00Z 10.0.0.1 GET - 200 100 bytes 10.0 s so far", "7:00Z 10.0.0.1 GET - 200 700 bytes 70.0 s so far"],
        ImageRead(70, 180),
    ),
    "an answer that does not go on": (
        ["6:00Z 10.0.0.1 GET - 200 430 bytes 10.0 s so far", "7:00Z 10.0.0.1 GET - 200 430 bytes 70.0 s so far"],
        ImageRead(43, 240),
    ),
    "a range from the end, whose place is not known": (
        ["6:00Z 10.0.0.1 GET bytes=-99 206 99 bytes 0.1 s"],
        ImageRead(0, 240),
    ),
    "more than there is": (["6:00Z 10.0.0.1 GET - 200 5000 bytes 9.0 s"], ImageRead(100, 240)),
    "another reader": (["9:59Z 10.0.0.2 GET - 200 1 bytes 9.0 s"], None),
}


@pytest.mark.parametrize("case", READS)
def test_how_far_the_image_is_read(tmp_path: Path, case: str) -> None:
    lines, expected = READS[case]
    path = tmp_path / "log"
    path.write_text("".join(f"2026-01-01T00:0{line}\n" for line in lines))
    log = RequestLog(path, SINCE)
    log.readers()
    now = datetime.datetime(2026, 1, 1, 0, 10, tzinfo=datetime.UTC)
    assert log.reads(1000, now).get("10.0.0.1") == expected
    assert log.reads(0, now) == {}


@pytest.mark.parametrize(
    ("parts", "part", "expected"),
    [
        ([], (5, 9), [(5, 9)]),
        ([(5, 9)], (0, 4), [(0, 4), (5, 9)]),
        ([(5, 9)], (0, 5), [(0, 9)]),
        ([(5, 9)], (9, 10), [(5, 10)]),
        ([(5, 9)], (10, 11), [(5, 9), (10, 11)]),
        ([(5, 9)], (5, 9), [(5, 9)]),
        ([(5, 9)], (6, 7), [(5, 9)]),
        ([(0, 2), (5, 9), (20, 30)], (1, 20), [(0, 30)]),
        ([(0, 2), (20, 30)], (5, 9), [(0, 2), (5, 9), (20, 30)]),
    ],
)
def test_parts_are_joined(parts: list[tuple[int, int]], part: tuple[int, int], expected: list[tuple[int, int]]) -> None:
    grown = join(joined := list(parts), part)
    assert (joined, grown) == (expected, joined != parts)
