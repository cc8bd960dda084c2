# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find out whether the run that a report describes is still writing it.

The report of a run that was killed keeps the status "running".
"""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Any

# Seconds. A run writes its report at least so often.
INTERVAL = 10.0
# After so many intervals without news the run has probably ended: a busy machine may be late once or twice.
_MISSED = 3
# Seconds; a page of a run that has ended is not loaded again.
REFRESH = 5
_WHAT_TO_DO = "If it has ended, run the same playbook to continue, or status to read how far the installation is."
# It loads the page again as long as there is news. Without scripts the page is loaded again in any case.
_SCRIPT = f"""
(function () {{
  var note = document.getElementById("news"), loaded = Date.now();
  function look() {{
    var silent = Date.now() - Date.parse(note.getAttribute("data-updated-at")) > 1000 * note.getAttribute("data-limit");
    note.hidden = !silent;
    if (silent) {{ document.getElementById("state").className = "badge"; }}
    else if (Date.now() - loaded >= 1000 * {REFRESH}) {{ location.reload(); return; }}
    setTimeout(look, 1000);
  }}
  look();
}})();
"""
_SCRIPT_DIGEST = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()


def limit_of(live: Mapping[str, Any]) -> float:
    """Seconds without news after which the run of section ``live`` of a report may have ended."""
    interval = live.get("interval")
    return _MISSED * float(interval if isinstance(interval, (int, float)) and interval > 0 else INTERVAL)


def last_news(report: Mapping[str, Any], now: datetime.datetime) -> dict[str, Any]:
    """When a run that has not concluded its report last wrote it, and whether that run may have ended; empty if there
    is no such run.
    """
    live = report.get("live")
    if not isinstance(live, dict):
        return {}
    try:
        age = (now - datetime.datetime.fromisoformat(str(live.get("updated_at")))).total_seconds()
    except (ValueError, TypeError):
        return {}
    return {"updated_at": str(live["updated_at"]), "stale": age > limit_of(live)}


def news_text(updated_at: str) -> str:
    clock = updated_at[11:19]
    return f"no news since {clock} UTC: the run may have ended."


def head_lines(live: Mapping[str, Any] | None) -> list[str]:
    """The head of the page of a run in progress: the rule which script may run, and a reload for browsers
    without scripts.
    """
    script = f"; script-src 'sha256-{_SCRIPT_DIGEST}'" if live else ""
    policy = (
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        f"'unsafe-inline'{script}\">"
    )
    return [*([f'<noscript><meta http-equiv="refresh" content="{REFRESH}"></noscript>'] if live else []), policy]


def note(live: Mapping[str, Any] | None) -> str:
    """The hidden note that the page shows when there is no more news."""
    if not live:
        return ""
    updated_at, limit = escape(str(live["updated_at"])), limit_of(live)
    text = news_text(updated_at)
    text = text[:1].upper() + text[1:]
    again = '<a href="">Load the page again.</a>'
    return (
        f'<section id="news" class="alarm" data-updated-at="{updated_at}" data-limit="{limit:g}" '
        f"hidden><h2>{text}</h2><p>{_WHAT_TO_DO} {again}</p></section>"
    )


def script(live: Mapping[str, Any] | None) -> str:
    return f"<script>{_SCRIPT}</script>" if live else ""
