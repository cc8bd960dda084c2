# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Boot one machine for each kind of BMC that the lab simulates, through TLS and real sockets, in one task.

Source: docs/reference/bmcs.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import BMC_PASSWORD
from .conftest import MakeLab
from .lab import Deployment

# Lab profile -> expected result of boot_hosts: the selected profile, the slot, the boot target.
EXPECTED = {
    "plain": ("generic", "1", "Cd"),
    "basic-only": ("generic", "1", "Cd"),
    "dell-idrac9": ("dell", "1", "Cd"),
    "dell-idrac9-old": ("dell_import", "CD", "VCD-DVD"),
    "dell-idrac8": ("dell_import", "CD", "VCD-DVD"),
    "dell-idrac10": ("dell_idrac10", "1", "VCD-DVD"),
    "hpe-ilo5": ("hpe", "2", "Cd"),
    "hpe-ilo4": ("hpe_ilo4", "2", "Cd"),
    "hpe-ilo4-2.30": ("hpe_ilo4", "2", "Cd"),
    "lenovo-xcc": ("lenovo", "EXT1", "Cd"),
    "lenovo-ami": ("lenovo_ami", "CD1", "Cd"),
    "supermicro": ("supermicro", "CD1", "UsbCd"),
    "supermicro-x10": ("supermicro_iso_config", "CfgCD", "Cd"),
    "ami-full-boot": ("ami", "CD1", "Cd"),
    "cisco-slots": ("generic", "0", "Cd"),
    "nvidia": ("generic", "Cd", "Cd"),
    "nokia": ("generic", "1", "Cd"),
    "fujitsu-irmc-s6": ("fujitsu", "0", "Cd"),
}


def machine(number: int, profile: str) -> dict[str, Any]:
    bmc = {
        "address": f"redfish-virtualmedia+https://10.0.7.{number}/redfish/v1/Systems/1",
        "username": "admin",
        "password": BMC_PASSWORD,
        "profile": profile,
    }
    nic = {"name": "eno1", "mac": f"52:54:00:07:00:{number:02x}", "network": "machines"}
    return {"name": profile, "nics": [nic], "disks": [{"name": "sda", "size_gib": 100}], "bmc": bmc}


