# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a malicious BMC: the client sends its credentials to no other server, and an invalid answer fails only that
host.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc import session
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, BootRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.machine import MOST_PAGES
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import LimitReached
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.hostile import http_json
from ansible_collections.zerotouch.openshift.tests.support.hostile import redfish as hostile

URL = "http://192.0.2.1:8080/token/agent.x86_64.iso"


def request(bmc: hostile.HostileBmc, name: str = "node-1") -> BootRequest:
    return BootRequest(name, bmc.address, hostile.USER, hostile.PASSWORD, mac_addresses=(hostile.MAC,), image_url=URL)


def run(
    bmc: hostile.HostileBmc, state: Any = "booted", *, check: bool = False, state_file: StateFile | None = None
) -> Any:
    return boot_hosts([request(bmc)], state, BmcOptions(clock=Clock(), state_file=state_file), check_mode=check)[0]


Lead = Callable[[hostile.HostileBmc, str], None]


def _at(*path: Any) -> Lead:
    """The member of a resource that leads to the same path on the other server."""

    def change(bmc: hostile.HostileBmc, other: str) -> None:
        holder = bmc.tree
        for part in path[:-1]:
            holder = holder[part]
        holder[path[-1]] = other + holder[path[-1]]

    return change


def _next_link(bmc: hostile.HostileBmc, other: str) -> None:
    bmc.tree["/redfish/v1/Systems"]["Members@odata.nextLink"] = f"{other}/redfish/v1/Systems?page=2"


def _session_location(bmc: hostile.HostileBmc, other: str) -> None:
    bmc.login["Location"] = f"{other}/redfish/v1/SessionService/Sessions/1"


def _task_monitor(bmc: hostile.HostileBmc, other: str) -> None:
    bmc.writes[f"{hostile.MANAGER}/VirtualMedia/2/Actions/VirtualMedia.InsertMedia"] = (
        202,
        {"Location": f"{other}/task"},
        {},
    )


LEADS: dict[str, Lead] = {
    "the sessions": _at(hostile.ROOT, "Links", "Sessions", "@odata.id"),
    "the managers of a system": _at(hostile.SYSTEM, "Links", "ManagedBy", 0, "@odata.id"),
    "the interfaces": _at(hostile.SYSTEM, "EthernetInterfaces", "@odata.id"),
    "an interface": _at(f"{hostile.SYSTEM}/EthernetInterfaces", "Members", 0, "@odata.id"),
    "the virtual media": _at(hostile.MANAGER, "VirtualMedia", "@odata.id"),
    "a slot": _at(f"{hostile.MANAGER}/VirtualMedia", "Members", 0, "@odata.id"),
    "the settings": _at(hostile.SYSTEM, "@Redfish.Settings", "SettingsObject", "@odata.id"),
    "the action info": _at(hostile.SYSTEM, "Actions", "#ComputerSystem.Reset", "@Redfish.ActionInfo"),
    "the insert action": _at(f"{hostile.MANAGER}/VirtualMedia/2", "Actions", "#VirtualMedia.InsertMedia", "target"),
    "the location of the session": _session_location,
    "a task monitor": _task_monitor,
}


@pytest.mark.parametrize("check", [False, True], ids=["run", "check mode"])
@pytest.mark.parametrize("lead", LEADS)
def test_credentials_never_leave_for_another_server(lead: str, check: bool) -> None:
    if check and lead in ("the sessions", "the insert action", "the location of the session", "a task monitor"):
        pytest.skip("check mode sends no such request")
    with hostile.serving() as bmc, hostile.serving() as other:
        LEADS[lead](bmc, other.url)
        result = run(bmc, check=check)
        assert other.requests == []
    assert result.failed and "which is another server than" in result.reason and other.url in result.reason


def test_the_next_page_on_another_server() -> None:
    with hostile.serving() as bmc, hostile.serving() as other:
        _next_link(bmc, other.url)
        result = boot_hosts(
            [BootRequest("n", f"redfish-virtualmedia+{bmc.url}", hostile.USER, hostile.PASSWORD)],
            "booted",
            BmcOptions(clock=Clock()),
        )[0]
        assert result.failed and other.requests == []


