# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide what to do about a running installation, as pure functions: the current observation and the memory of earlier
ones give steps with reasons.

Completion is defined as in ``agent wait-for``; unlike there, a terminal state ends the wait at once.
Source: openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from ...assisted.install.progress import CLUSTER_BOOTSTRAPPED, PENDING_USER_ACTION, HostProgress, Validation
from ...common.plurals import is_or_are
from ...common.retry import RetryPolicy
from ...common.retry_policies import DETACH, REPAIR
from ...common.shared_fate import shares_fate
from ..safety.recover import may_recover
from ..stop_reason import StopReason
from .observation import InventoryHost, MachineView, Observation, Silence
from .setup import ACTS, PHASES, Phase, Setup

_START_AGAIN = (
    "Then run destroy_cluster -e openshift_confirm=<cluster> and deploy_cluster, or deploy_cluster with -e "
    "openshift_force=start_over "
    "-e openshift_confirm=<cluster>."
)

_AFTER_BOOTSTRAP = ("install", "operators", "done")

# A cluster that is ready starts by itself within seconds; after this long it will not.
# Source: openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go.
READY_LIMIT = 60.0
# A host that rebooted has its Node some minutes later, long before this; a host that booted the image again when the
# service had ended never gets a Node.
NODE_LIMIT = 1200.0
# Hosts whose power and media explain a silence are read again after this long.
_INSPECTION = 30.0
# Service and API are both silent for this long during bootstrap before the power of the rendezvous host is read.
_SILENCE, _LONG_SILENCE = 60.0, 300.0
# So many graces after power on its self test is over.
_GRACES_OF_SELF_TEST = 2


@dataclasses.dataclass(frozen=True)
class Step:
    """One thing to do. ``host`` is empty for steps about the whole."""

    kind: Literal["detach", "repair", "boot", "report", "stop", "done"]
    reason: str
    host: str = ""
    # Of a stop: why it ends the wait.
    stop: StopReason | None = None

    @property
    def terminal(self) -> bool:
        """Whether the installation itself has failed; otherwise only the wait ends."""
        return self.stop is not None and self.stop.final

    def text(self) -> str:
        if self.kind in ("report", "done"):
            return self.reason
        return f"{self.host}: {ACTS[self.kind]} ({self.reason})" if self.host else f"{self.kind}: {self.reason}"


def stop_step(stop: StopReason) -> Step:
    """The step that ends the wait without its result."""
    return Step("stop", str(stop), stop=stop)


@dataclasses.dataclass(frozen=True)
class Attempt:
    """How often something was tried for a host, and when last (clock seconds)."""

    count: int = 0
    at: float = 0.0
    succeeded: bool = False

    def pauses(self, policy: RetryPolicy, now: float) -> bool:
        """Whether the next attempt has to wait."""
        return self.count > 0 and now - self.at < policy.delay(self.count)


@dataclasses.dataclass(frozen=True)
class Memory:
    """What is remembered between observations.

    Times are clock seconds; ``hosts`` are the service's last words by host id.
    """

    started: float
    phase: Phase = "boot"
    phase_since: float = 0.0
    looked_at: float = 0.0
    percent: int = 0
    service_seen: bool = False
    installation_seen: bool = False
    ready_since: float | None = None
    quiet_since: float | None = None
    # When bootstrap was seen complete, and since when neither service nor API has answered.
    bootstrapped_since: float | None = None
    silent_since: float | None = None
    inspected_at: float | None = None
    machines: Mapping[str, MachineView] = dataclasses.field(default_factory=dict)
    # Since when each host has been seen without power.
    off_since: Mapping[str, float] = dataclasses.field(default_factory=dict)
    hosts: Mapping[str, HostProgress] = dataclasses.field(default_factory=dict)
    # When each host of the service was seen first, by id.
    registered: Mapping[str, float] = dataclasses.field(default_factory=dict)
    cluster_status: str = ""
    cluster_validations: tuple[Validation, ...] = ()
    attempts: Mapping[tuple[str, str], Attempt] = dataclasses.field(default_factory=dict)
    reported: frozenset[str] = frozenset()

    def attempt(self, kind: str, host: str) -> Attempt:
        return self.attempts.get((kind, host), Attempt())

    def tried(self, kind: str, host: str, at: float, *, succeeded: bool) -> Memory:
        count = self.attempt(kind, host).count + 1
        return dataclasses.replace(self, attempts={**self.attempts, (kind, host): Attempt(count, at, succeeded)})

    def last_words(self, seen: Observation, host: InventoryHost) -> HostProgress | None:
        """The host as the service shows it, or showed it before it went away."""
        known = dataclasses.replace(
            seen, service=dataclasses.replace(seen.service, ours=True, hosts=tuple(self.hosts.values()))
        )
        return known.service_host(host)


