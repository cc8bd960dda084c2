# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the installer says about platforms and hosts.

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
            ("`Disabled`, unless the cluster is to provision further hosts itself"),
        ),
        E(
            "platform.*.loadBalancer.type",
            "Invalid value, Unsupported value",
            ("invalid load balancer type", _VALUES),
            "",
            "`OpenShiftManagedDefault` or `UserManaged`",
        ),
        E(
            "platform.*.dnsRecordsType",
            "Invalid value, Unsupported value",
            ("external DNS records can only be configured with user-managed loadbalancers", _VALUES),
            "",
            "`Internal`",
        ),
        E(
            "platform.baremetal.provisioningNetworkCIDR",
            INVALID,
            (
                "provisioningNetworkCIDR has host bits set…",
                "provisioningNetworkCIDR mask must be …",
                "cannot overlap with machine network: …",
            ),
            "the provisioning network is a network of its own",
            "a network that nothing else uses, or `provisioningNetwork: Disabled`",
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
            "addresses of the provisioning network outside the DHCP range, `first,last` without blanks",
        ),
        E(
            "platform.baremetal.clusterProvisioningIP",
            INVALID,
            "provisioning network is disabled, IP expected to be in one of the machine networks: …",
            "",
            "take it out, or choose an address of the machine network",
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
            "`redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID`",
        ),
        E(
            "platform.baremetal.hosts[].bmc.*",
            REQUIRED,
            "missing …",
            "once one host has BMC data, all need it",
            "address, username and password of each, or none at all",
        ),
        E(
            "platform.baremetal.hosts[].bmc.address",
            DUPLICATE,
            "",
            "two hosts would be one machine",
            "correct the address",
        ),
        E(
            "platform.external.cloudControllerManager",
            "Invalid value, Unsupported value",
            ("When using external oci platform, …", _VALUES),
            "",
            "`External`",
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
            "server, user, password and datacenters, or none of them",
        ),
        E(
            "platform.vsphere.vcenters[].server",
            "Invalid value, Required value",
            "must be the domain name or IP address of the vCenter",
            "",
            "without `https://`",
        ),
        E(
            "platform.vsphere.failureDomains[].topology.folder",
            REQUIRED,
            "must specify a folder for agent-based installs",
            "the machines exist already: it must be known where",
            "`/DATACENTER/vm/FOLDER`",
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
            "name, region, zone, server and topology of each failure domain",
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
            "paths are whole paths in the inventory of vCenter",
            "`/DC/host/CLUSTER`, `/DC/datastore/NAME`, `/DC/vm/FOLDER`, `/DC/host/CLUSTER/Resources/POOL`, in a "
            "datacenter of the vCenter",
        ),
        E("platform.vsphere.failureDomains.*", DUPLICATE, "", "", "each name once"),
        E(
            "platform.vsphere.failureDomains.topology.networks",
            TOO_MANY,
            "must have at most … items",
            "",
            "one to ten networks",
        ),
        E(
            "platform.vsphere.diskType platform.vsphere.clusterOSImage",
            INVALID,
            ("diskType must be one of …", "cannot be specified when …"),
            "",
            "take it out: it is ignored anyway",
        ),
        E(
            "platform.vsphere.nodeNetworking.*",
            "Invalid value, Required value",
            ("network must be defined in topology", "invalid CIDR address: …", "must specify a IP address with CIDR"),
            "",
            "networks of the failure domains, in CIDR notation",
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
            "address, port, user and password of Prism Central; one Prism Element with uuid and endpoint",
        ),
        E(
            "platform.nutanix.subnetUUIDs",
            "Required value, Invalid value, Too many",
            ("must specify at least one subnet", "should not configure duplicate value", "must have at most … items"),
            "",
            "the UUIDs of the subnets, each once",
        ),
        E(
            "platform.nutanix.failureDomain.*",
            "Required value, Invalid value, Too many, Duplicate value",
            "…",
            "failure domains are ignored, and checked all the same",
            "take them out",
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
            "no host has a static address that it could be",
            "name the address that a control-plane host will have",
        ),
        E(
            "hosts[].interfaces",
            REQUIRED,
            "at least one interface must be defined for each node",
            "a host is recognised by its MAC address",
            "`interfaces: [{name: eno1, macAddress: …}]`",
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
            "six pairs with colons; the second digit is even",
        ),
        E(
            "hosts[].interfaces[].macAddress",
            INVALID,
            "duplicate MAC address found",
            "two hosts would be one",
            "correct one of them",
        ),
        E(
            "hosts[].interfaces",
            INVALID,
            "MACs and Interfaces for host … must be unique",
            "",
            "each name and address once",
        ),
        E(
            "hosts[].rootDeviceHints.deviceName",
            INVALID,
            "Device Name of root device hint must be …",
            "names below `/dev/disk/by-id` are not known to the service",
            "`/dev/sda`, `/dev/disk/by-path/…`, or `wwn`, `serialNumber`",
        ),
        E("hosts[].rootDeviceHints.wwn*", FORBIDDEN, "WWN … not supported in root device hints", "", "`wwn`"),
        E("hosts[].role", UNSUPPORTED, _VALUES, "", "master, worker or arbiter"),
        E(
            "hosts[].role",
            FORBIDDEN,
            "… has role 'worker' and has the rendezvousIP assigned to it. …",
            "the first control-plane host runs the installation",
            "the address of a control-plane host",
        ),
    ),
)

TOPICS = (BAREMETAL, VSPHERE, NUTANIX, HOSTS)
