# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of boot methods, and one call of the boot procedure for hosts with different boot methods."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.guard import Permission
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.inspection import inspect_all
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.methods import (
    METHODS,
    booted_by_user,
    default_method,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.protocol import Machines
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts, release
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import HOST
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gate import Gate
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media import (
    BootAgain,
    HostMedia,
    bmc_addresses,
)
from ansible_collections.zerotouch.openshift.plugins.modules import boot_hosts as module
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.hosts import bmc_hosts, check_host, manual_hosts
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.crane import CraneBoot

URL = "http://192.0.2.1:8080/0123456789abcdef0123456789abcdef/agent.x86_64.iso"
BMC = {"address": "redfish-virtualmedia://10.0.0.1", "username": "admin", "password": "secret"}


@dataclasses.dataclass
class FakeRack:
    """Machines by name with their power, and what the crane did."""

    machines: dict[str, str]
    done: list[tuple[str, str]] = dataclasses.field(default_factory=list)

    def power_of(self, name: str) -> str:
        if name not in self.machines:
            raise ZeroTouchError(f"The crane does not find {name}.")
        return self.machines[name]

    def boot(self, name: str, image_url: str) -> None:
        self.done.append((name, image_url))
        self.machines[name] = "On"

    def power(self, name: str, state: str) -> None:
        self.done.append((name, state))
        self.machines[name] = state


@pytest.fixture
def rack(monkeypatch: pytest.MonkeyPatch) -> FakeRack:
    """A rack whose crane is in the table of methods."""
    found = FakeRack({"node-1": "Off", "node-2": "Off"})
    monkeypatch.setitem(METHODS, "crane", CraneBoot(found))
    return found


def crane(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "boot_method": "crane", **more}


MANUAL = {"name": "node-9", "boot_method": "manual"}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_of_the_table_is_complete(name: str) -> None:
    method = METHODS[name]
    assert method.name == name and method.summary
    assert set(method.needs) <= set(HOST.fields), "data of openshift_host"
    assert set(method.options()) == set(method.needs), "what it needs of openshift_host is what the modules take"
    assert method.request({"name": "a"}, ("52:54:00:00:00:01",), URL).method == name


def test_the_schema_has_the_methods_of_the_table() -> None:
    boot: Any = HOST.fields["boot"].shape
    assert boot.fields["method"].shape.choices == tuple(METHODS)


@pytest.mark.parametrize(
    ("provided", "method"),
    [({"bmc"}, "bmc"), ({"bmc", "interfaces"}, "bmc"), ({"interfaces"}, "manual"), (set(), "manual")],
)
def test_the_method_of_a_host_that_names_none(provided: set[str], method: str) -> None:
    assert default_method(provided) == method


def test_who_starts_a_host() -> None:
    assert [booted_by_user(name) for name in ("bmc", "manual", "no method")] == [False, True, True]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ({"bmc": BMC}, ["hosts[a].image_url: Required value: no image_url is given"]),
        ({"boot_method": "manual", "bmc": BMC}, []),
        ({}, []),
        (
            {"boot_method": "bmc"},
            [
                "hosts[a].bmc: Required value: boot method bmc requires the BMC",
                "hosts[a].image_url: Required value",
            ],
        ),
        (
            {"boot_method": "manuel"},
            [
                (
                    "hosts[a].boot_method: Unsupported value: manuel: supported values: bmc, libvirt, manual (did you "
                    "mean "
                    "manual?)"
                )
            ],
        ),
        ({"boot_method": "manual", "bmc": {**BMC, "password": ""}}, ["hosts[a].bmc.password: Required value"]),
    ],
)
def test_mistakes_in_hosts(host: Mapping[str, Any], expected: Sequence[str]) -> None:
    try:
        boot_requests([{"name": "a", **host}], needs_image=True)
        found = []
    except InvalidInput as error:
        found = [problem.text() for problem in error.problems]
    assert len(found) == len(expected) and all(
        text.startswith(words) for text, words in zip(found, expected, strict=True)
    ), found


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (
            "booted",
            (
                "Boot node-9 manually from http://192.0.2.1:8080/<hidden>/agent.x86_64.iso. Detach the image before "
                "the "
                "host restarts."
            ),
        ),
        ("ejected", "Detach http://192.0.2.1:8080/<hidden>/agent.x86_64.iso from node-9 manually, if it is attached."),
        ("on", "Power node-9 on manually."),
        ("off", "Power node-9 off manually."),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_the_user_is_asked(state: Any, words: str, check_mode: bool) -> None:
    (result,) = boot_hosts(boot_requests([MANUAL], URL), state, BmcOptions(), check_mode=check_mode)
    assert (result.boot_method, result.phase, result.reason) == ("manual", "manual", words)
    assert (result.changed, result.failed, result.plan) == (False, False, [])


