# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the download of the release's base image (``openshift_base_image: {release: auto}``) from a mirror that breaks
the connection, serves wrong data, moves on to a newer image and disappears.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.tests.support import image_server

from .lab import Deployment

ISO = "/isos/rhcos-9.8.20260715-1-live-iso.x86_64.iso"
METADATA = "/streams/4.22/coreos-rhel-9.json"
MIRROR = "http://mirror.example.com/streams/{release}/{file}"


def stream(sha256: str, build: str = "9.8.20260715-1") -> bytes:
    metal = {
        "release": build,
        "formats": {"iso": {"disk": {"location": f"http://mirror.example.com{ISO}", "sha256": sha256}}},
    }
    return json.dumps({"stream": "rhcos-4.21", "architectures": {"x86_64": {"artifacts": {"metal": metal}}}}).encode()


@pytest.fixture
def mirror() -> Iterator[image_server.ImageServer]:
    server = image_server.ImageServer()
    yield server
    server.close()


def test_the_base_image_of_the_release(sno: Deployment, mirror: image_server.ImageServer, tmp_path: Path) -> None:
    content = Path(sno.lab.vars["openshift_base_image"]["path"]).read_bytes()
    good = hashlib.sha256(content).hexdigest()
    sno.environment["XDG_CACHE_HOME"] = str(tmp_path / "caches")
    extra: dict[str, Any] = {
        "openshift_base_image": {"release": "auto", "stream_url": MIRROR},
        "openshift_connect_to": {
            **sno.lab.vars["openshift_connect_to"],
            "mirror.example.com:80": mirror.base.removeprefix("http://"),
        },
    }
    # A release that the mirror does not have: nothing is written to a BMC, and the message names the ways out.
    refused = sno.stopped(extra=extra)
    assert "There is no stream metadata of release 4.22." in refused.message, refused.output
    assert (
        "Set openshift_base_image.stream_url to the metadata on a mirror, or name the live ISO by path or by url with "
        "sha256."
    ) in refused.message
    # preflight says the same before the window, and what will be transferred once it is there.
    report = tmp_path / "preflight.json"
    assert verdict(sno, extra, report)["status"] == "FAIL"
    mirror.files = {METADATA: stream("0" * 64), ISO: content}
    found = verdict(sno, extra, report)
    assert found["status"] == "PASS" and found["subject"].endswith(ISO) and "will be transferred" in found["detail"], (
        found
    )
    # Another file than the one that the stream describes.
    refused = sno.stopped(extra=extra)
    assert "is not the expected file: its SHA-256 is" in refused.message, refused.output
    # A transfer that breaks so often that the run gives up ...
    mirror.files[METADATA] = stream(good)
    mirror.modified = "Wed, 15 Nov 2023 22:13:20 GMT"
    # (one request for the metadata, then the image)
    mirror.cuts = [0, *[10_000] * 6]
    assert "mirror.example.com" in sno.stopped(extra=extra).message
    # ... is resumed by the next one.
    mirror.seen.clear()
    run = sno.deployed(extra=extra)
    assert (ISO, "bytes=60000-") in mirror.gets(), (mirror.gets(), run.output)
    assert "The stream metadata was downloaded over plain HTTP" in run.output, run.output
    state = json.loads((sno.work_dir / "state.json").read_text())
    assert state["image"]["stream"]["sha256"] == good == state["image"]["base"]["sha256"]
    # The stream has a newer build now: this installation stays with the one it began with.
    mirror.files = {METADATA: stream("1" * 64, "9.8.20261231-0")}
    again = sno.deployed(extra=extra)
    assert again.changed == 0, again.output
    # Another cluster without its mirror takes what is in the cache.
    mirror.files = {}
    extra["openshift_connect_to"]["mirror.example.com:80"] = "127.0.0.1:9"
    assert sno.deployed(extra=extra).changed == 0


def verdict(sno: Deployment, extra: dict[str, Any], report: Path) -> dict[str, Any]:
    sno.untouched("preflight", extra={**extra, "openshift_check_report": {"json": str(report)}})
    (found,) = [check for check in json.loads(report.read_text())["checks"] if check["check"] == "base-image"]
    return dict(found)


def test_it_is_checked_without_a_network(sno: Deployment) -> None:
    mistaken = {"release": "newest", "stream_url": "https://mirror.example.com/{version}.json", "sha256": "0" * 64}
    run = sno.run("validate", extra={"openshift_base_image": mistaken})
    assert "openshift_base_image.release: Unsupported value" in run.output and "supported values: auto" in run.output, (
        run.output
    )
    assert "has the placeholder {version}" in run.output and "openshift_base_image.sha256: Forbidden" in run.output, (
        run.output
    )
    assert sno.run("validate", extra={"openshift_base_image": {"release": "auto"}}).ok
