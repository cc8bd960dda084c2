# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pairs of install-config.yaml and agent-config.yaml that the installer accepts, and changes to them by path."""

from __future__ import annotations

import copy
import itertools
import re
from typing import Any

from .base import PULL_SECRET, SSH_KEY

# Fixed texts: the names of cases are made of them.
CERTIFICATES = (
    """-----BEGIN CERTIFICATE-----
MIIBHDCBw6ADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDWEuZXhhbXBs
ZS5jb20wHhcNMjUwMTAxMDAwMDAwWhcNNDYwMTAxMDAwMDAwWjAYMRYwFAYDVQQD
DA1hLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvSVATfyt
usJWw7GzLnDZIIIZtgtmJFhsp8TvKjfD2n6m2qxABtqfanTswsgqPEqZmTcamqYT
gw1FahDqJUgRLzAKBggqhkjOPQQDAgNIADBFAiEAu+MNO2w3OBh57yF+pkuz7BMi
mH2b6pqNoCbovxFHdAkCIG0qX6eY/KKj1OADSHnC6ua2gTHvJfZ+tt7lAOB4CUoC
-----END CERTIFICATE-----
""",
    """-----BEGIN CERTIFICATE-----
MIIBHDCBw6ADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDWIuZXhhbXBs
ZS5jb20wHhcNMjUwMTAxMDAwMDAwWhcNNDYwMTAxMDAwMDAwWjAYMRYwFAYDVQQD
DA1iLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2RAHYas6
8rVEMRuuBzyM8IKBOIFsAgd2opVzGqEIjDb3Meo19TWTn5HEZzEGBD66DbtEJERa
iT+XspxNAoLOMDAKBggqhkjOPQQDAgNIADBFAiEA+ISNeMG5K9JyfPq/jN895UxR
Xd0j144U8OU7SJwyIz0CIFth25LfS4ut5bFfm63pSOlAwkHHvc/LNOFqgCPxNk3V
-----END CERTIFICATE-----
""",
)
RSA_KEY = (
    "ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQC063btsaemmTYHugrcgZKeDoa7gQoxI96cM8jyeToRQSxuTE8pWJlztTt6/rC6AvueV5TdrBOTJcxMfde8"
    "WvlQ+izP7HUQTF4XhXyirdid07o6PBvTOxQ9FNmExdcC4yOIvuNiBiHGAeBGKnNWeu+cODZ2LSdaHSEJvw4xknlmAfeGao5goUWKyyLwSoUBToyrSvfg3EqF"
    "YnJeuACBp0y0Zq4jDU2TlZ80UITeJahWiQx94fOTjvxlnsjmo2ptnizMmMnyovM4LpiLLkefaa0wI0SlNbtpc/GpiD5/rlw4EQPUQu1Ov8WqlonpgeKo6cQX"
    "ElOv4RtQPtWmh3kGVT2P"
)
ECDSA_KEY = (
    "ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBC4yqgpz0MzlNQgTlvkPiq2Na1jdLAtN3dD99+U+wxLNoGVp"
    "YsnBq1qV0pe7jcl57XvPybA5EeNv8rbvWi5q3Bw="
)
DELETE = object()
Change = tuple[str, Any]


def _install(platform: dict[str, Any], masters: int = 3, workers: int = 2) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "metadata": {"name": "demo"},
        "baseDomain": "example.com",
        "networking": {
            "networkType": "OVNKubernetes",
            "machineNetwork": [{"cidr": "192.168.111.0/24"}],
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
        },
        "controlPlane": {"name": "master", "replicas": masters},
        "compute": [{"name": "worker", "replicas": workers}],
        "platform": platform,
        "pullSecret": PULL_SECRET,
        "sshKey": SSH_KEY,
    }


_VIPS = {"apiVIPs": ["192.168.111.5"], "ingressVIPs": ["192.168.111.4"]}
_BMC_HOSTS = [
    {
        "name": f"node-{index}",
        "role": role,
        "bootMACAddress": f"52:54:00:00:00:0{index}",
        "bmc": {
            "address": f"redfish-virtualmedia://10.9.0.{index}/redfish/v1/Systems/1",
            "username": "admin",
            "password": "geheim",
        },
    }
    for index, role in enumerate(("master", "master", "master", "worker", "worker"))
]
_FAILURE_DOMAIN = {
    "name": "east",
    "region": "east-region",
    "zone": "east-zone",
    "server": "vcenter.example.com",
    "topology": {
        "datacenter": "dc1",
        "computeCluster": "/dc1/host/c1",
        "datastore": "/dc1/datastore/ds1",
        "networks": ["VM Network"],
        "resourcePool": "/dc1/host/c1/Resources",
        "folder": "/dc1/vm/f1",
    },
}
# Address 127.0.0.1 and a closed port: the installer asks a vCenter that has credentials.
_VCENTER = {"server": "vcenter.example.com", "user": "u", "password": "geheim", "datacenters": ["dc1"]}
_FENCING = [
    {
        "hostName": f"node-{index}",
        "username": "admin",
        "password": "geheim",
        "address": f"redfish+https://10.9.0.{index}/redfish/v1/Systems/1",
    }
    for index in range(2)
]

