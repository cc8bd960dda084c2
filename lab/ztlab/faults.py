# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the faults that a test or user can inject into the lab (``ztlab fault add``), and store the active faults.

A component calls ``faults.take(kind, machine)`` at the point where the fault takes effect; no other code handles
faults. A fault of a Kubernetes API with option ``percent`` affects that percentage of the requests.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Mapping
from typing import Any

# kind -> what it does. A component that honours a new kind adds its line here; ``ztlab fault add`` accepts these only.
KINDS: dict[str, str] = {
    # BMC
    "bmc-down": "the BMC refuses every connection until the fault is cleared",
    "bmc-503": "the BMC answers 503 (option methods: GET, PATCH, ..., comma separated; default all)",
    "bmc-401-session": "the BMC forgets its sessions: the next request with a token gets 401",
    "bmc-session-refused": "session creation is refused (option status, default 503)",
    "bmc-drop": "the BMC drops the connection instead of answering",
    "bmc-slow": "the BMC answers after option seconds (lab seconds, default 30)",
    "bmc-flaky": (
        "each request fails with option percent (default 20): 500, 503, a cut connection, or the answer alone is "
        "lost; use --count 0"
    ),
    "bmc-job-waits": (
        "iDRAC: a configuration job waits for a restart, so that the boot device cannot be set until the jobs are "
        "deleted"
    ),
    "bmc-job-runs": (
        "iDRAC: a job runs, so that changes of the boot device are refused with RAC0679 (option status, default 503)"
    ),
    "bmc-task": "InsertMedia answers 202 and finishes as a task after option seconds (lab seconds, default 10)",
    "bmc-stale-etag": "If-Match is refused with 412 although it is right",
    "bmc-clock": "the clock of the BMC is ahead by option seconds (default 3600)",
    "bmc-wrong-mac": "the BMC lists other MAC addresses than the machine has",
    "insert-accepted-but-empty": "InsertMedia answers 204, the slot stays empty",
    "media-fetch-fails": "InsertMedia is accepted, but the medium cannot be read later",
    "insert-refused": "InsertMedia answers 400",
    "power-stuck": "power actions are accepted and change nothing",
    "once-not-cleared": "the one-time boot override is not cleared after the boot",
    # machines
    "boots-iso-again": "after the installation the machine boots from virtual media again",
    "never-boots": "the machine stays in its firmware after power on",
    "wrong-nic": "the NIC has another MAC address than the site file says (option mac)",
    "disk-too-small": "the first disk has option size_gib (default 20)",
    "memory-too-small": "the machine has option memory_mib (default 4096)",
    "slow-download": "the medium is read with option kib_per_second (wall clock, default 2048)",
    "cut-download": "the connection ends in the middle of reading the medium",
    "no-link": "the NICs have no link",
    "ntp-unsynced": "no NTP source answers the machine",
    "dns-broken": "no name resolves on the machine",
    "dns-wildcard": "every name under the cluster's domain resolves",
    "dns-silent": "the name servers do not answer the user's machine",
    "ntp-silent": "the time servers do not answer the user's machine",
    "ntp-offset": "the time servers are ahead by option seconds (default 3600)",
    "registry-503": "the registries answer 503",
    "registry-tag-moved": (
        "each tag of the registries names another image than before; the former one is still there by digest"
    ),
    "slow-disk": "the disk's sync takes option ms (default 40)",
    "image-pull-fails": "container images cannot be pulled on the machine",
    "agent-dies": "the agent stops answering",
    "install-fails": "the installation fails on the machine (option stage, default Writing image to disk)",
    "never-joins": "the machine boots from disk, but its node never appears",
    "reclaim-fails": "the hub cannot reclaim the machine's node: it waits for a boot of the discovery image",
    "csr-wrong-name": "the kubelet's client request names another node (option name)",
    "csr-wrong-address": (
        "the kubelet's serving request holds an address that is not the node's (option address, default 203.0.113.66)"
    ),
    "csr-foreign": "beside the kubelet's request there is one for an unknown node (option name, default intruder)",
    # assisted-service
    "service-500": "the service answers 500 (option path: only URLs that contain it)",
    "service-503": "the service answers 503 (option path: only URLs that contain it)",
    "service-down": (
        "the service does not answer until the fault is cleared; behind a route the router answers 503 for it"
    ),
    "service-slow": "the service answers after option seconds (lab seconds, default 30)",
    "service-never-starts": "the service on the rendezvous host does not come up",
    # the new cluster
    "api-403": "the Kubernetes API forbids a request as RBAC does (options user, method, resource: only such)",
    "api-409": "the Kubernetes API answers a write with a conflict (options user, method: only such; percent)",
    "api-410": "the Kubernetes API ends a watch with 410 Gone (option percent)",
    "api-429": (
        "the Kubernetes API answers 429 with Retry-After (option seconds, default 1; options user, method: only such; "
        "percent)"
    ),
    "api-500": "the Kubernetes API answers 500 (options user, method: only such; percent)",
    "api-down": (
        "the Kubernetes API refuses every connection until the fault is cleared (option cluster: its name, or hub; "
        "default every cluster but the hub)"
    ),
    "kubelet-down": "the kubelet of the machine is stopped until the fault is cleared; the machine itself runs on",
    "api-never-starts": "the new cluster's API does not come up",
    # the hub
    "hub-restart": (
        "the hub's Kubernetes API is away for option seconds (lab seconds, default 30) and comes back with all it had"
    ),
    "hub-compacts": "the hub's Kubernetes API forgets its history: every watch that resumes gets 410",
    "hub-clock": (
        "the time of day of the lab, its Date headers and timestamps are off by option seconds (default 600) until "
        "cleared"
    ),
    "agent-deleted": "a user deletes an Agent (option agent: its name; default any)",
    "duplicate-uuid": "the machine has the system UUID of the machine in option of",
    "operator-degraded": "a cluster operator stays degraded (option operator, default authentication)",
}


