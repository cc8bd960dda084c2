# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the Node whose kubelet answers at an address of a host.

The serving certificate of a kubelet names its Node, and any client may read that certificate without credentials. A
certificate for ``system:node:NAME`` proves that the machine belongs to a cluster. A missing answer proves nothing.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence

from ...common import libraries
from ...common.connect import ConnectTo
from ...common.parallel import BMC_FORKS, for_each
from ..supervise.observation import InventoryHost

PORT = 10250
_SECONDS = 3.0
_PREFIX = "system:node:"


def nodes_at(hosts: Sequence[InventoryHost], connect_to: ConnectTo, forks: int = BMC_FORKS) -> Mapping[str, str]:
    """By host name: the Node whose kubelet answers at a static address of the host."""
    asked = [(host.name, address) for host in hosts for address in host.addresses]
    found: dict[str, str] = {}
    for outcome in for_each(asked, lambda item: node_at(item[1], connect_to), forks):
        if outcome.result:
            found.setdefault(
                outcome.item[0],
                (f"the kubelet of Node {outcome.result} answers at its address {outcome.item[1]}:{PORT}"),
            )
    return found


def node_at(address: str, connect_to: ConnectTo) -> str:
    """The Node that the kubelet's certificate names; empty when nothing, or something else, answers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    # nothing is sent, and a forged certificate can only keep the machine from being touched
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection(connect_to.resolve(address, PORT), timeout=_SECONDS) as plain,
            context.wrap_socket(plain) as secured,
        ):
            certificate = secured.getpeercert(binary_form=True)
    except OSError:
        return ""
    return _node_of(certificate) if certificate else ""


def _node_of(certificate: bytes) -> str:
    x509 = libraries.x509
    try:
        subject = x509.load_der_x509_certificate(certificate).subject
    except ValueError:
        return ""
    names = [str(name.value) for name in subject.get_attributes_for_oid(x509.oid.NameOID.COMMON_NAME)]
    return next((name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)), "")
