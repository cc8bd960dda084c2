# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a change of the API version on the hub causes no write: objects of this collection were converted by
upstream's webhooks to the other version of their kinds, and the plan for the converted objects is empty, except for a
field that one version lacks.

``tests/integration/test_capi_assisted_conversion.py`` records the conversions.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.field_table import CONFIG_FIELDS
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.plan import plan_wanted
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_versions import CASES, CONVERSIONS, LIMITS

RECORDED: dict[str, dict[str, Any]] = json.loads(CONVERSIONS.read_text())
LATE = {row.upstream for row in CONFIG_FIELDS if row.since}


def changes(namespace: str) -> dict[str, list[str]]:
    """Plan the converted objects of a case; return the reasons for each kind, an empty list if nothing is written."""
    case = CASES[namespace]
    found = {}
    for kind, wanted in case.objects(case.read, namespace).items():
        change = plan_wanted(wanted, RECORDED[namespace][kind])
        found[kind] = list(change.reasons) if change is not None else []
    return found


# The older form of a reference names the namespace; the newer one has no place for it.
MISSING = "spec.machineTemplate.infrastructureRef.namespace: none -> 'newer-first'"


@pytest.mark.parametrize(("namespace", "left"), [("older-first", []), ("newer-first", [MISSING])])
def test_the_other_version_has_every_field(namespace: str, left: list[str]) -> None:
    assert changes(namespace) == {"OpenshiftAssistedControlPlane": left, "OpenshiftAssistedConfigTemplate": []}


def test_a_changed_field_is_a_change() -> None:
    """The comparison above is not empty."""
    case = CASES["older-first"]
    wanted = case.objects(case.read, "older-first")["OpenshiftAssistedControlPlane"]
    recorded = RECORDED["older-first"]["OpenshiftAssistedControlPlane"]
    limits = {name: seconds for name, seconds in LIMITS.items() if name.endswith("timeout")}
    assert len(recorded["spec"]["machineTemplate"]["deletion"]) == len(limits) == 3
    other = {**recorded, "spec": {**recorded["spec"], "distributionVersion": "4.20.4"}}
    change = plan_wanted(wanted, other)
    assert change is not None and change.body["spec"] == {"distributionVersion": "4.20.3"}


def test_older_versions_lose_newer_fields() -> None:
    """The collection refuses these fields on a hub that serves nothing newer."""
    spec = RECORDED["newer-fields"]["OpenshiftAssistedControlPlane"]["spec"]["openshiftAssistedConfigSpec"]
    assert not LATE & (spec.keys() | {f"nodeRegistration.{name}" for name in spec["nodeRegistration"]})


def test_an_older_form_shows_no_later_change() -> None:
    """A defect of upstream: the annotation with the older form is read instead of what is stored.

    The collection reads and writes the newest version that the hub serves.
    """
    spec = RECORDED["changed-later"]["OpenshiftAssistedControlPlane"]["spec"]
    assert CASES["changed-later"].upgrade == "4.20.9" and spec["distributionVersion"] == "4.20.3"
