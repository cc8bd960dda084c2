# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a node that joined with valid credentials and now requests serving certificates for other names.

Its kubelet may write its own ``Node.status`` (NodeRestriction allows exactly that), so every attack first claims the
other names there.
"""

from __future__ import annotations

import base64
import dataclasses
import ipaddress
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAME = "worker-0.edge.example.com"
OWN = "192.0.2.20"
OTHER = "192.0.2.10"
_KEY = ec.generate_private_key(ec.SECP256R1())


@dataclasses.dataclass(frozen=True)
class Attack:
    """Names and addresses that the node claims in its status and asks for, besides its own."""

    dns: tuple[str, ...] = ()
    ips: tuple[str, ...] = ()


ATTACKS: dict[str, Attack] = {
    "API": Attack(dns=("api.edge.example.com",)),
    "internal API": Attack(dns=("api-int.edge.example.com",)),
    "service": Attack(dns=("kubernetes.default.svc",)),
    "wildcard": Attack(dns=("*.apps.edge.example.com",)),
    "wildcard below itself": Attack(dns=(f"*.{NAME}",)),
    "localhost": Attack(dns=("localhost",)),
    "other node": Attack(dns=("master-0.edge.example.com",), ips=(OTHER,)),
    "address of another node": Attack(ips=(OTHER,)),
    "the same address, written differently": Attack(ips=(f"::ffff:{OTHER}",)),
    "loopback": Attack(ips=("127.0.0.1",)),
    "IPv6 loopback": Attack(ips=("::1",)),
    "all addresses": Attack(ips=("0.0.0.0",)),
    "link-local": Attack(ips=("169.254.169.254",)),
    "multicast": Attack(ips=("224.0.0.1",)),
    "name that begins alike": Attack(dns=("worker-00.edge.example.com",)),
    "name that ends alike": Attack(dns=("xworker-0.edge.example.com",)),
    "service network": Attack(dns=("172.30.0.1",)),
}


def node(attack: Attack, name: str = NAME, own: str = OWN) -> dict[str, Any]:
    """The Node as the attacker's kubelet reports it."""
    addresses = [{"type": "InternalIP", "address": address} for address in (own, *attack.ips)]
    addresses += [
        {"type": "Hostname", "address": name},
        *({"type": "InternalDNS", "address": claimed} for claimed in attack.dns),
    ]
    return {
        "metadata": {"name": name},
        "status": {"addresses": addresses, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def victim() -> dict[str, Any]:
    """Another Node, whose address the attacker wants."""
    addresses = [{"type": "InternalIP", "address": OTHER}, {"type": "Hostname", "address": "master-0.edge.example.com"}]
    return {"metadata": {"name": "master-0.edge.example.com"}, "status": {"addresses": addresses}}


def request(attack: Attack, name: str = NAME, own: str = OWN) -> dict[str, Any]:
    """The serving request, correct in everything but the names."""
    oids = {x509.NameOID.ORGANIZATION_NAME: "system:nodes", x509.NameOID.COMMON_NAME: f"system:node:{name}"}
    subject = x509.Name([x509.NameAttribute(oid, value) for oid, value in oids.items()])
    names: list[x509.GeneralName] = [x509.DNSName(each) for each in (name, *attack.dns)]
    names += [x509.IPAddress(ipaddress.ip_address(each)) for each in (own, *attack.ips)]
    document = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(subject)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )
    text = document.sign(_KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return {
        "metadata": {"name": "csr-hostile", "resourceVersion": "7"},
        "spec": {
            "signerName": "kubernetes.io/kubelet-serving",
            "request": base64.b64encode(text).decode(),
            "username": f"system:node:{name}",
            "groups": ["system:nodes", "system:authenticated"],
            "usages": ["digital signature", "server auth"],
        },
    }
