# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the rehearsal of a deployment in the lab: differences that it reports, and endpoints that prevent its start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.rehearsal import lab
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.rehearsal.compare import (
    RehearsedHost,
    differences,
    not_in_lab,
)

HOST = RehearsedHost("m-0", "master-0", ("10.0.0.5",))


def status(nodes: dict[str, str], cluster: str = "c", **machine: Any) -> dict[str, Any]:
    found = {"name": "m-0", "addresses": ["10.0.0.5"], "medium": "", "console": "login:", **machine}
    return {"clusters": [{"name": cluster, "nodes": nodes}], "machines": [found]}


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (status({"master-0": "Ready"}), []),
        (status({}), ["m-0: no Node master-0. Its console: login:"]),
        (status({"master-0": "Ready"}, cluster="other"), ["m-0: no Node master-0. Its console: login:"]),
        (status({"master-0": "NotReady"}), ["m-0: Node master-0 is NotReady"]),
        (status({"master-0": "Ready"}, addresses=[]), ["m-0: does not have address 10.0.0.5; it has none"]),
        (status({"master-0": "Ready"}, medium="http://x"), ["m-0: the image is still attached"]),
        (status({"master-0": "Ready", "x": "Ready"}), ["Node x is no host of the inventory"]),
        ({"clusters": [], "machines": []}, ["m-0: no Node master-0. Its console: nothing was booted"]),
    ],
)
def test_differences(seen: dict[str, Any], found: list[str]) -> None:
    assert differences([HOST], seen, "c") == found


@pytest.mark.parametrize(("boots", "found"), [([], []), (["cd"], ["m-0: no Node master-0. Its console: login:"])])
def test_a_spare_host_that_the_pool_did_not_need(boots: list[str], found: list[str]) -> None:
    assert differences([HOST], status({}, boots=boots), "c", spare=True) == found


def test_only_loopback_is_the_lab() -> None:
    connect_to = ConnectTo.of({"10.0.0.1:443": "127.10.0.1:8443", "10.0.0.2:443": "10.9.9.9:443"})
    endpoints = {"a": ("10.0.0.1", 443), "b": ("10.0.0.2", 443), "c": ("10.0.0.3", 443), "d": ("10.0.0.1", 8000)}
    assert not_in_lab(endpoints, connect_to) == ["b", "c", "d"]


def test_without_ztlab_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ZeroTouchError, match="ztlab is not installed") as error:
        lab.find_program({"PATH": str(tmp_path)})
    assert "pip install" in error.value.hint
    (tmp_path / "ztlab").touch(mode=0o755)
    assert lab.find_program({"PATH": ""}) == str(tmp_path / "ztlab")
