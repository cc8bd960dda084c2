# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test boot method libvirt against a real libvirt and QEMU: the same tests run with both drivers."""

from __future__ import annotations

import dataclasses
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, HostResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.guard import Permission
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.libvirt import LibvirtBoot
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.methods import METHODS
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts, release
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.media import HostMedia
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.api import Hypervisor, HypervisorError
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.binding import LibvirtBinding
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.domain_xml import read_domain
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.virsh import Virsh
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypervisor.xml_text import parse
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock
from ansible_collections.zerotouch.openshift.tests.support.libvirt_daemon import (
    domain_xml,
    libvirt_daemon,
    why_no_binding,
    why_not,
)

URL = "http://192.0.2.1:8080/0123456789abcdef0123456789abcdef/agent.x86_64.iso"
DRIVERS: dict[str, Callable[[str], Hypervisor]] = {"binding": LibvirtBinding, "virsh": Virsh}

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def daemon() -> Iterator[tuple[str, Path]]:
    with libvirt_daemon() as (uri, directory):
        subprocess.run(
            ["virsh", "-q", "-c", uri, "pool-create-as", "default", "dir", "--target", str(directory)], check=True
        )
        yield uri, directory


@pytest.fixture(params=DRIVERS)
def connect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Hypervisor]:
    """The driver that the boot method uses."""
    if request.param == "binding" and why_no_binding():
        pytest.skip(why_no_binding())
    monkeypatch.setitem(METHODS, "libvirt", LibvirtBoot(DRIVERS[request.param]))
    return DRIVERS[request.param]


class Rack:
    """Machines of one test, and what is published for them."""

    def __init__(self, uri: str, directory: Path, driver: Hypervisor, work_dir: Path) -> None:
        self.uri, self.directory, self.driver = uri, directory, driver
        self.prefix = uuid.uuid4().hex[:8]
        self.state = StateFile(work_dir / "state.json")
        self.image = work_dir / "agent.x86_64.iso"
        self.image.write_bytes(self.prefix.encode() * (1 << 17))
        self.url = URL.replace("0123456789abcdef0123456789abcdef", self.prefix * 4)
        self.state.update("publish", {"method": "serve", "url": self.url, "path": str(self.image)})
        self.lines: list[str] = []
        self.written = 0
        self.options = BmcOptions(state_file=self.state, progress=self.lines.append, before_write=self._write)
        self.count = 0

    def _write(self) -> None:
        self.written += 1

    def add(self, name: str, *, mac: str = "", **how: Any) -> str:
        self.count += 1
        domain = f"{self.prefix}-{name}"
        disk = self.directory / f"{domain}.raw"
        disk.write_bytes(bytes(1 << 16))
        disk.chmod(0o666)
        self.driver.define(domain_xml(domain, disk, mac or self.mac(name), **how))
        return domain

    def mac(self, name: str) -> str:
        digits = uuid.uuid5(uuid.NAMESPACE_DNS, f"{self.prefix}{name}").hex
        return f"52:54:00:{digits[0:2]}:{digits[2:4]}:{digits[4:6]}"

    def host(self, name: str, **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "mac_addresses": [self.mac(name)],
            "libvirt": {"uri": self.uri, "domain": f"{self.prefix}-{name}"},
            **more,
        }

    def run(self, state: Any, *hosts: dict[str, Any], image: bool = True, **how: Any) -> list[HostResult]:
        requests = boot_requests(
            list(hosts), self.url if image else "", needs_image=state == "booted", state_file=self.state
        )
        return boot_hosts(requests, state, self.options, **how)

    def entry(self, name: str) -> Any:
        return next(entry for entry in self.driver.domains() if entry.name == f"{self.prefix}-{name}")

    def volumes(self) -> list[str]:
        return sorted(volume.name for volume in self.driver.volumes("default") if volume.name.startswith("zerotouch-"))


