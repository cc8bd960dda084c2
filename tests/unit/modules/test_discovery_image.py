# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module discovery_image, called in the test process. tests/unit/hub/infra tests the download itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.modules import discovery_image
from ansible_collections.zerotouch.openshift.tests.support import image_server as imageserver
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.hub import infra as infrahub

PATH = f"/byid/{infrahub.UUID}/4.22/x86_64/full.iso"


@pytest.fixture
def images() -> Iterator[Any]:
    server = imageserver.ImageServer()
    server.files[PATH] = b"an image"
    yield server
    server.close()


@pytest.fixture
def hub(images: Any) -> Iterator[Any]:
    server = infrahub.InfraHub()
    status = {
        "conditions": [{"type": "ImageCreated", "status": "True"}],
        "isoDownloadURL": images.base + PATH,
        "createdTime": infrahub.stamp(100),
    }
    server.put("infraenvs", {"metadata": {"name": "site", "namespace": "lab"}, "spec": {}, "status": status})
    yield server
    server.stop()


@pytest.fixture
def call(hub: Any, capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(**arguments: Any) -> dict[str, Any]:
        with (
            patch_module_args({"kubeconfig": hub.kubeconfig, "name": "site", "namespace": "lab", **arguments}),
            pytest.raises(SystemExit),
        ):
            discovery_image.main()
        output = capfd.readouterr().out
        assert "a-token-for-the-hub" not in output
        return dict(json.loads(output))

    return call_module


def test_urls_and_file(call: Any, images: Any, tmp_path: Path) -> None:
    urls = call()
    assert (urls["changed"], urls["url"], urls["infra_env"]["id"]) == (False, images.base + PATH, infrahub.UUID)
    dest = str(tmp_path / "x.iso")
    assert call(dest=dest, verify=False, _ansible_check_mode=True)["changed"] and not Path(dest).exists()
    assert [call(dest=dest, verify=False)["changed"] for _turn in range(2)] == [True, False]
    assert Path(dest).read_bytes() == b"an image"


def test_what_is_no_image_is_said(call: Any, tmp_path: Path) -> None:
    result = call(dest=str(tmp_path / "x.iso"))
    assert result["failed"] and "What the image service sent for InfraEnv lab/site is no live ISO" in result["msg"]
    assert list(tmp_path.iterdir()) == []


def test_options(call: Any) -> None:
    assert "dest" in call(kind="pxe")["msg"]
    assert "not a SHA-256" in call(sha256="abc")["msg"]
    unchecked = call(image_validate_certs=False)
    assert "is not checked" in json.dumps(unchecked["warnings"])
