# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The API over HTTP: codes, bodies and headers, the odd ones included. Every response is held against the description by the rig."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import tarfile
from typing import Any

import aiohttp
import pytest

from .scripted import API, CERTIFICATE, INFRA_ENV_ID, PULL_SECRET, Client, Machine, Rig, ScriptedAgent, cluster_params, single_node_params

NOBODY = "11111111-2222-4333-8444-555555555555"


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 60))


async def discovered(rig: Rig, machine: Machine) -> ScriptedAgent:
    """An agent that has answered its first rounds."""
    agent = ScriptedAgent(rig.agent, machine, rig.clock)
    status, body = await agent.register()
    assert status == 201, body
    for _ in range(3):
        await agent.poll()
    return agent


SHAPES: list[tuple[str, str, str, Any, int, dict[str, Any]]] = [
    ("unknown cluster", "GET", f"/clusters/{NOBODY}", None, 404, {"kind": "Error", "id": 404, "href": "", "code": "404", "reason": "record not found"}),
    ("unknown infra-env", "GET", f"/infra-envs/{NOBODY}", None, 404, {"code": "404", "reason": "record not found"}),
    (
        "unknown host",
        "GET",
        f"/infra-envs/{INFRA_ENV_ID}/hosts/{NOBODY}",
        None,
        404,
        {"reason": f"failed to get host {NOBODY} in infra_env {INFRA_ENV_ID}: record not found"},
    ),
    ("delete of an unknown host", "DELETE", f"/infra-envs/{INFRA_ENV_ID}/hosts/{NOBODY}", None, 500, {"code": "500", "kind": "Error"}),
    ("no id", "GET", "/clusters/abc", None, 400, {"code": 400, "message": 'cluster_id in path must be of type uuid: "abc"'}),
    ("no path", "GET", "/nothing", None, 404, {"code": 404, "message": "path /api/assisted-install/v2/nothing was not found"}),
    ("wrong method", "PUT", "/clusters", None, 405, {"code": 405, "message": "method PUT is not allowed, but [GET,POST] are"}),
    ("no body", "POST", "/clusters", None, 400, {"code": 400, "message": "new-cluster-params in body is required"}),
    ("member missing", "POST", "/clusters", {"openshift_version": "4.22", "pull_secret": "x"}, 400, {"code": 400, "message": "name in body is required"}),
    (
        "unknown member",
        "POST",
        "/clusters",
        {"x": 1},
        400,
        {"code": 400, "message": 'parsing new-cluster-params body from "" failed, because json: unknown field "x"'},
    ),
    ("unknown word", "POST", "/clusters", cluster_params(hyperthreading="some"), 400, {"code": 400}),
    ("wrong type", "POST", "/clusters", cluster_params(control_plane_count="3"), 400, {"code": 400}),
    ("too long", "POST", "/clusters", cluster_params(name="a" * 55), 400, {"code": 400, "message": "name in body should be at most 54 chars long"}),
    ("no JSON", "POST", "/clusters", b"{", 400, {"code": 400}),
    ("bad query", "GET", "/clusters?with_hosts=perhaps", None, 400, {"code": 400, "message": 'with_hosts in query must be of type bool: "perhaps"'}),
    (
        "infra-env of no cluster",
        "POST",
        "/infra-envs",
        {"name": "x", "pull_secret": PULL_SECRET, "cluster_id": NOBODY},
        404,
        {"reason": f"Cluster ID {NOBODY} does not exist"},
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "answer"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_error_shapes(method: str, path: str, body: Any, status: int, answer: dict[str, Any]) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            if isinstance(body, bytes):
                found = await rig.user.call(method, path, raw=body)
            else:
                found = await rig.user.call(method, path, body)
            assert found[0] == status, found
            assert {key: found[1].get(key) for key in answer} == answer

    run(flow())


def test_media_type_and_allow_header() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            status, answer = await rig.user.call("POST", "/clusters", raw=b"{}", headers={"Content-Type": "text/plain"})
            assert status == 400 and answer["message"].startswith("unsupported media type")
            assert rig.user.session is not None
            async with rig.user.session.delete(rig.service.url + API + "/clusters") as response:
                assert (response.status, response.headers["Allow"]) == (405, "GET,POST")
            for path in ("/health", "/ready", "/metrics"):
                async with rig.user.session.get(rig.service.url + path) as response:
                    assert response.status == 200
            async with aiohttp.ClientSession() as session, session.get(rig.service.url + "/other") as response:
                assert response.status == 404

    run(flow())


def test_who_may_do_what() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            assert (await rig.watcher.call("GET", "/clusters"))[0] == 200
            assert (await rig.watcher.call("GET", f"/clusters/{rig.cluster['id']}"))[0] == 200
            assert (await rig.watcher.call("GET", "/infra-envs"))[0] == 200
            assert (await rig.watcher.call("GET", "/events"))[0] == 200
            assert (await rig.watcher.call("GET", f"/infra-envs/{INFRA_ENV_ID}"))[0] == 401
            assert (await rig.agent.call("POST", "/clusters", cluster_params()))[0] == 401
            async with Client(rig.service.url) as nobody:
                assert await nobody.call("GET", "/clusters") == (401, {"code": 401, "message": "unauthenticated for invalid credentials"})
            async with Client(rig.service.url, {"Authorization": rig.keys.token(auth_scheme="agentAuth")}) as wrong:
                assert await wrong.call("GET", "/clusters") == (403, {"code": 403, "message": "authClaim agentAuth is unauthorized to access"})

    run(flow())


def test_cluster_as_it_is_created() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            cluster = await rig.create()
            assert (cluster["status"], cluster["kind"], cluster["href"]) == ("insufficient", "Cluster", f"{API}/clusters/{cluster['id']}")
            assert cluster["pull_secret_set"] is True and "pull_secret" not in cluster
            assert cluster["api_vips"] == [{"cluster_id": cluster["id"], "ip": "192.0.2.5", "verification": "unverified"}]
            assert cluster["platform"] == {"type": "baremetal", "external": {}}
            assert cluster["last-installation-preparation"] == {"status": "not_started"}
            assert cluster["install_started_at"] == "0001-01-01T00:00:00.000Z"
            assert [item["name"] for item in cluster["monitored_operators"]] == ["console"]
            infra_env = await rig.user.get(f"/infra-envs/{INFRA_ENV_ID}")
            assert (infra_env["type"], infra_env["openshift_version"], infra_env["cluster_id"]) == ("full-iso", "4.22.0", cluster["id"])
            other = await rig.user.post("/infra-envs", {"name": "second", "pull_secret": PULL_SECRET})
            assert other["id"] != INFRA_ENV_ID and "cluster_id" not in other
            assert [item["id"] for item in await rig.user.get("/infra-envs", params={"cluster_id": cluster["id"]})] == [INFRA_ENV_ID]
            assert (await rig.user.get(f"/clusters/{cluster['id']}"))["hosts"] == []

    run(flow())


def test_cluster_changes() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}"
            changed = await rig.user.patch(path, {"base_dns_domain": "other.example.com", "name": None})
            assert (changed["base_dns_domain"], changed["name"]) == ("other.example.com", "demo")
            refused = await rig.user.patch(path, {"machine_networks": [{"cidr": "10.0.0.0/16"}]}, expect=400)
            assert refused["reason"].startswith("Setting the Machine Network CIDR is forbidden")
            assert (await rig.user.patch(path, {"openshift_version": "4.22"}, expect=400))["code"] == 400
            rig.service.core.cluster(rig.cluster["id"]).status = "installing"
            assert (await rig.user.patch(path, {"name": "Bad Name"}, expect=400))["code"] == "400"
            assert (await rig.user.patch(path, {"name": "fine"}, expect=409))["code"] == "409"
            assert (await rig.user.call("DELETE", path))[0] == 409
            rig.service.core.cluster(rig.cluster["id"]).status = "insufficient"
            assert (await rig.user.call("DELETE", path))[0] == 204
            assert (await rig.user.call("GET", path))[0] == 404
            assert (await rig.user.get("/events", params={"cluster_id": rig.cluster["id"]}))[-1]["name"] == "cluster_deregistered"

    run(flow())


def test_install_config_overrides() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}/install-config"
            assert await rig.user.call("PATCH", path, '{"fips": true, "platform": {"baremetal": {"hosts": [1]}}}') == (201, b"")
            cluster = await rig.user.get(f"/clusters/{rig.cluster['id']}")
            assert cluster["install_config_overrides"] == '{"fips": true, "platform": {"baremetal": {"hosts": [1]}}}'
            document = json.loads(await rig.user.get(path))
            assert document["fips"] is True and document["platform"]["baremetal"] == {"apiVIPs": ["192.0.2.5"], "ingressVIPs": ["192.0.2.6"], "hosts": [1]}
            assert "***" in document["pullSecret"] and document["metadata"]["name"] == "demo"
            status, answer = await rig.user.call("PATCH", path, {"fips": True})
            assert status == 400 and isinstance(answer["code"], int)
            status, answer = await rig.user.call("PATCH", path, "no json")
            assert status == 400 and answer["code"] == "400"

    run(flow())