@pytest.fixture
def rack(daemon: tuple[str, Path], connect: Callable[[str], Hypervisor], tmp_path: Path) -> Iterator[Rack]:
    driver = connect(daemon[0])
    rack = Rack(*daemon, driver, tmp_path)
    yield rack
    for entry in driver.domains():
        if entry.on:
            driver.stop(entry.uuid)
        if entry.saved:
            subprocess.run(["virsh", "-q", "-c", daemon[0], "undefine", entry.uuid], check=True)
    for volume in driver.volumes("default"):
        driver.delete_volume("default", volume.name)
    driver.close()


def order(xml: str) -> list[str]:
    """The devices in the order in which the machine tries to boot them."""
    devices = [device for device in parse(xml).iterfind("devices/*") if device.find("boot") is not None]
    devices.sort(key=lambda device: int(device.find("boot").get("order", "0")))  # type: ignore[union-attr]
    return [device.get("device", device.tag) for device in devices]


def test_boots_once_ejects_and_starts_from_disk(rack: Rack) -> None:
    rack.add("a")
    rack.add("b", os_boot="<boot dev='hd'/><boot dev='network'/>")
    hosts = (rack.host("a"), rack.host("b"))
    predicted = rack.run("booted", *hosts, check_mode=True)
    assert [result.changed for result in predicted] == [True, True] and rack.written == 0 and rack.volumes() == []
    done = rack.run("booted", *hosts)
    assert [(result.name, result.failed, result.changed, result.phase) for result in done] == [
        ("a", False, True, "boot_once"),
        ("b", False, True, "boot_once"),
    ], done
    assert [result.plan for result in done] == [result.plan for result in predicted], (
        "check mode prints the plan that a run applies"
    )
    assert [(result.boot_method, result.power_state_before, result.power_state_after) for result in done] == [
        ("libvirt", "Off", "On")
    ] * 2
    image, mark = rack.volumes()
    assert mark.startswith(image), "one volume for both hosts, and its mark"
    assert (rack.directory / image).read_bytes() == rack.image.read_bytes()
    assert (rack.directory / image).stat().st_mode & 0o777 == 0o600, "the image holds credentials"
    for name in ("a", "b"):
        entry = rack.entry(name)
        assert entry.on and order(entry.live)[0] == "cdrom" and order(entry.saved)[:2] == ["disk", "cdrom"]
        assert [volume.name for volume in read_domain(entry.live).media] == [image] and read_domain(
            entry.saved
        ).media == ()
        assert read_domain(entry.saved).on_reboot == "restart"
    assert order(rack.entry("b").saved) == ["disk", "cdrom", "interface"], "what was in the order stays in it"
    assert [result.changed for result in rack.run("booted", *hosts)] == [False, False], "a second run changes nothing"

    media = HostMedia(boot_requests(list(hosts)), rack.options)
    assert media.names == {"a", "b"}
    (ejected,) = media.eject(["a"])
    assert (ejected.changed, ejected.failed) == (True, False), ejected
    live = rack.entry("a")
    assert live.on and read_domain(live.live).media == () and read_domain(live.saved).recorded is None
    assert rack.volumes() == [image, mark], "b still has it"
    (again,) = media.eject(["a"])
    assert not again.changed and not again.failed
    (repaired,) = media.repair(["b"])
    assert (repaired.changed, repaired.failed) == (True, False), repaired
    entry = rack.entry("b")
    assert entry.on and order(entry.live)[0] == "disk" and read_domain(entry.live).media == ()
    assert rack.volumes() == [], "the last host that used the image deletes it"
    facts = media.inspect()
    assert [(host["name"], host["power_state"], host["media"], host["secure_boot"]) for host in facts] == [
        ("a", "On", [], False),
        ("b", "On", [], False),
    ]


def test_power(rack: Rack) -> None:
    rack.add("a")
    host = rack.host("a")
    assert [result.changed for result in (*rack.run("on", host, image=False), *rack.run("on", host, image=False))] == [
        True,
        False,
    ]
    assert rack.entry("a").on
    assert [
        result.changed for result in (*rack.run("off", host, image=False), *rack.run("off", host, image=False))
    ] == [True, False]
    assert not rack.entry("a").on


