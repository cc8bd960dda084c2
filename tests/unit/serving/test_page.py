# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the server of the live report: its URL path differs from that of the image, it serves no other file beside the
report, and it ends with its run.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import page
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import PublishOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.page import serve_page
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.publish import publish, withdraw

OPTIONS = PublishOptions(listen="127.0.0.1", max_seconds=60)


def get(port: int, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found


def refuses(port: int) -> bool:
    try:
        get(port, "/")
    except OSError:
        return True
    return False


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(page, "AFTER_RUN", 0.0)
    found = tmp_path / "cluster"
    (found / "images").mkdir(parents=True, mode=0o700)
    found.chmod(0o700)
    (found / "report.html").write_text("<title>first</title>")
    (found / "report.json").write_text("{}")
    (found / "state.json.txt").write_text("secret")
    (found / "images" / "agent.x86_64.iso").write_bytes(b"image" * 1000)
    return found


def test_the_page_is_served_as_it_is_now_and_until_its_run_ends(root: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        url = urlsplit(serve_page(root, OPTIONS, run=run.pid))
        port = url.port or 0
        status, headers, body = get(port, url.path)
        assert (status, headers["content-type"], headers["cache-control"]) == (
            200,
            "text/html; charset=utf-8",
            "no-store",
        )
        assert body == b"<title>first</title>"
        new = root / "new"
        new.write_text("<title>second</title>")
        new.replace(root / "report.html")
        assert get(port, url.path)[2] == b"<title>second</title>"
        assert get(port, url.path.replace(".html", ".json"))[1]["content-type"] == "application/json"
    finally:
        run.kill()
        run.wait()
    ends = time.monotonic() + 20
    while not refuses(port):
        assert time.monotonic() < ends, "the server outlives its run"
        time.sleep(0.1)


def test_no_sibling_of_the_page_and_nothing_of_the_image_can_be_had(root: Path) -> None:
    image = root / "images" / "agent.x86_64.iso"
    state = StateFile(root / "state.json")
    run = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        served = urlsplit(publish(image, state, OPTIONS, SystemClock()).url)
        url = urlsplit(serve_page(root, OPTIONS, run=run.pid))
        port, image_port = url.port or 0, served.port or 0
        token, image_token = url.path.split("/")[1], served.path.split("/")[1]
        assert port != image_port and token != image_token and len(token) == 32
        assert (
            token
            not in (root / "report.html").read_text()
            + (root / "logs" / page.LOG).read_text()
            + (root / "state.json").read_text()
        )
        names = [entry.relative_to(root).as_posix() for entry in root.rglob("*")]
        siblings = [
            "/",
            "//",
            f"/{token}",
            f"/{token}/",
            f"/{token}/.",
            f"/{token}/../{token}/report.txt",
            f"/{token}/report",
            f"/{token}/report.html/",
        ]
        siblings += [f"/{token}/{name}" for name in names if name not in ("report.html", "report.json")]
        siblings += (
            [f"/{name}" for name in names]
            + [f"/{token}/../{name}" for name in names]
            + [f"/{token}/%2e%2e/{name}" for name in names]
        )
        siblings += [served.path, f"/{token}/{image.name}", f"/{image_token}/report.html"]
        assert {path: get(port, path)[0] for path in siblings} == dict.fromkeys(siblings, 404)
        on_image = [url.path, f"/{token}/{image.name}", f"/{image_token}/report.html", f"/{image_token}/"]
        assert {path: get(image_port, path)[0] for path in on_image} == dict.fromkeys(on_image, 404)
        assert get(image_port, served.path)[0] == 200
    finally:
        withdraw(state, SystemClock())
        run.kill()
        run.wait()
