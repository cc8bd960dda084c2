# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test publish method ``upload`` against a real server: which data is sent, how the stored file is compared, and the
effect of each fault.
"""

from __future__ import annotations

import dataclasses
import http.server
import os
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLink
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import (
    Publication,
    PublishOptions,
    check_options,
    read_publish,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.publish import publish, withdraw
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.transfer import SAMPLE

SECRET = "Bearer s3cret-w0rd-of-the-server"
IMAGE = os.urandom(3 * SAMPLE + 17)


class Timeless:
    """A clock whose sleeps take no time."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Store(http.server.ThreadingHTTPServer):
    """A server with PUT, GET with ranges, DELETE and MKCOL, and the faults that a test sets."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.versions: dict[str, int] = {}
        self.requests: list[tuple[str, str]] = []
        self.faults: dict[str, list[int]] = {}  # statuses of the next requests by method
        self.corrupt = 0  # how many bytes from the end are changed; larger than SAMPLE: within the file
        self.closes = 0  # how many PUTs are cut off
        self.ranges = self.etags = True
        self.directories: set[str] | None = None  # None: created with the file
        self.private = False
        self.answers: dict[str, str] = {}  # headers of the faults

    def sent(self, method: str) -> list[str]:
        return [path for name, path in self.requests if name == method]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Store

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> bool:
        """Whether the request may go on: no fault, and allowed."""
        store = self.server
        store.requests.append((self.command, self.path))
        fault = store.faults.get(self.command) or []
        needs = self.command != "GET" or store.private
        refused = 401 if needs and self.headers["Authorization"] != SECRET else 0
        status = fault.pop(0) if fault else refused
        if status:
            if self.command == "PUT":
                self.rfile.read(int(self.headers["Content-Length"]))
            words = f"no, not with {self.headers['Authorization']}".encode()
            redirect = {"Location": "http://127.0.0.1:9/x"} if 300 <= status < 400 else {}
            self.answer(status, words, **redirect, **store.answers)
        return not status

    def do_PUT(self) -> None:
        store = self.server
        if store.closes:
            store.closes -= 1
            self.rfile.read(1000)
            self.close_connection = True
            return
        if not self.begin():
            return
        assert "Transfer-Encoding" not in self.headers
        data = bytearray(self.rfile.read(int(self.headers["Content-Length"])))
        if store.directories is not None and self.path.rpartition("/")[0] + "/" not in store.directories:
            self.answer(409)
            return
        if store.corrupt:
            data[-store.corrupt] ^= 1
        store.files[self.path] = bytes(data)
        store.versions[self.path] = store.versions.get(self.path, 0) + 1
        self.answer(201)

    def do_MKCOL(self) -> None:
        if self.begin():
            if self.server.directories is not None:
                self.server.directories.add(self.path)
            self.answer(201)

    def do_DELETE(self) -> None:
        if self.begin():
            self.answer(204 if self.server.files.pop(self.path, None) is not None else 404)

    def do_GET(self) -> None:
        if not self.begin():
            return
        data = self.server.files.get(self.path)
        if data is None:
            self.answer(404)
            return
        etag = {"ETag": f'"{self.server.versions[self.path]}"'} if self.server.etags else {}
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or "")
        if match is None or not self.server.ranges:
            self.answer(200, data, **etag)
            return
        first, last = int(match[1]), min(int(match[2]), len(data) - 1)
        if first >= len(data):
            self.answer(416)
        else:
            self.answer(206, data[first : last + 1], Content_Range=f"bytes {first}-{last}/{len(data)}", **etag)

    def log_message(self, *args: Any) -> None:
        """Silent."""


@pytest.fixture
def store() -> Iterator[Store]:
    with Store() as found:
        threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield found
        found.shutdown()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "images" / "agent.x86_64.iso"
    path.parent.mkdir(parents=True)
    path.write_bytes(IMAGE)
    return path


@pytest.fixture
def rootfs(image: Path) -> Path:
    path = image.parents[1] / "boot-artifacts" / "agent.x86_64-rootfs.img"
    path.parent.mkdir()
    path.write_bytes(b"rootfs" * 100)
    return path


@pytest.fixture
def state(image: Path) -> StateFile:
    return StateFile(image.parents[1] / "state.json")


@pytest.fixture
def options(store: Store) -> PublishOptions:
    return PublishOptions(
        method="upload", url=f"http://127.0.0.1:{store.server_port}/images", headers=(("Authorization", SECRET),)
    )


def go(image: Path, state: StateFile, options: PublishOptions, *beside: Path, check_mode: bool = False) -> Publication:
    return publish(image, state, options, Timeless(), beside=beside, check_mode=check_mode)


@pytest.mark.parametrize("verify", ["ranges", "digest"])
def test_upload_and_rerun(
    store: Store, image: Path, rootfs: Path, state: StateFile, options: PublishOptions, verify: str
) -> None:
    options = dataclasses.replace(options, verify=verify)
    planned = go(image, state, options, rootfs, check_mode=True)
    assert planned.changed and planned.url == f"{options.url}/predicted/agent.x86_64.iso"
    assert "upload agent.x86_64.iso: " in planned.reason and "upload agent.x86_64-rootfs.img: " in planned.reason
    assert not store.sent("PUT") and not state.path.exists()

    first = go(image, state, options, rootfs)
    token = state.section("publish")["token"]
    assert (first.changed, first.method, first.url) == (True, "upload", f"{options.url}/{token}/agent.x86_64.iso")
    assert store.files == {urlsplit(first.url).path: IMAGE, "/images/agent.x86_64-rootfs.img": b"rootfs" * 100}

    for check_mode in (True, False):
        again = go(image, state, options, rootfs, check_mode=check_mode)
        assert (again.changed, again.reason, again.url) == (False, "the server has the same bytes", first.url)
    assert len(store.sent("PUT")) == 2
    assert SECRET.split()[1] not in state.path.read_text()


def test_another_version_with_the_same_size_beginning_and_end(
    store: Store, image: Path, state: StateFile, options: PublishOptions
) -> None:
    first = go(image, state, options)
    changed = bytearray(IMAGE)
    changed[SAMPLE + 5] ^= 1
    image.write_bytes(changed)
    again = go(image, state, options)
    assert again.changed and again.url == first.url and store.files[urlsplit(first.url).path] == changed


def test_the_urls_are_stored_before_the_first_upload(
    store: Store,
    image: Path,
    rootfs: Path,
    state: StateFile,
    options: PublishOptions,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A job may be killed in the upload; the file contains secrets, and its URL is random."""
    stored: list[tuple[set[str], int]] = []
    monkeypatch.setattr(
        StoreLink, "save", lambda link: stored.append((set(state.section("publish")["uploads"]), len(store.files)))
    )
    done = go(image, state, options, rootfs)
    assert stored == [({done.url, f"{options.url}/{rootfs.name}"}, 0)] and len(store.files) == 2
    go(image, state, options, rootfs)
    assert len(stored) == 1


