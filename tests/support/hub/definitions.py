# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the lab's CustomResourceDefinitions, and check objects against them. lab/tests/kubeapi/test_upstream.py compares
the definitions with upstream's, field by field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.schema import object_faults

DIRECTORY = Path(__file__).resolve().parents[3] / "lab" / "ztlab" / "crds"


def documents(folder: str = "") -> Iterator[dict[str, Any]]:
    """Yield each CustomResourceDefinition in a folder of the lab's definitions and in its subfolders."""
    for path in sorted((DIRECTORY / folder).rglob("*.yaml")):
        yield from (each for each in yaml.safe_load_all(path.read_text()) if each)


@cache
def schemas() -> dict[tuple[str, str], Any]:
    """Return the schema of each kind by apiVersion and kind."""
    return {
        (f"{document['spec']['group']}/{version['name']}", document["spec"]["names"]["kind"]): version["schema"][
            "openAPIV3Schema"
        ]
        for document in documents()
        for version in document["spec"]["versions"]
    }


def faults(item: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what in an object its definition refuses or would drop, with the paths."""
    return list(object_faults(schemas()[item["apiVersion"], item["kind"]], item))
