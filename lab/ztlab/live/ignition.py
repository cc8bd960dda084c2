# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate Ignition in the live system: parse a 3.x config strictly, and apply its files, users and units.

The rules are those of the Ignition specification (versions 3.0.0 to 3.5.0): errors stop the boot, warnings are logged.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import gzip
import hashlib
import json
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

VERSIONS = ("3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0")
_UNIT_NAME = re.compile(
    r"^[A-Za-z0-9:_.\\@-]+\.(service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$"
)
_KEYS: dict[str, set[str]] = {
    "": {"ignition", "kernelArguments", "passwd", "storage", "systemd"},
    "ignition": {"version", "config", "timeouts", "security", "proxy"},
    "passwd": {"users", "groups"},
    "passwd.users": {
        "name",
        "passwordHash",
        "sshAuthorizedKeys",
        "uid",
        "gecos",
        "homeDir",
        "noCreateHome",
        "primaryGroup",
        "groups",
        "noUserGroup",
        "noLogInit",
        "shell",
        "shouldExist",
        "system",
    },
    "storage": {"disks", "raid", "filesystems", "files", "directories", "links", "luks"},
    "storage.files": {"path", "overwrite", "user", "group", "contents", "append", "mode"},
    "storage.directories": {"path", "overwrite", "user", "group", "mode"},
    "storage.links": {"path", "overwrite", "user", "group", "target", "hard"},
    "resource": {"source", "compression", "httpHeaders", "verification"},
    "systemd": {"units"},
    "systemd.units": {"name", "enabled", "mask", "contents", "dropins"},
}


class IgnitionError(Exception):
    """Ignition fails and the system stops in the emergency shell; the text names the place."""


@dataclasses.dataclass(frozen=True)
class File:
    path: str
    mode: int
    content: bytes
    overwrite: bool
    append: bool


@dataclasses.dataclass(frozen=True)
class Unit:
    name: str
    contents: str | None
    enabled: bool | None
    mask: bool


@dataclasses.dataclass(frozen=True)
class Config:
    version: str
    files: tuple[File, ...]
    directories: tuple[tuple[str, int], ...]
    units: tuple[Unit, ...]
    users: Mapping[str, Mapping[str, Any]]
    warnings: tuple[str, ...]


def parse(data: bytes) -> Config:
    """Raises :class:`IgnitionError` with the first error."""
    try:
        document = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise IgnitionError(f"config is not valid UTF-8: {error}") from error
    except ValueError as error:
        raise IgnitionError(f"config is not valid: {error}") from error
    return _Reader(document).config()