def test_power_off_then_eject_leaves_no_image(rack: Rack) -> None:
    """What destroy_cluster does: the domain is off, and only its metadata say which image it had."""
    rack.add("a")
    rack.run("booted", rack.host("a"))
    assert [result.changed for result in rack.run("off", rack.host("a"), image=False)] == [True]
    assert len(rack.volumes()) == 2
    assert [result.changed for result in rack.run("ejected", rack.host("a"), image=False)] == [True]
    assert rack.volumes() == []
    assert [result.changed for result in rack.run("ejected", rack.host("a"), image=False)] == [False]


def test_a_new_image_under_the_same_url_is_uploaded(rack: Rack) -> None:
    rack.add("a")
    rack.run("booted", rack.host("a"))
    before = rack.volumes()
    rack.image.write_bytes(b"another" * (1 << 16))
    (done,) = rack.run("booted", rack.host("a", force=True))
    assert done.changed and not done.failed, done
    after = rack.volumes()
    assert after[0] == before[0] and after[1] != before[1] and len(after) == 2
    assert (rack.directory / after[0]).read_bytes() == rack.image.read_bytes()


def test_an_upload_that_was_cut_off_is_repeated(rack: Rack) -> None:
    rack.add("a")
    rack.run("booted", rack.host("a"))
    image, mark = rack.volumes()
    rack.run("off", rack.host("a"), image=False)
    rack.driver.delete_volume("default", mark)
    (rack.directory / image).write_bytes(b"half")
    (done,) = rack.run("booted", rack.host("a"))
    assert (
        done.changed
        and (rack.directory / image).read_bytes() == rack.image.read_bytes()
        and rack.volumes() == [image, mark]
    )


def test_the_machine_of_another_host_is_not_touched(rack: Rack) -> None:
    rack.add("a")
    rack.add("b", mac=rack.mac("other"))
    done = rack.run("booted", rack.host("a"), rack.host("b"))
    assert [(result.failed, result.phase) for result in done] == [(False, "guard"), (True, "guard")]
    assert f"domain {rack.prefix}-b belongs to another host" in done[1].reason
    assert rack.written == 0 and not rack.entry("a").on and rack.volumes() == []
    off = rack.run("off", rack.host("b"), image=False)
    assert off[0].failed and rack.written == 0


def test_a_mac_address_of_two_domains_is_refused(rack: Rack) -> None:
    rack.add("a")
    clone = rack.add("clone", mac=rack.mac("a"))
    (done,) = rack.run("booted", rack.host("a"))
    assert done.failed and f"has a MAC address that {clone} on the same hypervisor also has" in done.reason
    assert rack.written == 0
    (released,) = [release(request, rack.options, restart=True) for request in boot_requests([rack.host("a")])]
    assert released.failed and released.phase == "guard" and rack.written == 0


def test_two_hosts_of_one_domain_are_refused(rack: Rack) -> None:
    rack.add("a")
    second = {**rack.host("a"), "name": "second"}
    done = rack.run("booted", rack.host("a"), second)
    assert (
        all(result.failed and "have the same machine (System UUID" in result.reason for result in done)
        and rack.written == 0
    )


def test_a_domain_that_does_not_exist(rack: Rack) -> None:
    rack.add("node-1")
    (done,) = rack.run("booted", rack.host("node-11"))
    assert done.failed and done.phase == "observe" and "does not exist (did you mean" in done.reason, done


def test_a_transient_domain_is_left_alone(rack: Rack) -> None:
    disk = rack.directory / "transient.raw"
    disk.write_bytes(bytes(1 << 16))
    disk.chmod(0o666)
    rack.driver.start_once(domain_xml(f"{rack.prefix}-t", disk, rack.mac("t")))
    for state in ("booted", "off"):
        (done,) = rack.run(state, rack.host("t", force=True))
        assert done.failed and "is transient" in done.reason
    assert rack.written == 0 and rack.entry("t").on


