# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: mistakes in the platform fields of install-config.yaml (baremetal, vsphere, nutanix, external)."""

from __future__ import annotations

from .verdict_bases import DELETE, Change, one

_P = "networking."
_M = "networking.machineNetwork"
_C = "networking.clusterNetwork"
_S = "networking.serviceNetwork"
_BM = "platform.baremetal."
_VS = "platform.vsphere."
_NX = "platform.nutanix."
_EX = "platform.external."
_FD = "platform.vsphere.failureDomains[0]."
_TOP = "platform.vsphere.failureDomains[0].topology."

BAREMETAL: list[list[Change]] = [
    *one(
        f"{_BM}apiVIPs",
        [],
        ["192.168.111.5", "192.168.111.6"],
        ["10.0.0.1"],
        ["nonsense"],
        ["fd2e::5"],
        ["192.168.111.4"],
        ["192.168.111.5", "fd2e::5"],
        ["a", "b", "c"],
        ["192.168.111.5", "bad"],
        [""],
    ),
    *one(
        f"{_BM}ingressVIPs",
        [],
        ["10.0.0.1"],
        ["bad"],
        ["192.168.111.5"],
        ["192.168.111.5", "192.168.111.6"],
        ["192.168.111.1"] * 3,
    ),
    [(f"{_BM}apiVIPs", DELETE), (f"{_BM}ingressVIPs", DELETE)],
    [(f"{_BM}apiVIPs", ["10.0.0.1"]), (f"{_BM}loadBalancer", {"type": "UserManaged"})],
    [(f"{_BM}apiVIPs", ["192.168.111.4"]), (f"{_BM}loadBalancer", {"type": "UserManaged"})],
    *one(f"{_BM}loadBalancer", {}, {"type": "OpenShiftManagedDefault"}, {"type": "Foo"}, {"type": "UserManaged"}),
    *one(f"{_BM}provisioningNetwork", "", "Managed", "Unmanaged", "Disabled", "disabled", "x"),
    *one(f"{_BM}clusterProvisioningIP", "x", "172.22.0.3", "192.168.111.9"),
    *one(f"{_BM}bootstrapProvisioningIP", "x", "172.22.0.2"),
    *one(f"{_BM}externalBridge", "baremetal", "br0"),
    *one(f"{_BM}provisioningBridge", "provisioning", "br1"),
    *one(f"{_BM}defaultMachinePlatform", {}),
    *one(f"{_BM}bootstrapOSImage", "x"),
    *one(f"{_BM}apiVIP", "192.168.111.5", "192.168.111.9"),
    *one(f"{_BM}ingressVIP", "192.168.111.9"),
    [(f"{_BM}apiVIPs", DELETE), (f"{_BM}apiVIP", "192.168.111.5")],
    [(f"{_BM}provisioningHostIP", "172.22.0.3")],
    [(f"{_BM}provisioningHostIP", "172.22.0.3"), (f"{_BM}clusterProvisioningIP", "172.22.0.4")],
    [(f"{_BM}provisioningDHCPExternal", True)],
    [("platform.vsphere", {})],
    [("platform.none", {})],
    [("platform.nutanix", {})],
    [("platform", {})],
    [("platform", {"aws": {"region": "us-east-1"}})],
    [("metadata.name", "a.b"), (f"{_BM}apiVIPs", [])],
    [(f"{_P}type", "OpenShiftSDN"), (f"{_P}networkType", DELETE)],
    [(f"{_P}machineCIDR", "10.9.0.0/16"), (_M, DELETE)],
    [(f"{_P}serviceCIDR", "10.9.0.0/16"), (_S, DELETE)],
    [(f"{_P}clusterNetworks", [{"cidr": "10.128.0.0/14", "hostSubnetLength": 9}]), (_C, DELETE)],
    [(f"{_C}[0].hostSubnetLength", 30), (f"{_C}[0].hostPrefix", DELETE)],
    [(f"{_C}[0].hostSubnetLength", 4)],
    [(f"{_P}machineCIDR", "10.9.0.0/16")],
    [("apiVersion", "v1beta4")],
    [("apiVersion", "v1beta3"), (f"{_P}type", "ovnkubernetes"), (f"{_P}networkType", DELETE)],
]
BMC: list[list[Change]] = [
    *one(f"{_BM}provisioningNetwork", "Managed", "Unmanaged"),
    *one(
        f"{_BM}provisioningNetworkCIDR",
        "172.22.0.1/24",
        "192.168.111.0/25",
        "192.168.0.0/16",
        "fd00::/48",
        "fd00::/64",
        "172.23.0.0/24",
        "172.22.0.0/30",
        "172.22.0.0/28",
    ),
    *one(f"{_BM}clusterProvisioningIP", "10.0.0.1", "172.22.0.20", "172.22.0.5", "bad"),
    *one(f"{_BM}bootstrapProvisioningIP", "172.22.0.30", "10.0.0.1"),
    *one(
        f"{_BM}provisioningDHCPRange",
        "x",
        "172.22.0.10",
        "172.22.0.10,172.22.0.20",
        "172.22.0.2,172.22.0.3",
        "10.0.0.1,10.0.0.2",
        "a,b",
        "172.22.0.10,172.22.0.20,1",
        "172.22.0.20,172.22.0.10",
        "172.22.0.10, 172.22.0.20",
    ),
    *one(f"{_BM}additionalNTPServers", ["ntp.example.com"], ["bad_name"], ["10.0.0.1", "x y"]),
    *one(f"{_BM}hosts[0].bmc.username", "", DELETE),
    *one(f"{_BM}hosts[1].bmc", {}),
    *one(f"{_BM}hosts[1].bmc.address", "redfish-virtualmedia://10.9.0.0/redfish/v1/Systems/1", "ipmi://10.0.0.1"),
    [(f"{_BM}hosts[0].bmc.password", ""), (f"{_BM}hosts[4].bmc.password", "")],
    [(f"{_BM}hosts[0].role", "worker"), (f"{_BM}hosts[0].bmc.username", "")],
    *one(f"{_BM}hosts[0].bootMode", "legacy", "UEFI", "x"),
    [(f"{_BM}provisioningNetwork", "Unmanaged"), (f"{_BM}provisioningDHCPRange", "172.22.0.10,172.22.0.20")],
]
DISABLED: list[list[Change]] = [
    *[
        [(f"{_BM}hosts[0].bmc.address", address)]
        for address in (
            *(
                "ipmi://10.0.0.1",
                "10.0.0.1",
                "10.0.0.1:623",
                "redfish://10.0.0.1/redfish/v1/Systems/1",
                "redfish+http://10.0.0.1/x",
                "idrac-virtualmedia://10.0.0.1/x",
                "ilo5-virtualmedia+https://h/x",
                "ilo4-virtualmedia://h",
                "ilo4://h",
            ),
            *(
                "idrac://h",
                "idrac-redfish://h",
                "irmc://h",
                "ibmc://h",
                "ilo5://h",
                "ilo5-redfish://h",
                "foo://h",
                "redfish-virtualmedia+http://10.0.0.1/x",
                "redfish-virtualmedia://bad_host!/x",
                "http://10.0.0.1",
                "libvirt://192.168.122.1:6233",
                "host.example.com",
                "",
            ),
        )
    ],
    *one(f"{_BM}clusterProvisioningIP", "192.168.111.9", "10.0.0.1", "x"),
    *one(f"{_BM}provisioningNetworkCIDR", "172.22.0.1/24"),
    [(f"{_BM}hosts[1].bmc", {})],
]

