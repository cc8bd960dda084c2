# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test pure functions of the BMC client with tables of inputs and expected results: BMC addresses, error bodies, vendor
profiles and image URLs.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.address import parse_address
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import HostResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.image_url import check_image_url
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.messages import read_refusal
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.plan import BmcStep, describe
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.profile import PROFILES, Profile, detect_profile
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.requests import check_bmc
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.session import RefusedRequest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import Response
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile

GOOD_BMC = {"address": "redfish-virtualmedia://10.0.0.1", "username": "admin", "password": "secret"}


@pytest.mark.parametrize(
    ("text", "url", "system"),
    [
        ("redfish-virtualmedia://10.0.0.5/redfish/v1/Systems/1", "https://10.0.0.5", "/redfish/v1/Systems/1"),
        (
            "redfish-virtualmedia+http://10.0.0.5:8000/redfish/v1/Systems/1/",
            "http://10.0.0.5:8000",
            "/redfish/v1/Systems/1",
        ),
        ("idrac-virtualmedia+https://bmc-1.example.com/redfish/v1", "https://bmc-1.example.com", ""),
        ("ilo5-virtualmedia://[fd00::5]:8443", "https://[fd00::5]:8443", ""),
        ("REDFISH-VIRTUALMEDIA+HTTPS://bmc/", "https://bmc", ""),
        (
            "https://10.0.0.5/redfish/v1/Systems/System.Embedded.1",
            "https://10.0.0.5",
            "/redfish/v1/Systems/System.Embedded.1",
        ),
    ],
)
def test_addresses(text: str, url: str, system: str) -> None:
    address = parse_address(text)
    assert (address.url, address.system) == (url, system)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10.0.0.5", "has no scheme, which would mean IPMI"),
        (
            "ipmi://10.0.0.5:623?privilegelevel=OPERATOR",
            "not part of this version; .*write redfish-virtualmedia://10.0.0.5; supported are redfish-v",
        ),
        ("ipmi://[fd00::5]", "write redfish-virtualmedia://.fd00::5.; supported"),
        (
            "redfish://10.0.0.5/redfish/v1/Systems/1",
            ("nearest is redfish-virtualmedia://10.0.0.5/redfish/v1/Systems/1; supported are"),
        ),
        ("idrac-redfish+http://h/x", "nearest is idrac-virtualmedia.http://h/x;"),
        (
            "libvirt://192.168.122.1:6233/",
            ("scheme libvirt is for virtual machines, which is not part of this version; supported are"),
        ),
        (
            "ilo5://10.0.0.5",
            "scheme ilo5 is no longer supported by OpenShift; nearest is ilo5-virtualmedia://10.0.0.5; supported are",
        ),
        ("redfish-virtualmedai://10.0.0.5", "did you mean redfish-virtualmedia.; supported are"),
        (
            "gopher://10.0.0.5",
            ("scheme 'gopher' is unknown; supported are redfish-virtualmedia, idrac-virtualmedia, ilo5-virtualmedia"),
        ),
        ("redfish-virtualmedia://[fd00::5", "cannot be read"),
        ("redfish-virtualmedia://10.0.0.5:0", "not a number from 1"),
        ("admin:pw@10.0.0.5", "^the address must not contain credentials; use username and password$"),
        ("redfish-virtualmedia+ftp://10.0.0.5", "http or https"),
        ("redfish-virtualmedia://admin:pw@10.0.0.5", "the address must not contain credentials"),
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
            (
                b'{"error": {"code": "Base.1.8.GeneralError", "message": "See info", "@Message.ExtendedInfo": '
                b'[{"MessageId": "Base.1.8.X", "Message": "why"}]}}'
            ),
            ("X",),
            "X: why",
        ),
        (
            b'{"error": {"@Message.ExtendedInfo": {"MessageId": "iLO.2.14.Y", "Message": "one, not a list"}}}',
            ("Y",),
            "Y: one, not a list",
        ),
        (
            b'{"@Message.ExtendedInfo": [{"MessageId": "IDRAC.2.8.RAC0904", "Message": "top level"}]}',
            ("RAC0904",),
            "RAC0904: top level",
        ),
        (b'{"error": {"message": "only a message"}}', (), "only a message"),
        (b"<html>nope</html>", (), "(an HTML page)"),
        (b"", (), "(empty answer)"),
        (
            b'{"error": {"code": "Base.1.0.GeneralError", "message": "Cannot download virtual media: got error 404 '
            b'from the server", '
            b'"@Message.ExtendedInfo": [{"@odata.type": "/redfish/v1/$metadata#Message.1.0.0.Message", "MessageId": '
            b'"Base.1.0.GeneralError"}]}}',
            ("GeneralError",),
            "Cannot download virtual media: got error 404 from the server",
        ),
        (
            b'{"error": {"message": "See @Message.ExtendedInfo", "@Message.ExtendedInfo": '
            b'[{"MessageId": "Base.1.8.ActionParameterMissing", "MessageArgs": ["VirtualMedia.InsertMedia", '
            b'"TransferProtocolType"]}]}}',
            ("ActionParameterMissing",),
            (
                "See @Message.ExtendedInfo; ActionParameterMissing: the action VirtualMedia.InsertMedia needs the "
                "parameter TransferProtocolType"
            ),
        ),
        (
            b'{"error": {"@Message.ExtendedInfo": [{"MessageId": "iLO.2.14.DiagsTestAlreadyRunning"}]}}',
            ("DiagsTestAlreadyRunning",),
            "DiagsTestAlreadyRunning",
        ),
        (b"Unsupported", (), "Unsupported"),
    ],
)
def test_error_bodies(body: bytes, ids: tuple[str, ...], text: str) -> None:
    refusal = read_refusal(Response(400, {}, body))
    assert (refusal.ids, refusal.text) == (ids, text)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "7"}, b"", 7.0),
        ({}, b'{"error": {"message": "The service is temporarily unavailable.  Retry in 30 seconds."}}', 30.0),
        ({}, b'{"error": {"message": "iDRAC is not ready. Wait for 2 minutes and retry."}}', 120.0),
        ({}, b"The server is starting; try again in 15 seconds", 15.0),
        ({}, b'{"error": {"message": "The slot holds 5 seconds of data"}}', None),
    ],
)
def test_a_service_says_when_to_ask_again(headers: dict[str, str], body: bytes, seconds: float | None) -> None:
    assert read_refusal(Response(503, headers, body)).retry_after == seconds


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("iLO.2.14.LicenseKeyRequired: a license key is required", True),
        ("Not licensed to perform this request. The following licenses SFT-OOB-LIC were needed", True),
        ("The product key must be activated", True),
        ("The server is busy", False),
    ],
)
def test_licences_are_recognised(text: str, licence: bool) -> None:
    refusal = read_refusal(Response(403, {}, json.dumps({"error": {"message": text}}).encode()))
    assert refusal.about_licence is licence
    assert ("lacks a licence" in RefusedRequest("BMC of a", "POST /x", refusal).hint) is licence


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
        ({"Vendor": "HPE"}, {}, {"Model": "iLO 4"}, "hpe_ilo4"),
        ({"Oem": {"Hp": {}}}, {}, {"FirmwareVersion": "iLO 4 v2.82"}, "hpe_ilo4"),
        (
            {"Vendor": "Lenovo"},
            {},
            {"Actions": {"Oem": {"#AMIVirtualMedia.EnableRMedia": {"target": "/x"}}}},
            "lenovo_ami",
        ),
        (
            {},
            {"Manufacturer": "Supermicro"},
            {"VirtualMedia": {"@odata.id": "/redfish/v1/Managers/1/VM1"}},
            "supermicro_iso_config",
        ),
        ({}, {"Manufacturer": "FUJITSU"}, {}, "fujitsu"),
        ({"Oem": {"Huawei": {}}}, {}, {}, "huawei"),
        ({"Vendor": "xFusion"}, {}, {}, "huawei"),
        ({}, {"Manufacturer": "QEMU"}, {}, "generic"),
    ],
)
def test_profiles(root: dict, system: dict, manager: dict, name: str) -> None:
    assert detect_profile(root, system, [manager]).name == name


