# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: mistakes in the configuration of single-node clusters, clusters of two nodes with an arbiter or fencing,
and dual-stack clusters.
"""

from __future__ import annotations

from .verdict_bases import DELETE, Change, one

_P = "networking."
_M = "networking.machineNetwork"
_C = "networking.clusterNetwork"
_S = "networking.serviceNetwork"
_BM = "platform.baremetal."
_F = "controlPlane.fencing.credentials"

SNO: list[list[Change]] = [
    *one("compute[0].replicas", 1, 3),
    [("compute", DELETE)],
    *one(f"{_P}networkType", "Calico", "OpenShiftSDN"),
    *one("arbiter", {"replicas": 1}, {"replicas": 0}),
    *one("controlPlane.architecture", "s390x", "ppc64le"),
    [("platform", {"baremetal": {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}})],
    [
        ("platform", {"baremetal": {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}}),
        ("bootstrapInPlace", {"installationDisk": "/dev/vda"}),
    ],
    *one("bootstrapInPlace", {"installationDisk": "/dev/vda"}),
]

DUAL: list[list[Change]] = [
    *one(
        _S,
        ["172.30.0.0/16"],
        ["fd02::/112"],
        ["fd02::/112", "172.30.0.0/16"],
        ["172.30.0.0/16", "fd02::/112", "172.31.0.0/16"],
    ),
    *one(
        _M,
        [{"cidr": "192.168.111.0/24"}],
        [{"cidr": "fd2e::/64"}],
        [{"cidr": "fd2e::/64"}, {"cidr": "192.168.111.0/24"}],
    ),
    *one(
        _C,
        [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        [{"cidr": "fd01::/48", "hostPrefix": 64}],
        [{"cidr": "fd01::/48", "hostPrefix": 64}, {"cidr": "10.128.0.0/14", "hostPrefix": 23}],
    ),
    *one(f"{_C}[1].hostPrefix", 65, 0, 48, 47),
    *one(
        f"{_BM}apiVIPs",
        ["fd2e::5", "192.168.111.5"],
        ["fd2e::5"],
        ["192.168.111.5"],
        ["192.168.111.5", "192.168.111.6"],
    ),
    *one(f"{_BM}ingressVIPs", ["fd2e::4"], ["fd2e::4", "fd2e::6"]),
    [
        (_M, [{"cidr": "fd2e::/64"}]),
        (_C, [{"cidr": "fd01::/48", "hostPrefix": 64}]),
        (_S, ["fd02::/112"]),
        (f"{_BM}apiVIPs", ["fd2e::5"]),
        (f"{_BM}ingressVIPs", ["fd2e::4"]),
    ],
    [
        (_M, [{"cidr": "fd2e::/64"}, {"cidr": "192.168.111.0/24"}]),
        (_C, [{"cidr": "fd01::/48", "hostPrefix": 64}, {"cidr": "10.128.0.0/14", "hostPrefix": 23}]),
        (_S, ["fd02::/112", "172.30.0.0/16"]),
        (f"{_BM}apiVIPs", ["fd2e::5"]),
        (f"{_BM}ingressVIPs", ["fd2e::4"]),
    ],
    [("platform", {"none": {}}), (_S, ["fd02::/112", "172.30.0.0/16"])],
]
ARBITER: list[list[Change]] = [
    *one("arbiter.replicas", 0, 2, -1, DELETE),
    *one("arbiter.name", "x", ""),
    *one("arbiter.hyperthreading", "x"),
    *one("arbiter.architecture", "x", "arm64"),
    *one("arbiter.fencing", {"credentials": []}),
    *one("controlPlane.replicas", 1, 3),
    *one(
        "platform",
        {"none": {}},
        {"external": {}},
        {"vsphere": {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}},
    ),
    *one("featureSet", "TechPreviewNoUpgrade", "CustomNoUpgrade"),
    [("featureSet", "CustomNoUpgrade"), ("featureGates", ["HighlyAvailableArbiter=true"])],
    [("controlPlane.fencing", {"credentials": []})],
    [
        (
            "controlPlane.fencing",
            {"credentials": [{"hostName": "a", "username": "b", "password": "geheim", "address": "redfish://c"}]},
        )
    ],
]
FENCING: list[list[Change]] = [
    *one("featureSet", "", DELETE, "CustomNoUpgrade"),
    [("featureSet", "CustomNoUpgrade"), ("featureGates", ["DualReplica=true"])],
    *one(f"{_F}[0].hostName", "", "node-1"),
    *one(f"{_F}[0].username", ""),
    *one(f"{_F}[0].password", ""),
    *one(
        f"{_F}[0].address",
        "",
        "redfish+https://10.9.0.1/redfish/v1/Systems/1",
        "ipmi://10.0.0.1",
        "https://10.0.0.1:8000/redfish/v1",
        "redfish://h",
        "10.0.0.1/redfish",
        "foo://h/redfish",
        "http://[::1/redfish",
        "host:8000/redfish",
    ),
    *one(f"{_F}[1].certificateVerification", "", "Enabled", "Disabled", "No"),
    *one(_F, []),
    [(f"{_F}[1]", DELETE)],
    *one(f"{_F}[2]", {"hostName": "c", "username": "b", "password": "geheim", "address": "redfish://c"}, {}),
    *one("controlPlane.replicas", 1, 3, 4),
    *one("controlPlane.fencing", DELETE, {}),
    *one("platform", {"none": {}}, {"vsphere": {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}}),
    [("arbiter", {"replicas": 1})],
]
