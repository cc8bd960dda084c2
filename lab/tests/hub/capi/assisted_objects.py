# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test helper: collect all objects that OpenShift Assisted's providers read or write, in the form of the recordings."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from typing import Any

from ztlab.hub.capi.assisted.control_plane import CLUSTER_VERSION
from ztlab.hub.client import Refused
from ztlab.hub.names import (
    AGENT,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    CLUSTER_INSTALL,
    CONFIG_MAP,
    INFRA_ENV,
    SECRET,
    Kind,
    Object,
)

from .assisted import CORE
from .assisted_stage import AssistedStage
from .volatile import UID, VOLATILE

KINDS = (
    CORE.control_plane,
    CORE.machine,
    CORE.metal3_machine,
    CORE.config,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTALL,
    CLUSTER_IMAGE_SET,
    INFRA_ENV,
    AGENT,
    SECRET,
    CONFIG_MAP,
    CLUSTER_VERSION,
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
SETTLED_SECONDS, POLL_SECONDS = 3.0, 0.5


def plain(value: Any, name: str = "") -> Any:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {
            key: "<time>" if key == "lastTransitionTime" else plain(item, key) for key, item in sorted(value.items())
        }
    if name == "ignitionConfigOverrides" and value:
        return ignition(value)
    return _DIGEST.sub("sha256:<digest>", UID.sub("<uid>", value)) if isinstance(value, str) else value


def ignition(text: str) -> Any:
    """A config of Ignition without the words of its scripts; one that does nothing is kept to the letter."""
    document = json.loads(text)
    units, files = (
        (document.get("systemd") or {}).get("units") or [],
        (document.get("storage") or {}).get("files") or [],
    )
    for unit in units:
        lines = [line.partition("=") for line in str(unit.get("contents", "")).splitlines()]
        unit["contents"] = sorted(
            {
                f"{key}={word}"
                for key, mark, value in lines
                if mark and key != "Description"
                for word in value.split() or [""]
            }
        )
    for entry in files:
        entry["contents"]["source"] = entry["contents"]["source"].partition(",")[0] + ",<script>"
    return document if units or files else text


def secret(item: Object) -> Object:
    data: Object = {name: base64.b64decode(value).decode() for name, value in (item.get("data") or {}).items()}
    if data.get("format") == "ignition":
        data["value"] = ignition(data["value"])
    return {**item, "data": {name: _of_hub(value) for name, value in data.items()}}


def _of_hub(value: Any) -> Any:
    """Certificates of the hub differ in every recording."""
    return "<kubeconfig of the hub>" if str(value).startswith("apiVersion: v1\nkind: Config\n") else value


async def objects(on: AssistedStage) -> dict[str, Any]:
    """All objects of all namespaces that the providers read or write; names of Machines by the order of their
    creation.
    """
    found: dict[str, Any] = {}
    for kind in KINDS:
        for item in await listed(on, kind):
            if item["metadata"].get("namespace", "edge") not in ("edge", "other"):
                continue
            if kind is CONFIG_MAP and item["metadata"]["name"] == "kube-root-ca.crt":
                continue
            metadata = {name: value for name, value in item["metadata"].items() if name not in VOLATILE and value}
            shown = {**(secret(item) if kind is SECRET else item), "metadata": metadata}
            found[
                "/".join([kind.kind, *filter(None, [item["metadata"].get("namespace")]), item["metadata"]["name"]])
            ] = plain(shown)
    if on.answers:
        found["answers"] = on.answers
    text = json.dumps(found)
    for number, name in enumerate(on.machines_seen):
        prefix = name.rpartition("-")[0]
        text = text.replace(name, f"{prefix}-machine-{number}")
    return dict(sorted(json.loads(text).items()))


async def listed(on: AssistedStage, kind: Kind) -> list[Object]:
    """Nothing of a kind that the API does not serve."""
    try:
        return (await on.rig.client.list(kind))[0]
    except Refused as error:
        assert error.code == 404, error
        return []


async def settled(on: AssistedStage) -> dict[str, Any]:
    """The objects once nothing changes them any more."""
    before, since = await objects(on), 0.0
    while since < SETTLED_SECONDS:
        await asyncio.sleep(POLL_SECONDS)
        now = await objects(on)
        since = since + POLL_SECONDS if now == before else 0.0
        before = now
    return before
