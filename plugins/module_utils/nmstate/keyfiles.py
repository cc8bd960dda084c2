# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""networkConfig → NetworkManager keyfiles, without nmstatectl.

The result equals in meaning what openshift-install puts into the image: ``nmstatectl gc`` of nmstate 2.2 (section and key names, one connection per
interface, resolver placement), rewritten with ``autoconnect=true`` and ``autoconnect-priority=1`` (reference agent-based-installer.md 5.2).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, INVALID, REQUIRED, Problem, errors
from .document import read_document
from .model import Group
from .profiles import Profile, profiles
from .resolver import place_resolver
from .section import Findings


@dataclasses.dataclass(frozen=True)
class Keyfile:
    """A connection profile: file ``name`` (``eth0.nmconnection``) and its text."""

    name: str
    text: str


def render_keyfiles(network_config: Mapping[str, Any]) -> tuple[Keyfile, ...]:
    """The keyfiles of one host's networkConfig, sorted by name; the same input gives the same text.

    Raises :class:`InvalidInput` with every problem found; paths are relative to the networkConfig (``interfaces[0].ipv4``).
    """
    keyfiles, problems = _render(network_config)
    if errors(problems):
        raise InvalidInput(problems)
    return keyfiles


def check_network_config(network_config: Mapping[str, Any]) -> list[Problem]:
    """Everything :func:`render_keyfiles` has to say about a networkConfig, warnings included; nothing is raised."""
    return _render(network_config)[1]


def _render(network_config: Mapping[str, Any]) -> tuple[tuple[Keyfile, ...], list[Problem]]:
    findings = Findings()
    document = read_document(network_config, findings)
    resolvers = place_resolver(document, findings)
    if errors(findings.problems):
        return (), findings.problems
    found = _files(profiles(document, resolvers), findings)
    if errors(findings.problems):
        return (), findings.problems
    keyfiles = [Keyfile(name, _keyfile_text(profile.groups)) for name, profile in sorted(found.items())]
    if not keyfiles:
        findings.add("interfaces", REQUIRED, "no interface is to be up: there is nothing to configure")
    return tuple(keyfiles), findings.problems


def _files(found: Iterable[Profile], findings: Findings) -> dict[str, Profile]:
    """File name → profile; two profiles of one name would overwrite each other on the machine."""
    files: dict[str, Profile] = {}
    for profile in found:
        name = f"{profile.id}.nmconnection"
        if not profile.id or "/" in profile.id:
            findings.add(profile.path, INVALID, "cannot name a file", value=profile.id, layer="ours")
        if name in files:
            detail = f"{files[name].path} makes a connection of the same name, and one of them would be lost"
            findings.add(profile.path, DUPLICATE, detail, value=profile.id, layer="ours")
        files[name] = profile
    return files


def _keyfile_text(groups: Iterable[Group]) -> str:
    parts = ["\n".join([f"[{group.name}]", *(f"{key}={value}" for key, value in group.settings)]) + "\n" for group in groups]
    return "\n".join(parts)
