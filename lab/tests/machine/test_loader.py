# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the parser of boot loader configurations with configurations of the lab and of upstream's sample images."""

from __future__ import annotations

import asyncio
import lzma

import pytest
from ansible_collections.zerotouch.openshift.tests.support.upstream import required
from ztlab.machine.iso import Iso
from ztlab.machine.loader import BootPlan, firmware_boots, read_boot_plan

SAMPLES = required("fixtures/iso")


class Bytes:
    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)

    async def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


@pytest.mark.parametrize("mode", ["UEFI", "Legacy"])
@pytest.mark.parametrize("release", ["2021-09", "2022-02", "2022-09", "2023-03.x86_64", "2023-07.x86_64"])
def test_upstream_samples_boot(release: str, mode: str) -> None:
    path = next(SAMPLES.glob(f"*{release}.iso.xz"))

    async def flow() -> BootPlan:
        iso = await Iso.open(Bytes(lzma.decompress(path.read_bytes())))
        await firmware_boots(iso, mode)
        plan = await read_boot_plan(iso, mode)
        assert plan.argument("coreos.liveiso") == iso.volume_id
        return plan

    plan = asyncio.run(flow())
    assert plan.kernel == "/images/pxeboot/vmlinuz"
    assert plan.initrds == ("/images/pxeboot/initrd.img", "/images/ignition.img")
    assert (
        plan.argument("ignition.platform.id") == "metal"
        and plan.argument("ignition.firstboot") == ""
        and plan.argument("absent") is None
    )
