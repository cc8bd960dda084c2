# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that there is a rendezvous IP, and that it belongs to a control-plane host or arbiter.

Source: openshift/installer pkg/asset/agent/image/ignition.go;
  docs/upstream/agent-installer.md#what-the-installer-does-not-check.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import INVALID, REQUIRED, Problem
from ..rendezvous import CANDIDATES
from ..upstream.texts import parse_ip
from .checks import AGENT_CONFIG, agent_config, own
from .facts import Facts, HostFacts

_PATH = "rendezvousIP"


def rendezvous_missing(facts: Facts) -> Iterator[Problem]:
    if not facts.rendezvous.ip and not any(host.network_problems for host in facts.hosts):
        yield agent_config(
            _PATH,
            REQUIRED,
            (
                "missing rendezvousIP in agent-config, at least one host networkConfig, or at least one NMStateConfig "
                "manifest"
            ),
        )


def rendezvous_host(facts: Facts) -> Iterator[Problem]:
    """Owner and network of the rendezvous IP; one problem at most, because the one follows from the other."""
    found = facts.rendezvous
    ip = parse_ip(found.ip)
    if ip is None or found.ip in [str(parse_ip(vip)) for _path, vip in facts.vips]:
        return  # missing, invalid, or a clash with a VIP: reported there
    owners = [facts.hosts[index] for index in found.hosts]
    if owners and not any(owner.can_be_rendezvous_host for owner in owners):
        if not (found.provided and _installer_says_so(facts, owners)):
            yield _problem(
                "rendezvous-host", f"is an address of {owners[0].label}, which is no control-plane host", found.ip
            )
    elif not owners and _all_known(facts):
        yield _problem("rendezvous-host", "is no static address of a control-plane host", found.ip)
    elif facts.machine_networks and not facts.in_machine_network(ip):
        networks = ", ".join(str(network) for network in facts.machine_networks)
        how = "" if found.provided else ", the first static address of a control-plane host,"
        yield _problem("rendezvous-network", f"the rendezvous IP{how} is in no machine network ({networks})", found.ip)


def _problem(check: str, detail: str, ip: str) -> Problem:
    return own(check, _PATH, INVALID, detail, value=ip, file=AGENT_CONFIG)


def _installer_says_so(facts: Facts, owners: list[HostFacts]) -> bool:
    """The installer refuses a worker whose static address is the given text, to the letter."""
    texts = [address.text for owner in owners if owner.host.role == "worker" for address in owner.addresses]
    return facts.cluster.rendezvous_ip in texts


def _all_known(facts: Facts) -> bool:
    """Whether every host that could be node 0 has static addresses only, so that no lease can make up for it."""
    candidates = [host for host in facts.hosts if host.can_be_rendezvous_host]
    if len(candidates) < sum(facts.cluster.replicas[role] for role in CANDIDATES):
        return False
    return all(host.document is not None and host.addresses and not _leases(host) for host in candidates)


def _leases(host: HostFacts) -> bool:
    stacks = [
        stack for entry in (host.document.interfaces if host.document else ()) for stack in (entry.ipv4, entry.ipv6)
    ]
    return any(stack is not None and stack.auto for stack in stacks)
