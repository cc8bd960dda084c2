# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_install: its action for each cluster status, its waits, rejections with the message of the
service, and a service that restarts meanwhile.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.plan import decide
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.run import Installation, InstallOrder
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import LimitReached, ZeroTouchError

INSTALLING = ("installing", "finalizing", "installing-pending-user-action")
TABLE = [
    *[(status, "started", "wait") for status in ("insufficient", "pending-for-input", "brand-new")],
    *[
        (status, "installed", "wait")
        for status in ("insufficient", "preparing-for-installation", "brand-new", *INSTALLING)
    ],
    *[(status, "started", "") for status in ("preparing-for-installation", "installed", *INSTALLING)],
    *[("ready", state, "install") for state in ("started", "installed")],
    *[(status, "installed", "refused") for status in ("error", "cancelled")],
    *[(status, "cancelled", "cancel") for status in ("preparing-for-installation", "error", *INSTALLING)],
    *[(status, "cancelled", "") for status in ("insufficient", "ready", "cancelled")],
    *[(status, "reset", "reset") for status in ("preparing-for-installation", "error", "cancelled", *INSTALLING)],
    *[(status, "reset", "") for status in ("insufficient", "pending-for-input", "ready")],
    *[("installed", state, "refused") for state in ("cancelled", "reset")],
    ("installed", "installed", ""),
    ("installed", "adding_hosts", "allow-add-hosts"),
    ("adding-hosts", "adding_hosts", ""),
    ("ready", "adding_hosts", "refused"),
    ("adding-hosts", "installed", ""),
]


@pytest.mark.parametrize(("status", "state", "expected"), TABLE)
def test_every_status(status, state, expected):
    verdict = decide({"name": "edge", "status": status}, state)
    found = (
        [step.action for step in verdict.steps[:1]]
        + ["wait"] * bool(verdict.waits)
        + ["refused"] * bool(verdict.refused)
    )
    assert (found or [""])[0] == expected


def day2(*statuses):
    return {
        "name": "edge",
        "status": "adding-hosts",
        "hosts": [{"id": status, "infra_env_id": "i", "status": status} for status in statuses],
    }


def test_hosts_that_are_added():
    assert [step.host_id for step in decide(day2("known", "insufficient", "installed"), "installed").steps] == ["known"]
    assert "insufficient" in decide(day2("insufficient", "installed"), "installed").waits
    assert (
        decide(day2("installing-in-progress"), "started").settled
        and not decide(day2("installing-in-progress"), "installed").settled
    )
    assert decide(day2("added-to-existing-cluster", "installed"), "installed").settled
    assert "host error is error" in decide(day2("error"), "installed").refused


def test_hosts_whose_adding_is_not_complete_are_taken_back():
    verdict = decide(
        day2("known", "error", "installing-in-progress", "added-to-existing-cluster", "insufficient"), "reset"
    )
    assert [(step.action, step.host_id) for step in verdict.steps] == [
        ("reset", "error"),
        ("reset", "installing-in-progress"),
    ]
    assert decide(day2("added-to-existing-cluster"), "reset").settled and decide(day2("error"), "cancelled").refused


@pytest.fixture
def cluster(fake):
    fake.clusters["c"] = {"id": "c", "name": "edge", "status": "ready"}
    return fake.clusters["c"]


def ordered(reach, clock, **more):
    return Installation(
        reach(retries=0), InstallOrder("edge", clock=clock, **{"ready_timeout": 60.0, "timeout": 100.0, **more})
    )


def script(clock, cluster, *moments):
    """The cluster's status at times of the clock."""

    def sleep(seconds):
        clock.time += seconds
        for time, status in moments:
            if clock.time >= time:
                cluster["status"] = status

    clock.sleep = sleep


