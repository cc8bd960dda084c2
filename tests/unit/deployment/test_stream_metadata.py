# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test finding the live ISO of a release: which metadata is requested, which values are read from it, and how an
installation keeps the image that it started with.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import stream_metadata
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.base_image import (
    BaseImage,
    BaseImageSource,
    find_base,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.stream_metadata import (
    StreamImage,
    StreamTarget,
    image_of,
    url_fault,
)
from ansible_collections.zerotouch.openshift.tests.support import image_server, live_image

TARGET = StreamTarget("4.22.3", "x86_64", "rhel-9")
URL = "http://mirror.example.com/streams/4.22.json"
ISO = "rhcos-9.8.20260715-1-live-iso.x86_64.iso"


def metadata(content: bytes, **changes: Any) -> dict[str, Any]:
    """As cosa2stream writes it, with locations relative to the mirror."""
    disk = {"location": f"../isos/{ISO}", "sha256": hashlib.sha256(content).hexdigest()} | changes
    rootfs = {"location": "../isos/rootfs.img", "sha256": "0" * 64}
    metal = {"release": "9.8.20260715-1", "formats": {"iso": {"disk": disk}, "pxe": {"rootfs": rootfs}}}
    return {
        "stream": "rhcos-4.21",
        "architectures": {"x86_64": {"artifacts": {"metal": metal}}, "s390x": {"artifacts": {}}},
    }


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    return live_image.make_iso(tmp_path / "source.iso").read_bytes()


@pytest.fixture
def server(content: bytes) -> Iterator[image_server.ImageServer]:
    server = image_server.ImageServer()
    server.files = {"/streams/4.22.json": json.dumps(metadata(content)).encode(), f"/isos/{ISO}": content}
    yield server
    with contextlib.suppress(OSError):
        server.close()


@pytest.fixture
def source(server: image_server.ImageServer, tmp_path: Path) -> BaseImageSource:
    mapping, _problems = ConnectTo.parse({"mirror.example.com:80": server.base.removeprefix("http://")})
    return BaseImageSource(SystemClock(), tmp_path / "cache", mapping)


AUTO = BaseImage(release="auto", stream_url=URL)


@pytest.mark.parametrize(
    ("version", "stream", "expected"),
    [
        ("4.14.1", "rhel-9", "release-4.14/data/data/coreos/rhcos.json"),
        ("4.21.0", "rhel-9", "release-4.21/data/data/coreos/rhcos.json"),
        ("4.22.8", "rhel-9", "release-4.22/data/data/coreos/coreos-rhel-9.json"),
        ("5.0.0-rc.3", "rhel-10", "release-5.0/data/data/coreos/coreos-rhel-10.json"),
        ("5.3.0", "rhel-10", "release-5.3/data/data/coreos/coreos-rhel-10.json"),
        ("5.0.0-okd-scos.0", "centos-10", "release-5.0/data/data/coreos/scos.json"),
    ],
)
def test_the_public_place(version: str, stream: str, expected: str) -> None:
    found = StreamTarget(version, "x86_64", stream).metadata_url("")
    assert found == f"https://raw.githubusercontent.com/openshift/installer/{expected}"


def test_placeholders_of_a_mirror() -> None:
    assert (
        TARGET.metadata_url("https://m.example.com/{release}/{stream}-{arch}.json")
        == "https://m.example.com/4.22/rhel-9-x86_64.json"
    )
    assert url_fault("https://m.example.com/{release}/{file}") == ""
    assert url_fault("https://m.example.com/{version}.json") == (
        "has the placeholder {version}; known: release, stream, arch, file"
    )
    assert (
        url_fault("file:///srv/4.22.json")
        == url_fault("https://m.example.com/")
        == "must be an http or https URL of a file"
    )


def test_what_is_read_from_the_metadata() -> None:
    found = image_of(json.dumps(metadata(b"x")).encode(), URL, TARGET)
    where = "http://mirror.example.com/isos"
    assert (found.url, found.rootfs_url, found.version) == (f"{where}/{ISO}", f"{where}/rootfs.img", "9.8.20260715-1")
    assert found.sha256 == hashlib.sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    ("data", "arch", "words"),
    [
        (b"<html>", "x86_64", "is not CoreOS stream metadata"),
        (b"[]", "x86_64", "architectures is missing"),
        (json.dumps(metadata(b"x")).encode(), "aarch64", "has no images for aarch64. It has: s390x, x86_64."),
        (json.dumps(metadata(b"x")).encode(), "s390x", "s390x.artifacts.metal is missing"),
        (json.dumps(metadata(b"x", location=7)).encode(), "x86_64", "location is missing"),
        (json.dumps(metadata(b"x", sha256="beef")).encode(), "x86_64", "has no SHA-256"),
    ],
)
def test_metadata_that_cannot_be_used(data: bytes, arch: str, words: str) -> None:
    with pytest.raises(ZeroTouchError, match=words.replace(".", r"\.")) as caught:
        image_of(data, "https://user:secret@m.example.com/a.json?key=secret", StreamTarget("4.22.3", arch, "rhel-9"))
    assert "openshift_base_image.stream_url" in str(caught.value) and "secret" not in str(caught.value)


