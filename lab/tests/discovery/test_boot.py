# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test machines that boot a discovery image: each registers with the service, or its console prints why not."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ztlab.newcluster.pki import new_authority
from ztlab.service.core import Core
from ztlab.service.model import InfraEnv

from .rig import HubRig, hub_site, nmstate, run


@pytest.mark.parametrize(
    ("image_type", "version"),
    [("full-iso", "4.22"), ("minimal-iso", "4.22"), ("full-iso", "4.17"), ("minimal-iso", "4.17")],
)
@pytest.mark.parametrize("firmware", ["uefi", "bios"])
def test_a_machine_registers(tmp_path: Path, image_type: str, version: str, firmware: str) -> None:
    """Both forms, nmpolicy documents and keyfiles, both firmwares; the static network is the one of this machine's MAC
    address.
    """

    async def flow() -> None:
        async with HubRig(tmp_path, 2, site=hub_site(2, firmware=firmware)) as hub:
            infra = await hub.infra_env(
                image_type=image_type, openshift_version=version, static_network_config=[nmstate(0), nmstate(1)]
            )
            hub.boot("rack-1", infra["download_url"])
            await hub.until(
                lambda: (host := hub.host_of("rack-1")) is not None and host.status == "known-unbound", "known-unbound"
            )
            host = hub.host_of("rack-1")
            assert host is not None and host.inventory is not None
            addresses = [address for nic in host.inventory["interfaces"] for address in nic["ipv4_addresses"]]
            assert addresses == ["192.168.111.21/24"]
            assert host.inventory["interfaces"][0]["name"] == "enp1s0"
            assert host.name == "rack-1.example.com", "the name that the DNS has for its address"
            assert ("grub.cfg" if firmware == "uefi" else "isolinux.cfg") in hub.console("rack-1")
            assert hub.images.requests["GET /byapikey"] > 5, "the medium is read by ranges from the image service"

    run(flow())


