# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the pointer Ignition on the disk of an installed host: URL of the machine config server, certificate
authorities, host name.
"""

from __future__ import annotations

import dataclasses
import json
import ssl
from collections.abc import Mapping
from typing import Any

from ..live.ignition import IgnitionError, read_source
from ..machine.config_drive import KUBELET_PROGRAM


@dataclasses.dataclass(frozen=True)
class Pointer:
    source: str
    headers: Mapping[str, str]
    authorities: tuple[str, ...]
    hostname: str = ""
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def pool(self) -> str:
        return self.source.rstrip("/").rsplit("/", 1)[-1]

    def trust(self) -> ssl.SSLContext:
        """The authorities of the config; the system's authorities sign nothing in the lab.

        Raises ssl.SSLError for an invalid authority.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for authority in self.authorities:
            context.load_verify_locations(cadata=authority)
        return context


def read_pointer(data: bytes) -> Pointer:
    """Raises ValueError when the ignition names no source to merge."""
    document: dict[str, Any] = json.loads(data)
    ignition = document.get("ignition") or {}
    merged = (ignition.get("config") or {}).get("merge") or []
    if not merged or not merged[0].get("source"):
        raise ValueError("the host's ignition names no source to merge")
    entries = ((ignition.get("security") or {}).get("tls") or {}).get("certificateAuthorities") or []
    try:
        authorities = tuple(
            read_source(entry.get("source"), "certificateAuthorities").decode("utf-8", "replace") for entry in entries
        )
        names = [
            entry
            for entry in (document.get("storage") or {}).get("files") or []
            if entry.get("path") == "/etc/hostname"
        ]
        hostname = read_source(names[-1]["contents"]["source"], "/etc/hostname").decode().strip() if names else ""
    except IgnitionError as error:
        raise ValueError(str(error)) from error
    files = {}
    for entry in (document.get("storage") or {}).get("files") or []:
        source = (entry.get("contents") or {}).get("source")
        if entry.get("path") == KUBELET_PROGRAM and source:
            files[KUBELET_PROGRAM] = read_source(source, KUBELET_PROGRAM).decode("utf-8", "replace")
    headers = {str(entry["name"]): str(entry["value"]) for entry in merged[0].get("httpHeaders") or []}
    return Pointer(str(merged[0]["source"]), headers, authorities, hostname, files)
