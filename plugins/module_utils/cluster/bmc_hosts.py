# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the list ``platform.baremetal.hosts`` of install-config.yaml.

The installed cluster receives the BMC addresses and credentials in this list. The list is the user's own, or it is
built from the hosts of agent-config.yaml that have BMC data.

Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go, pkg/asset/agent/manifests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .tree import Item
from .upstream.defaults import role_order


def bmc_host(index: int, data: Mapping[str, Any]) -> dict[str, Any]:
    interfaces = data.get("interfaces", [])
    host = {
        "name": data.get("hostname", "") or f"host-{index}",
        "role": data.get("role", ""),
        "bootMACAddress": interfaces[0].get("macAddress", "") if interfaces else "",
        "bmc": dict(data["bmc"]),
    }
    return {key: value for key, value in host.items() if value}


def with_bmc_hosts(install: Item, agent: Item) -> Item:
    """install-config.yaml with the hosts that the spec lists in ``platform_options.hosts``, so that rules about them
    find their places.
    """
    baremetal = install.get("platform", "baremetal")
    if baremetal is None:
        return install
    provided = baremetal.get("hosts")
    if provided is not None:
        # The installer counts its own hosts in the order of their roles.
        order = sorted(provided.elements(), key=_role_order)
        return _with_hosts(install, baremetal, dataclasses.replace(provided, value=order))
    listed = agent.get("hosts")
    entries = [
        host
        for host in (listed.elements() if listed else [])
        if any(item.value for item in host.mapping().get("bmc", Item({}, "")).mapping().values())
    ]
    hosts = (
        dataclasses.replace(listed, value=[_bmc_item(host) for host in entries])
        if listed and entries
        else Item(None, "")
    )
    return _with_hosts(install, baremetal, hosts)


def _role_order(host: Item) -> int:
    role = host.get("role")
    return role_order("" if role is None else str(role.value))


def _with_hosts(install: Item, baremetal: Item, hosts: Item) -> Item:
    platform = dataclasses.replace(
        install.value["platform"],
        value={"baremetal": dataclasses.replace(baremetal, value={**baremetal.value, "hosts": hosts})},
    )
    return dataclasses.replace(install, value={**install.value, "platform": platform})


def _bmc_item(host: Item) -> Item:
    interfaces = host.get("interfaces")
    mac = interfaces.elements()[0].get("macAddress") if interfaces and interfaces.elements() else None
    known = {"name": host.get("hostname"), "role": host.get("role"), "bootMACAddress": mac, "bmc": host.get("bmc")}
    return dataclasses.replace(host, value={key: item for key, item in known.items() if item})
