# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scenarios for test_recorded.py: requests about clusters, to which the lab's service must respond like a real one."""

from __future__ import annotations

import base64
import json
from typing import Any

from .flows import UNKNOWN
from .replay import ALL, Replay
from .scripted import PULL_SECRET, RELEASE, cluster_params, single_node_params

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqSLrCNaXZeoRKYFIWeVvTwDOqWTgLIyKRIyWXp9bZ8 lab"
DUAL = {
    "cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 23}, {"cidr": "fd01::/48", "host_prefix": 64}],
    "service_networks": [{"cidr": "172.30.0.0/16"}, {"cidr": "fd02::/112"}],
    "machine_networks": [{"cidr": "192.0.2.0/24"}, {"cidr": "2001:db8::/64"}],
}
SHORT = {"name": "demo", "openshift_version": "4.22", "pull_secret": PULL_SECRET}


def _auth(**auths: Any) -> str:
    return json.dumps({"auths": auths})


# name: (what differs from the usual body, members of the answer to look at)
CREATIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "name with a dot": ({"name": "a.b"}, ()),
    "name with a dot on platform none": (single_node_params(name="a.b"), ("name",)),
    "name with capitals": ({"name": "Demo"}, ()),
    "name empty": ({"name": ""}, ()),
    "name ends in a hyphen": ({"name": "demo-"}, ()),
    "version unknown": ({"openshift_version": "4.99", "ocp_release_image": None}, ()),
    "version of two numbers": (
        {"openshift_version": "4.22", "ocp_release_image": None},
        ("openshift_version", "ocp_release_image"),
    ),
    "release image unknown": ({"ocp_release_image": "quay.io/other:1"}, ()),
    "release image alone": (
        {"openshift_version": "4.22", "ocp_release_image": RELEASE},
        ("openshift_version", "ocp_release_image"),
    ),
    "architecture without a release": ({"cpu_architecture": "s390x", "ocp_release_image": None}, ()),
    "architecture unknown": ({"cpu_architecture": "mips"}, ()),
    "domain with a bad label": ({"base_dns_domain": "a_b.c"}, ()),
    "domain of one label": ({"base_dns_domain": "example"}, ()),
    "pull secret no JSON": ({"pull_secret": "x"}, ()),
    "pull secret without auths": ({"pull_secret": "{}"}, ()),
    "pull secret not base64": ({"pull_secret": _auth(**{"quay.io": {"auth": "%%"}})}, ()),
    "pull secret without colon": (
        {"pull_secret": _auth(**{"quay.io": {"auth": base64.b64encode(b"user").decode()}})},
        (),
    ),
    "pull secret without auth": ({"pull_secret": _auth(**{"quay.io": {}})}, ()),
    "pull secret without registries": ({"pull_secret": _auth()}, ()),
    "mode none with three": ({"high_availability_mode": "None"}, ()),
    "mode full with one": ({"high_availability_mode": "Full", "control_plane_count": 1}, ()),
    "count of one": (
        single_node_params(high_availability_mode=None, user_managed_networking=None, platform=None),
        ("control_plane_count", "high_availability_mode", "platform", "user_managed_networking", "network_type"),
    ),
    "count of two": ({"control_plane_count": 2}, ("control_plane_count",)),
    "count of four": ({"control_plane_count": 4}, ("control_plane_count",)),
    "count of six": ({"control_plane_count": 6}, ()),
    "count of zero": ({"control_plane_count": 0}, ()),
    "single node on bare metal": (
        single_node_params(platform={"type": "baremetal"}, user_managed_networking=None),
        ("platform", "user_managed_networking"),
    ),
    "single node with managed networking": (single_node_params(user_managed_networking=False), ()),
    "platform none with managed networking": (
        {"platform": {"type": "none"}, "user_managed_networking": False, "api_vips": [], "ingress_vips": []},
        (),
    ),
    "platform none": (
        {"platform": {"type": "none"}, "user_managed_networking": None, "api_vips": [], "ingress_vips": []},
        ("platform", "user_managed_networking"),
    ),
    "user managed networking alone": (
        {"platform": None, "user_managed_networking": True, "api_vips": [], "ingress_vips": []},
        ("platform", "user_managed_networking"),
    ),
    "bare metal with user managed networking": (
        {"user_managed_networking": True, "api_vips": [], "ingress_vips": []},
        (),
    ),
    "platform external": (
        {
            "platform": {
                "type": "external",
                "external": {"platform_name": "acme", "cloud_controller_manager": "External"},
            },
            "user_managed_networking": None,
            "api_vips": [],
            "ingress_vips": [],
        },
        ("platform", "user_managed_networking"),
    ),
    "platform external without a name": (
        {
            "platform": {"type": "external", "external": {}},
            "user_managed_networking": None,
            "api_vips": [],
            "ingress_vips": [],
        },
        (),
    ),
    "platform vsphere": ({"platform": {"type": "vsphere"}}, ("platform", "user_managed_networking")),
    "platform nutanix": ({"platform": {"type": "nutanix"}}, ("platform", "user_managed_networking")),
    "platform unknown": ({"platform": {"type": "cloud"}}, ()),
    "VIPs alike": ({"ingress_vips": [{"ip": "192.0.2.5"}]}, ()),
    "VIPs alike with the user's balancer": (
        {"ingress_vips": [{"ip": "192.0.2.5"}], "load_balancer": {"type": "user-managed"}},
        ("load_balancer",),
    ),
    "VIPs of unequal number": ({"ingress_vips": []}, ()),
    "VIPs of one family": (
        {
            "api_vips": [{"ip": "192.0.2.5"}, {"ip": "192.0.2.7"}],
            "ingress_vips": [{"ip": "192.0.2.6"}, {"ip": "192.0.2.8"}],
        },
        (),
    ),
    "VIPs three": (
        {
            "api_vips": [{"ip": f"192.0.2.{n}"} for n in (5, 7, 8)],
            "ingress_vips": [{"ip": f"192.0.2.{n}"} for n in (6, 9, 10)],
        },
        (),
    ),
    "VIPs with user managed networking": ({"platform": {"type": "none"}, "user_managed_networking": True}, ()),
    "VIPs with DHCP": ({"vip_dhcp_allocation": True}, ()),
    "VIPs no address": ({"api_vips": [{"ip": "x"}]}, ()),
    "VIPs outside the network": ({"api_vips": [{"ip": "198.51.100.5"}]}, ("api_vips",)),
    "DHCP without VIPs": (
        {"vip_dhcp_allocation": True, "api_vips": [], "ingress_vips": []},
        ("vip_dhcp_allocation", "network_type"),
    ),
    "networks of two families": (DUAL, ("cluster_networks", "service_networks", "machine_networks")),
    "networks of two families without machine networks": ({**DUAL, "machine_networks": []}, ()),
    "networks of two families and one machine network": ({**DUAL, "machine_networks": [{"cidr": "192.0.2.0/24"}]}, ()),
    "networks of two families IPv6 first": (
        {
            "cluster_networks": DUAL["cluster_networks"][::-1],
            "service_networks": DUAL["service_networks"][::-1],
            "machine_networks": DUAL["machine_networks"][::-1],
        },
        ("cluster_networks", "primary_ip_stack"),
    ),
    "networks left out": (
        {"cluster_networks": None, "service_networks": None, "machine_networks": None},
        (
            "cluster_networks",
            "service_networks",
            "machine_networks",
            "cluster_network_cidr",
            "cluster_network_host_prefix",
            "service_network_cidr",
        ),
    ),
    "networks empty": (
        {"cluster_networks": [], "service_networks": [], "machine_networks": []},
        ("cluster_networks", "service_networks", "machine_networks"),
    ),
    "network in the legacy form": (
        {
            "cluster_networks": None,
            "service_networks": None,
            "cluster_network_cidr": "10.132.0.0/14",
            "service_network_cidr": "172.31.0.0/16",
        },
        ("cluster_networks", "service_networks"),
    ),
    "network without a mask": ({"machine_networks": [{"cidr": "192.0.2.0"}]}, ()),
    "network with host bits": ({"machine_networks": [{"cidr": "192.0.2.7/24"}]}, ("machine_networks",)),
    "network of too large a host prefix": ({"cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 33}]}, ()),
    "network of too small a host prefix": ({"cluster_networks": [{"cidr": "10.128.0.0/14", "host_prefix": 10}]}, ()),
    "network without a host prefix": ({"cluster_networks": [{"cidr": "10.128.0.0/14"}]}, ("cluster_networks",)),
    "networks overlap": ({"service_networks": [{"cidr": "10.128.0.0/16"}]}, ("service_networks",)),
    "network type SDN": ({"network_type": "OpenShiftSDN"}, ()),
    "network type Calico": ({"network_type": "Calico"}, ("network_type",)),
    "network type unknown": ({"network_type": "Flannel"}, ()),
    "ssh key": ({"ssh_public_key": SSH_KEY}, ("ssh_public_key",)),
    "ssh keys two": ({"ssh_public_key": f"{SSH_KEY}\n{SSH_KEY}"}, ("ssh_public_key",)),
    "ssh key bad": ({"ssh_public_key": "nonsense"}, ()),
    "ssh key of a bad kind": ({"ssh_public_key": "ssh-foo AAAA x"}, ()),
    "proxy of https": ({"http_proxy": "https://proxy.example.com:3128"}, ()),
    "proxy without scheme": ({"http_proxy": "proxy.example.com:3128"}, ()),
    "proxy": (
        {
            "http_proxy": "http://u:p@proxy.example.com:3128",
            "https_proxy": "http://proxy.example.com:3128",
            "no_proxy": ".example.com,192.0.2.0/24,*",
        },
        ("http_proxy", "https_proxy", "no_proxy"),
    ),
    "no proxy bad": ({"no_proxy": "a b"}, ()),
    "ntp": ({"additional_ntp_source": "192.0.2.1,ntp.example.com"}, ("additional_ntp_source", "ntp_sources")),
    "ntp bad": ({"additional_ntp_source": "a b"}, ()),
    "ntp twice": ({"additional_ntp_source": "192.0.2.1", "ntp_sources": "192.0.2.2"}, ()),
    "ntp sources": ({"ntp_sources": "192.0.2.2"}, ("additional_ntp_source", "ntp_sources")),
    "operator": ({"olm_operators": [{"name": "lvm"}]}, ("monitored_operators",)),
    "operator unknown": ({"olm_operators": [{"name": "none"}]}, ()),
    "operator with dependencies": ({"olm_operators": [{"name": "odf"}]}, ()),
    "hyperthreading": ({"hyperthreading": "masters,workers"}, ("hyperthreading",)),
    "hyperthreading unknown": ({"hyperthreading": "some"}, ()),
    "disk encryption": ({"disk_encryption": {"enable_on": "all"}}, ("disk_encryption",)),
    "disk encryption by tang without servers": ({"disk_encryption": {"enable_on": "all", "mode": "tang"}}, ()),
    "disk encryption by tang no JSON": (
        {"disk_encryption": {"enable_on": "all", "mode": "tang", "tang_servers": "x"}},
        (),
    ),
    "disk encryption by tang without thumbprint": (
        {"disk_encryption": {"enable_on": "all", "mode": "tang", "tang_servers": '[{"url":"http://t"}]'}},
        (),
    ),
    "disk encryption by tang": (
        {
            "disk_encryption": {
                "enable_on": "masters",
                "mode": "tang",
                "tang_servers": '[{"url":"http://t.example.com","thumbprint":"x"}]',
            }
        },
        ("disk_encryption",),
    ),
    "ignition endpoint": ({"ignition_endpoint": {"url": "https://x.example.com:22623/config"}}, ("ignition_endpoint",)),
    "ignition endpoint bad": ({"ignition_endpoint": {"url": "x"}}, ()),
    "ignition endpoint with a bad certificate": (
        {"ignition_endpoint": {"url": "https://x.example.com", "ca_certificate": "%%"}},
        (),
    ),
    "ignition endpoint with no certificate in it": (
        {"ignition_endpoint": {"url": "https://x.example.com", "ca_certificate": "eA=="}},
        (),
    ),
    "tags": ({"tags": "a,b c"}, ("tags",)),
    "tags with a hyphen": ({"tags": "a-b"}, ()),
    "load balancer of the user": ({"load_balancer": {"type": "user-managed"}}, ("load_balancer",)),
    "load balancer of the user on nutanix": (
        {"load_balancer": {"type": "user-managed"}, "platform": {"type": "nutanix"}},
        (),
    ),
    "load balancer of the user on a single node": (single_node_params(load_balancer={"type": "user-managed"}), ()),
    "schedulable": ({"schedulable_masters": True}, ("schedulable_masters", "schedulable_masters_forced_true")),
    "several wrong members": ({"name": "", "hyperthreading": "some", "api_vips": [{"ip": "x"}]}, ()),
}


async def creations(replay: Replay) -> None:
    replay.known("unknown", UNKNOWN)
    await replay.call("as little as can be", "POST", "/clusters", SHORT, keep=ALL)
    made = await replay.call("as the client of the ISO", "POST", "/clusters", cluster_params(), keep=ALL)
    replay.known("cluster", made["id"])
    await replay.call("read", "GET", f"/clusters/{made['id']}", keep=ALL)
    for name, (more, keep) in CREATIONS.items():
        body = {key: value for key, value in cluster_params(**more).items() if value is not None}
        await replay.call(f"create: {name}", "POST", "/clusters", body, keep=keep)
    await _remove_clusters(replay)


async def _remove_clusters(replay: Replay) -> None:
    for cluster in await replay.call("", "GET", "/clusters"):
        await replay.call("", "DELETE", f"/clusters/{cluster['id']}")


CHANGES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "nothing": ({}, ("name",)),
    "null": ({"name": None}, ("name",)),
    "name": ({"name": "other"}, ("name",)),
    "name bad": ({"name": "Bad Name"}, ()),
    "domain": ({"base_dns_domain": "other.example.com"}, ("base_dns_domain",)),
    "domain empty": ({"base_dns_domain": ""}, ("base_dns_domain",)),
    "version": ({"openshift_version": "4.22"}, ()),
    "machine networks other": ({"machine_networks": [{"cidr": "10.0.0.0/16"}]}, ()),
    "machine networks same": ({"machine_networks": [{"cidr": "192.0.2.0/24"}]}, ("machine_networks",)),
    "machine networks empty": ({"machine_networks": []}, ("machine_networks",)),
    "machine network in the legacy form": ({"machine_network_cidr": "10.0.0.0/16"}, ()),
    "VIPs other": (
        {"api_vips": [{"ip": "192.0.2.7"}], "ingress_vips": [{"ip": "192.0.2.8"}]},
        ("api_vips", "ingress_vips", "machine_networks"),
    ),
    "VIP of one kind other": ({"api_vips": [{"ip": "192.0.2.9"}]}, ("api_vips", "ingress_vips")),
    "VIPs empty": ({"api_vips": [], "ingress_vips": []}, ("api_vips", "ingress_vips")),
    "VIPs same": (
        {"api_vips": [{"ip": "192.0.2.5"}], "ingress_vips": [{"ip": "192.0.2.6"}]},
        ("api_vips", "ingress_vips", "machine_networks"),
    ),
    "VIPs alike": ({"api_vips": [{"ip": "192.0.2.6"}], "ingress_vips": [{"ip": "192.0.2.6"}]}, ()),
    "DHCP": ({"vip_dhcp_allocation": True}, ("vip_dhcp_allocation", "api_vips")),
    "DHCP off": ({"vip_dhcp_allocation": False}, ("vip_dhcp_allocation", "api_vips")),
    "user managed networking without VIPs": (
        {"user_managed_networking": True, "api_vips": [], "ingress_vips": [], "platform": {"type": "none"}},
        ("platform", "user_managed_networking", "api_vips"),
    ),
    "cluster networks": ({"cluster_networks": [{"cidr": "10.132.0.0/14", "host_prefix": 24}]}, ("cluster_networks",)),
    "cluster networks empty": ({"cluster_networks": []}, ()),
    "service networks": ({"service_networks": [{"cidr": "172.31.0.0/16"}]}, ("service_networks",)),
    "user managed networking": ({"user_managed_networking": True}, ()),
    "platform none": ({"platform": {"type": "none"}}, ()),
    "platform vsphere": ({"platform": {"type": "vsphere"}}, ("platform",)),
    "count": ({"control_plane_count": 5}, ("control_plane_count", "high_availability_mode")),
    "count of one": ({"control_plane_count": 1}, ()),
    "pull secret bad": ({"pull_secret": "x"}, ()),
    "ssh key": ({"ssh_public_key": SSH_KEY}, ("ssh_public_key",)),
    "ssh key cleared": ({"ssh_public_key": ""}, ("ssh_public_key",)),
    "proxy": ({"http_proxy": "http://proxy.example.com:3128"}, ("http_proxy",)),
    "proxy cleared": ({"http_proxy": ""}, ("http_proxy",)),
    "ntp": ({"additional_ntp_source": "192.0.2.1"}, ("additional_ntp_source",)),
    "ntp cleared": ({"additional_ntp_source": ""}, ("additional_ntp_source",)),
    "operators": ({"olm_operators": [{"name": "lso"}]}, ()),
    "operators none": ({"olm_operators": []}, ()),
    "operators unknown": ({"olm_operators": [{"name": "none"}]}, ()),
    "tags": ({"tags": "x"}, ("tags",)),
    "tags cleared": ({"tags": ""}, ("tags",)),
    "tags bad": ({"tags": "a-b"}, ()),
    "hyperthreading": ({"hyperthreading": "none"}, ("hyperthreading",)),
    "network type": ({"network_type": "OpenShiftSDN"}, ()),
    "schedulable": ({"schedulable_masters": True}, ("schedulable_masters",)),
    "disk encryption": ({"disk_encryption": {"enable_on": "workers"}}, ("disk_encryption",)),
    "load balancer": ({"load_balancer": {"type": "user-managed"}}, ("load_balancer", "machine_networks")),
    "load balancer with machine networks": (
        {
            "load_balancer": {"type": "user-managed"},
            "machine_networks": [{"cidr": "192.0.2.0/24"}, {"cidr": "198.51.100.0/24"}],
        },
        ("load_balancer", "machine_networks"),
    ),
    "api name": ({"api_vip_dns_name": "api.example.com"}, ("api_vip_dns_name",)),
}


