# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures for the tests of InfraEnvs: a hub, a session on it, and options with every field."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.infra_env.run import InfraEnvSession
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hub import infra


@pytest.fixture(scope="session")
def infrahub() -> ModuleType:
    return infra


@pytest.fixture
def clock() -> Clock:
    return Clock(pause=0.005)


@pytest.fixture
def hub(infrahub: ModuleType) -> Iterator[Any]:
    server = infrahub.InfraHub()
    yield server
    server.stop()


@pytest.fixture
def session(hub: Any, clock: Clock) -> Iterator[Any]:
    client = connect({"kubeconfig": hub.kubeconfig}, clock=clock)
    reported: list[str] = []
    found = InfraEnvSession(client, clock=clock, tell=reported.append)
    object.__setattr__(found, "reported", reported)
    yield found
    client.close()


@pytest.fixture
def requested(infrahub: ModuleType) -> dict[str, Any]:
    """Options with every field."""
    return {
        "name": "site",
        "namespace": "lab",
        "pull_secret": infrahub.PULL_SECRET,
        "ssh_public_keys": ["ssh-ed25519 AAAA user\n"],
        "image_proxy": {
            "http_proxy": "http://proxy:3128",
            "https_proxy": "http://proxy:3128",
            "no_proxy": ".example.com",
        },
        "additional_ntp_sources": ["ntp.example.com"],
        "image_type": "full-iso",
        "os_image_version": "4.22",
        "arch": "x86_64",
        "kernel_arguments": [{"operation": "append", "value": "console=ttyS0"}],
        "ignition_config_override": '{"ignition": {"version": "3.2.0"}}',
        "agent_labels": {"site": "a", "rack": 1},
        "auto_approve": False,
        "ipxe_script_type": "BootOrderControl",
        "additional_trust_bundle": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "mirror_registry": {"name": "mirrors", "namespace": "lab"},
        "network_discovery_delay_seconds": 5,
        "labels": {"team": "x"},
        "annotations": {"note": "y"},
        "hosts": [
            {
                "name": f"Node_{number}.example.com",
                "interfaces": [{"name": "eth0", "mac_address": f"52:54:00:00:00:0{number}"}],
                "network_config": {"interfaces": [{"name": "eth0", "type": "ethernet", "state": "up"}]},
            }
            for number in (1, 2)
        ],
    }