MANIFEST = base64.b64encode(b"kind: ConfigMap\n").decode()
MANIFESTS: list[tuple[dict[str, Any], int]] = [
    ({"file_name": "a.yaml", "content": MANIFEST}, 201),
    ({"file_name": "a.yml", "folder": "openshift", "content": MANIFEST}, 201),
    ({"file_name": "a.json", "content": base64.b64encode(b"{}").decode()}, 201),
    ({"file_name": "50-x.yaml.patch_1", "content": MANIFEST}, 201),
    ({"file_name": "a.txt", "content": MANIFEST}, 400),
    ({"file_name": "b/a.yaml", "content": MANIFEST}, 400),
    ({"file_name": "a b.yaml", "content": MANIFEST}, 422),
    ({"file_name": ".a.yaml", "content": MANIFEST}, 422),
    ({"file_name": "a.yaml", "content": "%%"}, 400),
    ({"file_name": "a.yaml", "content": ""}, 400),
    ({"file_name": "a.json", "content": MANIFEST}, 400),
    ({"file_name": "a.yaml", "content": base64.b64encode(b"a: [").decode()}, 400),
    ({"file_name": "a.yaml", "content": base64.b64encode(b"a" * (1024 * 1024 + 1)).decode()}, 400),
    ({"file_name": "a.yaml", "folder": "other", "content": MANIFEST}, 400),
]