def test_hosts_of_several_methods_in_one_call(rack: FakeRack) -> None:
    requests = boot_requests([crane("node-1"), MANUAL, crane("node-2")], URL, needs_image=True)
    predicted = boot_hosts(requests, "booted", BmcOptions(), check_mode=True)
    assert [(result.changed, result.plan) for result in predicted] == [
        (True, ["crane: booted"]),
        (False, []),
        (True, ["crane: booted"]),
    ]
    assert rack.done == []
    done = boot_hosts(requests, "booted", BmcOptions(forks=1))
    assert [(result.name, result.boot_method, result.changed, result.phase) for result in done] == [
        ("node-1", "crane", True, "booted"),
        ("node-9", "manual", False, "manual"),
        ("node-2", "crane", True, "booted"),
    ]
    assert rack.done == [("node-1", URL), ("node-2", URL)]
    assert [result.changed for result in boot_hosts(requests, "booted", BmcOptions())] == [False, False, False]


def test_one_machine_that_cannot_be_read_stops_all_methods(rack: FakeRack) -> None:
    results = boot_hosts(boot_requests([crane("node-1"), crane("lost"), MANUAL], URL), "booted", BmcOptions())
    assert [(result.failed, result.phase) for result in results] == [
        (False, "guard"),
        (True, "observe"),
        (False, "guard"),
    ]
    assert results[2].reason == "nothing was done, because of lost" and rack.done == []


def test_the_gate_is_asked_about_every_method_before_the_first_write(rack: FakeRack) -> None:
    asked: list[str] = []

    def permit(machines: Machines) -> Permission:
        asked.extend(outcome.item.name for outcome in machines)
        assert rack.done == []
        return Permission(without={"node-1": "installed", "node-9": "installed too"})

    requests = boot_requests([crane("node-1"), MANUAL, crane("node-2")], URL)
    results = boot_hosts(requests, "booted", BmcOptions(), permit=permit)
    assert asked == ["node-1", "node-9", "node-2"]
    assert [(result.phase, result.reason) for result in results] == [
        ("plan", "installed"),
        ("plan", "installed too"),
        ("booted", ""),
    ]
    assert rack.done == [("node-2", URL)]
    with pytest.raises(ZeroTouchError, match="belongs to another cluster"):
        boot_hosts(requests, "off", BmcOptions(), permit=lambda machines: Permission(stop="belongs to another cluster"))
    assert rack.done == [("node-2", URL)]


def test_only_hosts_whose_image_can_be_detached_are_watched_for_it(rack: FakeRack) -> None:
    media = HostMedia(boot_requests([crane("node-1"), MANUAL, {"name": "node-3", "bmc": BMC}]), BmcOptions())
    assert media.names == {"node-3"} and media.eject(["node-1", "node-9"]) == []
    (manual,) = boot_requests([MANUAL])
    assert release(manual, BmcOptions(), restart=True).reason == "Start node-9 from its disk."
    assert [
        outcome.result.power_state for outcome in inspect_all(boot_requests([crane("node-1"), MANUAL]), BmcOptions())
    ] == ["Off", ""]


