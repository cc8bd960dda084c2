# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the units that register the cluster and the InfraEnv with the assisted service and apply host configuration.

They run on the rendezvous host. Each unit repeats its client call every 30 s until it succeeds, instead of failing:
systemd of RHEL 9 fails the start of units that require a failed unit, and no process would start them again.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

from ...cluster.profile import ReleaseProfile, profile_of
from ...cluster.spec import Cluster
from ..document import Unit
from .console import INTERACTIVE
from .environment import ADD_NODES_ENV, AGENT_IMAGES_ENV, ASSISTED_SERVICE_ENV, INSTALL, RENDEZVOUS_HOST_ENV
from .placing import unit_text
from .service import trust_of

_CLIENT = """\
[Unit]
Description=@DESCRIPTION@
Wants=network-online.target @WANTS@
Requires=@REQUIRES@
After=network-online.target node-zero.service @WANTS@ @AFTER@ @REQUIRES@
PartOf=assisted-service-pod.service
Conflicts=@CONFLICTS@
ConditionPathExists=/etc/assisted/node0
ConditionPathExists=@ADD_NODES@
ConditionPathExists=@ATTENDED@

[Service]
Type=oneshot
RemainAfterExit=yes
Environment=PODMAN_SYSTEMD_UNIT=%n
Environment=IMAGE_TYPE_ISO=@IMAGE_TYPE@
EnvironmentFile=@RENDEZVOUS@
EnvironmentFile=-@AGENT_IMAGES@
EnvironmentFile=@SERVICE@
EnvironmentFile=@RUNNING_CLUSTER@
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

_REGISTER = "agent-register-cluster.service"
_IMPORT = "agent-import-cluster.service"
_INFRA_ENV = "agent-register-infraenv.service"
_BOTH = "create-cluster-and-infraenv.service"
_START = "start-cluster-installation.service"
_ADD = "agent-add-node.service"
_MANIFESTS = "--volume=/etc/assisted/manifests:/manifests:ro"
_EXTRA_MANIFESTS = "--volume=/etc/assisted/extra-manifests:/extra-manifests:ro"
_CLUSTER_CONFIG = "--volume=/etc/assisted/clusterconfig:/clusterconfig:ro"
_MIRROR = "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR"


def registration_units(cluster: Cluster, workflow: str) -> list[Unit]:
    """All of them in every image: conditions tell the workflows apart."""
    profile = profile_of(cluster.version)
    trust = trust_of(cluster).mounts
    clients = [_infra_env(cluster, profile, workflow), _apply(profile)]
    if profile.separate_registration:
        clients.append(_register(profile, trust))
    else:
        clients[0] = _register_both(trust)
    if profile.add_nodes:
        clients.append(_import(trust))
    # apply-host-config is not enabled: those who need it require it.
    return [
        Unit(f"{values['NAME']}.service", _client(values, profile), enabled=values["NAME"] != "apply-host-config")
        for values in clients
    ]


def _wanted_by(profile: ReleaseProfile, *units: str) -> str:
    return " ".join(units) if profile.add_nodes else "multi-user.target"


def _register(profile: ReleaseProfile, trust: str) -> dict[str, str]:
    return {
        "DESCRIPTION": "Register the cluster with the assisted service",
        "WANTS": "assisted-service.service",
        "CONFLICTS": _IMPORT if profile.add_nodes else "",
        "NAME": "agent-register-cluster",
        "MOUNTS": f"{_MANIFESTS} {_EXTRA_MANIFESTS} {trust}",
        "VARIABLES": f"SERVICE_BASE_URL {_MIRROR}",
        "COMMAND": "registerCluster",
        "ADD_NODES": f"!{ADD_NODES_ENV}" if profile.add_nodes else "",
        "ATTENDED": f"!{INTERACTIVE}" if profile.interactive else "",
        "WANTED_BY": _wanted_by(profile, _START),
    }


def _register_both(trust: str) -> dict[str, str]:
    """4.14: one unit and one call for cluster and infra-env."""
    return {
        "DESCRIPTION": "Register the cluster and the infra-env with the assisted service",
        "WANTS": "assisted-service.service",
        "NAME": "create-cluster-and-infraenv",
        "MOUNTS": f"{_MANIFESTS} {_EXTRA_MANIFESTS} {trust}",
        "VARIABLES": f"SERVICE_BASE_URL {_MIRROR}",
        "COMMAND": "register",
        "WANTED_BY": "multi-user.target",
    }


def _import(trust: str) -> dict[str, str]:
    return {
        "DESCRIPTION": "Make the running cluster known to the assisted service",
        "WANTS": "assisted-service.service",
        "CONFLICTS": _REGISTER,
        "NAME": "agent-import-cluster",
        "MOUNTS": f"{_CLUSTER_CONFIG} {_MANIFESTS} {_EXTRA_MANIFESTS} {trust}",
        "VARIABLES": f"SERVICE_BASE_URL {_MIRROR} CLUSTER_ID CLUSTER_NAME CLUSTER_API_VIP_DNS_NAME",
        "COMMAND": "importCluster",
        "ADD_NODES": ADD_NODES_ENV,
        "RUNNING_CLUSTER": ADD_NODES_ENV,
        "WANTED_BY": _ADD,
    }


def _infra_env(cluster: Cluster, profile: ReleaseProfile, workflow: str) -> dict[str, str]:
    minimal = workflow == INSTALL and (cluster.minimal_iso or cluster.platform == "external")
    return {
        "DESCRIPTION": "Register the infra-env with the assisted service",
        "WANTS": "assisted-service.service",
        "AFTER": f"{_REGISTER} {_IMPORT}" if profile.add_nodes else _REGISTER,
        "NAME": "agent-register-infraenv",
        "MOUNTS": _MANIFESTS,
        "VARIABLES": "SERVICE_BASE_URL IMAGE_TYPE_ISO",
        "IMAGE_TYPE": "minimal-iso" if minimal else "full-iso",
        "COMMAND": "registerInfraEnv",
        "ATTENDED": f"!{INTERACTIVE}" if profile.interactive and not profile.interactive_infra_env else "",
        "WANTED_BY": _wanted_by(
            profile, _START, _ADD, *(["agent-ui.service"] if profile.interactive_infra_env else [])
        ),
    }


def _apply(profile: ReleaseProfile) -> dict[str, str]:
    workflow_type = " WORKFLOW_TYPE" if profile.add_nodes else ""
    return {
        "DESCRIPTION": "Apply host configuration: roles, installation disks, fencing",
        "REQUIRES": _INFRA_ENV if profile.separate_registration else _BOTH,
        "NAME": "apply-host-config",
        "MOUNTS": (
            "--volume=/etc/assisted/hostconfig:/etc/assisted/hostconfig:ro "
            "--volume=/run/agent-installer:/var/run/agent-installer"
        ),
        "VARIABLES": f"SERVICE_BASE_URL INFRA_ENV_ID{workflow_type}",
        "COMMAND": "configure",
        "PREPARE": "/usr/bin/mkdir -p /run/agent-installer /etc/assisted/hostconfig",
        "WAIT": "infra-env",
        "ATTENDED": f"!{INTERACTIVE}" if profile.interactive else "",
        "WANTED_BY": _wanted_by(profile, _START, _ADD),
    }


_OPTIONAL = (
    "WANTS",
    "AFTER",
    "REQUIRES",
    "CONFLICTS",
    "ADD_NODES",
    "ATTENDED",
    "IMAGE_TYPE",
    "RUNNING_CLUSTER",
    "PREPARE",
    "WAIT",
)


def _client(values: dict[str, str], profile: ReleaseProfile) -> str:
    user_token = " USER_AUTH_TOKEN" if profile.local_auth else ""
    variables = f"{values['VARIABLES']}{user_token}".split()
    filled = {
        **dict.fromkeys(_OPTIONAL, ""),
        **values,
        "VARIABLES": " ".join(f"--env={name}" for name in variables),
        "RENDEZVOUS": RENDEZVOUS_HOST_ENV,
        "SERVICE": ASSISTED_SERVICE_ENV,
        "AGENT_IMAGES": AGENT_IMAGES_ENV,
    }
    text = _CLIENT
    for key in ("WANTS", "AFTER", "REQUIRES", "WAIT"):
        # One of several words in a line; a line of its own goes as a whole.
        text = text.replace(f" @{key}@", f" {filled[key]}" if filled[key] else "")
    return unit_text(text, filled)