class _Reader:
    def __init__(self, document: Any) -> None:
        self.document = self._object(document, "$", "")
        self.warnings: list[str] = []

    def config(self) -> Config:
        self._unused(self.document, "$", "")
        ignition = self._object(self.document.get("ignition"), "$.ignition", "ignition")
        version = ignition.get("version")
        if version not in VERSIONS:
            raise IgnitionError(f"$.ignition.version: unsupported config version {version!r}")
        self._unused(ignition, "$.ignition", "ignition")
        referenced = ignition.get("config") or {}
        if (referenced.get("replace") or {}).get("source") or any(
            entry.get("source") for entry in referenced.get("merge") or []
        ):
            raise IgnitionError("$.ignition.config: this lab reads configs that stand alone, without merge and replace")
        storage = self._object(self.document.get("storage") or {}, "$.storage", "storage")
        self._unused(storage, "$.storage", "storage")
        for kind in ("disks", "raid", "filesystems", "luks", "links"):
            if storage.get(kind):
                raise IgnitionError(f"$.storage.{kind}: this lab's live system has nothing to apply it to")
        files = self._files(storage)
        directories = tuple(self._directories(storage))
        self._unique(
            [file.path for file in files if not file.append] + [path for path, _mode in directories], "$.storage"
        )
        systemd = self._object(self.document.get("systemd") or {}, "$.systemd", "systemd")
        self._unused(systemd, "$.systemd", "systemd")
        units = tuple(
            self._unit(entry, f"$.systemd.units.{index}") for index, entry in enumerate(systemd.get("units") or [])
        )
        self._unique([unit.name for unit in units], "$.systemd.units")
        return Config(version, tuple(files), directories, units, self._users(), tuple(self.warnings))

    # ---- storage -----------------------------------------------------------------------------------------------------

    def _files(self, storage: Mapping[str, Any]) -> list[File]:
        files: list[File] = []
        paths: list[str] = []
        for index, value in enumerate(storage.get("files") or []):
            place = f"$.storage.files.{index}"
            entry = self._object(value, place, "storage.files")
            self._unused(entry, place, "storage.files")
            path = self._path(entry, place)
            paths.append(path)
            mode = self._mode(entry, place, 0o644)
            overwrite = self._flag(entry, "overwrite", place)
            contents = self._object(entry.get("contents") or {}, f"{place}.contents", "resource")
            appends = entry.get("append") or []
            if contents.get("source") is not None:
                files.append(File(path, mode, self._resource(contents, f"{place}.contents"), overwrite, append=False))
            elif overwrite:
                raise IgnitionError(f"{place}: overwrite must be false if source is unspecified")
            elif not appends:
                files.append(File(path, mode, b"", overwrite, append=False))
            for number, resource in enumerate(appends):
                where = f"{place}.append.{number}"
                files.append(
                    File(
                        path, mode, self._resource(self._object(resource, where, "resource"), where), False, append=True
                    )
                )
        self._unique(paths, "$.storage.files")
        return files

    def _directories(self, storage: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
        for index, value in enumerate(storage.get("directories") or []):
            place = f"$.storage.directories.{index}"
            entry = self._object(value, place, "storage.directories")
            self._unused(entry, place, "storage.directories")
            yield self._path(entry, place), self._mode(entry, place, 0o755)

    def _path(self, entry: Mapping[str, Any], place: str) -> str:
        path = entry.get("path")
        if not isinstance(path, str) or not path:
            raise IgnitionError(f"{place}.path: path not specified")
        if not path.startswith("/"):
            raise IgnitionError(f"{place}.path: path not absolute: {path}")
        return "/" + "/".join(part for part in path.split("/") if part)

    def _mode(self, entry: Mapping[str, Any], place: str, default: int) -> int:
        mode = entry.get("mode")
        if mode is None:
            return default
        if not isinstance(mode, int) or isinstance(mode, bool):
            raise IgnitionError(f"{place}.mode: must be an integer, not {mode!r}")
        if not 0 <= mode <= 0o7777:
            raise IgnitionError(f"{place}.mode: illegal file mode {mode}")
        return mode

    def _resource(self, resource: Mapping[str, Any], place: str) -> bytes:
        self._unused(resource, place, "resource")
        data = read_source(resource.get("source"), place)
        compression = resource.get("compression") or ""
        if compression == "gzip":
            try:
                data = gzip.decompress(data)
            except (OSError, EOFError) as error:
                raise IgnitionError(f"{place}: content is not gzip: {error}") from error
        elif compression:
            raise IgnitionError(f"{place}.compression: invalid compression method {compression!r}")
        wanted = (resource.get("verification") or {}).get("hash")
        if wanted:
            name, _, digest = wanted.partition("-")
            if name not in ("sha256", "sha512") or hashlib.new(name, data).hexdigest() != digest:
                raise IgnitionError(f"{place}.verification.hash: does not match the content")
        return data

    # ---- units and users ---------------------------------------------------------------------------------------------

    def _unit(self, value: Any, place: str) -> Unit:
        entry = self._object(value, place, "systemd.units")
        self._unused(entry, place, "systemd.units")
        name = entry.get("name")
        if not isinstance(name, str) or not _UNIT_NAME.match(name):
            raise IgnitionError(f"{place}.name: invalid systemd unit name {name!r}")
        contents = entry.get("contents")
        if contents is not None and not isinstance(contents, str):
            raise IgnitionError(f"{place}.contents: must be text")
        if contents:
            _check_unit_syntax(contents, f"{place} ({name})")
        enabled = entry.get("enabled")
        if enabled and contents and "[Install]" not in contents:
            self.warnings.append(
                f"{place} ({name}): unit is enabled, but has no [Install] section so enable does nothing"
            )
        return Unit(name, contents, enabled, bool(entry.get("mask")))

    def _users(self) -> dict[str, Mapping[str, Any]]:
        passwd = self._object(self.document.get("passwd") or {}, "$.passwd", "passwd")
        self._unused(passwd, "$.passwd", "passwd")
        users: dict[str, Mapping[str, Any]] = {}
        for index, value in enumerate(passwd.get("users") or []):
            place = f"$.passwd.users.{index}"
            entry = self._object(value, place, "passwd.users")
            self._unused(entry, place, "passwd.users")
            if not isinstance(entry.get("name"), str) or not entry["name"]:
                raise IgnitionError(f"{place}.name: missing")
            users[entry["name"]] = entry
        return users

    # ---- shapes ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _object(value: Any, place: str, kind: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            shown = f" ({kind})" if kind else ""
            raise IgnitionError(f"{place}: must be an object{shown}")
        return value

    @staticmethod
    def _flag(entry: Mapping[str, Any], name: str, place: str) -> bool:
        value = entry.get(name)
        if value is not None and not isinstance(value, bool):
            raise IgnitionError(f"{place}.{name}: must be true or false, not {value!r}")
        return bool(value)

    def _unused(self, entry: Mapping[str, Any], place: str, kind: str) -> None:
        self.warnings += [f"{place}: unused key {key}" for key in sorted(set(entry) - _KEYS[kind])]

    @staticmethod
    def _unique(names: Iterable[str], place: str) -> None:
        seen = set()
        for name in names:
            if name in seen:
                raise IgnitionError(f"{place}: duplicate entry defined: {name}")
            seen.add(name)


def read_source(source: Any, place: str) -> bytes:
    """The content of a data URL. Raises :class:`IgnitionError`."""
    if source in (None, ""):
        return b""
    if not isinstance(source, str):
        raise IgnitionError(f"{place}.source: must be text")
    scheme, _, rest = source.partition(":")
    if scheme != "data":
        raise IgnitionError(f"{place}.source: this lab's live system fetches no {scheme} URLs while it boots")
    head, comma, text = rest.partition(",")
    if not comma:
        raise IgnitionError(f"{place}.source: unable to parse data URL")
    try:
        if head.endswith(";base64"):
            return base64.b64decode(urllib.parse.unquote_to_bytes(text), validate=True)
        return urllib.parse.unquote_to_bytes(text)
    except (binascii.Error, ValueError) as error:
        raise IgnitionError(f"{place}.source: unable to parse data URL: {error}") from error


def _check_unit_syntax(contents: str, place: str) -> None:
    section = False
    continued = False
    for number, line in enumerate(contents.splitlines(), 1):
        stripped = line.strip()
        if continued:
            continued = stripped.endswith("\\")
            continue
        if not stripped or stripped.startswith(("#", ";")):
            continue
        if stripped.startswith("["):
            if not stripped.endswith("]"):
                raise IgnitionError(f"{place}: line {number}: unable to find end of section")
            section = True
        elif not section or "=" not in stripped:
            raise IgnitionError(f"{place}: line {number}: invalid unit content")
        continued = stripped.endswith("\\")
