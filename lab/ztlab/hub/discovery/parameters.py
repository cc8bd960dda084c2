# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the parameters of a discovery image: the values from which its Ignition, network files and iPXE script are
rendered.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

# From this version on the image applies nmstate documents itself; older ones get keyfiles.
# Source: openshift/assisted-service pkg/staticnetworkconfig/generator.go.
NMSTATE_SERVICE_VERSION = "4.18"


@dataclasses.dataclass(frozen=True)
class Discovery:
    """Values of one InfraEnv, and values that the settings of the assisted-service add.

    ``token``: PULL_SECRET_TOKEN ("" when the service needs none). ``static_network``: elements {network_yaml,
    mac_interface_map [{mac_address, logical_nic_name}]} in the stored order. ``override``: the user's
    ignitionConfigOverride, ``internal_override`` that of ironic.
    """

    infra_env_id: str
    service_url: str
    agent_image: str
    openshift_version: str = ""
    token: str = ""
    insecure: bool = False
    service_ca: str = ""
    pull_secret: str = ""
    ssh_authorized_key: str = ""
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""
    additional_ntp_sources: str = ""
    ntp_sources: str = ""
    static_network: Sequence[Mapping[str, Any]] = ()
    trust_bundle: str = ""
    registries_conf: str = ""
    mirror_ca: str = ""
    network_delay_seconds: int = 0
    internal_override: str = ""
    override: str = ""
    ironic: bool = False

    @property
    def nmstate_service(self) -> bool:
        """Whether hosts get nmpolicy documents instead of keyfiles."""
        return bool(self.openshift_version) and sort_key(self.openshift_version) >= sort_key(NMSTATE_SERVICE_VERSION)

    @property
    def proxied(self) -> bool:
        return bool(self.http_proxy or self.https_proxy)


def sort_key(version: str) -> tuple[int, int, int, int]:
    """Order of versions: a pre-release comes before its release (4.18.0-ec.0 < 4.18 = 4.18.0)."""
    numbers = [int(part) for part in re.findall(r"\d+", version.split("-")[0])[:3]]
    major, minor, patch = (numbers + [0, 0, 0])[:3]
    return major, minor, patch, 0 if "-" in version else 1
