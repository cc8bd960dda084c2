# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module destroy_plan against a hub that may not be the hub of the deployment: two hubs can have a cluster of the
same name, both created by this collection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.record import BOOTED, RELEASED, note
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import inventory_host
from ansible_collections.zerotouch.openshift.plugins.modules import destroy_plan, touch_check
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.hub import server as hubserver

from .test_touch_check_hub import hub, opened, touch

__all__ = ["hub", "opened", "touch"]  # fixtures

OURS = {"app.kubernetes.io/managed-by": "zerotouch.openshift"}
# A machine that is no host of the inventory.
FOREIGN = 77
# Namespace and plural of the cluster of each method.
PLACES = {
    "hub": ("lab", "clusterdeployments"),
    "hosted": ("clusters", "hostedclusters"),
    "capi": ("lab", "clusters"),
}
UNREADABLE = {"host": "http://127.0.0.1:1", "api_key": "none"}


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for plural, kind in (
        ("hostedclusters", "HostedCluster"),
        ("nodepools", "NodePool"),
        ("clusters", "Cluster"),
        ("openshiftassistedcontrolplanes", "OpenshiftAssistedControlPlane"),
    ):
        monkeypatch.setitem(hubserver.KINDS, plural, kind)


def cluster_api(request: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]] | None:
    """The groups of Cluster API that a hub with the OpenShift Assisted providers serves."""
    versions = {"cluster.x-k8s.io": "v1beta2", "controlplane.cluster.x-k8s.io": "v1alpha3"}
    version = versions.get(str(request["path"]).removeprefix("/apis/"))
    return (200, {}, {"versions": [{"version": version}]}) if version else None


def bare_metal_host(number: int, name: str = "", **metadata: Any) -> dict[str, Any]:
    """The BareMetalHost of a machine of Cluster lab/demo."""
    labels = {**OURS, "zerotouch.openshift/capi-cluster": "demo"}
    metadata = {"namespace": "lab", "name": name or f"prod-{number}", "labels": labels, **metadata}
    return {"metadata": metadata, "spec": {"bootMACAddress": made.mac(number)}}


class Site:
    """A hub with a cluster, and a deployment that names it."""

    def __init__(self, method: str, hub: Any, opened: Any, touch: dict[str, Any]) -> None:
        self.method, self.hub, self._opened, self.purge = method, hub, opened, False
        namespace, plural = PLACES[method]
        self.cluster = (namespace, "demo")
        self.bound_to = ("clusters-demo", "demo-x2k") if method == "hosted" else ("lab", "demo")
        self.title = f"{hubserver.KINDS[plural]} {namespace}/demo"
        self.plural = plural
        self.state = StateFile(Path(touch["work_dir"]) / "state.json")
        scope = dict(touch["hub"])
        if method == "hosted":
            del scope["cluster"]
            scope |= {
                "namespaces": ["clusters-demo"],
                "hosted_cluster": {"namespace": namespace, "name": "demo"},
            }
        if method == "capi":
            hub.faults.append(cluster_api)
            scope |= {"infra_env": "", "bare_metal_hosts": True}
        self.touch = {**touch, "method": method, "confirm": ["demo"], "hub": scope}

    def put(self, *machines: int, labels: dict[str, str] | None = None, **metadata: Any) -> None:
        """The cluster, with the Agents of these machines bound to it."""
        name = {"namespace": self.cluster[0], "name": self.cluster[1]}
        self.hub.put(
            self.plural, {"metadata": {**name, "labels": OURS if labels is None else labels, **metadata}, "spec": {}}
        )
        for number in machines:
            self.hub.put("agents", made.agent(number, state="installed", cluster=self.bound_to))

    def created(self, uid: str) -> None:
        self.state.update("hub", {"created": {self.title: uid}})

    def planned(self, **more: Any) -> dict[str, Any]:
        found = dict(
            self._opened(
                destroy_plan, manual_hosts=["node-1", "node-2", "node-3"], touch=self.touch | more, purge=self.purge
            )
        )
        assert {request["verb"] for request in self.hub.requests} <= {"get", "list"}
        return found

    def goes_on(self, **more: Any) -> None:
        result = self.planned(**more)
        assert "failed" not in result, result["msg"]
        assert result["removal"][self.method] is True

    def stops(self, *words: str, **more: Any) -> None:
        result = self.planned(**more)
        assert result["failed"], result
        named = (f"{self.title} on hub {self.hub.url}", "openshift_hub and KUBECONFIG", *words)
        assert all(each in result["msg"] for each in named), result["msg"]


