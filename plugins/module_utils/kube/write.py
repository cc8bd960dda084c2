# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the change of a Kubernetes object by comparison, and apply it as one request. Plan again if another client was
faster.

``desired`` holds only the fields that the caller owns. A change is a JSON merge patch with only the fields that differ,
so fields of a controller or a user stay unchanged. Planning is pure. After a conflict, the caller plans again with the
current object.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ..common.errors import RemoteError, Unreachable
from ..common.parallel import for_each
from ..common.secrets import HIDDEN
from .client import KubeClient, Object
from .faults import ConflictError
from .resource import Resource

MANAGED_BY = "app.kubernetes.io/managed-by"
OURS = "zerotouch.openshift"
# How often a change is planned again before the error says that another client keeps changing the object.
PLANS = 10
_LONGEST_VALUE = 60

Verb = Literal["create", "patch", "delete"]


@dataclasses.dataclass(frozen=True)
class Change:
    """One write. ``body`` is the whole object (create) or a merge patch; ``reasons`` say why
    (``spec.role: '' -> 'worker'``).

    With ``resource_version`` the server refuses (409) if the object is not that old any more. ``before`` is the object
    the plan was made from. ``subresource`` (``status``) is for patches: of fields that the server keeps apart, and
    ignores in a patch of the object itself.
    """

    verb: Verb
    resource: Resource
    namespace: str
    name: str
    body: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    reasons: tuple[str, ...] = ()
    resource_version: str = ""
    before: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)
    subresource: str = ""

    @property
    def path(self) -> str:
        return self.resource.path(self.namespace, self.name)

    @property
    def title(self) -> str:
        """``InfraEnv ns/name``."""
        prefix = self.namespace + "/" if self.namespace else ""
        return f"{self.resource.kind} {prefix}{self.name}"

    def describe(self) -> str:
        """The change on one line."""
        return f"{self.verb} {self.title}" + (f": {'; '.join(self.reasons)}" if self.reasons else "")


Replan: TypeAlias = "Callable[[Object | None], Change | None]"


@dataclasses.dataclass(frozen=True)
class WriteOutcome:
    """What became of one change: ``object`` as it is now (None once deleted or without an answer), or ``error``.

    ``changed`` is False if nothing was written: an error, or an object that by then was as desired.
    """

    change: Change
    object: Object | None = None
    error: Exception | None = None
    changed: bool = False


def plan_object(
    resource: Resource, desired: Mapping[str, Any], observed: Mapping[str, Any] | None, *, owned: Sequence[str] = ()
) -> Change | None:
    """The write that makes ``observed`` hold everything in ``desired``; None when it does.

    A None in ``desired`` deletes the key. Empty mappings and lists equal absence. Lists are compared and replaced
    whole; so is the value at a path in ``owned`` (``spec.config``): keys that only the observed object has there are
    deleted, elsewhere they are left alone. An object that does not exist is created with the label of this collection.
    """
    metadata = desired["metadata"]
    namespace, name = str(metadata.get("namespace", "")), str(metadata["name"])
    if observed is None:
        return Change("create", resource, namespace, name, _new_object(resource, desired), ("it does not exist",))
    patch, differences = _difference(desired, observed, "", frozenset(owned))
    if not patch:
        return None
    secret = resource.kind == "Secret"
    reasons = tuple(
        sorted(
            _reason(*difference, secret=secret and difference[0].startswith(("data", "stringData")))
            for difference in differences
        )
    )
    return Change("patch", resource, namespace, name, patch, reasons, before=observed)


def plan_deletion(resource: Resource, observed: Mapping[str, Any] | None, reason: str) -> Change | None:
    """The deletion of exactly this object (not of one that gets its name later); None when it is gone or going."""
    if observed is None or observed["metadata"].get("deletionTimestamp"):
        return None
    metadata = observed["metadata"]
    return Change(
        "delete",
        resource,
        str(metadata.get("namespace", "")),
        str(metadata["name"]),
        reasons=(reason,),
        before=observed,
    )


