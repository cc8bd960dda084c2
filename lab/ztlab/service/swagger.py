# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Validate every response of the simulated assisted-service against upstream's API description, if its file is
available.
"""

from __future__ import annotations

import functools
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import yaml

# operation -> why the response may differ: upstream omits a required member, and the lab does too.
KNOWN_DEVIATIONS = {
    "POST /v2/infra-envs/{infra_env_id}/hosts": ("a host that registers again comes back without status and its text")
}
# The list of operators has this name, the description a different name.
KNOWN_WORDS = ("numaresources",)
DATE_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")


def _is_uuid(value: object) -> bool:
    try:
        return not isinstance(value, str) or bool(uuid.UUID(value))
    except ValueError:
        return False


CHECKER = jsonschema.FormatChecker(formats=())
CHECKER.checks("uuid")(_is_uuid)
CHECKER.checks("date-time")(lambda value: not isinstance(value, str) or bool(DATE_TIME.match(value)))


@functools.lru_cache(maxsize=2)
def _load(path: Path) -> Any:
    """The document is large and never changes while a lab runs."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), loader)


def to_json_schema(node: Any) -> Any:
    """A Swagger 2 schema as JSON schema: ``x-nullable`` becomes a type, Go regular expressions stay."""
    if isinstance(node, list):
        return [to_json_schema(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    schema = {
        key: to_json_schema(value)
        for key, value in node.items()
        if not (isinstance(key, str) and (key.startswith("x-") or key == "example"))
    }
    if node.get("x-nullable") is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


class Swagger:
    """Checks of bodies against the description."""

    def __init__(self, path: Path) -> None:
        document = _load(path)
        self.definitions = {name: to_json_schema(schema) for name, schema in document["definitions"].items()}
        self.paths: Mapping[str, Mapping[str, Any]] = document["paths"]

    def validator(self, schema: Any) -> jsonschema.Draft4Validator:
        return jsonschema.Draft4Validator(
            {**to_json_schema(schema), "definitions": self.definitions}, format_checker=CHECKER
        )

    def response_problems(self, method: str, template: str, status: int, body: Any) -> list[str]:
        """What is wrong with a response of the lab; an undescribed operation or status is a problem too."""
        operation = self.paths.get(template, {}).get(method.lower())
        key = f"{method} {template}"
        if operation is None:
            return [f"{key} is not described"]
        described = operation["responses"].get(str(status))
        if described is None:
            return [f"{key} answers {status}, which is not described"]
        schema = described.get("schema")
        if schema is None:
            return [] if body is None else [f"{key} answers {status} with a body, none is described"]
        if schema.get("type") == "file" or schema.get("format") == "binary":
            return []
        if key in KNOWN_DEVIATIONS and isinstance(body, dict) and status < 300:
            body = {"status": "known", **body, "status_info": body.get("status_info") or ""}
        problems = [
            problem for problem in self.validator(schema).iter_errors(body) if problem.instance not in KNOWN_WORDS
        ]
        return [
            f"{key} {status}: {'/'.join(map(str, problem.absolute_path))}: {problem.message[:300]}"
            for problem in problems
        ]

    def refusal_problems(self, method: str, template: str, status: int, body: Any) -> list[str]:
        """A refusal has the described shape, or that of the router and the schema checks, which upstream does not
        describe.

        Source: openshift/assisted-service internal/common/common.go, pkg/auth.
        """
        if isinstance(body, dict) and isinstance(body.get("code"), int):
            fine = body["code"] == status and isinstance(body.get("message"), str) and len(body) == 2
            return [] if fine else [f"{method} {template} {status}: no refusal of the router: {body}"]
        return [f"{method} {template} {status}: {problem}" for problem in self.definition_problems("error", body)]

    def definition_problems(self, name: str, value: Any) -> list[str]:
        """What is wrong with a value that should be of a definition (contents of JSON strings)."""
        return [problem.message for problem in self.validator({"$ref": f"#/definitions/{name}"}).iter_errors(value)]
