# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the NodePool from the options: only the fields that the user set. A new NodePool also gets the fields that it
needs to be complete.

Special cases: fields that the server adds are not part of the desired state and are never sent back. A partial
``replace`` is completed with the numbers without which the operator stops. Durations and empty selectors that mean the
same are equal.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go, hypershift-operator/controllers/nodepool/capi.go,
  hypershift-operator/controllers/nodepool/token.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import values
from ..user_input import as_text, cleared, marks, texts

Object = dict[str, Any]

# Upstream's default for the whole of ``replace`` (1.1); a partial ``replace`` gets no default.
_MAX_SURGE, _MAX_UNAVAILABLE = 1, 0
# Fields that only the user's value defines once it is set: keys that only the present object has are taken out.
OWNED = ("spec.platform.agent.agentLabelSelector", "spec.nodeLabels")
_DURATIONS = {"node_drain_timeout": "nodeDrainTimeout", "node_volume_detach_timeout": "nodeVolumeDetachTimeout"}


def pool_object(options: Mapping[str, Any], observed: Mapping[str, Any] | None, *, release_image: str = "") -> Object:
    """The desired fields of the NodePool.

    ``release_image`` is that of its hosted cluster, for a new pool without one of its own.
    """
    present = (observed or {}).get("spec") or {}
    spec: Object = {} if observed else _new_pool(options, release_image)
    _set_identity(spec, options)
    _set_size(spec, options, present, (observed or {}).get("status") or {})
    _set_management(spec, options, present.get("management") or {})
    _set_nodes(spec, options, present)
    return {"metadata": {"name": options["name"], "namespace": options["namespace"], **marks(options)}, "spec": spec}


def _new_pool(options: Mapping[str, Any], release_image: str) -> Object:
    spec: Object = {
        "platform": {"type": "Agent", "agent": {"agentLabelSelector": {}}},
        # In place needs no spare host; upstream's two clients differ about this (3.3).
        "management": {"upgradeType": "InPlace"},
    }
    if release_image:
        spec["release"] = {"image": release_image}
    if options.get("replicas") is None and not options.get("auto_scaling"):
        spec["replicas"] = 0
    return spec


def _set_identity(spec: Object, options: Mapping[str, Any]) -> None:
    if "cluster_name" in options:
        spec["clusterName"] = options["cluster_name"]
    if "release_image" in options:
        spec["release"] = {"image": options["release_image"]}
    if "os_image_stream" in options:
        spec["osImageStream"] = {"name": options["os_image_stream"]}
    if "arch" in options:
        spec["arch"] = options["arch"]
    if "agent_label_selector" in options:
        spec.setdefault("platform", {})["agent"] = {"agentLabelSelector": selector(options["agent_label_selector"])}


def selector(provided: Mapping[str, Any]) -> Object:
    """A label selector without empty parts, with texts where YAML reads a number or a boolean.

    What is wrong with it stays, for the rules to name.
    """
    found: Object = {key: value for key, value in provided.items() if value not in ({}, [], None)}
    if isinstance(found.get("matchLabels"), Mapping):
        found["matchLabels"] = texts(found["matchLabels"])
    if isinstance(found.get("matchExpressions"), list):
        found["matchExpressions"] = [
            _expression(each) if isinstance(each, Mapping) else each for each in found["matchExpressions"]
        ]
    return found


def _expression(provided: Mapping[str, Any]) -> Object:
    found = {key: value for key, value in provided.items() if value not in ([], None)}
    if isinstance(found.get("values"), list):
        found["values"] = [as_text(value) for value in found["values"]]
    return found


def _set_size(spec: Object, options: Mapping[str, Any], present: Mapping[str, Any], status: Mapping[str, Any]) -> None:
    """One of replicas and autoScaling; the other one goes in the same write, which the CRD insists on."""
    scaling, replicas = options.get("auto_scaling"), options.get("replicas")
    if scaling:
        spec["autoScaling"] = {"min": scaling["min"], "max": scaling["max"]}
        spec["replicas"] = replicas  # None, unless both are given, which is refused
    elif scaling == {} and present.get("autoScaling"):
        spec["autoScaling"] = None
        spec["replicas"] = int(status.get("replicas") or 0) if replicas is None else replicas
    elif replicas is not None:
        spec["replicas"] = replicas


def _set_management(spec: Object, options: Mapping[str, Any], present: Mapping[str, Any]) -> None:
    management: Object = dict(spec.get("management") or {})
    if "upgrade_type" in options:
        management["upgradeType"] = options["upgrade_type"]
    if "auto_repair" in options:
        management["autoRepair"] = options["auto_repair"]
    if "in_place" in options:
        amount = (options["in_place"] or {}).get("max_unavailable")
        management["inPlace"] = None if amount is None else {"maxUnavailable": values.int_or_percent(amount)}
    if options.get("replace"):
        management["replace"] = _replace(options["replace"], present.get("replace") or {})
    if management:
        spec["management"] = management


def _replace(provided: Mapping[str, Any], present: Mapping[str, Any]) -> Object:
    strategy = provided.get("strategy") or present.get("strategy") or "RollingUpdate"
    if strategy == "OnDelete":
        return {"strategy": strategy, "rollingUpdate": None}
    asked, there = provided.get("rolling_update") or {}, present.get("rollingUpdate") or {}
    surge = _amount(asked.get("max_surge"), there.get("maxSurge"), _MAX_SURGE)
    # One of the two must let something happen: who forbids a surge means that a node may be missing for a while.
    least = 1 if surge in (0, "0%") else _MAX_UNAVAILABLE
    unavailable = _amount(
        asked.get("max_unavailable"),
        None if least and not there.get("maxUnavailable") else there.get("maxUnavailable"),
        least,
    )
    return {"strategy": strategy, "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def _amount(asked: Any, present: Any, default: int) -> int | str:
    found = values.int_or_percent(asked) if asked is not None else present
    return default if found is None else found


def _set_nodes(spec: Object, options: Mapping[str, Any], present: Mapping[str, Any]) -> None:
    for option, field in (("config", "config"), ("tuning_config", "tuningConfig")):
        if option in options:
            spec[field] = cleared([{"name": str(name)} for name in options[option]])
    for option, field in _DURATIONS.items():
        if option in options:
            spec[field] = _duration(str(options[option]), present.get(field))
    if "node_labels" in options:
        spec["nodeLabels"] = texts(options["node_labels"])
    if "taints" in options:
        spec["taints"] = cleared(
            [{key: str(value) for key, value in taint.items() if value != ""} for taint in options["taints"]]
        )
    if "paused_until" in options:
        spec["pausedUntil"] = cleared(options["paused_until"])


def _duration(text: str, present: Any) -> str | None:
    """The present text if it means the same: ``10m`` is ``10m0s``, and no value means without limit, as ``0s`` does."""
    wanted, there = values.duration(text or "0"), values.duration(str(present or "0"))
    if wanted == there:
        return str(present) if present is not None else None
    return text or None