def test_followed_to_the_end_with_a_line_on_change_only(fake, cluster, reach, clock):
    reported = []
    cluster["status"] = "insufficient"
    script(clock, cluster, (10, "ready"), (15, "preparing-for-installation"), (20, "installing"), (40, "installed"))
    result = ordered(reach, clock, tell=reported.append).run()
    assert (
        result["changed"] and result["plan"] == ["install cluster edge"] and result["cluster"]["status"] == "installed"
    )
    assert [path for _method, path, _body in fake.writes] == ["clusters/c/actions/install"]
    assert reported == [
        "00:00   0% Cluster is not ready for install. Check validations",
        "00:10   0% Cluster is ready for install",
        "00:10   0% install cluster edge",
        "00:15   0% Preparing cluster for installation",
        "00:20   0% Cluster installation in progress",
        "00:40 100% Cluster is installed",
    ]


def test_a_preparation_that_fails_is_started_three_times(fake, cluster, reach, clock):
    cluster["last-installation-preparation"] = {"status": "failed", "reason": "no image"}

    def sleep(seconds):
        clock.time += seconds
        cluster["status"] = "ready"

    clock.sleep = sleep
    with pytest.raises(ZeroTouchError, match="3 times: no image"):
        ordered(reach, clock).run()
    assert len(fake.writes) == 3


def test_an_end_in_error_is_reported_with_what_was_done(cluster, reach, clock):
    script(clock, cluster, (10, "error"))
    cluster["status_info"] = "cluster has hosts in error"
    with pytest.raises(ZeroTouchError, match="cluster has hosts in error") as caught:
        ordered(reach, clock).run()
    assert caught.value.result["changed"] and caught.value.result["plan"] == ["install cluster edge"]


def test_limits(fake, cluster, reach, clock):
    cluster.update(
        status="pending-for-input",
        validations_info=('{"network": [{"id": "api-vips-defined", "status": "failure", "message": "no VIP"}]}'),
    )
    with pytest.raises(
        LimitReached,
        match=(
            r"60 s are over: cluster edge is pending-for-input: no VIP; it has no "
            r"hosts yet"
        ),
    ):
        ordered(reach, clock).run()
    cluster["status"] = "installing"
    with pytest.raises(LimitReached, match="160 s are over: cluster edge is installing"):
        ordered(reach, clock).run()
    assert fake.writes == []


def test_a_service_that_restarts_is_waited_for(fake, cluster, reach, clock):
    cluster["status"] = "installing"
    reported = []
    script(clock, cluster, (30, "installed"))
    installation = ordered(reach, clock, tell=reported.append)
    fake.faults = [("GET", "clusters/c", "skip")]  # the first look is answered
    fake.faults += [("GET", "clusters/c", "cut")] * 2 + [("GET", "clusters/c", ("status", 503, b"starting"))]
    assert (
        installation.run()["cluster"]["status"] == "installed"
        and sum("does not answer at this moment" in line for line in reported) == 2
    )


def test_nothing_is_asked_for_twice_while_the_cluster_cannot_be_seen(fake, cluster, reach, clock):
    """It is ready in what was seen last, and was told to install since."""
    script(clock, cluster, (30, "installed"))
    fake.faults = [("POST", "actions/install", "skip")]
    installation = ordered(reach, clock)
    take = installation.service.cluster_action

    def taken(*arguments):
        fake.faults = [("GET", "clusters/c", ("status", 502, {}))] * 4
        return take(*arguments)

    installation.service.cluster_action = taken
    assert installation.run()["plan"] == ["install cluster edge"] and len(fake.writes) == 1


def test_a_minute_without_change_says_how_things_stand(fake, cluster, reach, clock):
    reported = []
    cluster["status"] = "installing"
    fake.add_host(
        "i", "node-1", "52:54:00:00:00:01", cluster_id="c", status="installing", progress={"current_stage": "Rebooting"}
    )
    script(clock, cluster, (70, "installed"))
    ordered(reach, clock, tell=reported.append).run()
    assert reported == [
        "00:00   0% Cluster installation in progress",
        "00:00   0% installing: node-1",
        "01:00   0% Cluster installation in progress: 1 installing, Rebooting",
        "01:10 100% Cluster is installed",
    ]


def test_two_at_once_are_no_fault(fake, cluster, reach, clock):
    fake.faults = [
        (
            "POST",
            "actions/install",
            ("status", 409, {"kind": "Error", "code": "409", "reason": "Cluster is not ready for installation"}),
        )
    ]
    original = fake.answer

    def answer(handler):
        original(handler)
        if handler.command == "POST":
            cluster["status"] = "installing"

    fake.answer = answer
    result = ordered(reach, clock, state="started").run()
    assert not result["changed"] and result["cluster"]["status"] == "installing"


