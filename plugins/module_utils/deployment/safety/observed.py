# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Add to the evidence about a host what the assisted-service and the new cluster's API report about it, as pure
functions.

Only the methods agent and assisted observe their deployments in this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...assisted.install.progress import HOST_JOINED
from ..supervise.observation import FAILED, RUNNING_PHASES, InventoryHost, Observation
from .evidence import Evidence
from .nodes import NodeView, find_node, member


def observed(
    evidence: Evidence,
    host: InventoryHost,
    seen: Observation,
    nodes: Sequence[NodeView] = (),
    *,
    system_uuid: str = "",
    recorded: bool = True,
    strict: bool = False,
) -> Evidence:
    """``evidence`` with what service and API say about the host.

    ``nodes`` are those of the API where it is the deployment's; ``strict`` as in find_node.
    """
    evidence = _of_node(
        evidence, seen, host, find_node(host, system_uuid, nodes, strict=strict) if seen.api.ours else None
    )
    evidence = _of_service(evidence, host, seen)
    of_all = _of_deployment(seen, recorded=recorded)
    # A host that came into the inventory afterwards is none of the installation that failed, or that is silent: what
    # runs on it is not known by that.
    concerned = evidence.recorded or seen.service_host(host) is not None or evidence.installing or not recorded
    return evidence.also(
        **(of_all if concerned else {name: text for name, text in of_all.items() if name not in ("failed", "silent")})
    )


def is_complete(seen: Observation) -> bool:
    """Whether the cluster is installed, by its API or by the service that outlives the installation."""
    cluster = seen.service.cluster if seen.service.ours else None
    return (seen.api.ours and (seen.phase == "installed" or seen.api.complete)) or bool(cluster and cluster.installed)


def _of_node(
    evidence: Evidence, seen: Observation, host: InventoryHost, found: tuple[NodeView, str] | None
) -> Evidence:
    if found is None:
        return evidence
    text = member(host, *found)
    return (
        evidence.also(installed=text)
        if is_complete(seen)
        else evidence.also(installing=f"{text}, and the installation is not complete")
    )


def _of_service(evidence: Evidence, host: InventoryHost, seen: Observation) -> Evidence:
    found = seen.service_host(host)
    if found is None:
        cluster = seen.service.cluster if seen.service.ours else None
        if cluster is not None and cluster.installed and not seen.api.ours:
            text = (
                "the service does not list it, and whether it is a Node cannot be checked, because no API of this "
                f"cluster answers. {seen.api.detail}"
            )
            return evidence.also(unknown=text.strip())
        runs_service = seen.service.ours and host.has_address(seen.rendezvous_ip)
        return evidence.also(registered="it runs the service of this installation") if runs_service else evidence
    says = f"the service reports it as {found.describe()}"
    if found.terminal:
        return evidence.also(failed=f"{says}: {found.status_info}" if found.status_info else says)
    if found.joined:
        done = found.status in HOST_JOINED and is_complete(seen)
        return evidence.also(installed=says) if done else evidence.also(installing=says)
    return evidence.also(booted=says, due=True) if found.needs_discovery_boot else evidence.also(registered=says)


def _of_deployment(seen: Observation, *, recorded: bool) -> Mapping[str, Any]:
    """What holds for every host of the deployment."""
    cluster = seen.service.cluster if seen.service.ours else None
    if cluster is not None and cluster.terminal:
        status_info = cluster.status_info or cluster.text()
        return {"failed": f"the installation has failed: {status_info}"}
    if seen.service.ours or seen.api.ours:
        return {}
    details = " ".join(detail for detail in (seen.service.detail, seen.api.detail) if detail)
    if not recorded and not seen.lost:
        return _answering(seen)
    if seen.phase == FAILED:
        failure = seen.failure or "an earlier run recorded a failure"
        return {"failed": f"the installation has failed: {failure}"}
    if "install" in seen.lost:
        lost = f"state.json lacks records of this deployment ({', '.join(seen.lost)})"
        return {"unknown": f"{lost}, and neither the service nor the API of this deployment answers. {details}"}
    if seen.phase not in RUNNING_PHASES:
        return _answering(seen)
    if seen.silence is not None and seen.silence.bearable and not (seen.service.answers or seen.api.answers):
        return {
            "silent": (
                f"service or API of the installation last answered at {seen.silence.since}; up to "
                f"{seen.silence.limit:g} s without an answer are normal"
            )
        }
    last = seen.silence.text() if seen.silence is not None else ""
    if seen.phase == "bootstrap" and last:
        return {"failed": f"the installation did not complete its bootstrap. {last}"}
    what = "is installed" if seen.phase == "installed" else "is being installed"
    return {
        "unknown": " ".join(
            (
                f"state.json says that the cluster {what}, but no service or API of this "
                f"deployment answers. {last} {details}"
            ).split()
        )
    }


def _answering(seen: Observation) -> Mapping[str, Any]:
    views = (("the API address", seen.api), ("the rendezvous address", seen.service))
    found = [
        f"what answers at {where} does not belong to this deployment. {view.detail}".strip()
        for where, view in views
        if view.answers and not view.ours
    ]
    return {"answering": " ".join(found)} if found else {}
