# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Everything that is wrong with an input: what could not be read, and what the rules say about the rest."""

from __future__ import annotations

import datetime

from ..common.problems import Problem
from .documents import Parsed
from .echoes import without_echoes
from .paths import in_users_terms
from .rules.validate import validate


def all_problems(parsed: Parsed, *, today: datetime.date | None = None, agent_iso: bool = True) -> list[Problem]:
    """Problems of names, types and rules in the user's terms, each once; ``today`` and ``agent_iso`` as in :func:`validate`."""
    found = list(parsed.problems)
    if parsed.deployment is not None:
        ruled = in_users_terms(validate(parsed.deployment, today=today, agent_iso=agent_iso), parsed.source)
        found += without_echoes(ruled, parsed.problems)
    return list(dict.fromkeys(found))
