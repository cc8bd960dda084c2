# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the connection options that all modules for an assisted-service share: URL, authentication, CA, proxy."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  service_url:
    description:
      - URL of the assisted-service, C(http[s]://host[:port]), with or without its base path.
      - Required, either as this option or as the environment variable E(ASSISTED_SERVICE_URL).
    type: str
  auth:
    description:
      - How the module authenticates. V(none) sends no token. V(agent-local) sends the tokens of an agent-based
        installation, or any complete value of the C(Authorization) header, including C(Bearer …). V(local) sends the
        token of a single InfraEnv or cluster, as its download URLs contain it; this token only permits reading.
        V(offline) exchanges an offline token for access tokens, and renews them when they expire.
      - The default follows from the tokens that are set. Also E(ASSISTED_AUTH).
    type: str
    choices: [none, agent-local, local, offline]
  token:
    description: The token of a user, sent as it is. Also E(ASSISTED_TOKEN).
    type: str
  watcher_token:
    description: The token of a watcher, used for whatever it may read. Also E(ASSISTED_WATCHER_TOKEN).
    type: str
  offline_token:
    description: The offline token of a hosted service. Also E(ASSISTED_OFFLINE_TOKEN).
    type: str
  token_url:
    description: Where the offline token is exchanged; by default that of the service that Red Hat hosts. Also
      E(ASSISTED_TOKEN_URL).
    type: str
  validate_certs:
    description: Whether certificates are checked; they are by default. Also E(ASSISTED_VALIDATE_CERTS).
    type: bool
  ca_cert:
    description: CA, as path or PEM, trusted in addition to the system's. Also E(ASSISTED_CA_CERT).
    type: str
  proxy:
    description:
      - URL of the HTTP proxy to go through, C(http://[user:password@]host:port). Also E(ASSISTED_PROXY). E(HTTPS_PROXY)
        and its kin are not looked at.
    type: str
  request_timeout:
    description: Seconds that one request may take; 30 by default. Also E(ASSISTED_REQUEST_TIMEOUT).
    type: float
  retries:
    description:
      - How often a request is sent again that failed for a while, at growing intervals; 4 by default. Also
        E(ASSISTED_RETRIES).
      - What creates something is only sent again if the service cannot have got it.
      - A service that has already answered in this run may restart. It is waited for for at least 60 seconds, unless
        O(retries) is 0.
    type: int
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay
        the original ones.
    type: dict
    default: {}
requirements:
  - urllib3
"""

    # Of the modules that create something (argument spec: PULL_SECRET_OPTIONS of assisted/rest/connection.py).
    PULL_SECRET = r"""
options:
  pull_secret:
    description: The pull secret, as JSON text or mapping. Something new needs it.
    type: raw
  replace_pull_secret:
    description: Send O(pull_secret) to something that exists, too, although the service does not show the one it has.
    type: bool
    default: false
"""
