# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test each entry of the collection's table of BMCs: a lab machine boots with it, and does not boot without it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc import profile as table
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.hosts import BmcOptions, HostResult
from ansible_collections.zerotouch.openshift.plugins.module_utils.bmc.profile import PROFILES, Quirk
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.run import boot_hosts
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

from .lab_bmc import URL, LabRack, lab_rack

NFS = "nfs://files.example.com/0123456789abcdef0123456789abcdef/agent.x86_64.iso"


@dataclasses.dataclass(frozen=True)
class Scene:
    """A machine that is on.

    ``holds``: a medium is in its first bootable slot. ``once``: an override is set already. ``refused``: words of the
    refusal that comes before the first write; empty: it boots the image.
    """

    lab: str
    holds: bool = False
    once: bool = False
    url: str = URL
    refused: str = ""


SCENES: dict[str, tuple[Scene, ...]] = {
    "dell": (Scene("dell-idrac9"), Scene("dell-idrac9", holds=True), Scene("dell-idrac9", url=NFS)),
    "dell_import": (
        Scene("dell-idrac8"),
        Scene("dell-idrac9-old"),
        Scene("dell-idrac9-old", holds=True),
        Scene("dell-idrac9-old", url=NFS),
    ),
    "dell_idrac10": (Scene("dell-idrac10"), Scene("dell-idrac10", holds=True), Scene("dell-idrac10", url=NFS)),
    "hpe": (Scene("hpe-ilo5"), Scene("hpe-ilo5-standard", refused="its licence is iLO Standard")),
    "hpe_ilo4": (
        Scene("hpe-ilo4"),
        Scene("hpe-ilo4", holds=True),
        Scene("hpe-ilo4-2.30", holds=True),
        Scene("hpe-ilo4-standard", refused="its licence is iLO Standard"),
    ),
    "lenovo": (Scene("lenovo-xcc"), Scene("lenovo-xcc", url=NFS)),
    "lenovo_ami": (Scene("lenovo-ami"), Scene("lenovo-ami", once=True)),
    "supermicro": (Scene("supermicro"), Scene("supermicro", holds=True), Scene("supermicro", once=True)),
    "supermicro_iso_config": (
        Scene("supermicro-x10"),
        Scene("supermicro-x10", holds=True),
        Scene("supermicro-x10", once=True),
    ),
    "ami": (Scene("ami-full-boot"), Scene("ami-full-boot", once=True)),
    "fujitsu": (
        Scene("fujitsu-irmc", url=NFS),
        Scene("fujitsu-irmc-s6"),
        Scene("fujitsu-irmc", refused="takes CIFS, NFS only"),
    ),
    "huawei": (
        Scene("huawei-ibmc", url=NFS),
        Scene("huawei-ibmc", holds=True, url=NFS),
        Scene("huawei-ibmc", refused="takes NFS, CIFS, HTTPS only"),
    ),
    "generic": (
        Scene("plain"),
        Scene("cisco-slots"),
        Scene("nvidia"),
        Scene("nokia"),
        Scene(
            "cifs-only", refused=("takes CIFS, NFS only. Publish the image by cifs or nfs: set openshift_publish.url.")
        ),
        Scene("cifs-only", url=NFS),
        Scene("get-only", refused="has no InsertMedia action and cannot be changed by PATCH"),
    ),
}


def play(directory: Path, scene: Scene) -> tuple[HostResult, LabRack]:
    clock = Clock(pause=0.003)
    with lab_rack(directory, [scene.lab], clock) as rack:
        machine = rack.machines[0]
        machine.power_state = "On"
        if scene.holds:
            machine.cd.insert("http://files.example.com/x/rescue.iso")
        if scene.once:
            machine.boot.enabled, machine.boot.target = "Once", "Pxe"
        (result,) = boot_hosts([rack.request(0, image_url=scene.url)], "booted", BmcOptions(clock=clock))
        for _look in range(20):  # the firmware starts a moment after the power is on
            if machine.boots or result.failed:
                break
            clock.sleep(2)
    return result, rack


def wrong(result: HostResult, rack: LabRack, scene: Scene) -> str:
    """What is not as the scene says; empty when all is."""
    if scene.refused:
        if rack.writes(0):
            return f"wrote {rack.writes(0)}"
        return (
            ""
            if result.failed and result.phase == "guard" and scene.refused in result.reason
            else f"{result.phase}: {result.reason}"
        )
    machine = rack.machines[0]
    booted = (
        bool(machine.boots) and machine.boots[-1].startswith("cd:") and machine.boots[-1].endswith("/agent.x86_64.iso")
    )
    if result.failed or not booted or machine.power_state != "On":
        return f"{result.phase}: {result.reason}, booted {machine.boots}, {machine.power_state}"
    return "a session is open" if rack.endpoints[0].sessions.open() else ""


