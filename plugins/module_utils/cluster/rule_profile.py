# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Differences between OpenShift releases that the validation rules need: what the installer accepts.

Each property is one difference in install-config.yaml or agent-config.yaml. ``ReleaseProfile`` (profile.py) extends
this class for all other code. The source of each difference is in docs/upstream/releases.md. The release branch of 4.22
was created in April 2026; what was merged into openshift/installer later belongs to 4.23 and 5.0, which share their
code.
"""

from __future__ import annotations

import dataclasses

Release = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class RuleProfile:
    """What the installer of ``release`` accepts. Only validation rules use it; other code uses ``ReleaseProfile``."""

    release: Release
    okd: bool = False

    @property
    def nutanix(self) -> bool:
        """Nutanix is a platform of agent installations."""
        return self.release >= (4, 19)

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platforms of agent installations, in the installer's order."""
        return (
            ("baremetal", "vsphere", "nutanix", "none", "external")
            if self.nutanix
            else ("baremetal", "vsphere", "none", "external")
        )

    @property
    def many_masters(self) -> bool:
        """Four and five control-plane hosts; before only one or three."""
        return self.release >= (4, 18)

    @property
    def arbiter(self) -> bool:
        """There is an arbiter pool (two control-plane hosts and an arbiter)."""
        return self.release >= (4, 19)

    @property
    def fencing(self) -> bool:
        """There is controlPlane.fencing (two control-plane hosts that fence each other)."""
        return self.release >= (4, 20)

    @property
    def os_image_stream(self) -> bool:
        """install-config.yaml has osImageStream."""
        return self.release >= (4, 22)

    @property
    def unknown_keys_fail(self) -> bool:
        """A key that install-config.yaml does not know is an error; before a warning."""
        return self.release >= (4, 22)

    @property
    def arbiter_gate(self) -> bool:
        """The arbiter pool is protected by the feature gate HighlyAvailableArbiter."""
        return self.release < (4, 22)

    @property
    def arbiter_platforms(self) -> tuple[str, ...]:
        """The platforms that an arbiter can be on."""
        return ("baremetal", "external", "none") if self.release >= (4, 22) else ("baremetal",)

    @property
    def two_node_rule(self) -> bool:
        """The agent installer takes two control-plane hosts, with an arbiter or with fencing; before with an arbiter
        only.
        """
        return self.release >= (4, 22)

    @property
    def default_gates(self) -> frozenset[str]:
        """Feature gates that are on without a feature set, of those that fields of agent installations need."""
        since = {
            **dict.fromkeys(("HighlyAvailableArbiter", "VSphereMultiNetworks", "VSphereMultiDisk"), (4, 20)),
            **dict.fromkeys(("DualReplica", "VSphereHostVMGroupZonal"), (4, 22)),
            "OSStreams": (4, 23),
        }
        return frozenset(name for name, release in since.items() if self.release >= release)

    @property
    def okd_feature_set(self) -> bool:
        """The feature set OKD is known, and refused."""
        return self.release >= (4, 22)

    @property
    def host_group_gate(self) -> bool:
        """Host groups of vSphere are protected by a feature gate."""
        return self.release < (4, 23)

    @property
    def node_swap_gate(self) -> bool:
        """Swap disks are protected by a feature gate."""
        return self.release < (4, 22)

    @property
    def bootstrap_in_place_rule(self) -> bool:
        """bootstrapInPlace is refused for a single node on baremetal."""
        return self.release >= (4, 23)

    @property
    def mixed_baremetal(self) -> bool:
        """On baremetal compute hosts may be arm64 beside a control plane of amd64."""
        return self.release >= (4, 21)

    @property
    def management_gate(self) -> bool:
        """``management: ClusterAPI`` of a machine pool is protected by feature gates; later it is refused on the
        platforms of agent installations.
        """
        return self.release < (4, 23)

    @property
    def pki(self) -> bool:
        """install-config.yaml has pki, protected by a feature gate."""
        return self.release >= (4, 23)

    @property
    def default_os_stream(self) -> str:
        """The osImageStream that the installer fills in (openshift/installer pkg/rhcos/stream.go); empty where it fills
        in none.
        """
        if self.release < (4, 23):
            return ""
        if self.okd:
            return "centos-10"
        return "rhel-9" if self.release < (5, 0) else "rhel-10"

    @property
    def os_streams(self) -> tuple[str, ...]:
        """Values of osImageStream. The installer of OKD 4.22 refuses all of them."""
        return ("centos-10",) if self.okd and self.release >= (4, 23) else ("rhel-9", "rhel-10")

    @property
    def os_stream_in_effect(self) -> str:
        """The stream of the base image and the nodes, unless osImageStream names another; empty for OKD before it had
        streams.
        """
        return self.default_os_stream or ("" if self.okd else "rhel-9")

    @property
    def os_stream_handed_on(self) -> bool:
        """The agent installer uses osImageStream: before, it checks the field and installs the default
        (openshift/installer 10481).
        """
        return self.release >= (4, 23)

    @property
    def fencing_address_rule(self) -> bool:
        """The address of a fencing credential must be one of Redfish."""
        return self.release >= (4, 22)

    @property
    def join_subnet_advice(self) -> bool:
        """Where a network overlaps the join subnet of OVN-Kubernetes, the installer says where to read about it."""
        return self.release >= (4, 21)

    @property
    def dns_records_type(self) -> bool:
        """Platforms have dnsRecordsType."""
        return self.release >= (4, 21)

    @property
    def provisioning_gateway(self) -> bool:
        """platform.baremetal has provisioningNetworkGateway, in the overrides too, and an empty clusterProvisioningIP
        is no mistake.
        """
        return self.release >= (4, 22)

    @property
    def vsphere_2026(self) -> bool:
        """vCenters are compared failure domain by failure domain, with their datacenters."""
        return self.release >= (4, 22)

    @property
    def vsphere_paths(self) -> bool:
        """A missing host group and a missing user are reported at the fields that the file has (openshift/installer
        10663).
        """
        return self.release >= (4, 23)

    @property
    def prism_port_invalid(self) -> bool:
        """A wrong port of a Prism Element is an invalid value; before a missing one."""
        return self.release >= (4, 23)

    @property
    def powervc(self) -> bool:
        """powervc is among the platforms that the installer knows at all."""
        return self.release >= (4, 22)

    @property
    def lower_case_paths(self) -> bool:
        """Paths of the agent installer are the names in the file; before with capitals (``ControlPlane.Replicas``)."""
        return self.release >= (4, 19)

    @property
    def later_capabilities(self) -> bool:
        """There are capabilities that only the current set has."""
        return self.release >= (4, 23)

    @property
    def capability_sets(self) -> tuple[str, ...]:
        """Values of capabilities.baselineCapabilitySet; v4.18 is the last set of its own, in 5.0 too."""
        _major, last = min(self.release, (4, 18))
        return ("None", *(f"v4.{minor}" for minor in range(11, last + 1)), "vCurrent")

    @property
    def hosts_path(self) -> str:
        """How problems of hosts are named: ``hosts[0]…``, by older releases ``Hosts[0]…``."""
        return "hosts" if self.release >= (4, 19) else "Hosts"
