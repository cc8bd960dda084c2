# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which certificate signing requests of kubelets may be approved, as a pure function (reference infrastructure-operator.md 5.7).

A node that joins asks twice: with the bootstrap credentials for its client certificate, then as itself for its serving certificate. Whoever gets
the first one is a member of the cluster, so a request is approved only if every single thing about it is as expected, and each refusal names
the first thing that is not.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ..common import libraries

CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING_SIGNER = "kubernetes.io/kubelet-serving"
NODE_USER = "system:node:"
NODE_GROUP = "system:nodes"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
BOOTSTRAPPER_GROUPS = frozenset({"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"})
# Kubelets with RSA keys ask for key encipherment as well.
_USAGES = {
    CLIENT_SIGNER: (frozenset({"digital signature", "client auth"}), frozenset({"key encipherment"})),
    SERVING_SIGNER: (frozenset({"digital signature", "server auth"}), frozenset({"key encipherment"})),
}

Kind = Literal["client", "serving"]
Verdict = Literal["approve", "refuse", "superseded", "approved", "denied", "other"]


@dataclasses.dataclass(frozen=True)
class Expected:
    """A node that may join. ``addresses``: if given, its serving certificate may name no other."""

    name: str
    addresses: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class NodeView:
    """A Node as far as its certificates matter: ``addresses`` are all of ``status.addresses``, names and IPs."""

    name: str
    addresses: frozenset[str] = frozenset()
    ready: bool = False


@dataclasses.dataclass(frozen=True)
class Decision:
    """What becomes of one request. ``other``: not a kubelet's, none of our business."""

    name: str
    verdict: Verdict
    reason: str
    kind: Kind | None = None
    node: str = ""
    resource_version: str = ""


class _Refusal(Exception):
    """The first thing about a request that is not as expected."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def decide(requests: Sequence[Mapping[str, Any]], nodes: Iterable[NodeView], expected: Iterable[Expected]) -> list[Decision]:
    """A decision for each CertificateSigningRequest object, in the order given."""
    known = {node.name: node for node in nodes}
    wanted = {host.name.lower(): host for host in expected}
    return [_decide(request, known, wanted) for request in requests]


def _decide(request: Mapping[str, Any], nodes: Mapping[str, NodeView], expected: Mapping[str, Expected]) -> Decision:
    metadata, spec = request.get("metadata") or {}, request.get("spec") or {}
    name, version = str(metadata.get("name", "")), str(metadata.get("resourceVersion", ""))
    signer = str(spec.get("signerName", ""))
    kind: Kind | None = "client" if signer == CLIENT_SIGNER else "serving" if signer == SERVING_SIGNER else None
    if kind is None:
        return Decision(name, "other", f"signer {signer or 'not given'}")
    node = ""
    try:
        asked = _Asked.read(spec)
        node = asked.node
        done = {str(condition.get("type")) for condition in (request.get("status") or {}).get("conditions") or []}
        if done & {"Denied", "Failed"}:
            return Decision(name, "denied", "it was denied or failed before", kind, node)
        if "Approved" in done:
            return Decision(name, "approved", "it is approved", kind, node)
        if kind == "client" and asked.node in nodes and node in expected:
            return Decision(name, "superseded", f"Node {node} has joined already", kind, node)
        _common(asked, signer, expected)
        check = _client if kind == "client" else _serving
        check(asked, nodes, expected)
    except _Refusal as refusal:
        return Decision(name, "refuse", refusal.reason, kind, node)
    return Decision(name, "approve", f"{kind} certificate of {node}", kind, node, version)


@dataclasses.dataclass(frozen=True)
class _Asked:
    """A request taken apart."""

    username: str
    groups: frozenset[str]
    usages: frozenset[str]
    common_name: str
    organizations: tuple[str, ...]
    dns_names: frozenset[str]
    ip_addresses: frozenset[str]
    further_names: bool

    @property
    def node(self) -> str:
        """The node's name, lower case; empty where the subject names none."""
        return self.common_name.removeprefix(NODE_USER).lower() if self.common_name.startswith(NODE_USER) else ""

    @classmethod
    def read(cls, spec: Mapping[str, Any]) -> _Asked:
        x509 = libraries.x509
        try:
            document = x509.load_pem_x509_csr(base64.b64decode(str(spec.get("request", "")), validate=True))
            names = _alternative_names(document)
        except (ValueError, binascii.Error) as error:
            raise _Refusal("it holds no readable certificate request") from error
        if not document.is_signature_valid:
            raise _Refusal("its signature is not that of its key")
        common_names = [str(part.value) for part in document.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
        return cls(
            username=str(spec.get("username", "")),
            groups=frozenset(map(str, spec.get("groups") or [])),
            usages=frozenset(map(str, spec.get("usages") or [])),
            common_name=common_names[0] if len(common_names) == 1 else "",
            organizations=tuple(str(part.value) for part in document.subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)),
            dns_names=frozenset(name.value for name in names if isinstance(name, x509.DNSName)),
            ip_addresses=frozenset(str(name.value) for name in names if isinstance(name, x509.IPAddress)),
            further_names=any(not isinstance(name, (x509.DNSName, x509.IPAddress)) for name in names),
        )


