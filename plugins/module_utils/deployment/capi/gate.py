# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The gate in front of module ``assisted_control_plane``: the safety decision is taken again, about the hosts that the
writes of this run really touch, directly before the first of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ...capi.assisted.touched import TouchedHosts
from ...common.clock import Clock
from ...common.errors import ZeroTouchError
from ...common.listed import listed
from ..safety.decision import NOTHING_TOUCHED
from ..safety.gate import owned_by_others, print_not_checked
from ..safety.gather import decide
from ..safety.options import Touch
from ..safety.table import Action

_CHANGED = "{hosts}: no decision was taken about them when this run began; the hub has changed since."


@dataclasses.dataclass(frozen=True)
class CapiGate:
    """``decided`` are the hosts that module touch_check has allowed to boot, with what their BMCs say.

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
                f"{NOTHING_TOUCHED} {_CHANGED.format(hosts=listed(unknown, 20))}", "Run again: it is taken first."
            )
        taken = [*touched.coming, *touched.free]
        if taken and (stop := owned_by_others(self.touch, self.clock, taken, self.addresses)):
            raise ZeroTouchError(str(stop))
        if not touched.leaving:
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