@pytest.mark.parametrize("etags", [True, False])
def test_a_file_that_another_process_replaced(
    store: Store, image: Path, state: StateFile, options: PublishOptions, *, etags: bool
) -> None:
    store.etags = etags
    path = urlsplit(go(image, state, options).url).path
    store.versions[path] += 1
    if not etags:
        store.files[path] = IMAGE[:-1] + bytes([IMAGE[-1] ^ 1])
    assert go(image, state, options).changed and store.files[path] == IMAGE
    del store.files[path]
    assert go(image, state, options).changed and store.files[path] == IMAGE
    store.files[path] += b"more"
    assert go(image, state, options).changed and store.files[path] == IMAGE


@pytest.mark.parametrize(
    ("verify", "corrupt", "found"),
    [("ranges", 1, True), ("ranges", SAMPLE + 9, False), ("ranges", len(IMAGE), True), ("digest", SAMPLE + 9, True)],
)
def test_a_server_that_stores_other_bytes(
    store: Store, image: Path, state: StateFile, options: PublishOptions, verify: str, corrupt: int, *, found: bool
) -> None:
    store.corrupt = corrupt
    options = dataclasses.replace(options, verify=verify)
    if not found:
        go(image, state, options)
        return
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"stores other bytes than were uploaded: agent\.x86_64\.iso has "
            r"other bytes there"
        ),
    ):
        go(image, state, options)
    store.corrupt = 0
    token = state.section("publish")["token"]
    assert go(image, state, options).url == f"{options.url}/{token}/agent.x86_64.iso"


