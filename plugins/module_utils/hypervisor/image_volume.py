# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Store images as volumes of a libvirt storage pool. Each image is uploaded once for all hosts, and deleted when no
domain refers to it any more.

libvirt can neither rename a volume nor compare its content. So a second, empty volume marks the image as complete, and
the name of this marker identifies the content.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from .api import DomainEntry, Hypervisor, PoolEntry, Reader
from .domain_xml import ImageVolume, read_domain
from .xml_text import Element, child, written

_PREFIX, _SUFFIX = "zerotouch-", ".iso"
_MARK = "complete"
_DIGITS = 16
_HEARTBEAT = 60.0

_locks: dict[tuple[str, str], threading.Lock] = {}
_locks_lock = threading.Lock()


@dataclasses.dataclass(frozen=True)
class ImageContent:
    """An image that can be read. ``identity`` changes with its content: size, date and tag of a file."""

    size: int
    identity: str
    read: Reader


def volume_for(pool: str, image_url: str) -> ImageVolume:
    """The volume of an image. Its name has no part of the URL, which is a secret."""
    digest = hashlib.sha256(image_url.encode()).hexdigest()[:_DIGITS]
    return ImageVolume(pool, f"{_PREFIX}{digest}{_SUFFIX}")


def is_own(volume: ImageVolume) -> bool:
    """Whether this collection names volumes so."""
    middle = volume.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    return (
        volume.name == f"{_PREFIX}{middle}{_SUFFIX}"
        and len(middle) == _DIGITS
        and all(digit in "0123456789abcdef" for digit in middle)
    )


def provide(
    hypervisor: Hypervisor,
    volume: ImageVolume,
    image: Callable[[], AbstractContextManager[ImageContent]],
    clock: Clock,
    progress: Callable[[str], None],
) -> bool:
    """Upload the image unless the pool has it whole; whether that was necessary.

    Hosts that boot at the same time wait for one upload.
    """
    with _alone(hypervisor.uri, volume.pool), image() as content:
        find_pool(hypervisor, volume.pool)
        names = [entry.name for entry in hypervisor.volumes(volume.pool)]
        digest = hashlib.sha256(content.identity.encode()).hexdigest()[:_DIGITS]
        mark = f"{volume.name}.{digest}.{_MARK}"
        if volume.name in names and mark in names:
            return False
        for name in names:
            if name == volume.name or _is_mark(name, volume):
                hypervisor.delete_volume(volume.pool, name)
        pool = find_pool(hypervisor, volume.pool)
        if pool.available < content.size:
            available_mib = pool.available >> 20
            image_mib = content.size >> 20
            raise ZeroTouchError(
                f"{hypervisor.uri}: pool {pool.name} has {available_mib} MiB free, and the image has {image_mib} MiB.",
                "Free space in the pool, or name another one in openshift_host.libvirt.pool.",
            )
        hypervisor.create_volume(volume.pool, volume_xml(volume.name, content.size))
        size_mib = content.size >> 20
        progress(f"uploading the image ({size_mib} MiB) to pool {volume.pool} of {hypervisor.uri}")
        try:
            hypervisor.upload(volume.pool, volume.name, _watched(content, clock, progress), content.size)
        except BaseException:
            with contextlib.suppress(ZeroTouchError):
                hypervisor.delete_volume(volume.pool, volume.name)
            raise
        hypervisor.create_volume(volume.pool, volume_xml(mark, 0))
        return True


def delete_unused(hypervisor: Hypervisor, volume: ImageVolume) -> bool:
    """Delete an image that no domain has in a drive or in its metadata; it holds credentials. Whether there was one."""
    if not is_own(volume):
        return False
    with _alone(hypervisor.uri, volume.pool):
        if any(_refers_to(entry, volume) for entry in hypervisor.domains()):
            return False
        if all(pool.name != volume.pool for pool in hypervisor.pools()):
            return False
        names = [
            entry.name
            for entry in hypervisor.volumes(volume.pool)
            if entry.name == volume.name or _is_mark(entry.name, volume)
        ]
        for name in names:
            hypervisor.delete_volume(volume.pool, name)
        return bool(names)


def find_pool(hypervisor: Hypervisor, name: str) -> PoolEntry:
    """Raises :class:`ZeroTouchError` for a pool that is not there or not active."""
    pools = {pool.name: pool for pool in hypervisor.pools()}
    if name not in pools:
        known = f"active pools: {', '.join(sorted(pools))}" if pools else "no pool is active"
        raise ZeroTouchError(
            f"{hypervisor.uri}: storage pool {name} does not exist or is not active ({known}).",
            f"Start it (virsh pool-start {name}), or name another one in openshift_host.libvirt.pool.",
        )
    return pools[name]


def volume_xml(name: str, size: int, kind: str = "raw") -> str:
    """A volume that only its owner can read."""
    root = Element("volume")
    child(root, "name").text = name
    child(root, "capacity", unit="bytes").text = str(size)
    target = child(root, "target")
    child(target, "format", type=kind)
    child(child(target, "permissions"), "mode").text = "0600"
    return written(root)


def _refers_to(entry: DomainEntry, volume: ImageVolume) -> bool:
    saved = read_domain(entry.saved) if entry.saved else None
    # The metadata of a running domain are those of its start, when the image was inserted.
    live = read_domain(entry.live).media if entry.live else ()
    return volume in live or (saved is not None and volume in (*saved.media, saved.recorded))


def _is_mark(name: str, volume: ImageVolume) -> bool:
    return name.startswith(f"{volume.name}.") and name.endswith(f".{_MARK}")


@contextlib.contextmanager
def _alone(uri: str, pool: str) -> Iterator[None]:
    with _locks_lock:
        lock = _locks.setdefault((uri, pool), threading.Lock())
    with lock:
        yield


def _watched(content: ImageContent, clock: Clock, progress: Callable[[str], None]) -> Reader:
    """The reader, with a line each minute; it raises where the image is shorter than announced."""
    done, reported = 0, clock.now()

    def read(wanted: int) -> bytes:
        nonlocal done, reported
        left = content.size - done
        piece = content.read(min(wanted, left)) if left else b""
        if not piece and left:
            raise ZeroTouchError(f"The image ended after {done} of {content.size} bytes.", "Run the playbook again.")
        done += len(piece)
        if clock.now() - reported >= _HEARTBEAT:
            reported = clock.now()
            done_mib = done >> 20
            size_mib = content.size >> 20
            progress(f"uploading the image: {done_mib} of {size_mib} MiB")
        return piece

    return read
