# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile ClusterDeployments that have an AgentClusterInstall: register the cluster in the assisted-service, start
its installation, publish its credentials, and update the status.

Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
"""

from __future__ import annotations

import base64

from ...service.model import Cluster
from ...service.settings import ReleaseImage
from ...service.views import cluster_view
from ..backend import Backend, BackendError
from ..cluster_manifests import push_manifests, push_overrides
from ..cluster_spec import changes, cluster_body, release_of, wanted_agents
from ..cluster_status import cluster_status, counted
from ..conditions import Condition, find, merge
from ..conditions.cluster import ClusterFacts, can_start, cluster_conditions, not_synced, synced, unavailable
from ..credentials import Credentials
from ..names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_DEPLOYMENT_FINALIZER,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CLUSTER_INSTALL_FINALIZER,
    CLUSTER_NAMESPACE_LABEL,
    PAUSE_ANNOTATION,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
    owner,
)
from ..registration import bound_cluster
from ..world import World

RETRY_SECONDS = 10.0
MINUTE = 60.0
EDITABLE = ("insufficient", "pending-for-input", "ready")
CA_KEY = "tls.crt"
TRUE_WORDS = frozenset({"1", "t", "T", "true", "TRUE", "True"})


def install_of(deployment: Object) -> str:
    """The AgentClusterInstall's name; "" for a ClusterDeployment of another tool."""
    reference = (deployment.get("spec") or {}).get("clusterInstallRef") or {}
    ours = (reference.get("group"), reference.get("kind")) == (CLUSTER_INSTALL.group, CLUSTER_INSTALL.kind)
    return str(reference.get("name") or "") if ours else ""


