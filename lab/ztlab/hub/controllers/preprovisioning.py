# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Reconcile PreprovisioningImages: publish the image URL of the InfraEnv, so that the baremetal-operator boots that
image.

Source: openshift/assisted-service internal/controller/controllers/preprovisioningimage_controller.go.
"""

from __future__ import annotations

from typing import Any

from ..conditions import Condition, find, merge
from ..conditions import preprovisioning as conditions
from ..conditions.infra_env import TYPE
from ..names import (
    BARE_METAL_HOST,
    INFRA_ENV,
    INFRA_ENV_LABEL,
    IRONIC_ANNOTATION,
    PREPROVISIONING_FINALIZER,
    PREPROVISIONING_IMAGE,
    Key,
    Object,
    annotations_of,
    deleting,
    key_of,
    labels_of,
)
from ..world import World
from .bare_metal_host import REBOOT, provisioning_state

EMPTIED = ("imageUrl", "kernelUrl", "extraKernelParams", "format", "architecture")
RETRY_SECONDS = 1.0
EXCLUDED = {"velero.io/exclude-from-backup": "true"}


class PreprovisioningController:
    """Keys are PreprovisioningImages."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def reconcile(self, key: Key) -> float | None:
        image = self._world.get(PREPROVISIONING_IMAGE, key)
        name = labels_of(image).get(INFRA_ENV_LABEL) if image is not None else ""
        if image is None or not name:
            return None
        if deleting(image):
            return await self._delete(image)
        image = await self._world.add_finalizer(PREPROVISIONING_IMAGE, image, PREPROVISIONING_FINALIZER)
        image = await self._world.metadata(PREPROVISIONING_IMAGE, image, labels=EXCLUDED)
        infra_env = self._world.get(INFRA_ENV, (key[0], name))
        found, members, again = outcome(image["spec"], infra_env, (key[0], name), self._world.age)
        if infra_env is not None and members is not None and annotations_of(infra_env).get(IRONIC_ANNOTATION) != "true":
            await self._world.metadata(INFRA_ENV, infra_env, annotations={IRONIC_ANNOTATION: "true"})
            return 1.0
        await self._write(image, found, members)
        return again

    async def _delete(self, image: Object) -> float | None:
        """The image stays as long as its host needs it to be cleaned."""
        owners = image["metadata"].get("ownerReferences") or []
        name = next((entry["name"] for entry in owners if entry.get("kind") == "BareMetalHost"), "")
        host = self._world.get(BARE_METAL_HOST, (key_of(image)[0], name))
        if (
            host is not None
            and needs_image(host)
            and PREPROVISIONING_FINALIZER in (image["metadata"].get("finalizers") or [])
        ):
            return RETRY_SECONDS
        await self._world.drop_finalizer(PREPROVISIONING_IMAGE, image, PREPROVISIONING_FINALIZER)
        return None

    async def _write(self, image: Object, found: list[Condition], members: dict[str, Any] | None) -> None:
        status = {name: value for name, value in (image.get("status") or {}).items() if name not in EMPTIED}
        before = (image.get("status") or {}).get("imageUrl")
        status["conditions"] = merge(status.get("conditions"), found, self._world.now())
        status |= members or {}
        await self._world.status(PREPROVISIONING_IMAGE, image, status)
        if before and members and members.get("imageUrl") != before:
            await self._reboot((image["metadata"]["namespace"], image["metadata"]["name"]))

    async def _reboot(self, key: Key) -> None:
        """A host that already runs the old image boots the new one."""
        host = self._world.get(BARE_METAL_HOST, key)
        state = (((host or {}).get("status") or {}).get("provisioning") or {}).get("state")
        if host is not None and state != "provisioned":
            await self._world.metadata(BARE_METAL_HOST, host, annotations={REBOOT: '{"force": true}'})


def needs_image(host: Object) -> bool:
    """Whether a host is cleaned when it leaves, and has not finished that (handlePreprovisioningImageDeletion)."""
    if host["spec"].get("automatedCleaningMode") == "disabled":
        return False
    return not deleting(host) or provisioning_state(host) not in ("powering off before delete", "deleting")


def normalized(architecture: str | None) -> str:
    """One name for each architecture (NormalizeCPUArchitecture of internal/common/common.go)."""
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(architecture or "", architecture or "")


def outcome(
    spec: Object, infra_env: Object | None, key: Key, age: Any
) -> tuple[list[Condition], dict[str, Any] | None, float | None]:
    """Conditions, the members of the status (None: emptied), and when to look again."""
    formats = list(spec.get("acceptFormats") or [])
    kind = next((each for each in ("iso", "initrd") if each in formats), "")
    if not kind:
        return conditions.unsupported_format(), None, None
    if infra_env is None or deleting(infra_env):
        return conditions.no_infra_env(*key), None, None
    architecture = infra_env["spec"].get("cpuArchitecture") or "x86_64"
    if normalized(spec.get("architecture")) != normalized(architecture):
        return conditions.arch_mismatch(normalized(spec.get("architecture")), normalized(architecture)), None, None
    status = infra_env.get("status") or {}
    created = find(status.get("conditions"), TYPE)
    if not status.get("createdTime"):
        return conditions.waiting_for_image(), None, None
    left = conditions.COOL_DOWN_SECONDS - age(status["createdTime"])
    if left > 0:
        return conditions.cooling_down(), None, left + 1
    artifacts = status.get("bootArtifacts") or {}
    members: dict[str, Any] = {"architecture": architecture, "format": kind}
    if kind == "iso":
        members["imageUrl"] = status.get("isoDownloadURL", "")
    else:
        appended = " ".join(
            entry["value"]
            for entry in infra_env["spec"].get("kernelArguments") or []
            if entry.get("operation") == "append"
        )
        parameters = f"coreos.live.rootfs_url={artifacts.get('rootfs', '')} rd.bootif=0 {appended}".strip()
        members |= {
            "imageUrl": artifacts.get("initrd", ""),
            "kernelUrl": artifacts.get("kernel", ""),
            "extraKernelParams": parameters,
        }
    return conditions.copied(created), members, None
