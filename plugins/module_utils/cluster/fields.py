# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The fields of install-config.yaml and agent-config.yaml (reference agent-based-installer.md 1), after old layouts were upgraded."""

from __future__ import annotations

from .located import PULL_SECRET_HINT
from .platform_fields import BMC, CIDR, MAC, NUTANIX_POOL, PLATFORMS, ROOT_DEVICE_HINTS, VSPHERE_POOL
from .shapes import BOOLEAN, INT32, INTEGER, OPAQUE, STRING, STRINGS, ListOf, Scalar, Shape, record
from .spec import ARCHITECTURES

AGENT_PLATFORMS = ("baremetal", "vsphere", "nutanix", "none", "external")
OTHER_PLATFORMS = ("aws", "azure", "gcp", "ibmcloud", "openstack", "ovirt", "powervs")
ROLES = ("master", "worker", "arbiter")
# The installer makes no text of a number here, as it does elsewhere.
TYPE = Scalar("string", exact=True)

METADATA = record(
    {
        **dict.fromkeys(("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"), STRING),
        **dict.fromkeys(("generation", "deletionGracePeriodSeconds"), INTEGER),
        **dict.fromkeys(("labels", "annotations"), OPAQUE),
        **dict.fromkeys(("ownerReferences", "managedFields"), ListOf(OPAQUE)),
        "finalizers": STRINGS,
    }
)

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

_DISK = record({"platformDiskID": STRING})
DISK_SETUP = ListOf(
    record(
        {
            "type": Scalar("string", ("etcd", "swap", "user-defined")),
            "userDefined": record({"platformDiskID": STRING, "mountPath": STRING}),
            "etcd": _DISK,
            "swap": _DISK,
        }
    )
)
_POOL: dict[str, Shape] = {
    "name": STRING,
    "replicas": INTEGER,
    "architecture": Scalar("string", ARCHITECTURES),
    "hyperthreading": Scalar("string", ("Enabled", "Disabled")),
    "platform": OPAQUE,
    "fencing": FENCING,
    "diskSetup": DISK_SETUP,
    "management": Scalar("string", ("ClusterAPI", "MachineAPI")),
}
# A pool as variables describe it: its platform in upstream's own spelling.
POOL = record(_POOL)
# A pool of install-config.yaml.
_POOL_PLATFORMS: dict[str, Shape] = {**dict.fromkeys(OTHER_PLATFORMS, OPAQUE), "baremetal": record({}), "vsphere": VSPHERE_POOL, "nutanix": NUTANIX_POOL}
DOCUMENT_POOL = record({**_POOL, "platform": record(_POOL_PLATFORMS)})

NETWORKING = record(
    {
        "networkType": STRING,
        "machineNetwork": ListOf(record({"cidr": CIDR})),
        "clusterNetwork": ListOf(record({"cidr": CIDR, "hostPrefix": INT32})),
        "serviceNetwork": ListOf(CIDR),
        "clusterNetworkMTU": INTEGER,
        "ovnKubernetesConfig": record({"ipv4": record({"internalJoinSubnet": CIDR})}),
    }
)

PROXY = record({"httpProxy": STRING, "httpsProxy": STRING, "noProxy": STRING})
CAPABILITIES = record({"baselineCapabilitySet": STRING, "additionalEnabledCapabilities": STRINGS})
DIGEST_SOURCE = record({"source": STRING, "mirrors": STRINGS, "sourcePolicy": Scalar("string", ("NeverContactSource", "AllowContactingSource"))})

INSTALL_CONFIG = record(
    {
        "apiVersion": TYPE,
        "kind": TYPE,
        "metadata": METADATA,
        "baseDomain": STRING,
        "platform": record({**PLATFORMS, **dict.fromkeys(OTHER_PLATFORMS, OPAQUE)}),
        "networking": NETWORKING,
        "controlPlane": DOCUMENT_POOL,
        "arbiter": DOCUMENT_POOL,
        "compute": ListOf(DOCUMENT_POOL),
        "pullSecret": Scalar("string", hint=PULL_SECRET_HINT),
        "sshKey": STRING,
        "additionalTrustBundle": STRING,
        "additionalTrustBundlePolicy": Scalar("string", ("Proxyonly", "Always")),
        "imageDigestSources": ListOf(DIGEST_SOURCE),
        "imageContentSources": ListOf(record({"source": STRING, "mirrors": STRINGS})),
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
        "apiVersion": TYPE,
        "kind": TYPE,
        "metadata": METADATA,
        "rendezvousIP": STRING,
        "additionalNTPSources": STRINGS,
        "bootArtifactsBaseURL": STRING,
        "minimalISO": BOOLEAN,
        "hosts": ListOf(AGENT_HOST),
    }
)