def is_ours(observed: Mapping[str, Any]) -> bool:
    """Whether this collection created the object. Nothing else is ever deleted unless the user names it."""
    return bool((observed.get("metadata", {}).get("labels") or {}).get(MANAGED_BY) == OURS)


def apply_change(
    client: KubeClient, change: Change, *, check_mode: bool = False, replan: Replan | None = None
) -> Object:
    """Write; the result is the object as it is now ({} once deleted).

    In check mode the server tries it without keeping it (``dryRun=All``).

    On 409, and when the object vanished, it is read again and ``replan`` says what to do then (None: nothing any more).
    Without ``replan`` a :class:`ConflictError` is raised.
    """
    return _apply(client, change, check_mode, replan).object or {}


def apply_changes(
    client: KubeClient,
    changes: Sequence[Change],
    *,
    forks: int = 8,
    check_mode: bool = False,
    replan: Callable[[Change, Object | None], Change | None] | None = None,
) -> list[WriteOutcome]:
    """Write all, ``forks`` at a time; the outcome of every one, in order.

    ``replan(change, object as it is now)`` as in :func:`apply_change`.
    """

    def one(change: Change) -> WriteOutcome:
        return _apply(client, change, check_mode, None if replan is None else lambda observed: replan(change, observed))

    return [
        # an interruption is an outcome too
        outcome.result if outcome.result is not None else WriteOutcome(outcome.item, error=outcome.error)
        for outcome in for_each(changes, one, forks)
    ]


def _apply(client: KubeClient, change: Change, check_mode: bool, replan: Replan | None) -> WriteOutcome:
    maybe_done = False
    for _plan in range(PLANS):
        try:
            done, now = _write(client, change, check_mode)
            return WriteOutcome(change, now, changed=done or maybe_done)
        except (RemoteError, Unreachable) as error:
            if replan is None or not _worth_a_look(error, change):
                raise
            # A request without an answer may have been carried out.
            maybe_done = maybe_done or isinstance(error, Unreachable)
            last: Exception = error
        observed = client.find(change.path)
        again = replan(observed)
        if again is None:
            return WriteOutcome(change, observed, changed=maybe_done)
        change = again
    raise ConflictError(
        client.service,
        409,
        f"{change.title} was changed by others {PLANS} times while we tried to {change.verb} it: {last}",
        "Conflict",
        "Find out who writes it (managedFields), then run again.",
    ) from last


def _worth_a_look(error: Exception, change: Change) -> bool:
    if isinstance(error, Unreachable):
        # the client repeats what has the same effect twice
        return change.verb == "create" and error.kind in ("broken", "timeout")
    if isinstance(error, ConflictError):
        return True
    # An object that vanished under our hands; for a create 404 means that the namespace or the kind is missing.
    return isinstance(error, RemoteError) and error.status == 404 and change.verb == "patch"


def _write(client: KubeClient, change: Change, check_mode: bool) -> tuple[bool, Object | None]:
    if change.verb == "create":
        return True, client.create(change.resource.path(change.namespace), change.body, dry_run=check_mode)
    if change.verb == "patch":
        body = dict(change.body)
        if change.resource_version:
            body["metadata"] = {**body.get("metadata", {}), "resourceVersion": change.resource_version}
        path = change.resource.path(change.namespace, change.name, change.subresource)
        return True, client.merge_patch(path, body, dry_run=check_mode)
    uid = str(change.before.get("metadata", {}).get("uid") or "")
    return client.delete(change.path, uid=uid, resource_version=change.resource_version, dry_run=check_mode), None


