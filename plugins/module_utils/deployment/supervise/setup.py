# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the fixed settings of a wait: its phases, the limit of each phase, the hosts, and which actions on them are
permitted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from .observation import InventoryHost, Silence

Phase = Literal["boot", "discovery", "bootstrap", "install", "operators", "done"]
Until = Literal["bootstrap", "installed"]
# Actions on a machine, as progress lines name them.
ACTS = {"detach": "ejecting the ISO", "repair": "restarting from disk", "boot": "booting from the ISO again"}
PHASES: tuple[Phase, ...] = ("boot", "discovery", "bootstrap", "install", "operators", "done")

# Seconds that a host that an earlier run powered on may show no activity before it is booted again; fewer if the limit
# of phase boot is short.
_GRACE, _GRACES_OF_BOOT = 300.0, 8


@dataclasses.dataclass(frozen=True)
class Limits:
    """Seconds that each phase may take.

    ``boot``: until the service answers; ``discovery``: until the installation begins; ``bootstrap``, ``install``
    (ClusterVersion), ``operators`` as upstream has them; ``stable``: how long every ClusterOperator must have been
    quiet.
    """

    boot: float = 2400.0
    discovery: float = 2400.0
    bootstrap: float = 3600.0
    install: float = 2400.0
    operators: float = 1800.0
    stable: float = 30.0

    @classmethod
    def of_mapping(cls, provided: Mapping[str, float | None]) -> Limits:
        """Those given over the defaults."""
        return cls(**{name: float(value) for name, value in provided.items() if value is not None})

    def of(self, phase: Phase) -> float:
        return float(getattr(self, phase))

    @property
    def grace(self) -> float:
        """How long a host that an earlier run powered on may show nothing, counted from when its image is published
        again.
        """
        return min(_GRACE, self.boot / _GRACES_OF_BOOT)


def timeouts_spec() -> dict[str, Any]:
    """The option ``timeouts`` of modules (documentation fragment ``timeouts``)."""
    return {
        "type": "dict",
        "default": {},
        "options": {name: {"type": "float", "default": value} for name, value in dataclasses.asdict(Limits()).items()},
    }


@dataclasses.dataclass(frozen=True)
class Setup:
    """What does not change during a wait.

    ``media``: hosts whose medium and power we control; ``silence``: the wait is for an installation that was under way
    already and how long that had not been seen when the wait began. ``elsewhere``: the service runs on none of the
    hosts but there, outlives the installation, and its word that the cluster is installed counts. ``doubtful``: hosts
    that an earlier run powered on, so many seconds before this wait, and whose image was not published for a time since
    then. ``bmc_addresses``: from where each host's BMC reads the image, as far as that is known.
    """

    hosts: tuple[InventoryHost, ...]
    until: Until = "installed"
    limits: Limits = Limits()
    media: frozenset[str] = frozenset()
    detach: bool = True
    repair: bool = True
    silence: Silence | None = None
    elsewhere: str = ""
    doubtful: Mapping[str, float] = dataclasses.field(default_factory=dict)
    bmc_addresses: Mapping[str, str] = dataclasses.field(default_factory=dict)
