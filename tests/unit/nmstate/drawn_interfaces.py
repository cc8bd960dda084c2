# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hypothesis strategies for the properties that all types of nmstate interfaces have in common."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Node = dict[str, Any]
Fields = dict[str, st.SearchStrategy[Any]]

ETHERNETS = ("eth0", "eth1", "eth2", "eth3")
FLAG = st.sampled_from([True, False])
LOOSE_FLAG = st.sampled_from([True, False, "yes", "0", 1])
MAC = st.sampled_from(["52:54:00:aa:bb:cc", "52:54:00:AA:BB:01"])


def number(low: int, high: int) -> st.SearchStrategy[Any]:
    """A strategy for a number: as a number, as text, in hexadecimal."""
    values = st.integers(low, high)
    return st.one_of(values, values.map(str), values.map(hex)) if low >= 0 else st.one_of(values, values.map(str))


@st.composite
def some(draw: st.DrawFn, fields: Fields, most: int = 3) -> Node:
    keys = draw(st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=most))
    return {key: draw(fields[key]) for key in keys}


def with_fixed(fixed: Fields, optional: Fields, most: int = 3) -> st.SearchStrategy[Node]:
    return st.tuples(st.fixed_dictionaries(fixed), some(optional, most)).map(lambda pair: {**pair[1], **pair[0]})


def _address(family: str) -> st.SearchStrategy[Node]:
    ips = (
        ["192.0.2.10", "198.51.100.7"]
        if family == "ipv4"
        else ["2001:DB8::10", "2001:db8:0:1::7", "fe80::5", "::ffff:192.0.2.1"]
    )
    length = number(8, 32) if family == "ipv4" else number(48, 128)
    optional: Fields = {
        "valid-life-time": st.sampled_from(["forever", "60sec"]),
        "preferred-lft": st.just("forever"),
        "protocol": st.sampled_from(["lo", "ra", "0x10", 3, 200]),
        "mptcp-flags": st.just(["signal"]),
    }
    plain = st.fixed_dictionaries({"ip": st.sampled_from(ips), "prefix-length": length})
    return st.one_of(plain, plain, with_fixed({"ip": st.sampled_from(ips), "prefix-length": length}, optional, 1))


_STACK: Fields = {
    "auto-dns": LOOSE_FLAG,
    "auto-gateway": LOOSE_FLAG,
    "auto-routes": LOOSE_FLAG,
    "auto-route-table-id": number(0, 300),
    "auto-route-metric": number(-1, 300),
    "allow-extra-address": FLAG,
    "dhcp-send-hostname": FLAG,
    "dhcp-custom-hostname": st.sampled_from(["a", "a.example", ""]),
}
_STACK4: Fields = {
    **_STACK,
    "dhcp-client-id": st.sampled_from(["ll", "LL", "iaid+duid", "01:02"]),
    "forwarding": FLAG,
    "prefix-route-metric": number(-1, 300),
}
_STACK6: Fields = {
    **_STACK,
    "dhcp-duid": st.sampled_from(["ll", "LLT", "en", "uuid", "00:01"]),
    "addr-gen-mode": st.sampled_from(["eui64", "STABLE-PRIVACY", "2"]),
    "token": st.sampled_from(["::5", "::", "", "::0.0.250.193"]),
}


@st.composite
def stacks(draw: st.DrawFn, family: str) -> Node:
    stack = draw(some(_STACK4 if family == "ipv4" else _STACK6))
    stack["enabled"] = draw(st.sampled_from([True, True, True, False]))
    kind = draw(st.sampled_from(["static", "static", "automatic", "both", "bare"]))
    if kind in ("automatic", "both"):
        stack["dhcp"] = True
        if family == "ipv6":
            stack["autoconf"] = draw(LOOSE_FLAG)
            if stack["autoconf"] in (False, "0"):
                stack.pop("token", None)
    if kind in ("static", "both"):
        stack["address"] = draw(st.lists(_address(family), max_size=2))
    return stack


