# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Control a BMC through Redfish for the simulated baremetal-operator: virtual media, one-time boot and power."""

from __future__ import annotations

import base64
import urllib.parse
from collections.abc import Callable
from typing import Any

import aiohttp

from ..texts import error_text

Redirect = Callable[[str], tuple[str, str]]


class BmcError(Exception):
    """The BMC refused or does not answer; the text is the reason."""


class Bmc:
    """One system behind one BMC.

    ``address`` as in ``spec.bmc.address``: ``redfish-virtualmedia+https://host/redfish/v1/Systems/1``.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        redirect: Redirect,
        address: str,
        username: str,
        password: str,
        *,
        verify: bool,
    ) -> None:
        parts = urllib.parse.urlsplit(address if "://" in address else f"redfish-virtualmedia://{address}")
        scheme = "http" if parts.scheme.endswith("+http") else "https"
        self._base, self._host = redirect(f"{scheme}://{parts.netloc}")
        self._system = parts.path.rstrip("/")
        self._session, self._verify = session, verify
        self._authorization = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()

    async def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        # The lab's session trusts its CA; a BMC whose certificate is not checked is called with verification off.
        options: dict[str, Any] = {} if self._verify else {"ssl": False}
        headers = {"Host": self._host, "Authorization": self._authorization}
        try:
            async with self._session.request(
                method,
                self._base.rstrip("/") + path,
                json=body,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=30),
                **options,
            ) as response:
                if response.status >= 300:
                    text = await response.text()
                    raise BmcError(f"{method} {path}: HTTP {response.status}: {text[:200]}")
                content = await response.read()
                document: dict[str, Any] = await response.json(content_type=None) if content else {}
                return document
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise BmcError(f"{method} {path}: {error_text(error)}") from error

    async def system(self) -> dict[str, Any]:
        """The system's resource. Raises BmcError."""
        if not self._system:
            members = (await self._call("GET", "/redfish/v1/Systems"))["Members"]
            if len(members) != 1:
                raise BmcError("the address names no system, and the BMC has several")
            self._system = str(members[0]["@odata.id"]).rstrip("/")
        return await self._call("GET", self._system)

    async def powered_on(self) -> bool:
        return (await self.system()).get("PowerState") == "On"

    async def boot_cd(self, url: str) -> None:
        """Put a medium in, choose it once, (re)start. Raises BmcError."""
        slot = await self._slot()
        path, present = str(slot["@odata.id"]), slot.get("Image")
        if present:
            await self._call("POST", f"{path}/Actions/VirtualMedia.EjectMedia", {})
        await self._call(
            "POST", f"{path}/Actions/VirtualMedia.InsertMedia", {"Image": url, "Inserted": True, "WriteProtected": True}
        )
        await self.system()
        await self._call(
            "PATCH", self._system, {"Boot": {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Once"}}
        )
        await self.reset("ForceRestart" if await self.powered_on() else "On")

    async def eject(self) -> None:
        """Take the medium out. Raises BmcError."""
        slot = await self._slot()
        if slot.get("Image"):
            await self._call("POST", f"{slot['@odata.id']}/Actions/VirtualMedia.EjectMedia", {})

    async def power(self, on: bool) -> None:
        """Make the power so. Raises BmcError."""
        if await self.powered_on() is not on:
            await self.reset("On" if on else "ForceOff")

    async def reset(self, kind: str) -> None:
        await self.system()
        await self._call("POST", f"{self._system}/Actions/ComputerSystem.Reset", {"ResetType": kind})

    async def _slot(self) -> dict[str, Any]:
        """The drive for CDs, below the system or its manager."""
        system = await self.system()
        places = [system.get("VirtualMedia")]
        for manager in (system.get("Links") or {}).get("ManagedBy") or []:
            places.append((await self._call("GET", manager["@odata.id"])).get("VirtualMedia"))
        for place in filter(None, places):
            for member in (await self._call("GET", place["@odata.id"])).get("Members") or []:
                slot = await self._call("GET", member["@odata.id"])
                if {"CD", "DVD"} & set(slot.get("MediaTypes") or []):
                    return slot
        raise BmcError("no virtual media drive for CDs")
