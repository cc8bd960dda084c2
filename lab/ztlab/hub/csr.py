# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether a certificate signing request (CSR) comes from an expected node.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from cryptography import x509
from cryptography.x509.oid import NameOID

CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet"
SERVING_SIGNER = "kubernetes.io/kubelet-serving"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
BOOTSTRAPPER_GROUPS = frozenset(
    {"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"}
)
_LEGACY = "key encipherment"


def approvable(item: Mapping[str, Any], node_name: str, node: Mapping[str, Any] | None) -> str:
    """ "client", "serving", or "" for a request that is not this node's."""
    spec = item.get("spec") or {}
    try:
        request = x509.load_pem_x509_csr(base64.b64decode(spec.get("request") or "", validate=True))
    except (ValueError, binascii.Error):
        return ""
    if _client(spec, request, node_name):
        return "client"
    if node is not None and _serving(spec, request, node_name, node):
        return "serving"
    return ""


def _names(request: x509.CertificateSigningRequest, kind: x509.ObjectIdentifier) -> list[str]:
    return [str(attribute.value) for attribute in request.subject.get_attributes_for_oid(kind)]


def _alternatives(request: x509.CertificateSigningRequest) -> set[str]:
    for extension in request.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            return {str(name.value) for name in extension.value}
    return set()


def _usages(spec: Mapping[str, Any], wanted: str) -> bool:
    return set(spec.get("usages") or ()) - {_LEGACY} == {"digital signature", wanted}


def _client(spec: Mapping[str, Any], request: x509.CertificateSigningRequest, node_name: str) -> bool:
    return (
        spec.get("signerName") == CLIENT_SIGNER
        and _usages(spec, "client auth")
        and spec.get("username") == BOOTSTRAPPER
        and frozenset(spec.get("groups") or ()) == BOOTSTRAPPER_GROUPS
        and _names(request, NameOID.ORGANIZATION_NAME) == ["system:nodes"]
        and [name.casefold() for name in _names(request, NameOID.COMMON_NAME)]
        == [f"system:node:{node_name}".casefold()]
        and not _alternatives(request)
    )


def _serving(
    spec: Mapping[str, Any], request: x509.CertificateSigningRequest, node_name: str, node: Mapping[str, Any]
) -> bool:
    user = f"system:node:{node_name}"
    addresses = {str(entry.get("address")) for entry in (node.get("status") or {}).get("addresses") or []}
    return (
        spec.get("signerName") == SERVING_SIGNER
        and _usages(spec, "server auth")
        and spec.get("username") == user
        and "system:authenticated" in (spec.get("groups") or ())
        and "system:nodes" in _names(request, NameOID.ORGANIZATION_NAME)
        and _names(request, NameOID.COMMON_NAME) == [user]
        and _alternatives(request) <= addresses
    )
