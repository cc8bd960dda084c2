# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Refuse to change an object on a hub that another tool created. This collection uses such objects unchanged."""

from __future__ import annotations

from collections.abc import Iterable

from ..common.errors import ZeroTouchError
from ..kube.write import MANAGED_BY, OURS, Change, is_ours


def refuse_foreign(changes: Iterable[Change], hint: str) -> None:
    """Before the first write: refuse patches of objects that this collection did not create.

    ``hint`` says how to use other objects. Raises :class:`ZeroTouchError`, which names each object.
    """
    foreign = [change for change in changes if change.verb == "patch" and not is_ours(change.before)]
    if not foreign:
        return
    found = " ".join(
        f"{change.title} exists with other content ({'; '.join(change.reasons)}), and was not created by this "
        "collection."
        for change in foreign
    )
    raise ZeroTouchError(found, f"{hint}, or label it {MANAGED_BY}={OURS} to let this collection change it.")
