# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document options that list machines with their BMCs.

The options have the same fields and different names: ``media_hosts``, ``hosts`` (TOUCHED) and ``bmc_hosts`` (POOL).
"""

from __future__ import annotations

_MACHINES = r"""
    suboptions:
      name:
        description: Name of the host.
        type: str
        required: true
      boot_method:
        description: How the host is booted, as for M(zerotouch.openshift.boot_hosts).
        type: str
        choices: [bmc, libvirt, manual]
      bmc:
        description: Its BMC. Required for boot method V(bmc).
        type: dict
        suboptions:
          address:
            description: Address, as for M(zerotouch.openshift.boot_hosts).
            type: str
            required: true
          username:
            description: User of the BMC.
            type: str
          password:
            description: Password of that user.
            type: str
          validate_certs:
            description: Whether the BMC's certificate is checked.
            type: bool
            default: true
          ca_cert:
            description: CA that signed the BMC's certificate, as path or PEM.
            type: str
          fingerprint:
            description: SHA-256 fingerprint of the BMC's certificate.
            type: str
          clear_jobs:
            description: Not used here.
            type: bool
            default: false
      libvirt:
        description: Its domain. Required for boot method V(libvirt).
        type: dict
        suboptions:
          uri:
            description: Connection URI of the hypervisor.
            type: str
            required: true
          domain:
            description: Name or UUID of the domain. By default the name of the host.
            type: str
          pool:
            description: Storage pool to which the image is uploaded.
            type: str
            default: default
      mac_addresses:
        description: MACs of the host's NICs.
        type: list
        elements: str
        default: []
      image_url:
        description: Not used here.
        type: str
      force:
        description: Not used here.
        type: bool
        default: false
      take_over:
        description: Whether the machine may be booted although it is on and no record says what runs on it.
        type: bool
        default: false
"""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  media_hosts:
    description:
      - Hosts whose image is detached as soon as they boot from their disk, in the form of the option C(hosts) of
        M(zerotouch.openshift.boot_hosts). Hosts that the user boots are ignored. Only with O(wait_for=installed).
    type: list
    elements: dict
    default: []
"""
    DOCUMENTATION += (
        _MACHINES
        + r"""
  bmc_ca_cert:
    description: CA, as path or PEM, trusted for all BMCs of O(media_hosts) in addition to their own.
    type: str
"""
    )

    # Annotated: the linter of documentation takes every plain assignment of a class for a literal.
    TOUCHED: str = (
        r"""
options:
  hosts:
    description:
      - The hosts with their boot methods, in the form of the option C(hosts) of M(zerotouch.openshift.boot_hosts).
      - Hosts about which the module does not decide are not contacted.
      - The user boots a host that is not in this list.
    type: list
    elements: dict
    default: []
"""
        + _MACHINES
    )

    POOL: str = (
        r"""
options:
  bmc_hosts:
    description:
      - Boot methods of O(hosts), in the form of the option C(hosts) of M(zerotouch.openshift.boot_hosts). Only machines
        that would be booted are contacted.
      - They are read only with O(touch).
    type: list
    elements: dict
    default: []
"""
        + _MACHINES
    )
