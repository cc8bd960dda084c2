# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the HTML report of a deployment. It is complete, self-contained and well-formed, and stays the same when nothing
changed. Text from the user never becomes markup.
"""

from __future__ import annotations

import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.data import (
    count_text,
    duration_text,
    make_report,
    summary_lines,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.files import plan_report
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.nodes import role_differs
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.page import report_html
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.report.pictures import (
    FAMILIES,
    FAMILY_TEXTS,
    family,
    short_names,
    timeline,
    topology,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
    read_deployment,
)

from tests.support.hostile.terminals import PAYLOADS, harmful

AT = "2026-11-21T10:{:02d}:00.000Z"


def event(host, minute, status, stage=""):
    return {"host": host, "status": status, "stage": stage, "at": AT.format(minute)}


INSTALL = {
    "phase": "installed",
    "started_at": AT.format(0),
    "installed_at": AT.format(40),
    "console_url": "https://console-openshift-console.apps.demo.example.com",
    "kubernetes_version": "v1.35.2",
    "phases": {
        "boot": AT.format(0),
        "discovery": AT.format(2),
        "bootstrap": AT.format(5),
        "install": AT.format(25),
        "operators": AT.format(38),
    },
    "timeline": [
        event("node-0", 2, "discovering"),
        event("node-0", 3, "known"),
        event("node-1", 3, "known"),
        event("node-0", 6, "installing-in-progress", "Waiting for bootkube"),
        event("node-1", 6, "installing-in-progress", "Writing image to disk"),
        event("node-1", 12, "installing-in-progress", "Rebooting"),
        event("node-1", 18, "installed", "Done"),
        event("node-1", 18, "node-ready", "Node ready"),
        event("node-0", 24, "node-ready", "Node ready"),
    ],
    "hosts": {
        "node-0": {
            "status": "installing-in-progress",
            "stage": "Waiting for bootkube",
            "role": "master",
            "bootstrap": True,
            "addresses": [],
            "node": "ready",
        },
        "node-1": {
            "status": "installed",
            "stage": "Done",
            "role": "worker",
            "bootstrap": False,
            "addresses": ["192.168.111.21"],
            "node": "ready",
        },
    },
    "nodes": [
        {"name": "node-0", "ready": True, "roles": ["control-plane", "master"]},
        {"name": "node-1", "ready": True, "roles": ["worker"]},
    ],
    "warnings": ["The medium of node-1 could not be detached. Detach it manually."],
}


def with_nodes(report, stage, *nodes, phase="installed"):
    """The same deployment whose cluster lists these Nodes: (name, ready, roles)."""
    listed = [{"name": name, "ready": ready, "roles": roles.split(",")} for name, ready, roles in nodes]
    stage.state.update("install", {"nodes": listed, "phase": phase})
    work_dir = WorkDir(stage.root)
    return make_report(work_dir, stage.state.read(), read_deployment(work_dir.config))


@pytest.fixture
def report(stage):
    stage.build()
    stage.state.update("install", INSTALL)
    work_dir = WorkDir(stage.root)
    return make_report(work_dir, stage.state.read(), read_deployment(work_dir.config))


class Checker(html.parser.HTMLParser):
    """Every element that is opened is closed, in order; what would load something is noted."""

    VOID = {"meta", "br", "link", "img", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.tags, self.hrefs = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.hrefs += [value for name, value in attributes if name == "href"]
        self.loads += [
            (tag, name) for name, _value in attributes if name in ("src", "srcset", "xlink:href", "onclick", "onload")
        ]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(page):
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    return checker


def test_content(report):
    assert report["cluster"]["api_vips"] == ["192.168.111.5"] and report["cluster"]["rendezvous_host"] == "node-0"
    assert report["result"]["seconds"] == 2400 and report["result"]["text"] == "installed"
    assert [(host["name"], host["role_name"], host["rendezvous"], host["addresses"]) for host in report["hosts"]] == [
        ("node-0", "control plane", True, ["192.168.111.20"]),
        ("node-1", "worker", False, ["192.168.111.21"]),
    ]
    stages = report["hosts"][1]["stages"]
    assert [(stage["stage"], stage["seconds"]) for stage in stages] == [
        ("known", 180),
        ("Writing image to disk", 360),
        ("Rebooting", 360),
        ("Done", 0),
        ("Node ready", 0),
    ]
    assert [(phase["phase"], phase["seconds"]) for phase in report["phases"]] == [
        ("boot", 120),
        ("discovery", 180),
        ("bootstrap", 1200),
        ("install", 780),
        ("operators", 120),
    ]
    assert report["login"]["commands"][1] == "oc get nodes,clusteroperators,clusterversion"


def test_the_page_needs_nothing_else(report):
    page = report_html(report)
    checker = check(page)
    assert checker.loads == [] and not {"script", "link", "img", "iframe"} & set(checker.tags)
    assert checker.hrefs == ["https://console-openshift-console.apps.demo.example.com"]
    assert not re.search(r"@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    for text in (
        "node-0",
        "192.168.111.5",
        "Writing image to disk",
        "Detach it manually",
        "kubeadmin-password",
        "export KUBECONFIG=",
    ):
        assert text in page


def test_the_pictures_are_well_formed(report):
    for picture in (timeline(report), topology(report)):
        root = ElementTree.fromstring(picture)
        assert root.attrib["role"] == "img" and root.attrib["aria-label"]
    bars = [
        element
        for element in ElementTree.fromstring(timeline(report)).iter()
        if element.attrib.get("class", "").startswith("bar ")
    ]
    assert len(bars) == sum(len(host["stages"]) for host in report["hosts"])


def test_names_never_become_markup(report):
    evil = '<script>alert("x")</script>'
    report["hosts"][0] |= {"name": evil, "status": evil, "stage": evil}
    report["warnings"] = [evil]
    report["result"] |= {"failure": evil, "phase": "failed"}
    report["login"]["console_url"] = f"javascript:{evil}"
    checker = check(report_html(report))
    assert "script" not in checker.tags and checker.hrefs == []


def test_a_second_report_changes_nothing_and_no_secret_is_in_it(stage, staging, report):
    work_dir = WorkDir(stage.root)
    stage.state.update(
        "install", {"warnings": ["token user-token-of-this-deployment was seen", "very-secret-pull-word too"]}
    )
    plan = plan_report(work_dir, Redactor(known_secrets(work_dir)), ["another warning"])
    assert plan.changed
    plan.apply()
    assert not plan_report(work_dir, Redactor(known_secrets(work_dir)), ["another warning"]).changed
    for path in (plan.html, plan.json):
        text = path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600
        assert "another warning" in text
        assert not any(secret in text for secret in known_secrets(work_dir)) and "very-secret-pull-word" not in text
    assert json.loads(plan.json.read_text())["warnings"][-1] == "another warning"


def test_nothing_in_a_report_controls_a_terminal(stage, staging, report):
    work_dir = WorkDir(stage.root)
    plan = plan_report(work_dir, Redactor(), ["".join(PAYLOADS.values())])
    plan.apply()
    result = json.dumps(plan.as_result(), ensure_ascii=False)
    assert harmful(plan.html.read_text()) == harmful(plan.json.read_text()) == harmful(result) == []
    assert "\\x1b[2J" in plan.html.read_text()


def test_hosts_that_no_configuration_names_are_those_that_registered(stage):
    """Machine templates of the user: the inventory has no hosts."""
    state = {"cluster": {"name": "edge", "version": "4.22.1", "hosts": []}, "install": {**INSTALL, "method": "capi"}}
    found = make_report(WorkDir(stage.root), state, None)
    check(report_html(found))
    lines = summary_lines(found, stage.root / "report.html")
    assert lines[0] == "Cluster edge 4.22.1: installed after 40 min 00 s, 2 nodes ready"
    assert "Nodes: node-0 (control-plane, master), node-1 (worker)" in lines
    assert [stage["stage"] for stage in found["hosts"][1]["stages"]] and not found["other_nodes"]
    # One that has left the cluster is no fault of a configuration.
    state["install"]["nodes"] = INSTALL["nodes"][:1]
    left = make_report(WorkDir(stage.root), state, None)
    assert left["node_warnings"] == [] and "1 of 2 nodes ready" in summary_lines(left, stage.root)[0]


def test_before_anything_happened(stage):
    work_dir = WorkDir(stage.root)
    empty = make_report(work_dir, {}, None)
    check(report_html(empty))
    assert timeline(empty) == topology(empty) == ""
    lines = summary_lines(empty, work_dir.root / "report.html")
    assert lines[0] == "Cluster (no name): not built yet, no host known"
    assert not any(line.startswith("Kubeconfig") for line in lines) and "Kubeconfig" not in report_html(empty), (
        "there is none yet"
    )
    stage.configure()
    planned = make_report(work_dir, {}, read_deployment(work_dir.config))
    assert [host["name"] for host in planned["hosts"]] == ["node-0", "node-1"]
    check(report_html(planned))


def test_a_failure(report):
    report["result"] |= {
        "phase": "failed",
        "text": "failed",
        "failure": "the disk failed; node-1: disk",
        "suspects": ["node-1: disk", "node-0: network"],
        "installed_at": "",
    }
    page = report_html(report)
    check(page)
    assert "<h2>Why it stopped</h2><p>The disk failed; node-1: disk.</p><ol><li>node-0: network</li></ol>" in page
    assert "destroy_cluster" in page and "openshift_force=start_over" in page
    report["result"]["method"] = "hub"
    assert "start_over" not in report_html(report)


def test_a_host_in_error(report):
    report["hosts"][0] |= {"status": "error", "stage": "Writing image to disk"}
    assert '<span class="wrong">error</span> · Writing image to disk' in report_html(report)


def test_the_summary(report, stage):
    lines = summary_lines(report, stage.root / "report.html")
    assert lines[0] == "Cluster demo 4.22.0: installed after 40 min 00 s, 2 nodes ready"
    assert "Nodes: node-0 (control-plane, master), node-1 (worker)" in lines
    assert "Console: https://console-openshift-console.apps.demo.example.com" in lines
    assert any(line.startswith("Login: user kubeadmin, password in ") for line in lines)


@pytest.mark.parametrize(
    ("ready", "hosts", "words"),
    [
        (0, 0, "no host known"),
        (0, 1, "1 host, no node ready"),
        (0, 5, "5 hosts, no node ready"),
        (1, 1, "1 node ready"),
        (5, 5, "5 nodes ready"),
        (1, 5, "1 of 5 nodes ready"),
    ],
)
def test_counts_read_well(ready, hosts, words):
    assert count_text(ready, hosts) == words


def test_what_the_nodes_say_is_shown(report):
    assert [(host["node"], host["node_roles"]) for host in report["hosts"]] == [
        ("ready", ["control-plane", "master"]),
        ("ready", ["worker"]),
    ]
    assert report["warnings"] == INSTALL["warnings"] and report["other_nodes"] == []
    assert "control-plane, master" in report_html(report)


def test_a_node_of_another_role_is_a_warning(report, stage):
    swapped = with_nodes(report, stage, ("node-0", True, "worker"), ("node-1", True, "control-plane,master"))
    first, second = swapped["warnings"][-2:]
    assert first.startswith("node-0 is configured as control plane, its Node has the role worker.")
    assert second.startswith("node-1 is configured as worker, its Node has the roles control-plane, master.")
    assert [host["role_differs"] for host in swapped["hosts"]] == [True, True]
    assert "its Node has the role worker" in report_html(swapped)


@pytest.mark.parametrize("roles", ["control-plane,master,worker", "infra,worker", "control-plane,infra,master"])
def test_further_roles_are_no_mismatch(roles):
    # Without workers the control plane takes their work, and an administrator adds roles of his own.
    assert not role_differs("worker" if roles.startswith("infra") else "master", roles.split(","))


@pytest.mark.parametrize(
    ("role", "roles", "differs"),
    [
        ("worker", ["control-plane", "master", "worker"], True),
        ("arbiter", ["arbiter"], False),
        ("arbiter", ["worker"], True),
        ("worker", ["arbiter"], True),
        ("", ["worker"], False),
        ("master", ["control-plane"], False),
        ("master", [], True),
    ],
)
def test_roles_against_labels(role, roles, differs):
    assert role_differs(role, roles) is differs


def test_a_host_without_a_node_is_a_warning_once_the_cluster_is_installed(report, stage):
    missing = with_nodes(report, stage, ("node-0", True, "control-plane,master"), ("stranger", True, "worker"))
    assert any(
        text.startswith("node-1 is configured, but the cluster has no Node node-1.") for text in missing["warnings"]
    )
    assert [node["name"] for node in missing["other_nodes"]] == ["stranger"]
    assert missing["hosts"][1]["node"] == "missing"
    assert "stranger" in report_html(missing)
    waiting = with_nodes(report, stage, ("node-0", True, "control-plane,master"), phase="installing")
    assert waiting["warnings"] == INSTALL["warnings"] and waiting["hosts"][1]["node"] == ""


def test_a_node_that_is_not_ready_is_a_warning(report, stage):
    broken = with_nodes(report, stage, ("node-0", True, "control-plane,master"), ("node-1", False, "worker"))
    assert any(text.startswith("The Node of node-1 is not ready.") for text in broken["warnings"])
    assert summary_lines(broken, stage.root / "report.html")[0].endswith("1 of 2 nodes ready")


def test_a_cluster_recorded_without_roles_gives_no_false_alarm(stage):
    stage.build()
    stage.state.update("install", {key: value for key, value in INSTALL.items() if key != "nodes"})
    work_dir = WorkDir(stage.root)
    old = make_report(work_dir, stage.state.read(), read_deployment(work_dir.config))
    assert old["warnings"] == INSTALL["warnings"] and [host["node"] for host in old["hosts"]] == ["ready", "ready"]


def test_many_hosts_are_drawn_too(report):
    one = report["hosts"][0]
    report["hosts"] = [{**one, "name": f"a-host-with-a-name-that-is-too-long-{number}"} for number in range(200)]
    assert "and 140 more hosts" in topology(report)
    check(report_html(report))


def test_long_names_are_shown_without_their_domain():
    assert short_names(["a.example.com", "b.example.com"]) == {"a.example.com": "a", "b.example.com": "b"}
    assert short_names(["a.example.com", "a.example.org", "b"]) == {
        "a.example.com": "a.example.com",
        "a.example.org": "a.example.org",
        "b": "b",
    }


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.6, "1 min 00 s"), (245, "4 min 05 s"), (3840, "1 h 04 min")]
)
def test_durations(seconds, text):
    assert duration_text(seconds) == text


def test_every_stage_has_a_family_and_every_family_a_colour(report):
    assert family("Writing image to disk") == "write" and family("A stage of tomorrow") == "other"
    assert set(FAMILIES) | {"other"} == set(FAMILY_TEXTS)
    page = report_html(report)
    assert all(f"--{name}:" in page for name in FAMILY_TEXTS)
