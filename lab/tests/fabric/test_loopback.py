# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how loopback networks, addresses and ports are allocated to labs."""

from __future__ import annotations

from pathlib import Path

import pytest
from ztlab.fabric.loopback import AddressTable, NoFreeNet, lock_net, unprivileged_port


def test_nets_are_locked_and_released(tmp_path: Path) -> None:
    first, second = lock_net("auto", tmp_path), lock_net("auto", tmp_path)
    assert first.number < second.number
    assert len(list(tmp_path.iterdir())) == 2
    first.release()
    again = lock_net(str(first.number), tmp_path)
    again.release()
    second.release()
    assert list(tmp_path.glob("*.lock")) == []


def test_labs_with_other_lock_directories_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = lock_net("auto", tmp_path / "a")
    second = lock_net("auto", tmp_path / "b")
    assert first.number != second.number
    first.release()
    second.release()


@pytest.mark.parametrize("choice", ["127.77", "77", "127.77.0.0/16"])
def test_a_net_of_choice(tmp_path: Path, choice: str) -> None:
    lock = lock_net(choice, tmp_path)
    assert lock.number == 77
    with pytest.raises(NoFreeNet):
        lock_net(choice, tmp_path)
    lock.release()


@pytest.mark.parametrize("choice", ["10.0", "127.0", "127.255", "x"])
def test_nets_that_cannot_be(tmp_path: Path, choice: str) -> None:
    with pytest.raises(NoFreeNet):
        lock_net(choice, tmp_path)


def test_addresses_keep_their_last_bits_and_make_way() -> None:
    table = AddressTable(10)
    assert table.loopback("192.168.111.20") == "127.10.111.20"
    assert table.loopback("10.0.111.20") == "127.10.111.21", (
        "the same low bits in another network take the next free address"
    )
    assert table.loopback("192.168.111.21") == "127.10.111.22"
    assert table.loopback("192.168.111.20") == "127.10.111.20"
    assert table.loopback("127.10.3.4") == "127.10.3.4"
    assert table.loopback("fd00::5") == "127.10.0.5" and table.loopback("[FD00:0::5]") == "127.10.0.5"
    assert table.loopback("bmc.example.com") == table.loopback("BMC.example.com.")
    assert not table.loopback("10.0.255.7").startswith("127.10.255."), "127.N.255.x is the lab's own"
    assert table.known("192.0.2.1") is None


@pytest.mark.parametrize(("port", "expected"), [(443, 8443), (80, 8080), (6443, 6443), (8090, 8090), (1023, 9023)])
def test_ports(port: int, expected: int) -> None:
    assert unprivileged_port(port) == expected
