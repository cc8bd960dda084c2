# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the image server as a process: it is started from its source text, answers over real sockets, continues after
the process that started it has ended, and ends when it should.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import detach
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.detach import (
    Process,
    ServerConfig,
    serves,
    start_server,
    stop_server,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.head import parse_ranges

CONTENT = bytes(range(256)) * 40
PATH = "/0123456789abcdef/agent.x86_64.iso"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None),
        ("bytes=0-0", [(0, 1)]),
        ("bytes=0-99", [(0, 100)]),
        ("BYTES = 5-9", [(5, 5)]),
        ("bytes=90-", [(90, 10)]),
        ("bytes=90-500", [(90, 10)]),
        ("bytes=-10", [(90, 10)]),
        ("bytes=-500", [(0, 100)]),
        ("bytes=0-1, 4-5 ,-1", [(0, 2), (4, 2), (99, 1)]),
        ("bytes=0-1,500-", [(0, 2)]),
        ("bytes=100-", []),
        ("bytes=-0", []),
        ("bytes=9-5", None),
        ("bytes=a-b", None),
        ("bytes=-", None),
        ("bytes=", None),
        ("bytes=5", None),
        ("bytes=+5-9", None),
        ("bytes=٣-٤", None),
        ("bytes=" + "9" * 60 + "-", None),
        ("lines=0-1", None),
        ("bytes=" + ",".join(["0-0"] * 17), None),
    ],
)
def test_ranges(header: str, expected: list[tuple[int, int]] | None) -> None:
    assert parse_ranges(header, 100) == expected


def test_nothing_of_an_empty_file_can_be_had() -> None:
    assert parse_ranges("bytes=0-", 0) == []


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "agent.x86_64.iso"
    path.write_bytes(CONTENT)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


Start = Callable[..., tuple[Process, int]]


@pytest.fixture
def start(tmp_path: Path, image: Path) -> Iterator[Start]:
    running = []

    def start(**changes: object) -> tuple[Process, int]:
        options = {
            "path": image,
            "url_path": PATH,
            "log": tmp_path / "server.log",
            "listen": "127.0.0.1",
            "port": 0,
            "max_seconds": 60,
            **changes,
        }
        process, port = start_server(ServerConfig(**options))
        running.append(process)
        return process, port

    yield start
    for process in running:
        stop_server(process, SystemClock())


def ask(port: int, method: str = "GET", path: str = PATH, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


def test_answers(start: Start) -> None:
    process, port = start()
    answer, body = ask(port)
    assert (answer.status, body, answer.headers["Content-Length"], answer.headers["Accept-Ranges"]) == (
        200,
        CONTENT,
        "10240",
        "bytes",
    )
    assert answer.headers["Transfer-Encoding"] is None
    assert answer.headers["Last-Modified"] == "Tue, 14 Nov 2023 22:13:20 GMT"
    etag = answer.headers["ETag"]

    answer, body = ask(port, "HEAD", Range="bytes=0-1")
    assert (answer.status, body, answer.headers["Content-Length"], answer.headers["ETag"]) == (200, b"", "10240", etag)

    answer, body = ask(port, Range="bytes=100-199")
    assert (answer.status, body, answer.headers["Content-Range"], answer.headers["Content-Length"]) == (
        206,
        CONTENT[100:200],
        "bytes 100-199/10240",
        "100",
    )

    answer, body = ask(port, Range="bytes=20000-")
    assert (answer.status, body, answer.headers["Content-Range"]) == (416, b"", "bytes */10240")
    assert process.alive


def test_several_ranges_in_one_answer(start: Start) -> None:
    answer, body = ask(start()[1], Range="bytes=0-3,-2")
    assert answer.status == 206
    assert int(answer.headers["Content-Length"]) == len(body)
    boundary = answer.headers["Content-Type"].partition("boundary=")[2].encode()
    parts = body.split(b"--" + boundary)
    assert parts[1].startswith(
        b"\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes 0-3/10240\r\n\r\n\x00\x01\x02\x03"
    )
    assert parts[2].endswith(b"bytes 10238-10239/10240\r\n\r\n\xfe\xff\r\n")
    assert parts[3] == b"--\r\n"


def test_conditions(start: Start, image: Path) -> None:
    port = start()[1]
    etag = ask(port, "HEAD")[0].headers["ETag"]
    date = "Tue, 14 Nov 2023 22:13:20 GMT"
    for headers, status in [
        ({"If_Range": etag}, 206),
        ({"If_Range": date}, 206),
        ({"If_Range": '"other"'}, 200),
        ({"If_Range": f"W/{etag}"}, 200),
        ({"If_Range": "Tue, 14 Nov 2023 22:13:19 GMT"}, 200),
        ({"If_None_Match": f'"x", W/{etag}'}, 304),
        ({"If_None_Match": '"x"'}, 206),
        ({"If_Modified_Since": date}, 304),
        ({"If_Modified_Since": "nonsense"}, 206),
        ({"If_Match": "*"}, 206),
        ({"If_Match": '"x"'}, 412),
        ({"If_Unmodified_Since": "Tue, 14 Nov 2023 22:13:19 GMT"}, 412),
    ]:
        assert ask(port, Range="bytes=0-9", **headers)[0].status == status, headers
    image.with_name("new").write_bytes(b"new")
    image.with_name("new").replace(image)
    answer, body = ask(port, Range="bytes=0-9", If_Range=etag)
    assert (answer.status, body) == (200, b"new")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/agent.x86_64.iso",
        "/0123456789abcdef/",
        "/0123456789abcdef",
        "/0123456789ABCDEF/agent.x86_64.iso",
        "/0123456789abcdef/../0123456789abcdef/agent.x86_64.iso",
        "/0123456789abcdef/../../etc/passwd",
        "/0123456789abcdef/%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "/0123456789abcdef/agent.x86_64.iso/",
    ],
)
def test_nothing_else_can_be_had(start: Start, path: str) -> None:
    answer, body = ask(start()[1], path=path)
    assert (answer.status, body) == (404, b"Not found.\n")


