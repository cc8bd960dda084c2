# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test installations of discovered hosts on a hub: late binding, several host roles, added hosts (day 2), and
unbinding.
"""

from __future__ import annotations

import base64
import json
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from ztlab.clusters import RunningCluster
from ztlab.newcluster import pki
from ztlab.service.model import Host

from .rig import HubRig, hub_site, nmstate, run


async def discovered(hub: HubRig, count: int, **fields: Any) -> dict[str, Any]:
    """An infra-env, and machines that booted its image."""
    infra = await hub.infra_env(**{"static_network_config": [nmstate(number) for number in range(count)]} | fields)
    for number in range(count):
        hub.boot(f"rack-{number}", infra["download_url"])
    await hub.until(
        lambda: (
            len(hub.hosts()) == count
            and all(host.status in ("known-unbound", "known", "insufficient") for host in hub.hosts())
        ),
        "discovered",
    )
    return infra


def path_of(host: Host) -> str:
    return f"/v2/infra-envs/{host.infra_env_id}/hosts/{host.id}"


async def bound(hub: HubRig, cluster: dict[str, Any], roles: dict[str, str]) -> None:
    for name in roles:
        host = hub.host_of(name)
        assert host is not None
        await hub.call("POST", f"{path_of(host)}/actions/bind", {"cluster_id": cluster["id"]})
    hosts = [host for host in hub.hosts() if host.cluster_id == cluster["id"]]
    await hub.until(
        lambda: all(host.status in ("known", "insufficient", "pending-for-input") for host in hosts), "bound"
    )
    for name, role in roles.items():
        host = hub.host_of(name)
        assert host is not None
        await hub.call("PATCH", path_of(host), {"host_role": role})


def running(hub: HubRig) -> RunningCluster:
    found = hub.lab.clusters.by_domain("spoke.example.com")
    assert found is not None
    return found


def nodes(hub: HubRig) -> dict[str, str]:
    return dict(hub.lab.clusters.status()[-1]["nodes"])


async def installed(hub: HubRig, control_plane: int, roles: dict[str, str], **fields: Any) -> dict[str, Any]:
    await discovered(hub, len(roles))
    cluster = await hub.cluster(control_plane, **fields)
    await bound(hub, cluster, roles)
    await hub.until(lambda: hub.the_cluster().status == "ready", "ready")
    await hub.call("POST", f"/v2/clusters/{cluster['id']}/actions/install")
    await hub.until(lambda: hub.the_cluster().status == "installed", "installed")
    return cluster


def test_three_and_two(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 5, speed=240) as hub:
            roles = {f"rack-{number}": "master" if number < 3 else "worker" for number in range(5)}
            stages: dict[str, list[str]] = {}
            seen = hub.service.core.on_change

            def watch(item: Any) -> None:
                if (
                    isinstance(item, Host)
                    and item.progress.stage
                    and stages.setdefault(item.id, [""])[-1] != item.progress.stage
                ):
                    stages[item.id].append(item.progress.stage)

            assert seen is None
            hub.service.core.on_change = watch
            cluster = await installed(hub, 3, roles)
            assert {host.status for host in hub.hosts()} == {"installed"}
            assert nodes(hub) == {f"rack-{number}.example.com": "Ready" for number in range(5)}
            by_role = {("bootstrap" if host.bootstrap else host.role): stages[host.id][1:] for host in hub.hosts()}
            assert by_role["bootstrap"] == _BOOTSTRAP
            assert [stage for stage in by_role["master"] if stage != "Copying registry data to disk"] == _MASTER
            assert by_role["worker"] == _WORKER
            api = running(hub)
            assert api.api.cluster_id == hub.the_cluster().openshift_cluster_id, (
                "the cluster is the one of bootstrap.ign"
            )
            reply = await hub.call("GET", f"/v2/clusters/{cluster['id']}/credentials")
            assert reply["username"] == "kubeadmin"
            await _kubeconfig_opens(hub, hub.service.core.kubeconfig(hub.the_cluster(), with_ingress=True))
            assert api.config.requests == {"master": 3, "worker": 2}
            assert "assisted-installer: coreos-installer install /dev/sda: image written" in hub.console()

    run(flow())


_BOOTSTRAP = [
    "Starting installation",
    "Installing",
    "Writing image to disk",
    "Waiting for control plane",
    "Waiting for bootkube",
    "Waiting for controller",
    "Rebooting",
    "Configuring",
    "Joined",
    "Done",
]
_MASTER = ["Starting installation", "Installing", "Writing image to disk", "Rebooting", "Configuring", "Joined", "Done"]
_WORKER = [
    "Starting installation",
    "Installing",
    "Writing image to disk",
    "Waiting for control plane",
    "Rebooting",
    "Configuring",
    "Joined",
    "Done",
]


async def _kubeconfig_opens(hub: HubRig, text: str) -> None:
    """The service's kubeconfig is right for the API that the machines brought up."""
    document = yaml.safe_load(text)
    cluster, user = document["clusters"][0]["cluster"], document["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    path = hub.lab.paths.state / "admin.pem"
    path.write_bytes(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
    context.load_cert_chain(path)
    url = f"https://{running(hub).address}:6443/api/v1/nodes"
    async with hub.lab.session.get(url, ssl=context, server_hostname="api.spoke.example.com") as response:
        assert response.status == 200


def test_a_single_node(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 1, speed=240) as hub:
            await discovered(hub, 1)
            cluster = await hub.cluster(1)
            await bound(hub, cluster, {"rack-0": "master"})
            host = hub.hosts()[0]
            disk = {"id": "/dev/disk/by-id/wwn-0x5000000000000100", "role": "install"}
            await hub.call("PATCH", path_of(host), {"host_name": "edge-0", "disks_selected_config": [disk]})
            await hub.call("PATCH", f"{path_of(host)}/installer-args", {"args": ["--append-karg", "a=1"]})
            await hub.until(lambda: hub.the_cluster().status == "ready", "ready")
            await hub.call("POST", f"/v2/clusters/{cluster['id']}/actions/install")
            await hub.until(lambda: hub.the_cluster().status == "installed", "installed")
            assert nodes(hub) == {"edge-0": "Ready"}
            assert (host.status, host.progress.stage) == ("installed", "Done")
            assert "coreos-installer install --append-karg a=1 /dev/sdb: image written to /dev/sdb" in hub.console()
            assert hub.lab.machines["rack-0"].boots[-1] == "disk:sdb"

    run(flow())


def test_an_arbiter(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 3, speed=240, env={"TNA_CLUSTERS_SUPPORT": "true"}) as hub:
            await installed(hub, 2, {"rack-0": "master", "rack-1": "master", "rack-2": "arbiter"})
            assert set(nodes(hub).values()) == {"Ready"}
            assert running(hub).config.requests == {"master": 2, "arbiter": 1}

    run(flow())


def pending(hub: HubRig) -> list[dict[str, Any]]:
    """Requests on the spoke that are not decided."""
    api = running(hub).api
    found = api.store.list(api.nodes.csr_kind)
    return [item for item in found if not (item.get("status") or {}).get("conditions")]


def decide(hub: HubRig, name: str, kind: str) -> None:
    api = running(hub).api
    item = api.store.get(api.nodes.csr_kind, name)
    item["status"] = {"conditions": [{"type": kind, "status": "True", "reason": "Test"}]}
    api.store.update(api.nodes.csr_kind, item, subresource="approval")


async def day2(hub: HubRig, cluster: dict[str, Any], name: str, number: int) -> Host:
    """Boot, bind and install a further host; until it has restarted."""
    infra = next(iter(hub.service.core.state.infra_envs.values()))
    elements = [nmstate(index) for index in range(number + 1)]
    await hub.call("PATCH", f"/v2/infra-envs/{infra.id}", {"static_network_config": elements})
    hub.boot(name, infra.download_url)
    await hub.until(lambda: (host := hub.host_of(name)) is not None and host.status == "known-unbound", "known-unbound")
    host = hub.host_of(name)
    assert host is not None
    await hub.call("POST", f"{path_of(host)}/actions/bind", {"cluster_id": cluster["id"]})
    await hub.until(lambda: host.status == "known", "known")
    await hub.call("POST", f"{path_of(host)}/actions/install")
    await hub.until(lambda: host.progress.stage == "Rebooting", "Rebooting")
    return host


def test_day_2(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 2, speed=240) as hub:
            cluster = await _single_node_of_two(hub)
            host = await day2(hub, cluster, "rack-1", 1)
            assert host.kind == "AddToExistingClusterHost"
            await hub.until(lambda: len(pending(hub)) == 1, "a client request")
            client = pending(hub)[0]
            assert (
                client["spec"]["username"]
                == "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
            )
            assert set(client["spec"]["groups"]) == {
                "system:serviceaccounts",
                "system:serviceaccounts:openshift-machine-config-operator",
                "system:authenticated",
            }
            assert client["spec"]["usages"] == ["digital signature", "client auth"]
            assert pki.common_name(base64.b64decode(client["spec"]["request"])) == "system:node:rack-1.example.com"
            await hub.lab.clock.sleep(100)
            assert "rack-1.example.com" not in [name for name, state in nodes(hub).items() if state != "not joined"], (
                "no controller approves it"
            )
            decide(hub, client["metadata"]["name"], "Approved")
            await hub.until(lambda: len(pending(hub)) == 1, "a serving request")
            serving = pending(hub)[0]
            assert (
                serving["spec"]["username"] == "system:node:rack-1.example.com"
                and "system:nodes" in serving["spec"]["groups"]
            )
            decide(hub, serving["metadata"]["name"], "Approved")
            await hub.until(lambda: nodes(hub)["rack-1.example.com"] == "Ready", "Ready")
            assert "Ignition: GET http://api.spoke.example.com:22624/config/worker: OK" in hub.console("rack-1")

    run(flow())


async def _single_node_of_two(hub: HubRig) -> dict[str, Any]:
    """A single node that takes further hosts; the second machine is still off."""
    infra = await hub.infra_env(static_network_config=[nmstate(0)])
    hub.boot("rack-0", infra["download_url"])
    await hub.until(lambda: bool(hub.hosts()) and hub.hosts()[0].status == "known-unbound", "discovered")
    cluster = await hub.cluster(1)
    await bound(hub, cluster, {"rack-0": "master"})
    await hub.until(lambda: hub.the_cluster().status == "ready", "ready")
    await hub.call("POST", f"/v2/clusters/{cluster['id']}/actions/install")
    await hub.until(lambda: hub.the_cluster().status == "installed", "installed")
    await hub.call("POST", f"/v2/clusters/{cluster['id']}/actions/allow-add-hosts")
    return cluster


def test_hostile_requests(tmp_path: Path) -> None:
    """Requests with another name, another address or for a stranger stand beside those of the node; a denied one is
    made again.
    """

    async def flow() -> None:
        async with HubRig(tmp_path, 2, speed=240) as hub:
            cluster = await _single_node_of_two(hub)
            hub.lab.faults.add("csr-foreign", machine="rack-1")
            hub.lab.faults.add("csr-wrong-name", machine="rack-1")
            hub.lab.faults.add("csr-wrong-address", machine="rack-1")
            await day2(hub, cluster, "rack-1", 1)
            await hub.until(lambda: len(pending(hub)) == 2, "two requests")
            names = {
                pki.common_name(base64.b64decode(item["spec"]["request"])): item["metadata"]["name"]
                for item in pending(hub)
            }
            assert set(names) == {"system:node:intruder", "system:node:not-rack-1.example.com"}
            decide(hub, names["system:node:intruder"], "Denied")
            decide(hub, names["system:node:not-rack-1.example.com"], "Denied")
            await hub.until(lambda: len(pending(hub)) == 1, "a new request")
            decide(hub, pending(hub)[0]["metadata"]["name"], "Approved")
            await hub.until(
                lambda: any(item["spec"]["signerName"] == "kubernetes.io/kubelet-serving" for item in pending(hub)),
                "a serving request",
            )
            assert b"203.0.113.66" not in base64.b64decode(pending(hub)[0]["spec"]["request"]), (
                "it is in the request's binary form"
            )
            request = x509.load_pem_x509_csr(base64.b64decode(pending(hub)[0]["spec"]["request"]))
            names_in = request.extensions.get_extension_for_class(
                x509.SubjectAlternativeName
            ).value.get_values_for_type(x509.IPAddress)
            assert {str(address) for address in names_in} == {"192.168.111.21", "203.0.113.66"}

    run(flow())


def test_unbinding_before_the_installation(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 1) as hub:
            await discovered(hub, 1)
            cluster = await hub.cluster(1)
            await bound(hub, cluster, {"rack-0": "master"})
            host = hub.hosts()[0]
            await hub.call("POST", f"{path_of(host)}/actions/unbind")
            assert host.status == "unbinding"
            await hub.until(lambda: host.status == "known-unbound", "unbound")
            assert "told to exit" in hub.console()

    run(flow())


def test_a_node_becomes_free_again_when_it_boots_the_discovery_image(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 2, speed=240) as hub:
            cluster = await _single_node_of_two(hub)
            host = await day2(hub, cluster, "rack-1", 1)
            for _number in range(2):
                await hub.until(lambda: bool(pending(hub)), "a request")
                decide(hub, pending(hub)[0]["metadata"]["name"], "Approved")
            await hub.until(lambda: nodes(hub)["rack-1.example.com"] == "Ready", "Ready")
            await hub.call("POST", f"{path_of(host)}/actions/unbind")
            assert host.status == "unbinding-pending-user-action"
            await hub.lab.clock.sleep(200)
            assert host.status == "unbinding-pending-user-action", "nothing but a boot of the discovery image ends it"
            hub.boot("rack-1", next(iter(hub.service.core.state.infra_envs.values())).download_url)
            await hub.until(lambda: host.status == "known-unbound", "free again")
            await hub.until(lambda: nodes(hub)["rack-1.example.com"] == "NotReady", "the cluster notices")

    run(flow())


def test_a_wrong_pointer_keeps_the_host_waiting(tmp_path: Path) -> None:
    """A CA in the override that did not sign the machine config server's certificate."""

    async def flow() -> None:
        async with HubRig(tmp_path, 2, speed=240) as hub:
            cluster = await _single_node_of_two(hub)
            authority = base64.b64encode(pki.new_authority("another").pem).decode()
            tls = {"certificateAuthorities": [{"source": f"data:text/plain;base64,{authority}"}]}
            override = json.dumps({"ignition": {"version": "3.2.0", "security": {"tls": tls}}})
            infra = next(iter(hub.service.core.state.infra_envs.values()))
            await hub.call("PATCH", f"/v2/infra-envs/{infra.id}", {"static_network_config": [nmstate(0), nmstate(1)]})
            hub.boot("rack-1", infra.download_url)
            await hub.until(
                lambda: (host := hub.host_of("rack-1")) is not None and host.status == "known-unbound", "known-unbound"
            )
            host = hub.host_of("rack-1")
            assert host is not None
            await hub.call("POST", f"{path_of(host)}/actions/bind", {"cluster_id": cluster["id"]})
            await hub.call("PATCH", f"{path_of(host)}/ignition", {"config": override})
            await hub.until(lambda: host.status == "known", "known")
            await hub.call("POST", f"{path_of(host)}/actions/install")
            await hub.until_console("Ignition: GET https://api.spoke.example.com:22623/config/worker: ", "rack-1")
            assert "tls: failed to verify certificate" in hub.console("rack-1")

    run(flow())


@pytest.mark.parametrize("stage", ["Installing", "Writing image to disk"])
def test_a_failing_installation(tmp_path: Path, stage: str) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, 1, site=hub_site(1)) as hub:
            hub.lab.faults.add("install-fails", machine="rack-0", options={"stage": stage})
            await discovered(hub, 1)
            cluster = await hub.cluster(1)
            await bound(hub, cluster, {"rack-0": "master"})
            await hub.until(lambda: hub.the_cluster().status == "ready", "ready")
            await hub.call("POST", f"/v2/clusters/{cluster['id']}/actions/install")
            await hub.until(lambda: hub.the_cluster().status == "error", "error")
            assert hub.hosts()[0].status == "error"

    run(flow())
