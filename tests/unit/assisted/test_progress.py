# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the progress model of hosts and clusters, which is read from documents of assisted-service.

The status of a host decides whether it may be powered off, whether its medium may be ejected, and whether a wait ends.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install import progress
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    HostProgress,
    Validation,
)


@pytest.mark.parametrize(
    ("status", "joined", "terminal", "boot"),
    [
        ("discovering", False, False, False),
        ("known", False, False, False),
        ("insufficient", False, False, False),
        ("pending-for-input", False, False, False),
        ("disconnected", False, False, True),
        ("preparing-for-installation", False, False, False),
        ("preparing-successful", False, False, False),
        ("installing", True, False, False),
        ("installing-in-progress", True, False, False),
        ("installing-pending-user-action", True, False, False),
        ("installed", True, False, False),
        ("added-to-existing-cluster", True, False, False),
        ("resetting-pending-user-action", False, False, True),
        ("error", False, True, False),
        ("cancelled", False, True, False),
        ("a-state-of-tomorrow", False, False, False),
    ],
)
def test_what_a_host_status_means(status, joined, terminal, boot):
    host = HostProgress("id", "node", status)
    assert (host.joined, host.terminal, host.needs_discovery_boot) == (joined, terminal, boot)


@pytest.mark.parametrize(
    ("status", "stage", "expected"),
    [
        ("installing-in-progress", "Writing image to disk", False),
        ("installing-in-progress", "Waiting for control plane", False),
        ("installing-in-progress", "Waiting for controller", False),
        ("installing-in-progress", "Rebooting", True),
        ("installing-in-progress", "Waiting for ignition", True),
        ("installing-in-progress", "Configuring", True),
        ("installing-in-progress", "Joined", True),
        ("installed", "Done", True),
        ("installed", "", True),
        ("installing-pending-user-action", "Rebooting", False),
        ("installing-in-progress", "A stage of tomorrow", False),
    ],
)
def test_when_the_medium_may_go(status, stage, expected):
    assert HostProgress("id", "node", status, stage=stage).runs_from_disk is expected


def test_a_host_document():
    host = progress.read_host(
        {
            "id": "1",
            "status": "installing-in-progress",
            "status_info": "Writing image to disk",
            "role": "auto-assign",
            "suggested_role": "master",
            "bootstrap": True,
            "progress": {
                "current_stage": "Writing image to disk",
                "progress_info": "45%",
                "installation_percentage": 27,
                "stage_started_at": "2026-11-21T10:00:00Z",
            },
            "inventory": {
                "hostname": "node-1",
                "interfaces": [
                    {"mac_address": "52:54:00:AA:00:01", "ipv4_addresses": ["192.168.1.2/24"], "ipv6_addresses": []}
                ],
            },
            "validations_info": {
                "network": [
                    {
                        "id": "ntp-synced",
                        "status": "failure",
                        "message": "Host couldn't synchronize with any NTP server",
                    }
                ]
            },
        }
    )
    assert (host.name, host.role, host.bootstrap, host.macs, host.addresses) == (
        "node-1",
        "master",
        True,
        ("52:54:00:aa:00:01",),
        ("192.168.1.2",),
    )
    assert (host.stage, host.stage_info, host.percent, host.describe()) == (
        "Writing image to disk",
        "45%",
        27,
        "installing-in-progress, Writing image to disk",
    )
    assert progress.failing(host.validations)[0].id == "ntp-synced"


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"inventory": "broken", "progress": None, "validations_info": "broken"},
        {"inventory": {"interfaces": [None, {}]}},
    ],
)
def test_documents_with_little_in_them(document):
    host = progress.read_host({"id": "1", **document})
    assert (host.name, host.macs, host.percent, host.validations) == ("1", (), 0, ())
    assert progress.read_cluster(document).status == ""


def test_the_name_a_user_gave_wins_and_a_zero_time_is_none():
    host = progress.read_host(
        {
            "requested_hostname": "a",
            "inventory": {"hostname": "b"},
            "progress": {"stage_started_at": "0001-01-01T00:00:00.000Z"},
        }
    )
    assert (host.name, host.stage_since) == ("a", "")


@pytest.mark.parametrize(
    ("status", "info", "text"),
    [
        ("insufficient", "", "Cluster is not ready for install. Check validations"),
        ("installing", "x", "Cluster installation in progress"),
        ("new-state", "What it says", "What it says"),
        ("new-state", "", "Cluster is new-state"),
    ],
)
def test_cluster_texts(status, info, text):
    assert progress.read_cluster({"status": status, "status_info": info}).text() == text


def test_a_cluster_document():
    cluster = progress.read_cluster(
        {
            "id": "c",
            "name": "demo",
            "status": "finalizing",
            "progress": {"total_percentage": 80, "finalizing_stage": "Adding router ca"},
        }
    )
    assert (cluster.percent, cluster.finalizing_stage, cluster.installing, cluster.terminal) == (
        80,
        "Adding router ca",
        True,
        False,
    )
    assert progress.read_cluster({"status": "error"}).terminal
    assert progress.read_cluster({"status": "cancelled"}).terminal
    assert not progress.read_cluster({"status": "preparing-for-installation"}).installing


def v(identity, status, message=""):
    return Validation("network", identity, status, message)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [v("a", "failure", "x")], ["a"]),
        ([], [v("a", "success"), v("b", "pending")], []),
        ([v("a", "failure", "x")], [v("a", "failure", "x")], []),
        ([v("a", "failure", "x")], [v("a", "failure", "y")], ["a"]),
        ([v("a", "failure", "x")], [v("a", "success")], ["a"]),
        ([v("a", "failure", "x")], [v("a", "pending")], []),
        ([v("a", "pending")], [v("a", "error", "x")], ["a"]),
        ([v("a", "pending")], [v("a", "success")], []),
    ],
)
def test_a_validation_is_news_once_per_change(before, after, expected):
    assert [validation.id for validation in progress.validation_changes(before, after)] == expected
