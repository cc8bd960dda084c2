# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Mirrors and the release image (reference agent-based-installer.md 3.2, 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...common.problems import INVALID, UNSUPPORTED, Problem
from .checks import install_config, supported
from .facts import Facts, parse_ip
from .names import subdomain_error

_POLICIES = ("NeverContactSource", "AllowContactingSource")
_REGISTRY = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*(:[0-9]+)?|\[[0-9a-fA-F:]+\](:[0-9]+)?")
_PATH = re.compile(r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*")


def repository_error(text: str) -> str:
    """Why a text is neither a repository (``host[:port]/path``) nor a registry (``host[:port]``); empty when it is one."""
    registry, slash, path = text.partition("/")
    if not slash:
        host = re.sub(r":\d+$", "", text)
        return "" if parse_ip(host) or not subdomain_error(host) else "the repository provided is invalid"
    if "@" in path or ":" in path:
        return "must be repository--not reference"
    if not any(mark in registry for mark in ".:") and registry != "localhost":
        return "the repository provided is invalid: it must begin with the name of its registry"
    return "" if _REGISTRY.fullmatch(registry) and _PATH.fullmatch(path) else "failed to parse: invalid reference format"


def image_digest_sources(facts: Facts) -> Iterator[Problem]:
    for index, source in enumerate(facts.cluster.image_digest_sources):
        path = f"imageDigestSources[{index}]"
        if error := repository_error(source.source):
            yield install_config(f"{path}.source", INVALID, error, value=source.source)
        for position, mirror in enumerate(source.mirrors):
            if error := repository_error(mirror):
                yield install_config(f"{path}.mirrors[{position}]", INVALID, error, value=mirror)
        if source.source_policy and source.source_policy not in _POLICIES:
            yield install_config(f"{path}.sourcePolicy", UNSUPPORTED, supported(_POLICIES), value=source.source_policy)
        elif source.source_policy and not source.mirrors:
            yield install_config(f"{path}.sourcePolicy", INVALID, "sourcePolicy cannot be configured without mirrors", value=source.source_policy)
