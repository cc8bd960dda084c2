# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Wait for a HostedCluster or its deletion: watch it, print a line for every change, and fail when the operator
persistently refuses it.

Source: docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...common.clock import Clock
from ...common.errors import LimitReached, ZeroTouchError
from ...common.waiting import Deadline, Doubts, ProgressLines, WaitStatus, turns
from ...hub.kinds import NAMESPACE
from ...kube.client import KubeClient, Object
from ...kube.events import events_until
from ...kube.faults import ForbiddenError
from ..kinds import HOSTED_CLUSTER, NODE_POOL
from .plan import pools_of
from .status import Target, wait_status

# Seconds: length of one watch request; and how long a refusal must persist before it counts, since a condition may be
# outdated.
PIECE = 10.0
DOUBT = 20.0
# What users forget most often (5.1); the conditions do not mention it.
_HINTS: Mapping[Target, str] = {
    "completed": (
        "Check that the cluster has Ready workers, and that DNS resolves *.apps of its domain to one of them. "
        "Run the task again to wait longer."
    )
}
# Seconds between looks at a namespace that is on its way out: a role may read a namespace by name without being allowed
# to watch them all.
_STEP = 2.0


class ClusterWait:
    """One wait. ``seen`` is the object as it was last."""

    def __init__(
        self, client: KubeClient, namespace: str, name: str, clock: Clock, show: Callable[[str], None], *, limit: float
    ) -> None:
        self._client, self._namespace, self._name, self._limit = client, namespace, name, limit
        self._deadline = Deadline(clock, limit)
        self._lines, self._doubts = ProgressLines(clock, show), Doubts(clock, DOUBT)
        self.seen: Object | None = None

    @property
    def title(self) -> str:
        return f"HostedCluster {self._namespace}/{self._name}"

    def until(self, target: Target) -> Object:
        """The object once it is there.

        Raises :class:`ZeroTouchError` where it never will be, :class:`LimitReached` at the limit, with what it waits
        for.
        """
        found = WaitStatus()
        path, name = HOSTED_CLUSTER.path(self._namespace), f"metadata.name={self._name}"
        for event in events_until(self._client, path, self._deadline, PIECE, field_selector=name):
            one = [] if event.type == "DELETED" else [event.object]
            objects: Sequence[Object] = event.objects if event.type == "LISTED" else one
            self.seen = objects[0] if objects else None
            found = self._judge(target)
            if found.reached and self.seen is not None:
                return self.seen
            if found.final:
                raise ZeroTouchError(f"{self.title} does not get {target}: {found.reason}.")
        message = f"{self.title} was not {target} within {self._limit:g} s: {found.reason}."
        raise LimitReached(
            message, self._limit, _HINTS.get(target, "HyperShift continues. Run the task again to wait longer.")
        )

    def _judge(self, target: Target) -> WaitStatus:
        found = self._doubts.settle(
            "", wait_status(self.seen, target, self._pools() if target == "completed" else None)
        )
        self._lines.percent = found.percent
        state = target if found.reached else found.reason
        self._lines.repeat("", f"{self._name}: {state}")
        return found

    def _pools(self) -> list[Object]:
        return pools_of(self._client.list(NODE_POOL.path(self._namespace)), self._name)


def await_deletion(client: KubeClient, present: Object, clock: Clock, limit: float) -> None:
    """Until the hosted cluster is gone.

    Raises :class:`LimitReached` naming its finalizers and what the operator says.
    """
    metadata = present["metadata"]
    namespace, name, uid = metadata["namespace"], metadata["name"], metadata.get("uid")
    for event in events_until(
        client, HOSTED_CLUSTER.path(namespace), Deadline(clock, limit), PIECE, field_selector=f"metadata.name={name}"
    ):
        still = (
            [each for each in event.objects if each["metadata"].get("uid") == uid]
            if event.type == "LISTED"
            else [event.object]
        )
        if event.type == "DELETED" or not still:
            return
        present = still[0]
    finalizers = ", ".join(present["metadata"].get("finalizers") or []) or "none"
    message = f"HostedCluster {namespace}/{name} is still there after {limit:g} s; finalizers: {finalizers}."
    raise LimitReached(message, limit, "See the operator's log; run again later.")


def await_namespace_gone(client: KubeClient, name: str, clock: Clock, limit: float) -> None:
    """Until the namespace of the control plane is gone; not at all where we may not look.

    Raises :class:`LimitReached`.
    """
    found: Object | None = None
    for _turn in turns(Deadline(clock, limit), _STEP):
        try:
            found = client.find(NAMESPACE.path(name=name))
        except ForbiddenError:
            return
        if found is None:
            return
    reasons = [
        str(each.get("message"))
        for each in ((found or {}).get("status") or {}).get("conditions") or ()
        if each.get("status") == "True"
    ]
    reasons_note = ": " + "; ".join(reasons) if reasons else ""
    raise LimitReached(
        f"Namespace {name} still exists after {limit:g} s{reasons_note}.",
        limit,
        "Correct what blocks its deletion, and run the task again.",
    )
