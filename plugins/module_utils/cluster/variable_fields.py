# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the allowed keys and value types of the variables ``openshift_cluster`` and ``openshift_host``.

Also map each option to its field in install-config.yaml or agent-config.yaml, and back. Both come from the table of
fields (field_table.py).
"""

from __future__ import annotations

import re

from .field_table import CLUSTER_FIELDS, HOST_FIELDS
from .shapes import Record

CLUSTER = Record({row.option: row.variable for row in CLUSTER_FIELDS})
HOST = Record({row.option: row.variable for row in HOST_FIELDS if row.in_variables})

# Inside these, names are upstream's own.
_KEEP_CASE = "|".join(row.option for row in (*CLUSTER_FIELDS, *HOST_FIELDS) if row.keeps_case)
VERBATIM = re.compile(rf"\b({_KEEP_CASE})\b")

# The path of each option in upstream's documents; "*" is the platform.
TARGETS_BY_OPTION = {row.option: row.upstream for row in CLUSTER_FIELDS if row.upstream}

# Upstream's path -> the user's.
TARGETS = {
    **{target: f"openshift_cluster.{option}" for option, target in TARGETS_BY_OPTION.items()},
    "compute": "openshift_cluster.compute",
    "networking": "openshift_cluster",
    "metadata": "openshift_cluster",
    "hosts": "openshift_host",
}
