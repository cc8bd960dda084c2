# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test parsing HTTP request heads: valid heads, heads that the parser rejects, and arbitrary bytes."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import head as module
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.head import (
    LARGEST_HEAD,
    BadHead,
    parse_head,
    split_head,
)
from hypothesis import given
from hypothesis import strategies as st


def test_a_request() -> None:
    found = parse_head(b"GET /a/b.iso HTTP/1.1\r\nHost: x:80\r\nRANGE:bytes=0-1 \r\nAccept: a\r\nAccept: b")
    assert (found.method, found.target, found.persistent, found.old, found.body) == (
        "GET",
        "/a/b.iso",
        True,
        False,
        False,
    )
    assert (found.headers, found.range) == ({"host": "x:80", "accept": "a, b"}, "bytes=0-1")


@pytest.mark.parametrize(
    ("received", "split"),
    [
        (b"", None),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", None),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", (b"GET / HTTP/1.1\r\nHost: x", b"")),
        (b"GET / HTTP/1.1\nHost: x\n\nGET /", (b"GET / HTTP/1.1\nHost: x", b"GET /")),
    ],
)
def test_where_a_head_ends(received: bytes, split: tuple[bytes, bytes] | None) -> None:
    found = split_head(received)
    assert (found and (found[0].rstrip(b"\r"), found[1])) == split


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 400),
        (b"GET /", 400),
        (b"GET / HTTP/1.1 x", 400),
        (b"GET / FTP/1.1", 400),
        (b"GET / HTTP/11", 400),
        (b"GET / HTTP/2.0", 505),
        (b"\x16\x03\x01\x02", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1", 400),
    ],
)
def test_heads_that_cannot_be_answered(head: bytes, status: int) -> None:
    with pytest.raises(BadHead) as caught:
        parse_head(head)
    assert caught.value.status == status


@pytest.mark.parametrize(
    "line",
    [
        "Content-Length: 5",
        "Content-Length : 0",
        "Transfer-Encoding: chunked",
        "nonsense",
        " folded: 1",
        ": empty",
        "na\x00me: x",
    ],
)
def test_a_body_may_follow(line: str) -> None:
    assert parse_head(f"GET / HTTP/1.1\r\n{line}".encode()).body


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    try:
        found = split_head(data)
        request = parse_head(found[0] if found else data)
    except BadHead as error:
        assert error.status in (400, 431, 505)
    else:
        assert request.method and request.target


def test_the_largest_head() -> None:
    line = b"GET / HTTP/1.1\r\nX: "
    assert split_head(line + b"a" * (LARGEST_HEAD - len(line))) is None
    for length in (LARGEST_HEAD + 1, 10 * LARGEST_HEAD):
        with pytest.raises(BadHead, match="larger than 16384 bytes"):
            split_head(line + b"a" * (length - len(line)))
    with pytest.raises(BadHead):
        split_head(line + b"a" * LARGEST_HEAD + b"\r\n\r\n")


LINES = st.lists(
    st.sampled_from(
        ["Range: bytes=0-9", "Range: bytes=10-19", "range: x", "Host: a", "Range : b", "Range:", "Connection: close"]
    ),
    max_size=5,
)


@given(LINES)
def test_a_range_changes_nothing_else(lines: list[str]) -> None:
    """The parts of a head that a reader repeats are read once."""
    head = "\r\n".join(["GET / HTTP/1.1", *lines]).encode() + b"\r"
    assert parse_head(head) == parse_head(head) == module._parse(head)
