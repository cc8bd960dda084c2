# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build test data: certificate signing requests as kubelets create them. Each part of a request can be changed."""

from __future__ import annotations

import base64
import functools
import ipaddress
from collections.abc import Sequence
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING = "kubernetes.io/kubelet-serving"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
BOOTSTRAPPER_GROUPS = [
    "system:serviceaccounts",
    "system:serviceaccounts:openshift-machine-config-operator",
    "system:authenticated",
]


@functools.cache
def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def pem(
    common_name: str,
    organizations: Sequence[str] = ("system:nodes",),
    dns: Sequence[str] = (),
    ips: Sequence[str] = (),
    emails: Sequence[str] = (),
    extensions: Sequence[x509.ExtensionType] = (),
) -> bytes:
    names = [x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, text) for text in organizations]
    names += [x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)] if common_name else []
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(names))
    alternative = [
        *(x509.DNSName(name) for name in dns),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in ips),
        *(x509.RFC822Name(email) for email in emails),
    ]
    if alternative:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternative), critical=False)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=True)
    return builder.sign(_key(), hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def request(name: str, signer: str, text: bytes, **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "resourceVersion": "7"},
        "spec": {"signerName": signer, "request": base64.b64encode(text).decode(), **spec},
    }


def client(node: str = "worker-0", **changes: Any) -> dict[str, Any]:
    """What a node's first request looks like. ``text`` replaces the PEM, other keywords replace parts of spec."""
    text = changes.pop("text", None) or pem(f"system:node:{node}")
    spec = {"username": BOOTSTRAPPER, "groups": BOOTSTRAPPER_GROUPS, "usages": ["digital signature", "client auth"]}
    return request("csr-client", changes.pop("signer", CLIENT), text, **spec | changes)


def serving(node: str = "worker-0", **changes: Any) -> dict[str, Any]:
    """What the joined node asks for next."""
    text = changes.pop("text", None) or pem(f"system:node:{node}", dns=[node], ips=["192.0.2.20"])
    spec = {
        "username": f"system:node:{node}",
        "groups": ["system:nodes", "system:authenticated"],
        "usages": ["digital signature", "server auth"],
    }
    return request("csr-serving", changes.pop("signer", SERVING), text, **spec | changes)
