# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Make paths of variables absolute: relative to the directory of the file that sets them, with ``~`` expanded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def absolute(path: str, directory: str) -> str:
    """The path from ``directory``; empty stays empty."""
    return os.path.normpath(os.path.join(directory, os.path.expanduser(path))) if path else ""


def certificate(provided: str, directory: str) -> str:
    """A certificate that is given as path or as PEM text."""
    return provided if "-----BEGIN" in provided else absolute(provided, directory)


def absolute_manifests(cluster: Any, directory: str) -> Any:
    """``openshift_cluster`` with absolute paths in ``extra_manifests``, from ``directory``; entries that are no paths
    stay unchanged.
    """
    provided = cluster.get("extra_manifests") if isinstance(cluster, Mapping) else None
    if isinstance(provided, str):
        return {**cluster, "extra_manifests": absolute(provided, directory)}
    if not isinstance(provided, list):
        return cluster
    return {
        **cluster,
        "extra_manifests": [absolute(entry, directory) if isinstance(entry, str) else entry for entry in provided],
    }