def test_forms_of_the_right_path(start: Start) -> None:
    port = start()[1]
    for path in (PATH + "?x=1", "/0123456789abcdef/agent%2Ex86_64.iso", f"http://127.0.0.1:{port}{PATH}"):
        assert ask(port, path=path)[0].status == 200, path


def test_other_methods_are_refused(start: Start) -> None:
    port = start()[1]
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer, _body = ask(port, method)
        assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert ask(port, "BREW")[0].status == 501


def test_many_requests_on_one_connection_and_many_slow_readers(start: Start) -> None:
    port = start()[1]
    slow = [socket.create_connection(("127.0.0.1", port), timeout=10) for _number in range(60)]
    for connection in slow:
        connection.sendall(f"GET {PATH} HTTP/1.1\r\nHost: x\r\n".encode())  # never finished
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for offset in range(0, 10240, 1024):
        connection.request("GET", PATH, headers={"Range": f"bytes={offset}-{offset + 1023}"})
        assert connection.getresponse().read() == CONTENT[offset : offset + 1024]
    connection.close()
    for each in slow:
        each.sendall(b"Range: bytes=0-0\r\n\r\n")
        assert each.recv(100).startswith(b"HTTP/1.1 206")
        each.close()


def test_log_holds_requests_but_not_the_path(start: Start, tmp_path: Path) -> None:
    _process, port = start()
    ask(port, Range="bytes=0-9")
    ask(port, path="/wrong")
    log = tmp_path / "server.log"
    assert wait_for(lambda: " 404 " in log.read_text())
    text = log.read_text()
    assert "127.0.0.1 GET bytes=0-9 206 10 bytes" in text
    assert "0123456789abcdef" not in text
    assert "wrong" not in text
    assert log.stat().st_mode & 0o777 == 0o600


def test_log_is_not_written_through_a_link(start: Start, tmp_path: Path) -> None:
    (tmp_path / "bashrc").write_text("export PATH\n")
    (tmp_path / "server.log").symlink_to(tmp_path / "bashrc")
    _process, port = start()
    assert ask(port, Range="bytes=0-9")[0].status == 206
    assert (tmp_path / "bashrc").read_text() == "export PATH\n"


def test_no_secret_in_the_list_of_processes(start: Start) -> None:
    process, _port = start()
    assert "0123456789abcdef" not in Path(f"/proc/{process.pid}/cmdline").read_text()
    assert "0123456789abcdef" not in Path(f"/proc/{process.pid}/environ").read_text()


def test_it_has_no_parent_and_a_session_of_its_own(start: Start) -> None:
    process, _port = start()
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    assert int(fields[1]) != os.getpid()
    assert int(fields[3]) != os.getsid(0)


def test_it_outlives_its_starter_and_the_starters_files(tmp_path: Path, image: Path) -> None:
    """As from an AnsiballZ payload: the collection is in a zip file that is gone when the program ends."""
    import zipfile

    payload = tmp_path / "payload.zip"
    packages = Path(detach.__file__).parents[1]
    with zipfile.ZipFile(payload, "w") as archive:
        for package in ("packages", "packages/common", "packages/serving"):
            archive.writestr(f"{package}/__init__.py", "")
        for name in (
            "common/clock.py",
            "common/errors.py",
            "common/problems.py",
            "common/terminal.py",
            "serving/connections.py",
            "serving/content.py",
            "serving/conversation.py",
            "serving/detach.py",
            "serving/head.py",
            "serving/server.py",
        ):
            archive.write(packages / name, f"packages/{name}")
    program = (
        "from pathlib import Path; from packages.serving.detach import *; import sys;"
        "p, port = start_server(ServerConfig(path=Path(sys.argv[1]), url_path=sys.argv[2], log=Path(sys.argv[3]), "
        "listen='127.0.0.1', port=0, max_seconds=60));"
        "print(p.pid, p.started, port)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(image), PATH, str(tmp_path / "log")],
        env={"PYTHONPATH": str(payload)},
        capture_output=True,
        text=True,
        check=True,
    )
    pid, started, port = map(int, done.stdout.split())
    payload.unlink()
    process = Process(pid, started)
    try:
        assert ask(port)[1] == CONTENT
    finally:
        assert stop_server(process, SystemClock())