@pytest.mark.parametrize("lead", LEADS)
def test_absolute_urls_of_the_same_server_are_followed(lead: str) -> None:
    with hostile.serving() as bmc:
        LEADS[lead](bmc, bmc.url)
        result = run(bmc)
    assert "another server" not in result.reason


def test_a_remembered_session_of_another_server(tmp_path: Path) -> None:
    state_file = StateFile(tmp_path / "state.json")
    with hostile.serving() as bmc, hostile.serving() as other:
        state_file.update(
            "bmc", {"node-1": {"address": bmc.url, "session": f"{other.url}/redfish/v1/SessionService/Sessions/9"}}
        )
        result = run(bmc, "ejected", state_file=state_file)
        assert other.requests == []
    assert any("session of another server" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/redfish/v1", True),
        ("x", True),
        ("http://bmc.example.com/x", True),
        ("HTTP://BMC.example.com:80/x", True),
        ("http://bmc.example.com:8000/x", False),
        ("https://bmc.example.com/x", False),
        ("//evil.example.com/x", False),
        ("http://bmc.example.com@evil.example.com/x", False),
        ("http://evil.example.com\\@bmc.example.com/x", False),
        ("http://evil.example.com#@bmc.example.com/x", False),
        ("http://evil.example.com?@bmc.example.com/x", False),
        ("http://user:password@bmc.example.com/x", False),
        ("http://bmc.example.com.evil.example.com/x", False),
        ("ftp://bmc.example.com/x", False),
        ("http://[::1", False),
    ],
)
def test_what_is_the_same_server(path: str, own: bool) -> None:
    client = HttpClient("x", "http://bmc.example.com")
    try:
        assert client.is_own(path) is own
    except Exception as error:
        assert not own and "is not a URL" in str(error)


def test_pages_without_end() -> None:
    with hostile.serving() as bmc:
        bmc.tree[f"{hostile.SYSTEM}/EthernetInterfaces"] = hostile.endless_pages(f"{hostile.SYSTEM}/EthernetInterfaces")
        result = run(bmc)
        assert result.failed and "more than" in result.reason
        assert len(bmc.requests) < MOST_PAGES + 30


def test_members_without_end() -> None:
    with hostile.serving() as bmc:
        bmc.tree[f"{hostile.SYSTEM}/EthernetInterfaces"] = {
            "Members": [{"@odata.id": f"/nic/{number}"} for number in range(100_000)]
        }
        assert "more than" in run(bmc).reason
        assert len(bmc.requests) < 50


@pytest.mark.parametrize("status", [200, 202])
def test_a_task_that_never_ends(status: int) -> None:
    insert = f"{hostile.MANAGER}/VirtualMedia/2/Actions/VirtualMedia.InsertMedia"
    with hostile.serving() as bmc:
        bmc.writes[insert] = (
            status,
            {"Location": "/task", "Retry-After": "1"},
            {"TaskState": "Running", "@odata.id": "/task"},
        )
        bmc.tree["/task"] = lambda handler: http_json.send(
            handler, b'{"TaskState": "Running", "@odata.id": "/task"}', status, Retry_After="1", Location="/task"
        )
        result = run(bmc)
    assert result.failed and "did not end within 300 s" in result.reason


def _redirect(path: str) -> Callable[[http_json.Handler], None]:
    return lambda handler: http_json.send(handler, b"", 307, Location=path)


def test_redirects_without_end() -> None:
    with hostile.serving() as bmc:
        for number in range(100):
            bmc.tree[f"/hop/{number}"] = _redirect(f"/hop/{number + 1}")
        bmc.tree[hostile.SYSTEM] = _redirect("/hop/0")
        result = run(bmc, check=True)
        hops = [path for _method, path, _headers, _body in bmc.requests if path.startswith("/hop/")]
    assert result.failed and "redirects a request more than 5 times" in result.reason
    assert len(hops) == 5


def test_a_few_redirects_are_followed() -> None:
    with hostile.serving() as bmc:
        bmc.tree["/hop/4"] = bmc.tree[hostile.SYSTEM]
        for number in range(4):
            bmc.tree[f"/hop/{number}"] = _redirect(f"/hop/{number + 1}")
        bmc.tree[hostile.SYSTEM] = _redirect("/hop/0")
        assert not run(bmc, check=True).failed


