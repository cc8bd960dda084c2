# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Choose the steps that the assisted-service sends to an agent by host status, build their arguments, and evaluate the
replies.

Source: openshift/assisted-service internal/host/hostcommands.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import go, machine_cluster, machine_host, networks
from . import inventory as disks
from .core import Core
from .errors import bad_request
from .infra_envs import boot_artifacts
from .model import BEFORE_INSTALL, UNBOUND, Cluster, Host
from .pull_secret import registry_of
from .router import Call, Reply
from .schema import read_query_number
from .validations_host import encrypts

_DISCOVERED = (
    "inventory",
    "connectivity-check",
    "tang-connectivity-check",
    "free-network-addresses",
    "dhcp-lease-allocate",
    "ntp-synchronizer",
    "domain-resolution",
    "verify-vips",
)
_DAY2 = (
    "connectivity-check",
    "api-vip-connectivity-check",
    "tang-connectivity-check",
    "inventory",
    "ntp-synchronizer",
    "domain-resolution",
)
SLOW, NORMAL = 120, 60
# status -> (day 1 steps, day 2 steps, interval)
PLAN: dict[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {
    "discovering": (("inventory",), ("inventory", "ntp-synchronizer", "domain-resolution"), NORMAL),
    "insufficient": (_DISCOVERED, _DAY2, NORMAL),
    "pending-for-input": (_DISCOVERED, _DAY2[:-2], NORMAL),
    "known": (_DISCOVERED, _DAY2, NORMAL),
    "disconnected": (("inventory",), ("inventory",), SLOW),
    "preparing-for-installation": (
        ("dhcp-lease-allocate", "installation-disk-speed-check", "container-image-availability"),
        (),
        NORMAL,
    ),
    "installing": (("install", "dhcp-lease-allocate"), ("install",), NORMAL),
    "installing-in-progress": (("dhcp-lease-allocate",), (), NORMAL),
    "error": (("logs-gather", "stop-installation"), ("logs-gather", "stop-installation"), SLOW),
    "cancelled": (("logs-gather", "stop-installation"), ("logs-gather", "stop-installation"), SLOW),
    "disabled": ((), (), SLOW),
    "resetting": ((), (), SLOW),
    "discovering-unbound": (("inventory", "ntp-synchronizer"), (), NORMAL),
    "known-unbound": (("inventory", "ntp-synchronizer"), (), NORMAL),
    "insufficient-unbound": (("inventory", "ntp-synchronizer"), (), NORMAL),
    "disconnected-unbound": (("inventory",), (), SLOW),
    "disabled-unbound": ((), (), NORMAL),
    "reclaiming": (("download-boot-artifacts",), (), NORMAL),
    "reclaiming-rebooting": (("reboot-for-reclaim",), (), NORMAL),
}
LEAVING = ("binding", "unbinding", "unbinding-pending-user-action")
IMAGE_TIMEOUT_SECONDS = 960
DISK_CHECK_SECONDS = "480.00"
CONTAINER_NAME_IN_USE = 125
MEDIA_DISCONNECTED = 256


def instructions(core: Core, call: Call) -> Reply:
    """GET H/instructions: also the sign of life of a host."""
    host = core.host(call.path["infra_env_id"], call.path["host_id"])
    host.checked_in, host.checked_in_at = core.now(), core.timestamp()
    stamp = read_query_number(call.query, "timestamp", 0)
    if stamp:
        host.timestamp, host.clock_offset = stamp, stamp - core.clock.utcnow().timestamp()
    if host.status in LEAVING:
        return Reply(200, {"post_step_action": "exit"})
    names, interval = planned(core, host)
    steps = [step for name in names for step in _build(core, host, name)]
    return Reply(200, {"next_instruction_seconds": interval, "post_step_action": "continue", "instructions": steps})


def planned(core: Core, host: Host) -> tuple[tuple[str, ...], int]:
    """Step types and interval for the status of now, before empty ones are left out."""
    day1, day2, interval = PLAN.get(host.status, ((), (), NORMAL))
    names = day2 if host.day2 else day1
    before = host.status in BEFORE_INSTALL | UNBOUND
    if (
        before
        and core.settings.agent_image
        and host.agent_version != core.settings.agent_image
        and core.settings.switch("ENABLE_UPGRADE_AGENT", True)
    ):
        names = ("upgrade-agent",)
    return tuple(name for name in names if name not in core.settings.disabled_steps), interval


def _build(core: Core, host: Host, name: str) -> list[dict[str, Any]]:
    arguments = BUILDERS[name](core, host, core.cluster_of(host))
    if arguments is None:
        return []
    return [{"step_type": name, "step_id": f"{name}-{secrets.token_hex(4)}", "args": arguments}]


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# arguments; None: nothing to ask

Builder = Callable[[Core, Host, Cluster | None], list[str] | None]


def _inventory(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    return [host.id]


def _connectivity(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    others = [other for other in core.state.hosts_of(host.cluster_id) if other is not host and other.inventory]
    if not others:
        return None
    nics = {other.id: _described_nics(other.id, other.inventory or {}) for other in others}
    described = (f'{{"host_id":{_json(host_id)},"nics":{listed}}}' for host_id, listed in nics.items())
    return [f"[{','.join(described)}]"]


@networks.OfReport
def _described_nics(inventory: Mapping[str, Any]) -> str:
    """How an inventory's interfaces are named in requests to other hosts, as JSON."""
    nics = inventory.get("interfaces") or []
    return _json(
        [
            {
                "name": nic.get("name", ""),
                "mac": nic.get("mac_address", ""),
                "ip_addresses": [str(address.ip) for address in networks.interface_addresses(nic)],
            }
            for nic in nics
        ]
    )


def _tang(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    encryption = (cluster.fields.get("disk_encryption") or {}) if cluster else {}
    if cluster is None or encryption.get("mode") != "tang" or not encrypts(cluster, host.effective_role):
        return None
    return [_json({"tang_servers": encryption.get("tang_servers", "")})]


def _free_addresses(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    cidrs = sorted({str(address.network) for address in networks.host_addresses(host) if address.version == 4})
    return [_json(cidrs)] if cidrs else None


def _dhcp_lease(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None or not cluster.fields.get("vip_dhcp_allocation") or not cluster.machine_networks:
        return None
    home = networks.parse_network(cluster.machine_networks[0])
    names = [
        nic.get("name", "")
        for nic in (host.inventory or {}).get("interfaces") or []
        if any(address.ip in home for address in networks.interface_addresses(nic))
    ]
    if not names:
        return None
    return [_json({"interface": names[0], "api_vip_mac": "00:1a:4a:00:00:01", "ingress_vip_mac": "00:1a:4a:00:00:02"})]


def _ntp(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    infra_env = core.state.infra_envs.get(host.infra_env_id)
    own = infra_env.fields if infra_env else {}
    of_cluster = cluster.fields if cluster else {}
    sources = (
        of_cluster.get("ntp_sources")
        or of_cluster.get("additional_ntp_source")
        or own.get("ntp_sources")
        or own.get("additional_ntp_sources")
    )
    return [_json({"ntp_source": sources or core.settings.env.get("NTP_DEFAULT_SERVER", "")})]


def asked_domains(cluster: Cluster) -> list[str]:
    """The names that every host has to resolve or not."""
    domain = cluster.domain
    names = [f"api.{domain}", f"api-int.{domain}", f"console-openshift-console.apps.{domain}"]
    names += [f"validateNoWildcardDNS.{domain}.", f"validateNoWildcardDNS.{domain}"]
    release = str(cluster.fields.get("ocp_release_image") or "")
    return [*names, registry_of(release).split(":")[0]] if release else names


def _domains(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None or not cluster.name or not cluster.fields.get("base_dns_domain"):
        return None
    return [_json({"domains": [{"domain_name": name} for name in asked_domains(cluster)]})]


def _verify_vips(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None or cluster.user_managed_networking or cluster.user_managed_load_balancer:
        return None
    vips = [{"vip": vip, "vip_type": kind} for kind in ("api", "ingress") for vip in cluster.vips(f"{kind}_vips")]
    reachable = any(
        ipaddress.ip_address(item["vip"]) in address.network
        for item in vips
        for address in networks.host_addresses(host)
    )
    return [_json(vips)] if vips and reachable else None


def _api_vip(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None:
        return None
    endpoint = cluster.fields.get("ignition_endpoint") or {}
    name = cluster.fields.get("api_vip_dns_name") or f"api.{cluster.domain}"
    pool = host.machine_config_pool or "worker"
    provided = str(endpoint.get("url") or "")
    request: dict[str, Any] = {
        "url": f"{provided.rstrip('/')}/{pool}" if provided else f"http://{name}:22624/config/{pool}"
    }
    if endpoint.get("ca_certificate"):
        request["ca_certificate"] = endpoint["ca_certificate"]
    if host.ignition_headers:
        request["request_headers"] = [{"key": key, "value": value} for key, value in host.ignition_headers.items()]
    if host.ignition_token:
        request["ignition_endpoint_token"] = host.ignition_token
    return [_json(request)]


def _disk_speed(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    known = host.disks_info.get(host.installation_disk_id, {}).get("disk_speed") or {}
    if known.get("tested") or not host.installation_disk_path:
        return None
    return [_json({"path": host.installation_disk_id}), DISK_CHECK_SECONDS]


def needed_images(core: Core, cluster: Cluster) -> list[str]:
    release = str(cluster.fields.get("ocp_release_image") or "")
    return list(dict.fromkeys(image for image in (release, core.settings.installer_image) if image))


def _images(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None or host.images_status:
        return None
    return [_json({"images": needed_images(core, cluster), "timeout": IMAGE_TIMEOUT_SECONDS})]


def _install(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if cluster is None:
        return None
    proxy = {
        name: cluster.fields[name] for name in ("http_proxy", "https_proxy", "no_proxy") if cluster.fields.get(name)
    }
    bootable = [str(disk["id"]) for disk in (host.inventory or {}).get("disks") or [] if disk.get("bootable")]
    formatted = [disk_id for disk_id in bootable if disk_id not in host.skip_formatting]
    request: dict[str, Any] = {
        "cluster_id": cluster.id,
        "infra_env_id": host.infra_env_id,
        "host_id": host.id,
        "role": "bootstrap" if host.bootstrap and not host.day2 else host.effective_role,
        "boot_device": host.installation_disk_id,
        "controller_image": core.settings.controller_image,
        "installer_image": core.settings.installer_image,
        "control_plane_count": cluster.control_plane_count,
        "disks_to_format": formatted,
        "must_gather_image": "",
        "openshift_version": cluster.version,
        "check_cvo": core.settings.switch("CHECK_CLUSTER_VERSION", False),
        "enable_skip_mco_reboot": True,
        "notify_num_reboots": True,
        **({"proxy": proxy} if proxy else {}),
        **({"installer_args": _json(host.installer_args)} if host.installer_args else {}),
    }
    return [_json({name: value for name, value in request.items() if value != ""})]


def _logs_gather(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    if host.logs_info in ("requested", "collecting", "completed"):
        return None
    request = {
        "cluster_id": host.cluster_id,
        "infra_env_id": host.infra_env_id,
        "host_id": host.id,
        "bootstrap": host.bootstrap,
        "installer_gather": host.bootstrap,
    }
    return [_json(request)]


def _stop(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    return []


def _upgrade(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    return [_json({"agent_image": core.settings.agent_image})]


def _reclaim_artifacts(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    infra_env = core.infra_env(host.infra_env_id)
    urls = boot_artifacts(core, infra_env)
    return [
        _json(
            {
                "host_fs_mount_dir": "/host",
                "kernel_url": urls["kernel"],
                "rootfs_url": urls["rootfs"],
                "initrd_url": urls["initrd"],
            }
        )
    ]


def _reclaim_reboot(core: Core, host: Host, cluster: Cluster | None) -> list[str] | None:
    return [_json({"host_fs_mount_dir": "/host"})]


BUILDERS: dict[str, Builder] = {
    "inventory": _inventory,
    "connectivity-check": _connectivity,
    "tang-connectivity-check": _tang,
    "free-network-addresses": _free_addresses,
    "dhcp-lease-allocate": _dhcp_lease,
    "ntp-synchronizer": _ntp,
    "domain-resolution": _domains,
    "verify-vips": _verify_vips,
    "api-vip-connectivity-check": _api_vip,
    "installation-disk-speed-check": _disk_speed,
    "container-image-availability": _images,
    "install": _install,
    "logs-gather": _logs_gather,
    "stop-installation": _stop,
    "upgrade-agent": _upgrade,
    "download-boot-artifacts": _reclaim_artifacts,
    "reboot-for-reclaim": _reclaim_reboot,
}


# replies


def reply(core: Core, call: Call) -> Reply:
    """POST H/instructions."""
    host = core.host(call.path["infra_env_id"], call.path["host_id"])
    kind, code = call.body.get("step_type") or "", int(call.body.get("exit_code") or 0)
    if code == 0 and host.media_status == "disconnected":
        host.media_status = "connected"
    if code == MEDIA_DISCONNECTED:
        host.media_status = "disconnected"
        core.event("host_media_disconnected", f"Host {host.name}: media was disconnected", severity="error", host=host)
    elif code != 0:
        _failed_step(core, host, kind, code, call.body)
    elif kind == "download-boot-artifacts" and host.status == "reclaiming":
        core.set_host_status(host, "reclaiming-rebooting", "Host is rebooting into the discovery image")
    elif kind in RECEIVERS:
        RECEIVERS[kind](core, host, _decode(kind, call.body.get("output") or ""))
        core.changed(host)
    machine_host.refresh(core, host)
    cluster = core.cluster_of(host)
    if cluster is not None and kind in ("inventory", "verify-vips") and cluster.status in machine_cluster.BEFORE:
        machine_cluster.derive_machine_networks(core, cluster)
    return Reply(204)


def _failed_step(core: Core, host: Host, kind: str, code: int, body: Mapping[str, Any]) -> None:
    text = " ".join(str(body.get(member) or "") for member in ("error", "output")).strip()
    if kind == "install" and not (code == CONTAINER_NAME_IN_USE and "already in use" in text):
        host.install_step_failed = text or f"exit code {code}"
    elif kind == "installation-disk-speed-check":
        _record_speed(host, host.installation_disk_id, 0, code)
    elif kind == "container-image-availability" and core.cluster_of(host) is not None:
        cluster = core.cluster(host.cluster_id)
        host.images_status = {image: {"name": image, "result": "failure"} for image in needed_images(core, cluster)}


def _decode(kind: str, output: str) -> Any:
    try:
        value = json.loads(output)
    except ValueError as error:
        raise bad_request(go.json_problem(output)) from error
    wanted: type = list if kind in ("free-network-addresses", "verify-vips") else dict
    if not isinstance(value, wanted):
        raise bad_request(
            f"failed to unmarshal the output of step {kind}: json: cannot unmarshal {type(value).__name__}"
        )
    return value


def receive_inventory(core: Core, host: Host, value: dict[str, Any]) -> None:
    first = host.inventory is None
    host.inventory = disks.normalise(value, virtual_interfaces=core.settings.switch("ENABLE_VIRTUAL_INTERFACES", False))
    wanted = core.settings.bootstrap_host_mac
    if wanted and wanted in disks.macs(host.inventory) and host.cluster_id and not host.day2:
        host.role = host.suggested_role = "master"
        host.bootstrap = True
    machine_host.judge_disks(core, host)
    if first:
        core.touch(host)


def _receive_domains(core: Core, host: Host, value: dict[str, Any]) -> None:
    host.resolutions = value


def _receive_vips(core: Core, host: Host, value: Sequence[Mapping[str, Any]]) -> None:
    cluster = core.cluster_of(host)
    if cluster is None:
        return
    known = cluster.vips("api_vips") + cluster.vips("ingress_vips")
    for entry in value:
        vip = str(ipaddress.ip_address(entry.get("vip", "")))
        if vip in known:
            cluster.vip_verification[vip] = entry.get("verification") or "unverified"


def _record_speed(host: Host, disk_id: str, milliseconds: int, code: int) -> None:
    host.disks_info[disk_id] = {
        "path": disk_id,
        "disk_speed": {"tested": True, "speed_ms": milliseconds, **({"exit_code": code} if code else {})},
    }


def _receive_speed(core: Core, host: Host, value: dict[str, Any]) -> None:
    spent = int(value.get("io_sync_duration") or 0)
    _record_speed(host, host.installation_disk_id, spent, 0)
    limit = (
        core.scene(core.cluster_of(host), host).requirement(host.effective_role).installation_disk_speed_threshold_ms
    )
    if spent > limit:
        text = (
            f"Host's disk {host.installation_disk_path} is slower than the supported speed: {spent} ms instead of at "
            f"most {limit} ms"
        )
        core.event("disk_speed_slower_than_supported", text, severity="warning", host=host)


def _receive_images(core: Core, host: Host, value: dict[str, Any]) -> None:
    for entry in value.get("images") or []:
        host.images_status[entry["name"]] = entry
        text = f"Host {host.name}: New image status {entry['name']}. result: {entry.get('result')}"
        core.event(
            "image_status_updated", text, severity="info" if entry.get("result") == "success" else "error", host=host
        )


def _keep(member: str) -> Callable[[Core, Host, Any], None]:
    def receive(core: Core, host: Host, value: Any) -> None:
        setattr(host, member, value)

    return receive


def _receive_connectivity(core: Core, host: Host, value: dict[str, Any]) -> None:
    """A loss of nothing is not stored."""
    for remote in value.get("remote_hosts") or []:
        for link in remote.get("l3_connectivity") or []:
            if not link.get("packet_loss_percentage"):
                link.pop("packet_loss_percentage", None)
    host.connectivity = value


def _receive_ntp(core: Core, host: Host, value: dict[str, Any]) -> None:
    host.ntp_sources = value.get("ntp_sources") or []


def _receive_lease(core: Core, host: Host, value: dict[str, Any]) -> None:
    cluster = core.cluster_of(host)
    if cluster is not None and value.get("api_vip_address") and value.get("ingress_vip_address"):
        cluster.fields["api_vips"] = [{"ip": value["api_vip_address"]}]
        cluster.fields["ingress_vips"] = [{"ip": value["ingress_vip_address"]}]


RECEIVERS: dict[str, Callable[[Core, Host, Any], None]] = {
    "inventory": receive_inventory,
    "connectivity-check": _receive_connectivity,
    "free-network-addresses": _keep("free_addresses"),
    "tang-connectivity-check": _keep("tang_connectivity"),
    "api-vip-connectivity-check": _keep("api_vip_connectivity"),
    "ntp-synchronizer": _receive_ntp,
    "domain-resolution": _receive_domains,
    "verify-vips": _receive_vips,
    "installation-disk-speed-check": _receive_speed,
    "container-image-availability": _receive_images,
    "dhcp-lease-allocate": _receive_lease,
}