def test_a_start_that_fails_restores_the_power(rack: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    rack.add("a")
    rack.run("on", rack.host("a"), image=False)

    def refused(self: Any, xml: str) -> None:
        raise HypervisorError("no room for it")

    monkeypatch.setattr(type(rack.driver), "start_once", refused)
    (done,) = rack.run("booted", rack.host("a"))
    assert done.failed and "no room for it" in done.reason and "was started from its disk again" in done.reason
    assert rack.entry("a").on


def test_media_of_the_user_are_left_alone(rack: Rack) -> None:
    seed = rack.directory / "seed.iso"
    seed.write_bytes(bytes(1 << 16))
    seed.chmod(0o666)
    drive = f"<disk type='file' device='cdrom'><source file='{seed}'/><target dev='sdb' bus='sata'/><readonly/></disk>"
    rack.add("a", extra=drive)
    rack.run("booted", rack.host("a"))
    rack.run("ejected", rack.host("a"), image=False)
    for text in (rack.entry("a").live, rack.entry("a").saved):
        sources = [
            source.get("file") or source.get("volume")
            for source in parse(text).iterfind("devices/disk[@device='cdrom']/source")
        ]
        assert [name for name in sources if name] == [str(seed)]


def test_a_domain_without_cd_drive_gets_one(rack: Rack) -> None:
    domain = rack.add("a")
    text = domain_xml(domain, rack.directory / f"{domain}.raw", rack.mac("a"), uuid=rack.entry("a").uuid)
    start, end = text.index("    <disk type='file' device='cdrom'>"), text.index("    <interface")
    rack.driver.define(text[:start] + text[end:])
    (done,) = rack.run("booted", rack.host("a"))
    assert not done.failed and order(rack.entry("a").live)[0] == "cdrom", done


def test_secrets_of_a_definition_survive(rack: Rack) -> None:
    rack.add("a", extra="<graphics type='vnc' listen='127.0.0.1' autoport='yes' passwd='hunter22'/>")
    rack.run("booted", rack.host("a"))
    rack.run("ejected", rack.host("a"), image=False)
    assert "hunter22" in rack.driver.saved_definition(rack.entry("a").uuid)
    assert "hunter22" not in rack.entry("a").saved


def test_a_pool_that_does_not_exist(rack: Rack) -> None:
    rack.add("a")
    host = rack.host("a")
    host["libvirt"]["pool"] = "images"
    (done,) = rack.run("booted", host)
    assert done.failed and "storage pool images does not exist or is not active (active pools: default)" in done.reason
    assert not rack.entry("a").on


def test_a_hypervisor_that_does_not_answer(connect: Callable[[str], Hypervisor]) -> None:
    with pytest.raises(ZeroTouchError, match="Check that the libvirt daemon runs"):
        connect("qemu+unix:///session?socket=/nonexistent/libvirt-sock").domains()


@pytest.mark.parametrize("name", DRIVERS)
def test_what_the_test_driver_of_libvirt_shows(name: str) -> None:
    """The same answers from both drivers, about the machine that libvirt itself brings for tests."""
    if name == "binding" and why_no_binding():
        pytest.skip(why_no_binding())
    driver = DRIVERS[name]("test:///default")
    (entry,) = driver.domains()
    facts = read_domain(entry.saved)
    assert (entry.name, entry.state, entry.on, facts.macs) == ("test", "running", True, ("aa:bb:cc:dd:ee:ff",))
    assert [(pool.name, pool.available > 0) for pool in driver.pools()] == [("default-pool", True)]
    driver.close()


def test_a_host_that_is_refused_after_the_upload_is_not_changed(rack: Rack) -> None:
    """The upload of the image takes longer than the evidence is valid."""
    rack.add("a")
    before = rack.entry("a").saved
    clock = Clock()
    rack.options = dataclasses.replace(rack.options, clock=clock, before_write=lambda: clock.sleep(61.0))
    late = Permission(again=lambda machines: Permission(failing={"a": "It is bound elsewhere."}))
    (result,) = rack.run("booted", rack.host("a"), permit=lambda machines: late)
    assert (result.failed, result.reason, result.phase) == (True, "It is bound elsewhere.", "insert"), result
    assert rack.entry("a").saved == before and not rack.entry("a").on and rack.volumes()
