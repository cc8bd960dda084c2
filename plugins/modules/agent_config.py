#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors

from __future__ import annotations

DOCUMENTATION = r"""
module: agent_config
short_description: Render and completely validate the configuration of a cluster
version_added: 0.1.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Writes the configuration directory of an agent-based installation, from variables or from files that the user
    already has. It contains C(install-config.yaml), C(agent-config.yaml), C(openshift/) and C(release.json).
  - If anything is wrong, nothing is written. All problems are reported at once, with the field names of the input.
  - Files are written with mode 0600, each whole or not at all. The user's own files are never changed.
  - Older layouts of the files (for example C(apiVIP), C(imageContentSources), or an C(agent-config.yaml) with
    everything under C(spec)) are read and upgraded, each change with a warning.
extends_documentation_fragment:
  - zerotouch.openshift.connect_to
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
  cluster:
    description:
      - The cluster, as C(openshift_cluster) describes it. The options are published in
        C(docs/schemas/cluster.schema.json).
      - Give either this and O(hosts), or O(config_dir).
    type: dict
  hosts:
    description:
      - The hosts in inventory order, each an C(openshift_host) (published in C(docs/schemas/host.schema.json)) with
        C(inventory_name) and C(role) (V(master), V(arbiter) or V(worker)).
      - C(bmc) is checked, but stays out of the files, since everything in them reaches the cluster.
    type: list
    elements: dict
    default: []
  config_dir:
    description:
      - Directory with the user's own C(install-config.yaml), C(agent-config.yaml) and C(openshift/); or with a
        hand-written set of manifests (the ZTP form), C(cluster-manifests/), C(mirror/), C(openshift/) and perhaps
        C(agent-config.yaml), which is kept verbatim.
    type: path
  version:
    description:
      - OpenShift version, for example V(4.22.0). Required with O(config_dir), since C(install-config.yaml) does not
        name it. Wins over C(cluster.version).
    type: str
  release_image:
    description:
      - Pullspec of the release image. Wins over C(cluster.release_image).
      - By default C(quay.io/openshift-release-dev/ocp-release:<version>-<architecture>).
      - For a tag, the registry is asked once for the digest, with the login of the pull secret. C(release.json) keeps
        the digest, and later calls use it. The check C(release-not-pinned) of O(checks) decides what follows if no
        registry gives it; with V(off) none is asked. A tag stays a tag if an image was built for it, and in a
        hand-written set of manifests.
    type: str
  dest:
    description:
      - The directory to write. It is made if it does not exist.
      - It must not be O(config_dir), nor hold configuration files that this collection did not write.
    type: path
    required: true
  work_dir:
    description:
      - The deployment's work directory, which the directory belongs to. While another run works on it, nothing is
        written; after 15 seconds the task fails with the name of that run.
    type: path
  new_digest:
    description:
      - Ask the registry again for the digest of a tag that an earlier call resolved, for a cluster that is installed
        again.
    type: bool
    default: false
  ca_cert:
    description: CA, as path or PEM, trusted for the registry of the release image in addition to the system's and
      C(additional_trust_bundle).
    type: str
  checks:
    description:
      - Severity of checks by name, V(error), V(warn) or V(off). Errors of the installer's own checks cannot be changed.
    type: dict
    default: {}
requirements:
  - urllib3 (to ask the registry of a release image that is named by tag)
"""

EXAMPLES = r"""
- name: Describe a compact cluster in variables
  zerotouch.openshift.agent_config:
    cluster:
      name: compact
      base_domain: example.com
      version: 4.22.0
      api_vips: [192.0.2.5]
      ingress_vips: [192.0.2.6]
      machine_networks: [192.0.2.0/24]
      pull_secret: "{{ lookup('ansible.builtin.file', '~/pull-secret.json') }}"
      ssh_public_keys: ["{{ lookup('ansible.builtin.file', '~/.ssh/id_ed25519.pub') }}"]
    hosts:
      - inventory_name: node-1
        role: master
        interfaces: [{name: eno1, mac_address: "52:54:00:00:00:01"}]
        network_config: "{{ node_1_nmstate }}"
      - inventory_name: node-2
        role: master
        interfaces: [{name: eno1, mac_address: "52:54:00:00:00:02"}]
      - inventory_name: node-3
        role: master
        interfaces: [{name: eno1, mac_address: "52:54:00:00:00:03"}]
    dest: clusters/compact/config

- name: Use existing configuration files
  zerotouch.openshift.agent_config:
    config_dir: ~/kni22
    version: 4.22.0
    dest: clusters/kni22/config
    checks:
      certificate-expired: error
"""

