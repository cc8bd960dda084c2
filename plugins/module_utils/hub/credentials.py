# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write credentials in Secrets of a hub to files in a work directory. A file with the same content is not written."""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..common import yaml_text
from ..common.errors import ZeroTouchError
from ..common.files import SECRET_FILE, ensure_directory, same_file, write_atomic
from ..kube.client import KubeClient, Object
from ..kube.remote_config import remote_kubeconfig
from .kinds import SECRET

KUBECONFIG, PASSWORD = "kubeconfig", "password"
Wanted = tuple[str, str, Path]  # name of the Secret, empty while there is none; key in it; file


@dataclasses.dataclass(frozen=True)
class HubCredentials:
    """Files that are not as the hub's Secrets say; contents are secret.

    ``missing``: names of files whose Secrets the hub has not made yet.
    """

    files: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    missing: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.files)

    def secrets(self) -> set[str]:
        """What must appear in no output: the password, the private key of the administrator."""
        found = set()
        for text in self.files.values():
            found |= (
                {text.strip()}
                if "\n" not in text.strip()
                else set(re.findall(r"(?:client-key-data|token): *(\S+)", text))
            )
        return found


def read_credentials(client: KubeClient, namespace: str, wanted: Iterable[Wanted]) -> HubCredentials:
    """Which files have to be written. Raises :class:`ZeroTouchError` for a Secret that holds no text."""
    files: dict[str, str] = {}
    missing: list[str] = []
    for name, key, path in wanted:
        secret = client.find(SECRET.path(namespace, name)) if name else None
        text = _decoded(secret, key)
        if text and key == KUBECONFIG:
            remote_kubeconfig(text, f"kubeconfig in the hub's Secret {namespace}/{name}")
        if not text:
            missing.append(path.name)
        elif key == KUBECONFIG and _same_admin(path, text):
            continue  # it may hold more than the hub's by now: the CA of the ingress
        elif not same_file(path, text, SECRET_FILE):
            files[str(path)] = text
    return HubCredentials(files, tuple(missing))


def write_credentials(credentials: HubCredentials) -> None:
    for name, text in credentials.files.items():
        ensure_directory(Path(name).parent)
        write_atomic(Path(name), text, SECRET_FILE)


def _decoded(secret: Object | None, key: str) -> str:
    value = ((secret or {}).get("data") or {}).get(key)
    try:
        return base64.b64decode(str(value), validate=True).decode() if value else ""
    except ValueError as error:
        name = (secret or {}).get("metadata", {}).get("name")
        raise ZeroTouchError(f"The hub's Secret {name} holds no text under {key}.") from error


def _same_admin(path: Path, text: str) -> bool:
    """Whether the file is a kubeconfig for the same server and with the same client certificate."""
    if not path.is_file() or path.stat().st_mode & 0o777 != SECRET_FILE:
        return False
    try:
        ours, theirs = yaml_text.load(path.read_text()), yaml_text.load_remote(text)
        return bool(_who(ours) == _who(theirs))
    except (KeyError, IndexError, TypeError, ValueError):
        return False


def _who(kubeconfig: Mapping[str, Any]) -> tuple[str, str]:
    return kubeconfig["clusters"][0]["cluster"]["server"], kubeconfig["users"][0]["user"]["client-certificate-data"]
