# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the boot procedure of a BMC (insert the ISO, set the boot device, power on) against a Redfish service on a real
socket.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts, release
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Interrupted
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

FakeBmc, FakeSlot, Served = fake.FakeBmc, fake.FakeSlot, fake.Served

URL = "http://192.0.2.1:8080/token/agent.x86_64.iso"
MAC = "52:54:00:00:00:01"


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    running: list[Any] = []

    def start(**switches: Any) -> Any:
        running.append(Served(FakeBmc(**switches)))
        return running[-1]

    yield start
    for served in running:
        served.close()


@pytest.fixture
def options() -> BmcOptions:
    return BmcOptions(clock=Clock())


def request_for(served: Any, name: str = "node-1", **more: Any) -> BootRequest:
    values = {"mac_addresses": (MAC,), "image_url": URL, "username": fake.USER, "password": fake.PASSWORD, **more}
    return BootRequest(name, served.address, **values)


def test_boot_does_everything_in_order(serve: Any, options: BmcOptions) -> None:
    served = serve()
    served.bmc.slots[1].image, served.bmc.slots[1].inserted = "http://old/x/old.iso", True
    (result,) = boot_hosts([request_for(served)], "booted", options)
    assert not result.failed, result.reason
    assert (result.changed, result.slot, result.boot_target, result.phase) == (True, "2", "Cd", "power_on")
    assert (result.previous_image, result.power_state_before, result.power_state_after) == (
        "http://old/x/old.iso",
        "On",
        "On",
    )
    media = fake.SYSTEM + "/VirtualMedia/2/Actions/VirtualMedia."
    reset = fake.SYSTEM + "/Actions/ComputerSystem.Reset"
    assert served.bmc.writes() == [
        ("POST", reset, {"ResetType": "ForceOff"}),
        ("POST", media + "EjectMedia", {}),
        ("POST", media + "InsertMedia", {"Image": URL}),
        ("PATCH", fake.SYSTEM, {"Boot": {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Once"}}),
        ("POST", reset, {"ResetType": "On"}),
    ]
    assert served.bmc.open_sessions == {}


def test_second_boot_changes_nothing_and_force_repeats_it(serve: Any, options: BmcOptions) -> None:
    served = serve()
    boot_hosts([request_for(served)], "booted", options)
    before = len(served.bmc.writes())
    (again,) = boot_hosts([request_for(served)], "booted", options)
    assert (again.changed, again.reason, len(served.bmc.writes())) == (False, "already booted", before)
    (forced,) = boot_hosts([request_for(served, force=True)], "booted", options)
    assert forced.changed and len(served.bmc.writes()) == before + 5


@pytest.mark.parametrize(
    ("attached", "changed"),
    [
        pytest.param(
            "http://192.0.2.1:9999/0123456789abcdef0123456789abcdef/agent.x86_64.iso",
            False,
            id="our server has moved to another port",
        ),
        pytest.param("http://192.0.2.1:9999/other/agent.x86_64.iso", True, id="another image of the same name"),
    ],
)
def test_a_machine_that_runs_our_image_is_left_alone(
    serve: Any, options: BmcOptions, attached: str, changed: bool
) -> None:
    """It may be installing without supervision: booting it again would install it again."""
    served = serve()
    served.bmc.slots[1].image, served.bmc.slots[1].inserted = attached, True
    url = "http://192.0.2.1:8080/0123456789abcdef0123456789abcdef/agent.x86_64.iso"
    assert boot_hosts([request_for(served, image_url=url)], "booted", options)[0].changed is changed


def test_check_mode_sends_only_gets_and_returns_the_plan(serve: Any, options: BmcOptions) -> None:
    served = serve()
    (result,) = boot_hosts([request_for(served)], "booted", options, check_mode=True)
    assert {method for method, path, body in served.bmc.log} == {"GET"}
    assert result.changed and [line.split(" (")[0] for line in result.plan] == [
        "power off",
        f"insert {URL}",
        "boot once from Cd",
        "power on",
    ]


def test_wrong_machine_is_refused_with_both_lists(serve: Any, options: BmcOptions) -> None:
    served = serve(macs=("aa:bb:cc:00:00:09",))
    (result,) = boot_hosts([request_for(served)], "booted", options)
    assert result.failed and result.phase == "guard"
    assert MAC in result.reason and "aa:bb:cc:00:00:09" in result.reason
    assert served.bmc.writes() == []


def test_a_bmc_without_nic_list_is_not_refused(serve: Any, options: BmcOptions) -> None:
    (result,) = boot_hosts([request_for(serve(lists_nics=False))], "booted", options)
    assert not result.failed


def test_nics_on_later_pages_belong_to_the_machine_too(serve: Any, options: BmcOptions) -> None:
    macs = tuple(f"aa:bb:cc:00:00:{number:02x}" for number in range(5))
    (result,) = boot_hosts([request_for(serve(macs=(*macs, MAC), nics_on_a_page=2))], "booted", options)
    assert not result.failed, result.reason


def test_a_redirected_system_is_followed_with_method_and_body(serve: Any, options: BmcOptions) -> None:
    served = serve(other_name="node-1")
    address = served.address.replace("Systems/1", "Systems/node-1")
    (result,) = boot_hosts([dataclasses.replace(request_for(served), address=address)], "booted", options)
    assert not result.failed, result.reason
    assert served.bmc.slots[1].image == URL and served.bmc.power == "On"


@pytest.mark.parametrize("target", ["http://127.0.0.2:1/redfish/v1/Systems/1", "/redfish/v1/Systems/node-1"])
def test_a_redirect_to_elsewhere_or_to_itself_is_an_answer(serve: Any, options: BmcOptions, target: str) -> None:
    """Another server must not see the credentials."""
    served = serve(other_name="node-1", redirects_to=target)
    address = served.address.replace("Systems/1", "Systems/node-1")
    (result,) = boot_hosts([dataclasses.replace(request_for(served), address=address)], "booted", options)
    assert result.phase == "observe" and "answered 307" in result.reason


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        ([fake.SYSTEM], "Systems of this BMC: /redfish/v1/Systems/1."),
        (
            [fake.SYSTEM, "/redfish/v1/Systems/Self"],
            ("Systems of this BMC: /redfish/v1/Systems/1, /redfish/v1/Systems/Self."),
        ),
        ([], ""),
        (None, ""),
    ],
    ids=["one", "two", "none", "no list"],
)
def test_for_an_unknown_system_those_of_the_bmc_are_listed(
    serve: Any, options: BmcOptions, systems: list[str] | None, expected: str
) -> None:
    served = serve(systems=systems)
    address = served.address.replace("Systems/1", "Systems/2")
    (result,) = boot_hosts([dataclasses.replace(request_for(served), address=address)], "booted", options)
    assert result.failed and result.phase == "observe" and served.bmc.writes() == []
    assert "answered 404" in result.reason and "/redfish/v1/Systems/2 does not exist" in result.reason
    assert ("Add the path of one of them to bmc.address." in result.reason) == bool(expected)
    assert expected in result.reason


def test_two_hosts_on_one_machine_are_both_refused(serve: Any, options: BmcOptions) -> None:
    first, second, third = serve(), serve(), serve(uuid="99999999-0000-0000-0000-000000000000")
    results = boot_hosts(
        [request_for(first, "a"), request_for(second, "b"), request_for(third, "c")], "booted", options
    )
    assert [result.failed for result in results] == [True, True, False]
    assert "a, b" in results[0].reason and first.bmc.writes() == second.bmc.writes() == third.bmc.writes() == []
    assert (results[2].changed, results[2].plan, results[2].reason) == (False, [], "nothing was done, because of a, b")


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("state", ["booted", "on"])
def test_before_all_bmcs_are_right_none_is_touched(
    serve: Any, options: BmcOptions, state: Any, check_mode: bool
) -> None:
    """Unreachable, another machine, a CA that is not there, a wrong password: each is reported, and the good one is
    left as it is.
    """
    good, dead, other, refusing = (
        serve(uuid=str(number), power=power) for number, power in enumerate(["On", "On", "Off", "On"])
    )
    good.bmc.power = "Off" if state == "on" else "On"
    other.bmc.macs = ("aa:bb:cc:00:00:09",)
    dead.close()
    requests = [
        request_for(good, "good"),
        request_for(dead, "dead"),
        request_for(other, "other"),
        request_for(refusing, "refusing", password="old password"),
        request_for(good, "no-ca", ca_cert="/nowhere/ca.pem"),
    ]
    results = {result.name: result for result in boot_hosts(requests, state, options, check_mode=check_mode)}
    assert [(name, result.failed, result.phase) for name, result in results.items()] == [
        ("good", False, "guard"),
        ("dead", True, "observe"),
        ("other", True, "guard"),
        ("refusing", True, "observe"),
        ("no-ca", True, "observe"),
    ]
    assert results["good"].reason == "nothing was done, because of dead, other, refusing and 1 more"
    assert "cannot be reached" in results["dead"].reason and "BMC of dead" in results["dead"].reason
    assert "CA certificate file /nowhere/ca.pem does not exist" in results["no-ca"].reason
    assert not any(result.changed or result.plan for result in results.values())
    assert [served.bmc.writes() for served in (good, other, refusing)] == [[], [], []]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("state", ["ejected", "off"])
def test_what_is_taken_down_goes_whatever_the_others_do(
    serve: Any, options: BmcOptions, state: Any, check_mode: bool
) -> None:
    """No machine stays on because the BMC of another one is dead; one that is not the host's is left alone, as ever."""
    good, dead, other, first, second = (serve(uuid=uuid) for uuid in ("1", "2", "3", "4", "4"))
    for served in (good, other):
        served.bmc.slots[1].image, served.bmc.slots[1].inserted = URL, True
    other.bmc.macs = ("aa:bb:cc:00:00:09",)
    dead.close()
    hosts = {"dead": dead, "good": good, "other": other, "first": first, "second": second}
    results = {
        result.name: result
        for result in boot_hosts(
            [request_for(bmc, name) for name, bmc in hosts.items()], state, options, check_mode=check_mode
        )
    }
    assert [(name, result.failed, result.changed) for name, result in results.items()] == [
        ("dead", True, False),
        ("good", False, True),
        ("other", True, False),
        ("first", True, False),
        ("second", True, False),
    ]
    assert (
        "cannot be reached" in results["dead"].reason
        and "another machine" in results["other"].reason
        and "the same machine" in results["first"].reason
    )
    assert [bmc.bmc.writes() for bmc in (other, first, second)] == [[], [], []]
    done = {"off": ("Off", True), "ejected": ("On", False)}
    assert (good.bmc.power, good.bmc.slots[1].inserted) == (("On", True) if check_mode else done[state])


def test_who_fails_later_does_not_stop_the_others(serve: Any, options: BmcOptions) -> None:
    good, stuck = serve(), serve(uuid="2", power_stuck=True)
    results = boot_hosts([request_for(stuck, "stuck"), request_for(good, "good")], "booted", options)
    assert [(result.failed, result.phase) for result in results] == [(True, "power_off"), (False, "power_on")]


def test_a_stop_reports_what_was_done_so_far(serve: Any, options: BmcOptions) -> None:
    first, second = serve(), serve(uuid="2", power="Off")
    first.bmc.slots[1].image, first.bmc.slots[1].inserted = "http://old/x/old.iso", True
    with pytest.raises(Interrupted) as caught:
        boot_hosts(
            [request_for(first, "first"), request_for(second, "second")],
            "booted",
            dataclasses.replace(options, clock=Clock(stop_at=0.0), forks=1),
        )
    reported = caught.value.result
    assert reported["stopped"] and reported["changed"]
    assert [(host["name"], host["phase"], host["failed"]) for host in reported["hosts"]] == [
        ("first", "power_off", True),
        ("second", "plan", True),
    ]


@pytest.mark.parametrize(
    ("switches", "expected_insert"),
    [
        pytest.param(
            {"needs": ("TransferProtocolType",)},
            {"Image": URL, "TransferProtocolType": "HTTP"},
            id="asks for TransferProtocolType (Nokia, AMI)",
        ),
        pytest.param(
            {"needs": ("UserName",)},
            {"Image": URL, "UserName": "none", "Password": "none"},
            id="asks for credentials (NVIDIA)",
        ),
        pytest.param(
            {"needs": ("TransferProtocolType", "Password")},
            {"Image": URL, "TransferProtocolType": "HTTP", "UserName": "none", "Password": "none"},
            id="asks for one after the other",
        ),
        pytest.param({"task_inserts": True}, {"Image": URL}, id="answers 202 with a task (Supermicro)"),
        pytest.param({"empty_inserts": 1}, {"Image": URL}, id="accepts the first insert and leaves the slot empty"),
        pytest.param({"media_on_manager": True}, {"Image": URL}, id="media on the Manager"),
        pytest.param({"eject_refused": True}, {"Image": URL}, id="eject works and answers 400"),
        pytest.param({"fail_gets": 2}, {"Image": URL}, id="503 for a while"),
        pytest.param({"sessions": False}, {"Image": URL}, id="no session service: basic authentication"),
        pytest.param({"expire_session_after": 9}, {"Image": URL}, id="session ended by the BMC in the middle"),
        pytest.param({"etag": 'W/"7"'}, {"Image": URL}, id="weak ETag refused with 412"),
        pytest.param({"settings": True}, {"Image": URL}, id="boot settings in the Settings object"),
    ],
)
def test_quirks_are_overcome(
    serve: Any, options: BmcOptions, switches: dict[str, Any], expected_insert: dict[str, str]
) -> None:
    served = serve(**switches)
    (result,) = boot_hosts([request_for(served)], "booted", options)
    assert not result.failed, result.reason
    inserts = [body for method, path, body in served.bmc.writes() if path.endswith("InsertMedia")]
    assert inserts[-1] == expected_insert
    assert (
        served.bmc.power == "On"
        and served.bmc.boot["BootSourceOverrideTarget"] == "Cd"
        and served.bmc.slots[1].image == URL
    )


def test_settings_object_gets_the_override(serve: Any, options: BmcOptions) -> None:
    served = serve(settings=True)
    boot_hosts([request_for(served)], "booted", options)
    assert [path for method, path, body in served.bmc.writes() if method == "PATCH"] == [fake.SYSTEM + "/Settings"]


def test_slots_fall_through_and_patch_style_is_used(serve: Any, options: BmcOptions) -> None:
    slots = [
        FakeSlot("KVM", refuses=400),
        FakeSlot("NBD", action=False),
        FakeSlot("EXT1", action=False, patchable=True),
    ]
    served = serve(slots=slots)
    (result,) = boot_hosts([request_for(served)], "booted", options)
    assert (result.failed, result.slot) == (False, "EXT1")
    patched = [body for method, path, body in served.bmc.writes() if method == "PATCH" and "VirtualMedia" in path]
    assert patched == [{"Image": URL, "Inserted": True, "WriteProtected": True}]


@pytest.mark.parametrize(
    ("switches", "phase", "words"),
    [
        pytest.param(
            {"slots": [FakeSlot("a", refuses=400), FakeSlot("b", refuses=405)]},
            "insert",
            ["slot a is internal", "slot b is internal"],
            id="all slots refuse",
        ),
        pytest.param({"slots": []}, "guard", ["no virtual CD slot", "licence"], id="no slot"),
        pytest.param({"empty_inserts": 9}, "insert", ["still empty"], id="slot stays empty twice"),
        pytest.param({"power_stuck": True}, "power_off", ["still On", "ForceOff"], id="power stuck"),
        pytest.param(
            {"boot_allowable": ("None", "Pxe")}, "guard", ["allows only None, Pxe"], id="no CD in the allowable targets"
        ),
        pytest.param(
            {"reset_types": ("On", "GracefulRestart")},
            "guard",
            ["none of the reset types ForceOff"],
            id="cannot be powered off",
        ),
        pytest.param(
            {"vendor": "Dell"},
            "guard",
            ["offers no import", "physical drive"],
            id="Dell of unknown generation without the import",
        ),
    ],
)
def test_failures_say_what_and_where(
    serve: Any, options: BmcOptions, switches: dict[str, Any], phase: str, words: list[str]
) -> None:
    (result,) = boot_hosts([request_for(serve(**switches))], "booted", options)
    assert result.phase == phase
    assert result.failed == bool(words)
    assert all(word in result.reason for word in words), result.reason


def test_wrong_credentials_name_the_bmc_and_hide_the_password(serve: Any, options: BmcOptions) -> None:
    served = serve()
    (result,) = boot_hosts([request_for(served, password="not the password")], "booted", options)
    endpoint = served.address.removeprefix("redfish-virtualmedia+").removesuffix(fake.SYSTEM)
    assert result.reason == (
        f"BMC of node-1: {endpoint} refuses user 'admin' with this password (HTTP 401): ResourceAtUriUnauthorized: "
        "wrong credentials. "
        "Check username and password of this BMC, and whether the account is locked."
    )
    assert "not the password" not in str(result.as_dict())


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("switches", "words"),
    [
        pytest.param({}, "wrong credentials", id="sessions and basic"),
        pytest.param({"basic": False}, "wrong credentials", id="sessions only"),
        pytest.param(
            {"sessions": False},
            "NoValidSession: There is no valid session established",
            id="basic only, no session service",
        ),
        pytest.param(
            {"sessions": False, "without_sessions": 401},
            "(HTTP 401): not found",
            id="basic only, 401 to a login as to everything",
        ),
    ],
)
def test_a_wrong_password_is_reported_as_such_by_every_service(
    serve: Any, options: BmcOptions, switches: dict[str, Any], words: str, check_mode: bool
) -> None:
    served = serve(**switches)
    (result,) = boot_hosts([request_for(served, password="wrong")], "booted", options, check_mode=check_mode)
    assert result.phase == "observe" and "refuses user 'admin' with this password (HTTP 401)" in result.reason, (
        result.reason
    )
    assert words in result.reason
    logins = [path for method, path, body in served.bmc.log if path != "/redfish/v1/"]
    assert len(logins) <= 2, "so many wrong logins may lock the account"


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    "switches", [{"sessions": False}, {"sessions": False, "without_sessions": 401}, {"basic": False}]
)
def test_the_right_password_works_with_every_service(
    serve: Any, options: BmcOptions, switches: dict[str, Any], check_mode: bool
) -> None:
    (result,) = boot_hosts([request_for(serve(**switches))], "booted", options, check_mode=check_mode)
    assert not result.failed, result.reason


