# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the static network configuration of a discovery image: a directory host<N> for each host, with a MAC address
map, and keyfiles or an nmpolicy document.

Source: openshift/assisted-service pkg/staticnetworkconfig/generator.go.
"""

from __future__ import annotations

import functools
import io
import tarfile
from collections.abc import Mapping
from typing import Any

import yaml

from ...live.nmstate import keyfile_text, load, profiles
from .parameters import Discovery

DIRECTORY = "/etc/assisted/network"


def host_files(discovery: Discovery) -> dict[str, str]:
    """Absolute path -> text; all are 0600. Raises NmstateError for a document that cannot be rendered."""
    files: dict[str, str] = {}
    for index, element in enumerate(discovery.static_network):
        home = f"{DIRECTORY}/host{index}"
        files[f"{home}/mac_interface.ini"] = _mac_map(element)
        if discovery.nmstate_service:
            files[f"{home}/ymlFile{index}.yml"] = _policy(*_parts(element))
        else:
            files |= {f"{home}/{name}": text for name, text in _keyfiles(str(element.get("network_yaml") or ""))}
    return files


def network_archive(discovery: Discovery) -> bytes:
    """``file_name=static-network-config``: the same files as a tar."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, text in host_files(discovery).items():
            data = text.encode()
            info = tarfile.TarInfo(path)
            info.size, info.mode = len(data), 0o600
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _mac_map(element: Mapping[str, Any]) -> str:
    return "\n".join(
        sorted(f"{entry['mac_address']}={entry['logical_nic_name']}" for entry in element["mac_interface_map"])
    )


def _parts(element: Mapping[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    entries = element["mac_interface_map"]
    return str(element.get("network_yaml") or ""), tuple(
        (str(entry["mac_address"]), str(entry["logical_nic_name"])) for entry in entries
    )


# An image is asked for in many ranges, each of which needs the whole configuration: what was rendered once is kept.
@functools.lru_cache(maxsize=8192)
def _policy(text: str, entries: tuple[tuple[str, str], ...]) -> str:
    """Each NIC of the map is captured by its MAC address; its logical name becomes a reference to the capture."""
    captures = {
        f"iface{number}": f'interfaces.mac-address == "{mac.upper()}"' for number, (mac, _name) in enumerate(entries)
    }
    names = {name: f"{{{{ capture.iface{number}.interfaces.0.name }}}}" for number, (_mac, name) in enumerate(entries)}
    state = _renamed(load(text), names)
    return str(yaml.safe_dump({"capture": captures, "desiredState": state}, sort_keys=True, width=1000))


@functools.lru_cache(maxsize=8192)
def _keyfiles(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((profile.file, keyfile_text(profile)) for profile in profiles(load(text)))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [_renamed(entry, names) for entry in value]
    return names.get(value, value) if isinstance(value, str) else value