def _interfaces(bmc: hostile.HostileBmc, number: int, pause: int) -> None:
    """So many network interfaces, each of which answers 503 ``pause`` times before it answers."""
    collection = f"{hostile.SYSTEM}/EthernetInterfaces"
    paths = [f"{collection}/{index}" for index in range(number)]
    asked: Counter[str] = Counter()

    def answer(handler: http_json.Handler) -> None:
        asked[handler.path] += 1
        busy = asked[handler.path] % (pause + 1)
        http_json.send(
            handler,
            b"{}" if busy else json.dumps({"MACAddress": hostile.MAC}).encode(),
            503 if busy else 200,
            Connection="close",
        )

    bmc.tree[collection] = {"Members": [{"@odata.id": path} for path in paths]}
    bmc.tree |= dict.fromkeys(paths, answer)


def test_reading_a_machine_takes_limited_time() -> None:
    clock = Clock()
    with hostile.serving() as bmc:
        _interfaces(bmc, 100, 9)
        result = boot_hosts([request(bmc)], "on", BmcOptions(clock=clock))[0]
    assert result.failed and "15 min" in result.reason
    assert clock.time < 16 * 60


def test_a_busy_bmc_is_still_read() -> None:
    with hostile.serving() as bmc:
        _interfaces(bmc, 20, 9)
        result = run(bmc, check=True)
    assert not result.failed and not any("NICs" in warning for warning in result.warnings)


def test_each_attempt_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_REQUESTS", 50)
    with hostile.serving() as bmc:
        _interfaces(bmc, 20, 9)
        result = run(bmc, check=True)
        assert result.failed and "stopped after 50 requests" in result.reason
        assert len(bmc.requests) == 50


def test_writes_give_time_to_read() -> None:
    """A boot with several long tasks may take longer than reading a machine."""
    clock = Clock()
    with hostile.serving() as bmc, opened(bmc, clock) as one:
        for number in range(5):
            bmc.writes[f"/slow/{number}"] = (202, {"Location": f"/task/{number}", "Retry-After": "25"}, {})
            bmc.tree[f"/task/{number}"] = _task(10)
            one.post(f"/slow/{number}", {})
        assert clock.time > 15 * 60


def test_a_session_takes_limited_time() -> None:
    clock = Clock()
    with hostile.serving() as bmc, opened(bmc, clock) as one, pytest.raises(LimitReached, match="120 min"):
        for number in range(100):
            bmc.writes[f"/slow/{number}"] = (202, {"Location": f"/task/{number}", "Retry-After": "25"}, {})
            bmc.tree[f"/task/{number}"] = _task(10)
            one.post(f"/slow/{number}", {})
    assert clock.time < 121 * 60


def opened(bmc: hostile.HostileBmc, clock: Clock) -> session.RedfishSession:
    return session.RedfishSession(
        HttpClient("BMC of node-1", bmc.url), session.Credentials(hostile.USER, hostile.PASSWORD), clock
    )


def _task(polls: int) -> Callable[[http_json.Handler], None]:
    """A task monitor that answers 202 so many times."""
    left = iter(range(polls))

    def answer(handler: http_json.Handler) -> None:
        running = next(left, None) is not None
        http_json.send(handler, b"{}", 202 if running else 200, Retry_After="25", Connection="close")

    return answer


