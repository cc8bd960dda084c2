# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's script that selects a machine's network configuration by its MAC addresses. It runs in a
temporary root directory.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, Interface

from .scratch import SCRIPTS, NewSandbox

CONNECTIONS = "/etc/NetworkManager/system-connections"


def configure_network(box: Any, number: int, table: str, **keyfiles: str) -> None:
    directory = f"/etc/assisted/network/host{number}"
    box.write(f"{directory}/mac_interface.ini", table)
    for name, text in keyfiles.items():
        box.write(f"{directory}/{name.replace('__', '.')}.nmconnection", text)


def profiles(box: Any, directory: str = CONNECTIONS) -> dict[str, str]:
    folder = box.path(directory)
    return {path.name: path.read_text() for path in sorted(folder.iterdir())} if folder.is_dir() else {}


ETH0 = "[connection]\nid=eth0\ninterface-name=eth0\n\n[ipv4]\naddress1=192.0.2.1/24\n"


def test_the_configuration_of_this_machines_macs_is_taken(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.nic("lo", "00:00:00:00:00:00")
    box.nic("enp3s0", "52:54:00:aa:00:01")
    box.write(f"{CONNECTIONS}/old.nmconnection", "old")
    result = box.run("pre-network-manager-config.sh")
    assert result.returncode == 0, result.stderr
    assert list(profiles(box)) == ["enp3s0.nmconnection"]
    text = profiles(box)["enp3s0.nmconnection"]
    assert "192.168.0.11/24" in text
    assert "interface-name=enp3s0" in text
    assert "id=enp3s0" in text
    assert box.path(f"{CONNECTIONS}/enp3s0.nmconnection").stat().st_mode & 0o777 == 0o600


def test_without_a_matching_mac_nothing_is_changed(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.nic("enp3s0", "52:54:00:ff:00:01")
    box.write(f"{CONNECTIONS}/old.nmconnection", "old")
    result = box.run("pre-network-manager-config.sh")
    assert result.returncode == 0
    assert profiles(box) == {"old.nmconnection": "old"}
    assert "52:54:00:FF:00:01" in result.stdout


def test_macs_compare_without_case(sandbox: NewSandbox) -> None:
    box = sandbox(())
    install_script(box, sandbox)
    box.nic("ens1", "52:54:00:AB:cd:01")
    configure_network(box, 0, "52:54:00:ab:CD:01=eth0", eth0=ETH0)
    box.run("pre-network-manager-config.sh")
    assert list(profiles(box)) == ["ens1.nmconnection"]


def install_script(box: Any, sandbox: NewSandbox) -> None:
    """The script is in images with a networkConfig only; put it into one without."""
    text = sandbox().read(f"{SCRIPTS}/pre-network-manager-config.sh")
    other = next(
        line.split("/etc/assisted")[0].split("=")[1] for line in text.splitlines() if line.startswith("configurations=")
    )
    box.write("/tmp/script", text.replace(other, str(box.root)))
    box.path("/tmp/script").rename(box.path(f"{SCRIPTS}/pre-network-manager-config.sh"))


@pytest.fixture
def network_box(sandbox: NewSandbox) -> Any:
    """A sandbox with the script and no configuration."""
    box = sandbox(())
    install_script(box, sandbox)
    return box


def test_names_that_change_places_do_not_meet(network_box: Any) -> None:
    network_box.nic("eth0", "52:54:00:00:00:02")
    network_box.nic("eth1", "52:54:00:00:00:01")
    configure_network(
        network_box,
        3,
        "52:54:00:00:00:01=eth0\n52:54:00:00:00:02=eth1",
        eth0="[connection]\nid=eth0\ninterface-name=eth0\n[ipv4]\naddress1=192.0.2.1/24\n",
        eth1="[connection]\nid=eth1\ninterface-name=eth1\n[ipv4]\naddress1=192.0.2.2/24\n",
    )
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    made = profiles(network_box)
    assert list(made) == ["eth0.nmconnection", "eth1.nmconnection"]
    assert "interface-name=eth1\n[ipv4]\naddress1=192.0.2.1/24" in made["eth1.nmconnection"]
    assert "interface-name=eth0\n[ipv4]\naddress1=192.0.2.2/24" in made["eth0.nmconnection"]


def test_vlans_follow_their_parent_within_the_length_of_a_name(network_box: Any) -> None:
    network_box.nic("enp130s0f1np1", "52:54:00:00:00:01")
    configure_network(
        network_box,
        0,
        "52:54:00:00:00:01=eth0",
        eth0="[connection]\ninterface-name=eth0\n",
        eth0__100="[connection]\nid=eth0.100\ninterface-name=eth0.100\n[vlan]\nparent=eth0\nid=100\n",
    )
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    made = profiles(network_box)
    assert list(made) == ["enp130s0f1n.100.nmconnection", "enp130s0f1np1.nmconnection"]
    assert made["enp130s0f1n.100.nmconnection"] == (
        "[connection]\nid=enp130s0f1n.100\ninterface-name=enp130s0f1n.100\n[vlan]\nparent=enp130s0f1np1\nid=100\n"
    )


def test_names_in_the_interface_table_may_be_any_text(sandbox: NewSandbox) -> None:
    name, mac = "NIC 1 of the storage network", "52:54:00:AA:00:00"
    vlan = {"name": f"{name}.2345", "type": "vlan", "vlan": {"base-iface": name, "id": 2345}}
    document = {"interfaces": [{"name": name, "type": "ethernet"}, vlan]}
    box = sandbox((Host("m0", "m0", "master", (Interface(name, mac),), network_config=document),))
    box.nic("enp193s0f1np1", mac)
    assert box.run("pre-network-manager-config.sh").returncode == 0
    made = profiles(box)
    assert list(made) == ["enp193s0f1.2345.nmconnection", "enp193s0f1np1.nmconnection"]
    assert "interface-name=enp193s0f1.2345\n" in made["enp193s0f1.2345.nmconnection"]


def test_bonds_keep_their_name_and_their_ports_get_the_real_one(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.nic("ens2", "52:54:00:00:00:02")
    configure_network(
        network_box,
        0,
        "52:54:00:00:00:01=eth0\n52:54:00:00:00:02=eth1",
        bond0="[connection]\nid=bond0\ninterface-name=bond0\n[bond]\nmode=active-backup\nprimary=eth0\n",
        eth0="[connection]\ninterface-name=eth0\ncontroller=bond0\n",
        eth1="[connection]\ninterface-name=eth1\ncontroller=bond0\n",
        bond0__7="[connection]\ninterface-name=bond0.7\n[vlan]\nparent=bond0\n",
    )
    network_box.run("pre-network-manager-config.sh")
    made = profiles(network_box)
    assert list(made) == ["bond0.7.nmconnection", "bond0.nmconnection", "ens1.nmconnection", "ens2.nmconnection"]
    assert made["bond0.nmconnection"].endswith("primary=ens1\n")
    assert "parent=bond0\n" in made["bond0.7.nmconnection"]
    assert "controller=bond0\n" in made["ens2.nmconnection"]


@pytest.mark.parametrize("lacking", ["table", "keyfiles"])
def test_a_directory_without_table_or_keyfiles_is_passed_over(network_box: Any, lacking: str) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    configure_network(network_box, 0, "52:54:00:00:00:01=eth0", eth0=ETH0)
    target = "mac_interface.ini" if lacking == "table" else "eth0.nmconnection"
    network_box.path(f"/etc/assisted/network/host0/{target}").unlink()
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    assert profiles(network_box) == {}


def test_of_two_configurations_for_one_machine_the_first_names_what_belongs_to_no_nic(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.nic("ens2", "52:54:00:00:00:02")
    bond = "[connection]\ninterface-name=bond0\n[bond]\nprimary="
    configure_network(
        network_box, 0, "52:54:00:00:00:01=lan0", lan0="[connection]\ninterface-name=lan0\n", bond0=f"{bond}lan0\n"
    )
    configure_network(
        network_box, 1, "52:54:00:00:00:02=lan0", lan0="[connection]\ninterface-name=lan0\n", bond0=f"{bond}lan0\n"
    )
    result = network_box.run("pre-network-manager-config.sh")
    assert result.returncode == 0
    assert list(profiles(network_box)) == ["bond0.nmconnection", "ens1.nmconnection", "ens2.nmconnection"]
    assert profiles(network_box)["bond0.nmconnection"].endswith("primary=ens1\n")
    assert "There is a connection bond0 already" in result.stdout


def test_loopback_counts_as_a_nic(network_box: Any) -> None:
    network_box.nic("lo", "00:00:00:00:00:00")
    configure_network(network_box, 0, "00:00:00:00:00:00=lo", lo="[connection]\ninterface-name=lo\n")
    network_box.run("pre-network-manager-config.sh")
    assert list(profiles(network_box)) == ["lo.nmconnection"]


def test_in_the_initramfs_profiles_go_where_its_networkmanager_reads_them(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.write("/etc/initrd-release", "")
    configure_network(network_box, 0, "52:54:00:00:00:01=eth0", eth0=ETH0)
    network_box.run("pre-network-manager-config.sh")
    assert list(profiles(network_box, "/etc/coreos-firstboot-network")) == ["ens1.nmconnection"]
    assert profiles(network_box) == {}
