# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how an interrupted deployment is resumed: each row of the resume table (docs/explanation/resume.md), its
overrides, and the guarantee that a joined host is never booted without a request.
"""

from __future__ import annotations

import datetime
import itertools

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    ClusterProgress,
    HostProgress,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.resume import (
    Decision,
    decide,
    readers,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import (
    Judgement,
    TouchRequest,
    judge,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.evidence import Evidence
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.nodes import NodeView
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.observed import observed
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.table import OVERRIDES
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import message_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observation import (
    ApiView,
    ClusterVersion,
    ImageView,
    InventoryHost,
    Node,
    Observation,
    OperatorCondition,
    ServiceView,
    Silence,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Limits
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.silence import silence_of

A = InventoryHost("a", "node-a", ("52:54:00:00:00:0a",), "master", ("192.168.1.10",))
B = InventoryHost("b", "node-b", ("52:54:00:00:00:0b",), "worker", ("192.168.1.11",))
HOSTS = (A, B)

MATCHES = ImageView(built=True, exists=True)
CHANGED = ImageView(built=True, exists=True, differing=("install-config.yaml",))
GONE = ImageView(built=True, exists=False)

YES, NO = OperatorCondition("True"), OperatorCondition("False")
COMPLETE = ClusterVersion("4.22.0", available=YES, failing=NO, progressing=NO)
GROWING = ClusterVersion("4.22.0", available=NO, failing=NO, progressing=YES)


def registered(host, status="known", **more):
    return HostProgress(f"id-{host.name}", host.node_name, status, macs=host.macs, **more)


def service(*hosts, status="insufficient", **more):
    return ServiceView(answers=True, ours=True, cluster=ClusterProgress("c", "demo", status, **more), hosts=hosts)


def api(*names, version=GROWING):
    return ApiView(answers=True, ours=True, nodes=tuple(Node(name) for name in names), cluster_version=version)


FOREIGN_API = ApiView(answers=True, ours=False, detail="The API answered 401: Unauthorized.")
FOREIGN_SERVICE = ServiceView(answers=True, ours=False, detail="Its infra-env is another one.")

SHORT = Silence("install", 30.0, 2400.0, "2026-01-01T00:00:00Z")
LONG = Silence("install", 2400.0, 2400.0, "2026-01-01T00:00:00Z")

# observation -> state, build, {host: (joined, action, force)}, wait, a word of the stop reason
ROWS = {
    "nothing: full run": (Observation(), "new", True, {"a": (0, "boot", 1), "b": (0, "boot", 1)}, True, ""),
    "image matches, no host registered: boot": (
        Observation("built", image=MATCHES),
        "built",
        False,
        {"a": (0, "boot", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "the same after a killed boot": (
        Observation("booted", image=MATCHES),
        "built",
        False,
        {"a": (0, "boot", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "the same after a wait in vain": (
        Observation("booted", overdue=True, image=MATCHES),
        "built",
        False,
        {"a": (0, "boot", 1), "b": (0, "boot", 1)},
        True,
        "",
    ),
    # The same bytes at the same URL: a host that runs from them is left alone, as with the file there.
    "image file gone: build again, boot": (
        Observation("built", image=GONE),
        "built",
        True,
        {"a": (0, "boot", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "image file gone, and a wait was in vain: boot again": (
        Observation("built", image=GONE, overdue=True),
        "built",
        True,
        {"a": (0, "boot", 1), "b": (0, "boot", 1)},
        True,
        "",
    ),
    "input changed, no host registered: rebuild, boot": (
        Observation("booted", image=CHANGED),
        "changed",
        True,
        {"a": (0, "boot", 1), "b": (0, "boot", 1)},
        True,
        "",
    ),
    "input changed, service up, no host registered: rebuild, boot": (
        Observation("booted", image=CHANGED, service=service()),
        "changed",
        True,
        {"a": (0, "boot", 1), "b": (0, "boot", 1)},
        True,
        "",
    ),
    "input changed, hosts registered: stop": (
        Observation("booted", image=CHANGED, service=service(registered(A))),
        "changed",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "install-config.yaml",
    ),
    "input changed, cluster under way: stop": (
        Observation("installing", image=CHANGED, api=api("node-a")),
        "changed",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        False,
        "install-config.yaml",
    ),
    "our service answers: boot only missing hosts": (
        Observation("booted", image=MATCHES, service=service(registered(A))),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "our service answers, a host is missing after a wait in vain": (
        Observation("booted", overdue=True, image=MATCHES, service=service(registered(A))),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "boot", 1)},
        True,
        "",
    ),
    "our service answers, no host registered yet: not the host that runs it": (
        Observation("booted", rendezvous_ip="192.168.1.10", image=MATCHES, service=service()),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "our service answers, cluster not registered yet": (
        Observation("booted", rendezvous_ip="192.168.1.10", image=MATCHES, service=ServiceView(True, True)),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "a registered host has no MACs yet: it may be the missing one": (
        Observation("booted", image=MATCHES, service=service(HostProgress("id", "id", "discovering"))),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "a registered host that has gone is booted again": (
        Observation("booted", image=MATCHES, service=service(registered(A), registered(B, "disconnected"))),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "boot", 1)},
        True,
        "",
    ),
    "a missing host while the image is gone: build for it": (
        Observation("booted", image=GONE, service=service(registered(A))),
        "registered",
        True,
        {"a": (0, "wait", 0), "b": (0, "boot", 0)},
        True,
        "",
    ),
    "the image is gone and it is not needed": (
        Observation("booted", image=GONE, service=service(registered(A), registered(B))),
        "registered",
        False,
        {"a": (0, "wait", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "hosts installing: joined, not touched": (
        Observation(
            "bootstrap",
            image=MATCHES,
            service=service(registered(A, "installing-in-progress"), registered(B, "installing"), status="installing"),
        ),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        True,
        "",
    ),
    "a host waiting for a user is joined too": (
        Observation(
            "bootstrap",
            image=MATCHES,
            service=service(registered(A, "installing-pending-user-action"), status="installing-pending-user-action"),
        ),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        True,
        "",
    ),
    "the installation began without a host": (
        Observation("bootstrap", image=MATCHES, service=service(registered(A, "installed"), status="installing")),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        True,
        "",
    ),
    "API answers with our kubeconfig: wait": (
        Observation("installing", image=MATCHES, api=api("node-a")),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "API answers, state lost its phase: still no boot": (
        Observation("", image=MATCHES, api=api("node-a")),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "installed: nothing": (
        Observation("installed", image=MATCHES, api=api("node-a", "node-b", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        False,
        "",
    ),
    "installed, now upgrading: still nothing": (
        Observation("installed", image=MATCHES, api=api("node-a", "node-b")),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        False,
        "",
    ),
    "installed, input changed since: nothing, a note": (
        Observation("installed", image=CHANGED, api=api("node-a", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        False,
        "",
    ),
    "complete but never seen so: wait, which ends at once": (
        Observation("installing", image=MATCHES, api=api("node-a", "node-b", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        True,
        "",
    ),
    "installed, and something else listens on the service's port": (
        Observation("installed", image=MATCHES, service=FOREIGN_SERVICE, api=api("node-a", "node-b", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        False,
        "",
    ),
    "terminal error: stop with reason": (
        Observation(
            "bootstrap",
            image=MATCHES,
            service=service(
                registered(A, "error", status_info="disk failed"),
                status="error",
                status_info="cluster has hosts in error",
            ),
        ),
        "failed",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "disk failed",
    ),
    "cancelled: stop": (
        Observation("bootstrap", image=MATCHES, service=service(status="cancelled")),
        "failed",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "cancelled",
    ),
    "a recorded failure, nothing answers: stop with its reason": (
        Observation("failed", failure="node-a: disk failed", image=MATCHES),
        "failed",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "node-a: disk failed",
    ),
    "a recorded failure, but the cluster came up": (
        Observation("failed", failure="x", image=MATCHES, api=api("node-a", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        True,
        "",
    ),
    "installed and nothing answers: cannot tell": (
        Observation("installed", image=MATCHES),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "no service or API of this deployment answers",
    ),
    "installing and nothing answers: cannot tell": (
        Observation("installing", image=CHANGED),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "no service or API of this deployment answers",
    ),
    "bootstrapping and nothing answers: cannot tell": (
        Observation("bootstrap", image=MATCHES),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "no service or API of this deployment answers",
    ),
    "installing, silent for a short time: wait, boot nothing": (
        Observation("installing", silence=SHORT, image=MATCHES),
        "installing",
        False,
        {"a": (0, "wait", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "bootstrapping, silent for a short time, the image file was deleted: wait, build nothing": (
        Observation("bootstrap", silence=SHORT, image=GONE),
        "installing",
        False,
        {"a": (0, "wait", 0), "b": (0, "wait", 0)},
        True,
        "",
    ),
    "installing, silent for a short time, input changed: stop": (
        Observation("installing", silence=SHORT, image=CHANGED),
        "changed",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "install-config.yaml",
    ),
    "installing, silent for a short time, and something else answers: cannot tell": (
        Observation("installing", silence=SHORT, image=MATCHES, api=FOREIGN_API),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "401: Unauthorized",
    ),
    "installing, silent for too long: cannot tell": (
        Observation("installing", silence=LONG, image=MATCHES),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "last seen at 2026-01-01T00:00:00Z, and the limit of phase install (2400 s) has passed",
    ),
    "installed and another cluster answers: cannot tell": (
        Observation("installed", image=MATCHES, api=FOREIGN_API),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "401: Unauthorized",
    ),
    "state.json lost everything, an image is there, nothing answers: cannot tell": (
        Observation("", lost=("secrets", "install"), image=ImageView()),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "state.json lacks records of this deployment (secrets, install)",
    ),
    "state.json lost its secrets, and the service does not know us: cannot tell": (
        Observation("", lost=("secrets", "install"), image=ImageView(), service=FOREIGN_SERVICE),
        "unknown",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "Its infra-env is another one",
    ),
    "state.json lost everything, but the service is ours: attach": (
        Observation(
            "",
            lost=("secrets", "install"),
            image=ImageView(),
            service=service(registered(A, "installing"), status="installing"),
        ),
        "installing",
        False,
        {"a": (1, "skip", 0), "b": (0, "skip", 0)},
        True,
        "",
    ),
    "state.json lost everything, but the API is ours and complete: installed": (
        Observation("", lost=("secrets", "install"), image=ImageView(), api=api("node-a", "node-b", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        True,
        "",
    ),
    "installed, the image file was deleted: nothing": (
        Observation("installed", image=GONE, api=api("node-a", "node-b", version=COMPLETE)),
        "installed",
        False,
        {"a": (1, "skip", 0), "b": (1, "skip", 0)},
        False,
        "",
    ),
    "another cluster answers at our API's address: stop": (
        Observation("", api=FOREIGN_API),
        "foreign",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "401: Unauthorized",
    ),
    "another installation runs at our rendezvous address: stop": (
        Observation("built", image=MATCHES, service=FOREIGN_SERVICE),
        "foreign",
        False,
        {"a": (0, "skip", 0), "b": (0, "skip", 0)},
        False,
        "Its infra-env is another one",
    ),
}


def run(observation: Observation, force: tuple[str, ...] = ()) -> tuple[Decision, Judgement]:
    """What is left to do, and what the safety table says about the hosts that it would boot."""
    decision = decide(observation, HOSTS, force)
    nodes = [NodeView(each.name) for each in observation.api.nodes]
    known = bool(observation.phase or observation.lost)
    wanted = [host for host in HOSTS if host.name in decision.boot]
    evidence = {
        host.name: observed(Evidence(power="Off", recorded=known), host, observation, nodes, recorded=known)
        for host in wanted
    }
    return decision, judge(evidence, TouchRequest("boot", "demo", confirm=frozenset({"demo"}), force=frozenset(force)))


@pytest.mark.parametrize("row", ROWS)
def test_row(row):
    observation, state, build, hosts, wait, stop = ROWS[row]
    decision, judgement = run(observation)
    assert decision.state == state
    message = message_of(decision.stop) + message_of(judgement.stop)
    assert (stop in message) if stop else message == ""
    assert bool(decision.build_reason) == decision.build
    assert all(host.reason for host in decision.hosts)
    if judgement.stop:
        assert set(judgement.named("stop")) == {host.name for host in HOSTS}
        return
    assert {host.name: (int(host.joined), host.action, int(host.force)) for host in decision.hosts} == hosts
    assert (decision.build, decision.wait) == (build, wait)


# force -> row -> build, {host: action}
FORCED = [
    ("rebuild_image", "image matches, no host registered: boot", True, {"a": "boot", "b": "boot"}),
    ("rebuild_image", "input changed, hosts registered: stop", True, {"a": "boot", "b": "boot"}),
    ("rebuild_image", "hosts installing: joined, not touched", True, {"a": "skip", "b": "skip"}),
    ("rebuild_image", "input changed, cluster under way: stop", True, {"a": "skip", "b": "wait"}),
    ("rebuild_image", "installed: nothing", True, {"a": "skip", "b": "skip"}),
    ("rebuild_image", "installed and nothing answers: cannot tell", False, {"a": "skip", "b": "skip"}),
    ("rebuild_image", "installing, silent for a short time: wait, boot nothing", False, {"a": "wait", "b": "wait"}),
    (
        "reboot_joined_hosts",
        "installing, silent for a short time: wait, boot nothing",
        False,
        {"a": "wait", "b": "wait"},
    ),
    ("start_over", "installing, silent for a short time: wait, boot nothing", True, {"a": "boot", "b": "boot"}),
    ("reboot_joined_hosts", "hosts installing: joined, not touched", False, {"a": "boot", "b": "boot"}),
    ("reboot_joined_hosts", "API answers with our kubeconfig: wait", False, {"a": "boot", "b": "wait"}),
    ("reboot_joined_hosts", "installed: nothing", False, {"a": "skip", "b": "skip"}),
    ("reboot_joined_hosts", "installed and nothing answers: cannot tell", False, {"a": "skip", "b": "skip"}),
    ("start_over", "installed: nothing", True, {"a": "boot", "b": "boot"}),
    ("start_over", "installed and nothing answers: cannot tell", True, {"a": "boot", "b": "boot"}),
    ("start_over", "terminal error: stop with reason", True, {"a": "boot", "b": "boot"}),
    ("start_over", "a recorded failure, nothing answers: stop with its reason", True, {"a": "boot", "b": "boot"}),
    ("start_over", "another cluster answers at our API's address: stop", True, {"a": "boot", "b": "boot"}),
    ("start_over", "input changed, hosts registered: stop", True, {"a": "boot", "b": "boot"}),
]


@pytest.mark.parametrize(("force", "row", "build", "actions"), FORCED)
def test_force(force, row, build, actions):
    decision, judgement = run(ROWS[row][0], (force,))
    if judgement.stop:
        assert not build and set(actions.values()) == {"skip"}
        return
    assert decision.build is build
    assert {host.name: host.action for host in decision.hosts} == actions
    assert judgement.named("act") == list(decision.boot)
    if force == "start_over":
        assert decision.stop is None and decision.wait and all(host.force for host in decision.hosts)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(
    "force", [()] + [c for n in (1, 2) for c in itertools.combinations([f for f in OVERRIDES if f != "start_over"], n)]
)
def test_no_joined_host_is_booted_unasked(row, force):
    decision, judgement = run(ROWS[row][0], force)
    joined = {host.name for host in decision.hosts if host.joined}
    if "reboot_joined_hosts" not in force:
        assert not joined & set(judgement.named("act")), row
    if decision.stop:
        assert not decision.boot and not decision.build and not decision.wait


def test_silence_is_reported():
    decision = decide(ROWS["installing, silent for a short time: wait, boot nothing"][0], HOSTS)
    assert decision.notes == (
        (
            "Neither service nor API answers; the rendezvous host may be rebooting (last answer at "
            "2026-01-01T00:00:00Z). The run waits and boots no machine."
        ),
    )


INSTALL = {"phase": "installing", "last_seen_at": "2026-01-01T00:00:00.000Z"}


@pytest.mark.parametrize(
    ("install", "expected"),
    [
        (INSTALL, Silence("install", 60.0, 2400.0, INSTALL["last_seen_at"])),
        ({**INSTALL, "phase": "bootstrap"}, Silence("bootstrap", 60.0, 90.0, INSTALL["last_seen_at"])),
        (
            {**INSTALL, "last_seen_at": "2026-01-01T00:05:00.000Z"},
            Silence("install", 0.0, 2400.0, "2026-01-01T00:05:00.000Z"),
        ),
        ({**INSTALL, "phase": "installed"}, None),
        ({**INSTALL, "phase": "booted"}, None),
        ({"phase": "installing"}, None),
        ({**INSTALL, "last_seen_at": "yesterday"}, None),
        ({**INSTALL, "last_seen_at": "2026-01-01T00:05:00"}, None),
    ],
)
def test_how_long_it_was_not_seen(install, expected):
    assert (
        silence_of(install, Limits(bootstrap=90.0), datetime.datetime(2026, 1, 1, 0, 1, tzinfo=datetime.UTC))
        == expected
    )


def test_notes():
    stranger = HostProgress("id-x", "node-x", "known", macs=("52:54:00:00:00:ff",))
    decision = decide(
        Observation("booted", image=MATCHES, service=service(registered(A), registered(B), stranger)), HOSTS
    )
    assert decision.notes == ("node-x is registered with the service but not in the configuration.",)
    changed = decide(ROWS["installed, input changed since: nothing, a note"][0], HOSTS)
    assert "install-config.yaml" in changed.notes[0]


@pytest.mark.parametrize(
    ("host", "found", "expected"),
    [
        (A, HostProgress("1", "other-name", "known", macs=("52:54:00:00:00:0a", "52:54:00:00:01:0a")), True),
        (A, HostProgress("1", "node-a", "known", macs=("52:54:00:00:00:ff",)), False),
        (A, HostProgress("1", "node-a", "known"), True),
        (InventoryHost("a", "node-a"), HostProgress("1", "NODE-A", "known", macs=("52:54:00:00:00:ff",)), True),
        (InventoryHost("a"), HostProgress("1", "a", "known"), True),
    ],
)
def test_which_service_host_is_which(host, found, expected):
    seen = Observation(service=ServiceView(True, True, hosts=(found,)))
    assert (seen.service_host(host) is found) is expected


INSTALLING = "installing-in-progress"
READING = [
    ("registered hosts", Observation(image=MATCHES, service=service(registered(A), registered(B))), ("a", "b")),
    (
        "the image is written",
        Observation(
            image=MATCHES, service=service(registered(A, INSTALLING, stage="Writing image to disk"), registered(B))
        ),
        ("a", "b"),
    ),
    (
        "one has left",
        Observation(image=MATCHES, service=service(registered(A, INSTALLING, stage="Rebooting"), registered(B))),
        ("b",),
    ),
    ("a Node exists", Observation(image=MATCHES, service=service(registered(B)), api=api("node-a")), ("b",)),
    (
        "nothing answers for a while",
        Observation(image=GONE, phase="installing", silence=Silence("install", 10, 3600, "12:00")),
        ("a", "b"),
    ),
    ("hosts are booted anyway", Observation(image=MATCHES), ()),
    ("installed", Observation(image=MATCHES, phase="installed", api=api("node-a", "node-b", version=COMPLETE)), ()),
    ("an image of which nothing is known", Observation(service=service(registered(A), registered(B))), ()),
]


@pytest.mark.parametrize(("seen", "expected"), [case[1:] for case in READING], ids=[case[0] for case in READING])
def test_hosts_that_run_from_the_image(seen: Observation, expected: tuple[str, ...]) -> None:
    assert readers(seen, HOSTS, decide(seen, HOSTS)) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(Observation("built", image=MATCHES), ("a",), id="the host is left alone if it runs from it"),
        pytest.param(
            Observation("built", image=GONE), ("a",), id=("the image must be the same for a host that may run from it")
        ),
        pytest.param(Observation("built", image=CHANGED), (), id="all hosts boot another image"),
        pytest.param(Observation("built", image=GONE, overdue=True), (), id="all hosts are booted again"),
    ],
)
def test_a_host_that_is_recorded_as_booted_may_run_from_the_image(seen: Observation, expected: tuple[str, ...]) -> None:
    assert readers(seen, HOSTS, decide(seen, HOSTS), {"a"}) == expected
