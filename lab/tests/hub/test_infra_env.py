# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""InfraEnvs on a running hub."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ztlab.hub.names import SECRET

from .rig import condition, hub_rig


def test_an_infra_env_becomes_available(tmp_path: Path) -> None:
    async def run() -> None:
        async with hub_rig(tmp_path) as rig:
            item = await rig.infra_env()
            status = item["status"]
            assert condition(item, "ImageCreated") == ("True", "InfraEnvAvailable", "InfraEnv is available: Image has been created")
            assert status["isoDownloadURL"].startswith("https://assisted-image-service.hub.example.com/byapikey/ey")
            assert status["isoDownloadURL"].endswith("/4.22/x86_64/minimal.iso")
            assert status["agentLabelSelector"] == {"matchLabels": {"infraenvs.agent-install.openshift.io": "rack"}}
            assert "infra_env_id=" in status["debugInfo"]["eventsURL"] and "staticNetworkDownloadURL" not in status["debugInfo"]
            assert set(status["bootArtifacts"]) == {"kernel", "rootfs", "initrd", "ipxeScript", "discoveryIgnitionURL"}
            secret = await rig.get(SECRET, "pull-secret")
            assert secret["metadata"]["labels"]["agent-install.openshift.io/watch"] == "true"

    asyncio.run(run())
