# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide whether virtual machines may be deleted with their disks: by column destroy of the safety table, and only if
the user confirms it.
"""

from __future__ import annotations

from ...common.errors import ZeroTouchError
from .decision import NOTHING_TOUCHED, Judgement, TouchRequest

# Deleted: a machine that the table allows to power off, or that is off and in no record.
_DELETED = frozenset({"act", "skip"})


def deletable(judgement: Judgement, request: TouchRequest) -> dict[str, str]:
    """Return the hosts whose machines must not be deleted, with the reason.

    Raises :class:`ZeroTouchError` where the table stops the run, and without confirmation.
    """
    if judgement.stop:
        raise ZeroTouchError(str(judgement.stop))
    kept = {verdict.host: verdict.reason for verdict in judgement.verdicts if verdict.outcome not in _DELETED}
    if len(kept) < len(judgement.verdicts) and not request.confirmed:
        hosts = ", ".join(verdict.host for verdict in judgement.verdicts if verdict.host not in kept)
        cluster = request.cluster or "NAME"
        remedy = f"Confirm this with -e openshift_confirm={cluster}."
        raise ZeroTouchError(f"{NOTHING_TOUCHED} The machines of {hosts} and their disks would be deleted.", remedy)
    return kept