@pytest.mark.parametrize(
    ("status", "words", "attempts"),
    [
        (401, "Check openshift_publish.headers", 1),
        (403, "Check openshift_publish.headers", 1),
        (405, "does not accept PUT", 1),
        (413, f"limit of a file's size to {len(IMAGE)} bytes", 1),
        (507, "Make room", 1),
        (302, "is redirected", 1),
        (500, "answered 500", 4),
        (503, "answered 503", 4),
    ],
)
def test_a_server_that_refuses(
    store: Store, image: Path, state: StateFile, options: PublishOptions, status: int, words: str, attempts: int
) -> None:
    store.faults = {"PUT": [status] * 10}
    with pytest.raises(RemoteError, match=words) as caught:
        go(image, state, options)
    assert caught.value.status == status and len(store.sent("PUT")) == attempts
    assert SECRET.split()[1] not in str(caught.value)
    store.faults = {}
    assert go(image, state, options).changed


def test_a_refusal_with_a_length_that_is_no_number(
    store: Store, image: Path, state: StateFile, options: PublishOptions
) -> None:
    store.faults, store.answers = {"PUT": [403]}, {"Content_Length": "12x", "Connection": "close"}
    with pytest.raises(ZeroTouchError):
        go(image, state, options)


def test_faults_that_pass(store: Store, image: Path, state: StateFile, options: PublishOptions) -> None:
    store.faults, store.closes = {"PUT": [500, 503], "GET": [502]}, 1
    done = go(image, state, options)
    assert store.files[urlsplit(done.url).path] == IMAGE


def test_a_server_that_breaks_every_upload_off(
    store: Store, image: Path, state: StateFile, options: PublishOptions
) -> None:
    store.closes = 10
    with pytest.raises(ZeroTouchError, match="refused the upload without an answer"):
        go(image, state, options)
    assert store.closes == 6


def test_no_server(image: Path, state: StateFile) -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        go(image, state, PublishOptions(method="upload", url="http://127.0.0.1:9/images"))


def test_directories_of_webdav(
    store: Store, image: Path, rootfs: Path, state: StateFile, options: PublishOptions
) -> None:
    store.directories = {"/images/"}
    path = urlsplit(go(image, state, options, rootfs).url).path
    assert store.sent("MKCOL") == [path.rpartition("/")[0] + "/"] and store.files[path] == IMAGE
    store.directories, store.faults = set(), {"MKCOL": [405] * 9}
    with pytest.raises(RemoteError, match=r"409.*create_full_put_path"):
        go(image, StateFile(state.path.parent / "other.json"), options)


def test_a_server_that_is_not_readable_for_bmcs(
    store: Store, image: Path, state: StateFile, options: PublishOptions
) -> None:
    store.private = True
    done = go(image, state, options)
    assert "BMCs send no headers" in done.warnings[0] and not go(image, state, options).changed
    store.faults = {"GET": [403] * 99}
    with pytest.raises(ZeroTouchError, match=r"cannot be read there \(403\).*without credentials"):
        go(image, state, options)


def test_a_server_without_ranges(store: Store, image: Path, state: StateFile, options: PublishOptions) -> None:
    store.ranges = False
    assert "without ranges" in go(image, state, options).warnings[0]
    store.corrupt = SAMPLE + 9  # the whole file is read
    other = StateFile(state.path.parent / "other.json")
    with pytest.raises(ZeroTouchError, match="other bytes"):
        go(image, other, options)


def test_withdraw(store: Store, image: Path, rootfs: Path, state: StateFile, options: PublishOptions) -> None:
    first = go(image, state, options, rootfs)
    left = withdraw(state, Timeless(), options)
    assert not left.changed and left.reason.startswith("2 uploaded files stay on the server") and len(store.files) == 2
    assert "token" not in state.section("publish")
    second = go(image, state, options, rootfs)
    assert second.url != first.url

    deleting = dataclasses.replace(options, delete=True)
    assert withdraw(state, Timeless(), deleting, check_mode=True).changed and len(store.files) == 3
    store.faults = {"DELETE": [500, 403]}
    with pytest.raises(RemoteError, match=r"403.*is not deleted.*credentials") as caught:
        withdraw(state, Timeless(), deleting)
    assert SECRET.split()[1] not in str(caught.value)
    del store.files["/images/agent.x86_64-rootfs.img"]
    done = withdraw(state, Timeless(), deleting)
    assert (done.changed, done.reason, store.files) == (True, "the uploaded files are deleted", {})
    assert not withdraw(state, Timeless(), deleting).changed


