#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_manifests
short_description: Write the cluster manifests (ZTP) of an agent-based installation
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Writes the files that C(openshift-install agent create cluster-manifests) writes, from a configuration directory.
    These are the AgentClusterInstall, ClusterDeployment, ClusterImageSet, InfraEnv, NMStateConfig and pull secret, with
    C(mirror/registries.conf) and C(mirror/ca-bundle.crt).
  - Further manifests are written to C(openshift/), one document per file, as the installation registers them.
  - An agent image contains the same files. Use this module to read them, compare them or pass them to other tools.
  - Files are written with mode 0600, each whole or not at all. A file that another tool or a user wrote or edited is
    never overwritten.
extends_documentation_fragment:
  - zerotouch.openshift.attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details: Secrets are shown as C(<hidden>).
  idempotent:
    support: full
options:
  config_dir:
    description:
      - The configuration directory, as M(zerotouch.openshift.agent_config) writes it, or a directory with the user's
        own C(install-config.yaml), C(agent-config.yaml) and C(openshift/).
      - Or a directory with a hand-written set, C(cluster-manifests/) with C(mirror/) and C(openshift/) if there are
        any. The set is checked as the installer checks it; what a person wrote goes to O(dest) as it is, and what the
        installer would add is made.
    type: path
    required: true
  dest:
    description:
      - The directory that gets C(cluster-manifests/), C(mirror/) and C(openshift/). It is made if it does not exist. As
        O(config_dir) it is the same set again.
      - Without it nothing is written, and only the result tells the objects.
    type: path
  version:
    description:
      - OpenShift version, for example V(4.22.0). Required if O(config_dir) has no C(release.json).
    type: str
  release_image:
    description:
      - Pullspec of the release image.
    type: str
  checks:
    description:
      - Severity of checks by name, V(error), V(warn) or V(off). Errors of the installer's own checks cannot be changed.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Write the manifests of a cluster
  zerotouch.openshift.agent_manifests:
    config_dir: clusters/compact/config
    dest: clusters/compact/manifests

- name: Check a hand-written set
  zerotouch.openshift.agent_manifests:
    config_dir: ~/ztp/compact
    version: 4.22.0

- name: Render the cluster manifests of a configuration
  zerotouch.openshift.agent_manifests:
    config_dir: ~/kni22
    version: 4.22.0
  register: manifests
"""

RETURN = r"""
dest:
  description: The directory; empty if none was given.
  returned: success
  type: str
files:
  description: The files of the set, relative to RV(dest).
  returned: success
  type: list
  elements: str
  sample: [cluster-manifests/agent-cluster-install.yaml, cluster-manifests/infraenv.yaml]
changes:
  description: What was changed, or would be in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: The file, relative to RV(dest).
      type: str
    action:
      description: V(create), V(change) or V(remove).
      type: str
objects:
  description: The objects, with secrets shown as C(<hidden>).
  returned: success
  type: list
  elements: dict
problems:
  description: Everything that was found, in the form of M(zerotouch.openshift.agent_config); on success warnings only.
  returned: always, once the input was read
  type: list
  elements: dict
"""

from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.directory import (
    ManifestsRequest,
    apply_manifests,
    describe,
    describe_diff,
    plan_manifests,
)

OPTIONS = {"supports_check_mode": True}


def argument_spec() -> dict[str, Any]:
    return {
        "config_dir": {"type": "path", "required": True},
        "dest": {"type": "path"},
        "version": {"type": "str"},
        "release_image": {"type": "str"},
        "checks": {"type": "dict", "default": {}},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    request = ManifestsRequest(
        config_dir=Path(params["config_dir"]),
        dest=Path(params["dest"]) if params["dest"] else None,
        version=params["version"] or "",
        release_image=params["release_image"] or "",
        checks=params["checks"],
    )
    plan = plan_manifests(request)
    call.add_secrets(plan.secret_values())
    for problem in plan.problems:
        call.warn(problem.text())
    result = describe(plan)
    if call.diff:
        result["diff"] = describe_diff(plan)
    if not call.check_mode:
        apply_manifests(plan)
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
