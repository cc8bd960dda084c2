# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules boot_hosts and bmc_info, called in the test process: their results, failures of single hosts, and that
no output contains the token of the image URL.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.modules import bmc_info, boot_hosts
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

URL = "http://192.0.2.1/token/agent.iso"
TOKEN = "5f6d0e27c1a94c0f8f0f6f3e0b6f3a52"
HIDDEN = "<hidden>"


@pytest.fixture
def served() -> Iterator[Any]:
    service = fake.Served(fake.FakeBmc(power="Off"))
    yield service
    service.close()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def call_module(entry_point: Any, **arguments: Any) -> dict[str, Any]:
        with patch_module_args(arguments), pytest.raises(SystemExit):
            entry_point.main()
        output = capfd.readouterr().out
        assert fake.PASSWORD not in output
        return dict(json.loads(output))

    return call_module


def host(served: Any, **more: Any) -> dict[str, Any]:
    bmc = {"address": served.address, "username": fake.USER, "password": fake.PASSWORD}
    return {"name": "node-1", "bmc": bmc, "mac_addresses": ["52:54:00:00:00:01"], **more}


def test_check_run_run_again(call: Any, served: Any) -> None:
    arguments = {"hosts": [host(served)], "image_url": URL}
    predicted = call(boot_hosts, **arguments, _ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and served.bmc.writes() == []
    done = call(boot_hosts, **arguments)
    again = call(boot_hosts, **arguments)
    assert [done["changed"], again["changed"]] == [True, False]
    assert predicted["hosts"][0]["plan"] == done["hosts"][0]["plan"]
    assert predicted["diff"][0]["before"] == "power Off, medium none\n"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The state file of a deployment whose image is served."""
    state = StateFile(tmp_path / "state.json")
    state.update(
        "publish", {"method": "serve", "url": f"http://192.0.2.1:8080/{TOKEN}/agent.x86_64.iso", "token": TOKEN}
    )
    return state.path


@pytest.mark.parametrize(
    "image_url",
    [None, f"http://192.0.2.1:8080/{HIDDEN}/agent.x86_64.iso", f"http://192.0.2.1:8080/{TOKEN}/agent.x86_64.iso"],
)
def test_the_bmc_gets_the_token_and_no_reader_of_the_output(
    call: Any, served: Any, published: Path, image_url: str | None
) -> None:
    arguments = {
        "hosts": [host(served)],
        "image_url": image_url,
        "state_file": str(published),
        "_ansible_diff": True,
        "_ansible_verbosity": 4,
    }
    results = [call(boot_hosts, **arguments, _ansible_check_mode=True), call(boot_hosts, **arguments)]
    assert [result.get("failed", False) for result in results] == [False, False], results
    assert [slot.image for slot in served.bmc.slots if slot.image] == [
        f"http://192.0.2.1:8080/{TOKEN}/agent.x86_64.iso"
    ]
    results += [
        call(boot_hosts, **arguments),
        call(boot_hosts, **{**arguments, "image_url": "http://192.0.2.1/images/other.iso"}),
    ]
    assert [result["changed"] for result in results] == [True, True, False, True]
    assert TOKEN not in json.dumps(results) and results[3]["hosts"][0]["previous_image"].startswith(
        "http://192.0.2.1:8080/"
    )


def test_in_process_the_result_and_the_progress_have_no_token_either(served: Any, published: Path) -> None:
    lines: list[str] = []
    params = {name: spec.get("default") for name, spec in boot_hosts.argument_spec().items()}
    params |= {
        "hosts": [host(served, force=True)],
        "image_url": f"http://192.0.2.1:8080/{HIDDEN}/agent.x86_64.iso",
        "state_file": str(published),
    }
    for check_mode in (True, False):
        result = perform(boot_hosts.run, Call(params, check_mode=check_mode, diff=True, show=lines.append))
        assert result["changed"] and HIDDEN in result["hosts"][0]["image"] and HIDDEN in result["diff"][0]["after"]
        assert TOKEN not in json.dumps(result)
    assert lines and TOKEN not in "".join(lines)


def test_a_failure_shows_no_token(call: Any, served: Any, published: Path) -> None:
    served.bmc.boot_refused = True
    result = call(
        boot_hosts,
        hosts=[host(served)],
        image_url=f"http://192.0.2.1:8080/{TOKEN}/agent.x86_64.iso",
        state_file=str(published),
        _ansible_diff=True,
    )
    assert result["failed"] and TOKEN not in json.dumps(result)
    wrong = call(boot_hosts, hosts=[host(served)], image_url=f"http://192.0.2.1:8080/{TOKEN}/agent.x86_64.iso?x=1")
    assert wrong["failed"] and "must end in .iso" in wrong["msg"] and TOKEN not in json.dumps(wrong)


@pytest.mark.parametrize("recorded", [False, True])
def test_a_hidden_token_that_no_state_file_has(call: Any, served: Any, tmp_path: Path, *, recorded: bool) -> None:
    if recorded:
        StateFile(tmp_path / "state.json").update(
            "publish", {"method": "none", "url": "http://192.0.2.1/images/other.iso"}
        )
    more = {"state_file": str(tmp_path / "state.json")} if recorded else {}
    result = call(boot_hosts, hosts=[host(served)], image_url=f"http://192.0.2.1:8080/{HIDDEN}/agent.iso", **more)
    assert result["failed"] and "the token in it is hidden: set state_file" in result["msg"]
    assert served.bmc.log == []


@pytest.mark.parametrize("recorded", ["", "booting", "booted", "released"])
def test_a_machine_that_another_run_boots_is_not_recorded_as_booted_by_this_one(
    call: Any, served: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: str
) -> None:
    """If it were recorded, the next run would continue the boot, and destroy_cluster would power the machine off."""
    state = StateFile(tmp_path / "state.json")
    if recorded:
        state.update("machines", {"node-1": {"state": recorded, "at": "2026-01-01T00:00:00Z", "method": "agent"}})
    expected = state.section("machines") if recorded == "released" else {}
    permit = boot_hosts.Gate.permit

    def other_run(gate: Any, machines: Any) -> Any:
        permission = permit(gate, machines)
        assert not permission.stop and state.section("machines")["node-1"]["state"] == "booting"
        served.bmc.power = "On"
        return permission

    monkeypatch.setattr(boot_hosts.Gate, "permit", other_run)
    touch = {"work_dir": str(tmp_path), "method": "agent"}
    done = call(boot_hosts, hosts=[host(served)], image_url=URL, state_file=str(state.path), touch=touch)
    assert done["failed"] and done["hosts"][0]["phase"] == "in_use", done
    assert state.section("machines") == expected and served.bmc.writes() == []


def test_the_failure_of_one_host_keeps_the_list(call: Any, served: Any) -> None:
    dead = host(served)
    dead = {
        **dead,
        "name": "dead",
        "bmc": {**dead["bmc"], "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1"},
    }
    result = call(boot_hosts, hosts=[dead, host(served)], state="on", connect_to={"127.0.0.1:1": "127.0.0.1:2"})
    assert result["failed"] and not result["changed"]
    assert [entry["failed"] for entry in result["hosts"]] == [True, False]
    assert result["msg"].startswith("1 of 2 hosts failed:\ndead: BMC of dead:")
    assert "No machine was touched" in result["msg"]


def test_one_dead_bmc_keeps_no_other_machine_on(call: Any, served: Any) -> None:
    served.bmc.power = "On"
    dead = host(served)
    dead = {
        **dead,
        "name": "dead",
        "bmc": {**dead["bmc"], "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1"},
    }
    hosts = [dead, host(served, take_over=True)]
    result = call(boot_hosts, hosts=hosts, state="off")
    assert (result["failed"], result["changed"], served.bmc.power) == (True, True, "Off")
    assert (
        result["msg"].startswith("1 of 2 hosts failed:\ndead: BMC of dead:")
        and "No machine was touched" not in result["msg"]
    )
    again = call(boot_hosts, hosts=hosts, state="off")
    assert (again["failed"], again["changed"]) == (True, False) and "No machine was touched" not in again["msg"]


def test_partial_failure_is_reported_with_what_was_changed(call: Any, served: Any) -> None:
    served.bmc.boot_refused = True
    result = call(boot_hosts, hosts=[host(served)], image_url=URL)
    assert result["failed"] and result["changed"] and result["hosts"][0]["phase"] == "boot_once"
    assert "No machine was touched" not in result["msg"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"image_url": "http://192.0.2.1/x.img"}, "must end in .iso"),
        ({"connect_to": {"a:b:c": "d"}}, "is not host[:port]"),
        ({"state": "boot"}, "value of state must be one of"),
        ({"image_url": URL, "action": "on"}, "action on does not fit state booted"),
        ({"state": "off", "action": "on"}, "action on does not fit state off"),
        ({"state": "on", "action": "destroy"}, "action destroy does not fit state on"),
    ],
)
def test_bad_options_contact_no_bmc(call: Any, served: Any, arguments: dict[str, Any], words: str) -> None:
    result = call(boot_hosts, **{"hosts": [host(served)], "image_url": URL, **arguments})
    assert result["failed"] and words in result["msg"]
    assert served.bmc.log == []


def test_info_reports_a_wrong_machine_without_failing(call: Any, served: Any) -> None:
    result = call(bmc_info, hosts=[host(served, mac_addresses=["aa:aa:aa:aa:aa:aa"])])
    assert not result.get("failed") and "another machine" in result["hosts"][0]["reason"]
    assert (result["hosts"][0]["power_state"], result["hosts"][0]["mac_addresses"]) == ("Off", ["52:54:00:00:00:01"])
    assert {method for method, path, body in served.bmc.log} == {"GET"}


def test_info_fails_for_a_bmc_that_cannot_be_read(call: Any, served: Any) -> None:
    wrong = host(served)
    wrong["bmc"]["password"] = "something else entirely"
    assert call(bmc_info, hosts=[wrong])["failed"]
    assert not call(bmc_info, hosts=[wrong], fail_on_error=False).get("failed")
