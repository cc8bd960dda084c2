# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the options of a NodePool, as a pure function.

The paths are those of the user's options. Checks that depend on the existing pool (immutable fields, the upgrade type)
get the observed object.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go; docs/upstream/hypershift.md#operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...capi.choose.selector import read_selector
from ...common.errors import InvalidInput
from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, TOO_MANY, UNSUPPORTED, Problem
from .. import values
from ..release import STREAM_9, STREAM_10, stream_fault
from ..user_input import problem
from .object import selector

CHECK = "node-pool"
# Of the architectures that the CRD knows, those that hosts of the agent platform can have (1.1).
ARCHITECTURES = ("amd64", "arm64", "ppc64le")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LARGEST = 2**31 - 1
_MOST = {"config": 10, "tuning_config": 10, "taints": 50}
# Fields that cannot be changed once they are set: option -> path in the object.
IMMUTABLE: Mapping[str, tuple[str, ...]] = {
    "cluster_name": ("clusterName",),
    "arch": ("arch",),
    "upgrade_type": ("management", "upgradeType"),
}


def problems(options: Mapping[str, Any], observed: Mapping[str, Any] | None = None) -> list[Problem]:
    """All problems of the options that are set (see :func:`..user_input.provided`), for a pool that does not exist, or
    is ``observed``.
    """
    spec = (observed or {}).get("spec") or {}
    upgrade_type = str(options.get("upgrade_type") or (spec.get("management") or {}).get("upgradeType") or "InPlace")
    return [
        *_names(options, exists=observed is not None),
        *_immutable(options, spec),
        *_release(options),
        *_stream(options, spec),
        *_size(options, spec),
        *_management(options, upgrade_type),
        *_lists(options),
        *_times(options),
        *_nodes(options),
        *_placement(options),
        *_annotations(options),
        *_wait(options),
    ]


def _names(options: Mapping[str, Any], *, exists: bool) -> Iterator[Problem]:
    for option in ("name", "namespace"):
        fault = values.object_name_fault(str(options.get(option) or ""))
        if fault:
            yield _invalid(option, fault, options.get(option))
    cluster = options.get("cluster_name")
    if cluster is None:
        if not exists:
            yield problem(CHECK, "cluster_name", REQUIRED, "a new pool requires the name of its hosted cluster")
    elif fault := values.cluster_name_fault(str(cluster)):
        yield _invalid("cluster_name", fault, cluster)


