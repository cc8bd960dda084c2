# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the supervision of a whole installation with scripted observations and a simulated clock: actions, messages,
records, and when the wait ends.
"""

from __future__ import annotations

import dataclasses
import datetime
import sys

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.wait import doubtful_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import StopReason
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.narration import image_read
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Limits, Setup
from ansible_collections.zerotouch.openshift.plugins.module_utils.serving.request_log import ImageRead


def good_course(world, kit):
    """Two hosts from power-on to an installed cluster; node 0 (a) reboots last and takes the service along."""
    installing = lambda a, b, **more: kit.service(a, b, status="installing", **more)  # noqa: E731
    a, b = kit.A, kit.B
    world.at(0, kit.o.Observation())
    world.at(64, kit.service(kit.found(a, "discovering")))
    world.at(70, kit.service(kit.found(a), kit.found(b, "insufficient")))
    world.at(90, kit.service(kit.found(a), kit.found(b), status="ready"))
    world.at(
        100,
        kit.service(
            kit.found(a, "preparing-for-installation"),
            kit.found(b, "preparing-for-installation"),
            status="preparing-for-installation",
            percent=5,
        ),
    )
    in_progress = "installing-in-progress"
    world.at(120, installing(kit.found(a, "installing", bootstrap=True), kit.found(b, "installing"), percent=10))
    world.at(
        140,
        installing(
            kit.found(a, in_progress, "Waiting for control plane", bootstrap=True),
            kit.found(b, in_progress, "Writing image to disk"),
            percent=30,
        ),
    )
    world.at(
        160,
        installing(
            kit.found(a, in_progress, "Waiting for bootkube", bootstrap=True),
            kit.found(b, in_progress, "Rebooting"),
            percent=48,
        ),
    )
    last = installing(
        kit.found(a, in_progress, "Waiting for controller", bootstrap=True),
        kit.found(b, "installed", "Done"),
        percent=71,
    )
    world.at(200, kit.api("node-b", seen=last, bootstrap=False))
    world.at(220, kit.api("node-b"))
    world.at(
        260,
        kit.api(
            "node-a",
            "node-b",
            operators=[kit.operator("dns"), kit.operator("console", available=False, progressing=True)],
        ),
    )
    world.at(300, kit.api("node-a", "node-b", complete=True, operators=[kit.operator("dns"), kit.operator("console")]))
    return world


def test_a_good_course(world, kit):
    outcome = good_course(world, kit).run()
    assert (outcome.step.kind, outcome.memory.percent, outcome.changed, outcome.warnings) == ("done", 100, True, ())
    assert outcome.elapsed == pytest.approx(330, abs=4)  # 30 s of quiet operators included
    # b's medium goes when it reboots, node 0's when its service has gone after bootstrap.
    assert world.media.calls == [("eject", "b"), ("eject", "a")]
    assert world.install["phase"] == "installed"
    assert world.install["installed_at"].endswith("Z")


def test_what_is_said(world, kit):
    good_course(world, kit).run()
    said = world.texts()
    for text in (
        "Waiting for the service on the rendezvous host",
        "No service at 192.168.1.10 yet",
        "The service answers; waiting for all hosts",
        "registered, discovering: node-a",
        "Cluster is ready for install",
        "preparing-for-installation: node-a, node-b",
        "Writing image to disk: node-b",
        "b: ejecting the ISO (host is rebooting from disk)",
        "The assisted-service has stopped: the rendezvous host is rebooting",
        "a: ejecting the ISO (it ran the assisted-service, which stopped after bootstrap)",
        "Node joined: node-a",
        "Operators available: 1 of 2, missing console",
        "Installation is complete.",
    ):
        assert said.count(text) == 1, text
    assert all(len(line) <= 120 and "\n" not in line and "\x1b" not in line for line in world.lines)


def test_the_timeline_is_recorded(world, kit):
    good_course(world, kit).run()
    install = world.install
    stages = [(entry["host"], entry["stage"] or entry["status"]) for entry in install["timeline"]]
    assert ("b", "Writing image to disk") in stages
    # Node 0 cannot report its reboot: the service goes with it.
    assert stages.index(("a", "Rebooting")) < stages.index(("a", "Node ready"))
    assert [entry["at"] for entry in install["timeline"]] == sorted(entry["at"] for entry in install["timeline"])
    assert list(install["phases"]) == ["boot", "bootstrap", "discovery", "install", "operators"]
    assert install["cluster_id"] == "c1"
    assert install["hosts"]["b"]["node"] == "ready"
    assert install["nodes"] == [
        {"name": "node-a", "ready": True, "roles": []},
        {"name": "node-b", "ready": True, "roles": []},
    ]


@pytest.mark.parametrize(
    ("seconds", "phase"),
    [(30, "booted"), (95, "booted"), (125, "bootstrap"), (210, "bootstrap"), (240, "installing"), (310, "installing")],
)
def test_a_signal_ends_the_wait_and_leaves_the_phase_behind(world, kit, seconds, phase):
    world.clock.stop_at = world.clock.time + seconds
    with pytest.raises(Interrupted):
        good_course(world, kit).run()
    assert world.install["phase"] == phase


def test_silence_never_takes_a_running_installation_back(world, kit):
    world.state.update("install", {"phase": "bootstrap"})
    silent_service = kit.o.Observation(service=kit.o.ServiceView(answers=True, ours=True, detail="timed out"))
    world.at(0, kit.o.Observation()).at(10, silent_service)
    world.clock.stop_at = world.clock.time + 30
    with pytest.raises(Interrupted):
        world.run()
    assert world.install["phase"] == "bootstrap"


def test_a_service_that_shows_an_earlier_state_does(world, kit):
    world.state.update("install", {"phase": "installing", "cluster_id": "old", "timeline": [{"host": "a"}]})
    world.at(0, kit.service(kit.found(kit.A), identity="new"))
    world.clock.stop_at = world.clock.time + 5
    with pytest.raises(Interrupted):
        world.run()
    assert world.install["phase"] == "booted"
    assert [entry.get("status") for entry in world.install["timeline"]] == ["known"]


def resumed(world, kit, seconds, limit=60.0):
    """A wait for an installation that was under way and last seen so many seconds ago."""
    world.state.update("install", {"phase": "installing"})
    world.setup = dataclasses.replace(
        world.setup, silence=kit.o.Silence("install", seconds, limit, "2026-01-01T00:00:00Z")
    )
    return world


def test_a_wait_that_meets_silence_goes_on_when_the_host_is_back(world, kit):
    resumed(world, kit, 20)
    world.at(30, kit.api("node-a", "node-b", complete=True, operators=[kit.operator("dns", age=400)]))
    outcome = world.run()
    assert (outcome.step.kind, outcome.elapsed) == ("done", 30)
    assert world.texts()[0] == (
        "Nothing answers at the moment; the rendezvous host may be rebooting; waiting, no machine is booted"
    )
    assert not [call for call in world.media.calls if call[0] == "repair"]


def test_silence_that_lasts_ends_with_what_is_unknown(world, kit):
    outcome = resumed(world, kit, 20).run()
    assert (outcome.step.kind, outcome.step.terminal, outcome.elapsed) == ("stop", False, 40)
    assert (
        "the state is unknown" in outcome.step.reason
        and "last seen at 2026-01-01T00:00:00Z" in outcome.step.reason
        and "start_over" in outcome.step.reason
    )
    assert world.install["phase"] == "installing" and "overdue" not in world.install
    assert world.media.calls == []


def test_once_seen_the_limits_are_the_ordinary_ones(world, kit):
    resumed(world, kit, 20)
    world.at(10, kit.api("node-a")).at(20, kit.o.Observation())
    outcome = world.run()
    assert "phase install exceeded its limit of 2400 s" in outcome.step.reason


def test_when_it_was_last_seen_is_recorded(world, kit):
    world.at(0, kit.o.Observation()).at(10, kit.service(kit.found(kit.A, "installing"), status="installing")).at(
        50, kit.o.Observation()
    )
    started = world.clock.time
    world.clock.stop_at = started + 90
    with pytest.raises(Interrupted):
        world.run()
    seen = datetime.datetime.fromisoformat(world.install["last_seen_at"])
    # To ten seconds.
    assert 38 <= seen.timestamp() - 1_800_000_000 - started <= 50


def test_until_bootstrap(world, kit):
    world.setup = dataclasses.replace(world.setup, until="bootstrap")
    outcome = good_course(world, kit).run()
    assert (outcome.step.kind, outcome.step.reason) == ("done", "Bootstrap is complete.")
    assert outcome.elapsed == pytest.approx(220, abs=4)
    assert world.install["phase"] == "installing"


def test_attaching_to_a_complete_cluster_ends_at_once_and_detaches_what_is_left(world, kit):
    settled = [kit.operator("dns", age=400), kit.operator("console", age=31)]
    outcome = world.at(0, kit.api("node-a", "node-b", complete=True, operators=settled)).run()
    assert (outcome.step.kind, outcome.elapsed) == ("done", 0)
    assert sorted(world.media.calls) == [("eject", "a"), ("eject", "b")]


def test_operators_must_be_quiet_for_30_seconds(world, kit):
    quiet, busy = [kit.operator("dns")], [kit.operator("dns", progressing=True)]
    world.at(0, kit.api("node-a", complete=True, operators=quiet))
    world.at(20, kit.api("node-a", complete=True, operators=busy))
    world.at(30, kit.api("node-a", complete=True, operators=quiet))
    assert world.run().elapsed == pytest.approx(60, abs=2)


def test_a_terminal_error_ends_at_once_with_the_reason_per_host(world, kit):
    bad = kit.found(kit.B, "error", status_info="Failed - disk /dev/sda is gone")
    other = kit.found(kit.A, "error", status_info="Host is part of a cluster that failed to install")
    world.at(0, kit.service(kit.found(kit.A, "installing"), kit.found(kit.B, "installing"), status="installing"))
    world.at(10, kit.service(other, bad, status="error", status_info="cluster has hosts in error"))
    outcome = world.run()
    assert outcome.step.kind == "stop" and outcome.step.terminal
    assert outcome.step.reason == "Cluster has hosts in error; node-b: Failed - disk /dev/sda is gone"
    assert outcome.suspects == ("node-b: Failed - disk /dev/sda is gone",)
    # Hosts that only share its fate are no news, and what has failed waits for nothing.
    assert not any("part of a cluster" in text for text in world.texts())
    assert "awaited" not in world.install
    assert (world.install["phase"], world.install["failure"]) == ("failed", outcome.step.reason)
    assert outcome.elapsed == pytest.approx(10, abs=2)


def test_one_failed_worker_is_reported_but_ends_nothing(world, kit):
    world.at(
        0,
        kit.service(
            kit.found(kit.A, "installing"), kit.found(kit.B, "error", status_info="broken"), status="installing"
        ),
    )
    world.clock.stop_at = world.clock.time + 20
    with pytest.raises(Interrupted):
        world.run()
    assert world.texts().count("b failed: broken") == 1


def test_hosts_that_do_not_appear(world, kit):
    world.setup = dataclasses.replace(world.setup, limits=Limits(discovery=300))
    outcome = world.at(0, kit.service(kit.found(kit.A))).run()
    assert "1 of 2 hosts did not appear: b (52:54:00:00:00:01)" in outcome.step.reason
    assert len(outcome.suspects) == 3
    assert "b did not boot the image" in outcome.suspects[0]
    assert "8090" in outcome.suspects[1] and "52:54:00:00:00:01" in outcome.suspects[2]
    assert not outcome.step.terminal
    assert (world.install["phase"], world.install["overdue"]) == ("booted", True)


def test_no_service_at_all(world, kit):
    world.setup = dataclasses.replace(world.setup, limits=Limits(boot=100))
    silent = kit.o.Observation(service=kit.o.ServiceView(detail="no answer from http://192.168.1.10:8090 in time."))
    outcome = world.at(0, silent).run()
    assert "phase boot exceeded its limit of 100 s: no service answered at 192.168.1.10" in outcome.step.reason
    assert [
        word in suspect
        for word, suspect in zip(
            ("a did not boot", "cannot be reached", "pull the release image"), outcome.suspects, strict=True
        )
    ] == [True] * 3
    assert world.install["overdue"] is True
    assert "failure" in world.install


@pytest.mark.parametrize(
    ("phase", "seen", "reason", "suspect"),
    [
        (
            "bootstrap",
            lambda kit: kit.service(
                kit.found(kit.A, "installing-in-progress", "Writing image to disk"), status="installing"
            ),
            "API does not answer",
            "a is in",
        ),
        (
            "install",
            lambda kit: kit.api("node-a", operators=[kit.operator("dns", degraded="no endpoints")]),
            "not rolled out",
            "dns is degraded",
        ),
        (
            "operators",
            lambda kit: kit.api("node-a", complete=True, operators=[kit.operator("dns", progressing=True)]),
            "still progressing: dns",
            "b did not join",
        ),
    ],
)
def test_limits_of_later_phases(world, kit, phase, seen, reason, suspect):
    world.setup = dataclasses.replace(
        world.setup, limits=dataclasses.replace(Limits(), **{phase: 50}), media=frozenset()
    )
    outcome = world.at(0, seen(kit)).run()
    assert f"phase {phase} exceeded its limit of 50 s" in outcome.step.reason and reason in outcome.step.reason
    assert any(suspect in text for text in outcome.suspects)
    assert outcome.elapsed == pytest.approx(50, abs=2)
    assert not outcome.step.terminal


def test_a_ready_cluster_that_does_not_start(world, kit):
    stranger = dataclasses.replace(kit.found(kit.make_host("x", 9)), id="id-x")
    outcome = world.at(0, kit.service(kit.found(kit.A), kit.found(kit.B), stranger, status="ready")).run()
    assert "these hosts are registered but not in the configuration: node-x" in outcome.step.reason
    assert outcome.elapsed == pytest.approx(62, abs=2)


def test_ready_while_a_host_is_still_booting_is_no_fault(world, kit):
    world.at(0, kit.service(kit.found(kit.A), status="ready"))
    world.clock.stop_at = world.clock.time + 300
    with pytest.raises(Interrupted):
        world.run()


def test_a_host_that_boots_the_image_again_is_repaired_twice_then_reported(world, kit):
    stuck = kit.found(
        kit.B, "installing-pending-user-action", "Rebooting", status_info="Expected the host to boot from disk"
    )
    world.setup = dataclasses.replace(world.setup, limits=Limits(bootstrap=10000))
    world.at(0, kit.service(kit.found(kit.A, "installing"), stuck, status="installing-pending-user-action"))
    world.clock.stop_at = world.clock.time + 2000
    with pytest.raises(Interrupted):
        world.run()
    assert world.media.calls == [("repair", "b"), ("repair", "b")]
    assert world.texts().count("b: manual action is required: Expected the host to boot from disk") == 1
    assert "b: manual action is required: Expected the host to boot from disk" in world.install["warnings"]


def test_a_repaired_host_needs_no_further_detaching(world, kit):
    stuck = kit.found(kit.B, "installing-pending-user-action", "Rebooting")
    world.at(0, kit.service(kit.found(kit.A, "installing"), stuck, status="installing-pending-user-action"))
    world.at(
        60,
        kit.service(
            kit.found(kit.A, "installing"), kit.found(kit.B, "installing-in-progress", "Joined"), status="installing"
        ),
    )
    world.clock.stop_at = world.clock.time + 120
    with pytest.raises(Interrupted):
        world.run()
    assert world.media.calls == [("repair", "b")]


@pytest.mark.parametrize("option", ["repair", "detach"])
def test_what_is_switched_off_is_not_done(world, kit, option):
    world.setup = dataclasses.replace(world.setup, **{option: False})
    pending = kit.found(kit.A, "installing-pending-user-action", "Rebooting")
    world.at(0, kit.service(pending, kit.found(kit.B, "installing-in-progress", "Rebooting"), status="installing"))
    world.clock.stop_at = world.clock.time + 120
    with pytest.raises(Interrupted):
        world.run()
    assert world.media.calls == ([("eject", "b")] if option == "repair" else [("repair", "a")])


def test_a_medium_that_cannot_be_detached_is_tried_three_times_and_reported(world, kit):
    world.media.failures = {"b": 99}
    outcome = good_course(world, kit).run()
    assert outcome.step.kind == "done"
    assert world.media.calls.count(("eject", "b")) == 3
    assert "The medium of b could not be detached. Detach it manually." in outcome.warnings
    assert "b: ejecting the ISO failed: BMC says no" in outcome.warnings


def test_a_former_clusters_api_does_not_count_after_start_over(world, kit):
    world.state.update("install", {"phase": "installed", "installed_at": "x", "timeline": [{"host": "a"}]})
    old = kit.api("node-a", "node-b", complete=True, operators=[kit.operator("dns", age=9999)])
    world.at(0, old).at(30, kit.service(kit.found(kit.A))).at(60, old)
    outcome = world.run(fresh=True)
    assert outcome.elapsed >= 60
    assert world.install["installed_at"] != "x"


def test_a_heartbeat_every_minute_and_no_more(world, kit):
    world.setup = dataclasses.replace(world.setup, limits=Limits(discovery=600))
    world.at(0, kit.service(kit.found(kit.A))).run()
    beats = [
        line
        for line in world.lines
        if ("discovery: hosts 1/2 registered; missing: b (52:54:00:00:00:01); 1 known") in line
    ]
    assert len(beats) == 9


# What the image server has logged (None: its log tells nothing), other fields of the setup -> what is known of the
# image of host b.
_OTHER_READER = {"192.0.2.1": ImageRead(100, 5)}
IMAGES_OF_HOSTS = {
    "no log": (None, {}, ""),
    "nothing read": ({}, {}, "image not requested yet"),
    "the BMC of another host reads": ({"10.0.0.10": ImageRead(5, 1)}, {}, "image not requested yet"),
    "a reader that is no BMC may be this one": (_OTHER_READER, {}, ""),
    "its own reads count beside those of others": (
        {**_OTHER_READER, "10.0.0.11": ImageRead(7, 1)},
        {},
        "image read to 7 %",
    ),
    "a host that an earlier run powered on may have read before": ({}, {"doubtful": {"b": 100.0}}, ""),
    "complete": ({"10.0.0.11": ImageRead(100, 900)}, {}, "image read to 100 %"),
    "under way": ({"10.0.0.11": ImageRead(43, 119)}, {}, "image read to 43 %"),
    "just stopped": ({"10.0.0.11": ImageRead(43, 120)}, {}, "reading stopped at 43 % 2 minutes ago"),
    "stopped": ({"10.0.0.11": ImageRead(43, 359)}, {}, "reading stopped at 43 % 5 minutes ago"),
    "a host without BMC": ({}, {"bmc_addresses": {"a": "10.0.0.10"}}, ""),
    "two hosts behind one address": (
        {"10.0.0.11": ImageRead(43, 1)},
        {"bmc_addresses": {"a": "10.0.0.11", "b": "10.0.0.11"}},
        "",
    ),
}


@pytest.mark.parametrize("case", IMAGES_OF_HOSTS)
def test_what_is_known_of_the_image_of_a_host(kit, case):
    reads, more, expected = IMAGES_OF_HOSTS[case]
    setup = Setup((kit.A, kit.B), **{"bmc_addresses": {"a": "10.0.0.10", "b": "10.0.0.11"}, **more})
    assert image_read(kit.o.Observation(reads=reads), setup, kit.B) == expected


def test_the_heartbeat_says_how_far_missing_hosts_have_read_the_image(world, kit):
    world.setup = dataclasses.replace(
        world.setup, limits=Limits(discovery=200), bmc_addresses={"a": "10.0.0.10", "b": "10.0.0.11"}
    )
    registered = kit.service(kit.found(kit.A))
    world.at(0, dataclasses.replace(registered, reads={"10.0.0.11": ImageRead(43, 10)}))
    world.at(100, dataclasses.replace(registered, reads={"10.0.0.11": ImageRead(43, 300)})).run()
    said = [text for text in world.texts() if text.startswith("missing: ")]
    host = "missing: b (52:54:00:00:00:01): "
    assert said == [host + "image read to 43 %", *[host + "reading stopped at 43 % 5 minutes ago"] * 2]


def test_of_many_missing_hosts_a_few_are_named(world, kit):
    hosts = tuple(kit.o.InventoryHost(f"n{number}", macs=(f"52:54:00:00:01:0{number}",)) for number in range(8))
    addresses = {host.name: f"10.0.1.{number}" for number, host in enumerate(hosts)}
    world.setup = dataclasses.replace(world.setup, hosts=hosts, bmc_addresses=addresses, limits=Limits(discovery=100))
    world.at(0, dataclasses.replace(kit.service(), reads={})).run()
    said = [line for line in world.texts() if "image not requested yet" in line]
    assert said == [f"missing: n{number} (52:54:00:00:01:0{number}): image not requested yet" for number in range(5)]
    assert "and 3 more hosts are missing" in world.texts()


def test_validation_failures_are_said_once_per_change(world, kit):
    failure = kit.Validation("network", "ntp-synced", "failure", "Host couldn't synchronize with any NTP server")
    fine = dataclasses.replace(failure, status="success", message="ok")

    def with_validation(v: object) -> object:
        return kit.service(
            kit.found(kit.A, "insufficient", validations=(v,)), kit.found(kit.B, "insufficient", validations=(v,))
        )

    world.at(0, with_validation(failure)).at(100, with_validation(fine))
    world.clock.stop_at = world.clock.time + 140
    with pytest.raises(Interrupted):
        world.run()
    assert world.texts().count("node-a, node-b: ntp-synced failed: Host couldn't synchronize with any NTP server") == 1
    assert world.texts().count("node-a, node-b: ntp-synced is fine now") == 1


def test_what_fails_in_the_first_minute_of_a_host_is_not_shown(world, kit):
    failure = kit.Validation("network", "ntp-synced", "failure", "Host couldn't synchronize with any NTP server")
    early = kit.service(
        kit.found(kit.B, "insufficient", validations=(failure,)),
        kit.found(kit.A, "insufficient", validations=(failure,)),
    )
    world.at(0, early).at(40, kit.service(kit.found(kit.B, "known"), kit.found(kit.A, "known")))
    world.clock.stop_at = world.clock.time + 80
    with pytest.raises(Interrupted):
        world.run()
    texts = world.texts()
    assert not [text for text in texts if "ntp-synced" in text or "insufficient" in text]
    assert "registered, discovering: node-a, node-b" in texts and "known: node-a, node-b" in texts, "in inventory order"
    assert "hosts 2/2 registered" in texts


def test_looking_changes_nothing(world, kit):
    world.at(0, kit.service(kit.found(kit.A, "installing-in-progress", "Rebooting"), status="installing"))
    _seen, steps = world.supervisor().look()
    assert [step.text() for step in steps] == ["a: ejecting the ISO (host is rebooting from disk)"]
    assert world.media.calls == [] and not world.state.path.exists()


def test_long_lines_are_cut(world, kit):
    many = [kit.make_host(f"host-with-a-rather-long-name-{i}", i) for i in range(9)]
    world.at(0, kit.service(*(kit.found(host) for host in many)))
    world.clock.stop_at = world.clock.time + 3
    with pytest.raises(Interrupted):
        world.run()
    assert max(len(line) for line in world.lines) == 120


def test_hosts_that_fail_alike_are_one_suspect(world, kit):
    failure = kit.Validation("network", "ntp-synced", "failure", "Host couldn't synchronize with any NTP server")
    world.setup = dataclasses.replace(world.setup, limits=Limits(discovery=50))
    hosts = [kit.found(host, "insufficient", validations=(failure,)) for host in (kit.A, kit.B)]
    vips = kit.Validation("network", "api-vips-valid", "failure", "api vips 192.168.1.5 is already in use")
    outcome = world.at(0, kit.service(*hosts, validations=(vips,))).run()
    assert outcome.step.reason == "phase discovery exceeded its limit of 50 s: a, b are insufficient"
    assert outcome.suspects == (
        "a, b are insufficient: ntp-synced: Host couldn't synchronize with any NTP server.",
        "Cluster validation api-vips-valid: api vips 192.168.1.5 is already in use",
    )


@pytest.mark.parametrize("controlled", [True, False])
def test_a_host_that_boots_the_image_again_without_a_service_that_reports_it(world, kit, controlled):
    """Node 0 has rebooted, so no service sees b return to the live system; only its missing Node shows it."""
    media = frozenset({"a", "b"}) if controlled else frozenset({"a"})
    world.setup = dataclasses.replace(world.setup, media=media, limits=Limits(install=10000))
    rebooting = kit.found(kit.B, "installing-in-progress", "Rebooting")
    world.at(
        0,
        kit.service(
            kit.found(kit.A, "installing-in-progress", "Waiting for controller", bootstrap=True),
            rebooting,
            status="installing",
        ),
    )
    world.at(10, kit.api("node-a"))
    world.clock.stop_at = world.clock.time + 3100
    with pytest.raises(Interrupted):
        world.run()
    repairs = [call for call in world.media.calls if call[0] == "repair"]
    assert len(repairs) == (2 if controlled else 0)
    assert (
        world.texts().count(
            "b: manual action is required: it rebooted and has no Node. "
            "Look at its console to see which system it booted"
        )
        == 1
    )


def strayed(world, kit, **view):
    """Another run saw the installation until the service ended: this one finds a cluster without the Node of b."""
    world.setup = dataclasses.replace(world.setup, limits=Limits(install=1000))
    world.media.views["b"] = kit.o.MachineView(
        **{"power": "On", "image_attached": True, "override": "Continuous Cd", **view}
    )
    return world.at(0, kit.api("node-a"))


def test_a_worker_that_runs_the_image_after_the_service_has_ended(world, kit):
    outcome = strayed(world, kit).run()
    text = (
        "it runs the ISO: power On, the image is attached, boot override Continuous Cd, and it has no Node 8 min "
        "after bootstrap"
    )
    assert [line for line in world.texts() if "restarting from disk" in line] == [
        f"b: restarting from disk ({text})"[:108] + "…"
    ]
    assert [call for call in world.media.calls if call[0] == "repair"] == [("repair", "b")]
    assert world.install["repairs"] == {"b": 1}
    assert outcome.suspects[0].startswith(
        "b runs the ISO (power On, the image is attached, boot override Continuous Cd) and has no Node:"
    )


def test_the_next_run_does_not_restart_it_a_second_time(world, kit):
    world.state.update("install", {"phase": "installing", "repairs": {"b": 1}})
    outcome = strayed(world, kit).run()
    assert not [call for call in world.media.calls if call[0] == "repair"]
    assert outcome.suspects[0].startswith("b runs the ISO")


@pytest.mark.parametrize(
    "view", [{"power": "Off"}, {"image_attached": False}, {"power": ""}], ids=["off", "detached", "power not known"]
)
def test_a_host_that_does_not_run_the_image_is_left_alone(world, kit, view):
    outcome = strayed(world, kit, **view).run()
    assert not [call for call in world.media.calls if call[0] == "repair"]
    assert not [text for text in outcome.suspects if "runs the ISO" in text]


def bootstrapping(world, kit, **more):
    hosts = (
        kit.found(kit.A, "installing-in-progress", "Waiting for bootkube", bootstrap=True),
        kit.found(kit.B, "installing-in-progress", "Rebooting"),
    )
    return world.at(0, kit.service(*hosts, status="installing")).at(60, kit.o.Observation())


def test_a_rendezvous_host_that_loses_its_power_ends_the_installation(world, kit):
    world.media.views["a"] = kit.o.MachineView("Off", True)
    outcome = bootstrapping(world, kit).run()
    assert (
        outcome.step.terminal
        and "the installation cannot continue: rendezvous host a is powered off" in outcome.step.reason
    )
    assert "destroy_cluster" in outcome.step.reason and "start_over" in outcome.step.reason
    assert outcome.elapsed < 180 and world.install["phase"] == "failed"


def test_a_rendezvous_host_that_is_off_for_a_moment(world, kit):
    """A restart is no loss of power; what becomes of it is not known here."""
    began = world.clock.time
    world.media.views["a"] = lambda: kit.o.MachineView("Off" if world.clock.time - began < 140 else "On", True)
    world.setup = dataclasses.replace(world.setup, limits=Limits(bootstrap=400))
    assert "phase bootstrap exceeded its limit" in bootstrapping(world, kit).run().step.reason


def test_a_silent_rendezvous_host_whose_power_cannot_be_read_is_reported(world, kit):
    world.setup = dataclasses.replace(world.setup, limits=Limits(bootstrap=1600))
    outcome = bootstrapping(world, kit).run()
    (text,) = [warning for warning in outcome.warnings if "lost power or restarted" in warning]
    assert "for 5 min" in text and "a " in text


def elsewhere(world):
    """The service runs on none of the hosts."""
    world.setup = dataclasses.replace(world.setup, elsewhere="assisted.example.com")
    return world


def test_a_service_that_stays_has_the_last_word(world, kit):
    """Also where the cluster's API is out of reach; media that are left go at the end."""
    done = [kit.found(host, "installed", "Done") for host in (kit.A, kit.B)]
    elsewhere(world).at(0, kit.service(*done, status="finalizing", percent=90)).at(
        60, kit.service(*done, status="installed", percent=100)
    )
    outcome = world.run()
    assert (outcome.step.kind, outcome.step.reason) == ("done", "Installation is complete.")
    assert world.media.calls == [("eject", "a"), ("eject", "b")] and world.install["phase"] == "installed"
    assert "Bootstrap is complete; waiting for the release to roll out" in world.texts()