INSTALL_CONFIGS: dict[str, dict[str, Any]] = {
    "baremetal": _install({"baremetal": dict(_VIPS)}),
    "baremetal-bmc": _install({"baremetal": {**_VIPS, "hosts": _BMC_HOSTS}}),
    "baremetal-bmc-disabled": _install(
        {"baremetal": {**_VIPS, "provisioningNetwork": "Disabled", "hosts": _BMC_HOSTS}}
    ),
    "none": _install({"none": {}}),
    "sno": _install({"none": {}}, 1, 0),
    "external": _install({"external": {"platformName": "oci", "cloudControllerManager": "External"}}),
    "vsphere": _install({"vsphere": dict(_VIPS)}),
    "vsphere-full": _install({"vsphere": {**_VIPS, "vcenters": [_VCENTER], "failureDomains": [_FAILURE_DOMAIN]}}),
    "nutanix": _install(
        {
            "nutanix": {
                **_VIPS,
                "prismCentral": {
                    "endpoint": {"address": "pc.example.com", "port": 9440},
                    "username": "u",
                    "password": "geheim",
                },
                "prismElements": [
                    {"uuid": "e-1", "name": "pe", "endpoint": {"address": "pe.example.com", "port": 9440}}
                ],
                "subnetUUIDs": ["b06179c8-dea3-4f8e-818a-b2e88fbc2201"],
            }
        }
    ),
    "dual": _install(
        {"baremetal": {"apiVIPs": ["192.168.111.5", "fd2e::5"], "ingressVIPs": ["192.168.111.4", "fd2e::4"]}}
    ),
    "arbiter": {**_install({"baremetal": dict(_VIPS)}, 2, 0), "arbiter": {"name": "arbiter", "replicas": 1}},
    "fencing": {**_install({"baremetal": dict(_VIPS)}, 2, 0), "featureSet": "TechPreviewNoUpgrade"},
}
INSTALL_CONFIGS["dual"]["networking"].update(
    machineNetwork=[{"cidr": "192.168.111.0/24"}, {"cidr": "fd2e::/64"}],
    clusterNetwork=[{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "fd01::/48", "hostPrefix": 64}],
    serviceNetwork=["172.30.0.0/16", "fd02::/112"],
)
INSTALL_CONFIGS["fencing"]["controlPlane"]["fencing"] = {"credentials": _FENCING}

AGENT_CONFIG: dict[str, Any] = {
    "apiVersion": "v1beta1",
    "kind": "AgentConfig",
    "metadata": {"name": "demo"},
    "rendezvousIP": "192.168.111.80",
    "hosts": [
        {
            "hostname": f"node-{index}",
            "role": role,
            "interfaces": [{"name": "eno1", "macAddress": f"52:54:00:aa:00:0{index}"}],
        }
        for index, role in enumerate(("master", "master", "master", "worker", "worker"))
    ],
}
NO_HOSTS: dict[str, Any] = {"apiVersion": "v1beta1", "kind": "AgentConfig", "rendezvousIP": "192.168.111.80"}


def changed(document: dict[str, Any], changes: list[Change]) -> dict[str, Any]:
    """A copy with values set, or removed (DELETE), by path: ``networking.machineNetwork[0].cidr``.

    An index one beyond the end appends.
    """
    result = copy.deepcopy(document)
    for path, value in changes:
        steps: list[Any] = [
            int(step[1:-1]) if step.startswith("[") else step for step in re.findall(r"\[\d+\]|[^.\[\]]+", path)
        ]
        target: Any = result
        for step, following in itertools.pairwise(steps):
            if isinstance(step, int) and step == len(target):
                target.append({})
            elif isinstance(step, str) and step not in target:
                target[step] = [] if isinstance(following, int) else {}
            target = target[step]
        if value is DELETE:
            del target[steps[-1]]
        elif isinstance(steps[-1], int) and steps[-1] == len(target):
            target.append(copy.deepcopy(value))
        else:
            target[steps[-1]] = copy.deepcopy(value)
    return result


def one(path: str, *values: Any) -> list[list[Change]]:
    """Each value of a field as a case of its own."""
    return [[(path, value)] for value in values]