@pytest.mark.parametrize(("body", "status"), MANIFESTS, ids=[f"{row[0]['file_name']}-{row[0].get('folder', '')}-{row[0]['content'][:8]}" for row in MANIFESTS])
def test_manifest_rules(body: dict[str, Any], status: int) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            found = await rig.user.call("POST", f"/clusters/{rig.cluster['id']}/manifests", body)
            assert found[0] == status, found

    run(flow())


def test_life_of_a_manifest() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}/manifests"
            body = {"file_name": "a.yaml", "folder": "openshift", "content": MANIFEST}
            assert await rig.user.post(path, body) == {"file_name": "a.yaml", "folder": "openshift", "manifest_source": "user"}
            await rig.user.post(path, body)
            status, answer = await rig.user.call("POST", path, {**body, "folder": "manifests"})
            assert status == 400 and "cannot be uploaded as it is not distinct between {manifest, openshift} folders" in answer["reason"]
            assert len(await rig.user.get(path)) == 1
            assert await rig.user.get(f"{path}/files", params={"folder": "openshift", "file_name": "a.yaml"}) == b"kind: ConfigMap\n"
            status, answer = await rig.user.call("GET", f"{path}/files", params={"file_name": "a.yaml"})
            assert (status, answer["reason"]) == (404, f"Cluster manifest manifests/a.yaml doesn't exist in cluster {rig.cluster['id']}")
            renamed = {"folder": "openshift", "file_name": "a.yaml", "updated_file_name": "b.yaml", "updated_folder": "manifests"}
            assert (await rig.user.patch(path, renamed, expect=200))["file_name"] == "b.yaml"
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 200
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 200
            assert await rig.user.get(path) == []
            rig.service.core.cluster(rig.cluster["id"]).status = "installing"
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 400

    run(flow())


INFRA_ENVS: list[tuple[dict[str, Any], int, str]] = [
    ({"kernel_arguments": [{"operation": "append", "value": 'a="b c"'}]}, 201, ""),
    ({"kernel_arguments": [{"operation": "delete", "value": "a"}]}, 400, "Only kernel argument operation append is supported.  Got delete"),
    ({"kernel_arguments": [{"operation": "append", "value": "a b"}]}, 400, "a b"),
    ({"ignition_config_override": '{"ignition": {"version": "3.2.0"}}'}, 201, ""),
    ({"ignition_config_override": "no"}, 400, "error parsing ignition: "),
    ({"ignition_config_override": '{"ignition": {"version": "2.2.0"}}'}, 400, "error parsing ignition: "),
    ({"additional_ntp_sources": "a", "ntp_sources": "b"}, 400, "mutually exclusive"),
    ({"ssh_authorized_key": "nonsense"}, 400, "SSH key"),
    ({"proxy": {"http_proxy": "https://x"}}, 400, "http_proxy"),
    ({"rendezvous_ip": "192.0.2.1"}, 400, "disconnected-iso"),
    ({"additional_trust_bundle": "x"}, 400, "trust bundle"),
    ({"static_network_config": [{"network_yaml": "interfaces: []"}]}, 400, "at least one interface for host 0 must be provided"),
    (
        {"static_network_config": [{"network_yaml": "{", "mac_interface_map": [{"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"}]}]},
        400,
        "failed to validate network yaml for host 0",
    ),
    (
        {
            "static_network_config": [
                {
                    "network_yaml": "interfaces: [{name: eth1, type: ethernet}]",
                    "mac_interface_map": [
                        {"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"},
                        {"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"},
                    ],
                }
            ]
        },
        400,
        "MAC address 02:00:00:00:00:01 is not unique; .*eth0 is not unique; mac-interface mapping for interface eth1 is missing",
    ),
    (
        {
            "static_network_config": [
                {
                    "network_yaml": "interfaces: [{name: bond0, type: bond, link-aggregation: {port: [enp1s0, eth0]}}, {name: eth5, identifier: mac-address}]",
                    "mac_interface_map": [{"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"}],
                }
            ]
        },
        201,
        "",
    ),
]


