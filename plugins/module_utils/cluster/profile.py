# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define how the installers of the OpenShift releases differ, in one table (docs/upstream/releases.md has the sources).

Only this table compares versions. The code for rules, manifests and Ignition reads the profile of the cluster's
version.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from .rule_profile import Release, RuleProfile

# In their order. 4.23 is the last release of 4; 5.0 is the same code with another major version.
RELEASES: tuple[Release, ...] = (
    (4, 14),
    (4, 15),
    (4, 16),
    (4, 17),
    (4, 18),
    (4, 19),
    (4, 20),
    (4, 21),
    (4, 22),
    (4, 23),
    (5, 0),
)
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]
# OKD goes from 4.22 to 5.0.
_NOT_OF_OKD: Release = (4, 23)


@dataclasses.dataclass(frozen=True)
class ReleaseProfile(RuleProfile):
    """The installer of one release, 4.21 as it was released: each property is one difference that other packages depend
    on.
    """

    # Manifests

    @property
    def null_creation_timestamp(self) -> bool:
        """Generated manifests hold ``creationTimestamp: null`` and an empty status."""
        return self.release <= (4, 20)

    @property
    def blocked_sources(self) -> bool:
        """registries.conf blocks sources with sourcePolicy NeverContactSource; before, sources were merged whatever
        their policy.
        """
        return self.release >= (4, 21)

    # Base image

    def stream_metadata_file(self, stream: str) -> str:
        """The CoreOS stream metadata of an osImageStream in data/data/coreos of openshift/installer
        (pkg/rhcos/stream.go, stream_scos.go).
        """
        if self.okd:
            return "scos.json"
        return f"coreos-{stream}.json" if self.release >= (4, 22) else "rhcos.json"

    # Ignition

    @property
    def rendezvous_env_mode(self) -> int:
        """File mode of /etc/assisted/rendezvous-host.env."""
        return 0o600 if self.release >= (4, 22) else 0o644

    @property
    def requirements_at_boot(self) -> bool:
        """A script fills in the hardware requirements at boot; older releases have them in the service's env file."""
        return self.release >= (4, 21)

    @property
    def single_node_cpus(self) -> int:
        """CPUs that a single node must have."""
        return 4 if self.release >= (4, 22) else 8

    @property
    def local_auth(self) -> bool:
        """AUTH_TYPE is ``agent-installer-local`` with three tokens; before it is ``none``."""
        return self.release >= (4, 18)

    @property
    def iscsi(self) -> bool:
        """The live system knows iSCSI boot disks and OCI user data."""
        return self.release >= (4, 18)

    @property
    def add_nodes(self) -> bool:
        """There is an add-nodes workflow with agent-import-cluster and agent-add-node."""
        return self.release >= (4, 16)

    @property
    def start_ui(self) -> bool:
        """The unit agent-start-ui exists; agent-ui takes its place later."""
        return (4, 19) <= self.release < (4, 21)

    @property
    def agent_ui(self) -> bool:
        """The unit agent-ui exists."""
        return self.release >= (4, 21)

    @property
    def interactive_sentinel(self) -> bool:
        """The interactive workflow is marked by /etc/assisted/interactive-ui; before by a flag of a command."""
        return self.release >= (4, 21)

    @property
    def extract_tui(self) -> bool:
        """The unit agent-extract-tui exists."""
        return self.release >= (4, 20)

    @property
    def fencing_by_mac(self) -> bool:
        """A fencing credential may name its host by a MAC address (openshift/installer 10513 and 10684,
        openshift/assisted-service 10385).

        The client in an older image decodes the credentials strictly (openshift/assisted-service
        cmd/agentbasedinstaller/host_config.go, release-4.22): one MAC address, even beside a hostname, makes it reject
        the whole file.
        """
        return self.release >= (4, 23)

    @property
    def separate_registration(self) -> bool:
        """The cluster and the infra-env are registered by a unit each; before create-cluster-and-infraenv did both."""
        return self.release >= (4, 15)

    @property
    def serial_console(self) -> bool:
        """The interactive console has a variant for serial lines."""
        return self.release >= (4, 15)

    @property
    def registries_conf_mode(self) -> int:
        """File mode of /etc/containers/registries.conf."""
        return 0o644 if self.release >= (4, 15) else 0o600

    @property
    def debug_log(self) -> bool:
        """The service logs at level debug."""
        return self.release >= (4, 17)

    @property
    def token_status(self) -> bool:
        """The unit agent-auth-token-status exists."""
        return self.release >= (4, 17)

    @property
    def iscsi_sessions(self) -> bool:
        """The unit iscsiadm exists."""
        return self.release >= (4, 19)

    @property
    def interactive(self) -> bool:
        """Units of the unattended installation do not start where /etc/assisted/interactive-ui exists."""
        return self.release >= (4, 19)

    @property
    def interactive_infra_env(self) -> bool:
        """The infra-env is registered from manifests in the interactive workflow, too."""
        return self.release >= (4, 22)

    @property
    def two_node_fencing(self) -> bool:
        """The service may install two nodes that fence each other."""
        return self.release >= (4, 22)

    @property
    def long_control_plane_wait(self) -> bool:
        """The service waits 90 minutes for a control plane."""
        return self.release >= (4, 21)

    @property
    def screen_by_drm(self) -> bool:
        """The interactive console finds a screen by /dev/dri, too: RHEL 10 may have no /dev/fb0 (openshift/installer
        10640).
        """
        return self.release >= (4, 23)

    @property
    def layer_store_helper(self) -> bool:
        """registries.conf has additional-layer-store-auth-helper (openshift/installer 6d2a8af39e: the library that
        writes it was replaced).
        """
        return self.release >= (4, 23)

    @property
    def interface_name_warning(self) -> bool:
        """The installer warns of names in the interface table that networkConfig does not have (openshift/installer
        10567).
        """
        return self.release >= (4, 23)


PROFILES: Mapping[Release, ReleaseProfile] = {release: ReleaseProfile(release) for release in RELEASES}
_VERSION = re.compile(r"(?P<major>\d+)\.(?P<minor>\d+)(?P<rest>.*)", re.DOTALL)


def release_of(version: str) -> Release | None:
    """Major and minor of a version (``4.21.3``, ``5.0.0-rc.1``); None for another text."""
    match = _VERSION.match(version)
    return (int(match["major"]), int(match["minor"])) if match else None


def is_okd(version: str) -> bool:
    """Whether a version is one of OKD (``5.0.0-okd-scos.0``, ``4.15.0-0.okd-2024-03-10-010116``)."""
    match = _VERSION.match(version)
    return match is not None and "okd" in match["rest"]


def is_known(version: str) -> bool:
    """Whether the release of a version has a profile of its own."""
    release = release_of(version)
    return release in PROFILES and not (release == _NOT_OF_OKD and is_okd(version))


def profile_of(version: str) -> ReleaseProfile:
    """The profile of a version: that of the oldest release for an older one, that of the newest for any other that is
    unknown and for no version at all.
    """
    release = release_of(version) or NEWEST
    known = PROFILES.get(release) or PROFILES[OLDEST if release < OLDEST else NEWEST]
    return dataclasses.replace(known, okd=True) if is_okd(version) else known
