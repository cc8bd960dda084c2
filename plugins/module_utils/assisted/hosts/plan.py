# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the requests that bring one host of an assisted-service to the desired state, in the order in which they are
sent. Pure.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/host/hostutil/host_utils.go,
  internal/host/transition.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...cluster.host_states import BINDABLE, BUSY
from ..change import ServiceChange
from ..install.progress import read_host
from ..rest.client import Document
from .match import Match
from .request import ServiceHostRequest
from .settings import HostChanges

# States of a host in which the service accepts changes of its settings; the unbound forms as well.
CHANGEABLE = frozenset({"discovering", "known", "disconnected", "insufficient", "pending-for-input"})
_PASSING = frozenset({"binding", "unbinding", "resetting", "reclaiming", "reclaiming-rebooting"})
BIND, UNBIND, DELETE = "bind", "unbind", "delete"


@dataclasses.dataclass(frozen=True)
class ServiceHostPlan:
    """The plan of one host. ``changes`` are made now; ``waiting`` is why further changes are not possible yet;
    ``refused`` is why the host cannot reach the desired state.

    A host with ``refused`` is not changed at all. The body of a change to another host than the matched one has that
    host's ids.
    """

    request: ServiceHostRequest
    match: Match
    changes: Sequence[ServiceChange] = ()
    waiting: str = ""
    refused: str = ""

    @property
    def host(self) -> Document | None:
        return None if self.match.agent is None else self.match.agent.document


def plan_host(request: ServiceHostRequest, match: Match, clusters: Mapping[str, str]) -> ServiceHostPlan:
    """The plan for one match; ``clusters`` has the id for each cluster that requests name."""
    if match.agent is None:
        return (
            ServiceHostPlan(request, match)
            if request.absent and not match.candidates
            else ServiceHostPlan(request, match, waiting=match.reason)
        )
    host = match.agent.document
    title = f"host {request.name} ({read_host(host).name})"
    if request.absent:
        # An earlier registration of the machine would stay behind otherwise, and keep its InfraEnv from being deleted.
        earlier = [
            ServiceChange(DELETE, each.title, _where(each.document), reason="an earlier registration of it")
            for each in match.superseded
        ]
        return ServiceHostPlan(request, match, [*earlier, ServiceChange(DELETE, title)])
    status = match.agent.status
    settings = HostChanges(request, host, title)
    binding = _binding(request, host, title, clusters.get(request.cluster or "", ""))
    if status in _PASSING and (settings.changes or binding.change or binding.refused):
        return ServiceHostPlan(request, match, waiting=f"it is {status}; the other changes are made after that")
    refused = [*settings.refused, *([binding.refused] if binding.refused else [])]
    if settings.changes and status.removesuffix("-unbound") not in CHANGEABLE:
        texts = "; ".join(change.text() for change in settings.changes)
        refused.append(f"it is {status}, so the service accepts no changes: {texts}")
    if refused:
        return ServiceHostPlan(request, match, refused="; ".join(refused))
    waiting = "; ".join(text for text in (settings.waiting, binding.waiting) if text)
    return ServiceHostPlan(
        request, match, [*settings.changes, *settings.resets, *([binding.change] if binding.change else [])], waiting
    )


def _where(host: Document) -> dict[str, Any]:
    return {"infra_env_id": host.get("infra_env_id"), "id": host.get("id")}


@dataclasses.dataclass(frozen=True)
class _Binding:
    change: ServiceChange | None = None
    waiting: str = ""
    refused: str = ""


def _binding(request: ServiceHostRequest, host: Document, title: str, cluster_id: str) -> _Binding:
    now, status = str(host.get("cluster_id") or ""), str(host.get("status") or "")
    if request.unbind:
        if not now:
            return _Binding()
        if status in BUSY:
            return _Binding(refused=f"it is {status} and cannot be unbound")
        return _Binding(ServiceChange(UNBIND, title, reason=f"it belongs to cluster {now}"))
    if not request.cluster or (now and now == cluster_id):
        return _Binding()
    if now:
        return _Binding(refused=f"it belongs to cluster {now}; unbind it first")
    if status != BINDABLE:
        shown_status = status or "nothing yet"
        return _Binding(waiting=f"it can be bound once it is {BINDABLE}, and is {shown_status}")
    return _Binding(ServiceChange(BIND, title, {"cluster_id": cluster_id}, reason=f"to cluster {request.cluster}"))
