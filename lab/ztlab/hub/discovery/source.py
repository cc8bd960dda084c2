# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The discovery image of an infra-env of the assisted-service: fits its hooks ``discovery_source`` and ``initrd_source``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...service.core import Core
from ...service.model import InfraEnv
from .ignition import discovery_ignition
from .minimal import minimal_initrd
from .parameters import Discovery

IRONIC_ANNOTATION = "infraenv.agent-install.openshift.io/enable-ironic-agent"


def discovery_document(core: Core, infra_env: InfraEnv, iso_type: str) -> Mapping[str, Any]:
    """``discovery.ign``; a minimal image has its static network in the ramdisk."""
    return discovery_ignition(parameters(core, infra_env), static_network=iso_type != "minimal-iso")


def initrd(core: Core, infra_env: InfraEnv) -> bytes | None:
    """``minimal-initrd``, None for 204."""
    return minimal_initrd(parameters(core, infra_env))


def parameters(core: Core, infra_env: InfraEnv) -> Discovery:
    """What the infra-env and the settings of the service say."""
    fields, settings = infra_env.fields, core.settings
    proxy = fields.get("proxy") or {}
    ca_path = settings.env.get("SERVICE_CA_CERT_PATH", "")
    return Discovery(
        infra_env_id=infra_env.id,
        service_url=settings.service_url,
        agent_image=settings.agent_image,
        openshift_version=str(fields.get("openshift_version") or ""),
        token=_token(core, infra_env),
        insecure=settings.switch("SKIP_CERT_VERIFICATION", False),
        service_ca=Path(ca_path).read_text(encoding="utf-8") if ca_path else "",
        pull_secret=infra_env.pull_secret,
        ssh_authorized_key=str(fields.get("ssh_authorized_key") or ""),
        http_proxy=str(proxy.get("http_proxy") or ""),
        https_proxy=str(proxy.get("https_proxy") or ""),
        no_proxy=str(proxy.get("no_proxy") or ""),
        additional_ntp_sources=str(fields.get("additional_ntp_sources") or ""),
        ntp_sources=str(fields.get("ntp_sources") or ""),
        static_network=tuple(infra_env.static_network_config),
        trust_bundle=str(fields.get("additional_trust_bundle") or ""),
        registries_conf=infra_env.mirror.get("registries.conf", ""),
        mirror_ca=infra_env.mirror.get("ca-bundle.crt", ""),
        network_delay_seconds=int(fields.get("network_discovery_delay_seconds") or 0),
        internal_override=infra_env.internal_override,
        override=str(fields.get("ignition_config_override") or ""),
        ironic=bool(infra_env.internal_override),
    )


def _token(core: Core, infra_env: InfraEnv) -> str:
    """The token of the image's own URL: signatures are random, and an image that nobody changed has to keep its bytes."""
    match = re.search(r"/byapikey/([^/]+)/", infra_env.download_url)
    return match[1] if match else core.sign_infra_env(infra_env.id)
