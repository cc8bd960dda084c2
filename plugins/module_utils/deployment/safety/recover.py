# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether a run that waits for an installation may detach the image of a machine, or power-cycle the machine so
that it boots from its disk. Pure.
"""

from __future__ import annotations

from ...assisted.install.progress import HostProgress
from ..supervise.observation import InventoryHost, Observation
from .decision import TouchRequest, may_touch
from .evidence import Evidence
from .observed import is_complete
from .table import Outcome

_REQUEST = TouchRequest("recover", "")


def may_recover(
    host: InventoryHost, last: HostProgress | None, seen: Observation, *, finished: bool = False, strayed: str = ""
) -> Outcome:
    """Return ``eject`` if the image may be detached, ``act`` if power may be switched as well.

    ``last`` is the host as the service reported it last; ``strayed`` says how it is known that the host has booted the
    image again.

    The hosts of a wait are those that its own image was built for, and the service that reports them is its own.
    """
    return may_touch(host.name, _evidence(host, last, seen, finished=finished, strayed=strayed), _REQUEST).outcome


def _evidence(
    host: InventoryHost, last: HostProgress | None, seen: Observation, *, finished: bool, strayed: str
) -> Evidence:
    if finished or (is_complete(seen) and seen.api.has_node(host)):
        return Evidence(installed="the installation is complete")
    if strayed and not seen.api.has_node(host):
        return Evidence(strayed=strayed)
    if seen.api.has_node(host) or (last is not None and (last.joined or last.bootstrap)):
        return Evidence(installing="it is being installed")
    return (
        Evidence(registered="the service has it") if last is not None else Evidence(booted="this deployment booted it")
    )