async def changes(replay: Replay) -> None:
    for name, (body, keep) in CHANGES.items():
        fresh = (
            await replay.call(
                "",
                "POST",
                "/clusters",
                cluster_params(tags="old", ssh_public_key=SSH_KEY, http_proxy="http://old.example.com:1"),
            )
        )["id"]
        replay.known("cluster", fresh)
        await replay.call(f"patch: {name}", "PATCH", f"/clusters/{fresh}", body, keep=keep)
        await replay.call("", "DELETE", f"/clusters/{fresh}")
    made = await replay.call("create", "POST", "/clusters", cluster_params())
    path = f"/clusters/{replay.known('cluster', made['id'])}"
    await replay.call("patched", "PATCH", path, {"tags": "new"}, keep=ALL)
    await replay.call("of unknown", "PATCH", f"/clusters/{replay.known('unknown', UNKNOWN)}", {"name": "x"})
    for number, text in enumerate(
        (
            '{"fips": true}',
            '{"nonsense": 1}',
            "no json",
            "",
            '{"controlPlane": {"replicas": "x"}}',
            '{"networking": {"networkType": "Calico"}}',
        )
    ):
        await replay.call(f"overrides {number}", "PATCH", f"{path}/install-config", text, keep=ALL)
    await replay.call("overrides as an object", "PATCH", f"{path}/install-config", {"fips": True})
    await replay.call("overrides as they are", "GET", path, keep=("install_config_overrides",))
    document = json.loads(await replay.call("", "GET", f"{path}/install-config"))
    replay.note("the install-config", document)
    await _small(replay, path)
    await replay.call("delete", "DELETE", path)
    await replay.call("delete again", "DELETE", path)
    await replay.call("read what is gone", "GET", path)


