# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Follow the user's path from Galaxy to the first cluster in the lab: run the commands of docs/tutorial.md as they are
printed, in an empty HOME and a clean environment. README.md prints some of them.

The artifact of the collection comes from a Galaxy server of this test, the wheel of the lab from a directory
(PIP_FIND_LINKS); everything else from the package index.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.pages import blocks

ROOT = Path(__file__).parents[2]
README, TUTORIAL = ROOT / "README.md", ROOT / "docs" / "tutorial.md"
PATIENCE = 1500.0


def of_the_readme() -> list[str]:
    """The commands of the first block of README.md's tutorial."""
    block = re.search(
        r"^## First cluster in the lab$.*?^```bash\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL
    )
    assert block is not None
    return block[1].strip().splitlines()


def steps() -> list[tuple[list[str], list[str]]]:
    """The sections of the tutorial: commands, and lines that the reader must see after the last one."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for block in blocks(TUTORIAL):
        of_section = found.setdefault(block.heading, ([], []))
        of_section[block.language != "bash"].extend(block.text.splitlines())
    return list(found.values())


class Galaxy(http.server.BaseHTTPRequestHandler):
    """As much of Galaxy's API (v3) as `ansible-galaxy collection install` asks for."""

    artifacts: dict[str, Path]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].strip("/").split("/")
        if path[0] == "files":
            self._answer(self.artifacts[path[1]].read_bytes(), "application/gzip")
        elif path == ["api"]:
            self._json({"available_versions": {"v3": "v3/"}})
        elif path[:3] == ["api", "v3", "collections"]:
            self._collection(".".join(path[3:5]), path[5:])
        else:
            self.send_error(404)

    def _collection(self, name: str, rest: list[str]) -> None:
        artifact = self.artifacts[name]
        with tarfile.open(artifact) as archive:
            manifest = archive.extractfile("MANIFEST.json")
            assert manifest is not None
            info = json.load(manifest)["collection_info"]
        if not rest:
            self._json({"highest_version": {"version": info["version"]}, "versions_url": f"{self.path}versions/"})
        elif len(rest) == 1:
            self._json({"data": [{"version": info["version"]}], "meta": {"count": 1}, "links": {"next": None}})
        else:
            digest = hashlib.sha256(artifact.read_bytes()).hexdigest()
            host = f"http://{self.headers['Host']}"
            names = {
                "namespace": {"name": info["namespace"]},
                "name": info["name"],
                "collection": {"name": info["name"]},
            }
            self._json(
                {
                    **names,
                    "version": info["version"],
                    "href": self.path,
                    "download_url": f"{host}/files/{name}",
                    "artifact": {"sha256": digest, "filename": artifact.name, "size": artifact.stat().st_size},
                    "metadata": {"dependencies": info["dependencies"]},
                    "signatures": [],
                }
            )

    def _json(self, document: object) -> None:
        self._answer(json.dumps(document).encode(), "application/json")

    def _answer(self, body: bytes, media_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the artifact and the wheel."""
    target = tmp_path_factory.mktemp("artifact")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run([ROOT / "tools" / "build-artifact", target], check=True, env={**os.environ, "PATH": path})
    return target


@pytest.fixture
def galaxy(built: Path, tmp_path: Path) -> Iterator[str]:
    handler = type("OwnGalaxy", (Galaxy,), {})
    (artifact,) = built.glob("zerotouch-openshift-*.tar.gz")
    handler.artifacts = {"zerotouch.openshift": artifact, "kubernetes.core": kubernetes_core(tmp_path)}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/api/"
    server.shutdown()
    server.server_close()


def kubernetes_core(tmp_path: Path) -> Path:
    """An artifact of the collection that the package `ansible` of this environment has."""
    import ansible_collections

    found = next(
        Path(place) / "kubernetes" / "core"
        for place in ansible_collections.__path__
        if (Path(place) / "kubernetes" / "core").is_dir()
    )
    copy = tmp_path / "kubernetes.core"
    shutil.copytree(found, copy)
    info = json.loads((copy / "MANIFEST.json").read_text())["collection_info"]
    kept = {key: info[key] for key in ("namespace", "name", "version", "readme", "authors", "description")}
    (copy / "galaxy.yml").write_text(yaml.safe_dump({**kept, "license": ["GPL-3.0-or-later"], "dependencies": {}}))
    subprocess.run(
        [Path(sys.executable).parent / "ansible-galaxy", "collection", "build", "--output-path", tmp_path, copy],
        check=True,
        capture_output=True,
    )
    (artifact,) = tmp_path.glob("kubernetes-core-*.tar.gz")
    return artifact


def test_the_readme_prints_commands_of_the_tutorial() -> None:
    commands = [command for step, _shown in steps() for command in step]
    assert len(of_the_readme()) == 4
    assert [command for command in of_the_readme() if command not in commands] == []


def test_the_artifact_and_the_wheel_are_complete(built: Path) -> None:
    tree = built / "ansible_collections" / "zerotouch" / "openshift"
    for path in (
        "inventories/demo/rack.yml",
        "extensions/molecule/default/molecule.yml",
        "extensions/controller/apply.yml",
        "extensions/vscode/settings.json",
    ):
        assert (tree / path).is_file(), path
    assert len(list(built.glob("ztlab-*.whl"))) == 1


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_the_tutorial(built: Path, galaxy: str, tmp_path: Path) -> None:
    """Each command succeeds, and its output has the lines that the page shows."""
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
    environment = {
        "HOME": str(home),
        "PATH": f"{home / 'venv' / 'bin'}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PIP_FIND_LINKS": str(built),
        "ANSIBLE_GALAXY_SERVER": galaxy,
        **{
            name: value
            for name, value in os.environ.items()
            if name.lower() in ("http_proxy", "https_proxy", "pip_index_url", "pip_cert", "ssl_cert_file")
        },
        "NO_PROXY": "127.0.0.1,localhost",
    }
    try:
        for commands, shown in steps():
            output = "".join(succeeding(command, home, environment) for command in commands)
            assert [line for line in shown if line not in output] == [], output[-3000:]
    finally:
        subprocess.run([home / "venv" / "bin" / "ztlab", "down", "--state", home / "lab"], env=environment, check=False)


def succeeding(command: str, home: Path, environment: dict[str, str]) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
