# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Our keyfiles against nmstate's own.

``NMSTATE_PEER`` is a command that reads a document from its standard input and writes ``{"NetworkManager": [[file, text], …]}`` as YAML or JSON:
``nmstatectl gc -``, or a few lines around ``gen_conf`` of the nmstate crate. Compared in meaning: order and the number in ``routeN`` aside.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import render_keyfiles

PEER = os.environ.get("NMSTATE_PEER", "")
pytestmark = pytest.mark.skipif(not PEER, reason="NMSTATE_PEER names no command that generates keyfiles")
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.yml"))
Meaning = dict[str, dict[str, dict[str, Any]]]


def meaning(text: str) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            section = sections.setdefault(line[1:-1], {})
        elif line:
            key, _equals, value = line.partition("=")
            section[key] = value
    for section in sections.values():
        numbers = [key.removeprefix("route") for key in section if key.startswith("route") and key.removeprefix("route").isdigit()]
        routes = {(section.pop(f"route{number}"), frozenset(section.pop(f"route{number}_options").split(","))) for number in numbers}
        if routes:
            section["routes"] = routes
    return {name: section for name, section in sections.items() if section}


def peer(document: dict[str, Any]) -> Meaning | None:
    """What nmstate makes of it, after openshift-install's rewriting; None where it refuses."""
    done = subprocess.run(shlex.split(PEER), input=yaml.safe_dump(document), capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        return None
    result = {name: meaning(text) for name, text in yaml.safe_load(done.stdout)["NetworkManager"]}
    for sections in result.values():
        sections["connection"] |= {"autoconnect": "true", "autoconnect-priority": "1"}
    return result


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files(path: Path) -> None:
    case = yaml.safe_load(path.read_text())
    assert {name: meaning(text) for name, text in case["keyfiles"].items()} == peer(case["network_config"])


class Generator:
    """Random documents, mostly valid."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def some(self, target: dict[str, Any], probability: float, **choices: list[Any]) -> None:
        """Set keys (``_`` for ``-``), each with that probability."""
        for key, values in choices.items():
            if self.chance(probability):
                target[key.replace("_", "-")] = self.random.choice(values)

    def stack(self, family: str) -> dict[str, Any]:
        stack: dict[str, Any] = {"enabled": self.chance(0.9)}
        if self.chance(0.4):
            stack["dhcp"] = True
            if family == "ipv6":
                stack["autoconf"] = self.chance(0.6)
        else:
            host = self.random.randint(1, 250)
            stack["address"] = [{"ip": f"192.0.2.{host}", "prefix-length": 24} if family == "ipv4" else {"ip": f"2001:DB8::{host}", "prefix-length": "64"}]
        self.some(stack, 0.12, auto_dns=[True, False], auto_gateway=[True, False], auto_routes=[True, False], auto_route_table_id=[0, 77, "88"])
        self.some(stack, 0.12, dhcp_send_hostname=[True, False], dhcp_custom_hostname=["a", "a.b", ""], auto_route_metric=[-1, 5, "6"])
        if family == "ipv4":
            self.some(stack, 0.1, dhcp_client_id=["ll", "iaid+duid", "01:02"], forwarding=[True, False])
        else:
            self.some(stack, 0.1, dhcp_duid=["ll", "LLT", "00:01"], addr_gen_mode=["eui64", "stable-privacy"])
        return stack

    def interface(self, name: str, kind: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": name, "type": kind}
        self.some(entry, 0.2, state=["up", "down", "absent"], mtu=[1500, "9000"], mac_address=["52:54:00:aa:bb:cc"], wait_ip=["any", "ipv4", "ipv4+ipv6"])
        self.some(entry, 0.1, accept_all_mac_addresses=[True, False], description=["to the core"], lldp=[{"enabled": True}])
        if "mac-address" in entry:
            self.some(entry, 0.3, identifier=["name", "mac-address"])
        for family in ("ipv4", "ipv6"):
            if self.chance(0.6):
                entry[family] = self.stack(family)
        return entry

    def bond(self, names: list[str]) -> dict[str, Any]:
        entry = self.interface("bond0", "bond")
        options: dict[str, Any] = {}
        self.some(options, 0.2, miimon=[100, "0"], primary=["eth0"], updelay=[200])
        options |= {key: value for key, value in {"fail_over_mac": "active", "xmit_hash_policy": 1, "use_carrier": "no"}.items() if self.chance(0.2)}
        mode = self.random.choice(["802.3ad", "active-backup", 0, "2", "broadcast", "balance-tlb", "balance-alb"])
        entry["link-aggregation"] = {"mode": mode, "port": self.random.sample(names, 2), "options": options}
        return entry

    def document(self) -> dict[str, Any]:
        names = ["eth0", "eth1", "eth2", "eth3"]
        interfaces = [self.interface(name, "ethernet") for name in self.random.sample(names, self.random.randint(1, 4))]
        if self.chance(0.4):
            interfaces.append(self.bond(names))
            ports = interfaces[-1]["link-aggregation"]["port"]
            interfaces = [{k: v for k, v in entry.items() if k not in ("ipv4", "ipv6") or entry["name"] not in ports} for entry in interfaces]
        if self.chance(0.4):
            vlan = {"base-iface": self.random.choice(interfaces)["name"], "id": self.random.choice([10, "20"])}
            self.some(vlan, 0.2, reorder_headers=[True, False], registration_protocol=["gvrp", "mvrp"], protocol=["802.1ad"])
            interfaces.append(self.interface("v10", "vlan") | {"vlan": vlan})
        self.random.shuffle(interfaces)
        document: dict[str, Any] = {"interfaces": interfaces, "dns-resolver": {"config": {}}}
        self.some(document["dns-resolver"]["config"], 0.4, server=[["192.0.2.1"], ["2001:DB8::53", "192.0.2.1"]], search=[["a.example", "b.example"], []])
        up = [entry["name"] for entry in interfaces if entry.get("ipv4", {}).get("enabled") and entry.get("state", "up") == "up"]
        if up:
            route = {"destination": self.random.choice(["0.0.0.0/0", "198.51.100.9/24"]), "next-hop-interface": up[0], "next-hop-address": "192.0.2.1"}
            self.some(route, 0.3, metric=[-1, 5, "7"], table_id=[254, 100, 0], mtu=[1400], quickack=[True])
            document["routes"] = {"config": [route]}
        return document


def ours(document: dict[str, Any]) -> Meaning | str:
    try:
        return {keyfile.name: meaning(keyfile.text) for keyfile in render_keyfiles(document)}
    except InvalidInput as error:
        return str(error)


@pytest.mark.parametrize("seed", range(20))
def test_random_documents(seed: int) -> None:
    generator = Generator(seed)
    rendered = 0
    for _round in range(10):
        document = generator.document()
        mine, theirs = ours(document), peer(document)
        if isinstance(mine, str):
            # The empty result is no error of nmstate, but openshift-install refuses it (reference agent-based-installer.md 3.7).
            assert not theirs, f"refused only here: {mine}: {document}"
        else:
            rendered += 1
            assert mine == theirs, document
    assert rendered
