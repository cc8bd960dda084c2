# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a small baremetal-operator: register BareMetalHosts, boot live images over virtual media, and apply the
power state.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from ...machine.disk_image import WriteDisk, WriteError
from ..names import BARE_METAL_HOST, PREPROVISIONING_IMAGE, SECRET, Key, Object, annotations_of, deleting, key_of, owner
from ..redfish import Bmc, BmcError, Redirect
from ..world import World

FINALIZER = "baremetalhost.metal3.io"
DETACHED, PAUSED, INSPECT, REBOOT = (
    "baremetalhost.metal3.io/detached",
    "baremetalhost.metal3.io/paused",
    "inspect.metal3.io",
    "reboot.metal3.io",
)
RETRY_SECONDS = 30.0
# What the steps of a real operator take, in lab seconds.
REGISTER_SECONDS, INSPECT_SECONDS, PREPARE_SECONDS, PROVISION_SECONDS, DEPROVISION_SECONDS = 5.0, 30.0, 5.0, 5.0, 10.0


class BareMetalHostController:
    """Keys are BareMetalHosts. ``converged``: hosts are inspected in their PreprovisioningImage."""

    def __init__(
        self,
        world: World,
        session: Callable[[], aiohttp.ClientSession],
        redirect: Redirect,
        *,
        converged: bool = False,
        write_disk: WriteDisk | None = None,
    ) -> None:
        self._world, self._session, self._redirect, self._converged = world, session, redirect, converged
        self._write_disk = write_disk

    async def reconcile(self, key: Key) -> float | None:
        host = self._world.get(BARE_METAL_HOST, key)
        if host is None:
            return None
        annotations = annotations_of(host)
        if PAUSED in annotations:
            # deleted or not: metal3-io/baremetal-operator internal/controller/metal3.io/baremetalhost_controller.go
            return None
        try:
            if deleting(host):
                return await self._delete(host)
            host = await self._world.add_finalizer(BARE_METAL_HOST, host, FINALIZER)
            if DETACHED in annotations:
                await self._write(host, operationalStatus="detached", errorMessage="", errorType=None)
                return None
            return await self._step(host)
        except BmcError as error:
            return await self._failed(host, str(error))

    # status

    async def _write(self, host: Object, *, state: str = "", image: Any = False, **members: Any) -> Object:
        """Change members of the status; ``image`` False: as it is."""
        status = dict(host.get("status") or {})
        status.setdefault("errorCount", 0)
        status.setdefault("errorMessage", "")
        status.setdefault("operationalStatus", "OK")
        status.setdefault("poweredOn", False)
        status.setdefault("provisioningFailCount", 0)
        provisioning = dict(status.get("provisioning") or {"ID": str(uuid.uuid4()), "state": ""})
        if state:
            provisioning["state"] = state
        if image is not False:
            provisioning["image"] = image or {"url": ""}
        status["provisioning"] = provisioning
        status |= members
        return await self._world.status(
            BARE_METAL_HOST, host, {name: value for name, value in status.items() if value is not None}
        )

    async def _failed(self, host: Object, text: str) -> float:
        state = provisioning_state(host)
        kind = {
            "": "registration error",
            "registering": "registration error",
            "provisioning": "provisioning error",
        }.get(state, "power management error")
        count = int((host.get("status") or {}).get("errorCount") or 0) + 1
        await self._write(
            host,
            state=state or "registering",
            operationalStatus="error",
            errorType=kind,
            errorMessage=text,
            errorCount=count,
        )
        return RETRY_SECONDS

    async def _good(self, host: Object, **members: Any) -> Object:
        return await self._write(host, operationalStatus="OK", errorType=None, errorMessage="", errorCount=0, **members)

    # one step

    async def _step(self, host: Object) -> float | None:
        state = provisioning_state(host)
        if not host["spec"].get("bmc"):
            await self._write(host, state="unmanaged", operationalStatus="discovered")
            return None
        bmc = self._bmc(host)
        if state in ("", "unmanaged", "registering"):
            return await self._register(host, bmc)
        if state in ("inspecting", "preparing"):
            return await self._prepare(host, bmc, state)
        if state in ("available", "ready"):
            return await self._available(host, bmc)
        if state == "provisioning":
            return await self._provision(host, bmc)
        if state == "provisioned":
            return await self._provisioned(host, bmc)
        return await self._deprovision(host, bmc)

    def _bmc(self, host: Object) -> Bmc:
        """Raises BmcError."""
        provided = host["spec"]["bmc"]
        secret = self._world.get(SECRET, (key_of(host)[0], provided["credentialsName"]))
        if secret is None:
            raise BmcError(f"The BMC secret {key_of(host)[0]}/{provided['credentialsName']} does not exist")
        data = _decoded(secret)
        if not data.get("username") or not data.get("password"):
            raise BmcError("Missing BMC connection detail username or password in credentials")
        return Bmc(
            self._session(),
            self._redirect,
            provided["address"],
            data["username"],
            data["password"],
            verify=not provided.get("disableCertificateVerification"),
        )

    async def _register(self, host: Object, bmc: Bmc) -> float | None:
        if provisioning_state(host) != "registering":
            await self._write(host, state="registering")
            return REGISTER_SECONDS
        on = await bmc.powered_on()
        skip = annotations_of(host).get(INSPECT) == "disabled" or host["spec"].get("inspectionMode") == "disabled"
        await self._good(host, state="preparing" if skip else "inspecting", poweredOn=on)
        return PREPARE_SECONDS if skip else INSPECT_SECONDS

    async def _prepare(self, host: Object, bmc: Bmc, state: str) -> float | None:
        if state == "inspecting":
            if self._converged:
                url = await self._preprovisioning_url(host)
                if not url:
                    return RETRY_SECONDS
                await bmc.boot_cd(url)
            await self._good(host, state="preparing")
            return PREPARE_SECONDS
        await self._good(host, state="available")
        return 0.0

    async def _preprovisioning_url(self, host: Object) -> str:
        """The image to inspect in; the request for it is made when it is missing."""
        key = key_of(host)
        image = self._world.get(PREPROVISIONING_IMAGE, key)
        if image is None:
            metadata = {
                "name": key[1],
                "namespace": key[0],
                "labels": host["metadata"].get("labels") or {},
                "ownerReferences": [owner(host, BARE_METAL_HOST)],
            }
            spec = {"acceptFormats": ["iso"], "architecture": host["spec"].get("architecture") or "x86_64"}
            await self._world.create(PREPROVISIONING_IMAGE, {"metadata": metadata, "spec": spec})
            return ""
        ready = any(
            entry["type"] == "Ready" and entry["status"] == "True"
            for entry in (image.get("status") or {}).get("conditions") or []
        )
        return str((image.get("status") or {}).get("imageUrl") or "") if ready else ""

    async def _available(self, host: Object, bmc: Bmc) -> float | None:
        spec = host["spec"]
        if (spec.get("image") or {}).get("url") or spec.get("customDeploy"):
            await self._good(host, state="provisioning")
            return PROVISION_SECONDS
        if not spec.get("online") and not self._converged:
            await bmc.power(False)
        await self._good(host, poweredOn=await bmc.powered_on())
        return None

    async def _provision(self, host: Object, bmc: Bmc) -> float | None:
        image = host["spec"].get("image")
        if (
            image
            and image.get("url")
            and image.get("format") not in (None, "", "live-iso")
            and self._write_disk is not None
        ):
            await self._deploy(host, bmc, image)
        elif image and image.get("url"):
            await bmc.boot_cd(image["url"])
        elif not host["spec"].get("customDeploy"):
            await self._good(host, state="deprovisioning")
            return DEPROVISION_SECONDS
        await self._good(host, state="provisioned", image=image, poweredOn=True)
        return None

    async def _deploy(self, host: Object, bmc: Bmc, image: Mapping[str, Any]) -> None:
        """The image and the config drive are on the disk, and the host boots from it. Raises BmcError."""
        if self._write_disk is None:
            raise BmcError("nothing writes disks")
        metadata = host["metadata"]
        names = {
            "name": metadata["name"],
            "local-hostname": metadata["name"],
            "metal3-name": metadata["name"],
            "metal3-namespace": metadata["namespace"],
        }
        data = self._user_data(host)
        await bmc.power(False)
        try:
            await self._write_disk(host["spec"]["bmc"]["address"], image, data, {"uuid": metadata["uid"], **names})
        except WriteError as error:
            raise BmcError(str(error)) from error
        await bmc.power(True)

    def _user_data(self, host: Object) -> bytes:
        """Key userData of the Secret, else value. Raises BmcError."""
        reference = host["spec"].get("userData") or {}
        if not reference.get("name"):
            return b""
        key = reference.get("namespace") or key_of(host)[0], reference["name"]
        data = ((self._world.get(SECRET, key) or {}).get("data")) or {}
        text = data.get("userData") or data.get("value")
        if not text:
            raise BmcError(f"secret {key[0]}/{key[1]} has neither userData nor value")
        return base64.b64decode(text)

    async def _provisioned(self, host: Object, bmc: Bmc) -> float | None:
        spec = host["spec"]
        booted = (((host.get("status") or {}).get("provisioning") or {}).get("image") or {}).get("url", "")
        wanted = (spec.get("image") or {}).get("url", "")
        if (wanted != booted) or (not wanted and not spec.get("customDeploy")):
            await self._good(host, state="deprovisioning")
            return DEPROVISION_SECONDS
        if REBOOT in annotations_of(host):
            await bmc.reset("ForceRestart" if await bmc.powered_on() else "On")
            host = await self._world.metadata(BARE_METAL_HOST, host, annotations={REBOOT: None})
        await bmc.power(bool(spec.get("online")))
        await self._good(host, poweredOn=bool(spec.get("online")))
        return None

    async def _deprovision(self, host: Object, bmc: Bmc) -> float | None:
        await bmc.power(False)
        await bmc.eject()
        await self._good(host, state="available", image=None, poweredOn=False)
        return 0.0

    async def _delete(self, host: Object) -> float | None:
        if FINALIZER not in (host["metadata"].get("finalizers") or []):
            return None
        annotations = annotations_of(host)
        if _delayed(annotations):
            return None  # until the annotation is removed
        if DETACHED not in annotations and provisioning_state(host) in (
            "provisioning",
            "provisioned",
            "deprovisioning",
        ):
            if provisioning_state(host) != "deprovisioning":
                await self._write(host, state="deprovisioning")
                return DEPROVISION_SECONDS
            try:
                bmc = self._bmc(host)
                await bmc.power(False)
                await bmc.eject()
            except BmcError:
                return RETRY_SECONDS
        host = await self._write(host, state="deleting")
        await self._world.drop_finalizer(BARE_METAL_HOST, host, FINALIZER)
        return None


def provisioning_state(host: Object) -> str:
    """Empty before the host is registered."""
    return str((((host.get("status") or {}).get("provisioning")) or {}).get("state") or "")


def _delayed(annotations: Mapping[str, str]) -> bool:
    """Whether the annotation of a detached host delays its deletion."""
    try:
        arguments = json.loads(annotations.get(DETACHED) or "{}")
    except ValueError:
        return False
    return isinstance(arguments, dict) and arguments.get("deleteAction") == "delay"


def _decoded(secret: Object) -> dict[str, str]:
    return {name: base64.b64decode(value).decode() for name, value in (secret.get("data") or {}).items()}