async def _small(replay: Replay, path: str) -> None:
    ignored = f"{path}/ignored-validations"
    await replay.call("ignored: none", "GET", ignored, keep=ALL)
    for name, body in {
        "one": {"host-validation-ids": '["ntp-synced"]'},
        "all": {"host-validation-ids": '["all"]', "cluster-validation-ids": '["all"]'},
        "never of the cluster": {"cluster-validation-ids": '["api-vips-defined"]'},
        "never of hosts": {"host-validation-ids": '["connected", "ntp-synced"]'},
        "unknown": {"host-validation-ids": '["nothing"]'},
        "no JSON": {"host-validation-ids": "x"},
        "no list": {"cluster-validation-ids": "{}"},
        "empty": {"host-validation-ids": "", "cluster-validation-ids": "[]"},
        "nothing said": {},
    }.items():
        await replay.call(f"ignored: {name}", "PUT", ignored, body, keep=ALL)
    await replay.call("ui settings", "PUT", f"{path}/ui-settings", "opaque", keep=ALL)
    await replay.call("ui settings as they are", "GET", f"{path}/ui-settings", keep=ALL)
    await replay.call("preflight", "GET", f"{path}/preflight-requirements")
    await replay.call("supported platforms", "GET", f"{path}/supported-platforms", keep=ALL)
    await replay.call(
        "completion", "POST", f"{path}/actions/complete-installation", {"is_success": True}, persona="agent"
    )
    for action in ("install", "cancel", "reset", "allow-add-hosts", "allow-add-workers"):
        await replay.call(f"too early: {action}", "POST", f"{path}/actions/{action}")
    await replay.call("progress too early", "PUT", f"{path}/progress", {"finalizing_stage": "Done"}, persona="agent")
    await replay.call("certificate too early", "POST", f"{path}/uploads/ingress-cert", "x", persona="agent")
    for query in ("", "?operator_name=console", "?operator_name=none"):
        await replay.call(f"operators{query}", "GET", f"{path}/monitored-operators{query}", keep=ALL, persona="agent")
    await replay.call(
        "operator unknown",
        "PUT",
        f"{path}/monitored-operators",
        {"name": "none", "status": "available"},
        persona="agent",
    )
    await replay.call(
        "operator without a name", "PUT", f"{path}/monitored-operators", {"status": "available"}, persona="agent"
    )
    for name in ("kubeconfig", "kubeconfig-noingress", "kubeadmin-password", "other"):
        await replay.call(f"too early: {name}", "GET", f"{path}/downloads/credentials?file_name={name}")
    await replay.call("too early: no name", "GET", f"{path}/downloads/credentials")
    for name in ("master.ign", "other"):
        await replay.call(f"too early: {name} of files", "GET", f"{path}/downloads/files?file_name={name}")
        await replay.call(f"presigned: {name}", "GET", f"{path}/downloads/files-presigned?file_name={name}")
    await replay.call("presigned: kubeconfig", "GET", f"{path}/downloads/credentials-presigned?file_name=kubeconfig")
    await replay.call("credentials too early", "GET", f"{path}/credentials", keep=("username", "console_url"))
    for query in ("logs_type=controller", f"logs_type=host&host_id={UNKNOWN}", "logs_type=other"):
        await replay.call(f"logs {query}", "GET", f"{path}/logs?{query}")


