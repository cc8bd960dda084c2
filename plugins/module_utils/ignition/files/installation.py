# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that start the installation as soon as every host is ready.

They run on the rendezvous host.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import IgnitionFile, Unit
from .environment import ADD_NODES_ENV, ASSISTED_SERVICE_ENV, INSTALL, RENDEZVOUS_HOST_ENV, START_CLUSTER_ENV
from .placing import once, script, unit_text

_START = r"""#!/bin/bash
# Start the installation as soon as exactly the required number of hosts is known, and again whenever the cluster falls back to "ready".
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

issue=70_start-cluster-installation
required=$((REQUIRED_MASTER_NODES + ${REQUIRED_ARBITER_NODES:-0} + REQUIRED_WORKER_NODES))

known_hosts() {
    api GET "/infra-envs/$INFRA_ENV_ID/hosts" | jq '[.[] | select(.status == "known")] | length'
}

# A surplus host blocks as well: it is unknown which one is not meant.
wait_for_hosts() {
    local known
    until known=$(known_hosts) && [[ $known -eq $required ]]; do
        if [[ -n $known ]]; then
            log "$known of $required hosts are ready to be installed"
            set_issue "$issue" "Waiting for all hosts: $known of $required are ready to be installed."
        fi
        sleep 10
    done
}

# A line per host: id, role, MAC addresses.
host_rows() {
    api GET "/infra-envs/$INFRA_ENV_ID/hosts" |
        jq --raw-output '.[] | [.id, .role, (.inventory // "{}" | fromjson | .interfaces[]?.mac_address | ascii_downcase)] | @tsv'
}

# configured_role MAC...: the role that the configuration gives to the host with one of these addresses.
configured_role() {
    local directory mac
    for directory in /etc/assisted/hostconfig/*/; do
        [[ -s ${directory}role ]] || continue
        for mac in "$@"; do
            if grep --quiet --line-regexp --fixed-strings "$mac" "${directory}mac_addresses"; then
                cat "${directory}role"
                return
            fi
        done
    done
}

# The client leaves a host to "auto-assign" if the service suggests the right role at that moment. The service may suggest others a moment later, and a
# worker and a control-plane host have swapped places. So every configured role is final before the start.
pin_roles() {
    local rows id role macs wanted
    rows=$(host_rows) || return 1
    while IFS=$'\t' read -r id role macs; do
        # shellcheck disable=SC2086  # one word for each address
        wanted=$(configured_role $macs)
        if [[ -n $wanted && $wanted != "$role" ]]; then
            api PATCH "/infra-envs/$INFRA_ENV_ID/hosts/$id" "{\"host_role\": \"$wanted\"}" >/dev/null || return 1
            log "Host $id is $wanted"
        fi
    done <<<"$rows"
}

until cluster_id=$(cluster_field id) && [[ -n $cluster_id ]]; do
    sleep 2
done
log "The cluster is $cluster_id"

wait_for_hosts
until pin_roles; do
    log "The service refuses a role; trying again"
    sleep 5
done
# A new role is validated again.
wait_for_hosts
log "All $required hosts are ready to be installed"
set_issue "$issue" "All $required hosts are ready to be installed."

status=
until [[ $status == installed ]]; do
    status=$(cluster_field status) || status=
    if [[ $status == ready ]]; then
        if api POST "/clusters/$cluster_id/actions/install" >/dev/null; then
            log "The installation is started"
            set_issue "$issue" "The installation is started."
        else
            log "The service refuses to start the installation; trying again"
        fi
    fi
    [[ $status == installed ]] || sleep 5
done
log "The cluster is installed"
clear_issue "$issue"
"""  # noqa: E501

_ORDER = """\
Wants=network-online.target
Requires=apply-host-config.service
After=network-online.target node-zero.service apply-host-config.service
PartOf=assisted-service-pod.service
Conflicts=@CONFLICTS@
ConditionPathExists=/etc/assisted/node0
ConditionPathExists=@WORKFLOW@
"""
_SERVICE = """\
EnvironmentFile=@RENDEZVOUS@
EnvironmentFile=@SERVICE_ENV@
EnvironmentFile=@START@
Restart=on-failure
RestartSec=30
TimeoutStartSec=infinity
ExecStartPre=/usr/local/bin/wait-for-assisted-service.sh
"""


def starter_unit(description: str, program: str, *, workflow: str, conflicts: str) -> str:
    """The unit that starts an installation once every host is configured.

    ``workflow`` is the condition of its workflow, ``conflicts`` the unit of the other workflow; both are empty in a
    release that has one workflow only.
    """
    values = {
        "RENDEZVOUS": RENDEZVOUS_HOST_ENV,
        "SERVICE_ENV": ASSISTED_SERVICE_ENV,
        "START": START_CLUSTER_ENV,
        "CONFLICTS": conflicts,
        "WORKFLOW": workflow,
    }
    return unit_text(once(description, program, _ORDER, _SERVICE), values)


def installation_files() -> list[IgnitionFile]:
    return [script("start-cluster-installation.sh", _START)]


def installation_units(profile: ReleaseProfile, workflow: str) -> list[Unit]:
    """In every image; enabled in the one that installs."""
    text = starter_unit(
        "Start the installation of the cluster",
        "start-cluster-installation.sh",
        workflow=f"!{ADD_NODES_ENV}" if profile.add_nodes else "",
        conflicts="agent-add-node.service" if profile.add_nodes else "",
    )
    return [Unit("start-cluster-installation.service", text, enabled=workflow == INSTALL)]