@pytest.mark.parametrize(("more", "status", "text"), INFRA_ENVS, ids=[json.dumps(row[0])[:70] for row in INFRA_ENVS])
def test_infra_env_rules(more: dict[str, Any], status: int, text: str) -> None:
    import re

    async def flow() -> None:
        async with Rig(1) as rig:
            found = await rig.user.call("POST", "/infra-envs", {"name": "x", "pull_secret": PULL_SECRET, **more})
            assert found[0] == status, found
            assert re.search(text, "" if status == 201 else found[1]["reason"]), found

    run(flow())


def test_infra_env_downloads() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/infra-envs/{INFRA_ENV_ID}"
            networks = [{"network_yaml": "interfaces: []", "mac_interface_map": [{"mac_address": "02:00:00:00:00:0A", "logical_nic_name": "eth0"}]}]
            changed = await rig.user.patch(path, {"static_network_config": networks, "kernel_arguments": [{"operation": "append", "value": "a=b"}]})
            assert json.loads(changed["static_network_config"]) == networks and json.loads(changed["kernel_arguments"])[0]["value"] == "a=b"
            await rig.user.patch(path, {"ignition_config_override": json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "/etc/x"}]}})})
            ignition = json.loads(await rig.user.get(f"{path}/downloads/files", params={"file_name": "discovery.ign"}))
            assert ignition["ignition"]["version"] == "3.1.0" and {"/etc/x", "/root/.docker/config.json"} <= {f["path"] for f in ignition["storage"]["files"]}
            script = (await rig.user.get(f"{path}/downloads/files", params={"file_name": "ipxe-script"})).decode()
            assert script.startswith("#!ipxe\ninitrd --name initrd ") and script.endswith("\nboot\n") and " a=b" in script
            content = await rig.user.get(f"{path}/downloads/files", params={"file_name": "static-network-config"})
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                member = archive.extractfile("/etc/assisted/network/host0/mac_interface.ini")
                assert member is not None and member.read() == b"02:00:00:00:00:0A=eth0"
            url = await rig.user.get(f"{path}/downloads/image-url")
            assert url["url"].endswith(f"/byid/{INFRA_ENV_ID}/4.22/x86_64/full.iso")
            assert (await rig.user.call("GET", f"{path}/downloads/minimal-initrd"))[0] == 204
            await rig.user.patch(path, {"image_type": "minimal-iso"})
            assert (await rig.user.call("GET", f"{path}/downloads/minimal-initrd"))[0] == 200
            assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": "x"}))[0] == 400
            assert (await rig.user.call("POST", f"{path}/regenerate-signing-key"))[0] == 204
            assert (await rig.user.call("DELETE", path))[0] == 204

    run(flow())


def test_registration_and_first_answers() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            status, host = await agent.register()
            assert (status, host["status"], host["status_info"]) == (201, "discovering", "Waiting for host to send hardware details")
            assert host["requested_hostname"] == agent.machine.id and host["role"] == "auto-assign"
            command = host["next_step_runner_command"]
            assert (command["command"], command["retry_seconds"]) == ("", 0) and json.loads(command["args"][0])["host_id"] == agent.machine.id
            answer = await agent.poll()
            assert (answer["next_instruction_seconds"], answer["post_step_action"]) == (60, "continue")
            assert [step["step_type"] for step in answer["instructions"]] == ["inventory"]
            host = await rig.user.get(agent.path)
            assert (host["requested_hostname"], host["installation_disk_path"], host["timestamp"] > 0) == ("host-1", "/dev/sda", True)
            status, again = await agent.register()
            assert status == 201 and "status" not in again
            assert (await rig.user.get(agent.path))["status"] == "discovering"
            assert (await rig.user.call("DELETE", agent.path))[0] == 204
            assert (await rig.user.call("DELETE", f"/infra-envs/{INFRA_ENV_ID}"))[0] == 204

    run(flow())


def test_infra_env_with_hosts_stays() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            await discovered(rig, Machine(1))
            status, answer = await rig.user.call("DELETE", f"/infra-envs/{INFRA_ENV_ID}")
            assert (status, answer["reason"]) == (400, f"failed to deregister infraEnv {INFRA_ENV_ID}, 1 hosts are still associated")

    run(flow())


