# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's scripts that find the hostname of a machine, and whether it is the rendezvous host. They run
in a temporary root directory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, Interface

from .scratch import NewSandbox, addresses

IP_ADDRESS = """\
1: lo: <LOOPBACK,UP> mtu 65536
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: ens1: <BROADCAST> mtu 1500 state DOWN
    link/ether 52:54:00:aa:00:01 brd ff:ff:ff:ff:ff:ff
"""


def test_the_hostname_goes_by_mac_even_without_a_link(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("ip", f"cat <<'END'\n{IP_ADDRESS}END")
    assert box.run("set-hostname.sh").returncode == 0
    assert box.calls("hostnamectl") == ["set-hostname m1.example.com"]


@pytest.mark.parametrize("mac", ["52:54:00:ff:00:01", "52:54:00:AA:00:01"])
def test_a_machine_that_no_hostname_belongs_to_keeps_its_own(sandbox: NewSandbox, mac: str) -> None:
    box = sandbox(())
    box.command("ip", f"echo link/ether {mac}")
    assert box.run("set-hostname.sh").returncode == 0
    assert box.calls("hostnamectl") == []


def test_node_zero_is_the_machine_with_the_rendezvous_address(sandbox: NewSandbox) -> None:
    box = sandbox()
    found = addresses(("lo", "00:00:00:00:00:00", "127.0.0.1"), ("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    box.command("ip", f"cat <<'END'\n{found}\nEND")
    assert box.run("set-node-zero.sh").returncode == 0
    assert box.read("/etc/assisted/node0") == "BOOTSTRAP_HOST_MAC=52:54:00:aa:00:00\n"
    assert "rendezvous host" in box.read("/etc/issue.d/40_rendezvous-host.issue")


def test_an_address_that_comes_late_is_found_within_half_a_minute(sandbox: NewSandbox) -> None:
    box = sandbox()
    late = addresses(("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    box.command("ip", f"if [[ $(wc -l <\"$SCRATCH/calls/ip\") -lt 4 ]]; then echo '[]'; else echo '{late}'; fi")
    assert box.run("set-node-zero.sh").returncode == 0
    assert box.lines("/sleeps") == ["5", "5", "5"]
    assert box.path("/etc/assisted/node0").exists()


def test_other_machines_are_not_node_zero_and_say_which_one_is(sandbox: NewSandbox) -> None:
    box = sandbox()
    # 192.168.0.101 begins like the rendezvous address.
    box.command("ip", f"echo '{addresses(('ens1', '52:54:00:aa:00:01', '192.168.0.101'))}'")
    result = box.run("set-node-zero.sh")
    assert result.returncode == 0
    assert not box.path("/etc/assisted/node0").exists()
    assert box.lines("/sleeps") == ["5"] * 6
    assert "This host is not the rendezvous host. The rendezvous host is at 192.168.0.10." in box.read(
        "/etc/issue.d/40_rendezvous-host.issue"
    )


def test_an_image_without_settings_waits_for_them(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.path("/etc/assisted/rendezvous-host.env").unlink()
    result = box.run("set-node-zero.sh", sleeps=3)
    assert result.returncode != 0
    assert box.lines("/sleeps") == ["30"] * 4


def test_a_host_with_two_nics_is_named_by_its_first(sandbox: NewSandbox, new_host: Callable[..., Host]) -> None:
    host = dataclasses.replace(
        new_host(1), interfaces=(Interface("a", "52:54:00:00:00:0a"), Interface("b", "52:54:00:00:00:0b"))
    )
    box = sandbox((host,))
    box.command("ip", "echo link/ether 52:54:00:00:00:0b; echo link/ether 52:54:00:00:00:0a")
    box.run("set-hostname.sh")
    assert box.calls("hostnamectl") == ["set-hostname m1.example.com"]