def test_the_module(fake, cluster, run_module):
    predicted = run_module("assisted_install", cluster_name="edge", check=True)
    assert predicted["plan"] == ["install cluster edge"] and predicted["changed"] and fake.writes == []
    started = run_module("assisted_install", cluster_name="c", wait=False)
    assert started["changed"] and started["cluster"]["status"] == "preparing-for-installation"
    assert not run_module("assisted_install", cluster_name="edge", wait=False)["changed"]
    assert [run_module("assisted_install", cluster_name="edge", state="reset")["changed"] for _ in range(2)] == [
        True,
        False,
    ]
    refused = run_module("assisted_install", cluster_name="edge", wait=False)
    assert refused["failed"] and "cluster edge is insufficient: it has no hosts yet" in refused["msg"]
    waits = run_module("assisted_install", cluster_name="edge", check=True)
    assert (
        waits["changed"]
        and waits["plan"][0].startswith("wait: cluster edge is insufficient")
        and waits["plan"][1] == "install cluster edge"
    )
    assert "has edge" in run_module("assisted_install", cluster_name="none")["msg"]


def shown(before, after, title="cluster edge"):
    return {
        "before_header": title,
        "after_header": title,
        "before": f"{before}\n" if before else "",
        "after": f"{after}\n",
    }


@pytest.mark.parametrize(
    ("status", "state", "diff"),
    [
        ("ready", "started", [shown("ready", "installing")]),
        ("installing", "cancelled", [shown("installing", "cancelled")]),
        ("preparing-for-installation", "cancelled", [shown("preparing-for-installation", "ready")]),
        ("error", "reset", [shown("error", "insufficient")]),
        ("installed", "adding_hosts", [shown("installed", "adding-hosts")]),
        ("installed", "installed", []),
    ],
)
def test_the_diff_is_the_status_before_and_at_the_end(cluster, run_module, status, state, diff):
    cluster["status"] = status
    predicted, done = (
        run_module("assisted_install", cluster_name="edge", state=state, wait=False, check=check, diff=True)
        for check in (True, False)
    )
    assert (predicted["diff"], predicted["plan"]) == (done["diff"], done["plan"]) and done["diff"] == diff


def test_check_mode_before_anything_exists(fake, run_module):
    predicted = run_module("assisted_install", cluster_name="edge", check=True, diff=True)
    assert (
        predicted["plan"] == ["wait: cluster edge does not exist yet", "install cluster edge"] and predicted["changed"]
    )
    assert (
        predicted["diff"] == [shown("", "installed")]
        and predicted["cluster"]["name"] == "edge"
        and predicted["warnings"]
    )
    assert run_module("assisted_install", cluster_name="edge", check=True, state="reset")["plan"] == []


def test_check_mode_reports_which_hosts_will_be_added(fake, cluster, run_module):
    cluster["status"] = "adding-hosts"
    fake.add_host("i", "late", "52:54:00:00:00:05", status="insufficient", status_info="no disk", cluster_id="c")
    predicted = run_module("assisted_install", cluster_name="edge", check=True, diff=True)
    assert predicted["plan"] == ["wait: host late is insufficient: no disk", "install host late"]
    assert predicted["diff"] == [shown("insufficient", "added-to-existing-cluster", "host late")]


def test_a_host_that_failed_to_join_is_reset(fake, cluster, run_module):
    cluster["status"] = "adding-hosts"
    host = fake.add_host("i", "broken", "52:54:00:00:00:05", status="error", cluster_id="c")
    predicted, done = (
        run_module("assisted_install", cluster_name="edge", state="reset", wait=False, check=check, diff=True)
        for check in (True, False)
    )
    assert (
        done["plan"] == predicted["plan"] == ["reset host broken"] and host["status"] == "resetting-pending-user-action"
    )
    assert done["diff"] == predicted["diff"] == [shown("error", "resetting-pending-user-action", "host broken")]
    assert not run_module("assisted_install", cluster_name="edge", state="reset")["changed"]
