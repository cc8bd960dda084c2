# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Images of hosts over one base: every range byte for byte what a copy would have, without a copy."""

from __future__ import annotations

import dataclasses
import http.client
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import ServerConfig, start_server, stop_server
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.overlay import (
    Overlay,
    Range,
    host_in_path,
    host_path,
    read_overlay,
    write_overlay,
)
from hypothesis import given
from hypothesis import strategies as st

BASE = random.Random(3).randbytes(50_000)
PATH = "/0123456789abcdef/agent.x86_64.iso"


@dataclasses.dataclass(frozen=True)
class Patch:
    offset: int
    data: bytes


PATCHES = {"node-1": [Patch(100, b"one" * 50), Patch(49_990, b"Z" * 10)], "node-2": [Patch(0, b"two"), Patch(3, b"beside"), Patch(30_000, b"x" * 5000)]}


def image_of(patches: list[Patch], base: bytes = BASE) -> bytes:
    whole = bytearray(base)
    for patch in patches:
        whole[patch.offset : patch.offset + len(patch.data)] = patch.data
    return bytes(whole)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.iso"
    path.write_bytes(BASE)
    return path


@pytest.fixture
def hosts(tmp_path: Path, base: Path) -> Path:
    for name, patches in PATCHES.items():
        assert write_overlay(tmp_path / "hosts" / f"{name}.overlay", base, patches)
    return tmp_path / "hosts"


@pytest.fixture
def port(tmp_path: Path, base: Path, hosts: Path) -> Iterator[int]:
    process, port = start_server(ServerConfig(base, PATH, tmp_path / "log", "127.0.0.1", 0, 60, overlays=hosts))
    yield port
    stop_server(process, SystemClock())


