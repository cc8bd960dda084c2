# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scenarios for test_recorded.py: requests about InfraEnvs, catalogues and access, to which the lab's service must
respond like a real one.
"""

from __future__ import annotations

from typing import Any

from .flows import UNKNOWN
from .replay import ALL, Replay
from .scenarios_clusters import SSH_KEY
from .scripted import PULL_SECRET, cluster_params

MAP = [
    {"mac_address": "02:00:00:00:00:0B", "logical_nic_name": "eth0"},
    {"mac_address": "02:00:00:00:00:0A", "logical_nic_name": "eth1"},
]
YAML = "interfaces:\n- name: eth0\n  type: ethernet\n  state: up\n- name: eth1\n  type: ethernet\n  state: up\n"
ROWS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "kernel arguments": ({"kernel_arguments": [{"operation": "append", "value": 'a="b c"'}]}, ("kernel_arguments",)),
    "kernel argument to delete": ({"kernel_arguments": [{"operation": "delete", "value": "a"}]}, ()),
    "kernel argument with a space": ({"kernel_arguments": [{"operation": "append", "value": "a b"}]}, ()),
    "kernel argument with a quote": ({"kernel_arguments": [{"operation": "append", "value": 'a"b'}]}, ()),
    "kernel argument empty": ({"kernel_arguments": [{"operation": "append", "value": ""}]}, ()),
    "ignition": ({"ignition_config_override": '{"ignition": {"version": "3.2.0"}}'}, ("ignition_config_override",)),
    "ignition no JSON": ({"ignition_config_override": "no"}, ()),
    "ignition of an old version": ({"ignition_config_override": '{"ignition": {"version": "2.2.0"}}'}, ()),
    "ignition of a future version": ({"ignition_config_override": '{"ignition": {"version": "3.9.0"}}'}, ()),
    "ignition without a version": ({"ignition_config_override": "{}"}, ()),
    "ignition invalid": (
        {"ignition_config_override": ('{"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "x"}]}}')},
        (),
    ),
    "ntp": ({"additional_ntp_sources": "192.0.2.1,ntp.example.com"}, ("additional_ntp_sources", "ntp_sources")),
    "ntp twice": ({"additional_ntp_sources": "a", "ntp_sources": "b"}, ()),
    "ntp bad": ({"additional_ntp_sources": "a b"}, ()),
    "ssh key": ({"ssh_authorized_key": SSH_KEY}, ("ssh_authorized_key",)),
    "ssh key bad": ({"ssh_authorized_key": "nonsense"}, ()),
    "proxy": ({"proxy": {"http_proxy": "http://proxy.example.com:3128", "no_proxy": "x"}}, ("proxy",)),
    "proxy of https": ({"proxy": {"http_proxy": "https://proxy.example.com:3128"}}, ()),
    "rendezvous IP": ({"rendezvous_ip": "192.0.2.1"}, ()),
    "rendezvous IP for a disconnected image": (
        {"rendezvous_ip": "192.0.2.1", "image_type": "disconnected-iso"},
        ("type", "rendezvous_ip", "download_url"),
    ),
    "trust bundle bad": ({"additional_trust_bundle": "x"}, ()),
    "image minimal": ({"image_type": "minimal-iso"}, ("type", "download_url")),
    "image unknown": ({"image_type": "cd"}, ()),
    "architecture": ({"cpu_architecture": "aarch64"}, ()),
    "architecture unknown": ({"cpu_architecture": "multi"}, ()),
    "version": ({"openshift_version": "4.22"}, ("openshift_version", "download_url")),
    "version exact": ({"openshift_version": "4.22.0"}, ("openshift_version", "download_url")),
    "version unknown": ({"openshift_version": "4.99"}, ()),
    "cluster unknown": ({"cluster_id": UNKNOWN}, ()),
    "cluster no id": ({"cluster_id": "x"}, ()),
    "pull secret bad": ({"pull_secret": "x"}, ()),
    "pull secret missing": ({"pull_secret": None}, ()),
    "delay": ({"network_discovery_delay_seconds": 5}, ("network_discovery_delay_seconds",)),
    "delay negative": ({"network_discovery_delay_seconds": -1}, ()),
    "networks": (
        {"static_network_config": [{"network_yaml": YAML, "mac_interface_map": MAP}]},
        ("static_network_config",),
    ),
    "networks without a map": ({"static_network_config": [{"network_yaml": YAML}]}, ()),
    "networks with one MAC twice": (
        {
            "static_network_config": [
                {"network_yaml": YAML, "mac_interface_map": [MAP[0], {**MAP[1], "mac_address": MAP[0]["mac_address"]}]}
            ]
        },
        (),
    ),
    "networks with one name twice": (
        {
            "static_network_config": [
                {"network_yaml": YAML, "mac_interface_map": [MAP[0], {**MAP[1], "logical_nic_name": "eth0"}]}
            ]
        },
        (),
    ),
    "networks with a bad MAC": (
        {"static_network_config": [{"network_yaml": YAML, "mac_interface_map": [{**MAP[0], "mac_address": "x"}]}]},
        (),
    ),
    "networks without a MAC": (
        {"static_network_config": [{"network_yaml": YAML, "mac_interface_map": [{"logical_nic_name": "eth0"}]}]},
        (),
    ),
    "networks with a name that is not mapped": (
        {"static_network_config": [{"network_yaml": YAML, "mac_interface_map": MAP[:1]}]},
        (),
    ),
    "networks of two hosts, both wrong": (
        {
            "static_network_config": [
                {"network_yaml": YAML},
                {"network_yaml": YAML, "mac_interface_map": [MAP[0], MAP[0]]},
            ]
        },
        (),
    ),
    "unknown member": ({"cluster": "x"}, ()),
}


async def infra_envs(replay: Replay) -> None:
    replay.known("unknown", UNKNOWN)
    first = await replay.call("late", "POST", "/infra-envs", {"name": "late", "pull_secret": PULL_SECRET}, keep=ALL)
    path = f"/infra-envs/{replay.known('late', first['id'])}"
    cluster = await replay.call("", "POST", "/clusters", cluster_params())
    replay.known("cluster", cluster["id"])
    bound = await replay.call(
        "bound",
        "POST",
        "/infra-envs",
        {"name": "bound", "pull_secret": PULL_SECRET, "cluster_id": cluster["id"]},
        keep=ALL,
    )
    replay.known("bound", bound["id"])
    await replay.call(
        "of a cluster", "GET", f"/infra-envs?cluster_id={cluster['id']}", keep=("id", "cluster_id", "name")
    )
    await replay.call("of no cluster", "GET", f"/infra-envs?cluster_id={UNKNOWN}", keep=("id",))
    for name, (more, keep) in ROWS.items():
        body = {
            key: value for key, value in {"name": "x", "pull_secret": PULL_SECRET, **more}.items() if value is not None
        }
        made = await replay.call(f"create: {name}", "POST", "/infra-envs", body, keep=keep)
        if "id" in made and made.get("kind") == "InfraEnv":
            await replay.call("", "DELETE", f"/infra-envs/{made['id']}")
    for name, (more, keep) in ROWS.items():
        await replay.call(f"patch: {name}", "PATCH", path, more, keep=keep)
    await replay.call(
        "cleared",
        "PATCH",
        path,
        {"additional_ntp_sources": "", "ssh_authorized_key": "", "static_network_config": [], "kernel_arguments": []},
        keep=ALL,
    )
    await replay.call("patch: name", "PATCH", path, {"name": "x"})
    await replay.call("patch of unknown", "PATCH", f"/infra-envs/{UNKNOWN}", {})
    await _downloads(replay, path, first["id"])
    await replay.call("key", "POST", f"{path}/regenerate-signing-key")
    await replay.call("delete", "DELETE", path)
    await replay.call("delete again", "DELETE", path)
    await replay.call("read what is gone", "GET", path)
    await replay.call("cluster with an infra-env goes", "DELETE", f"/clusters/{cluster['id']}")
    await replay.call("infra-env of a cluster that went", "GET", f"/infra-envs/{bound['id']}", keep=("cluster_id",))


async def _downloads(replay: Replay, path: str, identifier: str) -> None:
    await replay.call("", "PATCH", path, {"image_type": "full-iso", "openshift_version": "4.22.0"})
    await replay.call("image URL", "GET", f"{path}/downloads/image-url", keep=ALL)
    for query in (
        "file_name=discovery.ign",
        "file_name=ipxe-script",
        "file_name=static-network-config",
        "file_name=x",
        "",
        "file_name=discovery.ign&ipxe_script_type=x",
    ):
        await replay.call(f"file {query}", "GET", f"{path}/downloads/files?{query}")
    script = (await replay.call("", "GET", f"{path}/downloads/files?file_name=ipxe-script")).decode()
    replay.note("the script's lines", [line.split(" ")[0] for line in script.splitlines()])
    for query in ("file_name=discovery.ign", "file_name=x"):
        await replay.call(
            f"presigned {query}", "GET", f"{path}/downloads/files-presigned?{query}", keep=("expires_at",)
        )
    await replay.call("initrd", "GET", f"{path}/downloads/minimal-initrd")


CATALOGUE = (
    *(
        "/component-versions",
        "/openshift-versions",
        "/openshift-versions?only_latest=true",
        "/openshift-versions?version=4.99",
        "/release-sources",
        "/domains",
    ),
    *(
        "/supported-operators",
        "/supported-operators/lvm",
        "/supported-operators/none",
        "/operators/bundles/none",
        "/operators/bundles/virtualization",
    ),
    *(
        "/support-levels/features",
        "/support-levels/architectures?openshift_version=4.20",
        "/support-levels/architectures",
        "/clusters/default-config",
    ),
    *(
        "/support-levels/features?openshift_version=4.22",
        "/support-levels/features?openshift_version=4.18",
        "/support-levels/features?openshift_version=x",
    ),
    *(
        "/support-levels/features?openshift_version=4.22&cpu_architecture=mips",
        "/support-levels/features?openshift_version=4.22&platform_type=vsphere",
    ),
)
REFUSALS: dict[str, tuple[str, str, Any]] = {
    "unknown cluster": ("GET", f"/clusters/{UNKNOWN}", None),
    "unknown infra-env": ("GET", f"/infra-envs/{UNKNOWN}", None),
    "hosts of an unknown infra-env": ("GET", f"/infra-envs/{UNKNOWN}/hosts", None),
    "unknown host": ("GET", f"/infra-envs/{UNKNOWN}/hosts/{UNKNOWN}", None),
    "delete of an unknown host": ("DELETE", f"/infra-envs/{UNKNOWN}/hosts/{UNKNOWN}", None),
    "patch of an unknown host": ("PATCH", f"/infra-envs/{UNKNOWN}/hosts/{UNKNOWN}", {"host_name": "x"}),
    "no id": ("GET", "/clusters/abc", None),
    "no path": ("GET", "/nothing", None),
    "wrong method": ("PUT", "/clusters", None),
    "wrong method of one": ("POST", f"/clusters/{UNKNOWN}", {}),
    "no body": ("POST", "/clusters", None),
    "member missing": ("POST", "/clusters", {"openshift_version": "4.22", "pull_secret": "x"}),
    "members missing": ("POST", "/clusters", {}),
    "unknown member": ("POST", "/clusters", {"x": 1}),
    "unknown member inside": ("POST", "/clusters", cluster_params(platform={"type": "none", "x": 1})),
    "wrong type": ("POST", "/clusters", cluster_params(control_plane_count="3")),
    "wrong type inside": ("POST", "/clusters", cluster_params(api_vips="192.0.2.5")),
    "too long": ("POST", "/clusters", cluster_params(name="a" * 55)),
    "a list": ("POST", "/clusters", []),
    "bad query": ("GET", "/clusters?with_hosts=perhaps", None),
    "event severity": ("GET", "/events?severities=fatal", None),
    "event order": ("GET", "/events?order=sideways", None),
    "event limit": ("GET", "/events?limit=-2", None),
    "event of no id": ("GET", "/events?cluster_id=x", None),
    "bind to unknown": ("POST", f"/infra-envs/{UNKNOWN}/hosts/{UNKNOWN}/actions/bind", {"cluster_id": UNKNOWN}),
    "image URL of unknown": ("GET", f"/infra-envs/{UNKNOWN}/downloads/image-url", None),
    "manifests of unknown": ("GET", f"/clusters/{UNKNOWN}/manifests", None),
    "manifest for unknown": ("POST", f"/clusters/{UNKNOWN}/manifests", {"file_name": "a.yaml", "content": "YQo="}),
    "install of unknown": ("POST", f"/clusters/{UNKNOWN}/actions/install", None),
    "cancel of unknown": ("POST", f"/clusters/{UNKNOWN}/actions/cancel", None),
    "reset of unknown": ("POST", f"/clusters/{UNKNOWN}/actions/reset", None),
    "overrides of unknown": ("PATCH", f"/clusters/{UNKNOWN}/install-config", "{}"),
    "credentials of unknown": ("GET", f"/clusters/{UNKNOWN}/credentials", None),
    "kubeconfig of unknown": ("GET", f"/clusters/{UNKNOWN}/downloads/credentials?file_name=kubeconfig", None),
    "logs of unknown": ("GET", f"/clusters/{UNKNOWN}/logs", None),
    "hosts of unknown": ("GET", f"/clusters/{UNKNOWN}/hosts", None),
}


async def access(replay: Replay) -> None:
    replay.known("unknown", UNKNOWN)
    for path in CATALOGUE:
        await replay.call(f"catalogue {path}", "GET", path, keep=ALL)
    for name, (method, path, body) in REFUSALS.items():
        await replay.call(name, method, path, body)
    await replay.call("no JSON", "POST", "/clusters", raw=b"{")
    await replay.call("not JSON", "POST", "/clusters", raw=b"name")
    await replay.call("other media type", "POST", "/clusters", raw=b"{}", headers={"Content-Type": "text/plain"})
    for persona in ("unknown", "agent", "watcher"):
        for method, path in (
            ("GET", "/clusters"),
            ("POST", "/clusters"),
            ("GET", "/infra-envs"),
            ("GET", "/events"),
            ("POST", f"/infra-envs/{UNKNOWN}/hosts"),
            ("GET", f"/clusters/{UNKNOWN}"),
            ("GET", f"/infra-envs/{UNKNOWN}"),
        ):
            await replay.call(
                f"{persona}: {method} {path}",
                method,
                path,
                cluster_params() if method == "POST" else None,
                persona=persona,
            )
    token = replay.keys.token
    for name, value in {
        "of an agent": token(auth_scheme="agentAuth"),
        "as bearer": "Bearer " + token(auth_scheme="userAuth"),
        "expired": token(auth_scheme="userAuth", exp=1000000000),
        "without claims": token(),
        "of two parts": "a.b",
        "no token": "x",
        "of another key": type(replay.keys)().token(auth_scheme="userAuth"),
    }.items():
        await replay.call(f"token {name}", "GET", "/clusters", persona="unknown", headers={"Authorization": value})
