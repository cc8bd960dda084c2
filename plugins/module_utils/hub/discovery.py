# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the URLs of an InfraEnv's discovery image, and download its files. Each file is verified to belong to this
InfraEnv.

The signature in the URLs changes with every change of the InfraEnv. So the URLs are read right before the download and
again afterwards. If the image changed meanwhile, the file is downloaded again. A file is trusted for its content, not
for its origin: the ISO must start the agent of this InfraEnv.

Source: openshift/assisted-service internal/imageservice/urls.go, internal/ignition/discovery.go,
  internal/ignition/templates; openshift/assisted-image-service internal/handlers.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlunsplit

from ..common import json_text
from ..common.clock import Clock, SystemClock
from ..common.connect import DIRECT, ConnectTo
from ..common.errors import ZeroTouchError
from ..common.files import SECRET_FILE, same_file, sha256_of, write_atomic
from ..common.http import HttpClient
from ..common.retry_policies import IMAGE_CHANGED
from ..common.terminal import shortened
from ..common.tls import Tls
from ..common.urls import split_remote
from ..image.download import Downloader, RemoteFile
from ..image.live import read_live_image
from ..kube.client import KubeClient, Object
from .infra_env.image import boot_artifacts, image_condition, infra_env_id, iso_url, wait_for_image
from .infra_env.run import ImageWait, describe
from .kinds import INFRA_ENV

Kind = Literal["iso", "full_iso", "minimal_iso", "pxe"]

_FILES = {"full_iso": ("full.iso", "full-iso"), "minimal_iso": ("minimal.iso", "minimal-iso")}
_PXE_FILES = {"kernel": "vmlinuz", "initrd": "initrd.img", "rootfs": "rootfs.img"}
_SCRIPT = "boot.ipxe"
_INFRA_ENV_ID = re.compile(r"--infra-env-id[= ]\"?([0-9a-fA-F-]{36})")


@dataclasses.dataclass(frozen=True)
class Transfer:
    """How files are fetched from the image service."""

    validate_certs: bool = True
    ca_certs: tuple[str, ...] = ()
    connect_to: ConnectTo = DIRECT
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    progress: Callable[[str], None] = lambda text: None

    def client(self, url: str) -> HttpClient:
        tls = Tls(validate_certs=self.validate_certs, ca_certs=self.ca_certs)
        return HttpClient(f"The image service ({split_remote(url).hostname})", url, tls, self.connect_to)

    def downloader(self, url: str) -> Downloader:
        return Downloader(self.client(url), self.clock, self.progress, place="dest")


@dataclasses.dataclass(frozen=True)
class Target:
    """What to fetch and where to; ``dest`` None only tells URLs.

    ``sha256`` is what the ISO must have, where known. ``verify`` looks into the ISO.
    """

    name: str
    namespace: str
    kind: Kind = "iso"
    dest: Path | None = None
    sha256: str = ""
    verify: bool = True


def fetch_discovery(
    client: KubeClient, target: Target, waiting: ImageWait, transfer: Transfer, *, check_mode: bool = False
) -> dict[str, Any]:
    """The image's URLs and, with ``dest``, its files; the result of the module.

    Raises what :func:`wait_for_image` and :class:`Downloader` raise, and :class:`ZeroTouchError` for an image of
    another InfraEnv.
    """
    for _attempt in range(IMAGE_CHANGED.attempts):
        infra_env = _ready(client, target, waiting, transfer.clock, check_mode)
        result = _fetch(infra_env, target, transfer, check_mode)
        if (
            check_mode
            or not result["changed"]
            or _same_image(infra_env, client.find(INFRA_ENV.path(target.namespace, target.name)))
        ):
            return result
        transfer.progress(
            f"InfraEnv {target.namespace}/{target.name}: the image changed during the download; downloading again"
        )
    raise ZeroTouchError(
        f"The image of InfraEnv {target.namespace}/{target.name} changed during each of {IMAGE_CHANGED.attempts} "
        "downloads.",
        "Find out what keeps changing the InfraEnv.",
    )


