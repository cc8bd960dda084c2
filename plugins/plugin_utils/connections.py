# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe the APIs and services that a run connects to, and where their settings come from.

A playbook prints these lines first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..module_utils.assisted.rest.connection import settings as assisted_options
from ..module_utils.common.errors import ZeroTouchError
from ..module_utils.deployment.state.work_dir import WorkDir
from ..module_utils.kube.config import read_source, server_of
from ..module_utils.kube.connection import where


def describe(touch: Mapping[str, Any]) -> list[str]:
    """One line each; ``touch`` is part ``touch`` of the resolved variables."""
    return [
        *_hub(touch.get("hub")),
        *_assisted(touch.get("assisted")),
        *_cluster(WorkDir(Path(str(touch["work_dir"])))),
    ]


def _hub(provided: Mapping[str, Any] | None) -> Iterator[str]:
    if provided is None:
        return
    try:
        yield f"hub: {where(provided, os.environ)}"
    except ZeroTouchError as error:
        yield f"hub: {error.message}"


def _assisted(provided: Mapping[str, Any] | None) -> Iterator[str]:
    if provided is None:
        return
    source = "openshift_assisted.service_url" if provided.get("service_url") else "ASSISTED_SERVICE_URL"
    try:
        service_url = assisted_options(provided, os.environ).get("service_url") or "none"
        yield f"assisted-service: {service_url} ({source})"
    except ZeroTouchError as error:
        yield f"assisted-service: {error.message}"


def _cluster(work_dir: WorkDir) -> Iterator[str]:
    """The API of the cluster that was installed from this work directory."""
    for path in (work_dir.kubeconfig_direct, work_dir.kubeconfig):
        if path.is_file():
            try:
                yield f"API: {server_of(read_source(path))} ({path})"
            except ZeroTouchError as error:
                yield f"API: {error.message}"
            return
