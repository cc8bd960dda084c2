# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that set the hostname of a host and check whether it is the rendezvous host.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ..document import IgnitionFile, Unit
from .placing import once, script

_SET_HOSTNAME = r"""#!/bin/bash
# Give this machine the hostname that was configured for one of its MAC addresses, whichever NIC has it and whether or not that has a link.
set -euo pipefail
shopt -s nullglob

addresses=$(ip address)
for file in /etc/assisted/hostnames/*; do
    mac=${file##*/}
    if [[ ${addresses,,} == *"${mac,,}"* ]]; then
        name=$(<"$file")
        printf 'This machine is %s: it has the MAC address %s\n' "$name" "$mac"
        hostnamectl set-hostname "$name"
        exit 0
    fi
done
printf 'No hostname is configured for a NIC of this machine; the one from DHCP or DNS stays.\n'
"""  # noqa: E501

_SET_NODE_ZERO = r"""#!/bin/bash
# Find out whether this machine is the rendezvous host. /etc/assisted/node0 exists on the rendezvous host alone and names the NIC with that address.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

settings=/etc/assisted/rendezvous-host.env
issue=40_rendezvous-host

until [[ -f $settings ]]; do
    set_issue "$issue" "No rendezvous host is configured yet: $settings is missing."
    sleep 30
done
# shellcheck source=/dev/null
source "$settings"

# mac_of ADDRESS: the MAC address of the interface with this IP address.
mac_of() {
    ip -json address show | jq --raw-output --arg ip "$1" 'first(.[] | select(any(.addr_info[]?; .local == $ip)) | .address) // empty'
}

# make_signers: those of the image, else new ones by the installer of the release.
make_signers() {
    local tls=/opt/agent/tls made image
    if [[ -n $(ls -A "$tls" 2>/dev/null) ]]; then
        return
    fi
    source /usr/local/bin/release-image.sh
    /usr/local/bin/release-image-download.sh
    image=$(image_for installer)
    made=$(mktemp --directory)
    podman run --rm --privileged --volume "$made:/assets" "$image" agent create certificates --dir=/assets
    mkdir -p "$tls"
    cp "$made"/tls/* "$tls/"
    rm -rf "$made"
}

for _ in 1 2 3 4 5 6; do
    mac=$(mac_of "$NODE_ZERO_IP")
    if [[ -n $mac ]]; then
        make_signers
        log "This machine is the rendezvous host: $NODE_ZERO_IP is on $mac"
        printf 'BOOTSTRAP_HOST_MAC=%s\n' "$mac" >/etc/assisted/node0
        set_issue "$issue" "This host ($NODE_ZERO_IP) is the rendezvous host."
        exit 0
    fi
    sleep 5
done
log "This machine is not the rendezvous host: $NODE_ZERO_IP is none of its addresses"
set_issue "$issue" "This host is not the rendezvous host. The rendezvous host is at $NODE_ZERO_IP."
"""  # noqa: E501

_HOSTNAME_ORDER = """\
Wants=network-online.target
After=local-fs.target
Before=agent-interactive-console.service network-online.target node-zero.service agent.service
"""
_NODE_ZERO_ORDER = """\
Wants=network-online.target
After=network-online.target
Before=assisted-service-pod.service
"""


def identity_files() -> list[IgnitionFile]:
    return [script("set-hostname.sh", _SET_HOSTNAME), script("set-node-zero.sh", _SET_NODE_ZERO)]


def identity_units() -> list[Unit]:
    node_zero = once("Is this the rendezvous host", "set-node-zero.sh", _NODE_ZERO_ORDER, "TimeoutStartSec=infinity\n")
    return [
        Unit("set-hostname.service", once("Hostname of this host", "set-hostname.sh", _HOSTNAME_ORDER)),
        Unit("node-zero.service", node_zero),
    ]
