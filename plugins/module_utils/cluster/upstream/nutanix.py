# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate platform.nutanix, as the installer does (openshift/installer pkg/asset/agent/installconfig.go)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...common.problems import Problem
from .findings import invalid, required, too_many
from .provided import Document, Provided
from .texts import host_error
from .vsphere import external_dns, load_balancer

PATH = "platform.nutanix"
_MOST_SUBNETS = 32
_HIGHEST_PORT = 65535
_NAME_PATTERN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"


def nutanix(provided: Provided) -> Iterator[Problem]:
    yield from agent_nutanix(provided)
    yield from load_balancer(provided, "nutanix")
    yield from external_dns(provided, "nutanix")
    options = provided.options("nutanix")
    if "prismAPICallTimeout" in options and options["prismAPICallTimeout"] <= 0:
        yield invalid(f"{PATH}.prismAPICallTimeout", options["prismAPICallTimeout"], "must be a positive integer value")
    for domain in options.get("failureDomains") or []:
        yield from _failure_domain(domain)


def agent_nutanix(provided: Provided) -> Iterator[Problem]:
    """Of these the agent installer says everything twice; identical texts count once."""
    options = provided.options("nutanix")
    central = options.get("prismCentral") or {}
    endpoint = central.get("endpoint") or {}
    yield from _address(f"{PATH}.prismCentral.endpoint.address", endpoint, "Prism Central", "Prism Central")
    port = endpoint.get("port", 0)
    if not 1 <= port <= _HIGHEST_PORT:
        yield invalid(
            f"{PATH}.prismCentral.endpoint.port",
            port,
            ("The Prism Central endpoint port is invalid, must be in the range of 1 to 65535"),
        )
    for key in ("username", "password"):
        if not central.get(key):
            yield required(f"{PATH}.prismCentral.{key}", f"must specify the Prism Central {key}")
    elements = options.get("prismElements") or []
    if len(elements) != 1:
        yield required(f"{PATH}.prismElements", "must specify one Prism Element")
    for element in elements:
        yield from _element(provided, element)
    yield from _subnets(f"{PATH}.subnetUUIDs", options.get("subnetUUIDs") or [])


def _element(provided: Provided, element: Document) -> Iterator[Problem]:
    path, endpoint = f"{PATH}.prismElements", element.get("endpoint") or {}
    if not element.get("uuid"):
        yield required(f"{path}.uuid", "must specify the Prism Element UUID")
    yield from _address(f"{path}.endpoint.address", endpoint, "Prism Element", "Prism Element (cluster)")
    port = endpoint.get("port", 0)
    if not 1 <= port <= _HIGHEST_PORT:
        words = "The Prism Element endpoint port is invalid, must be in the range of 1 to 65535"
        yield (
            invalid(f"{path}.endpoint.port", port, words)
            if provided.profile.prism_port_invalid
            else required(f"{path}.endpoint.port", words)
        )


def _address(path: str, endpoint: Document, name: str, long_name: str) -> Iterator[Problem]:
    address = endpoint.get("address", "")
    if not address:
        yield required(path, f"must specify the {name} endpoint address")
    elif host_error(address):
        yield invalid(path, address, f"must be the domain name or IP address of the {long_name}")


def _subnets(path: str, subnets: Sequence[str]) -> Iterator[Problem]:
    if not subnets or not subnets[0]:
        yield required(path, "must specify at least one subnet")
    elif len(subnets) > _MOST_SUBNETS:
        yield too_many(path, len(subnets), _MOST_SUBNETS)
    else:
        for index, subnet in enumerate(subnets):
            if subnet in subnets[:index]:
                yield invalid(path, subnet, "should not configure duplicate value")


def _failure_domain(domain: Document) -> Iterator[Problem]:
    path, name = f"{PATH}.failureDomain", domain.get("name", "")
    if not re.search(_NAME_PATTERN, name):
        yield invalid(f"{path}.name", name, f'failureDomain name should match the pattern "{_NAME_PATTERN}".')
    if not (domain.get("prismElement") or {}).get("uuid"):
        yield required(f"{path}.prismElement.uuid", "failureDomain prismElement uuid cannot be empty")
    yield from _subnets(f"{path}.subnetUUIDs", domain.get("subnetUUIDs") or [])
    for container in domain.get("storageContainers") or []:
        for key in ("referenceName", "uuid"):
            if not container.get(key):
                yield required(
                    f"{path}.storageContainers.{key}", (f'failureDomain "{name}": missing storageContainer {key}')
                )
    for image in domain.get("dataSourceImages") or []:
        if not image.get("referenceName"):
            yield required(
                f"{path}.dataSourceImages.referenceName",
                (f'failureDomain "{name}": missing dataSourceImage referenceName'),
            )
        if not image.get("uuid") and not image.get("name"):
            words = "both the dataSourceImage's uuid and name are empty, you need to configure one."
            yield required(f"{path}.dataSourceImages", f'failureDomain "{name}": {words}')
