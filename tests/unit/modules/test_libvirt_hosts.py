# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module libvirt_hosts: which input it refuses before it opens a connection, and which virtual machines it may
remove.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import TouchRequest, judge
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.deletion import deletable
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.uri import opened_uri, uri_fault
from ansible_collections.zerotouch.openshift.plugins.modules import libvirt_hosts
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

HOST = {"name": "vm-0", "libvirt": {"uri": "test:///default"}, "mac_addresses": ["52:54:00:00:00:01"]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vm": {"cpus": 0}}, "openshift_host[vm-0].vm.cpus: Invalid value: 0: must be at least 1"),
        ({"vm": {"disks": []}}, "openshift_host[vm-0].vm.disks: Required value"),
        ({"vm": {"networks": ["a", "b"]}}, "2 networks for 1 interfaces"),
        ({"vm": {"networks": ["a b"]}}, "must be a name of letters"),
        (
            {"vm": {"arch": "aarch64", "secure_boot": True}},
            ("vm.secure_boot: Invalid value: is supported for x86_64 only"),
        ),
        ({"mac_addresses": []}, "openshift_host[vm-0].interfaces: Required value"),
        ({"mac_addresses": ["x"]}, "is no MAC address"),
    ],
)
def test_mistakes(changes: dict[str, Any], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    with patch_module_args({"hosts": [{**HOST, **changes}]}), pytest.raises(SystemExit):
        libvirt_hosts.main()
    result = json.loads(capfd.readouterr().out)
    assert result["failed"] and words in result["msg"], result


@pytest.mark.parametrize(
    ("evidence", "confirmed", "kept", "stops"),
    [
        (Evidence(power="Off"), False, None, "openshift_confirm=demo"),
        (Evidence(power="Off"), True, [], ""),
        (Evidence(power="On"), True, ["vm-0"], ""),
        (Evidence(power="On", installed="it is a Node"), True, [], ""),
        (Evidence(power="On", installed="it is a Node"), False, None, "openshift_confirm=demo"),
        (Evidence(other_cluster="belongs to cluster b"), True, ["vm-0"], ""),
        (Evidence(bmc_fault="the MAC addresses differ", booted="booted"), True, ["vm-0"], ""),
        (Evidence(other_method="hub is recorded"), True, None, "hub is recorded"),
    ],
)
def test_what_may_be_deleted(evidence: Evidence, confirmed: bool, kept: list[str] | None, stops: str) -> None:
    request = TouchRequest("destroy", "demo", confirm=frozenset({"demo"} if confirmed else ()))
    judgement = judge({"vm-0": evidence}, request)
    if kept is None:
        with pytest.raises(ZeroTouchError) as stopped:
            deletable(judgement, request)
        assert stops in str(stopped.value)
    else:
        assert list(deletable(judgement, request)) == kept


@pytest.mark.parametrize(
    ("uri", "fault"),
    [
        ("qemu:///system", ""),
        ("qemu+ssh://admin@kvm/system", ""),
        ("qemu+tls://kvm/system", ""),
        ("qemu+tcp://127.0.0.1/system", ""),
        ("qemu+tcp://kvm/system", "neither encrypted nor authenticated"),
        ("qemu+ssh:///system", "needs the name of the host"),
        ("qemu+ssh://admin:secret@kvm/system", "must not contain a password"),
        ("qemu+ext://kvm/system", "transport ext is not supported"),
        ("qemu://kvm/system", "needs a transport"),
        ("--help", "must be a URI"),
        ("qemu:///sys tem", "must be a URI"),
        (7, "must be a string"),
    ],
)
def test_connection_uris(uri: Any, fault: str) -> None:
    assert (fault in uri_fault(uri)) if fault else uri_fault(uri) == ""


def test_ssh_asks_nothing() -> None:
    assert opened_uri("qemu+ssh://kvm/system") == "qemu+ssh://kvm/system?no_tty=1"
    assert opened_uri("qemu+ssh://kvm/system?keyfile=/k") == "qemu+ssh://kvm/system?keyfile=/k&no_tty=1"
    assert opened_uri("qemu:///system") == "qemu:///system"
