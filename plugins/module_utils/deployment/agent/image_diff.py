# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the Ignition files of an existing image with those of a planned one, for ``--diff``. The diff shows paths,
modes and sizes, never contents.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from ...common import json_text
from ...common.errors import ZeroTouchError
from ...image.live import read_live_image
from .build import BuildPlan
from .node_image import NodeImagePlan


def describe_diff(plan: BuildPlan | NodeImagePlan) -> dict[str, str]:
    """``diff`` of the module's result."""
    before = _contents_of(plan.image_path) if plan.image_changed else {}
    after = _files(plan.ignition.document()) if plan.ignition and plan.image_changed else {}
    return {
        "before_header": str(plan.image_path),
        "after_header": str(plan.image_path),
        "before": _table(before, {}),
        "after": _table(after, before) + "".join(f"# {step}\n" for step in plan.steps),
    }


def _contents_of(path: Path) -> dict[str, tuple[str, bytes]]:
    """The files in an existing image; none where there is no image that can be read."""
    if not path.is_file():
        return {}
    try:
        document = json_text.parse_remote(read_live_image(path).ignition or b"{}")
    except (ValueError, ZeroTouchError):
        return {}
    return _files(document)


def _files(document: Mapping[str, Any]) -> dict[str, tuple[str, bytes]]:
    """Path -> mode and content of every file and unit."""
    found = {}
    for file in (document.get("storage") or {}).get("files") or []:
        sources = [file.get("contents") or {}, *(file.get("append") or [])]
        content = b"".join(_decoded(str(source.get("source") or "")) for source in sources)
        mode = file.get("mode") or 0
        found[str(file.get("path"))] = (f"{mode:04o}", content)
    for unit in (document.get("systemd") or {}).get("units") or []:
        state = "unit" if unit.get("enabled") else "idle"
        found[str(unit.get("name"))] = (state, str(unit.get("contents") or "").encode())
    return found


def _decoded(source: str) -> bytes:
    head, _comma, data = source.partition(",")
    try:
        return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    except binascii.Error:
        return data.encode()


def _table(files: Mapping[str, tuple[str, bytes]], before: Mapping[str, tuple[str, bytes]]) -> str:
    lines = []
    for path, (mode, content) in sorted(files.items()):
        mark = " (content changed)" if path in before and before[path][1] != content else ""
        lines.append(f"{mode} {len(content):>7} {path}{mark}\n")
    return "".join(lines)
