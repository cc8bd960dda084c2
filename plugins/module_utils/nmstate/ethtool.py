# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert ``ethtool`` of nmstate to the ``[ethtool]`` section of a NetworkManager keyfile."""

from __future__ import annotations

from ..common.problems import INVALID, UNSUPPORTED, nearest
from .model import Group
from .section import Section

# The names of ``ethtool -K``, with the kernel's names that nmstate makes of them.
_ALIASES = {
    "rx": "rx-checksum",
    "rx-checksumming": "rx-checksum",
    "ufo": "tx-udp-fragmentation",
    "tso": "tx-tcp-segmentation",
    "tcp-segmentation-offload": "tx-tcp-segmentation",
    "gso": "tx-generic-segmentation",
    "generic-segmentation-offload": "tx-generic-segmentation",
    "gro": "rx-gro",
    "generic-receive-offload": "rx-gro",
    "lro": "rx-lro",
    "large-receive-offload": "rx-lro",
    "rxvlan": "rx-vlan-hw-parse",
    "rx-vlan-offload": "rx-vlan-hw-parse",
    "txvlan": "tx-vlan-hw-insert",
    "tx-vlan-offload": "tx-vlan-hw-insert",
    "ntuple": "rx-ntuple-filter",
    "ntuple-filters": "rx-ntuple-filter",
    "rxhash": "rx-hashing",
    "receive-hashing": "rx-hashing",
}
# Kernel names that NetworkManager has other names for; the rest keep theirs.
_RENAMED = {
    "rx-checksum": "rx",
    "tx-scatter-gather": "sg",
    "tx-tcp-segmentation": "tso",
    "rx-gro": "gro",
    "tx-generic-segmentation": "gso",
    "rx-hashing": "rxhash",
    "rx-lro": "lro",
    "rx-ntuple-filter": "ntuple",
    "rx-vlan-hw-parse": "rxvlan",
    "tx-vlan-hw-insert": "txvlan",
}
# What NetworkManager's setting ethtool knows (nm-settings-nmcli(5), "feature-*").
_FEATURES = frozenset(
    """esp-hw-offload esp-tx-csum-hw-offload fcoe-mtu gro gso highdma hw-tc-offload l2-fwd-offload loopback lro macsec-hw-offload ntuple rx rxhash rxvlan
    rx-all rx-fcs rx-gro-hw rx-gro-list rx-udp-gro-forwarding rx-udp_tunnel-port-offload rx-vlan-filter rx-vlan-stag-filter rx-vlan-stag-hw-parse sg
    tls-hw-record tls-hw-rx-offload tls-hw-tx-offload tso tx txvlan tx-checksum-fcoe-crc tx-checksum-ipv4 tx-checksum-ipv6 tx-checksum-ip-generic
    tx-checksum-sctp tx-esp-segmentation tx-fcoe-segmentation tx-gre-csum-segmentation tx-gre-segmentation tx-gso-list tx-gso-partial tx-gso-robust
    tx-ipxip4-segmentation tx-ipxip6-segmentation tx-nocache-copy tx-scatter-gather tx-scatter-gather-fraglist tx-sctp-segmentation
    tx-tcp6-segmentation tx-tcp-ecn-segmentation tx-tcp-mangleid-segmentation tx-tcp-segmentation tx-tunnel-remcsum-segmentation tx-udp-segmentation
    tx-udp_tnl-csum-segmentation tx-udp_tnl-segmentation tx-vlan-stag-hw-insert""".split()  # noqa: E501
)
_COALESCE_FLAGS = ("adaptive-rx", "adaptive-tx")
_COALESCE_NUMBERS = (
    "pkt-rate-high pkt-rate-low rx-frames rx-frames-high rx-frames-irq rx-frames-low rx-usecs rx-usecs-high "
    "rx-usecs-irq rx-usecs-low sample-interval "
    "stats-block-usecs tx-frames tx-frames-high tx-frames-irq tx-frames-low tx-usecs"
).split()
# nmstate reads these and forgets them; NetworkManager's names for the two before would be coalesce-sample-interval and
# coalesce-stats-block-usecs.
_COALESCE_FORGOTTEN = ("tx-usecs-high", "tx-usecs-irq", "tx-usecs-low", "sample-interval", "stats-block-usecs")
_RING = ("rx", "rx-jumbo", "rx-mini", "tx")
_RING_REPORTED = ("rx-max", "rx-jumbo-max", "rx-mini-max", "tx-max")
_FEC_AUTO = "2"
_FEC_MODES = {"off": "4", "rs": "8", "baser": "16", "llrs": "32"}


