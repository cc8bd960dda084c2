# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect the observations for the preflight checks. Changes nothing.

It reads BMCs (by GET), name servers, time servers, registries, the web server of the image, and the file system. A
target that cannot be reached is recorded as a fault for its check; no exception is raised for it.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from ...bmc.address import parse_address
from ...bmc.guard import shared_machines
from ...bmc.hosts import BmcOptions
from ...bmc.machine import Machine
from ...boot.inspection import inspect_all
from ...boot.protocol import MachineRequest
from ...cluster.spec import Cluster, Deployment
from ...common.connect import ConnectTo
from ...common.errors import ZeroTouchError
from ...common.http import HttpClient
from ...common.parallel import for_each
from ...common.tls import Tls
from ...nmstate.document import read_document
from ...nmstate.section import Findings
from ...serving.options import DEFAULT_LISTEN, PublishOptions
from ...serving.route import Peer, address_for
from ..agent.base_image import BaseImage, BaseImageSource, ReadyBase, check_fit, find_base, stream_of, target_of
from ..registry import ImagePlace, Refused, check_image, login_of, places_of, trust_of
from ..state.work_dir import WorkDir
from .checks import DiskSeen, HostSeen, Learned, NameSeen, RackSeen, TimeSeen, names_of
from .datagrams import NoAnswer, addresses_of, seconds_ahead

# Ports by which something that has a virtual address already would be recognised: SSH, web, the API, its machine
# configs.
_PORTS = (22, 80, 443, 6443, 22623)
_TCP_WITHIN = 3.0
_HTTP_WITHIN = 10.0
_SHARE_PORTS = {"nfs": 2049, "cifs": 445}
# Bytes that a build needs in addition to a copy of the base image.
_SPARE = 64 << 20
T = TypeVar("T")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True)
class Preflight:
    """What is asked. ``manual``: names of the hosts that the user boots.

    ``state_fault``: why the stored state cannot be read.
    """

    method: str
    order: tuple[str, ...]
    requests: tuple[MachineRequest, ...]
    manual: tuple[str, ...]
    deployment: Deployment | None
    base: BaseImage | None
    source: BaseImageSource
    publish: PublishOptions
    work_dir: Path
    bmc: BmcOptions
    state_fault: str = ""

    @property
    def connect_to(self) -> ConnectTo:
        return self.bmc.connect_to

    @property
    def tls(self) -> Tls:
        """Trust for servers outside of the rack: the user's CA, and that of the cluster's registries."""
        return trust_of(
            self.bmc.ca_cert or "", self.deployment.cluster.additional_trust_bundle if self.deployment else ""
        )


def observe(asked: Preflight) -> RackSeen:
    """Everything, the parts after each other and each part in parallel."""
    cluster = asked.deployment.cluster if asked.deployment else None
    url, answer = _image_url(asked)
    base, ready = _base(asked)
    own_image = asked.method == "agent"
    return RackSeen(
        method=asked.method,
        cluster=cluster,
        hosts=_hosts(asked, url),
        image_url=answer if own_image else None,
        names=_names(asked),
        taken=_taken(asked, cluster),
        times=_times(asked, cluster),
        images=_images(asked, cluster),
        disk=_disk(asked, ready) if own_image else None,
        base=base if own_image else None,
        state=Learned(str(asked.work_dir), fault=asked.state_fault),
    )


def _hosts(asked: Preflight, url: str) -> tuple[HostSeen, ...]:
    outcomes = inspect_all(asked.requests, asked.bmc, read_only=True)
    shared = shared_machines(outcomes)
    found = {name: HostSeen(name, "manual") for name in asked.manual}
    for outcome in outcomes:
        request, machine = outcome.item, outcome.result
        found[request.name] = HostSeen(
            request.name,
            request.method,
            tuple(request.mac_addresses),
            machine if isinstance(machine, Machine) else None,
            str(outcome.error) if outcome.error else "",
            shared.get(request.name, ""),
            url,
        )
    ordered = [name for name in asked.order if name in found]
    return tuple(found[name] for name in [*ordered, *(name for name in found if name not in ordered)])


