# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the units of the interactive console, the program agent-tui.

agent-tui asks the user for network settings only if the release image cannot be pulled. Images that the installer
rebuilds contain the program. An unmodified live image does not, and the conditions of these units then skip them. The
units are added to every image, for a site that adds the program.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import IgnitionFile, Unit
from .environment import AGENT_IMAGES_ENV, AGENT_INSTALLER_ENV
from .placing import script, unit_text

INTERACTIVE = "/etc/assisted/interactive-ui"

_EXTRACT = r"""#!/bin/bash
# Take agent-tui and the libraries that it needs out of the image that the release names for them.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail

/usr/local/bin/get-container-images.sh
source /usr/local/share/assisted-service/agent-images.env

container=$(podman create "$AGENT_INSTALLER_UTILS_IMAGE")
trap 'podman rm --force "$container" >/dev/null' EXIT
files=$(podman mount "$container")
mkdir -p /usr/local/lib
cp "$files/usr/bin/agent-tui" /usr/local/bin/agent-tui
cp --archive "$files"/usr/lib64/libnmstate* /usr/local/lib/
restorecon -FR /usr/local/bin /usr/local/lib
"""

_EXTRACT_UNIT = """\
[Unit]
Description=Fetch agent-tui out of the release
After=selinux.service start-local-registry.service
Before=agent-interactive-console.service
ConditionPathExists=@SETTINGS@
ConditionPathExists=@INTERACTIVE@
ConditionPathExists=@MISSING@

[Service]
Type=oneshot
TimeoutStartSec=300
ExecStart=/usr/local/bin/agent-extract-tui.sh

[Install]
WantedBy=agent-interactive-console.service
"""

_CONSOLE = """\
[Unit]
Description=@DESCRIPTION@
Wants=@EXTRACT@
After=dev-fb0.device @CARD@ @DEVICE@ network-pre.target NetworkManager.service pre-network-manager-config.service selinux.service @EXTRACT@
Before=@GETTY@ network.target network.service agent.service node-zero.service NetworkManager-wait-online.service
ConditionPathExists=/usr/local/bin/agent-tui
ConditionPathExists=@SCREEN@
ConditionPathExistsGlob=@CARDS@
ConditionPathExists=!/etc/assisted/node0

[Service]
Type=oneshot
TTYPath=@TERMINAL@
StandardInput=tty
TTYVHangup=@OWN_TERMINAL@
TTYVTDisallocate=@OWN_TERMINAL@
EnvironmentFile=@SETTINGS@
Environment=LD_LIBRARY_PATH=/usr/local/bin:/usr/local/lib
Environment=AGENT_TUI_LOG_PATH=/var/log/agent/agent-tui.log
TimeoutStartSec=infinity
ExecStartPre=/usr/bin/kill -s SIGRTMIN+21 1
ExecStartPre=@SWITCH@
ExecStartPre=/usr/bin/mkdir -p /var/log/agent
ExecStart=/usr/local/bin/agent-tui
ExecStopPost=@SWITCH_BACK@
ExecStopPost=/usr/bin/kill -s SIGRTMIN+20 1

[Install]
WantedBy=@WANTED_BY@
"""  # noqa: E501

_SCREEN = {
    "DESCRIPTION": "Network settings by hand, on the screen",
    "DEVICE": "",
    "GETTY": "getty@tty1.service",
    "SCREEN": "/dev/fb0",
    "CARDS": "/dev/dri/card*",
    "TERMINAL": "/dev/tty15",
    "OWN_TERMINAL": "yes",
    "SWITCH": "/usr/bin/chvt 15",
    "SWITCH_BACK": "/usr/bin/chvt 1",
    "WANTED_BY": "getty@tty1.service",
}
_SERIAL = {
    "DESCRIPTION": "Network settings by hand, on %I",
    "DEVICE": "dev-%i.device",
    "GETTY": "serial-getty@%i.service",
    "SCREEN": "!/dev/fb0",
    "CARDS": "!/dev/dri/card*",
    "TERMINAL": "/dev/%I",
    "OWN_TERMINAL": "",
    "SWITCH": "",
    "SWITCH_BACK": "",
    "WANTED_BY": "serial-getty@.service",
}


def console_files(profile: ReleaseProfile) -> list[IgnitionFile]:
    return [script("agent-extract-tui.sh", _EXTRACT)] if profile.extract_tui else []


