# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the base image that the user named in ``openshift_base_image``: a file, a URL, or the live ISO of the release
from CoreOS stream metadata (docs/reference/images.md).

A file from a URL is kept in a cache.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...cluster.profile import profile_of
from ...cluster.spec import Cluster
from ...common.clock import Clock
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import InvalidInput, RemoteError, Unreachable, ZeroTouchError
from ...common.http import HttpClient
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, Problem
from ...common.tls import Tls
from ...common.urls import split_remote
from ...ignition.live import OsImage
from ...image.build import normal_sha256
from ...image.cache import CachePlan, ImageCache, default_directory
from ...image.download import Downloader
from ...image.live import LiveImage, read_live_image
from ...image.trust import BaseCheck, KnownDigests
from .stream_metadata import LARGEST, OTHER_SOURCE, StreamImage, StreamTarget, image_of, url_fault

# "422.94.202411050056-0" is a build for 4.22; newer builds are named after RHEL ("9.6.20250523-0") and do not name it.
_RELEASE_IN_VERSION = re.compile(r"^4(\d{1,2})\.")
_OLDER_BUILD = re.compile(r"^4(\d\d)\.(\d)(\d)\.\d{12}-\d+$")
_NEWER_BUILD = re.compile(r"^(\d+\.\d+)\.\d{8}-\d+$")
# Start of a volume id -> start of the stream's name.
_STREAMS = {"rhcos": "rhel", "scos": "centos"}


VERIFY = ("changed", "always")
RELEASE = ("auto",)
# Argument specification of what the modules that build images have in common; documented in
# doc_fragments/base_image.py.
OPTIONS: dict[str, dict[str, Any]] = {
    "base_image": {
        "type": "dict",
        "required": True,
        "options": {
            "path": {"type": "path"},
            "url": {"type": "str"},
            "release": {"type": "str", "choices": list(RELEASE)},
            "stream_url": {"type": "str"},
            "sha256": {"type": "str"},
            "version": {"type": "str"},
            "rootfs_url": {"type": "str"},
            "verify": {"type": "str", "choices": list(VERIFY), "default": "changed"},
        },
    },
    "force": {"type": "bool", "default": False},
    "checksum": {"type": "bool", "default": False},
    "cache_dir": {"type": "path"},
    "connect_to": {"type": "dict", "default": {}},
    "ca_cert": {"type": "str"},
}


@dataclasses.dataclass(frozen=True)
class BaseImage:
    """What the user gave: ``path``, ``url``, or ``release`` (auto: looked up at ``stream_url``); ``sha256``,
    ``version`` (the CoreOS build) and ``rootfs_url`` where known. ``verify`` says when all of the image is read:
    ``changed`` (unless it is known from before) or ``always``.
    """

    path: str = ""
    url: str = ""
    release: str = ""
    stream_url: str = ""
    sha256: str = ""
    version: str = ""
    rootfs_url: str = ""
    verify: str = "changed"


