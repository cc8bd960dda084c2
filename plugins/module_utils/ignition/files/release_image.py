# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files with the scripts that pull the release image and look up the images that it refers to.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin, assisted-service-pod.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile, profile_of
from ...cluster.spec import Cluster
from ...manifests.mirrors import release_mirror
from ..document import IgnitionFile
from .placing import script

_RELEASE_IMAGE = r"""# shellcheck shell=bash
# Sourced by the scripts of the agent installer: which release is installed, and the images that belong to it.
RELEASE_IMAGE=@RELEASE_IMAGE@
# The same image in the first mirror of its repository; empty without one.
RELEASE_IMAGE_MIRROR=@RELEASE_IMAGE_MIRROR@
# shellcheck disable=SC2034  # used by those who source this
PULL_SECRET_FILE=/root/.docker/config.json

# local_release_image: the digest of the release image in local storage; fails while it is not there.
local_release_image() {
    local name
    for name in "$RELEASE_IMAGE" $RELEASE_IMAGE_MIRROR; do
        if podman image exists "$name"; then
            podman image inspect --format '{{.Id}}' "$name"
            return
        fi
    done
    return 1
}

# image_for COMPONENT: the pull spec of a component, by digest, as the release image itself names it.
image_for() {
    local release
    release=$(local_release_image) && podman run --quiet --rm --net=none "$release" image "$1"
}
"""

_DOWNLOAD = r"""#!/bin/bash
# Pull the release image, however long the registry takes to be reachable; then check that it runs on this machine.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/issue_status.sh
source /usr/local/bin/bootstrap-service-record.sh
source /usr/local/bin/release-image.sh

issue=55_release-image

# The mirror by its own name is for a release named by tag: registries.conf mirrors digests only.
pull() {
    local name
    for name in "$RELEASE_IMAGE" $RELEASE_IMAGE_MIRROR; do
        if podman pull --quiet --authfile "$PULL_SECRET_FILE" "$name" >/dev/null; then
            return 0
        fi
    done
    return 1
}

until local_release_image >/dev/null; do
    log "Pulling the release image $RELEASE_IMAGE"
    record_service_stage_start pull-release-image
    if pull; then
        record_service_stage_success
    else
        record_service_stage_failure
        set_issue "$issue" "The release image $RELEASE_IMAGE cannot be pulled. Trying again; see 'journalctl -u agent -u assisted-service-pod'."
        sleep 10
    fi
done

record_service_stage_start image-metadata-arches-match
image_architecture=$(podman image inspect --format '{{.Architecture}}' "$(local_release_image)")
host_architecture=$(podman info --format '{{.Host.Arch}}')
if [[ $image_architecture != "$host_architecture" ]]; then
    record_service_stage_failure
    set_issue "$issue" "The release image $RELEASE_IMAGE is for $image_architecture, but this machine is $host_architecture. Nothing can be installed here."
    log "The release image is for $image_architecture, this machine is $host_architecture."
    exit 1
fi
record_service_stage_success
clear_issue "$issue"
"""  # noqa: E501

_RECORD = r"""# shellcheck shell=bash
# Sourced by scripts that take their time: notes when a stage began and how it ended, in /var/log/openshift/<unit>.json, for later analysis.

SERVICE_RECORDS_DIR=${SERVICE_RECORDS_DIR:-/var/log/openshift}
_stage=

# add_service_record PHASE [RESULT]: a record that cannot be written is no reason to stop.
add_service_record() {
    local unit file record
    unit=$(ps -o unit= "$$" 2>/dev/null) || unit=
    unit=${SERVICE_NAME:-${unit%.service}}
    file=$SERVICE_RECORDS_DIR/${unit:-shell}.json
    record=$(jq --null-input --compact-output --arg timestamp "$(date --utc +%Y-%m-%dT%H:%M:%SZ)" --arg stage "$_stage" --arg phase "$1" --arg result "${2:-}" \
        '{timestamp: $timestamp, stage: $stage, phase: $phase} + (if $result == "" then {} else {result: $result} end)') || return 0
    mkdir -p "$SERVICE_RECORDS_DIR" || return 0
    # One array in the file, a record a line, written to a new file and renamed so that a reader never sees half of it.
    if [[ -s $file ]]; then
        { sed '$d' "$file" | sed '$s/$/,/' && printf '%s\n]\n' "$record"; } >"$file.part" && mv "$file.part" "$file" || return 0
    else
        printf '[\n%s\n]\n' "$record" >"$file" || return 0
    fi
}

record_service_stage_start() {
    _stage=$1
    add_service_record "stage start"
}

record_service_stage_success() {
    add_service_record "stage end" success
    _stage=
}

record_service_stage_failure() {
    add_service_record "stage end" failure
    _stage=
}
"""  # noqa: E501

_CONTAINER_IMAGES = r"""#!/bin/bash
# Write the images of the assisted service, as this release names them, for the units that run them.
# shellcheck disable=SC1091  # what it sources lies on the live system
set -euo pipefail
source /usr/local/bin/common.sh
source /usr/local/bin/release-image.sh

images=/usr/local/share/assisted-service/agent-images.env

/usr/local/bin/release-image-download.sh
while read -r variable component; do
    until image=$(image_for "$component") && [[ -n $image ]]; do
        log "The release image does not yet tell the image of $component"
        sleep 5
    done
    printf '%s=%s\n' "$variable" "$image"
done >"$images.part" <<'END'
#IMAGES#
END
mv "$images.part" "$images"
"""

_COMPONENTS = {
    "SERVICE_IMAGE": "agent-installer-api-server",
    "CONTROLLER_IMAGE": "agent-installer-csr-approver",
    "INSTALLER_IMAGE": "agent-installer-orchestrator",
    "AGENT_DOCKER_IMAGE": "agent-installer-node-agent",
}


def _components(profile: ReleaseProfile) -> dict[str, str]:
    """Variable -> component.

    A release that has no such component would never tell its image, and the pod would wait indefinitely.
    """
    utils = {"AGENT_INSTALLER_UTILS_IMAGE": "agent-installer-utils"} if profile.extract_tui else {}
    user_interface = {"INSTALLER_UI_IMAGE": "agent-installer-ui"} if profile.agent_ui else {}
    return {**_COMPONENTS, **utils, **user_interface}


def release_image_files(cluster: Cluster) -> list[IgnitionFile]:
    values = {
        "RELEASE_IMAGE_MIRROR": release_mirror(cluster.release_image, cluster.image_digest_sources),
        "RELEASE_IMAGE": cluster.release_image,
    }
    images = "\n".join(
        f"{variable} {component}" for variable, component in _components(profile_of(cluster.version)).items()
    )
    return [
        script("release-image.sh", _RELEASE_IMAGE, values),
        script("release-image-download.sh", _DOWNLOAD),
        script("bootstrap-service-record.sh", _RECORD),
        script("get-container-images.sh", _CONTAINER_IMAGES.replace("#IMAGES#", images)),
    ]