def ask(port: int, path: str, method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


@st.composite
def patches_and_range(draw: st.DrawFn) -> tuple[list[Range], int, int]:
    cuts = sorted(draw(st.sets(st.integers(0, 60), max_size=8)))
    found = [Range(start, bytes([200 + number]) * (end - start)) for number, (start, end) in enumerate(zip(cuts[::2], cuts[1::2], strict=False))]
    offset = draw(st.integers(0, 59))
    return found, offset, draw(st.integers(1, 60 - offset))


@given(patches_and_range())
def test_pieces_make_up_the_range(case: tuple[list[Range], int, int]) -> None:
    ranges, offset, length = case
    base = bytes(range(60))
    whole = image_of([Patch(each.offset, each.data) for each in ranges], base)
    pieces = list(Overlay((60, 0), tuple(ranges)).pieces(offset, length))
    assert b"".join(data if data is not None else base[start : start + size] for start, size, data in pieces) == whole[offset : offset + length]
    assert all(size == (len(data) if data is not None else size) > 0 for _start, size, data in pieces)


def test_whole_images_and_ranges(port: int, hosts: Path) -> None:
    assert ask(port, PATH)[1] == BASE
    draws = random.Random(4)
    for name, patches in PATCHES.items():
        expected = image_of(patches)
        answer, body = ask(port, host_path(PATH, name))
        assert (answer.status, body, answer.getheader("Content-Length")) == (200, expected, str(len(BASE)))
        edges = [patch.offset + delta for patch in patches for delta in (-1, 0, 1, len(patch.data) - 1, len(patch.data))]
        for first in [edge for edge in edges if 0 <= edge < len(BASE)] + [draws.randrange(len(BASE)) for _turn in range(10)]:
            last = min(len(BASE) - 1, first + draws.choice([0, 1, 200, 20_000]))
            answer, body = ask(port, host_path(PATH, name), Range=f"bytes={first}-{last}")
            assert (answer.status, answer.getheader("Content-Range")) == (206, f"bytes {first}-{last}/{len(BASE)}")
            assert body == expected[first : last + 1]
    assert sum(path.stat().st_size for path in hosts.iterdir()) < 6000  # nothing is copied


def test_several_ranges_at_once(port: int) -> None:
    answer, body = ask(port, host_path(PATH, "node-1"), Range="bytes=90-110,49985-")
    expected = image_of(PATCHES["node-1"])
    assert answer.status == 206 and expected[90:111] in body and expected[49_985:] in body


def test_each_image_is_its_own_to_caches(port: int, hosts: Path, base: Path) -> None:
    tags = {ask(port, path, "HEAD")[0].getheader("ETag") for path in (PATH, host_path(PATH, "node-1"), host_path(PATH, "node-2"))}
    assert len(tags) == 3
    tag = ask(port, host_path(PATH, "node-1"), "HEAD")[0].getheader("ETag")
    assert ask(port, host_path(PATH, "node-1"), If_None_Match=tag)[0].status == 304
    write_overlay(hosts / "node-1.overlay", base, [Patch(5, b"new")])
    answer, body = ask(port, host_path(PATH, "node-1"), Range="bytes=0-9", If_Range=tag)
    assert (answer.status, body) == (200, image_of([Patch(5, b"new")]))


@pytest.mark.parametrize(
    "path",
    [
        "/0123456789abcdef/node-3/agent.x86_64.iso",
        "/0123456789abcdef/../agent.x86_64.iso",
        "/0123456789abcdef/..%2f..%2fetc/agent.x86_64.iso",
        "/0123456789abcdef/.hidden/agent.x86_64.iso",
        "/0123456789abcdee/node-1/agent.x86_64.iso",
        "/0123456789abcdef/node-1/other.iso",
        "/node-1/agent.x86_64.iso",
        "/0123456789abcdef/node-1/x/agent.x86_64.iso",
    ],
)
def test_nothing_else(port: int, path: str) -> None:
    assert ask(port, path)[0].status == 404


def test_an_overlay_of_another_base_or_damaged_is_not_served(port: int, hosts: Path, base: Path, tmp_path: Path) -> None:
    (hosts / "node-2.overlay").write_bytes((hosts / "node-2.overlay").read_bytes()[:-1])
    assert ask(port, host_path(PATH, "node-2"))[0].status == 503
    os.utime(base, (1, 1))
    assert ask(port, host_path(PATH, "node-1"))[0].status == 503
    ends = time.monotonic() + 10
    while "the overlay of node-1 cannot be used: it was made for another base image" not in (tmp_path / "log").read_text():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_without_overlays_there_are_no_hosts(tmp_path: Path, base: Path) -> None:
    process, port = start_server(ServerConfig(base, PATH, tmp_path / "log", "127.0.0.1", 0, 60))
    try:
        assert ask(port, host_path(PATH, "node-1"))[0].status == 404
    finally:
        stop_server(process, SystemClock())


def test_the_file(tmp_path: Path, base: Path) -> None:
    path = tmp_path / "new" / "a.overlay"
    assert [write_overlay(path, base, PATCHES["node-2"]) for _turn in range(2)] == [True, False]
    assert [(each.offset, each.data) for each in read_overlay(path).ranges] == [(patch.offset, patch.data) for patch in PATCHES["node-2"]]
    assert path.stat().st_mode & 0o777 == 0o600 and [each.name for each in path.parent.iterdir()] == ["a.overlay"]
    assert "x" * 10 not in repr(read_overlay(path))


@pytest.mark.parametrize(
    ("patches", "words"), [([Patch(0, b"ab"), Patch(1, b"c")], "overlap at byte 1"), ([Patch(49_999, b"ab")], "ends at byte 50001, the base has 50000")]
)
def test_patches_that_cannot_be(tmp_path: Path, base: Path, patches: list[Patch], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        write_overlay(tmp_path / "a.overlay", base, patches)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"an ISO",
        b"zerotouch overlay 1\n",
        b"zerotouch overlay 1\n[]\n",
        b'zerotouch overlay 1\n{"base": [10, 0], "patches": [[8, 4]]}\nabcd',
        b'zerotouch overlay 1\n{"base": [10, 0], "patches": [[0, 2], [1, 2]]}\nabcd',
        b'zerotouch overlay 1\n{"base": [10, 0], "patches": [[0, 2]]}\nabcd',
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.overlay").write_bytes(content)
    with pytest.raises(ValueError, match=r".+"):
        read_overlay(tmp_path / "a.overlay")


def test_urls() -> None:
    assert host_in_path(host_path(PATH, "node-1"), PATH) == "node-1"
    assert host_in_path(PATH, PATH) == ""
    with pytest.raises(ValueError, match="cannot be part"):
        host_path(PATH, "../x")