@pytest.fixture(scope="module")
def rack(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    directory = tmp_path_factory.mktemp("rack")
    machines = [machine(number, profile) for number, profile in enumerate(EXPECTED, 1)]
    networks = [{"name": "machines", "cidr": "10.1.7.0/24"}, {"name": "management", "cidr": "10.0.7.0/24"}]
    (directory / "site.yml").write_text(yaml.safe_dump({"networks": networks, "machines": machines}))
    lab = make_lab(directory, directory / "site.yml")
    yield Deployment(lab, directory / "none", directory)
    lab.down()


def hosts_of(rack: Deployment) -> list[dict[str, Any]]:
    site = yaml.safe_load((rack.directory / "site.yml").read_text())
    keys = ("address", "username", "password")
    return [
        {
            "name": entry["name"],
            "bmc": {key: entry["bmc"][key] for key in keys},
            "mac_addresses": [entry["nics"][0]["mac"]],
        }
        for entry in site["machines"]
    ]


def machines_of(rack: Deployment) -> dict[str, dict[str, Any]]:
    return {seen["name"]: seen for seen in rack.lab.status()["machines"]}


def call(rack: Deployment, module_name: str, **arguments: Any) -> dict[str, Any]:
    variables = rack.lab.vars
    connection = (
        {"connect_to": variables["openshift_connect_to"], "ca_cert": variables["openshift_ca_cert"]}
        if module_name in ("bmc_info", "boot_hosts")
        else {}
    )
    run = rack.module(module_name, {**arguments, **connection})
    return dict(json.loads(run.output[run.output.index("=> {") + 3 : run.output.rindex("}") + 1]))


def published(rack: Deployment) -> str:
    """The lab's base image, served as the image of a deployment is."""
    rack.work_dir.mkdir(exist_ok=True)
    image = rack.directory / "agent.x86_64.iso"
    if not image.exists():
        image.symlink_to(rack.lab.vars["openshift_base_image"]["path"])
    result = call(
        rack,
        "image_server",
        work_dir=str(rack.work_dir),
        path=str(image),
        publish={"listen": rack.lab.vars["openshift_publish"]["listen"]},
    )
    return Path(result["url_file"]).read_text().strip()


@pytest.fixture(scope="module")
def url(rack: Deployment) -> Iterator[str]:
    yield published(rack)
    call(rack, "image_server", work_dir=str(rack.work_dir), state="stopped")


def test_every_kind_of_bmc(rack: Deployment, url: str) -> None:
    hosts = hosts_of(rack)
    info = call(rack, "bmc_info", hosts=hosts)
    assert {host["name"]: host["profile"] for host in info["hosts"]} == {
        name: expected[0] for name, expected in EXPECTED.items()
    }
    assert not any(host["reason"] for host in info["hosts"])

    done = call(rack, "boot_hosts", hosts=hosts, image_url=url)
    assert not done.get("failed"), done["msg"]
    assert {host["name"]: (host["profile"], host["slot"], host["boot_target"]) for host in done["hosts"]} == EXPECTED

    for name, seen in machines_of(rack).items():
        assert (seen["power"], seen["medium"], seen["sessions"]) == ("On", url, 0), (name, seen)
        assert not [write for write in seen["bmc"]["writes"] if write["status"] >= 400], "a refusal counted as a write"

    before = rack.lab.writes()
    again = call(rack, "boot_hosts", hosts=hosts, image_url=url)
    assert not again["changed"] and rack.lab.writes() == before, [host for host in again["hosts"] if host["changed"]]


def test_the_image_is_what_they_boot_once(rack: Deployment, url: str) -> None:
    """From the medium just inserted, although it is not the first device; the override is used up then."""
    hosts = hosts_of(rack)
    call(rack, "boot_hosts", hosts=hosts, image_url=url)
    while not all(seen["boots"] for seen in machines_of(rack).values()):
        time.sleep(0.1)
    for name, seen in machines_of(rack).items():
        assert seen["boots"] == [f"cd:{url}"], (name, seen["console"])
        assert seen["boot"]["enabled"] == "Disabled", (name, seen["boot"])


def test_boot_again_and_eject(rack: Deployment, url: str) -> None:
    """A machine that runs, with a medium in it, is taken through the whole procedure; detaching leaves its power
    alone.
    """
    hosts = hosts_of(rack)
    refused = call(rack, "boot_hosts", hosts=[{**hosts[0], "force": True}], image_url=url)
    assert "take_over" in refused["msg"] and "hosts" not in refused, refused
    # Those whose eject is not the standard's.
    again = [
        {**host, "force": True, "take_over": True}
        for host in hosts
        if host["name"] in ("dell-idrac9", "hpe-ilo5", "lenovo-xcc")
    ]
    forced = call(rack, "boot_hosts", hosts=again, image_url=url)
    assert "hosts" in forced, forced["msg"]
    assert all(
        host["changed"] and host["previous_image"] == url.replace(url.split("/")[-2], "<hidden>")
        for host in forced["hosts"]
    )

    ejected = call(rack, "boot_hosts", hosts=hosts, state="ejected")
    assert not ejected.get("failed"), ejected["msg"]
    for name, seen in machines_of(rack).items():
        assert (seen["power"], seen["medium"], seen["sessions"]) == ("On", None, 0), (name, seen)


def test_a_wrong_password_is_reported_by_every_kind(rack: Deployment) -> None:
    hosts = hosts_of(rack)
    before = rack.lab.writes()
    for host in hosts:
        host["bmc"]["password"] = "yesterday's"
    result = call(rack, "boot_hosts", hosts=hosts, state="on")
    for number, host in enumerate(result["hosts"], 1):
        assert (
            host["phase"] == "observe"
            and (f"https://10.0.7.{number} refuses user 'admin' with this password (HTTP 401)") in host["reason"]
        ), host
    assert "No machine was touched" in result["msg"] and rack.lab.writes() == before
