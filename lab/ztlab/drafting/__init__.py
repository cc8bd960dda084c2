# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Draft a site file for ``ztlab site-from-inventory``: the hardware and networks that an inventory requires."""

from __future__ import annotations

from collections.abc import Sequence

from .ask import read_inventory
from .draft import draft
from .text import site_text

__all__ = ["draft_site"]


def draft_site(inventories: Sequence[str], extra_vars: Sequence[str] = ()) -> str:
    """The text of a site file. Raises CommandError when Ansible cannot read the inventory."""
    return site_text(draft(read_inventory(inventories, extra_vars)))