def test_looked_up_transferred_and_kept(
    server: image_server.ImageServer, source: BaseImageSource, content: bytes
) -> None:
    server.cuts = [0, len(content) // 2]  # the metadata is sent whole, the image breaks once
    ready = find_base(AUTO, source, target=TARGET)
    assert ready.image is not None and ready.of_stream is not None
    assert ready.provided.sha256 == hashlib.sha256(content).hexdigest() and ready.version == "9.8.20260715-1"
    assert ready.rootfs_url("x86_64") == "http://mirror.example.com/isos/rootfs.img"
    assert [path for path, wanted in server.gets() if wanted] == [f"/isos/{ISO}"], server.gets()
    assert any("plain HTTP" in warning for warning in ready.warnings)
    # The stream has another build now: an installation keeps the one that it began with, and asks for nothing.
    server.files["/streams/4.22.json"] = json.dumps(metadata(b"newer")).encode()
    server.modified = "Wed, 15 Nov 2023 22:13:20 GMT"
    before = len(server.seen)
    kept = find_base(AUTO, source, target=TARGET, record=ready.record["stream"])
    assert (kept.provided, kept.warnings, len(server.seen)) == (ready.provided, (), before)
    # ... unless it is one of another release.
    with pytest.raises(ZeroTouchError, match="is not the expected file"):
        find_base(AUTO, source, target=StreamTarget("4.23.0", "x86_64", "rhel-9"), record=ready.record["stream"])


def test_offline_with_what_is_cached(server: image_server.ImageServer, source: BaseImageSource) -> None:
    find_base(AUTO, source, target=TARGET)
    server.close()
    ready = find_base(AUTO, source, target=TARGET)
    assert (
        ready.image is not None
        and "The cached 4.22.json is used without knowing whether it is the newest" in ready.warnings[0]
    )


def test_check_mode_writes_nothing(server: image_server.ImageServer, source: BaseImageSource, tmp_path: Path) -> None:
    checked = BaseImageSource(source.clock, source.cache_dir, source.connect_to, check_mode=True)
    ready = find_base(AUTO, checked, check_mode=True, target=TARGET)
    assert ready.image is None and ready.note.startswith(f"base image {ISO} (") and not (tmp_path / "cache").exists()
    assert [path for path, _wanted in server.gets()] == ["/streams/4.22.json"]
    assert find_base(AUTO, checked, check_mode=True).note == "the base image of the release will be looked up"


def test_a_release_without_metadata(source: BaseImageSource) -> None:
    missing = BaseImage(release="auto", stream_url="http://mirror.example.com/streams/{release}.json")
    with pytest.raises(ZeroTouchError) as caught:
        find_base(missing, source, target=StreamTarget("5.9.0", "x86_64", "rhel-10"))
    assert "There is no stream metadata of release 5.9." in str(caught.value) and stream_metadata.OTHER_SOURCE in str(
        caught.value
    )


def test_no_server_and_no_cache(server: image_server.ImageServer, source: BaseImageSource) -> None:
    server.close()
    with pytest.raises(ZeroTouchError, match=r"Set openshift_base_image\.stream_url to the metadata on a mirror"):
        find_base(AUTO, source, target=TARGET)


def test_a_record_of_another_look_up() -> None:
    record = {
        "metadata_url": URL,
        "release": "4.22",
        "arch": "x86_64",
        "url": "u",
        "sha256": "s",
        "version": "v",
        "rootfs_url": "",
    }
    assert StreamImage.recorded(record, URL, TARGET) is not None
    for change in ({"release": "4.21"}, {"arch": "aarch64"}, {"metadata_url": "https://other.example.com/x.json"}):
        assert StreamImage.recorded({**record, **change}, URL, TARGET) is None