def _each(scenes: Sequence[tuple[str, Scene]]) -> list[object]:
    def name(scene: Scene) -> str:
        marks = {"-holds": scene.holds, "-once": scene.once, "-nfs": scene.url == NFS}
        return scene.lab + "".join(mark for mark, applies in marks.items() if applies)

    return [pytest.param(*item, id=name(item[1])) for item in scenes]


@pytest.mark.parametrize(
    ("name", "scene"), _each([(name, scene) for name, scenes in SCENES.items() for scene in scenes])
)
def test_each_kind_boots_or_is_refused_before_the_first_write(name: str, scene: Scene, tmp_path: Path) -> None:
    result, rack = play(tmp_path, scene)
    assert wrong(result, rack, scene) == "" and result.profile == name


def test_every_profile_has_a_scene() -> None:
    assert set(SCENES) == set(PROFILES)


@pytest.mark.parametrize(
    ("name", "quirk"),
    [pytest.param(name, quirk, id=f"{name}-{quirk.field}") for name, row in PROFILES.items() for quirk in row.quirks],
)
def test_without_an_entry_it_does_not_work(
    name: str, quirk: Quirk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(table.PROFILES, name, PROFILES[name].without(quirk))  # type: ignore[arg-type]
    for number, scene in enumerate(SCENES[name]):
        (tmp_path / str(number)).mkdir()
        if wrong(*play(tmp_path / str(number), scene), scene):
            return
    pytest.fail(f"every scene of {name} works without {quirk.field}")


@pytest.mark.parametrize("clear_jobs", [False, True])
@pytest.mark.parametrize("lab", ["dell-idrac8", "dell-idrac9-old"])
def test_jobs_of_an_idrac_are_deleted_only_if_asked(lab: str, clear_jobs: bool, tmp_path: Path) -> None:
    clock = Clock(pause=0.003)
    with lab_rack(tmp_path, [lab], clock) as rack:
        fault = rack.faults.add("bmc-job-waits", machine="m0", count=None)
        (result,) = boot_hosts([rack.request(0, clear_jobs=clear_jobs)], "booted", BmcOptions(clock=clock))
        deleted = [write for write in rack.writes(0) if "DeleteJobQueue" in write]
        assert (len(deleted), fault in rack.faults.list()) == (int(clear_jobs), not clear_jobs), rack.writes(0)
        assert result.failed is not clear_jobs, result.reason
        if clear_jobs:
            assert "all jobs of the iDRAC were deleted (clear_jobs)" in result.warnings
        else:
            assert "configuration job" in result.reason and "clear_jobs" in result.reason, result.reason
            assert rack.machines[0].power_state == "Off" and not rack.machines[0].cd.inserted, "as it was"


@pytest.mark.parametrize("lab", ["dell-idrac8", "dell-idrac9-old"])
def test_jobs_that_are_in_no_way_stay(lab: str, tmp_path: Path) -> None:
    clock = Clock(pause=0.003)
    with lab_rack(tmp_path, [lab], clock) as rack:
        (result,) = boot_hosts([rack.request(0, clear_jobs=True)], "booted", BmcOptions(clock=clock))
        assert not result.failed and not [write for write in rack.writes(0) if "DeleteJobQueue" in write], result.reason


@pytest.mark.parametrize("status", ["400", "503"])
@pytest.mark.parametrize(("refused", "boots"), [(7, True), (None, False)])
def test_a_running_job_delays_the_boot_device(status: str, refused: int | None, boots: bool, tmp_path: Path) -> None:
    """The last of eight requests succeeds; a job that does not end fails the host, which is as it was then."""
    clock = Clock(pause=0.003)
    with lab_rack(tmp_path, ["dell-idrac9"], clock) as rack:
        fault = rack.faults.add("bmc-job-runs", machine="m0", count=refused, options={"status": status})
        began = clock.now()
        (result,) = boot_hosts([rack.request(0)], "booted", BmcOptions(clock=clock))
        assert result.failed is not boots, result.reason
        if boots:
            assert fault.taken == 7 and clock.now() - began >= 5 + 10 + 20 + 30
        else:
            assert fault.taken >= 8 and "a job is already running" in result.reason, result.reason
            assert rack.machines[0].power_state == "Off" and not rack.machines[0].cd.inserted, result.reason