def test_only_a_bmc_reads_the_image_while_its_host_runs(rack: FakeRack) -> None:
    named = {**BMC, "address": "redfish-virtualmedia://bmc.example.com"}
    hosts = [crane("node-1"), MANUAL, {"name": "node-3", "bmc": BMC}, {"name": "node-4", "bmc": named}]
    assert bmc_addresses(boot_requests(hosts)) == {"node-3": "10.0.0.1", "node-4": "bmc.example.com"}


@pytest.mark.parametrize(
    ("recorded", "expected", "reason"),
    [
        pytest.param("booted", [("node-1", URL)], "", id="this deployment booted it"),
        pytest.param("", [], "take_over", id="no record contains it"),
    ],
)
def test_a_host_that_found_no_image_is_booted_again_through_the_gate(
    rack: FakeRack, tmp_path: Path, recorded: str, expected: list[Any], reason: str
) -> None:
    rack.machines["node-1"] = "On"
    if recorded:
        entry = {"state": recorded, "at": "2026-01-01T00:00:00Z", "method": "agent"}
        StateFile(tmp_path / "state.json").update("machines", {"node-1": entry})
    gate = Gate("boot", Touch(work_dir=tmp_path), Clock(), [].append)
    again = BootAgain(
        boot_requests([crane("node-1", force=True), crane("node-2", force=True)], URL, needs_image=True), gate
    )
    (result,) = HostMedia([], BmcOptions(), again).boot(["node-1"])
    assert rack.done == expected and (result.failed, reason in result.reason) == (bool(reason), True), result
    assert HostMedia([], BmcOptions()).boot(["node-1"]) == []
    at = StateFile(tmp_path / "state.json").section("machines").get("node-1", {}).get("at", "")
    assert at > "2026-01-01T00:00:00Z" if expected else not at


def test_the_module_takes_a_method_of_the_table(rack: FakeRack, capfd: pytest.CaptureFixture[str]) -> None:
    with patch_module_args({"hosts": [crane("node-1"), MANUAL], "image_url": URL}), pytest.raises(SystemExit):
        module.main()
    result = json.loads(capfd.readouterr().out)
    assert not result.get("failed") and result["changed"], result
    assert [(host["name"], host["boot_method"], host["changed"], host["phase"]) for host in result["hosts"]] == [
        ("node-1", "crane", True, "booted"),
        ("node-9", "manual", False, "manual"),
    ]
    assert rack.done == [("node-1", URL)]


def test_a_machine_of_any_method_that_is_on_is_not_touched(rack: FakeRack, capfd: pytest.CaptureFixture[str]) -> None:
    rack.machines["node-2"] = "On"
    with patch_module_args({"hosts": [crane("node-2", force=True)], "image_url": URL}), pytest.raises(SystemExit):
        module.main()
    result = json.loads(capfd.readouterr().out)
    assert result["failed"] and "take_over" in result["msg"] and rack.done == []


def test_hosts_of_an_inventory(rack: FakeRack) -> None:
    hosts = [
        {
            "inventory_name": "a",
            "boot": {"method": "crane"},
            "bmc": BMC,
            "interfaces": [{"mac_address": "52:54:00:00:00:01"}],
        },
        {"inventory_name": "b", "bmc": BMC},
        {"inventory_name": "c"},
        {"inventory_name": "d", "boot": {"method": "manual"}, "bmc": BMC},
    ]
    assert [problem for host in hosts for problem in check_host(host, "openshift_host[x]")] == []
    assert bmc_hosts(hosts) == [
        {"name": "a", "boot_method": "crane", "mac_addresses": ["52:54:00:00:00:01"]},
        {"name": "b", "boot_method": "bmc", "bmc": BMC, "mac_addresses": []},
    ]
    assert manual_hosts(hosts) == ["c", "d"]
