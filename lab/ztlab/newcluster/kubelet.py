# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Model the kubelet of a node as its cluster observes it, and the facts that the kubelet reads from its machine."""

from __future__ import annotations

import asyncio
import dataclasses
import ipaddress
import json
import uuid
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric import ec

from . import pki


@dataclasses.dataclass(frozen=True)
class NodeFacts:
    """The facts that kubelet and network plugin read on their machine. ``labels``: those that the kubelet starts with.

    ``addresses`` have a prefix length; ``mac`` is that of the interface with the first one.
    """

    system_uuid: str = ""
    mac: str = ""
    macs: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    gateway: str = ""
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)


NO_FACTS = NodeFacts()


@dataclasses.dataclass
class Kubelet:
    """A machine that runs a kubelet. ``automatic``: the cluster approves its requests itself, as on day 1.

    ``machine`` is its name in the site; ``installation`` tells a freshly written disk from a restart; ``release`` "":
    the cluster's.
    """

    name: str
    role: str
    ip: str
    booted: float
    automatic: bool = True
    machine: str = ""
    installation: str = ""
    facts: NodeFacts = NO_FACTS
    release: str = ""
    client_request: str = ""
    serving_request: str = ""
    requested: float = 0.0
    joined: float | None = None
    served: bool = False
    ready: bool = False
    halted: float | None = None
    machine_id: str = dataclasses.field(default_factory=lambda: uuid.uuid4().hex)
    system_uuid: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    boot_id: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    key: ec.EllipticCurvePrivateKey = dataclasses.field(default_factory=pki.new_key, repr=False)
    certificate: bytes = b""  # PEM of the serving certificate
    issued: asyncio.Event = dataclasses.field(default_factory=asyncio.Event, repr=False)  # set with the certificate

    @property
    def node_ips(self) -> list[str]:
        """The address of the node, with dual stack the first one of the other family too."""
        plain = [str(ipaddress.ip_interface(address).ip) for address in self.facts.addresses]
        other = [address for address in plain if (":" in address) != (":" in self.ip)]
        return [self.ip, *other[:1]]


def network_annotations(kubelet: Kubelet) -> dict[str, str]:
    """What the network plugin writes on the Node (ovn-org/ovn-kubernetes go-controller/pkg/util/node_annotations.go);
    nothing without a MAC address.
    """
    facts = kubelet.facts
    if not facts.mac:
        return {}
    addresses = [address for address in facts.addresses if str(ipaddress.ip_interface(address).ip) in kubelet.node_ips]
    gateway = {
        "mode": "shared",
        "bridge-id": "br-ex",
        "interface-id": f"br-ex_{kubelet.name}",
        "mac-address": facts.mac,
        "ip-addresses": addresses,
        **({"ip-address": addresses[0]} if addresses else {}),
        **({"next-hops": [facts.gateway], "next-hop": facts.gateway} if facts.gateway else {}),
        "node-port-enable": "true",
        "vlan-id": "0",
    }
    return {
        "k8s.ovn.org/l3-gateway-config": json.dumps({"default": gateway}),
        "k8s.ovn.org/host-cidrs": json.dumps(list(facts.addresses)),
    }
