# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define :class:`Evidence`: the known facts about one machine that a run wants to change.

Each field is one observation. A text is empty when the observation does not hold; otherwise it says how the fact is
known, in words that a message can print. :mod:`.gather` collects the observations; :mod:`.table` decides by them.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

Power = Literal["On", "Off", ""]

# Seconds after which a Node that is not Ready is not drained any more: its pods cannot be evicted, kubelet does not
# answer.
LOST_AFTER = 300.0


@dataclasses.dataclass(frozen=True)
class NodeFacts:
    """The host's Node. ``not_ready_for`` is in seconds, 0 while it is Ready; ``keeps`` says why the cluster cannot lose
    it (quorum of etcd).
    """

    name: str
    ready: bool = True
    not_ready_for: float = 0.0
    control_plane: bool = False
    keeps: str = ""

    @property
    def lost(self) -> bool:
        """Whether it is dead for so long that a drain is of no use."""
        return not self.ready and self.not_ready_for >= LOST_AFTER


@dataclasses.dataclass(frozen=True)
class Evidence:
    """The observations about one machine.

    ``power`` is empty where the BMC does not say it; ``manual``: the user boots it. ``other_method`` is the method of
    the deployment that has the host. ``other_deployment``: it is no host, but the cluster that would be deleted from a
    hub, and why it is not the one of this deployment. ``silent``: its installation is under way and does not answer at
    this moment, within its limits.
    ``missing``: the state has it, and it is no host of a run that is about all hosts.
    ``strayed``: it has booted the image again after the service of its installation had ended.
    ``leaving``: it is on its way out of its cluster, so that its Node may stop being Ready at any moment.
    ``elsewhere``: where it is registered otherwise. ``recorded``: the state of this deployment has the host. ``due``: a
    boot that was not completed, or that was waited for in vain.
    """

    power: Power = ""
    manual: bool = False
    bmc_fault: str = ""
    foreign_bare_metal_host: str = ""
    own_bare_metal_host: str = ""
    other_cluster: str = ""
    missing: str = ""
    other_method: str = ""
    other_deployment: str = ""
    failed: str = ""
    unknown: str = ""
    silent: str = ""
    installed: str = ""
    strayed: str = ""
    installing: str = ""
    registered: str = ""
    free: str = ""
    released: str = ""
    leaving: bool = False
    elsewhere: str = ""
    disconnected: str = ""
    booted: str = ""
    due: bool = False
    answering: str = ""
    recorded: bool = False
    node: NodeFacts | None = None

    @property
    def on(self) -> bool:
        """Whether something may run on it: a BMC that does not say Off says nothing that can be relied on."""
        return not self.manual and self.power != "Off"

    def also(self, **observations: object) -> Evidence:
        """The same with further observations; a text that is known already stays."""
        known = {name: value for name, value in observations.items() if value and not getattr(self, name)}
        return dataclasses.replace(self, **known)  # type: ignore[arg-type]
