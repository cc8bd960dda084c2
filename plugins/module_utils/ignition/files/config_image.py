# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that load the configuration from a second medium, the configuration image.

The OpenShift appliance installs in this way. In an image that is already configured these units do nothing.

Source: openshift/installer pkg/asset/agent/configimage.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile
from ..document import PRIVATE, IgnitionFile, Unit
from .placing import once, script, unit_text

# A medium with this label carries configuration.
_RULE = """\
ACTION=="add|change", SUBSYSTEM=="block", ENV{ID_FS_LABEL}=="agent_configimage", ENV{SYSTEMD_WANTS}+="load-config-iso@$devnode.service"
"""  # noqa: E501

_WAIT = r"""#!/bin/bash
# Say on the console that this machine still waits for its configuration, until it has it.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/issue_status.sh

issue=60-check-config-image
until [[ -f /etc/assisted/rendezvous-host.env ]]; do
    set_issue "$issue" "Insert or mount the configuration image to start the installation."
    sleep 30
done
clear_issue "$issue"
"""

_LOAD = r"""#!/bin/bash
# Take over the configuration on a medium: load-config-iso.sh DEVICE. CONFIG_IMAGE_FILES names the files and directories to take, with commas between.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh

issue=95_load-config-image
medium=/media/config-image
image_set=/etc/assisted/manifests/cluster-image-set.yaml
unpacked=$(mktemp --directory)
trap 'rm -rf "$unpacked"' EXIT

refuse() {
    log "$1"
    set_issue "$issue" "Installation cannot proceed: $1"
    return 1
}

# unpack: the archive into a directory of its own, whatever its names begin with.
unpack() {
    gzip --decompress --stdout "$medium/config.gz" |
        cpio --extract --quiet --make-directories --unconditional --no-absolute-filenames --directory="$unpacked" 2>/dev/null
}

# take PATH: a file, or a directory with what the medium has of it.
take() {
    if [[ $1 == *.* || $1 == /etc/issue ]]; then
        [[ -f $unpacked$1 ]] || refuse "file $1 is not in the configuration image" || return 1
        mkdir -p "${1%/*}"
        cp --preserve=mode "$unpacked$1" "$1"
    elif [[ -d $unpacked$1 ]]; then
        mkdir -p "$1"
        cp --recursive --preserve=mode "$unpacked$1/." "$1/"
    fi
}

load() {
    local path paths
    unpack || refuse "the configuration image cannot be read" || return 1
    cmp --silent "$image_set" "$unpacked$image_set" || refuse "the configuration image is for another release" || return 1
    IFS=, read -ra paths <<<"${CONFIG_IMAGE_FILES:-}"
    for path in "${paths[@]}"; do
        take "$path" || return 1
    done
    mkdir -p /etc/assisted/extra-manifests
}

# What is configured now takes effect.
apply() {
    local file
    if [[ ! -f /etc/assisted/appliance-override-password-set ]]; then
        # usermod reads a hash from its arguments only; it is a hash, and this machine has no other users yet.
        usermod --password "$(</opt/agent/tls/kubeadmin-password.hash)" core
    fi
    if [[ $(systemctl is-enabled start-cluster-installation.service) == disabled ]]; then
        systemctl --no-block --now enable start-cluster-installation.service
    fi
    if [[ -d /etc/assisted/network ]]; then
        /usr/local/bin/pre-network-manager-config.sh
        systemctl restart NetworkManager
        for file in /etc/NetworkManager/system-connections/*.nmconnection; do
            [[ ! -f $file ]] || nmcli connection up "$(basename "$file" .nmconnection)"
        done
    fi
}

systemd-mount --no-block --automount=yes --collect "$1" "$medium"
until [[ -f $medium/config.gz ]] && load; do
    log "No configuration on $1 yet"
    sleep 5
done
clear_issue "$issue"
apply
log "The configuration on $1 is loaded"
"""  # noqa: E501

_ORDER = """\
Wants=network-online.target
After=network-online.target
ConditionPathExists=@SENTINEL@
"""
_LOAD_SERVICE = """\
Environment=CONFIG_IMAGE_FILES=
Restart=on-failure
RestartSec=10
"""


def config_image_files() -> list[IgnitionFile]:
    return [
        IgnitionFile("/etc/udev/rules.d/80-agent-config-image.rules", PRIVATE, _RULE.encode()),
        script("agent-config-image-wait.sh", _WAIT),
        script("load-config-iso.sh", _LOAD),
    ]


def config_image_units(profile: ReleaseProfile) -> list[Unit]:
    """Neither is enabled: one is for images without configuration, the other is started by the udev rule."""
    sentinel = "!/etc/assisted/no-config-image"
    load = once("Load the configuration on %I", "load-config-iso.sh %I", _ORDER, _LOAD_SERVICE)
    wait = once("Ask for the configuration image", "agent-config-image-wait.sh", _ORDER)
    load = unit_text(load, {"SENTINEL": sentinel if profile.interactive else ""})
    wait = unit_text(wait, {"SENTINEL": sentinel if profile.interactive_sentinel else ""})
    return [
        Unit("agent-check-config-image.service", wait, enabled=False),
        Unit("load-config-iso@.service", load, enabled=False),
    ]
