# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Tables of installer features that our modules do not have, each with the reason. A test case leaves out the commands
for such a feature, or is skipped.
"""

from __future__ import annotations

import re

from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.archive import Line

_CONSOLE = (
    "the native engine changes no initrd: agent-tui comes from the release payload, which needs a registry "
    "(docs/reference/ignition-files.md)"
)

# Pattern of "command arguments" -> reason; first match.
LEFT_OUT: tuple[tuple[str, str], ...] = ((r"^initrdImgContains ", _CONSOLE),)

# Sub-command of "openshift-install agent" -> why there is none of ours.
COMMANDS: dict[str, str] = {
    "graph": "a graph of the installer's own assets; our modules have none",
    "create agent-config-template": "a sample file; docs/reference/fields.md and the JSON schemas replace it",
    "create certificates": "the signers are made with the image and stay in state.json; no module makes them alone",
    "create unconfigured-ignition": "the configuration image of the appliance flow is not part of this version",
}
VARIABLES: dict[str, str] = {
    "OPENSHIFT_INSTALL_OS_IMAGE_OVERRIDE": ("the base image is an option of agent_image and never looked up")
}


def reason_without_counterpart(line: Line) -> str:
    """Why the command cannot hold for us; empty where it must."""
    text = f"{line.command} {' '.join(line.arguments)}"
    return next((reason for pattern, reason in LEFT_OUT if re.search(pattern, text)), "")
