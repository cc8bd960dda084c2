# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the settings of a host of an assisted-service with the user's request. Pure.

Most differences become fields of one PATCH. Some settings (Ignition, installer arguments, validations) need a separate
request.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/host/hostutil/host_utils.go.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...cluster.root_device import as_agents, choose_disk, find_disk
from ...common.secrets import HIDDEN
from ..change import Difference, ServiceChange, same_json
from ..install.progress import HOST_JOINED, failing, read_host
from ..rest.client import Document, members
from .request import ServiceHostRequest

SETTINGS, IGNITION, ARGUMENTS, RESET = "update", "override ignition of", "set installer args of", "reset validation of"


class HostChanges:
    """The differences of one host: ``changes``, ``resets`` of validations, ``refused`` (why a change is impossible),
    ``waiting`` (what must happen first).
    """

    def __init__(self, request: ServiceHostRequest, host: Document, title: str) -> None:
        self.request, self.host, self.title = request, host, title
        self.changes: list[ServiceChange] = []
        self.resets: list[ServiceChange] = []
        self.refused: list[str] = []
        self.waiting = ""
        self._body: dict[str, Any] = {}
        self._differences: list[Difference] = []
        self._collect()

    def _collect(self) -> None:
        request = self.request
        self._field("host_name", request.hostname, self.host.get("requested_hostname"))
        # The service's own suggestion is as good as a role that was given, as it is for the client of the agent ISO.
        self._field(
            "host_role",
            request.role,
            self.host.get("role" if request.role == "auto-assign" else "suggested_role") or self.host.get("role"),
        )
        for name, value in request.members.items():
            found = self.host.get(name)
            self._field(name, value, type(value)() if found is None else found)
        self._disk()
        self._skipped_disks()
        self._labels()
        self._endpoint()
        self._fencing()
        if self._body:
            self.changes.append(ServiceChange(SETTINGS, self.title, self._body, self._differences))
        self._ignition_and_arguments()
        failed = {each.id: each for each in failing(read_host(self.host).validations)}
        for name in request.reset_validations:
            if name in failed:
                self.resets.append(
                    ServiceChange(
                        RESET, self.title, {"validation_id": name}, reason=f"{name} failed: {failed[name].message}"
                    )
                )

    def _ignition_and_arguments(self) -> None:
        request = self.request
        before = self.host.get("ignition_config_overrides") or ""
        if request.ignition is not None and not same_json(request.ignition, before):
            difference = Difference("ignition_config_overrides", before or None, request.ignition)
            self.changes.append(ServiceChange(IGNITION, self.title, {"config": request.ignition}, [difference]))
        arguments = (
            list(self.host.get("installer_args") or ()) if isinstance(self.host.get("installer_args"), list) else []
        )
        if request.installer_args is not None and list(request.installer_args) != arguments:
            difference = Difference("installer_args", arguments or None, list(request.installer_args))
            self.changes.append(
                ServiceChange(ARGUMENTS, self.title, {"args": list(request.installer_args)}, [difference])
            )

    def _field(self, name: str, wanted: Any, found: Any, sent: Any = None) -> None:
        if wanted is not None and wanted != found:
            self._send(name, found, wanted, wanted if sent is None else sent)

    def _send(self, name: str, found: Any, shown: Any, sent: Any) -> None:
        self._body[name] = sent
        self._differences.append(Difference(name, found or None, shown))

    def _disks(self) -> Sequence[Mapping[str, Any]]:
        """The disks in the spelling of an Agent; none while they are not known, which has to be waited for."""
        inventory = self.host.get("inventory")
        disks = [as_agents(disk) for disk in members(inventory.get("disks"))] if isinstance(inventory, dict) else []
        if not disks:
            self.waiting = "its disks are not known yet"
        return disks

    def _disk(self) -> None:
        if self.request.disk_id is None and self.request.root_device_hints is None:
            return
        if read_host(self.host).status in HOST_JOINED:
            return  # it has its disk, and its inventory may have changed since
        disks = self._disks()
        if not disks:
            return
        current = str(self.host.get("installation_disk_id") or "")
        if self.request.disk_id is not None:
            choice = find_disk(disks, disk_id=self.request.disk_id, path=self.request.disk_id)
            words = f"installation_disk_id {self.request.disk_id}"
        else:
            choice = choose_disk(self.request.root_device_hints or {}, disks, current)
            hints = dict(self.request.root_device_hints or {})
            words = f"root_device_hints {json.dumps(hints)}"
        if not choice.disk_id:
            self.refused.append(f"no disk fits {words}: {'; '.join(choice.reasons)}")
            return
        self._field("disks_selected_config", choice.disk_id, current, [{"id": choice.disk_id, "role": "install"}])

    def _skipped_disks(self) -> None:
        wanted = self.request.skip_formatting
        if wanted is None:
            return
        now = [each for each in str(self.host.get("skip_formatting_disks") or "").split(",") if each]
        disks = self._disks() if wanted else []
        if wanted and not disks:
            return
        names = {
            str(disk[key]): str(disk.get("id"))
            for disk in disks
            for key in ("name", "byPath", "byID", "path", "id")
            if disk.get(key)
        }
        unknown = [each for each in wanted if each not in names]
        if unknown:
            paths = ", ".join(str(disk.get("path")) for disk in disks)
            self.refused.append(f"disks_skip_formatting: it has no disk {', '.join(unknown)}; it has {paths}")
            return
        asked = list(dict.fromkeys(names[each] for each in wanted))
        if sorted(asked) != sorted(now):
            body = [{"disk_id": each, "skip_formatting": True} for each in asked if each not in now]
            body += [{"disk_id": each, "skip_formatting": False} for each in now if each not in asked]
            self._send("disks_skip_formatting", now, asked, body)

    def _labels(self) -> None:
        labels = self.host.get("node_labels")
        found = {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
        wanted = {**found, **{key: value for key, value in self.request.node_labels.items() if value is not None}}
        wanted = {key: value for key, value in wanted.items() if self.request.node_labels.get(key, "") is not None}
        if wanted != found:
            self._field(
                "node_labels", wanted, found, [{"key": key, "value": value} for key, value in sorted(wanted.items())]
            )

    def _endpoint(self) -> None:
        """The service shows that it has a token, but not which one, and no headers at all.

        Headers are therefore written only with replace_ignition_endpoint, or with a token that is added or removed.
        """
        request, is_set = self.request, bool(self.host.get("ignition_endpoint_token_set"))
        write_again = request.replace_endpoint or (
            request.endpoint_token is not None and bool(request.endpoint_token) != is_set
        )
        if write_again and request.endpoint_token is not None:
            self._send("ignition_endpoint_token", HIDDEN if is_set else None, HIDDEN, request.endpoint_token)
        if write_again and request.endpoint_headers is not None:
            headers = [{"key": key, "value": value} for key, value in sorted(request.endpoint_headers.items())]
            self._send(
                "ignition_endpoint_http_headers", None, dict.fromkeys(sorted(request.endpoint_headers), HIDDEN), headers
            )

    def _fencing(self) -> None:
        wanted, now = self.request.fencing, self.host.get("fencing_credentials")
        found = now if isinstance(now, dict) else {}
        if wanted is not None and any(_fencing_member(found, key) != value for key, value in wanted.items()):
            self._send("fencing_credentials", found, dict(wanted), dict(wanted))


def _fencing_member(found: Mapping[str, Any], key: str) -> str:
    return str(found.get(key) or ("Enabled" if key == "certificate_verification" and found else ""))
