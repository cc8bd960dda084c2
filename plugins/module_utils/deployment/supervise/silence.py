# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Calculate for how long a running installation has not been observed, and the limit for it.

While the rendezvous host reboots, neither the service nor the API answers. Within the limit this is no failure.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from .observation import Silence
from .setup import Limits, Phase

LAST_SEEN = "last_seen_at"
# Phase of the state file -> phase of a wait; its timeout is the limit. An installed cluster always answers.
_LIMITED_BY: Mapping[str, Phase] = {"bootstrap": "bootstrap", "installing": "install"}


def silence_of(install: Mapping[str, Any], limits: Limits, now: datetime.datetime) -> Silence | None:
    """From section ``install`` of the state file; None unless an installation is under way there and the time when it
    was last seen is recorded.
    """
    phase = _LIMITED_BY.get(str(install.get("phase") or ""))
    since = str(install.get(LAST_SEEN) or "")
    if phase is None or not since:
        return None
    try:
        seconds = (now - datetime.datetime.fromisoformat(since)).total_seconds()
    except (ValueError, TypeError):  # not a time, or one without a zone
        return None
    return Silence(phase, max(0.0, seconds), limits.of(phase), since)
