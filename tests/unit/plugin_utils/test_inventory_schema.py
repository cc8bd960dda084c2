# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the published JSON schema for inventory files: it accepts the inventories of this collection, and finds mistakes
in them.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory_schema import (
    FILE,
    ID,
    inventory_schema,
    inventory_schema_text,
)
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[3]
INVENTORIES = sorted((ROOT / "inventories").glob("*/hosts.yml"))
VALIDATOR = Draft202012Validator(inventory_schema())


def sno() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "inventories" / "sno" / "hosts.yml").read_text())
    return found


def test_it_is_published() -> None:
    assert (ROOT / "docs" / "schemas" / FILE).read_text() == inventory_schema_text(), (
        "run: PYTHONPATH=.build python tests/generate_docs.py"
    )
    Draft202012Validator.check_schema(inventory_schema())
    assert ID.endswith(f"docs/schemas/{FILE}")


@pytest.mark.parametrize("path", INVENTORIES, ids=lambda path: path.parent.name)
def test_inventories_of_this_collection(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(path.read_text()))] == []


def test_templates_and_texts() -> None:
    inventory = sno()
    variables = inventory["all"]["vars"]
    variables["openshift_cluster"]["fips"] = "{{ fips }}"
    variables["openshift_publish"] = "{port: 8080}"
    variables["own_variable"] = 3
    inventory["all"]["children"]["control_plane"]["hosts"]["sno-1"] = None
    assert list(VALIDATOR.iter_errors(inventory)) == []


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        (("vars", "openshift_cluster"), "nmae", "x"),
        (("vars", "openshift_cluster"), "fips", "maybe"),
        (("vars",), "openshift_publish", 3),
        (("children", "control_plane"), "host", {}),
        (("children", "control_plane", "hosts", "sno-0", "openshift_host"), "bmcs", {}),
    ],
)
def test_mistakes(where: tuple[str, ...], key: str, value: object) -> None:
    inventory = copy.deepcopy(sno())
    place = inventory["all"]
    for name in where:
        place = place[name]
    place[key] = value
    assert list(VALIDATOR.iter_errors(inventory))