def remember(memory: Memory, seen: Observation, now: float) -> Memory:
    """The memory after an observation."""
    phase = phase_of(seen, memory)
    cluster = seen.service.cluster if seen.service.ours else None
    status = cluster.status if cluster else memory.cluster_status
    ready = cluster is not None and cluster.status == "ready"
    quiet = (
        bool(seen.api.operators)
        and seen.api.ours
        and not any(operator.progressing.true for operator in seen.api.operators)
    )
    return dataclasses.replace(
        memory,
        phase=phase,
        phase_since=memory.phase_since if phase == memory.phase else now,
        looked_at=now,
        percent=max(memory.percent, percent_of(seen, phase)),
        service_seen=memory.service_seen or seen.service.ours,
        installation_seen=memory.installation_seen or bool(cluster and cluster.installing),
        ready_since=_since(ready, memory.ready_since, now),
        bootstrapped_since=_since(phase in _AFTER_BOOTSTRAP, memory.bootstrapped_since, now),
        silent_since=_since(not (seen.service.answers or seen.api.answers), memory.silent_since, now),
        quiet_since=_since(quiet, memory.quiet_since, now),
        hosts={host.id: host for host in seen.service.hosts}
        if seen.service.ours and seen.service.cluster
        else memory.hosts,
        registered={host.id: now for host in seen.service.hosts} | dict(memory.registered),
        cluster_status=status,
        cluster_validations=cluster.validations if cluster else memory.cluster_validations,
    )


def hosts_to_inspect(seen: Observation, memory: Memory, setup: Setup, now: float) -> tuple[str, ...]:
    """Hosts whose power and media decide what to do: those without a Node long after bootstrap, and the rendezvous host
    while nothing answers.
    """
    if memory.inspected_at is not None and now - memory.inspected_at < _INSPECTION:
        return ()
    hosts = [host for host in setup.hosts if _overdue_node(seen, memory, setup, host, now)]
    if (
        not setup.elsewhere
        and memory.phase == "bootstrap"
        and memory.silent_since is not None
        and now - memory.silent_since >= _SILENCE
    ):
        hosts += [host for host in setup.hosts if _is_rendezvous(seen, memory, host)]
    return tuple(host.name for host in hosts if host.name in setup.media)


def inspected(memory: Memory, machines: Mapping[str, MachineView], now: float) -> Memory:
    """The memory after hosts were read."""
    off = {name: memory.off_since.get(name, now) for name, machine in machines.items() if machine.off}
    return dataclasses.replace(memory, inspected_at=now, machines=machines, off_since=off)


def phase_of(seen: Observation, memory: Memory) -> Phase:
    """Where the installation is; never back, since service and API come and go."""
    cluster = seen.service.cluster if seen.service.ours else None
    phase: Phase = "boot"
    if bootstrapped(seen) or (cluster and cluster.status in CLUSTER_BOOTSTRAPPED):
        phase = "operators" if seen.api.complete else "install"
    elif seen.api.ours or (cluster and cluster.installing):
        phase = "bootstrap"
    elif seen.service.ours:
        phase = "discovery"
    return max(phase, memory.phase, key=PHASES.index)


def bootstrapped(seen: Observation) -> bool:
    return seen.api.ours and (seen.api.bootstrap_complete or seen.api.complete)


def percent_of(seen: Observation, phase: Phase) -> int:
    """0 to 99 while it runs: the service's own figure as long as it answers, then the share of available operators."""
    if seen.service.ours and seen.service.cluster:
        return min(99, seen.service.cluster.percent)
    if phase == "operators":
        return 97
    operators = seen.api.operators
    share = sum(operator.available.true for operator in operators) / len(operators) if operators else 0.0
    return 75 + int(20 * share) if phase == "install" else 0


