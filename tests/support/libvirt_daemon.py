# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Start a separate libvirt daemon for tests: an unprivileged session daemon with its directories in one place, and
virtual machines without acceleration.

It shares nothing with a libvirt that the machine may run. If the test runs as root, the daemon runs as user 65534.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_UNPRIVILEGED = 65534
_PATIENCE = 60.0


def why_not() -> str:
    """Return why a daemon cannot run here; empty if it can."""
    for program, package in (
        ("libvirtd", "libvirt-daemon"),
        ("virsh", "libvirt-clients"),
        ("qemu-system-x86_64", "qemu-system-x86"),
    ):
        if _program(program) is None:
            return f"{program} is not installed (Debian package {package})"
    return ""


def why_no_binding() -> str:
    """Why the Python binding cannot be used; empty when it can."""
    try:
        import libvirt  # noqa: F401
    except ImportError as error:
        return (
            f"the Python binding cannot be imported ({error}): pip install libvirt-python needs libvirt-dev and "
            "pkg-config"
        )
    return ""


@contextlib.contextmanager
def libvirt_daemon(settings: str = "") -> Iterator[tuple[str, Path]]:
    """The URI of a running daemon, and a directory in which its machines may have files.

    With ``settings`` (lines of libvirtd.conf) it listens on TCP ports.
    """
    with tempfile.TemporaryDirectory(prefix="zt-libvirt-", dir="/tmp") as name:
        base = Path(name)
        for part in ("run", "config", "cache", "data", "pool"):
            (base / part).mkdir()
        as_root = os.geteuid() == 0
        if as_root:
            for path in (base, *base.iterdir()):
                os.chown(path, _UNPRIVILEGED, _UNPRIVILEGED)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": name,
            "XDG_RUNTIME_DIR": f"{name}/run",
            "XDG_CONFIG_HOME": f"{name}/config",
            "XDG_CACHE_HOME": f"{name}/cache",
            "XDG_DATA_HOME": f"{name}/data",
        }
        identity = {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []} if as_root else {}
        command = [str(_program("libvirtd"))]
        if settings:
            (base / "libvirtd.conf").write_text(settings)
            command += ["--listen", "--config", f"{name}/libvirtd.conf"]
        with (base / "log").open("wb") as log:
            daemon = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd="/", **identity)  # type: ignore[call-overload]
        socket = base / "run" / "libvirt" / "libvirt-sock"
        uri = f"qemu+unix:///session?socket={socket}"
        try:
            _wait_for(daemon, socket, base / "log")
            yield uri, base / "pool"
        finally:
            _stop(uri, daemon)


def virsh(uri: str, *words: str, text: str = "") -> str:
    """What virsh prints. Raises :class:`RuntimeError` with its message."""
    done = subprocess.run(["virsh", "-q", "-c", uri, *words], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"virsh {' '.join(words)}: {done.stderr}")
    return done.stdout


def domain_xml(
    name: str, disk: Path, mac: str, *, uuid: str = "", extra: str = "", os_boot: str = "", memory: int = 32
) -> str:
    """A small machine with a disk, one NIC and an empty CD drive that cannot boot anything."""
    identity = f"<uuid>{uuid}</uuid>" if uuid else ""
    return f"""<domain type='qemu'>
  <name>{name}</name>
  {identity}
  <memory unit='MiB'>{memory}</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type>{os_boot}</os>
  <features><acpi/></features>
  <devices>
    <disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='{disk}'/><target dev='vda' bus='virtio'/></disk>
    <disk type='file' device='cdrom'><driver name='qemu' type='raw'/><target dev='sda' bus='sata'/><readonly/></disk>
    <interface type='user'><mac address='{mac}'/><model type='virtio'/></interface>
    {extra}
  </devices>
</domain>
"""  # noqa: E501


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin:/usr/bin")


def _wait_for(daemon: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while not socket.exists():
        if daemon.poll() is not None or time.monotonic() > end:
            text = log.read_text(errors="replace")
            raise RuntimeError(f"libvirtd does not listen: {text[-2000:]}")
        time.sleep(0.05)


def _stop(uri: str, daemon: subprocess.Popen[bytes]) -> None:
    """The machines, then their daemon."""
    listed = subprocess.run(["virsh", "-q", "-c", uri, "list", "--uuid"], capture_output=True, text=True, check=False)
    for uuid in listed.stdout.split():
        subprocess.run(["virsh", "-q", "-c", uri, "destroy", uuid], capture_output=True, check=False)
    daemon.terminate()
    try:
        daemon.wait(20)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
