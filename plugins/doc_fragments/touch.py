# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document option ``touch``: the input of the decision whether a run may boot a machine or power it off.

It has the name and method of the deployment, and the sources that show what runs on the machine.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  touch:
    description:
      - The deployment that touches the machines, and the sources of evidence about them. The roles take this option
        from part V(touch) of P(zerotouch.openshift.deployment#filter).
      - Without this option, evidence is what the BMCs report and, if there is one, the state file of the deployment.
    type: dict
    suboptions:
      method:
        description: Installation method of the deployment.
        type: str
        choices: [agent, assisted, hub, hosted, capi]
        default: agent
      cluster_name:
        description: Name of the cluster, which O(touch.confirm) must contain where a confirmation is needed.
        type: str
        default: ""
      work_dir:
        description: Work directory of the deployment. The directories beside it are read as well, because their
          deployments may have the same machines.
        type: path
      confirm:
        description: Names of clusters that the user confirms (C(openshift_confirm)).
        type: list
        elements: str
        default: []
      force:
        description: Overrides that the user gives (C(openshift_force)).
        type: list
        elements: str
        default: []
      command:
        description: Name of the playbook, for messages.
        type: str
        default: deploy_cluster
      api_url:
        description: URL of the cluster's API. It is used as long as the work directory does not contain one.
        type: str
        default: ""
      rendezvous_ip:
        description: Address of the rendezvous host. It is used as long as the work directory does not contain one.
        type: str
        default: ""
      timeouts:
        description: Limits of the phases of an installation, in seconds.
        type: dict
        default: {}
      hosts:
        description: The hosts, with what identifies them.
        type: list
        elements: dict
        default: []
        suboptions:
          name:
            description: Name of the host.
            type: str
            required: true
          hostname:
            description: Hostname, if it differs from the name. The Node of the host has this name.
            type: str
          mac_addresses:
            description: MAC addresses of its NICs.
            type: list
            elements: str
            default: []
          addresses:
            description: Its static IP addresses.
            type: list
            elements: str
            default: []
          take_over:
            description: Whether the machine may be touched although it is on and no record says what runs on it.
            type: bool
            default: false
          system_uuid:
            description: System UUID. It identifies the host's Agent if that Agent shows none of the MAC addresses.
            type: str
          serial_number:
            description: Serial number, for the same purpose.
            type: str
          bmc_address:
            description: Address of its BMC in the inventory of the Agent, for the same purpose.
            type: str
          labels:
            description: Labels of its Agent, for the same purpose.
            type: dict
            default: {}
          query:
            description: A JMESPath expression that holds for its Agent, for the same purpose.
            type: str
      hub:
        description:
          - Connection of the hub that the user named, with the options of M(zerotouch.openshift.agents).
          - Further keys are C(namespace) and C(infra_env) of the hosts, C(cluster) (C(namespace), C(name)),
            C(namespaces) in which clusters of
            this deployment are, and C(bare_metal_hosts) if the hub boots the machines.
        type: dict
      assisted:
        description: Connection of the assisted-service that the user named, with the options of
          M(zerotouch.openshift.assisted_info).
        type: dict
"""
