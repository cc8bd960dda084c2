# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of openshift-install about platforms and hosts: data from which
`docs/reference/errors-configuration.md` is generated.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go,
  pkg/asset/agent/agentconfig/agent_config.go.
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    REQUIRED,
    TOO_MANY,
    UNSUPPORTED,
)

from .error_model import Entry as E
from .error_model import Topic

_VALUES = "supported values: …"

BAREMETAL = Topic(
    "platform.baremetal",
    (
        E(
            "platform.baremetal.provisioningNetwork",
            UNSUPPORTED,
            _VALUES,
            "",
            ("use `Disabled`, unless the cluster provisions further hosts itself"),
        ),
        E(
            "platform.*.loadBalancer.type",
            "Invalid value, Unsupported value",
            ("invalid load balancer type", _VALUES),
            "",
            "use `OpenShiftManagedDefault` or `UserManaged`",
        ),
        E(
            "platform.*.dnsRecordsType",
            "Invalid value, Unsupported value",
            ("external DNS records can only be configured with user-managed loadbalancers", _VALUES),
            "",
            "use `Internal`",
        ),
        E(
            "platform.baremetal.provisioningNetworkCIDR",
            INVALID,
            (
                "provisioningNetworkCIDR has host bits set…",
                "provisioningNetworkCIDR mask must be …",
                "cannot overlap with machine network: …",
            ),
            "the provisioning network must be a separate network",
            "use a network that nothing else uses, or `provisioningNetwork: Disabled`",
        ),
        E(
            "platform.baremetal.*ProvisioningIP platform.baremetal.provisioningNetworkGateway "
            "platform.baremetal.provisioningDHCPRange",
            INVALID,
            (
                "… is not a valid IP",
                "… is not in the provisioning network",
                "… overlaps with …",
                "… is the … address of the provisioning network",
                "provisioning DHCP range should be in format: start_ip,end_ip",
            ),
            "",
            "write addresses of the provisioning network outside the DHCP range, as `first,last` without spaces",
        ),
        E(
            "platform.baremetal.clusterProvisioningIP",
            INVALID,
            "provisioning network is disabled, IP expected to be in one of the machine networks: …",
            "",
            "remove it, or choose an address of the machine network",
        ),
        E(
            "platform.baremetal.hosts[].bmc",
            INVALID,
            (
                "Unknown BMC type …",
                "driver … requires provisioning network",
                "failed to parse BMC address information…",
                "missing BMC address",
            ),
            "without a provisioning network only virtual media can be used",
            "use `redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID`",
        ),
        E(
            "platform.baremetal.hosts[].bmc.*",
            REQUIRED,
            "missing …",
            "if one host has BMC data, all hosts need it",
            "set address, username and password of each host, or of none",
        ),
        E(
            "platform.baremetal.hosts[].bmc.address",
            DUPLICATE,
            "",
            "two hosts would use the same machine",
            "correct the address",
        ),
        E(
            "platform.external.cloudControllerManager",
            "Invalid value, Unsupported value",
            ("When using external oci platform, …", _VALUES),
            "",
            "use `External`",
        ),
    ),
)

VSPHERE = Topic(
    "platform.vsphere",
    (
        E(
            "platform.vsphere.vcenters[].* platform.vsphere.username",
            REQUIRED,
            ("All credential fields are required if any one is specified", "must specify …"),
            "",
            "set server, user, password and datacenters, or none of them",
        ),
        E(
            "platform.vsphere.vcenters[].server",
            "Invalid value, Required value",
            "must be the domain name or IP address of the vCenter",
            "",
            "remove `https://`",
        ),
        E(
            "platform.vsphere.failureDomains[].topology.folder",
            REQUIRED,
            "must specify a folder for agent-based installs",
            "the machines exist already, and the folder that contains them is needed",
            "set `/DATACENTER/vm/FOLDER`",
        ),
        E(
            "platform.vsphere.failureDomains.*",
            REQUIRED,
            (
                "must specify …",
                "must not be empty if zoneType is HostGroup",
                "region type cannot be used …",
                "zoneType must be HostGroup",
                "something something...",
            ),
            "",
            "set name, region, zone, server and topology of each failure domain",
        ),
        E(
            "platform.vsphere.failureDomains.*",
            INVALID,
            (
                "… must be …",
                "… does not exist in …",
                "a maximum of … tags are allowed",
                "cannot be specified when …",
                "cannot be used more than once …",
            ),
            "paths are complete paths in the inventory of vCenter",
            "use `/DC/host/CLUSTER`, `/DC/datastore/NAME`, `/DC/vm/FOLDER` or `/DC/host/CLUSTER/Resources/POOL`, in "
            "a datacenter of the vCenter",
        ),
        E("platform.vsphere.failureDomains.*", DUPLICATE, "", "", "write each name once"),
        E(
            "platform.vsphere.failureDomains.topology.networks",
            TOO_MANY,
            "must have at most … items",
            "",
            "use one to ten networks",
        ),
        E(
            "platform.vsphere.diskType platform.vsphere.clusterOSImage",
            INVALID,
            ("diskType must be one of …", "cannot be specified when …"),
            "",
            "remove it; it has no effect",
        ),
        E(
            "platform.vsphere.nodeNetworking.*",
            "Invalid value, Required value",
            ("network must be defined in topology", "invalid CIDR address: …", "must specify a IP address with CIDR"),
            "",
            "set the networks of the failure domains, in CIDR notation",
        ),
    ),
)