def _immutable(options: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    kind = (spec.get("platform") or {}).get("type")
    if kind not in (None, "Agent"):
        yield problem(
            CHECK,
            "name",
            FORBIDDEN,
            (
                f"this pool is of platform {kind}, which cannot be changed; only "
                "pools of platform Agent are managed here"
            ),
        )
    for option, path in IMMUTABLE.items():
        present = _at(spec, path)
        if option in options and present not in (None, options[option]):
            field = ".".join(("spec", *path))
            yield problem(
                CHECK,
                option,
                FORBIDDEN,
                f"{field} cannot be changed: it is {present}",
                options[option],
                "make a new pool, then remove this one",
            )


def _at(spec: Any, path: Sequence[str]) -> Any:
    for key in path:
        spec = spec.get(key) if isinstance(spec, Mapping) else None
    return spec


def _release(options: Mapping[str, Any]) -> Iterator[Problem]:
    image = options.get("release_image")
    if image is not None and (fault := values.image_fault(str(image))):
        yield _invalid("release_image", fault, image)


def _stream(options: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    stream = options.get("os_image_stream")
    if stream is None:
        return
    if stream == STREAM_9 and _at(spec, ("osImageStream", "name")) == STREAM_10:
        detail = f"a pool cannot go back from {STREAM_10} to {STREAM_9}"
        yield problem(CHECK, "os_image_stream", FORBIDDEN, detail, stream, "make a new pool, then remove this one")
    image = options.get("release_image") or _at(spec, ("release", "image"))
    if fault := stream_fault(stream, str(image or "")):
        yield problem(CHECK, "os_image_stream", UNSUPPORTED, fault, stream)


def _size(options: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Problem]:
    replicas, scaling = options.get("replicas"), options.get("auto_scaling")
    if replicas is not None and not 0 <= replicas <= _LARGEST:
        yield _invalid("replicas", "must not be negative" if replicas < 0 else "is too large", replicas)
    if scaling:
        yield from _auto_scaling(scaling)
        if replicas is not None:
            yield problem(
                CHECK,
                "auto_scaling",
                FORBIDDEN,
                "replicas and auto_scaling are both given; give one",
                hint="auto_scaling: {} turns it off",
            )
    present = spec.get("autoScaling")
    if present and replicas is not None and scaling is None:
        detail = (
            f"the pool is scaled by the autoscaler ({present.get('min')} to {present.get('max')}), which would undo it"
        )
        yield problem(CHECK, "replicas", FORBIDDEN, detail, replicas, "give auto_scaling: {} besides to turn that off")


def _auto_scaling(scaling: Mapping[str, Any]) -> Iterator[Problem]:
    smallest, largest = scaling.get("min"), scaling.get("max")
    for name, value in (("min", smallest), ("max", largest)):
        if value is None:
            yield problem(CHECK, f"auto_scaling.{name}", REQUIRED, "min and max belong together")
        elif value < 1 or value > _LARGEST:
            # The CRD lets min be 0 for some clouds; the resources of a host are unknown before it exists.
            yield _invalid(
                f"auto_scaling.{name}",
                "must be at least 1: the Agent platform does not support scaling from zero"
                if value < 1
                else "is too large",
                value,
            )
    if smallest is not None and largest is not None and largest < smallest:
        yield _invalid("auto_scaling.max", "must not be less than min", largest)


def _management(options: Mapping[str, Any], upgrade_type: str) -> Iterator[Problem]:
    if options.get("upgrade_type") not in (None, "Replace", "InPlace"):
        yield problem(CHECK, "upgrade_type", UNSUPPORTED, "must be Replace or InPlace", options["upgrade_type"])
    in_place = options.get("in_place")
    if in_place and upgrade_type != "InPlace":
        yield problem(CHECK, "in_place", FORBIDDEN, "only goes with upgrade_type InPlace")
    if in_place:
        yield from _amount("in_place.max_unavailable", in_place.get("max_unavailable"))
    replace = options.get("replace") or {}
    rolling = replace.get("rolling_update")
    if replace.get("strategy") not in (None, "RollingUpdate", "OnDelete"):
        yield problem(CHECK, "replace.strategy", UNSUPPORTED, "must be RollingUpdate or OnDelete", replace["strategy"])
    if rolling and replace.get("strategy") == "OnDelete":
        yield problem(CHECK, "replace.rolling_update", FORBIDDEN, "only goes with strategy RollingUpdate")
    for name in ("max_surge", "max_unavailable"):
        yield from _amount(f"replace.rolling_update.{name}", (rolling or {}).get(name))
    if rolling and [_none_at_all(rolling.get(name)) for name in ("max_surge", "max_unavailable")] == [True, True]:
        detail = "max_surge and max_unavailable are both 0: no node could ever be replaced"
        yield problem(CHECK, "replace.rolling_update", INVALID, detail)


def _none_at_all(value: Any) -> bool:
    return values.int_or_percent(value) in (0, "0%") if value is not None else False


def _amount(path: str, value: Any) -> Iterator[Problem]:
    if value is not None and values.int_or_percent(value) is None:
        yield _invalid(path, "must be a number or a percentage such as 25%", value)


def _lists(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option, most in _MOST.items():
        if len(options.get(option) or ()) > most:
            yield problem(CHECK, option, TOO_MANY, f"must have at most {most} items", len(options[option]))
    for option in ("config", "tuning_config"):
        names = [str(name) for name in options.get(option) or ()]
        for index, name in enumerate(names):
            if fault := values.object_name_fault(name):
                yield _invalid(f"{option}[{index}]", f"names a ConfigMap: {fault}", name)
            elif name in names[:index]:
                yield problem(CHECK, f"{option}[{index}]", DUPLICATE, "is listed twice", name)


def _times(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option in ("node_drain_timeout", "node_volume_detach_timeout"):
        text = options.get(option)
        if text and (fault := values.duration_fault(str(text))):
            yield _invalid(option, fault, text)
    until = options.get("paused_until")
    if until and (fault := values.pause_fault(str(until))):
        yield _invalid("paused_until", fault, until)


def _nodes(options: Mapping[str, Any]) -> Iterator[Problem]:
    for key, value in (options.get("node_labels") or {}).items():
        if fault := values.key_fault(str(key)) or values.label_value_fault(str(value)):
            yield _invalid(f"node_labels.{key}", fault, value)
    for index, taint in enumerate(options.get("taints") or ()):
        where = f"taints[{index}]"
        if fault := values.key_fault(str(taint.get("key") or "")):
            yield _invalid(f"{where}.key", fault, taint.get("key"))
        if fault := values.label_value_fault(str(taint.get("value") or ""), 253):
            yield _invalid(f"{where}.value", fault, taint.get("value"))
        if taint.get("effect") not in _EFFECTS:
            yield problem(
                CHECK, f"{where}.effect", UNSUPPORTED, f"must be one of {', '.join(_EFFECTS)}", taint.get("effect")
            )


def _placement(options: Mapping[str, Any]) -> Iterator[Problem]:
    arch = options.get("arch")
    if arch is not None and arch not in ARCHITECTURES:
        yield problem(CHECK, "arch", UNSUPPORTED, f"hosts of the agent platform are {', '.join(ARCHITECTURES)}", arch)
    try:
        read_selector(selector(options.get("agent_label_selector") or {}), "agent_label_selector")
    except InvalidInput as error:
        yield from error.problems  # the CRD takes anything; the provider would fail at each look at the pool's Machines


def _annotations(options: Mapping[str, Any]) -> Iterator[Problem]:
    for name, text in (options.get("annotations") or {}).items():
        if text is not None and (fault := values.health_check_fault(str(name), str(text))):
            yield _invalid(f"annotations.{name}", fault, text)


def _wait(options: Mapping[str, Any]) -> Iterator[Problem]:
    if options.get("wait_for") == "gone":
        yield problem(CHECK, "wait_for", FORBIDDEN, "only goes with state absent", "gone")


def _invalid(path: str, detail: str, value: Any = "") -> Problem:
    return problem(CHECK, path, INVALID, detail, value)
