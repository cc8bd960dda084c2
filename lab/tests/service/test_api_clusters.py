# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test clusters of the assisted-service over HTTP: creation, change, overrides, ignored validations, small settings.

The rig checks every response against the API description.
"""

from __future__ import annotations

import json

from .flows import run
from .scripted import API, INFRA_ENV_ID, PULL_SECRET, Rig, single_node_params


def test_cluster_as_it_is_created() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            cluster = await rig.create()
            assert (cluster["status"], cluster["kind"], cluster["href"]) == (
                "insufficient",
                "Cluster",
                f"{API}/clusters/{cluster['id']}",
            )
            assert cluster["pull_secret_set"] is True and "pull_secret" not in cluster
            assert cluster["api_vips"] == [{"cluster_id": cluster["id"], "ip": "192.0.2.5"}]
            assert cluster["platform"] == {"type": "baremetal", "external": {}}
            assert cluster["last-installation-preparation"] == {}
            assert cluster["install_started_at"] == "0001-01-01T00:00:00.000Z"
            assert [item["name"] for item in cluster["monitored_operators"]] == ["console"]
            infra_env = await rig.user.get(f"/infra-envs/{INFRA_ENV_ID}")
            assert (infra_env["type"], infra_env["openshift_version"], infra_env["cluster_id"]) == (
                "full-iso",
                "4.22.0",
                cluster["id"],
            )
            other = await rig.user.post("/infra-envs", {"name": "second", "pull_secret": PULL_SECRET})
            assert other["id"] != INFRA_ENV_ID and "cluster_id" not in other
            assert [item["id"] for item in await rig.user.get("/infra-envs", params={"cluster_id": cluster["id"]})] == [
                INFRA_ENV_ID
            ]
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
            assert "api-vip <192.0.2.5> does not belong to machine-network-cidr <10.0.0.0/16>" in refused["reason"]
            refused = await rig.user.patch(path, {"machine_networks": [{"cidr": "192.0.2.0/24"}]}, expect=400)
            assert refused["reason"].startswith("Setting the Machine Network CIDR is forbidden")
            assert (await rig.user.patch(path, {"openshift_version": "4.22"}, expect=400))["code"] == 400
            rig.service.core.cluster(rig.cluster["id"]).status = "installing"
            assert (await rig.user.patch(path, {"name": "Bad Name"}, expect=400))["code"] == "400"
            assert (await rig.user.patch(path, {"name": "fine"}, expect=409))["code"] == "409"
            assert (await rig.user.call("DELETE", path))[0] == 409
            rig.service.core.cluster(rig.cluster["id"]).status = "insufficient"
            assert (await rig.user.call("DELETE", path))[0] == 204
            assert (await rig.user.call("GET", path))[0] == 404
            assert (await rig.user.get("/events", params={"cluster_id": rig.cluster["id"]}))[-1][
                "name"
            ] == "cluster_deregistered"

    run(flow())


MANAGED = {"provisioningNetwork": "Disabled", "apiVIPs": ["192.0.2.5"], "ingressVIPs": ["192.0.2.6"]}


def test_install_config_overrides() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}/install-config"
            assert await rig.user.call("PATCH", path, '{"fips": true, "platform": {"baremetal": {"hosts": [1]}}}') == (
                201,
                b"",
            )
            cluster = await rig.user.get(f"/clusters/{rig.cluster['id']}")
            assert cluster["install_config_overrides"] == '{"fips": true, "platform": {"baremetal": {"hosts": [1]}}}'
            document = json.loads(await rig.user.get(path))
            vips = document["platform"]["baremetal"]
            assert document["fips"] is True and vips == {
                "provisioningNetwork": "Disabled",
                "apiVIPs": ["192.0.2.5"],
                "ingressVIPs": ["192.0.2.6"],
                "hosts": [1],
            }
            assert "***" in document["pullSecret"] and document["metadata"]["name"] == "demo"
            status, answer = await rig.user.call("PATCH", path, {"fips": True})
            assert status == 400 and isinstance(answer["code"], int)
            status, answer = await rig.user.call("PATCH", path, "no json")
            assert status == 400 and answer["code"] == "400"

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
                assert (status, answer["reason"]) == (
                    400,
                    (
                        f"cannot proceed due to the following errors: unable to ignore the following {kind} "
                        "validations "
                        f"({name})"
                    ),
                )
            assert (await rig.user.call("PUT", path, {"host-validation-ids": "no json"}))[0] == 400

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
            assert (await rig.agent.call("POST", f"{path}/actions/complete-installation", {"is_success": True}))[
                0
            ] == 202
            created = await rig.user.post("/clusters/disconnected", {"name": "far", "openshift_version": "4.22"})
            assert (created["kind"], created["status"]) == ("DisconnectedCluster", "unmonitored")
            assert len(await rig.user.get("/clusters", params={"with_hosts": "true"})) == 2

    run(flow())


def test_answers_are_compressed_on_request() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            assert rig.user.session is not None
            async with rig.user.session.get(
                rig.service.url + API + "/clusters", headers={"Accept-Encoding": "gzip"}
            ) as response:
                assert response.headers["Content-Encoding"] == "gzip" and (await response.json())[0]["name"] == "demo"

    run(flow())
