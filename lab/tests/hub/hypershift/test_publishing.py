# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test how services of hosted clusters are published: addresses and ports of node ports, load balancers and routes."""

from __future__ import annotations

from typing import Any

from ztlab.fabric.hosts import Fabric
from ztlab.fabric.loopback import AddressTable
from ztlab.hub.hypershift.publishing import Publishing
from ztlab.site.load import parse_site
from ztlab.site.model import Site
from ztlab.variables import connect_to

from .hosting import hosting_site
from .pools import hosted, service


def site(**records: str) -> Site:
    document = hosting_site()
    network = {**document["networks"][0], "dns": {"records": records}}
    return parse_site({**document, "networks": [network]})


def published(made: Publishing, key: str, *services: Any) -> dict[str, str]:
    item = hosted(services=list(services))
    return {
        name: f"{entry.kind} {entry.netloc} {entry.listen}"
        for name, entry in made.publish(key, item, "clusters-guest").items()
    }


def publishing(of: Site) -> Publishing:
    assert of.hub is not None
    return Publishing(of, of.hub)


def test_node_ports_are_handed_out_once() -> None:
    made = publishing(site())
    first = published(made, "a", service("APIServer"), service("Ignition", port=31000), service("OIDC"))
    assert first == {"APIServer": "NodePort 10.0.0.5:30000 10.0.0.5", "Ignition": "NodePort 10.0.0.5:31000 10.0.0.5"}
    assert published(made, "b", service("APIServer")) == {"APIServer": "NodePort 10.0.0.5:30001 10.0.0.5"}
    assert published(made, "a", service("APIServer")) == {"APIServer": first["APIServer"]}
    made.release("a")
    assert published(made, "c", service("APIServer")) == {"APIServer": "NodePort 10.0.0.5:30000 10.0.0.5"}


def test_load_balancers_have_addresses_of_their_own() -> None:
    made = publishing(site(**{"api.guest.example.com": "10.0.0.250"}))
    assert published(made, "a", service("APIServer", "LoadBalancer")) == {
        "APIServer": "LoadBalancer 10.0.0.254:6443 10.0.0.254"
    }
    named = published(made, "b", service("APIServer", "LoadBalancer", hostname="api.guest.example.com"))
    assert named == {"APIServer": "LoadBalancer api.guest.example.com:6443 10.0.0.250"}
    assert published(made, "c", service("Ignition", "LoadBalancer")) == {}, (
        "only node ports and routes lead to the ignition server"
    )


def test_routes_are_the_hubs() -> None:
    found = published(publishing(site()), "a", service("Ignition", "Route"), service("APIServer", "Route"))
    assert found == {"Ignition": "Route ignition-server-clusters-guest.apps.hub.example.com 10.0.0.5"}


def test_variables_lead_to_all_of_them() -> None:
    of = site(
        **{
            "api.guest.example.com": "10.0.0.254",
            "nodes.guest.example.com": "10.0.0.5",
            "elsewhere.example.com": "10.0.0.77",
        }
    )
    found = connect_to(of, Fabric(of, AddressTable(9)))
    assert found["10.0.0.5"] == found["nodes.guest.example.com"] == "127.9.0.5"
    assert found["10.0.0.254"] == found["api.guest.example.com"] == "127.9.0.254"
    assert found["*.apps.hub.example.com:443"] == "127.9.0.5:8443"
    assert "elsewhere.example.com" not in found
