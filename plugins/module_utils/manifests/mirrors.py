# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the mirrors of install-config.yaml (imageDigestSources) to the settings of the live system.

These are registries.conf, the mirrored name of the release image, and PUBLIC_CONTAINER_REGISTRIES: the registries for
which assisted-service requires no credentials.

Source: openshift/installer pkg/asset/agent/manifests, pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence

from ..cluster.spec import ImageDigestSource

NEVER_CONTACT_SOURCE = "NeverContactSource"
PUBLIC_REGISTRY = "quay.io"

_WITHOUT_MIRRORS = """\
# Registries that container engines on this host use (containers-registries.conf(5)).
#
# The cluster's configuration names no mirrors (imageDigestSources), so every image is pulled from where its name says.
# An image name without a registry is refused rather than guessed.
unqualified-search-registries = []
"""


@dataclasses.dataclass(frozen=True)
class PullSpec:
    """An image name: ``repository`` with its registry, and ``tag`` or ``digest`` (``sha256:…``), at most one of
    them.
    """

    repository: str
    tag: str = ""
    digest: str = ""

    @classmethod
    def parse(cls, text: str) -> PullSpec:
        name, _at, digest = text.partition("@")
        path, _colon, tag = name.rpartition(":")
        # A colon before the last slash belongs to the registry's port.
        if not path or "/" in tag:
            path, tag = name, ""
        return cls(path, "" if digest else tag, digest)

    def at(self, repository: str) -> str:
        """The same image in another repository."""
        tag = f":{self.tag}" if self.tag else ""
        return repository + (f"@{self.digest}" if self.digest else tag)


def registry_of(repository: str) -> str:
    """``host[:port]`` of a repository or registry name."""
    return repository.split("/", 1)[0]


def merged(sources: Iterable[ImageDigestSource]) -> tuple[ImageDigestSource, ...]:
    """One entry per source and policy, in the order of first mention, each mirror once."""
    mirrors: dict[tuple[str, str], dict[str, None]] = {}
    for source in sources:
        mirrors.setdefault((source.source, source.source_policy), {}).update(dict.fromkeys(source.mirrors))
    return tuple(ImageDigestSource(source, tuple(found), policy) for (source, policy), found in mirrors.items())


def registries_conf(
    sources: Sequence[ImageDigestSource], *, blocking: bool = True, layer_store_helper: bool = False
) -> str:
    """registries.conf(5), version 2, in the form that the installer writes: keys alphabetical, a blank line between
    tables.

    ``blocking``: sources that are never to be contacted are blocked; installers before 4.21 merge sources whatever
    their policy. ``layer_store_helper``: the key that the library of newer installers writes, too.
    """
    if not sources:
        return _WITHOUT_MIRRORS
    known = sources if blocking else [dataclasses.replace(source, source_policy="") for source in sources]
    tables = [_registry(source) for source in merged(known) if source.mirrors]
    helper = 'additional-layer-store-auth-helper = ""\n' if layer_store_helper else ""
    return "\n".join(
        [(f'{helper}credential-helpers = []\nshort-name-mode = ""\nunqualified-search-registries = []\n'), *tables]
    )


def _registry(source: ImageDigestSource) -> str:
    lines = ["[[registry]]"]
    if source.source_policy == NEVER_CONTACT_SOURCE:
        lines.append("  blocked = true")
    lines += [f"  location = {_quoted(source.source)}", "  mirror-by-digest-only = true", '  prefix = ""']
    for mirror in source.mirrors:
        lines += ["", "  [[registry.mirror]]", f"    location = {_quoted(mirror)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A TOML basic string escapes as JSON does.
    return json.dumps(text, ensure_ascii=False)


def release_mirror(release_image: str, sources: Sequence[ImageDigestSource]) -> str:
    """The release image in the first mirror of the source that is its repository; empty when no source is.

    Unlike the installer, which cuts the repository at the first colon, a registry with a port matches.
    """
    image = PullSpec.parse(release_image)
    for source in merged(sources):
        if source.mirrors and source.source == image.repository:
            return image.at(source.mirrors[0])
    return ""


def public_registries(sources: Sequence[ImageDigestSource]) -> str:
    """PUBLIC_CONTAINER_REGISTRIES of the service: the registries for which it asks no credentials, because mirrors
    replace them.
    """
    hosts = dict.fromkeys(registry_of(source.source) for source in merged(sources) if source.mirrors)
    return ",".join(hosts) or PUBLIC_REGISTRY
