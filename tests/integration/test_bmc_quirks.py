# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Each entry of the table of BMCs: a machine of the lab boots with it, and does not boot without it."""

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
    """A machine that is on. ``holds``: a medium is in its first bootable slot. ``once``: an override is set already. ``refused``: words of the refusal that
    comes before the first write; empty: it boots the image."""

    lab: str
    holds: bool = False
    once: bool = False
    url: str = URL
    refused: str = ""


SCENES: dict[str, tuple[Scene, ...]] = {
    "dell": (Scene("dell-idrac9"), Scene("dell-idrac9", holds=True), Scene("dell-idrac9", url=NFS)),
    "dell_import": (Scene("dell-idrac8"), Scene("dell-idrac9-old"), Scene("dell-idrac9-old", holds=True), Scene("dell-idrac9-old", url=NFS)),
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
    "supermicro_iso_config": (Scene("supermicro-x10"), Scene("supermicro-x10", holds=True), Scene("supermicro-x10", once=True)),
    "ami": (Scene("ami-full-boot"), Scene("ami-full-boot", once=True)),
    "fujitsu": (Scene("fujitsu-irmc", url=NFS), Scene("fujitsu-irmc-s6"), Scene("fujitsu-irmc", refused="takes CIFS, NFS only")),
    "huawei": (Scene("huawei-ibmc", url=NFS), Scene("huawei-ibmc", holds=True, url=NFS), Scene("huawei-ibmc", refused="takes NFS, CIFS, HTTPS only")),
    "generic": (
        Scene("plain"),
        Scene("cisco-slots"),
        Scene("nvidia"),
        Scene("nokia"),
        Scene("cifs-only", refused="takes CIFS, NFS only. Publish the image by cifs or nfs: set openshift_publish.url."),
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
        return "" if result.failed and result.phase == "guard" and scene.refused in result.reason else f"{result.phase}: {result.reason}"
    machine = rack.machines[0]
    booted = bool(machine.boots) and machine.boots[-1].startswith("cd:") and machine.boots[-1].endswith("/agent.x86_64.iso")
    if result.failed or not booted or machine.power_state != "On":
        return f"{result.phase}: {result.reason}, booted {machine.boots}, {machine.power_state}"
    return "a session is open" if rack.endpoints[0].sessions.open() else ""


def _each(scenes: Sequence[tuple[str, Scene]]) -> list[object]:
    return [pytest.param(*item, id=f"{item[1].lab}{'-holds' * item[1].holds}{'-once' * item[1].once}{'-nfs' * (item[1].url == NFS)}") for item in scenes]


@pytest.mark.parametrize(("name", "scene"), _each([(name, scene) for name, scenes in SCENES.items() for scene in scenes]))
def test_each_kind_boots_or_is_refused_before_the_first_write(name: str, scene: Scene, tmp_path: Path) -> None:
    result, rack = play(tmp_path, scene)
    assert wrong(result, rack, scene) == "" and result.profile == name


def test_every_profile_has_a_scene() -> None:
    assert set(SCENES) == set(PROFILES)


@pytest.mark.parametrize(("name", "quirk"), [pytest.param(name, quirk, id=f"{name}-{quirk.field}") for name, row in PROFILES.items() for quirk in row.quirks])
def test_without_an_entry_it_does_not_work(name: str, quirk: Quirk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.PROFILES, name, PROFILES[name].without(quirk))  # type: ignore[arg-type]
    for number, scene in enumerate(SCENES[name]):
        (tmp_path / str(number)).mkdir()
        if wrong(*play(tmp_path / str(number), scene), scene):
            return
    pytest.fail(f"every scene of {name} works without {quirk.field}")
