# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a machine without a BMC: the run prints which image to boot and from where, then waits until the user boots it.

The machine boots a minimal ISO; the user also publishes its root file system.
"""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .lab import Deployment, host_of


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Start a web server; its directory and URL."""
    directory = tmp_path / "www"
    directory.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(directory)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield directory, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        """Nothing is printed."""


def test_a_user_boots_it(sno: Deployment, web: tuple[Path, str]) -> None:
    published, url = web

    def minimal_without_bmc(inventory: dict[str, Any]) -> None:
        host_of(inventory, "sno-0").pop("bmc")
        inventory["all"]["vars"]["openshift_cluster"] |= {"minimal_iso": True, "boot_artifacts_base_url": url}

    by_hand = sno.described_as(minimal_without_bmc)
    too_early = by_hand.refused()
    rootfs = sno.work_dir / "boot-artifacts" / "agent.x86_64-rootfs.img"
    assert f"Publish {rootfs} there and run again." in too_early.message, too_early.output
    (published / rootfs.name).symlink_to(rootfs)

    reported = re.compile(r"Boot sno-0 from the URL in (\S+) \(file (\S+)\)")

    def person(process: int, output: str) -> None:
        url_file, image = map(Path, reported.findall(output)[0])
        assert url_file.stat().st_mode & 0o777 == 0o600
        address = url_file.read_text().strip()
        assert image.stat().st_size < rootfs.stat().st_size, "the root file system is not in it"
        sno.lab.boot("sno-0", address)

    run, _seconds = by_hand.watched(lambda output: reported.search(output) is not None, person)
    assert run.ok, run.output
    assert sno.lab.methods() == set(), "a BMC that is not in the inventory was spoken to"
    assert by_hand.deployed().changed == 0
    gone = by_hand.run("destroy_cluster", extra={"openshift_confirm": "sno"})
    assert gone.ok, gone.output
    assert {path.name for path in sno.work_dir.iterdir() if not path.name.startswith(".")} <= {
        "auth",
        "events.jsonl",
        "logs",
        "report.html",
        "report.json",
    }
