# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test machines that run a system before the lab starts: another operating system, or nodes of existing clusters."""

from __future__ import annotations

import asyncio
import json
import ssl
import uuid
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from cryptography import x509
from ztlab.clusters import RunningCluster
from ztlab.site.load import parse_site
from ztlab.site.model import SiteError
from ztlab.variables import connect_to

from ..live.playground import Playground, run

API_VIP = "192.168.126.5"


def rack(**changes: Any) -> dict[str, Any]:
    """Three machines: ``old`` runs another system, ``m`` and ``w`` are a cluster; ``changes`` replace keys of the
    cluster.
    """
    disks = [{"name": "sda", "size_gib": 480}]
    machines = [
        {
            "name": name,
            "nics": [{"name": "enp1s0", "mac": f"02:00:00:00:03:{number:02x}", "network": "machines"}],
            "disks": disks,
            "bmc": {
                "address": f"https://10.0.0.{10 + number}/redfish/v1/Systems/1",
                "username": "admin",
                "password": "secret",
            },
            "addresses": [f"192.168.126.{20 + number}"],
        }
        for number, name in enumerate(("old", "m", "w"))
    ]
    machines[0] |= {"power": "on", "installed": "rhel-8"}
    machines[2] |= {"uuid_byte_order": "swapped"}
    members = [{"machine": "m", "role": "master"}, {"machine": "w", "hostname": "w.example.com"}]
    cluster = {
        "name": "yesterday",
        "base_domain": "example.com",
        "api_vip": API_VIP,
        "installed": True,
        "members": members,
    }
    network = {"name": "machines", "cidr": "192.168.126.0/24", "dns": {"servers": ["192.168.126.1"]}}
    return {"networks": [network], "machines": machines, "clusters": [cluster | changes]}


def cluster_of(play: Playground) -> RunningCluster:
    (running,) = play.lab.clusters.all()
    return running


async def version(play: Playground) -> int:
    """The status of GET /version with the kubeconfig, 0 when nothing answers."""
    server = yaml.safe_load(play.lab.clusters.kubeconfig())["clusters"][0]["cluster"]["server"]
    try:
        async with play.lab.session.get(f"{server}/version", ssl=False) as response:
            return response.status
    except OSError:
        return 0


