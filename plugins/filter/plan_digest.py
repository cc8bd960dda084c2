# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Filter plan_digest: compute the digest of a plan, so that a run can compare it with the approved plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_digest
short_description: Compute the digest of the plan of a run
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Computes a digest of the resolved variables that determine what a run does, and of the decisions about machines.
    Two runs with the same digest do the same.
  - Secrets, connections, paths, time limits and times are not part of the digest.
options:
  _input:
    description: The resolved variables, which M(zerotouch.openshift.deployment_settings) returns as
      RV(zerotouch.openshift.deployment_settings#module:deployment).
    type: dict
    required: true
  decisions:
    description: What was decided about the machines, such as which ones are booted.
    type: dict
    default: {}
positional: decisions
seealso:
  - module: zerotouch.openshift.deployment_settings
"""

EXAMPLES = r"""
- name: Read the variables
  zerotouch.openshift.deployment_settings:
  register: site

- name: Print the digest
  ansible.builtin.debug:
    msg: "{{ site.deployment | zerotouch.openshift.plan_digest({'boot': ['worker-1']}) }}"
"""

RETURN = r"""
_value:
  description: The digest, 64 hexadecimal digits.
  type: str
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.zerotouch.openshift.plugins.plugin_utils import plan_digest as implementation


def plan_digest(data: Any, decisions: Any = None) -> str:
    """Raises :class:`AnsibleFilterError` for other data."""
    if not isinstance(data, Mapping) or "settings" not in data:
        raise AnsibleFilterError("plan_digest takes the member deployment of what deployment_settings returned.")
    if decisions is not None and not isinstance(decisions, Mapping):
        raise AnsibleFilterError("plan_digest takes decisions as a mapping.")
    return implementation.plan_digest(data, decisions or {})


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"plan_digest": plan_digest}
