# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test docs/reference/network-config.md: the example of each row gives the keyfile settings that the row shows, without
a message.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.interfaces import KINDS
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import (
    examine_network_config,
    render_keyfiles,
)

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "network-config.md").read_text()
ROWS = [
    (name, example, re.findall(r"`([^`]*)`", becomes))
    for name, example, becomes in re.findall(r"^\| ([^|]*) \| `([^`]*)` \| ([^|]*) \|$", PAGE, re.MULTILINE)
]
STACKS = (
    "ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}, ipv6: {enabled: true, address: [{ip: "
    "'2001:db8::10', prefix-length: 64}]}"
)


def document(example: str) -> dict[str, Any]:
    if example.startswith("{name:"):
        return {"interfaces": yaml.safe_load(f"[{example}]")}
    return {"interfaces": yaml.safe_load(f"[{{name: eno1, type: ethernet, {STACKS}}}]"), **yaml.safe_load(example)}


def test_there_is_a_row_for_every_type() -> None:
    named = {name for row in ROWS for name in re.findall(r"`([a-z-]+)`", row[0])}
    assert named >= {*KINDS}


@pytest.mark.parametrize(("example", "becomes"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_row(example: str, becomes: list[str]) -> None:
    assert examine_network_config(document(example))[1] == []
    settings = set()
    for keyfile in render_keyfiles(document(example)):
        section = ""
        for line in keyfile.text.splitlines():
            section = line if line.startswith("[") else section
            settings.add(f"{section} {line}")
    assert becomes and settings >= {*becomes}