@dataclasses.dataclass(frozen=True)
class BaseImageSource:
    """How a base image by URL is fetched."""

    clock: Clock
    cache_dir: Path | None = None
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    progress: Callable[[str], None] | None = None
    check_mode: bool = False

    def cache(self, url: str) -> ImageCache:
        client = self._client(f"The server of the base image ({urlsplit(url).hostname})", url)
        downloader = Downloader(client, self.clock, self.progress) if self.progress else Downloader(client, self.clock)
        return ImageCache(self.directory, downloader)

    def look_up(self, url: str, target: StreamTarget) -> tuple[StreamImage, str]:
        """The live ISO in the stream metadata at the URL, and a warning where the metadata could not be compared with
        the server's. It is cached, too.

        Raises :class:`ZeroTouchError` where there is no metadata, or none of the target.
        """
        client = self._client(f"The server of the stream metadata ({split_remote(url).hostname})", url)
        downloader = Downloader(client, self.clock, largest=LARGEST)
        try:
            plan = ImageCache(self.directory, downloader).plan(url)
            if plan.changed and self.check_mode:
                with tempfile.TemporaryDirectory() as directory:
                    path = Path(directory) / plan.path.name
                    downloader.fetch(url, path)
                    return image_of(path.read_bytes(), url, target), plan.warning
            return image_of(ImageCache(self.directory, downloader).fetch(plan).read_bytes(), url, target), plan.warning
        except (RemoteError, Unreachable) as error:
            missing = (
                f"There is no stream metadata of release {target.release}. "
                if isinstance(error, RemoteError) and error.status == 404
                else ""
            )
            raise ZeroTouchError(missing + error.message, OTHER_SOURCE) from error

    def _client(self, service: str, url: str) -> HttpClient:
        return HttpClient(service, url, Tls(ca_certs=(self.ca_cert,) if self.ca_cert else ()), self.connect_to)

    @property
    def directory(self) -> Path:
        return self.cache_dir or default_directory()

    def check(self, provided: BaseImage) -> BaseCheck:
        """How the base image is verified when something is made of it.

        The SHA-256 of one by URL was compared when it was transferred.
        """
        return BaseCheck(
            "" if provided.url else provided.sha256,
            KnownDigests(self.directory, read_only=self.check_mode),
            provided.verify == "always",
        )


def from_options(
    provided: Mapping[str, Any], clock: Clock, progress: Callable[[str], None], *, check_mode: bool = False
) -> tuple[BaseImage, BaseImageSource]:
    """The values of :data:`OPTIONS`. Raises :class:`InvalidInput`."""
    connect_to, problems = ConnectTo.parse(provided["connect_to"])
    if problems:
        raise InvalidInput(problems)
    cache_dir = Path(provided["cache_dir"]).absolute() if provided["cache_dir"] else None
    base = BaseImage(**{key: value or "" for key, value in provided["base_image"].items()})
    return base, BaseImageSource(clock, cache_dir, connect_to, provided["ca_cert"] or "", progress, check_mode)


@dataclasses.dataclass(frozen=True)
class ReadyBase:
    """A base image to build from.

    ``image`` is None where only a real run will transfer it; ``size`` in bytes is then what the server says, 0 if
    nothing.

    ``note`` says what was or will be transferred. ``of_stream`` is set where the image was looked up.
    """

    image: LiveImage | None
    provided: BaseImage
    size: int = 0
    note: str = ""
    warnings: tuple[str, ...] = ()
    of_stream: StreamImage | None = None

    @property
    def record(self) -> dict[str, Any]:
        """What the state keeps of a look-up: later runs use the same image, although the stream may have a newer
        one.
        """
        return {"stream": dataclasses.asdict(self.of_stream)} if self.of_stream else {}

    @property
    def version(self) -> str:
        """The CoreOS build, as far as the user or the image says it."""
        return self.provided.version or (self.image.version if self.image else "")

    def rootfs_url(self, arch: str) -> str:
        """Where the root file system of this build is found: as the user says, else where it is published; empty when
        neither is known.
        """
        stream = self.image.volume_id.partition("-")[0] if self.image else ""
        return self.provided.rootfs_url or (published_rootfs(self.version, arch) if stream == "rhcos" else "")

    def os_image(self, openshift_version: str, arch: str) -> OsImage:
        """The entry of OS_IMAGES.

        Raises :class:`ZeroTouchError` when neither the user nor the image says which CoreOS build it is.
        """
        version = self.version
        if not version:
            name = self.image.volume_id if self.image else ""
            raise ZeroTouchError(
                f"The volume id of the base image ({name!r}) names no CoreOS build.",
                "Give the build in openshift_base_image.version.",
            )
        return OsImage(openshift_version, arch, self.provided.url or published_url(openshift_version, arch), version)


def published_url(openshift_version: str, arch: str) -> str:
    """Where the live image of a release is published.

    The service demands some URL of each OS image and, in this flow, never opens it.
    """
    release = ".".join(openshift_version.split(".")[:2])
    return f"https://mirror.openshift.com/pub/openshift-v4/{arch}/dependencies/rhcos/{release}/latest/rhcos-live-iso.{arch}.iso"