def _parallel(items: Sequence[T], call: Callable[[T], R], forks: int) -> tuple[R, ...]:
    """The results in order.

    Faults are results here: whatever is raised is a mistake of this program, or an interrupt.
    """
    found = []
    for outcome in for_each(items, call, forks):
        if outcome.error is not None:
            raise outcome.error
        if outcome.result is not None:
            found.append(outcome.result)
    return tuple(found)


# -- the image ---------------------------------------------------------------------------------------------------------


def _image_url(asked: Preflight) -> tuple[str, Learned]:
    """The URL that BMCs will get, up to its secret part, and whether a server answers there."""
    publish = asked.publish
    if publish.method != "serve":
        return publish.url, _answers_at(asked, publish.url, exact=publish.method == "none")
    if publish.url:
        return publish.url, Learned(
            publish.url, note=("this machine serves it during the run; whether BMCs reach it is not checked")
        )
    try:
        address = (
            publish.listen
            if publish.listen not in (DEFAULT_LISTEN, "::")
            else address_for(list(_peers(asked)), asked.connect_to)[0]
        )
    except ZeroTouchError as error:
        return "", Learned("image URL", fault=str(error))
    port = publish.port or "<any port>"
    host = f"[{address}]" if ":" in address else address
    url = f"{publish.scheme}://{host}:{port}"
    return url, Learned(
        url, note=("the address of this machine in the direction of the BMCs; whether BMCs reach it is not checked")
    )


def _peers(asked: Preflight) -> Iterator[Peer]:
    for request in asked.requests:
        if request.method == "bmc":
            try:
                address = parse_address(request.address)
            except ValueError:
                continue
            yield Peer(request.name, address.host, address.port)


def _answers_at(asked: Preflight, url: str, *, exact: bool) -> Learned:
    """Whether the server of a URL answers; with ``exact`` the file must be there."""
    parts = urlsplit(url)
    if parts.scheme in _SHARE_PORTS:
        fault = _refused(parts.hostname or "", parts.port or _SHARE_PORTS[parts.scheme], asked.connect_to)
        return Learned(url, fault=fault, note="the server answers; whether it has the share is not checked")
    client = HttpClient("The web server of the image", url, asked.tls, asked.connect_to, timeout=_HTTP_WITHIN)
    try:
        status = client.request("HEAD", url).status
    except ZeroTouchError as error:
        return Learned(url, fault=str(error))
    finally:
        client.close()
    if exact and status != 200:
        return Learned(url, fault=f"the server answers {status}")
    return Learned(
        url, fault=f"the server answers {status}" if status >= 500 else "", note=f"the server answers {status}"
    )


def _base(asked: Preflight) -> tuple[Learned | None, ReadyBase | None]:
    if asked.base is None:
        return None, None
    cluster = asked.deployment.cluster if asked.deployment else None
    target = target_of(cluster) if cluster else None
    subject = (
        asked.base.path
        or asked.base.url
        or (target.metadata_url(asked.base.stream_url) if target else "stream metadata")
    )
    try:
        record = {} if asked.state_fault else WorkDir(asked.work_dir).state.section("image").get("stream") or {}
        ready = find_base(asked.base, asked.source, check_mode=True, target=target, record=record)
        subject = ready.of_stream.url if ready.of_stream else subject
        if ready.image is None or cluster is None:
            return Learned(subject, note=ready.note or "it is read when it is transferred"), ready
        doubts = check_fit(ready.image, cluster.version, cluster.architecture, stream_of(cluster))
    except ZeroTouchError as error:
        return Learned(subject, fault=str(error)), None
    return Learned(subject, fault=" ".join(doubts), note=ready.image.volume_id), ready


def _disk(asked: Preflight, ready: ReadyBase | None) -> DiskSeen:
    place = next(path for path in (asked.work_dir, *asked.work_dir.parents) if path.is_dir())
    size = ready.size if ready else _size(asked.base)
    # One by URL is kept in the cache too, mostly on the same file system.
    copies = 2 if ready and ready.image is None and _same_device(place, asked.source.directory) else 1
    return DiskSeen(str(place), shutil.disk_usage(place).free, size * copies + _SPARE if size else 0)


