# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test credentials, downloads, logs and events of the assisted-service over HTTP."""

from __future__ import annotations

import io
import tarfile

import aiohttp

from .flows import discovered, run
from .scripted import API, CERTIFICATE, INFRA_ENV_ID, Machine, Rig


def test_credentials_and_files_by_state() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            cluster = rig.service.core.cluster(rig.cluster["id"])
            path = f"/clusters/{cluster.id}"
            status, answer = await rig.user.call(
                "GET", f"{path}/downloads/credentials", params={"file_name": "kubeconfig"}
            )
            assert status == 409 and answer["reason"].startswith(
                f"cluster {cluster.id} is in insufficient state, kubeconfig-noingress can be downloaded only when"
            )
            rig.service.core.start_installation(cluster)
            cluster.status = "installing"
            for name in ("kubeconfig-noingress", "kubeadmin-password", "kubeconfig"):
                assert (await rig.user.call("GET", f"{path}/downloads/credentials", params={"file_name": name}))[
                    0
                ] == 200
            for name, code in (
                ("master.ign", 200),
                ("metadata.json", 200),
                ("install-config.yaml", 200),
                ("custom_manifests.json", 409),
            ):
                assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": name}))[0] == code
            assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": "other"}))[0] == 400
            assert (
                await rig.user.call("GET", f"{path}/downloads/files-presigned", params={"file_name": "master.ign"})
            )[0] == 400
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", CERTIFICATE))[0] == 400
            cluster.status = "finalizing"
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", "no pem"))[0] == 500
            assert (await rig.agent.call("POST", f"{path}/uploads/ingress-cert", CERTIFICATE))[0] == 201
            assert rig.user.session is not None
            url = f"{rig.service.url}{API}{path}/downloads/credentials?file_name=kubeconfig"
            async with rig.user.session.get(url) as response:
                assert response.headers["Content-Disposition"] == 'attachment; filename="kubeconfig"'
                assert (
                    response.content_type == "application/octet-stream"
                    and "certificate-authority-data" in await response.text()
                )

    run(flow())


def test_credentials_wait_for_the_console_elsewhere() -> None:
    async def flow() -> None:
        async with Rig(1, INSTALL_INVOKER="assisted-service") as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}"
            status, answer = await rig.user.call("GET", f"{path}/credentials")
            assert status == 409 and answer["reason"].startswith("console-url isn't available yet")
            await rig.agent.call("PUT", f"{path}/monitored-operators", {"name": "console", "status": "available"})
            assert (await rig.user.call("GET", f"{path}/credentials"))[0] == 500
            rig.service.core.start_installation(rig.service.core.cluster(rig.cluster["id"]))
            assert (await rig.user.get(f"{path}/credentials"))["username"] == "kubeadmin"
            assert (
                await rig.agent.call("PUT", f"{path}/monitored-operators", {"name": "nothing", "status": "available"})
            )[0] == 404
            assert (await rig.agent.get(f"{path}/monitored-operators", params={"operator_name": "console"}))[0][
                "status"
            ] == "available"

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
            assert (
                await rig.agent.call("PUT", f"/clusters/{rig.cluster['id']}/logs-progress", {"logs_state": "requested"})
            )[0] == 204
            event = {
                "severity": "warning",
                "message": "odd",
                "event_time": "2026-11-21T10:00:00.000Z",
                "cluster_id": rig.cluster["id"],
                "name": "x",
            }
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
