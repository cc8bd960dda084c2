# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the Ignition files and units that run the assisted service, with its pod and database, on the rendezvous host.

Source: openshift/installer data/data/agent/systemd/units, data/data/agent/files/usr/local/bin.
"""

from __future__ import annotations

import dataclasses

from ...cluster.profile import profile_of
from ...cluster.spec import Cluster
from ..document import IgnitionFile, Unit
from .environment import (
    AGENT_IMAGES_ENV,
    ASSISTED_DB_ENV,
    ASSISTED_SERVICE_ENV,
    IMAGES_ENV,
    RENDEZVOUS_HOST_ENV,
    TO_BE_REPLACED,
    hardware_requirements,
)
from .placing import script, unit_text
from .trust import CA_FILE

_HOST_CA_BUNDLE = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
# An InternalReleaseImage keeps the release on the control plane's disks.
_LARGE_DISK_GB = 220

_CONFIGURE_HARDWARE = r"""#!/bin/bash
# Tell the service what it asks of hosts. A cluster with an InternalReleaseImage needs room for the release on the disks of its control plane.
set -euo pipefail

settings=/usr/local/share/assisted-service/assisted-service.env
requirements=@DEFAULT@
if grep --quiet --no-messages --extended-regexp '^kind: *"?InternalReleaseImage"? *$' /etc/assisted/extra-manifests/*; then
    requirements=@LARGE@
fi
# The JSON holds none of the characters that sed would take for its own.
sed -i "s|@PLACEHOLDER@|$requirements|" "$settings"
"""  # noqa: E501

_POD = """\
[Unit]
Description=Pod of the assisted service
Wants=network-online.target node-zero.service
Requires=assisted-service-db.service assisted-service.service
After=network-online.target node-zero.service selinux.service
Before=assisted-service-db.service assisted-service.service
ConditionPathExists=/etc/assisted/node0

[Service]
Type=forking
PIDFile=%t/assisted-service-pod.pid
Environment=PODMAN_SYSTEMD_UNIT=%n
Restart=on-failure
RestartSec=10
TimeoutStartSec=infinity
TimeoutStopSec=70
ExecStartPre=/usr/bin/rm -f %t/assisted-service-pod.pid %t/assisted-service-pod.pod-id
ExecStartPre=/usr/local/bin/get-container-images.sh
ExecStartPre=/usr/bin/podman pod create --name assisted-service --network host --replace \\
    --infra-conmon-pidfile %t/assisted-service-pod.pid --pod-id-file %t/assisted-service-pod.pod-id
ExecStart=/usr/bin/podman pod start --pod-id-file %t/assisted-service-pod.pod-id
ExecStop=/usr/bin/podman pod stop --ignore --time 10 --pod-id-file %t/assisted-service-pod.pod-id
ExecStopPost=/usr/bin/podman pod rm --ignore --force --pod-id-file %t/assisted-service-pod.pod-id

[Install]
WantedBy=multi-user.target
"""

_CONTAINER = """\
[Unit]
Description=@DESCRIPTION@
Wants=network-online.target
Requires=@REQUIRES@
BindsTo=assisted-service-pod.service
After=network-online.target node-zero.service assisted-service-pod.service @REQUIRES@
ConditionPathExists=/etc/assisted/node0

[Service]
Type=notify
NotifyAccess=all
Environment=PODMAN_SYSTEMD_UNIT=%n
EnvironmentFile=@AGENT_IMAGES@
Restart=on-failure
RestartSec=10
TimeoutStartSec=infinity
TimeoutStopSec=70
ExecStartPre=/usr/bin/rm -f %t/%n.ctr-id
ExecStartPre=@PREPARE@
ExecStart=/usr/bin/podman run --detach --name=@NAME@ --replace --restart=on-failure:10 --cidfile=%t/%n.ctr-id \\
    --pod-id-file=%t/assisted-service-pod.pod-id --cgroups=no-conmon --sdnotify=conmon --log-driver=journald \\
    --security-opt=label=disable --authfile=/root/.docker/config.json \\
    @OPTIONS@ \\
    ${SERVICE_IMAGE} @COMMAND@
ExecStop=/usr/bin/podman stop --ignore --time 10 --cidfile=%t/%n.ctr-id
ExecStopPost=/usr/bin/podman rm --ignore --force --cidfile=%t/%n.ctr-id

[Install]
WantedBy=multi-user.target
"""


@dataclasses.dataclass(frozen=True)
class Trust:
    """What containers that talk to registries see of the host.

    ``mirrors``: the cluster has some; ``own_ca``: it has a CA bundle of its own.
    """

    mirrors: bool
    own_ca: bool

    @property
    def mounts(self) -> str:
        """Options of ``podman run`` (openshift/installer pkg/asset/agent/mirror)."""
        bundle = CA_FILE if self.mirrors and self.own_ca else _HOST_CA_BUNDLE
        mounts = f"--volume={bundle}:{_HOST_CA_BUNDLE}:ro"
        return f"{mounts} --volume=/etc/containers:/etc/containers:ro" if self.mirrors else mounts


def trust_of(cluster: Cluster) -> Trust:
    return Trust(
        any(source.mirrors for source in cluster.image_digest_sources), bool(cluster.additional_trust_bundle.strip())
    )


def service_files(cluster: Cluster) -> list[IgnitionFile]:
    profile = profile_of(cluster.version)
    if not profile.requirements_at_boot:
        return []
    requirements = {"DEFAULT": hardware_requirements(profile), "LARGE": hardware_requirements(profile, _LARGE_DISK_GB)}
    text = _CONFIGURE_HARDWARE.replace("@PLACEHOLDER@", TO_BE_REPLACED)
    return [script("configure-assisted-hw-requirements.sh", text, requirements)]


def service_units(cluster: Cluster, disable_image_policy: bool) -> list[Unit]:
    environment = " ".join(
        f"--env-file={path}"
        for path in (RENDEZVOUS_HOST_ENV, ASSISTED_SERVICE_ENV, IMAGES_ENV, "/etc/assisted/node0", AGENT_IMAGES_ENV)
    )
    policy = " --env=OPENSHIFT_INSTALL_EXPERIMENTAL_DISABLE_IMAGE_POLICY=true" if disable_image_policy else ""
    database = {
        "DESCRIPTION": "Database of the assisted service",
        "REQUIRES": "",
        "PREPARE": "",
        "NAME": "assisted-db",
        "OPTIONS": f"--user=postgres --env-file={ASSISTED_DB_ENV}",
        "COMMAND": "/bin/bash start_db.sh",
    }
    service = {
        "DESCRIPTION": "Assisted service",
        "REQUIRES": "assisted-service-db.service",
        "PREPARE": "/usr/local/bin/configure-assisted-hw-requirements.sh"
        if profile_of(cluster.version).requirements_at_boot
        else "",
        "NAME": "service",
        "OPTIONS": (
            f"--volume=/opt/agent/tls:/opt/agent/tls:ro {trust_of(cluster).mounts}{policy} \\\n    {environment}"
        ),
        "COMMAND": "",
    }
    return [
        Unit("assisted-service-pod.service", _POD),
        Unit("assisted-service-db.service", _container(database)),
        Unit("assisted-service.service", _container(service)),
    ]


def _container(values: dict[str, str]) -> str:
    text = _CONTAINER.replace(" @REQUIRES@\nCondition", f" {values['REQUIRES']}".rstrip() + "\nCondition")
    text = text.replace(" @COMMAND@", f" {values['COMMAND']}".rstrip())
    return unit_text(text, {**values, "AGENT_IMAGES": AGENT_IMAGES_ENV})
