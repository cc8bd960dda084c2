# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition files and units that configure the network of each host on the live system.

They are the NetworkManager keyfiles of each host, and a script that copies the keyfiles of this host to NetworkManager.

Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go,
  data/data/agent/files/usr/local/bin/pre-network-manager-config.sh.
"""

from __future__ import annotations

import dataclasses

from ...cluster.spec import Deployment, Host
from ...common.errors import InvalidInput
from ...common.problems import Problem
from ...common.yaml_text import dump_object
from ...nmstate.keyfiles import Keyfile, render_keyfiles
from ..document import PRIVATE, IgnitionFile, Unit
from .placing import BIN, once

NETWORK = "/etc/assisted/network"
INTERFACES_FILE = "mac_interface.ini"
# 0755 unlike the other programs: upstream writes this one by itself.
_SCRIPT_MODE = 0o755

_PRE_NETWORK_MANAGER = r"""#!/bin/bash
# Before NetworkManager starts: find the configuration that was written for this machine, by the MAC addresses of its NICs, and hand it over with the
# names that the NICs really have. Without one nothing is changed, and NetworkManager uses DHCP.
set -euo pipefail
shopt -s nullglob

configurations=/etc/assisted/network
connections=/etc/NetworkManager/system-connections
if [[ -e /etc/initrd-release ]]; then
    connections=/etc/coreos-firstboot-network
fi
longest_name=15

declare -A nic_of_mac=() nic_of_name=()
for address in /sys/class/net/*/address; do
    nic=${address%/address}
    nic=${nic##*/}
    mac=$(<"$address")
    if [[ -n $mac && -z ${nic_of_mac[${mac^^}]:-} ]]; then
        nic_of_mac[${mac^^}]=$nic
    fi
done

# fits DIRECTORY: whether it is a configuration for this machine; learns the NICs behind the names that it uses.
fits() {
    local keyfiles=("$1"/*.nmconnection) mac name known=1
    nic_of_name=()
    [[ -f $1/mac_interface.ini && ${#keyfiles[@]} -gt 0 ]] || return 1
    while IFS='=' read -r mac name || [[ -n $mac ]]; do
        if [[ -n $mac && -n $name && -n ${nic_of_mac[${mac^^}]:-} ]]; then
            nic_of_name[$name]=${nic_of_mac[${mac^^}]}
            known=0
        fi
    done <"$1/mac_interface.ini"
    return "$known"
}

# real_name TEXT: TEXT with the name of a NIC, or of a VLAN on a NIC (name.vlan), replaced by the real one.
real_name() {
    local text=$1 parent vlan nic
    if [[ -z $text ]]; then
        return
    fi
    parent=${text%.*}
    vlan=${text##*.}
    if [[ -n ${nic_of_name[$text]:-} ]]; then
        text=${nic_of_name[$text]}
    elif [[ $text == *.* && -n $parent && -n ${nic_of_name[$parent]:-} ]]; then
        nic=${nic_of_name[$parent]}
        text=${nic:0:longest_name-1-${#vlan}}.$vlan
    fi
    printf '%s' "$text"
}

# install_keyfile FILE
install_keyfile() {
    local name line target
    name=${1##*/}
    name=${name%.nmconnection}
    target=$connections/$(real_name "$name").nmconnection
    # Two configurations for one machine are a mistake; of connections that belong to no NIC the first one counts.
    if [[ -e $target && -z ${nic_of_name[${name%%.*}]:-} ]]; then
        printf 'There is a connection %s already; this one is passed over: %s\n' "$name" "$1"
        return
    fi
    while IFS= read -r line || [[ -n $line ]]; do
        if [[ $line == *=* ]]; then
            printf '%s=%s\n' "${line%%=*}" "$(real_name "${line#*=}")"
        else
            printf '%s\n' "$line"
        fi
    done <"$1" >"$target"
}

# NetworkManager refuses keyfiles that others may read.
umask 077
found=
for directory in "$configurations"/host*; do
    fits "$directory" || continue
    if [[ -z $found ]]; then
        mkdir -p "$connections"
        rm -f "$connections"/*
        found=yes
    fi
    printf 'Network configuration of this machine: %s\n' "$directory"
    for keyfile in "$directory"/*.nmconnection; do
        install_keyfile "$keyfile"
    done
done
if [[ -z $found ]]; then
    printf 'No network configuration is for a NIC of this machine (%s); NetworkManager keeps its own.\n' "${!nic_of_mac[*]}"
fi
"""  # noqa: E501

_ORDER = """\
DefaultDependencies=no
After=systemd-udev-settle.service local-fs.target
Wants=systemd-udev-settle.service
Before=NetworkManager.service network-pre.target
Wants=network-pre.target
"""


def network_files(deployment: Deployment) -> list[IgnitionFile]:
    """One directory for each host with a networkConfig, and the script; nothing when no host has one.

    Raises :class:`InvalidInput` with every networkConfig that cannot be rendered; paths are
    ``hosts[i].networkConfig.…``.
    """
    configurations, problems = [], []
    for index, host in enumerate(deployment.hosts):
        if host.network_config:
            try:
                configurations.append((_sort_key(host), host, render_keyfiles(host.network_config, host.nic_names)))
            except InvalidInput as error:
                problems += [_located(problem, index) for problem in error.problems]
    if problems:
        raise InvalidInput(problems)
    # The order is upstream's (by the text of the configuration), the number means nothing on the live system.
    configurations.sort(key=lambda configuration: configuration[0])
    files = [
        file
        for number, (_key, host, keyfiles) in enumerate(configurations)
        for file in _host_directory(number, host, keyfiles)
    ]
    return (
        [*files, IgnitionFile(f"{BIN}/pre-network-manager-config.sh", _SCRIPT_MODE, _PRE_NETWORK_MANAGER.encode())]
        if files
        else []
    )


def network_units(deployment: Deployment) -> list[Unit]:
    """In every image; enabled where there is something to choose from."""
    unit = once("Network configuration of this host", "pre-network-manager-config.sh", _ORDER)
    return [
        Unit("pre-network-manager-config.service", unit, enabled=any(host.network_config for host in deployment.hosts))
    ]


def interfaces_text(host: Host) -> str:
    """mac_interface.ini: sorted lines ``MAC=name``, MAC in the user's case, no newline at the end."""
    return "\n".join(sorted(f"{interface.mac_address}={interface.name}" for interface in host.interfaces))


def _sort_key(host: Host) -> tuple[str, str]:
    return dump_object(host.network_config), interfaces_text(host)


def _host_directory(number: int, host: Host, keyfiles: tuple[Keyfile, ...]) -> list[IgnitionFile]:
    directory = f"{NETWORK}/host{number}"
    texts = {keyfile.name: keyfile.text for keyfile in keyfiles} | {INTERFACES_FILE: interfaces_text(host)}
    return [IgnitionFile(f"{directory}/{name}", PRIVATE, text.encode()) for name, text in texts.items()]


def _located(problem: Problem, index: int) -> Problem:
    return dataclasses.replace(
        problem, path=".".join(part for part in (f"hosts[{index}].networkConfig", problem.path) if part)
    )
