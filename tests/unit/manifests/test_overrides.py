# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the annotation install-config-overrides: it holds settings for which an AgentClusterInstall has no field."""

from __future__ import annotations

import json

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ClusterNetwork,
    Networking,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.objects import OVERRIDES_ANNOTATION
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.overrides import install_config_overrides
from ansible_collections.zerotouch.openshift.tests.unit.manifests.deployments import deployment

BMC = {"username": "admin", "password": "secret", "address": "redfish+https://192.168.111.1:8000/redfish/v1/Systems/1"}
FLAT_VSPHERE = {
    "vCenter": "vc",
    "username": "u",
    "password": "p",
    "datacenter": "dc",
    "defaultDatastore": "d",
    "cluster": "c",
    "network": "net",
    "folder": "f",
}
VCENTER = {"server": "vc", "user": "u", "password": "p", "datacenters": ["dc"]}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, ""),
        ({"fips": True}, '{"fips":true}'),
        ({"cpu_partitioning_mode": "AllNodes"}, '{"cpuPartitioningMode":"AllNodes"}'),
        ({"additional_trust_bundle_policy": "Proxyonly"}, ""),
        ({"additional_trust_bundle_policy": "Always"}, '{"additionalTrustBundlePolicy":"Always"}'),
        ({"capabilities": {"baselineCapabilitySet": "None"}}, '{"capabilities":{"baselineCapabilitySet":"None"}}'),
        (
            {"capabilities": {"additionalEnabledCapabilities": ["Ingress"], "baselineCapabilitySet": "None"}},
            '{"capabilities":{"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Ingress"]}}',
        ),
        (
            {"feature_set": "CustomNoUpgrade", "feature_gates": ("A=true",)},
            '{"featureSet":"CustomNoUpgrade","featureGates":["A=true"]}',
        ),
        ({"install_config_extra": {"osImageStream": "rhel-9", "publish": "Internal"}}, ""),
        # 4.22 checks the field and installs its default; later ones hand on what is not the default of the release.
        ({"install_config_extra": {"osImageStream": "rhel-10"}}, ""),
        ({"version": "4.23.0", "install_config_extra": {"osImageStream": "rhel-9"}}, ""),
        ({"version": "4.23.0", "install_config_extra": {"osImageStream": "rhel-10"}}, '{"osImageStream":"rhel-10"}'),
        ({"version": "5.0.0-rc.3", "install_config_extra": {"osImageStream": "rhel-9"}}, '{"osImageStream":"rhel-9"}'),
        ({"version": "5.0.0-rc.3", "install_config_extra": {"osImageStream": "rhel-10"}}, ""),
        ({"version": "5.0.0-okd-scos.0", "install_config_extra": {"osImageStream": "centos-10"}}, ""),
        (
            {"platform": "external", "platform_options": {"platformName": "some"}},
            '{"platform":{"external":{"platformName":"some"}}}',
        ),
        ({"platform": "vsphere"}, ""),
        ({"platform": "vsphere", "fips": True}, '{"fips":true,"platform":{"vsphere":{}}}'),
        ({"platform": "vsphere", "platform_options": {"vcenters": [{}], "failureDomains": [{"name": "f"}]}}, ""),
        (
            {
                "platform": "vsphere",
                "platform_options": {"vcenters": [VCENTER], "failureDomains": [{"name": "f"}], "diskType": "thin"},
            },
            '{"platform":{"vsphere":{"vcenters":[{"server":"vc","user":"u","password":"p","datacenters":["dc"]}],"failureDomains":[{"name":"f"}]}}}',
        ),
        (
            {"platform": "vsphere", "platform_options": FLAT_VSPHERE},
            '{"platform":{"vsphere":{"vcenters":[{"server":"vc","port":443,"user":"u","password":"p","datacenters":["dc"]}],'
            '"failureDomains":[{"name":"generated-failure-domain","region":"generated-region","zone":"generated-zone","server":"vc","topology":'
            '{"datacenter":"dc","computeCluster":"/dc/host/c","networks":["net"],"datastore":"/dc/datastore/d","resourcePool":"/dc/host/c/Resources",'
            '"folder":"/dc/vm/f"}}]}}}',
        ),
        (
            {"platform": "vsphere", "api_vips": ("192.0.2.1", "fd00::1"), "ingress_vips": ("192.0.2.2", "fd00::2")},
            '{"platform":{"vsphere":{"apiVIPs":["192.0.2.1","fd00::1"],"ingressVIPs":["192.0.2.2","fd00::2"]}}}',
        ),
        (
            {
                "platform": "nutanix",
                "platform_options": {"subnetUUIDs": ["s"], "failureDomains": [{}]},
                "api_vips": ("192.0.2.1",),
                "ingress_vips": ("192.0.2.2",),
            },
            '{"platform":{"nutanix":{"apiVIPs":["192.0.2.1"],"ingressVIPs":["192.0.2.2"],"subnetUUIDs":["s"],"dnsRecordsType":"Internal"}}}',
        ),
        # The installer fills in the default from 4.21 on.
        ({"platform": "nutanix", "version": "4.20.0"}, '{"platform":{"nutanix":{}}}'),
        ({"platform": "nutanix", "version": "4.21.0"}, '{"platform":{"nutanix":{"dnsRecordsType":"Internal"}}}'),
        (
            {"platform": "nutanix", "platform_options": {"dnsRecordsType": "External"}},
            '{"platform":{"nutanix":{"dnsRecordsType":"External"}}}',
        ),
        (
            {
                "platform": "vsphere",
                "platform_options": {"vcenters": [{**VCENTER, "port": 0}], "failureDomains": [{"name": "f"}]},
            },
            '{"platform":{"vsphere":{"vcenters":[{"server":"vc","user":"u","password":"p","datacenters":["dc"]}],"failureDomains":[{"name":"f"}]}}}',
        ),
        (
            {
                "platform": "baremetal",
                "platform_options": {
                    "hosts": [{"bmc": {"address": "a"}}],
                    "provisioningNetworkCIDR": "FD00:0:0::/64",
                    "provisioningNetwork": "Unmanaged",
                },
            },
            '{"platform":{"baremetal":{"hosts":[{"bmc":{"username":"","password":"","address":"a","disableCertificateVerification":false},"role":"",'
            '"bootMACAddress":"","hardwareProfile":""}],"clusterProvisioningIP":"fd00::3","provisioningNetwork":"Unmanaged",'
            '"provisioningNetworkCIDR":"fd00::/64"}}}',
        ),
        (
            {
                "networking": Networking(
                    "Calico", ("FD02:0::/48",), (ClusterNetwork("FD01:0:0::/48", 64),), ("FD03::0/112",)
                )
            },
            '{"networking":{"networkType":"Calico","machineNetwork":[{"cidr":"fd02::/48"}],'
            '"clusterNetwork":[{"cidr":"fd01::/48","hostPrefix":64}],"serviceNetwork":["fd03::/112"]}}',
        ),
        (
            {
                "platform": "baremetal",
                "platform_options": {
                    "hosts": [{"name": "a", "bootMACAddress": "m"}],
                    "provisioningNetwork": "Disabled",
                },
            },
            "",
        ),
        (
            {
                "platform": "baremetal",
                "version": "4.21.0",
                "platform_options": {
                    "hosts": [{"bmc": {"address": "a&b"}}],
                    "provisioningNetworkGateway": "172.22.0.1",
                },
            },
            '{"platform":{"baremetal":{"hosts":[{"bmc":{"username":"","password":"","address":"a\\u0026b","disableCertificateVerification":false},"role":"",'
            '"bootMACAddress":"","hardwareProfile":""}],"clusterProvisioningIP":"172.22.0.3","provisioningNetwork":"Managed",'
            '"provisioningNetworkCIDR":"172.22.0.0/24","provisioningDHCPRange":"172.22.0.10,172.22.0.254"}}}',
        ),
        (
            {
                "platform": "baremetal",
                "platform_options": {
                    "hosts": [
                        {"name": "a", "bootMACAddress": "m", "role": "master", "bmc": BMC},
                        {"name": "b", "bmc": {}},
                    ],
                    "provisioningNetwork": "Disabled",
                },
            },
            '{"platform":{"baremetal":{"hosts":[{"name":"a","bmc":{"username":"admin","password":"secret",'
            '"address":"redfish+https://192.168.111.1:8000/redfish/v1/Systems/1","disableCertificateVerification":false},'
            '"role":"master","bootMACAddress":"m","hardwareProfile":""}],"provisioningNetwork":"Disabled"}}}',
        ),
        (
            {
                "networking": Networking(
                    "Calico", ("192.168.111.0/24",), (ClusterNetwork("10.128.0.0/14", 23),), ("172.30.0.0/16",)
                )
            },
            '{"networking":{"networkType":"Calico","machineNetwork":[{"cidr":"192.168.111.0/24"}],'
            '"clusterNetwork":[{"cidr":"10.128.0.0/14","hostPrefix":23}],"serviceNetwork":["172.30.0.0/16"]}}',
        ),
        (
            {
                "platform": "external",
                "fips": True,
                "platform_options": {"platformName": "x"},
                "capabilities": {"baselineCapabilitySet": "v4.18"},
                "cpu_partitioning_mode": "None",
                "additional_trust_bundle_policy": "Always",
                "feature_set": "TechPreviewNoUpgrade",
            },
            '{"fips":true,"platform":{"external":{"platformName":"x"}},"capabilities":{"baselineCapabilitySet":"v4.18"},"cpuPartitioningMode":"None",'
            '"additionalTrustBundlePolicy":"Always","featureSet":"TechPreviewNoUpgrade"}',
        ),
    ],
)
def test_install_config_overrides(changes: dict[str, object], text: str) -> None:
    made = deployment(**changes)
    assert install_config_overrides(made) == text
    annotations = render_manifests(made).agent_cluster_install["metadata"].get("annotations")
    assert annotations == ({OVERRIDES_ANNOTATION: text} if text else None)


def test_overrides_are_json() -> None:
    assert json.loads(install_config_overrides(deployment(fips=True))) == {"fips": True}
