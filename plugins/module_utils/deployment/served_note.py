# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the note that the image server of a failed run still runs. Without that server, a machine that boots later
would find no image.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..serving.served import recorded_process


def served_note(state: Mapping[str, Any]) -> str:
    """The note that the image is still served, with its URL and until when; empty when it is not served."""
    published = state.get("publish") or {}
    process = recorded_process(published)
    if process is None:
        return ""
    until = f", until {published['until']} at the latest" if published.get("until") else ""
    url = published.get("url") or "an address of this machine"
    return (
        f"The image is still served at {url} (process {process.pid}{until}), so that machines can boot it. The "
        "next run uses the same server. To stop it, run image_server with state=stopped, or destroy_cluster."
    )