NUTANIX = Topic(
    "platform.nutanix",
    (
        E(
            "platform.nutanix.prism*",
            "Required value, Invalid value",
            (
                "must specify …",
                "must be the domain name or IP address of the Prism …",
                "The Prism … endpoint port is invalid, …",
                "must be a positive integer value",
            ),
            "",
            "set address, port, user and password of Prism Central, and one Prism Element with uuid and endpoint",
        ),
        E(
            "platform.nutanix.subnetUUIDs",
            "Required value, Invalid value, Too many",
            ("must specify at least one subnet", "should not configure duplicate value", "must have at most … items"),
            "",
            "write each UUID of a subnet once",
        ),
        E(
            "platform.nutanix.failureDomain.*",
            "Required value, Invalid value, Too many, Duplicate value",
            "…",
            "failure domains are checked, but have no effect",
            "remove them",
        ),
    ),
)

HOSTS = Topic(
    "agent-config.yaml and hosts",
    (
        E("rendezvousIP", INVALID, "… is not a valid IP", "", "write an address without prefix length"),
        E(
            "rendezvousIP",
            REQUIRED,
            "missing rendezvousIP in agent-config, …",
            "no host has a static address",
            "set it to the address that a control-plane host will have",
        ),
        E(
            "hosts[].interfaces",
            REQUIRED,
            "at least one interface must be defined for each node",
            "a host is identified by its MAC address",
            "add `interfaces: [{name: eno1, macAddress: …}]`",
        ),
        E(
            "hosts[].interfaces[].macAddress",
            REQUIRED,
            "each interface must have a MAC address defined",
            "",
            "write it, in quotes",
        ),
        E(
            "hosts[].interfaces[].macAddress",
            INVALID,
            (
                "…invalid MAC address",
                "expected unicast mac address, found multicast",
                ("MAC address … is incorrectly formatted, use XX:XX:XX:XX:XX:XX format"),
            ),
            "",
            "write six pairs with colons; the second digit must be even",
        ),
        E(
            "hosts[].interfaces[].macAddress",
            INVALID,
            "duplicate MAC address found",
            "two hosts would have the same identity",
            "correct one of them",
        ),
        E(
            "hosts[].interfaces",
            INVALID,
            "MACs and Interfaces for host … must be unique",
            "",
            "write each name and address once",
        ),
        E(
            "hosts[].rootDeviceHints.deviceName",
            INVALID,
            "Device Name of root device hint must be …",
            "the service does not know names below `/dev/disk/by-id`",
            "use `/dev/sda`, `/dev/disk/by-path/…`, or `wwn`, `serialNumber`",
        ),
        E("hosts[].rootDeviceHints.wwn*", FORBIDDEN, "WWN … not supported in root device hints", "", "use `wwn`"),
        E("hosts[].role", UNSUPPORTED, _VALUES, "", "use master, worker or arbiter"),
        E(
            "hosts[].role",
            FORBIDDEN,
            "… has role 'worker' and has the rendezvousIP assigned to it. …",
            "the first control-plane host runs the installation",
            "use the address of a control-plane host",
        ),
    ),
)

TOPICS = (BAREMETAL, VSPHERE, NUTANIX, HOSTS)
