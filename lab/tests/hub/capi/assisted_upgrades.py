# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Scenes for test_assisted_recorded.py: OpenShift Assisted's control plane provider upgrades a cluster through the
ClusterVersion of that cluster.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ztlab.hub.capi.assisted.control_plane import CLUSTER_VERSION
from ztlab.hub.capi.assisted.names import REPOSITORY_OVERRIDE
from ztlab.hub.capi.assisted.releases import OCP
from ztlab.hub.names import CLUSTER_INSTALL, Object

from .assisted import CORE, condition_of
from .assisted_objects import settled
from .assisted_stage import AssistedStage, plane


async def installed(on: AssistedStage, current: str = "4.22.0", to: str = "", **more: Any) -> str:
    """Create a cluster with this version and wait until the provider has read its ClusterVersion. Return the name of
    the cluster's Machine.
    """
    metadata, running, update = (more.pop(name, None) for name in ("metadata", "running", "desiredUpdate"))
    await on.cluster_version(current, to, running=bool(running), **({"desiredUpdate": update} if update else {}))
    (name,) = await plane(on, metadata=metadata, **more)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.kubeconfig("admin", on.rig.hub.kubeconfig(direct=True))
    await on.install_state("adding-hosts", secret="admin")
    await on.rig.until(
        CORE.control_plane,
        "c1",
        lambda item: item["status"].get("distributionVersion") or condition_of(item, "UpgradeCompleted")[0],
        seconds=120,
    )
    return name


def repository(name: str) -> Object:
    return {"annotations": {REPOSITORY_OVERRIDE: name}}


async def upgraded(on: AssistedStage, version: str) -> None:
    """Another version is asked for; ends once the provider has written it."""
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"distributionVersion": version}})
    await on.rig.until(
        CLUSTER_VERSION, "version", lambda item: (item.get("spec") or {}).get("desiredUpdate"), seconds=120
    )


async def version_current(on: AssistedStage) -> None:
    """The cluster runs the version that is asked for."""
    await installed(on)


async def upgrade_by_image(on: AssistedStage) -> None:
    """Defect D3: without a named repository an upgrade is forced, by image."""
    await installed(on)
    await upgraded(on, "4.22.1")


async def upgrade_by_version(on: AssistedStage) -> None:
    await installed(on, metadata=repository(OCP))
    await upgraded(on, "4.22.1")


async def upgrade_prerelease(on: AssistedStage) -> None:
    """By image also with a default repository."""
    await installed(on, metadata=repository(OCP))
    await upgraded(on, "4.22.1-rc.0")


async def upgrade_running(on: AssistedStage) -> None:
    """Nothing is written while the cluster changes to the version that is asked for."""
    await installed(on, to="4.22.1", running=True, distributionVersion="4.22.1")


async def upgrade_elsewhere(on: AssistedStage) -> None:
    """A change to another version does not keep the provider from writing."""
    await installed(on, to="4.21.0", running=True, distributionVersion="4.22.1", metadata=repository(OCP))
    await on.rig.until(CLUSTER_VERSION, "version", lambda item: item["spec"].get("desiredUpdate"), seconds=120)


async def upgrade_written(on: AssistedStage) -> None:
    """The version that is desired already is not written again, whatever else is."""
    update = {"version": "4.22.1", "image": "quay.io/other@sha256:1", "force": True}
    await installed(on, distributionVersion="4.22.1", metadata=repository(OCP), desiredUpdate=update)


async def upgrade_replaces(on: AssistedStage) -> None:
    """The whole desiredUpdate is replaced."""
    update = {"architecture": "Multi", "image": "quay.io/other@sha256:1", "force": True}
    await installed(on, distributionVersion="4.22.1", metadata=repository(OCP), desiredUpdate=update)
    await on.rig.until(
        CLUSTER_VERSION, "version", lambda item: item["spec"]["desiredUpdate"].get("version"), seconds=120
    )


async def upgrade_completed(on: AssistedStage) -> None:
    """UpgradeCompleted is written once it was False."""
    await upgrade_by_version(on)
    await on.rig.until(
        CORE.control_plane, "c1", lambda item: condition_of(item, "UpgradeCompleted")[0] == "False", seconds=120
    )
    await on.version_status("4.22.1")
    await on.touch(CORE.control_plane, "c1")
    await on.rig.until(
        CORE.control_plane, "c1", lambda item: condition_of(item, "UpgradeCompleted")[0] == "True", seconds=120
    )


async def version_unknown(on: AssistedStage) -> None:
    """Without a completed version in the history the control plane shows none; without a desired one everything in
    progress is the right upgrade.
    """
    await installed(on)
    await on.version_status("", running=True)
    await on.touch(CORE.control_plane, "c1")
    await on.rig.until(
        CORE.control_plane, "c1", lambda item: condition_of(item, "UpgradeCompleted")[0] == "False", seconds=120
    )


async def version_missing(on: AssistedStage) -> None:
    """The API answers, and has no ClusterVersion."""
    await on.cluster_version("4.22.0")
    await on.rig.client.delete(CLUSTER_VERSION, "version")
    await plane(on)
    await on.rig.until(CLUSTER_INSTALL, "c1", lambda item: True, seconds=120)
    await on.kubeconfig("admin", on.rig.hub.kubeconfig(direct=True))
    await on.install_state("adding-hosts", secret="admin")
    await on.rig.until(CORE.control_plane, "c1", lambda item: condition_of(item, "UpgradeCompleted")[0], seconds=120)


async def unanswered(on: AssistedStage) -> None:
    """Defect D9: no Machine comes while the API does not answer; it comes once the API answers again."""
    await installed(on)
    await on.reachable(answers=False)
    await on.rig.patch(CORE.control_plane, "c1", {"spec": {"replicas": 2}})
    await settled(on)
    machines = (await on.rig.client.list(CORE.machine))[0]
    on.answers.append({"Machines while the API does not answer": len(machines)})
    await on.reachable(answers=True)
    await on.touch(CORE.control_plane, "c1")
    await on.next_machine()


UPGRADES: tuple[Callable[[AssistedStage], Awaitable[None]], ...] = (
    version_current,
    upgrade_by_image,
    upgrade_by_version,
    upgrade_prerelease,
    upgrade_running,
    upgrade_elsewhere,
    upgrade_written,
    upgrade_replaces,
    upgrade_completed,
    version_unknown,
    version_missing,
    unanswered,
)
