# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document option ``hosts`` of modules that contact machines, through their BMCs only or with any boot method."""

from __future__ import annotations

_BMC = r"""
        suboptions:
          address:
            description:
              - Address in the form C(redfish-virtualmedia+https://HOST[:PORT]/redfish/v1/Systems/ID); without a path
                the only System is taken.
              - Schemes are C(redfish-virtualmedia), C(idrac-virtualmedia) and C(ilo5-virtualmedia), each also with
                C(+http) or C(+https).
            type: str
            required: true
          username:
            description: User of the BMC. Required; the message names all hosts without one.
            type: str
          password:
            description: Password of that user. Required.
            type: str
          validate_certs:
            description: Whether the BMC's certificate is checked.
            type: bool
            default: true
          ca_cert:
            description: CA that signed the BMC's certificate, as path or PEM, trusted in addition to the system's.
            type: str
          fingerprint:
            description: SHA-256 fingerprint of the BMC's certificate; trusted instead of issuer and name.
            type: str
          clear_jobs:
            description: Whether all jobs of an iDRAC are deleted if one of them keeps the boot device from being set.
            type: bool
            default: false
"""

_LIBVIRT = r"""
      libvirt:
        description:
          - Its domain. Required for O(hosts[].boot_method=libvirt). The image is uploaded to a storage pool, so the
            hypervisor needs no route to its URL.
          - The Python library libvirt is used where it can be imported, else the program C(virsh).
        type: dict
        suboptions:
          uri:
            description: Connection URI, for example C(qemu:///system), C(qemu+ssh://user@host/system) or
              C(qemu+tls://host/system).
            type: str
            required: true
          domain:
            description: Name or UUID of the domain. By default O(hosts[].name).
            type: str
          pool:
            description: Storage pool to which the image is uploaded. It must be active.
            type: str
            default: default
"""

_REST = r"""
      mac_addresses:
        description: MACs of the host's NICs, for the check that the BMC belongs to it.
        type: list
        elements: str
        default: []
      image_url:
        description: Image of this host, if it differs from the others'.
        type: str
      force:
        description: Boot again even if the machine seems to run from this image.
        type: bool
        default: false
      take_over:
        description: Whether the machine may be touched although it is on and no record says what runs on it.
        type: bool
        default: false
  forks:
    description: How many BMCs are worked on at the same time.
    type: int
    default: 20
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay
        the original ones.
    type: dict
    default: {}
  ca_cert:
    description: CA, as path or PEM, trusted for all BMCs in addition to their own O(hosts[].bmc.ca_cert).
    type: str
requirements:
  - urllib3
"""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  hosts:
    description: The machines.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: What to call the host in results.
        type: str
        required: true
      bmc:
        description: Its BMC.
        type: dict
        required: true
"""
    DOCUMENTATION += _BMC + _REST

    # Annotated: the linter of documentation takes every plain assignment of a class for a literal.
    ANY_METHOD: str = (
        r"""
options:
  hosts:
    description: The hosts.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: What to call the host in results.
        type: str
        required: true
      boot_method:
        description:
          - How the host is booted. V(bmc) is Redfish virtual media. V(libvirt) is a virtual machine.
          - V(manual) leaves the host to the user; the result says what to do.
          - By default V(bmc) if O(hosts[].bmc) is given, V(libvirt) if O(hosts[].libvirt) is given, and V(manual)
            otherwise.
        type: str
        choices: [bmc, libvirt, manual]
      bmc:
        description: Its BMC. Required for O(hosts[].boot_method=bmc).
        type: dict
"""
        + _BMC
        + _LIBVIRT
        + _REST
    )
