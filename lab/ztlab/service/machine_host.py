# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""State machine of hosts in the simulated assisted-service.

A refresh validates a host and applies the first rule that matches its status; the rule sets the next status. This file
also suggests roles and handles hosts that register again.

Source: openshift/assisted-service internal/cluster/statemachine.go, internal/cluster/transition.go,
  internal/host/statemachine.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from . import inventory as disks
from . import validations_host
from .core import Core
from .model import BEFORE_INSTALL, INSTALLING, PREPARING, UNBOUND, Cluster, Host
from .scene import Scene, Verdict
from .settings import Requirement

DISCONNECTED = "Host has stopped communicating with the installation service"
NO_INVENTORY = "Waiting for host to send hardware details"
PREPARING_INFO = "Host is preparing for installation"
PREPARED_INFO = "Host finished successfully to prepare for installation"
INSTALLING_INFO = "Installation is in progress"
CLUSTER_FAILED = "Host is part of a cluster that failed to install"
CANCELLED = "Installation was cancelled by user"
LOST_CONNECTION = "Host failed to install due to timeout while connecting to host during the installation phase."
NEVER_BOOTED = "Host failed to boot from the installation disk within the expected time."
STATUS_TIMEOUT_SECONDS = 20 * 60
PENDING_USER_ACTION_SECONDS = 60 * 60
RECLAIM_SECONDS = 60 * 60
REBOOT_STAGES = ("Rebooting", "Waiting for ignition", "Configuring", "Joined", "Done")


@dataclasses.dataclass(frozen=True)
class Facts:
    """One host at one moment, judged."""

    core: Core
    scene: Scene
    host: Host
    verdicts: Mapping[str, Verdict]
    ignored: frozenset[str]

    @property
    def cluster(self) -> Cluster | None:
        return self.scene.cluster

    @property
    def cluster_status(self) -> str:
        return self.scene.cluster.status if self.scene.cluster else ""

    def met(self, name: str) -> bool:
        """A validation that is left out of the list counts as met, and so does an ignored one."""
        verdict = self.verdicts.get(name)
        return verdict is None or verdict.met or name in self.ignored

    def all_met(self, names: Sequence[str] | frozenset[str]) -> bool:
        return all(self.met(name) for name in names)

    def failures(self) -> str:
        return " ; ".join(
            verdict.message for verdict in self.verdicts.values() if verdict.status in ("failure", "error")
        )

    @property
    def connected(self) -> bool:
        return self.met("connected") and self.met("media-connected")

    def in_status(self, seconds: float) -> bool:
        return self.scene.now - self.host.status_since > seconds


@dataclasses.dataclass(frozen=True)
class Rule:
    """``target`` None: stay. The first rule whose sources and condition fit decides."""

    sources: frozenset[str]
    when: Callable[[Facts], bool]
    target: str | None
    info: Callable[[Facts], str] | str = ""


def _text(rule: Rule, facts: Facts) -> str:
    return rule.info if isinstance(rule.info, str) else rule.info(facts)


def _insufficient(facts: Facts) -> str:
    return f"Host cannot be installed due to following failing validation(s): {facts.failures()}"


def _disk_description(host: Host) -> str:
    disk = disks.find_disk((host.inventory or {}).get("disks") or [], host.installation_disk_id) or {}
    parts = [disk.get("model", ""), disk.get("serial", "")]
    title = " ".join(part for part in parts if part)
    return f"{title} ({disk.get('name', '')}, {disk.get('id', '')})".strip()


def booted_image_again(host: Host) -> str:
    return (
        "Expected the host to boot from disk, but it booted the installation image - "
        f"please reboot and fix boot order to boot from disk {_disk_description(host)}"
    )


def _reboot_timed_out(facts: Facts) -> str:
    text = "Host did not come back after the reboot: check on its console that it boots from the installation disk"
    return f"{text} {_disk_description(facts.host)} and has network access"


def _stage_limit(facts: Facts) -> float | None:
    return facts.core.settings.stage_timeout(facts.host.progress.stage, facts.scene.single_node)


