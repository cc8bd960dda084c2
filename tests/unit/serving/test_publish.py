# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test publishing an image: what a second run keeps, which server is started, and what check mode predicts."""

from __future__ import annotations

import dataclasses
import datetime
import http.client
import os
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLink
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import publish as publishing
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import served
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import Process, stop_server
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import (
    Publication,
    PublishOptions,
    check_options,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.publish import publish, withdraw
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.route import Peer
from ansible_collections.zerotouch.openshift.tests.support.ports import free_port
from ansible_collections.zerotouch.openshift.tests.unit.serving.test_options import (
    KEY,
    OTHER,
    certificate_of,
    pem_of,
)

LOCAL = PublishOptions(listen="127.0.0.1")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    directory = tmp_path / "work"
    (directory / "images").mkdir(parents=True)
    (directory / "images" / "agent.x86_64.iso").write_bytes(b"image" * 100)
    return directory


@pytest.fixture
def image(work: Path) -> Path:
    return work / "images" / "agent.x86_64.iso"


@pytest.fixture
def state(work: Path) -> Iterator[StateFile]:
    """With the port of an earlier server: a server that is started again gets it again."""
    file = StateFile(work / "state.json")
    file.update("publish", {"port": free_port()})
    yield file
    withdraw(file, SystemClock())


def go(image: Path, state: StateFile, options: PublishOptions, *, check_mode: bool = False) -> Publication:
    return publish(image, state, options, SystemClock(), check_mode=check_mode)


def fetch(url: str) -> bytes:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request("GET", parts.path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return body if answer.status == 200 else b""


def begun(state: StateFile) -> Process | None:
    """The server of the last line "begin" in the log."""
    (*_others, pid) = re.findall(r"begin: pid (\d+)", (state.path.parent / "logs" / served.LOG).read_text())
    return Process.of(int(pid))


def test_serve_is_idempotent(image: Path, state: StateFile) -> None:
    first = go(image, state, LOCAL)
    assert (first.changed, first.reason, first.method) == (True, "no server runs", "serve")
    parts = urlsplit(first.url)
    directory, name = parts.path.split("/")[1:]
    assert (len(bytes.fromhex(directory)), name) == (16, "agent.x86_64.iso")
    assert fetch(first.url) == b"image" * 100
    section = state.section("publish")
    assert (section["pid"], section["port"], section["url"], section["token"]) == (
        first.pid,
        first.port,
        first.url,
        directory,
    )

    second = go(image, state, LOCAL)
    assert second == Publication(
        False, "the server runs", "serve", first.url, str(image), "127.0.0.1", first.port, first.pid
    )
    assert go(image, state, LOCAL, check_mode=True) == second


@pytest.mark.parametrize("name", ["agent x.iso", "agent+v1.iso", "größe.iso", "x%41.iso", "a?b#c.iso"])
def test_a_name_that_a_url_encodes(image: Path, state: StateFile, name: str) -> None:
    named = image.rename(image.with_name(name))
    first = go(named, state, LOCAL)
    assert fetch(first.url) == b"image" * 100
    assert not go(named, state, LOCAL).changed


def test_a_new_server_that_does_not_answer(image: Path, state: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = []

    def answers_not(*_arguments: object, **_options: object) -> bool:
        servers.append(begun(state))
        return False

    monkeypatch.setattr(served, "serves", answers_not)
    with pytest.raises(ZeroTouchError, match=r"does not answer with .*agent\.x86_64\.iso.*image-server\.log"):
        go(image, state, LOCAL)
    (server,) = servers
    assert server is not None and not server.alive
    monkeypatch.undo()
    assert go(image, state, LOCAL).reason == "no server runs"


def test_a_killed_server_comes_back_under_the_same_url(image: Path, state: StateFile) -> None:
    first = go(image, state, LOCAL)
    stop_server(Process(first.pid, state.section("publish")["started"]), SystemClock())
    again = go(image, state, LOCAL)
    assert (again.changed, again.url) == (True, first.url)
    assert again.pid != first.pid


@pytest.mark.parametrize("killed", [False, True])
def test_the_token_ends_with_the_deployment(image: Path, state: StateFile, *, killed: bool) -> None:
    first = go(image, state, LOCAL)
    if killed:
        stop_server(Process(first.pid, state.section("publish")["started"]), SystemClock())
    assert withdraw(state, SystemClock(), check_mode=True).changed is not killed
    assert go(image, state, LOCAL).url == first.url, "check mode changed something"
    withdraw(state, SystemClock())
    assert not state.section("publish").keys() & {"token", "url"}
    again = go(image, state, LOCAL)
    assert urlsplit(again.url).port == urlsplit(first.url).port and urlsplit(again.url).path != urlsplit(first.url).path
    assert fetch(first.url) == b"" and fetch(again.url) == b"image" * 100


def test_a_rebuilt_image_is_served_by_the_same_server(image: Path, state: StateFile) -> None:
    first = go(image, state, LOCAL)
    image.with_suffix(".new").write_bytes(b"newer" * 200)
    image.with_suffix(".new").replace(image)
    second = go(image, state, LOCAL)
    assert not second.changed
    assert fetch(first.url) == b"newer" * 200


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), ZeroTouchError("There is no space for state.json.")])
def test_a_server_that_cannot_be_recorded_ends(
    image: Path, state: StateFile, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    options = PublishOptions(listen="127.0.0.1", port=free_port())

    def full(*_arguments: object) -> None:
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(StateFile, "_write", full)
        with pytest.raises(type(fault)):
            go(image, state, options)
    assert begun(state) is None
    assert go(image, state, options).reason == "no server runs"


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_server_whose_record_was_lost(image: Path, state: StateFile, *, withdrawn: bool) -> None:
    first = go(image, state, LOCAL)
    process = begun(state)
    assert process is not None
    state.path.unlink()
    if withdrawn:
        assert withdraw(state, SystemClock(), check_mode=True).changed and process.alive
        assert withdraw(state, SystemClock()).reason == "the image server is stopped"
    else:
        options = PublishOptions(listen="127.0.0.1", port=first.port)
        assert go(image, state, options, check_mode=True).changed and process.alive
        assert fetch(go(image, state, options).url) == b"image" * 100
    assert not process.alive


def test_only_servers_of_the_log_are_stopped(image: Path, state: StateFile) -> None:
    """Not a process with the number of one, and no other program."""
    first = go(image, state, LOCAL)
    mine, server = Process.of(os.getpid()), begun(state)
    assert mine is not None and server is not None
    state.path.unlink()
    lines = [
        f"begin: pid {mine.pid}, started {mine.started}, port {first.port}, x",
        f"127.0.0.1 begin: pid {server.pid}, started {server.started}, port {first.port}, x",
        f"begin: pid {server.pid}, started {server.started + 1}, port {first.port}, x",
    ]
    log = state.path.parent / "logs" / served.LOG
    log.write_text("".join(f"2026-01-01T00:00:00Z {line}\n" for line in lines))
    assert not withdraw(state, SystemClock()).changed and server.alive
    with pytest.raises(ZeroTouchError, match=f"in use by process {server.pid}"):
        go(image, state, PublishOptions(listen="127.0.0.1", port=first.port))
    stop_server(server, SystemClock())


def test_a_reused_process_number_is_not_taken_for_the_server(image: Path, state: StateFile) -> None:
    go(image, state, LOCAL)
    pid = state.section("publish")["pid"]
    withdraw(state, SystemClock())
    state.update("publish", {"pid": os.getpid(), "started": 1})
    again = go(image, state, LOCAL)
    assert again.reason == "no server runs"
    assert Process.of(os.getpid()) is not None
    assert again.pid not in (pid, os.getpid())


def test_what_makes_another_server(image: Path, state: StateFile, monkeypatch: pytest.MonkeyPatch) -> None:
    first = go(image, state, LOCAL)
    other = image.with_name("agent.aarch64.iso")
    other.write_bytes(b"other")
    second = go(other, state, LOCAL)
    assert (second.reason, second.port) == ("the server serves another image", first.port)
    assert fetch(second.url) == b"other"
    assert fetch(first.url) == b""
    elsewhere = PublishOptions(listen="0.0.0.0", port=first.port, url="http://192.0.2.9:8080/")
    third = go(other, state, elsewhere)
    assert third.reason == "the server listens elsewhere or otherwise"
    assert third.url == f"http://192.0.2.9:8080/{state.section('publish')['token']}/agent.aarch64.iso"
    answers = [False, True]
    monkeypatch.setattr(served, "serves", lambda *args, **options: answers.pop(0))
    assert go(other, state, elsewhere).reason == "the server does not answer"


@pytest.mark.parametrize("renewed", [("tls.crt", "tls.key"), ("both.pem",)])
def test_a_renewed_certificate(image: Path, state: StateFile, tmp_path: Path, renewed: tuple[str, ...]) -> None:
    certificate, key = tmp_path / renewed[0], tmp_path / renewed[-1]
    options = PublishOptions(
        listen="127.0.0.1", certificate=str(certificate), key="" if certificate == key else str(key)
    )

    def written(private: object) -> str:
        pem = certificate_of(private)
        certificate.write_bytes(pem + pem_of(private))
        if key != certificate:
            key.write_bytes(pem_of(private))
        return pem.decode()

    def shown(port: int) -> str:
        return ssl.get_server_certificate(("127.0.0.1", port))

    pem = written(KEY)
    first = go(image, state, options)
    assert shown(first.port) == pem
    os.utime(certificate, (1, 1))
    assert not go(image, state, options).changed
    pem = written(OTHER)
    second = go(image, state, options)
    assert (second.reason, second.url) == ("the certificate or its key changed", first.url)
    assert shown(second.port) == pem and not go(image, state, options).changed


@pytest.mark.parametrize(
    ("first", "second", "kept", "limit"),
    [(60.0, 60.0, True, 60.0), (3600.0, 60.0, True, 3600.0), (60.0, 3600.0, False, 3600.0)],
)
def test_the_life_of_a_server(
    image: Path, state: StateFile, first: float, second: float, *, kept: bool, limit: float
) -> None:
    """A server with the time that is asked for, or more, is not interrupted; it keeps its own time."""
    before = go(image, state, dataclasses.replace(LOCAL, max_seconds=first))
    after = go(image, state, dataclasses.replace(LOCAL, max_seconds=second))
    assert (after.pid == before.pid, after.url) == (kept, before.url)
    assert after.reason == ("the server runs" if kept else "the server would end too early")
    ends = datetime.datetime.fromisoformat(state.section("publish")["until"])
    assert abs((ends - datetime.datetime.now(datetime.UTC)).total_seconds() - limit) < 30
    assert not go(image, state, dataclasses.replace(LOCAL, max_seconds=second)).changed


def test_a_server_of_an_earlier_release_is_kept(image: Path, state: StateFile) -> None:
    first = go(image, state, LOCAL)
    state.update("publish", {"max_seconds": None, "tls": None})
    assert go(image, state, LOCAL).pid == first.pid


def test_another_base_url_needs_no_other_server(image: Path, state: StateFile) -> None:
    first = go(image, state, LOCAL)
    second = go(image, state, PublishOptions(listen="127.0.0.1", port=first.port, url="http://nat.example.com"))
    assert (second.changed, second.pid) == (True, first.pid)
    assert second.url.startswith("http://nat.example.com/")
    assert state.section("publish")["url"] == second.url


def test_check_mode_predicts_and_touches_nothing(tmp_path: Path) -> None:
    work = tmp_path / "nowhere"
    state = StateFile(work / "state.json")
    image = work / "images" / "agent.x86_64.iso"
    found = go(image, state, PublishOptions(listen="127.0.0.1", port=8080), check_mode=True)
    assert (found.changed, found.url) == (True, "http://127.0.0.1:8080/predicted/agent.x86_64.iso")
    assert go(image, state, LOCAL, check_mode=True).url == "http://127.0.0.1:0/predicted/agent.x86_64.iso"
    assert not work.exists()
    assert not withdraw(state, SystemClock(), check_mode=True).changed


def test_url_has_the_address_that_leads_to_the_bmcs(
    image: Path, state: StateFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = go(image, state, PublishOptions(peers=(Peer("node-1", "127.0.0.9", 443),)), check_mode=True)
    assert found.url.startswith("http://127.0.0.1:")
    monkeypatch.setattr(served, "address_for", lambda peers, connect_to: ("2001:db8::1", []))
    with pytest.raises(ZeroTouchError, match=r"IPv6 .* listens on IPv4 only"):
        go(image, state, PublishOptions(peers=(Peer("node-1", "2001:db8::11", 443),)), check_mode=True)
    found = go(
        image,
        state,
        PublishOptions(listen="::", port=8080, peers=(Peer("node-1", "2001:db8::11", 443),)),
        check_mode=True,
    )
    assert found.url.startswith("http://[2001:db8::1]:8080/")


def test_withdraw_is_idempotent_and_forgets_the_token(image: Path, state: StateFile) -> None:
    go(image, state, LOCAL)
    planned = withdraw(state, SystemClock(), check_mode=True)
    assert (planned.changed, planned.reason) == (True, "the image server is stopped")
    done = withdraw(state, SystemClock())
    assert done == planned
    again = withdraw(state, SystemClock())
    assert (again.changed, again.reason, again.url) == (False, "nothing is published", "")
    assert "token" not in state.section("publish")
    assert "pid" not in state.section("publish")


def test_directory(image: Path, state: StateFile, tmp_path: Path) -> None:
    root = tmp_path / "www"
    root.mkdir()
    options = PublishOptions(method="directory", directory=str(root), url="https://www.example.com/images/", mode=0o640)
    planned = go(image, state, options, check_mode=True)
    assert (planned.changed, planned.reason, list(root.iterdir())) == (True, "there is no copy yet", [])
    done = go(image, state, options)
    copy = Path(done.copy_path)
    assert done.url == f"https://www.example.com/images/{copy.parent.name}/agent.x86_64.iso"
    assert len(copy.parent.name) == 32
    assert (copy.read_bytes(), copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777) == (
        b"image" * 100,
        0o640,
        0o710,
    )
    assert not go(image, state, options).changed
    image.write_bytes(b"newer" * 100)
    assert go(image, state, options).reason == "the image changed"
    assert copy.read_bytes() == b"newer" * 100
    assert (
        go(image, state, PublishOptions(method="directory", directory=str(root), url=options.url, mode=0o644)).reason
        == "the copy's mode is not 0644"
    )
    assert copy.parent.stat().st_mode & 0o777 == 0o711
    done = withdraw(state, SystemClock())
    assert (done.changed, done.reason, list(root.iterdir())) == (True, "the copy is removed", [])


def test_the_path_of_a_copy_is_stored_before_the_copy(
    image: Path, state: StateFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[tuple[str, bool]] = []

    def save(_link: StoreLink) -> None:
        copy = state.section("publish")["copy"]
        stored.append((copy, Path(copy).exists()))

    monkeypatch.setattr(StoreLink, "save", save)
    options = PublishOptions(method="directory", directory=str(tmp_path), url="http://x/")
    done = go(image, state, options)
    go(image, state, options)
    assert stored == [(done.copy_path, False)] and Path(done.copy_path).exists()


@pytest.mark.parametrize("name", ["agent.x86_64.iso", ".agent.x86_64.iso.k3x.part"])
@pytest.mark.parametrize("again", [False, True])
def test_a_run_that_was_killed_in_a_copy_leaves_nothing(
    image: Path, state: StateFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, again: bool
) -> None:
    root = tmp_path / "www"
    root.mkdir()
    options = PublishOptions(method="directory", directory=str(root), url="http://x/")

    def killed(_source: object, target: Path, *_arguments: object, **_options: object) -> None:
        target.with_name(name).write_bytes(b"image" * 100)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "patched_copy", killed)
        with pytest.raises(KeyboardInterrupt):
            go(image, state, options)
    assert len(list(root.rglob("*.*"))) == 1
    if again:
        done = go(image, state, options)
        assert done.changed and list(root.rglob("*.*")) == [Path(done.copy_path)]
        assert not go(image, state, options).changed
    assert withdraw(state, SystemClock(), check_mode=True).changed
    assert withdraw(state, SystemClock()).reason == "the copy is removed" and list(root.iterdir()) == []
    assert not withdraw(state, SystemClock()).changed and not state.section("publish").get("copy")


def test_another_directory_or_name_leaves_no_former_copy(image: Path, state: StateFile, tmp_path: Path) -> None:
    for name, file in (("first", "a.iso"), ("second", "a.iso"), ("second", "b.iso")):
        root = tmp_path / "www" / name
        root.mkdir(parents=True, exist_ok=True)
        image = image.rename(image.with_name(file))
        done = go(image, state, PublishOptions(method="directory", directory=str(root), url="http://x/"))
        assert done.changed and list(tmp_path.glob("www/*/*/*.iso")) == [Path(done.copy_path)]
    assert list((tmp_path / "www" / "first").iterdir()) == []


def test_a_copy_whose_directory_has_files_of_others(image: Path, state: StateFile, tmp_path: Path) -> None:
    root = tmp_path / "www"
    root.mkdir()
    done = go(image, state, PublishOptions(method="directory", directory=str(root), url="http://x/"))
    other = Path(done.copy_path).with_name("index.html")
    other.touch()
    for _attempt in range(2):
        with pytest.raises(ZeroTouchError, match="cannot be removed: Directory not empty"):
            withdraw(state, SystemClock())
    other.unlink()
    assert withdraw(state, SystemClock()).changed and list(root.iterdir()) == []


def test_changing_the_method_takes_the_former_back(image: Path, state: StateFile, tmp_path: Path) -> None:
    first = go(image, state, LOCAL)
    root = tmp_path / "www"
    root.mkdir()
    go(image, state, PublishOptions(method="directory", directory=str(root), url="http://www.example.com/"))
    assert Process.of(first.pid) is None
    go(image, state, LOCAL)
    assert list(root.iterdir()) == []


def test_none_only_passes_the_url_on(image: Path, state: StateFile) -> None:
    options = PublishOptions(method="none", url="http://www.example.com/images/agent.iso")
    found = go(image, state, options)
    assert (found.changed, found.url) == (False, options.url)
    assert state.section("publish")["url"] == options.url


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"method": "directory", "url": "http://x/"}, "directory"),
        ({"method": "directory", "directory": "/tmp"}, "url"),
        ({"method": "none"}, "url"),
        ({"method": "none", "url": "ftp://x/y/z.iso"}, "url"),
        ({"method": "none", "url": "http://x/z.iso"}, "url"),
        ({"method": "none", "url": "http://x/y/z.img"}, "url"),
        ({"method": "none", "url": "http://x/y/z.iso?token=1"}, "url"),
        ({"url": "x:8080"}, "url"),
        ({"url": "http://x:99999/"}, "url"),
        ({"url": "http://x:8080"}, "port"),
        ({"url": "http://x/y?secret-word", "port": 8080}, "url"),
        ({"method": "upload", "url": "http://x/y?"}, "url"),
        ({"method": "directory", "directory": "/tmp", "url": "http://x/y#z"}, "url"),
        ({"url": "http://x/a b", "port": 8080}, "url"),
        ({"method": "upload", "url": "http://x/\n"}, "url"),
        ({"method": "none", "url": "http://x/a b/z.iso"}, "url"),
        ({"method": "none", "url": "http://x/y/z.iso?secret-word"}, "url"),
        ({"url": "user:secret-word@x", "port": 8080}, "url"),
        ({"url": "http:/user:secret-word@x/", "port": 8080}, "url"),
        ({"method": "directory", "directory": "/nowhere", "url": "http://x/"}, "directory"),
        ({"key": "/k"}, "tls.certificate"),
    ],
)
def test_wrong_options(options: dict, path: str, image: Path, state: StateFile) -> None:
    problems = check_options(PublishOptions(**options))
    assert [problem.path for problem in problems] == [f"openshift_publish.{path}"]
    assert "secret-word" not in problems[0].text()
    with pytest.raises(InvalidInput):
        go(image, state, PublishOptions(**options))


def test_nothing_to_publish(state: StateFile, image: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroTouchError, match="there is no image to publish"):
        go(tmp_path / "missing.iso", state, LOCAL)
    with pytest.raises(ZeroTouchError, match="is the directory that your web server serves"):
        go(image, state, PublishOptions(method="directory", directory=str(tmp_path / "missing"), url="http://x/"))