def plan(seen: Observation, memory: Memory, setup: Setup, now: float) -> tuple[Step, ...]:
    """The steps for this moment, most harmless first; ``stop`` or ``done`` is the last one.

    ``memory`` already holds this observation.
    """
    done = _done(seen, memory, setup, now)
    steps = [*_detach(seen, memory, setup, now, finished=done is not None and setup.until == "installed")]
    steps += _repair(seen, memory, setup, now)
    steps += _boot_again(seen, memory, setup, now)
    steps += _reports(seen, memory, setup, now)
    end = (
        done
        or _terminal(seen)
        or _without_rendezvous(seen, memory, setup, now)
        or _stuck(seen, memory, setup, now)
        or _overdue(seen, memory, setup, now)
    )
    return (*steps, end) if end else tuple(steps)


def _done(seen: Observation, memory: Memory, setup: Setup, now: float) -> Step | None:
    if setup.until == "bootstrap":
        return Step("done", "Bootstrap is complete.") if bootstrapped(seen) else None
    cluster = seen.service.cluster if seen.service.ours else None
    if setup.elsewhere and cluster and cluster.installed:
        return Step("done", "Installation is complete.")
    if not (bootstrapped(seen) and seen.api.complete and stable(seen, memory, setup, now)):
        return None
    return Step("done", "Installation is complete.")


def stable(seen: Observation, memory: Memory, setup: Setup, now: float) -> bool:
    """Every ClusterOperator has stopped progressing for long enough, by the API's own times or by ours."""
    limit = setup.limits.stable
    if memory.quiet_since is None:
        return not seen.api.operators
    return now - memory.quiet_since >= limit or all(
        operator.progressing.age >= limit for operator in seen.api.operators
    )


def _detach(seen: Observation, memory: Memory, setup: Setup, now: float, *, finished: bool) -> list[Step]:
    if not setup.detach:
        return []
    steps = []
    for host in setup.hosts:
        attempt = memory.attempt("detach", host.name)
        if (
            host.name not in setup.media
            or attempt.succeeded
            or memory.attempt("repair", host.name).succeeded
            or DETACH.exhausted(attempt.count)
        ):
            continue
        if attempt.pauses(DETACH, now) and not finished:
            continue
        reason = "the installation is complete" if finished else _left_the_live_system(seen, memory, host)
        if reason and may_recover(host, memory.last_words(seen, host), seen, finished=finished) in ("eject", "act"):
            steps.append(Step("detach", reason, host.name))
    return steps


def _left_the_live_system(seen: Observation, memory: Memory, host: InventoryHost) -> str:
    """Why the medium may go; empty while the live system may still read it.

    Source: docs/upstream/redfish.md#when-a-medium-may-be-ejected.
    """
    found = memory.last_words(seen, host)
    if found and found.status == PENDING_USER_ACTION:
        return ""
    if found and found.runs_from_disk:
        stage = found.stage or found.status
        return "host is rebooting from disk" if stage == "Rebooting" else f"host runs from disk, stage {stage}"
    if seen.service.answers or not seen.api.ours:
        return ""
    if seen.api.has_node(host):
        return "its Node exists"
    # Node 0 runs the service and reboots last; its own last report is lost with the service.
    # Source: docs/upstream/agent-installer.md#order-on-the-rendezvous-host.
    ran_service = found is not None and found.bootstrap and bootstrapped(seen)
    return "it ran the assisted-service, which stopped after bootstrap" if ran_service else ""


def _repair(seen: Observation, memory: Memory, setup: Setup, now: float) -> list[Step]:
    steps = []
    for host in setup.hosts:
        attempt = memory.attempt("repair", host.name)
        strayed = _strayed(seen, memory, setup, host, now)
        if may_recover(host, memory.last_words(seen, host), seen, strayed=strayed) != "act":
            continue
        if not _may_repair(memory, setup, host) or attempt.pauses(REPAIR, now):
            continue
        if _pending(seen, host):
            steps.append(Step("repair", "the installation image was booted again", host.name))
        elif strayed and not attempt.count:
            steps.append(Step("repair", f"it runs the ISO: {strayed}", host.name))
        elif _lost(seen, memory, setup, host, now):
            reason = (
                f"no Node {_node_minutes(setup)} min after bootstrap: the host has probably booted the "
                "installation image again"
            )
            steps.append(Step("repair", reason, host.name))
    return steps


