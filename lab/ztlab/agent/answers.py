# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compute the agent's replies, as JSON text, to the steps that the assisted-service sends before the installation.

Source: openshift/assisted-service internal/host/hostcommands.
"""

from __future__ import annotations

import base64
import functools
import inspect
import ipaddress
import itertools
import json
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..fabric.hosts import Interface, Unreachable
from .inventory import disk_id, disks_of, inventory

if TYPE_CHECKING:
    from ..live.system import LiveSystem

_CLUSTER_NAME = re.compile(r"^(api|api-int|console-openshift-console\.apps|validateNoWildcardDNS)\.")
_MOST_FREE_ADDRESSES = 4096
_PUBLIC_ADDRESS = "198.51.100.10"


@functools.lru_cache(maxsize=64)
def _addresses_of(cidr: str) -> tuple[str, ...]:
    """The host addresses of a network, of a large one the first: each host lists them every minute."""
    return tuple(
        str(ip) for ip in itertools.islice(ipaddress.ip_network(cidr, strict=False).hosts(), 2 * _MOST_FREE_ADDRESSES)
    )


class StepFailed(Exception):
    """The step ends with an exit code other than 0; the text goes to its error output."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class Answers:
    """The steps of one live system. ``seconds`` says how many lab seconds a step takes."""

    seconds: Mapping[str, float] = {
        "installation-disk-speed-check": 8.0,
        "container-image-availability": 20.0,
        "connectivity-check": 2.0,
        "inventory": 1.0,
    }

    def __init__(self, live: LiveSystem) -> None:
        self._live = live
        self._faults = live.lab.faults
        self._steps: dict[str, Callable[[Sequence[str]], Any]] = {
            "inventory": self._inventory,
            "connectivity-check": self._connectivity,
            "free-network-addresses": self._free_addresses,
            "ntp-synchronizer": self._ntp,
            "domain-resolution": self._domains,
            "verify-vips": self._vips,
            "tang-connectivity-check": self._tang,
            "api-vip-connectivity-check": self._api_vip,
            "installation-disk-speed-check": self._disk_speed,
            "container-image-availability": self._images,
            "upgrade-agent": self._upgrade,
        }

    async def answer(self, step: str, arguments: Sequence[str]) -> str:
        """The output of a step. Raises :class:`StepFailed`."""
        handler = self._steps.get(step)
        if handler is None:
            raise StepFailed(f"this agent knows no step {step}")
        found = handler(arguments)
        return json.dumps(await found if inspect.isawaitable(found) else found)

    def _inventory(self, arguments: Sequence[str]) -> dict[str, Any]:
        live = self._live
        return inventory(live.machine, live.network, live.hostname, self._faults, live.image.plan.arguments)

    # ---- the network -------------------------------------------------------------------------------------------------

    def _connectivity(self, arguments: Sequence[str]) -> dict[str, Any]:
        return {"remote_hosts": [self._remote(host) for host in json.loads(arguments[0])]}

    def _remote(self, host: Mapping[str, Any]) -> dict[str, Any]:
        targets = [
            (address, nic.get("mac", "")) for nic in host.get("nics") or [] for address in nic.get("ip_addresses") or []
        ]
        level2 = [entry for address, mac in targets for entry in self._level2(address, mac)]
        level3 = [self._level3(address) for address, _mac in targets]
        reports = [
            {
                "outgoing_nic": entry["outgoing_nic"],
                "remote_ip_address": entry["remote_ip_address"],
                "mtu_successful": True,
            }
            for entry in level2
        ]
        return {"host_id": host["host_id"], "l2_connectivity": level2, "l3_connectivity": level3, "mtu_report": reports}

    def _level2(self, address: str, mac: str) -> list[dict[str, Any]]:
        """ARP: who answers for the address on the segments of this host."""
        found = []
        for interface in self._live.network.interfaces:
            own = self._own_address_towards(interface, address)
            if not own:
                continue
            for owner in self._live.lab.fabric.owners(address):
                holder = self._live.lab.fabric.hosts[owner].holder(address)
                if (
                    holder is not None
                    and holder.carrier
                    and holder.network == interface.network
                    and owner != self._live.name
                ):
                    found.append(
                        {
                            "outgoing_nic": interface.name,
                            "outgoing_ip_address": own,
                            "remote_ip_address": address,
                            "remote_mac": holder.mac,
                            "successful": holder.mac == mac.lower(),
                        }
                    )
        return found

    @staticmethod
    def _own_address_towards(interface: Interface, address: str) -> str:
        if not interface.carrier or not interface.network:
            return ""
        return _address_towards(interface.addresses, address)

    def _level3(self, address: str) -> dict[str, Any]:
        network = self._live.network
        outgoing = next(
            (interface.name for interface in network.interfaces if self._own_address_towards(interface, address)), ""
        )
        try:
            self._live.lab.fabric.check(network, address)
        except Unreachable:
            return {"outgoing_nic": outgoing, "remote_ip_address": address, "successful": False}
        return {
            "outgoing_nic": outgoing,
            "remote_ip_address": address,
            "successful": True,
            "average_rtt_ms": 0.3,
            "packet_loss_percentage": 0,
        }

    def _free_addresses(self, arguments: Sequence[str]) -> list[dict[str, Any]]:
        taken = self._live.lab.fabric.taken()
        return [
            {
                "network": cidr,
                "free_addresses": [address for address in _addresses_of(cidr) if address not in taken][
                    :_MOST_FREE_ADDRESSES
                ],
            }
            for cidr in json.loads(arguments[0])
        ]

    def _taken(self, address: str) -> bool:
        return address in self._live.lab.fabric.taken()

    def _vips(self, arguments: Sequence[str]) -> list[dict[str, Any]]:
        return [
            {
                "vip": vip["vip"],
                "vip_type": vip["vip_type"],
                "verification": "failed" if self._taken(vip["vip"]) else "succeeded",
            }
            for vip in json.loads(arguments[0])
        ]

    # ---- services of the site ----------------------------------------------------------------------------------------

    def _ntp(self, arguments: Sequence[str]) -> dict[str, Any]:
        asked = json.loads(arguments[0]).get("ntp_source", "") if arguments else ""
        configured = re.findall(r"^\s*(?:server|pool)\s+(\S+)", self._live.root.text("/etc/chrony.conf") or "", re.M)
        sources = list(dict.fromkeys([*configured, *filter(None, (name.strip() for name in asked.split(",")))]))
        silent = self._faults.peek("ntp-unsynced", self._live.name) is not None
        states = []
        synced = False
        for source in sources:
            if silent or not self._live.lab.fabric.time_answers(self._live.network, source):
                state = "unreachable"
            else:
                state = "combined" if synced else "synced"
                synced = True
            states.append({"source_name": source, "source_state": state})
        return {"ntp_sources": states}

    def _domains(self, arguments: Sequence[str]) -> dict[str, Any]:
        names = [domain["domain_name"] for domain in json.loads(arguments[0])["domains"]]
        return {"resolutions": [self._resolution(name) for name in names]}

    def _resolution(self, name: str) -> dict[str, Any]:
        addresses = self._resolve(name)
        return {
            "domain_name": name,
            "ipv4_addresses": [address for address in addresses if ":" not in address],
            "ipv6_addresses": [address for address in addresses if ":" in address],
            "cnames": [],
        }

    def _resolve(self, name: str) -> list[str]:
        if self._faults.peek("dns-broken", self._live.name):
            return []
        found = self._live.lab.fabric.resolve(self._live.network, name)
        if found:
            return found
        of_cluster = _CLUSTER_NAME.match(name)
        if of_cluster and self._faults.peek("dns-wildcard", self._live.name):
            return [_PUBLIC_ADDRESS]
        return [] if of_cluster or found is None else [_PUBLIC_ADDRESS]

    def _tang(self, arguments: Sequence[str]) -> dict[str, Any]:
        return {"is_success": False, "tang_server_response": []}

    async def _api_vip(self, arguments: Sequence[str]) -> dict[str, Any]:
        """Whether the cluster gives its configuration to a host that wants to join (day 2)."""
        request = json.loads(arguments[0])
        url = str(request.get("url", ""))
        headers = {str(entry["key"]): str(entry["value"]) for entry in request.get("request_headers") or []}
        if request.get("ignition_endpoint_token"):
            headers["Authorization"] = f"Bearer {request['ignition_endpoint_token']}"
        try:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            if request.get("ca_certificate"):
                tls.load_verify_locations(cadata=base64.b64decode(request["ca_certificate"]).decode("utf-8", "replace"))
            reply = await self._live.http.request("GET", url, headers=headers, tls=tls)
        except (Unreachable, ssl.SSLError, ValueError) as error:
            return {"is_success": False, "url": url, "download_error": str(error), "ignition": ""}
        if not reply.ok:
            text = (
                f"ignition file download failed: bad status code: {reply.status}. server response: "
                f"{reply.body[:200].decode('utf-8', 'replace')}"
            )
            return {"is_success": False, "url": url, "download_error": text, "ignition": ""}
        return {"is_success": True, "url": url, "download_error": "", "ignition": reply.body.decode("utf-8", "replace")}

    # ---- preparation -------------------------------------------------------------------------------------------------

    def _disk_speed(self, arguments: Sequence[str]) -> dict[str, Any]:
        path = json.loads(arguments[0])["path"]
        slow = self._faults.peek("slow-disk", self._live.name)
        for disk in disks_of(self._live.machine, self._faults):
            if path in (disk.path, disk_id(disk)):
                return {"path": path, "io_sync_duration": round(slow.number("ms", 40) if slow else disk.sync_ms)}
        raise StepFailed(f"fio: {path}: No such file or directory")

    def _images(self, arguments: Sequence[str]) -> dict[str, Any]:
        failing = self._faults.peek("image-pull-fails", self._live.name) is not None
        images = json.loads(arguments[0])["images"]
        if failing:
            return {"images": [{"name": image, "result": "failure"} for image in images]}
        return {
            "images": [
                {"name": image, "result": "success", "size_bytes": 400 << 20, "time": 4.2, "download_rate": 99.8}
                for image in images
            ]
        }

    def _upgrade(self, arguments: Sequence[str]) -> dict[str, Any]:
        return {
            "agent_image": json.loads(arguments[0]).get("agent_image", "") if arguments else "",
            "result": "success",
        }


@functools.lru_cache(maxsize=1 << 16)
def _address_towards(addresses: tuple[str, ...], target: str) -> str:
    """The address, of those with prefix length, whose network has the target; empty when none has."""
    ip = ipaddress.ip_address(target)
    own = [ipaddress.ip_interface(text) for text in addresses]
    return next((str(entry.ip) for entry in own if entry.version == ip.version and ip in entry.network), "")
