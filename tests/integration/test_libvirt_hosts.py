# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module libvirt_hosts against a real libvirt, with both drivers.

A session daemon can define networks but not start them; `test:///default` can.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import libraries
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import MissingLibrary
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor import connect
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.api import Hypervisor
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.binding import LibvirtBinding
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.connect import open_hypervisor
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.domain_xml import read_domain
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.apply import apply, observe
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.network import (
    described,
    network_xml,
    read_networks,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.machines.plan import (
    plan_absent,
    plan_present,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.virsh import Virsh
from ansible_collections.zerotouch.openshift.plugins.modules import libvirt_hosts
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from ansible_collections.zerotouch.openshift.tests.support.libvirt_daemon import (
    domain_xml,
    libvirt_daemon,
    virsh,
    why_no_binding,
    why_not,
)

ROOT = Path(__file__).parents[2]
CLUSTER = {
    "name": "vms",
    "base_domain": "example.com",
    "api_vips": ["192.168.131.5"],
    "ingress_vips": ["192.168.131.4"],
}
NETWORK = {"name": "vms", "cidr": "192.168.131.0/24"}
SMALL = {"cpus": 1, "memory_mib": 256, "disks": [{"size_gib": 1}], "networks": ["lan"]}


@pytest.fixture(scope="module")
def daemon() -> Iterator[tuple[str, Path]]:
    if why_not():
        pytest.skip(why_not())
    with libvirt_daemon() as (uri, directory):
        subprocess.run(
            ["virsh", "-q", "-c", uri, "pool-create-as", "default", "dir", "--target", str(directory)], check=True
        )
        lan = "<network><name>lan</name><ip address='192.168.200.1' prefix='24'/></network>"
        subprocess.run(["virsh", "-q", "-c", uri, "net-define", "/dev/stdin"], input=lan, text=True, check=True)
        yield uri, directory


@pytest.fixture(params=["binding", "virsh"])
def driver(
    request: pytest.FixtureRequest, daemon: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hypervisor]:
    """The driver that the module chooses; at the end no machine is left."""
    if request.param == "binding" and why_no_binding():
        pytest.skip(why_no_binding())
    if request.param == "virsh":

        class WithoutBinding:
            def __getattr__(self, name: str) -> Any:
                raise MissingLibrary("libvirt-python", "not installed")

        monkeypatch.setattr(connect, "libraries", WithoutBinding())
    hypervisor = open_hypervisor(daemon[0])
    assert type(hypervisor) is {"binding": LibvirtBinding, "virsh": Virsh}[request.param]
    yield hypervisor
    for entry in hypervisor.domains():
        if entry.on:
            hypervisor.stop(entry.uuid)
        hypervisor.undefine(entry.uuid)
    for volume in hypervisor.volumes("default"):
        hypervisor.delete_volume("default", volume.name)
    hypervisor.close()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def run(*hosts: dict[str, Any], check: bool = False, confirm: str = "", **more: Any) -> dict[str, Any]:
        touch = {
            "cluster_name": "vms",
            "work_dir": str(tmp_path / "work"),
            "confirm": [confirm] if confirm else [],
            "command": "libvirt_hosts",
        }
        arguments = {"hosts": list(hosts), "touch": touch, "_ansible_check_mode": check, "_ansible_diff": True, **more}
        with patch_module_args(arguments), pytest.raises(SystemExit):
            libvirt_hosts.main()
        return dict(json.loads(capfd.readouterr().out))

    return run


def host(uri: str, name: str = "vm-0", mac: str = "52:54:00:1b:00:20", **vm: Any) -> dict[str, Any]:
    return {"name": name, "libvirt": {"uri": uri}, "vm": {**SMALL, **vm}, "mac_addresses": [mac]}


def test_defines_and_removes(driver: Hypervisor, call: Callable[..., dict[str, Any]]) -> None:
    wanted = (
        host(driver.uri),
        host(driver.uri, "vm-1", "52:54:00:1b:00:21", disks=[{"size_gib": 1}, {"size_gib": 2, "serial": "DATA"}]),
    )
    predicted = call(*wanted, check=True)
    assert predicted["changed"] and driver.domains() == [] and driver.volumes("default") == [], predicted
    done = call(*wanted)
    assert done["changed"] and done["plan"] == predicted["plan"] and done["diff"] == predicted["diff"], done
    assert sorted(entry.name for entry in driver.domains()) == ["vm-0", "vm-1"] and not any(
        entry.on for entry in driver.domains()
    )
    assert sorted((volume.name, volume.capacity >> 30) for volume in driver.volumes("default")) == [
        ("vm-0-0.qcow2", 1),
        ("vm-1-0.qcow2", 1),
        ("vm-1-1.qcow2", 2),
    ]
    again = call(*wanted)
    assert not again["changed"] and again["diff"] == [], again
    bigger = call(host(driver.uri, cpus=2), wanted[1])
    assert [line.split(" [")[0] for line in bigger["plan"]] == ["define domain vm-0 (cpus differ)"]
    assert '"cpus": 1' in bigger["diff"][0]["before"] and '"cpus": 2' in bigger["diff"][0]["after"]
    uuid = next(entry.uuid for entry in driver.domains() if entry.name == "vm-0")
    assert (
        uuid in [entry.uuid for entry in driver.domains()] and not call(host(driver.uri, cpus=2), wanted[1])["changed"]
    )

    refused = call(*wanted, state="absent")
    assert refused["failed"] and "openshift_confirm=vms" in refused["msg"] and len(driver.domains()) == 2, refused
    planned = call(*wanted, state="absent", confirm="vms", check=True)
    assert planned["changed"] and len(driver.domains()) == 2
    gone = call(*wanted, state="absent", confirm="vms")
    assert gone["changed"] and gone["plan"] == planned["plan"], gone
    assert driver.domains() == [] and driver.volumes("default") == []
    assert not call(*wanted, state="absent", confirm="vms")["changed"]


def test_firmware(driver: Hypervisor, call: Callable[..., dict[str, Any]]) -> None:
    """libvirt itself chooses the firmware, and accepts what the template says about secure boot and the TPM."""
    if not list(Path("/usr/share/qemu/firmware").glob("*edk2*")):
        pytest.skip("no UEFI firmware is installed (Debian package ovmf)")
    tpm = Path("/usr/bin/swtpm").exists()
    done = call(host(driver.uri), host(driver.uri, "vm-1", "52:54:00:1b:00:21", secure_boot=True, tpm=tpm))
    assert not done.get("failed"), done
    facts = {entry.name: read_domain(entry.saved) for entry in driver.domains()}
    assert [(facts[name].firmware, facts[name].secure_boot, facts[name].on_reboot) for name in ("vm-0", "vm-1")] == [
        ("efi", False, "restart"),
        ("efi", True, "restart"),
    ]
    assert not call(host(driver.uri), host(driver.uri, "vm-1", "52:54:00:1b:00:21", secure_boot=True, tpm=tpm))[
        "changed"
    ]


def test_aarch64(driver: Hypervisor, call: Callable[..., dict[str, Any]]) -> None:
    """libvirt and QEMU accept the template of the other architecture: the machine starts, and gets UEFI firmware."""
    if shutil.which("qemu-system-aarch64") is None or not list(Path("/usr/share/qemu/firmware").glob("*aarch64*")):
        pytest.skip("aarch64 is not installed (Debian packages qemu-system-arm, qemu-efi-aarch64)")
    machine = host(driver.uri, arch="aarch64")
    done = call(machine)
    assert not done.get("failed"), done
    (entry,) = driver.domains()
    facts = read_domain(entry.saved)
    assert (facts.arch, facts.firmware, facts.on_reboot) == ("aarch64", "efi", "restart")
    assert "machine='virt" in entry.saved, entry.saved
    # A session daemon starts no network.
    without_nic = re.sub(r"<interface .*?</interface>", "", entry.saved, flags=re.DOTALL)
    virsh(driver.uri, "create", "/dev/stdin", "--paused", text=without_nic)
    (started,) = driver.domains()
    assert started.on and "AAVMF" in started.live, started.live
    virsh(driver.uri, "destroy", entry.name)
    assert not call(machine)["changed"]


def test_a_run_that_was_killed_continues(driver: Hypervisor, call: Callable[..., dict[str, Any]]) -> None:
    call(host(driver.uri))
    driver.delete_volume("default", "vm-0-0.qcow2")
    done = call(host(driver.uri))
    assert [line.split(" (")[0] for line in done["plan"]] == ["create volume default/vm-0-0.qcow2"]
    # Removal was cut off after the volumes.
    driver.delete_volume("default", "vm-0-0.qcow2")
    gone = call(host(driver.uri), state="absent", confirm="vms")
    assert [line.split(" (")[0] for line in gone["plan"]] == ["undefine domain vm-0"] and driver.domains() == []


def test_what_others_defined_is_left_alone(
    driver: Hypervisor, daemon: tuple[str, Path], call: Callable[..., dict[str, Any]]
) -> None:
    disk = daemon[1] / "foreign.raw"
    disk.write_bytes(bytes(1 << 16))
    driver.define(domain_xml("vm-0", disk, "52:54:00:1b:00:20"))
    before = driver.domains()[0].saved
    refused = call(host(driver.uri))
    assert refused["failed"] and "was not defined by this collection" in refused["msg"]
    kept = call(host(driver.uri), state="absent", confirm="vms")
    assert not kept.get("failed") and not kept["changed"] and "this collection did not define it" in kept["notes"][0], (
        kept
    )
    assert driver.domains()[0].saved == before
    subprocess.run(["virsh", "-q", "-c", driver.uri, "vol-create-as", "default", "vm-1-0.qcow2", "1M"], check=True)
    volume = call(host(driver.uri, "vm-1", "52:54:00:1b:00:21"))
    assert volume["failed"] and "a volume of this name exists" in volume["msg"]
    network = call(
        host(driver.uri, "vm-2", "52:54:00:1b:00:22"), networks=[{"name": "lan", "cidr": "192.168.131.0/24"}]
    )
    assert network["failed"] and "a network of this name exists" in network["msg"]
    mac = call(host(driver.uri, "vm-3", "52:54:00:1b:00:20"))
    assert mac["failed"] and "domain vm-0 of the same hypervisor has a MAC address of this host" in mac["msg"]
    assert len(driver.domains()) == 1


def test_all_mistakes_at_once(driver: Hypervisor, call: Callable[..., dict[str, Any]]) -> None:
    refused = call(host(driver.uri, networks=["absent"], disks=[{"size_gib": 1, "pool": "none"}]))
    assert (
        refused["failed"]
        and "this network does not exist" in refused["msg"]
        and "this storage pool does not exist" in refused["msg"]
    )
    wrong = call(
        host(driver.uri, cpus=0, memory_mib=1, disks=[{"size_gib": 0}]), networks=[{**NETWORK, "cidr": "fd00::/64"}]
    )
    for text in ("vm.cpus", "vm.memory_mib", "vm.disks[0].size_gib", "networks[0]"):
        assert text in wrong["msg"], wrong


def test_a_running_machine_without_record_stays(
    driver: Hypervisor, daemon: tuple[str, Path], call: Callable[..., dict[str, Any]]
) -> None:
    """Row 13 of the safety table: it is on, and no record says what runs on it."""
    disk = daemon[1] / "running.raw"
    disk.write_bytes(bytes(1 << 16))
    disk.chmod(0o666)
    xml = domain_xml("vm-0", disk, "52:54:00:1b:00:20")
    mark = "<metadata><zt:domain xmlns:zt='https://zerotouch.openshift/libvirt/1.0' created='yes'/></metadata>"
    driver.define(xml.replace("<memory ", f"{mark}<memory ", 1))
    driver.start(driver.domains()[0].uuid)
    kept = call(host(driver.uri), state="absent", confirm="vms")
    assert not kept["changed"] and "no record says what runs on it" in kept["notes"][0], kept
    (entry,) = driver.domains()
    assert entry.on


def test_networks(driver: Hypervisor) -> None:
    """A definition that libvirt has read and written says what was asked for: nothing is defined again."""
    (network,), problems = read_networks([{**NETWORK, "uri": driver.uri}], CLUSTER, [])
    assert problems == []
    driver.define_network(network_xml(network))
    try:
        plan = plan_present(observe(driver, []), [], [network])
        assert [change.action for change in plan.changes] == ["start_network", "autostart_network"]
        saved = next(entry.saved for entry in driver.networks() if entry.name == "vms")
        assert described(saved)["options"] == ["address=/apps.vms.example.com/192.168.131.4"]
        assert described(saved)["records"] == [["192.168.131.5", "api-int.vms.example.com", "api.vms.example.com"]]
        removal = plan_absent(observe(driver, []), [], [network])
        apply(driver, removal.changes, lambda change: None)
        assert [change.action for change in removal.changes] == ["undefine_network"]
    finally:
        assert "vms" not in [entry.name for entry in driver.networks()]


@pytest.mark.skipif(bool(why_no_binding()), reason=why_no_binding())
def test_a_network_starts_and_stops() -> None:
    driver = LibvirtBinding("test:///default")
    vm = {
        "name": "vm-0",
        "libvirt": {"uri": driver.uri},
        "vm": {"networks": ["vms"]},
        "mac_addresses": ["52:54:00:1b:00:20"],
        "addresses": ["192.168.131.20"],
    }
    (network,), _problems = read_networks([NETWORK], {}, [vm])
    assert network.hosts == (("52:54:00:1b:00:20", "vm-0", "192.168.131.20"),)
    apply(driver, plan_present(observe(driver, []), [], [network]).changes, lambda change: None)
    assert next((entry.active, entry.autostart) for entry in driver.networks() if entry.name == "vms") == (True, True)
    assert plan_present(observe(driver, []), [], [network]).changes == ()
    apply(driver, plan_absent(observe(driver, []), [], [network]).changes, lambda change: None)
    assert [entry.name for entry in driver.networks()] == ["default"]
    driver.close()


def test_the_page_and_the_inventory_agree() -> None:
    """What the how-to names exists; its commands use the inventory and the playbooks of this repository."""
    page = (ROOT / "docs" / "how-to" / "libvirt.md").read_text()
    commands = re.findall(r"^ansible-playbook .*$", page, re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        for word in command.split():
            if word.endswith(".yml"):
                assert (ROOT / word).is_file(), word
    inventory = yaml.safe_load((ROOT / "inventories" / "libvirt" / "hosts.yml").read_text())
    cluster = inventory["all"]["vars"]["openshift_cluster"]
    assert f"{cluster['api_vips'][0]} api.{cluster['name']}.{cluster['base_domain']}" in page
    assert all(f"openshift_confirm={cluster['name']}" in command for command in commands[3:])


def test_the_library_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    assert libraries is not None
    with pytest.raises(Exception, match="virsh cannot be started"):
        Virsh("qemu:///system", program="no-such-virsh")
