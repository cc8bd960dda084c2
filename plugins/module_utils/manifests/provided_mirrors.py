# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check the mirrors of a hand-written manifests set: ``mirror/registries.conf`` and ``mirror/ca-bundle.crt``.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import tomllib
from typing import Any

from ..cluster.rules.checks import own
from ..cluster.spec import ImageDigestSource
from ..cluster.upstream.credentials import NO_BLOCK, authorities, certificates
from ..common.problems import IGNORED, INVALID, SYNTAX, Problem
from .mirrors import NEVER_CONTACT_SOURCE, release_mirror
from .names import CA_BUNDLE, REGISTRIES_CONF
from .provided_set import ProvidedSet

_WANTED = {"registry": "a list of tables", "registry.mirror": "a list of tables"}
_NO_CERTIFICATE = "unable to parse certificate, please check the additionalTrustBundle section of install-config.yaml"


def mirror_problems(provided: ProvidedSet, release_image: str) -> list[Problem]:
    """Problems and warnings of both files; none of a file that is not there."""
    problems: list[Problem] = []
    text = provided.texts.get(REGISTRIES_CONF)
    if text is not None:
        problems += _registries_problems(text, provided.file(REGISTRIES_CONF), release_image)
    bundle = provided.texts.get(CA_BUNDLE, "")
    error = certificates(bundle)[1]
    if error:
        problems.append(
            Problem("", INVALID, _NO_CERTIFICATE if error == NO_BLOCK else error, file=provided.file(CA_BUNDLE))
        )
    problems += authorities(bundle, path="", file=provided.file(CA_BUNDLE))
    return problems


def _registries_problems(text: str, file: str, release_image: str) -> list[Problem]:
    try:
        tables = _tables(text)
        wrong = _wrong_types(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        # The parser's message holds no more of the text than one character.
        return [Problem("", SYNTAX, f"this is not valid TOML: {error}", file=file)]
    if wrong:
        return [Problem(wrong, INVALID, f"{_WANTED.get(wrong, 'a text')} is expected", file=file)]
    if any(not table.get("location") for table in tables):
        return [
            own(
                "ignored-field", "registry.location", IGNORED, f"Location key not found in {REGISTRIES_CONF}", file=file
            )
        ]
    if tables and not release_mirror(release_image, mirror_sources(text)):
        detail = f"{REGISTRIES_CONF} should have an entry matching the releaseImage {release_image}"
        return [own("ignored-field", "registry", IGNORED, detail, file=file)]
    return []


def _wrong_types(document: dict[str, Any]) -> str:
    """The first field that is not what the installer's parser makes of it; empty without one."""
    registries = document.get("registry")
    if registries is not None and not _is_tables(registries):
        return "registry"
    for registry in registries or []:
        mirrors = registry.get("mirror")
        if mirrors is not None and not _is_tables(mirrors):
            return "registry.mirror"
        for prefix, table in (("registry", registry), *(("registry.mirror", mirror) for mirror in mirrors or [])):
            for key in ("location", "prefix"):
                if not isinstance(table.get(key, ""), str):
                    return f"{prefix}.{key}"
    return ""


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def mirror_sources(text: str) -> tuple[ImageDigestSource, ...]:
    """The sources that a registries.conf names; none where it cannot be read."""
    try:
        tables = _tables(text)
    except tomllib.TOMLDecodeError:
        return ()
    return tuple(
        ImageDigestSource(
            str(table["location"]),
            tuple(str(mirror["location"]) for mirror in _dicts(table.get("mirror")) if mirror.get("location")),
            NEVER_CONTACT_SOURCE if table.get("blocked") is True else "",
        )
        for table in tables
        if table.get("location")
    )


def _tables(text: str) -> list[dict[str, Any]]:
    return _dicts(tomllib.loads(text).get("registry"))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
