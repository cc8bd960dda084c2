# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a drafted site document as YAML text with comments on what the user must check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

_HEAD = """# Draft by ztlab site-from-inventory. The inventory says what should be, this file what is there:
# go through it rack in hand. Typical corrections: which disks are built in and how large they are,
# MAC addresses, which switch port carries which network, firmware, what DHCP gives, passwords of BMCs.
"""
_REMARKS = {
    "networks": (
        "# Layer-2 segments with their router. Add dhcp, dns.records, ntp where they exist; without ntp every time "
        "server answers."
    ),
    "machines": "# The machines. CPUs, memory and disks are guesses.",
    "hub": (
        "# A hub of the lab's own; the real one is left alone. variables: what the inventory says in openshift_hub "
        "beside the connection."
    ),
    "service": "# An assisted-service of the lab's own; the real one is left alone.",
    "checks": "# openshift_checks of the inventory, which the variables of the lab replace.",
    "clusters": (
        "# Only for the addresses that ztlab vars prints before the cluster exists; machines learn everything else "
        "from the image."
    ),
}


def site_text(document: Mapping[str, Any]) -> str:
    """The file's text."""
    parts = [_HEAD]
    for key, value in document.items():
        text = yaml.dump({key: value}, Dumper=_Dumper, sort_keys=False, width=140, default_flow_style=False)
        parts.append(f"\n{_REMARKS[key]}\n{text}")
    return "".join(parts)


class _Dumper(yaml.SafeDumper):
    """Lists are indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True