def console_units(profile: ReleaseProfile) -> list[Unit]:
    extract = "agent-extract-tui.service" if profile.extract_tui else ""
    units = [Unit("agent-interactive-console.service", _console(_SCREEN, extract, profile))]
    if profile.serial_console:
        units.append(Unit("agent-interactive-console-serial@.service", _console(_SERIAL, extract, profile)))
    if extract:
        # 4.20 starts it in the interactive workflow only.
        units.append(Unit(extract, _extract_unit(profile), enabled=profile.interactive_sentinel))
    return units


def _console(values: dict[str, str], extract: str, profile: ReleaseProfile) -> str:
    text = _CONSOLE
    card, cards, screen = "", "", values["SCREEN"]
    if profile.screen_by_drm:
        # Either of the two is a screen: "|" makes alternatives of conditions.
        either = "" if screen.startswith("!") else "|"
        card, cards, screen = "dev-dri-card0.device", either + values["CARDS"], either + screen
    for key, value in (("CARD", card), ("DEVICE", values["DEVICE"]), ("EXTRACT", extract)):
        if not value:
            text = text.replace(f" @{key}@ ", " ").replace(f" @{key}@\n", "\n")
    return unit_text(
        text,
        {**values, "SCREEN": screen, "CARD": card, "CARDS": cards, "EXTRACT": extract, "SETTINGS": AGENT_INSTALLER_ENV},
    )


def _extract_unit(profile: ReleaseProfile) -> str:
    values = {
        "SETTINGS": "/etc/assisted/rendezvous-host.env.template"
        if profile.interactive_sentinel
        else "/etc/assisted/rendezvous-host.env",
        "INTERACTIVE": INTERACTIVE,
        "MISSING": "!/usr/local/bin/agent-tui" if profile.interactive_sentinel else "",
    }
    return unit_text(_EXTRACT_UNIT, values)


_UI = """\
[Unit]
Description=Web interface of the agent installer
Wants=network-online.target assisted-service.service
After=network-online.target node-zero.service assisted-service.service
PartOf=assisted-service-pod.service
Conflicts=@CONFLICTS@
ConditionPathExists=/etc/assisted/node0
ConditionPathExists=@INTERACTIVE@
ConditionPathExists=@MANIFESTS@

[Service]
Type=notify
NotifyAccess=all
Environment=PODMAN_SYSTEMD_UNIT=%n
Environment=@IMAGE@
EnvironmentFile=@AGENT_IMAGES@
EnvironmentFile=/etc/assisted/rendezvous-host.env
Restart=on-failure
TimeoutStartSec=infinity
ExecStartPre=/usr/bin/rm -f %t/%n.ctr-id
ExecStartPre=/usr/local/bin/wait-for-assisted-service.sh
ExecStart=/usr/bin/podman run --detach --name=agent-installer-ui --replace --rm --cidfile=%t/%n.ctr-id \\
    --pod-id-file=%t/assisted-service-pod.pod-id --cgroups=no-conmon --sdnotify=conmon --log-driver=journald \\
    --env=AIUI_APP_API_URL ${INSTALLER_UI_IMAGE}
ExecStop=/usr/bin/podman stop --ignore --time 10 --cidfile=%t/%n.ctr-id
ExecStopPost=/usr/bin/podman rm --ignore --force --cidfile=%t/%n.ctr-id

[Install]
WantedBy=multi-user.target
"""


def ui_units(profile: ReleaseProfile) -> list[Unit]:
    """The web interface: only the interactive workflow has what its condition asks for.

    Up to 4.20 its image comes with the appliance.
    """
    values = {
        "INTERACTIVE": INTERACTIVE,
        "AGENT_IMAGES": AGENT_IMAGES_ENV,
        "CONFLICTS": "" if profile.agent_ui else "agent-register-cluster.service agent-import-cluster.service",
        "MANIFESTS": "/etc/assisted/manifests" if profile.interactive_infra_env else "",
        "IMAGE": "" if profile.agent_ui else "INSTALLER_UI_IMAGE=localhost/agent-installer-ui:latest",
    }
    if profile.agent_ui:
        return [Unit("agent-ui.service", unit_text(_UI, values))]
    return [Unit("agent-start-ui.service", unit_text(_UI, values), enabled=False)] if profile.start_ui else []
