# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert phrases from the collection's tables to sentences for generated documentation pages.

A phrase gets a capital letter at its start, unless it starts with a name such as ``etcd``, and a full stop.
"""

from __future__ import annotations

import re

# Names that keep their lower case at the beginning of a sentence.
_NAMES = frozenset({"nmstate", "etcd", "cert", "oc", "dig", "libvirt", "networkd"})


def sentences(*phrases: str) -> str:
    """The phrases that are not empty, each as a sentence."""
    return " ".join(_sentence(phrase) for phrase in phrases if phrase)


def _sentence(phrase: str) -> str:
    first = re.match(r"[a-z]+(?=[\s,:;.]|$)", phrase)
    begins = phrase[:1].upper() if first and first[0] not in _NAMES else phrase[:1]
    return f"{begins}{phrase[1:]}" + ("" if phrase.endswith((".", "?", "!")) else ".")
