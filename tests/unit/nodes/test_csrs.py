# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the decision about a kubelet's certificate request: each property that a request must have is broken once."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.csrs import (
    CsrDecision,
    CsrNode,
    Expected,
    decide,
)
from cryptography import x509

from .requests import BOOTSTRAPPER_GROUPS, client, pem, serving

WORKER = Expected("worker-0")
NODE = CsrNode("worker-0", frozenset({"192.0.2.20", "worker-0"}))


AUTHORITY = x509.BasicConstraints(ca=True, path_length=None)
UNKNOWN = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.99999.1"), b"\x05\x00")
USAGE_EXTENSIONS = (
    x509.KeyUsage(True, False, False, False, False, False, False, False, False),
    x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH]),
)


def only(request: dict[str, Any], *nodes: CsrNode, expected: Expected = WORKER) -> CsrDecision:
    (decision,) = decide([request], nodes, [expected])
    return decision


@pytest.mark.parametrize(
    "request_",
    [
        client(),
        client(usages=["digital signature", "key encipherment", "client auth"]),
        client(groups=list(reversed(BOOTSTRAPPER_GROUPS))),
        client(text=pem("system:node:worker-0", extensions=USAGE_EXTENSIONS)),
    ],
)
def test_a_node_gets_its_client_certificate(request_: dict[str, Any]) -> None:
    decision = only(request_)
    assert (decision.verdict, decision.kind, decision.node, decision.resource_version) == (
        "approve",
        "client",
        "worker-0",
        "7",
    )


def test_a_node_gets_its_serving_certificate() -> None:
    assert only(serving(), NODE, expected=Expected("worker-0", accept_reported=True)).verdict == "approve"
    assert only(serving(), NODE, expected=Expected("worker-0", frozenset({"192.0.2.20"}))).verdict == "approve"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (client("stranger"), "stranger is not expected"),
        (client(username="system:serviceaccount:default:default"), "not from the node bootstrapper"),
        (client(groups=[*BOOTSTRAPPER_GROUPS, "system:masters"]), "groups"),
        (client(groups=BOOTSTRAPPER_GROUPS[:2]), "groups"),
        (client(usages=["digital signature", "server auth"]), "usages"),
        (client(usages=["digital signature", "client auth", "cert sign"]), "usages"),
        (client(usages=["client auth"]), "usages"),
        (client(usages=[]), "usages are empty"),
        (client(text=pem("system:node:worker-0", organizations=["system:nodes", "system:masters"])), "organization"),
        (client(text=pem("system:node:worker-0", organizations=[])), "organization is empty"),
        (client(text=pem("system:node:worker-0", dns=["worker-0"])), "no alternative names"),
        (client(text=pem("system:admin")), "not that of a node"),
        (client(text=pem("system:node:WORKER-0")), "not that of a node"),
        (client(text=pem("system:node:worker-0", extensions=[AUTHORITY])), "extension basicConstraints"),
        (client(text=pem("system:node:worker-0", extensions=[UNKNOWN])), "extension 1.3.6.1.4.1.99999.1"),
        (client(text=pem("")), "not that of a node"),
        (client(text=b"no certificate request"), "no readable certificate request"),
    ],
)
def test_a_client_request_is_refused(request_: dict[str, Any], words: str) -> None:
    decision = only(request_)
    assert decision.verdict == "refuse"
    assert words in decision.reason


@pytest.mark.parametrize("name", ["\u212aw0", "KW0", "kw0 "])
def test_only_the_exact_name_is_that_of_a_node(name: str) -> None:
    """The Kelvin sign becomes k in lower case, so Unicode makes two users of one name."""
    assert only(client(text=pem(f"system:node:{name}")), expected=Expected("kw0")).verdict == "refuse"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            serving(text=pem("system:node:worker-0", dns=["api.example.com"])),
            ("api.example.com is not an address of Node worker-0"),
        ),
        (serving(text=pem("system:node:worker-0", ips=["192.0.2.21"])), "192.0.2.21 is not an address"),
        (
            serving(text=pem("system:node:worker-0", ips=["192.0.2.20"], emails=["root@example.com"])),
            "neither DNS names nor addresses",
        ),
        (serving(text=pem("system:node:worker-0")), "names no address"),
        (serving(username="system:node:worker-1"), "comes from system:node:worker-1"),
        (serving(groups=["system:nodes"]), "not authenticated"),
        (
            serving(text=pem("system:node:worker-0", organizations=["other"], dns=["worker-0"])),
            "organization is other, not system:nodes",
        ),
        (
            serving(
                text=pem("system:node:worker-0", organizations=["system:nodes", "system:masters"], dns=["worker-0"])
            ),
            "organization",
        ),
        (serving(groups=["system:authenticated"]), "system:nodes"),
        (
            serving(text=pem("system:node:worker-0", dns=["worker-0"], extensions=[AUTHORITY])),
            "extension basicConstraints",
        ),
        (serving(usages=["digital signature", "client auth"]), "usages"),
    ],
)
def test_a_serving_request_is_refused(request_: dict[str, Any], words: str) -> None:
    decision = only(request_, NODE)
    assert decision.verdict == "refuse"
    assert words in decision.reason


def test_a_serving_request_needs_the_node_and_the_inventorys_addresses() -> None:
    assert only(serving()).reason == "there is no Node worker-0"
    elsewhere = only(serving(), NODE, expected=Expected("worker-0", frozenset({"192.0.2.99"})))
    assert elsewhere.reason.startswith("192.0.2.20 is not a known address of worker-0 ")


def test_a_forged_signature_is_refused() -> None:
    der = bytearray(base64.b64decode(b"".join(pem("system:node:worker-0").splitlines()[1:-1])))
    der[-1] ^= 1
    forged = (
        b"-----BEGIN CERTIFICATE REQUEST-----\n"
        + base64.encodebytes(bytes(der))
        + b"-----END CERTIFICATE REQUEST-----\n"
    )
    assert only(client(text=forged)).verdict == "refuse"


@pytest.mark.parametrize(
    ("conditions", "verdict"),
    [
        ([{"type": "Approved"}], "approved"),
        ([{"type": "Denied"}], "denied"),
        ([{"type": "Approved"}, {"type": "Failed"}], "denied"),
    ],
)
def test_what_is_decided_stays_decided(conditions: list[dict[str, str]], verdict: str) -> None:
    assert only({**client(), "status": {"conditions": conditions}}).verdict == verdict


def test_a_second_client_request_of_a_joined_node_is_not_needed() -> None:
    assert only(client(), NODE).verdict == "superseded"


def test_other_signers_are_none_of_our_business() -> None:
    assert only(client(signer="example.com/signer")).verdict == "other"


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"signerName": "kubernetes.io/kubelet-serving"},
        {"signerName": "kubernetes.io/kubelet-serving", "request": "%%", "groups": None},
    ],
)
def test_nothing_is_taken_for_granted(spec: dict[str, Any]) -> None:
    assert decide([{"spec": spec}], [], [WORKER])[0].verdict in ("other", "refuse")
