# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test downloading the discovery image of an InfraEnv: the file is the current one, complete, and downloaded once, even
if the hub creates a new image or the server fails meanwhile.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import LimitReached, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.discovery import (
    Target,
    Transfer,
    carried_infra_env,
    fetch_discovery,
    image_url,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import ImageWait
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import Member, gzip, write_archive
from ansible_collections.zerotouch.openshift.tests.support import image_server as imageserver
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic

UUID = "0f5a3c7e-1111-2222-3333-444455556666"
OTHER = "99999999-1111-2222-3333-444455556666"
WAIT = ImageWait(timeout=5, cooldown=0)


def iso(directory, infra_env_id):
    archive = gzip(write_archive([Member("config.ign", imageserver.discovery_ignition(infra_env_id), 0o100644)]))
    return synthetic.make_iso(
        directory / f"made-{infra_env_id[:2]}.iso", ignition=archive.ljust(65536, b"\0")
    ).read_bytes()


@pytest.fixture
def images():
    server = imageserver.ImageServer()
    yield server
    server.close()


def token(infra_env_id=UUID, salt=""):
    claims = (
        base64.urlsafe_b64encode(json.dumps({"infra_env_id": infra_env_id, "salt": salt}).encode()).decode().rstrip("=")
    )
    return f"eyJhbGciOiJFUzI1NiJ9.{claims}.c2lnbmF0dXJl"


def put_infra_env(hub, infrahub, images, salt="", **status):
    url = f"{images.base}/byapikey/{token(salt=salt)}/4.22/x86_64/minimal.iso"
    made = {
        "conditions": [{"type": "ImageCreated", "status": "True"}],
        "isoDownloadURL": url,
        "createdTime": infrahub.stamp(100),
        "bootArtifacts": {
            "kernel": f"{images.base}/boot-artifacts/kernel?arch=x86_64",
            "initrd": f"{images.base}/images/{UUID}/pxe-initrd?api_key=k",
            "rootfs": f"{images.base}/boot-artifacts/rootfs",
            "ipxeScript": f"{images.base}/script?file_name=ipxe-script",
        },
    }
    hub.put("infraenvs", {"metadata": {"name": "site", "namespace": "lab"}, "spec": {}, "status": {**made, **status}})
    return url


@pytest.fixture
def fetch(session):
    def run(check_mode=False, waiting=WAIT, **options):
        target = Target("site", "lab", **options)
        return fetch_discovery(session.client, target, waiting, Transfer(clock=session.clock), check_mode=check_mode)

    return run


def serve(images, content, name="minimal.iso", salt=""):
    images.files[f"/byapikey/{token(salt=salt)}/4.22/x86_64/{name}"] = content


def test_only_urls(hub, infrahub, images, fetch):
    url = put_infra_env(hub, infrahub, images)
    result = fetch()
    assert (result["url"], result["changed"], result["path"], images.seen) == (url, False, "", [])
    assert result["boot_artifacts"]["ipxe_script"].endswith("file_name=ipxe-script")
    assert fetch(kind="full_iso")["url"] == url.replace("minimal.iso", "full.iso")


@pytest.mark.parametrize(
    ("url", "kind", "expected"),
    [
        ("https://i/byid/x/4.22/x86_64/full.iso", "iso", "https://i/byid/x/4.22/x86_64/full.iso"),
        ("https://i/byid/x/4.22/x86_64/full.iso?a=b", "minimal_iso", "https://i/byid/x/4.22/x86_64/minimal.iso?a=b"),
        (
            "https://i/images/x?version=4.22&type=minimal-iso&api_key=k",
            "full_iso",
            "https://i/images/x?version=4.22&type=full-iso&api_key=k",
        ),
        ("", "full_iso", ""),
    ],
)
def test_urls_of_other_kinds(url, kind, expected):
    assert image_url(url, kind) == expected


def test_fetched_once_and_again_when_it_changed(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    content = iso(tmp_path, UUID)
    serve(images, content)
    dest = tmp_path / "images"
    predicted = fetch(dest=dest, check_mode=True)
    assert predicted["changed"] and not dest.exists() and predicted["size"] == len(content)
    done = fetch(dest=dest)
    assert done["path"] == str(dest / "site.iso") == predicted["path"]
    assert done["sha256"] == hashlib.sha256(content).hexdigest() and Path(done["path"]).read_bytes() == content
    assert Path(done["path"]).stat().st_mode & 0o777 == 0o600
    again = fetch(dest=dest)
    assert (again["changed"], again["sha256"], len(images.gets())) == (False, done["sha256"], 1)
    images.modified = "Tue, 14 Nov 2023 23:00:00 GMT"
    assert fetch(dest=dest)["changed"]
    Path(done["path"]).write_bytes(b"damaged")
    assert fetch(dest=dest)["changed"] and Path(done["path"]).read_bytes() == content


def test_a_broken_transfer_goes_on_in_the_next_run_even_with_a_new_token(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    content = iso(tmp_path, UUID)
    serve(images, content)
    images.cuts = [20_000] * 6
    with pytest.raises(ZeroTouchError, match="broke"):
        fetch(dest=tmp_path / "x.iso")
    assert not (tmp_path / "x.iso").exists()
    put_infra_env(hub, infrahub, images, salt="new")
    serve(images, content, salt="new")
    images.cuts = []
    fetch(dest=tmp_path / "x.iso")
    assert (tmp_path / "x.iso").read_bytes() == content
    assert images.gets()[-1][1].startswith("bytes=") and not images.gets()[-1][1].startswith("bytes=0-")


def test_an_image_of_another_infra_env_never_gets_the_name(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    serve(images, iso(tmp_path, OTHER))
    with pytest.raises(
        ZeroTouchError,
        match=(
            rf"InfraEnv lab/site \(id {UUID}\) is the image of the InfraEnv with "
            rf"the id {OTHER}"
        ),
    ):
        fetch(dest=tmp_path / "x.iso")
    serve(images, iso(tmp_path, ""))
    with pytest.raises(ZeroTouchError, match="is a live ISO that starts no agent"):
        fetch(dest=tmp_path / "x.iso")
    assert not list(tmp_path.glob("*x.iso*")) and not list(tmp_path.glob(".x.iso*"))
    assert fetch(dest=tmp_path / "x.iso", verify=False)["changed"]


def test_a_checksum_in_the_options_counts(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    serve(images, iso(tmp_path, UUID))
    with pytest.raises(ZeroTouchError, match="is not the expected file") as caught:
        fetch(dest=tmp_path / "x.iso", sha256="0" * 64)
    assert token() not in str(caught.value) and "/byapikey/<token>/4.22/" in str(caught.value)


def test_an_image_that_changes_during_the_transfer_is_fetched_again(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    content = iso(tmp_path, UUID)
    serve(images, content)
    serve(images, content, salt="two")

    def change():
        put_infra_env(hub, infrahub, images, salt="two")
        images.modified = "Tue, 14 Nov 2023 23:00:00 GMT"

    images.after = change
    assert fetch(dest=tmp_path / "x.iso")["url"].endswith(f"{token(salt='two')}/4.22/x86_64/minimal.iso")
    assert len(images.gets()) == 2


def test_pxe_files(hub, infrahub, images, fetch, tmp_path):
    put_infra_env(hub, infrahub, images)
    images.files |= {
        "/boot-artifacts/kernel": b"k",
        f"/images/{UUID}/pxe-initrd": b"ii",
        "/boot-artifacts/rootfs": b"rrr",
        "/script": b"#!ipxe\n",
    }
    done = fetch(kind="pxe", dest=tmp_path / "pxe")
    assert (done["path"], done["size"], done["changed"]) == (str(tmp_path / "pxe"), 1 + 2 + 3 + 7, True)
    assert {part: Path(file["path"]).read_bytes() for part, file in done["files"].items()} == {
        "kernel": b"k",
        "initrd": b"ii",
        "rootfs": b"rrr",
        "ipxe_script": b"#!ipxe\n",
    }
    assert not fetch(kind="pxe", dest=tmp_path / "pxe")["changed"]
    images.files["/script"] = b"#!ipxe other\n"
    assert fetch(kind="pxe", dest=tmp_path / "pxe", check_mode=True)["changed"]
    again = fetch(kind="pxe", dest=tmp_path / "pxe")
    assert [part for part, file in again["files"].items() if file["changed"]] == ["ipxe_script"]
    images.files.pop("/script")
    with pytest.raises(ZeroTouchError, match="404: the iPXE script cannot be had"):
        fetch(kind="pxe", dest=tmp_path / "pxe")


def test_without_an_image(hub, infrahub, images, fetch, tmp_path):
    with pytest.raises(ZeroTouchError, match="There is no InfraEnv lab/site"):
        fetch(waiting=ImageWait(wait=False))
    predicted = fetch(check_mode=True, dest=tmp_path / "x.iso")
    assert (predicted["changed"], predicted["path"], predicted["url"]) == (True, str(tmp_path / "x.iso"), "")
    put_infra_env(hub, infrahub, images, conditions=[], isoDownloadURL="")
    with pytest.raises(ZeroTouchError, match="has no image: the operator has not made one yet"):
        fetch(waiting=ImageWait(wait=False))
    with pytest.raises(LimitReached):
        fetch(waiting=ImageWait(timeout=0.2))


def test_a_full_disk_is_said_before_the_transfer(hub, infrahub, images, fetch, tmp_path, monkeypatch):
    put_infra_env(hub, infrahub, images)
    serve(images, iso(tmp_path, UUID))
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"has room for 0 MB, \d+ MB are to come. Make room, or name another "
            r"directory in dest"
        ),
    ):
        fetch(dest=tmp_path / "x.iso")


@pytest.mark.parametrize(
    "config", [None, b"", b"[]", b"{}", b'{"systemd": {"units": [{"name": "agent.service"}]}}', b"\xff"]
)
def test_configs_without_an_agent(config):
    assert carried_infra_env(config) == ""