@pytest.mark.parametrize(
    ("system", "manager", "name"),
    [
        pytest.param({}, {"Model": "13G Monolithic", "FirmwareVersion": "2.75.75.75"}, "dell_import", id="iDRAC 8"),
        pytest.param(
            {}, {"Model": "14G Monolithic", "FirmwareVersion": "5.10.50.00"}, "dell_import", id="early iDRAC 9"
        ),
        pytest.param(
            {}, {"FirmwareVersion": "5.10.50.00"}, "dell_import", id="early iDRAC 9 whose Manager has no Model"
        ),
        pytest.param({}, {"FirmwareVersion": "6.10.30.00"}, "dell", id="iDRAC 9 whose Manager has no Model"),
        pytest.param(
            {}, {"FirmwareVersion": "1.20.10.50"}, "dell_import", id="iDRAC 8 or 10: the import works with both"
        ),
        pytest.param(
            {"Oem": {"Dell": {"DellSystem": {"SystemGeneration": "17G Monolithic"}}}},
            {"FirmwareVersion": "1.20"},
            "dell_idrac10",
            id="generation of the System",
        ),
        pytest.param({}, {}, "dell_import", id="a Manager that cannot be read"),
    ],
)
def test_generations_of_idrac(system: dict, manager: dict, name: str) -> None:
    assert detect_profile({"Vendor": "Dell"}, system, [manager]).name == name


