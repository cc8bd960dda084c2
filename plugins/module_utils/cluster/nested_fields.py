# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the allowed keys and value types of nested parts of install-config.yaml and agent-config.yaml.

The parts are metadata, machine pools, networking, proxy, mirrors and interfaces. platform_fields.py defines those of
the platforms.
"""

from __future__ import annotations

from .platform_fields import CIDR, MAC, NUTANIX_POOL, VSPHERE_POOL
from .shapes import INT32, INTEGER, OPAQUE, STRING, STRINGS, ListOf, Scalar, Shape, record
from .spec import ARCHITECTURES

AGENT_PLATFORMS = ("baremetal", "vsphere", "nutanix", "none", "external")
OTHER_PLATFORMS = ("aws", "azure", "gcp", "ibmcloud", "openstack", "ovirt", "powervs")
ROLES = ("master", "worker", "arbiter")
# Here the installer does not convert a number to a string, as it does elsewhere.
TYPE = Scalar("string", exact=True)

METADATA = record(
    {
        **dict.fromkeys(
            (
                "name",
                "generateName",
                "namespace",
                "selfLink",
                "uid",
                "resourceVersion",
                "creationTimestamp",
                "deletionTimestamp",
            ),
            STRING,
        ),
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
_POOL_PLATFORMS: dict[str, Shape] = {
    **dict.fromkeys(OTHER_PLATFORMS, OPAQUE),
    "baremetal": record({}),
    "vsphere": VSPHERE_POOL,
    "nutanix": NUTANIX_POOL,
}
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
DIGEST_SOURCE = record(
    {
        "source": STRING,
        "mirrors": STRINGS,
        "sourcePolicy": Scalar("string", ("NeverContactSource", "AllowContactingSource")),
    }
)
PKI = record(
    {
        "signerCertificates": record(
            {
                "key": record(
                    {
                        "algorithm": Scalar("string", ("RSA", "ECDSA")),
                        "rsa": record({"keySize": INT32}),
                        "ecdsa": record({"curve": Scalar("string", ("P256", "P384", "P521"))}),
                    }
                )
            }
        )
    }
)
INTERFACE = record({"name": STRING, "macAddress": MAC})
