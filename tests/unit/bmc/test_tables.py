# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Addresses, error bodies, profiles and image URLs: tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.address import parse_address
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.image_url import check_image_url
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.messages import read_refusal
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.profile import detect_profile
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile


@pytest.mark.parametrize(
    ("text", "url", "system"),
    [
        ("redfish-virtualmedia://10.0.0.5/redfish/v1/Systems/1", "https://10.0.0.5", "/redfish/v1/Systems/1"),
        ("redfish-virtualmedia+http://10.0.0.5:8000/redfish/v1/Systems/1/", "http://10.0.0.5:8000", "/redfish/v1/Systems/1"),
        ("idrac-virtualmedia+https://bmc-1.example.com/redfish/v1", "https://bmc-1.example.com", ""),
        ("ilo5-virtualmedia://[fd00::5]:8443", "https://[fd00::5]:8443", ""),
        ("REDFISH-VIRTUALMEDIA+HTTPS://bmc/", "https://bmc", ""),
        ("https://10.0.0.5/redfish/v1/Systems/System.Embedded.1", "https://10.0.0.5", "/redfish/v1/Systems/System.Embedded.1"),
    ],
)
def test_addresses(text: str, url: str, system: str) -> None:
    address = parse_address(text)
    assert (address.url, address.system) == (url, system)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10.0.0.5", "has no scheme"),
        ("ipmi://10.0.0.5", "not part of this version"),
        ("redfish://10.0.0.5/redfish/v1/Systems/1", "not part of this version"),
        ("redfish-virtualmedai://10.0.0.5", "did you mean redfish-virtualmedia"),
        ("redfish-virtualmedia+ftp://10.0.0.5", "http or https"),
        ("redfish-virtualmedia://admin:pw@10.0.0.5", "credentials do not belong"),
        ("redfish-virtualmedia://", "names no host"),
        ("redfish-virtualmedia://10.0.0.5:99999", "port"),
        ("redfish-virtualmedia://bad_-host!", "neither an IP address nor a DNS name"),
    ],
)
def test_bad_addresses(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_address(text)


@pytest.mark.parametrize(
    ("body", "ids", "text"),
    [
        (
            b'{"error": {"code": "Base.1.8.GeneralError", "message": "See info", "@Message.ExtendedInfo": [{"MessageId": "Base.1.8.X", "Message": "why"}]}}',
            ("X",),
            "X: why",
        ),
        (b'{"error": {"@Message.ExtendedInfo": {"MessageId": "iLO.2.14.Y", "Message": "one, not a list"}}}', ("Y",), "Y: one, not a list"),
        (b'{"@Message.ExtendedInfo": [{"MessageId": "IDRAC.2.8.RAC0904", "Message": "top level"}]}', ("RAC0904",), "RAC0904: top level"),
        (b'{"error": {"message": "only a message"}}', (), "only a message"),
        (b"<html>nope</html>", (), "(an HTML page)"),
        (b"", (), "(empty answer)"),
        (b"Unsupported", (), "Unsupported"),
    ],
)
def test_error_bodies(body: bytes, ids: tuple[str, ...], text: str) -> None:
    refusal = read_refusal(Response(400, {}, body))
    assert (refusal.ids, refusal.text) == (ids, text)


@pytest.mark.parametrize(
    ("root", "system", "manager", "name"),
    [
        ({"Vendor": "HPE"}, {}, {}, "hpe"),
        ({"Oem": {"Hp": {}}}, {}, {}, "hpe"),
        ({"Vendor": "Dell"}, {}, {"Model": "15G Monolithic", "FirmwareVersion": "7.00.30.00"}, "dell"),
        ({"Vendor": "Dell"}, {}, {"Model": "17G Monolithic", "FirmwareVersion": "1.10.17.00"}, "dell_idrac10"),
        ({}, {"Manufacturer": "Supermicro"}, {}, "supermicro"),
        ({}, {"Manufacturer": "ASRockRack"}, {}, "ami"),
        ({"Vendor": "Lenovo"}, {}, {}, "lenovo"),
        ({}, {"Manufacturer": "QEMU"}, {}, "generic"),
    ],
)
def test_profiles(root: dict, system: dict, manager: dict, name: str) -> None:
    assert detect_profile(root, system, [manager]).name == name


@pytest.mark.parametrize(("model", "firmware"), [("13G Monolithic", "2.75.75.75"), ("14G Monolithic", "5.10.50.00")])
def test_old_idracs_are_refused_for_boot(model: str, firmware: str) -> None:
    profile = detect_profile({"Vendor": "Dell"}, {}, [{"Model": model, "FirmwareVersion": firmware}])
    assert "physical drive" in profile.refuses_standard_boot


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("http://h/d/x.iso", True),
        ("https://[fd00::1]:8080/d/x.iso", True),
        ("http://h/x.iso", False),
        ("http://h/d/x.iso?arch=x", False),
        ("http://h/d/x.img", False),
        ("nfs://h/d/x.iso", False),
    ],
)
def test_image_urls(url: str, fine: bool) -> None:
    assert (check_image_url(url) == "") is fine


def test_all_mistakes_in_hosts_are_found_at_once() -> None:
    hosts = [{"name": "a", "bmc": {"address": "ipmi://1.2.3.4"}}, {"name": "a", "bmc": {}}]
    with pytest.raises(InvalidInput) as caught:
        boot_requests(hosts, "http://h/x.iso", needs_image=True)
    assert [problem.path for problem in caught.value.problems] == [
        "hosts[0].bmc.address",
        "hosts[0].image_url",
        "hosts[1].bmc.address",
        "hosts[1].image_url",
        "hosts[1].name",
    ]


def test_the_state_file_knows_macs_that_the_inventory_does_not_name(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "state.json")
    state.update("cluster", {"hosts": [{"name": "a", "hostname": "a.example", "macs": ["52:54:00:00:00:01"]}]})
    hosts = [{"name": name, "bmc": {"address": "redfish-virtualmedia://10.0.0.1"}} for name in ("a", "a.example", "b")]
    assert [request.mac_addresses for request in boot_requests(hosts, state_file=state)] == [("52:54:00:00:00:01",), ("52:54:00:00:00:01",), ()]
