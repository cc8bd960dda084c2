# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Repeat the safety decision directly before module ``assisted_control_plane`` writes to the hub, about the hosts that
these writes affect.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ...capi.assisted.touched import TouchedHosts
from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.listed import listed
from ..safety.decision import NOTHING_TOUCHED, Judgement
from ..safety.deleted_cluster import known_macs
from ..safety.gate import owned_by_others, print_not_checked
from ..safety.gather import decide
from ..safety.options import Touch
from ..safety.record import TouchRecord
from ..safety.table import Action

_CHANGED = "The hub has changed since this run checked which hosts may be booted. Not checked: {hosts}."

_NOT_RECORDED = "Metal3 would power off machines that are not known to be of this deployment:"
_OTHER_HUB = (
    "Check openshift_hub and KUBECONFIG: another hub can have a cluster of the same name. If these machines are of "
    "this cluster, add them to this inventory. Then run again."
)


@dataclasses.dataclass(frozen=True)
class CapiGate:
    """``decided`` are the hosts that module touch_check has allowed to boot, with what their BMCs report.

    ``addresses`` are those of the BMCs of the hosts; Metal3 reads the BMCs of the hosts that leave. ``action`` is what
    happens to these.
    """

    touch: Touch
    decided: frozenset[str]
    addresses: Mapping[str, str]
    clock: Clock
    progress: Callable[[str], None]
    action: Action = "remove"

    def permit(self, touched: TouchedHosts) -> None:
        """Return if these hosts may be touched. Raises :class:`ZeroTouchError` with every host that must not be."""
        if unknown := [host for host in touched.coming if host not in self.decided]:
            raise ZeroTouchError(
                f"{NOTHING_TOUCHED} {_CHANGED.format(hosts=listed(unknown, 20))}", "Run again to check them."
            )
        taken = [*touched.coming, *touched.free]
        if taken and (stop := owned_by_others(self.touch, self.clock, taken, self.addresses)):
            raise ZeroTouchError(str(stop))
        # A removal without hosts deletes the cluster, too: whose it is, is part of the decision.
        if not touched.leaving and self.action != "destroy":
            return
        judgement, gathered = decide(self.action, self.touch, (), self.clock, touched.leaving)
        print_not_checked(gathered.not_checked, self.progress)
        if judgement.stop:
            raise ZeroTouchError(str(judgement.stop))
        # Metal3 releases all hosts of a Cluster: none of them can be left alone.
        if left := [verdict for verdict in judgement.verdicts if verdict.outcome == "leave"]:
            reasons = "\n".join(f"{verdict.host}: {verdict.reason.rstrip('.')}." for verdict in left)
            raise ZeroTouchError(
                f"{NOTHING_TOUCHED} Metal3 would power off machines of another owner:\n{reasons}",
                "Release these hosts there first.",
            )
        if self.action == "destroy" and (unknown := self._unknown(touched, judgement, gathered.record)):
            raise ZeroTouchError(f"{NOTHING_TOUCHED} {_NOT_RECORDED}\n" + "\n".join(unknown), _OTHER_HUB)

    def _unknown(self, touched: TouchedHosts, judgement: Judgement, record: TouchRecord) -> list[str]:
        """BareMetalHosts that are no machines of this deployment, with the reason: by their MAC addresses. Another
        machine can have the name of a host.
        """
        known = known_macs(self.touch, record) | record.all_macs
        skipped = {verdict.host: verdict.reason for verdict in judgement.verdicts if verdict.outcome == "skip"}
        found = []
        for host, mac in touched.macs.items():
            if mac and mac not in known:
                found.append(f"{host}: no host of the inventory and no recorded machine has its MAC address {mac}.")
            elif not mac and host in skipped:
                found.append(f"{host}: {skipped[host]}.")
        return found
