# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the lab's routes, authentication schemes and field tables with upstream's API description, if available."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.upstream import SWAGGER, required
from ztlab.service.routes import build_router
from ztlab.service.schema import Field

from .scripted import AGENT_IMAGE, Machine, Rig

DESCRIPTION = required(SWAGGER)
ROUTES = build_router().routes


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(DESCRIPTION.read_text(encoding="utf-8"))
    return loaded


def operations(document: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    }


def test_every_path_is_served_and_no_other(document: dict[str, Any]) -> None:
    assert {route.key for route in ROUTES} == set(operations(document))


def test_schemes_are_those_described(document: dict[str, Any]) -> None:
    described = {
        key: {scheme for entry in operation.get("security", document["security"]) for scheme in entry}
        for key, operation in operations(document).items()
    }
    ours = {route.key: set(route.schemes) for route in ROUTES}
    assert ours == described


def resolve(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/definitions/")]
    return schema


def differences(field: Field, schema: Mapping[str, Any], definitions: Mapping[str, Any], path: str) -> list[str]:
    schema = resolve(schema, definitions)
    found = []
    if field.type != schema.get("type", "object"):
        found.append(f"{path}: type {field.type}, described {schema.get('type')}")
    if field.type == "string" and set(field.enum) != set(schema.get("enum") or ()):
        found.append(f"{path}: values {field.enum}, described {schema.get('enum')}")
    if field.members is not None:
        described = schema.get("properties") or {}
        if set(field.members) != set(described):
            found.append(f"{path}: members differ: {set(field.members) ^ set(described)}")
        if set(field.required) != set(schema.get("required") or ()):
            found.append(f"{path}: required {field.required}, described {schema.get('required')}")
        for name in set(field.members) & set(described):
            found += differences(field.members[name], described[name], definitions, f"{path}.{name}")
    if field.items is not None:
        found += differences(field.items, schema["items"], definitions, path + "[]")
    return found


# The reference names words that the description leaves to the logic (kernel arguments), and the other way round.
TOLERATED = ("kernel_arguments",)


@pytest.mark.parametrize("route", [route for route in ROUTES if route.body is not None], ids=lambda route: route.key)
def test_field_tables_are_those_described(document: dict[str, Any], route: Any) -> None:
    operation = operations(document)[route.key]
    parameter = next(item for item in operation["parameters"] if item["in"] == "body")
    found = differences(route.body, parameter["schema"], document["definitions"], "")
    assert [item for item in found if not any(word in item for word in TOLERATED)] == []
    assert route.body_name == parameter["name"]


def test_the_json_strings_have_the_described_content() -> None:
    async def flow() -> None:
        async with Rig() as rig:
            await rig.create()
            rig.boot(*(Machine(number) for number in range(3)))
            cluster = await rig.until("ready")
            swagger = rig.service._swagger
            assert swagger is not None
            host_ids = set(swagger.definitions["host-validation-id"]["enum"])
            cluster_ids = set(swagger.definitions["cluster-validation-id"]["enum"])
            shown = {
                verdict["id"] for verdicts in json.loads(cluster["validations_info"]).values() for verdict in verdicts
            }
            assert shown <= cluster_ids
            for host in cluster["hosts"]:
                assert swagger.definition_problems("inventory", json.loads(host["inventory"])) == []
                assert swagger.definition_problems("connectivity-report", json.loads(host["connectivity"])) == []
                assert {
                    verdict["id"] for verdicts in json.loads(host["validations_info"]).values() for verdict in verdicts
                } <= host_ids
            assert cluster["hosts"][0]["discovery_agent_version"] == AGENT_IMAGE

    asyncio.run(flow())
