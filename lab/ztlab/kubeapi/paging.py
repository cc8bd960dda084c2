# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Return lists in pages. Every page contains the objects as they were when the first page was read."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping

from .errors import ApiError, bad_request
from .resource import Object, Resource
from .selectors import Matcher
from .storage import Store, Stored

KEPT = 64
TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter."
)


class Lists:
    """The lists that clients have read in part. Only the newest are kept: tokens of older lists have expired."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._open: OrderedDict[str, tuple[int, list[Stored]]] = OrderedDict()

    def page(
        self, resource: Resource, namespace: str, fits: Matcher, query: Mapping[str, str]
    ) -> tuple[list[Stored], Object]:
        """One page and the list's metadata.

        Raises ApiError 400 for a token that is none, 410 for one that is too old.
        """
        limit, start = _limit(query), 0
        name = ""
        if query.get("continue"):
            name, start = _token(query["continue"])
            if name not in self._open or self._open[name][0] < self.store.compacted:
                raise ApiError(410, "Expired", TOO_OLD)
            version, items = self._open[name]
        else:
            version, items = self.store.version, self.store.listed(resource, namespace, fits)
        metadata: Object = {**({"continue": ""} if resource.custom else {}), "resourceVersion": str(version)}
        rest = len(items) - start - limit
        if not limit or rest <= 0:
            return items[start:], metadata
        metadata |= {"continue": self._keep(name, version, items, start + limit), "remainingItemCount": rest}
        return items[start : start + limit], metadata

    def _keep(self, name: str, version: int, items: list[Stored], start: int) -> str:
        name = name or secrets.token_hex(8)
        self._open[name] = (version, items)
        self._open.move_to_end(name)
        while len(self._open) > KEPT:
            self._open.popitem(last=False)
        return base64.urlsafe_b64encode(json.dumps({"list": name, "start": start}).encode()).decode()


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit") or "0"
    if not text.isdigit():
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def _token(text: str) -> tuple[str, int]:
    try:
        token = json.loads(base64.urlsafe_b64decode(text))
        return str(token["list"]), int(token["start"])
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise bad_request("continue key is not valid") from error
