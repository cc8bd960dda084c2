# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Open the remote state store that ``openshift_state`` selects."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ...common.clock import Clock
from ...common.connect import DIRECT, ConnectTo
from ...common.http import HttpClient
from ...common.tls import Tls
from ...kube.client import KubeClient
from ...kube.connection import configuration, settings
from .encryption import Keys
from .http_store import LARGEST_DOCUMENT, HttpStore
from .options import StateOptions
from .secret_store import SecretStore
from .store import TIMEOUT, Store

_NAMES = ("kubeconfig", "context", "host")


def open_store(options: StateOptions, *, cluster: str, clock: Clock, connect_to: ConnectTo = DIRECT) -> Store | None:
    """The remote store; None for method ``directory``. It reads without a lease (:func:`~.record.read_record`), for
    playbooks that change nothing.
    """
    if options.method == "secret":
        client = kube_client(options.connection, os.environ, connect_to, clock)
        return SecretStore(client, options.namespace, options.name or default_name(cluster), cluster, clock)
    if options.method == "http":
        tls = Tls(options.validate_certs, (options.ca_cert,) if options.ca_cert else ())
        client_ = HttpClient(
            "The state store",
            options.url,
            tls,
            connect_to,
            headers=options.headers,
            timeout=TIMEOUT,
            connections=2,
            largest=LARGEST_DOCUMENT,
        )
        client_.secrets = frozenset(options.secrets())
        return HttpStore(client_, options.url, clock)
    return None


def keys_of(options: StateOptions) -> Keys | None:
    """The keys of the passphrase; None without one."""
    return Keys(options.passphrase) if options.passphrase else None


def default_name(cluster: str) -> str:
    """The name of the Secret."""
    return f"zerotouch-openshift-{cluster}"


def kube_client(
    connection: Mapping[str, object], environment: Mapping[str, str], connect_to: ConnectTo, clock: Clock
) -> KubeClient:
    """A client for the API that has the Secret.

    If openshift_state names an API, variables of the environment do not count: ``K8S_AUTH_HOST`` may be that of another
    one, the hub.
    """
    used = {} if any(connection.get(name) for name in _NAMES) else environment
    config = configuration(settings(connection, used), used)
    return KubeClient(config, connect_to=connect_to, timeout=TIMEOUT, clock=clock, service="The API of the state store")
