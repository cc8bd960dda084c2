# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the site files that the lab drafts from an inventory: networks, machines and services that the inventory
implies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ztlab.commands import CommandError
from ztlab.drafting import draft_site
from ztlab.drafting.draft import draft
from ztlab.drafting.text import site_text
from ztlab.fabric.hosts import Fabric
from ztlab.fabric.loopback import AddressTable
from ztlab.site.load import parse_site
from ztlab.variables import variables

ROOT = Path(__file__).parents[3]


def entry(name: str, role: str = "control_plane", cluster: dict[str, Any] | None = None, **host: Any) -> dict[str, Any]:
    base = {"name": "c", "base_domain": "example.com", "machine_networks": ["192.168.1.0/24"]}
    return {
        "name": name,
        "role": role,
        "host": host,
        "defaults": {},
        "cluster": base | (cluster or {}),
        "config_dir": "",
    }


def interface(mac: str, name: str = "eth0") -> dict[str, str]:
    return {"name": name, "mac_address": mac}


def test_dhcp_hosts() -> None:
    document = draft(
        [
            entry(
                "a",
                interfaces=[interface("02:00:00:00:00:0A")],
                root_device_hints={"deviceName": "/dev/nvme0n1", "minSizeGigabytes": 900},
            )
        ]
    )
    site = parse_site(document)
    assert site.networks[0].dhcp == ("192.168.1.128", "192.168.1.250")
    assert site.machines[0].nics[0].network == "machines" and site.machines[0].nics[0].mac == "02:00:00:00:00:0a"
    assert site.machines[0].disks[0].name == "nvme0n1" and site.machines[0].disks[0].size_bytes >= 900 * 10**9


def static(address: str, name: str = "eth0", **more: Any) -> dict[str, Any]:
    ip, _slash, length = address.partition("/")
    interfaces = [
        {
            "name": name,
            "type": "ethernet",
            "ipv4": {"enabled": True, "address": [{"ip": ip, "prefix-length": int(length)}]},
        }
    ]
    route = {"destination": "0.0.0.0/0", "next-hop-address": "192.168.1.254", "next-hop-interface": name}
    return {"interfaces": interfaces, "routes": {"config": [route]}, **more}


def test_static_hosts() -> None:
    site = parse_site(
        draft([entry("a", interfaces=[interface("02:00:00:00:00:01")], network_config=static("192.168.1.5/24"))])
    )
    assert site.networks[0].gateway == "192.168.1.254" and site.networks[0].dhcp is None
    assert site.clusters[0].rendezvous_ip == "192.168.1.5"


def test_an_address_outside_of_the_machine_networks_gets_a_network_of_its_own() -> None:
    site = parse_site(
        draft([entry("a", interfaces=[interface("02:00:00:00:00:01")], network_config=static("10.9.0.5/16"))])
    )
    assert [str(network.cidrs[0]) for network in site.networks] == ["192.168.1.0/24", "10.9.0.0/16"]
    assert site.machines[0].nics[0].network == site.networks[1].name


def test_a_wider_network_on_the_hosts_is_the_same_wire() -> None:
    site = parse_site(
        draft([entry("a", interfaces=[interface("02:00:00:00:00:01")], network_config=static("192.168.1.5/23"))])
    )
    assert [str(network.cidrs[0]) for network in site.networks] == ["192.168.0.0/23"]


def test_bonds_and_vlans() -> None:
    config = {
        "interfaces": [
            {"name": "bond0", "type": "bond", "link-aggregation": {"mode": "802.3ad", "port": ["eth0", "eth1"]}},
            {
                "name": "bond0.7",
                "type": "vlan",
                "vlan": {"base-iface": "bond0", "id": 7},
                "ipv4": {"address": [{"ip": "192.168.1.9", "prefix-length": 24}]},
            },
        ]
    }
    ports = [interface("02:00:00:00:00:01", "eth0"), interface("02:00:00:00:00:02", "eth1")]
    site = parse_site(draft([entry("a", interfaces=ports, network_config=config)]))
    assert site.networks[0].vlan == 7
    assert [(nic.network, nic.vlans) for nic in site.machines[0].nics] == [("", ("machines",))] * 2