def read_ethtool(section: Section) -> tuple[Group, ...]:
    part = section.section("ethtool")
    if part is None:
        return ()
    settings: dict[str, str | None] = {}
    if pause := part.section("pause"):
        settings |= _read_pause(pause)
    if feature := part.section("feature"):
        settings |= _read_features(feature)
    elif part.has("feature") and part.value("feature") is None:
        part.problem("feature", INVALID, "must be a mapping, got nothing")
    if coalesce := part.section("coalesce"):
        settings |= _read_coalesce(coalesce)
    if ring := part.section("ring"):
        settings |= {f"ring-{key}": _number(ring.integer(key)) for key in _RING}
        for key in _RING_REPORTED:
            ring.integer(key)
        ring.finish()
    if fec := part.section("fec"):
        settings["fec-mode"] = _read_fec(fec)
    part.finish(known=("pause", "feature", "coalesce", "ring", "fec"))
    return (Group.of("ethtool", settings),)


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _read_pause(part: Section) -> dict[str, str | None]:
    negotiate = part.flag("autoneg")
    both = {f"pause-{key}": _flag(part.flag(key)) for key in ("rx", "tx")}
    part.finish()
    if negotiate is not False:
        part.unwritten("rx", "tx", detail="nmstate writes it with autoneg: false only")
        both = {}
    return {**both, "pause-autoneg": _flag(negotiate)}


def _read_features(part: Section) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    for key, value in part.data.items():
        provided = _feature_flag(part, str(key), value)
        kernel = _ALIASES.get(str(key), str(key))
        name = _RENAMED.get(kernel, kernel)
        if name not in _FEATURES:
            part.problem(
                str(key),
                UNSUPPORTED,
                "NetworkManager has no such feature",
                hint=nearest(name, {*_FEATURES, *_ALIASES, *_RENAMED}),
            )
        elif settings.get(f"feature-{name}", provided) != provided:
            part.problem(
                str(key),
                INVALID,
                ("is another name of a feature that has another value; nmstate keeps one of them"),
                layer="ours",
            )
        settings[f"feature-{name}"] = provided
    return settings


def _feature_flag(part: Section, key: str, value: object) -> str | None:
    text = str(value).lower() if isinstance(value, (bool, str)) else ""
    if text in ("true", "1"):
        return "true"
    if text in ("false", "0"):
        return "false"
    part.problem(key, INVALID, "must be true or false", value=str(value))
    return None


def _read_coalesce(part: Section) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    for key in _COALESCE_FLAGS:
        flag = part.flag(key)
        settings[f"coalesce-{key}"] = None if flag is None else str(int(flag))
    for key in _COALESCE_NUMBERS:
        number = _number(part.integer(key))
        if key not in _COALESCE_FORGOTTEN:
            settings[f"coalesce-{key}"] = number
    for key in _COALESCE_FORGOTTEN:
        part.integer(key)
    part.unwritten(*_COALESCE_FORGOTTEN)
    part.finish()
    return settings


def _read_fec(part: Section) -> str | None:
    auto = part.flag("auto")
    mode = part.choice("mode", {name: name for name in _FEC_MODES}, plain=True)
    part.finish()
    if auto:
        part.unwritten("mode", detail="nmstate ignores it with auto: true")
        return _FEC_AUTO
    if mode is None:
        return None if auto is None else _FEC_MODES["off"]
    return _FEC_MODES[mode]
