# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create a site document from an inventory: describe the cabling and hardware for which this inventory is correct.

Pure functions, except that a configuration directory is read.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from .ask import read_config_dir
from .nmstate import HostNet, host_net

Document = dict[str, Any]
_DEFAULT_NETWORK = "192.168.111.0/24"
_DISK_GIB = 480
_HUB_METHODS = ("hub", "hosted", "capi")
# Members of openshift_hub other than the connection, which leads to the lab's own hub.
_ASSISTED_VARIABLES = ("image",)
_CLUSTER_API = {"provider": "none", "openshift_assisted": "v1alpha3", "metal3": "v1beta2"}
_HUB_VARIABLES = ("namespace", "infra_env", "image_set", "binding", "image", "bare_metal_hosts", "unexpected")


def draft(entries: Sequence[Mapping[str, Any]]) -> Document:
    """The site document of the hosts of one inventory."""
    return _Draft(entries).document()


class _Draft:
    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        directory = next((entry["config_dir"] for entry in entries if entry.get("config_dir")), "")
        self.install, agent = read_config_dir(directory) if directory else ({}, {})
        self.agent: Mapping[str, Any] = agent.get("spec") or agent  # the pre-release layout has everything below spec
        self.cluster = _of_cluster(entries, "cluster")
        self.method = next((entry["method"] for entry in entries if entry.get("method")), "agent")
        self.hub, self.checks, self.assisted, self.capi = (
            _of_cluster(entries, key) for key in ("hub", "checks", "assisted", "capi")
        )
        # Where the API of a hosted cluster is reached: an address of the hub.
        self.hub_address = next(
            (
                str(entry["hosted"]["api_server_address"])
                for entry in entries
                if (entry.get("hosted") or {}).get("api_server_address")
            ),
            "",
        )
        self.hosts = [self._host(entry) for entry in entries]
        self.networks: list[Document] = []

    def _host(self, entry: Mapping[str, Any]) -> Document:
        """One host: the inventory's words over those of agent-config."""
        own = _merged(entry["defaults"], entry["host"])
        macs = {str(interface.get("mac_address", "")).lower() for interface in own.get("interfaces") or []}
        for host in self.agent.get("hosts") or []:
            theirs = [interface.get("macAddress", "") for interface in host.get("interfaces") or []]
            if host.get("hostname") in (entry["name"], own.get("hostname")) or macs & {
                str(mac).lower() for mac in theirs
            }:
                interfaces = [
                    {"name": i.get("name"), "mac_address": i.get("macAddress")} for i in host.get("interfaces") or []
                ]
                classic = {
                    "interfaces": interfaces,
                    "network_config": host.get("networkConfig"),
                    "root_device_hints": host.get("rootDeviceHints"),
                }
                own = {key: value for key, value in classic.items() if value} | own
        return {"name": entry["name"], **own}

    def document(self) -> Document:
        for cidr in self._machine_networks():
            self._network("machines", cidr)
        machines = [self._machine(index, host) for index, host in enumerate(self.hosts)]
        result: Document = {"networks": self.networks, "machines": machines}
        cluster = self._cluster_hint()
        if self.method in _HUB_METHODS and self.networks:
            result["hub"] = self._hub(cluster)
        if self.method == "assisted" and self.networks:
            result["service"] = self._service(cluster)
        if self.method in ("hub", "assisted", "capi"):
            self._records(cluster)
        if self.checks:
            result["checks"] = {name: "off" if level is False else str(level) for name, level in self.checks.items()}
        if self.method == "hosted":
            self._router_record(cluster)
        return result | ({"clusters": [cluster]} if cluster else {})

    # ---- networks ----------------------------------------------------------------------------------------------------

    def _machine_networks(self) -> list[str]:
        classic = [
            network.get("cidr") for network in (self.install.get("networking") or {}).get("machineNetwork") or []
        ]
        return [
            str(ipaddress.ip_network(cidr, strict=False))
            for cidr in self.cluster.get("machine_networks") or classic
            if cidr
        ]

    def _default_network(self) -> str:
        """The network of hosts that nothing says more of than that they use DHCP."""
        return f"{self.hub_address}/24" if self.method == "hosted" and _is_ipv4(self.hub_address) else _DEFAULT_NETWORK

    def _network(self, name: str, cidr: str, **details: Any) -> Document:
        """The network with this CIDR, made when there is none."""
        wanted = ipaddress.ip_network(cidr, strict=False)
        for network in self.networks:
            known = ipaddress.ip_network(network["cidr"])
            if known.version != wanted.version or not known.overlaps(wanted):
                continue
            # hosts are configured with a wider network than the cluster names: the wire is as wide
            if known.prefixlen > wanted.prefixlen:
                network["cidr"] = str(wanted)
            network.update({key: value for key, value in details.items() if key not in network})
            return network
        taken = {network["name"] for network in self.networks}
        unique = next(text for text in (name, *(f"{name}-{number}" for number in range(2, 1000))) if text not in taken)
        network = {"name": unique, "cidr": str(wanted), **details}
        self.networks.append(network)
        return network

    # ---- machines ----------------------------------------------------------------------------------------------------

    def _machine(self, index: int, host: Mapping[str, Any]) -> Document:
        net = host_net(host.get("network_config") or {})
        ports = [(str(i.get("name")), str(i.get("mac_address")).lower()) for i in host.get("interfaces") or []]
        for name, mac in net.macs.items():
            if mac and mac.lower() not in [known for _name, known in ports]:
                ports.append((name, mac.lower()))
        return {
            "name": host["name"],
            "firmware": "uefi",
            "cpus": 16,
            "memory_mib": 65536,
            "nics": [self._nic(name, mac, net) for name, mac in ports]
            or [{"name": "enp1s0", "mac": f"02:00:00:00:00:{index:02x}"}],
            "disks": [_disk(host.get("root_device_hints") or {}, host["name"])],
            "bmc": self._bmc(index, host.get("bmc") or {}),
            **(
                {"addresses": [address.partition("/")[0] for _interface, address in net.addresses]}
                if net.addresses
                else {}
            ),
        }

    def _nic(self, name: str, mac: str, net: HostNet) -> Document:
        nic: Document = {"name": name, "mac": mac}
        carrier = net.carrier_of(name)
        for interface, address in net.addresses:
            if net.physical(interface) != carrier:
                continue
            network = self._network("machines", address, **self._details(net))
            tag = net.tag(interface)
            if tag is None:
                nic["network"] = network["name"]
            else:
                network.setdefault("vlan", tag)
                nic.setdefault("vlans", []).append(network["name"])
        if "network" not in nic and "vlans" not in nic and not net.configured(name):
            network = self._network("machines", (self._machine_networks() or [self._default_network()])[0])
            network.setdefault("dhcp", {"range": _dhcp_range(network["cidr"])})
            nic["network"] = network["name"]
        return nic

    @staticmethod
    def _details(net: HostNet) -> Document:
        details: Document = {}
        if net.gateway:
            details["gateway"] = net.gateway
        if net.dns:
            details["dns"] = {"servers": list(net.dns)}
        return details

    def _bmc(self, index: int, bmc: Mapping[str, Any]) -> Document:
        last = index + 10
        address = str(bmc.get("address") or f"redfish-virtualmedia+https://10.0.0.{last}/redfish/v1/Systems/1")
        return {
            "address": address,
            "username": str(bmc.get("username") or "admin"),
            "password": str(bmc.get("password") or "password"),
        }

    # ---- cluster -----------------------------------------------------------------------------------------------------

    def _cluster_hint(self) -> Document:
        platform = next(
            (value for value in (self.install.get("platform") or {}).values() if isinstance(value, dict)), {}
        )
        values = {
            "name": self.cluster.get("name") or (self.install.get("metadata") or {}).get("name"),
            "base_domain": self.cluster.get("base_domain") or self.install.get("baseDomain"),
            "api_vip": _first(self.cluster.get("api_vips") or platform.get("apiVIPs") or platform.get("apiVIP")),
            "ingress_vip": _first(
                self.cluster.get("ingress_vips") or platform.get("ingressVIPs") or platform.get("ingressVIP")
            ),
            "rendezvous_ip": self.cluster.get("rendezvous_ip")
            or self.agent.get("rendezvousIP")
            or next(iter(self._static()), ""),
        }
        return (
            {key: value for key, value in values.items() if value} if values["name"] and values["base_domain"] else {}
        )

    # ---- hub ---------------------------------------------------------------------------------------------------------

    def _hub(self, cluster: Mapping[str, Any]) -> Document:
        """A hub of the lab's own, so that a rehearsal leaves the real one alone."""
        kept = {key: self.hub[key] for key in _HUB_VARIABLES if self.hub.get(key) is not None}
        domain = "hub." + str(cluster.get("base_domain") or "example.com")
        inside = _is_ipv4(self.hub_address) and any(
            ipaddress.ip_address(self.hub_address) in ipaddress.ip_network(each["cidr"]) for each in self.networks
        )
        hub: Document = {"address": self.hub_address if inside else self._free_address(cluster), "base_domain": domain}
        if self.method == "hosted":
            hub["hypershift"] = True
        if self.method == "capi":
            hub["cluster_api"] = {**_CLUSTER_API, "disk_images": self._disk_images()}
        return hub | ({"variables": kept} if kept else {})

    def _disk_images(self) -> list[str]:
        """What Metal3 downloads: the lab serves it, so that the real web server gets no request."""
        image = (self.capi.get("metal3") or {}).get("image") or {}
        return [str(image[key]) for key in ("url", "checksum") if "://" in str(image.get(key) or "")]

    def _service(self, cluster: Mapping[str, Any]) -> Document:
        """An assisted-service of the lab's own, so that a rehearsal leaves the real one alone."""
        kept = {key: self.assisted[key] for key in _ASSISTED_VARIABLES if self.assisted.get(key) is not None}
        domain = "lab." + str(cluster.get("base_domain") or "example.com")
        service: Document = {"address": self._free_address(cluster), "base_domain": domain}
        return service | ({"variables": kept} if kept else {})

    def _free_address(self, cluster: Mapping[str, Any]) -> str:
        """The last address of the first network that is free."""
        network = ipaddress.ip_network(self.networks[0]["cidr"])
        dhcp = [int(ipaddress.ip_address(end)) for end in (self.networks[0].get("dhcp") or {}).get("range", [])]
        claimed = {
            self.networks[0].get("gateway"),
            *(self.networks[0].get("dns") or {}).get("servers", []),
            *cluster.values(),
            *self._static(),
        }
        size = min(network.num_addresses, 1 << 16)
        for offset in range(size - 2, 0, -1):
            address = network.network_address + offset
            if str(address) not in claimed and not (dhcp and dhcp[0] <= int(address) <= dhcp[-1]):
                return str(address)
        return str(network.network_address + 1)

    def _records(self, cluster: Mapping[str, Any]) -> None:
        """Hosts fetch their Ignition by the name of the cluster, which the DNS of the site has to know."""
        api = cluster.get("api_vip") or next(iter(self._static()), "")
        if cluster and api:
            names = {f"{name}.{cluster['name']}.{cluster['base_domain']}": api for name in ("api", "api-int")}
            for network in self.networks:
                network["dns"] = {**network.get("dns", {}), "records": names}

    def _router_record(self, cluster: Mapping[str, Any]) -> None:
        """The router of a hosted cluster answers at one of its nodes."""
        network = next((each for each in self.networks if each.get("dhcp")), None)
        if cluster and network:
            names = {f"*.apps.{cluster['name']}.{cluster['base_domain']}": network["dhcp"]["range"][0]}
            network["dns"] = {**network.get("dns", {}), "records": names}

    def _static(self) -> list[str]:
        """The addresses that hosts are configured with, in order."""
        return [
            address.partition("/")[0]
            for host in self.hosts
            for _interface, address in host_net(host.get("network_config") or {}).addresses
        ]


