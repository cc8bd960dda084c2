# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, change or delete an InfraEnv of an assisted-service (observe, plan, apply), and find the URL of its image."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ...common.errors import PartialFailure
from ..change import ServiceChange
from ..cluster.creation import Kind, settled
from ..lookup import only_one, required, to_be_had
from ..records import infra_env_record
from ..rest.client import Document
from ..rest.faults import AssistedError
from ..rest.service import AssistedService
from .plan import DesiredServiceInfraEnv, plan_absent, plan_present, read_requested

_DISABLED = "image service is disabled"
# The id of a cluster that an earlier task would create, in check mode.
_LATER = "(not there yet)"


@dataclasses.dataclass(frozen=True)
class InfraEnvResult:
    """``value`` is what the module returns, ``changes`` what it planned (and did, out of check mode)."""

    value: Mapping[str, Any]
    changes: Sequence[ServiceChange] = ()
    warnings: Sequence[str] = ()


def make_present(service: AssistedService, options: Mapping[str, Any], *, check_mode: bool) -> InfraEnvResult:
    """The InfraEnv as described.

    Raises :class:`InvalidInput` before anything is written, :class:`AssistedError` in the service's words.
    """
    read_requested(options)  # every mistake that needs no service
    wanted = options.get("cluster_name")
    cluster_id = _cluster_id(service, wanted, check_mode=check_mode)
    requested = read_requested(options, cluster_id)
    observed = to_be_had(service.infra_envs(), "InfraEnv", requested.name)
    changes = plan_present(requested, observed)
    if check_mode:
        words = f"The service has no cluster {wanted}. Check mode assumes that an earlier task creates it."
        return InfraEnvResult(
            _value(service, requested.name, observed, changes), changes, [words] if cluster_id == _LATER else []
        )
    applied = carry_out(service, requested, changes, observed)
    return InfraEnvResult(_value(service, requested.name, applied.infra_env, changes), changes, applied.warnings)


@dataclasses.dataclass(frozen=True)
class Applied:
    """The InfraEnv as it is now."""

    infra_env: Document | None
    warnings: Sequence[str] = ()


def carry_out(
    service: AssistedService,
    requested: DesiredServiceInfraEnv,
    changes: Sequence[ServiceChange],
    observed: Document | None,
    *,
    own_cluster: bool = False,
) -> Applied:
    """Make the changes of a plan.

    One that another run made at the same time is used and brought to the desired state; raises as the service refuses
    it, and :class:`PartialFailure` where two remain. ``own_cluster``: InfraEnvs of this name that other clusters have
    are not meant.
    """
    now = observed
    for change in changes:
        if observed is not None:
            now = service.update_infra_env(str(observed["id"]), change.body)
            continue
        now = service.create_infra_env(change.body)
        stays = settled(_kind(service, requested, own_cluster), str(now["id"]), service.clock)
        if stays != now["id"]:
            other = service.infra_env(stays)
            rest = carry_out(service, requested, plan_present(requested, other), other)
            words = (
                f"Another run created InfraEnv {requested.name} at the same time. Its InfraEnv {stays} is used; "
                "this run has deleted its own."
            )
            return Applied(rest.infra_env, [*rest.warnings, words])
    return Applied(now)


def _kind(service: AssistedService, requested: DesiredServiceInfraEnv, own_cluster: bool) -> Kind:
    def rivals() -> list[Document]:
        known = service.infra_envs(requested.cluster_id or "") if own_cluster else service.infra_envs()
        return [item for item in known if item.get("name") == requested.name]

    def used(infra_env: Document) -> str:
        return ", ".join(f"host {host.get('id')}" for host in service.hosts(str(infra_env["id"])))

    return Kind("InfraEnv", rivals, used, service.delete_infra_env)


def make_absent(service: AssistedService, name: str, *, delete_hosts: bool, check_mode: bool) -> InfraEnvResult:
    """No such InfraEnv. Raises :class:`InvalidInput` where hosts are in the way, :class:`PartialFailure` where some of
    it was done.
    """
    observed = only_one(service.infra_envs(), "InfraEnv", name)
    hosts = service.hosts(str(observed["id"])) if observed else []
    changes = plan_absent(name, observed, hosts, delete_hosts=delete_hosts)
    done: list[str] = []
    for change in () if check_mode else changes:
        try:
            _delete(service, str((observed or {}).get("id")), change)
        except AssistedError as error:
            result = {"changed": bool(done), "plan": [each.text() for each in changes], "done": done}
            # The pylint of ansible-core 2.16 sometimes does not find the bases of AssistedError.
            raise PartialFailure(str(error), result) from error  # pylint: disable=bad-exception-cause
        done.append(change.text())
    return InfraEnvResult(_value(service, name, None, changes), changes)


def image_of(service: AssistedService, infra_env_id: str) -> dict[str, str]:
    """``url`` and ``expires_at`` of the discovery ISO; empty where the service makes no images (that of an agent-based
    installation).
    """
    try:
        image = service.image_url(infra_env_id)
    except AssistedError as error:
        if error.status == 400 and _DISABLED in error.reason:
            return {"url": "", "expires_at": ""}
        raise
    expires = str(image.get("expires_at") or "")
    return {"url": str(image.get("url") or ""), "expires_at": "" if expires.startswith("0001-") else expires}


def _cluster_id(service: AssistedService, wanted: str | None, *, check_mode: bool) -> str | None:
    if not wanted:
        return wanted
    known = service.clusters()
    found = only_one(known, "cluster", wanted) if check_mode else required(known, "cluster", wanted)
    return _LATER if found is None else str(found["id"])


def _delete(service: AssistedService, infra_env_id: str, change: ServiceChange) -> None:
    if change.body:
        service.delete_host(infra_env_id, str(change.body["id"]))
    else:
        service.delete_infra_env(infra_env_id)


def _value(
    service: AssistedService, name: str, infra_env: Document | None, changes: Sequence[ServiceChange]
) -> dict[str, Any]:
    image = image_of(service, str(infra_env["id"])) if infra_env else {"url": "", "expires_at": ""}
    return {
        "changed": bool(changes),
        "plan": [change.text() for change in changes],
        "infra_env": infra_env_record(infra_env) if infra_env else {"id": "", "name": name},
        "image_url": image["url"],
        "image_expires_at": image["expires_at"],
    }