def test_a_minimal_image_does_without_its_medium(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(static_network_config=[nmstate(0)])
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console("registered as")
            hub.lab.machines["rack-0"].cd.eject()
            await hub.lab.clock.sleep(30)
            assert "medium is gone" not in hub.console()

    run(flow())


def without_network() -> dict[str, Any]:
    return {"static_network_config": []}


def other_mac() -> dict[str, Any]:
    element = nmstate(0)
    element["mac_interface_map"][0]["mac_address"] = "02:00:00:00:01:99"
    return {"static_network_config": [element]}


def no_gateway_out() -> dict[str, Any]:
    element = nmstate(0)
    element["network_yaml"] = element["network_yaml"].replace("192.168.111.20,", "192.168.99.20,")
    return {"static_network_config": [element]}


CONSEQUENCES: list[tuple[str, str, Any, str]] = [
    (
        "no network, full",
        "full-iso",
        without_network,
        ("agent: registration: lookup assisted-service.hub.example.com: no DNS server answers"),
    ),
    (
        "no network, minimal",
        "minimal-iso",
        without_network,
        ("couldn't fetch https://assisted-image-service.hub.example.com/boot-artifacts/rootfs"),
    ),
    ("another machine's MAC, minimal", "minimal-iso", other_mac, "no host directory has a MAC address of this machine"),
    ("another machine's MAC, full", "full-iso", other_mac, "no host directory has a MAC address of this machine"),
    ("a wrong subnet", "full-iso", no_gateway_out, "no DNS server answers"),
    (
        "a proxy that is not there",
        "full-iso",
        lambda: {"proxy": {"https_proxy": "http://192.168.111.77:3128"}},
        "proxyconnect tcp: No route to host",
    ),
]


@pytest.mark.parametrize(
    ("name", "image_type", "fields", "text"), CONSEQUENCES, ids=[entry[0] for entry in CONSEQUENCES]
)
def test_wrong_networks(tmp_path: Path, name: str, image_type: str, fields: Any, text: str) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(**{"image_type": image_type, "static_network_config": [nmstate(0)]} | fields())
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console(text)
            assert hub.hosts() == []

    run(flow())


def change_unit(old: str, new: str) -> Any:
    """A discovery ignition whose agent.service has another text."""

    def change(document: dict[str, Any]) -> None:
        unit = next(unit for unit in document["systemd"]["units"] if unit["name"] == "agent.service")
        if old not in unit["contents"]:
            raise ValueError(old)
        unit["contents"] = unit["contents"].replace(old, new)

    return change


def drop_file(path: str) -> Any:
    def change(document: dict[str, Any]) -> None:
        document["storage"]["files"] = [entry for entry in document["storage"]["files"] if entry["path"] != path]

    return change


def other_ca(document: dict[str, Any]) -> None:
    entry = next(
        entry for entry in document["storage"]["files"] if entry["path"] == "/etc/assisted-service/service-ca-cert.crt"
    )
    entry["contents"] = {"source": "data:," + urllib.parse.quote(new_authority("another").pem.decode())}


def disabled(document: dict[str, Any]) -> None:
    next(unit for unit in document["systemd"]["units"] if unit["name"] == "agent.service")["enabled"] = False


DAMAGES: list[tuple[str, Any, str]] = [
    ("agent.service not enabled", disabled, "agent.service: not enabled, nothing pulls it in"),
    ("no URL", change_unit("--url https://assisted-service.hub.example.com ", ""), "required arguments missing: --url"),
    (
        "another URL",
        change_unit("--url https://assisted-service.hub", "--url https://elsewhere.hub"),
        "lookup elsewhere.hub.example.com: no such host",
    ),
    (
        "no token",
        change_unit("PULL_SECRET_TOKEN=", "OTHER_TOKEN="),
        ("registration refused: AssistedServiceInfraError Code: 401"),
    ),
    (
        "a broken token",
        change_unit("PULL_SECRET_TOKEN=e", "PULL_SECRET_TOKEN=x"),
        ("registration refused: AssistedServiceInfraError Code: 401"),
    ),
    (
        "another infra-env",
        change_unit("--infra-env-id ", ("--infra-env-id 11111111-2222-4333-8444-555555555555 --ignored ")),
        "registration refused: ",
    ),
    (
        "no CA option",
        change_unit("--cacert /etc/assisted-service/service-ca-cert.crt", ""),
        "tls: failed to verify certificate",
    ),
    (
        "no CA file",
        drop_file("/etc/assisted-service/service-ca-cert.crt"),
        ("open /etc/assisted-service/service-ca-cert.crt: no such file or directory"),
    ),
    ("another CA", other_ca, "tls: failed to verify certificate"),
    (
        "no pull script",
        drop_file("/usr/local/bin/agent-pull-image"),
        ("Failed to locate executable /usr/local/bin/agent-pull-image"),
    ),
    (
        "the agent is not copied",
        change_unit("cp /usr/bin/agent /hostbin", "true"),
        ("Failed to locate executable /usr/local/bin/agent:"),
    ),
    (
        "no network script",
        drop_file("/usr/local/bin/pre-network-manager-config.sh"),
        "Failed to locate executable /usr/local/bin/pre-network-manager-config.sh",
    ),
]


@pytest.mark.parametrize(("name", "change", "text"), DAMAGES, ids=[entry[0] for entry in DAMAGES])
def test_machines_act_only_on_what_they_decoded(tmp_path: Path, name: str, change: Any, text: str) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            source = hub.service.core.discovery_source
            assert source is not None

            def damaged(core: Core, infra_env: InfraEnv, kind: str) -> Mapping[str, Any]:
                document: dict[str, Any] = json.loads(json.dumps(source(core, infra_env, kind)))
                change(document)
                return document

            hub.service.core.discovery_source = damaged
            infra = await hub.infra_env(image_type="full-iso", static_network_config=[nmstate(0)])
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console(text)
            assert hub.hosts() == []

    run(flow())


def test_insecure_needs_no_ca(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path, env={"SKIP_CERT_VERIFICATION": "true"}) as hub:
            infra = await hub.infra_env(image_type="full-iso", static_network_config=[nmstate(0)])
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console("registered as")

    run(flow())


def test_the_bundle_of_the_infra_env_is_trusted(tmp_path: Path) -> None:
    """Without a CA of its own the service is trusted through additionalTrustBundle."""

    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            source = hub.service.core.discovery_source
            assert source is not None

            def without_ca(core: Core, infra_env: InfraEnv, kind: str) -> Mapping[str, Any]:
                document: dict[str, Any] = json.loads(json.dumps(source(core, infra_env, kind)))
                change_unit("--cacert /etc/assisted-service/service-ca-cert.crt", "")(document)
                return document

            hub.service.core.discovery_source = without_ca
            bundle = hub.lab.authority.ca_file.read_text()
            infra = await hub.infra_env(
                image_type="full-iso", static_network_config=[nmstate(0)], additional_trust_bundle=bundle
            )
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console("registered as")

    run(flow())


def test_the_image_service_is_away(tmp_path: Path) -> None:
    async def flow() -> None:
        async with HubRig(tmp_path) as hub:
            infra = await hub.infra_env(image_type="full-iso")
            hub.images.ready = False
            hub.boot("rack-0", infra["download_url"])
            await hub.until_console("Virtual CD does not boot: the server answers 503")

    run(flow())
