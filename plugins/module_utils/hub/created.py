# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Record the UID of the cluster or InfraEnv that a deployment created on its hub, and refuse an object with another
UID.

Two hubs can have objects of the same name. The record is key ``created`` in section ``hub`` of the deployment's state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.state import StateFile
from ..common.store_link import StoreLink
from ..kube.resource import Resource
from ..kube.write import Change, WriteOutcome
from .agents.options import HUB_SECTION

CREATED = "created"
OTHER_HUB = (
    "Check openshift_hub and KUBECONFIG: this can be another hub. If it is the right hub, because it was restored from "
    "a backup or another tool created the object again, delete key hub.created of state.json in the work directory, "
    "and run again."
)


def created_uid(state: Mapping[str, Any], title: str) -> str:
    """The recorded UID of an object (``ClusterDeployment ns/name``); empty if this deployment did not create it."""
    return str(((state.get(HUB_SECTION) or {}).get(CREATED) or {}).get(title) or "")


def other_uid(observed: Mapping[str, Any], kind: Resource, created: str) -> str:
    """That the object has another UID than the one that this deployment created; empty if nothing proves that."""
    metadata = observed["metadata"]
    uid = str(metadata.get("uid") or "")
    if created in ("", uid):
        return ""
    title = f"{kind.kind} {metadata.get('namespace')}/{metadata.get('name')}"
    return f"{title} has UID {uid}, but this deployment created it with UID {created}"


def refuse_other(state: StateFile, hub: str, kind: Resource, observed: Mapping[str, Any] | None) -> None:
    """Before the first write: refuse an object that has another UID than the one that this deployment created.

    ``hub`` is the address of the API. Raises :class:`ZeroTouchError`.
    """
    if observed is None:
        return
    title = f"{kind.kind} {observed['metadata'].get('namespace')}/{observed['metadata'].get('name')}"
    if words := other_uid(observed, kind, created_uid(state.read(), title)):
        raise ZeroTouchError(f"{words}. The hub is {hub}.", OTHER_HUB)


def forget_created(state: StateFile, changes: Iterable[Change], kind: Resource, clock: Clock) -> None:
    """Before ``changes``: objects of the kind that they create get another UID than the recorded one.

    A run that is killed after it has created an object leaves no record, instead of a wrong one, also in its state
    store. Raises :class:`ZeroTouchError` if the state cannot be stored.
    """
    if _update(state, {change.title: "" for change in changes if (change.verb, change.resource) == ("create", kind)}):
        StoreLink(state.path.parent, clock).save()


def record_created(state: StateFile, outcomes: Iterable[WriteOutcome], kind: Resource) -> None:
    """After the changes: the UIDs of the objects of the kind that they created.

    An object that existed is not recorded: the hub may be another one than the deployment's.
    """
    made = (
        outcome
        for outcome in outcomes
        if outcome.changed and (outcome.change.verb, outcome.change.resource) == ("create", kind)
    )
    _update(
        state, {each.change.title: str(((each.object or {}).get("metadata") or {}).get("uid") or "") for each in made}
    )


def _update(state: StateFile, uids: dict[str, str]) -> bool:
    """Whether the record was changed."""
    known = dict(state.section(HUB_SECTION).get(CREATED) or {}) if uids else {}
    now = {title: uid for title, uid in (known | uids).items() if uid}
    if now != known:
        state.update(HUB_SECTION, {CREATED: now or None})
    return now != known