def test_classic_files(tmp_path: Path) -> None:
    install = {
        "metadata": {"name": "k"},
        "baseDomain": "x.org",
        "platform": {"baremetal": {"apiVIPs": ["10.1.0.5"]}},
        "networking": {"machineNetwork": [{"cidr": "10.1.0.0/24"}]},
    }
    host = {"hostname": "a", "interfaces": [{"name": "e0", "macAddress": "02:00:00:00:00:01"}]}
    (tmp_path / "install-config.yaml").write_text(yaml.safe_dump(install))
    (tmp_path / "agent-config.yaml").write_text(yaml.safe_dump({"rendezvousIP": "10.1.0.20", "hosts": [host]}))
    provided = entry("a", bmc={"address": "10.2.0.1", "username": "u", "password": "p"}) | {
        "cluster": {},
        "config_dir": str(tmp_path),
    }
    site = parse_site(draft([provided]))
    hint = site.clusters[0]
    assert (hint.domain, hint.api_vip, hint.rendezvous_ip) == ("k.x.org", "10.1.0.5", "10.1.0.20")
    assert site.machines[0].nics[0].mac == "02:00:00:00:00:01" and site.machines[0].bmc.host == "10.2.0.1"


def test_the_text_is_a_site_file() -> None:
    text = site_text(draft([entry("a"), entry("b")]))
    assert text.startswith("# Draft by ztlab") and len(parse_site(yaml.safe_load(text)).machines) == 2


@pytest.mark.parametrize("name", ["sno", "demo"])
def test_our_inventories_through_ansible(name: str) -> None:
    pytest.importorskip("ansible")
    inventory = ROOT / "inventories" / name
    drafted = parse_site(yaml.safe_load(draft_site([str(inventory / "hosts.yml")])))
    true = parse_site(yaml.safe_load((inventory / "rack.yml").read_text()))
    assert [machine.bmc for machine in drafted.machines] == [machine.bmc for machine in true.machines]
    assert [[nic.mac for nic in machine.nics] for machine in drafted.machines] == [
        [nic.mac for nic in machine.nics] for machine in true.machines
    ]
    assert drafted.clusters[0].rendezvous_ip == true.clusters[0].rendezvous_ip


def test_ansible_says_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("ansible")
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(
        "all: {children: {control_plane: {hosts: {a: {openshift_cluster: {name: '{{ nothing }}'}}}}}}\n"
    )
    with pytest.raises(CommandError, match="nothing"):
        draft_site([str(inventory)])
    inventory.write_text("all: {hosts: {a: {}}}\n")
    with pytest.raises(CommandError, match="no host in the groups"):
        draft_site([str(inventory)])


def test_a_hub_is_the_labs_own_and_has_the_values_of_the_inventory() -> None:
    """Without one, a rehearsal would go to the real hub; without the records no host could fetch its Ignition from the
    new cluster.
    """
    provided = {"kubeconfig": "~/real.kubeconfig", "api_key": "secret", "namespace": "fleet", "binding": "early"}
    host = entry("a", interfaces=[interface("02:00:00:00:00:01")], network_config=static("192.168.1.254/24"))
    document = draft([{**host, "method": "hub", "hub": provided}])
    site = parse_site(document)
    assert site.hub is not None and site.hub.variables == {"namespace": "fleet", "binding": "early"}
    assert (site.hub.address, site.hub.base_domain) == ("192.168.1.253", "hub.example.com")
    assert site.networks[0].dns_records["api-int.c.example.com"] == "192.168.1.254"
    assert "real.kubeconfig" not in site_text(document) and "secret" not in site_text(document)
    hosted = parse_site(draft([{**host, "method": "hosted", "hub": {}}]))
    assert (
        hosted.hub is not None and hosted.hub.hypershift and "api.c.example.com" not in hosted.networks[0].dns_records
    )
    assert parse_site(draft([{**host, "method": "agent", "hub": provided}])).hub is None


def test_an_assisted_service_is_the_labs_own() -> None:
    provided = {"service_url": "https://real.example.com", "token": "geheim", "image": "publish", "cluster_id": "1"}
    host = entry("a", interfaces=[interface("02:00:00:00:00:01")], network_config=static("192.168.1.5/24"))
    document = draft([{**host, "method": "assisted", "assisted": provided}])
    site = parse_site(document)
    assert site.service is not None and site.hub is None
    assert (site.service.service_host, site.service.auth) == ("assisted.lab.example.com", "none")
    assert site.service.variables == {"image": "publish"}
    assert site.networks[0].dns_records["api.c.example.com"] == "192.168.1.5"
    assert "real.example.com" not in site_text(document) and "geheim" not in site_text(document)


