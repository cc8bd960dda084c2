# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that run the discovery agent on every host.

They copy the agent from the release image and start it with the URL of the assisted service.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ..document import IgnitionFile, Unit
from .environment import RENDEZVOUS_HOST_ENV
from .placing import script, unit_text

_EXTRACT = r"""#!/bin/bash
# Copy the agent out of the image that this release names for it, and remember which image that is.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/release-image.sh

/usr/local/bin/release-image-download.sh
until image=$(image_for agent-installer-node-agent) && [[ -n $image ]]; do
    log "The release image does not yet tell the image of the agent"
    sleep 5
done
until podman pull --quiet --authfile "$PULL_SECRET_FILE" "$image" >/dev/null; do
    log "The agent's image $image cannot be pulled; trying again"
    sleep 5
done
# An agent that still runs keeps its old file.
podman run --rm --privileged --net=none --volume /usr/local/bin:/hostbin --entrypoint /usr/bin/cp "$image" --remove-destination /usr/bin/agent /hostbin/agent
mkdir -p /run/agent-installer
printf '%s\n' "$image" >/run/agent-installer/agent-image
"""  # noqa: E501

_START = r"""#!/bin/bash
# Run the agent against the one infra-env of the service on the rendezvous host.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh

log "Waiting for the infra-env of ${SERVICE_BASE_URL}"
until id=$(infra_env_id) && [[ -n $id ]]; do
    sleep 5
done
log "The infra-env is $id"
exec /usr/local/bin/agent --url "$SERVICE_BASE_URL" --infra-env-id "$id" --agent-version "$(</run/agent-installer/agent-image)" --insecure=true
"""  # noqa: E501

_UNIT = """\
[Unit]
Description=Agent: registers this host and does what the assisted service asks for
Wants=network-online.target set-hostname.service
After=network-online.target set-hostname.service selinux.service
StartLimitIntervalSec=0

[Service]
Type=simple
EnvironmentFile=@RENDEZVOUS@
Restart=always
RestartSec=3
TimeoutStartSec=infinity
ExecStartPre=/usr/local/bin/extract-agent.sh
ExecStart=/usr/local/bin/start-agent.sh

[Install]
WantedBy=multi-user.target
"""


def agent_files() -> list[IgnitionFile]:
    return [script("extract-agent.sh", _EXTRACT), script("start-agent.sh", _START)]


def agent_units() -> list[Unit]:
    return [Unit("agent.service", unit_text(_UNIT, {"RENDEZVOUS": RENDEZVOUS_HOST_ENV}))]