ODD: list[Any] = [7, [7], {"a": 1}, "x" * 10_000]
PLACES: list[tuple[Any, ...]] = [
    (hostile.ROOT, "Links"),
    (hostile.ROOT, "Oem"),
    (hostile.ROOT, "Vendor"),
    (hostile.ROOT, "Links", "Sessions", "@odata.id"),
    (hostile.SYSTEM,),
    (hostile.SYSTEM, "@odata.id"),
    (hostile.SYSTEM, "@odata.etag"),
    (hostile.SYSTEM, "Links", "ManagedBy"),
    (hostile.SYSTEM, "Boot"),
    (hostile.SYSTEM, "Boot", "BootSourceOverrideTarget@Redfish.AllowableValues"),
    (hostile.SYSTEM, "Boot", "BootSourceOverrideMode"),
    (hostile.SYSTEM, "Actions", "#ComputerSystem.Reset"),
    (hostile.SYSTEM, "Actions", "#ComputerSystem.Reset", "target"),
    (f"{hostile.SYSTEM}/ResetActionInfo", "Parameters"),
    (f"{hostile.SYSTEM}/ResetActionInfo", "Parameters", 0, "AllowableValues"),
    (f"{hostile.SYSTEM}/EthernetInterfaces", "Members"),
    (f"{hostile.SYSTEM}/EthernetInterfaces/0", "MACAddress"),
    (hostile.MANAGER, "Model"),
    (hostile.MANAGER, "FirmwareVersion"),
    (f"{hostile.MANAGER}/VirtualMedia", "Members"),
    (f"{hostile.MANAGER}/VirtualMedia/2", "MediaTypes"),
    (f"{hostile.MANAGER}/VirtualMedia/2", "Inserted"),
    (f"{hostile.MANAGER}/VirtualMedia/2", "Actions"),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_values_with_other_types_are_no_traceback(place: tuple[Any, ...]) -> None:
    with hostile.serving() as bmc:
        for value in ODD:
            bmc.tree = hostile.honest()
            holder: Any = bmc.tree
            for part in place[:-1]:
                holder = holder[part]
            holder[place[-1]] = value
            result = run(bmc, check=True)  # raises for everything but a foreseeable fault
            assert result.failed in (True, False) and len(str(result.as_dict())) < 40_000


@pytest.mark.parametrize("body", http_json.ODD_JSON.values(), ids=http_json.ODD_JSON)
@pytest.mark.parametrize("path", [hostile.ROOT, hostile.SYSTEM, f"{hostile.MANAGER}/VirtualMedia/2"])
def test_documents_beyond_limits_are_a_fault_of_the_host(path: str, body: bytes) -> None:
    with hostile.serving() as bmc, hostile.serving() as honest:
        bmc.tree[path] = body
        first, second = boot_hosts([request(bmc), request(honest, "node-2")], "on", BmcOptions(clock=Clock()))
    assert first.failed and "is not a Redfish resource" in first.reason
    assert not second.failed or "node-1" in second.reason


def test_a_resource_that_is_too_large() -> None:
    with hostile.serving() as bmc:
        bmc.tree[hostile.SYSTEM] = http_json.gzip_bomb(50)
        result = run(bmc)
    assert result.failed and "larger than 8 MiB" in result.reason


def test_headers_that_cannot_be_sent_back() -> None:
    with hostile.serving() as bmc:
        bmc.tree[f"{hostile.MANAGER}/VirtualMedia/2"] |= {"Actions": {}, "@odata.etag": "a\r\nX-Injected: 1"}
        result = run(bmc)
        assert not any("x-injected" in headers for _method, _path, headers, _body in bmc.requests)
    assert result.failed and "HTTP does not allow" in result.reason


@pytest.mark.parametrize(
    "entry",
    [
        {"RelatedProperties": 7},
        {"MessageArgs": "x", "Message": ["a"]},
        {"Message": "x" * 5_000_000},
        {"MessageId": {"a": 1}},
        7,
        [],
    ],
)
def test_refusals_with_other_types(entry: Any) -> None:
    insert = f"{hostile.MANAGER}/VirtualMedia/2/Actions/VirtualMedia.InsertMedia"
    with hostile.serving() as bmc:
        bmc.writes[insert] = (400, {}, {"error": {"code": 7, "message": [], "@Message.ExtendedInfo": [entry] * 3}})
        result = run(bmc)
    assert result.failed and len(result.reason) < 40_000


def test_what_the_credentials_look_like_to_the_bmc_itself() -> None:
    """The attacks above look for requests at another server; this shows that they would be seen."""
    basic = "Basic " + base64.b64encode(f"{hostile.USER}:{hostile.PASSWORD}".encode()).decode()
    with hostile.serving() as bmc:
        run(bmc, check=True)
        assert any(headers.get("authorization") == basic for _method, _path, headers, _body in bmc.requests)
        run(bmc)
        assert any(headers.get("x-auth-token") == hostile.TOKEN for _method, _path, headers, _body in bmc.requests)