def test_a_service_that_stays_is_silent_for_a_moment(world, kit):
    """No host takes it along, so nothing is concluded from that."""
    hosts = [
        kit.found(kit.A, "installing-in-progress", "Waiting for bootkube", bootstrap=True),
        kit.found(kit.B, "installing-in-progress", "Rebooting"),
    ]
    elsewhere(world).at(0, kit.service(*hosts, status="installing"))
    world.at(20, kit.o.Observation(service=kit.o.ServiceView(detail="503: upstream connect error")))
    world.at(60, kit.service(*[kit.found(host, "installed", "Done") for host in (kit.A, kit.B)], status="installed"))
    world.run()
    assert "The service does not answer at this moment. 503: upstream connect error" in world.texts()
    assert not [text for text in world.texts() if "rendezvous" in text]
    assert world.install["hosts"]["a"]["stage"] == "Done"


def test_what_is_cared_for_between_two_looks(world, kit):
    """What was done is said and counts as a change, a report is printed once, and a stop ends the wait with its
    reason.
    """
    module = sys.modules[type(world.supervisor()).__module__]
    provided = [
        module.UpkeepResult(lines=("update host a",), reports=("b: no disk fits",), changed=True),
        module.UpkeepResult(reports=("b: no disk fits",)),
        module.UpkeepResult(stop=StopReason("the installation could not be prepared 3 times")),
    ]
    outcome = (
        elsewhere(world)
        .at(0, kit.service(kit.found(kit.A), kit.found(kit.B), status="ready"))
        .run(upkeep_plan=lambda seen: provided.pop(0))
    )
    assert (outcome.changed, outcome.warnings, outcome.step.reason) == (
        True,
        ("b: no disk fits",),
        "the installation could not be prepared 3 times",
    )
    assert world.texts().count("b: no disk fits") == 1 and "update host a" in world.texts()
    assert world.install["failure"] == outcome.step.reason