def _size(base: BaseImage | None) -> int:
    try:
        return os.stat(base.path).st_size if base and base.path else 0
    except OSError:
        return 0


def _same_device(one: Path, other: Path) -> bool:
    there = next(path for path in (other, *other.parents) if path.is_dir())
    return one.stat().st_dev == there.stat().st_dev


# -- names, addresses, time --------------------------------------------------------------------------------------------


def _names(asked: Preflight) -> tuple[NameSeen, ...]:
    if asked.deployment is None:
        return ()
    servers = _name_servers(asked.deployment) or ("",)
    questions = [(name, server) for name in names_of(asked.deployment.cluster).values() for server in servers]
    return _parallel(questions, lambda question: _name(*question, asked.connect_to), asked.bmc.forks)


def _name_servers(deployment: Deployment) -> tuple[str, ...]:
    """Those that the network configurations of the hosts name, each once."""
    documents = [host.network_config for host in deployment.hosts if host.network_config]
    return tuple(
        dict.fromkeys(
            server.partition("%")[0]
            for document in documents
            for server in read_document(document, Findings()).resolver.servers
        )
    )


def _name(name: str, server: str, connect_to: ConnectTo) -> NameSeen:
    try:
        if server:
            return NameSeen(name, server, tuple(addresses_of(name, server, connect_to)))
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except NoAnswer as error:
        return NameSeen(name, server, fault=str(error))
    except socket.gaierror as error:
        missing = error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
        return NameSeen(name, server, fault="" if missing else str(error.strerror))
    return NameSeen(name, server, tuple(dict.fromkeys(str(entry[4][0]) for entry in found)))


def _taken(asked: Preflight, cluster: Cluster | None) -> tuple[Learned, ...]:
    addresses = list(dict.fromkeys([*cluster.api_vips, *cluster.ingress_vips])) if cluster else []
    return _parallel(addresses, lambda address: _at(address, asked.connect_to), asked.bmc.forks)


def _at(address: str, connect_to: ConnectTo) -> Learned:
    open_ports = [port for port in _PORTS if not _refused(address, port, connect_to)]
    if open_ports:
        ports = ", ".join(str(port) for port in open_ports)
        return Learned(
            address,
            fault=(f"something answers at port {ports}. If this cluster is installed already, that is its own address"),
        )
    all_ports = ", ".join(str(port) for port in _PORTS)
    return Learned(address, note=f"nothing answers at ports {all_ports}")


def _refused(host: str, port: int, connect_to: ConnectTo) -> str:
    """Why no connection comes about; empty when one does."""
    try:
        socket.create_connection(connect_to.resolve(host, port), timeout=_TCP_WITHIN).close()
    except OSError as error:
        why = error.strerror or error
        return f"{host} port {port}: {why}"
    return ""


def _times(asked: Preflight, cluster: Cluster | None) -> tuple[TimeSeen, ...]:
    return _parallel(
        cluster.ntp_sources if cluster else (), lambda server: _time(server, asked.connect_to), asked.bmc.forks
    )


def _time(server: str, connect_to: ConnectTo) -> TimeSeen:
    try:
        return TimeSeen(server, seconds_ahead(server, connect_to))
    except NoAnswer as error:
        return TimeSeen(server, fault=str(error))


# -- the registry ------------------------------------------------------------------------------------------------------


def _images(asked: Preflight, cluster: Cluster | None) -> tuple[Learned, ...]:
    if cluster is None or not cluster.release_image:
        return (Learned("release image", skipped="the release image is not known"),)
    try:
        places = places_of(cluster)
    except ValueError as error:
        return (Learned(cluster.release_image, fault=str(error)),)
    return _parallel(places, lambda place: _image(place, cluster, asked), asked.bmc.forks)


def _image(image: ImagePlace, cluster: Cluster, asked: Preflight) -> Learned:
    try:
        check_image(image, login_of(image, cluster.pull_secret), asked.tls, asked.connect_to)
    except Refused as error:
        return Learned(image.text, fault=str(error))
    except ZeroTouchError as error:
        return Learned(image.text, fault=str(error))
    return Learned(image.text)
