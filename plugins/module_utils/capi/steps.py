# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the steps of a reconcile pass: for each object, a chain of writes in order.

If a run is interrupted between any two writes, the next pass continues.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..kube.resource import Resource
from ..kube.write import Change, plan_object
from .objects import key_of


@dataclasses.dataclass(frozen=True)
class ChainStep:
    """One write. If an ``optional`` write fails, it is reported and the chain continues: no write depends on it."""

    change: Change
    optional: bool = False


@dataclasses.dataclass(frozen=True)
class Chain:
    """The writes for one object, one after the other; the first that fails ends the chain.

    The chains named in ``needs`` must succeed first.
    """

    name: str
    steps: tuple[ChainStep, ...] = ()
    needs: tuple[str, ...] = ()


def patch(
    resource: Resource,
    observed: Mapping[str, Any],
    desired: Mapping[str, Any],
    *,
    why: str = "",
    owned: Sequence[str] = (),
    subresource: str = "",
) -> list[ChainStep]:
    """The patch that brings ``desired`` into an object, if there is anything to bring; refused by the server if the
    object has changed since.

    ``why`` comes before what differs.
    """
    namespace, name = key_of(observed)
    metadata = {"namespace": namespace, "name": name, **desired.get("metadata", {})}
    change = plan_object(resource, {**desired, "metadata": metadata}, observed, owned=owned)
    if change is None:
        return []
    reasons = (why,) if why else change.reasons
    version = str(observed["metadata"].get("resourceVersion") or "")
    return [ChainStep(dataclasses.replace(change, resource_version=version, subresource=subresource, reasons=reasons))]


def create(resource: Resource, body: Mapping[str, Any], why: str) -> ChainStep:
    """The creation of an object exactly as upstream makes it, without a mark of ours."""
    namespace, name = key_of(body)
    whole = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
    return ChainStep(Change("create", resource, namespace, name, whole, (why,)))