def _pending(seen: Observation, host: InventoryHost) -> bool:
    """The service says that the host is back in the live system and waits for a user."""
    found = seen.service_host(host)
    return found is not None and found.status == PENDING_USER_ACTION


def _node_limit(setup: Setup) -> float:
    return min(NODE_LIMIT, setup.limits.install / 2)


def _overdue_node(seen: Observation, memory: Memory, setup: Setup, host: InventoryHost, now: float) -> bool:
    """The service has ended with bootstrap, and the host has no Node although there was time enough for it."""
    late = memory.bootstrapped_since is not None and now - memory.bootstrapped_since >= _node_limit(setup)
    return late and not setup.elsewhere and seen.api.ours and not seen.service.answers and not seen.api.has_node(host)


def _strayed(seen: Observation, memory: Memory, setup: Setup, host: InventoryHost, now: float) -> str:
    """How it is known that the host runs the image although the installation has left it; empty if it is not known."""
    machine = memory.machines.get(host.name)
    if machine is None or not machine.may_run_the_image or not _overdue_node(seen, memory, setup, host, now):
        return ""
    return f"{machine.text()}, and it has no Node {_node_minutes(setup)} min after bootstrap"


def _node_minutes(setup: Setup) -> str:
    minutes = _node_limit(setup) / 60
    return f"{minutes:.0f}"


def _lost(seen: Observation, memory: Memory, setup: Setup, host: InventoryHost, now: float) -> bool:
    """The host went to reboot from its disk, the service that would tell of its return has gone, and its Node did not
    appear in good time.

    A power cycle then is harmless: what is on the disk is complete, and its first boot goes on where it was.
    """
    found = memory.last_words(seen, host)
    return _overdue_node(seen, memory, setup, host, now) and found is not None and found.runs_from_disk


def _boot_again(seen: Observation, memory: Memory, setup: Setup, now: float) -> list[Step]:
    """Hosts that were powered on by a run that was killed, and that found no image since its server had ended with it:
    once for each wait.

    A host that runs from the image reads it or registers soon after it is published again. To boot that one again would
    be a second power cycle.
    """
    grace, waited = setup.limits.grace, now - memory.started
    if not setup.doubtful or memory.phase not in ("boot", "discovery") or waited < grace:
        return []
    reason = f"it was powered on by an earlier run, and has neither read the image nor registered in {grace:g} s"
    tested = {name for name, before in setup.doubtful.items() if before + waited >= _GRACES_OF_SELF_TEST * grace}
    hosts = [host for host in setup.hosts if host.name in tested and not memory.attempt("boot", host.name).count]
    return [Step("boot", reason, host.name) for host in hosts if not _shows_itself(seen, memory, setup, host)]


def _shows_itself(seen: Observation, memory: Memory, setup: Setup, host: InventoryHost) -> bool:
    """Whether the host may run from the image, or from its disk."""
    if (
        memory.last_words(seen, host)
        or seen.api.has_node(host)
        or any(not found.macs for found in memory.hosts.values())
    ):
        return True
    # The rendezvous host runs the service before it is registered there; where none has that address, each may be it.
    known = any(other.has_address(seen.rendezvous_ip) for other in setup.hosts)
    if (seen.service.answers or memory.service_seen) and (host.has_address(seen.rendezvous_ip) or not known):
        return True
    # A reader that is the BMC of none of them (behind a proxy or NAT) may be that of each.
    return bool(seen.readers & {setup.bmc_addresses.get(host.name)} or seen.readers - set(setup.bmc_addresses.values()))


