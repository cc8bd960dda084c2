#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: deployment_check
short_description: Check everything that a deployment is given, before anything is touched
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Tells the mistakes that P(zerotouch.openshift.deployment#lookup) found in variables and BMC data together with those in the configuration of the cluster,
    in one round.
  - Reads files that the input names. Writes nothing and contacts nobody.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
options:
  input:
    description: What P(zerotouch.openshift.deployment#lookup) hands over as V(input).
    type: dict
    required: true
    suboptions:
      problems:
        description: What is known to be wrong, in the shape of RV(problems).
        type: list
        elements: dict
        default: []
      connections:
        description: APIs and services that the run uses, and where their settings come from. The module prints them.
        type: list
        elements: str
        default: []
      cluster:
        description: The cluster, as C(openshift_cluster). Without it and O(input.source_dir) no configuration is looked at.
        type: dict
      hosts:
        description: The hosts, each with C(inventory_name) and C(role) and otherwise as C(openshift_host).
        type: list
        elements: dict
        default: []
      source_dir:
        description: Directory with install-config.yaml and agent-config.yaml instead of O(input.cluster).
        type: path
      version:
        description: Release to install.
        type: str
      release_image:
        description: Pull specification of the release.
        type: str
      checks:
        description: Severity of checks by name.
        type: dict
        default: {}
      agent_iso:
        description: Whether an agent ISO of its own installs the cluster, so that one of its hosts must be the rendezvous host.
        type: bool
        default: true
"""

EXAMPLES = r"""
- name: Refuse what cannot be used
  zerotouch.openshift.deployment_check:
    input: "{{ lookup('zerotouch.openshift.deployment', 'input') }}"
"""

RETURN = r"""
connections:
  description: APIs and services that the run uses, and where their settings come from.
  returned: success
  type: list
  elements: str
problems:
  description: Everything that is wrong, one entry a mistake. The message has one line for each error.
  returned: failure
  type: list
  elements: dict
  contains:
    severity:
      description: V(error) or V(warning).
      type: str
    layer:
      description: V(installer) where the installer refuses it too, V(ours) otherwise.
      type: str
    check:
      description: Name of the check, if it has one.
      type: str
    file:
      description: File that holds the mistake, if it is in a file.
      type: str
    line:
      description: Line in that file; 0 if it is not known.
      type: int
    path:
      description: The field, as the input names it.
      type: str
    kind:
      description: What kind of mistake it is, in the installer's words.
      type: str
    value:
      description: The value, where it is not secret.
      type: str
    detail:
      description: What is wrong.
      type: str
    hint:
      description: What to do about it.
      type: str
"""

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.door import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.check import check_input

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    given = {
        "problems": {"type": "list", "elements": "dict", "default": []},
        "connections": {"type": "list", "elements": "str", "default": []},
        "cluster": {"type": "dict"},
        "hosts": {"type": "list", "elements": "dict", "default": []},
        "source_dir": {"type": "path"},
        "version": {"type": "str"},
        "release_image": {"type": "str"},
        "checks": {"type": "dict", "default": {}},
        "agent_iso": {"type": "bool", "default": True},
    }
    return {"input": {"type": "dict", "required": True, "options": given}}


def run(call: Call) -> dict[str, Any]:
    for line in call.params["input"]["connections"]:
        call.progress(line)
    check_input(call.params["input"], tell_secrets=call.add_secrets)
    return {"connections": call.params["input"]["connections"]}


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
