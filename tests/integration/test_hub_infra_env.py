# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules infra_env and discovery_image against the lab's hub: its operator creates the images, its API validates
every object, and both fail on demand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import PULL_SECRET
from .conftest import MakeLab, canary_site
from .lab import Deployment, Lab

MAC = "52:54:00:00:01:10"
HOST = {
    "name": "sno-0",
    "interfaces": [{"name": "eth0", "mac_address": MAC}],
    "network_config": {
        "interfaces": [
            {
                "name": "eth0",
                "type": "ethernet",
                "state": "up",
                "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.168.126.10", "prefix-length": 24}]},
            }
        ]
    },
}

Open = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A lab with a hub."""
    directory = tmp_path_factory.mktemp("hub")
    site = canary_site("sno", directory)
    document = yaml.safe_load(site.read_text())
    document["hub"] = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
    site.write_text(yaml.safe_dump(document))
    return make_lab(directory, site)


@pytest.fixture
def run_module(lab: Lab, tmp_path: Path) -> Open:
    """Open a module; whether it failed is in the result."""
    user = Deployment(lab, tmp_path / "none", tmp_path)

    def call_module(module: str, /, **arguments: Any) -> dict[str, Any]:
        hub = {"kubeconfig": lab.vars["openshift_hub"]["kubeconfig"], "connect_to": lab.vars["openshift_connect_to"]}
        trust = {"image_ca_cert": lab.vars["openshift_ca_cert"]} if module == "discovery_image" else {}
        run = user.module(module, {**hub, **trust, "timeout": 60, **arguments})
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        result: dict[str, Any] = json.JSONDecoder().raw_decode(run.output[start.end() :])[0]
        return result | {"failed": not run.ok}

    return call_module


@pytest.fixture
def requested(request: pytest.FixtureRequest, lab: Lab) -> Iterator[dict[str, Any]]:
    """Options of an InfraEnv that no other test has."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_"))[:40].strip("-")
    yield {"name": name, "namespace": name, "pull_secret": PULL_SECRET, "hosts": [HOST]}
    lab.clear_faults()


def ok(result: dict[str, Any]) -> dict[str, Any]:
    assert not result["failed"], result
    return result


def test_made_used_changed_and_taken_back(run_module: Open, requested: dict[str, Any], tmp_path: Path) -> None:
    where = {key: requested[key] for key in ("name", "namespace")}
    predicted = ok(run_module("infra_env", **requested))
    assert [line.split()[1] for line in predicted["done"]] == ["Namespace", "Secret", "NMStateConfig", "InfraEnv"]
    again = ok(run_module("infra_env", **requested))
    assert not again["changed"] and again["iso_url"] == predicted["iso_url"]
    image = ok(run_module("discovery_image", **where, dest=str(tmp_path / "images"), kind="full_iso"))
    assert image["changed"] and Path(image["path"]).stat().st_size == image["size"]
    assert not ok(run_module("discovery_image", **where, dest=str(tmp_path / "images"), kind="full_iso"))["changed"]
    looked = ok(run_module("discovery_image", **where, dest=str(tmp_path / "minimal.iso"), kind="minimal_iso"))
    assert looked["size"] < image["size"] and looked["infra_env"]["id"] == image["infra_env"]["id"]
    pxe = ok(run_module("discovery_image", **where, dest=str(tmp_path / "pxe"), kind="pxe"))
    assert (tmp_path / "pxe" / "boot.ipxe").read_text().startswith("#!ipxe") and set(pxe["files"]) == {
        "kernel",
        "initrd",
        "rootfs",
        "ipxe_script",
    }
    changed = ok(
        run_module(
            "infra_env",
            **requested,
            additional_ntp_sources=["192.168.126.1"],
            image_proxy={"http_proxy": "http://192.168.126.1:3128"},
        )
    )
    assert changed["iso_url"] != predicted["iso_url"] and changed["not_propagated"] == []
    assert ok(run_module("discovery_image", **where, dest=str(tmp_path / "images"), kind="full_iso"))["changed"]
    cleared = ok(run_module("infra_env", **requested, image_proxy={}))
    assert [each["option"] for each in cleared["not_propagated"]] == ["image_proxy"]
    fewer = ok(run_module("infra_env", **{**requested, "hosts": []}))
    assert any(line.startswith("delete NMStateConfig") for line in fewer["done"])
    assert len(ok(run_module("infra_env", **where, state="absent"))["done"]) == 2


def test_what_the_hub_would_refuse(run_module: Open, requested: dict[str, Any]) -> None:
    ok(run_module("infra_env", **requested))
    bound = run_module("infra_env", **requested, cluster={"name": "c", "namespace": "n"}, arch="aarch64")
    assert bound["failed"] and [problem["path"] for problem in bound["problems"]] == ["cluster", "arch"]


def test_an_image_that_will_never_be(run_module: Open, requested: dict[str, Any]) -> None:
    unknown = run_module("infra_env", **requested, os_image_version="4.1")
    assert (
        unknown["failed"]
        and "has no image: Failed to create image" in unknown["msg"]
        and "Choose an os_image_version" in unknown["msg"]
    )
    assert ok(run_module("infra_env", **requested, os_image_version=""))["iso_url"]


def test_a_service_that_fails_for_a_while_is_waited_for(run_module: Open, requested: dict[str, Any], lab: Lab) -> None:
    """The operator says ImageCreated False and tries again; the image of the third attempt is the result."""
    lab.fault("service-500", path="/v2/infra-envs", count=3)
    made = ok(run_module("infra_env", **requested))
    assert made["iso_url"] and not ok(run_module("infra_env", **requested))["changed"]


def test_a_cluster_that_is_not_there(run_module: Open, requested: dict[str, Any]) -> None:
    late = run_module(
        "infra_env", **requested, cluster={"name": "missing", "namespace": requested["namespace"]}, timeout=3
    )
    assert (
        late["failed"]
        and f"bound to the ClusterDeployment {requested['namespace']}/missing, which does not exist" in late["msg"]
    )


TROUBLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("api-409", {"count": 3, "method": "PATCH"}),
    ("api-429", {"count": 4}),
    ("api-500", {"count": 2, "method": "GET"}),
    ("api-410", {"count": 3}),
    ("hub-compacts", {}),
    ("hub-clock", {"count": 0, "seconds": -3600}),
)


def test_trouble_on_the_hub_is_outlasted(run_module: Open, requested: dict[str, Any], lab: Lab) -> None:
    ok(run_module("infra_env", **requested, wait=False))
    url = ""
    for number, (kind, options) in enumerate(TROUBLE):
        lab.fault(kind, **options)
        changed = ok(run_module("infra_env", **requested, additional_ntp_sources=[f"ntp-{number}.example.com"]))
        assert changed["changed"] and changed["iso_url"] not in ("", url), kind
        url = changed["iso_url"]
        lab.clear_faults()
    assert not ok(run_module("infra_env", **requested, additional_ntp_sources=[f"ntp-{len(TROUBLE) - 1}.example.com"]))[
        "changed"
    ]


def test_a_permission_that_is_missing(run_module: Open, requested: dict[str, Any], lab: Lab) -> None:
    lab.fault("api-403", method="POST", resource="nmstateconfigs", count=0)
    refused = run_module("infra_env", **requested)
    assert refused["failed"] and 'resources: ["nmstateconfigs"], verbs: ["create"]' in refused["msg"]
    assert "2 of 4 changes were made, 2 were not." in refused["msg"]
    lab.clear_faults()
    assert len(ok(run_module("infra_env", **requested))["done"]) == 2