@pytest.fixture(params=["hub", "hosted", "capi"])
def site(request: Any, hub: Any, opened: Any, touch: dict[str, Any]) -> Site:
    return Site(request.param, hub, opened, touch)


def test_a_cluster_of_other_machines_is_not_deleted(site: Site) -> None:
    """KUBECONFIG leads to another hub, where a deployment has the same name."""
    site.put(FOREIGN, FOREIGN + 1)
    names = [f"Agent lab/{made.uuid(number)}" for number in (FOREIGN, FOREIGN + 1)]
    site.stops("No machine was touched", *names, "are no hosts of this inventory")
    for force in ("abandon_hub", "start_over", "take_over"):
        site.stops(force=[force])


def test_many_agents_are_counted(site: Site) -> None:
    site.put(*range(FOREIGN, FOREIGN + 30))
    site.stops("and 25 more")


def test_the_cluster_of_this_inventory(site: Site) -> None:
    site.put(1, 2)
    site.goes_on()


def test_machines_that_only_the_work_directory_records(site: Site) -> None:
    """Their hosts were removed from the inventory."""
    site.put(FOREIGN)
    note(
        site.state.path.parent,
        [inventory_host({"name": "old", "macs": [made.mac(FOREIGN)]})],
        BOOTED,
        method=site.method,
    )
    if site.method == "hub":  # its machine would stay on
        assert "old: state.json records that this deployment booted it or took it over" in site.planned()["msg"]
    site.goes_on(force=["abandon_hosts"] if site.method == "hub" else [])
    released = [inventory_host({"name": "old", "macs": [made.mac(FOREIGN)]})]
    note(site.state.path.parent, released, RELEASED, method=site.method)
    site.stops(made.uuid(FOREIGN))


def test_one_machine_of_another_deployment_among_the_own_ones(site: Site) -> None:
    """The pool of a hosted cluster may use Agents that are no hosts of the inventory."""
    site.put(1, FOREIGN)
    site.goes_on() if site.method == "hosted" else site.stops(made.uuid(FOREIGN))


def test_agents_of_other_clusters_are_no_reason(site: Site) -> None:
    site.put(1)
    site.hub.put("agents", made.agent(FOREIGN, state="installed", cluster=("prod", "demo")))
    site.hub.put("agents", made.agent(FOREIGN + 1))
    leaving = made.agent(FOREIGN + 2, cluster=site.bound_to)
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    site.hub.put("agents", leaving)
    site.goes_on()


def test_the_recorded_uid_proves_the_cluster(site: Site) -> None:
    site.put(FOREIGN, uid="uid-of-ours")
    site.created("uid-of-ours")
    site.goes_on()


@pytest.mark.parametrize("machines", [(), (FOREIGN,), (1, FOREIGN)])
def test_another_uid_stops(site: Site, machines: tuple[int, ...]) -> None:
    site.put(*machines, uid="uid-of-theirs")
    site.created("uid-of-ours")
    site.stops("has UID uid-of-theirs", "created it with UID uid-of-ours")


def test_a_hub_that_was_restored_from_a_backup(site: Site) -> None:
    """Its objects have other UIDs. All Agents are hosts of this inventory."""
    site.put(1, 2, uid="uid-after-the-restore")
    site.created("uid-of-ours")
    site.goes_on()