DISK = "/dev/disk/by-id/wwn-sda"
HOST_CHANGES: list[tuple[str, dict[str, Any], int, str]] = [
    ("name", {"host_name": "master-0"}, 201, ""),
    ("name forbidden", {"host_name": "localhost"}, 400, "forbidden"),
    ("name bad", {"host_name": "Master_0"}, 400, "regex"),
    ("role", {"host_role": "worker"}, 201, ""),
    ("role bad", {"host_role": "boss"}, 400, ""),
    ("disk", {"disks_selected_config": [{"id": DISK, "role": "install"}]}, 201, ""),
    ("disk by name", {"disks_selected_config": [{"id": "/dev/sda", "role": "install"}]}, 201, ""),
    (
        "disk unknown",
        {"disks_selected_config": [{"id": "/dev/not-found-by-hints", "role": "install"}]},
        409,
        "Requested installation disk is not part of the host's valid disks",
    ),
    ("no disk", {"disks_selected_config": []}, 409, "Requested installation disk is not part of the host's valid disks"),
    ("two disks", {"disks_selected_config": [{"id": DISK, "role": "install"}] * 2}, 409, "duplicate setting of installation path by the user"),
    ("skip", {"disks_skip_formatting": [{"disk_id": DISK, "skip_formatting": True}]}, 201, ""),
    ("skip unknown", {"disks_skip_formatting": [{"disk_id": "x", "skip_formatting": True}]}, 400, ""),
    ("labels", {"node_labels": [{"key": "example.com/role", "value": "edge"}, {"key": "x", "value": ""}]}, 201, ""),
    ("label bad", {"node_labels": [{"key": "a b", "value": ""}]}, 400, ""),
    ("fencing", {"fencing_credentials": {"address": "redfish://x", "username": "u", "password": "p"}}, 201, ""),
    ("pool", {"machine_config_pool_name": "infra"}, 201, ""),
    ("token", {"ignition_endpoint_token": "t"}, 201, ""),
    ("unknown", {"hostname": "x"}, 400, ""),
    ("nulls", {"host_role": None, "disks_selected_config": None, "node_labels": None}, 201, ""),
]


@pytest.mark.parametrize(("body", "status", "text"), [row[1:] for row in HOST_CHANGES], ids=[row[0] for row in HOST_CHANGES])
def test_host_changes(body: dict[str, Any], status: int, text: str) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            found = await rig.user.call("PATCH", agent.path, body)
            assert found[0] == status, found
            assert text in json.dumps(found[1])

    run(flow())


WRONG_STATE = {
    "host_role": ("worker", 500),
    "host_name": ("x", 409),
    "disks_selected_config": ([{"id": DISK, "role": "install"}], 409),
    "disks_skip_formatting": ([{"disk_id": DISK, "skip_formatting": True}], 500),
    "machine_config_pool_name": ("x", 409),
    "node_labels": ([{"key": "a", "value": "b"}], 500),
    "ignition_endpoint_token": ("x", 409),
    "ignition_endpoint_http_headers": ([{"key": "a", "value": "b"}], 500),
}


@pytest.mark.parametrize("member", sorted(WRONG_STATE))
def test_host_changes_in_the_wrong_state(member: str) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            rig.service.core.host(INFRA_ENV_ID, agent.machine.id).status = "installing-in-progress"
            value, code = WRONG_STATE[member]
            status, answer = await rig.user.call("PATCH", agent.path, {member: value})
            assert (status, answer["code"]) == (code, str(code))
            assert "Host is in installing-in-progress state" in answer["reason"]

    run(flow())


def test_a_refused_member_undoes_the_others() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            body = {"host_role": "worker", "host_name": "renamed", "disks_selected_config": []}
            assert (await rig.user.call("PATCH", agent.path, body))[0] == 409
            host = await rig.user.get(agent.path)
            assert (host["requested_hostname"], host["role"]) == ("host-1", "auto-assign")

    run(flow())


def test_a_changed_host_shows_it() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            body = {"host_role": "worker", "host_name": "w", "node_labels": [{"key": "a", "value": "b"}], "ignition_endpoint_token": "t"}
            host = await rig.user.patch(agent.path, body)
            assert (host["role"], host["suggested_role"], host["requested_hostname"], host["node_labels"]) == ("worker", "worker", "w", '{"a":"b"}')
            assert host["ignition_endpoint_token_set"] is True and "ignition_endpoint_token" not in host
            host = await rig.user.patch(f"{agent.path}/installer-args", {"args": ["--append-karg", "ip=x"]})
            assert json.loads(host["installer_args"]) == ["--append-karg", "ip=x"]
            assert (await rig.user.call("PATCH", f"{agent.path}/installer-args", {"args": ["--evil"]}))[0] == 400
            assert await rig.user.call("PATCH", f"{agent.path}/ignition", {"config": '{"ignition": {"version": "3.2.0"}}'}) == (201, b"")
            assert (await rig.user.get(f"{agent.path}/ignition"))["config"] == '{"ignition": {"version": "3.2.0"}}'
            assert (await rig.user.call("PATCH", f"{agent.path}/ignition", {"config": "no"}))[0] == 400
            path = f"/infra-env/{INFRA_ENV_ID}/hosts/{agent.machine.id}/downloads/ignition"
            assert json.loads(await rig.user.get(path))["ignition"]["version"] == "3.2.0"
            assert (await rig.user.call("PATCH", f"{agent.path}/actions/reset-validation/connected"))[0] == 400
            assert (await rig.user.call("PATCH", f"{agent.path}/actions/reset-validation/container-images-available"))[0] == 200
            assert (await rig.user.call("POST", f"{agent.path}/actions/install"))[0] == 409
            assert (await rig.user.call("POST", f"{agent.path}/actions/reset"))[0] == 409
            assert (await rig.user.call("POST", f"{agent.path}/actions/unbind"))[0] == 409
            listed = await rig.user.get(f"/clusters/{rig.cluster['id']}/hosts", params={"role": "worker"})
            assert len(listed) == 1 and "inventory" not in listed[0]
            listed = await rig.user.get(f"/clusters/{rig.cluster['id']}/hosts", params={"with-inventory": "true"})
            assert json.loads(listed[0]["inventory"])["hostname"] == "host-1"

    run(flow())


