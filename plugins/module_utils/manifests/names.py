# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Names of the directories and files of a cluster-manifests set."""

from __future__ import annotations

CLUSTER_MANIFESTS = "cluster-manifests"
MIRROR = "mirror"
REGISTRIES_CONF = f"{MIRROR}/registries.conf"
CA_BUNDLE = f"{MIRROR}/ca-bundle.crt"
