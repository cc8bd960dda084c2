# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert networkConfig to NetworkManager keyfiles, without nmstatectl.

The result equals in meaning what openshift-install puts into the image: ``nmstatectl gc`` of nmstate 2.2 (section and
key names, one connection per interface, resolver placement), rewritten with ``autoconnect=true`` and
``autoconnect-priority=1``. Intended differences (compared with nmstate 2.2.62 over thousands of documents,
tests/unit/nmstate/test_peer.py):

* If any of several interfaces may hold a routing rule, the choice of nmstate varies between runs. This code always
  chooses the first by name.
* MPTCP flags are always written. nmstate refuses them if MPTCP is turned off in the kernel of the machine that renders.
* openshift-install corrupts values in quotes, with a backtick, or with a backslash at the end. This code keeps them.
* What nmstate accepts and then loses or corrupts is refused (layer ``ours``). What nmstate drops without harm is a
  warning: docs/reference/network-config.md.
* nmstate stops at its first error. This code reports all errors, except those that only follow from another one.

Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go,
  data/data/agent/files/usr/local/bin/pre-network-manager-config.sh.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..common.errors import InvalidInput
from ..common.problems import DUPLICATE, INVALID, REQUIRED, Problem, errors
from .document import read_document
from .ip_settings import Resolvers
from .model import Group, NetworkDocument
from .name_rules import check_names
from .profiles import connection_ids, profiles
from .resolver import place_resolver
from .section import Findings

_SUFFIX = ".nmconnection"
# The name of a file has at most 255 bytes.
_LONGEST_ID = 255 - len(_SUFFIX)


@dataclasses.dataclass(frozen=True)
class Keyfile:
    """A connection profile: file ``name`` (``eth0.nmconnection``) and its text."""

    name: str
    text: str


def render_keyfiles(network_config: Mapping[str, Any], nics: Collection[str] = ()) -> tuple[Keyfile, ...]:
    """The keyfiles of one host's networkConfig, sorted by name; the same input gives the same text.

    ``nics`` are names in the interface table of the host, which may be any text.

    Raises :class:`InvalidInput` with every problem found; paths are relative to the networkConfig
    (``interfaces[0].ipv4``).
    """
    document, resolvers, problems = _read(network_config, nics)
    if errors(problems):
        raise InvalidInput(problems)
    files = {f"{profile.id}{_SUFFIX}": _keyfile_text(profile.groups) for profile in profiles(document, resolvers)}
    return tuple(Keyfile(name, text) for name, text in sorted(files.items()))


def examine_network_config(
    network_config: Mapping[str, Any], nics: Collection[str] = ()
) -> tuple[NetworkDocument, list[Problem]]:
    """The document as far as it can be read, and everything :func:`render_keyfiles` has to say about it, warnings
    included; nothing is raised.
    """
    document, _resolvers, problems = _read(network_config, nics)
    return document, problems


def _read(network_config: Mapping[str, Any], nics: Collection[str]) -> tuple[NetworkDocument, Resolvers, list[Problem]]:
    findings = Findings()
    document = read_document(network_config, findings)
    resolvers = place_resolver(document, findings)
    check_names(document, nics, findings)
    if not errors(findings.problems):
        _check_files(document, findings)
    return document, resolvers, findings.problems


def _check_files(document: NetworkDocument, findings: Findings) -> None:
    """Every profile is a file of its own. NetworkManager ignores hidden files.

    Source: NetworkManager/NetworkManager src/libnm-core-impl/nm-keyfile.c (nm_keyfile_utils_ignore_filename).
    """
    files: dict[str, str] = {}
    for connection_id, path in connection_ids(document):
        size = len(connection_id.encode())
        if not 0 < size <= _LONGEST_ID or "/" in connection_id or connection_id.startswith("."):
            detail = f"the name of a keyfile has at most {_LONGEST_ID} bytes, no / and no dot at its beginning"
            findings.add(path, INVALID, detail, value=connection_id, layer="ours", hint="choose another name")
        if connection_id in files:
            detail = f"{files[connection_id]} makes a connection of the same name, and one of them would be lost"
            findings.add(path, DUPLICATE, detail, value=connection_id, layer="ours")
        files[connection_id] = path
    if not files:
        findings.add("interfaces", REQUIRED, "no interface is to be up: there is nothing to configure")


def _keyfile_text(groups: Iterable[Group]) -> str:
    parts = [
        "\n".join([f"[{group.name}]", *(f"{key}={value}" for key, value in group.settings)]) + "\n" for group in groups
    ]
    return "\n".join(parts)