_FEATURES = st.sampled_from(["rx-gro", "gro", "tx-checksum-ipv4", "hw-tc-offload", "lro", "tso", "rx", "sg", "highdma"])
_COUNT = number(0, 4096)
_ETHTOOL: Fields = {
    "feature": st.dictionaries(_FEATURES, st.sampled_from([True, False, "true", "0"]), max_size=2),
    "pause": some({"autoneg": LOOSE_FLAG, "rx": LOOSE_FLAG, "tx": LOOSE_FLAG}),
    "coalesce": some(
        {
            **dict.fromkeys(("adaptive-rx", "adaptive-tx"), LOOSE_FLAG),
            **dict.fromkeys(
                (
                    "pkt-rate-high",
                    "rx-frames",
                    "rx-frames-irq",
                    "rx-usecs-low",
                    "sample-interval",
                    "tx-usecs",
                    "tx-usecs-high",
                ),
                _COUNT,
            ),
        }
    ),
    "ring": some(dict.fromkeys(("rx", "tx", "rx-jumbo", "rx-mini", "rx-max"), _COUNT)),
    "fec": some({"auto": LOOSE_FLAG, "mode": st.sampled_from(["off", "rs", "baser", "llrs"])}),
}
_DOT1X: Fields = {
    "identity": st.just("host.example"),
    "eap-methods": st.sampled_from([["tls"], ["peap", "tls"], []]),
    "private-key": st.just("/etc/pki/key.pem"),
    "client-cert": st.just("/etc/pki/cert.pem"),
    "ca-cert": st.just("/etc/pki/ca.pem"),
    "private-key-password": st.just("secret"),
    "phase2-auth": st.just("mschapv2"),
    "password": st.just("secret"),
}
OVSDB: Fields = {
    "external_ids": st.dictionaries(
        st.sampled_from(["a", "b"]), st.sampled_from(["x", 5, True, 1.5, None]), max_size=2
    ),
    "other_config": st.dictionaries(st.sampled_from(["c", "d"]), st.sampled_from(["x", 5, False]), max_size=2),
}
COMMON: Fields = {
    "state": st.sampled_from(["up", "up", "up", "down", "absent"]),
    "mtu": number(1280, 9216),
    "mac-address": MAC,
    "wait-ip": st.sampled_from(["any", "ipv4", "ipv6", "ipv4+ipv6"]),
    "description": st.sampled_from(["to the core", ""]),
    "accept-all-mac-addresses": LOOSE_FLAG,
    "lldp": st.fixed_dictionaries({"enabled": LOOSE_FLAG}),
    "mptcp": some({"address-flags": st.sampled_from([[], ["signal"], ["subflow", "backup"], ["fullmesh"]])}),
    "ethtool": some(_ETHTOOL, 2),
    "802.1x": some(_DOT1X, 4),
    "ovs-db": some(OVSDB, 2),
    "identifier": st.sampled_from(["name", "mac-address", "pci-address"]),
    "pci-address": st.sampled_from(["0000:07:00.1", "1b:00.0"]),
    "permanent-mac-address": MAC,
    "driver": st.just("e1000"),
    "max-mtu": st.just(9216),
}


@st.composite
def interfaces(draw: st.DrawFn, name: str, kind: str) -> Node:
    entry = draw(some(COMMON, 4))
    for family in ("ipv4", "ipv6"):
        if draw(st.sampled_from([True, True, False])):
            entry[family] = draw(stacks(family))
    if entry.get("identifier") in ("mac-address", "pci-address"):
        entry.setdefault(entry["identifier"], draw(COMMON[entry["identifier"]]))
    if draw(st.integers(0, 9)) == 0:
        entry["profile-name"] = f"p-{name}"
        entry.pop("identifier", None)
    return {"name": name, "type": kind, **entry}
