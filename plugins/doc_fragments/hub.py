# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the options by which all modules for a hub connect to its Kubernetes API."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - The kubeconfig of the hub, as a path, several paths separated by C(:) that are merged as C(kubectl)
        does, or the document as a mapping.
      - Without it and O(host), the service account of the pod is used where Ansible runs in one, else the file in
        E(KUBECONFIG) or C(~/.kube/config).
      - Also E(K8S_AUTH_KUBECONFIG).
    type: raw
  context:
    description: The context of the kubeconfig to use instead of its current one. Also E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description: URL of the hub's API; with credentials besides it no kubeconfig is read. Also E(K8S_AUTH_HOST).
    type: str
  api_key:
    description: Bearer token. Also E(K8S_AUTH_API_KEY).
    type: str
  username:
    description: User name for HTTP basic authentication, which OpenShift does not have. Also E(K8S_AUTH_USERNAME).
    type: str
  password:
    description: Password of O(username). Also E(K8S_AUTH_PASSWORD).
    type: str
  client_cert:
    description: File with a client certificate. Also E(K8S_AUTH_CERT_FILE).
    type: path
    aliases: [cert_file]
  client_key:
    description: File with the key of O(client_cert). Also E(K8S_AUTH_KEY_FILE).
    type: path
    aliases: [key_file]
  ca_cert:
    description: CA of the API's certificate, as path or PEM, instead of that in the kubeconfig. Also
      E(K8S_AUTH_SSL_CA_CERT).
    type: str
    aliases: [ssl_ca_cert]
  validate_certs:
    description: Whether the API's certificate is checked; by default as the kubeconfig says, else it is. Also
      E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases: [verify_ssl]
  proxy:
    description:
      - URL of the HTTP proxy to go through, C(http://[user:password@]host:port), instead of that in the kubeconfig.
        Also E(K8S_AUTH_PROXY).
      - E(HTTPS_PROXY) and its kin are not looked at.
    type: str
  no_proxy:
    description: Hosts, domains, addresses and networks, separated by commas, that O(proxy) is not used for. Also
      E(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description: Headers for the proxy alone.
    type: dict
    suboptions:
      proxy_basic_auth:
        description: User and password for the proxy, C(user:password). Also E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH).
        type: str
      basic_auth:
        description: User and password in an Authorization header, C(user:password). Also
          E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH).
        type: str
      user_agent:
        description: The User-Agent header. Also E(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
        type: str
  persist_config:
    description: Whether a refreshed token is written back to the kubeconfig, where the user's credentials come from a
      plugin. Also E(K8S_AUTH_PERSIST_CONFIG).
    type: bool
  impersonate_user:
    description: Act as this user. Also E(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description: Act as a member of these groups. Also E(K8S_AUTH_IMPERSONATE_GROUPS), separated by commas.
    type: list
    elements: str
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay
        the original ones.
      - The modules of kubernetes.core, to which defaults of the action group apply too, do not have this option, so set
        it in tasks.
    type: dict
    default: {}
requirements:
  - urllib3
  - PyYAML
  - kubernetes, for kubeconfigs whose credentials come from a plugin (exec, auth-provider)
"""