def test_steps_with_unreadable_answers() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            path = f"{agent.path}/instructions"
            status, _ = await rig.agent.call("POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 0, "output": "no json"})
            assert status == 400
            status, _ = await rig.agent.call("POST", path, {"step_type": "free-network-addresses", "step_id": "x", "exit_code": 0, "output": "{}"})
            assert status == 400
            status, _ = await rig.agent.call("POST", path, {"step_type": "domain-resolution", "step_id": "x", "exit_code": 0, "output": '{"resolutions": []}'})
            assert status == 400
            status, _ = await rig.agent.call("POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 1, "error": "failed"})
            assert status == 204
            status, _ = await rig.agent.call("POST", path, {"step_type": "nonsense"})
            assert status == 400
            status, _ = await rig.agent.call("POST", path, {"step_type": "inventory", "step_id": "x", "exit_code": 256})
            assert (await rig.user.get(agent.path))["media_status"] == "disconnected"

    run(flow())


def test_late_binding() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            rig.cluster = await rig.user.post("/clusters", cluster_params())
            await rig.user.post("/infra-envs", {"name": "late", "pull_secret": PULL_SECRET})
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            _, host = await agent.register()
            assert host["status"] == "discovering-unbound" and "cluster_id" not in host
            bind = {"cluster_id": rig.cluster["id"]}
            assert (await rig.user.call("POST", f"{agent.path}/actions/bind", bind))[0] == 500
            assert (await rig.user.call("GET", f"{agent.path}/ignition"))[0] == 404
            await agent.poll()
            assert (await rig.user.get(agent.path))["status"] == "known-unbound"
            bound = await rig.user.post(f"{agent.path}/actions/bind", bind, expect=200)
            assert (bound["status"], bound["cluster_id"]) == ("binding", rig.cluster["id"])
            assert (await rig.user.call("POST", f"{agent.path}/actions/bind", bind))[0] == 409
            answer = await agent.poll()
            assert (answer["next_instruction_seconds"], answer["post_step_action"]) == (0, "exit")
            await agent.register()
            assert (await rig.user.get(agent.path))["status"] == "discovering"
            for _ in range(2):
                await agent.poll()
            unbound = await rig.user.post(f"{agent.path}/actions/unbind", expect=200)
            assert unbound["status"] == "unbinding"
            await agent.register()
            host = await rig.user.get(agent.path)
            assert host["status"] == "discovering-unbound" and "cluster_id" not in host

    run(flow())


def test_day_two() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            body = {"name": "ignored", "api_vip_dnsname": "api.demo.lab.example.com", "openshift_cluster_id": NOBODY}
            rig.cluster = await rig.user.post("/clusters/import", body)
            assert (rig.cluster["kind"], rig.cluster["status"], rig.cluster["imported"]) == ("AddHostsCluster", "adding-hosts", True)
            assert (rig.cluster["name"], rig.cluster["base_dns_domain"]) == ("demo", "lab.example.com") and rig.cluster["id"] != NOBODY
            endpoint = {"url": "https://api-int.demo.lab.example.com:22623/config/worker", "ca_certificate": base64.b64encode(CERTIFICATE.encode()).decode()}
            body = {"user_managed_networking": True, "ignition_endpoint": endpoint, "api_vips": None, "olm_operators": None}
            await rig.user.patch(f"/clusters/{rig.cluster['id']}", body)
            await rig.user.post("/infra-envs", {"name": "x", "pull_secret": PULL_SECRET, "cluster_id": rig.cluster["id"]})
            agent = ScriptedAgent(rig.agent, Machine(1), rig.clock)
            agent.reply_api_vip_connectivity_check = lambda args: {"is_success": True, "url": json.loads(args[0])["url"]}  # type: ignore[attr-defined]
            _, host = await agent.register()
            assert (host["kind"], host["role"]) == ("AddToExistingClusterHost", "worker")
            for _ in range(3):
                await agent.poll()
            assert (await rig.user.get(agent.path))["status"] == "known"
            installing = await rig.user.post(f"{agent.path}/actions/install", expect=202)
            assert installing["status"] == "installing"
            for stage in ("Starting installation", "Installing", "Writing image to disk", "Rebooting"):
                assert (await agent.progress(stage))[0] == 200
            host = await rig.user.get(agent.path)
            assert (host["status"], host["progress"]["current_stage"]) == ("added-to-existing-cluster", "Done")

    run(flow())


def test_ignored_validations() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}/ignored-validations"
            body = {"host-validation-ids": '["ntp-synced"]', "cluster-validation-ids": '["all"]'}
            status, answer = await rig.user.call("PUT", path, body)
            assert (status, json.loads(answer["cluster-validation-ids"])) == (201, ["all"])
            assert json.loads((await rig.user.get(path))["host-validation-ids"]) == ["ntp-synced"]
            for member, name in (("cluster-validation-ids", "api-vips-defined"), ("host-validation-ids", "connected")):
                status, answer = await rig.user.call("PUT", path, {member: json.dumps([name])})
                kind = member.split("-")[0]
                assert (status, answer["reason"]) == (400, f"unable to ignore the following {kind} validations ({name})")
            assert (await rig.user.call("PUT", path, {"host-validation-ids": "no json"}))[0] == 400

    run(flow())


def test_credentials_and_files_by_state() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            cluster = rig.service.core.cluster(rig.cluster["id"])
            path = f"/clusters/{cluster.id}"
            status, answer = await rig.user.call("GET", f"{path}/downloads/credentials", params={"file_name": "kubeconfig"})
            assert status == 409 and answer["reason"].startswith(f"cluster {cluster.id} is in insufficient state, files can be downloaded only when")
            rig.service.core.start_installation(cluster)
            cluster.status = "installing"
            early = ("kubeconfig-noingress", "kubeadmin-password")
            for name in early:
                assert (await rig.user.call("GET", f"{path}/downloads/credentials", params={"file_name": name}))[0] == 200
            assert (await rig.user.call("GET", f"{path}/downloads/credentials", params={"file_name": "kubeconfig"}))[0] == 409
            for name in ("master.ign", "metadata.json", "install-config.yaml", "custom_manifests.json"):
                assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": name}))[0] == 200
            assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": "other"}))[0] == 400
            assert (await rig.user.call("GET", f"{path}/downloads/files-presigned", params={"file_name": "master.ign"}))[0] == 400
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", CERTIFICATE))[0] == 400
            cluster.status = "finalizing"
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", "no pem"))[0] == 500
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", CERTIFICATE))[0] == 201
            assert rig.user.session is not None
            url = f"{rig.service.url}{API}{path}/downloads/credentials?file_name=kubeconfig"
            async with rig.user.session.get(url) as response:
                assert response.headers["Content-Disposition"] == 'attachment; filename="kubeconfig"'
                assert response.content_type == "application/octet-stream" and "certificate-authority-data" in await response.text()

    run(flow())


def test_credentials_wait_for_the_console_elsewhere() -> None:
    async def flow() -> None:
        async with Rig(1, INSTALL_INVOKER="assisted-service") as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}"
            status, answer = await rig.user.call("GET", f"{path}/credentials")
            assert status == 409 and answer["reason"].startswith("console-url isn't available yet")
            await rig.agent.call("PUT", f"{path}/monitored-operators", {"name": "console", "status": "available"})
            assert (await rig.user.get(f"{path}/credentials"))["username"] == "kubeadmin"
            assert (await rig.agent.call("PUT", f"{path}/monitored-operators", {"name": "nothing", "status": "available"}))[0] == 404
            assert (await rig.agent.get(f"{path}/monitored-operators", params={"operator_name": "console"}))[0]["status"] == "available"

    run(flow())


