# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Calculate the digest of a plan, so that a deployment carries out the plan that was approved and no other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..module_utils.common.secrets import hide_secrets
from .in_process import native

# The resolved variables that change what a run does. Connection settings, paths of files and timeouts are not among
# them.
_SETTINGS = ("name", "method", "version", "release_image", "force", "checks")
_PARTS = (
    "cluster",
    "hosts",
    "spare_hosts",
    "agent_variables",
    "described_agents",
    "hosted_cluster",
    "node_pool",
    "node_pools",
    "capi",
)
_HUB = ("namespace", "infra_env", "cluster_name", "binding", "image", "image_set", "bare_metal_hosts")
_ASSISTED = ("cluster_id", "image", "infra_env")
_BASE_IMAGE = ("url", "release", "stream_url", "sha256", "version")


def plan_digest(deployment: Mapping[str, Any], decisions: Mapping[str, Any]) -> str:
    """SHA-256 of the resolved variables that decide what a run does, without their secrets, and of what was decided
    about machines (``decisions``).

    The order of lists in ``decisions`` does not count, and neither do paths that differ between jobs.
    """
    data = native(deployment)
    settings = data["settings"]
    content = {
        "settings": {name: settings.get(name) for name in _SETTINGS},
        "base_image": {key: value for key, value in (settings.get("base_image") or {}).items() if key in _BASE_IMAGE},
        "files": _files(str(settings.get("source_dir") or "")),
        "hub": {key: value for key, value in (data.get("hub") or {}).items() if key in _HUB},
        "assisted": {key: value for key, value in (data.get("assisted") or {}).items() if key in _ASSISTED},
        **{name: data.get(name) for name in _PARTS},
    }
    decided = {
        str(key): sorted(map(str, value)) if isinstance(value, list) else value
        for key, value in native(decisions).items()
    }
    text = json.dumps([_without_files(hide_secrets(content)), decided], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_files(content: Any) -> Any:
    """Without certificates of BMCs, whose files a controller injects under a new name in each job."""
    if isinstance(content, dict):
        return {key: _without_files(value) for key, value in content.items() if key != "ca_cert"}
    return [_without_files(value) for value in content] if isinstance(content, list) else content


def _files(directory: str) -> dict[str, str]:
    """Digests of the user's files by name; they may hold secrets, a pull secret among them."""
    root = Path(directory)
    if not directory or not root.is_dir():
        return {}
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