async def imports(replay: Replay) -> None:
    body = {"name": "ignored", "api_vip_dnsname": "api.demo.lab.example.com", "openshift_cluster_id": UNKNOWN}
    replay.known("unknown", UNKNOWN)
    made = await replay.call("import", "POST", "/clusters/import", body, keep=ALL)
    replay.known("cluster", made["id"])
    await replay.call(
        "import by address",
        "POST",
        "/clusters/import",
        {**body, "api_vip_dnsname": "192.0.2.5", "openshift_cluster_id": UNKNOWN},
        keep=ALL,
    )
    await replay.call(
        "import with a version",
        "POST",
        "/clusters/import",
        {**body, "openshift_version": "4.22.0"},
        keep=("openshift_version",),
    )
    await replay.call("import without an id", "POST", "/clusters/import", {"name": "x", "api_vip_dnsname": "x"})
    path = f"/clusters/{made['id']}"
    await replay.call("read", "GET", path, keep=ALL)
    endpoint = {"url": "https://api-int.demo.lab.example.com:22623/config/worker"}
    await replay.call("endpoint", "PATCH", path, {"ignition_endpoint": endpoint}, keep=("ignition_endpoint",))
    await replay.call(
        "user managed networking",
        "PATCH",
        path,
        {"user_managed_networking": True, "api_vips": None, "olm_operators": None},
        keep=ALL,
    )
    await replay.call("install", "POST", f"{path}/actions/install")
    await replay.call("allow", "POST", f"{path}/actions/allow-add-hosts")
    await replay.call(
        "disconnected", "POST", "/clusters/disconnected", {"name": "far", "openshift_version": "4.22"}, keep=ALL
    )
    await replay.call("disconnected without version", "POST", "/clusters/disconnected", {"name": "far"})
    await _remove_clusters(replay)


