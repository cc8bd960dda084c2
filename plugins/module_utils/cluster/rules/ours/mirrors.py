# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Mirrors that are used, and whose registry lets the cluster in (reference agent-based-installer.md 5, 11)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ..checks import INSTALL_CONFIG, own
from ..facts import Facts
from ..images import repository_error


def registry_without_credentials(facts: Facts) -> Iterator[Problem]:
    """A registry that mirrors are on and the pull secret does not hold; once per registry."""
    if facts.pull_secret is None:
        return
    known = {re.sub(r"^https?://", "", name).split("/")[0] for name in facts.pull_secret}
    for index, source in enumerate(facts.cluster.image_digest_sources):
        for position, mirror in enumerate(source.mirrors):
            registry = mirror.split("/")[0]
            if registry not in known and not repository_error(mirror):
                known.add(registry)
                path = f"imageDigestSources[{index}].mirrors[{position}]"
                yield own("registry-without-credentials", path, INVALID, f"the pull secret does not hold {registry}", value=mirror, file=INSTALL_CONFIG)


def release_image_tag(facts: Facts) -> Iterator[Problem]:
    """registries.conf redirects pulls by digest only, so a mirrored release image that is named by tag is sought at its source."""
    image = facts.cluster.release_image
    repository = re.sub(r":[^/:]+$", "", image)
    if not image or "@" in image or repository == image:
        return
    sources = [source.source for source in facts.cluster.image_digest_sources if source.mirrors]
    if any(repository == source or repository.startswith(f"{source}/") for source in sources):
        yield own("release-image-tag", "openshift_release_image", INVALID, "mirrors are not used for an image that is named by tag", value=image)
