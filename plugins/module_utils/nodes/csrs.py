# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide which certificate signing requests of kubelets may be approved, as a pure function.

A node that joins sends two requests: with the bootstrap credentials for its client certificate, then with that
certificate for its serving certificate. A client with the first certificate is a member of the cluster. A request is
therefore approved only if every field is as expected. A refusal names the first field that is not.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import base64
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
BOOTSTRAPPER_GROUPS = frozenset(
    {"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"}
)
# Subject alternative name, key usage, extended key usage (RFC 5280 4.2.1). A signer that copies others would issue an
# authority (basicConstraints).
_EXTENSIONS = frozenset({"2.5.29.17", "2.5.29.15", "2.5.29.37"})
# Kubelets with RSA keys ask for key encipherment as well.
_USAGES = {
    CLIENT_SIGNER: (frozenset({"digital signature", "client auth"}), frozenset({"key encipherment"})),
    SERVING_SIGNER: (frozenset({"digital signature", "server auth"}), frozenset({"key encipherment"})),
}

Kind = Literal["client", "serving"]
Verdict = Literal["approve", "refuse", "superseded", "approved", "denied", "other"]


@dataclasses.dataclass(frozen=True)
class Expected:
    """A node that may join.

    ``addresses`` are the addresses and further DNS names that the inventory, the hub or the service knows; its serving
    certificate may have no other. ``accept_reported``: where no address is known, those that its kubelet reported are
    accepted, as upstream does (openshift/assisted-service internal/controller/controllers/agent_controller.go,
    openshift/cluster-machine-approver pkg/controller/csr_check.go for Machines).
    """

    name: str
    addresses: frozenset[str] = frozenset()
    accept_reported: bool = False


@dataclasses.dataclass(frozen=True)
class CsrNode:
    """A Node as far as its certificates matter: ``addresses`` are all of ``status.addresses``, names and IPs."""

    name: str
    addresses: frozenset[str] = frozenset()
    ready: bool = False


@dataclasses.dataclass(frozen=True)
class CsrDecision:
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


def decide(
    requests: Sequence[Mapping[str, Any]], nodes: Iterable[CsrNode], expected: Iterable[Expected]
) -> list[CsrDecision]:
    """A decision for each CertificateSigningRequest object, in the order given."""
    known = {node.name: node for node in nodes}
    wanted = {host.name.lower(): host for host in expected}
    return [_decide(request, known, wanted) for request in requests]


def _decide(request: Mapping[str, Any], nodes: Mapping[str, CsrNode], expected: Mapping[str, Expected]) -> CsrDecision:
    metadata, spec = request.get("metadata") or {}, request.get("spec") or {}
    name, version = str(metadata.get("name", "")), str(metadata.get("resourceVersion", ""))
    signer = str(spec.get("signerName", ""))
    kinds: Mapping[str, Kind] = {CLIENT_SIGNER: "client", SERVING_SIGNER: "serving"}
    kind = kinds.get(signer)
    if kind is None:
        shown_signer = signer or "not given"
        return CsrDecision(name, "other", f"signer {shown_signer}")
    node = ""
    try:
        asked = _Asked.read(spec)
        node = asked.node
        done = {str(condition.get("type")) for condition in (request.get("status") or {}).get("conditions") or []}
        if done & {"Denied", "Failed"}:
            return CsrDecision(name, "denied", "it was denied or failed before", kind, node)
        if "Approved" in done:
            return CsrDecision(name, "approved", "it is approved", kind, node)
        if kind == "client" and asked.node in nodes and node in expected:
            return CsrDecision(name, "superseded", f"Node {node} has joined already", kind, node)
        _common(asked, signer, expected)
        check = _client if kind == "client" else _serving
        check(asked, nodes, expected)
    except _Refusal as refusal:
        return CsrDecision(name, "refuse", refusal.reason, kind, node)
    return CsrDecision(name, "approve", f"{kind} certificate of {node}", kind, node, version)


# Characters of base64: a kubelet's request has 1 kB.
_LARGEST_REQUEST = 1 << 18


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
    further_extensions: tuple[str, ...]

    @property
    def node(self) -> str:
        """The node's name; empty where the subject names none.

        Kubelets use lower case, and other spellings are other users of the API.
        """
        name = self.common_name.removeprefix(NODE_USER) if self.common_name.startswith(NODE_USER) else ""
        return name if name.isascii() and name == name.lower() else ""

    @classmethod
    def read(cls, spec: Mapping[str, Any]) -> _Asked:
        text = spec.get("request")
        if not isinstance(text, str) or len(text) > _LARGEST_REQUEST:
            raise _Refusal("it holds no readable certificate request")
        try:
            return cls._taken_apart(spec, base64.b64decode(text, validate=True))
        except _Refusal:
            raise
        except Exception as error:
            # cryptography reads lazily, and its errors (DuplicateExtension, UnsupportedAlgorithm, ...) have no common
            # base class. Refusing is safe.
            raise _Refusal("it holds no readable certificate request") from error

    @classmethod
    def _taken_apart(cls, spec: Mapping[str, Any], pem: bytes) -> _Asked:
        x509 = libraries.x509
        document = x509.load_pem_x509_csr(pem)
        names = _alternative_names(document)
        if not document.is_signature_valid:
            raise _Refusal("its signature is not that of its key")
        common_names = [str(part.value) for part in document.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
        return cls(
            username=str(spec.get("username", "")),
            groups=frozenset(map(str, spec.get("groups") or [])),
            usages=frozenset(map(str, spec.get("usages") or [])),
            common_name=common_names[0] if len(common_names) == 1 else "",
            organizations=tuple(
                str(part.value) for part in document.subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)
            ),
            dns_names=frozenset(name.value for name in names if isinstance(name, x509.DNSName)),
            ip_addresses=frozenset(str(name.value) for name in names if isinstance(name, x509.IPAddress)),
            further_names=any(not isinstance(name, (x509.DNSName, x509.IPAddress)) for name in names),
            further_extensions=tuple(
                _extension_name(each.oid) for each in document.extensions if each.oid.dotted_string not in _EXTENSIONS
            ),
        )


