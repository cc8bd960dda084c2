# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Decide about all machines of a run before it changes anything: stop the run if a machine must not be changed, and
print the sources that could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...boot.protocol import Machines
from ...common.clock import Clock
from ...common.errors import PartialFailure
from .decision import Judgement
from .gate import print_not_checked
from .gather import Gathered, decide
from .options import Touch
from .result import described
from .table import Action


def check_machines(
    action: Action,
    touch: Touch,
    machines: Machines,
    names: Sequence[str],
    clock: Clock,
    progress: Callable[[str], None],
) -> tuple[Judgement, Gathered]:
    """The decision about the hosts ``names``, and its evidence. ``machines`` are what their boot methods read.

    Raises :class:`PartialFailure` if one host must not be touched.
    """
    judgement, gathered = decide(action, touch, machines, clock, names)
    print_not_checked(gathered.not_checked, progress)
    if judgement.stop:
        raise PartialFailure(str(judgement.stop), described(judgement, gathered))
    return judgement, gathered
