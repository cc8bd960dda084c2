# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Follow docs/how-to/libvirt.md word for word on qemu:///system: its commands run as they are printed, with
``inventories/libvirt`` and smaller machines.

The system daemon runs as root in a separate mount and network namespace. Its machines start from an image without an
operating system, so the deployment ends at its limit for registered hosts. The other tests of this suite show that a
host boots from such an image.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ..integration.lab import ROOT
from ..support.live_image import make_iso

PAGE = ROOT / "docs" / "how-to" / "libvirt.md"
MACHINES = ("vm-0", "vm-1", "vm-2")
# /var/run is where older paths of libvirt lead to.
OWN = ("/run/libvirt", "/var/lib/libvirt", "/var/log/libvirt", "/var/cache/libvirt", "/etc/libvirt")
START = f"""
set -eu
mkdir -p {" ".join(OWN)}
for directory in {" ".join(OWN)}; do mount -t tmpfs none "$directory"; done
mkdir -p /var/lib/libvirt/images /var/log/libvirt/qemu /etc/libvirt/qemu
# Without a namespace for each machine: libvirt would move every mount below /dev into it, and fails for the one that hides /dev/kvm.
# Package libvirt-daemon-system makes this user, and starts a daemon for the whole machine.
cp /etc/passwd /etc/group /etc/libvirt
if ! grep -q ^libvirt-qemu: /etc/passwd; then
    echo libvirt-qemu:x:64055:64055::/var/lib/libvirt:/usr/sbin/nologin >>/etc/libvirt/passwd
    echo libvirt-qemu:x:64055: >>/etc/libvirt/group
fi
for file in passwd group; do mount --bind /etc/libvirt/$file /etc/$file; done
printf '%s\\n' 'user = "root"' 'group = "root"' 'security_driver = "none"' 'stdio_handler = "file"' >/etc/libvirt/qemu.conf
printf '%s\\n' 'cgroup_controllers = []' 'namespaces = []' >>/etc/libvirt/qemu.conf
printf '%s\\n' 'auth_unix_rw = "none"' >/etc/libvirt/libvirtd.conf
# Software emulation, as in all tests of this suite. While /dev/kvm can be written and KVM does not work, libvirt asks all emulators again for each call
# (libvirt src/qemu/qemu_capabilities.c virQEMUCapsIsValid): a regular file on a mount that is read-only cannot be written by root either.
if [ -e /dev/kvm ]; then
    mount --bind /etc/libvirt/passwd /dev/kvm
    mount -o remount,bind,ro /dev/kvm
fi
ip link set lo up
ip link add uplink type bridge
ip address add 192.0.2.1/24 dev uplink
ip link set uplink up
ip route add default via 192.0.2.254
exec libvirtd
"""  # noqa: E501


