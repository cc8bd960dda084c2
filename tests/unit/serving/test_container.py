# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test publishing an image from a container: a server that BMCs cannot reach is refused before any other action, and a
server that they can reach is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving import container as module
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.container import (
    Container,
    check_reachable,
    read_container,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.options import PublishOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.route import Peer

POD = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n10.128.2.15\tjob-1\nfd01::f\tjob-1\n"
HOST_NETWORK = "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n10.0.0.5 job-1\n"
PODMAN = "127.0.0.1 localhost\n10.88.0.7 job-1 zerotouch # the container\n"
HOST = "127.0.0.1 localhost\n127.0.1.1 job-1\n"
KUBERNETES = {"KUBERNETES_SERVICE_HOST": "172.30.0.1"}


@pytest.mark.parametrize(
    ("environment", "mark", "hosts", "evidence", "addresses"),
    [
        ({}, "", POD, "", set()),
        (KUBERNETES, "", POD, "KUBERNETES_SERVICE_HOST is set", {"10.128.2.15", "fd01::f"}),
        (KUBERNETES, "", HOST_NETWORK, "KUBERNETES_SERVICE_HOST is set", set()),
        (KUBERNETES, "", None, "KUBERNETES_SERVICE_HOST is set", set()),
        ({}, "run/.containerenv", PODMAN, "/run/.containerenv exists", {"10.88.0.7"}),
        ({}, ".dockerenv", PODMAN, "/.dockerenv exists", {"10.88.0.7"}),
        ({}, ".dockerenv", HOST, "/.dockerenv exists", {"127.0.1.1"}),
        ({}, ".dockerenv", "nonsense job-1\n::1 job-2\n", "/.dockerenv exists", set()),
    ],
)
def test_facts(
    tmp_path: Path, environment: Mapping[str, str], mark: str, hosts: str | None, evidence: str, addresses: set[str]
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "run").mkdir()
    if mark:
        (tmp_path / mark).touch()
    if hosts is not None:
        (tmp_path / "etc" / "hosts").write_text(hosts)
    assert read_container(environment, "job-1", tmp_path) == Container(evidence, frozenset(addresses))


IN_POD = Container("KUBERNETES_SERVICE_HOST is set", frozenset({"10.128.2.15"}))
LOCAL = {"bmc-1": "127.0.0.1:8443"}


@pytest.mark.parametrize(
    ("options", "bmcs", "connect_to", "address", "container", "refused"),
    [
        ({}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, True),
        ({"listen": "::"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, True),
        ({}, ["bmc-1", "10.0.0.11"], LOCAL, "10.128.2.15", IN_POD, True),
        ({}, ["bmc-1"], {"bmc-1": "10.0.0.11"}, "10.128.2.15", IN_POD, True),
        # The user chose the address, or another server has the image.
        ({"url": "http://192.0.2.10:8080"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, False),
        ({"listen": "10.128.2.15"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, False),
        ({"method": "upload", "url": "http://x"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, False),
        ({"method": "directory", "url": "http://x"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, False),
        ({"method": "none", "url": "http://x/a.iso"}, ["10.0.0.11"], {}, "10.128.2.15", IN_POD, False),
        # A second interface leads to the BMCs (Multus), the container has the network of its host, or there is none.
        ({}, ["10.0.0.11"], {}, "10.0.0.5", IN_POD, False),
        ({}, ["10.0.0.11"], {}, "10.128.2.15", Container("KUBERNETES_SERVICE_HOST is set"), False),
        ({}, ["10.0.0.11"], {}, "10.128.2.15", Container(), False),
        ({}, ["10.0.0.11"], {}, "127.0.1.1", Container("/.dockerenv exists", frozenset({"127.0.1.1"})), False),
        # The machines of a lab are on this machine.
        ({}, [], {}, "10.128.2.15", IN_POD, False),
        ({}, ["127.9.0.1", "::1", "localhost"], {}, "10.128.2.15", IN_POD, False),
        ({}, ["bmc-1"], LOCAL, "10.128.2.15", IN_POD, False),
        # No route: publishing says so.
        ({}, ["10.0.0.11"], {}, "", IN_POD, False),
    ],
)
def test_decision(
    options: dict[str, str],
    bmcs: list[str],
    connect_to: dict[str, str],
    address: str,
    container: Container,
    *,
    refused: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def source(_host: str, _port: int) -> str:
        if not address:
            raise OSError(101, "Network is unreachable")
        return address

    monkeypatch.setattr(module, "address_for", lambda peers, mapping: real(peers, mapping, source))
    publish = PublishOptions(**options, connect_to=ConnectTo.of(connect_to))
    problems = check_reachable(publish, [Peer(host, host, 443) for host in bmcs], container)
    assert [problem.path for problem in problems] == ["openshift_publish.method"] * refused


real = module.address_for


def test_the_message_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "address_for", lambda _peers, _mapping: ("10.128.2.15", []))
    (problem,) = check_reachable(PublishOptions(), [Peer("a", "10.0.0.11", 443)], IN_POD)
    for words in ("10.128.2.15", "KUBERNETES_SERVICE_HOST is set", "upload", "directory", "hostNetwork", "url"):
        assert words in problem.text()
