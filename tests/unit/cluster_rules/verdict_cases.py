# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: the cases of the comparison with the installer. Each case has one or two mistakes in install-config.yaml
and agent-config.yaml. verdicts.json records the installer's messages about them.
"""

from __future__ import annotations

import json

from .base import PULL_SECRET
from .verdict_bases import DELETE, Change, one
from .verdict_general import GENERAL
from .verdict_platforms import BAREMETAL, BMC, DISABLED, EXTERNAL, NUTANIX, VSPHERE, VSPHERE_FULL
from .verdict_topologies import ARBITER, DUAL, FENCING, SNO

TABLE: dict[str, list[list[Change]]] = {
    "none": GENERAL,
    "baremetal": [*BAREMETAL, *GENERAL[::7]],
    "baremetal-bmc": BMC,
    "baremetal-bmc-disabled": DISABLED,
    "external": EXTERNAL,
    "sno": SNO,
    "vsphere": VSPHERE,
    "vsphere-full": VSPHERE_FULL,
    "nutanix": [*NUTANIX, *GENERAL[::23]],
    "dual": DUAL,
    "arbiter": ARBITER,
    "fencing": FENCING,
}


def cases() -> list[tuple[str, str, list[Change]]]:
    """Name, base and changes of each case."""
    return [(name_of(base, changes), base, changes) for base, table in TABLE.items() for changes in ([], *table)]


def name_of(base: str, changes: list[Change]) -> str:
    """``base: path=value; path``, where a removed value has none; the test key and certificates are not spelled out."""
    texts = []
    for path, value in changes:
        text = "" if value is DELETE else "=" + json.dumps(value, sort_keys=True).replace(json.dumps(PULL_SECRET), "…")
        texts.append(path + (text if len(text) < 200 else f"={text[1:60]}…{len(text)}"))
    return f"{base}: {'; '.join(texts)}"


_H, _I = "hosts[0].", "hosts[0].interfaces"
_AGENT: list[list[Change]] = [
    [],
    *one("apiVersion", "", "v1", "v1alpha1", "v1beta2", DELETE),
    *one("kind", "", "Other"),
    *one("rendezvousIP", "", "x", "fd2e::1", "192.168.111.300", "192.168.111.80/24", "fe80::1%eth0"),
    *one(
        "additionalNTPSources", ["ntp.example.com", "10.0.0.1", "fd00::1"], ["bad_host"], ["a b", "ok", "-x"], [""], []
    ),
    *one(
        "bootArtifactsBaseURL",
        "http://a/b",
        "a/b",
        "user-specified-infra.com",
        "http://a b",
        ":x",
        "a:b",
        "http://a:port",
        "/x",
        "http://%zz/",
    ),
    [("rendezvousIP", "x"), ("additionalNTPSources", ["_"]), ("bootArtifactsBaseURL", "y")],
    [("hosts", DELETE)],
    *one("hosts", []),
    *one(f"{_H}hostname", "", "node-1", "Bad_Name"),
    *one(f"{_H}role", "", "Master", "storage", "arbiter", "worker"),
    *one(_I, [], [{"name": "a"}], [{"macAddress": ""}], [{"macAddress": "x"}]),
    *one(
        f"{_I}[0].macAddress",
        *(
            "52:54:00:aa:00:01",
            "52-54-00-aa-00-ff",
            "5254.00aa.00ff",
            "53:54:00:aa:00:ff",
            "52:54:00:aa:00",
            "52:54:00:AA:00:01",
        ),
        *("52:54:00:aa:00:ff:01:02", "", "52:54:00:aa:00:zz"),
    ),
    *one(
        f"{_H}rootDeviceHints.deviceName",
        "/dev/sda",
        "sda",
        "/dev/disk/by-path/x",
        "/dev/disk/by-id/x",
        "disk/by-path/x",
        "/dev/disk/by-path/a/b",
        "",
    ),
    *one(
        f"{_H}rootDeviceHints",
        {"wwnWithExtension": "x"},
        {"wwnVendorExtension": "x"},
        {"wwnWithExtension": "x", "wwnVendorExtension": "y", "deviceName": "z"},
    ),
    *one(f"{_H}rootDeviceHints.minSizeGigabytes", -1, 0),
    [(f"{_I}", []), (f"{_H}role", "x"), (f"{_H}rootDeviceHints", {"deviceName": "x"})],
    [(f"{_I}[0].macAddress", "x"), ("hosts[1].interfaces[0].macAddress", "x")],
    [
        (
            "hosts[3].networkConfig",
            {"interfaces": [{"name": "eno1", "ipv4": {"address": [{"ip": "192.168.111.80", "prefix-length": 24}]}}]},
        )
    ],
]


def agent_cases() -> list[tuple[str, list[Change], list[Change]]]:
    """Name, changes of install-config.yaml and of agent-config.yaml."""
    mixed: list[tuple[list[Change], list[Change]]] = [
        *(([], changes) for changes in _AGENT),
        ([("controlPlane.replicas", 1), ("compute[0].replicas", 0)], []),
        ([("compute[0].replicas", 1)], []),
        ([("compute[0].replicas", 3)], []),
        ([("controlPlane.replicas", 5)], []),
        ([("metadata.name", "_")], [("rendezvousIP", "x")]),
    ]
    return [(f"agent: {name_of('', install)}|{name_of('', changes)}", install, changes) for install, changes in mixed]
