# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Restore a host that the assisted-service lost, from the annotations of its Agent.

It follows restoreHostByAgent in openshift/assisted-service internal/controller/controllers/agent_controller.go. The
host gets the state in the annotation, or known or known-unbound if there is none. If the host has no inventory, the
host monitor then changes the state to discovering or discovering-unbound.
"""

from __future__ import annotations

import json

from ..service import progress
from ..service.model import Host
from .backend import Backend, BackendError
from .controller import Retry
from .names import INFRA_ENV_LABEL, STATE_ANNOTATION, Object, annotations_of, key_of, labels_of
from .registration import bound_cluster

STAGES = frozenset({*progress.BOOTSTRAP, *progress.WORKER, *progress.SINGLE_NODE, "Failed"})


def restore(backend: Backend, agent: Object, age: float) -> Host:
    """Put the host into the service; ``age``: lab seconds since the Agent was created.

    Raises Retry when something is missing that may still come, BackendError when the host id is in use.
    """
    namespace, name = key_of(agent)
    label = labels_of(agent).get(INFRA_ENV_LABEL)
    if not label:
        raise Retry("Missing InfraEnv name label")
    infra_env = backend.infra_env((namespace, label))
    if infra_env is None:
        raise Retry(f"InfraEnv with name '{label}' is missing: record not found")
    bound = bound_cluster(agent)
    cluster = backend.cluster(bound) if bound else None
    if bound and cluster is None:
        raise Retry(f"Failed to get cluster (name: {bound[1]} namespace: {bound[0]}): record not found")
    core = backend.core
    active = core.state.hosts.get((infra_env.id, name))
    if active is not None:
        text = (
            f"Host with ID {name} already exists in infraEnv {infra_env.id} (namespace: {active.kube_namespace}). "
            "Cannot restore."
        )
        raise BackendError(409, text)
    seen = annotations_of(agent)
    moment = core.timestamp()
    host = Host(
        name,
        infra_env.id,
        cluster_id=cluster.id if cluster else "",
        created_at=moment,
        updated_at=moment,
        status_updated_at=moment,
    )
    host.kube_namespace = namespace
    host.checked_in, host.status_since = core.now() - age, core.now()
    host.status = seen.get(f"{STATE_ANNOTATION}state") or ("known" if cluster is not None else "known-unbound")
    host.role = host.suggested_role = seen.get(f"{STATE_ANNOTATION}role", "") or "auto-assign"
    stage = seen.get(f"{STATE_ANNOTATION}current-stage", "")
    host.progress.stage = stage if stage in STAGES else ""
    host.inventory = json.loads(seen.get(f"{STATE_ANNOTATION}inventory") or "null")
    core.state.hosts[infra_env.id, name] = host
    return host
