# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the hostname and the kubelet labels that scripts of a simulated host would set, without executing the scripts.

The values come from the metadata of the host's config drive (metal3-io/baremetal-operator writes
openstack/latest/meta_data.json). All functions are pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HOSTNAME_PROGRAM, KUBELET_PROGRAM = "/usr/local/bin/set_hostname", "/usr/local/bin/kubelet_custom_labels"
_VARIABLE = re.compile(r"\bMETADATA_[A-Z0-9_]+")
_REFERENCE = re.compile(r"\$\{?(\w+)\}?")
_LABELS = re.compile(r'CUSTOM_KUBELET_LABELS=([^"\'\s]+)')


def variables(metadata: Mapping[str, str]) -> dict[str, str]:
    """/etc/metadata_env."""
    return {f"METADATA_{name.upper().replace('-', '_')}": value for name, value in metadata.items()}


def hostname(script: str, metadata: Mapping[str, str]) -> str:
    """The name that a script sets, "" for none."""
    match = _VARIABLE.search(script)
    return variables(metadata).get(match[0], "") if match else ""


def kubelet_labels(script: str, metadata: Mapping[str, str]) -> dict[str, str]:
    """The labels with which the kubelet registers."""
    known, match = variables(metadata), _LABELS.search(script)
    if match is None:
        return {}
    text = _REFERENCE.sub(lambda found: known.get(found[1], ""), match[1])
    return dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)