def _reports(seen: Observation, memory: Memory, setup: Setup, now: float) -> list[Step]:
    """Warnings for the user, each text once."""
    steps = []
    for host in setup.hosts:
        found = seen.service_host(host)
        repaired = memory.attempt("repair", host.name)
        hopeless = not _may_repair(memory, setup, host) and not repaired.pauses(REPAIR, now)
        if found and _pending(seen, host) and hopeless:
            status_info = found.status_info or "it did not boot from its disk"
            steps.append(Step("report", f"{host.name}: manual action is required: {status_info}", host.name))
        if hopeless and _lost(seen, memory, setup, host, now):
            steps.append(
                Step(
                    "report",
                    (
                        f"{host.name}: manual action is required: it rebooted and has no Node. Look at its "
                        "console to see which system it booted"
                    ),
                    host.name,
                )
            )
        if found and found.status == "error" and not shares_fate(found.status_info):
            found_status_info = found.status_info or "no reason given"
            steps.append(Step("report", f"{host.name} failed: {found_status_info}", host.name))
        attempt = memory.attempt("detach", host.name)
        if not attempt.succeeded and DETACH.exhausted(attempt.count):
            steps.append(
                Step("report", f"The medium of {host.name} could not be detached. Detach it manually.", host.name)
            )
    steps += _silent(seen, memory, setup, now)
    for stranger in seen.surplus(setup.hosts):
        if stranger.macs and not (seen.service.cluster and seen.service.cluster.installing):
            text = (
                f"{stranger.name} is registered but not in the configuration; the installation starts only with the "
                "exact number of hosts"
            )
            steps.append(Step("report", f"{text}."))
    return [step for step in steps if step.reason not in memory.reported]


def _silent(seen: Observation, memory: Memory, setup: Setup, now: float) -> list[Step]:
    """Nothing answers for long during bootstrap: what that may mean, since the power of the rendezvous host may not be
    known.
    """
    limit = min(_LONG_SILENCE, setup.limits.bootstrap / 4)
    if (
        setup.elsewhere
        or memory.phase != "bootstrap"
        or memory.silent_since is None
        or now - memory.silent_since < limit
    ):
        return []
    limit_minutes = limit / 60
    text = (
        f"Neither the service nor the API of the cluster has answered for {limit_minutes:.0f} min. If rendezvous host"
    )
    lost = "lost power or restarted, the installation cannot continue. Look at its console."
    return [
        Step("report", f"{text} {host.name} {lost}", host.name)
        for host in setup.hosts
        if _is_rendezvous(seen, memory, host)
    ]


def _may_repair(memory: Memory, setup: Setup, host: InventoryHost) -> bool:
    return setup.repair and host.name in setup.media and not REPAIR.exhausted(memory.attempt("repair", host.name).count)


def _terminal(seen: Observation) -> Step | None:
    cluster = seen.service.cluster if seen.service.ours else None
    if not cluster or not cluster.terminal:
        return None
    info = "" if cluster.status_info.casefold() == cluster.text().casefold() else cluster.status_info
    text = f"{cluster.text()}: {info}" if info else cluster.text()
    return stop_step(StopReason("; ".join([text, *failed_hosts(seen)]), final=True))


def _is_rendezvous(seen: Observation, memory: Memory, host: InventoryHost) -> bool:
    """Whether the host runs the service and the bootstrap control plane, and would not continue from its disk."""
    found = memory.last_words(seen, host)
    return (host.has_address(seen.rendezvous_ip) or bool(found and found.bootstrap)) and not (
        found and found.runs_from_disk
    )


def _without_rendezvous(seen: Observation, memory: Memory, setup: Setup, now: float) -> Step | None:
    """The rendezvous host has lost its power. What it ran until bootstrap is complete was in its memory only."""
    for host in setup.hosts:
        since = memory.off_since.get(host.name)
        if (
            since is None
            or now - since < _INSPECTION
            or memory.silent_since is None
            or not _is_rendezvous(seen, memory, host)
        ):
            continue
        text = (
            f"the installation cannot continue: rendezvous host {host.name} is powered off, and neither the "
            "service nor the API of the cluster answers."
        )
        why = "Until bootstrap is complete, both run in the memory of that host."
        return stop_step(
            StopReason(f"{text} {why}", f"Find out why {host.name} has no power. {_START_AGAIN}", final=True)
        )
    return None