RETURN = r"""
dest:
  description: The directory.
  returned: success
  type: str
files:
  description: The files that the directory holds, relative to RV(dest).
  returned: success
  type: list
  elements: str
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
    reason:
      description: Why; for a changed file, which fields differ.
      type: str
    form_only:
      description: Whether the file says the same as before, with other comments, another order or spelling; no image
        has to be built for that.
      type: bool
changed_files:
  description: Paths of RV(changes) without those that differ in form only, as
    O(zerotouch.openshift.deployment_plan#module:changed_files) takes them.
  returned: success
  type: list
  elements: str
cluster_name:
  description: Name of the cluster.
  returned: success
  type: str
api_url:
  description: URL of the cluster's API.
  returned: success
  type: str
version:
  description: OpenShift version.
  returned: success
  type: str
release_image:
  description: Pullspec of the release image, by digest where a tag was resolved.
  returned: success
  type: str
registry_asked:
  description: Whether this call asked a registry for the digest of a tag.
  returned: success
  type: bool
rendezvous_ip:
  description: Address of the host that runs the installation, given or derived.
  returned: success
  type: str
replicas:
  description: How many hosts of each role the cluster needs.
  returned: success
  type: dict
  sample: {"master": 3, "arbiter": 0, "worker": 2}
hosts:
  description: The hosts, in the order of the input.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: What the user calls the host.
      type: str
    hostname:
      description: The name that the host gives itself; empty if the network gives it one.
      type: str
    role:
      description: V(master), V(arbiter), V(worker), or empty where the installation decides.
      type: str
    macs:
      description: MAC addresses, the first one identifies the host.
      type: list
      elements: str
    static_ips:
      description: Static addresses of the host's network configuration.
      type: list
      elements: str
problems:
  description: Everything that was found; on success warnings only.
  returned: always, once the input was read
  type: list
  elements: dict
  contains:
    severity:
      description: V(error) or V(warning).
      type: str
    layer:
      description: V(installer) if OpenShift's installer would say the same, V(ours) for checks of this collection.
      type: str
    check:
      description: Name of the check, for O(checks).
      type: str
    file:
      description: The file, if the input is a file.
      type: str
    line:
      description: The line in the file; 0 if unknown.
      type: int
    path:
      description: The field, as the input names it.
      type: str
    kind:
      description: The installer's word for this kind of problem, such as V(Required value).
      type: str
    value:
      description: The value, never a secret.
      type: str
    detail:
      description: What is wrong.
      type: str
    hint:
      description: What to do about it.
      type: str
"""

import contextlib
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import one_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.configure import (
    INPUT_OPTIONS,
    ConfigurePlan,
    Input,
    ReleaseRegistry,
    apply_plan,
    compared_again,
    describe,
    describe_diff,
    plan_configuration,
)

OPTIONS = {
    "supports_check_mode": True,
    "required_one_of": [("cluster", "config_dir")],
    "mutually_exclusive": [("cluster", "config_dir")],
}


def argument_spec() -> dict[str, Any]:
    return {
        **INPUT_OPTIONS,
        "dest": {"type": "path", "required": True},
        "work_dir": {"type": "path"},
        "new_digest": {"type": "bool", "default": False},
        "connect_to": {"type": "dict", "default": {}},
        "ca_cert": {"type": "str"},
    }


def run(call: Call) -> dict[str, Any]:
    params = call.params
    work_dir = Path(params["work_dir"]) if params["work_dir"] else None
    registry = ReleaseRegistry(
        ConnectTo.of(params["connect_to"]), params["ca_cert"] or "", params["new_digest"], work_dir
    )
    plan = plan_configuration(
        Input.of_options(params, Path(params["dest"])), registry=registry, tell_secrets=call.add_secrets
    )
    for problem in plan.problems:
        call.warn(problem.text())
    # All mistakes are reported in one run, and make no work directory. The files belong to the run that is at work.
    alone = (
        contextlib.nullcontext()
        if call.check_mode or work_dir is None
        else one_run(work_dir, "agent_config", call.clock)
    )
    with alone:
        return _carry_out(call, compared_again(plan))


def _carry_out(call: Call, plan: ConfigurePlan) -> dict[str, Any]:
    result = describe(plan)
    if call.diff:
        result["diff"] = describe_diff(plan)
    if plan.release.step and not call.check_mode:
        call.progress(plan.release.step)
    call.plan(filter(None, [plan.release.step]))
    call.plan(f"{change['action']} {change['path']} ({change['reason']})" for change in result["changes"])
    if not call.check_mode:
        apply_plan(plan)
    return result


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