def test_eject_is_power_neutral_and_only_ours(serve: Any, options: BmcOptions) -> None:
    served = serve()
    served.bmc.slots[1].image, served.bmc.slots[1].inserted = "http://other/x/rescue.iso", True
    result = release(request_for(served), options)
    assert not result.changed and served.bmc.slots[1].inserted
    result = release(request_for(served, image_url=""), options)
    assert result.changed and not served.bmc.slots[1].inserted and served.bmc.power == "On"


def test_repair_boots_from_disk(serve: Any, options: BmcOptions) -> None:
    served = serve()
    boot_hosts([request_for(served)], "booted", options)
    served.bmc.log.clear()
    result = release(request_for(served), options, restart=True)
    assert not result.failed and [path.rsplit(".", 1)[-1] for method, path, body in served.bmc.writes()] == [
        "Reset",
        "EjectMedia",
        "Reset",
    ]
    assert 10.0 in options.clock.slept and served.bmc.power == "On"


def test_power_states(serve: Any, options: BmcOptions) -> None:
    served = serve(power="Off")
    assert [boot_hosts([request_for(served)], state, options)[0].changed for state in ("off", "on", "on", "off")] == [
        False,
        True,
        False,
        True,
    ]


def test_a_session_that_a_killed_run_left_open_is_ended(serve: Any, options: BmcOptions, tmp_path: Path) -> None:
    served = serve()
    state = StateFile(tmp_path / "state.json")
    url = served.address.removeprefix("redfish-virtualmedia+").removesuffix(fake.SYSTEM)
    left = "/redfish/v1/SessionService/Sessions/77"
    served.bmc.open_sessions[left] = "token-77"
    state.update("bmc", {"node-1": {"address": url, "session": left}})
    (result,) = boot_hosts([request_for(served)], "on", dataclasses.replace(options, state_file=state))
    assert left in served.bmc.ended_sessions and served.bmc.open_sessions == {}
    assert state.section("bmc") == {}
    assert not result.failed
