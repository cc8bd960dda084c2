# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds of the OpenShift Assisted providers and of their infrastructure provider, in the versions that a hub
serves.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/api, controlplane/api;
metal3-io/cluster-api-provider-metal3 api.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...common.errors import ZeroTouchError
from ...kube.client import KubeClient
from ...kube.resource import Resource
from ..kinds import CoreKinds, core_kinds, referenced_resource, served_versions

CONTROL_PLANE_GROUP = "controlplane.cluster.x-k8s.io"
BOOTSTRAP_GROUP = "bootstrap.cluster.x-k8s.io"
INFRASTRUCTURE_GROUP = "infrastructure.cluster.x-k8s.io"
METAL3_GROUP = "metal3.io"
# Newest first. The older version of each lacks fields of the newer one.
CONTROL_PLANE_VERSIONS = ("v1alpha3", "v1alpha2")
BOOTSTRAP_VERSIONS = ("v1alpha2", "v1alpha1")
METAL3_VERSIONS = ("v1beta2", "v1beta1")
CONTROL_PLANE_KIND = "OpenshiftAssistedControlPlane"

_INSTALL_PAIR = (
    "Install the OpenShift Assisted providers on the hub: clusterctl init --bootstrap openshift-assisted "
    "--control-plane openshift-assisted, or the component "
    "cluster-api-provider-openshift-assisted of a MultiClusterEngine."
)
_INSTALL_METAL3 = (
    "Install Cluster API Provider Metal3 and baremetal-operator on the hub (clusterctl init --infrastructure metal3, "
    "or the component "
    "cluster-api-provider-metal3 of a MultiClusterEngine), or set infrastructure to user_templates."
)


@dataclasses.dataclass(frozen=True)
class AssistedKinds:
    """The kinds of a cluster.

    ``metal3_version`` is empty where the user brings the templates of another infrastructure provider.
    """

    core: CoreKinds = dataclasses.field(default_factory=lambda: CoreKinds("v1beta2"))
    control_plane_version: str = CONTROL_PLANE_VERSIONS[0]
    bootstrap_version: str = BOOTSTRAP_VERSIONS[0]
    metal3_version: str = METAL3_VERSIONS[0]
    # Versions of the users' own templates and infrastructure cluster, by (group, kind).
    referenced: Mapping[tuple[str, str], Resource] = dataclasses.field(default_factory=dict)

    @property
    def control_plane(self) -> Resource:
        return Resource(
            CONTROL_PLANE_GROUP, self.control_plane_version, CONTROL_PLANE_KIND, "openshiftassistedcontrolplanes"
        )

    @property
    def config(self) -> Resource:
        return Resource(BOOTSTRAP_GROUP, self.bootstrap_version, "OpenshiftAssistedConfig", "openshiftassistedconfigs")

    @property
    def config_template(self) -> Resource:
        return Resource(
            BOOTSTRAP_GROUP,
            self.bootstrap_version,
            "OpenshiftAssistedConfigTemplate",
            "openshiftassistedconfigtemplates",
        )

    @property
    def metal3_cluster(self) -> Resource:
        return self._metal3("Metal3Cluster")

    @property
    def metal3_machine_template(self) -> Resource:
        return self._metal3("Metal3MachineTemplate")

    @property
    def metal3_data_template(self) -> Resource:
        return self._metal3("Metal3DataTemplate")

    def version_of(self, group: str, kind: str) -> str:
        """The version in which objects of a kind are referred to by contracts that name one."""
        known = {CONTROL_PLANE_GROUP: self.control_plane_version, BOOTSTRAP_GROUP: self.bootstrap_version}
        if (group, kind) in self.referenced:
            return self.referenced[group, kind].version
        return known.get(group) or self.metal3_version or METAL3_VERSIONS[-1]

    def _metal3(self, kind: str) -> Resource:
        return Resource(INFRASTRUCTURE_GROUP, self.metal3_version, kind, f"{kind.lower()}s")


def assisted_kinds(client: KubeClient, *, metal3: bool, references: tuple[tuple[str, str], ...] = ()) -> AssistedKinds:
    """What the hub serves.

    Raises :class:`ZeroTouchError` where something is missing, with what to install. ``references`` are (group, kind) of
    the user.
    """
    core = core_kinds(client)
    control_plane = _newest(client, CONTROL_PLANE_GROUP, CONTROL_PLANE_VERSIONS, CONTROL_PLANE_KIND, _INSTALL_PAIR)
    bootstrap = _newest(client, BOOTSTRAP_GROUP, BOOTSTRAP_VERSIONS, "OpenshiftAssistedConfigTemplate", _INSTALL_PAIR)
    if metal3:
        version = _newest(client, INFRASTRUCTURE_GROUP, METAL3_VERSIONS, "Metal3MachineTemplate", _INSTALL_METAL3)
        if not served_versions(client, METAL3_GROUP):
            raise _missing(client, "BareMetalHost", METAL3_GROUP, _INSTALL_METAL3)
        return AssistedKinds(core, control_plane, bootstrap, version)
    found: dict[tuple[str, str], Resource] = {}
    for group, kind in references:
        resource = referenced_resource(client, group, kind)
        if resource is None:
            raise _missing(
                client,
                kind,
                group,
                ("Install the infrastructure provider with that kind on the hub, or correct the reference."),
            )
        found[group, kind] = resource
    return AssistedKinds(core, control_plane, bootstrap, "", found)


def _newest(client: KubeClient, group: str, versions: tuple[str, ...], kind: str, remedy: str) -> str:
    """The newest version that is known here and in which the API serves the kind; groups are shared by several
    providers.
    """
    served = served_versions(client, group)
    for version in versions:
        if version in served and any(
            item.get("kind") == kind for item in client.get(f"/apis/{group}/{version}").get("resources") or ()
        ):
            return version
    raise _missing(client, kind, group, remedy)


def _missing(client: KubeClient, kind: str, group: str, remedy: str) -> ZeroTouchError:
    return ZeroTouchError(f"{client.server} does not serve {kind} ({group}).", remedy)