def _extension_name(oid: Any) -> str:
    known = str(getattr(oid, "_name", ""))
    return oid.dotted_string if known in ("", "Unknown OID") else known


def _alternative_names(document: Any) -> list[Any]:
    try:
        return list(document.extensions.get_extension_for_class(libraries.x509.SubjectAlternativeName).value)
    except libraries.x509.ExtensionNotFound:
        return []


def _common(asked: _Asked, signer: str, expected: Mapping[str, Expected]) -> None:
    required, allowed = _USAGES[signer]
    if not required <= asked.usages or not asked.usages <= required | allowed:
        usages = ", ".join(sorted(asked.usages)) or "empty"
        raise _Refusal(f"its usages are {usages}, not {', '.join(sorted(required))}")
    if not asked.node:
        subject = asked.common_name or "without one common name"
        raise _Refusal(f"its subject {subject!r} is not that of a node")
    if asked.node not in expected:
        raise _Refusal(f"node {asked.node} is not expected")
    if asked.organizations != (NODE_GROUP,):
        organizations = ", ".join(asked.organizations) or "empty"
        raise _Refusal(f"its organization is {organizations}, not {NODE_GROUP}")
    if asked.further_extensions:
        raise _Refusal(f"it requests the extension {', '.join(asked.further_extensions)}")


def _client(asked: _Asked, nodes: Mapping[str, CsrNode], expected: Mapping[str, Expected]) -> None:
    if asked.username != BOOTSTRAPPER:
        username = asked.username or "an unnamed user"
        raise _Refusal(f"it comes from {username}, not from the node bootstrapper")
    if asked.groups != BOOTSTRAPPER_GROUPS:
        groups = ", ".join(sorted(asked.groups)) or "none"
        raise _Refusal(f"its requester has the groups {groups}, not those of the node bootstrapper")
    if asked.dns_names or asked.ip_addresses or asked.further_names:
        raise _Refusal("a client certificate has no alternative names")


def _serving(asked: _Asked, nodes: Mapping[str, CsrNode], expected: Mapping[str, Expected]) -> None:
    if asked.common_name != asked.username:
        username = asked.username or "an unnamed user"
        raise _Refusal(f"it comes from {username}, but asks for {asked.common_name}")
    if "system:authenticated" not in asked.groups:
        raise _Refusal("its requester is not authenticated")
    if NODE_GROUP not in asked.groups:
        raise _Refusal(f"its requester has the groups {', '.join(sorted(asked.groups))}, without {NODE_GROUP}")
    node = nodes.get(asked.node)
    if node is None:
        raise _Refusal(f"there is no Node {asked.node}")
    if asked.further_names:
        raise _Refusal("it asks for names that are neither DNS names nor addresses")
    if not asked.dns_names and not asked.ip_addresses:
        raise _Refusal("it names no address")
    reported = {_canonical(address) for address in node.addresses}
    for name in sorted(asked.dns_names | asked.ip_addresses):
        if _canonical(name) not in reported:
            addresses = ", ".join(sorted(node.addresses)) or "it has none"
            raise _Refusal(f"{name} is not an address of Node {asked.node} ({addresses})")
    for name in sorted(asked.dns_names):
        _check_dns_name(name, expected[asked.node])
    for address in sorted(asked.ip_addresses):
        _check_address(
            address, expected[asked.node], [other for other in nodes.values() if other.name.lower() != asked.node]
        )


# A kubelet writes its own Node.status, so what is there proves nothing: with it a member could have a certificate for
# any name of the cluster.


def _check_dns_name(name: str, host: Expected) -> None:
    """The node's name, its first label, and names that are known.

    With ``accept_reported`` also the full name of a node with a short name.
    """
    node, asked = host.name.lower(), name.lower()
    known = {node, node.partition(".")[0], *(address.lower() for address in host.addresses if _ip(address) is None)}
    if asked not in known and not (host.accept_reported and "." not in node and asked.startswith(f"{node}.")):
        raise _Refusal(f"{name} is not a known name of {host.name}")


def _check_address(address: str, host: Expected, others: Iterable[CsrNode]) -> None:
    ip = _ip(address)
    if ip is None or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_unspecified:
        raise _Refusal(f"{address} is not an address of one host")
    known = {_canonical(each) for each in host.addresses if _ip(each) is not None}
    if not known and not host.accept_reported:
        raise _Refusal(f"no address of {host.name} is known: pass its addresses, or set accept_reported_addresses")
    if known and _canonical(address) not in known:
        raise _Refusal(
            f"{address} is not a known address of {host.name} (known: {', '.join(sorted(known))}); a DHCP lease "
            "may "
            "have changed"
        )
    owner = next(
        (other.name for other in others if _canonical(address) in {_canonical(each) for each in other.addresses}), ""
    )
    if owner:
        raise _Refusal(f"{address} is also an address of Node {owner}; delete that Node if its machine was replaced")


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    # ::ffff:192.0.2.1 connects to 192.0.2.1.
    return ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip


def _canonical(address: str) -> str:
    ip = _ip(address)
    return address.lower() if ip is None else str(ip)