def test_logs_and_events() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            agent = await discovered(rig, Machine(1))
            path = f"/clusters/{rig.cluster['id']}/logs"
            assert (await rig.user.call("GET", path, params={"logs_type": "controller"}))[0] == 409
            status, answer = await rig.user.call("GET", path, params={"logs_type": "host", "host_id": agent.machine.id})
            assert (status, answer["reason"]) == (409, f"Logs for host {agent.machine.id} were not found")
            form = aiohttp.FormData()
            form.add_field("upfile", b"logs", filename="x.tar.gz")
            assert rig.agent.session is not None
            query = {"logs_type": "host", "infra_env_id": INFRA_ENV_ID, "host_id": agent.machine.id}
            async with rig.agent.session.post(rig.service.url + API + path, data=form, params=query) as response:
                assert response.status == 204
            assert await rig.user.get(path, params={"logs_type": "host", "host_id": agent.machine.id}) == b"logs"
            with tarfile.open(fileobj=io.BytesIO(await rig.user.get(path))) as archive:
                assert "cluster_events.json" in archive.getnames()
            assert (await rig.agent.call("PUT", f"{agent.path}/logs-progress", {"logs_state": "completed"}))[0] == 204
            assert (await rig.agent.call("PUT", f"/clusters/{rig.cluster['id']}/logs-progress", {"logs_state": "requested"}))[0] == 204
            event = {"severity": "warning", "message": "odd", "event_time": "2026-11-21T10:00:00.000Z", "cluster_id": rig.cluster["id"], "name": "x"}
            assert (await rig.agent.call("POST", "/events", event))[0] == 201
            everything = await rig.user.get("/events", params={"cluster_id": rig.cluster["id"]})
            assert everything[-1]["message"] == "odd"
            assert rig.user.session is not None
            query = {"cluster_id": rig.cluster["id"], "severities": "warning", "order": "descending", "limit": "1"}
            async with rig.user.session.get(rig.service.url + API + "/events", params=query) as response:
                assert [item["message"] for item in await response.json()] == ["odd"]
                assert int(response.headers["Event-Count"]) >= 1 and int(response.headers["Severity-Count-Info"]) > 0
            assert (await rig.user.get("/events", params={"limit": "0"})) == []
            assert (await rig.user.get("/events", params={"message": "ODD"}))[0]["name"] == "x"
            only = await rig.user.get("/events", params={"host_ids": agent.machine.id})
            assert only and {item["host_id"] for item in only} == {agent.machine.id}
            assert (await rig.user.call("GET", "/events", params={"severities": "fatal"}))[0] == 400

    run(flow())


