# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate the user's placement policy, and compute in which order the planner prefers hosts and serves Machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...common.errors import InvalidInput
from ...common.problems import INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, OwnCheck, Problem, nearest
from .model import ORDERS, AgentFacts, HostDemand, Key, Policy

_problem = OwnCheck("policy")

_OPTIONS = ("order", "topology_label", "prefer_labels", "reuse", "pins", "history")


def read_policy(options: Mapping[str, Any] | None, path: str = "policy") -> Policy:
    """The policy of a user's dict; omitted fields have their defaults.

    Raises :class:`InvalidInput` with all problems.
    """
    provided = {name: value for name, value in (options or {}).items() if value is not None}
    problems = list(_problems(provided, path))
    if problems:
        raise InvalidInput(problems)
    return Policy(**provided)


def check_policy(policy: Policy, path: str = "policy") -> None:
    """Raises :class:`InvalidInput` for a policy that cannot be followed."""
    problems = list(_problems({name: getattr(policy, name) for name in _OPTIONS}, path))
    if problems:
        raise InvalidInput(problems)


def _problems(provided: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for name in provided:
        if name not in _OPTIONS:
            yield _problem(
                f"{path}.{name}", UNKNOWN_FIELD, "no such part of a policy", hint=nearest(str(name), _OPTIONS)
            )
    order = provided.get("order", "fit")
    if order not in ORDERS:
        yield _problem(
            f"{path}.order",
            UNSUPPORTED,
            f"must be one of {', '.join(ORDERS)}, not {order!r}",
            hint=nearest(str(order), ORDERS),
        )
    if order in ("spread", "pack") and not provided.get("topology_label"):
        yield _problem(
            f"{path}.topology_label",
            REQUIRED,
            (f"order {order} needs the label by which it counts, such as topology.kubernetes.io/zone"),
        )
    if not isinstance(provided.get("topology_label", ""), str):
        yield _problem(f"{path}.topology_label", INVALID, "must be text")
    if not isinstance(provided.get("reuse", True), bool):
        yield _problem(f"{path}.reuse", INVALID, "must be true or false")
    for name, types in (("prefer_labels", (str, int)), ("pins", (str,)), ("history", (str,))):
        values = provided.get(name, {})
        if not isinstance(values, Mapping):
            yield _problem(f"{path}.{name}", INVALID, "must be a mapping")
            continue
        words = "text or a whole number" if int in types else "text"
        wrong = [
            key
            for key, value in values.items()
            if not isinstance(key, str) or not isinstance(value, types) or isinstance(value, bool)
        ]
        yield from (
            _problem(f"{path}.{name}[{key}]", INVALID, f"must be {words}, not {values[key]!r}") for key in wrong
        )


def preferred(policy: Policy, host: AgentFacts) -> dict[str, int]:
    """The preferred labels that a host has, as ``label`` or ``label=value``, and what each counts."""
    found: dict[str, int] = {}
    for key, value in policy.prefer_labels.items():
        label, equals, wanted = (key, "=", value) if isinstance(value, str) else key.partition("=")
        if label in host.labels and (not equals or host.labels[label] == wanted):
            found[f"{label}{equals}{wanted}"] = 1 if isinstance(value, str) else value
    return found


def host_order(policy: Policy, host: AgentFacts) -> tuple[Any, ...]:
    """By this hosts are sorted: the best first, whatever else is asked for.

    Equal ones by hostname and name, so that there is one order.
    """
    return (
        -sum(preferred(policy, host).values()),
        host.cpus,
        host.memory_bytes,
        host.disk_bytes,
        host.hostname,
        host.namespace,
        host.name,
    )


def service_order(demand: HostDemand, pinned: str) -> tuple[Any, ...]:
    """By this demands are sorted when there is not a host for each of them: pinned ones, then those that have waited
    longest.
    """
    return not pinned, not demand.created, demand.created, demand.key


def turn_order(demand: HostDemand) -> tuple[Any, ...]:
    """By this demands are sorted when it is about who gets which host: those that ask for little first, since the first
    hosts are the small ones.
    """
    return demand.cpus, demand.memory_bytes, demand.disk_bytes, not demand.created, demand.created, demand.key


def of_machine(values: Mapping[str, str], key: Key) -> str:
    """What a mapping of Machines, ``namespace/name`` or ``name``, says of one of them; empty if nothing."""
    return values.get(f"{key[0]}/{key[1]}") or values.get(key[1]) or ""
