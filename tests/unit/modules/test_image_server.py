# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module image_server, called in the test process: it starts and stops the server, predicts both in check mode,
and uploads images.
"""

from __future__ import annotations

import functools
import http.server
import json
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.modules import image_server


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    image = tmp_path / "work" / "images" / "agent.x86_64.iso"
    image.parent.mkdir(parents=True)
    image.write_bytes(b"image")
    StateFile(tmp_path / "work" / "state.json").update("image", {"path": str(image)})
    yield tmp_path / "work"
    opened(tmp_path / "work", state="stopped")


def url_of(work: Path) -> str:
    file = work / "auth" / "image-url"
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text().strip()


def opened(work: Path, *, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in image_server.argument_spec().items()}
    call = Call({**params, "work_dir": str(work), **options}, check_mode=check_mode)
    return {**perform(image_server.run, call), "warnings": call.warnings}


def test_start_and_stop(work: Path) -> None:
    options = {"publish": {"listen": "127.0.0.1"}}
    planned = opened(work, check_mode=True, **options)
    assert (planned["changed"], planned["pid"], planned["url"]) == (
        True,
        0,
        "http://127.0.0.1:0/predicted/agent.x86_64.iso",
    )
    done = opened(work, **options)
    assert not done["failed"], done
    assert done["url_file"] == planned["url_file"] == str(work / "auth" / "image-url")
    url, token = url_of(work), StateFile(work / "state.json").section("publish")["token"]
    assert done["url"] == url.replace(token, "<hidden>") and token in url
    with urllib.request.urlopen(url, timeout=10) as answer:
        assert answer.read() == b"image"
    again = opened(work, **options)
    assert not again["changed"]
    assert token not in json.dumps([done, again, opened(work, check_mode=True, **options)])
    assert (work / "logs" / "image-server.log").stat().st_mode & 0o777 == 0o600
    assert opened(work, state="stopped", check_mode=True)["changed"]
    stopped = opened(work, state="stopped")
    assert stopped["changed"] and token not in json.dumps(stopped) and not (work / "auth" / "image-url").exists()
    assert not opened(work, state="stopped")["changed"]


def test_the_interface_that_leads_to_the_bmcs(work: Path) -> None:
    addresses = [
        "redfish-virtualmedia+https://127.9.0.1:8443/redfish/v1/Systems/1",
        "redfish-virtualmedia+https://bmc-2.example.com",
    ]
    done = opened(work, bmc_addresses=addresses, connect_to={"bmc-2.example.com": "127.9.0.2"})
    assert done["url"].startswith("http://127.0.0.1:"), done
    assert done["warnings"] == []


def test_check_mode_before_there_is_anything(tmp_path: Path) -> None:
    planned = opened(tmp_path / "nowhere", check_mode=True, publish={"listen": "127.0.0.1", "port": 8080})
    assert planned["url"] == "http://127.0.0.1:8080/predicted/agent.x86_64.iso"
    assert not opened(tmp_path / "nowhere", state="stopped", check_mode=True)["changed"]
    assert not (tmp_path / "nowhere").exists()
    result = opened(tmp_path / "nowhere")
    assert "No image was built in" in result["msg"]


def test_directory_and_none(work: Path, tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    publish = {
        "method": "directory",
        "directory": str(tmp_path / "www"),
        "url": "http://192.0.2.1/images",
        "mode": "0644",
    }
    done = opened(work, publish=publish)
    token = StateFile(work / "state.json").section("publish")["token"]
    copy = Path(done["copy_path"].replace("<hidden>", token))
    assert copy.stat().st_mode & 0o777 == 0o644 and token in str(copy) and token not in json.dumps(done)
    assert url_of(work) == f"http://192.0.2.1/images/{token}/agent.x86_64.iso"
    assert not opened(work, publish=publish)["changed"]
    other = opened(work, publish={"method": "none", "url": "http://192.0.2.1/x/y.iso"})
    assert (other["url"], other["method"]) == ("http://192.0.2.1/x/y.iso", "none")
    assert not copy.exists() and url_of(work) == other["url"]


def test_the_root_file_system_of_a_minimal_iso(work: Path, tmp_path: Path) -> None:
    artifacts = tmp_path / "www"
    artifacts.mkdir()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(artifacts))
    )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    url = "http://boot.example.com/agent.x86_64-rootfs.img"
    options = {
        "publish": {"listen": "127.0.0.1"},
        "connect_to": {"boot.example.com": f"127.0.0.1:{server.server_port}"},
    }
    state = StateFile(work / "state.json")
    state.update("image", {**state.section("image"), "rootfs": {"url": url, "size": 6}})
    try:
        missing = opened(work, **options)
        assert missing["failed"] and f"{url}" in missing["msg"] and "404" in missing["msg"], missing
        assert missing["msg"].endswith("Publish the root file system of the base image's build there and run again.")
        made = work / "boot-artifacts" / "agent.x86_64-rootfs.img"
        made.parent.mkdir()
        made.write_bytes(b"rootfs")
        assert opened(work, **options)["msg"].endswith(f"Publish {made} there and run again.")
        (artifacts / made.name).write_bytes(b"other build")
        assert (
            "is not the root file system of this image: it has 11 bytes, 6 are expected"
            in opened(work, **options)["msg"]
        )
        (artifacts / made.name).write_bytes(b"rootfs")
        done = opened(work, **options)
        assert (done["failed"], done["warnings"]) == (False, [])
    finally:
        server.shutdown()
        server.server_close()
    unseen = opened(work, **options)
    assert not unseen["failed"] and unseen["warnings"][0].startswith(
        "Whether hosts find their root file system could not be checked from the control node"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"publish": {"mode": "0777"}}, "0777 lets others write"),
        ({"publish": {"mode": 640}}, 'must be octal and in quotes, such as "0640"'),
        ({"max_seconds": 0}, "max_seconds: Invalid value: 0: must be greater than 0"),
        ({"publish": {"method": "none"}}, "method none needs the URL"),
        ({"bmc_addresses": ["10.0.0.1"]}, "bmc_addresses[0]"),
        ({"connect_to": {"a:b:c": "d"}}, "openshift_connect_to[a:b:c]"),
        ({"path": "/nowhere.iso"}, "/nowhere.iso does not exist"),
        (
            {"publish": {"listen": "127.0.0.1", "tls": {"certificate": "/nowhere.pem"}}},
            "tls.certificate: Invalid value: /nowhere.pem does not exist",
        ),
    ],
)
def test_mistakes(work: Path, options: dict[str, Any], words: str) -> None:
    result = opened(work, **options)
    assert result["failed"]
    assert words in result["msg"]


@pytest.fixture
def webdav(tmp_path: Path) -> Iterator[http.server.ThreadingHTTPServer]:
    """A server that stores what is put, for requests with the right header."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_PUT(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            allowed = self.headers["X-Key"] == "s3cret-key-of-the-store"
            if allowed:
                path = Path(self.translate_path(self.path))
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
            self.send_response(201 if allowed else 403)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Silent."""

    (tmp_path / "store").mkdir()
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(tmp_path / "store"))
    ) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def test_upload_with_the_root_file_system(work: Path, webdav: http.server.ThreadingHTTPServer, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{webdav.server_port}"
    rootfs = work / "boot-artifacts" / "agent.x86_64-rootfs.img"
    rootfs.parent.mkdir()
    rootfs.write_bytes(b"rootfs")
    (rootfs.parent / ".agent.x86_64-rootfs.img.partial").write_bytes(b"roo")
    StateFile(work / "state.json").update("image", {"rootfs": {"url": f"{url}/{rootfs.name}", "size": 6}})
    options = {"publish": {"method": "upload", "url": url, "headers": {"X-Key": "s3cret-key-of-the-store"}}}

    done = opened(work, **options)
    assert not done["failed"] and done["changed"], done
    token = StateFile(work / "state.json").section("publish")["token"]
    assert done["url"] == f"{url}/<hidden>/agent.x86_64.iso" and url_of(work) == f"{url}/{token}/agent.x86_64.iso"
    assert {str(path.relative_to(tmp_path / "store")) for path in (tmp_path / "store").rglob("*.i*")} == {
        f"{token}/agent.x86_64.iso",
        rootfs.name,
    }
    again = opened(work, **options)
    assert not again["changed"] and "s3cret" not in json.dumps([done, again])
    refused = opened(work, publish={**options["publish"], "headers": {"X-Key": "another-secret"}, "verify": "digest"})
    assert not refused["failed"]
    rootfs.write_bytes(b"ROOTFS")
    refused = opened(work, publish={**options["publish"], "headers": {"X-Key": "another-secret"}})
    assert refused["failed"] and "answered 403" in refused["msg"] and "another-secret" not in json.dumps(refused)
    stopped = opened(work, state="stopped", **options)
    assert not stopped["changed"] and "stay on the server" in stopped["reason"]


@pytest.mark.parametrize(
    ("more", "withdrawn"),
    [
        # The file server refuses the headers.
        ({}, False),
        # Options that cannot be read are a mistake of the user.
        ({"mode": "0777"}, None),
    ],
)
def test_uploads_that_cannot_be_deleted(
    work: Path, webdav: http.server.ThreadingHTTPServer, more: dict[str, Any], withdrawn: bool | None
) -> None:
    """The caller can go on and repeat it: what is to be deleted stays recorded."""
    base = f"http://127.0.0.1:{webdav.server_port}"
    state = StateFile(work / "state.json")
    state.update("publish", {"method": "upload", "uploads": {f"{base}/x.iso": {}}})
    publish = {"method": "upload", "url": base, "headers": {"X-Key": "another-secret"}, "delete": True, **more}
    done = opened(work, state="stopped", publish=publish)
    assert done["failed"] and done.get("withdrawn") is withdrawn, done
    assert list(state.section("publish")["uploads"]) == [f"{base}/x.iso"]


def test_the_plan_of_an_upload(work: Path, webdav: http.server.ThreadingHTTPServer) -> None:
    lines: list[str] = []
    params = {name: spec.get("default") for name, spec in image_server.argument_spec().items()}
    publish = {"method": "upload", "url": f"http://127.0.0.1:{webdav.server_port}"}
    result = perform(
        image_server.run,
        Call({**params, "work_dir": str(work), "publish": publish}, check_mode=True, show=lines.append),
    )
    assert result["changed"] and lines == [f"would upload agent.x86_64.iso: it is new, to {publish['url']}/predicted"]