def test_the_disk_images_of_metal3_are_the_labs_own() -> None:
    """Otherwise Metal3 of the lab would download them from the real web server."""
    image = {"url": "https://images.corp:8443/rhcos.qcow2", "checksum": "http://sums.corp/rhcos.sha256"}
    host = entry("a", interfaces=[interface("02:00:00:00:00:01")])
    site = parse_site(draft([{**host, "method": "capi", "hub": {}, "capi": {"metal3": {"image": image}}}]))
    assert site.hub is not None and site.hub.cluster_api is not None and site.hub.cluster_api.metal3 != "none"
    found = variables(site, Fabric(site, AddressTable(9)), ca_file=Path("ca.pem"), base_image={})
    connect_to = found["openshift_connect_to"]
    assert connect_to["images.corp:8443"].startswith("127.9.") and connect_to["sums.corp:80"].startswith("127.9.")
    digest = {"url": "https://images.corp/rhcos.qcow2", "checksum": "ab" * 32}
    site = parse_site(draft([{**host, "method": "capi", "hub": {}, "capi": {"metal3": {"image": digest}}}]))
    assert site.hub is not None and site.hub.cluster_api is not None
    assert site.hub.cluster_api.disk_images == ("https://images.corp/rhcos.qcow2",)


def test_structures_as_text(tmp_path: Path) -> None:
    """Surveys of a controller pass strings."""
    pytest.importorskip("ansible")
    cluster = "{name: c, base_domain: example.com, machine_networks: [192.168.1.0/24]}"
    text = f"all: {{vars: {{openshift_cluster: '{cluster}'}}, children: {{control_plane: {{hosts: {{a: {{}}}}}}}}}}\n"
    (tmp_path / "hosts.yml").write_text(text)
    site = parse_site(yaml.safe_load(draft_site([str(tmp_path / "hosts.yml")])))
    assert site.clusters[0].domain == "c.example.com"
    for value, message in (("{a: [", "is no YAML"), ("text", "must be a mapping")):
        with pytest.raises(CommandError, match=message):
            draft_site([str(tmp_path / "hosts.yml")], [f'{{"openshift_cluster": "{value}"}}'])


def test_spare_machines_of_a_hosted_cluster() -> None:
    """They are in none of the role groups, and the API of the cluster is at the hub's address."""
    pytest.importorskip("ansible")
    inventory = ROOT / "inventories" / "hosted"
    drafted = parse_site(yaml.safe_load(draft_site([str(inventory / "hosts.yml")])))
    true = parse_site(yaml.safe_load((inventory / "rack.yml").read_text()))
    assert [machine.bmc for machine in drafted.machines] == [machine.bmc for machine in true.machines]
    assert drafted.hub is not None and drafted.hub.address == "192.168.112.5" and drafted.hub.hypershift
    (network,) = drafted.networks
    assert network.dhcp is not None and network.dns_records["*.apps.guest.example.com"] == network.dhcp[0]


def test_the_hub_takes_no_address_of_others() -> None:
    cluster = {"api_vips": ["192.168.1.253"], "ingress_vips": ["192.168.1.252"]}
    host = entry(
        "a", cluster=cluster, interfaces=[interface("02:00:00:00:00:01")], network_config=static("192.168.1.5/24")
    )
    site = parse_site(draft([{**host, "method": "hub", "hub": {}}]))
    assert site.hub is not None and site.hub.address == "192.168.1.251", "the gateway is .254"
    assert site.networks[0].dns_records["api.c.example.com"] == "192.168.1.253"
    leases = entry("a", interfaces=[interface("02:00:00:00:00:01")])
    dynamic = parse_site(draft([{**leases, "method": "hub", "hub": {}}]))
    assert (
        dynamic.hub is not None
        and dynamic.hub.address == "192.168.1.254"
        and dynamic.networks[0].dhcp == ("192.168.1.128", "192.168.1.250")
    )


def test_checks_of_the_inventory_are_kept() -> None:
    """What ztlab vars prints takes the place of the inventory's, and no registry outside of the lab is asked."""
    host = entry("a", interfaces=[interface("02:00:00:00:00:01")])
    expected = {"release-not-pinned": "off"}
    for provided, kept in (({}, {}), ({"mtu": False, "dns-missing": "error"}, {"mtu": "off", "dns-missing": "error"})):
        document = draft([{**host, "checks": provided}])
        site = parse_site(document)
        assert site.checks == kept and ("checks:" in site_text(document)) is bool(kept)
        found = variables(site, Fabric(site, AddressTable(9)), ca_file=Path("ca.pem"), base_image={})
        assert found["openshift_checks"] == kept | expected
    registry = {"host": "quay.io", "username": "lab", "password": "x"}
    site = parse_site({**draft([host]), "registries": [registry]})
    assert "openshift_checks" not in variables(
        site, Fabric(site, AddressTable(9)), ca_file=Path("ca.pem"), base_image={}
    )
