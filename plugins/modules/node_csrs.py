#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: node_csrs
short_description: Approve the certificate signing requests of expected nodes only
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - A node that joins a running cluster requests a client certificate and then a serving certificate. The module
    approves both requests if the node is one of O(hosts) and signer, requester and its groups, usages, subject and
    alternative names of the request are correct.
  - A serving certificate is for the name of the node and its known addresses only. The addresses in the status of the
    Node do not count as known, because the kubelet of the node writes them. If they counted, a node could get a
    certificate for the API or for another node.
  - A certificate with an address that another Node has as well is never approved, nor one with an address that belongs
    to no single host, such as a loopback address.
  - No other request is approved. The reason of each refusal names the first value that is not as expected.
  - The connection is to the cluster that the nodes join, not to its hub.
notes:
  - The user needs C(list) and C(watch) on C(certificatesigningrequests), C(list) on C(nodes), C(patch) on
    C(certificatesigningrequests/approval), and C(approve) on the C(signers)
    C(kubernetes.io/kube-apiserver-client-kubelet) and C(kubernetes.io/kubelet-serving).
extends_documentation_fragment:
  - zerotouch.openshift.attributes
  - zerotouch.openshift.hub
attributes:
  check_mode:
    support: full
    details: The API tries each approval without keeping it (server-side dry run).
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  hosts:
    description: The nodes that may join.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the node, which is its hostname.
        type: str
        required: true
      addresses:
        description:
          - Its IP addresses, and further DNS names that it may have. Its name and the first label of its name need not
            be repeated.
          - Where to find them - the static addresses of its network configuration;
            RV(zerotouch.openshift.agents#module:nodes) for an Agent of a hub;
            RV(zerotouch.openshift.assisted_deployment#module:nodes) for a host of an assisted-service; else the DHCP
            server.
        type: list
        elements: str
        default: []
  accept_reported_addresses:
    description:
      - For hosts without an IP address in O(hosts[].addresses), whether to accept the addresses that the node itself
        reports.
      - Use it if the addresses are not known, for example with DHCP and without an Agent. Addresses of other Nodes are
        refused nevertheless.
      - Without this option the serving certificates of such nodes are refused, with a message that says so.
    type: bool
    default: false
  wait:
    description: Wait, and go on approving, until all O(hosts) are Ready.
    type: bool
    default: false
  timeout:
    description: Seconds to wait at most.
    type: float
    default: 1800
requirements:
  - cryptography
  - PyYAML
  - urllib3
"""

EXAMPLES = r"""
- name: Approve the certificate requests of two workers, and wait until their Nodes are Ready
  zerotouch.openshift.node_csrs:
    kubeconfig: clusters/edge/auth/kubeconfig
    hosts:
      - name: worker-3
        addresses: [192.0.2.33]
      - name: worker-4
        addresses: [192.0.2.34, 2001:db8::34]
    wait: true

- name: Approve the certificate requests of a worker with DHCP
  zerotouch.openshift.node_csrs:
    kubeconfig: clusters/edge/auth/kubeconfig
    hosts:
      - name: worker-5
    accept_reported_addresses: true
"""

RETURN = r"""
approved:
  description: The requests that were approved in this run, or would be in check mode.
  returned: always
  type: list
  elements: dict
  contains: &request
    name:
      description: Name of the CertificateSigningRequest.
      type: str
    kind:
      description: V(client) or V(serving).
      type: str
    node:
      description: The node that it names.
      type: str
    reason:
      description: Why it was decided so.
      type: str
refused:
  description: Pending requests of kubelets that are not approved.
  returned: always
  type: list
  elements: dict
  contains: *request
settled:
  description: Requests of kubelets that were approved before, or are not needed any more.
  returned: always
  type: list
  elements: dict
  contains: *request
missing:
  description: Nodes of O(hosts) that are not Ready, with how far they are.
  returned: always
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import PartialFailure, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS, connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.nodes.approval import (
    Approver,
    expected_nodes,
    results,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    host = {"name": {"type": "str", "required": True}, "addresses": {"type": "list", "elements": "str", "default": []}}
    return {
        **CONNECTION_OPTIONS,
        "hosts": {"type": "list", "elements": "dict", "required": True, "options": host},
        "accept_reported_addresses": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": False},
        "timeout": {"type": "float", "default": 1800},
    }


def run(call: Call) -> dict[str, Any]:
    expected = expected_nodes(call.params["hosts"], accept_reported=call.params["accept_reported_addresses"])
    client = connect(call.params, clock=call.clock, check_mode=call.check_mode)
    approver = Approver(client, expected, call.clock, call.progress)
    try:
        if call.params["wait"] and not call.check_mode:
            approver.until_ready(call.params["timeout"])
        else:
            approver.once(check_mode=call.check_mode)
    except ZeroTouchError as error:
        raise PartialFailure(error.message, _result(approver), error.hint) from error
    finally:
        client.close()
    return _result(approver)


def _result(approver: Approver) -> dict[str, Any]:
    found = results(approver.situation.decisions, approver.approved)
    return {"changed": bool(approver.approved), **found, "missing": approver.situation.missing(approver.expected)}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
