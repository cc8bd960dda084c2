# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test filter ``extended_crd``: it returns the result of the function ``extend_crd``, and raises errors of that
function as Ansible errors.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.zerotouch.openshift.plugins.filter.extended_crd import FilterModule
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.extend_crds import extend_crd

SCHEMA = {
    "openAPIV3Schema": {"properties": {"status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}
}
PROVIDED: dict[str, Any] = {
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "agentmachines.capi-provider.agent-install.openshift.io"},
    "spec": {
        "group": "capi-provider.agent-install.openshift.io",
        "names": {"kind": "AgentMachine"},
        "versions": [{"name": "v1beta1", "schema": SCHEMA}],
    },
}
extended_crd = FilterModule().filters()["extended_crd"]


def test_it_is_the_function_of_the_package() -> None:
    before = copy.deepcopy(PROVIDED)
    assert extended_crd(PROVIDED) == extend_crd(PROVIDED) == extended_crd(extended_crd(PROVIDED)) != PROVIDED
    assert before == PROVIDED, "the definition itself stays as it is"


@pytest.mark.parametrize(
    ("provided", "words"),
    [
        (
            {"kind": "Deployment", "metadata": {"name": "manager"}},
            ("Deployment manager is no definition of AgentCluster"),
        ),
        (
            {**PROVIDED, "spec": {**PROVIDED["spec"], "versions": [{"name": "v1beta1"}]}},
            "no schema for status in version v1beta1",
        ),
        ([PROVIDED], "not list"),
        (None, "not NoneType"),
    ],
)
def test_anything_else_is_an_error_that_ansible_shows(provided: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        extended_crd(provided)