class KvmHost:
    """The KVM host of the page: ``run`` is its shell, in a directory with ``inventories`` and ``playbooks``."""

    def __init__(self, daemon: subprocess.Popen[bytes], directory: Path) -> None:
        self._daemon = daemon
        self._directory = directory

    def run(self, command: str) -> str:
        done = self.try_run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        return done.stdout

    def try_run(self, command: str) -> subprocess.CompletedProcess[str]:
        inside = [
            "nsenter",
            "-t",
            str(self._daemon.pid),
            "-m",
            "-n",
            "--wd=" + str(self._directory),
            "bash",
            "-c",
            command,
        ]
        return subprocess.run(inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def machines(self, *options: str) -> set[str]:
        return set(self.run(f"virsh -c qemu:///system list --name {' '.join(options)}").split())

    def volumes(self) -> set[str]:
        return {Path(line).name for line in self.run("ls /var/lib/libvirt/images").split()}


def blocks(heading: str) -> list[str]:
    """The code blocks of a section of the page, each as its lines."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^( *)```(?:bash)?\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    return [re.sub(f"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def commands(heading: str, number: int = 0) -> list[str]:
    return blocks(heading)[number].splitlines()


def why_not() -> str:
    if os.geteuid() != 0:
        return "only root can start the system daemon of libvirt"
    missing = [
        name
        for name in ("unshare", "nsenter", "ip", "dnsmasq", "iptables")
        if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None
    ]
    if missing:
        return f"missing: {', '.join(missing)} (Debian packages util-linux, iproute2, dnsmasq-base, iptables)"
    probe = ["unshare", "-m", "-n", "sh", "-c", "mount -t tmpfs none /mnt && ip link add name probe type bridge"]
    tried = subprocess.run(probe, capture_output=True, text=True, check=False)
    return f"no namespaces or bridges here: {tried.stderr.strip()}" if tried.returncode else ""


@pytest.fixture
def kvm_host(tmp_path: Path) -> Iterator[KvmHost]:
    if reason := why_not():
        pytest.skip(reason)
    for name in ("playbooks", "ansible.cfg", ".build"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "inventories" / "libvirt", tmp_path / "inventories" / "libvirt")
    with (tmp_path / "libvirtd.log").open("wb") as log:
        daemon = subprocess.Popen(
            ["unshare", "-m", "-n", "--propagation", "private", "bash", "-c", START], stdout=log, stderr=log
        )
    host = KvmHost(daemon, tmp_path)
    try:
        for _attempt in range(120):
            if daemon.poll() is None and host.try_run("virsh -c qemu:///system list").returncode == 0:
                break
            assert daemon.poll() is None, (tmp_path / "libvirtd.log").read_text()
            time.sleep(0.5)
        yield host
    finally:
        for name in host.machines() if daemon.poll() is None else ():
            host.try_run(f"virsh -c qemu:///system destroy {name}")
        if daemon.poll() is None:
            host.try_run("pkill --nslist net --ns $$ dnsmasq")
        daemon.terminate()
        daemon.wait(60)


def test_the_page(kvm_host: KvmHost, tmp_path: Path) -> None:
    for command in commands("What the KVM host needs"):
        kvm_host.run(command)
    base = make_iso(tmp_path / "base.iso")
    own = {
        "openshift_base_image": {"path": str(base)},
        "openshift_timeouts": {"boot": 20},
        "openshift_checks": {"release-not-pinned": "off"},
    }
    inventory = tmp_path / "inventories" / "libvirt" / "hosts.yml"
    content = yaml.safe_load(inventory.read_text())
    content["all"]["vars"] |= own
    content["all"]["vars"]["openshift_host_defaults"]["vm"] |= {"cpus": 1, "memory_mib": 512}
    inventory.write_text(yaml.safe_dump(content, sort_keys=False))

    look, define, deploy = commands("Define, deploy")
    planned = kvm_host.run(look)
    assert kvm_host.machines("--all") == set() and kvm_host.volumes() == set(), planned
    assert all(f"define domain {name}" in planned for name in MACHINES), planned
    kvm_host.run(define)
    assert (kvm_host.machines("--all"), kvm_host.machines()) == (set(MACHINES), set())
    assert kvm_host.volumes() == {f"{name}-0.qcow2" for name in MACHINES}
    assert "vms" in kvm_host.run("virsh -c qemu:///system net-list --name --autostart")
    again = kvm_host.run(define)
    assert re.search(r"changed=0 ", again), again

    ended = kvm_host.try_run(deploy)
    assert ended.returncode == 2 and "no service answered at 192.168.131.20" in ended.stdout, ended.stdout
    assert kvm_host.machines() == set(MACHINES), ended.stdout
    assert {f"{name}-serial0.log" for name in MACHINES} <= set(kvm_host.run("ls /var/log/libvirt/qemu").split())
    assert len([name for name in kvm_host.volumes() if re.fullmatch(r"zerotouch-\w+\.iso", name)]) == 1, (
        "one image for all machines"
    )

    destroy, remove = commands("Remove")
    kvm_host.run(destroy)
    assert kvm_host.machines() == set()
    assert kvm_host.volumes() == {f"{name}-0.qcow2" for name in MACHINES}
    kvm_host.run(remove)
    assert (kvm_host.machines("--all"), kvm_host.volumes()) == (set(), set())
    assert "vms" not in kvm_host.run("virsh -c qemu:///system net-list --name --all")
