# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test validating values against the OpenAPI schemas that a Kubernetes API serves."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import RemoteError
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.schema import (
    object_faults,
    served_schemas,
    value_faults,
)

TEXT = {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a"}
SPEC = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "free": {"type": "object"}, "map": {"additionalProperties": {"type": "integer"}}},
}
CASES: list[tuple[Any, Any, list[str]]] = [
    (TEXT, "ab", []),
    (TEXT, "a", ["must have at least 2 characters"]),
    (TEXT, "abcd", ["must have at most 3 characters"]),
    (TEXT, "bcd", ["must match ^a"]),
    (TEXT, 1, ["must be of type string"]),
    ({"type": "integer"}, True, ["must be of type integer"]),
    ({"type": "boolean"}, True, []),
    ({"type": "integer", "minimum": 1, "maximum": 2}, 3, ["must be at most 2"]),
    ({"type": "integer", "minimum": 1}, 0, ["must be at least 1"]),
    ({"type": "string", "enum": ["a"]}, "b", ["must be one of a"]),
    (
        {"type": "array", "maxItems": 1, "items": {"type": "string"}},
        ["a", 1],
        ["must have at most 1 entries", "must be of type string"],
    ),
    ({"x-kubernetes-int-or-string": True}, "50%", []),
    ({"x-kubernetes-int-or-string": True}, [], ["must be an integer or a string"]),
    (SPEC, {"name": "ab", "free": {"any": 1}, "map": {"a": 1}}, []),
    (SPEC, {"name": None}, ["is required"]),
    (SPEC, {"name": "ab", "nam": 1}, ["is not a field of the version that the API serves"]),
    (SPEC, {"name": "ab", "map": {"a": "b"}}, ["must be of type integer"]),
    ({"type": "object", "minProperties": 1}, {"a": None}, ["must have at least 1 fields"]),
    ({**SPEC, "x-kubernetes-preserve-unknown-fields": True}, {"name": "ab", "nam": 1}, []),
]


@pytest.mark.parametrize(("schema", "value", "wanted"), CASES)
def test_values(schema: Any, value: Any, wanted: list[str]) -> None:
    assert [text for _path, text in value_faults(schema, value, "x")] == wanted


def test_an_object_has_parts_of_every_kind_besides() -> None:
    schema = {"type": "object", "required": ["metadata", "spec"], "properties": {"spec": SPEC}}
    assert list(
        object_faults(schema, {"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "x"}, "spec": {"name": "b"}})
    ) == [
        ("spec.name", "must have at least 2 characters"),
        ("spec.name", "must match ^a"),
    ]


class Api:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def get(self, path: str) -> Any:
        assert path == "/openapi/v3/apis/g/v1"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_schemas_of_a_version() -> None:
    names = [{"group": "g", "version": "v1", "kind": "K"}]
    served = {
        "components": {
            "schemas": {"a": {"x-kubernetes-group-version-kind": names, "type": "object"}, "b": {"type": "string"}}
        }
    }
    found = served_schemas(Api(served), "g", "v1")  # type: ignore[arg-type]
    assert list(found) == ["K"] and found["K"]["type"] == "object"


def test_an_api_that_does_not_publish_them() -> None:
    assert served_schemas(Api(RemoteError("api", 403, "no")), "g", "v1") == {}  # type: ignore[arg-type]
    with pytest.raises(RemoteError):
        served_schemas(Api(RemoteError("api", 500, "broken")), "g", "v1")  # type: ignore[arg-type]