class UnknownFault(ValueError):
    """The kind is none of KINDS."""


@dataclasses.dataclass
class Fault:
    """One injected fault. ``machine`` None: any machine; ``count`` None: until cleared; ``taken``: how often it bit."""

    id: int
    kind: str
    machine: str | None = None
    count: int | None = 1
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    taken: int = 0

    @property
    def spent(self) -> bool:
        return self.count is not None and self.taken >= self.count

    def number(self, option: str, default: float) -> float:
        """The option as a number, ``default`` when it is not given."""
        return float(self.options.get(option, default))

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self) | {"options": dict(self.options)}


class Faults:
    """All faults of one lab."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._random = random.Random(16)
        self._faults: list[Fault] = []

    def add(
        self, kind: str, *, machine: str | None = None, count: int | None = 1, options: Mapping[str, str] | None = None
    ) -> Fault:
        """Inject a fault for the next ``count`` times (None: always). Raises :class:`UnknownFault`."""
        if kind not in KINDS:
            raise UnknownFault(f"unknown fault {kind!r}; known are: {', '.join(sorted(KINDS))}")
        fault = Fault(next(self._ids), kind, machine, count, dict(options or {}))
        self._faults.append(fault)
        return fault

    def peek(self, kind: str, machine: str | None = None, **options: str) -> Fault | None:
        """The fault that would bite now, without using it up.

        Given options must be equal where the fault names them.
        """
        for fault in self._faults:
            fits = all(fault.options.get(name, value) == value for name, value in options.items())
            if fault.kind == kind and not fault.spent and fault.machine in (None, machine) and fits:
                return fault
        return None

    def take(self, kind: str, machine: str | None = None, **options: str) -> Fault | None:
        """Like :meth:`peek`, and counts it as having bitten."""
        fault = self.peek(kind, machine, **options)
        if fault is None or (kind.startswith("api-") and self._random.random() * 100 >= fault.number("percent", 100)):
            return None
        fault.taken += 1
        return fault

    def list(self) -> list[Fault]:
        """All faults, spent ones too, in the order of injection."""
        return list(self._faults)

    def clear(self, kind: str | None = None, machine: str | None = None) -> int:
        """Forget the faults of a kind and machine (None: all); how many were forgotten."""
        keep = [
            fault for fault in self._faults if (kind and fault.kind != kind) or (machine and fault.machine != machine)
        ]
        removed = len(self._faults) - len(keep)
        self._faults = keep
        return removed
