# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the live ISO of a release in CoreOS stream metadata (``openshift_base_image: {release: auto}``,
docs/reference/images.md).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from ...cluster.profile import profile_of, release_of
from ...common.errors import ZeroTouchError
from ...common.json_text import parse_remote
from ...common.listed import listed
from ...common.urls import split_remote

# Where the installer of a release has the metadata that `openshift-install coreos print-stream-json` prints.
DEFAULT_URL = "https://raw.githubusercontent.com/openshift/installer/release-{release}/data/data/coreos/{file}"
PLACEHOLDERS = ("release", "stream", "arch", "file")
# Bytes. The metadata of a release has 50 kB.
LARGEST = 4 << 20
OTHER_SOURCE = (
    "Set openshift_base_image.stream_url to the metadata on a mirror, or name the live ISO by path or by url with "
    "sha256."
)
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST_NAMES = 8


def url_fault(url: str) -> str:
    """What is wrong with the user's ``stream_url``; empty if nothing is."""
    parts = split_remote(_PLACEHOLDER.sub("x", url))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.endswith("/"):
        return "must be an http or https URL of a file"
    unknown = [name for name in _PLACEHOLDER.findall(url) if name not in PLACEHOLDERS]
    return f"has the placeholder {{{unknown[0]}}}; known: {', '.join(PLACEHOLDERS)}" if unknown else ""


@dataclasses.dataclass(frozen=True)
class StreamTarget:
    """What a live ISO is looked up for: the cluster's version, the architecture (rpm name), and the osImageStream,
    empty where the release has none.
    """

    version: str
    arch: str
    stream: str

    @property
    def release(self) -> str:
        """Major and minor; the text itself where it is no version."""
        release = release_of(self.version)
        return f"{release[0]}.{release[1]}" if release else self.version

    def metadata_url(self, template: str) -> str:
        """Where its metadata is; ``template`` is the user's ``stream_url``, empty for the public place."""
        values = {
            "release": self.release,
            "stream": self.stream,
            "arch": self.arch,
            "file": profile_of(self.version).stream_metadata_file(self.stream),
        }
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template or DEFAULT_URL)


@dataclasses.dataclass(frozen=True)
class StreamImage:
    """The live ISO that was found. The first three fields say what it was looked up for."""

    metadata_url: str
    release: str
    arch: str
    url: str
    sha256: str
    version: str
    rootfs_url: str = ""

    @classmethod
    def recorded(cls, record: Mapping[str, Any], metadata_url: str, target: StreamTarget) -> StreamImage | None:
        """The image that an earlier run recorded in the state, if it was looked up for the same; the stream may have a
        newer one now.
        """
        same = (record.get("metadata_url"), record.get("release"), record.get("arch")) == (
            metadata_url,
            target.release,
            target.arch,
        )
        return (
            cls(**{field.name: str(record.get(field.name) or "") for field in dataclasses.fields(cls)})
            if same
            else None
        )


def image_of(data: bytes, metadata_url: str, target: StreamTarget) -> StreamImage:
    """The live ISO in the metadata.

    A location may be relative to the metadata. Raises :class:`ZeroTouchError` for a document without it.

    Source: coreos/stream-metadata-go stream/stream.go.
    """
    try:
        architectures = _mapping(parse_remote(data), "architectures")
        if target.arch not in architectures:
            known = listed(sorted(map(str, architectures)), _MOST_NAMES) or "none"
            raise ZeroTouchError(
                (f"The stream metadata {_shown(metadata_url)} has no images for {target.arch}. It has: {known}."),
                OTHER_SOURCE,
            )
        metal = _mapping(architectures, target.arch, "artifacts", "metal")
        disk = _mapping(metal, "formats", "iso", "disk")
        version, location, sha256 = (
            _text(*place) for place in ((metal, "release"), (disk, "location"), (disk, "sha256"))
        )
        rootfs = (metal["formats"].get("pxe") or {}).get("rootfs") or {}
        rootfs_url = urljoin(metadata_url, _text(rootfs, "location")) if rootfs else ""
        url = urljoin(metadata_url, location)
    except (ValueError, AttributeError) as error:
        raise ZeroTouchError(
            f"{_shown(metadata_url)} is not CoreOS stream metadata with a live ISO for {target.arch}: {error}.",
            f"Use the output of `openshift-install coreos print-stream-json`. {OTHER_SOURCE}",
        ) from error
    if not _SHA256.fullmatch(sha256.lower()):
        raise ZeroTouchError(
            (f"The stream metadata {_shown(metadata_url)} has no SHA-256 of the live ISO for {target.arch}."),
            OTHER_SOURCE,
        )
    return StreamImage(metadata_url, target.release, target.arch, url, sha256.lower(), version, rootfs_url)


def _mapping(document: Any, *path: str) -> dict[str, Any]:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    if not isinstance(document, dict):
        raise ValueError(f"{'.'.join(path)} is missing")
    return dict(document)


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} is missing")
    return value


def _shown(url: str) -> str:
    """The URL without credentials and query, for messages."""
    parts = split_remote(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