@pytest.mark.parametrize("more", [{"labels": {}}, {"deletionTimestamp": "2026-01-01T00:00:00Z"}])
def test_what_is_not_deleted_is_no_reason(site: Site, more: dict[str, Any]) -> None:
    """Of another tool, where the deletion stops by itself; or being deleted."""
    site.put(FOREIGN, **more)
    site.goes_on()


def test_no_cluster_of_that_name(site: Site) -> None:
    site.created("uid-of-ours")
    site.goes_on()


def test_an_install_without_its_cluster_deployment(hub: Any, opened: Any, touch: dict[str, Any]) -> None:
    site = Site("hub", hub, opened, touch)
    site.put(FOREIGN)
    hub.remove("demo", plural="clusterdeployments")
    metadata = {"namespace": "lab", "name": "demo", "labels": OURS}
    hub.put("agentclusterinstalls", {"metadata": metadata, "spec": {}, "status": {}})
    site.title = "AgentClusterInstall lab/demo"
    site.stops(made.uuid(FOREIGN))


def test_a_hub_that_is_abandoned_is_not_asked(site: Site) -> None:
    hosts = [inventory_host({"name": "node-1", "macs": [made.mac(1)]})]
    note(site.state.path.parent, hosts, BOOTED, method=site.method)
    gone = {key: value for key, value in site.touch["hub"].items() if key != "kubeconfig"} | UNREADABLE
    result = site.planned(hub=gone, force=["abandon_hub"])
    assert "failed" not in result and not result["removal"][site.method], result


def test_a_member_is_not_booted_if_the_hub_has_another_cluster_of_this_name(site: Site, opened: Any) -> None:
    """The Nodes that this hub leads to are those of the other cluster, so that they prove nothing."""
    note(
        site.state.path.parent, [inventory_host({"name": "node-1", "macs": [made.mac(1)]})], BOOTED, method=site.method
    )
    site.created("1")

    def boot() -> dict[str, Any]:
        return dict(opened(touch_check, action="boot", names=["node-1"], touch=site.touch))

    site.put(uid="2")
    result = boot()
    assert result["failed"] and result["hosts"][0]["row"] == "6", result
    assert "another cluster of this name" in result["msg"] and "created it with UID 1" in result["msg"]
    site.put(uid="1")
    assert boot()["hosts"][0]["outcome"] == "act"


def test_bare_metal_hosts_of_other_machines(hub: Any, opened: Any, touch: dict[str, Any]) -> None:
    """Of a Cluster whose machines have not registered yet."""
    site = Site("capi", hub, opened, touch)
    site.put()
    hub.put("baremetalhosts", bare_metal_host(1))
    site.goes_on()
    hub.put("baremetalhosts", bare_metal_host(FOREIGN))
    site.stops(f"BareMetalHost lab/prod-{FOREIGN}")
    hosts = [inventory_host({"name": "old", "macs": [made.mac(FOREIGN)]})]
    note(site.state.path.parent, hosts, BOOTED, method="capi")
    site.goes_on()


@pytest.mark.parametrize(
    ("name", "metadata", "goes_on"),
    [
        ("node-1", {}, False),
        ("prod-1", {"labels": {"cluster.x-k8s.io/cluster-name": "demo"}}, False),
        ("prod-1", {"labels": {"cluster.x-k8s.io/cluster-name": "other"}}, True),
        ("prod-1", {"namespace": "prod"}, True),
        ("prod-1", {"deletionTimestamp": "2026-01-01T00:00:00Z"}, True),
    ],
)
def test_which_bare_metal_hosts_count(
    hub: Any, opened: Any, touch: dict[str, Any], name: str, metadata: dict[str, Any], goes_on: bool
) -> None:
    """Equal names prove nothing. One that another tool created counts if a Machine of the Cluster uses it."""
    site = Site("capi", hub, opened, touch)
    site.put()
    host = bare_metal_host(FOREIGN, name, **metadata)
    host["spec"]["consumerRef"] = {"name": "demo-1"}
    hub.put("baremetalhosts", host)
    site.goes_on() if goes_on else site.stops(f"BareMetalHost lab/{name}")


