# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the facts that validation rules need (static addresses, MAC addresses) from nmstate documents with
mistakes.
"""

from __future__ import annotations

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.document import (
    interfaces_with_mac,
    static_addresses,
)

DOCUMENT = yaml.safe_load(
    """
    interfaces:
    - name: eno1
      mac-address: 52-54-00-AA-BB-CC
      ipv6: {address: [{ip: "2001:DB8::10", prefix-length: 64}]}
      ipv4:
        enabled: true
        address: [{ip: bad, prefix-length: 24}, {ip: 192.0.2.10, prefix-length: "24"}, {ip: 192.0.2.11}, {ip: 192.0.2.12, prefix-length: .inf}]
    - not a mapping
    - name: eno2
      ipv4: {address: nothing}
    - name: eno3
      ipv4: {address: [{ip: 198.51.100.10, prefix-length: 33}, {ip: 198.51.100.11, prefix-length: 16}]}
    - {mac-address: "52:54:00:00:00:01"}
    """  # noqa: E501
)


def test_static_addresses_in_the_order_of_the_rendezvous_rule() -> None:
    found = [
        (address.interface, address.ip, address.prefix_length, address.path) for address in static_addresses(DOCUMENT)
    ]
    assert found == [
        ("eno1", "192.0.2.10", 24, "interfaces[0].ipv4.address[1]"),
        ("eno1", "2001:db8::10", 64, "interfaces[0].ipv6.address[0]"),
        ("eno3", "198.51.100.11", 16, "interfaces[3].ipv4.address[1]"),
    ]
    assert static_addresses(DOCUMENT)[1].text == "2001:DB8::10"
    assert str(static_addresses(DOCUMENT)[0].network) == "192.0.2.0/24"


def test_interfaces_with_mac_need_both_name_and_mac() -> None:
    assert [(entry.interface, entry.mac, entry.path) for entry in interfaces_with_mac(DOCUMENT)] == [
        ("eno1", "52:54:00:aa:bb:cc", "interfaces[0].mac-address")
    ]