def test_a_host_that_cannot_reach_a_service_elsewhere(world, kit):
    world.setup = dataclasses.replace(elsewhere(world).setup, limits=Limits(discovery=50))
    outcome = world.at(0, kit.service(kit.found(kit.A))).run()
    assert any("b cannot reach the service at assisted.example.com" in suspect for suspect in outcome.suspects)


BOOT_LIMIT = 400.0  # the grace is an eighth of it
POWERED_ON = "it was powered on by an earlier run, and has neither read the image nor registered in 50 s"


def left_alone(world, kit, *names, **limits):
    """Hosts that an earlier run powered on; the BMC of a reads from 10.0.0.10, that of b from 10.0.0.11."""
    addresses = {"a": "10.0.0.10", "b": "10.0.0.11"}
    world.setup = dataclasses.replace(
        world.setup,
        limits=Limits(**{"boot": BOOT_LIMIT, "discovery": BOOT_LIMIT, **limits}),
        doubtful=dict.fromkeys(names, 1000.0),
        bmc_addresses=addresses,
    )
    return world


# What is seen from the beginning -> hosts that are booted again.
SEEN_OF_HOSTS = {
    "nothing": (lambda kit: kit.o.Observation(), ["a", "b"]),
    "the BMC of one reads the image": (lambda kit: kit.o.Observation(readers=frozenset({"10.0.0.10"})), ["b"]),
    "both read the image": (lambda kit: kit.o.Observation(readers=frozenset({"10.0.0.10", "10.0.0.11"})), []),
    "an unknown address reads the image: it may be either": (
        lambda kit: kit.o.Observation(readers=frozenset({"192.0.2.1"})),
        [],
    ),
    "one is registered": (lambda kit: kit.service(kit.found(kit.A)), ["b"]),
    "both are registered": (lambda kit: kit.service(kit.found(kit.A), kit.found(kit.B)), []),
    "the service answers: its host runs": (lambda kit: kit.service(), ["b"]),
    "a registered host has sent no MAC addresses yet": (
        lambda kit: kit.service(dataclasses.replace(kit.found(kit.A), macs=())),
        [],
    ),
    "the installation is under way": (lambda kit: kit.service(kit.found(kit.A, "installing"), status="installing"), []),
    "the API of the cluster answers": (lambda kit: kit.api("node-a", bootstrap=False), []),
}