async def serving_certificate(play: Playground, address: str) -> x509.Certificate:
    """What port 10250 of a site address shows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _reader, writer = await asyncio.open_connection(play.lab.fabric.table.loopback(address), 10250, ssl=context)
    found = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return x509.load_der_x509_certificate(found)


def node(play: Playground, name: str) -> dict[str, Any]:
    api = cluster_of(play).api
    return dict(api.store.get(api.registry.by_kind("Node"), name))


def ready(item: dict[str, Any]) -> str:
    return next(str(entry["status"]) for entry in item["status"]["conditions"] if entry["type"] == "Ready")


def test_what_the_site_file_says_runs_from_the_beginning(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack(), speed=1) as play:
            status = {machine["name"]: machine for machine in play.lab.status()["machines"]}
            assert {name: (machine["power"], machine["installed"]) for name, machine in status.items()} == {
                "old": ("On", {"sda": "rhel-8"}),
                "m": ("On", {"sda": "master"}),
                "w": ("On", {"sda": "worker"}),
            }
            assert not any(machine["boots"] or machine["writes"] for machine in status.values())
            (cluster,) = play.lab.status()["clusters"]
            assert cluster["installed"] and cluster["nodes"] == {"m": "Ready", "w.example.com": "Ready"}
            assert await version(play) == 200

    run(flow())


def test_nodes_have_the_facts_of_their_machines(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack(), speed=1) as play:
            master, worker = node(play, "m"), node(play, "w.example.com")
            specs = {name: machine.spec for name, machine in play.lab.machines.items()}
            assert master["status"]["nodeInfo"]["systemUUID"] == specs["m"].system_uuid
            swapped = worker["status"]["nodeInfo"]["systemUUID"]
            assert (
                swapped != specs["w"].system_uuid
                and uuid.UUID(swapped).bytes_le == uuid.UUID(specs["w"].system_uuid).bytes
            )
            assert [entry["address"] for entry in worker["status"]["addresses"] if entry["type"] == "InternalIP"] == [
                "192.168.126.22"
            ]
            gateway = json.loads(worker["metadata"]["annotations"]["k8s.ovn.org/l3-gateway-config"])["default"]
            assert (gateway["mac-address"], gateway["ip-addresses"]) == ("02:00:00:00:03:02", ["192.168.126.22/24"])

    run(flow())


def test_kubelets_serve_the_certificate_of_their_node(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack()) as play:
            certificate = await serving_certificate(play, "192.168.126.22")
            assert certificate.subject.rfc4514_string() == "CN=system:node:w.example.com,O=system:nodes"
            names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            assert names.get_values_for_type(x509.DNSName) == ["w.example.com"]
            url = f"https://{play.lab.fabric.table.loopback('192.168.126.22')}:10250/pods"
            async with aiohttp.ClientSession() as session, session.get(url, ssl=False) as response:
                assert response.status == 401
            with pytest.raises(OSError):
                await serving_certificate(play, "192.168.126.20")  # another system has no kubelet

            play.lab.faults.add("kubelet-down", machine="w")
            await play.lab.outages.apply()
            with pytest.raises(OSError):
                await serving_certificate(play, "192.168.126.22")
            await play.until(lambda: ready(node(play, "w.example.com")) == "Unknown")
            assert play.lab.machines["w"].power_state == "On"
            play.lab.faults.clear()
            await play.lab.outages.apply()
            await play.until(lambda: ready(node(play, "w.example.com")) == "True")
            await serving_certificate(play, "192.168.126.22")

    run(flow())


def test_kubelets_answer_while_the_api_is_down(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack()) as play:
            play.lab.faults.add("api-down", options={"cluster": "another"})
            await play.lab.outages.apply()
            assert await version(play) == 200
            play.lab.faults.add("api-down")
            await play.lab.outages.apply()
            assert await version(play) == 0
            await serving_certificate(play, "192.168.126.21")
            play.lab.faults.clear("api-down")
            await play.lab.outages.apply()
            assert await version(play) == 200
            assert ready(node(play, "m")) == "True"

    run(flow())


def test_a_power_cut_stops_all_of_it_and_power_starts_it_again(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack()) as play:
            await asyncio.gather(*(machine.switch(False) for machine in play.lab.machines.values()))
            assert await version(play) == 0
            with pytest.raises(OSError):
                await serving_certificate(play, "192.168.126.21")
            await asyncio.gather(*(machine.switch(True) for machine in play.lab.machines.values()))
            await play.until(
                lambda: (
                    cluster_of(play).serving
                    and {ready(node(play, name)) for name in ("m", "w.example.com")} == {"True"}
                )
            )
            assert await version(play) == 200
            await serving_certificate(play, "192.168.126.22")
            assert {name: machine.boots for name, machine in play.lab.machines.items()} == {
                key: ["disk:sda"] for key in ("old", "m", "w")
            }
            assert play.lab.machines["old"].console.phase == "runs rhel-8"

    run(flow())


def test_a_member_that_is_off_is_no_longer_ready(tmp_path: Path) -> None:
    async def flow() -> None:
        site = rack()
        site["machines"][2]["power"] = "off"
        async with Playground(tmp_path, site=site) as play:
            assert play.lab.machines["w"].power_state == "Off"
            await play.until(lambda: ready(node(play, "w.example.com")) == "Unknown")

    run(flow())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, "https://10.0.0.12/redfish/v1/Systems/1"), ({"bmcs": False}, ""), ({"platform": "none"}, None)],
)
def test_bare_metal_hosts_of_the_cluster(tmp_path: Path, changes: dict[str, Any], expected: str | None) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack(**changes)) as play:
            api = cluster_of(play).api
            listed = api.store.list(api.registry.by_kind("BareMetalHost", "metal3.io"))
            found = {item["metadata"]["name"]: item for item in listed}
            if expected is None:
                assert not found
                return
            worker = found["w.example.com"]
            assert worker["metadata"]["namespace"] == "openshift-machine-api"
            assert (worker["spec"]["bootMACAddress"], worker["spec"]["bmc"]["address"]) == (
                "02:00:00:00:03:02",
                expected,
            )

    run(flow())


def test_another_team_installs_a_machine(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack()) as play:
            old, worker = play.lab.machines["old"], play.lab.machines["w"]
            await play.lab.occupants.install_member(old, cluster_of(play))
            assert old.power_state == "On" and {disk: system.role for disk, system in old.installed.items()} == {
                "sda": "worker"
            }
            assert (
                ready(node(play, "old")) == "True"
                and node(play, "old")["status"]["nodeInfo"]["systemUUID"] == old.spec.os_uuid
            )
            await asyncio.sleep(0.2)
            assert "CN=system:node:old" in (await serving_certificate(play, "192.168.126.20")).subject.rfc4514_string()
            await play.lab.occupants.install_other(worker, "vsphere-8")
            assert worker.console.phase == "runs vsphere-8" or await play.lab.clock.until(
                lambda: worker.console.phase == "runs vsphere-8", limit=100
            )
            await play.until(lambda: ready(node(play, "w.example.com")) == "Unknown")

    run(flow())


def test_the_mapping_leads_to_the_kubelets(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Playground(tmp_path, site=rack()) as play:
            mapping = connect_to(play.lab.site, play.lab.fabric)
            prefix = play.lab.fabric.table.prefix
            assert mapping["192.168.126.20:10250"] == f"{prefix}.126.20:10250"
            assert mapping["api.yesterday.example.com:6443"] == f"{prefix}.126.5:6443"

    run(flow())


def without_master(site: dict[str, Any]) -> None:
    site["clusters"][0]["members"] = [{"machine": "w"}]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda site: site["clusters"][0]["members"].append({"machine": "x"}), "members[2]: no machine 'x'"),
        (lambda site: site["clusters"][0]["members"].append({"machine": "old"}), "machine old has rhel-8 installed"),
        (lambda site: site["clusters"][0]["members"].append({"machine": "w"}), "member: w is listed 2 times"),
        (lambda site: site["clusters"][0].pop("members"), "installed and members go together"),
        (without_master, "none has the role master"),
        (lambda site: site["machines"][1].pop("addresses"), "address missing"),
        (lambda site: site["machines"][1].update(addresses=["10.9.9.9"]), "10.9.9.9 is in none of the networks"),
        (lambda site: site["machines"][1].update(power="maybe"), "'maybe' is none of on, off"),
    ],
)
def test_mistakes_in_the_site_file(change: Any, text: str) -> None:
    site = rack()
    change(site)
    with pytest.raises(SiteError, match=text.replace("[", r"\[")):
        parse_site(site)
