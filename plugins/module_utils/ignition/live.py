# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the Ignition config of the live system that installs a cluster.

Source: openshift/installer pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..cluster.profile import profile_of
from ..cluster.spec import Deployment
from ..manifests.cluster_manifests import ManifestSet
from ..manifests.objects import ssh_key
from .document import PRIVATE, PUBLIC, Directory, IgnitionFile, LiveIgnition, Unit, User
from .files.agent import agent_files, agent_units
from .files.config_image import config_image_files, config_image_units
from .files.console import console_files, console_units, ui_units
from .files.environment import INSTALL, OsImage, environment_files
from .files.hosts import host_files, without_bmcs
from .files.identity import identity_files, identity_units
from .files.installation import installation_files, installation_units
from .files.joining import joining_files, joining_units
from .files.network import network_files, network_units
from .files.platforms import platform_files, platform_units
from .files.registration import registration_units
from .files.release_image import release_image_files
from .files.service import service_files, service_units
from .files.shell import shell_files
from .files.status import status_files, status_units
from .files.system import system_files, system_units
from .files.trust import trust_files
from .secrets import BuildSecrets

__all__ = ["LiveIgnition", "OsImage", "build_live_ignition", "live_ignition"]

MANIFESTS = "/etc/assisted/manifests"
EXTRA_MANIFESTS = "/etc/assisted/extra-manifests"
AGENT_CONFIG = f"{MANIFESTS}/agent-config.yaml"


def build_live_ignition(
    deployment: Deployment,
    manifests: ManifestSet,
    secrets: BuildSecrets,
    os_image: OsImage,
    *,
    agent_config: bytes | None = None,
    disable_image_policy: bool = False,
) -> LiveIgnition:
    """Everything the live system needs to install the cluster, as its release (4.14 to 4.22) lays it out; the same
    input gives the same bytes.

    ``agent_config`` is the user's agent-config.yaml, None without one; it is included unchanged, only without access to
    BMCs. ``disable_image_policy`` passes OPENSHIFT_INSTALL_EXPERIMENTAL_DISABLE_IMAGE_POLICY on to the service.
    Raises :class:`InvalidInput` with every networkConfig that cannot become keyfiles.
    """
    own = manifest_files(manifests.cluster_manifests, manifests.extra)
    if agent_config is not None:
        own.append(IgnitionFile(AGENT_CONFIG, PRIVATE, without_bmcs(agent_config)))
    return live_ignition(deployment, manifests, secrets, os_image, own, disable_image_policy=disable_image_policy)


def live_ignition(
    deployment: Deployment,
    manifests: ManifestSet,
    secrets: BuildSecrets,
    os_image: OsImage,
    own: Iterable[IgnitionFile],
    *,
    workflow: str = INSTALL,
    directories: tuple[Directory, ...] = (),
    disable_image_policy: bool = False,
) -> LiveIgnition:
    """What the images of all workflows have in common, and the files that are one workflow's ``own``; of two with one
    path the own one.
    """
    cluster = deployment.cluster
    profile = profile_of(cluster.version)
    files = [
        *environment_files(deployment, secrets, os_image, workflow),
        *host_files(deployment),
        *network_files(deployment),
        *trust_files(cluster, manifests, secrets),
        *system_files(cluster.domain if workflow == INSTALL else cluster.name),
        *shell_files(),
        *release_image_files(cluster),
        *identity_files(),
        *service_files(cluster),
        *installation_files(),
        *joining_files(profile),
        *agent_files(),
        *console_files(profile),
        *config_image_files(),
        *platform_files(profile),
        *status_files(profile),
        *own,
    ]
    units = [
        *network_units(deployment),
        *system_units(),
        *identity_units(),
        *service_units(cluster, disable_image_policy),
        *registration_units(cluster, workflow),
        *installation_units(profile, workflow),
        *joining_units(profile, workflow),
        *agent_units(),
        *console_units(profile),
        *ui_units(profile),
        *config_image_units(profile),
        *platform_units(profile),
        *status_units(),
    ]
    return LiveIgnition(
        files=by_path(files),
        directories=tuple(sorted((Directory(EXTRA_MANIFESTS, PUBLIC), *directories), key=_path)),
        units=tuple(sorted(units, key=_unit_name)),
        user=User("core", ssh_key(cluster), secrets.kubeadmin_hash),
    )


def manifest_files(cluster_manifests: Mapping[str, str], extra: Mapping[str, str]) -> list[IgnitionFile]:
    """What the client on the rendezvous host registers."""
    own = [IgnitionFile(f"{MANIFESTS}/{name}", PRIVATE, text.encode()) for name, text in cluster_manifests.items()]
    return own + [IgnitionFile(f"{EXTRA_MANIFESTS}/{name}", PUBLIC, text.encode()) for name, text in extra.items()]


def by_path(files: Iterable[IgnitionFile]) -> tuple[IgnitionFile, ...]:
    """Sorted by path; of two files with one path (two hosts of one name, which validation names) the later one, as
    upstream.
    """
    unique = {file.path: file for file in files}
    return tuple(unique[path] for path in sorted(unique))


def _path(directory: Directory) -> str:
    return directory.path


def _unit_name(unit: Unit) -> str:
    return unit.name
