# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that show the installation status on the console and collect data for support.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import IgnitionFile, Unit
from .environment import RENDEZVOUS_HOST_ENV
from .placing import script, unit_text

_INSTALL_STATUS = r"""#!/bin/bash
# Show above the login prompt of the rendezvous host what the installation waits for, and its state.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

issue=80_install-status
failures=/run/agent-installer/host-config-failures
interactive=
[[ ! -f /etc/assisted/interactive-ui ]] || interactive=yes

# services: what has to run, or to have run, in this workflow, in order.
services() {
    printf '%s\n' assisted-service
    if [[ -n $interactive ]]; then
        printf '%s\n' agent-ui
    elif [[ -f /etc/assisted/add-nodes.env ]]; then
        printf '%s\n' agent-import-cluster agent-register-infraenv apply-host-config agent-add-node
    else
        printf '%s\n' @REGISTERING@ apply-host-config start-cluster-installation
    fi
}

# waiting_for: the services that are not there yet, each with its state.
waiting_for() {
    local unit state waiting=()
    for unit in $(services); do
        state=$(systemctl is-active "$unit.service") || waiting+=("$unit ($state)")
    done
    [[ ${#waiting[@]} -eq 0 ]] || printf '\nWaiting for:%s' "$(printf '\n  %s' "${waiting[@]}")"
}

# describe: the state as one text.
describe() {
    local cluster
    if [[ -n $interactive ]] && systemctl is-active --quiet agent-ui.service; then
        printf 'Go to %s in a browser to continue the installation.\n' "${AIUI_URL:-}"
    fi
    if ! cluster=$(api GET /clusters 2>/dev/null); then
        printf 'The assisted service does not answer yet; see "journalctl -u assisted-service".'
        waiting_for
        return
    fi
    jq --raw-output --join-output '
        if length == 0 then "The cluster is not registered yet."
        else .[0] | "Cluster \(.name // "") is \(.status // "unknown"): \(.status_info // "")" end' <<<"$cluster"
    waiting_for
    if [[ -s $failures ]]; then
        printf '\nHosts that cannot be configured:\n%s' "$(<"$failures")"
    fi
}

status=
until [[ $status == installed ]]; do
    set_issue "$issue" "$(describe)"
    status=$(cluster_field status 2>/dev/null) || status=
    [[ $status == installed ]] || sleep 10
done
set_issue "$issue" "$(describe)"
"""

_UNIT = """\
[Unit]
Description=State of the installation on the console
Wants=network-online.target assisted-service-pod.service
After=network-online.target node-zero.service assisted-service-pod.service
ConditionPathExists=/etc/assisted/node0

[Service]
Type=simple
EnvironmentFile=@RENDEZVOUS@
Restart=on-failure
RestartSec=10
ExecStart=/usr/local/bin/install-status.sh

[Install]
WantedBy=multi-user.target
"""

_GATHER = r"""#!/bin/bash
# Collect what a person needs to find out why an installation does not proceed: journals, containers, network, disks, and the service's own view.
# Tokens, keys and the pull secret are left out.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail

usage() {
    cat <<'END'
Usage: agent-gather [-O | -o FILE]
  -O       write the archive (tar, xz) to standard output
  -o FILE  write it to FILE (default: ./agent-gather.tar.xz)
END
}

target=./agent-gather.tar.xz
while getopts 'Oo:h' option; do
    case $option in
        O) target=- ;;
        o) target=$OPTARG ;;
        h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
logs=$directory/agent-gather
mkdir "$logs" "$logs/journal" "$logs/containers" "$logs/service"

# collect FILE COMMAND...: what the command prints, whether or not it succeeds.
collect() {
    local file=$logs/$1
    shift
    "$@" >"$file" 2>&1 || printf '\n%s: exit status %s\n' "$*" "$?" >>"$file"
}

for unit in agent agent-add-node agent-import-cluster agent-register-cluster agent-register-infraenv apply-host-config assisted-service \
    assisted-service-db assisted-service-pod create-cluster-and-infraenv install-status iscsistart node-zero oci-eval-user-data \
    pre-network-manager-config selinux set-hostname start-cluster-installation NetworkManager chronyd; do
    collect "journal/$unit.log" journalctl --no-pager --output=short-iso --unit="$unit"
done
collect journal/kernel.log journalctl --no-pager --output=short-iso --dmesg
collect units systemctl --no-pager list-units --all
collect failed-units systemctl --no-pager list-units --failed
collect addresses ip address
collect routes ip route show table all
collect routes6 ip -6 route show table all
collect connections nmcli connection show
collect devices nmcli device show
collect resolv.conf cat /etc/resolv.conf
collect time chronyc -n sources
collect disks lsblk --output NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT,MODEL,SERIAL,WWN
collect memory free --mebi
collect kernel-arguments cat /proc/cmdline
collect hostname hostname
collect assisted-files find /etc/assisted -ls
collect service-records cat /var/log/openshift/*.json
collect host-config-failures cat /run/agent-installer/host-config-failures
collect containers/list podman ps --all --pod
collect containers/images podman images --digests
for name in assisted-db service agent-import-cluster agent-register-cluster agent-register-infraenv apply-host-config; do
    collect "containers/$name.log" podman logs --timestamps "$name"
done

if [[ -f /etc/assisted/node0 && -f /etc/assisted/rendezvous-host.env ]]; then
    # shellcheck source=/dev/null
    source /etc/assisted/rendezvous-host.env
    source /usr/local/bin/common.sh
    # without_secrets PATH: an answer of the service, or of many, without credentials.
    without_secrets() {
        api GET "$1" | jq 'walk(if type == "object" then with_entries(select(.key | test("pull_secret|token|password|ssh_|kubeconfig"; "i") | not)) else . end)'
    }
    collect service/clusters.json without_secrets /clusters
    collect service/infra-envs.json without_secrets /infra-envs
    id=$(infra_env_id 2>/dev/null) || id=
    if [[ -n $id ]]; then
        collect service/hosts.json without_secrets "/infra-envs/$id/hosts"
        collect service/events.json without_secrets "/events?infra_env_id=$id"
    fi
fi

tar --create --xz --file "$target" --directory "$directory" agent-gather
if [[ $target != - ]]; then
    printf 'Written to %s\n' "$target" >&2
fi
"""  # noqa: E501


def status_files(profile: ReleaseProfile) -> list[IgnitionFile]:
    registering = (
        "agent-register-cluster agent-register-infraenv"
        if profile.separate_registration
        else "create-cluster-and-infraenv"
    )
    return [
        script("install-status.sh", _INSTALL_STATUS.replace("@REGISTERING@", registering)),
        script("agent-gather", _GATHER),
    ]


def status_units() -> list[Unit]:
    return [Unit("install-status.service", unit_text(_UNIT, {"RENDEZVOUS": RENDEZVOUS_HOST_ENV}))]