def _alternative_names(document: Any) -> list[Any]:
    try:
        return list(document.extensions.get_extension_for_class(libraries.x509.SubjectAlternativeName).value)
    except libraries.x509.ExtensionNotFound:
        return []


def _common(asked: _Asked, signer: str, expected: Mapping[str, Expected]) -> None:
    required, allowed = _USAGES[signer]
    if not required <= asked.usages or not asked.usages <= required | allowed:
        raise _Refusal(f"its usages are {', '.join(sorted(asked.usages)) or 'empty'}, not {', '.join(sorted(required))}")
    if not asked.node:
        raise _Refusal(f"its subject {asked.common_name or 'without one common name'!r} is not that of a node")
    if asked.node not in expected:
        raise _Refusal(f"node {asked.node} is not expected")


def _client(asked: _Asked, nodes: Mapping[str, NodeView], expected: Mapping[str, Expected]) -> None:
    if asked.username != BOOTSTRAPPER:
        raise _Refusal(f"it comes from {asked.username or 'nobody'}, not from the node bootstrapper")
    if asked.groups != BOOTSTRAPPER_GROUPS:
        raise _Refusal(f"its requester has the groups {', '.join(sorted(asked.groups)) or 'none'}, not those of the node bootstrapper")
    if asked.organizations != (NODE_GROUP,):
        raise _Refusal(f"its organization is {', '.join(asked.organizations) or 'empty'}, not {NODE_GROUP}")
    if asked.dns_names or asked.ip_addresses or asked.further_names:
        raise _Refusal("a client certificate has no alternative names")


def _serving(asked: _Asked, nodes: Mapping[str, NodeView], expected: Mapping[str, Expected]) -> None:
    if asked.common_name != asked.username:
        raise _Refusal(f"it comes from {asked.username or 'nobody'}, but asks for {asked.common_name}")
    if "system:authenticated" not in asked.groups:
        raise _Refusal("its requester is not authenticated")
    if NODE_GROUP not in asked.organizations:
        raise _Refusal(f"its organization is {', '.join(asked.organizations) or 'empty'}, without {NODE_GROUP}")
    node = nodes.get(asked.node)
    if node is None:
        raise _Refusal(f"there is no Node {asked.node}")
    if asked.further_names:
        raise _Refusal("it asks for names that are neither DNS names nor addresses")
    if not asked.dns_names and not asked.ip_addresses:
        raise _Refusal("it names no address")
    own = {_canonical(address) for address in node.addresses}
    given = {_canonical(address) for address in expected[asked.node].addresses}
    for name in sorted(asked.dns_names | asked.ip_addresses):
        if _canonical(name) not in own:
            raise _Refusal(f"{name} is not an address of Node {asked.node} ({', '.join(sorted(node.addresses)) or 'it has none'})")
        if given and name in asked.ip_addresses and _canonical(name) not in given:
            raise _Refusal(f"{name} is not an address that the inventory gives {asked.node}")


def _canonical(address: str) -> str:
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address.lower()
