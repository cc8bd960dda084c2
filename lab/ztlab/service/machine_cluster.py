# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Implement the state machine of clusters: refresh rules, preparation, installation, cancel and reset.

Source: openshift/assisted-service internal/cluster/statemachine.go, internal/cluster/transition.go.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import uuid
from collections.abc import Callable, Mapping, Sequence

from . import machine_host, networks, validations_cluster
from .core import Core
from .errors import conflict
from .model import PREPARING, Cluster, Host, Progress
from .scene import Scene, Verdict

NO_TRANSITION = "no condition found to run transition"
BEFORE = frozenset({"insufficient", "pending-for-input", "ready"})
JUDGED = BEFORE | {"preparing-for-installation"}
RUNNING = (
    "preparing-successful",
    "installing",
    "installing-in-progress",
    "installing-pending-user-action",
    "installed",
)
OWN_PREPARATION_SECONDS = 7.0
DAY_SECONDS = 24 * 3600.0
_DAY_MINUTES = int(DAY_SECONDS // 60)
FINALIZING_SECONDS = 5 * 3600.0
FINALIZING_STAGE_SECONDS = 70 * 60.0
UNTIMED_STAGES = (
    "Applying olm manifests",
    "Waiting for olm operators csv initialization",
    "Waiting for olm operators csv",
)
CANCELLABLE = frozenset({"installing", "installing-pending-user-action", "error", "finalizing"})
RESETTABLE = CANCELLABLE | {"preparing-for-installation", "cancelled"}
RESET_HOST_INFO = "Host requires booting into the discovery image to complete resetting the installation"


@dataclasses.dataclass(frozen=True)
class Facts:
    core: Core
    scene: Scene
    cluster: Cluster
    hosts: Sequence[Host]
    verdicts: Mapping[str, Verdict]
    ignored: frozenset[str]

    def met(self, name: str) -> bool:
        return name not in self.verdicts or self.verdicts[name].met or name in self.ignored

    def any_host(self, *statuses: str) -> bool:
        return any(host.status in statuses for host in self.hosts)

    def in_status(self, seconds: float) -> bool:
        return self.scene.now - self.cluster.status_since > seconds

    def with_role(self, *roles: str) -> list[Host]:
        return [host for host in self.hosts if host.effective_role in roles or (host.bootstrap and "master" in roles)]

    def enough(self, statuses: Sequence[str]) -> bool:
        """The quorum of an installation: all control plane nodes, an arbiter if any, two workers if there are as
        many.
        """
        masters, arbiters, workers = self.with_role("master"), self.with_role("arbiter"), self.with_role("worker")
        fine_masters = sum(host.status in statuses for host in masters) >= self.cluster.control_plane_count
        fine_arbiters = not arbiters or any(host.status in statuses for host in arbiters)
        fine_workers = len(workers) < 2 or sum(host.status in statuses for host in workers) >= 2
        return fine_masters and fine_arbiters and fine_workers

    def operators_done(self) -> bool:
        return all(
            operator.status == "available" or (operator.kind == "olm" and operator.status == "failed")
            for operator in self.cluster.operators.values()
        )


@dataclasses.dataclass(frozen=True)
class Rule:
    sources: frozenset[str]
    when: Callable[[Facts], bool]
    target: str
    info: Callable[[Facts], str] | str


def _set(*names: str) -> frozenset[str]:
    return frozenset(names)


def _needs_input(facts: Facts) -> bool:
    names = [
        name
        for name in validations_cluster.NEEDS_INPUT
        if not (facts.cluster.fields.get("vip_dhcp_allocation") and "vips" in name)
    ]
    return not all(facts.met(name) for name in names)


def _not_ready(facts: Facts) -> bool:
    return not all(facts.met(name) for name in facts.verdicts if name != "platform-requirements-satisfied")


def _stage_timed_out(facts: Facts) -> bool:
    cluster = facts.cluster
    timed = bool(cluster.finalizing_stage) and cluster.finalizing_stage not in (*UNTIMED_STAGES, "Done")
    return (
        timed
        and not facts.core.settings.soft_timeouts
        and facts.scene.now - cluster.finalizing_stage_since > FINALIZING_STAGE_SECONDS
    )


def _stage_text(facts: Facts) -> str:
    minutes = int(FINALIZING_STAGE_SECONDS // 60)
    return (
        f"Cluster finalizing stage '{facts.cluster.finalizing_stage}' has been timed out after timeout duration of "
        f"{minutes} minutes"
    )


def _installed(facts: Facts) -> bool:
    hosts_done = all(host.status in ("installed", "error", "added-to-existing-cluster") for host in facts.hosts)
    return bool(facts.cluster.ingress_ca) and facts.operators_done() and hosts_done


def _installed_text(facts: Facts) -> str:
    if any(operator.status == "failed" for operator in facts.cluster.operators.values()):
        return "Cluster is installed but degraded"
    if facts.any_host("error"):
        return "Cluster is installed but some workers did not join"
    return "Cluster is installed"


RULES: tuple[Rule, ...] = (
    Rule(BEFORE, _needs_input, "pending-for-input", "User input required"),
    Rule(BEFORE, _not_ready, "insufficient", "Cluster is not ready for install"),
    Rule(BEFORE, lambda f: True, "ready", "Cluster ready to be installed"),
    Rule(
        _set("preparing-for-installation"),
        lambda f: f.any_host("preparing-failed") or f.cluster.preparation == "failed",
        "ready",
        "Cluster failed to prepare for installation",
    ),
    Rule(
        _set("preparing-for-installation"),
        lambda f: any(host.status not in PREPARING | {"known"} for host in f.hosts),
        "insufficient",
        "At least one host has stopped preparing for installation",
    ),
    Rule(
        _set("preparing-for-installation"),
        lambda f: f.cluster.preparation == "success" and all(host.status == "preparing-successful" for host in f.hosts),
        "installing",
        "Installation in progress",
    ),
    Rule(
        _set("preparing-for-installation"),
        lambda f: f.in_status(f.core.settings.prepare_cluster_timeout),
        "ready",
        "Preparing cluster for installation timeout",
    ),
    Rule(
        _set("installing", "installing-pending-user-action"),
        lambda f: not f.enough(RUNNING),
        "error",
        "cluster has hosts in error",
    ),
    Rule(
        _set("installing", "finalizing"),
        lambda f: f.any_host("installing-pending-user-action"),
        "installing-pending-user-action",
        "Cluster has hosts pending user action",
    ),
    Rule(
        _set("installing-pending-user-action"),
        lambda f: f.scene.now - f.cluster.install_started > DAY_SECONDS,
        "error",
        "cluster installation timed out while pending user action (a manual booting from installation disk)",
    ),
    Rule(
        _set("installing-pending-user-action"),
        lambda f: not f.any_host("installing-pending-user-action") and not f.enough(("installed",)),
        "installing",
        "Installation in progress",
    ),
    Rule(
        _set("installing", "installing-pending-user-action"),
        lambda f: not f.any_host("installing-pending-user-action") and f.enough(("installed",)),
        "finalizing",
        "Finalizing cluster installation",
    ),
    Rule(
        _set("installing", "finalizing"),
        lambda f: f.core.settings.soft_timeouts and f.scene.now - f.cluster.install_started > DAY_SECONDS,
        "error",
        f"cluster installation timeout ({_DAY_MINUTES} minutes) has expired",
    ),
    Rule(_set("finalizing"), _installed, "installed", _installed_text),
    Rule(_set("finalizing"), _stage_timed_out, "error", _stage_text),
    Rule(
        _set("finalizing"),
        lambda f: not f.core.settings.soft_timeouts and f.in_status(FINALIZING_SECONDS),
        "error",
        "Cluster installation timeout while finalizing",
    ),
)


def decide(facts: Facts) -> tuple[str, str] | None:
    """The status a refresh leads to, or None to stay."""
    for rule in RULES:
        if facts.cluster.status in rule.sources and rule.when(facts):
            return rule.target, rule.info if isinstance(rule.info, str) else rule.info(facts)
    return None


def refresh(core: Core, cluster: Cluster) -> None:
    """Validate the cluster and apply the first fitting rule."""
    if cluster.day2 or cluster.status == "unmonitored":
        return
    if cluster.status in BEFORE:
        derive_machine_networks(core, cluster)
    facts = judge(core, cluster)
    outcome = decide(facts)
    if outcome is None:
        return
    previous = cluster.status
    core.set_cluster_status(cluster, *outcome)
    if previous == "preparing-for-installation" and outcome[0] != "installing":
        cluster.preparation, cluster.preparation_reason = "failed", outcome[1]
        core.event(
            "prepare_installation_failed",
            f"Failed to prepare the installation due to an unexpected error: {outcome[1]}. Please retry later",
            severity="error",
            cluster=cluster,
        )


def judge(core: Core, cluster: Cluster) -> Facts:
    scene = core.scene(cluster)
    previous = {verdict.id: verdict.status for verdicts in cluster.verdicts.values() for verdict in verdicts}
    before = cluster.verdicts
    # What was found last before the installation stays.
    if cluster.status in JUDGED or not before:
        cluster.verdicts = validations_cluster.judge(scene)
    if cluster.verdicts != before:
        core.changed(cluster)
    verdicts = {verdict.id: verdict for found in cluster.verdicts.values() for verdict in found}
    for name, verdict in verdicts.items():
        if previous.get(name) == "success" and verdict.status == "failure":
            core.event(
                "cluster_validation_failed",
                f"Cluster validation '{name}' that used to succeed is now failing",
                severity="warning",
                cluster=cluster,
            )
        elif previous.get(name) == "failure" and verdict.status == "success":
            core.event("cluster_validation_fixed", f"Cluster validation '{name}' is now fixed", cluster=cluster)
    never = validations_cluster.NEVER_IGNORED
    ignored = (
        frozenset(name for name in verdicts if name not in never)
        if "all" in cluster.ignored_cluster
        else frozenset(cluster.ignored_cluster)
    )
    return Facts(core, scene, cluster, scene.hosts, verdicts, ignored)


def derive_machine_networks(core: Core, cluster: Cluster) -> None:
    """Networks given at creation stay; otherwise they follow the VIPs, or the default route of a single node."""
    if cluster.machine_networks_provided:
        return
    found = networks.calculated_machine_networks(cluster, core.state.hosts_of(cluster.id))
    if found and found != cluster.machine_networks:
        cluster.machine_networks = found


# actions


def install(core: Core, cluster: Cluster) -> None:
    """Start: roles become fixed, a bootstrap host is chosen, VIPs are verified again. Raises ServiceError 409."""
    if cluster.status != "ready":
        verdicts = {category: [verdict.body() for verdict in found] for category, found in cluster.verdicts.items()}
        shown = json.dumps(verdicts, separators=(",", ":")) if verdicts else ""
        raise conflict(f"Cluster is not ready for installation, {cluster.status_info} validation_info={shown}")
    hosts = core.state.hosts_of(cluster.id)
    for host in hosts:
        host.images_status, host.disks_info = {}, {}
        host.progress = Progress()
        host.installer_version = core.settings.installer_image
        if host.role == "auto-assign":
            host.role = host.suggested_role
            core.event("host_role_updated", f"Host {host.name}: set role to {host.role}", host=host)
    choose_bootstrap(core, hosts)
    cluster.preparation, cluster.preparation_reason = "not_started", ""
    core.start_installation(cluster)
    core.set_cluster_status(cluster, "preparing-for-installation", "Preparing cluster for installation")
    core.event("cluster_prepare_installation_started", "Preparing cluster for installation", cluster=cluster)


def choose_bootstrap(core: Core, hosts: Sequence[Host]) -> None:
    """The host with BOOTSTRAP_HOST_MAC was marked when its inventory came; otherwise the first control plane host."""
    masters = [host for host in hosts if host.role == "master"]
    if masters and not any(host.bootstrap for host in masters):
        masters[0].bootstrap = True
    for host in masters:
        if host.bootstrap:
            core.event("host_bootstrap_set", f"Host {host.name}: set as bootstrap", host=host)


async def prepare(core: Core, cluster: Cluster) -> None:
    """The service's own part of the preparation: install-config and ignition."""
    await core.clock.sleep(OWN_PREPARATION_SECONDS)
    if cluster.status == "preparing-for-installation":
        cluster.preparation, cluster.preparation_reason = "success", "Installation preparation successful"
        cluster.openshift_cluster_id = cluster.openshift_cluster_id or str(uuid.uuid4())
        core.event(
            "cluster_prepare_installation_succeeded",
            "Cluster was prepared successfully for installation",
            cluster=cluster,
        )
    await asyncio.sleep(0)


def cancel(core: Core, cluster: Cluster) -> None:
    """Raises ServiceError 409 outside an installation."""
    if cluster.status == "preparing-for-installation":
        core.set_cluster_status(cluster, "ready", "Cluster ready to be installed")
    elif cluster.status in CANCELLABLE:
        core.set_cluster_status(cluster, "cancelled", machine_host.CANCELLED)
        for host in core.state.hosts_of(cluster.id):
            machine_host.refresh(core, host)
    else:
        raise conflict(NO_TRANSITION)
    core.event("cluster_installation_canceled", f"Canceled cluster installation of {cluster.name}", cluster=cluster)


def reset(core: Core, cluster: Cluster) -> None:
    """Back to insufficient; hosts have to boot the discovery image again. Raises ServiceError 409."""
    if cluster.status not in RESETTABLE:
        raise conflict(NO_TRANSITION)
    core.set_cluster_status(cluster, "insufficient", "cluster was reset by user")
    cluster.preparation = "not_started"
    cluster.finalizing_stage = cluster.ingress_ca = ""
    for operator in cluster.operators.values():
        operator.status = operator.status_info = ""
    for host in core.state.hosts_of(cluster.id):
        core.set_host_status(host, "resetting-pending-user-action", RESET_HOST_INFO)
    core.event("cluster_installation_reset", f"Reset cluster installation of {cluster.name}", cluster=cluster)
