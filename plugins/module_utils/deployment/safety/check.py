# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The decision about all machines of a run, before it does anything: print what was not checked and what is planned, or stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...boot.protocol import Machines
from ...common.clock import Clock
from ...common.errors import PartialFailure
from .decision import Judgement
from .gate import print_not_checked
from .gather import decide
from .options import Touch
from .result import described, plan_lines
from .table import Action


def check_machines(
    action: Action,
    touch: Touch,
    machines: Machines,
    names: Sequence[str],
    clock: Clock,
    *,
    progress: Callable[[str], None],
    plan: Callable[[Iterable[str]], None],
) -> tuple[Judgement, dict[str, Any]]:
    """The decision about the hosts ``names``, and the result of a module that decides. ``machines`` are what their boot methods read.

    Raises :class:`PartialFailure` if one host must not be touched.
    """
    judgement, gathered = decide(action, touch, machines, clock, names)
    print_not_checked(gathered.not_checked, progress)
    plan(plan_lines(judgement, gathered, action))
    result = described(judgement, gathered)
    if judgement.stop:
        raise PartialFailure(judgement.stop, result)
    return judgement, result