def _of_cluster(entries: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any]:
    """A variable that is the same for all hosts."""
    return next((entry[key] for entry in entries if entry.get(key)), {})


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    result = dict(base)
    for key, value in over.items():
        before = result.get(key)
        result[key] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return result


def _first(value: Any) -> str:
    return str(value[0]) if isinstance(value, list) and value else str(value or "")


def _is_ipv4(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 4
    except ValueError:
        return False


def _dhcp_range(cidr: str) -> list[str]:
    network = ipaddress.ip_network(cidr)
    size = min(network.num_addresses, 1 << 16)
    return [str(network.network_address + size // 2), str(network.network_address + max(size // 2, size - 6))]


def _disk(hints: Mapping[str, Any], host: str) -> Document:
    """A disk that the root device hints accept."""
    name = str(hints.get("deviceName") or "/dev/sda").rsplit("/", 1)[-1]
    size = max(_DISK_GIB, int(int(hints.get("minSizeGigabytes") or 0) * 10**9 / 2**30) + 1)
    disk: Document = {
        "name": name if name.isalnum() else "sda",
        "size_gib": size,
        "serial": str(hints.get("serialNumber") or f"{host}-0"),
    }
    for key, hint in (
        ("wwn", "wwn"),
        ("model", "model"),
        ("vendor", "vendor"),
        ("hctl", "hctl"),
        ("rotational", "rotational"),
    ):
        if hints.get(hint) is not None:
            disk[key] = hints[hint]
    return disk
