# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the progress lines of a wait: one line for each change, hosts with the same change in one line, at most 120
columns.

No line is printed twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...assisted.install.narration import FEW, GRACE, after_grace, host_changes, validation_texts, wait_status
from ...assisted.install.progress import HostProgress
from ...common.listed import listed
from .decide import Memory
from .observation import ApiView, InventoryHost, Observation
from .setup import Setup

_PHASE_TEXTS = {
    "boot": "Waiting for the service on the rendezvous host",
    "discovery": "The service answers; waiting for all hosts",
    "bootstrap": "Installation has begun; waiting for the bootstrap",
    "install": "Bootstrap is complete; waiting for the release to roll out",
    "operators": "The release is rolled out; waiting for the operators to settle",
}
# A short limit of phase discovery shortens the grace time of hosts to this part of it.
_GRACES = 40.0
# Seconds without a read after which reading has stopped: the server logs a long answer each minute.
_STOPPED = 120.0
_REBOOTING = "Nothing answers at the moment; the rendezvous host may be rebooting; waiting, no machine is booted"


def changes(
    before: Memory, after: Memory, old: Observation | None, new: Observation, setup: Setup, now: float
) -> list[str]:
    """What is new, in the order in which a reader wants it."""
    texts = []
    if old is None or before.phase != after.phase:
        phase_text = (
            _REBOOTING if setup.silence is not None and after.phase == "boot" else _PHASE_TEXTS.get(after.phase)
        )
        texts += [phase_text] if phase_text else []
    texts += _cluster_changes(before, after, new)
    # The same moment for both: what a host hid in its first minute is new when the minute is over.
    hosts_before, hosts = _shown(before, setup, before.looked_at), _shown(after, setup, now)
    texts += host_changes(hosts_before, hosts)
    if after.phase == "discovery" and len(hosts) != len(hosts_before):
        texts.append(_registered(after, new, setup))
    # Once the installation has begun the service's validations are about hosts in another state, and mean nothing.
    if not after.installation_seen:
        texts += validation_texts(hosts_before, hosts, before.cluster_validations, after.cluster_validations)
    texts += _service_changes(before, old, new, elsewhere=bool(setup.elsewhere))
    texts += _api_changes(old.api if old else ApiView(), new.api)
    return texts


def _shown(memory: Memory, setup: Setup, now: float) -> Mapping[str, HostProgress]:
    """The hosts in inventory order, those that registered just now without judgement."""
    return after_grace(memory.hosts, memory.registered, now, min(GRACE, setup.limits.discovery / _GRACES))


def _missing(memory: Memory, seen: Observation, setup: Setup) -> list[InventoryHost]:
    return [host for host in setup.hosts if memory.last_words(seen, host) is None]


def _registered(memory: Memory, seen: Observation, setup: Setup) -> str:
    """How many hosts have registered, and which are missing."""
    missing = _missing(memory, seen, setup)
    named = listed([_with_macs(host) for host in missing], FEW)
    registered = len(setup.hosts) - len(missing)
    return f"hosts {registered}/{len(setup.hosts)} registered" + (f"; missing: {named}" if missing else "")


def _with_macs(host: InventoryHost) -> str:
    macs = ", ".join(host.macs) or "no MAC address"
    return f"{host.name} ({macs})"


def missing_hosts(seen: Observation, memory: Memory, setup: Setup) -> list[str]:
    """What is known of the image of hosts that are missing in discovery, one line each: beside a heartbeat, whose line
    is too short for it.
    """
    if memory.phase != "discovery":
        return []
    known = [(host, text) for host in _missing(memory, seen, setup) if (text := image_read(seen, setup, host))]
    further = len(known) - FEW
    more = [f"and {further} more hosts are missing"] if further > 0 else []
    return [f"missing: {_with_macs(host)}: {text}" for host, text in known[:FEW]] + more


