# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the configuration image: a small ISO with the configuration of one cluster, without an operating system.

It is for the workflow of the OpenShift appliance: hosts start a live system without configuration, which reads this ISO
as soon as it is attached, and installs the cluster. The live system must be of the same release.

Source: openshift/installer pkg/asset/agent/configimage.
"""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from ...common.files import SECRET_FILE, ensure_directory, same_file, write_atomic
from ...ignition.document import LiveIgnition
from ...ignition.files.environment import RENDEZVOUS_HOST_ENV
from ...image.cpio import FILE_TYPE, Member, gzip, write_archive
from ...image.small_iso import write_small_iso

FILE_NAME = "agentconfig.noarch.iso"
LABEL = "agent_configimage"
ARCHIVE = "config.gz"
# Paths of the live system that are configuration; a directory includes all its files.
_TAKEN = (
    "/etc/assisted/manifests/",
    "/etc/assisted/extra-manifests/",
    "/etc/assisted/hostconfig/",
    "/etc/assisted/hostnames/",
    "/etc/assisted/network/",
    "/etc/NetworkManager/conf.d/clientid.conf",
    "/etc/issue",
    "/etc/systemd/system.conf.d/10-default-env.conf",
    "/root/.docker/config.json",
    "/usr/local/share/start-cluster/start-cluster.env",
    "/usr/local/share/assisted-service/assisted-service.env",
    "/opt/agent/tls/",
    RENDEZVOUS_HOST_ENV,
)


@dataclasses.dataclass(frozen=True)
class MediumPlan:
    """The image, whole, and whether it has to be written. It holds credentials."""

    path: Path
    content: bytes = dataclasses.field(repr=False)
    changed: bool = True
    reason: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def size(self) -> int:
        return len(self.content)


def plan_medium(path: Path, ignition: LiveIgnition, *, force: bool = False) -> MediumPlan:
    """The image of a live system's configuration, compared with the file; the same configuration gives the same
    bytes.
    """
    content = write_small_iso(LABEL, {ARCHIVE: gzip(_archive(ignition))})
    if force:
        return MediumPlan(path, content, True, "force is set")
    if not path.exists():
        return MediumPlan(path, content, True, "it is not there yet")
    same = same_file(path, content, SECRET_FILE)
    return MediumPlan(path, content, not same, "" if same else "the configuration changed")


def write_medium(plan: MediumPlan) -> None:
    """Write it, whole or not at all."""
    ensure_directory(plan.path.parent)
    write_atomic(plan.path, plan.content, SECRET_FILE)


def is_configuration(path: str) -> bool:
    """Whether a file of the live system is on the medium."""
    return path.startswith(_TAKEN)


def _archive(ignition: LiveIgnition) -> bytes:
    """Names begin at the root. What the live system waits for comes last: where it is, everything is."""
    members = [
        Member(file.path, file.content, FILE_TYPE | file.mode) for file in ignition.files if is_configuration(file.path)
    ]
    return write_archive(members, last=RENDEZVOUS_HOST_ENV)
