# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Collect the parameters of an InfraEnv's discovery image from the assisted-service's data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..service.core import Core
from ..service.errors import bad_request
from ..service.model import InfraEnv
from .discovery.ignition import discovery_ignition
from .discovery.minimal import minimal_initrd
from .discovery.parameters import Discovery


def parameters(core: Core, infra_env: InfraEnv, service_ca: str) -> Discovery:
    fields = infra_env.fields
    proxy = fields.get("proxy") or {}
    return Discovery(
        infra_env_id=infra_env.id,
        service_url=core.settings.service_url,
        agent_image=core.settings.agent_image,
        openshift_version=str(fields.get("openshift_version") or ""),
        token=_token(core, infra_env),
        insecure=core.settings.switch("SKIP_CERT_VERIFICATION", False),
        service_ca=service_ca,
        pull_secret=infra_env.pull_secret,
        ssh_authorized_key=str(fields.get("ssh_authorized_key") or ""),
        http_proxy=str(proxy.get("http_proxy") or ""),
        https_proxy=str(proxy.get("https_proxy") or ""),
        no_proxy=str(proxy.get("no_proxy") or ""),
        additional_ntp_sources=str(fields.get("additional_ntp_sources") or ""),
        ntp_sources=str(fields.get("ntp_sources") or ""),
        static_network=infra_env.static_network_config,
        trust_bundle=str(fields.get("additional_trust_bundle") or ""),
        registries_conf=infra_env.mirror.get("registries.conf", ""),
        mirror_ca=infra_env.mirror.get("ca-bundle.crt", ""),
        network_delay_seconds=int(fields.get("network_discovery_delay_seconds") or 0),
        internal_override=infra_env.internal_override,
        override=str(fields.get("ignition_config_override") or ""),
        ironic=bool(infra_env.internal_override),
    )


def _token(core: Core, infra_env: InfraEnv) -> str:
    """The token of the image's own URL: signatures are random, and an unchanged image has to keep its bytes."""
    match = re.search(r"/byapikey/([^/]+)/", infra_env.download_url)
    return match[1] if match else core.sign_infra_env(infra_env.id)


def ignition_source(service_ca: str) -> Callable[[Core, InfraEnv, str], Mapping[str, Any]]:
    """For :attr:`Core.discovery_source`. A static network goes into the ignition of full images only."""

    def source(core: Core, infra_env: InfraEnv, kind: str) -> Mapping[str, Any]:
        try:
            return discovery_ignition(parameters(core, infra_env, service_ca), static_network=kind != "minimal-iso")
        except ValueError as error:
            raise bad_request(f"error parsing ignition: {error}") from error

    return source


def initrd_source(service_ca: str) -> Callable[[Core, InfraEnv], bytes | None]:
    """For :attr:`Core.initrd_source`."""

    built: dict[str, tuple[Discovery, bytes | None]] = {}

    def source(core: Core, infra_env: InfraEnv) -> bytes | None:
        """Each ranged read of each machine asks for it: it is built again only when its input has changed."""
        wanted = parameters(core, infra_env, service_ca)
        if infra_env.id not in built or built[infra_env.id][0] != wanted:
            built[infra_env.id] = (wanted, minimal_initrd(wanted))
        return built[infra_env.id][1]

    return source
