# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Pin the release image by digest: ask a registry once for the digest of a tag, and keep it in release.json for all
later runs.

A registry may move a tag. The image of an interrupted installation must be built again byte for byte, so a tag is
resolved before the first image.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

from ...cluster.documents import Release
from ...cluster.files import RELEASE_FILE, read_release
from ...cluster.rules.checks import own
from ...cluster.spec import Cluster, Deployment
from ...common.connect import ConnectTo
from ...common.errors import ZeroTouchError
from ...common.problems import INVALID, Problem
from ...manifests.mirrors import PullSpec
from ..registry import Refused, check_image, login_of, places_of, trust_of

CHECK = "release-not-pinned"
# Seconds: for all registries together, name resolution included, and for one request.
_WITHIN, _TIMEOUT = 10.0, 5.0
_SET = "name it by digest in cluster-image-set.yaml (spec.releaseImage: repository@sha256:…)"


class NotResolved(Exception):
    """No registry gave the digest; the text says why."""


@dataclasses.dataclass(frozen=True)
class PinnedRelease:
    """The deployment, whose release image is named by digest unless ``problem`` says why not.

    ``asked``: a registry was asked.
    """

    deployment: Deployment
    asked: bool = False
    problem: Problem | None = None

    @property
    def step(self) -> str:
        """What was resolved, in words; empty where nothing was."""
        cluster = self.deployment.cluster
        return (
            f"pin the release {cluster.release_tag} to {cluster.release_image}"
            if self.asked and not self.problem
            else ""
        )


def recorded_release(directory: Path, version: str) -> Release:
    """What release.json of a configuration directory says about this version."""
    return read_release(directory / RELEASE_FILE, version, "", [])


def with_recorded_pin(deployment: Deployment, recorded: Release) -> Deployment:
    """The deployment with the digest that an earlier run resolved its tag to; unchanged where there is none of this
    tag.
    """
    cluster = deployment.cluster
    if not recorded.release_tag or cluster.release_image not in (recorded.release_tag, recorded.release_image):
        return deployment
    return _with_digest(deployment, recorded.release_image, recorded.release_tag)


def pin_release(
    deployment: Deployment,
    recorded: Release,
    ask: Callable[[Cluster], str] | None,
    *,
    again: bool = False,
    built: bool = False,
) -> PinnedRelease:
    """The release image of this deployment by digest.

    ``ask`` returns the digest of the release image or raises :class:`NotResolved`; None where no registry may be asked.
    ``again`` replaces a recorded digest. ``built``: there is an image, for which a recorded tag stays a tag.
    """
    image = deployment.cluster.release_image
    kept = with_recorded_pin(deployment, recorded)
    by_digest = bool(PullSpec.parse(image).digest)
    if by_digest or (kept is not deployment and not again):
        return PinnedRelease(kept)
    if ask is None or (built and not again and recorded.release_image == image):
        return PinnedRelease(deployment)
    if deployment.provided_manifests:
        detail = "hosts install what this tag names when they pull it: a hand-written set of manifests is used as it is"
        return PinnedRelease(
            deployment, problem=own(CHECK, "spec.releaseImage", INVALID, detail, value=image, hint=_SET)
        )
    try:
        digest = ask(deployment.cluster)
    except NotResolved as error:
        result = (
            "the digest that an earlier run resolved it to is used"
            if kept is not deployment
            else "hosts install what it names when they pull it"
        )
        detail = f"the tag cannot be resolved to a digest, so {result}. {error}"
        return PinnedRelease(
            kept, asked=True, problem=own(CHECK, "openshift_release_image", INVALID, detail, value=image)
        )
    return PinnedRelease(_with_digest(deployment, f"{PullSpec.parse(image).repository}@{digest}", image), asked=True)


def _with_digest(deployment: Deployment, image: str, tag: str) -> Deployment:
    return dataclasses.replace(
        deployment, cluster=dataclasses.replace(deployment.cluster, release_image=image, release_tag=tag)
    )


def digest_of(cluster: Cluster, ca_cert: str, connect_to: ConnectTo, *, within: float = _WITHIN) -> str:
    """The digest of the release image, from the first registry that gives it to the pull secret.

    Raises :class:`NotResolved`, after ``within`` seconds at the latest.
    """
    answer: concurrent.futures.Future[str] = concurrent.futures.Future()

    def work() -> None:
        try:
            answer.set_result(_ask(cluster, ca_cert, connect_to))
        except BaseException as error:  # raised again by result()
            answer.set_exception(error)

    # A daemon: a name server that does not answer keeps it for longer than this process may live.
    threading.Thread(target=work, name="zerotouch-registry", daemon=True).start()
    try:
        return answer.result(within)
    except concurrent.futures.TimeoutError as error:
        raise NotResolved(f"No registry answered within {within:g} s.") from error


def _ask(cluster: Cluster, ca_cert: str, connect_to: ConnectTo) -> str:
    faults = []
    try:
        places = places_of(cluster)
        tls = trust_of(ca_cert, cluster.additional_trust_bundle)
    except ValueError as error:
        raise NotResolved(f"{error}.") from error
    for place in places:
        try:
            return check_image(place, login_of(place, cluster.pull_secret), tls, connect_to, timeout=_TIMEOUT)
        except Refused as error:
            faults.append(f"Registry {place.host}: {error}.")
        except ZeroTouchError as error:
            faults.append(error.message)
    raise NotResolved(" ".join(faults))