def test_withdraw_with_another_server(
    store: Store, image: Path, rootfs: Path, state: StateFile, options: PublishOptions
) -> None:
    """Headers go to the configured server only; a file elsewhere must not end each run with an error."""
    other = dataclasses.replace(options, url=options.url.replace("127.0.0.1", "localhost"))
    first = go(image, state, other)
    second = go(image, state, options, rootfs)
    assert len(store.files) == 2 and len(state.section("publish")["uploads"]) == 3
    deleting, token = dataclasses.replace(options, delete=True), state.section("publish")["token"]
    warning = (
        f"Uploaded files stay on another server than that of openshift_publish.url: {other.url}/<hidden>/{image.name}. "
        "They contain credentials. Delete them yourself."
    )
    for check_mode in (True, False):
        done = withdraw(state, Timeless(), deleting, check_mode=check_mode)
        assert (done.changed, done.reason, done.warnings) == (
            True,
            "the uploaded files are deleted, except those on another server",
            (warning,),
        )
        assert token not in str(done.warnings)
    assert urlsplit(second.url).path not in store.files and list(state.section("publish")["uploads"]) == [first.url]
    again = withdraw(state, Timeless(), deleting)
    assert (again.changed, again.reason, again.warnings) == (
        False,
        "uploaded files stay on another server",
        (warning,),
    )
    assert withdraw(state, Timeless(), dataclasses.replace(other, delete=True)).changed
    assert withdraw(state, Timeless(), deleting).reason == "nothing is published"


def test_a_run_that_was_killed_in_an_upload_leaves_nothing_unknown(
    store: Store, image: Path, state: StateFile, options: PublishOptions, monkeypatch
) -> None:
    from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import transfer

    def killed(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transfer.FileTransfer, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            go(image, state, options)
    token = state.section("publish")["token"]
    assert list(state.section("publish")["uploads"]) == [f"{options.url}/{token}/agent.x86_64.iso"]
    assert go(image, state, options).url == f"{options.url}/{token}/agent.x86_64.iso"


def test_over_tls(store: Store, image: Path, state: StateFile, options: PublishOptions, tmp_path: Path) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    store.socket = context.wrap_socket(store.socket, server_side=True)
    options = dataclasses.replace(options, url=options.url.replace("http:", "https:"))
    with pytest.raises(Unreachable, match="TLS with https://127"):
        go(image, state, options)
    done = go(image, state, dataclasses.replace(options, ca_cert=str(certificate)))
    assert store.files[urlsplit(done.url).path] == IMAGE


def test_another_method_leaves_the_files(
    store: Store, image: Path, state: StateFile, options: PublishOptions, tmp_path: Path
) -> None:
    go(image, state, options)
    (tmp_path / "www").mkdir()
    done = go(image, state, PublishOptions(method="directory", directory=str(tmp_path / "www"), url="http://x"))
    assert done.changed and len(store.files) == 1 and state.section("publish")["uploads"]


@pytest.mark.parametrize(
    ("provided", "path"),
    [
        ({"headers": "x"}, "headers"),
        ({"headers": {"Bad name": "x"}}, "headers.Bad name"),
        ({"headers": {"X": "a\r\nY: secret-word"}}, "headers.X"),
        ({"headers": {"X": 5}}, "headers.X"),
        ({"verify": "all"}, "verify"),
        ({"delete": "maybe"}, "delete"),
    ],
)
def test_options_that_cannot_be_read(provided: dict[str, Any], path: str) -> None:
    (problem,) = read_publish({"method": "upload", "url": "http://x/", **provided})[1]
    assert problem.path == f"openshift_publish.{path}" and "secret-word" not in problem.text()


def test_options() -> None:
    options, problems = read_publish(
        {"method": "upload", "url": "http://x/", "headers": {"A": " secret-word "}, "verify": "digest", "delete": "yes"}
    )
    assert not problems and (options.headers, options.verify, options.delete) == (
        (("A", "secret-word"),),
        "digest",
        True,
    )
    assert [problem.path for problem in check_options(PublishOptions(method="upload"))] == ["openshift_publish.url"]
    assert not check_options(options) and "secret-word" not in repr(options)


def test_the_initrd_of_a_network_boot_is_uploaded_once(
    store: Store, rootfs: Path, state: StateFile, options: PublishOptions
) -> None:
    initrd = rootfs.with_name("agent.x86_64-initrd.img")
    initrd.write_bytes(b"initrd")
    done = go(initrd, state, options, initrd, rootfs)
    assert done.url == f"{options.url}/agent.x86_64-initrd.img" and len(store.files) == 2
