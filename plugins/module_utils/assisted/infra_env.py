# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""An InfraEnv of the service: observe, plan, apply, and where its image is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..common.errors import PartialFailure
from .change import Change
from .client import Document
from .faults import AssistedError
from .infra_env_plan import plan_absent, plan_present, read_wish
from .lookup import only_one, required
from .records import infra_env_record
from .service import AssistedService

_DISABLED = "image service is disabled"


@dataclasses.dataclass(frozen=True)
class Done:
    """``value`` is what the door returns, ``changes`` what it planned (and did, out of check mode)."""

    value: Mapping[str, Any]
    changes: Sequence[Change] = ()


def make_present(service: AssistedService, options: Mapping[str, Any], *, check_mode: bool) -> Done:
    """The InfraEnv as wished. Raises :class:`InvalidInput` before anything is written, :class:`AssistedError` in the service's words."""
    read_wish(options)  # every mistake that needs no service
    cluster_id = _cluster_id(service, options.get("cluster"))
    observed = only_one(service.infra_envs(), "InfraEnv", options["name"])
    changes = plan_present(read_wish(options, cluster_id), observed)
    now = observed
    for change in () if check_mode else changes:
        now = service.create_infra_env(change.body) if observed is None else service.update_infra_env(str(observed["id"]), change.body)
    return Done(_value(service, options["name"], now, changes), changes)


def make_absent(service: AssistedService, name: str, *, delete_hosts: bool, check_mode: bool) -> Done:
    """No such InfraEnv. Raises :class:`InvalidInput` where hosts are in the way, :class:`PartialFailure` where some of it was done."""
    observed = only_one(service.infra_envs(), "InfraEnv", name)
    hosts = service.hosts(str(observed["id"])) if observed else []
    changes = plan_absent(name, observed, hosts, delete_hosts=delete_hosts)
    done: list[str] = []
    for change in () if check_mode else changes:
        try:
            _delete(service, str((observed or {}).get("id")), change)
        except AssistedError as error:
            raise PartialFailure(str(error), {"changed": bool(done), "plan": [each.text() for each in changes], "done": done}) from error
        done.append(change.text())
    return Done(_value(service, name, None, changes), changes)


def image_of(service: AssistedService, infra_env_id: str) -> dict[str, str]:
    """``url`` and ``expires_at`` of the discovery ISO; empty where the service makes no images (that of an agent-based installation)."""
    try:
        image = service.image_url(infra_env_id)
    except AssistedError as error:
        if error.status == 400 and _DISABLED in error.reason:
            return {"url": "", "expires_at": ""}
        raise
    expires = str(image.get("expires_at") or "")
    return {"url": str(image.get("url") or ""), "expires_at": "" if expires.startswith("0001-") else expires}


def _cluster_id(service: AssistedService, wanted: str | None) -> str | None:
    if wanted is None:
        return None
    return str(required(service.clusters(), "cluster", wanted)["id"]) if wanted else ""


def _delete(service: AssistedService, infra_env_id: str, change: Change) -> None:
    if change.body:
        service.delete_host(infra_env_id, str(change.body["id"]))
    else:
        service.delete_infra_env(infra_env_id)


def _value(service: AssistedService, name: str, infra_env: Document | None, changes: Sequence[Change]) -> dict[str, Any]:
    image = image_of(service, str(infra_env["id"])) if infra_env else {"url": "", "expires_at": ""}
    return {
        "changed": bool(changes),
        "plan": [change.text() for change in changes],
        "infra_env": infra_env_record(infra_env) if infra_env else {"id": "", "name": name},
        "image_url": image["url"],
        "image_expires_at": image["expires_at"],
    }
