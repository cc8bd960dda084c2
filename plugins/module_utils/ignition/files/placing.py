# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create scripts and systemd units of the live system from templates: set the path and fill in the placeholders."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ..document import PROGRAM, IgnitionFile

BIN = "/usr/local/bin"


def script(name: str, text: str, values: Mapping[str, str] | None = None) -> IgnitionFile:
    """Create a script in /usr/local/bin. For each key of ``values``, ``@KEY@`` becomes the value, quoted for bash."""
    for key, value in (values or {}).items():
        text = text.replace(f"@{key}@", shlex.quote(value))
    return IgnitionFile(f"{BIN}/{name}", PROGRAM, text.encode())


_ONCE = """\
[Unit]
Description=@DESCRIPTION@
@UNIT@
[Service]
Type=oneshot
RemainAfterExit=yes
@SERVICE@ExecStart=@BIN@/@PROGRAM@

[Install]
WantedBy=multi-user.target
"""


def once(description: str, program: str, unit: str, service: str = "") -> str:
    """A unit that runs a program of this collection once and counts as active from then on; ``unit`` and ``service``
    are further lines of those sections.
    """
    text = _ONCE.replace("@UNIT@", unit).replace("@SERVICE@", service)
    return text.replace("@DESCRIPTION@", description).replace("@BIN@", BIN).replace("@PROGRAM@", program)


def unit_text(text: str, values: Mapping[str, str]) -> str:
    """A unit with ``@NAME@`` replaced as it is; an option whose replacement is empty leaves no line behind."""
    lines = []
    for line in text.splitlines():
        for key, value in values.items():
            if f"@{key}@" in line and not value:
                break
            line = line.replace(f"@{key}@", value)
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"
