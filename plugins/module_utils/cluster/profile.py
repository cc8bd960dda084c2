# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What differs between the installers of the releases, in one table (reference agent-based-installer.md 12 and what other sections say of releases).

Nobody else compares versions: rules, manifests and Ignition ask the profile of the cluster's version.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from .rule_profile import Release, RuleProfile

OLDEST: Release = (4, 14)
NEWEST: Release = (4, 22)


@dataclasses.dataclass(frozen=True)
class ReleaseProfile(RuleProfile):
    """The installer of one release, 4.21 as it was released: each property is one difference that the rooms care about."""

    # Manifests

    @property
    def null_creation_timestamp(self) -> bool:
        """Generated manifests hold ``creationTimestamp: null`` and an empty status."""
        return self.release <= (4, 20)

    @property
    def blocked_sources(self) -> bool:
        """registries.conf blocks sources with sourcePolicy NeverContactSource; before, sources were merged whatever their policy."""
        return self.release >= (4, 22)

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
        """A fencing credential may name its host by a MAC address (openshift/installer 10513 and 10684, openshift/assisted-service 10385).

        The client in an older image decodes the credentials strictly (openshift/assisted-service cmd/agentbasedinstaller/host_config.go, release-4.22):
        one MAC address, even beside a hostname, makes it reject the whole file.
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
        """Units of the unattended installation stand back where /etc/assisted/interactive-ui exists."""
        return self.release >= (4, 19)

    @property
    def interactive_infra_env(self) -> bool:
        """The infra-env is registered from manifests in the interactive workflow, too."""
        return self.release >= (4, 22)

    @property
    def two_node_fencing(self) -> bool:
        """The service is told that it may install two nodes that fence each other, and to wait longer for a control plane."""
        return self.release >= (4, 21)


PROFILES: Mapping[Release, ReleaseProfile] = {(4, minor): ReleaseProfile((4, minor)) for minor in range(OLDEST[1], NEWEST[1] + 1)}


def profile_of(version: str) -> ReleaseProfile:
    """The profile of a version (``4.21.3``, ``4.22.0-rc.1``); the oldest and the newest stand for what is beyond them, the newest for no version at all."""
    match = re.match(r"(\d+)\.(\d+)", version)
    release = (int(match[1]), int(match[2])) if match else NEWEST
    return PROFILES[min(max(release, OLDEST), NEWEST)]