def image_read(seen: Observation, setup: Setup, host: InventoryHost) -> str:
    """How far the BMC of a host has read the image; empty where the log of the image server does not tell."""
    addresses = list(setup.bmc_addresses.values())
    address = setup.bmc_addresses.get(host.name, "")
    if seen.reads is None or addresses.count(address) != 1:
        return ""
    read = seen.reads.get(address)
    if read is None:
        # A reader that is no BMC (behind a proxy or NAT, or by its name) may be this one; what was read before the
        # server began is in no log.
        certain = seen.reads.keys() <= set(addresses) and host.name not in setup.doubtful
        return "image not requested yet" if certain else ""
    if read.percent < 100 and read.idle >= _STOPPED:
        minutes = int(read.idle // 60)
        return f"reading stopped at {read.percent} % {minutes} minutes ago"
    return f"image read to {read.percent} %"


def heartbeat(seen: Observation, memory: Memory, setup: Setup, now: float) -> str:
    """The state of affairs in one line, for times in which nothing changes."""
    if memory.phase in ("install", "operators"):
        version = seen.api.cluster_version
        waiting = [
            operator.name for operator in seen.api.operators if not operator.available.true or operator.progressing.true
        ]
        parts = [
            version.progressing.message if version and version.progressing.true else "",
            f"waiting for {listed(waiting, FEW)}" if waiting else "",
        ]
        return "; ".join(part for part in parts if part) or f"Still in phase {memory.phase}"
    if memory.phase == "boot" and setup.silence is not None:
        return f"Nothing answers yet; the installation was last seen at {setup.silence.since}"
    if memory.phase == "boot":
        rendezvous_ip = seen.rendezvous_ip or "the rendezvous host"
        return f"No service at {rendezvous_ip} yet"
    there = wait_status(_shown(memory, setup, now).values(), judged=memory.phase == "discovery")
    count = f"{_registered(memory, seen, setup)}; " if memory.phase == "discovery" else ""
    return f"{memory.phase}: {count}{there}" + (
        "" if seen.service.ours or seen.api.ours else "; neither service nor API answers at this moment"
    )


def _cluster_changes(before: Memory, after: Memory, new: Observation) -> list[str]:
    cluster = new.service.cluster if new.service.ours else None
    return [cluster.text()] if cluster and before.cluster_status != after.cluster_status else []


def _service_changes(before: Memory, old: Observation | None, new: Observation, *, elsewhere: bool) -> list[str]:
    if old is None or not old.service.ours or new.service.ours:
        return []
    if elsewhere:
        return [f"The service does not answer at this moment. {new.service.detail}"]
    if new.service.answers:
        return [f"Another service answers at the address of the rendezvous host. {new.service.detail}"]
    # Normal when node 0 reboots (docs/upstream/agent-installer.md#order-on-the-rendezvous-host).
    return (
        ["The assisted-service has stopped: the rendezvous host is rebooting"]
        if before.installation_seen
        else ["The service does not answer at this moment"]
    )


def _api_changes(old: ApiView, new: ApiView) -> list[str]:
    texts = []
    if new.answers and not new.ours and not old.answers:
        texts.append(f"Another cluster answers at the address of the API: {new.detail}")
    if not new.ours:
        return texts
    if not old.ours:
        version_note = f" ({new.version})" if new.version else ""
        texts.append(f"The cluster's API answers{version_note}")
    known = {node.name: node.ready for node in old.nodes}
    joined = [node.name for node in new.nodes if node.name not in known]
    ready = [node.name for node in new.nodes if node.ready and not known.get(node.name, False)]
    texts += [f"Node joined: {', '.join(joined)}"] if joined else []
    texts += [f"Node ready: {', '.join(ready)}"] if ready else []
    return texts + _operator_changes(old, new)


def _operator_changes(old: ApiView, new: ApiView) -> list[str]:
    texts = []
    available = sum(operator.available.true for operator in new.operators)
    if new.operators and available != sum(operator.available.true for operator in old.operators):
        missing = [operator.name for operator in new.operators if not operator.available.true]
        lacking = f", missing {', '.join(missing)}" if 0 < len(missing) <= FEW else ""
        texts.append(f"Operators available: {available} of {len(new.operators)}{lacking}")
    degraded_before = {operator.name for operator in old.operators if operator.degraded.true}
    texts += [
        f"Operator {operator.name} is degraded: {operator.degraded.message}"
        for operator in new.operators
        if operator.degraded.true and operator.name not in degraded_before
    ]
    return texts
