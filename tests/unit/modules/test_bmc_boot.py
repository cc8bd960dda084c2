# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The doors bmc_boot and bmc_info as modules, in this process."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.testing import patch_module_args
from ansible_collections.zerotouch.openshift.plugins.modules import bmc_boot, bmc_info

_SPEC = importlib.util.spec_from_file_location("fake_bmc", Path(__file__).parents[1] / "bmc" / "fake_bmc.py")
fake = importlib.util.module_from_spec(_SPEC)
sys.modules["fake_bmc"] = fake
_SPEC.loader.exec_module(fake)

URL = "http://192.0.2.1/token/agent.iso"


@pytest.fixture
def served() -> Iterator[Any]:
    service = fake.Served(fake.FakeBmc(power="Off"))
    yield service
    service.close()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def open_door(door: Any, **arguments: Any) -> dict[str, Any]:
        with patch_module_args(arguments), pytest.raises(SystemExit):
            door.main()
        output = capfd.readouterr().out
        assert fake.PASSWORD not in output
        return dict(json.loads(output))

    return open_door


def host(served: Any, **more: Any) -> dict[str, Any]:
    bmc = {"address": served.address, "username": fake.USER, "password": fake.PASSWORD}
    return {"name": "node-1", "bmc": bmc, "mac_addresses": ["52:54:00:00:00:01"], **more}


def test_check_run_run_again(call: Any, served: Any) -> None:
    arguments = {"hosts": [host(served)], "image_url": URL}
    predicted = call(bmc_boot, **arguments, _ansible_check_mode=True, _ansible_diff=True)
    assert predicted["changed"] and served.bmc.writes() == []
    done = call(bmc_boot, **arguments)
    again = call(bmc_boot, **arguments)
    assert [done["changed"], again["changed"]] == [True, False]
    assert predicted["hosts"][0]["plan"] == done["hosts"][0]["plan"]
    assert predicted["diff"][0]["before"] == "power Off, medium none\n"


def test_the_failure_of_one_host_keeps_the_list(call: Any, served: Any) -> None:
    dead = host(served)
    dead = {**dead, "name": "dead", "bmc": {**dead["bmc"], "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1"}}
    result = call(bmc_boot, hosts=[dead, host(served)], state="on", connect_to={"127.0.0.1:1": "127.0.0.1:2"})
    assert result["failed"] and not result["changed"]
    assert [entry["failed"] for entry in result["hosts"]] == [True, False]
    assert result["msg"].startswith("1 of 2 hosts failed:\ndead: BMC of dead:")
    assert "No machine was touched" in result["msg"]


def test_one_dead_bmc_keeps_no_other_machine_on(call: Any, served: Any) -> None:
    served.bmc.power = "On"
    dead = host(served)
    dead = {**dead, "name": "dead", "bmc": {**dead["bmc"], "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1"}}
    hosts = [dead, host(served)]
    result = call(bmc_boot, hosts=hosts, state="off")
    assert (result["failed"], result["changed"], served.bmc.power) == (True, True, "Off")
    assert result["msg"].startswith("1 of 2 hosts failed:\ndead: BMC of dead:") and "No machine was touched" not in result["msg"]
    again = call(bmc_boot, hosts=hosts, state="off")
    assert (again["failed"], again["changed"]) == (True, False) and "No machine was touched" not in again["msg"]


def test_partial_failure_is_told_with_what_was_changed(call: Any, served: Any) -> None:
    served.bmc.boot_refused = True
    result = call(bmc_boot, hosts=[host(served)], image_url=URL)
    assert result["failed"] and result["changed"] and result["hosts"][0]["phase"] == "boot_once"
    assert "No machine was touched" not in result["msg"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"image_url": "http://192.0.2.1/x.img"}, "must end in .iso"),
        ({"connect_to": {"a:b:c": "d"}}, "is not host[:port]"),
        ({"state": "boot"}, "value of state must be one of"),
    ],
)
def test_bad_options_contact_no_bmc(call: Any, served: Any, arguments: dict[str, Any], words: str) -> None:
    result = call(bmc_boot, **{"hosts": [host(served)], "image_url": URL, **arguments})
    assert result["failed"] and words in result["msg"]
    assert served.bmc.log == []


def test_info_tells_of_a_wrong_machine_without_failing(call: Any, served: Any) -> None:
    result = call(bmc_info, hosts=[host(served, mac_addresses=["aa:aa:aa:aa:aa:aa"])])
    assert not result.get("failed") and "another machine" in result["hosts"][0]["reason"]
    assert (result["hosts"][0]["power_state"], result["hosts"][0]["mac_addresses"]) == ("Off", ["52:54:00:00:00:01"])
    assert {method for method, path, body in served.bmc.log} == {"GET"}


def test_info_fails_for_a_bmc_that_cannot_be_read(call: Any, served: Any) -> None:
    wrong = host(served)
    wrong["bmc"]["password"] = "something else entirely"
    assert call(bmc_info, hosts=[wrong])["failed"]
    assert not call(bmc_info, hosts=[wrong], fail_on_error=False).get("failed")