def merged(target: Any, patch: Any) -> Any:
    """The result of a JSON merge patch (RFC 7386)."""
    if not isinstance(patch, Mapping):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def diff_of(outcomes: Sequence[WriteOutcome]) -> list[dict[str, str]]:
    """Ansible's ``diff`` of what was written: the fields a change touches, before and after; data of Secrets is
    hidden.
    """
    return [_diff(outcome) for outcome in outcomes if outcome.changed]


def _diff(outcome: WriteOutcome) -> dict[str, str]:
    change = outcome.change
    before: Any = change.before
    if change.verb == "delete":
        after: Any = {}
    elif change.verb == "create":
        before, after = {}, change.body
    else:
        after = _part(merged(before, change.body), change.body)
        before = _part(before, change.body)
    if change.resource.kind == "Secret":
        before, after = _without_data(before, "old"), _without_data(after, "new")
    return {"before_header": change.title, "after_header": change.title, "before": _text(before), "after": _text(after)}


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n" if data else ""


def _part(whole: Any, patch: Any) -> Any:
    """The values in ``whole`` at the places a patch touches."""
    if not isinstance(patch, Mapping) or not isinstance(whole, Mapping):
        return whole
    return {key: _part(whole[key], value) for key, value in patch.items() if key in whole}


def _without_data(secret: Mapping[str, Any], age: str) -> dict[str, Any]:
    hidden = {
        part: dict.fromkeys(secret[part], f"{HIDDEN} ({age})")
        for part in ("data", "stringData")
        if isinstance(secret.get(part), Mapping)
    }
    return {**secret, **hidden}


def _new_object(resource: Resource, desired: Mapping[str, Any]) -> Object:
    body = {"apiVersion": resource.api_version, "kind": resource.kind, **merged({}, desired)}
    labels = {**(body["metadata"].get("labels") or {}), MANAGED_BY: OURS}
    body["metadata"] = {**body["metadata"], "labels": labels}
    return body


_Difference = tuple[str, Any, Any]  # path, before, after
_ABSENT = object()


def _difference(
    desired: Mapping[str, Any], observed: Mapping[str, Any], path: str, owned: frozenset[str]
) -> tuple[dict[str, Any], list[_Difference]]:
    patch: dict[str, Any] = {}
    found: list[_Difference] = []
    for key, wanted, present in _pairs(desired, observed, whole=_is_owned(path, owned)):
        where = f"{path}.{key}" if path else key
        if isinstance(wanted, Mapping) and (isinstance(present, Mapping) or present in (_ABSENT, None)):
            inner, differences = _difference(wanted, present if isinstance(present, Mapping) else {}, where, owned)
            if inner:
                patch[key] = inner
            found += differences
        elif not _same(wanted, present):
            patch[key] = wanted
            found.append((where, present, wanted))
    return patch, found


def _is_owned(path: str, owned: frozenset[str]) -> bool:
    return any(path == root or path.startswith(f"{root}.") for root in owned)


def _pairs(desired: Mapping[str, Any], observed: Mapping[str, Any], *, whole: bool) -> Iterator[tuple[str, Any, Any]]:
    for key, wanted in desired.items():
        yield key, wanted, observed.get(key, _ABSENT)
    if whole:
        yield from ((key, None, present) for key, present in observed.items() if key not in desired)


def _same(wanted: Any, present: Any) -> bool:
    if wanted is None or wanted == []:
        return present is _ABSENT or present is None or present == wanted
    if isinstance(wanted, bool) is not isinstance(present, bool):
        return False  # 1 == True in Python, not in JSON
    return bool(wanted == present)


def _reason(path: str, before: Any, after: Any, *, secret: bool) -> str:
    if secret:
        return f"{path}: differs"
    return f"{path}: {_shown(before)} -> {_shown(after)}"


def _shown(value: Any) -> str:
    if value is _ABSENT or value is None:
        return "none"
    text = repr(value) if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    beginning = text[: _LONGEST_VALUE - 12]
    return text if len(text) <= _LONGEST_VALUE else f"{beginning}… ({len(text)} characters)"
