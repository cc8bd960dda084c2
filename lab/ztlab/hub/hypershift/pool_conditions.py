# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the conditions of a NodePool, in the order in which HyperShift sets them. Pure functions.

Source: openshift/hypershift hypershift-operator/controllers/nodepool/conditions.go.
"""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..conditions import Condition, find
from ..names import Object, annotations_of
from . import naming
from .conditions import AS_EXPECTED, WELL, no, unknown, yes
from .scalable import deprecated_conditions, replaces

ARCHITECTURES = ("amd64", "arm64", "ppc64le")
KINDS = (
    "MachineConfig",
    "KubeletConfig",
    "ContainerRuntimeConfig",
    "ImageContentSourcePolicy",
    "ImageDigestMirrorSet",
    "ClusterImagePolicy",
)
REASON_LIMIT, BLOCK_LIMIT, MESSAGE_LIMIT = 1024, 1000, 3000
FIRST_OF_5 = 23  # 5.0 counts as 4.23
OLDEST_BEHIND = 3
UNREADABLE = "No Major.Minor.Patch elements found"
_VERSION = re.compile(r"(4|5)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?")
END_OF_BLOCK, END_OF_MESSAGE, END_OF_REASONS = (
    "... too many similar errors\n",
    "... message truncated\n",
    ",ReasonsTruncated",
)
_COUNTER = re.compile(r"\d+ of \d+ completed")


@dataclasses.dataclass(frozen=True)
class Facts:
    """What is known when a NodePool is looked at.

    ``version`` "": the release image is none; ``config_problem``: why the configuration is invalid.
    """

    pool: Object
    hosted: Object
    now: datetime.datetime
    has_ca: bool
    version: str
    config_problem: str = ""


@dataclasses.dataclass(frozen=True)
class Progress:
    """What is known once the configuration is."""

    target_version: str
    target_config: str
    updating: bool = False
    updating_config: bool = False
    upgrade_failure: str = ""
    upgrade_message: str = ""
    token: Object | None = None
    token_name: str = ""
    token_data: Mapping[str, str] = dataclasses.field(default_factory=dict)
    machines: Sequence[Object] = ()


@dataclasses.dataclass
class Verdict:
    """Conditions to set and types to remove.

    ``stop``: nothing below was looked at, for this reason; ``error``: it is tried again.
    """

    conditions: list[Condition] = dataclasses.field(default_factory=list)
    removed: list[str] = dataclasses.field(default_factory=list)
    stop: str = ""
    error: bool = False


def paused_until(text: str, now: datetime.datetime) -> tuple[bool, bool]:
    """(paused, the value makes sense)."""
    if text in ("", "false", "False"):
        return False, True
    if text in ("true", "True"):
        return True, True
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return False, False
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)) > now, True


def reconciliation(text: str, now: datetime.datetime) -> Condition:
    """ReconciliationActive of a NodePool or HostedCluster."""
    paused, valid = paused_until(text, now)
    if not valid:
        return yes("ReconciliationActive", "Invalid value provided for PausedUntil field", "InvalidPausedUntilValue")
    if not paused:
        return yes("ReconciliationActive", "Reconciliation active on resource", "ReconciliationActive")
    ending = "until field removed" if text in ("true", "True") else f"until: {text}"
    return no("ReconciliationActive", "ReconciliationPaused", f"Reconciliation paused {ending}")


def minor(version: str) -> int:
    """4.22.1 -> 22; 5.x counts as 4.(x+23)."""
    major, second = version.split(".")[:2]
    return int(second) + (FIRST_OF_5 if int(major) == 5 else 0)


@dataclasses.dataclass(frozen=True, order=True)
class Version:
    """A release for comparison; ``rank``: a pre-release is before its release, and its parts are compared as semver
    does.
    """

    minor: int
    patch: int
    rank: tuple[tuple[int, int, str], ...]

    @property
    def shown(self) -> str:
        of_5 = self.minor - FIRST_OF_5
        return f"5.{of_5}" if of_5 >= 0 else f"4.{self.minor}"


def _version(text: str) -> Version | None:
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    parts = [(2, 0, "")]
    if match[4]:
        parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in match[4].split(".")]
    return Version(minor(text), int(match[3]), tuple(parts))


def control_plane_version(status: Mapping[str, Any] | None) -> str | None:
    """The version that a HostedCluster runs: of its newest completed upgrade, else of what it installs; None: not
    known.
    """
    known = (status or {}).get("version")
    if not known:
        return None
    history = known.get("history") or []
    if not history:
        return str((known.get("desired") or {}).get("version") or "")
    return str(next((entry for entry in history if entry.get("state") == "Completed"), history[0])["version"])


def skew(version: str, hosted: str | None) -> Condition:
    """SupportedVersionSkew: at most three minors behind the HostedCluster, never ahead.

    After supportedVersionSkewCondition of openshift/hypershift hypershift-operator/controllers/nodepool/conditions.go
    and ValidateVersionSkew of support/supportedversion/version.go.
    """
    kind = "SupportedVersionSkew"
    if hosted is None:
        return unknown(
            kind, "ValidationFailed", ("HostedCluster version is not available yet, waiting for version information")
        )
    above, own = _version(hosted), _version(version)
    if above is None:
        return unknown(kind, "ValidationFailed", f"Failed to parse control plane version ({hosted}): {UNREADABLE}")
    if own is None:
        return unknown(kind, "ValidationFailed", f"Failed to parse NodePool version ({version}): {UNREADABLE}")
    if own > above:
        return no(
            kind,
            "UnsupportedSkew",
            (f"NodePool version {version} cannot be higher than the HostedCluster version {hosted}"),
        )
    if above.minor - own.minor > OLDEST_BEHIND:
        oldest = dataclasses.replace(above, minor=above.minor - OLDEST_BEHIND).shown
        text = (
            f"NodePool minor version {_major_minor(version)} is less than {oldest}, which is the minimum NodePool "
            "version compatible with the"
        )
        return no(kind, "UnsupportedSkew", f"{text} {_major_minor(hosted)} HostedCluster")
    return yes(kind, "Release image version is valid")


def _major_minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def management_problem(pool: Mapping[str, Any]) -> str:
    """Why spec.management cannot be followed."""
    if not replaces(pool):
        return ""
    provided = pool["spec"]["management"].get("replace") or {}
    if not provided:
        return "this is unsupported. replace upgrade type requires a replace strategy"
    if provided.get("strategy", "") not in ("RollingUpdate", "OnDelete"):
        return (
            "this is unsupported. replace upgrade type only support strategies: RollingUpdate, OnDelete, not "
            f"{provided.get('strategy', '')!r}"
        )
    rolling = provided.get("rollingUpdate")
    if provided["strategy"] == "RollingUpdate":
        if not rolling:
            return (
                "this is unsupported. replace upgrade type with strategy RollingUpdate requires a rollingUpdate with "
                "maxUnavailable and maxSurge"
            )
        if "maxUnavailable" not in rolling or "maxSurge" not in rolling:
            return "this is unsupported. rollingUpdate requires maxUnavailable and maxSurge"
    return ""


def first(facts: Facts) -> Verdict:
    """Rows 1 to 8: everything up to the configuration."""
    verdict = Verdict()
    for step in (_autoscaling, _management, _release, _endpoint, _architecture, _active, _config):
        step(facts, verdict)
        if verdict.stop:
            break
    return verdict


def _autoscaling(facts: Facts, verdict: Verdict) -> None:
    limits = facts.pool["spec"].get("autoScaling")
    if not limits:
        verdict.conditions.append(no("AutoscalingEnabled"))
    elif not limits.get("min"):
        verdict.conditions.append(
            no(
                "AutoscalingEnabled",
                "ValidationFailed",
                ("scale-from-zero (min=0) is not supported for platform Agent"),
            )
        )
    else:
        verdict.conditions.append(
            yes("AutoscalingEnabled", (f"Maximum nodes: {limits['max']}, Minimum nodes: {limits['min']}"))
        )


def _management(facts: Facts, verdict: Verdict) -> None:
    problem = management_problem(facts.pool)
    if problem:
        verdict.conditions.append(no("UpdateManagementEnabled", "ValidationFailed", problem))
        verdict.stop = problem
    else:
        verdict.conditions.append(yes("UpdateManagementEnabled"))


def _release(facts: Facts, verdict: Verdict) -> None:
    image = facts.pool["spec"]["release"]["image"]
    if facts.version:
        verdict.conditions.append(yes("ValidReleaseImage", f"Using release image: {image}"))
        return
    text = f"Failed to get release image: failed to look up release image metadata: no registry of the lab has {image}"
    verdict.conditions.append(no("ValidReleaseImage", "ValidationFailed", text))
    verdict.stop, verdict.error = text, True


def _endpoint(facts: Facts, verdict: Verdict) -> None:
    status = facts.hosted.get("status") or {}
    missing = ""
    if not status.get("ignitionEndpoint"):
        missing, reason = "Ignition endpoint not available, waiting", "IgnitionEndpointMissing"
    elif not facts.has_ca:
        missing, reason = "still waiting for ignition CA cert Secret", "IgnitionCACertMissing"
    if missing:
        verdict.conditions.append(no("IgnitionEndpointAvailable", reason, missing))
        verdict.stop = missing
    else:
        verdict.removed.append("IgnitionEndpointAvailable")


def _architecture(facts: Facts, verdict: Verdict) -> None:
    arch = facts.pool["spec"].get("arch") or "amd64"
    payload = str((facts.hosted.get("status") or {}).get("payloadArch") or "")
    if arch not in ARCHITECTURES:
        text = f"CPU arch {arch} is not supported for platform: Agent, use 'amd64' instead"
        verdict.conditions.append(no("ValidArchPlatform", "InvalidArchPlatform", text))
    elif payload and payload not in ("Multi", arch.upper()):
        text = f"NodePool CPU arch, {arch}, is not supported by the HostedCluster payload arch, {payload}"
        verdict.conditions.append(no("ValidArchPlatform", "InvalidArchPlatform", text))
        verdict.stop, verdict.error = text, True
    else:
        verdict.conditions.append(yes("ValidArchPlatform"))


def _active(facts: Facts, verdict: Verdict) -> None:
    verdict.conditions.append(reconciliation(facts.pool["spec"].get("pausedUntil") or "", facts.now))
    verdict.conditions.append(skew(facts.version, control_plane_version(facts.hosted.get("status"))))


def _config(facts: Facts, verdict: Verdict) -> None:
    if not ((facts.hosted.get("status") or {}).get("kubeconfig") or {}).get("name"):
        verdict.stop = "waiting for hostedCluster.status.kubeConfig to be set"
    elif facts.config_problem:
        verdict.conditions.append(no("ValidMachineConfig", "ValidationFailed", facts.config_problem))
        verdict.stop = facts.config_problem
    else:
        verdict.conditions.append(yes("ValidMachineConfig"))


def second(pool: Object, hosted: Object, progress: Progress) -> Verdict:
    """Rows 9 to 16; none of them stops."""
    verdict = Verdict()
    verdict.conditions += _updating(pool, progress)
    verdict.conditions += _payload(pool, progress)
    verdict.conditions += machine_conditions(pool, progress.machines)
    conflict = _network_conflict(hosted, progress.machines)
    if conflict:
        verdict.conditions.append(yes("ClusterNetworkCIDRConflict", conflict, "InvalidConfiguration"))
    else:
        verdict.removed.append("ClusterNetworkCIDRConflict")
    verdict.conditions.append(yes("ValidPlatformConfig", WELL))
    return verdict


def _updating(pool: Object, progress: Progress) -> list[Condition]:
    found = []
    upgrades = (
        (
            "UpdatingConfig",
            progress.updating_config,
            (f"Updating config in progress. Target config: {progress.target_config}"),
        ),
        (
            "UpdatingVersion",
            progress.updating,
            (f"Updating version in progress. Target version: {progress.target_version}"),
        ),
    )
    for kind, updating, text in upgrades:
        if not updating:
            found.append(no(kind))
        elif progress.upgrade_failure:
            found.append(no(kind, "InplaceUpgradeFailed", progress.upgrade_failure))
        else:
            found.append(yes(kind, progress.upgrade_message or text))
    return found


def _payload(pool: Object, progress: Progress) -> list[Condition]:
    token = progress.token
    if token is None:
        text = f'secrets "{progress.token_name}" not found'
        return [no("ValidGeneratedPayload", "NotFound", text), no("ReachedIgnitionEndpoint", "NotFound", text)]
    reason, message = progress.token_data.get("reason", ""), progress.token_data.get("message", "")
    if not reason:
        payload = unknown("ValidGeneratedPayload", "", "Unable to get status data from token secret")
    else:
        payload = Condition("ValidGeneratedPayload", "True" if reason == AS_EXPECTED else "", reason, message)
    reached = annotations_of(token).get(f"{naming.PREFIX}ignition-reached") == "True"
    sticky = (
        not replaces(pool)
        and find((pool.get("status") or {}).get("conditions"), "ReachedIgnitionEndpoint").get("status") == "True"
    )
    return [
        payload,
        yes("ReachedIgnitionEndpoint") if reached or sticky else no("ReachedIgnitionEndpoint", "ignitionNotReached"),
    ]


# machines


def machine_conditions(pool: Object, machines: Sequence[Object]) -> list[Condition]:
    """AllMachinesReady and AllNodesHealthy."""
    kinds = ("AllMachinesReady", "AllNodesHealthy")
    if not machines:
        if pool["spec"].get("replicas") == 0:
            return [no(kind, AS_EXPECTED, "NodePool set to no replicas") for kind in kinds]
        return [no(kind, "NotFound", "No Machines are created") for kind in kinds]
    return [
        _aggregate("AllMachinesReady", machines, _readiness, "ready"),
        _aggregate("AllNodesHealthy", machines, _health, "healthy"),
    ]


def _readiness(machine: Object) -> tuple[str, str] | None:
    """(reason, text) of a Machine that is not ready (setAllMachinesReadyCondition)."""
    conditions = deprecated_conditions(machine)
    ready, infrastructure = find(conditions, "Ready"), find(conditions, "InfrastructureReady")
    if ready.get("status") == "True":
        return None
    if not ready:
        return "WaitingForInfrastructure", "WaitingForInfrastructure"
    if (
        infrastructure
        and infrastructure.get("status") != "True"
        and not _COUNTER.search(str(infrastructure.get("message") or ""))
    ):
        said = infrastructure.get("message") or ""
        return _reason(infrastructure), f"{_reason(infrastructure)}: {said}"
    message = str(ready.get("message") or "")
    return _reason(ready), f"{_reason(ready)}: {message}" if message and not _COUNTER.search(message) else _reason(
        ready
    )


def _health(machine: Object) -> tuple[str, str] | None:
    found = find(deprecated_conditions(machine), "NodeHealthy")
    if found.get("status") == "True":
        return None
    if not found:
        return "WaitingForNodeRef", "WaitingForNodeRef"
    return _reason(found), f"{_reason(found)}: {found['message']}" if found.get("message") else _reason(found)


def _reason(condition: Mapping[str, Any]) -> str:
    return str(condition.get("reason") or "")


def _aggregate(kind: str, machines: Sequence[Object], look: Any, word: str) -> Condition:
    """One condition of all Machines (aggregateMachineReasonsAndMessages of
    hypershift-operator/controllers/nodepool/nodepool_controller.go).
    """
    trouble = {machine["metadata"]["name"]: problem for machine in machines if (problem := look(machine)) is not None}
    if not trouble:
        return yes(kind, WELL)
    blocks: dict[str, list[str]] = {}
    for name, (reason, text) in trouble.items():
        blocks.setdefault(reason, []).append(f"Machine {name}: {text}\n")
    message = f"{len(trouble)} of {len(machines)} machines are not {word}\n"
    for _reason_of, lines in sorted(blocks.items()):
        block = _block(sorted(lines))
        if len(message) + len(block) + len(END_OF_MESSAGE) > MESSAGE_LIMIT:
            message += END_OF_MESSAGE
            break
        message += block
    return no(kind, _reasons(sorted(blocks)), message)


def _block(lines: Sequence[str]) -> str:
    text = ""
    for line in lines:
        if len(text) + len(line) > BLOCK_LIMIT:
            return text + END_OF_BLOCK
        text += line
    return text


def _reasons(reasons: Sequence[str]) -> str:
    joined = ",".join(reasons)
    if len(joined) <= REASON_LIMIT:
        return joined
    text = ""
    for reason in reasons:
        more = f",{reason}" if text else reason
        if len(text) + len(more) + len(END_OF_REASONS) > REASON_LIMIT:
            break
        text += more
    return text + END_OF_REASONS


def _network_conflict(hosted: Object, machines: Sequence[Object]) -> str:
    networks = [
        ipaddress.ip_network(entry["cidr"], strict=False)
        for entry in hosted["spec"].get("networking", {}).get("clusterNetwork") or []
    ]
    for machine in machines:
        listed = [
            entry["address"]
            for entry in (machine.get("status") or {}).get("addresses") or []
            if entry["type"] in ("ExternalIP", "InternalIP")
        ]
        addresses = [ip for ip in map(ipaddress.ip_address, listed) if not ip.is_link_local]
        if addresses and all(
            any(ip in network for network in networks if network.version == ip.version) for ip in addresses
        ):
            joined = ", ".join(str(ip) for ip in addresses)
            return (
                f"machine [{machine['metadata']['name']}] with ip [{joined}] collides with cluster-network cidr "
                f"[{networks[0]}]"
            )
    return ""


# after the objects were written


def third(
    pool: Object, scalable: Object | None, *, template_target: str, template_updating: bool, blocked: str = ""
) -> Verdict:
    """Rows 17 to 19. ``blocked``: what a MachineHealthCheck says that may not remediate."""
    verdict = Verdict()
    kind = "UpdatingPlatformMachineTemplate"
    text = f"Updating platform machine template in progress. Target template: {template_target}"
    verdict.conditions.append(yes(kind, text) if template_updating else no(kind))
    ready = find(deprecated_conditions(scalable), "Ready") if scalable is not None else {}
    if blocked:
        verdict.conditions.append(no("Ready", "TooManyUnhealthy", blocked))
    elif ready:
        verdict.conditions.append(
            Condition(
                "Ready", str(ready["status"]), str(ready.get("reason") or AS_EXPECTED), str(ready.get("message") or "")
            )
        )
    repairs = bool(pool["spec"]["management"].get("autoRepair"))
    reached = find((pool.get("status") or {}).get("conditions"), "ReachedIgnitionEndpoint").get("status") == "True"
    if not repairs:
        verdict.conditions.append(no("AutorepairEnabled"))
    elif reached:
        verdict.conditions.append(yes("AutorepairEnabled"))
    else:
        verdict.removed.append("AutorepairEnabled")
    return verdict


def node_versions(nodes: Sequence[tuple[str, str, bool]]) -> Object:
    """status.nodesInfo from (version of the Machine, kubelet's version, ready)."""
    counts: dict[tuple[str, str], list[int]] = {}
    for version, kubelet, ready in nodes:
        counts.setdefault((version, kubelet), [0, 0])[0 if ready else 1] += 1
    listed = [
        {"ocpVersion": version, "kubeletVersion": kubelet, "readyNodeCount": good, "unreadyNodeCount": bad}
        for (version, kubelet), (good, bad) in sorted(counts.items())
    ]
    return {"nodeVersions": listed}
