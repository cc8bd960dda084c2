# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the allowed keys and value types below ``platform`` in install-config.yaml, for each platform.

They include the hosts of platform baremetal, the hosts of vSphere, root device hints, and machine pools.

Source: openshift/installer pkg/types/installconfig.go, pkg/types/defaults.
"""

from __future__ import annotations

from .shapes import BOOLEAN, INT32, INTEGER, OPAQUE, STRING, STRINGS, AnyOf, ListOf, Scalar, record

CIDR = Scalar("string", cidr=True)
MAC = Scalar("string", hint="put the MAC address in quotes: YAML takes digits with colons for a number")

BMC = record({"username": STRING, "password": STRING, "address": STRING, "disableCertificateVerification": BOOLEAN})

ROOT_DEVICE_HINTS = record(
    {
        "deviceName": STRING,
        "hctl": STRING,
        "model": STRING,
        "vendor": STRING,
        "serialNumber": STRING,
        "minSizeGigabytes": INTEGER,
        "wwn": STRING,
        "wwnWithExtension": STRING,
        "wwnVendorExtension": STRING,
        "rotational": BOOLEAN,
    }
)

BAREMETAL_HOST = record(
    {
        "name": STRING,
        "bmc": BMC,
        "role": STRING,
        "bootMACAddress": MAC,
        "hardwareProfile": STRING,
        "rootDeviceHints": ROOT_DEVICE_HINTS,
        "bootMode": STRING,
        "networkConfig": OPAQUE,
    }
)

LOAD_BALANCER = record({"type": Scalar("string", ("OpenShiftManagedDefault", "UserManaged"))})
DNS_RECORDS = Scalar("string", ("Internal", "External"))

BAREMETAL = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "hosts": ListOf(BAREMETAL_HOST),
        "provisioningNetwork": Scalar("string", ("Managed", "Unmanaged", "Disabled")),
        "provisioningNetworkCIDR": CIDR,
        "provisioningNetworkInterface": STRING,
        "provisioningNetworkGateway": STRING,
        "provisioningDHCPRange": STRING,
        "provisioningBridge": STRING,
        "provisioningMACAddress": MAC,
        "clusterProvisioningIP": STRING,
        "bootstrapProvisioningIP": STRING,
        "bootstrapExternalStaticIP": STRING,
        "bootstrapExternalStaticGateway": STRING,
        "bootstrapExternalStaticDNS": STRING,
        "bootstrapOSImage": STRING,
        "clusterOSImage": STRING,
        "defaultMachinePlatform": record({}),
        "externalBridge": STRING,
        "externalMACAddress": MAC,
        "libvirtURI": STRING,
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": DNS_RECORDS,
        "additionalNTPServers": STRINGS,
        "bmcVerifyCA": STRING,
    }
)

VSPHERE_POOL = record(
    {
        **dict.fromkeys(("cpus", "coresPerSocket"), INT32),
        "memoryMB": INTEGER,
        "osDisk": record({"diskSizeGB": INT32}),
        "dataDisks": ListOf(
            record(
                {
                    "name": STRING,
                    "sizeGiB": INT32,
                    "provisioningMode": Scalar("string", ("Thin", "Thick", "EagerlyZeroed")),
                }
            )
        ),
        "zones": STRINGS,
    }
)

_NODE_NETWORKING = record({"networkSubnetCidr": STRINGS, "network": STRING, "excludeNetworkSubnetCidr": STRINGS})

VSPHERE = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "vcenters": ListOf(
            record({"server": STRING, "port": INT32, "user": STRING, "password": STRING, "datacenters": STRINGS})
        ),
        "failureDomains": ListOf(
            record(
                {
                    "name": STRING,
                    "region": STRING,
                    "zone": STRING,
                    "server": STRING,
                    "regionType": STRING,
                    "zoneType": STRING,
                    "topology": record(
                        {
                            "datacenter": STRING,
                            "computeCluster": STRING,
                            "networks": STRINGS,
                            "datastore": STRING,
                            "resourcePool": STRING,
                            "folder": STRING,
                            "template": STRING,
                            "tagIDs": STRINGS,
                            "hostGroup": STRING,
                        }
                    ),
                }
            )
        ),
        "nodeNetworking": record({"external": _NODE_NETWORKING, "internal": _NODE_NETWORKING}),
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": DNS_RECORDS,
        "vCenter": STRING,
        "username": STRING,
        "password": STRING,
        "datacenter": STRING,
        "defaultDatastore": STRING,
        "cluster": STRING,
        "network": STRING,
        "folder": STRING,
        "resourcePool": STRING,
        "clusterOSImage": STRING,
        "diskType": Scalar("string", ("thin", "thick", "eagerZeroedThick")),
        "defaultMachinePlatform": VSPHERE_POOL,
        "hosts": ListOf(
            record(
                {
                    "failureDomain": STRING,
                    "networkDevice": record({"gateway": STRING, "ipAddrs": STRINGS, "nameservers": STRINGS}),
                    "role": STRING,
                }
            )
        ),
    }
)

_ENDPOINT = record({"address": STRING, "port": INT32})
_PRISM_ELEMENT = record({"uuid": STRING, "name": STRING, "endpoint": _ENDPOINT})
_STORAGE = record({"referenceName": STRING, "uuid": STRING, "name": STRING})
_NUTANIX_DISK = record(
    {
        "diskSize": AnyOf((STRING, INTEGER)),
        "deviceProperties": record({"deviceType": STRING, "adapterType": STRING, "deviceIndex": INTEGER}),
        "storageConfig": record({"diskMode": STRING, "storageContainer": _STORAGE}),
        "dataSourceImage": _STORAGE,
    }
)

NUTANIX_POOL = record(
    {
        **dict.fromkeys(("cpus", "coresPerSocket", "memoryMiB"), INTEGER),
        "osDisk": record({"diskSizeGiB": INTEGER}),
        "bootType": STRING,
        "project": record({"type": STRING, "uuid": STRING, "name": STRING}),
        "categories": ListOf(record({"key": STRING, "value": STRING})),
        "gpus": ListOf(record({"type": STRING, "deviceID": INTEGER, "name": STRING})),
        "dataDisks": ListOf(_NUTANIX_DISK),
        "failureDomains": STRINGS,
    }
)

NUTANIX = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "prismCentral": record({"endpoint": _ENDPOINT, "username": STRING, "password": STRING}),
        "prismElements": ListOf(_PRISM_ELEMENT),
        "subnetUUIDs": STRINGS,
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": DNS_RECORDS,
        "clusterOSImage": STRING,
        "preloadedOSImageName": STRING,
        "defaultMachinePlatform": NUTANIX_POOL,
        "failureDomains": ListOf(
            record(
                {
                    "name": STRING,
                    "prismElement": _PRISM_ELEMENT,
                    "subnetUUIDs": STRINGS,
                    "storageContainers": ListOf(_STORAGE),
                    "dataSourceImages": ListOf(_STORAGE),
                }
            )
        ),
        "prismAPICallTimeout": INTEGER,
    }
)

EXTERNAL = record({"platformName": STRING, "cloudControllerManager": Scalar("string", ("", "External"))})

PLATFORMS = {"baremetal": BAREMETAL, "vsphere": VSPHERE, "nutanix": NUTANIX, "external": EXTERNAL, "none": record({})}
