# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Model the root file system of a live system in memory: files from the image, from Ignition, and from programs at run
time.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import posixpath

from .ignition import Config, IgnitionError

# Files of the image that agent configurations append to or replace.
_SHIPPED = {
    "/etc/containers/containers.conf": b"[containers]\n",
    "/etc/containers/registries.conf": b'unqualified-search-registries = ["registry.access.redhat.com"]\n',
    "/etc/chrony.conf": b"pool 2.rhel.pool.ntp.org iburst\n",
    "/etc/motd": b"",
    "/etc/issue": b"",
    "/etc/multipath.conf": b"",
    "/etc/hosts": b"127.0.0.1 localhost\n",
    "/etc/os-release": b'NAME="Red Hat Enterprise Linux CoreOS"\n',
}
_READ_ONLY = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sysroot", "/ostree")
_WRITABLE = ("/usr/local",)


@dataclasses.dataclass
class Node:
    """A file: its permission bits and bytes."""

    mode: int
    content: bytes


class Root:
    """Path -> file. Paths are absolute and normalised."""

    def __init__(self) -> None:
        self.files: dict[str, Node] = {path: Node(0o644, content) for path, content in _SHIPPED.items()}
        self.directories: set[str] = set()

    def apply(self, config: Config) -> None:
        """Write what Ignition has to write. Raises :class:`IgnitionError`."""
        for path, _mode in config.directories:
            self._check_writable(path)
            self.directories.add(path)
        for file in config.files:
            self._check_writable(file.path)
            existing = self.files.get(file.path)
            if file.append:
                before = existing.content if existing else b""
                self.files[file.path] = Node(file.mode, before + file.content)
            elif existing is not None and not file.overwrite and file.content:
                raise IgnitionError(f"error creating {file.path}: a file exists there already and overwrite is false")
            elif existing is not None and not file.overwrite:
                existing.mode = file.mode
            else:
                self.files[file.path] = Node(file.mode, file.content)

    @staticmethod
    def _check_writable(path: str) -> None:
        below = any(path == top or path.startswith(f"{top}/") for top in _READ_ONLY)
        if below and not any(path.startswith(f"{top}/") for top in _WRITABLE):
            raise IgnitionError(f"error creating {path}: read-only file system")

    def write(self, path: str, content: str, mode: int = 0o644) -> None:
        self.files[path] = Node(mode, content.encode())

    def exists(self, path: str) -> bool:
        """Whether a file or directory is there."""
        path = posixpath.normpath(path)
        return path in self.files or path in self.directories or any(name.startswith(f"{path}/") for name in self.files)

    def text(self, path: str) -> str | None:
        """The file as text, None when it is missing."""
        node = self.files.get(posixpath.normpath(path))
        return None if node is None else node.content.decode("utf-8", "replace")

    def data(self, path: str) -> bytes | None:
        node = self.files.get(posixpath.normpath(path))
        return None if node is None else node.content

    def under(self, directory: str, pattern: str = "*") -> dict[str, Node]:
        """Name -> file of the files directly in a directory."""
        prefix = directory.rstrip("/") + "/"
        names = {path[len(prefix) :]: node for path, node in self.files.items() if path.startswith(prefix)}
        return {
            name: node for name, node in sorted(names.items()) if "/" not in name and fnmatch.fnmatch(name, pattern)
        }

    def subdirectories(self, directory: str) -> list[str]:
        """Names of the directories directly in a directory."""
        prefix = directory.rstrip("/") + "/"
        return sorted(
            {
                path[len(prefix) :].split("/")[0]
                for path in self.files
                if path.startswith(prefix) and "/" in path[len(prefix) :]
            }
        )


def parse_env(text: str, *, quotes: bool = True) -> dict[str, str]:
    """An environment file: NAME=value lines, # comments. systemd takes quotes around a value off (``quotes``), podman
    keeps them.
    """
    values = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith(("#", ";")) or "=" not in line:
            continue
        name, _, value = line.partition("=")
        if quotes and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        values[name.strip()] = value
    return values
