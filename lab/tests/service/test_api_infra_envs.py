# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test InfraEnvs of the assisted-service over HTTP: validation rules and downloads."""

from __future__ import annotations

import io
import json
import re
import tarfile
from typing import Any

import pytest

from .flows import discovered, run
from .scripted import INFRA_ENV_ID, PULL_SECRET, Machine, Rig

INFRA_ENVS: list[tuple[dict[str, Any], int, str]] = [
    ({"kernel_arguments": [{"operation": "append", "value": 'a="b c"'}]}, 201, ""),
    (
        {"kernel_arguments": [{"operation": "delete", "value": "a"}]},
        400,
        ("Only kernel argument operation append is supported.  Got delete"),
    ),
    (
        {"kernel_arguments": [{"operation": "append", "value": "a b"}]},
        400,
        "kernel_arguments.0.value in body should match",
    ),
    ({"ignition_config_override": '{"ignition": {"version": "3.2.0"}}'}, 201, ""),
    ({"ignition_config_override": "no"}, 400, "error parsing ignition: "),
    ({"ignition_config_override": '{"ignition": {"version": "2.2.0"}}'}, 400, "error parsing ignition: "),
    ({"additional_ntp_sources": "a", "ntp_sources": "b"}, 400, "mutually exclusive"),
    ({"ssh_authorized_key": "nonsense"}, 400, "SSH key"),
    ({"proxy": {"http_proxy": "https://x"}}, 400, "Failed to validate HTTP Proxy"),
    ({"rendezvous_ip": "192.0.2.1"}, 400, "RendezvousIP is only supported for disconnected ISO infra-envs"),
    ({"additional_trust_bundle": "x"}, 400, "invalid block"),
    (
        {"static_network_config": [{"network_yaml": "interfaces: []"}]},
        400,
        ("at least one interface for host 0 must be provided"),
    ),
    (
        {
            "static_network_config": [
                {
                    "network_yaml": "{",
                    "mac_interface_map": [{"mac_address": "02:00:00:00:00:01", "logical_nic_name": "eth0"}],
                }
            ]
        },
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
        (
            "2 errors occurred:\n\t\\* MACs and Interfaces for host 0 must be unique\n\t\\* mac-interface mapping for "
            "interface eth1 is missing"
        ),
    ),
    (
        {
            "static_network_config": [
                {
                    "network_yaml": (
                        "interfaces: [{name: bond0, type: bond, link-aggregation: {port: [enp1s0, eth0]}}, {name: "
                        "eth5, identifier: mac-address}]"
                    ),
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
    async def flow() -> None:
        async with Rig(1) as rig:
            found = await rig.user.call("POST", "/infra-envs", {"name": "x", "pull_secret": PULL_SECRET, **more})
            assert found[0] == status, found
            assert re.search(text, "" if status == 201 else found[1].get("reason") or found[1]["message"]), found

    run(flow())


def test_infra_env_downloads() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/infra-envs/{INFRA_ENV_ID}"
            networks = [
                {
                    "network_yaml": "interfaces: []",
                    "mac_interface_map": [{"mac_address": "02:00:00:00:00:0A", "logical_nic_name": "eth0"}],
                }
            ]
            changed = await rig.user.patch(
                path, {"static_network_config": networks, "kernel_arguments": [{"operation": "append", "value": "a=b"}]}
            )
            assert (
                json.loads(changed["static_network_config"]) == networks
                and json.loads(changed["kernel_arguments"])[0]["value"] == "a=b"
            )
            await rig.user.patch(
                path,
                {
                    "ignition_config_override": json.dumps(
                        {"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "/etc/x"}]}}
                    )
                },
            )
            ignition = json.loads(await rig.user.get(f"{path}/downloads/files", params={"file_name": "discovery.ign"}))
            assert ignition["ignition"]["version"] == "3.1.0" and {"/etc/x", "/root/.docker/config.json"} <= {
                f["path"] for f in ignition["storage"]["files"]
            }
            script = (await rig.user.get(f"{path}/downloads/files", params={"file_name": "ipxe-script"})).decode()
            assert (
                script.startswith("#!ipxe\ninitrd --name initrd ") and script.endswith("\nboot\n") and " a=b" in script
            )
            content = await rig.user.get(f"{path}/downloads/files", params={"file_name": "static-network-config"})
            with tarfile.open(fileobj=io.BytesIO(content)) as archive:
                member = archive.extractfile("/etc/assisted/network/host0/mac_interface.ini")
                assert member is not None and member.read() == b"02:00:00:00:00:0A=eth0"
            url = await rig.user.get(f"{path}/downloads/image-url")
            assert url["url"].endswith(f"/byid/{INFRA_ENV_ID}/4.22.0/x86_64/full.iso")
            assert (await rig.user.call("GET", f"{path}/downloads/minimal-initrd"))[0] == 204
            await rig.user.patch(path, {"image_type": "minimal-iso"})
            assert (await rig.user.call("GET", f"{path}/downloads/minimal-initrd"))[0] == 200
            assert (await rig.user.call("GET", f"{path}/downloads/files", params={"file_name": "x"}))[0] == 400
            assert (await rig.user.call("POST", f"{path}/regenerate-signing-key"))[0] == 204
            assert (await rig.user.call("DELETE", path))[0] == 204

    run(flow())


def test_infra_env_with_hosts_stays() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            await discovered(rig, Machine(1))
            status, answer = await rig.user.call("DELETE", f"/infra-envs/{INFRA_ENV_ID}")
            assert (status, answer["reason"]) == (
                400,
                (f"failed to deregister infraEnv {INFRA_ENV_ID}, 1 hosts are still associated"),
            )

    run(flow())
