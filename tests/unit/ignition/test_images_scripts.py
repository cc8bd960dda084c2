# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's scripts that pull the release image and extract images and programs from it. They run in a
temporary root directory, with a script in place of podman.
"""

from __future__ import annotations

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import ImageDigestSource

from .scratch import NewSandbox

# A podman with local storage: images are files, one that is "pulled" appears, "run … image X" answers for the release.
PODMAN = """
case "$1 $2" in
    "image exists") [[ -e $SCRATCH/images/${3//\\//_} ]] ;;
    "image inspect")
        if [[ $4 == *Architecture* ]]; then echo "${IMAGE_ARCH:-amd64}"; else echo "id-of-$5"; fi ;;
    "info --format") echo amd64 ;;
    pull*)
        name=${!#}
        [[ " ${UNREACHABLE:-} " != *" $name "* ]] || exit 125
        mkdir -p "$SCRATCH/images"
        : >"$SCRATCH/images/${name//\\//_}" ;;
    run*)
        if [[ $* == *" image "* ]]; then echo "registry/${!#}@sha256:00"; fi ;;
esac
"""
RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"


def with_podman(box: Any) -> Any:
    box.command("podman", PODMAN)
    return box


def test_the_release_image_is_pulled_once(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    assert box.run("release-image-download.sh").returncode == 0
    assert box.run("release-image-download.sh").returncode == 0
    assert [call for call in box.calls("podman") if call.startswith("pull")] == [
        (f"pull --quiet --authfile {box.root}/root/.docker/config.json {RELEASE}")
    ]


def test_an_unreachable_registry_is_tried_without_end_and_shown(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("release-image-download.sh", env={"UNREACHABLE": RELEASE}, sleeps=2)
    assert result.returncode != 0
    assert set(box.lines("/sleeps")) == {"10"}
    assert f"{RELEASE} cannot be pulled" in box.read("/etc/issue.d/55_release-image.issue")


def test_the_mirror_replaces_a_release_named_by_tag(sandbox: NewSandbox) -> None:
    sources = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror:5000/ocp",)),)
    box = with_podman(sandbox(image_digest_sources=sources))
    result = box.run("get-container-images.sh", env={"UNREACHABLE": RELEASE})
    assert result.returncode == 0, result.stderr
    assert "run --quiet --rm --net=none id-of-mirror:5000/ocp:4.22.0-x86_64 image agent-installer-utils" in box.calls(
        "podman"
    )


def test_an_image_for_another_architecture_is_refused(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("release-image-download.sh", env={"IMAGE_ARCH": "arm64"})
    assert result.returncode == 1
    assert "is for arm64, but this machine is amd64" in box.read("/etc/issue.d/55_release-image.issue")


def test_the_images_of_the_service_are_those_of_the_release(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("get-container-images.sh")
    assert result.returncode == 0, result.stderr
    assert box.env_file("/usr/local/share/assisted-service/agent-images.env") == {
        "SERVICE_IMAGE": "registry/agent-installer-api-server@sha256:00",
        "CONTROLLER_IMAGE": "registry/agent-installer-csr-approver@sha256:00",
        "INSTALLER_IMAGE": "registry/agent-installer-orchestrator@sha256:00",
        "AGENT_DOCKER_IMAGE": "registry/agent-installer-node-agent@sha256:00",
        "AGENT_INSTALLER_UTILS_IMAGE": "registry/agent-installer-utils@sha256:00",
        "INSTALLER_UI_IMAGE": "registry/agent-installer-ui@sha256:00",
    }
    assert f"run --quiet --rm --net=none id-of-{RELEASE} image agent-installer-ui" in box.calls("podman")


def test_the_agent_comes_out_of_the_release(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("extract-agent.sh")
    assert result.returncode == 0, result.stderr
    agent = "registry/agent-installer-node-agent@sha256:00"
    assert box.read("/run/agent-installer/agent-image") == f"{agent}\n"
    assert box.calls("podman")[-1] == (
        f"run --rm --privileged --net=none --volume {box.root}/usr/local/bin:/hostbin --entrypoint /usr/bin/cp {agent}"
        " --remove-destination /usr/bin/agent /hostbin/agent"
    )
