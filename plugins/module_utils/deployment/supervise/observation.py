# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the observation of a deployment at one moment, as dataclasses. All decisions are made from this data alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...assisted.install.progress import ClusterProgress, HostProgress
from ...common.addresses import canonical_ip
from ...serving.request_log import ImageRead

# state.json install.phase, in order.
PHASES = ("built", "booted", "bootstrap", "installing", "installed")
FAILED = "failed"
# Phases in which powering a host off could destroy an installation.
RUNNING_PHASES = frozenset({"bootstrap", "installing", "installed"})


@dataclasses.dataclass(frozen=True)
class InventoryHost:
    """A host as the user's configuration names it. ``macs`` are lower case, ``addresses`` the static ones."""

    name: str
    hostname: str = ""
    macs: tuple[str, ...] = ()
    role: str = ""
    addresses: tuple[str, ...] = ()

    @property
    def node_name(self) -> str:
        return (self.hostname or self.name).lower()

    def has_address(self, address: str) -> bool:
        return bool(address) and canonical_ip(address) in {canonical_ip(own) for own in self.addresses}


@dataclasses.dataclass(frozen=True)
class ImageView:
    """The image against its input.

    ``differing`` are paths in ``config/`` (or ``base image``) that changed since it was built.
    """

    built: bool = False
    exists: bool = False
    differing: tuple[str, ...] = ()

    @property
    def matches(self) -> bool:
        return self.built and self.exists and not self.differing


@dataclasses.dataclass(frozen=True)
class ServiceView:
    """The service at the rendezvous host's address. ``detail`` says why it does not answer or is not ours."""

    answers: bool = False
    ours: bool = False
    detail: str = ""
    cluster: ClusterProgress | None = None
    hosts: tuple[HostProgress, ...] = ()


@dataclasses.dataclass(frozen=True)
class OperatorCondition:
    """A condition of an operator or the ClusterVersion; ``age`` is in seconds by the API server's own clock, -1 if it
    does not say.
    """

    status: str = ""
    message: str = ""
    age: float = -1.0

    @property
    def true(self) -> bool:
        return self.status == "True"


@dataclasses.dataclass(frozen=True)
class Operator:
    """A ClusterOperator."""

    name: str
    available: OperatorCondition = OperatorCondition()
    progressing: OperatorCondition = OperatorCondition()
    degraded: OperatorCondition = OperatorCondition()


@dataclasses.dataclass(frozen=True)
class ClusterVersion:
    """The ClusterVersion named ``version``."""

    version: str = ""
    available: OperatorCondition = OperatorCondition()
    failing: OperatorCondition = OperatorCondition()
    progressing: OperatorCondition = OperatorCondition()

    @property
    def complete(self) -> bool:
        """The release is rolled out (openshift/installer pkg/agent/cluster.go, pkg/agent/waitfor.go)."""
        return self.available.true and self.failing.status == "False" and self.progressing.status == "False"


@dataclasses.dataclass(frozen=True)
class Node:
    name: str
    ready: bool = False
    roles: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class ApiView:
    """The new cluster's API.

    ``ours`` means: its certificate is signed by our CA and it accepts our client certificate.
    """

    answers: bool = False
    ours: bool = False
    detail: str = ""
    version: str = ""
    nodes: tuple[Node, ...] = ()
    bootstrap_complete: bool = False
    cluster_version: ClusterVersion | None = None
    operators: tuple[Operator, ...] = ()

    @property
    def complete(self) -> bool:
        return self.ours and self.cluster_version is not None and self.cluster_version.complete

    def has_node(self, host: InventoryHost) -> bool:
        return self.ours and any(node.name.lower() == host.node_name for node in self.nodes)


@dataclasses.dataclass(frozen=True)
class MachineView:
    """What the boot method of a host reads of its machine.

    ``power`` is On, Off or what else the BMC reports; ``override`` the boot device it is set to.
    """

    power: str = ""
    image_attached: bool = False
    override: str = ""

    @property
    def off(self) -> bool:
        return self.power == "Off"

    @property
    def may_run_the_image(self) -> bool:
        return self.power == "On" and self.image_attached

    def text(self) -> str:
        device = f", boot override {self.override}" if self.override else ""
        power = self.power or "not known"
        attached = "attached" if self.image_attached else "not attached"
        return f"power {power}, the image is {attached}{device}"


@dataclasses.dataclass(frozen=True)
class Silence:
    """An installation under way was last seen ``seconds`` ago (at ``since``); ``limit`` (of ``phase``) is how long it
    may stay away.
    """

    phase: str
    seconds: float
    limit: float
    since: str

    @property
    def bearable(self) -> bool:
        return self.seconds < self.limit

    def text(self) -> str:
        """If it is over, what that means for the caller."""
        return (
            f"It was last seen at {self.since}, and the limit of phase {self.phase} ({self.limit:g} s) has passed "
            "since."
        )


@dataclasses.dataclass(frozen=True)
class Observation:
    """``phase`` and ``failure`` are what an earlier run recorded; ``overdue`` says that its wait ended before all hosts
    appeared, ``silence`` how long ago an installation under way was last seen, ``lost`` which sections of state.json
    were removed. ``readers`` are the addresses from which the image was read since it is published; ``reads`` how far,
    None where that is not recorded.
    """

    phase: str = ""
    failure: str = ""
    overdue: bool = False
    silence: Silence | None = None
    lost: tuple[str, ...] = ()
    readers: frozenset[str] = frozenset()
    reads: Mapping[str, ImageRead] | None = None
    rendezvous_ip: str = ""
    image: ImageView = ImageView()
    service: ServiceView = ServiceView()
    api: ApiView = ApiView()

    def service_host(self, host: InventoryHost) -> HostProgress | None:
        """The service's host with one of this host's MACs; without MACs on either side, the one with its name."""
        hosts = self.service.hosts if self.service.ours else ()
        by_mac = next((found for found in hosts if set(found.macs) & set(host.macs)), None)
        if by_mac or (host.macs and all(found.macs for found in hosts)):
            return by_mac
        return next(
            (found for found in hosts if not (found.macs and host.macs) and found.name.lower() == host.node_name), None
        )

    def in_order(self, hosts: tuple[InventoryHost, ...]) -> Observation:
        """The same with the service's hosts in inventory order, other hosts last."""
        own = list(dict.fromkeys(found for host in hosts if (found := self.service_host(host)) is not None))
        known = {found.id for found in own}
        ordered = (*own, *(found for found in self.service.hosts if found.id not in known))
        return dataclasses.replace(self, service=dataclasses.replace(self.service, hosts=ordered))

    def joined(self, host: InventoryHost) -> bool:
        """A Node of that name exists, or the service lists a host with its MAC in an installing or installed state."""
        found = self.service_host(host)
        return self.api.has_node(host) or (found is not None and found.joined)

    def surplus(self, hosts: tuple[InventoryHost, ...]) -> tuple[HostProgress, ...]:
        """Hosts registered with our service that the configuration does not name."""
        matched = {found.id for found in (self.service_host(host) for host in hosts) if found}
        return tuple(found for found in self.service.hosts if self.service.ours and found.id not in matched)
