# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the contents of an image without the collection's code, as an independent check of its results."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zlib
from pathlib import Path
from typing import Any

import pycdlib

_HEADER, _MAGIC = 110, b"070701"


def iso_file(image: Path, name: str) -> bytes:
    """A file of the ISO by its Rock Ridge name. Raises LookupError."""
    iso = pycdlib.PyCdlib()
    iso.open(str(image))
    try:
        content = io.BytesIO()
        iso.get_file_from_iso_fp(content, rr_path=f"/{name.lstrip('/')}")
        return content.getvalue()
    except pycdlib.pycdlibexception.PyCdlibException as error:
        raise LookupError(f"{name} is not in {image.name}: {error}") from None
    finally:
        iso.close()


def archive_members(image: Path, name: str) -> dict[str, bytes]:
    """Members of a gzipped cpio archive in the ISO, by name."""
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
    return _members(decompressor.decompress(iso_file(image, name)))


def initrd_members(image: Path) -> list[str]:
    """Names in all gzipped archives of the initrd."""
    content = iso_file(image, "images/pxeboot/initrd.img")
    names: list[str] = []
    position = content.find(b"\x1f\x8b\x08")
    while position >= 0:
        names += _members(gzip.decompress(content[position:]))
        position = content.find(b"\x1f\x8b\x08", position + 1)
    return names


def _members(data: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    position = 0
    while data[position : position + 6] == _MAGIC:
        fields = [int(data[position + 6 + 8 * index : position + 14 + 8 * index], 16) for index in range(13)]
        size, name_size = fields[6], fields[11]
        name = data[position + _HEADER : position + _HEADER + name_size - 1].decode()
        start = _aligned(position + _HEADER + name_size)
        if name == "TRAILER!!!":
            break
        found[name] = data[start : start + size]
        position = _aligned(start + size)
    return found


def _aligned(position: int) -> int:
    return (position + 3) // 4 * 4


def ignition_of(image: Path) -> dict[str, Any]:
    """The Ignition config of an agent ISO."""
    return dict(json.loads(archive_members(image, "images/ignition.img")["config.ign"]))


def configuration_file(image: Path, path: str) -> bytes:
    """The content of a file that an image brings to the live system: an agent ISO in its Ignition, a configuration
    image as it is. Raises LookupError.
    """
    return (
        archive_members(image, "config.gz")[path]
        if image.name.startswith("agentconfig.")
        else ignition_file(image, path)
    )


def ignition_file(image: Path, path: str) -> bytes:
    """The content of a file of the live system. Raises LookupError."""
    for file in ignition_of(image)["storage"]["files"]:
        if file["path"] == path:
            head, _comma, data = file["contents"]["source"].partition(",")
            return base64.b64decode(data) if head.endswith(";base64") else data.encode()
    raise LookupError(f"{path} is not in the Ignition of {image.name}")
