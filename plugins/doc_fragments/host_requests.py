# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the fields of a host in option ``hosts`` of modules agents, bare_metal_hosts and assisted_hosts.

Fields that these modules pass on unchanged have their description in plugins/module_utils/cluster/field_table.py. The
other fields are described here.
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_table import (
    AGENT_REQUESTS,
    ANNOTATION_REQUESTS,
    SERVICE_REQUESTS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.host_options import option_documentation

_HEAD = r"""
options:
  hosts:
"""

_AGENTS = r"""
    suboptions:
      name:
        description: What to call the host in results.
        type: str
        required: true
      mac_addresses:
        description:
          - MACs of its NICs, in any spelling. One that the Agent has is enough, unless another machine has it too.
          - An Agent that shows MACs, none of them in here, is not taken for this host whatever else it has in common
            with it.
        type: list
        elements: str
        default: []
      system_uuid:
        description: The UUID of the machine as its firmware tells it (SMBIOS), which the Agent's name is derived from.
        type: str
      serial_number:
        description: Serial number of the system. Machines whose maker wrote none share a placeholder, which is
          ambiguous.
        type: str
      bmc_address:
        description: IP address of its BMC as the machine itself sees it.
        type: str
      labels:
        description: Labels that the Agent has.
        type: dict
        default: {}
      query:
        description:
          - JMESPath expression that is true for the Agent and no other. It sees C(name), C(namespace), C(labels),
            C(annotations), C(hostname), C(role), C(state), C(approved), C(infra_env_name), C(inventory), C(spec) and
            C(status).
        type: str
      approved:
        description:
          - Whether it may be installed. By default a host is approved, since it is listed, unless it is to be unbound
            or absent.
        type: bool
      hostname:
        description: Its hostname. Refused once its installation has started.
        type: str
      role:
        description: Its role. Refused once its installation has started.
        type: str
        choices: [auto-assign, master, worker, arbiter]
      installation_disk_id:
        description: The disk to install on, by its id in the inventory.
        type: str
      installation_disk_path:
        description: The disk to install on, by its path.
        type: str
      root_device_hints:
        description:
          - The disk to install on, by C(deviceName), C(hctl), C(model), C(vendor), C(serialNumber),
            C(minSizeGigabytes), C(wwn) and C(rotational); all must hold.
          - Of several disks that fit, a multipath device is taken, else the one that was taken before, else the first.
        type: dict
      agent_labels:
        description: Labels of the Agent; a null value removes one, others stay.
        type: dict
        default: {}
      node_labels:
        description: Labels of the future Node; a null value removes one, others stay.
        type: dict
        default: {}
      ignition_config_overrides:
        description: Ignition config, as JSON text or mapping, merged into that of the installed host; an empty one
          removes it.
        type: jsonarg
      installer_args:
        description: Arguments for C(coreos-installer); an empty list removes them.
        type: list
        elements: str
      cluster:
        description:
          - The cluster to bind it to (late binding). Binding is possible once the hub has found the host fit
            (C(known-unbound)); with O(wait_for) V(bound) or V(installed) that is waited for, else such a host fails and
            the next run binds it.
        type: dict
        suboptions:
          name:
            description: Name of the ClusterDeployment.
            type: str
            required: true
          namespace:
            description: Its namespace; by default O(namespace).
            type: str
      unbind:
        description:
          - Take it out of its cluster. The Node of an installed host goes; the host stays in
            C(unbinding-pending-user-action) until its machine boots the discovery image, unless the hub can do that by
            itself.
        type: bool
        default: false
      by_bare_metal_host:
        description:
          - A BareMetalHost of the hub tells the Agent its name, role, disk, labels and cluster, and approves it
            (M(zerotouch.openshift.bare_metal_hosts)). Nothing of that is written here, since two authors would undo
            each other's work; what is not so yet is waited for.
        type: bool
        default: false
      state:
        description:
          - V(absent) deletes the Agent, and with a host that has joined a cluster its Node. A machine that goes on
            running the discovery image registers again.
        type: str
        choices: [present, absent]
        default: present
"""

_BARE_METAL_HOSTS = r"""
    suboptions:
      name:
        description: Name of the BareMetalHost.
        type: str
        required: true
      create:
        description:
          - Whether the BareMetalHost may be created. With V(false) an existing one is updated, and a host without one
            is left alone.
          - A new BareMetalHost gives the power of the machine to the hub, which boots it.
        type: bool
        default: true
      boot_mac_address:
        description:
          - MAC address of one of its NICs, by which the hub recognises its Agent. Cannot be changed.
          - With O(state=absent), a BareMetalHost of this name with another MAC address is another machine, and is left
            alone.
        type: str
      bmc:
        description: Its BMC.
        type: dict
        suboptions:
          address:
            description:
              - Address in the form C(redfish-virtualmedia+https://HOST[:PORT]/redfish/v1/Systems/ID), as the hub
                reaches it.
              - Schemes are C(redfish-virtualmedia), C(idrac-virtualmedia) and C(ilo5-virtualmedia), each also with
                C(+http) or C(+https).
            type: str
          username:
            description: User of the BMC.
            type: str
          password:
            description: Password of that user.
            type: str
          validate_certs:
            description: Whether the hub checks the BMC's certificate.
            type: bool
            default: true
          ca_cert:
            description: Accepted and not passed on, with a warning, since a BareMetalHost has no place for it.
            type: str
          fingerprint:
            description: Accepted and not passed on, with a warning, since a BareMetalHost has no place for it.
            type: str
          clear_jobs:
            description: Accepted and not passed on, since a BareMetalHost has no place for it.
            type: bool
            default: false
      boot_mode:
        description: Firmware mode; the default is the hub's, V(UEFI).
        type: str
        choices: [UEFI, UEFISecureBoot, legacy]
      automated_cleaning_mode:
        description:
          - V(disabled) leaves the disks alone when the hub gives a machine up; V(metadata) has their partition tables
            removed.
          - Where the hub has taken this over (it disables cleaning unless its own baremetal-operator is 4.12 or newer)
            it is left alone.
        type: str
        choices: [disabled, metadata]
        default: disabled
      hostname:
        description: The hostname its Agent gets.
        type: str
      role:
        description: The role its Agent gets.
        type: str
        choices: [auto-assign, master, worker, arbiter]
      root_device_hints:
        description:
          - The disk to install on, by C(deviceName), C(hctl), C(model), C(vendor), C(serialNumber),
            C(minSizeGigabytes), C(wwn) and C(rotational); all must hold.
        type: dict
      agent_labels:
        description: Labels its Agent gets. They are never taken away again.
        type: dict
      node_labels:
        description: All labels of the future Node; those not named any more go.
        type: dict
      ignition_config_overrides:
        description: Ignition config, as JSON text or mapping, merged into that of the installed host; an empty one
          removes it.
        type: jsonarg
      installer_args:
        description: Arguments for C(coreos-installer); an empty list removes them.
        type: list
        elements: str
      cluster:
        description:
          - The cluster that its Agent is bound to. Not with an InfraEnv that has a cluster itself.
          - It is passed on once the Agent is C(known-unbound), since the hub takes over neither name nor disk of a host
            that it fails to bind. Until then RV(hosts[].waits_for) says what is missing; the next call passes it on.
        type: dict
        suboptions:
          name:
            description: Name of the ClusterDeployment.
            type: str
            required: true
          namespace:
            description: Its namespace; by default O(namespace).
            type: str
      unbind:
        description: Have it taken out of its cluster. The hub boots the machine into discovery again.
        type: bool
        default: false
"""

_ASSISTED_HOSTS = r"""
    suboptions:
      name:
        description: What to call the host in results.
        type: str
        required: true
      mac_addresses:
        description: MACs of its NICs, in any spelling. A host that shows MACs, none of them in here, is not taken for
          it.
        type: list
        elements: str
        default: []
      system_uuid:
        description: UUID of the system, which is the id that the service knows the host by.
        type: str
      serial_number:
        description: Serial number of the system.
        type: str
      bmc_address:
        description: IP address of its BMC, as its inventory shows it.
        type: str
      query:
        description:
          - JMESPath expression that is true for the host and no other. It sees what
            RV(zerotouch.openshift.assisted_info#module:hosts) shows, with C(inventory).
        type: str
      hostname:
        description: Its hostname.
        type: str
      role:
        description: Its role. One that the service suggests anyway is no difference.
        type: str
        choices: [auto-assign, master, worker, arbiter]
      installation_disk_id:
        description: The disk to install on, by its id in the inventory or one of its paths.
        type: str
      root_device_hints:
        description:
          - The disk to install on, by C(deviceName), C(hctl), C(model), C(vendor), C(serialNumber),
            C(minSizeGigabytes), C(wwn) and C(rotational); all must hold.
          - Of several disks that fit, a multipath device is taken, else the one that was taken before, else the first.
        type: dict
      disks_skip_formatting:
        description: Disks that keep what is on them, by id or path, as a whole; an empty list for none. The
          installation disk cannot be one of them.
        type: list
        elements: str
      node_labels:
        description: Labels of the future Node; a null value removes one, others stay.
        type: dict
        default: {}
      ignition_config_overrides:
        description: Ignition config, as JSON text or mapping, merged into that of the installed host.
        type: json
      ignition_endpoint_token:
        description:
          - Token that the host shows where it gets its Ignition from (an
            O(zerotouch.openshift.assisted_cluster#module:ignition_endpoint)); an empty one removes it. The service
            tells only that it has one, so it is sent when there is none yet.
        type: str
      ignition_endpoint_http_headers:
        description:
          - Headers of that request, as a whole. The service does not show them; they are sent with
            O(hosts[].replace_ignition_endpoint), or together with the first O(hosts[].ignition_endpoint_token) of the
            host.
        type: dict
      replace_ignition_endpoint:
        description: Send O(hosts[].ignition_endpoint_token) and O(hosts[].ignition_endpoint_http_headers) in any case.
        type: bool
        default: false
      fencing_credentials:
        description: Access to its BMC, for a cluster of two control plane nodes that fence each other. What differs is
          replaced.
        type: dict
        suboptions:
          address:
            description: URL of the BMC.
            type: str
            required: true
          username:
            description: User.
            type: str
            required: true
          password:
            description: Password.
            type: str
            required: true
          certificate_verification:
            description: Whether its certificate is checked; the service's default is V(Enabled).
            type: str
            choices: [Enabled, Disabled]
          mac_address:
            description: MAC that the cluster knows the host by.
            type: str
      installer_args:
        description: Arguments for C(coreos-installer); an empty list removes them.
        type: list
        elements: str
      reset_validations:
        description:
          - Validations to have done again, once in a task, where the host fails them. Others cannot be; to leave one
            out see O(zerotouch.openshift.assisted_cluster#module:ignored_validations).
        type: list
        elements: str
        choices: [sufficient-installation-disk-speed, container-images-available]
        default: []
      cluster_name:
        description:
          - The cluster to bind it to (late binding), by name or id. That is possible once it is C(known-unbound), which
            is waited for with O(wait_for).
        type: str
      unbind:
        description: Take it out of its cluster.
        type: bool
        default: false
      state:
        description:
          - V(absent) has the service forget it, with earlier registrations of the same machine. A machine that goes on
            running the discovery image registers again.
        type: str
        choices: [present, absent]
        default: present
"""


class ModuleDocFragment:
    # Annotated: the linter of documentation takes every plain assignment of a class for a literal.
    DOCUMENTATION: str = _HEAD + _AGENTS + option_documentation(AGENT_REQUESTS)
    BARE_METAL_HOSTS: str = _HEAD + _BARE_METAL_HOSTS + option_documentation(ANNOTATION_REQUESTS)
    ASSISTED_HOSTS: str = _HEAD + _ASSISTED_HOSTS + option_documentation(SERVICE_REQUESTS)