def _ready(client: KubeClient, target: Target, waiting: ImageWait, clock: Clock, check_mode: bool) -> Object:
    infra_env = client.find(INFRA_ENV.path(target.namespace, target.name))
    if infra_env is None and not check_mode:
        raise ZeroTouchError(
            f"There is no InfraEnv {target.namespace}/{target.name}.", "Make it with the module infra_env."
        )
    if waiting.wait and not check_mode:
        return wait_for_image(
            client, target.namespace, target.name, timeout=waiting.timeout, cooldown=waiting.cooldown, clock=clock
        )
    found = infra_env or {}
    if not iso_url(found) and not check_mode:
        words = image_condition(found).message or "the operator has not made one yet"
        raise ZeroTouchError(
            f"InfraEnv {target.namespace}/{target.name} has no image: {words}.", "Set wait to true to wait for it."
        )
    return found


def _same_image(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> bool:
    return (
        after is not None
        and iso_url(after) == iso_url(before)
        and after["status"].get("createdTime") == before["status"].get("createdTime")
    )


def _fetch(infra_env: Object, target: Target, transfer: Transfer, check_mode: bool) -> dict[str, Any]:
    url = image_url(iso_url(infra_env), target.kind)
    result = {
        **describe(target.name, target.namespace, infra_env),
        "url": url,
        "path": "",
        "size": 0,
        "sha256": "",
        "changed": False,
        "files": {},
    }
    result.pop("iso_url")
    if target.dest is None:
        return result
    if not url:  # predicted: the InfraEnv or its image is yet to be made
        return {**result, "path": str(iso_path(target)) if target.kind != "pxe" else str(target.dest), "changed": True}
    if target.kind == "pxe":
        return {**result, **_fetch_pxe(infra_env, target, transfer, check_mode)}
    path = iso_path(target)
    file = _fetch_file(url, path, target, infra_env, transfer, check_mode)
    return {**result, "path": str(path), **file}


def _fetch_pxe(infra_env: Object, target: Target, transfer: Transfer, check_mode: bool) -> dict[str, Any]:
    urls = boot_artifacts(infra_env)
    directory = target.dest or Path()
    found = {
        part: {
            "path": str(directory / name),
            **_fetch_file(urls[part], directory / name, target, infra_env, transfer, check_mode),
        }
        for part, name in _PXE_FILES.items()
        if urls[part]
    }
    if urls["ipxe_script"]:
        script = directory / _SCRIPT
        found["ipxe_script"] = {"path": str(script), **_fetch_script(urls["ipxe_script"], script, transfer, check_mode)}
    return {
        "path": str(directory),
        "files": found,
        "changed": any(file["changed"] for file in found.values()),
        "size": sum(file["size"] for file in found.values()),
    }


def image_url(url: str, kind: Kind) -> str:
    """The URL of the ISO in the wanted form: the image service makes each from the same InfraEnv (11.1, 11.2)."""
    if kind not in _FILES or not url:
        return url
    file, kind_of_query = _FILES[kind]
    parts = split_remote(url)
    head, _slash, last = parts.path.rpartition("/")
    if last.endswith(".iso"):
        return urlunsplit((parts.scheme, parts.netloc, f"{head}/{file}", parts.query, ""))
    query = urlencode([(key, kind_of_query if key == "type" else value) for key, value in parse_qsl(parts.query)])
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def iso_path(target: Target) -> Path:
    """Where the ISO goes: ``dest`` itself if it ends in .iso, else ``<name>.iso`` in that directory."""
    dest = target.dest or Path()
    return dest / f"{target.name}.iso" if dest.is_dir() or dest.suffix != ".iso" else dest


def carried_infra_env(config: bytes | None) -> str:
    """The id that the agent in a discovery Ignition registers with (12); empty if it starts none."""
    try:
        units = json_text.parse_remote(config or b"")["systemd"]["units"]
        contents = next(str(unit["contents"]) for unit in units if unit.get("name") == "agent.service")
    except (ValueError, KeyError, TypeError, StopIteration):
        return ""
    found = _INFRA_ENV_ID.search(contents)
    return found[1].lower() if found else ""


def check_image(path: Path, wanted: str, name: str) -> None:
    """Raises :class:`ZeroTouchError` unless the ISO starts the agent of the InfraEnv with the id ``wanted``."""
    try:
        carried = carried_infra_env(read_live_image(path).ignition)
    except ZeroTouchError as error:
        raise ZeroTouchError(
            f"What the image service sent for InfraEnv {name} is no live ISO: {error.message}",
            "Run again; look at its URL if it stays so.",
        ) from error
    if not carried:
        raise ZeroTouchError(
            f"What the image service sent for InfraEnv {name} is a live ISO that starts no agent.",
            "Look at the InfraEnv's ignition_config_override.",
        )
    if wanted and carried != wanted.lower():
        raise ZeroTouchError(
            f"What the image service sent for InfraEnv {name} (id {wanted}) is the image of the InfraEnv with the id "
            f"{carried}.",
            "Run again. If the error persists, check the proxy or cache between the control node and the image "
            "service.",
        )


def _fetch_file(
    url: str, path: Path, target: Target, infra_env: Object, transfer: Transfer, check_mode: bool
) -> dict[str, Any]:
    downloader = transfer.downloader(url)
    remote = downloader.look(url)
    identity = infra_env_id(infra_env)
    iso = target.kind != "pxe"
    known = _Known.of(path)
    if (
        known is not None
        and known.is_of(path, remote, identity, target.kind)
        and (not iso or not target.sha256 or known.sha256 == target.sha256)
    ):
        return {"changed": False, "size": known.size, "sha256": known.sha256}
    if check_mode:
        return {"changed": True, "size": max(0, remote.size), "sha256": target.sha256 if iso else ""}

    def check(part: Path) -> None:
        if iso and target.verify:
            check_image(part, identity, f"{target.namespace}/{target.name}")

    found = downloader.fetch(url, path, target.sha256 if iso else "", check=check, mode=SECRET_FILE)
    digest = sha256_of(path)
    _Known(found.size, digest, found.last_modified, path.stat().st_mtime_ns, identity, target.kind).write(path)
    return {"changed": True, "size": found.size, "sha256": digest}


def _fetch_script(url: str, path: Path, transfer: Transfer, check_mode: bool) -> dict[str, Any]:
    """The iPXE script, which the service writes for every request, and only for GET."""
    client = transfer.client(url)
    answer = client.request("GET", url)
    if answer.status != 200:
        said = shortened(answer.text().strip(), 200) or "no explanation"
        raise client.failure(answer, f"the iPXE script cannot be had: {said}")
    changed = not same_file(path, answer.body)
    if changed and not check_mode:
        write_atomic(path, answer.body)
    return {"changed": changed, "size": len(answer.body), "sha256": hashlib.sha256(answer.body).hexdigest()}


@dataclasses.dataclass(frozen=True)
class _Known:
    """What is known of a file that was fetched, in a small file beside it."""

    size: int
    sha256: str
    last_modified: str
    mtime_ns: int
    infra_env: str
    kind: str

    @classmethod
    def of(cls, path: Path) -> _Known | None:
        try:
            return cls(**json.loads(_beside(path).read_text()))
        except (OSError, ValueError, TypeError):
            return None

    def is_of(self, path: Path, remote: RemoteFile, infra_env: str, kind: str) -> bool:
        """Whether the file is as it was fetched, and what the server has now."""
        try:
            status = path.stat()
        except OSError:
            return False
        untouched = (status.st_size, status.st_mtime_ns) == (self.size, self.mtime_ns)
        current = bool(self.last_modified) and (self.last_modified, self.size) == (remote.last_modified, remote.size)
        return untouched and current and (self.infra_env, self.kind) == (infra_env, kind)

    def write(self, path: Path) -> None:
        write_atomic(_beside(path), json.dumps(dataclasses.asdict(self)))


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.source.json")
