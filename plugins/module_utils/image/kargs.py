# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Edit the kernel arguments of a live image as text, and convert the text to and from the bytes of its areas.

Source: coreos/coreos-installer src/live/embed.rs.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..common.errors import ZeroTouchError


def append(text: str, arguments: Iterable[str]) -> str:
    """The text with arguments at its end; duplicates are allowed, as upstream does."""
    return " ".join([text.strip(), *(argument.strip() for argument in arguments)]).strip()


def delete(text: str, arguments: Iterable[str]) -> str:
    """The text without the exact words; one that does not occur is no error."""
    for argument in arguments:
        text = f" {text} ".replace(f" {argument.strip()} ", " ").strip()
    return text


def without_medium(text: str) -> str:
    """The text without the label of the medium that holds the root file system."""
    return delete(text, [word for word in text.split() if word.startswith("coreos.liveiso=")])


def from_network(text: str, rootfs_url: str) -> str:
    """The text of a system whose root file system comes from a URL.

    Raises :class:`ZeroTouchError` for a URL that boot loaders would not hand on.
    """
    if set(rootfs_url) & set("\"'$\\") or len(rootfs_url.split()) != 1:
        raise ZeroTouchError(f"The URL of the root file system has white space or one of \" ' $ \\ in it: {rootfs_url}")
    return append(without_medium(text), [f"coreos.live.rootfs_url={rootfs_url}"])


def decode_area(data: bytes, pad: str, end: str) -> str:
    """The text of an area; raises UnicodeDecodeError (a ValueError) when it is none."""
    return data.decode("utf-8").rstrip(pad).rstrip(end).strip()


def encode_area(text: str, size: int, pad: str, end: str) -> bytes:
    """The bytes of an area that holds the text. Raises :class:`ZeroTouchError` when it does not fit."""
    data = text.strip().encode()
    if len(data) >= size:  # one byte is the end character
        needed = len(data) + 1
        raise ZeroTouchError(
            f"The kernel arguments do not fit into the image: {needed} bytes, the area has {size}.",
            f"Set fewer or shorter arguments in live_kernel_arguments. They are: {text.strip()}",
        )
    return data + end.encode() + pad.encode() * (size - len(data) - 1)