MANIFEST = base64.b64encode(b"kind: ConfigMap\n").decode()
MANIFESTS: dict[str, dict[str, Any]] = {
    "plain": {"file_name": "a.yaml", "content": MANIFEST},
    "again": {"file_name": "a.yaml", "content": MANIFEST},
    "in the other folder": {"file_name": "a.yaml", "folder": "openshift", "content": MANIFEST},
    "yml": {"file_name": "a.yml", "folder": "openshift", "content": MANIFEST},
    "json": {"file_name": "a.json", "content": base64.b64encode(b"{}").decode()},
    "patch": {"file_name": "50-x.yaml.patch_1", "content": base64.b64encode(b"- op: remove\n  path: /x\n").decode()},
    "patch that is none": {"file_name": "51-x.yaml.patch_1", "content": MANIFEST},
    "several documents": {"file_name": "two.yaml", "content": base64.b64encode(b"a: 1\n---\nb: 2\n").decode()},
    "text": {"file_name": "a.txt", "content": MANIFEST},
    "path": {"file_name": "b/a.yaml", "content": MANIFEST},
    "space": {"file_name": "a b.yaml", "content": MANIFEST},
    "dot": {"file_name": ".a.yaml", "content": MANIFEST},
    "no base64": {"file_name": "b.yaml", "content": "%%"},
    "empty": {"file_name": "b.yaml", "content": ""},
    "blank": {"file_name": "b.yaml", "content": base64.b64encode(b"\n").decode()},
    "yaml in json": {"file_name": "b.json", "content": MANIFEST},
    "no yaml": {"file_name": "b.yaml", "content": base64.b64encode(b"a: [").decode()},
    "large": {"file_name": "b.yaml", "content": base64.b64encode(b"a" * (1024 * 1024 + 1)).decode()},
    "folder unknown": {"file_name": "b.yaml", "folder": "other", "content": MANIFEST},
    "no name": {"content": MANIFEST},
    "no content": {"file_name": "b.yaml"},
}


