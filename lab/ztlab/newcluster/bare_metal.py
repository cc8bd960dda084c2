# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the BareMetalHost objects that a simulated cluster on platform baremetal has after its installation."""

from __future__ import annotations

from collections.abc import Mapping

from ..kubeapi.resource import Object
from .kubelet import NodeFacts


def bare_metal_host(cluster: str, name: str, role: str, facts: NodeFacts, bmcs: Mapping[str, str]) -> Object:
    """The object of a host; ``bmcs``: MAC address -> BMC address.

    A host without BMC has an empty one (openshift/installer pkg/asset/machines/baremetal/hosts.go,
    openshift/assisted-service internal/provider/baremetal/installConfig.go).
    """
    mac = next((mac for mac in facts.macs if mac in bmcs), facts.mac)
    bmc = {"address": bmcs.get(mac, ""), "credentialsName": f"{name}-bmc-secret" if mac in bmcs else ""}
    consumer = {
        "apiVersion": "machine.openshift.io/v1beta1",
        "kind": "Machine",
        "namespace": "openshift-machine-api",
        "name": f"{cluster}-{name}",
    }
    managed = "externally provisioned" if role == "master" else "provisioned"
    status = {
        "operationalStatus": "OK" if bmc["address"] else "discovered",
        "poweredOn": bool(bmc["address"]),
        "errorCount": 0,
        "errorMessage": "",
        "provisioningFailCount": 0,
        "provisioning": {"state": managed if bmc["address"] else "unmanaged", "ID": ""},
    }
    spec = {
        "online": True,
        "bmc": bmc,
        "bootMACAddress": mac,
        "externallyProvisioned": role == "master",
        "consumerRef": consumer,
    }
    return {"metadata": {"name": name}, "spec": spec, "status": status}
