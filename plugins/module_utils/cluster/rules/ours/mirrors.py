# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the release image and its mirrors.

The image reference must be valid and fit the version and the mirrors. The pull secret must have credentials for the
registries.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files, pkg/asset/agent/mirror.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....common.architectures import RPM_ARCHITECTURES
from ....common.problems import INVALID, Problem
from ...release import RELEASE_REPOSITORY, default_release_image
from ...upstream.repositories import image_error, repository_error
from ..checks import INSTALL_CONFIG, own
from ..facts import Facts

_IMAGE = "openshift_release_image"
# Registries that the service regards as public if there are no mirrors.
_PUBLIC = "quay.io"
_DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")
# Repositories with OpenShift releases, or with the images of releases.
_RELEASE_REPOSITORY = re.compile(
    r"/(ocp-release|ocp-v4\.0-art-dev|openshift/release(-images)?|ocp/release|okd/scos-(release|content))\b"
)
_TAG = re.compile(r"v?(?P<core>\d+\.\d+\.\d+)(-(?P<rest>.+))?")
_ARCHITECTURE = re.compile(r"(^|-)(?P<name>x86_64|amd64|aarch64|arm64|ppc64le|s390x|multi)(-|$)")


def registry_without_credentials(facts: Facts) -> Iterator[Problem]:
    """A registry that mirrors are on and the pull secret does not hold; once per registry."""
    if facts.pull_secret is None:
        return
    known = _registries(facts.pull_secret)
    for index, source in enumerate(facts.cluster.image_digest_sources):
        for position, mirror in enumerate(source.mirrors):
            registry = mirror.split("/")[0]
            if registry not in known and not repository_error(mirror):
                known.add(registry)
                path = f"imageDigestSources[{index}].mirrors[{position}]"
                yield own(
                    "registry-without-credentials",
                    path,
                    INVALID,
                    f"the pull secret does not hold {registry}",
                    value=mirror,
                    file=INSTALL_CONFIG,
                )


def release_registry_without_credentials(facts: Facts) -> Iterator[Problem]:
    """The service refuses a pull secret without the registry of the release image, unless that is public: quay.io, or
    what has mirrors.
    """
    repository, _tag, _digest = split_image(_image(facts))
    registry = repository.split("/")[0]
    if (
        facts.pull_secret is None
        or not repository
        or registry in _registries(facts.pull_secret)
        or registry in _DOCKER_HUB
    ):
        return
    mirrored = {source.source.split("/")[0] for source in facts.cluster.image_digest_sources if source.mirrors}
    if registry not in (mirrored or {_PUBLIC}):
        detail = f"the pull secret does not hold {registry}"
        yield own("release-registry-without-credentials", _IMAGE, INVALID, detail, value=facts.cluster.release_image)


def release_image_tag(facts: Facts) -> Iterator[Problem]:
    """registries.conf redirects pulls by digest only, so a mirrored release image that is named by tag is sought at its
    source.
    """
    repository, tag, digest = split_image(_image(facts))
    if not tag or digest:
        return
    if any(_covers(source.source, repository) for source in facts.cluster.image_digest_sources if source.mirrors):
        yield own(
            "release-image-tag",
            _IMAGE,
            INVALID,
            "mirrors are not used for an image that is named by tag",
            value=facts.cluster.release_image,
        )


def release_mirror(facts: Facts) -> Iterator[Problem]:
    """Mirrors are given for releases, and none of them is that of the release image: upstream wants its repository to
    the letter.

    Other mirrors (operators, other images) say nothing about the release; an image that is named where the mirrors are
    needs none, and the public one can be had without.
    """
    image = _image(facts)
    repository = split_image(image)[0]
    sources = [
        source
        for source in facts.cluster.image_digest_sources
        if source.mirrors and not repository_error(source.source)
    ]
    registries = {mirror.split("/")[0] for source in sources for mirror in source.mirrors}
    if not image or repository in [source.source for source in sources] or repository.split("/")[0] in registries:
        return
    wider = next((source.source for source in sources if _covers(source.source, repository)), "")
    if wider:
        detail = f"{wider} is only a part of its repository {repository}"
        yield own(
            "release-mirror", _IMAGE, INVALID, detail, value=image, hint=f"name {repository} as a source of its own"
        )
    elif repository != RELEASE_REPOSITORY and any(
        _RELEASE_REPOSITORY.search(f"/{source.source}") for source in sources
    ):
        yield own("release-mirror", _IMAGE, INVALID, f"no mirror has {repository} for its source", value=image)


def release_image_mismatch(facts: Facts) -> Iterator[Problem]:
    """What the tag of the release image says, against version and architectures."""
    image = _image(facts)
    match = _TAG.fullmatch(split_image(image)[1])
    version = _TAG.fullmatch(facts.cluster.version)
    if match is None:
        return
    build, architecture = _parts(match["rest"] or "")
    if version is not None:
        wanted = version["rest"] or ""
        if match["core"] != version["core"] or (build and wanted and build != wanted):
            yield own(
                "release-image-mismatch",
                _IMAGE,
                INVALID,
                (f"the tag names another version than {facts.cluster.version}"),
                value=image,
            )
            return
    pools = [facts.cluster.control_plane, *([facts.cluster.compute] if facts.cluster.compute.replicas else [])]
    needed = {RPM_ARCHITECTURES.get(pool.architecture, pool.architecture) for pool in pools}
    if architecture and architecture != "multi" and needed != {architecture}:
        detail = f"the tag names architecture {architecture}, the hosts have {', '.join(sorted(needed))}"
        yield own("release-image-mismatch", _IMAGE, INVALID, detail, value=image)


def release_image_form(facts: Facts) -> Iterator[Problem]:
    """A name that no container engine can pull. Text before an @ may be a login, so it is not shown."""
    image, cluster = facts.cluster.release_image, facts.cluster
    # A wrong version is reported as such.
    if not image or image == default_release_image(cluster.version, cluster.architecture):
        return
    if error := image_error(image):
        shown = None if "@" in image.partition("@sha256:")[0] else image
        yield own("release-image", _IMAGE, INVALID, f"is not the name of an image: {error}", value=shown)


def _image(facts: Facts) -> str:
    """The release image; empty for a text that is not the name of an image."""
    image = facts.cluster.release_image
    return "" if image_error(image) else image


def split_image(image: str) -> tuple[str, str, str]:
    """Repository, tag and digest of an image name; a colon before the last slash is that of a port."""
    name, _at, digest = image.partition("@")
    repository, colon, tag = name.rpartition(":")
    return (repository, tag, digest) if colon and "/" not in tag else (name, "", digest)


def _parts(rest: str) -> tuple[str, str]:
    """``rc.1-x86_64`` -> ``rc.1`` and ``x86_64`` (rpm's name)."""
    match = _ARCHITECTURE.search(rest)
    if match is None:
        return rest, ""
    return rest[: match.start()].rstrip("-"), RPM_ARCHITECTURES.get(match["name"], match["name"])


def _covers(source: str, repository: str) -> bool:
    return repository == source or repository.startswith(f"{source}/")


def _registries(auths: dict[str, object]) -> set[str]:
    return {re.sub(r"^https?://", "", name).split("/")[0] for name in auths}
