# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the first role of a deployment accepts every type of value, so that our own check reports mistakes. The
check of ansible-core would report its class names and the whole specification.
"""

from __future__ import annotations

from pathlib import Path

import yaml

SPECS = Path(__file__).parents[3] / "roles" / "cluster_preflight" / "meta" / "argument_specs.yml"


def test_preflight_takes_every_type() -> None:
    options = yaml.safe_load(SPECS.read_text())["argument_specs"]["main"]["options"]
    assert {name: option["type"] for name, option in options.items() if option["type"] != "raw"} == {}
