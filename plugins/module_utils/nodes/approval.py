# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Approve the certificate requests of nodes that join: once, or until every expected node is Ready."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..common.clock import Clock
from ..common.errors import LimitReached, RemoteError, ZeroTouchError
from ..common.waiting import Deadline, turns
from ..kube.client import KubeClient
from ..kube.faults import ConflictError
from ..kube.resource import Resource
from .csrs import CsrDecision, CsrNode, Expected, decide

NODE = Resource("", "v1", "Node", "nodes", namespaced=False)
CSR = Resource("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", namespaced=False)
REASON = "ApprovedByZeroTouch"
# Seconds between two reads when a watch has ended. The requests of a joining node arrive some seconds apart.
PIECE = 15.0


@dataclasses.dataclass(frozen=True)
class ApprovalSituation:
    """The decisions on all requests, and the nodes, at one moment."""

    decisions: tuple[CsrDecision, ...]
    nodes: tuple[CsrNode, ...]

    def missing(self, expected: Iterable[Expected]) -> list[str]:
        """Expected nodes that are not Ready, each with how far it is."""
        nodes = {node.name.lower(): node for node in self.nodes}
        found = []
        for host in expected:
            node = nodes.get(host.name.lower())
            if node is None or not node.ready:
                refused = [
                    f" ({decision.reason})"
                    for decision in self.decisions
                    if decision.node == host.name.lower() and decision.verdict in ("refuse", "denied")
                ]
                state = "has not joined" if node is None else "is not Ready"
                found.append(f"{host.name} {state}" + "".join(refused[-1:]))
        return found


def look(client: KubeClient, expected: Sequence[Expected]) -> ApprovalSituation:
    """Two lists and a decision for each request."""
    nodes = tuple(read_node(item) for item in client.list(NODE.path()))
    return ApprovalSituation(tuple(decide(client.list(CSR.path()), nodes, expected)), nodes)


def read_node(item: Mapping[str, Any]) -> CsrNode:
    status = item.get("status") or {}
    addresses = frozenset(
        str(address["address"]) for address in status.get("addresses") or [] if address.get("address")
    )
    ready = any(
        condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in status.get("conditions") or []
    )
    return CsrNode(str(item["metadata"]["name"]), addresses, ready)


def approve(client: KubeClient, decision: CsrDecision, *, now: datetime.datetime, check_mode: bool = False) -> bool:
    """Approve exactly the request that was judged. A request that changed or was deleted since then is not approved
    (False), and judged again in the next iteration.
    """
    condition = {
        "type": "Approved",
        "status": "True",
        "reason": REASON,
        "message": f"zerotouch.openshift expected this {decision.kind} certificate of node {decision.node}.",
        "lastUpdateTime": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    patch = {"metadata": {"resourceVersion": decision.resource_version}, "status": {"conditions": [condition]}}
    try:
        client.merge_patch(CSR.path(name=decision.name, subresource="approval"), patch, dry_run=check_mode)
    except ConflictError:
        return False
    except RemoteError as error:
        if error.status == 404:
            return False
        raise
    return True


class Approver:
    """Approves what is expected and remembers what it did."""

    def __init__(
        self, client: KubeClient, expected: Sequence[Expected], clock: Clock, show: Callable[[str], None]
    ) -> None:
        self._client = client
        self.expected = expected
        self._clock = clock
        self._show = show
        self._reported: set[str] = set()
        self.approved: dict[str, CsrDecision] = {}
        self.situation = ApprovalSituation((), ())

    def once(self, *, check_mode: bool = False) -> None:
        """Look and approve what may be approved now."""
        self.situation = look(self._client, self.expected)
        for decision in self.situation.decisions:
            if decision.verdict == "approve" and approve(
                self._client, decision, now=datetime.datetime.now(datetime.UTC), check_mode=check_mode
            ):
                self.approved[decision.name] = decision
                verb = "would approve" if check_mode else "approved"
                self._show(f"{verb} {decision.name}: {decision.reason}")
            elif decision.verdict == "refuse" and decision.name not in self._reported:
                self._reported.add(decision.name)
                self._show(f"not approved: {decision.name}: {decision.reason}")

    def until_ready(self, limit: float) -> None:
        """Until every expected node is Ready.

        Raises :class:`LimitReached` naming those that are not, and why where that is known.
        """
        missing: list[str] = []
        for _turn in turns(Deadline(self._clock, limit), PIECE, self._await_news):
            self.once()
            missing = self.situation.missing(self.expected)
            if not missing:
                return
        raise LimitReached(
            f"After {limit:g} s these nodes are not Ready: {'; '.join(missing)}.",
            limit,
            "Look at the consoles of their machines.",
        )

    def _await_news(self, seconds: float) -> None:
        """Until a request appears or changes, a moment at most."""
        for event in self._client.follow(CSR.path(), seconds):
            known = {decision.name for decision in self.situation.decisions}
            names = {
                item["metadata"]["name"] for item in (event.objects if event.type == "LISTED" else (event.object,))
            }
            if event.type != "DELETED" and not names <= known:
                return


def results(decisions: Iterable[CsrDecision], approved: Mapping[str, CsrDecision]) -> dict[str, list[dict[str, str]]]:
    """The lists of the module: what was approved, refused, and is settled."""
    rows = [
        {"name": d.name, "kind": d.kind or "", "node": d.node, "reason": d.reason, "verdict": d.verdict}
        for d in [*approved.values(), *decisions]
    ]
    unique = {row["name"]: row for row in reversed(rows)}
    ordered = [unique[name] for name in dict.fromkeys(row["name"] for row in rows)]

    def named(*verdicts: str) -> list[dict[str, str]]:
        return [
            {key: value for key, value in row.items() if key != "verdict"}
            for row in ordered
            if row["verdict"] in verdicts
        ]

    return {
        "approved": named("approve"),
        "refused": named("refuse", "denied"),
        "settled": named("approved", "superseded"),
    }


def expected_nodes(provided: Sequence[Mapping[str, Any]], *, accept_reported: bool = False) -> list[Expected]:
    """``[{name, addresses}]`` as the module takes them. Raises :class:`ZeroTouchError` for a name that occurs twice."""
    names = [str(host["name"]).lower() for host in provided]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ZeroTouchError(
            f"The option hosts names these nodes more than once: {', '.join(twice)}.", "Name each node once."
        )
    return [
        Expected(name, frozenset(map(str, host.get("addresses") or ())), accept_reported)
        for name, host in zip(names, provided, strict=True)
    ]