@pytest.mark.parametrize("seen", SEEN_OF_HOSTS)
def test_hosts_that_found_no_image_are_booted_again_once(world, kit, seen):
    observation, expected = SEEN_OF_HOSTS[seen]
    outcome = left_alone(world, kit, "a", "b", bootstrap=BOOT_LIMIT, install=BOOT_LIMIT).at(0, observation(kit)).run()
    assert outcome.step.kind == "stop"
    assert [name for kind, name in world.media.calls if kind == "boot"] == expected
    assert [text for text in outcome.warnings if "booted again" in text] == [
        f"{name} was booted again: {POWERED_ON}." for name in expected
    ]
    assert world.install.get("warnings", []) == list(outcome.warnings)


def test_only_hosts_that_an_earlier_run_left_are_booted_again(world, kit):
    left_alone(world, kit, "b").at(0, kit.o.Observation()).run()
    assert world.media.calls == [("boot", "b")]


def test_a_host_that_reads_the_image_within_the_grace_is_waited_for(world, kit):
    left_alone(world, kit, "a", "b")
    world.at(0, kit.o.Observation()).at(40, kit.o.Observation(readers=frozenset({"10.0.0.10"}))).at(
        48, kit.service(kit.found(kit.A), kit.found(kit.B))
    )
    world.run()
    assert not [call for call in world.media.calls if call[0] == "boot"]


