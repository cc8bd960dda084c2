# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module agent_image_info, called in the test process: its report about an image, which contains secrets only on
request.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import cpio
from ansible_collections.zerotouch.openshift.plugins.modules import agent_image_info
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic

FILE = {"path": "/root/.docker/config.json", "mode": 0o600, "contents": {"source": "data:,geheim-1"}}
CONFIG = {
    "ignition": {"version": "3.2.0"},
    "passwd": {"users": [{"name": "core", "passwordHash": "geheim-2"}]},
    "storage": {"files": [FILE]},
    "systemd": {"units": [{"name": "agent.service", "contents": "Environment=TOKEN=geheim-3"}]},
}
KEYFILE = cpio.Member("etc/coreos-firstboot-network/eth0.nmconnection", b"[wifi]\npsk=geheim-4\n", 0o100600)


@pytest.fixture
def image(tmp_path: Path) -> Path:
    archive = cpio.gzip(cpio.write_archive([cpio.Member("config.ign", json.dumps(CONFIG).encode()), KEYFILE]))
    return synthetic.make_iso(
        tmp_path / "agent.iso", ignition=archive.ljust(65536, b"\x00"), features={"live-initrd-network": True}
    )


def opened(path: Path | str, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in agent_image_info.argument_spec().items()}
    return perform(agent_image_info.run, Call({**params, "path": str(path), **options}))


def test_report(image: Path) -> None:
    result = opened(image)
    report = result["image"]
    assert (result["changed"], result["failed"]) == (False, False)
    assert set(report) == {
        "path",
        "size",
        "form",
        "volume_id",
        "version",
        "arch",
        "ignition",
        "kargs",
        "features",
        "network_files",
        "miniso",
    }
    assert (report["ignition"]["embedded"], report["ignition"]["version"], report["ignition"]["units"]) == (
        True,
        "3.2.0",
        ["agent.service"],
    )
    assert report["ignition"]["files"] == [{"path": "/root/.docker/config.json", "mode": "0600"}]
    assert report["network_files"] == [{"path": KEYFILE.path, "mode": "0600", "size": len(KEYFILE.content)}]
    assert report["features"] == {"live-initrd-network": True}
    assert len(report["kargs"]["areas"]) == 2


def test_secrets_only_when_asked_for(image: Path) -> None:
    hidden, shown = (json.dumps(opened(image, show_secrets=show)) for show in (False, True))
    for secret in ("geheim-1", "geheim-2", "geheim-3", "geheim-4"):
        assert secret not in hidden
        assert secret in shown


def test_pristine_image(tmp_path: Path) -> None:
    report = opened(synthetic.make_iso(tmp_path / "base.iso", kargs=False))["image"]
    assert (report["ignition"]["embedded"], report["ignition"]["config"], report["kargs"]) == (False, None, None)


def test_not_an_image(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    result = opened(tmp_path / "x")
    assert result["failed"]
    assert "is not an ISO 9660 image" in result["msg"]
