# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Registering the cluster and the infra-env, and applying host configuration, on the rendezvous host (reference agent-based-installer.md 5.3,
agentbasedinstaller-client.md 10).

Every client call is repeated inside its unit, 30 s apart, instead of letting the unit fail: systemd of RHEL 9 fails the start of those that require it,
and nobody would start them again.
"""

from __future__ import annotations

from ...cluster.spec import Cluster
from ..document import Unit
from .environment import AGENT_IMAGES_ENV, ASSISTED_SERVICE_ENV, RENDEZVOUS_HOST_ENV
from .placing import unit_text
from .service import trust_of

_CLIENT = """\
[Unit]
Description=@DESCRIPTION@
Wants=@AFTER@
Requires=@REQUIRES@
After=node-zero.service @AFTER@ @REQUIRES@
PartOf=assisted-service-pod.service
ConditionPathExists=/etc/assisted/node0
ConditionPathExists=@CONDITION@

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=PODMAN_SYSTEMD_UNIT=%n
Environment=IMAGE_TYPE_ISO=@IMAGE_TYPE@
EnvironmentFile=@RENDEZVOUS@
EnvironmentFile=@SERVICE@
EnvironmentFile=-@AGENT_IMAGES@
Restart=on-failure
RestartSec=30
TimeoutStartSec=infinity
TimeoutStopSec=20
ExecStartPre=@PREPARE@
ExecStartPre=/usr/local/bin/wait-for-assisted-service.sh @WAIT@
ExecStart=/bin/bash -c 'until podman run --name=@NAME@ --replace --rm \\
    --pod-id-file=%t/assisted-service-pod.pod-id --cgroups=no-conmon --log-driver=journald \\
    --security-opt=label=disable --authfile=/root/.docker/config.json \\
    @MOUNTS@ \\
    @VARIABLES@ \\
    ${SERVICE_IMAGE} /usr/local/bin/agent-installer-client @COMMAND@; do sleep 30; done'
ExecStop=/usr/bin/podman stop --ignore --time 10 @NAME@

[Install]
WantedBy=@WANTED_BY@
"""


def registration_units(cluster: Cluster) -> list[Unit]:
    trust = trust_of(cluster)
    register_cluster = {
        "DESCRIPTION": "Register the cluster with the assisted service",
        "AFTER": "assisted-service.service",
        "NAME": "agent-register-cluster",
        "MOUNTS": "--volume=/etc/assisted/manifests:/manifests:ro --volume=/etc/assisted/extra-manifests:/extra-manifests:ro" + f" {trust.mounts}",
        "VARIABLES": "--env=SERVICE_BASE_URL --env=OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR --env=USER_AUTH_TOKEN",
        "COMMAND": "registerCluster",
        "CONDITION": "!/etc/assisted/add-nodes.env",
        "WANTED_BY": "start-cluster-installation.service",
    }
    register_infra_env = {
        "DESCRIPTION": "Register the infra-env with the assisted service",
        "AFTER": "agent-register-cluster.service",
        "NAME": "agent-register-infraenv",
        "MOUNTS": "--volume=/etc/assisted/manifests:/manifests:ro",
        "VARIABLES": "--env=SERVICE_BASE_URL --env=IMAGE_TYPE_ISO --env=USER_AUTH_TOKEN",
        "IMAGE_TYPE": "minimal-iso" if cluster.minimal_iso or cluster.platform == "external" else "full-iso",
        "COMMAND": "registerInfraEnv",
        "WANTED_BY": "start-cluster-installation.service",
    }
    apply_host_config = {
        "DESCRIPTION": "Apply host configuration: roles, installation disks, fencing",
        "REQUIRES": "agent-register-infraenv.service",
        "NAME": "apply-host-config",
        "MOUNTS": "--volume=/etc/assisted/hostconfig:/etc/assisted/hostconfig:ro --volume=/run/agent-installer:/var/run/agent-installer",
        "VARIABLES": "--env=SERVICE_BASE_URL --env=INFRA_ENV_ID --env=WORKFLOW_TYPE --env=USER_AUTH_TOKEN",
        "COMMAND": "configure",
        "PREPARE": "/usr/bin/mkdir -p /run/agent-installer /etc/assisted/hostconfig",
        "WAIT": "infra-env",
        "WANTED_BY": "start-cluster-installation.service",
    }
    return [
        Unit("agent-register-cluster.service", _client(register_cluster)),
        Unit("agent-register-infraenv.service", _client(register_infra_env)),
        # Not enabled: those who need it require it.
        Unit("apply-host-config.service", _client(apply_host_config), enabled=False),
    ]


def _client(values: dict[str, str]) -> str:
    defaults = dict.fromkeys(("AFTER", "REQUIRES", "CONDITION", "IMAGE_TYPE", "PREPARE", "WAIT"), "")
    files = {"RENDEZVOUS": RENDEZVOUS_HOST_ENV, "SERVICE": ASSISTED_SERVICE_ENV, "AGENT_IMAGES": AGENT_IMAGES_ENV}
    filled = {**defaults, **files, **values}
    order = f"{filled['AFTER']} {filled['REQUIRES']}".strip()
    text = _CLIENT.replace("@AFTER@ @REQUIRES@", order).replace(" @WAIT@", f" {filled['WAIT']}".rstrip())
    return unit_text(text, filled)