EXTERNAL: list[list[Change]] = [
    *one(f"{_EX}cloudControllerManager", "", "External", "external"),
    *one(f"{_EX}platformName", "", "other"),
    [(f"{_EX}platformName", "x"), (f"{_EX}cloudControllerManager", "")],
    *one(
        "capabilities",
        {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]},
        {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "CloudCredential"]},
    ),
    *one("controlPlane.architecture", "s390x"),
    [("controlPlane.replicas", 1), ("compute[0].replicas", 0)],
    [("controlPlane.replicas", 1), ("compute[0].replicas", 0), (f"{_P}networkType", "Calico")],
    [("arbiter", {"replicas": 1}), ("controlPlane.replicas", 2)],
]

VSPHERE: list[list[Change]] = [
    *one(
        f"{_VS}vcenters",
        [{"server": "v.example.com"}],
        [{"user": "u"}],
        [{"password": "geheim"}],
        [{"datacenters": ["d"]}],
        [{"server": "a", "user": "b"}],
        [{}],
        [],
    ),
    *one(f"{_VS}diskType", "thin", "Thin", "x"),
    *one(f"{_VS}clusterOSImage", "x"),
    *one(f"{_VS}defaultMachinePlatform", {}, {"cpus": 4}),
    *one(f"{_VS}loadBalancer", {"type": "UserManaged"}, {"type": "x"}, {}),
    *one(f"{_VS}hosts", [{"role": "bootstrap"}], [{"role": "x"}, {"role": "y"}]),
    *one(f"{_VS}apiVIPs", [], ["10.0.0.1"], ["192.168.111.5", "fd2e::1"]),
    *one(f"{_VS}apiVIP", "192.168.111.7"),
    *one(f"{_VS}vCenter", "v.example.com"),
    [
        (f"{_VS}vCenter", "v.example.com"),
        (f"{_VS}datacenter", "d"),
        (f"{_VS}cluster", "c"),
        (f"{_VS}defaultDatastore", "ds"),
        (f"{_VS}network", "n"),
    ],
    *one(f"{_VS}failureDomains", [{"name": "a"}], [{"name": "generated-failure-domain"}]),
    *one(f"{_VS}nodeNetworking", {"internal": {"networkSubnetCidr": ["bad"]}}, {"external": {"network": "x"}}, {}),
    *one("capabilities", {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}),
    *one("metadata.name", "a.b"),
]
VSPHERE_FULL: list[list[Change]] = [
    *one(f"{_VS}vcenters[0].server", "bad_server", "10.0.0.1"),
    *one(f"{_VS}vcenters[0].datacenters", ["other"]),
    *one(f"{_FD}name", "", DELETE),
    *one(f"{_FD}region", "", "x"),
    *one(f"{_FD}zone", "", "x"),
    *one(f"{_FD}server", "", "other.example.com"),
    *one(f"{_FD}zoneType", "HostGroup", "ComputeCluster"),
    *one(f"{_FD}regionType", "HostGroup", "Datacenter", "ComputeCluster"),
    [(f"{_FD}regionType", "ComputeCluster"), (f"{_FD}zoneType", "HostGroup")],
    [(f"{_FD}regionType", "ComputeCluster"), (f"{_FD}zoneType", "HostGroup"), (f"{_TOP}hostGroup", "g")],
    [(f"{_FD}regionType", "Datacenter"), (f"{_FD}zoneType", "ComputeCluster")],
    *one(f"{_TOP}datacenter", "", "dc2"),
    *one(f"{_TOP}datastore", "", "ds1", "/dc2/datastore/ds", "/dc1/datastore/"),
    *one(f"{_TOP}networks", [], ["n"] * 11, ["a", "b"]),
    *one(f"{_TOP}folder", "", "f1", "/dc2/vm/f", DELETE),
    *one(f"{_TOP}computeCluster", "", "c1", "/dc2/host/c", "/dc1/host/c2"),
    *one(f"{_TOP}resourcePool", "", "x", "/dc2/host/c1/R", "/dc1/host/c9/R", "/dc1/host/c1"),
    *one(
        f"{_TOP}tagIDs",
        ["x"],
        ["urn:vmomi:InventoryServiceTag:5736bf56-49f5-4667-b38c-b97e09dc9578:GLOBAL"],
        ["urn:vmomi:InventoryServiceTag:5736bf56-49f5-4667-b38c-b97e09dc9578:GLOBAL"] * 11,
    ),
    [(f"{_TOP}template", "t"), (f"{_VS}clusterOSImage", "x")],
    *one(
        f"{_VS}failureDomains[1]",
        {"name": "east", "region": "r", "zone": "z", "server": "x"},
        {"name": "west", "region": "east-region", "zone": "east-zone"},
        {},
    ),
    *one("featureSet", "CustomNoUpgrade"),
    [("featureSet", "CustomNoUpgrade"), (f"{_TOP}networks", ["a", "b"])],
    *one(
        "compute[0].platform",
        {"vsphere": {"cpus": 3}},
        {"vsphere": {"cpus": -1, "coresPerSocket": -2, "memoryMB": -1, "osDisk": {"diskSizeGB": -1}}},
        {"vsphere": {"coresPerSocket": 8}},
        {"vsphere": {"zones": ["x", "X", "x", "east"]}},
        {
            "vsphere": {
                "dataDisks": [
                    {"name": "bad name"},
                    {"sizeGiB": 20000, "name": "a" * 81},
                    {"name": "ok", "sizeGiB": 1, "provisioningMode": "x"},
                ]
            }
        },
    ),
]
NUTANIX: list[list[Change]] = [
    *one(f"{_NX}prismCentral.endpoint.address", "", "https://x", "TEST"),
    *one(f"{_NX}prismCentral.endpoint.port", 0, 65536, 65535, -1),
    *one(f"{_NX}prismCentral.username", ""),
    *one(f"{_NX}prismCentral.password", ""),
    *one(
        f"{_NX}prismElements",
        [],
        [
            {"uuid": "a", "endpoint": {"address": "a", "port": 1}},
            {"uuid": "b", "endpoint": {"address": "b", "port": 1}},
        ],
    ),
    *one(f"{_NX}prismElements[0].uuid", ""),
    *one(f"{_NX}prismElements[0].endpoint", {}, {"address": "_", "port": 70000}),
    *one(
        f"{_NX}subnetUUIDs",
        [],
        [""],
        ["a", "a"],
        [str(number) for number in range(33)],
        [str(number) for number in range(32)],
    ),
    *one(f"{_NX}loadBalancer", {"type": "x"}, {"type": "UserManaged"}),
    *one(f"{_NX}prismAPICallTimeout", 0, 5),
    *one(f"{_NX}clusterOSImage", "x"),
    *one(f"{_NX}preloadedOSImageName", "x"),
    *one(
        f"{_NX}failureDomains",
        [{"name": "A", "prismElement": {}}],
        [
            {
                "name": "a",
                "prismElement": {"uuid": "u"},
                "subnetUUIDs": ["s"],
                "storageContainers": [{}],
                "dataSourceImages": [{}],
            }
        ],
    ),
    *one(f"{_NX}apiVIPs", ["fd2e::1", "192.168.111.5"], ["bad"], ["192.168.111.5", "192.168.111.6", "fd2e::1"], []),
    *one(f"{_NX}apiVIP", "192.168.111.77"),
    *one("credentialsMode", "Mint", "Manual"),
    *one("metadata.name", "a.b"),
    [(_S, ["fd02::/112", "172.30.0.0/16"])],
]
