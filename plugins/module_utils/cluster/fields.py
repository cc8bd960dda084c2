# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The fields of install-config.yaml and agent-config.yaml (reference agent-based-installer.md 1), after old layouts were upgraded."""

from __future__ import annotations

from .located import PULL_SECRET_HINT
from .shapes import BOOLEAN, INTEGER, OPAQUE, STRING, STRINGS, ListOf, Scalar, record

ARCHITECTURES = ("amd64", "arm64", "ppc64le", "s390x")
AGENT_PLATFORMS = ("baremetal", "vsphere", "nutanix", "none", "external")
OTHER_PLATFORMS = ("aws", "azure", "gcp", "ibmcloud", "openstack", "ovirt", "powervs", "alibabacloud", "libvirt")
ROLES = ("master", "worker", "arbiter")

MAC = Scalar("string", hint="put the MAC address in quotes: YAML takes digits with colons for a number")

METADATA = record({"name": STRING, "namespace": STRING, "creationTimestamp": STRING, "labels": OPAQUE, "annotations": OPAQUE})

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

BAREMETAL = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "hosts": ListOf(BAREMETAL_HOST),
        "provisioningNetwork": Scalar("string", ("Managed", "Unmanaged", "Disabled")),
        "provisioningNetworkCIDR": STRING,
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
        "defaultMachinePlatform": OPAQUE,
        "externalBridge": STRING,
        "externalMACAddress": MAC,
        "libvirtURI": STRING,
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": Scalar("string", ("Internal", "External")),
        "additionalNTPServers": STRINGS,
        "bmcVerifyCA": STRING,
    }
)

VSPHERE = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "vcenters": ListOf(record({"server": STRING, "port": INTEGER, "user": STRING, "password": STRING, "datacenters": STRINGS})),
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
        "nodeNetworking": OPAQUE,
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": STRING,
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
        "diskType": STRING,
        "defaultMachinePlatform": OPAQUE,
        "hosts": ListOf(OPAQUE),
    }
)

_ENDPOINT = record({"address": STRING, "port": INTEGER})

NUTANIX = record(
    {
        "apiVIPs": STRINGS,
        "ingressVIPs": STRINGS,
        "prismCentral": record({"endpoint": _ENDPOINT, "username": STRING, "password": STRING}),
        "prismElements": ListOf(record({"uuid": STRING, "name": STRING, "endpoint": _ENDPOINT})),
        "subnetUUIDs": STRINGS,
        "loadBalancer": LOAD_BALANCER,
        "dnsRecordsType": STRING,
        "clusterOSImage": STRING,
        "preloadedOSImageName": STRING,
        "defaultMachinePlatform": OPAQUE,
        "failureDomains": ListOf(OPAQUE),
        "prismAPICallTimeout": INTEGER,
    }
)

EXTERNAL = record({"platformName": STRING, "cloudControllerManager": Scalar("string", ("", "External"))})

PLATFORMS = {"baremetal": BAREMETAL, "vsphere": VSPHERE, "nutanix": NUTANIX, "external": EXTERNAL, "none": record({})}

FENCING = record(
    {
        "credentials": ListOf(
            record(
                {
                    "hostName": STRING,
                    "macAddress": MAC,
                    "username": STRING,
                    "password": STRING,
                    "address": STRING,
                    "certificateVerification": Scalar("string", ("Enabled", "Disabled")),
                }
            )
        )
    }
)

POOL = record(
    {
        "name": STRING,
        "replicas": INTEGER,
        "architecture": Scalar("string", ARCHITECTURES),
        "hyperthreading": Scalar("string", ("Enabled", "Disabled")),
        "platform": OPAQUE,
        "fencing": FENCING,
        "diskSetup": ListOf(OPAQUE),
        "management": OPAQUE,
    }
)

NETWORKING = record(
    {
        "networkType": STRING,
        "machineNetwork": ListOf(record({"cidr": STRING})),
        "clusterNetwork": ListOf(record({"cidr": STRING, "hostPrefix": INTEGER})),
        "serviceNetwork": STRINGS,
        "clusterNetworkMTU": INTEGER,
        "ovnKubernetesConfig": record({"ipv4": record({"internalJoinSubnet": STRING})}),
    }
)

PROXY = record({"httpProxy": STRING, "httpsProxy": STRING, "noProxy": STRING})
CAPABILITIES = record({"baselineCapabilitySet": STRING, "additionalEnabledCapabilities": STRINGS})
DIGEST_SOURCE = record({"source": STRING, "mirrors": STRINGS, "sourcePolicy": Scalar("string", ("NeverContactSource", "AllowContactingSource"))})

INSTALL_CONFIG = record(
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "baseDomain": STRING,
        "platform": record({**PLATFORMS, **dict.fromkeys(OTHER_PLATFORMS, OPAQUE)}),
        "networking": NETWORKING,
        "controlPlane": POOL,
        "arbiter": POOL,
        "compute": ListOf(POOL),
        "pullSecret": Scalar("string", hint=PULL_SECRET_HINT),
        "sshKey": STRING,
        "additionalTrustBundle": STRING,
        "additionalTrustBundlePolicy": Scalar("string", ("Proxyonly", "Always")),
        "imageDigestSources": ListOf(DIGEST_SOURCE),
        "proxy": PROXY,
        "fips": BOOLEAN,
        "cpuPartitioningMode": Scalar("string", ("None", "AllNodes")),
        "capabilities": CAPABILITIES,
        "featureSet": STRING,
        "featureGates": STRINGS,
        "publish": STRING,
        "operatorPublishingStrategy": record({"ingress": STRING, "apiserver": STRING}),
        "credentialsMode": STRING,
        "bootstrapInPlace": record({"installationDisk": STRING}),
        "osImageStream": STRING,
    }
)

INTERFACE = record({"name": STRING, "macAddress": MAC})

AGENT_HOST = record(
    {
        "hostname": STRING,
        "role": Scalar("string", ROLES),
        "interfaces": ListOf(INTERFACE),
        "rootDeviceHints": ROOT_DEVICE_HINTS,
        "networkConfig": OPAQUE,
        "bmc": BMC,
    }
)

AGENT_CONFIG = record(
    {
        "apiVersion": STRING,
        "kind": STRING,
        "metadata": METADATA,
        "rendezvousIP": STRING,
        "additionalNTPSources": STRINGS,
        "bootArtifactsBaseURL": STRING,
        "minimalISO": BOOLEAN,
        "hosts": ListOf(AGENT_HOST),
    }
)
