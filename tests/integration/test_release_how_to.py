# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Follow docs/how-to/release.md word for word in a clone: its commands run as they are printed, and publish to servers
of this test.

The suites that the page runs are left out: they are tests themselves.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "release.md"
if not (ROOT / ".git").exists():
    pytest.skip("a release is made in a clone", allow_module_level=True)

# What runs for minutes or hours, and what prepares the environment that this test has already.
_ELSEWHERE = ("make setup", "make test-all", "make one ")
# Seconds since 1970, in 2100.
_LATER = 4_102_444_800
_TOKENS = {"Token of the package index": "canary-token-of-the-index", "Token of Galaxy": "canary-token-of-galaxy"}


class Publisher(http.server.BaseHTTPRequestHandler):
    """As much of Galaxy's API (v3) and of a package index as an upload needs.

    ``uploads`` has path, authorization and body of each.
    """

    uploads: list[tuple[str, str, bytes]]

    def do_GET(self) -> None:
        if not self.path.startswith("/api"):
            self.send_error(404)
            return
        done = {"id": "1", "state": "completed", "finished_at": "2026-11-26T22:00:00Z", "messages": []}
        self._json(done if "imports" in self.path else {"available_versions": {"v3": "v3/"}})

    def do_POST(self) -> None:
        body = (
            self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else self._chunks()
        )
        self.uploads.append((self.path, self.headers["Authorization"], body))
        self._json({"task": "/api/v3/imports/collections/1/"})

    def _chunks(self) -> bytes:
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _json(self, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def publisher() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    handler = type("Publishing", (Publisher,), {"uploads": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", handler.uploads
    server.shutdown()
    server.server_close()


def script(galaxy: str) -> str:
    """The commands of the page, with the address of Galaxy replaced."""
    blocks = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if not line.startswith(_ELSEWHERE)]
    assert len(lines) == sum(block.count("\n") for block in blocks) - len(_ELSEWHERE)
    text = "\n".join(lines).replace("https://galaxy.ansible.com/", galaxy)
    assert galaxy in text
    return f"set -euo pipefail\n{text}\n"


def git(directory: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=directory, check=True, capture_output=True, text=True).stdout.strip()


def cloned(tmp_path: Path) -> Path:
    """A clone with the files of the working tree, the environment of this test, an origin and a key for signatures."""
    origin, clone, key = tmp_path / "origin.git", tmp_path / "clone", tmp_path / "key"
    git(tmp_path, "clone", "--quiet", "--bare", str(ROOT), str(origin))
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    for name in git(ROOT, "ls-files", "--modified", "--others", "--exclude-standard").splitlines():
        if (ROOT / name).exists():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
        else:
            (clone / name).unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    settings = {
        "user.name": "a",
        "user.email": "a@example.com",
        "gpg.format": "ssh",
        "user.signingkey": str(key),
        "core.hooksPath": os.devnull,
    }
    for name, value in settings.items():
        git(clone, "config", name, value)
    _lend_environment(clone / ".venv")
    return clone


def _lend_environment(place: Path) -> None:
    """The environment of this test as that of the clone.

    Its stamps are from the future, so that no target of make installs into it.
    """
    (place / "stamps").mkdir(parents=True)
    for entry in (ROOT / ".venv").iterdir():
        if entry.name != "stamps":
            (place / entry.name).symlink_to(entry)
    for name in ("run", "dev"):
        (place / "stamps" / name).touch()
        os.utime(place / "stamps" / name, (_LATER, _LATER))


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen here that makes a key for the tag")
def test_the_release_as_the_page_says(publisher: tuple[str, list[tuple[str, str, bytes]]], tmp_path: Path) -> None:
    url, uploads = publisher
    clone = cloned(tmp_path)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ANSIBLE_COLLECTIONS_PATH")
    }
    environment |= {"UV_PUBLISH_URL": f"{url}legacy/", "GIT_PAGER": "cat", "HOME": str(tmp_path)}
    tokens = "".join(f"{token}\n" for token in _TOKENS.values())
    run = subprocess.run(
        ["bash", "-c", script(url)],
        cwd=clone,
        env=environment,
        input=tokens,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0 and "installing" not in run.stdout, run.stdout + run.stderr
    assert not any(token in run.stdout + run.stderr for token in _TOKENS.values())
    assert git(clone, "status", "--porcelain") == ""
    # The tag is signed, and is at origin with its commit.
    assert "BEGIN SSH SIGNATURE" in git(tmp_path / "origin.git", "cat-file", "tag", "1.0.0")
    assert git(tmp_path / "origin.git", "rev-parse", "1.0.0^{commit}") == git(clone, "rev-parse", "HEAD")
    assert [path.name for path in (clone / "changelogs" / "fragments").glob("*.yml")] == []
    assert "v1\\.0\\.0" in (clone / "CHANGELOG.md").read_text()
    (wheel_path, wheel_login, wheel), (collection_path, collection_login, collection) = uploads
    artifacts = clone / ".build" / "artifact"
    assert (
        wheel_path == "/legacy/"
        and wheel_login.startswith("Basic ")
        and (artifacts / "ztlab-1.0.0-py3-none-any.whl").read_bytes() in wheel
    )
    assert (
        collection_path.startswith("/api/v3/artifacts/collections")
        and collection_login == f"Token {_TOKENS['Token of Galaxy']}"
    )
    built = artifacts / "zerotouch-openshift-1.0.0.tar.gz"
    # The file is in it as base64, and its digest as text.
    assert hashlib.sha256(built.read_bytes()).hexdigest().encode() in collection
    with tarfile.open(built) as archive:
        manifest = archive.extractfile("MANIFEST.json")
        assert manifest is not None and json.load(manifest)["collection_info"]["version"] == "1.0.0"
