# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test rendering NetworkManager keyfiles from nmstate documents: compare them with golden files, each with its reason.
The golden files were compared with the output of nmstate itself (test_peer.py).
"""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import render_keyfiles
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.kinds.bond import MODES

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.yml"))


def sections(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(delimiters=("=",), strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    case = yaml.safe_load(path.read_text())
    assert case["reason"]
    assert {keyfile.name: keyfile.text for keyfile in render_keyfiles(case["network_config"])} == case["keyfiles"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_form_is_what_the_boot_script_and_network_manager_read(path: Path) -> None:
    """key=value without spaces; every connection starts by itself with priority 1.

    Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go,
      data/data/agent/files/usr/local/bin/pre-network-manager-config.sh.
    """
    for keyfile in render_keyfiles(yaml.safe_load(path.read_text())["network_config"]):
        assert keyfile.name.endswith(".nmconnection")
        assert " = " not in keyfile.text and keyfile.text.endswith("\n") and not keyfile.text.endswith("\n\n")
        connection = sections(keyfile.text)["connection"]
        assert (connection["autoconnect"], connection["autoconnect-priority"]) == ("true", "1")
        assert keyfile.name == f"{connection['id']}.nmconnection"


@pytest.mark.parametrize(("provided", "mode"), sorted(MODES.items()))
def test_every_bond_mode_by_every_name(provided: str, mode: str) -> None:
    config: dict[str, Any] = {
        "interfaces": [{"name": "bond0", "type": "bond", "link-aggregation": {"mode": provided, "port": ["eno1"]}}]
    }
    assert sections(render_keyfiles(config)[0].text)["bond"] == {"mode": mode}


OPTIONS = [
    ("ad_actor_sys_prio", 100, "100"),
    ("ad_actor_system", "00:aa:bb:cc:dd:ee", "00:AA:BB:CC:DD:EE"),
    ("ad_select", 2, "count"),
    ("ad_user_port_key", 7, "7"),
    ("all_slaves_active", "dropped", "0"),
    ("arp_all_targets", "1", "all"),
    ("arp_validate", 5, "filter_active"),
    ("downdelay", 200, "200"),
    ("fail_over_mac", "follow", "follow"),
    ("lacp_active", False, "0"),
    ("lacp_rate", 1, "fast"),
    ("lp_interval", 2, "2"),
    ("miimon", "0x64", "100"),
    ("min_links", 1, "1"),
    ("num_grat_arp", 3, "3"),
    ("num_unsol_na", 3, "3"),
    ("packets_per_slave", 4, "4"),
    ("primary", "eno1", "eno1"),
    ("primary_reselect", "better", "better"),
    ("resend_igmp", 2, "2"),
    ("tlb_dynamic_lb", "no", "0"),
    ("updelay", 300, "300"),
    ("use_carrier", True, "1"),
    ("xmit_hash_policy", 5, "vlan+srcmac"),
    ("arp_missed_max", 3, "3"),
    ("ns_ip6_target", ["2001:DB8::1", "2001:db8::2"], "2001:db8::1,2001:db8::2"),
]


@pytest.mark.parametrize(("name", "provided", "written"), OPTIONS, ids=[option[0] for option in OPTIONS])
def test_every_bond_option(name: str, provided: object, written: str) -> None:
    bond = {"mode": "802.3ad", "port": [], "options": {name: provided}}
    text = render_keyfiles({"interfaces": [{"name": "bond0", "type": "bond", "link-aggregation": bond}]})[0].text
    assert sections(text)["bond"] == {"mode": "802.3ad", name: written}


NIC = {"name": "eno1", "type": "ethernet"}
SMALL: list[tuple[str, list[dict[str, Any]], str, str, str | None]] = [
    # what, interfaces, section and key of the last one, value
    (
        "client id of nothing is none",
        [NIC | {"ipv4": {"enabled": True, "dhcp": True, "dhcp-client-id": ""}}],
        "ipv4",
        "dhcp-client-id",
        None,
    ),
    (
        "DUID of nothing is none",
        [NIC | {"ipv6": {"enabled": True, "dhcp": True, "dhcp-duid": ""}}],
        "ipv6",
        "dhcp-duid",
        None,
    ),
    (
        "absent parent that was found by its MAC",
        [
            NIC | {"state": "absent", "identifier": "mac-address"},
            {"name": "v", "type": "vlan", "vlan": {"base-iface": "eno1", "id": 5}},
        ],
        "vlan",
        "parent",
        "ff8b47e2-9b1c-5e04-9f8b-34671372837c",
    ),
    ("addresses of lo are those it has", [{"name": "lo", "type": "loopback"}], "ipv6", "address0", "::1/128"),
    (
        "IPv6 of lo is never off",
        [{"name": "lo", "type": "loopback", "ipv6": {"enabled": False}}],
        "ipv6",
        "method",
        "auto",
    ),
    (
        "IPv4-mapped address",
        [NIC | {"ipv6": {"enabled": True, "address": [{"ip": "::FFFF:192.0.2.1", "prefix-length": 96}]}}],
        "ipv6",
        "address0",
        "::ffff:192.0.2.1/96",
    ),
]


@pytest.mark.parametrize(
    ("interfaces", "section", "key", "value"), [case[1:] for case in SMALL], ids=[case[0] for case in SMALL]
)
def test_small_print(interfaces: list[dict[str, Any]], section: str, key: str, value: str | None) -> None:
    assert sections(render_keyfiles({"interfaces": interfaces})[-1].text)[section].get(key) == value


def test_the_same_input_gives_the_same_text_whatever_the_order_of_keys() -> None:
    config = yaml.safe_load((Path(__file__).parent / "golden" / "bond_lacp.yml").read_text())["network_config"]
    turned = {key: config[key] for key in reversed(config)}
    assert render_keyfiles(turned) == render_keyfiles(config)


def test_all_problems_come_at_once() -> None:
    config = {
        "interfaces": [{"name": "eno1", "bogus": 1, "mtu": "big", "ipv4": {"enabled": "perhaps"}}],
        "capture": {"a": "b"},
    }
    with pytest.raises(InvalidInput) as caught:
        render_keyfiles(config)
    assert [problem.path for problem in caught.value.problems] == [
        "capture",
        "interfaces[0].mtu",
        "interfaces[0].ipv4.enabled",
        "interfaces[0].bogus",
    ]
