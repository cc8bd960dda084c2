# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build minimal-initrd: an additional initrd archive with the network and proxy configuration that a minimal image
needs before it can fetch its root file system.
"""

from __future__ import annotations

from . import scripts
from .archive import DIRECTORY, LINK, REGULAR, compressed
from .parameters import Discovery
from .static_network import host_files

_UNIT = "etc/systemd/system/pre-network-manager-config.service"
_WANTS = "etc/systemd/system/initrd.target.wants/pre-network-manager-config.service"
_PROXY = "etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf"


def minimal_initrd(discovery: Discovery) -> bytes | None:
    """The archive for the ramdisk area; None when there is neither static network nor proxy (the service answers
    204).
    """
    files: dict[str, tuple[int, bytes]] = {}
    if discovery.static_network:
        files |= {path.lstrip("/"): (REGULAR | 0o600, text.encode()) for path, text in host_files(discovery).items()}
        files["usr/local/bin/pre-network-manager-config.sh"] = (REGULAR | 0o755, scripts.INITRD_NETWORK.encode())
        files["usr/local/bin/common_network_script.sh"] = (REGULAR | 0o755, scripts.COMMON_NETWORK.encode())
        files[_UNIT] = (REGULAR | 0o644, scripts.network_unit(discovery.network_delay_seconds, in_initrd=True).encode())
        files[_WANTS] = (LINK | 0o777, f"/{_UNIT}".encode())
    if discovery.proxied:
        files[_PROXY] = (REGULAR | 0o644, _proxy(discovery).encode())
    if not files:
        return None
    return compressed(sorted([*((path, mode, data) for path, (mode, data) in files.items()), *_parents(files)]))


def _parents(files: dict[str, tuple[int, bytes]]) -> list[tuple[str, int, bytes]]:
    found = {"/".join(parts[:depth]) for path in files for parts in [path.split("/")] for depth in range(1, len(parts))}
    return [(path, DIRECTORY | 0o755, b"") for path in found]


def _proxy(discovery: Discovery) -> str:
    values = (
        ("http_proxy", discovery.http_proxy),
        ("https_proxy", discovery.https_proxy),
        ("no_proxy", discovery.no_proxy),
    )
    return "[Service]\n" + "".join(
        f"Environment={name}={value}\nEnvironment={name.upper()}={value}\n" for name, value in values if value
    )
