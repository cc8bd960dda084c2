# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
from __future__ import annotations

DOCUMENTATION = r"""
name: extended_crd
short_description: Extend a CRD of the agent provider for contract v1beta2 of Cluster API
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Adds the field C(status.initialization.provisioned) to the schemas of AgentCluster and AgentMachine. Adds the labels
    by which Cluster API finds the version of the objects to AgentCluster, AgentMachine and AgentMachineTemplate.
    Upstream's CRDs have neither.
  - The rest of the CRD stays as it is. A CRD that is extended already is returned unchanged.
  - Upstream's controller does not write that field, but Cluster API relies on it once the CRD has it. Extend the CRDs
    only where M(zerotouch.openshift.capi_reconcile) does the work of the controller.
options:
  _input:
    description: The CustomResourceDefinition of an AgentCluster, AgentMachine or AgentMachineTemplate. Any other
      document is an error.
    type: dict
    required: true
seealso:
  - module: zerotouch.openshift.capi_reconcile
"""

EXAMPLES = r"""
- name: Install the kinds of the provider for contract v1beta2
  kubernetes.core.k8s:
    definition: "{{ lookup('ansible.builtin.file', 'infrastructure-components.yaml') | from_yaml_all |
      selectattr('kind', 'equalto', 'CustomResourceDefinition') | map('zerotouch.openshift.extended_crd') }}"
"""

RETURN = r"""
_value:
  description: The definition, extended.
  type: dict
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.extend_crds import extend_crd
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import native


def extended_crd(definition: Any) -> dict[str, Any]:
    """The definition, extended. Raises :class:`AnsibleFilterError` for any other document."""
    if not isinstance(definition, Mapping):
        raise AnsibleFilterError(f"extended_crd takes a CustomResourceDefinition, not {type(definition).__name__}.")
    try:
        return extend_crd(native(definition))
    except ZeroTouchError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    def filters(self) -> dict[str, Callable[[Any], dict[str, Any]]]:
        return {"extended_crd": extended_crd}