@pytest.mark.parametrize(("name", "goes_on"), [("node-1", True), ("old", True), ("prod-1", False)])
def test_a_bare_metal_host_without_a_mac_address(
    hub: Any, opened: Any, touch: dict[str, Any], name: str, goes_on: bool
) -> None:
    site = Site("capi", hub, opened, touch)
    note(site.state.path.parent, [inventory_host({"name": "old"})], BOOTED, method="capi")
    site.put()
    host = bare_metal_host(FOREIGN, name)
    del host["spec"]["bootMACAddress"]
    hub.put("baremetalhosts", host)
    site.goes_on() if goes_on else site.stops(f"BareMetalHost lab/{name}")


def test_a_control_plane_without_its_cluster(hub: Any, opened: Any, touch: dict[str, Any]) -> None:
    """A removal that was killed between the two; Agents of a machine with the name of a recorded host."""
    site = Site("capi", hub, opened, touch)
    site.put(FOREIGN)
    hub.remove("demo", plural="clusters")
    metadata = {"namespace": "lab", "name": "demo", "labels": OURS}
    hub.put("openshiftassistedcontrolplanes", {"metadata": metadata, "spec": {}})
    site.title = "OpenshiftAssistedControlPlane lab/demo"
    site.stops(made.uuid(FOREIGN))


def test_a_hub_without_cluster_api(hub: Any, opened: Any, touch: dict[str, Any]) -> None:
    site = Site("capi", hub, opened, touch)
    hub.faults.clear()
    site.goes_on()


@pytest.fixture
def purged(hub: Any, opened: Any, touch: dict[str, Any]) -> Any:
    """The decision about an InfraEnv with the name of the cluster and these free Agents, without the cluster."""

    def planned(*machines: int, uid: str = "", **more: Any) -> dict[str, Any]:
        hub.put("infraenvs", {"metadata": {"namespace": "lab", "name": "demo", "labels": OURS}, "spec": {}})
        for number in machines:
            labels = {"infraenvs.agent-install.openshift.io": "demo"}
            free = made.agent(number)
            hub.put("agents", {**free, "metadata": {**free["metadata"], "labels": labels}})
        state = StateFile(Path(touch["work_dir"]) / "state.json")
        if uid:
            state.update("hub", {"created": {"InfraEnv lab/demo": uid}})
        site = Site("hub", hub, opened, touch)
        site.purge, site.touch["hub"]["infra_env"] = True, "demo"
        removal = dict(site.planned(**more)["removal"])
        removal["uid"] = hub.objects[("infraenvs", "lab", "demo")]["metadata"]["uid"]
        return removal

    return planned


def test_an_infra_env_with_agents_of_other_machines_is_not_deleted(purged: Any) -> None:
    removal = purged(FOREIGN, FOREIGN + 1)
    assert not removal["infra_env"] and removal["hub"]
    text = f"InfraEnv lab/demo is not deleted: none of its Agents (Agent lab/{made.uuid(FOREIGN)}"
    assert text in removal["summary"] and "is a host of this inventory." in removal["summary"]
    assert "Its hosts are still Agents" not in removal["summary"]
    assert purged(FOREIGN, uid=removal["uid"])["infra_env"], "the UID proves that this deployment created it"


@pytest.mark.parametrize("machines", [(), (1, FOREIGN)], ids=["no Agents", "a host of the inventory"])
def test_an_infra_env_that_nothing_speaks_against_is_deleted(purged: Any, machines: tuple[int, ...]) -> None:
    assert purged(*machines)["infra_env"]


def test_an_infra_env_of_a_recorded_machine_is_deleted(purged: Any, touch: dict[str, Any]) -> None:
    former = inventory_host({"name": "former", "macs": [made.mac(FOREIGN)]})
    note(Path(touch["work_dir"]), [former], BOOTED, method="hub")
    assert purged(FOREIGN, force=["abandon_hosts"])["infra_env"]
