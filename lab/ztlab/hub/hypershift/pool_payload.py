# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the configuration of a NodePool's hosts from the HostedCluster, the NodePool and their ConfigMaps.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go, hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from ..names import CONFIG_MAP, Object, labels_of
from ..world import World
from .control_plane import CORE_CONFIG_LABEL, CORE_CONFIGS
from .pool_conditions import KINDS
from .pool_secrets import Payload, config_problem


def payload(world: World, pool: Object, hosted: Object, space: str, version: str) -> tuple[Payload, str]:
    """The payload, and why it is not valid ("" when it is)."""
    core = [item for item in world.all(CONFIG_MAP, space) if labels_of(item).get(CORE_CONFIG_LABEL) == "true"]
    namespace = pool["metadata"]["namespace"]
    maps = [
        (entry["name"], world.get(CONFIG_MAP, (namespace, entry["name"]))) for entry in pool["spec"].get("config") or []
    ]
    problem = (
        ""
        if len(core) == len(CORE_CONFIGS)
        else (f"expected {len(CORE_CONFIGS)} core ignition configs, found {len(core)}")
    )
    problem = problem or config_problem(maps, KINDS, {name: _documents(item) for name, item in maps})
    texts = sorted(str((item.get("data") or {}).get("config", "")) for item in core)
    texts += [str((item.get("data") or {}).get("config", "")) for _name, item in maps if item is not None]
    return Payload("\n---\n".join(texts), version, pool["spec"]["release"]["image"], *_of_cluster(hosted)), problem


def _of_cluster(hosted: Object) -> tuple[str, str, str]:
    """Pull secret, trust bundle, configuration of the whole cluster."""
    spec = hosted["spec"]
    configuration = spec.get("configuration") or {}
    whole = {name: configuration[name] for name in ("proxy", "image") if configuration.get(name)}
    if spec.get("imageContentSources"):
        whole["imageContentSources"] = spec["imageContentSources"]
    bundle = (spec.get("additionalTrustBundle") or {}).get("name") or ""
    return spec["pullSecret"]["name"], bundle, json.dumps(whole, sort_keys=True) if whole else ""


def _documents(item: Object | None) -> list[Any]:
    text = str(((item or {}).get("data") or {}).get("config") or "")
    try:
        return [document for document in yaml.safe_load_all(text) if document is not None]
    except yaml.YAMLError as error:
        return [f"no YAML: {error}"]
