# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store the changes of a reconcile pass as the upstream Agent provider does: in up to three patches, whose errors are
ignored.

Source: kubernetes-sigs/cluster-api util/patch/patch.go.
"""

from __future__ import annotations

import logging
from typing import Any

from ...client import Refused, merge_diff
from ...names import Kind, Object, key_of
from ...world import World

LOG = logging.getLogger(__name__)
TRIES = 5


async def persist(world: World, kind: Kind, before: Object, after: Object) -> None:
    """Patch conditions, then metadata and spec, then the rest of the status; errors are only logged."""
    if world.get(kind, key_of(before)) is None:
        return
    for step in (_conditions, _main, _status):
        try:
            await step(world, kind, before, after)
        except Refused as error:
            LOG.debug("failed patching %s %s/%s: %s", kind.kind, *key_of(before), error)


def _without_conditions(item: Object) -> dict[str, Any]:
    return {name: value for name, value in (item.get("status") or {}).items() if name != "conditions"}


async def _conditions(world: World, kind: Kind, before: Object, after: Object) -> None:
    wanted = (after.get("status") or {}).get("conditions")
    if wanted == (before.get("status") or {}).get("conditions"):
        return
    namespace, name = key_of(before)
    version = before["metadata"]["resourceVersion"]
    for _number in range(TRIES):
        body = {"metadata": {"resourceVersion": version}, "status": {"conditions": wanted}}
        try:
            await world.patch(kind, before, body, subresource="status")
        except Refused as error:
            if error.code != 409:
                raise
            present = await world.client.get(kind, name, namespace)
            if present is None:
                return
            version = present["metadata"]["resourceVersion"]
        else:
            return


async def _main(world: World, kind: Kind, before: Object, after: Object) -> None:
    patch = {name: merge_diff(before.get(name) or {}, after.get(name) or {}) for name in ("metadata", "spec")}
    patch = {name: value for name, value in patch.items() if value}
    if patch:
        await world.patch(kind, before, patch)


async def _status(world: World, kind: Kind, before: Object, after: Object) -> None:
    patch = merge_diff(_without_conditions(before), _without_conditions(after))
    if patch:
        await world.patch(kind, before, {"status": patch}, subresource="status")
