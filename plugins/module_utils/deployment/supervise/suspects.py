# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""List the probable causes of a failed wait, from what was observed: the most likely first, in terms that users know.

Source: docs/upstream/agent-installer.md#faults-that-users-meet.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...assisted.install.progress import PENDING_USER_ACTION, failing
from ...common.listed import listed
from ...common.plurals import is_or_are
from .decide import Memory, failed_hosts
from .observation import InventoryHost, Observation
from .setup import Setup


def suspects(seen: Observation, memory: Memory, setup: Setup, most: int = 3) -> list[str]:
    """At most ``most`` probable causes, the most likely first."""
    found: list[str] = []
    for suspect in _all(seen, memory, setup):
        if suspect not in found:
            found.append(suspect)
    return found[:most]


def _all(seen: Observation, memory: Memory, setup: Setup) -> Iterator[str]:
    failed = failed_hosts(seen)
    yield from failed
    if failed and seen.service.cluster and seen.service.cluster.terminal:
        return
    if memory.phase == "boot":
        yield from _of_boot(seen, setup)
    elif memory.phase == "discovery":
        yield from _of_discovery(seen, memory, setup)
    elif memory.phase == "bootstrap":
        yield from _of_bootstrap(seen, memory, setup)
    else:
        yield from _of_cluster(seen, memory, setup)


def _of_boot(seen: Observation, setup: Setup) -> Iterator[str]:
    address = seen.rendezvous_ip or "its address"
    rendezvous = next((host.name for host in setup.hosts if host.has_address(address)), "the rendezvous host")
    if seen.service.answers and not seen.service.ours:
        yield f"Something else answers at {address}:8090. {seen.service.detail}"
    yield (
        f"{rendezvous} did not boot the image, or none of its NICs has {address}. In the second case the console "
        "of every host says that it is not the rendezvous host."
    )
    yield (
        f"{address}:8090 cannot be reached from the control node: route, firewall, openshift_connect_to. "
        f"{seen.service.detail}"
    ).strip()
    yield f"{rendezvous} cannot pull the release image: pull secret, registry, DNS, time; its console shows the pull."


def _of_discovery(seen: Observation, memory: Memory, setup: Setup) -> Iterator[str]:
    for stranger in seen.surplus(setup.hosts):
        if stranger.macs:
            yield (
                f"{stranger.name} ({', '.join(stranger.macs)}) is registered but not in the configuration. "
                "Correct a MAC address in the inventory, or power the machine off."
            )
    missing = [host for host in setup.hosts if not memory.last_words(seen, host)]
    if missing:
        yield f"{_named(missing)} did not boot the image: look at its power, boot order and medium, and at its console."
    alike: dict[tuple[str, str], list[InventoryHost]] = {}
    for host in setup.hosts:
        found = memory.last_words(seen, host)
        if found and not found.ready:
            messages = "; ".join(f"{validation.id}: {validation.message}" for validation in failing(found.validations))
            alike.setdefault((found.status, messages), []).append(host)
    for (status, messages), hosts in alike.items():
        messages_note = f": {messages}" if messages else ""
        yield f"{_named(hosts)} {is_or_are(len(hosts))} {status}{messages_note}".rstrip(".") + "."
    cluster = seen.service.cluster
    for validation in failing(cluster.validations if cluster else ()):
        yield f"Cluster validation {validation.id}: {validation.message}"
    if missing and setup.elsewhere:
        yield (
            f"{_named(missing)} cannot reach the service at {setup.elsewhere} or pull the agent: network "
            "configuration, DNS, proxy, registry."
        )
    elif missing:
        rendezvous_ip = seen.rendezvous_ip or "the rendezvous host"
        yield f"TCP 8090 from {_named(missing)} to {rendezvous_ip} is blocked, or its network configuration is wrong."
    if missing:
        macs = ", ".join(mac for host in missing for mac in host.macs)
        yield f"The NICs of {_named(missing)} have other MAC addresses than configured ({macs})."


def _of_bootstrap(seen: Observation, memory: Memory, setup: Setup) -> Iterator[str]:
    for host in setup.hosts:
        found = memory.last_words(seen, host)
        if found and found.status == PENDING_USER_ACTION:
            status_info = found.status_info or "fix its boot order and reboot it"
            yield f"{host.name} did not boot from its disk: {status_info}."
    if seen.api.answers and not seen.api.ours:
        yield f"Something else answers at the API's address. {seen.api.detail}"
    if memory.service_seen and not seen.service.answers and not seen.api.ours:
        yield (
            "The API's name does not resolve to the cluster on the control node: DNS record, API VIP, "
            f"openshift_connect_to. {seen.api.detail}"
        ).strip()
    unfinished = [
        (host, found)
        for host in setup.hosts
        if (found := memory.last_words(seen, host)) and found.status != "installed"
    ]
    for host, found in sorted(unfinished, key=lambda pair: pair[1].percent):
        since = f" since {found.stage_since}" if found.stage_since else ""
        yield f"{host.name} is in {found.describe()}{since}."
    yield "Nodes cannot pull images or reach the machine config server (TCP 22623, 6443) of the bootstrap host."


def _of_cluster(seen: Observation, memory: Memory, setup: Setup) -> Iterator[str]:
    for host in setup.hosts:
        machine = memory.machines.get(host.name)
        if machine is not None and machine.may_run_the_image and not seen.api.has_node(host):
            yield (
                f"{host.name} runs the ISO ({machine.text()}) and has no Node: detach the image, correct its boot "
                "order, and restart it."
            )
    version = seen.api.cluster_version
    if version and version.failing.true:
        yield f"ClusterVersion is failing: {version.failing.message}"
    for operator in seen.api.operators:
        if operator.degraded.true:
            yield f"Operator {operator.name} is degraded: {operator.degraded.message}"
    absent = [host for host in setup.hosts if not seen.api.has_node(host)]
    if absent and seen.api.ours:
        yield (
            f"{_named(absent)} did not join: no Node of that name (machine config server TCP 22623, certificate "
            "requests, console)."
        )
    unready = [node.name for node in seen.api.nodes if not node.ready]
    if unready:
        yield f"Nodes are not ready: {', '.join(unready)}."
    for operator in seen.api.operators:
        if not operator.available.true or operator.progressing.true:
            message = operator.available.message or operator.progressing.message or "not available yet"
            yield f"Operator {operator.name}: {message}"
    if not seen.api.ours:
        yield f"The cluster's API does not answer. {seen.api.detail}".strip()


def _named(hosts: list[InventoryHost]) -> str:
    return listed([host.name for host in hosts], 4)
