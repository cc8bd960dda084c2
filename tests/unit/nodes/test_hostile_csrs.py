# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test certificate requests of a hostile kubelet: a node gets a serving certificate only for its own names and
addresses, whatever the kubelet wrote into Node.status.
"""

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.approval import read_node
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.csrs import CsrDecision, Expected, decide
from hypothesis import given
from hypothesis import strategies as st

from tests.support.hostile.csrs import ATTACKS, NAME, OTHER, OWN, Attack, node, request, victim

KNOWN = Expected(NAME, frozenset({OWN}))
ACCEPTED = Expected(NAME, accept_reported=True)
UNKNOWN = Expected(NAME)
HONEST = Attack()


def decided(attack: Attack, expected: Expected, own: str = OWN) -> CsrDecision:
    (decision,) = decide(
        [request(attack, own=own)], [read_node(node(attack, own=own)), read_node(victim())], [expected]
    )
    return decision


@pytest.mark.parametrize("expected", [KNOWN, ACCEPTED], ids=["known", "reported"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_certificate_for_other_names(attack: str, expected: Expected) -> None:
    decision = decided(ATTACKS[attack], expected)
    assert decision.verdict == "refuse"
    names = (*ATTACKS[attack].dns, *(str(ipaddress.ip_address(address)) for address in ATTACKS[attack].ips))
    assert any(name in decision.reason for name in names)


@pytest.mark.parametrize("expected", [KNOWN, ACCEPTED], ids=["known", "reported"])
def test_an_honest_node_gets_its_certificate(expected: Expected) -> None:
    assert decided(HONEST, expected).verdict == "approve"


def test_without_any_known_address_nothing_is_taken_from_the_kubelet() -> None:
    decision = decided(HONEST, UNKNOWN)
    assert decision.verdict == "refuse"
    assert decision.reason == f"no address of {NAME} is known: pass its addresses, or set accept_reported_addresses"


def test_known_addresses_win_over_reported_ones() -> None:
    both = Expected(NAME, frozenset({"192.0.2.99"}), accept_reported=True)
    assert decided(HONEST, both).reason == (
        f"{OWN} is not a known address of {NAME} (known: 192.0.2.99); a DHCP lease may have changed"
    )


def test_a_known_address_that_another_node_has_is_refused() -> None:
    decision = decided(HONEST, Expected(NAME, frozenset({OTHER})), own=OTHER)
    assert decision.reason == (
        f"{OTHER} is also an address of Node master-0.edge.example.com; delete that Node if its machine was replaced"
    )


@pytest.mark.parametrize("name", ["worker-0", "worker-0.edge.example.com", "WORKER-0.edge.example.com"])
def test_a_node_may_have_its_short_name_and_names_that_the_inventory_gives(name: str) -> None:
    assert decided(Attack(dns=(name,)), KNOWN).verdict == "approve"
    assert decided(Attack(dns=("worker-0.lan",)), KNOWN).verdict == "refuse"
    assert decided(Attack(dns=("worker-0.lan",)), Expected(NAME, frozenset({OWN, "worker-0.LAN"}))).verdict == "approve"


def test_the_full_name_of_a_node_with_a_short_name() -> None:
    attack = Attack(dns=("worker-0.edge.example.com",))
    nodes = [read_node(node(attack, "worker-0"))]

    def verdict(expected: Expected) -> str:
        return decide([request(attack, "worker-0")], nodes, [expected])[0].verdict

    assert verdict(Expected("worker-0", accept_reported=True)) == "approve"
    assert verdict(Expected("worker-0", frozenset({OWN}))) == "refuse"
    assert verdict(Expected("worker-0", frozenset({OWN, "worker-0.edge.example.com"}))) == "approve"


def test_both_spellings_of_an_address_are_one() -> None:
    assert decided(HONEST, Expected(NAME, frozenset({"2001:DB8:0::0020"})), own="2001:db8::20").verdict == "approve"
    assert decided(HONEST, Expected(NAME, frozenset({f"::ffff:{OWN}"}))).verdict == "approve"


_ADDRESSES = st.ip_addresses().map(str) | st.sampled_from([OWN, OTHER, "127.0.0.1", "::1"])
_NAMES = st.sampled_from(
    ["worker-0", NAME, "localhost", "api.edge.example.com", "*.example.com", "master-0", f"a.{NAME}", "worker-0.lan"]
)


@given(st.lists(_NAMES, max_size=3), st.lists(_ADDRESSES, max_size=3), st.frozensets(_ADDRESSES, max_size=3))
def test_whatever_is_approved_is_the_nodes_own(dns: list[str], ips: list[str], known: frozenset[str]) -> None:
    """For known addresses the certificate names a subset of them, and no name but the node's own."""
    decision = decided(Attack(tuple(dns), tuple(ips)), Expected(NAME, known))
    if decision.verdict == "approve":
        assert set(dns) <= {"worker-0", NAME}
        assert {OWN, *ips} - {OTHER} <= {str(ipaddress.ip_address(each)) for each in known}
        assert OTHER not in ips
