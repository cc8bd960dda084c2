# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that join a node to a running cluster.

The node registers with the assisted service that runs on the node itself, and requests its installation there.

Source: openshift/installer pkg/asset/agent/joiner, pkg/asset/agent/workflow;
  openshift/assisted-service cmd/agentbasedinstaller/import.go.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import IgnitionFile, Unit
from .environment import ADD_NODES, ADD_NODES_ENV
from .installation import starter_unit
from .placing import script, unit_text

_ADD_NODE = r"""#!/bin/bash
# Install this machine as soon as the service on it finds it fit: every node that joins is a rendezvous host of its own, with itself as the only host.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

issue=90_add-node

until cluster_id=$(cluster_field id) && [[ -n $cluster_id ]]; do
    sleep 2
done
log "The cluster is $cluster_id"

# host_field NAME: a field of the only host; empty while there is none.
host_field() {
    api GET "/infra-envs/$INFRA_ENV_ID/hosts" | jq --raw-output --arg name "$1" '.[0][$name] // empty'
}

until status=$(host_field status) && [[ $status == known ]]; do
    set_issue "$issue" "Waiting for this host to be ready to be installed. The service says: ${status:-not registered yet}."
    sleep 10
done
host_id=$(host_field id)
clear_issue "$issue"
log "Host $host_id is ready to be installed"
if ! api POST "/infra-envs/$INFRA_ENV_ID/hosts/$host_id/actions/install" >/dev/null; then
    log "The service refuses to install this host"
    exit 1
fi
log "The installation of this host is started"
"""  # noqa: E501

_TOKEN_STATUS = r"""#!/bin/bash
# Say on the console when the tokens of this image have expired: from then on the service refuses every host, and nothing is installed.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

issue=65_token
expiry=$(date --utc --date "$AUTH_TOKEN_EXPIRY" +%s)
until [[ $(date --utc +%s) -gt $expiry ]]; do
    sleep 5
done
log "The tokens expired at $AUTH_TOKEN_EXPIRY"
set_issue "$issue" "The authentication token has expired ($AUTH_TOKEN_EXPIRY). Build a new image of nodes and boot this host from it."
exit 1
"""  # noqa: E501

_TOKEN_STATUS_UNIT = """\
[Unit]
Description=Whether the tokens of this image still hold
Wants=network-online.target
After=network-online.target agent-interactive-console.service
ConditionPathExists=@ADD_NODES@

[Service]
Type=simple
Restart=no
EnvironmentFile=@ADD_NODES@
ExecStart=/usr/local/bin/agent-auth-token-status.sh

[Install]
WantedBy=agent-add-node.service
"""


def joining_files(profile: ReleaseProfile) -> list[IgnitionFile]:
    files = [script("add-node.sh", _ADD_NODE)] if profile.add_nodes else []
    return [*files, script("agent-auth-token-status.sh", _TOKEN_STATUS)] if profile.token_status else files


def joining_units(profile: ReleaseProfile, workflow: str) -> list[Unit]:
    """In every image; enabled in the one that adds nodes."""
    wanted = workflow == ADD_NODES
    add = starter_unit(
        "Add this node to a cluster",
        "add-node.sh",
        workflow=ADD_NODES_ENV,
        conflicts="start-cluster-installation.service",
    )
    status = unit_text(_TOKEN_STATUS_UNIT, {"ADD_NODES": ADD_NODES_ENV})
    units = [Unit("agent-add-node.service", add, enabled=wanted)] if profile.add_nodes else []
    return [*units, Unit("agent-auth-token-status.service", status, enabled=wanted)] if profile.token_status else units
