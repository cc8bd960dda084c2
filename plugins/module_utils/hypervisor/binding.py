# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Talk to libvirt through its Python binding (libvirt-python): an implementation of ``Hypervisor`` (api.py)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..common import libraries
from .api import DomainEntry, HypervisorError, NetworkEntry, PoolEntry, Reader, VolumeEntry
from .uri import hint, opened_uri

_T = TypeVar("_T")
# virDomainState of include/libvirt/libvirt-domain.h, with the words of virsh.
_STATES = ("no state", "running", "idle", "paused", "in shutdown", "shut off", "crashed", "pmsuspended")
_PAUSED_IOERROR = 5


def _faults(call: Callable[..., _T]) -> Callable[..., _T]:
    """Errors of libvirt become :class:`HypervisorError`."""

    @functools.wraps(call)
    def called(self: LibvirtBinding, *arguments: Any) -> _T:
        try:
            return call(self, *arguments)
        except libraries.libvirt.libvirtError as error:
            text = str(error)
            raise HypervisorError(f"{self.uri}: {text}", hint(text, self.uri)) from error

    return called


@functools.cache
def _quiet() -> None:
    """libvirt prints each error to stderr unless it is given a handler; all of them are raised as well."""
    libraries.libvirt.registerErrorHandler(lambda context, error: None, None)


class LibvirtBinding:
    """See :class:`.api.Hypervisor`."""

    driver = "libvirt-python"

    def __init__(self, uri: str) -> None:
        self.uri = uri
        _quiet()
        self._connection = self._opened()

    @_faults
    def _opened(self) -> Any:
        return libraries.libvirt.open(opened_uri(self.uri))

    def close(self) -> None:
        with contextlib.suppress(libraries.libvirt.libvirtError):
            self._connection.close()

    # Domains

    @_faults
    def domains(self) -> Sequence[DomainEntry]:
        found = []
        for domain in self._connection.listAllDomains(0):
            try:
                found.append(self._entry(domain))
            except libraries.libvirt.libvirtError as error:
                if error.get_error_code() != libraries.libvirt.VIR_ERR_NO_DOMAIN:
                    raise
        return found

    def _entry(self, domain: Any) -> DomainEntry:
        libvirt = libraries.libvirt
        number, reason = domain.state()
        state = _STATES[number] if number < len(_STATES) else _STATES[0]
        words = "I/O error" if state == "paused" and reason == _PAUSED_IOERROR else ""
        live = domain.XMLDesc(0) if domain.isActive() else ""
        saved = domain.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE) if domain.isPersistent() else ""
        return DomainEntry(domain.name(), domain.UUIDString(), state, words, live, saved)

    def _domain(self, uuid: str) -> Any:
        return self._connection.lookupByUUIDString(uuid)

    @_faults
    def saved_definition(self, uuid: str) -> str:
        return str(
            self._domain(uuid).XMLDesc(
                libraries.libvirt.VIR_DOMAIN_XML_INACTIVE | libraries.libvirt.VIR_DOMAIN_XML_SECURE
            )
        )

    @_faults
    def define(self, xml: str) -> None:
        self._connection.defineXML(xml)

    @_faults
    def start_once(self, xml: str) -> None:
        self._connection.createXML(xml, 0)

    @_faults
    def start(self, uuid: str) -> None:
        self._domain(uuid).create()

    @_faults
    def stop(self, uuid: str) -> None:
        self._domain(uuid).destroy()

    @_faults
    def undefine(self, uuid: str) -> None:
        libvirt = libraries.libvirt
        flags = libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE | libvirt.VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
        try:
            self._domain(uuid).undefineFlags(
                flags | libvirt.VIR_DOMAIN_UNDEFINE_CHECKPOINTS_METADATA | libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
            )
        except libvirt.libvirtError as error:
            # Drivers without firmware, as test:///, know neither NVRAM nor checkpoints.
            if error.get_error_code() != libvirt.VIR_ERR_INVALID_ARG:
                raise
            self._domain(uuid).undefineFlags(flags)

    @_faults
    def update_device(self, uuid: str, xml: str) -> None:
        libvirt = libraries.libvirt
        self._domain(uuid).updateDeviceFlags(
            xml, libvirt.VIR_DOMAIN_AFFECT_LIVE | libvirt.VIR_DOMAIN_DEVICE_MODIFY_FORCE
        )

    @_faults
    def capabilities(self) -> str:
        return str(self._connection.getCapabilities())

    # Storage

    @_faults
    def pools(self) -> Sequence[PoolEntry]:
        found = []
        for pool in self._connection.listAllStoragePools(libraries.libvirt.VIR_CONNECT_LIST_STORAGE_POOLS_ACTIVE):
            _state, capacity, _allocation, available = pool.info()
            found.append(PoolEntry(pool.name(), int(capacity), int(available)))
        return found

    def _pool(self, name: str) -> Any:
        return self._connection.storagePoolLookupByName(name)

    @_faults
    def volumes(self, pool: str) -> Sequence[VolumeEntry]:
        self._pool(pool).refresh(0)
        return [VolumeEntry(volume.name(), int(volume.info()[1])) for volume in self._pool(pool).listAllVolumes(0)]

    @_faults
    def create_volume(self, pool: str, xml: str) -> None:
        self._pool(pool).createXML(xml, 0)

    @_faults
    def delete_volume(self, pool: str, name: str) -> None:
        self._pool(pool).storageVolLookupByName(name).delete(0)

    @_faults
    def upload(self, pool: str, name: str, read: Reader, size: int) -> None:
        failed: list[Exception] = []

        def handler(_stream: Any, wanted: int, _opaque: Any) -> bytes:
            try:
                return read(wanted)
            except Exception as error:  # the binding would print it and go on without it
                failed.append(error)
                raise

        stream = self._connection.newStream(0)
        try:
            self._pool(pool).storageVolLookupByName(name).upload(stream, 0, size, 0)
            stream.sendAll(handler, None)
            stream.finish()
        except BaseException:
            with contextlib.suppress(libraries.libvirt.libvirtError):
                stream.abort()
            if failed:
                raise failed[0] from None
            raise

    # Networks

    @_faults
    def networks(self) -> Sequence[NetworkEntry]:
        return [
            NetworkEntry(
                network.name(),
                bool(network.isActive()),
                bool(network.isPersistent() and network.autostart()),
                _saved_network(network),
            )
            for network in self._connection.listAllNetworks(0)
        ]

    def _network(self, name: str) -> Any:
        return self._connection.networkLookupByName(name)

    @_faults
    def define_network(self, xml: str) -> None:
        self._connection.networkDefineXML(xml)

    @_faults
    def start_network(self, name: str) -> None:
        self._network(name).create()

    @_faults
    def stop_network(self, name: str) -> None:
        self._network(name).destroy()

    @_faults
    def undefine_network(self, name: str) -> None:
        self._network(name).undefine()

    @_faults
    def autostart_network(self, name: str, on: bool) -> None:
        self._network(name).setAutostart(int(on))


def _saved_network(network: Any) -> str:
    libvirt = libraries.libvirt
    try:
        return str(network.XMLDesc(libvirt.VIR_NETWORK_XML_INACTIVE))
    except libvirt.libvirtError as error:
        # test:/// has one definition only, and refuses the flag.
        if error.get_error_code() != libvirt.VIR_ERR_INVALID_ARG:
            raise
        return str(network.XMLDesc(0))
