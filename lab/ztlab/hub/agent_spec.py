# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply the spec of an Agent to its host in the assisted-service.

Source: openshift/assisted-service internal/controller/controllers/agent_controller.go.
"""

from __future__ import annotations

import json
from typing import Any

from ..service import inventory as disks
from ..service.model import Host
from .backend import Backend, BackendError
from .names import Object, key_of
from .world import World

PUSHABLE = frozenset(
    {
        "discovering",
        "known",
        "disconnected",
        "insufficient",
        "pending-for-input",
        "binding",
        "discovering-unbound",
        "known-unbound",
        "disconnected-unbound",
        "insufficient-unbound",
    }
)
NO_DISK = "Requested installation disk is not part of the host's valid disks"
TOKEN_KEY = "ignition-token"


class AgentSpec:
    """Pushes one Agent's spec; what differs only."""

    def __init__(self, world: World, backend: Backend) -> None:
        self._world, self._backend = world, backend

    async def push(self, agent: Object, host: Host) -> None:
        """Raises BackendError. ``approved`` goes last, so that a failure before it holds it back."""
        spec = agent["spec"]
        await self._installer_args(spec, host)
        await self._ignition(spec, host)
        if host.status in PUSHABLE:
            await self._members(agent, host)
        if host.approved != bool(spec.get("approved")):
            host.approved = bool(spec.get("approved"))
            self._backend.core.changed(host)

    async def _installer_args(self, spec: Object, host: Host) -> None:
        text = spec.get("installerArgs") or ""
        try:
            arguments = json.loads(text) if text else []
        except ValueError as error:
            raise BackendError(400, f"Fail to unmarshal installer args: {error}") from error
        if not isinstance(arguments, list) or not all(isinstance(item, str) for item in arguments):
            raise BackendError(400, "Fail to unmarshal installer args: a JSON list of strings is needed")
        if arguments != host.installer_args:
            await self._backend.call("PATCH", f"{self._backend.host_path(host)}/installer-args", {"args": arguments})

    async def _ignition(self, spec: Object, host: Host) -> None:
        text = spec.get("ignitionConfigOverrides") or ""
        if text != host.ignition_overrides:
            await self._backend.call("PATCH", f"{self._backend.host_path(host)}/ignition", {"config": text})

    async def _members(self, agent: Object, host: Host) -> None:
        """Emptied hostname, role, pool, disk and fencing reference stay as they were; emptied labels, token and headers
        are pushed.
        """
        spec = agent["spec"]
        body: dict[str, Any] = {}
        if spec.get("hostname") and spec["hostname"] != host.requested_hostname:
            body["host_name"] = spec["hostname"]
        if spec.get("machineConfigPool") and spec["machineConfigPool"] != host.machine_config_pool:
            body["machine_config_pool_name"] = spec["machineConfigPool"]
        if (
            spec.get("role")
            and spec["role"] != host.role
            and not (spec["role"] == "auto-assign" and host.role == "auto-assign")
        ):
            body["host_role"] = spec["role"]
        disk = self._disk(spec, host)
        if disk and not (host.disk_chosen_by_user and disk == host.installation_disk_id):
            body["disks_selected_config"] = [{"id": disk, "role": "install"}]
        if (spec.get("nodeLabels") or {}) != host.node_labels:
            body["node_labels"] = [
                {"key": name, "value": value} for name, value in (spec.get("nodeLabels") or {}).items()
            ]
        headers = spec.get("ignitionEndpointHTTPHeaders") or {}
        if headers != host.ignition_headers:
            body["ignition_endpoint_http_headers"] = [{"key": name, "value": value} for name, value in headers.items()]
        token = await self._token(spec)
        if token != host.ignition_token:
            body["ignition_endpoint_token"] = token
        fencing = await self._fencing(agent)
        if fencing and fencing != {
            name: value for name, value in (host.fencing_credentials or {}).items() if name in fencing
        }:
            body["fencing_credentials"] = fencing
        if body:
            await self._backend.call("PATCH", self._backend.host_path(host), body)

    @staticmethod
    def _disk(spec: Object, host: Host) -> str:
        """The id of the wanted disk; "" when none is wanted or the host has not reported its disks yet.

        Raises BackendError.
        """
        if host.inventory is None:
            return ""
        wanted = spec.get("installation_disk_id") or ""
        path = spec.get("installation_disk_path") or ""
        if wanted and path:
            raise BackendError(400, "Either InstallationDiskID or InstallationDiskPath can be set, not both.")
        eligible = disks.eligible_disks(host.inventory)
        if wanted and disks.find_disk(eligible, wanted) is None:
            raise BackendError(409, NO_DISK)
        if path:
            found = next(
                (disk for disk in eligible if path in (disk.get("path"), disk.get("by_id"), disk.get("by_path"))), None
            )
            if found is None:
                raise BackendError(409, NO_DISK)
            return str(found["id"])
        return str(wanted)

    async def _token(self, spec: Object) -> str:
        reference = spec.get("ignitionEndpointTokenReference")
        if not reference:
            return ""
        try:
            data = await self._world.read_secret(reference["namespace"], reference["name"])
        except LookupError as error:
            raise BackendError(500, str(error.args[0])) from error
        if TOKEN_KEY not in data:
            raise BackendError(500, f"secret {reference['name']} did not contain key {TOKEN_KEY}")
        return data[TOKEN_KEY].decode()

    async def _fencing(self, agent: Object) -> dict[str, str]:
        name = agent["spec"].get("fencingCredentialsSecretRef")
        if not name:
            return {}
        try:
            data = await self._world.read_secret(key_of(agent)[0], name)
        except LookupError as error:
            raise BackendError(500, str(error.args[0])) from error
        missing = [key for key in ("address", "username", "password") if key not in data]
        if missing:
            raise BackendError(400, f"secret {name} did not contain key {missing[0]}")
        found = {key: data[key].decode() for key in ("address", "username", "password")}
        if "certificateVerification" in data:
            found["certificate_verification"] = data["certificateVerification"].decode()
        return found
