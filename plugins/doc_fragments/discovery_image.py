# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the options of an InfraEnv that modules infra_env (hub) and assisted_infra_env (REST API) share.

Their argument spec is in plugins/module_utils/cluster/discovery_options.py.
"""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  ssh_public_keys:
    description: Public SSH keys of the user C(core) of hosts that run the discovery image.
    type: list
    elements: str
  image_proxy:
    description: Proxy for hosts that run the discovery image. O(proxy) is the proxy for the module's own connections.
    type: dict
    suboptions:
      http_proxy:
        description: Proxy for HTTP, a URL that begins with C(http://).
        type: str
      https_proxy:
        description: Proxy for HTTPS, also a URL that begins with C(http://).
        type: str
      no_proxy:
        description: Hosts, domains and networks to go to directly, separated by commas.
        type: str
  additional_ntp_sources:
    description: Time servers besides those from DHCP.
    type: list
    elements: str
  ntp_sources:
    description: The only time servers. Not together with O(additional_ntp_sources).
    type: list
    elements: str
  image_type:
    description: Kind of the ISO. By default what the service is configured for, on a hub usually V(minimal-iso),
      elsewhere V(full-iso).
    type: str
    choices: [full-iso, minimal-iso, disconnected-iso]
  arch:
    description: Architecture of the hosts; by default V(x86_64). Cannot be changed.
    type: str
    choices: [x86_64, aarch64, ppc64le, s390x]
  kernel_arguments:
    description: Kernel arguments of the discovery image.
    type: list
    elements: dict
    suboptions:
      operation:
        description: What to do with it. The service accepts V(append) only.
        type: str
        choices: [append, replace, delete]
        default: append
      value:
        description: The argument; blanks in double quotes.
        type: str
        required: true
  ignition_config_override:
    description: Ignition 3.x config, as JSON text or mapping, merged over the one of the discovery image.
    type: json
  additional_trust_bundle:
    description: CA certificates, PEM, that the discovery image trusts.
    type: str
  network_discovery_delay_seconds:
    description: Seconds that the discovery image waits before it looks which network configuration is its own, for
      hosts whose many NICs appear late.
    type: int
"""
