# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Represent an Ignition config (spec 3.2.0) as dataclasses, and write it as JSON.

The config has files, directories, systemd units and one user.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
from typing import Any

SPEC = "3.2.0"
PRIVATE = 0o600
PUBLIC = 0o644
PROGRAM = 0o555
OWNER = "root"

# What a text file may not hold; anything else below a blank makes it binary (the rule by which upstream's library
# sniffs content).
_BINARY = frozenset(range(0x20)) - frozenset(b"\t\n\f\r\x1b")


@dataclasses.dataclass(frozen=True)
class IgnitionFile:
    """A file of the live system.

    ``append`` adds ``content`` to what the system already has there; otherwise the file is replaced.
    """

    path: str
    mode: int
    content: bytes = dataclasses.field(repr=False)
    append: bool = False

    def as_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"group": {}, "path": self.path, "user": {"name": OWNER}, "mode": self.mode}
        contents = {"source": data_url(self.content), "verification": {}}
        if self.append:
            return {**entry, "append": [contents], "contents": {"verification": {}}, "overwrite": False}
        return {**entry, "contents": contents, "overwrite": True}


@dataclasses.dataclass(frozen=True)
class Directory:
    path: str
    mode: int

    def as_json(self) -> dict[str, Any]:
        return {"group": {}, "overwrite": True, "path": self.path, "user": {"name": OWNER}, "mode": self.mode}


@dataclasses.dataclass(frozen=True)
class Unit:
    """A systemd unit. One that is not ``enabled`` is there for others to pull in."""

    name: str
    contents: str = dataclasses.field(repr=False)
    enabled: bool = True

    def as_json(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"contents": self.contents, "name": self.name}
        return {**entry, "enabled": True} if self.enabled else entry


@dataclasses.dataclass(frozen=True)
class User:
    """A user of the live system; ``ssh_key`` may hold several lines."""

    name: str
    ssh_key: str
    password_hash: str = dataclasses.field(repr=False)

    def as_json(self) -> dict[str, Any]:
        # Always one element, as upstream writes it: several keys stay lines of one text, none is an empty text.
        return {"name": self.name, "passwordHash": self.password_hash, "sshAuthorizedKeys": [self.ssh_key]}


@dataclasses.dataclass(frozen=True)
class LiveIgnition:
    """The config of the live system. Holds tokens, keys and the pull secret: for the image and nothing else."""

    files: tuple[IgnitionFile, ...]
    directories: tuple[Directory, ...]
    units: tuple[Unit, ...]
    user: User

    def file(self, path: str) -> IgnitionFile | None:
        """The file of that path, or None."""
        return next((file for file in self.files if file.path == path), None)

    def document(self) -> dict[str, Any]:
        """The config as JSON data; empty objects are where upstream's types serialise them."""
        return {
            "ignition": {
                "config": {"replace": {"verification": {}}},
                "proxy": {},
                "security": {"tls": {}},
                "timeouts": {},
                "version": SPEC,
            },
            "passwd": {"users": [self.user.as_json()]},
            "storage": {
                "directories": [directory.as_json() for directory in self.directories],
                "files": [file.as_json() for file in self.files],
            },
            "systemd": {"units": [unit.as_json() for unit in self.units]},
        }

    def encode(self) -> bytes:
        """The JSON text; the same input gives the same bytes."""
        return json.dumps(self.document(), separators=(",", ":"), ensure_ascii=False).encode()

    def sha256(self) -> str:
        return hashlib.sha256(self.encode()).hexdigest()

    def table(self) -> list[dict[str, Any]]:
        """``ignition_files`` of module results: path, mode (octal text, ``0600``) and size in bytes of every file."""
        return [{"path": file.path, "mode": f"{file.mode:04o}", "size": len(file.content)} for file in self.files]


def data_url(content: bytes) -> str:
    """RFC 2397, never compressed."""
    return f"data:{_media_type(content)};base64,{base64.b64encode(content).decode()}"


def _media_type(content: bytes) -> str:
    return "application/octet-stream" if _BINARY.intersection(content[:512]) else "text/plain;charset=utf-8"