@pytest.mark.parametrize(("before", "expected"), [(0.0, 100), (30.0, 70), (50.0, 50), (1000.0, 50)])
def test_a_host_that_was_just_powered_on_has_time_for_its_self_test(world, kit, before, expected):
    """The grace is 50 s; not before twice that time after power on."""
    left_alone(world, kit, "a").at(0, kit.o.Observation())
    world.setup = dataclasses.replace(world.setup, doubtful={"a": before})
    began, times = world.clock.time, []
    world.media.boot = lambda names: times.append(world.clock.time - began) or []
    supervisor = world.supervisor()
    world.clock.stop_at = world.clock.time + expected + 4
    with pytest.raises(Interrupted):
        supervisor.run()
    assert times and times[0] == pytest.approx(expected, abs=4)


def test_a_boot_that_fails_is_reported_and_not_repeated(world, kit):
    world.media.failures = {"a": 5}
    outcome = left_alone(world, kit, "a").at(0, kit.o.Observation()).run()
    assert world.media.calls == [("boot", "a")]
    assert "a: booting from the ISO again failed: BMC says no" in outcome.warnings and not [
        text for text in outcome.warnings if "booted again" in text
    ]


@pytest.mark.parametrize(("boot", "grace"), [(2400.0, 300.0), (7200.0, 300.0), (240.0, 30.0)])
def test_the_grace(kit, boot, grace):
    assert Limits(boot=boot).grace == grace


