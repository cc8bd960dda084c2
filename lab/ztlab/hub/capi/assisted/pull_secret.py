# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the pull secret of a control plane, and create the placeholder that is used if the user sets none.

Source: openshift-assisted/cluster-api-provider-openshift-assisted assistedinstaller/auth.go.
"""

from __future__ import annotations

import base64
import binascii

from ...client import Refused
from ...controller import Retry
from ...names import SECRET, Kind, Object, key_of, owner
from ...world import World
from . import names


async def create_placeholder(world: World, by: Object, kind: Kind) -> None:
    """Create the placeholder Secret. Raises Refused, also if the Secret exists already."""
    metadata = {
        "name": names.PLACEHOLDER_SECRET,
        "namespace": by["metadata"]["namespace"],
        "ownerReferences": [owner(by, kind)],
    }
    data = {names.PULL_SECRET_KEY: base64.b64encode(names.PLACEHOLDER.encode()).decode()}
    await world.create(SECRET, {"metadata": metadata, "data": data})


async def ensure_placeholder(world: World, by: Object, kind: Kind) -> None:
    """Raises Refused."""
    try:
        await create_placeholder(world, by, kind)
    except Refused as error:
        if error.reason != "AlreadyExists":
            raise


def read_pull_secret(world: World, plane: Object) -> None:
    """Raises Retry unless the control plane has one that can be read."""
    name = ((plane["spec"].get("config") or {}).get("pullSecretRef") or {}).get("name", "")
    secret = world.get(SECRET, (key_of(plane)[0], name))
    try:
        base64.b64decode(((secret or {}).get("data") or {})[names.PULL_SECRET_KEY])
    except (KeyError, binascii.Error) as error:
        raise Retry(f"failed to get pull secret {name}: {error}") from error