async def manifests(replay: Replay) -> None:
    made = await replay.call("", "POST", "/clusters", cluster_params())
    path = f"/clusters/{replay.known('cluster', made['id'])}/manifests"
    await replay.call("none", "GET", path, keep=ALL)
    for name, body in MANIFESTS.items():
        await replay.call(f"create: {name}", "POST", path, body, keep=ALL)
    await replay.call("list", "GET", path, keep=ALL)
    for query in (
        "folder=openshift&file_name=a.yml",
        "file_name=a.yaml",
        "file_name=none.yaml",
        "folder=other&file_name=a.yaml",
        "",
    ):
        await replay.call(f"file {query}", "GET", f"{path}/files?{query}", keep=ALL)
    for name, body in {
        "renamed": {"folder": "manifests", "file_name": "a.yaml", "updated_file_name": "r.yaml"},
        "moved": {"folder": "manifests", "file_name": "r.yaml", "updated_folder": "openshift"},
        "new content": {"folder": "openshift", "file_name": "r.yaml", "updated_content": MANIFEST},
        "bad content": {"folder": "openshift", "file_name": "r.yaml", "updated_content": "%%"},
        "unknown": {"folder": "manifests", "file_name": "none.yaml", "updated_file_name": "r.yaml"},
        "onto another": {"folder": "openshift", "file_name": "r.yaml", "updated_file_name": "a.yml"},
        "no folder": {"file_name": "r.yaml"},
    }.items():
        await replay.call(f"patch: {name}", "PATCH", path, body, keep=ALL)
    for query in ("file_name=a.json", "file_name=a.json", "folder=openshift&file_name=r.yaml", ""):
        await replay.call(f"delete {query} {len(replay.answers)}", "DELETE", f"{path}?{query}", keep=ALL)
    await replay.call("list at the end", "GET", path, keep=ALL)
    await _remove_clusters(replay)
