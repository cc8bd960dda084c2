# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The Ignition config of the live system that installs a cluster (reference agent-based-installer.md 5)."""

from __future__ import annotations

from collections.abc import Iterable

from ..cluster.spec import Deployment
from ..manifests.cluster_manifests import ManifestSet
from ..manifests.objects import ssh_key
from .document import PRIVATE, PUBLIC, Directory, IgnitionFile, LiveIgnition, Unit, User
from .files.agent import agent_files, agent_units
from .files.environment import OsImage, environment_files
from .files.hosts import host_files
from .files.identity import identity_files, identity_units
from .files.installation import installation_files, installation_units
from .files.network import network_files, network_units
from .files.registration import registration_units
from .files.release_image import release_image_files
from .files.service import service_files, service_units
from .files.shell import shell_files
from .files.status import status_files, status_units
from .files.system import system_files, system_units
from .files.trust import trust_files
from .secrets import BuildSecrets

__all__ = ["LiveIgnition", "OsImage", "build_live_ignition"]

MANIFESTS = "/etc/assisted/manifests"
EXTRA_MANIFESTS = "/etc/assisted/extra-manifests"


def build_live_ignition(
    deployment: Deployment, manifests: ManifestSet, secrets: BuildSecrets, os_image: OsImage, *, disable_image_policy: bool = False
) -> LiveIgnition:
    """Everything the live system needs, for releases 4.20 to 4.22; the same input gives the same bytes.

    ``disable_image_policy`` passes OPENSHIFT_INSTALL_EXPERIMENTAL_DISABLE_IMAGE_POLICY on to the service.
    Raises :class:`InvalidInput` with every networkConfig that cannot become keyfiles.
    """
    cluster = deployment.cluster
    files = [
        *environment_files(deployment, secrets, os_image),
        *manifest_files(manifests),
        *host_files(deployment),
        *network_files(deployment),
        *trust_files(cluster, manifests, secrets),
        *system_files(cluster),
        *shell_files(),
        *release_image_files(cluster),
        *identity_files(),
        *service_files(cluster),
        *installation_files(),
        *agent_files(),
        *status_files(),
    ]
    units = [
        *network_units(deployment),
        *system_units(),
        *identity_units(),
        *service_units(cluster, disable_image_policy),
        *registration_units(cluster),
        *installation_units(),
        *agent_units(),
        *status_units(),
    ]
    return LiveIgnition(
        files=by_path(files),
        directories=(Directory(EXTRA_MANIFESTS, PUBLIC),),
        units=tuple(sorted(units, key=_unit_name)),
        user=User("core", ssh_key(cluster), secrets.kubeadmin_hash),
    )


def manifest_files(manifests: ManifestSet) -> list[IgnitionFile]:
    """What the client on the rendezvous host registers."""
    own = [IgnitionFile(f"{MANIFESTS}/{name}", PRIVATE, text.encode()) for name, text in manifests.cluster_manifests.items()]
    extra = [IgnitionFile(f"{EXTRA_MANIFESTS}/{name}", PUBLIC, text.encode()) for name, text in manifests.extra.items()]
    return own + extra


def by_path(files: Iterable[IgnitionFile]) -> tuple[IgnitionFile, ...]:
    """Sorted by path; of two files with one path (two hosts of one name, which validation names) the later one, as upstream."""
    unique = {file.path: file for file in files}
    return tuple(unique[path] for path in sorted(unique))


def _unit_name(unit: Unit) -> str:
    return unit.name
