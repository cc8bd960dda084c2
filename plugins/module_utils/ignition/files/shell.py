# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files with the shell functions that the scripts of the live system share.

The functions send requests to the assisted service and show messages on the console.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ..document import IgnitionFile
from .placing import script

_COMMON = r"""# shellcheck shell=bash
# Sourced by the scripts of the agent installer.
# api, cluster_field and infra_env_id need SERVICE_BASE_URL and, where the service asks for it, USER_AUTH_TOKEN (/etc/assisted/rendezvous-host.env).

log() {
    printf '%s\n' "$*" >&2
}

# api METHOD PATH [JSON]: the service's answer on stdout; fails on anything but 2xx.
# The token stays out of the argument list, which every process may read. The rendezvous host is never behind a proxy.
api() {
    local body=()
    [[ $# -lt 3 ]] || body=(--header 'Content-Type: application/json' --data "$3")
    curl --silent --show-error --fail --globoff --noproxy '*' --max-time 60 --request "$1" "${body[@]}" \
        --config <(printf 'header = "Authorization: %s"\n' "${USER_AUTH_TOKEN:-}") \
        "${SERVICE_BASE_URL}api/assisted-install/v2$2"
}

# cluster_field NAME: a field of the only cluster; empty while there is none.
cluster_field() {
    api GET /clusters | jq --raw-output --arg name "$1" '.[0][$name] // empty'
}

# infra_env_id: the id of the only infra-env; empty while there is none.
infra_env_id() {
    api GET /infra-envs | jq --raw-output '.[0].id // empty'
}
"""  # noqa: E501

_ISSUE_STATUS = r"""# shellcheck shell=bash
# Sourced by the scripts of the agent installer: status lines above the login prompt of every console (issue(5)).

# set_issue NAME TEXT: show TEXT until it is set again or cleared. Files are shown in the order of their names.
set_issue() {
    local file="/etc/issue.d/$1.issue"
    mkdir -p /etc/issue.d
    if [[ -f $file && "$(<"$file")" == "$2" ]]; then
        return 0
    fi
    printf '%s\n' "$2" >"$file"
    refresh_consoles
}

# clear_issue NAME: show nothing under this name any more.
clear_issue() {
    if [[ -f /etc/issue.d/$1.issue ]]; then
        rm -f "/etc/issue.d/$1.issue"
        refresh_consoles
    fi
}

# A console with a logged-in user is left alone by agetty; one without agetty has nothing to refresh.
refresh_consoles() {
    agetty --reload 2>/dev/null || true
}
"""

_WAIT_FOR_SERVICE = r"""#!/bin/bash
# Wait until the assisted service answers; with the argument "infra-env", until it has an infra-env as well.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh

ready() {
    if [[ ${1:-} == infra-env ]]; then
        local id
        id=$(infra_env_id) && [[ -n $id ]]
    else
        api GET /infra-envs >/dev/null
    fi
}

log "Waiting for the assisted service at ${SERVICE_BASE_URL}"
until ready "${1:-}" 2>/dev/null; do
    sleep 5
done
log "The assisted service answers."
"""


def shell_files() -> list[IgnitionFile]:
    return [
        script("common.sh", _COMMON),
        script("issue_status.sh", _ISSUE_STATUS),
        script("wait-for-assisted-service.sh", _WAIT_FOR_SERVICE),
    ]
