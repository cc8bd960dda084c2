# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_info: it lists clusters, InfraEnvs and hosts, filtered by name or id, with their validations as
a table and their events.
"""

from __future__ import annotations

import pytest


@pytest.fixture
def site(fake):
    for name in ("a", "b"):
        fake.clusters[f"c-{name}"] = {
            "id": f"c-{name}",
            "name": name,
            "status": "brand-new",
            "progress": {"total_percentage": 40},
            "api_vips": [{"ip": "192.0.2.5"}],
            "validations_info": '{"network": [{"id": "api-vips-defined", "status": "success", "message": "ok"}]}',
        }
        fake.infra_envs[f"i-{name}"] = {
            "id": f"i-{name}",
            "name": f"env-{name}",
            "cluster_id": f"c-{name}",
            "type": "minimal-iso",
        }
        fake.add_host(f"i-{name}", f"node-{name}", "52:54:00:00:00:0A", cluster_id=f"c-{name}")
    fake.infra_envs["spare"] = {"id": "spare", "name": "spare"}
    fake.add_host("spare", "node-z", "52:54:00:00:00:0B", cluster_id="c-b")
    return fake


def names(result, kind, key="name"):
    return [item[key] for item in result[kind]]


def test_everything(site, run_module):
    result = run_module("assisted_info")
    assert not result["changed"] and not result.get("failed")
    assert names(result, "clusters") == ["a", "b"] and names(result, "infra_envs") == ["env-a", "env-b", "spare"]
    assert names(result, "hosts", "hostname") == ["node-a", "node-b", "node-z"]
    cluster, host = result["clusters"][0], result["hosts"][0]
    assert (cluster["status"], cluster["percent"], cluster["api_vips"], cluster["failing"]) == (
        "brand-new",
        40,
        ["192.0.2.5"],
        [],
    )
    assert (host["role"], host["macs"], host["serial_number"], host["failing"]) == (
        "master",
        ["52:54:00:00:00:0a"],
        "S-node-a",
        ["ntp-synced"],
    )
    assert "inventory" not in host and result["events"] == [] and result["versions"] == {}
    assert {row["id"] for row in result["validations"]} == {"ntp-synced"} and len(result["validations"]) == 3


def test_progress_in_the_words_in_which_an_installation_is_reported(site, run_module):
    site.clusters["c-a"]["status"] = "pending-for-input"
    first, second = run_module("assisted_info")["progress"]
    assert first == {
        "cluster_name": "a",
        "id": "c-a",
        "percent": 40,
        "text": "User input is required to continue cluster installation",
        "host_summary": "1 known; failing: ntp-synced",
        "hosts": [
            {
                "name": "node-a",
                "status": "known",
                "stage": "",
                "percent": 0,
                "since": "",
                "reason": "Host is ready to be installed",
            }
        ],
    }
    assert second["host_summary"] == "2 known; failing: ntp-synced" and [host["name"] for host in second["hosts"]] == [
        "node-b",
        "node-z",
    ]


def test_one_cluster_by_name_or_id_with_hosts_of_other_infra_envs(site, run_module):
    for wanted in ("b", "c-b"):
        result = run_module("assisted_info", cluster_name=wanted, validations="all", inventory=True)
        assert names(result, "clusters") == ["b"] and names(result, "infra_envs") == ["env-b"]
        assert names(result, "hosts", "hostname") == ["node-b", "node-z"]
    assert result["hosts"][0]["inventory"]["cpu"]["count"] == 8
    assert [(row["object"], row["id"]) for row in result["validations"]] == [
        ("cluster", "api-vips-defined"),
        ("host", "ntp-synced"),
        ("host", "ntp-synced"),
    ]


def test_one_infra_env(site, run_module):
    result = run_module("assisted_info", infra_env_name="spare", validations="none")
    assert (names(result, "clusters"), names(result, "infra_envs"), names(result, "hosts", "hostname")) == (
        [],
        ["spare"],
        ["node-z"],
    )
    assert result["validations"] == []
    nothing = run_module("assisted_info", infra_env_name="no-such")
    assert (nothing["clusters"], nothing["infra_envs"], nothing["hosts"]) == ([], [], [])


def test_events(site, run_module):
    result = run_module("assisted_info", cluster_name="a", events=5, severities=["warning", "error"])
    assert result["events"][0]["message"] == "Host node-1: updated status" and result["events"][0]["props"] == {"a": 1}
    assert "cluster_id=c-a&severities=warning%2Cerror&limit=5&order=descending" in site.requests[-1][1]


def test_a_service_that_is_none(fake, run_module):
    fake.faults = [("GET", "infra-envs", ("status", 200, b"<html>"))]
    assert "check that this is an assisted-service" in run_module("assisted_info")["msg"]
    assert "service_url" in run_module("assisted_info", service_url="service")["msg"]
