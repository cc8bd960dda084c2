# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test downloading base images: a transfer is resumed, verified and cached. The test server misbehaves on demand."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import Stop, SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    Interrupted,
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cache import ImageCache, default_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.download import Downloader
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hostile import work_dirs

CONTENT = random.Random(7).randbytes(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Serves ``content``; each of ``faults`` is used up by one GET: a status, or the number of bytes after which the
    connection breaks.
    """

    def __init__(self) -> None:
        self.content = CONTENT
        self.etag = '"one"'
        self.modified = "Tue, 14 Nov 2023 22:13:20 GMT"
        self.ranges = True
        self.faults: list[int] = []
        self.redirect = ""
        self.seen: list[tuple[str, str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            disable_nagle_algorithm = True
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.seen.append((self.command, self.headers.get("Range", ""), self.headers.get("If-Range", "")))
                fault = outer.faults.pop(0) if outer.faults and self.command == "GET" else 0
                if 400 <= fault < 600:
                    self.send_response(fault)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if outer.redirect and not self.path.startswith("/moved"):
                    self.send_response(302)
                    self.send_header("Location", outer.redirect)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if self.path.startswith("/missing"):
                    self.send_error(404)
                    return
                self.answer(fault)

            do_HEAD = do_GET

            def answer(self, fault: int) -> None:
                start = 0
                wanted = self.headers.get("Range")
                current = self.headers.get("If-Range") in (None, outer.etag, outer.modified)
                if wanted and outer.ranges and current and self.command == "GET":
                    start = int(wanted.removeprefix("bytes=").rstrip("-"))
                if start >= len(outer.content):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(outer.content)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                body = outer.content[start:]
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(outer.content) - 1}/{len(outer.content)}")
                self.send_header("Content-Length", str(len(body)))
                for name, value in (("ETag", outer.etag), ("Last-Modified", outer.modified)):
                    if value:
                        self.send_header(name, value)
                self.end_headers()
                if self.command == "GET":
                    with contextlib.suppress(OSError):
                        self.wfile.write(body[:fault] if fault else body)
                    self.close_connection = bool(fault)

            def log_message(self, *args: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda request, address: None  # clients go away on purpose here
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.base}/images/rhcos-live-iso.x86_64.iso"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        if self.base:
            self.base = ""
            self._server.shutdown()
            self._server.server_close()

    @property
    def gets(self) -> list[tuple[str, str]]:
        return [(wanted, condition) for method, wanted, condition in self.seen if method == "GET"]


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def downloader(server: Server) -> Downloader:
    return Downloader(HttpClient("The image server", server.base), Clock())


@pytest.fixture
def cache(tmp_path: Path, downloader: Downloader) -> ImageCache:
    return ImageCache(tmp_path / "cache", downloader)


def test_whole_file(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    found = downloader.fetch(server.url, tmp_path / "new" / "x.iso", SHA256)
    assert (tmp_path / "new" / "x.iso").read_bytes() == CONTENT
    assert (found.size, found.etag) == (len(CONTENT), '"one"')
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x.iso"]


@pytest.mark.parametrize("sha256", ["", SHA256])
def test_broken_transfers_go_on_where_they_stopped(
    server: Server, downloader: Downloader, tmp_path: Path, sha256: str
) -> None:
    server.faults = [1_200_000, 503, 700_000]
    downloader.fetch(server.url, tmp_path / "x.iso", sha256)
    assert (tmp_path / "x.iso").read_bytes() == CONTENT
    assert [condition for _wanted, condition in server.gets] == ["", '"one"', '"one"', '"one"']
    starts = [int(wanted[6:-1]) for wanted, _condition in server.gets[1:]]
    assert starts == sorted(starts)
    assert starts[0] > 0


def test_the_next_run_goes_on_too(server: Server, tmp_path: Path) -> None:
    client = HttpClient("The image server", server.base)
    with pytest.raises(Interrupted):
        Downloader(client, Clock(stop_at=0.0)).fetch(server.url, tmp_path / "x.iso", SHA256)
    assert not (tmp_path / "x.iso").exists()
    Downloader(client, Clock()).fetch(server.url, tmp_path / "x.iso", SHA256)
    assert (tmp_path / "x.iso").read_bytes() == CONTENT
    assert server.gets[1][0].startswith("bytes=1048576-")


def test_a_file_that_changed_meanwhile_is_taken_from_the_beginning(
    server: Server, downloader: Downloader, tmp_path: Path
) -> None:
    server.faults = [1_200_000]
    original = downloader._transfer
    newer = random.Random(8).randbytes(2_000_000)

    def transfer(*args: object) -> object:
        try:
            return original(*args)
        finally:
            server.content, server.etag, server.modified = newer, '"two"', "Tue, 14 Nov 2023 23:00:00 GMT"

    downloader._transfer = transfer
    downloader.fetch(server.url, tmp_path / "x.iso")
    assert (tmp_path / "x.iso").read_bytes() == newer


def test_a_server_without_ranges_or_validators(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    server.ranges = False
    server.faults = [1_200_000]
    downloader.fetch(server.url, tmp_path / "a.iso")
    server.ranges, server.etag, server.modified = True, "", ""
    server.faults = [1_200_000]
    downloader.fetch(server.url, tmp_path / "b.iso")
    assert (tmp_path / "a.iso").read_bytes() == (tmp_path / "b.iso").read_bytes() == CONTENT
    assert server.gets[-1] == ("", "")  # nothing tells that the part is still of this file


def test_a_part_of_another_file_is_found_out_by_the_checksum(
    server: Server, downloader: Downloader, tmp_path: Path
) -> None:
    server.etag = server.modified = ""
    (tmp_path / ".x.iso.partial").write_bytes(b"wrong" * 1000)
    downloader.fetch(server.url, tmp_path / "x.iso", SHA256)
    assert (tmp_path / "x.iso").read_bytes() == CONTENT


def test_a_complete_part_is_finished(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    (tmp_path / ".x.iso.partial").write_bytes(CONTENT)
    (tmp_path / ".x.iso.partial.json").write_text(
        f'{{"url": "{server.url}", "size": {len(CONTENT)}, "etag": "\\"one\\"", "last_modified": ""}}'
    )
    downloader.fetch(server.url, tmp_path / "x.iso", SHA256)
    assert (tmp_path / "x.iso").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("name", "sha256"), [(".x.iso.partial", SHA256), (".x.iso.partial.json", SHA256), (".x.iso.partial.json", "")]
)
def test_a_part_that_is_a_link_is_not_followed(
    server: Server, downloader: Downloader, tmp_path: Path, name: str, sha256: str
) -> None:
    (tmp_path / "bashrc").write_text("export PATH\n")
    work_dirs.plant_link(tmp_path, name, tmp_path / "bashrc")
    with pytest.raises(ZeroTouchError, match=f"{name} is a symbolic link"):
        downloader.fetch(server.url, tmp_path / "x.iso", sha256)
    assert (tmp_path / "bashrc").read_text() == "export PATH\n"


def test_a_part_without_notes_is_deleted_also_where_it_is_a_link(
    server: Server, downloader: Downloader, tmp_path: Path
) -> None:
    (tmp_path / "bashrc").write_text("export PATH\n")
    work_dirs.plant_link(tmp_path, ".x.iso.partial", tmp_path / "bashrc")
    downloader.fetch(server.url, tmp_path / "x.iso")
    assert (tmp_path / "x.iso").read_bytes() == CONTENT and (tmp_path / "bashrc").read_text() == "export PATH\n"


def test_a_cache_that_others_can_write_is_refused_before_anything_is_read(
    server: Server, cache: ImageCache, tmp_path: Path
) -> None:
    plan = cache.plan(server.url, SHA256)
    cache.fetch(plan)
    for directory in (plan.path.parent, plan.path.parent.parent, tmp_path / "cache"):
        directory.chmod(0o777)
        with pytest.raises(ZeroTouchError, match=f"Other users can write to {directory} ") as refused:
            cache.plan(server.url, SHA256)
        assert "cache_dir" in refused.value.hint
        directory.chmod(0o700)
    assert not cache.plan(server.url, SHA256).changed


def test_links_in_the_cache_are_not_followed(server: Server, cache: ImageCache, tmp_path: Path) -> None:
    plan = cache.plan(server.url, SHA256)
    (tmp_path / "bashrc").write_text("export PATH\n")
    lock = work_dirs.plant_link(plan.path.parent, f".{plan.path.name}.lock", tmp_path / "crontab")
    with pytest.raises(ZeroTouchError, match="is a symbolic link"):
        cache.fetch(plan)
    assert not (tmp_path / "crontab").exists()
    lock.unlink()
    work_dirs.plant_link(plan.path.parent, f".{plan.path.name}.json", tmp_path / "bashrc")
    with pytest.raises(ZeroTouchError, match="is a symbolic link"):
        cache.plan(server.url, SHA256)
    assert os.listdir(tmp_path / "cache" / "base-images")


def test_wrong_content_never_gets_the_name(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    with pytest.raises(ZeroTouchError, match=f"is not the expected file: its SHA-256 is {SHA256}, expected is 0000"):
        downloader.fetch(server.url, tmp_path / "x.iso", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_faults_in_words(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    with pytest.raises(
        RemoteError,
        match=(
            r"The image server answered 404: Not Found for "
            r"http://127\.0\.0\.1:\d+/missing\.iso\. Check the URL"
        ),
    ):
        downloader.fetch(f"{server.base}/missing.iso?token=s3cret", tmp_path / "x.iso")
    server.faults = [401]
    with pytest.raises(
        RemoteError,
        match=(
            r"answered 401: .* The server requires a login, which this download "
            r"does not have"
        ),
    ):
        downloader.fetch(server.url, tmp_path / "x.iso")
    server.faults = [503] * 10
    with pytest.raises(RemoteError, match="answered 503"):
        downloader.fetch(server.url, tmp_path / "x.iso")
    assert len(server.gets) == 2 + 6
    with pytest.raises(Unreachable) as caught:
        downloader.fetch("http://127.0.0.1:1/x.iso", tmp_path / "x.iso")
    assert caught.value.kind == "refused"


def test_redirects_are_followed(server: Server, downloader: Downloader, tmp_path: Path) -> None:
    server.redirect = "/moved/x.iso"
    downloader.fetch(server.url, tmp_path / "x.iso")
    assert (tmp_path / "x.iso").read_bytes() == CONTENT
    server.redirect = server.url
    with pytest.raises(ZeroTouchError, match="more than 5 redirects"):
        downloader.fetch(server.url, tmp_path / "y.iso")


def test_progress_is_reported_in_tenths(server: Server, tmp_path: Path) -> None:
    lines: list[str] = []
    Downloader(HttpClient("The image server", server.base), Clock(), lines.append).fetch(server.url, tmp_path / "x.iso")
    assert lines[-1] == "rhcos-live-iso.x86_64.iso: 100 % of 3 MB"
    assert 1 <= len(lines) <= 10


def test_a_signal_ends_a_transfer(server: Server, tmp_path: Path) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Interrupted):
        Downloader(HttpClient("The image server", server.base), SystemClock(stop)).fetch(server.url, tmp_path / "x.iso")


def fetch(cache: ImageCache, url: str, sha256: str = "") -> tuple[bool, str]:
    plan = cache.plan(url, sha256)
    assert cache.fetch(plan).read_bytes() is not None
    return plan.changed, plan.reason


def test_cache_with_checksum_asks_no_server_twice(server: Server, cache: ImageCache, tmp_path: Path) -> None:
    plan = cache.plan(server.url, SHA256)
    assert (plan.changed, plan.size, plan.path.name) == (True, len(CONTENT), "rhcos-live-iso.x86_64.iso")
    assert not (tmp_path / "cache").exists()
    assert fetch(cache, server.url, SHA256) == (True, "it is not in the cache")
    asked = len(server.seen)
    assert fetch(cache, server.url, SHA256) == (False, "the verified file is in the cache")
    assert fetch(cache, server.base + "/mirror/rhcos-live-iso.x86_64.iso", SHA256)[0] is False
    assert len(server.seen) == asked


def test_cache_without_checksum_asks_whether_it_changed(server: Server, cache: ImageCache) -> None:
    assert fetch(cache, server.url)[0] is True
    assert fetch(cache, server.url) == (False, "the file in the cache is current")
    server.etag = '"two"'
    assert fetch(cache, server.url) == (True, "the server has another file")
    server.etag, server.modified = "", "Tue, 14 Nov 2023 23:00:00 GMT"
    assert fetch(cache, server.url)[0] is True


def test_cache_when_the_server_is_gone(server: Server, tmp_path: Path) -> None:
    fetch(ImageCache(tmp_path, Downloader(HttpClient("The image server", server.base), Clock())), server.url)
    cache = ImageCache(tmp_path, Downloader(HttpClient("The image server", server.base), Clock()))
    server.close()
    plan = cache.plan(server.url)
    assert not plan.changed
    assert "is used without knowing whether it is the newest" in plan.warning
    with pytest.raises(Unreachable):
        cache.plan(server.url, SHA256)


def test_a_damaged_cache_entry_is_replaced(server: Server, cache: ImageCache) -> None:
    path = cache.fetch(cache.plan(server.url, SHA256))
    path.write_bytes(b"damaged")
    assert fetch(cache, server.url, SHA256)[0] is True
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("url", ["ftp://x/y.iso", "http:///y.iso", "http://x/", "http://x/.iso", "y.iso"])
def test_urls_that_name_no_file(cache: ImageCache, url: str) -> None:
    with pytest.raises(ZeroTouchError, match="not an http or https URL of a file"):
        cache.plan(url)


def test_default_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "zerotouch"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_directory() == tmp_path / ".cache" / "zerotouch"


def test_two_runs_at_the_same_time_transfer_once(server: Server, tmp_path: Path) -> None:
    def run(results: list[bytes]) -> None:
        cache = ImageCache(tmp_path, Downloader(HttpClient("The image server", server.base), Clock()))
        results.append(cache.fetch(cache.plan(server.url, SHA256)).read_bytes())

    results: list[bytes] = []
    calls: list[Callable[[], None]] = [lambda: run(results)] * 3
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [CONTENT] * 3
    assert len(server.gets) == 1
