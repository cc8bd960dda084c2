# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the kinds of Cluster API and of the agent provider, in the versions that the API serves.

Source: openshift/cluster-api-provider-agent api/v1beta1;
  kubernetes-sigs/cluster-api docs/book/src/developer/providers/contracts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..common.errors import RemoteError, ZeroTouchError
from ..kube.client import KubeClient, KubeReader
from ..kube.resource import Resource

CORE_GROUP = "cluster.x-k8s.io"
PROVIDER_GROUP = "capi-provider.agent-install.openshift.io"
# Newest first. If the API serves v1beta2, both versions show the same objects.
CORE_VERSIONS = ("v1beta2", "v1beta1")

AGENT_CLUSTER = Resource(PROVIDER_GROUP, "v1beta1", "AgentCluster", "agentclusters")
AGENT_MACHINE = Resource(PROVIDER_GROUP, "v1beta1", "AgentMachine", "agentmachines")
AGENT_MACHINE_TEMPLATE = Resource(PROVIDER_GROUP, "v1beta1", "AgentMachineTemplate", "agentmachinetemplates")
DEPLOYMENT = Resource("apps", "v1", "Deployment", "deployments")


@dataclasses.dataclass(frozen=True)
class CoreKinds:
    """The kinds of Cluster API core in one ``version``."""

    version: str

    @property
    def cluster(self) -> Resource:
        return Resource(CORE_GROUP, self.version, "Cluster", "clusters")

    @property
    def machine(self) -> Resource:
        return Resource(CORE_GROUP, self.version, "Machine", "machines")

    @property
    def machine_set(self) -> Resource:
        return Resource(CORE_GROUP, self.version, "MachineSet", "machinesets")

    @property
    def machine_deployment(self) -> Resource:
        return Resource(CORE_GROUP, self.version, "MachineDeployment", "machinedeployments")


@dataclasses.dataclass(frozen=True)
class ServedFields:
    """Whether ``status.initialization`` is in the served schemas; where it is not, the API would drop it."""

    cluster: bool = False
    machine: bool = False


def core_kinds(client: KubeClient) -> CoreKinds:
    """The kinds in the newest version that we know and the API serves.

    Raises :class:`ZeroTouchError` where there is no Cluster API.
    """
    versions = served_versions(client, CORE_GROUP)
    for version in CORE_VERSIONS:
        if version in versions:
            return CoreKinds(version)
    found = f"it serves {', '.join(versions)}" if versions else "it has no such group"
    raise ZeroTouchError(
        f"{client.server} has no Cluster API ({CORE_GROUP}): {found}.",
        ("Check that this is the hub, and that Cluster API (or HyperShift) is installed there."),
    )


def served_versions(client: KubeReader, group: str) -> tuple[str, ...]:
    """Versions of a group, in the server's order; none if it does not know the group."""
    try:
        answer = client.get(f"/apis/{group}")
    except RemoteError as error:
        if error.status == 404:
            return ()
        raise
    return tuple(str(item["version"]) for item in answer.get("versions") or () if item.get("version"))


def referenced_resource(client: KubeReader, group: str, kind: str, version: str = "") -> Resource | None:
    """The resource of a kind that another object refers to, in ``version`` or the first served of v1beta1 and v1beta2;
    None if the API has no such kind.

    Upstream asks for v1beta1 and falls back to v1beta2 on NotFound alone, so a group that serves only v1beta2 is never
    read (4.2); we ask what is served.
    """
    served = served_versions(client, group)
    for each in (
        [version] if version in served else [name for name in ("v1beta1", "v1beta2", *served) if name in served]
    ):
        for item in client.get(f"/apis/{group}/{each}").get("resources") or ():
            if item.get("kind") == kind and "/" not in str(item.get("name")):
                return Resource(group, each, kind, str(item["name"]), bool(item.get("namespaced", True)))
    return None


def served_fields(client: KubeClient) -> ServedFields:
    """Read once from the API's own description of itself, which every user who is logged in may read."""
    try:
        document = client.get(f"/openapi/v3/apis/{PROVIDER_GROUP}/{AGENT_MACHINE.version}")
    except RemoteError as error:
        if error.status in (403, 404, 406):
            return ServedFields()  # an API without a description of its own; upstream's schema does not have the field
        raise
    schemas = (document.get("components") or {}).get("schemas") or {}
    return ServedFields(
        cluster=_has_provisioned(schemas, AGENT_CLUSTER.kind), machine=_has_provisioned(schemas, AGENT_MACHINE.kind)
    )


def _has_provisioned(schemas: Mapping[str, Any], kind: str) -> bool:
    for schema in schemas.values():
        names = schema.get("x-kubernetes-group-version-kind") or ()
        if any(name.get("kind") == kind and name.get("version") == AGENT_MACHINE.version for name in names):
            found: Any = schema
            for part in ("status", "initialization", "provisioned"):
                found = ((found or {}).get("properties") or {}).get(part)
            return found is not None
    return False