RECORDED = [
    ("powered on before the server began", {"state": "booted", "at": "2026-01-01T00:00:00Z"}, "serve", {"a"}),
    ("the boot was not completed", {"state": "booting", "at": "2026-01-01T00:00:00Z"}, "serve", {"a"}),
    ("powered on while the server ran", {"state": "booted", "at": "2026-01-01T00:10:00Z"}, "serve", set()),
    ("only permitted", {"state": "permitted", "at": "2026-01-01T00:00:00Z"}, "serve", set()),
    ("a server of the user", {"state": "booted", "at": "2026-01-01T00:00:00Z"}, "directory", set()),
]


@pytest.mark.parametrize(
    ("entry", "method", "expected"), [case[1:] for case in RECORDED], ids=[case[0] for case in RECORDED]
)
def test_which_hosts_may_have_found_no_image(kit, entry, method, expected):
    state = {"publish": {"method": method, "since": "2026-01-01T00:05:00Z"}, "machines": {"a": entry, "b": entry}}
    now = datetime.datetime(2026, 1, 1, 0, 6, tzinfo=datetime.UTC)
    assert doubtful_hosts(state, (kit.A, kit.B), ["a"], now) == dict.fromkeys(expected, 360.0)
    assert doubtful_hosts({**state, "publish": {"method": method}}, (kit.A, kit.B), ["a"], now) == {}
    assert doubtful_hosts({**state, "publish": {"method": method, "since": "soon"}}, (kit.A, kit.B), ["a"], now) == {}
