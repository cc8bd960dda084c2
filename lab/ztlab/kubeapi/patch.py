# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Apply patches to objects: JSON merge patch (RFC 7386) and JSON patch (RFC 6902)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import ApiError, bad_request

MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
SUPPORTED = (JSON, MERGE)


def merge_patch(target: Any, patch: Any) -> Any:
    """The patched object; null removes a member, also in the objects of a list.

    What the patch does not touch is shared with the target.
    """
    if isinstance(patch, list):
        return [merge_patch({}, item) if isinstance(item, (Mapping, list)) else item for item in patch]
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def _tokens(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise rejected()
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def rejected() -> ApiError:
    """The API server does not tell which operation of a JSON patch failed."""
    return ApiError(422, "Invalid", "the server rejected our request due to an error in our request")


def _walk(document: Any, tokens: Sequence[str], pointer: str) -> Any:
    for token in tokens:
        try:
            document = document[int(token)] if isinstance(document, list) else document[token]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise rejected() from error
    return document


def _add(document: Any, pointer: str, value: Any, *, replace: bool) -> Any:
    tokens = _tokens(pointer)
    if not tokens:
        return value
    parent, last = _walk(document, tokens[:-1], pointer), tokens[-1]
    if isinstance(parent, list):
        index = len(parent) if last == "-" else _index(last, pointer)
        if index > len(parent) or (replace and index >= len(parent)):
            raise rejected()
        parent[index : index + 1 if replace else index] = [value]
    elif isinstance(parent, dict):
        if replace and last not in parent:
            raise rejected()
        parent[last] = value
    else:
        raise rejected()
    return document


def _index(token: str, pointer: str) -> int:
    if not token.isdigit():
        raise rejected()
    return int(token)


def _remove(document: Any, pointer: str) -> Any:
    tokens = _tokens(pointer)
    parent = _walk(document, tokens[:-1], pointer)
    _walk(document, tokens, pointer)
    del parent[int(tokens[-1]) if isinstance(parent, list) else tokens[-1]]
    return document


def json_patch(target: Any, operations: Any) -> Any:
    """The patched copy. Raises ApiError 422 for a path that is missing or a test that fails."""
    if not isinstance(operations, list):
        raise bad_request(
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
        )
    document = copy.deepcopy(target)
    for operation in operations:
        document = _apply(document, operation)
    return document


def _apply(document: Any, operation: Mapping[str, Any]) -> Any:
    kind, pointer = operation.get("op"), operation.get("path", "")
    if kind in ("add", "replace"):
        return _add(document, pointer, copy.deepcopy(operation.get("value")), replace=kind == "replace")
    if kind == "remove":
        return _remove(document, pointer)
    if kind == "test":
        if _walk(document, _tokens(pointer), pointer) != operation.get("value"):
            raise rejected()
        return document
    if kind in ("move", "copy"):
        source = operation.get("from", "")
        value = copy.deepcopy(_walk(document, _tokens(source), source))
        document = _remove(document, source) if kind == "move" else document
        return _add(document, pointer, value, replace=False)
    raise rejected()


def without_directives(patch: Any) -> Any:
    """A strategic merge patch without its ``$setElementOrder``, ``$retainKeys`` and the like, which only steer
    lists.
    """
    if isinstance(patch, Mapping):
        return {name: without_directives(value) for name, value in patch.items() if not name.startswith("$")}
    return patch


def apply_patch(target: Any, media_type: str, body: Any) -> Any:
    """Raises ApiError 415 for a kind of patch that is not offered."""
    if media_type in (MERGE, STRATEGIC) and not isinstance(body, dict):
        raise bad_request(
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
        )
    if media_type == MERGE:
        return merge_patch(target, body)
    if media_type == STRATEGIC:
        return merge_patch(target, without_directives(body))
    if media_type == JSON:
        return json_patch(target, body)
    raise ApiError(
        415,
        "UnsupportedMediaType",
        (f"the body of the request was in an unknown format - accepted media types include: {', '.join(SUPPORTED)}"),
    )