def test_each_quirk_is_a_row_with_its_reason_and_source() -> None:
    fields = {field.name for field in dataclasses.fields(Profile)} - {"name", "title", "quirks"}
    for profile in PROFILES.values():
        named = [quirk.field for quirk in profile.quirks]
        assert len(named) == len(set(named)) and set(named) <= fields
        for quirk in profile.quirks:
            assert quirk.text.endswith(".") and quirk.source and getattr(profile, quirk.field) == quirk.value
            assert getattr(profile.without(quirk), quirk.field) != quirk.value
        # No deviation comes from elsewhere.
        plain = functools.reduce(Profile.without, profile.quirks, profile)
        assert dataclasses.replace(plain, name="", title="", quirks=()) == dataclasses.replace(
            Profile(), name="", title="", quirks=()
        )


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("http://h/d/x.iso", True),
        ("https://[fd00::1]:8080/d/x.iso", True),
        ("http://h:0/predicted/x.iso", True),
        ("http://h:99999/d/x.iso", False),
        ("http:///d/x.iso", False),
        ("http://h/x.iso", False),
        ("http://h/d/x.iso?arch=x", False),
        ("http://h/d/x.img", False),
        ("nfs://h/d/x.iso", True),
        ("cifs://h/share/x.iso", True),
        ("smb://h/share/x.iso", True),
        ("nfs://h/x.iso", False),
        ("ftp://h/d/x.iso", False),
    ],
)
def test_image_urls(url: str, fine: bool) -> None:
    assert (check_image_url(url) == "") is fine


@pytest.mark.parametrize("kind", ["byapikey", "bytoken"])
def test_the_token_of_a_discovery_image_is_not_shown(kind: str) -> None:
    url = f"https://images.hub.example.com/{kind}/eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl/4.20/x86_64/full.iso"
    shown = f"https://images.hub.example.com/{kind}/<hidden>/4.20/x86_64/full.iso"
    steps = [BmcStep("eject", "1", f"holds {url}"), BmcStep("insert", url, "into slot 1")]
    assert describe(steps) == [f"eject slot 1 (holds {shown})", f"insert {shown} (into slot 1)"]
    result = HostResult("a", previous_image=url, image=url).as_dict()
    assert (result["previous_image"], result["image"]) == (shown, shown)


def test_all_mistakes_in_hosts_are_found_at_once() -> None:
    hosts = [
        {"name": "a", "bmc": {"address": "ipmi://1.2.3.4", "username": "u", "password": "p"}},
        {"name": "b", "bmc": {}},
        {"name": "b", "bmc": GOOD_BMC},
    ]
    with pytest.raises(InvalidInput) as caught:
        boot_requests(hosts, "http://h/x.iso", needs_image=True)
    assert [problem.path for problem in caught.value.problems] == [
        "hosts[a].bmc.address",
        "hosts[a].image_url",
        "hosts[b].bmc.address",
        "hosts[b].bmc.username",
        "hosts[b].bmc.password",
        "hosts[b].image_url",
        "hosts[b].image_url",
        "hosts[b].name",
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"password": 4711, "validate_certs": "no"}, []),
        (
            {"ca_cert": "/nowhere/ca.pem"},
            [("bmc.ca_cert: Invalid value: CA certificate file /nowhere/ca.pem does not exist")],
        ),
        (
            {"ca_cert": "-----BEGIN CERTIFICATE-----\nxx\n"},
            [("bmc.ca_cert: Invalid value: The given CA certificate holds no certificate")],
        ),
        ({"ca_cert": ["x"]}, ["bmc.ca_cert: Invalid value: must be the path of a PEM file, or PEM text"]),
        ({"fingerprint": "ab:cd"}, ["bmc.fingerprint: Invalid value: fingerprint is not a SHA-256 fingerprint"]),
        ({"address": 7}, ["bmc.address: Invalid value: must be a string"]),
        ({"username": None}, ["bmc.username: Required value: the BMC's user name is needed"]),
        ({"password": ""}, ["bmc.password: Required value: the BMC's password is needed"]),
        ({"password": ["x"]}, ["bmc.password: Invalid value: must be a string"]),
        ({"username": True}, ["bmc.username: Invalid value: must be a string"]),
        ({"validate_certs": "maybe"}, ["bmc.validate_certs: Invalid value: must be true or false"]),
        ({"user": "x"}, ["bmc.user: Unknown field: known: address, username"]),
        (
            {"address": "ipmi://h", "fingerprint": "x", "password": None},
            ["bmc.password: Required", "bmc.address: Invalid", "bmc.fingerprint: Invalid"],
        ),
    ],
)
def test_mistakes_in_bmc(change: dict, expected: list[str]) -> None:
    found = [problem.text() for problem in check_bmc({**GOOD_BMC, **change}, "bmc")]
    assert len(found) == len(expected), found
    assert all(text.startswith(words) for text, words in zip(found, expected, strict=True)), found


@pytest.mark.parametrize("bmc", [[], 7, "redfish-virtualmedia://10.0.0.1"])
def test_bmc_of_another_shape(bmc: object) -> None:
    assert [problem.text() for problem in check_bmc(bmc, "bmc")] == [
        ("bmc: Invalid value: must be a mapping with address, username, password")
    ]


def test_the_state_file_has_macs_that_the_inventory_does_not_name(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "state.json")
    state.update("cluster", {"hosts": [{"name": "a", "hostname": "a.example", "macs": ["52:54:00:00:00:01"]}]})
    hosts = [{"name": name, "bmc": GOOD_BMC} for name in ("a", "a.example", "b")]
    assert [request.mac_addresses for request in boot_requests(hosts, state_file=state)] == [
        ("52:54:00:00:00:01",),
        ("52:54:00:00:00:01",),
        (),
    ]