def test_it_ends_when_its_starter_is_killed_before_it_is_confirmed(tmp_path: Path, image: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path;"
        f"from {detach.__name__} import *;"
        "config = ServerConfig(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), '127.0.0.1', 0, 60)\n"
        "with starting_server(config) as (process, port):\n"
        "    print(process.pid, process.started, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", program, str(image), PATH, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    )
    process = Process(*map(int, killed.stdout.split()))
    assert killed.returncode == -signal.SIGKILL
    assert wait_for(lambda: not process.alive)
    assert "end: no run has recorded it" in (tmp_path / "log").read_text()


def test_it_ends_when_the_image_is_gone(start: Start, image: Path) -> None:
    process, _port = start()
    image.unlink()
    assert wait_for(lambda: not process.alive)


def test_its_life_is_bounded_and_can_be_prolonged(start: Start, tmp_path: Path) -> None:
    process, _port = start(max_seconds=0.5)
    assert wait_for(lambda: not process.alive)
    assert ".5 seconds are over" in (tmp_path / "server.log").read_text()
    other, _port = start(max_seconds=60)
    detach.prolong(other)
    assert other.alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_on_signals(start: Start, number: signal.Signals) -> None:
    process, port = start()
    process.send(number)
    assert wait_for(lambda: not process.alive)
    assert not serves("127.0.0.1", port, PATH, len(CONTENT), tls=False)
    assert not stop_server(process, SystemClock())


def test_it_obeys_signals_at_any_moment(start: Start) -> None:
    """A handler that took the lock of the wait that it interrupted blocked the server forever: it neither ended nor
    watched its image.
    """
    process, _port = start()
    for _time in range(3000):
        process.send(signal.SIGUSR1)
    process.send(signal.SIGTERM)
    assert wait_for(lambda: not process.alive)


def test_a_taken_port(start: Start, image: Path) -> None:
    _first, port = start()
    with pytest.raises(ZeroTouchError, match=f"cannot listen on 127.0.0.1 port {port}: Address already in use"):
        start(port=port)
    _second, other = start(port=port, any_port=True)
    assert other != port


def test_a_process_lives_until_its_last_thread_has_ended() -> None:
    """Its port is taken until then: a new server on it could not listen."""
    thread = "threading.Thread(target=sys.stdin.read).start()"
    first_ends = "ctypes.CDLL(None).pthread_exit(None)"
    command = [sys.executable, "-c", f"import ctypes, sys, threading; {thread}; {first_ends}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as program:
        process = Process.of(program.pid)
        assert process is not None and program.stdin is not None
        stat = Path(f"/proc/{program.pid}/stat")
        assert wait_for(lambda: ") Z " in stat.read_text())
        assert process.alive
        program.stdin.close()
        assert wait_for(lambda: not process.alive)


def test_a_recorded_number_that_is_another_process_now() -> None:
    mine = Process.of(os.getpid())
    assert mine.alive
    assert not Process(mine.pid, mine.started + 1).alive
    assert Process.of(2**22 + 1) is None
    Process(mine.pid, mine.started + 1).send(signal.SIGKILL)  # would end this test run


def test_health(start: Start) -> None:
    _process, port = start()
    assert serves("0.0.0.0", port, PATH, len(CONTENT), tls=False)
    assert not serves("127.0.0.1", port, PATH, 1, tls=False)
    assert not serves("127.0.0.1", port, "/other/agent.iso", len(CONTENT), tls=False)


def test_words_when_it_cannot_start(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroTouchError, match=r"cannot listen on 192\.0\.2\.1 port 0: Cannot assign requested address"):
        start(listen="192.0.2.1")
    monkeypatch.setattr(detach, "_modules", lambda: [("server", "raise RuntimeError('no such luck')")])
    with pytest.raises(ZeroTouchError, match="could not be started: RuntimeError: no such luck"):
        start()


def test_https(start: Start, tmp_path: Path) -> None:
    import ssl

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
    _process, port = start(certificate=str(certificate), key=str(key))
    connection = http.client.HTTPSConnection(
        "127.0.0.1", port, timeout=10, context=ssl.create_default_context(cafile=str(certificate))
    )
    connection.request("GET", PATH, headers={"Range": "bytes=10-"})
    assert connection.getresponse().read() == CONTENT[10:]
    connection.close()
    assert serves("127.0.0.1", port, PATH, len(CONTENT), tls=True)
    assert not serves("127.0.0.1", port, PATH, len(CONTENT), tls=False)
    with pytest.raises(ZeroTouchError, match=r"cannot listen on 127\.0\.0\.1"):
        start(certificate=str(tmp_path / "missing.crt"))
