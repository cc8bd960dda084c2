# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Print the progress of an installation by assisted-service: one line for each change.

Hosts with the same change share a line, and no line is printed twice. The functions that build the texts are pure.
:class:`Narrator` remembers which lines were printed, and reports the progress if nothing changes for a while.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...common.clock import Clock
from ...common.listed import listed
from ...common.waiting import ProgressLines
from ..rest.client import Document, members
from .progress import ClusterProgress, HostProgress, Validation, failing, read_cluster, read_host, validation_changes

Hosts = Mapping[str, HostProgress]

FEW = 5
# Seconds after which a host's failing validations count: in the first minute clocks are not synchronized and disks not
# inspected on any host.
GRACE = 60.0
_EARLY = ("insufficient", "pending-for-input")
# A host in this status has not reported yet what validations need.
_UNJUDGED = "discovering"
# Host names before a message, which needs the space more.
_NAMED = 3
# Subject of the line which reports that the service does not answer.
_AWAY = "away"


@dataclasses.dataclass(frozen=True)
class View:
    """A cluster and its hosts, by id, as a service shows them at one moment."""

    cluster: ClusterProgress
    hosts: Hosts = dataclasses.field(default_factory=dict)


def read_view(document: Document) -> View:
    """The view in a cluster's document."""
    return View(read_cluster(document), {host.id: host for host in map(read_host, members(document.get("hosts")))})


def changes(old: View | None, new: View) -> list[str]:
    """What is new since the last view, in the order in which a reader wants it."""
    before: Hosts = old.hosts if old else {}
    texts = [new.cluster.text()] if old is None or old.cluster.status != new.cluster.status else []
    texts += host_changes(before, new.hosts)
    # Once the installation has begun the service's validations speak of hosts that are not what they were, and mean
    # nothing.
    if not _judged(new.cluster):
        return texts
    known = old.cluster.validations if old else ()
    return texts + validation_texts(before, new.hosts, known, new.cluster.validations)


def host_changes(before: Hosts, after: Hosts) -> list[str]:
    """Hosts whose state or stage changed: ``Rebooting: node-1, node-2``."""
    changed: list[tuple[str, str]] = []
    for identity, host in after.items():
        old = before.get(identity)
        if old is None or old.describe() != host.describe():
            changed.append((_event(host, old), host.name))
    return [f"{what}: {', '.join(names)}" for what, names in grouped(changed).items()]


def validation_texts(
    before: Hosts, after: Hosts, cluster_before: Sequence[Validation], cluster_after: Sequence[Validation]
) -> list[str]:
    """Validations that began or ceased to fail."""
    found: list[tuple[str, str]] = []
    for identity, host in after.items():
        old = before.get(identity)
        reported = old.validations if old and old.status != _UNJUDGED else ()
        found += [
            (_validation_text(validation), host.name)
            for validation in validation_changes(reported, host.validations)
            if host.status != _UNJUDGED
        ]
    texts = [f"{_who(names)}: {what}" for what, names in grouped(found).items()]
    return texts + [
        f"Cluster: {_validation_text(validation)}" for validation in validation_changes(cluster_before, cluster_after)
    ]


def _who(names: Sequence[str]) -> str:
    """The names of a few hosts, the number of many."""
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} hosts"


def after_grace(hosts: Hosts, since: Mapping[str, float], now: float, grace: float = GRACE) -> Hosts:
    """The hosts as a reader should see them: one that registered less than ``grace`` seconds ago (``since``, by id) is
    not judged yet.
    """
    return {
        identity: dataclasses.replace(host, status=_UNJUDGED, validations=())
        if host.status in _EARLY and now - since.get(identity, now) < grace
        else host
        for identity, host in hosts.items()
    }


def wait_status(hosts: Iterable[HostProgress], *, judged: bool) -> str:
    """How many hosts are where; ``judged``: which validations fail, too."""
    known = list(hosts)
    groups = grouped((host.describe(), host.name) for host in known)
    there = "; ".join(f"{len(names)} {what}" for what, names in groups.items()) or "no host registered"
    names = (
        list(dict.fromkeys(each.id for host in known if host.status != _UNJUDGED for each in failing(host.validations)))
        if judged
        else []
    )
    return there + (f"; failing: {listed(names, FEW)}" if names else "")


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Values by key, in the order in which they came."""
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _judged(cluster: ClusterProgress) -> bool:
    """Whether the service's validations still say what keeps the cluster from being installed."""
    return not (cluster.installing or cluster.terminal)


def _event(host: HostProgress, old: HostProgress | None) -> str:
    if old is None and not host.joined:
        return f"registered, {host.status}"
    # In the course of an installation the stage says all; the status only when it is out of the ordinary.
    return host.stage if host.stage and host.status == "installing-in-progress" else host.status


def _validation_text(validation: Validation) -> str:
    return f"{validation.id} failed: {validation.message}" if validation.failed else f"{validation.id} is fine now"


class Narrator:
    """Tells what it is shown of a cluster as lines of progress, on change and each minute."""

    def __init__(self, tell: Callable[[str], None], clock: Clock) -> None:
        self._lines = ProgressLines(clock, tell)
        self._clock = clock
        self._since: dict[str, float] = {}
        self._view: View | None = None

    def show(self, document: Document) -> None:
        """The cluster as it is now."""
        view = self._settled(read_view(document))
        self._lines.forget(_AWAY)
        self._lines.percent = max(self._lines.percent, 100 if view.cluster.installed else view.cluster.percent)
        for text in changes(self._view, view):
            self.say(text)
        self._view = view
        self._lines.beat(f"{view.cluster.text()}: {wait_status(view.hosts.values(), judged=_judged(view.cluster))}")

    def _settled(self, view: View) -> View:
        now = self._clock.now()
        for identity in view.hosts:
            self._since.setdefault(identity, now)
        return dataclasses.replace(view, hosts=after_grace(view.hosts, self._since, now))

    def away(self, reason: str) -> None:
        """The service does not answer."""
        self._lines.repeat(_AWAY, f"The service does not answer at this moment. {reason}")

    def say(self, text: str) -> None:
        self._lines.say(text)