def _stage_minutes(facts: Facts) -> int:
    return int((_stage_limit(facts) or 0) // 60)


def _stage_timed_out(facts: Facts) -> bool:
    limit = _stage_limit(facts)
    return (
        limit is not None
        and not facts.core.settings.soft_timeouts
        and facts.scene.now - facts.host.progress.touched > limit
    )


def _disk_measured(facts: Facts) -> bool:
    speed = facts.host.disks_info.get(facts.host.installation_disk_id, {}).get("disk_speed") or {}
    return bool(speed.get("tested"))


def _prepared(facts: Facts) -> bool:
    return (
        _disk_measured(facts)
        and facts.met("sufficient-installation-disk-speed")
        and bool(facts.host.images_status)
        and facts.met("container-images-available")
    )


def _can_succeed_without(facts: Facts) -> bool:
    """Upstream gives a host up only when the cluster can finish without it: the one worker, or one with two others
    beside it.
    """
    workers = [host for host in facts.scene.hosts if host.effective_role == "worker"]
    others = [host for host in workers if host is not facts.host and host.status != "error"]
    return facts.host.effective_role == "worker" and (len(workers) == 1 or len(others) >= 2)


def _set(*names: str) -> frozenset[str]:
    return frozenset(names)


_PREPARING_CLUSTER = _set("preparing-for-installation", "installing", "installing-pending-user-action")
_ALL_INSTALLING = INSTALLING | {"preparing-successful"}

RULES: tuple[Rule, ...] = (
    # before installation
    Rule(BEFORE_INSTALL, lambda f: not f.connected, "disconnected", DISCONNECTED),
    Rule(
        _set("known"),
        lambda f: f.cluster_status == "preparing-for-installation" and f.host.role != "auto-assign",
        "preparing-for-installation",
        PREPARING_INFO,
    ),
    Rule(
        BEFORE_INSTALL,
        lambda f: not (f.met("has-inventory") and f.met("inventory-not-fully-truncated")),
        "discovering",
        NO_INVENTORY,
    ),
    Rule(
        BEFORE_INSTALL,
        lambda f: not f.all_met(validations_host.MINIMUM_HARDWARE),
        "insufficient",
        lambda f: f"Host does not meet the minimum hardware requirements: {f.failures()}",
    ),
    Rule(
        BEFORE_INSTALL,
        lambda f: not f.met("machine-cidr-defined"),
        "pending-for-input",
        lambda f: f"Waiting for user input: {f.failures()}",
    ),
    Rule(BEFORE_INSTALL, lambda f: not f.all_met(validations_host.blocking_ids()), "insufficient", _insufficient),
    Rule(BEFORE_INSTALL, lambda f: True, "known", "Host is ready to be installed"),
    # preparation
    Rule(PREPARING, lambda f: not f.connected, "disconnected", DISCONNECTED),
    Rule(
        _set("preparing-for-installation"),
        lambda f: _disk_measured(f) and not f.met("sufficient-installation-disk-speed"),
        "insufficient",
        _insufficient,
    ),
    Rule(PREPARING, lambda f: f.cluster_status not in _PREPARING_CLUSTER, "known", "Host is ready to be installed"),
    Rule(
        _set("preparing-for-installation"),
        lambda f: not f.met("container-images-available"),
        "preparing-failed",
        lambda f: f"Host failed to prepare for installation due to following failing validation(s): {f.failures()}",
    ),
    Rule(_set("preparing-for-installation"), _prepared, "preparing-successful", PREPARED_INFO),
    Rule(
        _set("preparing-for-installation"),
        lambda f: f.in_status(f.core.settings.prepare_host_timeout),
        "preparing-failed",
        lambda f: (
            "The host has encountered a preparation timeout, the following conditions failed: "
            + (f.failures() or "missing answers of the agent")
        ),
    ),
    Rule(_set("preparing-successful"), lambda f: f.cluster_status == "installing", "installing", INSTALLING_INFO),
    # installation
    Rule(INSTALLING | {"installed", "error"}, lambda f: f.cluster_status == "cancelled", "cancelled", CANCELLED),
    Rule(_ALL_INSTALLING | {"installed"}, lambda f: f.cluster_status == "error", "error", CLUSTER_FAILED),
    Rule(
        INSTALLING,
        lambda f: bool(f.host.install_step_failed),
        "error",
        lambda f: f"installation command failed: {f.host.install_step_failed}",
    ),
    Rule(
        _set("installing", "installing-in-progress"),
        lambda f: not f.met("media-connected") and f.host.progress.stage not in REBOOT_STAGES,
        "error",
        "Failed - media disconnected",
    ),
    Rule(
        _set("installing-in-progress"),
        lambda f: f.host.progress.stage == "Rebooting" and _stage_timed_out(f),
        "installing-pending-user-action",
        _reboot_timed_out,
    ),
    Rule(
        _set("installing", "installing-in-progress"),
        lambda f: not f.core.settings.soft_timeouts and not f.met("connected"),
        "error",
        LOST_CONNECTION,
    ),
    Rule(
        _set("installing-in-progress"),
        _stage_timed_out,
        "error",
        lambda f: (
            f"Host failed to install because its installation stage {f.host.progress.stage} took longer than expected "
            f"{_stage_minutes(f)}m"
        ),
    ),
    Rule(
        _set("installing"),
        lambda f: f.in_status(STATUS_TIMEOUT_SECONDS) and not f.core.settings.soft_timeouts,
        "error",
        "Host failed to install due to timeout while starting installation",
    ),
    Rule(
        _set("installing-pending-user-action"),
        lambda f: f.in_status(PENDING_USER_ACTION_SECONDS) and not f.host.day2 and _can_succeed_without(f),
        "error",
        NEVER_BOOTED,
    ),
    # reclaiming a node for another use
    Rule(
        _set("reclaiming", "reclaiming-rebooting"),
        lambda f: f.in_status(RECLAIM_SECONDS),
        "unbinding-pending-user-action",
        "Host requires booting into the discovery image to complete unbinding",
    ),
    # without a cluster
    Rule(UNBOUND - {"disabled-unbound"}, lambda f: not f.connected, "disconnected-unbound", DISCONNECTED),
    Rule(UNBOUND - {"disabled-unbound"}, lambda f: not f.met("has-inventory"), "discovering-unbound", NO_INVENTORY),
    Rule(
        UNBOUND - {"disabled-unbound"},
        lambda f: not f.all_met(validations_host.UNBOUND_NEEDS),
        "insufficient-unbound",
        lambda f: f"Host does not meet the minimum hardware requirements: {f.failures()}",
    ),
    Rule(UNBOUND - {"disabled-unbound"}, lambda f: True, "known-unbound", "Host is ready to be bound to a cluster"),
)


def decide(facts: Facts) -> tuple[str, str] | None:
    """The status a refresh leads to, or None to stay."""
    for rule in RULES:
        if facts.host.status in rule.sources and rule.when(facts):
            return None if rule.target is None else (rule.target, _text(rule, facts))
    return None


def refresh(core: Core, host: Host, scene: Scene | None = None) -> None:
    """Recompute role suggestion and validations, then apply the first fitting rule."""
    cluster = core.cluster_of(host)
    scene = scene or core.scene(cluster, host)
    suggest_role(core, host, scene)
    facts = judge(core, host, scene)
    outcome = decide(facts)
    if outcome is None:
        return
    if outcome[0] == "installing" and host.status == "preparing-successful":
        core.event("host_installation_started", f"Host {host.name}: Installation started", host=host)
    core.set_host_status(host, *outcome)


def judge(core: Core, host: Host, scene: Scene) -> Facts:
    """Validate and tell the changes as events."""
    previous = {verdict.id: verdict for verdicts in host.verdicts.values() for verdict in verdicts}
    before_all = host.verdicts
    host.verdicts = validations_host.judge(scene, host)
    if host.verdicts != before_all:
        core.changed(host)
    verdicts = {verdict.id: verdict for found in host.verdicts.values() for verdict in found}
    for name, verdict in verdicts.items():
        before = previous[name].status if name in previous else ""
        if before == "success" and verdict.status == "failure":
            core.event(
                "host_validation_failed",
                (f"Host {host.name}: validation '{name}' that used to succeed is now failing"),
                severity="warning",
                host=host,
            )
        elif before == "failure" and verdict.status == "success":
            core.event("host_validation_fixed", f"Host {host.name}: validation '{name}' is now fixed", host=host)
    listed = scene.cluster.ignored_hosts if scene.cluster else []
    never = validations_host.NEVER_IGNORED
    ignored = frozenset(name for name in verdicts if name not in never) if "all" in listed else frozenset(listed)
    return Facts(core, scene, host, verdicts, ignored)


# roles


def hardware_fits(host: Host, requirement: Requirement) -> bool:
    inventory = host.inventory or {}
    cores = int((inventory.get("cpu") or {}).get("count") or 0)
    large = any(
        int(disk.get("size_bytes") or 0) >= requirement.disk_size_gb * 10**9 for disk in disks.eligible_disks(inventory)
    )
    return cores >= requirement.cpu_cores and validations_host.enough_memory(host, requirement.ram_mib) and large


def select_role(host: Host, scene: Scene) -> str:
    """The role that a host left to ``auto-assign`` would get now."""
    cluster = scene.cluster
    if cluster is None or host.inventory is None:
        return "auto-assign"
    if cluster.day2:
        return "worker"
    others = [other.effective_role for other in scene.hosts if other is not host]
    masters = sum(role == "master" for role in others)
    if masters < cluster.control_plane_count and hardware_fits(host, scene.requirement("master")):
        return "master"
    if (
        cluster.control_plane_count == 2
        and "arbiter" not in others
        and hardware_fits(host, scene.requirement("arbiter"))
    ):
        return "arbiter"
    return "worker"


def suggest_role(core: Core, host: Host, scene: Scene) -> None:
    """Only for hosts before installation whose role is open; a suggestion once made stays while it is still right."""
    if host.role != "auto-assign" or host.status not in BEFORE_INSTALL | UNBOUND:
        return
    role = select_role(host, scene)
    if role != host.suggested_role:
        host.suggested_role = role
        judge_disks(core, host)
        if role != "auto-assign":
            core.event("host_role_updated", f"Host {host.name}: calculated role is {role}", host=host)


def judge_disks(core: Core, host: Host) -> None:
    """Recompute eligibility for the role of now and choose the installation disk.

    Source: openshift/assisted-service swagger.yaml, internal/hardware/validator.go.
    """
    if host.inventory is None:
        return
    scene = core.scene(core.cluster_of(host), host)
    # While the role is open the smallest requirement counts.
    least = (
        scene.least_requirement() if host.effective_role == "auto-assign" else scene.requirement(host.effective_role)
    )
    host.inventory["disks"] = disks.judge_disks(host.inventory, least_gb=least.disk_size_gb, version=scene.version)
    eligible = disks.eligible_disks(host.inventory)
    if host.disk_chosen_by_user and disks.find_disk(eligible, host.installation_disk_id):
        return
    kept = disks.find_disk(eligible, host.installation_disk_id) or disks.preferred_disk(eligible)
    host.disk_chosen_by_user = False
    host.installation_disk_id = str(kept["id"]) if kept else ""
    host.installation_disk_path = disks.disk_path(kept) if kept else ""


# registration of an agent that was known before


def register_again(core: Core, host: Host) -> None:
    """Transition of 7.3; the caller refuses ``installed`` and pending hosts afterwards."""
    cluster = core.cluster_of(host)
    restarts = BEFORE_INSTALL | {"resetting-pending-user-action", "binding"}
    if host.status in UNBOUND | {"unbinding", "unbinding-pending-user-action", "reclaiming-rebooting"}:
        host.cluster_id = ""
        host.role = host.suggested_role = "auto-assign"
        host.forget_discovery()
        core.set_host_status(host, "discovering-unbound", NO_INVENTORY)
    elif host.status in restarts:
        host.forget_discovery()
        host.bootstrap = bool(cluster and cluster.single_node and not cluster.day2)
        core.set_host_status(host, "discovering", NO_INVENTORY)
    elif host.status in PREPARING:
        core.set_host_status(host, "known", "Host is ready to be installed")
    elif (
        host.status == "installing-pending-user-action"
        or (host.status == "installing-in-progress" and host.progress.stage in REBOOT_STAGES)
        or (host.status == "added-to-existing-cluster" and host.progress.stage == "Done")
    ):
        core.set_host_status(host, "installing-pending-user-action", booted_image_again(host))
    elif host.status in ("installing", "installing-in-progress"):
        core.set_host_status(host, "error", "The host unexpectedly restarted during the installation")
