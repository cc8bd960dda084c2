# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create the objects in a spoke cluster that make a node boot the discovery image, without its BMC.

Source: openshift/assisted-service internal/controller/controllers/agent_reclaimer.go, internal/host/statemachine.go.
"""

from __future__ import annotations

import base64
from typing import Any

from ..service.core import Core
from ..service.model import Host
from .client import Client, Refused
from .names import CONFIG_MAP, NAMESPACE, SECRET, Kind, Object

SPACE = "assisted-installer"
# Without it Kubernetes refuses the privileged pods: internal/controller/controllers/agent_reclaimer.go of
# openshift/assisted-service.
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
NAME = "node-reclaim"
CONFIG = "reclaim-config"
CA_KEY, CA_PATH = "service-ca-cert.crt", "/etc/assisted-service"
RBAC = "rbac.authorization.k8s.io"
SERVICE_ACCOUNT = Kind("", "v1", "ServiceAccount", "serviceaccounts")
ROLE = Kind(RBAC, "v1", "Role", "roles")
ROLE_BINDING = Kind(RBAC, "v1", "RoleBinding", "rolebindings")
DAEMON_SET = Kind("apps", "v1", "DaemonSet", "daemonsets")


async def put_reclaim(client: Client, core: Core, host: Host, service_ca: str) -> None:
    """Create what is not there yet. Raises Refused."""
    token = core.sign_infra_env(host.infra_env_id)
    rules = [
        {
            "apiGroups": ["security.openshift.io"],
            "resources": ["securitycontextconstraints"],
            "resourceNames": ["privileged"],
            "verbs": ["use"],
        }
    ]
    reference = {"apiGroup": RBAC, "kind": "Role", "name": NAME}
    subjects = [{"kind": "ServiceAccount", "name": NAME, "namespace": SPACE}]
    wanted: list[tuple[Kind, str, Object]] = [
        (NAMESPACE, SPACE, {}),
        (SERVICE_ACCOUNT, NAME, {}),
        (ROLE, NAME, {"rules": rules}),
        (ROLE_BINDING, NAME, {"roleRef": reference, "subjects": subjects}),
        (
            SECRET,
            f"reclaim-{host.infra_env_id}-token",
            {"data": {"auth-token": base64.b64encode(token.encode()).decode()}},
        ),
        (CONFIG_MAP, CONFIG, {"data": {CA_KEY: service_ca}}),
        (DAEMON_SET, f"{host.name.replace('.', '-')}-reclaim", {"spec": _daemon_set(core, host, bool(service_ca))}),
    ]
    for kind, name, body in wanted:
        metadata = {"name": name} | ({"namespace": SPACE} if kind.namespaced else {"labels": PRIVILEGED})
        try:
            await client.create(kind, {"metadata": metadata, **body})
        except Refused as error:
            if error.reason != "AlreadyExists":
                raise
            if kind is NAMESPACE:
                await client.patch(kind, name, "", {"metadata": {"labels": PRIVILEGED}})


def _daemon_set(core: Core, host: Host, authority: bool) -> dict[str, Any]:
    settings = core.settings
    command = [
        "next_step_runner",
        "--infra-env-id",
        host.infra_env_id,
        "--host-id",
        host.id,
        "--url",
        settings.service_url,
    ]
    command += [
        "--agent-version",
        settings.agent_image,
        f"--insecure={str(settings.switch('SKIP_CERT_VERIFICATION', False)).lower()}",
    ]
    command += ["--cacert", f"{CA_PATH}/{CA_KEY}"] if authority else []
    token = {"secretKeyRef": {"name": f"reclaim-{host.infra_env_id}-token", "key": "auth-token"}}
    container = {
        "name": "reclaim",
        "image": settings.agent_image,
        "command": command,
        "env": [{"name": "PULL_SECRET_TOKEN", "valueFrom": token}],
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "host", "mountPath": "/host"}, {"name": "config", "mountPath": CA_PATH}],
    }
    volumes = [{"name": "host", "hostPath": {"path": "/"}}, {"name": "config", "configMap": {"name": CONFIG}}]
    labels = {"name": f"{host.name.replace('.', '-')}-reclaim"}
    pod = {
        "nodeSelector": {"kubernetes.io/hostname": host.name},
        "serviceAccountName": NAME,
        "containers": [container],
        "volumes": volumes,
    }
    return {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