CATALOGUE = [
    ("/component-versions", {}, 200),
    ("/openshift-versions", {"only_latest": "true"}, 200),
    ("/release-sources", {}, 200),
    ("/domains", {}, 200),
    ("/supported-operators", {}, 200),
    ("/supported-operators/lvm", {}, 200),
    ("/supported-operators/none", {}, 404),
    ("/operators/bundles", {}, 200),
    ("/operators/bundles/virtualization", {}, 200),
    ("/operators/bundles/none", {}, 404),
    ("/support-levels/features", {"openshift_version": "4.22"}, 200),
    ("/support-levels/features", {}, 400),
    ("/support-levels/features/detailed", {"openshift_version": "4.18"}, 200),
    ("/support-levels/architectures", {"openshift_version": "4.20"}, 200),
    ("/clusters/default-config", {}, 200),
]


@pytest.mark.parametrize(("path", "query", "status"), CATALOGUE)
def test_catalogue(path: str, query: dict[str, str], status: int) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            found = await rig.user.call("GET", path, params=query)
            assert found[0] == status, found

    run(flow())


def test_small_settings_of_a_cluster() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create(single_node_params())
            path = f"/clusters/{rig.cluster['id']}"
            assert await rig.user.call("PUT", f"{path}/ui-settings", "opaque") == (200, "opaque")
            assert await rig.user.get(f"{path}/ui-settings") == "opaque"
            requirements = await rig.user.get(f"{path}/preflight-requirements")
            assert requirements["ocp"]["master"]["quantitative"]["cpu_cores"] == 4
            assert "none" in await rig.user.get(f"{path}/supported-platforms")
            assert (await rig.agent.call("POST", f"{path}/actions/complete-installation", {"is_success": True}))[0] == 202
            created = await rig.user.post("/clusters/disconnected", {"name": "far", "openshift_version": "4.22"})
            assert (created["kind"], created["status"]) == ("DisconnectedCluster", "unmonitored")
            assert len(await rig.user.get("/clusters", params={"with_hosts": "true"})) == 2

    run(flow())


def test_faults_of_the_service() -> None:
    async def flow() -> None:
        async with Rig(10) as rig:
            await rig.create()
            rig.faults.add("service-500", options={"path": "/infra-envs"})
            assert (await rig.user.call("GET", "/clusters"))[0] == 200
            assert (await rig.user.call("GET", "/infra-envs"))[1]["code"] == "500"
            assert (await rig.user.call("GET", "/infra-envs"))[0] == 200
            rig.faults.add("service-503")
            assert (await rig.user.call("GET", "/clusters"))[0] == 503
            rig.faults.add("service-slow", options={"seconds": "2"})
            before = rig.clock.now()
            await rig.user.get("/clusters")
            assert rig.clock.now() - before >= 2
            assert rig.service.requests["GET /v2/clusters"] == 2

    run(flow())


def test_answers_are_compressed_on_request() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            assert rig.user.session is not None
            async with rig.user.session.get(rig.service.url + API + "/clusters", headers={"Accept-Encoding": "gzip"}) as response:
                assert response.headers["Content-Encoding"] == "gzip" and (await response.json())[0]["name"] == "demo"

    run(flow())