def failed_hosts(seen: Observation) -> list[str]:
    """``name: reason`` of every host in error, without those that only share the fate of another."""
    failed = [(host.name, host.status_info or host.status) for host in seen.service.hosts if host.status == "error"]
    return [f"{name}: {why}" for name, why in failed if not shares_fate(why)]


def _stuck(seen: Observation, memory: Memory, setup: Setup, now: float) -> Step | None:
    """All hosts are there and the cluster is ready, yet nothing starts the installation.

    An assisted-service that is elsewhere gets a request.
    """
    if setup.elsewhere:
        return None
    waiting = memory.ready_since is not None and now - memory.ready_since > READY_LIMIT
    complete = all((found := seen.service_host(host)) is not None and found.ready for host in setup.hosts)
    if not waiting or not complete:
        return None
    surplus = [host.name for host in seen.surplus(setup.hosts)]
    why = (
        f"these hosts are registered but not in the configuration: {', '.join(surplus)}"
        if surplus
        else "see the console of the rendezvous host"
    )
    return stop_step(StopReason(f"the installation does not start although all hosts are ready: {why}"))


def _overdue(seen: Observation, memory: Memory, setup: Setup, now: float) -> Step | None:
    if memory.phase == "boot" and setup.silence is not None:
        return _lost_sight(seen, setup.silence, now - memory.started)
    limit = setup.limits.of(memory.phase)
    if now - memory.phase_since < limit:
        return None
    return stop_step(
        StopReason(f"phase {memory.phase} exceeded its limit of {limit:g} s: {unfinished(seen, memory, setup)}")
    )


def _lost_sight(seen: Observation, silence: Silence, waited: float) -> Step | None:
    """Nothing of an installation under way has shown itself in this wait, for too long.

    Its state is unknown; a machine may still be installing.
    """
    if silence.seconds + waited < silence.limit:
        return None
    text = (
        "the state is unknown: state.json records a running installation, but neither its service nor its API answers."
    )
    details = [detail for detail in (seen.service.detail, seen.api.detail) if detail]
    after = (
        "No machine was booted. Look at the console of the rendezvous host, and run again when the API can be reached."
    )
    give_up = "To give it up, run destroy_cluster, or deploy_cluster with start_over and openshift_confirm."
    return stop_step(StopReason(" ".join([text, silence.text(), *details]), f"{after} {give_up}"))


def unfinished(seen: Observation, memory: Memory, setup: Setup) -> str:
    """What the phase still waits for, in one sentence."""
    if memory.phase == "boot":
        return f"no service answered at {seen.rendezvous_ip}" if seen.rendezvous_ip else "no service answered"
    if memory.phase == "discovery":
        return _undiscovered(seen, setup)
    if memory.phase == "bootstrap":
        return "the bootstrap is not complete" if seen.api.ours else "the cluster's API does not answer yet"
    if memory.phase == "install":
        version = seen.api.cluster_version
        if not version:
            return "there is no ClusterVersion"
        message = version.failing.message or version.progressing.message
        return f"the release is not rolled out: {message}"
    busy = [operator.name for operator in seen.api.operators if operator.progressing.true]
    return f"operators are still progressing: {', '.join(busy)}" if busy else "the operators were not quiet long enough"


def _undiscovered(seen: Observation, setup: Setup) -> str:
    missing = [
        f"{host.name} ({', '.join(host.macs)})" if host.macs else host.name
        for host in setup.hosts
        if not seen.service_host(host)
    ]
    if missing:
        return f"{len(missing)} of {len(setup.hosts)} hosts did not appear: {', '.join(missing)}"
    unready: dict[str, list[str]] = {}
    for host in setup.hosts:
        found = seen.service_host(host)
        if found and not found.ready:
            unready.setdefault(found.status, []).append(host.name)
    if unready:
        return "; ".join(f"{', '.join(names)} {is_or_are(len(names))} {status}" for status, names in unready.items())
    cluster = seen.service.cluster
    return f"the cluster is {cluster.status}" if cluster else "no cluster is registered"


def _since(holds: bool, before: float | None, now: float) -> float | None:
    """Return since when something holds; None if it does not."""
    if not holds:
        return None
    return now if before is None else before