def published_rootfs(version: str, arch: str) -> str:
    """Where the root file system of a build of RHEL CoreOS is published; empty for a name of another form.

    Builds are in directories of their stream: ``418.94.…`` of 4.18 on RHEL 9.4, ``9.6.…`` of RHEL 9.6 (stream metadata
    of releases 4.14 to 4.21).
    """
    older, newer = _OLDER_BUILD.match(version), _NEWER_BUILD.match(version)
    if older:
        stream = f"4.{older[1]}-{older[2]}.{older[3]}"
    elif newer:
        stream = f"rhel-{newer[1]}"
    else:
        return ""
    return f"https://rhcos.mirror.openshift.com/art/storage/prod/streams/{stream}/builds/{version}/{arch}/rhcos-{version}-live-rootfs.{arch}.img"


def check_base(provided: BaseImage) -> list[Problem]:
    """What is wrong with the option by itself."""
    return [
        Problem(f"openshift_base_image{key}", kind, detail, layer="ours", check="base-image")
        for key, kind, detail in base_faults(dataclasses.asdict(provided))
    ]


def base_faults(provided: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Key, kind and detail of everything that does not fit together in the option."""
    if provided.get("release"):
        for key in ("path", "url", "sha256", "version"):
            if provided.get(key):
                yield f".{key}", FORBIDDEN, f"the stream metadata has the {key} of the image; give release or {key}"
    elif provided.get("path") and provided.get("url"):
        yield ".url", FORBIDDEN, "path and url are both given; give one"
    elif not provided.get("path") and not provided.get("url"):
        yield "", REQUIRED, "name the CoreOS live ISO by path, url or release: auto"
    if provided.get("stream_url"):
        if not provided.get("release"):
            yield ".stream_url", FORBIDDEN, "is only used with release: auto"
        elif fault := url_fault(str(provided["stream_url"])):
            yield ".stream_url", INVALID, fault


def find_base(
    provided: BaseImage,
    source: BaseImageSource,
    *,
    check_mode: bool = False,
    target: StreamTarget | None = None,
    record: Mapping[str, Any] | None = None,
) -> ReadyBase:
    """Have the base image at hand; one by URL is transferred unless the cache holds it.

    In check mode at most a HEAD request is sent for it.

    ``target`` is what it is for, None where the configuration is not there yet; ``record`` the state's record of an
    earlier look-up.
    Raises :class:`InvalidInput`, and :class:`ZeroTouchError` for an image that cannot be had or read.
    """
    problems = check_base(provided)
    if problems:
        raise InvalidInput(problems)
    if provided.release:
        if target is None:
            return ReadyBase(None, provided, note="the base image of the release will be looked up")
        return _find_of_release(provided, source, target, record or {}, check_mode=check_mode)
    provided = dataclasses.replace(provided, sha256=normal_sha256(provided.sha256))
    if provided.path:
        path = Path(provided.path).absolute()
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise ZeroTouchError(
                f"The base image {path} {what}.",
                ("Name the CoreOS live ISO of the release in base_image.path (openshift_base_image)."),
            )
        image = read_live_image(path)
        return ReadyBase(image, provided, image.size)
    return _find_by_url(provided, source, check_mode=check_mode)


def _find_of_release(
    provided: BaseImage, source: BaseImageSource, target: StreamTarget, record: Mapping[str, Any], *, check_mode: bool
) -> ReadyBase:
    url = target.metadata_url(provided.stream_url)
    found, warning = StreamImage.recorded(record, url, target), ""
    if found is None:
        found, warning = source.look_up(url, target)
        if split_remote(url).scheme != "https":
            warning = " ".join(
                filter(
                    None,
                    (
                        warning,
                        (
                            "The stream metadata was downloaded over plain HTTP, so its SHA-256 does not verify "
                            "the base image. Use https."
                        ),
                    ),
                )
            )
    by_url = dataclasses.replace(
        provided,
        url=found.url,
        sha256=found.sha256,
        version=found.version,
        rootfs_url=provided.rootfs_url or found.rootfs_url,
        release="",
        stream_url="",
    )
    ready = _find_by_url(by_url, source, check_mode=check_mode)
    return dataclasses.replace(ready, warnings=(*filter(None, (warning,)), *ready.warnings), of_stream=found)


def _find_by_url(provided: BaseImage, source: BaseImageSource, *, check_mode: bool) -> ReadyBase:
    cache = source.cache(provided.url)
    plan = cache.plan(provided.url, provided.sha256)
    warnings = tuple(filter(None, (plan.warning, _unverified(provided))))
    if plan.changed and check_mode:
        return ReadyBase(None, provided, max(0, plan.size), _note(plan, "will be transferred"), warnings)
    image = read_live_image(cache.fetch(plan))
    return ReadyBase(image, provided, image.size, _note(plan, "was transferred") if plan.changed else "", warnings)


def _unverified(provided: BaseImage) -> str:
    if provided.sha256 or urlsplit(provided.url).scheme == "https":
        return ""
    return "The base image comes over plain HTTP and is not verified; give openshift_base_image.sha256."


def _note(plan: CachePlan, what: str) -> str:
    megabytes = plan.size / 1e6
    size = f" ({megabytes:.0f} MB)" if plan.size >= 0 else ""
    return f"base image {plan.path.name}{size} {what}: {plan.reason}"


def stream_of(cluster: Cluster) -> str:
    """The osImageStream that a cluster is installed with; empty where the release has none."""
    profile = profile_of(cluster.version)
    provided = str(cluster.install_config_extra.get("osImageStream") or "")
    return provided if provided and profile.os_stream_handed_on else profile.os_stream_in_effect


def target_of(cluster: Cluster) -> StreamTarget:
    """What the base image of a cluster is looked up for."""
    return StreamTarget(cluster.version, cluster.architecture, stream_of(cluster))


def payload_iso(stream: str, arch: str) -> str:
    """Path of a live ISO in the image machine-os-images of a release (openshift/installer
    pkg/asset/rhcos/releaseextract.go).
    """
    generation = "10" if stream.endswith("-10") else ""
    return f"/coreos/coreos{generation}-{arch}.iso"


def check_fit(image: LiveImage, openshift_version: str, arch: str, stream: str = "") -> list[str]:
    """Warnings about a base image that does not look like that of the release; ``stream`` is the osImageStream of the
    cluster, empty for any.

    Raises :class:`ZeroTouchError` for one of another architecture, and for one that is not the full live ISO.
    """
    if image.arch and image.arch != arch:
        raise ZeroTouchError(
            f"The base image {image.path} is for {image.arch}, the control plane is {arch}.",
            (f"Use the CoreOS live ISO for {arch}, or change the architecture."),
        )
    if image.form != "iso":
        raise ZeroTouchError(
            f"The base image {image.path} has no root file system inside (minimal ISO).",
            "Use the full CoreOS live ISO.",
        )
    named = _RELEASE_IN_VERSION.match(image.version) if image.volume_id.startswith("rhcos-") else None
    wanted = ".".join(openshift_version.split(".")[:2])
    if named and f"4.{named.group(1)}" != wanted:
        return [
            (f"The base image {image.volume_id} is of release 4.{named.group(1)}, the cluster is {openshift_version}.")
        ]
    built_for = _stream_of_build(image)
    if stream and built_for and built_for != stream:
        return [
            f"The base image {image.volume_id} is of stream {built_for}, the cluster is installed with {stream} "
            "(osImageStream). "
            f"Use the live ISO of {stream} ({payload_iso(stream, arch)} in the image machine-os-images of the "
            "release), or change os_image_stream."
        ]
    return []


def _stream_of_build(image: LiveImage) -> str:
    """The stream that a volume id names (``rhcos-9.8.20260715-1``, ``rhcos-10.2.20260423-0``, ``scos-10.0…``); empty
    for another one.
    """
    name, _dash, version = image.volume_id.partition("-")
    match = _NEWER_BUILD.match(version)
    if match is None or name not in _STREAMS:
        return ""
    return f"{_STREAMS[name]}-{match[1].split('.')[0]}"