class ClusterController:
    """Keys are ClusterDeployments."""

    def __init__(self, world: World, backend: Backend, releases: dict[str, str]) -> None:
        self._world, self._backend, self._releases = world, backend, releases
        self._credentials = Credentials(world, backend)

    async def reconcile(self, key: Key) -> float | None:
        deployment = self._world.get(CLUSTER_DEPLOYMENT, key)
        name = install_of(deployment) if deployment is not None else ""
        if deployment is None or not name:
            return None
        if deleting(deployment):
            return await self._delete(deployment, name)
        deployment = await self._world.add_finalizer(CLUSTER_DEPLOYMENT, deployment, CLUSTER_DEPLOYMENT_FINALIZER)
        install = self._world.get(CLUSTER_INSTALL, (key[0], name))
        if install is None or deleting(install):
            return None
        install = await self._adopt(install, deployment)
        again, spec_synced = await self._sync(deployment, install)
        install = self._world.get(CLUSTER_INSTALL, (key[0], name)) or install
        await self._show(install, deployment, spec_synced)
        return again

    async def _adopt(self, install: Object, deployment: Object) -> Object:
        install = await self._world.add_finalizer(CLUSTER_INSTALL, install, CLUSTER_INSTALL_FINALIZER)
        owners = install["metadata"].get("ownerReferences") or []
        if any(entry.get("uid") == deployment["metadata"]["uid"] for entry in owners):
            return install
        return await self._world.patch(
            CLUSTER_INSTALL,
            install,
            {"metadata": {"ownerReferences": [*owners, owner(deployment, CLUSTER_DEPLOYMENT)]}},
        )

    # spec

    async def _sync(self, deployment: Object, install: Object) -> tuple[float | None, Condition]:
        """Make the service's cluster as the two objects say; when to try again, and SpecSynced."""
        try:
            secret = await self._pull_secret(deployment)
            cluster = self._backend.cluster(key_of(deployment))
            if cluster is None:
                cluster = await self._register(deployment, install, secret)
            if cluster.imported:
                await self._update_ignition_endpoint(install, cluster)
            elif cluster.status in EDITABLE:
                await self._update(deployment, install, cluster, secret)
                await self._update_ignition_endpoint(install, cluster)
            if cluster.status in EDITABLE:
                await push_overrides(self._backend, install, cluster)
                again = await push_manifests(self._world, self._backend, install, cluster)
                if again is not None:
                    return again
            await self._credentials.publish(deployment, install, cluster)
            await self._next(deployment, install, cluster)
        except BackendError as error:
            return (None if error.users else RETRY_SECONDS), not_synced(str(error), backend=not error.users)
        return None, synced()

    async def _pull_secret(self, deployment: Object) -> str:
        """Raises BackendError."""
        namespace, name = key_of(deployment)
        reference = (deployment["spec"].get("pullSecretRef") or {}).get("name")
        if not reference:
            if deployment["spec"].get("installed"):
                return ""
            raise BackendError(400, f"PullSecret is required for ClusterDeployment {name}/{namespace}")
        try:
            data = await self._world.read_secret(namespace, reference)
            if ".dockerconfigjson" not in data:
                raise LookupError(f"secret {reference} did not contain key .dockerconfigjson")
        except LookupError as error:
            raise BackendError(
                500, (f"failed to validate pull secret for ClusterDeployment {name}/{namespace}: {error.args[0]}")
            ) from error
        return data[".dockerconfigjson"].decode("utf-8", "replace")

    async def _register(self, deployment: Object, install: Object, secret: str) -> Cluster:
        spec = deployment["spec"]
        if spec.get("installed"):
            return await self._import(deployment)
        body = cluster_body(deployment, install)
        image = self._release(install)
        endpoint = await self._ignition_endpoint(install)
        body |= {"ignition_endpoint": endpoint} if endpoint is not None else {}
        body |= {
            "pull_secret": secret,
            "openshift_version": image.version,
            "ocp_release_image": image.url,
            "cpu_architecture": image.architectures[0],
        }
        made = await self._backend.call("POST", "/v2/clusters", body)
        cluster = self._backend.core.cluster(made["id"])
        cluster.kube_key = key_of(deployment)
        self._backend.core.changed(cluster)
        return cluster

    def _release(self, install: Object) -> ReleaseImage:
        """Raises BackendError."""
        name = (install["spec"].get("imageSetRef") or {}).get("name")
        if not name:
            raise BackendError(
                400,
                (
                    "ClusterImageSet must be specified in AgentClusterInstall.Spec.ImageSetRef for cluster that is not "
                    "installed"
                ),
            )
        item = self._world.get(CLUSTER_IMAGE_SET, ("", name))
        if item is None:
            raise BackendError(500, f"ClusterImageSet {name} not found. Please ensure the ClusterImageSet exists")
        url = str(item["spec"]["releaseImage"])
        found = release_of(url, self._releases)
        if found is None:
            text = (
                f"failed to get release image '{url}'. Please ensure the releaseImage field in ClusterImageSet "
                f"'{name}' is valid, no registry of the lab has it"
            )
            raise BackendError(500, text)
        release = ReleaseImage(found[0], ".".join(found[0].split(".")[:2]), url, (found[1],))
        self._backend.core.add_release(release)
        return release

    async def _import(self, deployment: Object) -> Cluster:
        spec = deployment["spec"]
        metadata = spec.get("clusterMetadata") or {}
        body = {
            "name": spec["clusterName"],
            "api_vip_dnsname": f"api.{spec['clusterName']}.{spec['baseDomain']}",
            "openshift_cluster_id": metadata.get("clusterID") or deployment["metadata"]["uid"],
        }
        made = await self._backend.call("POST", "/v2/clusters/import", body)
        cluster = self._backend.core.cluster(made["id"])
        cluster.kube_key = key_of(deployment)
        self._backend.core.changed(cluster)
        return cluster

    async def _ignition_endpoint(self, install: Object) -> dict[str, str] | None:
        """From where hosts that join get their configuration, when that is not the machine config server.

        Raises BackendError.
        """
        provided = install["spec"].get("ignitionEndpoint")
        if provided is None:
            return None
        wanted: dict[str, str] = {"url": provided.get("url", "")}
        reference = provided.get("caCertificateReference")
        if reference:
            try:
                data = await self._world.read_secret(reference["namespace"], reference["name"])
            except LookupError as error:
                raise BackendError(500, f"error getting ca certificate secret: {error.args[0]}") from error
            if CA_KEY not in data:
                raise BackendError(500, "CA Secret is missing tls.crt key")
            wanted["ca_certificate"] = base64.b64encode(data[CA_KEY]).decode()
        return wanted

    async def _update_ignition_endpoint(self, install: Object, cluster: Cluster) -> None:
        """Raises BackendError."""
        try:
            wanted = await self._ignition_endpoint(install) or {}
        except BackendError as error:
            where = "/".join(key_of(install))
            text = (
                "Couldn't resolve clusterdeployment ignition fields: Failed to get and parse ignition ca certificate "
                f"{where}: {error}"
            )
            raise BackendError(error.status, text) from error
        if wanted != (cluster.fields.get("ignition_endpoint") or {}):
            await self._backend.call("PATCH", f"/v2/clusters/{cluster.id}", {"ignition_endpoint": wanted})

    async def _update(self, deployment: Object, install: Object, cluster: Cluster, secret: str) -> None:
        said = changes(cluster_body(deployment, install), cluster, secret)
        if said:
            await self._backend.call("PATCH", f"/v2/clusters/{cluster.id}", said)

    async def _next(self, deployment: Object, install: Object, cluster: Cluster) -> None:
        """Start the installation when all is there; after it, make the cluster one that adds hosts."""
        completed = (
            find((install.get("status") or {}).get("conditions"), "Completed").get("reason") == "InstallationCompleted"
        )
        if cluster.status == "installed" and not cluster.day2 and (completed or deployment["spec"].get("installed")):
            await self._backend.call("POST", f"/v2/clusters/{cluster.id}/actions/allow-add-hosts")
        elif can_start(self._facts(deployment, install, cluster)):
            await self._backend.call("POST", f"/v2/clusters/{cluster.id}/actions/install")

    # status

    def _facts(self, deployment: Object, install: Object, cluster: Cluster) -> ClusterFacts:
        hosts = self._backend.hosts_of(cluster)
        paused = annotations_of(deployment).get(PAUSE_ANNOTATION, "") in TRUE_WORDS
        version = cluster.operators.get("cvo")
        return ClusterFacts(
            status=cluster.status,
            status_info=cluster.status_info,
            wanted=wanted_agents(install["spec"]),
            registered=counted(hosts),
            approved=sum(host.approved for host in hosts),
            unsynced=self._unsynced(key_of(deployment)),
            on_hold=bool(install["spec"].get("holdInstallation")) or paused,
            validations={
                category: [verdict.body() for verdict in found] for category, found in cluster.verdicts.items()
            },
            preparation=cluster.preparation,
            preparation_reason=cluster.preparation_reason,
            version_status=version.status if version else "",
            version_message=version.status_info if version else "",
        )

    def _unsynced(self, key: Key) -> int:
        """Agents of the cluster with a spec error; one without the namespace label is not seen.

        Source: openshift/assisted-service internal/controller/controllers/clusterdeployments_controller.go.
        """
        count = 0
        for agent in self._world.all(AGENT):
            if (
                labels_of(agent).get(CLUSTER_NAMESPACE_LABEL) == key[0]
                and (bound_cluster(agent) or ("", ""))[1] == key[1]
            ):
                count += find((agent.get("status") or {}).get("conditions"), "SpecSynced").get("status") == "False"
        return count

    async def _show(self, install: Object, deployment: Object, spec_synced: Condition) -> None:
        previous = install.get("status") or {}
        cluster = self._backend.cluster(key_of(deployment))
        now = self._world.now()
        if cluster is None:
            status = dict(previous)
            status["conditions"] = merge(status.get("conditions"), [spec_synced, *unavailable()], now, probed=True)
            status["debugInfo"] = {}
            await self._world.status(CLUSTER_INSTALL, install, status)
            return
        conditions = [spec_synced, *cluster_conditions(self._facts(deployment, install, cluster))]
        view = cluster_view(self._backend.core, cluster, hosts=False)
        urls = {"eventsURL": self._events_url(previous, cluster)}
        collected = cluster.controller_logs or any(host.logs for host in self._backend.hosts_of(cluster))
        if collected and cluster.status not in ("installed", "adding-hosts"):
            urls["logsURL"] = self._backend.url(f"/v2/clusters/{cluster.id}/logs")
        await self._world.status(
            CLUSTER_INSTALL, install, cluster_status(previous, view, cluster, conditions, now, urls)
        )

    def _events_url(self, previous: Object, cluster: Cluster) -> str:
        """Every signature is another one: an address that is there stays."""
        core = self._backend.core
        token = core.signer.token(cluster_id=cluster.id) if core.signer is not None else ""
        fresh = self._backend.url("/v2/events", cluster_id=cluster.id, api_key=token)
        known = str((previous.get("debugInfo") or {}).get("eventsURL", ""))
        return known if known.partition("&api_key=")[0] == fresh.partition("&api_key=")[0] else fresh

    # deletion

    async def _delete(self, deployment: Object, name: str) -> float | None:
        """The AgentClusterInstall goes first."""
        install = self._world.get(CLUSTER_INSTALL, (key_of(deployment)[0], name))
        if install is not None:
            if not deleting(install):
                await self._world.delete(CLUSTER_INSTALL, install)
            return RETRY_SECONDS
        await self._world.drop_finalizer(CLUSTER_DEPLOYMENT, deployment, CLUSTER_DEPLOYMENT_FINALIZER)
        return None
