# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module starter_inventory, called in the test process: the inventory that it writes, and when it overwrites a
file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.modules import starter_inventory
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args

Module = Callable[..., dict[str, Any]]


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "site.yml"


@pytest.fixture
def module(dest: Path, capfd: pytest.CaptureFixture[str]) -> Module:
    def call(answers: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        with patch_module_args({"dest": str(dest), "answers": answers, **arguments}), pytest.raises(SystemExit):
            starter_inventory.main()
        return dict(json.loads(capfd.readouterr().out))

    return call


def test_check_run_run_again(module: Module, dest: Path) -> None:
    answers = {"name": "demo", "first_address": "10.0.0.10", "api_vip": "10.0.0.11", "workers": 1}
    assert module(answers, _ansible_check_mode=True)["changed"] and not dest.exists()
    done = module(answers)
    assert done["changed"] and done["path"] == str(dest)
    names = dest.read_text()
    assert yaml.safe_load(names)["all"]["children"]
    assert "master-2" in names and "worker-0" in names and "master-3" not in names
    assert not module(answers)["changed"]


def test_the_address_of_a_cluster_is_no_address_of_a_host(module: Module, dest: Path) -> None:
    module({"first_address": "10.0.0.10", "api_vip": "10.0.0.11"})
    text = dest.read_text()
    assert [text.count(f"10.0.0.{last}") > 0 for last in (10, 11, 12, 13, 14)] == [True, True, True, True, False]
    assert text.count("10.0.0.11") == 1


def test_another_file_is_overwritten_only_with_the_option(module: Module, dest: Path) -> None:
    dest.write_text("of the user\n")
    refused = module({"name": "demo"})
    assert refused["failed"] and "exists" in refused["msg"] and dest.read_text() == "of the user\n"
    assert module({"name": "demo"}, overwrite=True)["changed"] and "demo" in dest.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [("name", "Upper Case"), ("machine_network", "10.0.0.0/99"), ("control_plane", 2), ("nmae", "demo")],
)
def test_a_wrong_answer_is_refused_with_its_name(key: str, value: Any, module: Module, dest: Path) -> None:
    refused = module({key: value})
    assert refused["failed"] and [problem["path"] for problem in refused["problems"]] == [f"openshift_init.{key}"]
    assert not dest.exists()


def machine(number: int, **changed: Any) -> dict[str, Any]:
    macs = [f"52:54:00:00:0{number}:0{nic}" for nic in range(2)]
    return {
        "name": f"10.0.0.{number}",
        "failed": False,
        "vendor": "Acme",
        "model": "R1",
        "serial": f"S{number}",
        "mac_addresses": macs,
        **changed,
    }


def hosts_in(dest: Path) -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(dest.read_text())["all"]["children"].values()
    return {name: host["openshift_host"] for group in groups for name, host in group["hosts"].items()}


@pytest.mark.parametrize(
    ("count", "names"),
    [(1, ["master-0"]), (2, ["master-0", "worker-0"]), (4, ["master-0", "master-1", "master-2", "worker-0"])],
)
def test_each_machine_is_a_host(count: int, names: list[str], module: Module, dest: Path) -> None:
    bmcs = [
        {"address": f"10.0.0.{number}", "username": "root", "password": "canary", "validate_certs": False}
        for number in range(count)
    ]
    assert module({}, bmcs=bmcs, machines=[machine(number) for number in range(count)])["changed"]
    found = hosts_in(dest)
    assert list(found) == names
    for number, host in enumerate(found.values()):
        assert host["bmc"] == {"address": f"10.0.0.{number}", "username": "root", "validate_certs": False}
        assert host["interfaces"] == [{"name": "eno1", "mac_address": f"52:54:00:00:0{number}:00"}]
    text = dest.read_text()
    assert "# Acme R1 S0" in text and "# Its other MAC addresses: 52:54:00:00:00:01" in text and "canary" not in text


DISK = {"model": "MZ7LH480", "serial": "S5N0", "size": 480 * 10**9, "media_type": "SSD", "protocol": "SATA"}


@pytest.mark.parametrize(
    ("drives", "lines"),
    [
        ([], ["root_device_hints: {deviceName: /dev/sda}"]),
        (
            [DISK, {**DISK, "serial": "", "media_type": "", "protocol": ""}],
            [
                "The disk to install to: remove the # of one line. Volumes of a RAID controller have other names.",
                'root_device_hints: {serialNumber: "S5N0"}  # 480 GB SATA SSD MZ7LH480',
                'root_device_hints: {model: "MZ7LH480", minSizeGigabytes: 480}  # 480 GB MZ7LH480',
            ],
        ),
        (
            [{**DISK, "serial": 'x"}\nall: {}', "model": "R\n1"}],
            [
                "The disk to install to: remove the # of one line. Volumes of a RAID controller have other names.",
                'root_device_hints: {serialNumber: "x\\"} all: {}"}  # 480 GB SATA SSD R 1',
            ],
        ),
    ],
    ids=["none", "two", "hostile"],
)
def test_the_drives_are_commented_hints(
    drives: list[dict[str, Any]], lines: list[str], module: Module, dest: Path
) -> None:
    module({}, bmcs=[{"address": "10.0.0.1"}], machines=[machine(1, drives=drives)])
    assert "root_device_hints" not in hosts_in(dest)["master-0"]
    text = dest.read_text().splitlines()
    first = next(number for number, line in enumerate(text) if lines[0] in line)
    assert [line.strip() for line in text[first : first + len(lines)]] == [f"# {line}" for line in lines]
    # Each line is a valid one without its mark.
    for number in range(first, first + len(lines)):
        if "root_device_hints" in text[number]:
            changed = [*text[:number], text[number].replace("# ", "", 1), *text[number + 1 :]]
            dest.write_text("\n".join(changed))
            assert hosts_in(dest)["master-0"]["root_device_hints"]


def test_of_many_drives_the_first_ones_are_listed(module: Module, dest: Path) -> None:
    drives = [{**DISK, "serial": f"S{number}"} for number in range(30)]
    module({}, bmcs=[{"address": "10.0.0.1"}], machines=[machine(1, drives=drives)])
    text = dest.read_text()
    assert text.count("root_device_hints") == 24 and "# 6 more drives are not listed." in text


def test_what_a_bmc_says_adds_no_line(module: Module, dest: Path) -> None:
    """A machine that could not be read is a comment with the reason; one that lists no network has a blank."""
    bmcs = [{"address": "10.0.0.1"}, {"address": "10.0.0.2"}, {"address": "10.0.0.3"}]
    read = [
        machine(1, mac_addresses=[], model="R1\nall: {}"),
        {"name": "10.0.0.2", "failed": True, "reason": "BMC 10.0.0.2\nrefused: the login"},
    ]
    module({}, bmcs=bmcs, machines=read)
    found = hosts_in(dest)
    assert list(found) == ["master-0"] and found["master-0"]["interfaces"][0]["mac_address"] == ""
    text = dest.read_text()
    assert (
        "is not a host above: BMC 10.0.0.2 refused: the login\n" in text
        and "is not a host above: It was not read.\n" in text
    )
    assert "# Acme R1 all: {} S1\n" in text
