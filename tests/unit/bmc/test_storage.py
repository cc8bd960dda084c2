# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the drives of a machine from the resources of its BMC."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.machine import Drive
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.storage import read_drives

SYSTEM = "/redfish/v1/Systems/1"
DRIVE = {"Model": "MZ7LH480 ", "SerialNumber": "S5N0", "CapacityBytes": 480, "MediaType": "SSD", "Protocol": "SATA"}
FOUND = Drive("MZ7LH480", "S5N0", 480, "SSD", "SATA")


class Session:
    """A session of a BMC that returns resources by path, and raises KeyError for another path."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = tree
        self.notes: list[str] = []

    def get(self, path: str) -> dict[str, Any]:
        return dict(self.tree[path])


def links(*paths: str) -> list[dict[str, str]]:
    return [{"@odata.id": path} for path in paths]


def storage(*drives: Any) -> dict[str, Any]:
    """A System with two controllers that share their drives."""
    places = [f"/d/{number}" for number in range(len(drives))]
    return {
        SYSTEM: {"Storage": {"@odata.id": "/s"}, "SimpleStorage": {"@odata.id": "/simple"}},
        "/s": {"Members": links("/s/1", "/s/2")},
        "/s/1": {"Drives": links(*places)},
        "/s/2": {"Drives": links(*places)},
        **dict(zip(places, drives, strict=True)),
        "/simple": {"Members": links("/simple/1")},
        "/simple/1": {"Devices": [{"Model": "old", "CapacityBytes": 7}, {"Status": {"State": "Absent"}}, 5]},
    }


OLD = Drive("old", "", 7, "", "")


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        (storage(DRIVE), (FOUND,)),
        (storage(DRIVE, {"Status": {"State": "Absent"}}), (FOUND,)),
        # Storage without drives, as BMCs have it that list them in SimpleStorage only.
        (storage(), (OLD,)),
        ({SYSTEM: {}}, ()),
        (storage({"Model": [1], "SerialNumber": None, "CapacityBytes": True}), (Drive("", "", 0, "", ""),)),
        ({SYSTEM: {"Storage": {"@odata.id": "/s"}}, "/s": {"Members": links("/s/1")}, "/s/1": {"Drives": 5}}, ()),
    ],
    ids=["each once", "an empty bay", "simple", "none", "wrong types", "no list"],
)
def test_the_drives(tree: dict[str, Any], found: tuple[Drive, ...]) -> None:
    assert read_drives(Session(tree), SYSTEM) == found
